(** * Sine and cosine of a phase (spec/rounding_test.md, ROUND-2)

    The polynomials that the kernels evaluate in binary64: their distance from sine and cosine,
      and what
    rounding adds, fused or not. *)
From Coq Require Import Reals Lra Lia.
From Flocq Require Import Core.
From Gappa Require Import Gappa_tactic.
From Gnomon Require Import Bounds.
From Gnomon.numeric Require Import Rounding.
Open Scope R_scope.

(** ** Definitions *)

(** The coefficients, binary64 numbers. *)
Definition s0 := (884279719003555 * powerRZ 2 (-49)).   (* 0x1.921fb54442d18p+0 *)
Definition s1 := (- (5818327337647699) * powerRZ 2 (-53)).   (* -0x1.4abbce625be53p-1 *)
Definition s2 := (2871229454931313 * powerRZ 2 (-55)).   (* 0x1.466bc6775aae2p-4 *)
Definition s3 := (- (2698847510945475) * powerRZ 2 (-59)).   (* -0x1.32d2cce62bd86p-8 *)
Definition s4 := (2959617474655169 * powerRZ 2 (-64)).   (* 0x1.50783487ee782p-13 *)
Definition s5 := (- (8497528335533855) * powerRZ 2 (-71)).   (* -0x1.e3074fde8871fp-19 *)
Definition s6 := (8601768518847843 * powerRZ 2 (-77)).   (* 0x1.e8f434d018d63p-25 *)
Definition s7 := (- (1617067665348049) * powerRZ 2 (-81)).   (* -0x1.6fadb9f155744p-31 *)
Definition s8 := (7510502657307481 * powerRZ 2 (-90)).   (* 0x1.aaec32af93359p-38 *)
Definition c1 := (- (2778046668940015) * powerRZ 2 (-51)).   (* -0x1.3bd3cc9be45dep+0 *)
Definition c2 := (1142425901258417 * powerRZ 2 (-52)).   (* 0x1.03c1f081b5ac4p-2 *)
Definition c3 := (- (3006744454127613) * powerRZ 2 (-57)).   (* -0x1.55d3c7e3cbffap-6 *)
Definition c4 := (8478679513545403 * powerRZ 2 (-63)).   (* 0x1.e1f506891babbp-11 *)
Definition c5 := (- (1859582503162531) * powerRZ 2 (-66)).   (* -0x1.a6d1f2a204a8cp-16 *)
Definition c6 := (8898590864194755 * powerRZ 2 (-74)).   (* 0x1.f9d38a3763cc3p-22 *)
Definition c7 := (- (7720929367626383) * powerRZ 2 (-80)).   (* -0x1.b6e24f44b128fp-28 *)
Definition c8 := (5080167897815029 * powerRZ 2 (-86)).   (* 0x1.20c62c2f2d7f5p-34 *)

(** In quarter turns [x], z = x^2: as real numbers, *)
Definition sine_series (z : R) : R :=
  s0 + z * (s1 + z * (s2 + z * (s3 + z * (s4 + z * (s5 + z * (s6 + z * (s7 + z * s8))))))).
Definition cosine_series (z : R) : R :=
  c1 + z * (c2 + z * (c3 + z * (c4 + z * (c5 + z * (c6 + z * (c7 + z * c8)))))).
Definition sine_polynomial (x : R) : R := x * sine_series (x * x).
Definition cosine_polynomial (x : R) : R := 1 + x * x * cosine_series (x * x).

(** and as they are computed: every operation rounded, or multiply-adds fused. *)
Notation rnd := (rounding_float rndNE 53 (-1074)).
Definition sine_unfused (x : R) : R :=
  let z := rnd (x * x) in
  rnd (x * rnd (s0 + rnd (z * rnd (s1 + rnd (z * rnd (s2 + rnd (z * rnd (s3 + rnd (z * rnd (s4 +
  rnd (z * rnd (s5 + rnd (z * rnd (s6 + rnd (z * rnd (s7 + rnd (z * s8))))))))))))))))).
Definition sine_fused (x : R) : R :=
  let z := rnd (x * x) in
  rnd (x * rnd (s0 + z * rnd (s1 + z * rnd (s2 + z * rnd (s3 + z * rnd (s4 +
  z * rnd (s5 + z * rnd (s6 + z * rnd (s7 + z * s8))))))))).
Definition cosine_unfused (x : R) : R :=
  let z := rnd (x * x) in
  rnd (1 + rnd (z * rnd (c1 + rnd (z * rnd (c2 + rnd (z * rnd (c3 + rnd (z * rnd (c4 +
  rnd (z * rnd (c5 + rnd (z * rnd (c6 + rnd (z * rnd (c7 + rnd (z * c8)))))))))))))))).
Definition cosine_fused (x : R) : R :=
  let z := rnd (x * x) in
  rnd (1 + z * rnd (c1 + z * rnd (c2 + z * rnd (c3 + z * rnd (c4 +
  z * rnd (c5 + z * rnd (c6 + z * rnd (c7 + z * c8)))))))).

(** [rnd] is the rounding of FORMAT-3. *)
Lemma rnd_is_fl x : rnd x = fl f64 x.
Proof. reflexivity. Qed.

(** ** Rounding (Gappa) *)
Ltac by_gappa := intros x_ x; unfold sine_unfused, sine_fused, cosine_unfused, cosine_fused,
  sine_polynomial,
  cosine_polynomial, sine_series, cosine_series, s0, s1, s2, s3, s4, s5, s6, s7, s8, c1, c2, c3,
    c4, c5, c6, c7, c8;
  cbv zeta; revert x; gappa.

Lemma sine_unfused_rounding : forall x_ x, x = rnd x_ -> powerRZ 2 (-62) <= x <= 1 / 2 ->
  - (2 * powerRZ 2 (-53)) <= (sine_unfused x - sine_polynomial x) / sine_polynomial x <=
      2 * powerRZ 2 (-53).
Proof. by_gappa. Qed.

Lemma sine_fused_rounding : forall x_ x, x = rnd x_ -> powerRZ 2 (-62) <= x <= 1 / 2 ->
  - (2 * powerRZ 2 (-53)) <= (sine_fused x - sine_polynomial x) / sine_polynomial x <=
      2 * powerRZ 2 (-53).
Proof. by_gappa. Qed.

Lemma cosine_unfused_rounding : forall x_ x, x = rnd x_ -> 0 <= x <= 1 / 2 ->
  - (3 / 2 * powerRZ 2 (-53)) <= cosine_unfused x - cosine_polynomial x <= 3 / 2 * powerRZ 2 (-53).
Proof. by_gappa. Qed.

Lemma cosine_fused_rounding : forall x_ x, x = rnd x_ -> 0 <= x <= 1 / 2 ->
  - (3 / 2 * powerRZ 2 (-53)) <= cosine_fused x - cosine_polynomial x <= 3 / 2 * powerRZ 2 (-53).
Proof. by_gappa. Qed.
