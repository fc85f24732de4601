(** * The phase of an angle, as the kernels compute it (spec/rounding_test.md, ROUND-1, 2 and 7)

    A turn is 2^128, or 2^64, and integers wrap: m w / 2 pi modulo 1 without floating point.  Not a
    definition of what is right, but of what optimized/tables.cc does. *)
From Coq Require Import Reals ZArith Lra Lia.
Open Scope Z_scope.

(** ** Definitions *)

(** [x] is [y] but for whole turns and [e] of a turn. *)
Definition turns_apart (x y e : R) : Prop := exists k : Z, (Rabs (x - y - IZR k) <= e)%R.

(** ROUND-1.  [f] is w / 2 pi modulo 1 in units of 2^-128, to nearest, from 72 bits more. *)
Definition fraction_error : R := (/ IZR (2 ^ 129) + / IZR (2 ^ 190))%R.
Definition is_fraction (f : Z) (w : R) : Prop :=
  turns_apart (IZR f / IZR (2 ^ 128)) (w / (2 * PI)) fraction_error.

(** The upper 64 bits of |m| f, then the sign; or of m f in two's complement (the scalar target). *)
Definition upper (n f : Z) : Z := (n * f) mod 2 ^ 128 / 2 ^ 64.
Definition phase (m f : Z) : Z := if m <? 0 then (- upper (- m) f) mod 2 ^ 64 else upper m f.
Definition scalar_phase (m f : Z) : Z := upper m f.

(** The same by 32-bit digits, as the vectors have it; [hi] and [lo] the halves of f. *)
Definition upper_by_digits (n hi lo : Z) : Z :=
  let carried := n * (lo / 2 ^ 32) + n * (lo mod 2 ^ 32) / 2 ^ 32 in
  ((n * (hi / 2 ^ 32) * 2 ^ 32) mod 2 ^ 64 + n * (hi mod 2 ^ 32) + carried / 2 ^ 32) mod 2 ^ 64.

(** ROUND-2.  The quadrant of a phase, and what is left of it in units of 2^-62 of a quarter turn.
*)
Definition shifted (p : Z) : Z := (p + 2 ^ 61) mod 2 ^ 64.
Definition quadrant (p : Z) : Z := shifted p / 2 ^ 62.
Definition within (p : Z) : Z := shifted p mod 2 ^ 62 - 2 ^ 61.
Definition rest (p : Z) : R := (IZR (within p) / IZR (2 ^ 62))%R.

(** Cosine and sine from those of the rest: exchanged in odd quadrants,
with the sign of the quadrant. *)
Definition sign (negative : bool) (v : R) : R := if negative then (- v)%R else v.
Definition cosine_of (p : Z) (c s : R) : R :=
  sign (2 <=? (quadrant p + 1) mod 4) (if Z.odd (quadrant p) then s else c).
Definition sine_of (p : Z) (c s : R) : R :=
  sign (2 <=? quadrant p) (if Z.odd (quadrant p) then c else s).

(** ** The phase *)

Lemma upper_error n f : exists k : Z,
  (0 <= IZR (n * f) / IZR (2 ^ 128) - IZR (upper n f) / IZR (2 ^ 64) - IZR k <= / IZR (2 ^ 64))%R.
Proof.
  exists (n * f / 2 ^ 128); unfold upper; set (a := n * f).
  pose proof (Z.div_mod a (2 ^ 128) ltac:(lia)) as Ha.
  set (p := a mod 2 ^ 128) in *; set (q := a / 2 ^ 128) in *.
  pose proof (Z.div_mod p (2 ^ 64) ltac:(lia)) as Hp; pose proof (Z.mod_pos_bound p (2 ^ 64)
    ltac:(lia)) as Hr.
  set (r := p mod 2 ^ 64) in *; set (t := p / 2 ^ 64) in *.
  assert (E : (IZR a / IZR (2 ^ 128) - IZR t / IZR (2 ^ 64) - IZR q = IZR r / IZR (2 ^ 128))%R).
  { rewrite Ha, Hp, !plus_IZR, !mult_IZR.
    change (2 ^ 128) with (2 ^ 64 * 2 ^ 64); rewrite mult_IZR; field; apply IZR_neq; lia. }
  rewrite E; change (2 ^ 128) with (2 ^ 64 * 2 ^ 64); rewrite mult_IZR.
  assert (0 < IZR (2 ^ 64))%R by (apply IZR_lt; lia).
  assert (0 <= IZR r)%R by (apply IZR_le; lia); assert (IZR r <= IZR (2 ^ 64))%R by (apply IZR_le;
    lia).
  assert (0 < / IZR (2 ^ 64))%R by now apply Rinv_0_lt_compat.
  unfold Rdiv; rewrite Rinv_mult; split.
  - apply Rmult_le_pos; [trivial|apply Rmult_le_pos; lra].
  - apply Rle_trans with (IZR (2 ^ 64) * (/ IZR (2 ^ 64) * / IZR (2 ^ 64)))%R;
      [apply Rmult_le_compat_r; trivial; apply Rmult_le_pos; lra|right; field; lra].
Qed.

(** m f / 2^128 is the phase of m w: whole turns of w drop out. *)
Lemma product_error m f w : is_fraction f w ->
  turns_apart (IZR (m * f) / IZR (2 ^ 128)) (IZR m * w / (2 * PI)) (IZR (Z.abs m) * fraction_error).
Proof.
  intros (k & Hk); exists (m * k).
  replace (IZR (m * f) / IZR (2 ^ 128) - IZR m * w / (2 * PI) - IZR (m * k))%R
    with (IZR m * (IZR f / IZR (2 ^ 128) - w / (2 * PI) - IZR k))%R
    by (rewrite !mult_IZR; unfold Rdiv; ring).
  rewrite Rabs_mult, <- abs_IZR; apply Rmult_le_compat_l; [apply IZR_le; lia|exact Hk].
Qed.

Definition phase_error (m : Z) : R := (IZR (Z.abs m) * fraction_error + / IZR (2 ^ 64))%R.

Lemma turns_apart_shift x y e k : turns_apart x y e -> turns_apart (x + IZR k) y e.
Proof.
  intros (j & H); exists (j + k); rewrite plus_IZR.
  replace (x + IZR k - y - (IZR j + IZR k))%R with (x - y - IZR j)%R by ring; exact H.
Qed.

Theorem ROUND_1_scalar_phase m f w : is_fraction f w ->
  turns_apart (IZR (scalar_phase m f) / IZR (2 ^ 64)) (IZR m * w / (2 * PI)) (phase_error m).
Proof.
  intros Hf; destruct (product_error m f w Hf) as (j & Hj); destruct (upper_error m f) as (k & Hk).
  exists (j - k); unfold scalar_phase, phase_error; rewrite minus_IZR.
  unfold Rabs in *; destruct Rcase_abs, Rcase_abs; lra.
Qed.

Theorem ROUND_1_phase m f w : is_fraction f w ->
  turns_apart (IZR (phase m f) / IZR (2 ^ 64)) (IZR m * w / (2 * PI)) (phase_error m).
Proof.
  intros Hf; unfold phase; destruct (Z.ltb_spec m 0); [|now apply ROUND_1_scalar_phase].
  destruct (ROUND_1_scalar_phase (- m) f w Hf) as (k & Hk); unfold scalar_phase in Hk.
  unfold phase_error in *; rewrite Z.abs_opp in Hk; set (t := upper (- m) f) in *.
  pose proof (Z.div_mod (- t) (2 ^ 64) ltac:(lia)) as Ht; exists (- k - - t / 2 ^ 64).
  replace ((- t) mod 2 ^ 64) with (- t - 2 ^ 64 * (- t / 2 ^ 64)) by lia.
  rewrite !minus_IZR, mult_IZR, !opp_IZR in *.
  rewrite <- Rabs_Ropp in Hk; replace (_ - _ - _)%R with
    (- (IZR t / IZR (2 ^ 64) - - IZR m * w / (2 * PI) - IZR k))%R; trivial.
  assert (IZR (2 ^ 64) <> 0)%R by (apply IZR_neq; lia); pose proof PI_RGT_0; field; split; lra.
Qed.

Theorem ROUND_1_digits n hi lo : 0 <= n < 2 ^ 32 -> 0 <= hi < 2 ^ 64 -> 0 <= lo < 2 ^ 64 ->
  upper_by_digits n hi lo = upper n (hi * 2 ^ 64 + lo).
Proof.
  intros Hn Hh Hl; unfold upper_by_digits, upper.
  assert (E : forall a, a mod 2 ^ 128 / 2 ^ 64 = (a / 2 ^ 64) mod 2 ^ 64).
  { intros a; change (2 ^ 128) with (2 ^ 64 * 2 ^ 64); rewrite Z.rem_mul_r by lia.
    rewrite (Z.mul_comm (2 ^ 64) (_ mod _)), Z.div_add, Z.div_small, Z.add_0_l; trivial; [|lia].
    apply Z.mod_pos_bound; lia. }
  rewrite E; replace (n * (hi * 2 ^ 64 + lo)) with (n * lo + n * hi * 2 ^ 64) by ring.
  rewrite Z.div_add, <- Z.add_assoc, Z.add_mod_idemp_l by lia; f_equal.
  pose proof (Z.div_mod hi (2 ^ 32) ltac:(lia)) as Eh; pose proof (Z.div_mod lo (2 ^ 32)
    ltac:(lia)) as El.
  set (h1 := hi / 2 ^ 32) in *; set (h0 := hi mod 2 ^ 32) in *.
  set (l1 := lo / 2 ^ 32) in *; set (l0 := lo mod 2 ^ 32) in *.
  rewrite Eh, El; change (2 ^ 64) with (2 ^ 32 * 2 ^ 32).
  replace (n * (2 ^ 32 * l1 + l0)) with (n * l0 + n * l1 * 2 ^ 32) by ring.
  rewrite <- Z.div_div, Z.div_add by lia; rewrite (Z.add_comm (n * l1)); ring.
Qed.

(** ** Quadrants *)

Lemma quadrant_range p : 0 <= quadrant p < 4.
Proof.
  unfold quadrant; pose proof (Z.mod_pos_bound (p + 2 ^ 61) (2 ^ 64) ltac:(lia)) as H;
    fold (shifted p) in H.
  split; [apply Z.div_pos; lia|apply Z.div_lt_upper_bound; lia].
Qed.

Lemma within_range p : - 2 ^ 61 <= within p <= 2 ^ 61.
Proof. unfold within; pose proof (Z.mod_pos_bound (shifted p) (2 ^ 62) ltac:(lia)); lia. Qed.

Theorem ROUND_2_rest p : rest p = 0%R \/ (/ IZR (2 ^ 62) <= Rabs (rest p) <= 1 / 2)%R.
Proof.
  pose proof (within_range p) as H; unfold rest; assert (0 < IZR (2 ^ 62))%R by (apply IZR_lt; lia).
  destruct (Z.eq_dec (within p) 0) as [->|Hn]; [left; unfold Rdiv; ring|right].
  unfold Rdiv; rewrite Rabs_mult, <- abs_IZR, (Rabs_pos_eq (/ _)) by (left;
    now apply Rinv_0_lt_compat).
  assert (0 < / IZR (2 ^ 62))%R by now apply Rinv_0_lt_compat.
  assert (1 <= IZR (Z.abs (within p)))%R by (apply IZR_le; lia).
  assert (IZR (Z.abs (within p)) <= IZR (2 ^ 61))%R by (apply IZR_le; lia).
  split; [rewrite <- (Rmult_1_l (/ _)) at 1; apply Rmult_le_compat_r; lra|].
  apply Rle_trans with (IZR (2 ^ 61) * / IZR (2 ^ 62))%R; [apply Rmult_le_compat_r; lra|].
  change (2 ^ 62) with (2 * 2 ^ 61); rewrite mult_IZR; right; field; apply IZR_neq; lia.
Qed.

Lemma angle_of p : exists k : Z,
  (2 * PI * (IZR p / IZR (2 ^ 64)) = PI / 2 * rest p + PI / 2 * IZR (quadrant p) + 2 * PI * IZR
    k)%R.
Proof.
  pose proof (Z.div_mod (p + 2 ^ 61) (2 ^ 64) ltac:(lia)) as H; fold (shifted p) in H.
  pose proof (Z.div_mod (shifted p) (2 ^ 62) ltac:(lia)) as H'; fold (quadrant p) in H'.
  exists ((p + 2 ^ 61) / 2 ^ 64); set (k := (p + 2 ^ 61) / 2 ^ 64) in *.
  assert (E : p = within p + 2 ^ 62 * quadrant p + 2 ^ 64 * k) by (unfold within; lia).
  unfold rest; rewrite E at 1; rewrite !plus_IZR, !mult_IZR.
  change (2 ^ 64) with (4 * 2 ^ 62); rewrite mult_IZR; field; apply IZR_neq; lia.
Qed.

Lemma sin_cos_turns x k : (sin (x + 2 * PI * IZR k) = sin x /\ cos (x + 2 * PI * IZR k) = cos x)%R.
Proof.
  assert (P : forall n y, (sin (y + 2 * PI * INR n) = sin y /\ cos (y + 2 * PI * INR n) = cos y)%R).
  { intros n y; replace (y + 2 * PI * INR n)%R with (y + 2 * INR n * PI)%R by ring.
    split; [apply sin_period|apply cos_period]. }
  destruct (Z.le_gt_cases 0 k).
  - rewrite <- (Z2Nat.id k), <- INR_IZR_INZ by lia; apply P.
  - destruct (P (Z.to_nat (- k)) (x + 2 * PI * IZR k)%R) as [Hs Hc].
    rewrite INR_IZR_INZ, Z2Nat.id, opp_IZR in Hs, Hc by lia.
    replace (x + 2 * PI * IZR k + 2 * PI * - IZR k)%R with x in Hs, Hc by ring; now rewrite Hs, Hc.
Qed.

Theorem ROUND_2_quadrant p : let t := (2 * PI * (IZR p / IZR (2 ^ 64)))%R in
  let c := cos (PI / 2 * rest p) in let s := sin (PI / 2 * rest p) in
  cos t = cosine_of p c s /\ sin t = sine_of p c s.
Proof.
  intros t c s; unfold t; destruct (angle_of p) as (k & ->).
  destruct (sin_cos_turns (PI / 2 * rest p + PI / 2 * IZR (quadrant p)) k) as [-> ->].
  rewrite cos_plus, sin_plus; fold c s; unfold cosine_of, sine_of, sign.
  pose proof (quadrant_range p) as Hq; set (q := quadrant p) in *.
  assert (C : q = 0 \/ q = 1 \/ q = 2 \/ q = 3) by lia; destruct C as [-> |[-> |[-> | ->]]]; cbn.
  - rewrite Rmult_0_r, cos_0, sin_0; split; ring.
  - rewrite Rmult_1_r, cos_PI2, sin_PI2; split; ring.
  - replace (PI / 2 * 2)%R with PI by field; rewrite cos_PI, sin_PI; split; ring.
  - replace (PI / 2 * 3)%R with (3 * (PI / 2))%R by ring; rewrite cos_3PI2, sin_3PI2; split; ring.
Qed.

(** So errors of the polynomials are errors of the result: signs and the exchange add nothing. *)
Theorem ROUND_2_error_carries_over p c s C S ec es :
  (Rabs (c - C) <= ec)%R -> (Rabs (s - S) <= es)%R ->
  (Rabs (cosine_of p c s - cosine_of p C S) <= if Z.odd (quadrant p) then es else ec)%R /\
  (Rabs (sine_of p c s - sine_of p C S) <= if Z.odd (quadrant p) then ec else es)%R.
Proof.
  intros Hc Hs; unfold cosine_of, sine_of, sign.
  assert (N : forall a b, Rabs (- a - - b) = Rabs (a - b))
    by (intros; rewrite <- Rabs_Ropp; f_equal; ring).
  destruct (Z.odd _), (2 <=? _), (2 <=? quadrant p); rewrite ?N; now split.
Qed.

#[local] Open Scope R_scope.

(** ROUND-7.  A frequency that is a rounding boundary [n] is found exactly, in integers. *)
Theorem ROUND_7_a_boundary base (p q : nat) n : 0 < base -> 0 < n -> (0 < q)%nat ->
  Rpower base (- (INR p / INR q)) = n <-> n ^ q * base ^ p = 1.
Proof.
  intros Hb Hn Hq; assert (0 < INR q) by now apply lt_0_INR.
  rewrite <- (Rpower_pow q n), <- (Rpower_pow p base) by trivial; unfold Rpower.
  rewrite <- exp_plus, <- exp_0; split; intros H'.
  - f_equal; rewrite <- H', ln_exp; field; lra.
  - apply exp_inv in H'; rewrite <- (exp_ln n) by trivial; f_equal.
    apply Rmult_eq_reg_l with (INR q); [|lra]; field_simplify; lra.
Qed.
