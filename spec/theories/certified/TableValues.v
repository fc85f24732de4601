(** * Why the kernels' tables are correctly rounded (spec/rounding_test.md, ROUND-1 to ROUND-4)

    From the phase to the test that decides: a value computed in binary64, how far it is from the
    real cosine or sine, and that the test's interval holds the truth,
      so that what it accepts is the
    truth's rounding. *)
From Coq Require Import Reals ZArith Lra Lia.
From Flocq Require Import Core.
From Interval Require Import Tactic.
From Gnomon Require Import Bounds Phase.
From Gnomon.numeric Require Import Rounding RoundingTest.
From Gnomon.certified Require Import Polynomials PhaseError.
Open Scope R_scope.

(** ** Definitions *)

(** ROUND-2.  What the kernels have for sine and cosine of the rest of a phase, fused or not. *)
Definition is_sine (X S : R) : Prop := S = sine_unfused (fl f64 X) \/ S = sine_fused (fl f64 X).
Definition is_cosine (X C : R) : Prop :=
  C = cosine_unfused (fl f64 X) \/ C = cosine_fused (fl f64 X).

(** A direct value: cosine [c] and sine [s] of the phase [p]. *)
Definition is_direct (p : Z) (c s : R) : Prop :=
  exists C S, is_cosine (rest p) C /\ is_sine (rest p) S /\
    c = cosine_of p C S /\ s = sine_of p C S.

(** The phase of position [m] at frequency [w]: on the vector targets, and on the scalar one. *)
Definition is_phase (m : Z) (w : R) (p : Z) : Prop :=
  exists f, is_fraction f w /\ (p = Phase.phase m f \/ p = scalar_phase m f).

(** ROUND-3.  [q] is the product [x], rounded or left to the fused operation that follows. *)
Definition is_product (x q : R) : Prop := q = x \/ q = fl f64 x.
(** Cosine and sine of the sum of two angles, from theirs. *)
Definition is_turned (c s c' s' y z : R) : Prop :=
  (exists p q, is_product (c * c') p /\ is_product (s * s') q /\ y = fl f64 (p - q)) /\
  (exists p q, is_product (s * c') p /\ is_product (c * s') q /\ z = fl f64 (p + q)).

(** ROUND-4.  The test's ends, of radius [r]. *)
Definition low_end (y r : R) : R := fl f64 (y - r).
Definition high_end (y r : R) : R := fl f64 (y + r).
(** Its radii: k_anchored_absolute alone; k_direct_relative |y| + k_direct_absolute, fused or
    not. *)
Definition k_anchored_absolute : R := 10 * powerRZ 2 (-53).
Definition k_direct_relative : R := 8 * powerRZ 2 (-53).
Definition k_direct_absolute : R := 1 * powerRZ 2 (-60).
Definition is_direct_radius (y r : R) : Prop :=
  r = fl f64 (k_direct_relative * Rabs y + k_direct_absolute) \/
  r = fl f64 (fl f64 (k_direct_relative * Rabs y) + k_direct_absolute).

(** ** Numbers *)
Ltac by_field := field; repeat split; try lra; apply IZR_neq; lia.
Lemma u64_is : u64 = / 9007199254740992.
Proof. unfold u64; rewrite <- (bpow_powerRZ radix2); reflexivity. Qed.
Lemma p60_is : powerRZ 2 (-60) = u64 / 128.
Proof. rewrite u64_is, <- (bpow_powerRZ radix2); simpl; lra. Qed.

Lemma u_f64 : u f64 = u64.
Proof. unfold u, u64; rewrite <- (bpow_powerRZ radix2); reflexivity. Qed.

Lemma eta_f64 : 0 < eta f64 <= u64 * u64.
Proof.
  split; [apply eta_pos|]; rewrite <- u_f64; unfold eta, u; rewrite <- bpow_plus; apply bpow_le;
    cbn; lia.
Qed.

(** Rounding moves a number by at most u times it, and eta. *)
Lemma fl_error x : Rabs (fl f64 x - x) <= u64 * Rabs x + u64 * u64.
Proof.
  destruct (FORMAT_3_rounding f64 x) as (r & e & Hr & He & _ & ->); apply below_u in Hr.
  rewrite u_f64 in Hr; pose proof eta_f64.
  replace (x * (1 + r) + e - x) with (x * r + e) by ring.
  apply Rle_trans with (1 := Rabs_triang _ _); rewrite Rabs_mult, (Rmult_comm (Rabs x)).
  apply Rplus_le_compat; [apply Rmult_le_compat_r; [apply Rabs_pos|exact Hr]|lra].
Qed.

(** ** ROUND-1: the phase in radians *)
Definition e_phase : R := 2 * PI * (/ IZR (2 ^ 64) + / IZR (2 ^ 98) + / IZR (2 ^ 159)).

Lemma e_phase_small : 0 <= e_phase <= 4 / 5 * (u64 / 256).
Proof. unfold e_phase; rewrite u64_is; cbn [Z.pow Z.pow_pos Pos.iter Z.mul Pos.mul]; split;
  interval. Qed.

(** The angle of the phase is m w, but for whole turns and 2^-61 radians. *)
Theorem ROUND_1_radians m w p : (Z.abs m <= 2 ^ 31)%Z -> is_phase m w p ->
  exists k : Z, Rabs (2 * PI * (IZR p / IZR (2 ^ 64)) - IZR m * w - 2 * PI * IZR k) <= e_phase /\
  e_phase <= powerRZ 2 (-61).
Proof.
  intros Hm (f & Hf & Hp).
  assert (H : turns_apart (IZR p / IZR (2 ^ 64)) (IZR m * w / (2 * PI)) (phase_error m))
    by (destruct Hp as [-> | ->]; [apply ROUND_1_phase|apply ROUND_1_scalar_phase]; exact Hf).
  destruct H as (k & Hk); exists k; pose proof PI_RGT_0; split.
  - replace (2 * PI * (IZR p / IZR (2 ^ 64)) - IZR m * w - 2 * PI * IZR k)
      with (2 * PI * (IZR p / IZR (2 ^ 64) - IZR m * w / (2 * PI) - IZR k))
      by by_field.
    rewrite Rabs_mult, (Rabs_pos_eq (2 * PI)) by lra; unfold e_phase; apply Rmult_le_compat_l;
      [lra|].
    apply Rle_trans with (1 := Hk); unfold phase_error, fraction_error.
    apply IZR_le in Hm; set (n := IZR (Z.abs m)) in *.
    assert (E1 : IZR (2 ^ 31) * / IZR (2 ^ 129) = / IZR (2 ^ 98))
      by (change (2 ^ 129)%Z with (2 ^ 31 * 2 ^ 98)%Z; rewrite mult_IZR; by_field).
    assert (E2 : IZR (2 ^ 31) * / IZR (2 ^ 190) = / IZR (2 ^ 159))
      by (change (2 ^ 190)%Z with (2 ^ 31 * 2 ^ 159)%Z; rewrite mult_IZR; by_field).
    assert (0 < / IZR (2 ^ 129)) by (apply Rinv_0_lt_compat, IZR_lt; lia).
    assert (0 < / IZR (2 ^ 190)) by (apply Rinv_0_lt_compat, IZR_lt; lia).
    assert (Hn : n * (/ IZR (2 ^ 129) + / IZR (2 ^ 190)) <= IZR (2 ^ 31) * (/ IZR (2 ^ 129) + / IZR
      (2 ^ 190)))
      by (apply Rmult_le_compat_r; lra).
    rewrite (Rmult_plus_distr_l (IZR (2 ^ 31))), E1, E2 in Hn; lra.
  - pose proof e_phase_small; replace (powerRZ 2 (-61)) with (u64 / 256);
      [rewrite u64_is in *; lra|rewrite u64_is, <- (bpow_powerRZ radix2); simpl; lra].
Qed.

(** Sine and cosine have slope at most 1. *)
Lemma slope_1 a b e : Rabs (a - b) <= e -> Rabs (cos a - cos b) <= e /\ Rabs (sin a - sin b) <= e.
Proof.
  intros H; split; apply Rle_trans with (2 := H).
  - rewrite form2; replace ((a - b) / 2) with (- ((b - a) / 2)) by field.
    rewrite sin_neg; replace (-2 * - sin ((b - a) / 2) * sin ((a + b) / 2))
      with (2 * sin ((b - a) / 2) * sin ((a + b) / 2)) by ring.
    rewrite !Rabs_mult, (Rabs_pos_eq 2) by lra.
    assert (Rabs (sin ((b - a) / 2)) <= Rabs ((b - a) / 2)) by apply abs_sin_le, Rle_refl.
    assert (Rabs (sin ((a + b) / 2)) <= 1) by (apply Rabs_le; pose proof (SIN_bound ((a + b) / 2));
      lra).
    pose proof (Rabs_pos (sin ((b - a) / 2))); pose proof (Rabs_pos (sin ((a + b) / 2))).
    assert (Rabs ((b - a) / 2) = Rabs (a - b) / 2)
      by (unfold Rdiv; rewrite Rabs_mult, (Rabs_pos_eq (/ 2)), (Rabs_minus_sym b) by lra; ring).
    nra.
  - rewrite form4, !Rabs_mult, (Rabs_pos_eq 2) by lra.
    assert (Rabs (sin ((a - b) / 2)) <= Rabs ((a - b) / 2)) by apply abs_sin_le, Rle_refl.
    assert (Rabs (cos ((a + b) / 2)) <= 1) by (apply Rabs_le; pose proof (COS_bound ((a + b) / 2));
      lra).
    pose proof (Rabs_pos (sin ((a - b) / 2))); pose proof (Rabs_pos (cos ((a + b) / 2))).
    assert (Rabs ((a - b) / 2) = Rabs (a - b) / 2)
      by (unfold Rdiv; rewrite Rabs_mult, (Rabs_pos_eq (/ 2)) by lra; ring).
    nra.
Qed.

(** The phase is good to 2^-61 of a radian, and so are the cosine and sine of it. *)
Lemma phase_values m w p : (Z.abs m <= 2 ^ 31)%Z -> is_phase m w p ->
  let t := 2 * PI * (IZR p / IZR (2 ^ 64)) in
  Rabs (cos t - cos (IZR m * w)) <= e_phase /\ Rabs (sin t - sin (IZR m * w)) <= e_phase.
Proof.
  intros Hm Hp t; destruct (ROUND_1_radians m w p Hm Hp) as (k & Hk & _); fold t in Hk.
  destruct (sin_cos_turns (IZR m * w) k) as [<- <-]; apply slope_1.
  now replace (t - (IZR m * w + 2 * PI * IZR k)) with (t - IZR m * w - 2 * PI * IZR k) by ring.
Qed.

(** ** ROUND-2: direct values *)

Lemma rest_is_phase p : PhaseError.phase (rest p).
Proof.
  destruct (ROUND_2_rest p) as [H|H]; [now left|right].
  replace (powerRZ 2 (-62)) with (/ IZR (2 ^ 62)); trivial.
  rewrite <- (bpow_powerRZ radix2); reflexivity.
Qed.

(** The integer is converted first and scaled by 2^-62 after: the same number. *)
Theorem ROUND_2_conversion p : fl f64 (IZR (within p)) * powerRZ 2 (-62) = fl f64 (rest p).
Proof.
  unfold rest; replace (/ IZR (2 ^ 62)) with (powerRZ 2 (-62)) by (rewrite <- (bpow_powerRZ
    radix2); reflexivity).
  replace (IZR (within p) / IZR (2 ^ 62)) with (IZR (within p) * bpow radix2 (-62)) by reflexivity.
  rewrite <- (bpow_powerRZ radix2); set (n := within p); destruct (Z.eq_dec n 0) as [->|Hn].
  - rewrite Rmult_0_l; unfold fl; rewrite round_0 by apply valid_rnd_N; ring.
  - assert (Hx : IZR n <> 0) by now apply IZR_neq.
    assert (Hmag : (1 <= mag radix2 (IZR n))%Z).
    { apply mag_ge_bpow; rewrite <- abs_IZR; apply IZR_le; lia. }
    assert (E : cexp radix2 (exponent f64) (IZR n * bpow radix2 (-62)) =
      (cexp radix2 (exponent f64) (IZR n) + -62)%Z).
    { unfold cexp; rewrite mag_mult_bpow by exact Hx; unfold exponent, FLT_exp;
      cbn [qmin Rounding.p f64]; lia. }
    unfold fl, round, F2R, scaled_mantissa; cbn [Fnum Fexp]; rewrite E, bpow_plus.
    rewrite Z.opp_add_distr, bpow_plus; replace (IZR n * bpow radix2 (-62) * (_ * bpow radix2 (-
      -62)))
      with (IZR n * bpow radix2 (- cexp radix2 (exponent f64) (IZR n)) * (bpow radix2 (-62) * bpow
        radix2 (- -62)))
      by ring.
    rewrite <- (bpow_plus radix2 (-62)), Rmult_1_r; ring.
Qed.

Theorem ROUND_2_direct m w p c s : (Z.abs m <= 2 ^ 31)%Z -> is_phase m w p -> is_direct p c s ->
  Rabs (c - cos (IZR m * w)) <= 553 / 100 * u64 * Rabs (cos (IZR m * w)) + powerRZ 2 (-61) /\
  Rabs (s - sin (IZR m * w)) <= 553 / 100 * u64 * Rabs (sin (IZR m * w)) + powerRZ 2 (-61).
Proof.
  intros Hm Hp (C & S & HC & HS & -> & ->).
  destruct (phase_values m w p Hm Hp) as [Hc Hs]; destruct (ROUND_2_quadrant p) as [Ec Es].
  set (t := 2 * PI * _) in *; destruct (ROUND_2_relative (rest p) S C (rest_is_phase p) HS HC) as
    [RS RC].
  set (cX := cos (PI / 2 * rest p)) in *; set (sX := sin (PI / 2 * rest p)) in *.
  destruct (ROUND_2_error_carries_over p C S cX sX _ _ RC RS) as [Kc Ks].
  assert (N : forall b v, Rabs (sign b v) = Rabs v) by (intros [|] v; unfold sign;
    [apply Rabs_Ropp|trivial]).
  rewrite <- Ec in Kc; rewrite <- Es in Ks.
  assert (Mc : Rabs (cos t) = Rabs (if Z.odd (quadrant p) then sX else cX)) by (rewrite Ec;
    apply N).
  assert (Ms : Rabs (sin t) = Rabs (if Z.odd (quadrant p) then cX else sX)) by (rewrite Es;
    apply N).
  assert (G : forall y v v', Rabs (v - v') <= e_phase -> Rabs (y - v) <= 553 / 100 * u64 * Rabs v ->
    Rabs (y - v') <= 553 / 100 * u64 * Rabs v' + powerRZ 2 (-61)).
  { intros y v v' H1 H2; pose proof e_phase_small as He; set (e := e_phase) in *; clearbody e;
    clear - He H1 H2.
    replace (powerRZ 2 (-61)) with (u64 / 256)
      by (rewrite u64_is, <- (bpow_powerRZ radix2); simpl; lra).
    assert (Rabs v <= Rabs v' + e).
    { replace v with (v' + (v - v')) at 1 by ring; apply Rle_trans with (1 := Rabs_triang _ _);
      lra. }
    replace (y - v') with (y - v + (v - v')) by ring; apply Rle_trans with (1 := Rabs_triang _ _).
    rewrite u64_is in *; lra. }
  split; [apply (G _ (cos t)); trivial; rewrite Mc|apply (G _ (sin t)); trivial; rewrite Ms];
    destruct (Z.odd _); assumption.
Qed.

(** ** ROUND-3: consecutive positions *)

Lemma cauchy x y a b N : 0 <= N -> x * x + y * y <= N * N -> a * a + b * b = 1 ->
  Rabs (x * a - y * b) <= N.
Proof.
  intros HN Hxy Hab; assert (Ht : (x * a - y * b) * (x * a - y * b) <= N * N).
  { apply Rle_trans with ((x * x + y * y) * (a * a + b * b)); [|rewrite Hab; lra].
    assert (0 <= (x * b + y * a) * (x * b + y * a)) by apply Rle_0_sqr; lra. }
  apply Rabs_le; split; nra.
Qed.

Lemma unit_products a b a' b' : a * a + b * b = 1 -> a' * a' + b' * b' = 1 ->
  Rabs (a * a') + Rabs (b * b') <= 1.
Proof.
  intros H H'; assert (G : forall x y, Rabs (x * y) <= (x * x + y * y) / 2).
  { intros x y; apply Rabs_le; assert (0 <= (x - y) * (x - y)) by apply Rle_0_sqr.
    assert (0 <= (x + y) * (x + y)) by apply Rle_0_sqr; lra. }
  pose proof (G a a'); pose proof (G b b'); lra.
Qed.

Lemma unit_member a b : a * a + b * b = 1 -> Rabs a <= 1.
Proof. intros H; apply Rabs_le; assert (0 <= b * b) by apply Rle_0_sqr; split; nra. Qed.

Lemma abs_of_4 a b c d : Rabs (a + b + c + d) <= Rabs a + Rabs b + Rabs c + Rabs d.
Proof.
  pose proof (Rabs_triang (a + b + c) d); pose proof (Rabs_triang (a + b) c);
    pose proof (Rabs_triang a b); lra.
Qed.

Lemma product_rounding x q : is_product x q -> Rabs (q - x) <= u64 * Rabs x + u64 * u64.
Proof.
  intros [-> | ->]; [|apply fl_error].
  pose proof (Rabs_pos x); rewrite Rminus_diag_eq, Rabs_R0, u64_is by trivial; lra.
Qed.

Definition anchor_error : R := 379 / 100 * u64.
Definition step_error : R := u64 / 2 + powerRZ 2 (-90).

Lemma difference_of_products C S C' S' c s c' s' p q :
  C * C + S * S = 1 -> C' * C' + S' * S' = 1 ->
  (c - C) * (c - C) + (s - S) * (s - S) <= anchor_error * anchor_error ->
  Rabs (c' - C') <= step_error -> Rabs (s' - S') <= step_error ->
  is_product (c * c') p -> is_product (s * s') q ->
  Rabs (fl f64 (p - q) - (C * C' - S * S')) <= 752 / 100 * u64.
Proof.
  intros H1 H2 Ha Hc Hs Hp Hq.
  apply product_rounding in Hp, Hq; pose proof (fl_error (p - q)) as Hf.
  assert (Eu : 0 < u64 <= / 1000000000000000) by (rewrite u64_is; lra).
  assert (Ee : step_error <= 501 / 1000 * u64).
  { unfold step_error; replace (powerRZ 2 (-90)) with (u64 / 137438953472);
      [lra|rewrite u64_is, <- (bpow_powerRZ radix2); simpl; lra]. }
  set (e := step_error) in *; set (u := u64) in *; unfold anchor_error in Ha; fold u in Ha.
  set (dc := c - C) in *; set (ds := s - S) in *; set (ec := c' - C') in *;
    set (es := s' - S') in *.
  assert (He : ec * ec + es * es <= (71 / 100 * u) * (71 / 100 * u)).
  { apply abs_le_inv in Hc, Hs; nra. }
  assert (T1 : Rabs (dc * C' - ds * S') <= 379 / 100 * u) by (apply cauchy; trivial; lra).
  assert (T2 : Rabs (ec * C - es * S) <= 71 / 100 * u) by (apply cauchy; trivial; lra).
  assert (Bdc : Rabs dc <= 379 / 100 * u).
  { assert (0 <= ds * ds) by apply Rle_0_sqr; apply Rabs_le; split; nra. }
  assert (Bds : Rabs ds <= 379 / 100 * u).
  { assert (0 <= dc * dc) by apply Rle_0_sqr; apply Rabs_le; split; nra. }
  assert (G : forall x y a b, Rabs x <= a -> Rabs y <= b -> Rabs (x * y) <= a * b).
  { intros x y a b Hx Hy; rewrite Rabs_mult; apply Rmult_le_compat; trivial; apply Rabs_pos. }
  assert (Uu : 0 < u * u <= / 1000000000000000 * u) by (split; nra).
  assert (T3 : Rabs (dc * ec) <= 2 * (u * u) /\ Rabs (ds * es) <= 2 * (u * u)).
  { split; (eapply Rle_trans; [apply G; eassumption|]); nra. }
  destruct T3 as [T3 T4].
  assert (U := unit_products C S C' S' H1 H2).
  assert (UC : Rabs C <= 1) by (apply (unit_member C S); trivial).
  assert (US : Rabs S <= 1) by (apply (unit_member S C); lra).
  assert (UC' : Rabs C' <= 1) by (apply (unit_member C' S'); trivial).
  assert (US' : Rabs S' <= 1) by (apply (unit_member S' C'); lra).
  assert (V : Rabs (C * C' - S * S') <= 1) by (apply cauchy; lra).
  (* the products themselves *)
  assert (Ec : c * c' = C * C' + dc * C' + ec * C + dc * ec) by (unfold dc, ec; ring).
  assert (Es : s * s' = S * S' + ds * S' + es * S + ds * es) by (unfold ds, es; ring).
  assert (P1 : Rabs (dc * C') <= 379 / 100 * u * 1) by (apply G; trivial).
  assert (P2 : Rabs (ec * C) <= e * 1) by (apply G; trivial).
  assert (Q1 : Rabs (ds * S') <= 379 / 100 * u * 1) by (apply G; trivial).
  assert (Q2 : Rabs (es * S) <= e * 1) by (apply G; trivial).
  assert (P : Rabs (c * c') <= Rabs (C * C') + 5 * u).
  { rewrite Ec; eapply Rle_trans; [apply abs_of_4|lra]. }
  assert (Q : Rabs (s * s') <= Rabs (S * S') + 5 * u).
  { rewrite Es; eapply Rle_trans; [apply abs_of_4|lra]. }
  assert (PQ : u * Rabs (c * c') + u * Rabs (s * s') <= u * (1 + 10 * u)).
  { rewrite <- Rmult_plus_distr_l; apply Rmult_le_compat_l; lra. }
  assert (D : Rabs (p - q - (C * C' - S * S')) <= 551 / 100 * u).
  { replace (p - q - (C * C' - S * S')) with ((p - c * c') - (q - s * s') + (dc * C' - ds * S')
      + (ec * C - es * S) + dc * ec - ds * es) by (rewrite Ec, Es; ring).
    apply abs_le_inv in Hp, Hq, T1, T2, T3, T4; apply Rabs_le.
    replace (u * (1 + 10 * u)) with (u + 10 * (u * u)) in PQ by ring; split; lra. }
  assert (B : Rabs (p - q) <= 1 + 6 * u).
  { replace (p - q) with (p - q - (C * C' - S * S') + (C * C' - S * S')) by ring.
    eapply Rle_trans; [apply Rabs_triang|lra]. }
  assert (F : u * Rabs (p - q) <= u * (1 + 6 * u)) by (apply Rmult_le_compat_l; lra).
  replace (u * (1 + 6 * u)) with (u + 6 * (u * u)) in F by ring.
  replace (fl f64 (p - q) - (C * C' - S * S')) with
    (fl f64 (p - q) - (p - q) + (p - q - (C * C' - S * S'))) by ring.
  eapply Rle_trans; [apply Rabs_triang|lra].
Qed.

(** The anchor: both errors, of cosine and sine, as one vector. *)
Lemma anchor m w p c s : (Z.abs m <= 2 ^ 31)%Z -> is_phase m w p -> is_direct p c s ->
  (c - cos (IZR m * w)) * (c - cos (IZR m * w)) + (s - sin (IZR m * w)) * (s - sin (IZR m * w)) <=
  anchor_error * anchor_error.
Proof.
  intros Hm Hp (C & S & HC & HS & -> & ->).
  destruct (phase_values m w p Hm Hp) as [Hc Hs]; destruct (ROUND_2_quadrant p) as [Ec Es].
  set (t := 2 * PI * _) in *; pose proof (rest_is_phase p) as HX.
  pose proof (ROUND_2_cosine (rest p) C HX HC) as RC; pose proof (ROUND_2_sine (rest p) S HX HS) as
    RS.
  assert (HsX : Rabs (sin (PI / 2 * rest p)) <= 7072 / 10000).
  { assert (Hr : - (1 / 2) <= rest p <= 1 / 2).
    { destruct HX as [->|[_ HX]]; [lra|apply abs_le_inv in HX; lra]. }
    set (x := rest p) in *; clearbody x; apply Rabs_le; split; interval with (i_bisect x). }
  set (cX := cos (PI / 2 * rest p)) in *; set (sX := sin (PI / 2 * rest p)) in *.
  assert (Eu : 0 < u64) by (rewrite u64_is; lra).
  assert (RS' : Rabs (S - sX) <= 283 / 100 * u64).
  { apply Rle_trans with (1 := RS).
    assert (u64 * Rabs sX <= u64 * (7072 / 10000)) by (apply Rmult_le_compat_l; lra); lra. }
  destruct (ROUND_2_error_carries_over p C S cX sX _ _ RC RS') as [Kc Ks].
  rewrite <- Ec in Kc; rewrite <- Es in Ks; pose proof e_phase_small as He.
  set (y := cosine_of p C S) in *; set (z := sine_of p C S) in *.
  set (v := cos (IZR m * w)) in *; set (v' := sin (IZR m * w)) in *.
  unfold anchor_error; set (u := u64) in *; set (e := e_phase) in *.
  assert (Sq : forall x a, Rabs x <= a -> x * x <= a * a).
  { intros x a Hx; apply abs_le_inv in Hx; nra. }
  assert (Dc : Rabs (y - v) <= (if Z.odd (quadrant p) then 283 / 100 * u else 5 / 2 * u) + u / 320).
  { replace (y - v) with (y - cos t + (cos t - v)) by ring.
    eapply Rle_trans; [apply Rabs_triang|apply Rplus_le_compat; [exact Kc|lra]]. }
  assert (Ds : Rabs (z - v') <= (if Z.odd (quadrant p) then 5 / 2 * u else 283 / 100 * u) + u /
    320).
  { replace (z - v') with (z - sin t + (sin t - v')) by ring.
    eapply Rle_trans; [apply Rabs_triang|apply Rplus_le_compat; [exact Ks|lra]]. }
  apply Sq in Dc, Ds; destruct (Z.odd _); nra.
Qed.

Lemma circle a : cos a * cos a + sin a * sin a = 1.
Proof. pose proof (sin2_cos2 a); unfold Rsqr in *; lra. Qed.

(** From an anchor and a step: 7.52 u, below 2^-50. *)
Theorem ROUND_3_consecutive m j w p c s c' s' y z : (Z.abs m <= 2 ^ 31)%Z -> is_phase m w p ->
  is_direct p c s -> Rabs (c' - cos (IZR j * w)) <= step_error -> Rabs (s' - sin (IZR j * w))
    <= step_error ->
  is_turned c s c' s' y z ->
  Rabs (y - cos (IZR (m + j) * w)) <= 752 / 100 * u64 /\ Rabs (z - sin (IZR (m + j) * w))
    <= 752 / 100 * u64.
Proof.
  intros Hm Hp Hd Hc Hs [(x & x' & Hx & Hx' & ->) (t & t' & Ht & Ht' & ->)].
  pose proof (anchor m w p c s Hm Hp Hd) as Ha.
  rewrite plus_IZR, Rmult_plus_distr_r, cos_plus, sin_plus; split.
  - apply (difference_of_products _ _ _ _ c s c' s'); trivial; apply circle.
  - replace (t + t') with (t - - t') by ring.
    replace (sin (IZR m * w) * cos (IZR j * w) + cos (IZR m * w) * sin (IZR j * w)) with
      (sin (IZR m * w) * cos (IZR j * w) - - cos (IZR m * w) * sin (IZR j * w)) by ring.
    apply (difference_of_products _ _ _ _ s (- c) c' s'); trivial.
    + rewrite <- (circle (IZR m * w)); ring.
    + apply circle.
    + apply Rle_trans with (2 := Ha); right; ring.
    + destruct Ht' as [-> | ->]; [left|right]; rewrite Ropp_mult_distr_l_reverse; trivial.
      symmetry; apply (fl_opp f64).
Qed.

Theorem ROUND_3_below_2_to_the_minus_50 : 752 / 100 * u64 < powerRZ 2 (-50).
Proof. rewrite u64_is, <- (bpow_powerRZ radix2); simpl; lra. Qed.

(** ** ROUND-4: the test *)

(** Where both ends of an interval round alike, so does every number in it. *)
Theorem ROUND_4_ends F l h v : l <= v <= h -> fl F l = fl F h -> fl F v = fl F l.
Proof.
  intros Hv E; assert (M : forall a b, a <= b -> fl F a <= fl F b).
  { intros a b Hab; unfold fl; apply round_le; trivial; [apply exponent_valid|apply valid_rnd_N]. }
  apply Rle_antisym; [rewrite E|]; apply M; lra.
Qed.

Lemma radius_holds y v r e : is_value f64 y -> Rabs (y - v) <= e -> 0 <= r ->
  e + u64 * (Rabs y + r) + u64 * u64 <= r ->
  low_end y r <= v <= high_end y r /\ low_end y r <= y <= high_end y r.
Proof.
  intros Hy Hv Hr H; unfold low_end, high_end.
  pose proof (fl_error (y - r)) as Hl; pose proof (fl_error (y + r)) as Hh.
  assert (Eu : 0 < u64) by (rewrite u64_is; lra).
  assert (Rabs (y - r) <= Rabs y + r) by (unfold Rabs; repeat destruct Rcase_abs; lra).
  assert (Rabs (y + r) <= Rabs y + r) by (unfold Rabs; repeat destruct Rcase_abs; lra).
  assert (u64 * Rabs (y - r) <= u64 * (Rabs y + r)) by (apply Rmult_le_compat_l; lra).
  assert (u64 * Rabs (y + r) <= u64 * (Rabs y + r)) by (apply Rmult_le_compat_l; lra).
  assert (0 <= Rabs (y - v)) by apply Rabs_pos.
  apply abs_le_inv in Hl, Hh, Hv; split; lra.
Qed.

(** What the test accepts is stored: the rounding of [y], and that is the truth's. *)
Lemma accepted F y v r : low_end y r <= v <= high_end y r /\ low_end y r <= y <= high_end y r ->
  fl F (low_end y r) = fl F (high_end y r) -> fl F y = fl F v.
Proof. intros [Hv Hy] E; now rewrite (ROUND_4_ends F _ _ v Hv E), (ROUND_4_ends F _ _ y Hy E). Qed.

Theorem ROUND_4_consecutive F y v : is_value f64 y -> Rabs v <= 1 -> Rabs (y - v)
  <= 752 / 100 * u64 ->
  fl F (low_end y k_anchored_absolute) = fl F (high_end y k_anchored_absolute) -> fl F y = fl F v.
Proof.
  intros Hy Hv H; apply accepted, (radius_holds _ _ _ (752 / 100 * u64)); trivial;
    unfold k_anchored_absolute; fold u64; [rewrite u64_is; lra|].
  assert (Rabs y <= 1 + 8 * u64).
  { replace y with (y - v + v) by ring; eapply Rle_trans; [apply Rabs_triang|rewrite u64_is in *;
    lra]. }
  rewrite u64_is in *; lra.
Qed.

Theorem ROUND_4_direct F y v r : is_value f64 y ->
  Rabs (y - v) <= 553 / 100 * u64 * Rabs v + powerRZ 2 (-61) -> is_direct_radius y r ->
  fl F (low_end y r) = fl F (high_end y r) -> fl F y = fl F v.
Proof.
  intros Hy H Hr; apply accepted, (radius_holds _ _ _ (553 / 100 * u64 * Rabs v + powerRZ 2
    (-61))); trivial;
    unfold is_direct_radius, k_direct_relative, k_direct_absolute in Hr; fold u64 in Hr;
      rewrite p60_is in Hr.
  - assert (0 <= Rabs y) by apply Rabs_pos; rewrite u64_is in *.
    destruct Hr as [-> | ->].
    + pose proof (fl_error (8 * / 9007199254740992 * Rabs y + 1 * (/ 9007199254740992 / 128))) as
      Hf.
      rewrite (Rabs_pos_eq (_ + _)), u64_is in Hf by lra; apply abs_le_inv in Hf; lra.
    + pose proof (fl_error (8 * / 9007199254740992 * Rabs y)) as Hg.
      rewrite (Rabs_pos_eq (_ * Rabs y)), u64_is in Hg by lra; apply abs_le_inv in Hg.
      set (g := fl f64 (8 * / 9007199254740992 * Rabs y)) in *.
      pose proof (fl_error (g + 1 * (/ 9007199254740992 / 128))) as Hf.
      rewrite (Rabs_pos_eq (_ + _)), u64_is in Hf by lra; apply abs_le_inv in Hf; lra.
  - assert (0 <= Rabs y) by apply Rabs_pos; assert (0 <= Rabs v) by apply Rabs_pos.
    assert (Hv : Rabs v <= Rabs y + Rabs (y - v)).
    { replace v with (y - (y - v)) at 1 by ring; unfold Rabs; repeat destruct Rcase_abs; lra. }
    replace (powerRZ 2 (-61)) with (u64 / 256) in * by (rewrite u64_is, <- (bpow_powerRZ radix2);
      simpl; lra).
    rewrite u64_is in *; destruct Hr as [-> | ->].
    + pose proof (fl_error (8 * / 9007199254740992 * Rabs y + 1 * (/ 9007199254740992 / 128))) as
      Hf.
      rewrite (Rabs_pos_eq (_ + _)), u64_is in Hf by lra; apply abs_le_inv in Hf; lra.
    + pose proof (fl_error (8 * / 9007199254740992 * Rabs y)) as Hg.
      rewrite (Rabs_pos_eq (_ * Rabs y)), u64_is in Hg by lra; apply abs_le_inv in Hg.
      set (g := fl f64 (8 * / 9007199254740992 * Rabs y)) in *.
      pose proof (fl_error (g + 1 * (/ 9007199254740992 / 128))) as Hf.
      rewrite (Rabs_pos_eq (_ + _)), u64_is in Hf by lra; apply abs_le_inv in Hf; lra.
Qed.

(** The test by bits: no multiple of the radius is formed, for 2^15 units are more than either
error. *)
Theorem ROUND_4_clear N d e y v : is_double N d e -> clear d e ->
  y = double N d e \/ y = - double N d e -> Rabs v <= 1 ->
  Rabs (y - v) <= 752 / 100 * u64 \/
  Rabs (y - v) <= 553 / 100 * u64 * Rabs v + powerRZ 2 (-61) -> fl f32 y = fl f32 v.
Proof.
  intros HN Hc Hy Hv H; assert (B : Rabs (y - v) < bpow radix2 (15 + e)).
  { apply Rlt_le_trans with (bpow radix2 (-49)); [|apply bpow_le; destruct Hc; lia].
    replace (powerRZ 2 (-61)) with (u64 / 256) in H
      by (rewrite u64_is, <- (bpow_powerRZ radix2); simpl; lra).
    replace (bpow radix2 (-49)) with (16 * u64) by (rewrite u64_is; simpl; lra).
    rewrite u64_is in *; lra. }
  destruct Hy as [-> | ->]; [now apply ROUND_4_by_bits|].
  replace v with (- - v) by ring; rewrite (fl_opp f32), (fl_opp f32 (- v)); f_equal.
  apply ROUND_4_by_bits; trivial; rewrite <- Rabs_Ropp.
  now replace (- (double N d e - - v)) with (- double N d e - v) by ring.
Qed.

(** ** The tables *)

Lemma direct_values p c s : is_direct p c s -> is_value f64 c /\ is_value f64 s.
Proof.
  intros (C & S & HC & HS & -> & ->).
  assert (VC : is_value f64 C) by (destruct HC as [-> | ->]; apply fl_is_value).
  assert (VS : is_value f64 S) by (destruct HS as [-> | ->]; apply fl_is_value).
  assert (G : forall b v, is_value f64 v -> is_value f64 (sign b v))
    by (intros [|] v Hv; unfold sign; [now apply opp_is_value|trivial]).
  unfold cosine_of, sine_of; destruct (Z.odd _); split; now apply G.
Qed.

(** A table entry that the test accepts is the correctly rounded cosine or sine of the exact angle
m w, in every
    format: for a row of its own, *)
Theorem ROUND_4_row F m w p c s r r' : (Z.abs m <= 2 ^ 31)%Z -> is_phase m w p -> is_direct p c s ->
  is_direct_radius c r -> is_direct_radius s r' ->
  (fl F (low_end c r) = fl F (high_end c r) -> fl F c = fl F (cos (IZR m * w))) /\
  (fl F (low_end s r') = fl F (high_end s r') -> fl F s = fl F (sin (IZR m * w))).
Proof.
  intros Hm Hp Hd Hr Hr'; destruct (direct_values p c s Hd), (ROUND_2_direct m w p c s Hm Hp Hd).
  split; eapply ROUND_4_direct; eassumption.
Qed.

(** and for a row of a run of consecutive positions. *)
Theorem ROUND_4_row_of_a_run F m j w p c s c' s' y z : (Z.abs m <= 2 ^ 31)%Z -> is_phase m w p ->
  is_direct p c s -> Rabs (c' - cos (IZR j * w)) <= step_error -> Rabs (s' - sin (IZR j * w))
    <= step_error ->
  is_turned c s c' s' y z ->
  (fl F (low_end y k_anchored_absolute) = fl F (high_end y k_anchored_absolute) ->
    fl F y = fl F (cos (IZR (m + j) * w))) /\
  (fl F (low_end z k_anchored_absolute) = fl F (high_end z k_anchored_absolute) ->
    fl F z = fl F (sin (IZR (m + j) * w))).
Proof.
  intros Hm Hp Hd Hc Hs Ht; destruct (ROUND_3_consecutive m j w p c s c' s' y z Hm Hp Hd Hc Hs Ht).
  destruct Ht as [(? & ? & _ & _ & Ey) (? & ? & _ & _ & Ez)].
  split; apply ROUND_4_consecutive; trivial; try (rewrite Ey || rewrite Ez; apply fl_is_value);
    apply Rabs_le; [apply COS_bound|apply SIN_bound].
Qed.
