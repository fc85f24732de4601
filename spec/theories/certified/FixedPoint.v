(** * Fixed point (spec/rounding_test.md, ROUND-5)

    What the vectors leave open is computed in 128-bit integers, in units of 2^-127.  Here: how far
    that is from the truth at most, from the angle's own error on. *)
From Coq Require Import Reals List Lra Lia.
From Interval Require Import Tactic.
Import ListNotations.
Open Scope R_scope.

(** ** Definitions *)

(** A unit. *)
Definition unit_127 : R := / 2 ^ 127.
Notation U := unit_127.

(** ROUND-5.  c0 - z (c1 - z (c2 - ..)). *)
Definition alternating (c : list R) (z : R) : R := fold_right (fun c v => c - z * v) 0 c.

(** The coefficients: inverse factorials of even numbers up to 26, of odd ones up to 27. *)
Definition cosines : list R :=
  [1; / 2; / 24; / 720; / 40320; / 3628800; / 479001600; / 87178291200; / 20922789888000; /
   6402373705728000; / 2432902008176640000; / 1124000727777607680000; /
   620448401733239439360000; / 403291461126605635584000000].
Definition sines : list R :=
  [1; / 6; / 120; / 5040; / 362880; / 39916800; / 6227020800; / 1307674368000; /
   355687428096000; / 121645100408832000; / 51090942171709440000; / 25852016738884976640000; /
   15511210043330985984000000; / 10888869450418352160768000000].

(** The same in integers: each coefficient is cut, and each product, by at most two units. *)
Inductive evaluated (z' : R) : list R -> R -> Prop :=
| evaluated_nothing : evaluated z' [] 0
| evaluated_term c c' l v t : evaluated z' l v -> Rabs (c' - c) <= 2 * U ->
    Rabs (t - z' * v) <= 2 * U -> evaluated z' (c :: l) (c' - t).

(** ** Horner's scheme *)

(** Falling coefficients, none above 1. *)
Fixpoint falling (above : R) (c : list R) : Prop :=
  match c with [] => True | x :: c' => 0 <= x <= above /\ falling x c' end.

Lemma alternating_range z c above : 0 <= z <= 1 -> 0 <= above -> falling above c ->
  0 <= alternating c z <= above.
Proof.
  intros Hz; revert above; induction c as [|x c IH]; intros above Ha; simpl; [lra|].
  intros [Hx Hc]; specialize (IH x ltac:(lra) Hc); unfold alternating in *; nra.
Qed.

Lemma U_positive : 0 < U.
Proof. unfold U; interval. Qed.

(** An error e becomes at most 0.62 e + 6 units. *)
Theorem ROUND_5_horner z z' c v : 0 <= z <= 1 -> 0 <= z' <= 62 / 100 -> Rabs (z' - z) <= 2 * U ->
  falling 1 c -> evaluated z' c v -> Rabs (v - alternating c z) <= 16 * U.
Proof.
  intros Hz Hz' Hzz; pose proof U_positive as HU.
  assert (G : forall above, above <= 1 -> falling above c -> evaluated z' c v ->
    Rabs (v - alternating c z) <= 16 * U); [|intros; now apply (G 1 (Rle_refl 1))].
  revert v; induction c as [|x c IH]; intros v above Ha Hf He;
    inversion He as [|x0 c' c0 v0 t He' Hc' Ht]; subst; simpl.
  - rewrite Rminus_diag_eq, Rabs_R0 by trivial; lra.
  - destruct Hf as [Hx Hf]; specialize (IH v0 x ltac:(lra) Hf He').
    pose proof (alternating_range z c x Hz ltac:(lra) Hf) as Hr.
    fold (alternating c z); set (h := alternating c z) in *.
    replace (c' - t - (x - z * h)) with
      ((c' - x) - (t - z' * v0) - (z' * (v0 - h) + (z' - z) * h)) by ring.
    assert (A : Rabs (z' * (v0 - h)) <= 62 / 100 * (16 * U)).
    { rewrite Rabs_mult, (Rabs_pos_eq z') by lra; apply Rmult_le_compat; try lra; apply Rabs_pos. }
    assert (B : Rabs ((z' - z) * h) <= 2 * U * 1).
    { rewrite Rabs_mult, (Rabs_pos_eq h) by lra; apply Rmult_le_compat; try lra; apply Rabs_pos. }
    pose proof (Rabs_triang (z' * (v0 - h)) ((z' - z) * h)).
    unfold Rminus at 1 2; eapply Rle_trans; [apply Rabs_triang|].
    eapply Rle_trans; [apply Rplus_le_compat_r, Rabs_triang|]; rewrite !Rabs_Ropp; lra.
Qed.

(** The coefficients as made, each from the one before by a division that is cut: off by less than
    two units. *)
Theorem ROUND_5_coefficients c c' n r : 0 <= c - c' < 2 * U -> 2 <= n -> 0 <= r < U ->
  0 <= c / n - (c' / n - r) < 2 * U.
Proof.
  intros Hc Hn Hr; replace (c / n - (c' / n - r)) with ((c - c') * / n + r) by (field; lra).
  assert (0 < / n <= / 2) by (split; [apply Rinv_0_lt_compat; lra|apply Rinv_le_contravar; lra]).
  split; [|nra]; apply Rplus_le_le_0_compat; [apply Rmult_le_pos|]; lra.
Qed.

(** ** Taylor *)
Lemma series_cosine a : 0 <= a <= 787 / 1000 ->
  Rabs (alternating cosines (a * a) - cos a) <= / 2 ^ 107.
Proof.
  intros Ha; unfold alternating, cosines; cbn [fold_right].
  interval with (i_prec 160, i_bisect a, i_taylor a, i_degree 32).
Qed.

Lemma series_sine a : 0 <= a <= 787 / 1000 ->
  Rabs (a * alternating sines (a * a) - sin a) <= / 2 ^ 107.
Proof.
  intros Ha; unfold alternating, sines; cbn [fold_right].
  interval with (i_prec 160, i_bisect a, i_taylor a, i_degree 32).
Qed.

Lemma factorials_fall : falling 1 cosines /\ falling 1 sines.
Proof. unfold cosines, sines; cbn [falling]; repeat split; lra. Qed.

(** ** The bound *)

Lemma abs_diff f f' x y : (forall t, derivable_pt_lim f t (f' t)) -> (forall t, Rabs (f' t) <= 1) ->
  Rabs (f x - f y) <= Rabs (x - y).
Proof.
  intros Hd Hb; assert (G : forall x y, x < y -> Rabs (f y - f x) <= Rabs (y - x)).
  { intros x0 y0 Hxy; destruct (MVT_cor2 f f' x0 y0 Hxy (fun c _ => Hd c)) as (c & -> & _).
    rewrite Rabs_mult; rewrite <- (Rmult_1_l (Rabs (y0 - x0))) at 2.
    apply Rmult_le_compat_r; [apply Rabs_pos|apply Hb]. }
  destruct (Rtotal_order x y) as [H|[->|H]].
  - rewrite Rabs_minus_sym, (Rabs_minus_sym x); now apply G.
  - rewrite !Rminus_diag_eq, Rabs_R0 by trivial; lra.
  - now apply G.
Qed.

(** [x] the exact angle from the nearest quarter turn, positive; [a] the one computed, at position
    [m] (ROUND-1 in full: 2 pi |m| (2^-129 + 2^-190), and two units for pi/4). *)
Theorem ROUND_5_fixed_point x m a z' C S s : 0 <= x <= PI / 4 -> Rabs m <= 2 ^ 31 -> 0 <= a ->
  Rabs (a - x) <= (158 / 100 * Rabs m + 2) * U -> 0 <= z' -> Rabs (z' - a * a) <= 2 * U ->
  evaluated z' cosines C -> evaluated z' sines S -> Rabs (s - a * S) <= 2 * U ->
  Rabs (C - cos x) <= (2 * Rabs m + 2 ^ 21) * U /\ Rabs (s - sin x) <= (2 * Rabs m + 2 ^ 21) * U.
Proof.
  intros Hx Hm Ha Hax Hz0 Hz HC HS Hs; pose proof U_positive as HU.
  assert (HU' : U * 2 ^ 20 = / 2 ^ 107) by (unfold U; field).
  assert (Hbig : (158 / 100 * Rabs m + 2) * U <= / 1000).
  { apply Rle_trans with ((158 / 100 * 2 ^ 31 + 2) * U); [apply Rmult_le_compat_r; lra|].
    unfold U; interval. }
  assert (HPI : PI / 4 <= 7854 / 10000) by interval.
  pose proof (Rle_abs (a - x)) as Hle; pose proof (Rabs_pos m) as Hm0.
  assert (Ha' : a <= 7864 / 10000) by lra.
  assert (Hza : Rabs z' <= 62 / 100).
  { replace z' with ((z' - a * a) + a * a) by ring; eapply Rle_trans; [apply Rabs_triang|].
    rewrite (Rabs_pos_eq (a * a)) by nra; assert (2 * U <= / 2 ^ 100) by (unfold U; interval).
    assert (a * a <= 7864 / 10000 * (7864 / 10000)) by (apply Rmult_le_compat; lra).
    assert (/ 2 ^ 100 <= / 1000) by interval; lra. }
  rewrite Rabs_pos_eq in Hza by trivial; destruct factorials_fall as [Fc Fs].
  assert (Haa : 0 <= a * a <= 1) by nra.
  pose proof (ROUND_5_horner _ _ _ _ Haa (conj Hz0 Hza) Hz Fc HC) as Ec.
  pose proof (ROUND_5_horner _ _ _ _ Haa (conj Hz0 Hza) Hz Fs HS) as Es.
  pose proof (series_cosine a ltac:(lra)) as Tc; pose proof (series_sine a ltac:(lra)) as Ts.
  rewrite <- HU' in Tc, Ts.
  assert (Dc : Rabs (cos a - cos x) <= Rabs (a - x)).
  { apply abs_diff with (fun t => - sin t); [apply derivable_pt_lim_cos|].
    intros t; rewrite Rabs_Ropp; apply Rabs_le; pose proof (SIN_bound t); lra. }
  assert (Ds : Rabs (sin a - sin x) <= Rabs (a - x)).
  { apply abs_diff with cos; [apply derivable_pt_lim_sin|].
    intros t; apply Rabs_le; pose proof (COS_bound t); lra. }
  set (P := 2 ^ 21) in *; assert (EP : P = 2 * 2 ^ 20) by (unfold P; ring).
  assert (H20 : 1000000 <= 2 ^ 20) by (simpl; lra).
  assert (Hm1 : 0 <= Rabs m * U) by (apply Rmult_le_pos; lra).
  assert (HP : 100 * U <= 2 ^ 20 * U) by (apply Rmult_le_compat_r; lra).
  split.
  - replace (C - cos x) with ((C - alternating cosines (a * a)) +
      (alternating cosines (a * a) - cos a) + (cos a - cos x)) by ring.
    eapply Rle_trans; [apply Rabs_triang|]; eapply Rle_trans;
      [apply Rplus_le_compat_r, Rabs_triang|]; rewrite EP; lra.
  - replace (s - sin x) with ((s - a * S) + a * (S - alternating sines (a * a)) +
      (a * alternating sines (a * a) - sin a) + (sin a - sin x)) by ring.
    assert (A : Rabs (a * (S - alternating sines (a * a))) <= 1 * (16 * U)).
    { rewrite Rabs_mult, (Rabs_pos_eq a) by trivial; apply Rmult_le_compat; try lra;
        apply Rabs_pos. }
    assert (T : forall p q r w, Rabs (p + q + r + w) <= Rabs p + Rabs q + Rabs r + Rabs w).
    { intros p q r w; pose proof (Rabs_triang (p + q + r) w); pose proof (Rabs_triang (p + q) r);
        pose proof (Rabs_triang p q); lra. }
    apply Rle_trans with (1 := T _ _ _ _); rewrite EP; lra.
Qed.
