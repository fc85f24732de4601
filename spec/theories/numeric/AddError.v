(** * The error of token plus position (spec/sinusoidal.md, SIN-11) *)
From Coq Require Import Reals ZArith Lra Lia.
From Flocq Require Import Core.
From Gnomon Require Import Bounds.
From Gnomon.numeric Require Import Rounding RotationError TableError.
Open Scope R_scope.

(** ** Definitions *)

(** Normative: SIN-11, for y = g x + p: [q] the relative error of the product g x, [lost] what it
    may lose by underflow, [T] the error of the stored table entry. *)
Definition add_bound (u q lost gx p T : R) : R :=
  q * Rabs gx + T + u * ((1 + q) * Rabs gx + Rabs p + T) + (1 + u) * lost.

Section Add.
Variable F : format.
Hypothesis Hsmall : u F <= / 128.

(** Any [z] for g x, and one more rounding, [r], of the sum. *)
Lemma add_error q lost gx p T z p' r : 0 <= q -> 0 <= lost -> Rabs (z - gx) <= q * Rabs gx + lost ->
  Rabs (p' - p) <= T -> Rabs r <= u F ->
  Rabs ((z + p') * (1 + r) - (gx + p)) <= add_bound (u F) q lost gx p T.
Proof.
  intros Hq Hlost Hz Hp Hr; pose proof (u_pos F); unfold add_bound.
  replace ((z + p') * (1 + r) - (gx + p)) with ((z - gx) + (p' - p) + r * (z + p')) by ring.
  assert (Hs : Rabs (z + p') <= (1 + q) * Rabs gx + lost + Rabs p + T).
  { replace (z + p') with (gx + p + ((z - gx) + (p' - p))) by ring.
    pose proof (Rabs_triang (gx + p) ((z - gx) + (p' - p))).
    pose proof (Rabs_triang gx p); pose proof (Rabs_triang (z - gx) (p' - p)); lra. }
  pose proof (Rabs_triang (z - gx + (p' - p)) (r * (z + p'))) as H1;
    pose proof (Rabs_triang (z - gx) (p' - p)).
  rewrite (Rabs_mult r) in H1; assert (Rabs r * Rabs (z + p') <=
    u F * ((1 + q) * Rabs gx + lost + Rabs p + T))
    by (apply Rmult_le_compat; trivial; apply Rabs_pos).
  lra.
Qed.

(** g = 1: no product. *)
Theorem SIN_11_add x p p' T : is_value F x -> is_value F p' -> Rabs (p' - p) <= T ->
  Rabs (fl F (x + p') - (x + p)) <= add_bound (u F) 0 0 x p T.
Proof.
  intros Hx Hp' Hp; destruct (FORMAT_3_sum F x p' Hx Hp') as (r & Hr & ->); apply below_u in Hr.
  apply add_error; trivial; try lra; rewrite Rminus_diag_eq, Rabs_R0 by trivial; lra.
Qed.

(** A token scale [g], stored as [g'], and its product with [x], rounded. *)
Lemma product_of_scale g g' x r e : Rabs (g' - g) <= u F * Rabs g -> Rabs r <= u F ->
  Rabs e <= eta F ->
  Rabs (g' * x * (1 + r) + e - g * x) <= gamma 2 (u F) * Rabs (g * x) + eta F.
Proof.
  intros Hg Hr He; pose proof (u_pos F); pose proof (gamma_lower F 2 ltac:(lra)) as Hgamma.
  replace (g' * x * (1 + r) + e - g * x) with ((g' - g) * x * (1 + r) + g * x * r + e) by ring.
  pose proof (Rabs_triang ((g' - g) * x * (1 + r) + g * x * r) e).
  pose proof (Rabs_triang ((g' - g) * x * (1 + r)) (g * x * r)) as H1;
    rewrite (Rabs_mult (g * x) r) in H1.
  assert (Rabs (1 + r) <= 1 + u F) by (eapply Rle_trans; [apply Rabs_triang|]; rewrite Rabs_R1;
    lra).
  assert (Ha : Rabs ((g' - g) * x) <= u F * Rabs (g * x)).
  { rewrite !Rabs_mult, <- Rmult_assoc; apply Rmult_le_compat_r; trivial; apply Rabs_pos. }
  assert (Hb : Rabs ((g' - g) * x * (1 + r)) <= u F * Rabs (g * x) * (1 + u F)).
  { rewrite (Rabs_mult _ (1 + r)); apply Rmult_le_compat; trivial; apply Rabs_pos. }
  assert (Hc : Rabs (g * x) * Rabs r <= Rabs (g * x) * u F) by (apply Rmult_le_compat_l; trivial;
    apply Rabs_pos).
  pose proof (Rabs_pos (g * x)); set (G := Rabs (g * x)) in *.
  apply (Rmult_le_compat_r G) in Hgamma; trivial.
  assert (0 <= u F * u F * G) by (apply Rmult_le_pos; trivial; apply Rmult_le_pos; lra); lra.
Qed.

Theorem SIN_11_scaled_add g g' x p p' T : Rabs (g' - g) <= u F * Rabs g -> is_value F p' ->
  Rabs (p' - p) <= T ->
  Rabs (fl F (fl F (g' * x) + p') - (g * x + p)) <=
    add_bound (u F) (gamma 2 (u F)) (eta F) (g * x) p T.
Proof.
  intros Hg Hp' Hp; pose proof (u_pos F); pose proof (eta_pos F).
  destruct (FORMAT_3_sum F _ p' (fl_is_value F (g' * x)) Hp') as (r & Hr & ->); apply below_u in Hr.
  destruct (FORMAT_3_rounding F (g' * x)) as (r' & e & Hr' & He & _ & E); apply below_u in Hr'.
  apply add_error; trivial; try lra.
  - pose proof (gamma_lower F 2 ltac:(lra)); nra.
  - rewrite E; now apply product_of_scale.
Qed.

(** Fused: one rounding less; its underflow takes the place of the product's. *)
Theorem SIN_11_fused_add g g' x p p' T : Rabs (g' - g) <= u F * Rabs g -> Rabs (p' - p) <= T ->
  Rabs (fl F (g' * x + p') - (g * x + p)) <= add_bound (u F) (gamma 2 (u F)) (eta F) (g * x) p T.
Proof.
  intros Hg Hp; pose proof (u_pos F); pose proof (eta_pos F).
  destruct (FORMAT_3_rounding F (g' * x + p')) as (r & e & Hr & He & _ & ->); apply below_u in Hr.
  pose proof (gamma_lower F 2 ltac:(lra)).
  assert (Hz0 : Rabs (g' * x - g * x) <= gamma 2 (u F) * Rabs (g * x) + 0).
  { replace (g' * x - g * x) with ((g' - g) * x) by ring;
      rewrite !Rabs_mult, Rplus_0_r, <- Rmult_assoc.
    apply Rmult_le_compat_r; [apply Rabs_pos|]; apply Rle_trans with (1 := Hg), Rmult_le_compat_r;
      [apply Rabs_pos|nra]. }
  pose proof (add_error (gamma 2 (u F)) 0 (g * x) p T (g' * x) p' r ltac:(nra) ltac:(lra) Hz0 Hp
    Hr) as H'.
  replace ((g' * x + p') * (1 + r) + e - (g * x + p))
    with (((g' * x + p') * (1 + r) - (g * x + p)) + e) by ring.
  eapply Rle_trans; [apply Rabs_triang|]; unfold add_bound in *; nra.
Qed.
End Add.
