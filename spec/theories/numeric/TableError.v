(** * The error of a table entry (spec/bounds.md, BOUND-4)

    For every angle and every angle error, with a scale or without, underflow included. *)
From Coq Require Import Reals ZArith Lra Lia.
From Flocq Require Import Core.
From Gnomon Require Import Bounds.
From Gnomon.numeric Require Import Rounding RotationError.
Open Scope R_scope.

(** ** Definitions *)

(** BOUND-1, A3: the stored sine or cosine [z] of the real number [f]: within one ulp where normal,
    rounded to nearest where subnormal. *)
Definition within_one_ulp (F : format) (f z : R) : Prop :=
  is_value F z /\ (Rabs (z - f) <= 2 * u F * Rabs f \/ Rabs (z - f) <= eta F).

(** Normative: BOUND-4, of a value [v] with the derivative [v'] by the angle.  [scalings] = 0 where
    the scale is 1, else 2; [underflow] = eta or (|K| + 1) eta. *)
Definition table_bound (F : format) (scalings underflow v v' D : R) : R :=
  gamma (2 + scalings) (u F) * (Rabs v + D * Rabs v') + moved D v v' + underflow.

Section Table.
Variable F : format.
Hypothesis Hsmall : u F <= / 128.

Lemma gamma_lower n : 0 <= n * u F < 1 -> n * u F + n * u F * (n * u F) <= gamma n (u F).
Proof.
  unfold gamma; set (x := n * u F); intros Hn; apply Rmult_le_reg_r with (1 - x); [lra|].
  unfold Rdiv; rewrite (Rmult_assoc _ (/ _)), Rinv_l by lra.
  assert (0 <= x * x * x) by (apply Rmult_le_pos; [apply Rmult_le_pos|]; lra); lra.
Qed.

Lemma plain f z : within_one_ulp F f z -> Rabs (z - f) <= gamma 2 (u F) * Rabs f + eta F.
Proof.
  intros [_ H]; pose proof (u_pos F); pose proof (eta_pos F); pose proof (Rabs_pos f).
  pose proof (gamma_lower 2 ltac:(lra)).
  assert (2 * u F * Rabs f <= gamma 2 (u F) * Rabs f) by (apply Rmult_le_compat_r; nra).
  assert (0 <= 2 * u F * Rabs f) by (apply Rmult_le_pos; lra); destruct H; lra.
Qed.

(** [K'] the scale as stored (A6: a normal number), [z] the stored sine or cosine, their product
    rounded. *)
Lemma scaled K K' f z : Rabs (K' - K) <= u F * Rabs K -> within_one_ulp F f z ->
  Rabs (fl F (K' * z) - K * f) <= gamma 4 (u F) * Rabs (K * f) + (Rabs K + 1) * eta F.
Proof.
  intros HK [Hz H]; pose proof (u_pos F) as Hu; pose proof (eta_pos F) as He.
  set (v := u F) in *; set (A := Rabs K) in *; set (B := Rabs f) in *.
  assert (0 <= A) by apply Rabs_pos; assert (0 <= B) by apply Rabs_pos.
  assert (HAB : 0 <= A * B) by now apply Rmult_le_pos.
  pose proof (gamma_lower 4 ltac:(fold v; lra)) as Hg; fold v in Hg; rewrite Rabs_mult; fold A B.
  assert (HgAB : (4 * v + 16 * (v * v)) * (A * B) <= gamma 4 v * (A * B))
    by (apply Rmult_le_compat_r; lra).
  assert (HvAB : 0 <= v * (A * B) /\ 0 <= v * v * (A * B) /\ v * (v * v * (A * B)) <=
    v * v * (A * B)).
  { assert (0 <= v * v * (A * B)) by (repeat apply Rmult_le_pos; lra); repeat split;
      [apply Rmult_le_pos; lra|trivial|nra]. }
  destruct (FORMAT_3_rounding F (K' * z)) as (r & e & Hr & He' & _ & ->); apply below_u in Hr;
    fold v in Hr.
  (* |K' z (1 + r) + e - K f| <= A |z - f| (1 + v)^2 + A B (2 v + v^2) + |e| *)
  assert (Hall : Rabs (K' * z * (1 + r) + e - K * f) <=
    A * Rabs (z - f) * ((1 + v) * (1 + v)) + A * B * (2 * v + v * v) + Rabs e).
  { set (k := K' - K) in *; set (y := z - f) in *.
    replace (K' * z * (1 + r) + e - K * f) with
      ((K * y * (1 + r) + k * y * (1 + r)) + ((K * f * r + k * f) + k * f * r) + e)
        by (unfold k, y; ring).
    assert (Hr1 : Rabs (1 + r) <= 1 + v) by (eapply Rle_trans; [apply Rabs_triang|];
      rewrite Rabs_R1; lra).
    set (C := Rabs y); assert (0 <= C) by apply Rabs_pos.
    assert (HAC : 0 <= A * C) by now apply Rmult_le_pos.
    pose proof (Rabs_pos k); pose proof (Rabs_pos r); pose proof (Rabs_pos (1 + r)).
    assert (HkC : Rabs k * C <= v * (A * C)) by (rewrite <- Rmult_assoc;
      now apply Rmult_le_compat_r).
    assert (HkB : Rabs k * B <= v * (A * B)) by (rewrite <- Rmult_assoc;
      now apply Rmult_le_compat_r).
    assert (Ha : Rabs (K * y * (1 + r)) <= A * C * (1 + v))
      by (rewrite !Rabs_mult; fold A C; now apply Rmult_le_compat_l).
    assert (Hb : Rabs (k * y * (1 + r)) <= v * (A * C) * (1 + v)).
    { rewrite !Rabs_mult; fold C; apply Rmult_le_compat; trivial; now apply Rmult_le_pos. }
    assert (Hc : Rabs (K * f * r) <= A * B * v) by (rewrite !Rabs_mult; fold A B;
      now apply Rmult_le_compat_l).
    assert (Hd : Rabs (k * f) <= v * (A * B)) by (rewrite Rabs_mult; exact HkB).
    assert (Hf : Rabs (k * f * r) <= v * (A * B) * v).
    { rewrite Rabs_mult, Rabs_mult; fold B; apply Rmult_le_compat; trivial;
        now apply Rmult_le_pos. }
    pose proof (Rabs_triang (K * y * (1 + r) + k * y * (1 + r) + (K * f * r + k * f + k * f * r))
      e).
    pose proof (Rabs_triang (K * y * (1 + r) + k * y * (1 + r)) (K * f * r + k * f + k * f * r)).
    pose proof (Rabs_triang (K * y * (1 + r)) (k * y * (1 + r))).
    pose proof (Rabs_triang (K * f * r + k * f) (k * f * r));
      pose proof (Rabs_triang (K * f * r) (k * f)); lra. }
  assert (HA : A * B * (2 * v + v * v) = 2 * (v * (A * B)) + v * v * (A * B)) by ring.
  destruct H as [H|H].
  - (* relative *)
    assert (A * Rabs (z - f) * ((1 + v) * (1 + v)) <= A * (2 * v * B) * ((1 + v) * (1 + v))).
    { apply Rmult_le_compat_r; [apply Rmult_le_pos; lra|]; now apply Rmult_le_compat_l. }
    assert (0 <= A * eta F) by (apply Rmult_le_pos; lra); lra.
  - destruct (FORMAT_2_smallest F z Hz) as [->|Hbig].
    + (* stored as 0: the product is 0 *)
      rewrite Rminus_0_l, Rabs_Ropp in H; fold B in H.
      assert (A * B <= A * eta F) by now apply Rmult_le_compat_l.
      replace (K' * 0 * (1 + r) + e - K * f) with (e + - (K * f)) by ring.
      eapply Rle_trans; [apply Rabs_triang|]; rewrite Rabs_Ropp, Rabs_mult; fold A B; lra.
    + (* subnormal, not 0: then eta <= |f| *)
      assert (HB : eta F <= B).
      { pose proof (Rabs_triang (z - f) f) as Htri; replace (z - f + f) with z in Htri by ring;
          unfold B; lra. }
      assert (A * Rabs (z - f) * ((1 + v) * (1 + v)) <= A * eta F * ((1 + v) * (1 + v))).
      { apply Rmult_le_compat_r; [apply Rmult_le_pos; lra|]; now apply Rmult_le_compat_l. }
      assert (HAe : A * eta F <= A * B) by now apply Rmult_le_compat_l.
      assert (v * (A * eta F) <= v * (A * B)) by (apply Rmult_le_compat_l; lra).
      assert (v * v * (A * eta F) <= v * v * (A * B)) by (apply Rmult_le_compat_l;
        [apply Rmult_le_pos|]; lra).
      lra.
Qed.

(** From the angle used to the exact one: [fa] at the angle used, [f] and [f'] at the exact one. *)
Lemma step g w K fa f f' D z : 0 <= g -> Rabs (z - K * fa) <= g * Rabs (K * fa) + w ->
  Rabs (fa - f) <= moved D f f' -> Rabs fa <= Rabs f + D * Rabs f' ->
  Rabs (z - K * f) <= g * (Rabs (K * f) + D * Rabs (K * f')) + moved D (K * f) (K * f') + w.
Proof.
  intros Hg Hz Hm Ha; unfold moved in *; rewrite !Rabs_mult in *; pose proof (Rabs_pos K).
  replace (z - K * f) with ((z - K * fa) + K * (fa - f)) by ring.
  eapply Rle_trans; [apply Rabs_triang|]; rewrite Rabs_mult.
  apply (Rmult_le_compat_l (Rabs K)) in Hm, Ha; trivial; apply (Rmult_le_compat_l g) in Ha;
    trivial; lra.
Qed.

Section Entry.
Variables (a t D : R).
Hypothesis HD : Rabs t <= D.

Lemma sine_size : Rabs (sin (a + t)) <= Rabs (sin a) + D * Rabs (cos a).
Proof.
  rewrite sin_plus; eapply Rle_trans; [apply Rabs_triang|]; rewrite !Rabs_mult.
  pose proof (abs_sin_le t D HD); pose proof (Rabs_pos (sin a)); pose proof (Rabs_pos (cos a)).
  assert (Rabs (cos t) <= 1) by (apply Rabs_le; pose proof (COS_bound t); lra); nra.
Qed.

Lemma cosine_size : Rabs (cos (a + t)) <= Rabs (cos a) + D * Rabs (sin a).
Proof.
  rewrite cos_plus; unfold Rminus; eapply Rle_trans; [apply Rabs_triang|];
    rewrite Rabs_Ropp, !Rabs_mult.
  pose proof (abs_sin_le t D HD); pose proof (Rabs_pos (sin a)); pose proof (Rabs_pos (cos a)).
  assert (Rabs (cos t) <= 1) by (apply Rabs_le; pose proof (COS_bound t); lra); nra.
Qed.

Lemma gamma_nonneg n : 0 <= n * u F < 1 -> 0 <= gamma n (u F).
Proof. intros Hn; pose proof (gamma_lower n Hn); nra. Qed.

(** Without a scale. *)
Theorem BOUND_4_sine z : within_one_ulp F (sin (a + t)) z ->
  Rabs (z - sin a) <= table_bound F 0 (eta F) (sin a) (cos a) D.
Proof.
  intros Hz; pose proof (u_pos F); apply plain in Hz; unfold table_bound; rewrite Rplus_0_r.
  rewrite <- (Rmult_1_l (sin (a + t))) in Hz.
  pose proof (step (gamma 2 (u F)) (eta F) 1 (sin (a + t)) (sin a) (cos a) D z (gamma_nonneg 2
    ltac:(lra))
    Hz (BOUND_4_moved_sine a t D HD) sine_size) as H'; now rewrite !Rmult_1_l in H'.
Qed.

Theorem BOUND_4_cosine z : within_one_ulp F (cos (a + t)) z ->
  Rabs (z - cos a) <= table_bound F 0 (eta F) (cos a) (sin a) D.
Proof.
  intros Hz; pose proof (u_pos F); apply plain in Hz; unfold table_bound; rewrite Rplus_0_r.
  rewrite <- (Rmult_1_l (cos (a + t))) in Hz.
  pose proof (step (gamma 2 (u F)) (eta F) 1 (cos (a + t)) (cos a) (sin a) D z (gamma_nonneg 2
    ltac:(lra))
    Hz (BOUND_4_moved_cosine a t D HD) cosine_size) as H'; now rewrite !Rmult_1_l in H'.
Qed.

(** With one. *)
Theorem BOUND_4_scaled_sine K K' z : Rabs (K' - K) <= u F * Rabs K ->
  within_one_ulp F (sin (a + t)) z ->
  Rabs (fl F (K' * z) - K * sin a) <= table_bound F 2 ((Rabs K + 1) * eta F) (K * sin a) (K * cos
    a) D.
Proof.
  intros HK Hz; pose proof (u_pos F); unfold table_bound; replace (2 + 2) with 4 by ring.
  apply step with (sin (a + t)); [apply gamma_nonneg;
    lra|now apply scaled|now apply BOUND_4_moved_sine|apply sine_size].
Qed.

Theorem BOUND_4_scaled_cosine K K' z : Rabs (K' - K) <= u F * Rabs K ->
  within_one_ulp F (cos (a + t)) z ->
  Rabs (fl F (K' * z) - K * cos a) <= table_bound F 2 ((Rabs K + 1) * eta F) (K * cos a) (K * sin
    a) D.
Proof.
  intros HK Hz; pose proof (u_pos F); unfold table_bound; replace (2 + 2) with 4 by ring.
  apply step with (cos (a + t)); [apply gamma_nonneg;
    lra|now apply scaled|now apply BOUND_4_moved_cosine|apply cosine_size].
Qed.
End Entry.
End Table.

(** Any of them, rounded to 16 bits. *)
Theorem BOUND_4_output O z v E : Rabs (z - v) <= E -> Rabs (fl O z - v) <= output_bound O v E.
Proof. apply BOUND_5_output. Qed.
