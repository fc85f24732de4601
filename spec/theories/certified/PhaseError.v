(** * The error of the kernels' sine and cosine (spec/rounding_test.md, ROUND-2)

    [X] the phase in quarter turns, at most an eighth of a turn;
      converted to binary64 with one rounding; then
    the polynomials. *)
From Coq Require Import Reals Lra Lia.
From Flocq Require Import Core.
From Interval Require Import Tactic.
From Gnomon Require Import Bounds.
From Gnomon.numeric Require Import Rounding.
From Gnomon.certified Require Import Polynomials.
Open Scope R_scope.

Definition u64 : R := powerRZ 2 (-53).

(** ** The polynomials against sine and cosine (Interval) *)

(** Taylor bounds of sin a / a, from the library's alternating series. *)
Definition lower (a : R) : R :=
  1 - a^2/6 + a^4/120 - a^6/5040 + a^8/362880 - a^10/39916800 + a^12/6227020800
  - a^14/1307674368000 + a^16/355687428096000 - a^18/121645100408832000.
Definition upper (a : R) : R := lower a + a^20/51090942171709440000.

Lemma fact_S n : INR (fact (S n)) = INR (S n) * INR (fact n).
Proof. now rewrite fact_simpl, mult_INR. Qed.

Lemma sine_series_bounds a : 0 <= a <= PI -> a * lower a <= sin a <= a * upper a.
Proof.
  intros [H0 H1]; destruct (sin_bound a 4 H0 H1) as [Hl Hu].
  unfold sin_approx, sin_term in *; cbn [sum_f_R0 Nat.mul Nat.add] in Hl, Hu.
  assert (E1 : INR (fact 1) = 1) by reflexivity.
  assert (Estep : forall n v, INR (fact n) = v ->
    INR (fact (S (S n))) = INR (S (S n)) * (INR (S n) * v))
    by (intros n v <-; now rewrite 2!fact_S).
  pose proof (Estep 1%nat _ E1) as E3; pose proof (Estep 3%nat _ E3) as E5.
  pose proof (Estep 5%nat _ E5) as E7; pose proof (Estep 7%nat _ E7) as E9.
  pose proof (Estep 9%nat _ E9) as E11; pose proof (Estep 11%nat _ E11) as E13.
  pose proof (Estep 13%nat _ E13) as E15; pose proof (Estep 15%nat _ E15) as E17.
  pose proof (Estep 17%nat _ E17) as E19; pose proof (Estep 19%nat _ E19) as E21.
  rewrite E1, E3, E5, E7, E9, E11, E13, E15, E17, E19 in Hl, Hu; rewrite E21 in Hu.
  rewrite !INR_IZR_INZ in Hl; rewrite !INR_IZR_INZ in Hu;
    cbn [Z.of_nat Pos.of_succ_nat Pos.succ] in Hl, Hu.
  unfold upper, lower; split.
  - eapply Rle_trans; [|exact Hl]; right; field.
  - eapply Rle_trans; [exact Hu|]; right; field.
Qed.

Definition sine_distance : R := 3 / 4 * u64.

Lemma upper_side x : 0 <= x <= 1 / 2 ->
  sine_series (x * x) - (1 + sine_distance) * (PI / 2 * lower (PI / 2 * x)) <= 0.
Proof.
  intros H; unfold sine_series, lower, sine_distance, u64, s0, s1, s2, s3, s4, s5, s6, s7, s8.
  interval with (i_bisect x, i_taylor x, i_degree 20, i_prec 120).
Qed.

Lemma lower_side x : 0 <= x <= 1 / 2 ->
  (1 - sine_distance) * (PI / 2 * upper (PI / 2 * x)) - sine_series (x * x) <= 0.
Proof.
  intros H; unfold sine_series, upper, lower, sine_distance, u64, s0, s1, s2, s3, s4, s5, s6, s7,
    s8.
  interval with (i_bisect x, i_taylor x, i_degree 22, i_prec 120).
Qed.

Lemma sine_polynomial_distance x : 0 <= x <= 1 / 2 ->
  Rabs (sine_polynomial x - sin (PI / 2 * x)) <= sine_distance * sin (PI / 2 * x).
Proof.
  intros H; assert (Hpi : 3 < PI < 4) by (split; interval).
  destruct (sine_series_bounds (PI / 2 * x)) as [Hl Hu]; [split; nra|].
  pose proof (upper_side x H) as H1; pose proof (lower_side x H) as H2.
  apply (Rmult_le_compat_l x) in H1, H2; [|lra|lra].
  assert (0 < sine_distance < 1) by (unfold sine_distance, u64; split; interval).
  unfold sine_polynomial; apply Rabs_le.
  set (s := sin (PI / 2 * x)) in *; set (p := sine_series (x * x)) in *.
  set (l := lower (PI / 2 * x)) in *; set (v := upper (PI / 2 * x)) in *;
    set (d := sine_distance) in *.
  replace (PI / 2 * x * l) with (x * (PI / 2 * l)) in Hl by ring.
  replace (PI / 2 * x * v) with (x * (PI / 2 * v)) in Hu by ring.
  assert ((1 + d) * (x * (PI / 2 * l)) <= (1 + d) * s) by (apply Rmult_le_compat_l; lra).
  assert ((1 - d) * s <= (1 - d) * (x * (PI / 2 * v))) by (apply Rmult_le_compat_l; lra).
  split; lra.
Qed.

Lemma cosine_polynomial_distance x : 0 <= x <= 1 / 2 ->
  Rabs (cosine_polynomial x - cos (PI / 2 * x)) <= 2 / 5 * u64.
Proof.
  intros H; unfold cosine_polynomial, cosine_series, u64, c1, c2, c3, c4, c5, c6, c7, c8.
  interval with (i_bisect x, i_taylor x, i_degree 20, i_prec 120).
Qed.

(** ** The phase as it is converted: x = X (1 + r) *)
Lemma u64_is_u : u f64 = u64.
Proof. unfold u, u64; rewrite bpow_powerRZ; reflexivity. Qed.

Lemma power_is_value e : (-1022 <= e)%Z -> is_value f64 (powerRZ 2 e).
Proof.
  intros He; change 2 with (IZR radix2); rewrite <- bpow_powerRZ.
  apply generic_format_bpow; unfold exponent, FLT_exp; simpl; lia.
Qed.

Lemma converted X : powerRZ 2 (-62) <= X <= 1 / 2 ->
  powerRZ 2 (-62) <= fl f64 X <= 1 / 2 /\ Rabs (fl f64 X - X) <= u64 * X.
Proof.
  intros H; assert (H62 : 0 < powerRZ 2 (-62)) by (apply powerRZ_lt; lra).
  assert (Hhalf : is_value f64 (1 / 2)).
  { replace (1 / 2) with (powerRZ 2 (-1)) by (simpl; field); now apply power_is_value. }
  repeat split.
  - rewrite <- (fl_of_value f64 (powerRZ 2 (-62))) by now apply power_is_value.
    apply round_le; [apply exponent_valid|apply valid_rnd_N|lra].
  - rewrite <- (fl_of_value f64 (1 / 2)) by trivial.
    apply round_le; [apply exponent_valid|apply valid_rnd_N|lra].
  - destruct (fl_normal f64 X) as (r & Hr & ->).
    + rewrite Rabs_pos_eq by lra; apply Rle_trans with (powerRZ 2 (-62)); [|lra].
      unfold smallest_normal; change 2 with (IZR radix2); rewrite <- bpow_powerRZ; apply bpow_le;
        simpl; lia.
    + apply below_u in Hr; rewrite u64_is_u in Hr.
      replace (X * (1 + r) - X) with (r * X) by ring; rewrite Rabs_mult, (Rabs_pos_eq X) by lra.
      apply Rmult_le_compat_r; lra.
Qed.

Lemma u64_small : 0 < u64 <= / 1000000000000000.
Proof. unfold u64; split; interval. Qed.

(** An angle of at most pi/4 and its sine. *)
Lemma angle_by_sine a : 0 <= a <= 4 / 5 -> a <= 28 / 25 * sin a.
Proof.
  intros H; assert (Hpi : 3 < PI) by interval; destruct (sine_series_bounds a) as [Hl _]; [lra|].
  assert (25 / 28 <= lower a) by (unfold lower; interval with (i_bisect a)).
  assert (a * (25 / 28) <= a * lower a) by (apply Rmult_le_compat_l; lra); lra.
Qed.

(** ** Theorems *)

Lemma sine_positive S X : (forall x, S x = sine_unfused x \/ S x = sine_fused x) ->
  powerRZ 2 (-62) <= X <= 1 / 2 ->
  Rabs (S (fl f64 X) - sin (PI / 2 * X)) <= 4 * u64 * sin (PI / 2 * X).
Proof.
  intros HS HX; destruct (converted X HX) as [Hx Hc]; pose proof u64_small as Hu.
  assert (H62 : 0 < powerRZ 2 (-62)) by (apply powerRZ_lt; lra).
  assert (Hpi : 31 / 10 < PI < 16 / 5) by (split; interval).
  set (x := fl f64 X) in *; set (a := PI / 2 * X).
  assert (Ha : 0 < a <= 4 / 5) by (unfold a; split; [apply Rmult_lt_0_compat; lra|nra]).
  pose proof (angle_by_sine a ltac:(lra)) as Has; set (s := sin a) in *.
  (* the sine at the converted phase *)
  assert (Hmoved : Rabs (sin (PI / 2 * x) - s) <= 113 / 100 * u64 * s).
  { assert (Ht : Rabs (PI / 2 * (x - X)) <= u64 * a).
    { rewrite Rabs_mult, (Rabs_pos_eq (PI / 2)) by lra; unfold a.
      replace (u64 * (PI / 2 * X)) with (PI / 2 * (u64 * X)) by ring; apply Rmult_le_compat_l;
        lra. }
    pose proof (BOUND_4_moved_sine a _ _ Ht) as Hm.
    replace (a + PI / 2 * (x - X)) with (PI / 2 * x) in Hm by (unfold a; ring); fold s in Hm.
    apply Rle_trans with (1 := Hm); unfold moved.
    assert (Rabs (cos a) <= 1) by (apply Rabs_le; pose proof (COS_bound a); lra).
    assert (Rabs s <= 1) by (apply Rabs_le; pose proof (SIN_bound a); unfold s; lra).
    assert (HD : 0 <= u64 * a <= u64) by nra.
    assert (HDs : u64 * a <= u64 * (28 / 25 * s)) by (apply Rmult_le_compat_l; lra).
    assert (u64 * a * Rabs (cos a) <= u64 * a * 1) by (apply Rmult_le_compat_l; lra).
    assert (Hq : u64 * a * (u64 * a) / 2 * Rabs s <= u64 * a * u64 / 2 * 1).
    { apply Rmult_le_compat; [nra|apply Rabs_pos| |trivial]; apply Rmult_le_compat_r; [lra|].
      apply Rmult_le_compat_l; lra. }
    assert (u64 * a * u64 <= u64 * (28 / 25 * s) * / 1000000000000000) by (apply Rmult_le_compat;
      lra).
    assert (0 <= u64 * s) by nra; lra. }
  (* the polynomial *)
  assert (Hp : Rabs (sine_polynomial x - sin (PI / 2 * x)) <= 3 / 4 * u64 * sin (PI / 2 * x))
    by (apply sine_polynomial_distance; lra).
  set (v := sin (PI / 2 * x)) in *; set (p := sine_polynomial x) in *.
  apply abs_le_inv in Hmoved, Hp.
  assert (Hs0 : 0 < s) by lra; assert (Hus : 0 < u64 * s <= / 1000000000000000 * s) by (split; nra).
  assert (Huus : u64 * (u64 * s) <= / 1000000000000000 * (u64 * s)) by (apply Rmult_le_compat_r;
    lra).
  assert (Hv : s - 113 / 100 * u64 * s <= v <= s + 113 / 100 * u64 * s) by lra.
  assert (Huv : u64 * v <= u64 * (s + 113 / 100 * u64 * s)) by (apply Rmult_le_compat_l; lra).
  assert (Hp0 : 0 < p) by lra.
  (* rounding *)
  assert (Hr : - (2 * u64) <= (S x - p) / p <= 2 * u64).
  { destruct (HS x) as [-> | ->]; [apply (sine_unfused_rounding X)|apply (sine_fused_rounding X)];
      trivial;
      reflexivity. }
  assert (Hround : - (2 * u64) * p <= S x - p <= 2 * u64 * p).
  { replace (S x - p) with ((S x - p) / p * p) by (field; lra); split; apply Rmult_le_compat_r;
      lra. }
  assert (u64 * p <= u64 * (v + 3 / 4 * u64 * v)) by (apply Rmult_le_compat_l; lra).
  assert (u64 * (u64 * v) <= / 1000000000000000 * (u64 * v)) by (apply Rmult_le_compat_r;
    [nra|lra]).
  apply Rabs_le; split; lra.
Qed.

Lemma rnd_opp x : Polynomials.rnd (- x) = - Polynomials.rnd x.
Proof. apply (fl_opp f64). Qed.

Lemma sine_unfused_opp x : sine_unfused (- x) = - sine_unfused x.
Proof.
  unfold sine_unfused; cbv zeta; replace (- x * - x) with (x * x) by ring.
  now rewrite Ropp_mult_distr_l_reverse, rnd_opp.
Qed.
Lemma sine_fused_opp x : sine_fused (- x) = - sine_fused x.
Proof.
  unfold sine_fused; cbv zeta; replace (- x * - x) with (x * x) by ring.
  now rewrite Ropp_mult_distr_l_reverse, rnd_opp.
Qed.

(** The phase [X]: 0, or at least 2^-62 of a quarter turn in size, as the kernels' integers are. *)
Definition phase (X : R) : Prop := X = 0 \/ powerRZ 2 (-62) <= Rabs X <= 1 / 2.

Theorem ROUND_2_sine X S : phase X -> S = sine_unfused (fl f64 X) \/ S = sine_fused (fl f64 X) ->
  Rabs (S - sin (PI / 2 * X)) <= 4 * u64 * Rabs (sin (PI / 2 * X)).
Proof.
  intros [->|HX] HS.
  - assert (E : fl f64 0 = 0) by (apply round_0, valid_rnd_N).
    rewrite Rmult_0_r, sin_0, Rabs_R0, Rmult_0_r.
    assert (Hz : S = 0).
    { rewrite E in HS; unfold sine_unfused, sine_fused in HS; cbv zeta in HS;
        rewrite !Rmult_0_l in HS.
      destruct HS as [-> | ->]; exact E. }
    rewrite Hz, Rminus_0_r, Rabs_R0; lra.
  - assert (H62 : 0 < powerRZ 2 (-62)) by (apply powerRZ_lt; lra).
    assert (Hpos : forall Y, powerRZ 2 (-62) <= Y <= 1 / 2 -> 0 <= sin (PI / 2 * Y)).
    { intros Y HY; assert (Hpi : 31 / 10 < PI < 16 / 5) by (split; interval); apply sin_ge_0; nra. }
    destruct (Rle_lt_dec 0 X) as [H|H].
    + rewrite Rabs_pos_eq in HX by trivial; rewrite (Rabs_pos_eq (sin _)) by auto.
      destruct HS as [-> | ->]; [apply (sine_positive sine_unfused)|apply (sine_positive
        sine_fused)]; auto.
    + rewrite Rabs_left in HX by trivial.
      replace (PI / 2 * X) with (- (PI / 2 * - X)) by ring;
        rewrite sin_neg, Rabs_Ropp, (Rabs_pos_eq (sin _)) by auto.
      replace (S - - sin (PI / 2 * - X)) with (- (- S - sin (PI / 2 * - X))) by ring;
        rewrite Rabs_Ropp.
      replace X with (- - X) in HS by ring; rewrite (fl_opp f64 (- X)), sine_unfused_opp,
        sine_fused_opp in HS.
      destruct HS as [-> | ->]; rewrite Ropp_involutive;
        [apply (sine_positive sine_unfused)|apply (sine_positive sine_fused)]; auto.
Qed.

Lemma cosine_nonneg C X : (forall x, C x = cosine_unfused x \/ C x = cosine_fused x) ->
  0 <= X <= 1 / 2 ->
  X = 0 \/ powerRZ 2 (-62) <= X -> Rabs (C (fl f64 X) - cos (PI / 2 * X)) <= 5 / 2 * u64.
Proof.
  intros HC HX Hphase; pose proof u64_small as Hu.
  assert (Hpi : 31 / 10 < PI < 16 / 5) by (split; interval).
  assert (Hx : 0 <= fl f64 X <= 1 / 2 /\ Rabs (fl f64 X - X) <= u64 * X).
  { destruct Hphase as [->|H].
    - assert (E : fl f64 0 = 0) by (apply round_0, valid_rnd_N).
      rewrite E, Rminus_0_r, Rabs_R0; lra.
    - assert (0 < powerRZ 2 (-62)) by (apply powerRZ_lt; lra).
      destruct (converted X ltac:(lra)) as [Hx Hc]; split; trivial; lra. }
  destruct Hx as [Hx Hc]; set (x := fl f64 X) in *; set (a := PI / 2 * X).
  assert (Ha : 0 <= a <= 4 / 5) by (unfold a; split; [apply Rmult_le_pos; lra|nra]).
  assert (Hmoved : Rabs (cos (PI / 2 * x) - cos a) <= 29 / 50 * u64).
  { assert (Ht : Rabs (PI / 2 * (x - X)) <= u64 * a).
    { rewrite Rabs_mult, (Rabs_pos_eq (PI / 2)) by lra; unfold a.
      replace (u64 * (PI / 2 * X)) with (PI / 2 * (u64 * X)) by ring; apply Rmult_le_compat_l;
        lra. }
    pose proof (BOUND_4_moved_cosine a _ _ Ht) as Hm.
    replace (a + PI / 2 * (x - X)) with (PI / 2 * x) in Hm by (unfold a; ring).
    apply Rle_trans with (1 := Hm); unfold moved.
    assert (Hs : Rabs (sin a) <= 18 / 25) by (interval).
    assert (Rabs (cos a) <= 1) by (apply Rabs_le; pose proof (COS_bound a); lra).
    assert (HD : 0 <= u64 * a <= u64 * (4 / 5)) by (split; [nra|apply Rmult_le_compat_l; lra]).
    assert (u64 * a * Rabs (sin a) <= u64 * (4 / 5) * (18 / 25))
      by (apply Rmult_le_compat; trivial; try lra; apply Rabs_pos).
    assert (u64 * a * (u64 * a) / 2 * Rabs (cos a) <= u64 * (4 / 5) * (/ 1000000000000000) * 1).
    { apply Rmult_le_compat; [nra|apply Rabs_pos| |trivial]; nra. }
    lra. }
  pose proof (cosine_polynomial_distance x Hx) as Hp.
  assert (Hr : - (3 / 2 * u64) <= C x - cosine_polynomial x <= 3 / 2 * u64).
  { destruct (HC x) as [-> | ->]; [apply (cosine_unfused_rounding X)|apply (cosine_fused_rounding
      X)]; trivial;
      reflexivity. }
  apply abs_le_inv in Hmoved, Hp; apply Rabs_le; lra.
Qed.

Lemma cosine_unfused_opp x : cosine_unfused (- x) = cosine_unfused x.
Proof. unfold cosine_unfused; now replace (- x * - x) with (x * x) by ring. Qed.
Lemma cosine_fused_opp x : cosine_fused (- x) = cosine_fused x.
Proof. unfold cosine_fused; now replace (- x * - x) with (x * x) by ring. Qed.

Theorem ROUND_2_cosine X C : phase X -> C = cosine_unfused (fl f64 X) \/ C = cosine_fused (fl f64
  X) ->
  Rabs (C - cos (PI / 2 * X)) <= 5 / 2 * u64.
Proof.
  intros HX HC; assert (H62 : 0 < powerRZ 2 (-62)) by (apply powerRZ_lt; lra).
  destruct (Rle_lt_dec 0 X) as [H|H].
  - assert (0 <= X <= 1 / 2 /\ (X = 0 \/ powerRZ 2 (-62) <= X)) as [H1 H2].
    { destruct HX as [->|HX]; [lra|]; rewrite Rabs_pos_eq in HX by trivial; lra. }
    destruct HC as [-> | ->]; [apply (cosine_nonneg cosine_unfused)|apply (cosine_nonneg
      cosine_fused)]; auto.
  - assert (0 <= - X <= 1 / 2 /\ (- X = 0 \/ powerRZ 2 (-62) <= - X)) as [H1 H2].
    { destruct HX as [->|HX]; [lra|]; rewrite Rabs_left in HX by trivial; lra. }
    replace (PI / 2 * X) with (- (PI / 2 * - X)) by ring; rewrite cos_neg.
    replace X with (- - X) in HC by ring; rewrite (fl_opp f64 (- X)), cosine_unfused_opp,
      cosine_fused_opp in HC.
    destruct HC as [-> | ->]; [apply (cosine_nonneg cosine_unfused)|apply (cosine_nonneg
      cosine_fused)]; auto.
Qed.

(** What ROUND-2 states, with room to spare: 5.53 u of the value, for either function. *)
Theorem ROUND_2_relative X S C : phase X ->
  S = sine_unfused (fl f64 X) \/ S = sine_fused (fl f64 X) ->
  C = cosine_unfused (fl f64 X) \/ C = cosine_fused (fl f64 X) ->
  Rabs (S - sin (PI / 2 * X)) <= 553 / 100 * u64 * Rabs (sin (PI / 2 * X)) /\
  Rabs (C - cos (PI / 2 * X)) <= 553 / 100 * u64 * Rabs (cos (PI / 2 * X)).
Proof.
  intros HX HS HC; pose proof u64_small as Hu; split.
  - apply Rle_trans with (1 := ROUND_2_sine X S HX HS); apply Rmult_le_compat_r;
      [apply Rabs_pos|lra].
  - apply Rle_trans with (1 := ROUND_2_cosine X C HX HC).
    assert (H : - (1 / 2) <= X <= 1 / 2).
    { destruct HX as [->|[_ HX]]; [lra|apply abs_le_inv in HX; lra]. }
    assert (7 / 10 <= Rabs (cos (PI / 2 * X))).
    { apply Rle_trans with (cos (PI / 2 * X)); [|apply Rle_abs]; interval with (i_bisect X). }
    assert (u64 * (7 / 10) <= u64 * Rabs (cos (PI / 2 * X))) by (apply Rmult_le_compat_l; lra); lra.
Qed.
