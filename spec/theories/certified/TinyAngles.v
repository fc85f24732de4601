(** * Tiny angles (spec/rounding_test.md, ROUND-6)

    Below 2^-27 the cosine rounds to 1, and the sine lies within 2^-56 of its angle, relatively. *)
From Coq Require Import Reals ZArith Lra Lia.
From Flocq Require Import Core.
From Interval Require Import Tactic.
From Gnomon Require Import Bounds.
From Gnomon.numeric Require Import Rounding RoundingTest.
From Gnomon.certified Require Import PhaseError.
Open Scope R_scope.

#[local] Existing Instance exponent_valid.

Lemma sine_from_below a : 0 <= a <= 1 / 2 -> a * (1 - a * a / 6) <= sin a.
Proof.
  intros Ha; assert (Hpi : 3 < PI) by interval.
  destruct (sine_series_bounds a ltac:(lra)) as [H _]; apply Rle_trans with (2 := H).
  apply Rmult_le_compat_l; [lra|]; set (q := a * a).
  set (rest := / 120 - q / 5040 + q^2 / 362880 - q^3 / 39916800 + q^4 / 6227020800
    - q^5 / 1307674368000 + q^6 / 355687428096000 - q^7 / 121645100408832000).
  assert (Hq : 0 <= q <= 1 / 4) by (unfold q; nra).
  assert (0 <= rest) by (unfold rest; clearbody q; interval).
  replace (lower a) with (1 - q / 6 + q * q * rest) by (unfold lower, rest, q; field).
  assert (0 <= q * q * rest) by (apply Rmult_le_pos; [apply Rmult_le_pos|]; lra); lra.
Qed.

(** |w| = between s 2^e and (s + 4) 2^e: [low] and [high] the same for the angle. *)
Theorem ROUND_6_sine a low high : 0 <= low <= Rabs a -> Rabs a <= high -> high <= powerRZ 2 (-27) ->
  low * (1 - powerRZ 2 (-56)) <= Rabs (sin a) <= high.
Proof.
  intros Hl Hh Hs; assert (E27 : powerRZ 2 (-27) = / 134217728) by (rewrite <- (bpow_powerRZ
    radix2); reflexivity).
  assert (E56 : powerRZ 2 (-56) = / 72057594037927936) by (rewrite <- (bpow_powerRZ radix2);
    reflexivity).
  rewrite E27 in Hs; rewrite E56; set (b := Rabs a) in *.
  assert (Hb : Rabs (sin a) = sin b).
  { assert (Hpi : 3 < PI) by interval; assert (0 <= sin b) by (apply sin_ge_0; lra).
    unfold b, Rabs in *; destruct (Rcase_abs a) in *; rewrite ?sin_neg in *;
      destruct Rcase_abs; lra. }
  rewrite Hb; split.
  - pose proof (sine_from_below b ltac:(lra)) as Hsin; apply Rle_trans with (2 := Hsin).
    assert (b * b <= / 134217728 * / 134217728) by (apply Rmult_le_compat; lra).
    apply Rmult_le_compat; lra.
  - assert (Hs' : Rabs (sin b) <= b) by (apply abs_sin_le; rewrite Rabs_pos_eq; lra).
    apply abs_le_inv in Hs'; lra.
Qed.

(** As the kernels have it: |w| between s 2^e and (s + 4) 2^e, the angle m w. *)
Definition k_scaled_slack : R := 4.

Theorem ROUND_6_scaled m w s t (high := Rabs m * ((s + k_scaled_slack) * t)) : 0 <= s -> 0 <= t ->
  s * t <= Rabs w <= (s + k_scaled_slack) * t -> high <= powerRZ 2 (-27) ->
  Rabs m * (s * t) * (1 - powerRZ 2 (-56)) <= Rabs (sin (m * w)) <= high.
Proof.
  intros Hs Ht Hw Hh; pose proof (Rabs_pos m); apply ROUND_6_sine; trivial; rewrite Rabs_mult.
  - split; [repeat apply Rmult_le_pos; trivial|apply Rmult_le_compat_l; lra].
  - apply Rmult_le_compat_l; lra.
Qed.

Theorem ROUND_6_cosine F a : F = f32 \/ F = bf16 \/ F = f16 -> Rabs a <= powerRZ 2 (-27) ->
  fl F (cos a) = 1.
Proof.
  intros HF Ha; assert (E27 : powerRZ 2 (-27) = / 134217728) by (rewrite <- (bpow_powerRZ radix2);
    reflexivity).
  rewrite E27 in Ha; assert (V : is_value F 1).
  { change 1 with (bpow radix2 0); apply generic_format_bpow; unfold exponent, FLT_exp.
    destruct HF as [-> |[-> | ->]]; cbn; lia. }
  assert (Hc : 1 - / 33554432 < cos a <= 1).
  { split; [|apply COS_bound]; apply abs_le_inv in Ha.
    apply Rlt_le_trans with (1 - / 134217728); [lra|]; interval with (i_prec 80). }
  apply Rle_antisym.
  - apply Rle_trans with (fl F 1); [apply fl_le; lra|rewrite (fl_of_value F 1 V); lra].
  - apply (round_N_ge_midp radix2 (exponent F) (fun x => negb (Z.even x))); trivial.
    assert (P : pred radix2 (exponent F) 1 <= 1 - / 16777216).
    { change 1 with (bpow radix2 0) at 1; rewrite pred_bpow; apply Rplus_le_compat_l,
      Ropp_le_contravar.
      replace (/ 16777216) with (bpow radix2 (-24)) by (simpl; lra); apply bpow_le.
      unfold exponent, FLT_exp; destruct HF as [-> |[-> | ->]]; cbn; lia. }
    lra.
Qed.
