(** * Frequencies in formats (spec/bounds.md, BOUND-3)

    P = 0: a frequency that is a power of two moves the exponent of a position and keeps its digits.
    A frequency as a 16-bit output is rounded once more. *)
From Coq Require Import Reals ZArith Lra Lia.
From Flocq Require Import Core Mult_error.
From Gnomon Require Import Bounds FrequencyCounts Angles.
From Gnomon.numeric Require Import Rounding RotationError.
Open Scope R_scope.

Theorem BOUND_3_product_with_a_power_of_two F m k : is_value F m ->
  Rabs (fl F (m * bpow radix2 k) - m * bpow radix2 k) <= eta F.
Proof.
  intros Hm; pose proof (precision_positive F) as Hp; pose proof (exponent_valid F) as Hv.
  destruct (Rlt_le_dec (Rabs (m * bpow radix2 k)) (bpow radix2 (qmin F + p F))) as [Hs|Hb].
  - rewrite <- half_smallest; unfold fl.
    rewrite <- (ulp_FLT_small radix2 (qmin F) (p F) (m * bpow radix2 k)) by exact Hs.
    apply error_le_half_ulp; exact Hv.
  - assert (H0 : m <> 0).
    { intros ->; rewrite Rmult_0_l, Rabs_R0 in Hb.
      pose proof (bpow_gt_0 radix2 (qmin F + p F)); lra. }
    assert (V : is_value F (m * bpow radix2 k)).
    { apply mult_bpow_exact_FLT; trivial.
      assert (H1 : (qmin F + p F + 1 <= mag radix2 (m * bpow radix2 k))%Z).
      { apply mag_ge_bpow.
        replace (qmin F + p F + 1 - 1)%Z with (qmin F + p F)%Z by lia; exact Hb. }
      rewrite mag_mult_bpow in H1 by trivial; lia. }
    rewrite fl_of_value, Rminus_diag_eq, Rabs_R0 by trivial; left; apply eta_pos.
Qed.

(** So an angle at a position that the format holds, from a given frequency 2^k or 0 that it holds
    too, amounts to no rounding. *)
Theorem BOUND_3_angle_of_a_power_of_two F m w : is_value F m ->
  w = 0 \/ (exists k, w = bpow radix2 k) ->
  Rabs (fl F (m * w) - m * w) <= angle_error 0 (u F) (eta F) m (m * w).
Proof.
  intros Hm Hw; assert (H : Rabs (fl F (m * w) - m * w) <= eta F).
  { destruct Hw as [->|[k ->]]; [|now apply BOUND_3_product_with_a_power_of_two].
    rewrite Rmult_0_r, fl_of_value by apply generic_format_0; rewrite Rminus_diag_eq, Rabs_R0
      by trivial; left; apply eta_pos. }
  unfold angle_error, gamma; apply Rle_trans with (1 := H).
  unfold Rdiv; rewrite !Rmult_0_l, Rplus_0_l.
  pose proof (Rabs_pos m); pose proof (eta_pos F); nra.
Qed.

(** From what a count theorem says of [f], computed in format [F] where [x] underflowed, to the
    bound of the output. *)
Theorem BOUND_3_frequency_output F O C w f x : Rmax 2 C * u F < 1 ->
  Rabs (f - w) <= gamma C (u F) * Rabs w -> Rabs x <= eta F ->
  Rabs (fl O (f + x) - w) <= output_bound O w (frequency_bound C (u F) (eta F) w).
Proof.
  intros Hn Hf Hx; apply BOUND_5_output, BOUND_3_frequency; trivial; left; apply u_pos.
Qed.
