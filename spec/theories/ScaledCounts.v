(** * The counts of scaled frequencies (spec/rope_scaling.md, SCALE-17)

    How many roundings a blend of two frequencies amounts to, and a frequency of a new base. *)
From Gnomon Require Import Sums Pairs Rope RopeScaling Bounds FrequencyCounts.

(** ** Definitions *)

(** Normative: SCALE-17 (blend), of [p] and [q], their counts at most [n], the weight of [q] off by
    at most K u. *)
Definition blend_count (n K p q w : R) : R := n + 3 + K * (Rabs (q - p) / w).

(** Normative: SCALE-17 (new base): the roundings [B] of a base that is the [x]-th power of a factor
    [s], itself off by at most F u, times [b]; and what they and the exponent [e] add to 3. *)
Definition base_count (inexact x s F : R) : R := 6 + inexact + x * (ln s + F).
Definition new_base_count (base B e : R) : R := working_count base e + B * e.

(** ** Blends *)

Lemma gamma_of_inverse k u : k * u < 1 -> 1 + gamma k u = / (1 - k * u).
Proof. intros; unfold gamma; field; lra. Qed.

Lemma one_rounding_more n u x y r : 0 <= u -> 0 <= n -> (n + 1) * u < 1 ->
  Rabs (y - x) <= gamma n u * Rabs x -> Rabs r <= u ->
  Rabs (y * (1 + r) - x) <= gamma (n + 1) u * Rabs x.
Proof.
  intros Hu Hn H1 Hy Hr; assert (Hnu : 0 <= n * u) by now apply Rmult_le_pos.
  replace (y * (1 + r) - x) with ((y - x) * (1 + r) + x * r) by ring.
  assert (H : Rabs (1 + r) <= 1 + u)
    by (eapply Rle_trans; [apply Rabs_triang|]; rewrite Rabs_R1; lra).
  eapply Rle_trans; [apply Rabs_triang|]; rewrite !Rabs_mult; pose proof (Rabs_pos x).
  assert (H2 : Rabs (y - x) * Rabs (1 + r) <= gamma n u * Rabs x * (1 + u))
    by (apply Rmult_le_compat; trivial; apply Rabs_pos).
  assert (H3 : Rabs x * Rabs r <= Rabs x * u) by now apply Rmult_le_compat_l.
  assert (G : (1 + gamma n u) * (1 + u) <= 1 + gamma (n + 1) u).
  { rewrite !gamma_of_inverse by lra; apply Rmult_le_reg_l with (1 - n * u); [lra|].
    rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l by lra.
    apply Rmult_le_reg_r with (1 - (n + 1) * u); [lra|].
    rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra; assert (0 <= n * u * u) by nra; nra. }
  assert ((gamma n u * (1 + u) + u) * Rabs x <= gamma (n + 1) u * Rabs x)
    by (apply Rmult_le_compat_r; lra); lra.
Qed.

Lemma gamma_gap m k u : 0 <= u -> 0 <= m -> 0 <= k -> (m + k) * u < 1 ->
  (1 + gamma m u) * (k * u) <= gamma (m + k) u - gamma m u.
Proof.
  intros Hu Hm Hk H; assert (0 <= m * u /\ 0 <= k * u) as [Hmu Hku] by (split; nra).
  assert (E : gamma (m + k) u - gamma m u = / (1 - m * u) * (k * u) * / (1 - (m + k) * u))
    by (unfold gamma; field; lra).
  rewrite E, gamma_of_inverse by lra.
  rewrite <- (Rmult_1_r (/ (1 - m * u) * (k * u))) at 1; apply Rmult_le_compat_l.
  - apply Rmult_le_pos; trivial; left; apply Rinv_0_lt_compat; lra.
  - rewrite <- Rinv_1 at 1; apply Rinv_le_contravar; lra.
Qed.

