(** * Rounding to a format (spec/format.md)

    Formats are those of FORMAT-1 without their largest value: overflow has clauses of its own
      (ROPE-9).
    Flocq's FLT: significand of [p] bits, exponent at least [qmin]. *)
From Coq Require Import Reals ZArith Lra Lia.
From Flocq Require Import Core Relative Plus_error.
Open Scope R_scope.

(** ** Definitions *)

(** Normative: FORMAT-1.  Precision and smallest exponent. *)
Record format := Format { p : Z; qmin : Z; p_pos : (1 < p)%Z }.
Definition f64 := Format 53 (-1074) eq_refl.
Definition f32 := Format 24 (-149) eq_refl.
Definition bf16 := Format 8 (-133) eq_refl.
Definition f16 := Format 11 (-24) eq_refl.

Definition exponent (F : format) := FLT_exp (qmin F) (p F).
Definition is_value (F : format) (x : R) : Prop := generic_format radix2 (exponent F) x.

(** Normative: FORMAT-2. *)
Definition u (F : format) : R := bpow radix2 (- p F).
Definition eta (F : format) : R := bpow radix2 (qmin F - 1).

(** Normative: FORMAT-3.  To nearest, ties to even, gradual underflow. *)
Definition fl (F : format) (x : R) : R := round radix2 (exponent F) ZnearestE x.

(** ** What rounding does *)
Section OneFormat.
Variable F : format.

#[local] Instance precision_positive : Prec_gt_0 (p F).
Proof. destruct F as [q m H]; unfold Prec_gt_0; simpl; lia. Qed.
#[local] Instance exponent_valid : Valid_exp (exponent F).
Proof. apply FLT_exp_valid, precision_positive. Qed.

Lemma half_ulp : u_ro radix2 (p F) = u F.
Proof. unfold u_ro, u; rewrite bpow_plus; change (bpow radix2 1) with 2; field. Qed.

Lemma half_smallest : / 2 * bpow radix2 (qmin F) = eta F.
Proof. unfold eta; change (qmin F - 1)%Z with (qmin F + -1)%Z; rewrite bpow_plus;
  change (bpow radix2 (-1)) with (/ 2); ring. Qed.

Lemma u_pos : 0 < u F.
Proof. apply bpow_gt_0. Qed.
Lemma u_le : u F <= / 4.
Proof.
  destruct F as [q m H]; unfold u; cbn [p]; change (/ 4) with (bpow radix2 (-2)); apply bpow_le;
    lia.
Qed.
Lemma eta_pos : 0 < eta F.
Proof. apply bpow_gt_0. Qed.

Theorem FORMAT_3_rounding v : exists r e,
  Rabs r <= u F / (1 + u F) /\ Rabs e <= eta F /\ r * e = 0 /\ fl F v = v * (1 + r) + e.
Proof.
  destruct (relative_error_N_FLT'_ex radix2 (qmin F) (p F) precision_positive (fun x => negb
    (Z.even x)) v)
    as (r & e & Hr & He & H0 & H).
  rewrite half_ulp in Hr; rewrite half_smallest in He; now exists r, e.
Qed.

Lemma below_u r : Rabs r <= u F / (1 + u F) -> Rabs r <= u F.
Proof.
  intros H; pose proof u_pos; apply Rle_trans with (1 := H).
  apply Rmult_le_reg_r with (1 + u F); [lra|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra; nra.
Qed.

(** Sums and differences do not underflow. *)
Theorem FORMAT_3_sum a b : is_value F a -> is_value F b ->
  exists r, Rabs r <= u F / (1 + u F) /\ fl F (a + b) = (a + b) * (1 + r).
Proof.
  intros Ha Hb.
  destruct (FLT_plus_error_N_ex radix2 (qmin F) (p F) (fun x => negb (Z.even x)) a b Ha Hb) as (r
    & Hr & H).
  rewrite half_ulp in Hr; now exists r.
Qed.

Lemma fl_is_value v : is_value F (fl F v).
Proof. apply generic_format_round; [apply exponent_valid|apply valid_rnd_N]. Qed.
Lemma fl_of_value v : is_value F v -> fl F v = v.
Proof. intros H; apply round_generic; [apply valid_rnd_N|exact H]. Qed.
Lemma fl_opp v : fl F (- v) = - fl F v.
Proof. apply round_NE_opp. Qed.
Lemma opp_is_value v : is_value F v -> is_value F (- v).
Proof. apply generic_format_opp. Qed.

(** The smallest subnormal is 2 eta. *)
Theorem FORMAT_2_smallest v : is_value F v -> v = 0 \/ 2 * eta F <= Rabs v.
Proof.
  intros H; destruct (Req_dec v 0) as [->|Hv]; [now left|right].
  rewrite <- half_smallest; replace (2 * (/ 2 * bpow radix2 (qmin F)))
    with (bpow radix2 (qmin F)) by field.
  apply generic_format_ge_bpow with (fexp := exponent F); trivial;
    [|now apply Rabs_pos_lt|now apply generic_format_abs].
  intros e; unfold exponent, FLT_exp; lia.
Qed.

(** From the smallest normal value on, the error is relative. *)
Definition smallest_normal : R := bpow radix2 (qmin F + p F - 1).

Lemma fl_normal v : smallest_normal <= Rabs v ->
  exists r, Rabs r <= u F / (1 + u F) /\ fl F v = v * (1 + r).
Proof.
  intros H; destruct (relative_error_N_FLX'_ex radix2 (p F) precision_positive (fun x => negb
    (Z.even x)) v)
    as (r & Hr & Hv); rewrite half_ulp in Hr.
  exists r; split; trivial; rewrite <- Hv; now apply round_FLT_FLX.
Qed.

Lemma smallest_normal_is_value : is_value F smallest_normal.
Proof. apply generic_format_bpow; unfold exponent, FLT_exp; pose proof (p_pos F); lia. Qed.

(** A sum of two values below that is a value. *)
Lemma small_sum a b : is_value F a -> is_value F b -> Rabs (a + b) <= smallest_normal ->
  is_value F (a + b).
Proof.
  intros Ha Hb H; apply FLT_format_plus_small; trivial; [apply precision_positive|].
  apply Rle_trans with (1 := H); apply bpow_le; lia.
Qed.
End OneFormat.

(** A binary64 variable can carry any value of any format. *)
Theorem FORMAT_1_every_value_is_a_binary64_value F v :
  F = f64 \/ F = f32 \/ F = bf16 \/ F = f16 -> is_value F v -> is_value f64 v.
Proof.
  intros HF; apply generic_inclusion_mag; intros _; unfold exponent, FLT_exp.
  destruct HF as [-> |[-> |[-> | ->]]]; cbn; lia.
Qed.
