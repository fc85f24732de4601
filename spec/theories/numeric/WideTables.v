(** * Given tables that are wider than the arithmetic (spec/bounds.md, BOUND-2 and BOUND-5)

    The arithmetic rounds each entry first, once: d = u.  For every format, underflow included,
      fused or not. *)
From Coq Require Import Reals ZArith Lra Lia.
From Flocq Require Import Core.
From Gnomon Require Import Bounds.
From Gnomon.numeric Require Import Rounding RotationError NarrowArithmetic.
Open Scope R_scope.

Section Wide.
Variable F : format.
Hypothesis Hsmall : u F <= / 128.
Notation uF := (u F).
Notation good' := (good uF uF (eta F)).

(** What a rounded entry may be: relatively right; flushed to 0; a small power of two;
or not that small. *)
Lemma rounded_entry t : let t' := fl F t in
  Rabs (t' - t) <= uF * Rabs t \/
  (Rabs (t' - t) <= eta F /\
   (t' = 0 \/ (exists e, t' = bpow radix2 e \/ t' = - bpow radix2 e) /\ eta F
     <= Rabs t \/ 5 * eta F <= Rabs t)).
Proof.
  intros t'; destruct (FORMAT_3_rounding F t) as (r & e & Hr & He & Hre & E); fold t' in E.
  apply below_u in Hr; pose proof (u_pos F); pose proof (eta_pos F).
  destruct (Req_dec e 0) as [He0|He0].
  - left; rewrite E, He0; replace (t * (1 + r) + 0 - t) with (r * t) by ring; rewrite Rabs_mult.
    apply Rmult_le_compat_r; [apply Rabs_pos|trivial].
  - assert (Hr0 : r = 0) by (apply Rmult_integral in Hre; tauto).
    assert (Ht : Rabs (t' - t) <= eta F) by (rewrite E, Hr0; replace (t * (1 + 0) + e - t) with e
      by ring; trivial).
    right; split; trivial; destruct (Req_dec t' 0) as [|Hn]; [now left|right].
    assert (Hv : is_value F t') by apply fl_is_value.
    assert (Hd : Rabs t' <= Rabs t + Rabs (t' - t)) by (unfold Rabs; repeat destruct Rcase_abs;
      lra).
    destruct (Rle_lt_dec (6 * eta F) (Rabs t')) as [Hb|Hb]; [right; lra|left; split].
    + now apply (small_value F).
    + destruct (FORMAT_2_smallest F t' Hv) as [|Hs]; [tauto|lra].
Qed.

(** A product with an error [A] of its entry, rounded; not rounded, but for underflow. *)
Lemma near x t t' A r e l : Rabs (t' - t) <= A ->
  (1 + uF) * (A * (1 + uF) + uF * Rabs t) + uF * Rabs t <= coefficient uF uF * Rabs t + eta F ->
  Rabs r <= uF -> Rabs e <= l -> good' x t (x * t' * (1 + r) + e) l.
Proof.
  intros HA H' Hr He; pose proof (u_pos F); unfold good; rewrite Rabs_mult.
  set (X := Rabs x) in *; set (T := Rabs t) in *; assert (0 <= X) by apply Rabs_pos;
    assert (0 <= T) by apply Rabs_pos.
  assert (Hq : Rabs (x * t' * (1 + r) + e - x * t) <= X * (A * (1 + uF) + uF * T) + l).
  { replace (x * t' * (1 + r) + e - x * t) with (x * ((t' - t) * (1 + r) + t * r) + e) by ring.
    eapply Rle_trans; [apply Rabs_triang|]; apply Rplus_le_compat; trivial; rewrite Rabs_mult.
    apply Rmult_le_compat_l; trivial; eapply Rle_trans; [apply Rabs_triang|]; rewrite !Rabs_mult.
    apply Rplus_le_compat; [|rewrite (Rmult_comm uF); now apply Rmult_le_compat_l].
    apply Rmult_le_compat; trivial; try apply Rabs_pos.
    eapply Rle_trans; [apply Rabs_triang|]; rewrite Rabs_R1; lra. }
  apply (Rmult_le_compat_l (1 + uF)) in Hq; [|lra]; apply (Rmult_le_compat_l X) in H'; trivial; lra.
Qed.

Lemma exactly x t t' A e l : Rabs (t' - t) <= A ->
  (1 + uF) * A + uF * Rabs t <= coefficient uF uF * Rabs t + eta F -> Rabs e <= l ->
  good' x t (x * t' + e) l.
Proof.
  intros HA H' He; pose proof (u_pos F); unfold good; rewrite Rabs_mult.
  set (X := Rabs x) in *; set (T := Rabs t) in *; assert (0 <= X) by apply Rabs_pos.
  assert (Hq : Rabs (x * t' + e - x * t) <= X * A + l).
  { replace (x * t' + e - x * t) with (x * (t' - t) + e) by ring.
    eapply Rle_trans; [apply Rabs_triang|]; apply Rplus_le_compat; trivial; rewrite Rabs_mult.
    now apply Rmult_le_compat_l. }
  apply (Rmult_le_compat_l (1 + uF)) in Hq; [|lra]; apply (Rmult_le_compat_l X) in H'; trivial; lra.
Qed.

Lemma scaled x e : is_value F x -> Rabs (fl F (x * bpow radix2 e) - x * bpow radix2 e) <= eta F.
Proof.
  intros Hx; pose proof (eta_pos F).
  destruct (Rle_lt_dec (smallest_normal F) (Rabs (x * bpow radix2 e))) as [Hs|Hs].
  - rewrite fl_of_value by now apply scaled_is_value.
    rewrite Rminus_diag_eq, Rabs_R0 by trivial; lra.
  - apply fl_small; lra.
Qed.

(** The product with a rounded entry is good, as the next operation finds it: rounded,
or left to be fused. *)
Lemma good_wide x t : is_value F x -> good' x t (fl F (x * fl F t)) (eta F) /\ good' x t (x * fl F
  t) 0.
Proof.
  intros Hx; pose proof (u_pos F) as Hu; pose proof (eta_pos F) as He;
    pose proof (Rabs_pos t) as HT.
  destruct (FORMAT_3_rounding F (x * fl F t)) as (r & e & Hr & Hee & _ & E); apply below_u in Hr.
  assert (HuT : 0 <= uF * Rabs t) by (apply Rmult_le_pos; lra).
  assert (HuuT : 0 <= uF * (uF * Rabs t)) by (apply Rmult_le_pos; lra).
  assert (Hue : 0 <= uF * eta F <= / 128 * eta F) by (split; [apply Rmult_le_pos|apply
    Rmult_le_compat_r]; lra).
  assert (Huue : 0 <= uF * (uF * eta F) <= / 128 * (uF * eta F))
    by (split; [apply Rmult_le_pos|apply Rmult_le_compat_r]; lra).
  assert (H0 : Rabs 0 <= uF /\ Rabs 0 <= 0) by (rewrite Rabs_R0; lra).
  assert (Hfused : x * fl F t = x * fl F t * (1 + 0) + 0) by ring.
  destruct (rounded_entry t) as [H|[H Hcase]].
  - assert (S : stored uF uF (eta F) t (fl F t)) by now left.
    split; [rewrite E|rewrite Hfused]; apply good_product; trivial; lra.
  - destruct Hcase as [Hz|[[(k & Hk) Ht]|Ht]].
    + assert (S : stored uF uF (eta F) t (fl F t)).
      { right; left; split; trivial; rewrite Hz, Rminus_0_l, Rabs_Ropp in H; lra. }
      split; [rewrite E|rewrite Hfused]; apply good_product; trivial; lra.
    + assert (C : (1 + uF) * eta F + uF * Rabs t <= coefficient uF uF * Rabs t + eta F).
      { unfold coefficient; assert (uF * eta F <= uF * Rabs t) by (apply Rmult_le_compat_l; lra);
        lra. }
      split.
      * replace (fl F (x * fl F t)) with (x * fl F t + (fl F (x * fl F t) - x * fl F t)) by ring.
        apply exactly with (eta F); trivial; destruct Hk as [-> | ->]; [now apply scaled|].
        replace (x * - bpow radix2 k) with (- x * bpow radix2 k) by ring.
        apply scaled; now apply opp_is_value.
      * replace (x * fl F t) with (x * fl F t + 0) by ring; apply exactly with (eta F); trivial;
        lra.
    + assert (C : (1 + uF) * (eta F * (1 + uF) + uF * Rabs t) + uF * Rabs t <=
        coefficient uF uF * Rabs t + eta F).
      { unfold coefficient; assert (uF * (5 * eta F) <= uF * Rabs t) by (apply Rmult_le_compat_l;
        lra).
        lra. }
      split; [rewrite E|rewrite Hfused]; apply near with (eta F); trivial; lra.
Qed.

(** BOUND-5 with d = u: the given values [c] and [s] count as exact. *)
Theorem BOUND_5_wide_tables x0 x1 c s y : is_value F x0 -> is_value F x1 ->
  computed F x0 (fl F c) (- x1) (fl F s) y ->
  Rabs (y - (x0 * c - x1 * s)) <=
  coefficient uF uF * (Rabs (x0 * c) + Rabs (x1 * s)) + (3 * eta F + (Rabs x0 + Rabs x1) * eta F).
Proof.
  intros Hx0 Hx1 Hy; pose proof (u_pos F) as Hu; pose proof (eta_pos F) as He.
  assert (Hx1' : is_value F (- x1)) by now apply opp_is_value.
  destruct (good_wide x0 c Hx0) as [G0 G0']; destruct (good_wide (- x1) s Hx1') as [G1 G1'].
  replace (x0 * c - x1 * s) with (x0 * c + - x1 * s) by ring.
  replace (Rabs (x1 * s)) with (Rabs (- x1 * s)) by (rewrite <- Ropp_mult_distr_l; apply Rabs_Ropp).
  rewrite <- (Rabs_Ropp x1); assert (uF * eta F <= / 128 * eta F) by (apply Rmult_le_compat_r; lra).
  destruct Hy.
  - destruct (FORMAT_3_sum F _ _ (fl_is_value F (x0 * fl F c)) (fl_is_value F (- x1 * fl F s)))
      as (r & Hr & ->); apply below_u in Hr; rewrite <- (Rplus_0_r (_ * (1 + r))).
    apply good_sum with (u := uF) (loss := eta F) (loss' := eta F) (last := 0); trivial;
      try rewrite Rabs_R0; lra.
  - destruct (FORMAT_3_rounding F (x0 * fl F c + fl F (- x1 * fl F s))) as (r & e & Hr & Hee & _ &
    ->).
    apply below_u in Hr.
    apply good_sum with (u := uF) (loss := 0) (loss' := eta F) (last := eta F); trivial; lra.
  - destruct (FORMAT_3_rounding F (fl F (x0 * fl F c) + - x1 * fl F s)) as (r & e & Hr & Hee & _ &
    ->).
    apply below_u in Hr.
    apply good_sum with (u := uF) (loss := eta F) (loss' := 0) (last := eta F); trivial; lra.
Qed.
End Wide.