(** [p'], [q'] computed; [g'] the weight that is used; 1 - g', two products and the sum round. *)
Theorem SCALE_17_blend u n K p q g p' q' g' r0 r1 r2 r3 (w := (1 - g) * p + g * q)
  (m := blend_count n K p q w) :
  0 <= u -> 0 <= n -> 0 <= K -> 0 <= p -> 0 <= q -> 0 < w -> 0 <= g' <= 1 -> m * u < 1 ->
  Rabs (g' - g) <= K * u ->
  Rabs (p' - p) <= gamma n u * Rabs p -> Rabs (q' - q) <= gamma n u * Rabs q ->
  Rabs r0 <= u -> Rabs r1 <= u -> Rabs r2 <= u -> Rabs r3 <= u ->
  Rabs (((p' * ((1 - g') * (1 + r0))) * (1 + r1) + q' * g' * (1 + r2)) * (1 + r3) - w) <=
  gamma m u * w.
Proof.
  intros Hu Hn HK Hp Hq Hw Hg' Hm Hg Hp' Hq' H0 H1 H2 H3.
  unfold m, blend_count in *; set (z := Rabs (q - p) / w) in *.
  assert (Hz : 0 <= z) by (apply Rmult_le_pos; [apply Rabs_pos|left; now apply Rinv_0_lt_compat]).
  assert (HKz : 0 <= K * z) by now apply Rmult_le_pos.
  assert (0 <= n * u /\ 0 <= K * z * u) as [Hnu Hku] by (split; now apply Rmult_le_pos).
  assert (Hm3 : (n + 3) * u < 1) by lra.
  pose proof (gamma_gap (n + 3) (K * z) u Hu ltac:(lra) HKz Hm) as Gap.
  (* each term *)
  assert (S : forall c y x, 0 <= c -> Rabs (y - x) <= gamma n u * Rabs x ->
    Rabs (y * c - x * c) <= gamma n u * Rabs (x * c)).
  { intros c y x Hc H; replace (y * c - x * c) with ((y - x) * c) by ring.
    rewrite !Rabs_mult, <- Rmult_assoc; apply Rmult_le_compat_r; trivial; apply Rabs_pos. }
  pose proof (S (1 - g') p' p ltac:(lra) Hp') as T1; pose proof (S g' q' q ltac:(lra) Hq') as T2.
  apply (one_rounding_more n u _ _ r0) in T1; trivial; [|lra].
  apply (one_rounding_more (n + 1) u _ _ r1) in T1; trivial; [|lra..].
  apply (one_rounding_more (n + 1 + 1) u _ _ r3) in T1; trivial; [|lra..].
  apply (one_rounding_more n u _ _ r2) in T2; trivial; [|lra].
  apply (one_rounding_more (n + 1) u _ _ r3) in T2; trivial; [|lra..].
  assert (T2' : gamma (n + 1 + 1) u <= gamma (n + 3) u) by (apply gamma_monotone; lra).
  replace (n + 1 + 1 + 1) with (n + 3) in T1 by ring.
  set (G := gamma (n + 3) u) in *; assert (HG : 0 <= G).
  { unfold G, gamma; apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; lra]. }
  rewrite (Rabs_pos_eq (p * (1 - g'))) in T1 by (apply Rmult_le_pos; lra).
  rewrite (Rabs_pos_eq (q * g')) in T2 by (apply Rmult_le_pos; lra).
  assert (T2'' : gamma (n + 1 + 1) u * (q * g') <= G * (q * g'))
    by (apply Rmult_le_compat_r; trivial; apply Rmult_le_pos; lra).
  (* the weight *)
  assert (Hd : Rabs ((g' - g) * (q - p)) <= K * u * Rabs (q - p)).
  { rewrite Rabs_mult; apply Rmult_le_compat_r; [apply Rabs_pos|trivial]. }
  assert (Ez : Rabs (q - p) = z * w) by (unfold z; field; lra); rewrite Ez in Hd.
  assert (Ew : p * (1 - g') + q * g' = w + (g' - g) * (q - p)) by (unfold w; ring).
  assert (E : (g' - g) * (q - p) = p * (1 - g') + q * g' - w) by (rewrite Ew; ring).
  match goal with |- Rabs ?x <= _ => replace x with
    ((p' * (1 - g') * (1 + r0) * (1 + r1) * (1 + r3) - p * (1 - g')) +
     (q' * g' * (1 + r2) * (1 + r3) - q * g') + (g' - g) * (q - p)) by (rewrite E; ring) end.
  eapply Rle_trans; [apply Rabs_triang|]; eapply Rle_trans;
    [apply Rplus_le_compat_r, Rabs_triang|].
  assert (Hsum : G * (p * (1 - g')) + G * (q * g') <= G * w + G * (K * u * (z * w))).
  { rewrite <- !Rmult_plus_distr_l; apply Rmult_le_compat_l; trivial; rewrite Ew.
    apply Rplus_le_compat_l, Rle_trans with (1 := Rle_abs _); exact Hd. }
  assert (Hgap : (1 + G) * (K * z * u) * w <= (gamma (n + 3 + K * z) u - G) * w)
    by (apply Rmult_le_compat_r; lra).
  replace ((1 + G) * (K * z * u) * w) with (K * u * (z * w) + G * (K * u * (z * w))) in Hgap
    by ring.
  lra.
Qed.

(** For an interpolated and a kept frequency: K (s - 1) / (1 + g (s - 1)). *)
Theorem SCALE_17_distance g s w : 0 <= g <= 1 -> 1 <= s -> 0 < w ->
  Rabs (w - w / s) / blend g s w = (s - 1) / (1 + g * (s - 1)).
Proof.
  intros Hg Hs Hw; assert (H0 : 0 <= g * (s - 1)) by (apply Rmult_le_pos; lra).
  assert (H : 0 <= w - w / s).
  { replace (w - w / s) with (w * (s - 1) * / s) by (field; lra).
    apply Rmult_le_pos; [apply Rmult_le_pos; lra|left; apply Rinv_0_lt_compat; lra]. }
  rewrite Rabs_pos_eq by trivial; unfold blend; field; repeat split; nra.
Qed.

(** ** New bases *)

Lemma ln_one_plus u x : 0 <= u <= / 8 -> Rabs x <= 2 * u -> Rabs (ln (1 + x)) <= 3 * u.
Proof.
  intros Hu Hx; apply abs_le_inv in Hx.
  assert (M : forall y b, 0 < y -> y <= exp b -> ln y <= b).
  { intros y b Hy [H| ->]; [left; rewrite <- (ln_exp b); now apply ln_increasing|].
    rewrite ln_exp; apply Rle_refl. }
  apply Rabs_le; split.
  - assert (H : ln (/ (1 + x)) <= 3 * u); [|rewrite ln_Rinv in H; lra].
    apply M; [apply Rinv_0_lt_compat; lra|]; apply Rle_trans with (1 + 3 * u);
      [|apply exp_ineq1_le].
    apply Rmult_le_reg_l with (1 + x); [lra|]; rewrite Rinv_r by lra; nra.
  - apply M; [lra|]; apply Rle_trans with (1 + 3 * u); [lra|apply exp_ineq1_le].
Qed.

Lemma abs_sum a b : Rabs (a + b) <= Rabs a + Rabs b.
Proof. apply Rabs_triang. Qed.

(** The new base as computed: [b0] the rounding of [b] ([inexact] u at most), [s'] the factor off by
    exp(f), [rx] the rounding of the exponent, [q] the error of pow, then product and rounding. *)
Theorem SCALE_17_base u b s x F inexact b0 f rx q r1 r2 (B := base_count inexact x s F) :
  0 <= u <= / 8 -> 0 < b -> 1 <= s -> 1 <= x -> 0 <= F -> 0 <= inexact <= 1 -> B * u <= / 8 ->
  Rabs (ln (1 + b0)) <= inexact * u -> -1 < b0 -> Rabs f <= F * u -> Rabs rx <= u ->
  Rabs q <= 2 * u -> Rabs r1 <= u / (1 + u) -> Rabs r2 <= u / (1 + u) ->
  exists t, Rabs t <= (B - / 2) * u /\
  b * (1 + b0) * (Rpower (s * exp f) (x * (1 + rx)) * (1 + q)) * (1 + r1) * (1 + r2) =
  b * Rpower s x * exp t.
Proof.
  unfold B, base_count; intros Hu Hb Hs Hx HF Hi HB Hb0 Hb1 Hf Hrx Hq H1 H2.
  pose proof (ln_one_plus u q Hu Hq) as Lq; apply abs_le_inv in Hq.
  pose proof (ln_of_rounding u r1 ltac:(lra) H1) as L1.
  pose proof (ln_of_rounding u r2 ltac:(lra) H2) as L2.
  assert (Hw : u / (1 + u) < 1) by (apply Rmult_lt_reg_r with (1 + u); [lra|]; unfold Rdiv;
    rewrite Rmult_assoc, Rinv_l; lra).
  apply abs_le_inv in H1, H2.
  assert (Hls : 0 <= ln s) by (destruct Hs as [Hs| <-]; [left; rewrite <- ln_1; apply ln_increasing;
    lra|rewrite ln_1; lra]).
  assert (0 <= x * ln s) by (apply Rmult_le_pos; lra).
  assert (0 <= x * F) by (apply Rmult_le_pos; lra).
  exists (ln (1 + b0) + x * ln s * rx + x * (1 + rx) * f + ln (1 + q) + ln (1 + r1) + ln (1 + r2)).
  split.
  - assert (T1 : Rabs (x * ln s * rx) <= x * ln s * u)
      by (rewrite Rabs_mult, (Rabs_pos_eq (x * ln s)) by trivial; now apply Rmult_le_compat_l).
    assert (T2 : Rabs (x * (1 + rx) * f) <= x * ((1 + u) * (F * u))).
    { rewrite !Rabs_mult, (Rabs_pos_eq x), Rmult_assoc by lra; apply Rmult_le_compat_l; [lra|].
      apply Rmult_le_compat; trivial; try apply Rabs_pos.
      eapply Rle_trans; [apply Rabs_triang|]; rewrite Rabs_R1; lra. }
    assert (T3 : x * F * u * u <= / 8 * u).
    { apply Rmult_le_compat_r; [lra|]; apply Rle_trans with (2 := HB).
      apply Rmult_le_compat_r; [lra|]; rewrite Rmult_plus_distr_l; lra. }
    assert (Hsum : forall a1 a2 a3 a4 a5 a6, Rabs (a1 + a2 + a3 + a4 + a5 + a6) <=
      Rabs a1 + Rabs a2 + Rabs a3 + Rabs a4 + Rabs a5 + Rabs a6).
    { intros; do 5 (eapply Rle_trans; [apply abs_sum|]; apply Rplus_le_compat_r); apply Rle_refl. }
    pose proof (Hsum (ln (1 + b0)) (x * ln s * rx) (x * (1 + rx) * f) (ln (1 + q)) (ln (1 + r1))
      (ln (1 + r2))); lra.
  - rewrite !exp_plus, !exp_ln by lra; unfold Rpower.
    rewrite ln_mult, ln_exp by (lra || apply exp_pos).
    replace (x * (1 + rx) * (ln s + f)) with (x * ln s + (x * ln s * rx + x * (1 + rx) * f))
      by ring.
    rewrite !exp_plus; ring.
Qed.

(** The frequency that is made of it: 3 + |ln b'| e, and B e more. *)
Theorem SCALE_17_new_base u base B e t r q v (C := new_base_count base B e) : 0 <= u <= / 8 ->
  0 < base -> 0 <= e -> 1 <= B -> B * u <= / 8 -> Rabs t <= (B - / 2) * u -> Rabs r <= u ->
  Rabs q <= 2 * u -> Rabs v <= u -> C * u < 1 ->
  Rabs (/ (Rpower (base * exp t) (e * (1 + r)) * (1 + q)) * (1 + v) - Rpower base (- e)) <=
  gamma C u * Rpower base (- e).
Proof.
  unfold C, new_base_count, working_count; intros Hu Hbase He HB HBu Ht Hr Hq Hv Hn.
  set (L := Rabs (ln base)) in *; assert (HL : 0 <= L * e)
    by (apply Rmult_le_pos; [apply Rabs_pos|trivial]).
  assert (HBe : 0 <= B * e) by (apply Rmult_le_pos; lra).
  set (t' := - (r * e * ln base) - e * (1 + r) * t).
  assert (Ht' : Rabs t' <= (L * e + B * e) * u).
  { assert (T1 : Rabs (r * e * ln base) <= L * e * u).
    { rewrite !Rabs_mult, (Rabs_pos_eq e) by trivial; fold L.
      replace (Rabs r * e * L) with (Rabs r * (L * e)) by ring; rewrite (Rmult_comm (L * e)).
      now apply Rmult_le_compat_r. }
    assert (T2 : Rabs (e * (1 + r) * t) <= e * ((1 + u) * ((B - / 2) * u))).
    { rewrite !Rabs_mult, (Rabs_pos_eq e), Rmult_assoc by trivial; apply Rmult_le_compat_l; trivial.
      apply Rmult_le_compat; trivial; try apply Rabs_pos.
      eapply Rle_trans; [apply Rabs_triang|]; rewrite Rabs_R1; lra. }
    assert (T3 : (1 + u) * ((B - / 2) * u) <= B * u).
    { assert (B * u * u <= / 8 * u) by (apply Rmult_le_compat_r; lra).
      assert (0 <= u * u) by nra; lra. }
    assert (e * ((1 + u) * ((B - / 2) * u)) <= e * (B * u)) by (apply Rmult_le_compat_l; lra).
    unfold t', Rminus; eapply Rle_trans; [apply Rabs_triang|]; rewrite !Rabs_Ropp; lra. }
  set (l := [Error q 2 true; Error v 1 false]).
  assert (El : roundings l = 3) by (unfold roundings, l; simpl; ring).
  assert (Hl : forall y, In y l -> within_count u y).
  { intros y [<-|[<-|[]]]; split; cbn [relative count]; lra. }
  pose proof (BOUND_2_gamma u (L * e + B * e) t' l ltac:(lra) ltac:(lra) Ht' Hl
    ltac:(rewrite El; lra)) as H.
  rewrite El in H; replace (3 + (L * e + B * e)) with (3 + L * e + B * e) in H by ring.
  assert (0 < 1 + q) by (apply abs_le_inv in Hq; lra).
  pose proof (exp_pos (- e * ln base)) as Hp.
  replace (/ (Rpower (base * exp t) (e * (1 + r)) * (1 + q)) * (1 + v) - Rpower base (- e)) with
    ((exp t' * product l - 1) * Rpower base (- e)).
  - unfold Rpower in *; rewrite Rabs_mult, (Rabs_pos_eq (exp _)) by lra; apply Rmult_le_compat_r;
      lra.
  - unfold Rpower; rewrite ln_mult, ln_exp by (trivial || apply exp_pos).
    unfold product, factor, l; simpl; rewrite Rinv_mult, <- exp_Ropp.
    replace t' with (- (e * (1 + r) * (ln base + t)) - - e * ln base) by (unfold t'; ring).
    unfold Rminus at 2; rewrite exp_plus, (exp_Ropp (- e * ln base)); field; split; lra.
Qed.

(** The factor of dynamic NTK as computed: three roundings of s n / L and one of s - 1, or less; the
    difference rounds. *)
Theorem SCALE_17_dynamic_factor u s L n d1 d2 d3 d4 (N := Rmax n L)
  (s' := dynamic_factor s L n) (F := 4 * (s * N / L + s) / s') :
  0 <= u -> 1 <= s -> 0 < L -> F * u <= / 8 ->
  Rabs d1 <= u -> Rabs d2 <= u -> Rabs d3 <= u -> Rabs d4 <= u ->
  exists f, Rabs f <= F * u /\
  (s * N * (1 + d1) / L * (1 + d2) - (s - 1) * (1 + d3)) * (1 + d4) = s' * exp f.
Proof.
  intros Hu Hs HL HF H1 H2 H3 H4.
  assert (HN : L <= N) by apply Rmax_r.
  assert (Hq : s <= s * N / L).
  { replace s with (s * L / L) at 1 by (field; lra); apply Rmult_le_compat_r;
      [left; now apply Rinv_0_lt_compat|apply Rmult_le_compat_l; lra]. }
  set (P := s * N / L) in *; assert (Es : s' = P - (s - 1)) by reflexivity.
  assert (Hs' : 1 <= s') by lra.
  assert (EF : F * u * s' = 4 * (P + s) * u) by (unfold F; field; lra).
  assert (HFs : 4 * (P + s) * u <= / 8 * s')
    by (rewrite <- EF; apply Rmult_le_compat_r; lra).
  set (y := (s * N * (1 + d1) / L * (1 + d2) - (s - 1) * (1 + d3)) * (1 + d4)).
  assert (Ey : y = (P * ((1 + d1) * (1 + d2)) - (s - 1) * (1 + d3)) * (1 + d4))
    by (unfold y, P; field; lra).
  assert (Hu8 : u <= / 32).
  { assert (0 <= s * u) by (apply Rmult_le_pos; lra).
    apply Rmult_le_reg_r with P; lra. }
  (* |y - s'| <= (3 P + s) u and a little *)
  assert (A : Rabs (d1 + d2 + d1 * d2) <= 2 * u + u * u).
  { eapply Rle_trans; [apply Rabs_triang|]; rewrite Rabs_mult.
    pose proof (Rabs_triang d1 d2); assert (Rabs d1 * Rabs d2 <= u * u)
      by (apply Rmult_le_compat; trivial; apply Rabs_pos); lra. }
  set (z := P * (d1 + d2 + d1 * d2) - (s - 1) * d3).
  assert (Hz : Rabs z <= P * (2 * u + u * u) + (s - 1) * u).
  { unfold z, Rminus at 1; eapply Rle_trans; [apply Rabs_triang|]; rewrite Rabs_Ropp, !Rabs_mult.
    rewrite (Rabs_pos_eq P), (Rabs_pos_eq (s - 1)) by lra.
    apply Rplus_le_compat; apply Rmult_le_compat_l; lra. }
  assert (Ed : y - s' = z + s' * d4 + z * d4) by (rewrite Ey, Es; unfold z; ring).
  set (T := 13 / 4 * (P + s) * u).
  assert (Hd : Rabs (y - s') <= T).
  { rewrite Ed; eapply Rle_trans; [apply Rabs_triang|]; rewrite Rabs_mult.
    assert (Rabs (z + s' * d4) <= Rabs z + s' * u).
    { eapply Rle_trans; [apply Rabs_triang|]; rewrite Rabs_mult, (Rabs_pos_eq s') by lra.
      apply Rplus_le_compat_l, Rmult_le_compat_l; lra. }
    assert (Rabs z * Rabs d4 <= Rabs z * / 32)
      by (apply Rmult_le_compat_l; [apply Rabs_pos|lra]).
    assert (P * (u * u) <= P * (u * / 32)) by (apply Rmult_le_compat_l; [lra|nra]).
    assert (0 <= P * u) by nra; assert (0 <= s * u) by nra; unfold T; rewrite Es in *; nra. }
  assert (HT : T <= / 9 * s') by (unfold T; lra).
  assert (Hy : 0 < y) by (apply abs_le_inv in Hd; lra).
  exists (ln (y / s')); split.
  - assert (M : forall x b, 0 < x -> x <= exp b -> ln x <= b).
    { intros x b Hx [H| ->]; [left; rewrite <- (ln_exp b); now apply ln_increasing|].
      rewrite ln_exp; apply Rle_refl. }
    set (D := T / s'); assert (ED : T = D * s') by (unfold D; field; lra).
    assert (HD : D <= / 9) by (apply Rmult_le_reg_r with s'; lra).
    assert (HD0 : 0 <= D) by (apply Rmult_le_reg_r with s'; [lra|];
      pose proof (Rabs_pos (y - s')); lra).
    assert (HDF : 9 / 8 * D <= F * u) by (apply Rmult_le_reg_r with s'; [lra|];
      rewrite EF, Rmult_assoc, <- ED; unfold T; nra).
    set (k := y / s'); assert (Ek : y = k * s') by (unfold k; field; lra).
    assert (Hk : 1 - D <= k <= 1 + D).
    { apply abs_le_inv in Hd; split; apply Rmult_le_reg_r with s'; lra. }
    apply Rabs_le; split.
    + assert (H : ln (/ k) <= 9 / 8 * D); [|rewrite ln_Rinv in H by lra; lra].
      apply M; [apply Rinv_0_lt_compat; lra|]; apply Rle_trans with (1 + 9 / 8 * D);
        [|apply exp_ineq1_le].
      apply Rmult_le_reg_l with k; [lra|]; rewrite Rinv_r by lra; nra.
    + apply Rle_trans with D; [|lra]; apply M; [lra|].
      apply Rle_trans with (1 := proj2 Hk), exp_ineq1_le.
  - rewrite exp_ln; [unfold y; field; lra|].
    apply Rmult_lt_0_compat; [trivial|apply Rinv_0_lt_compat; lra].
Qed.
