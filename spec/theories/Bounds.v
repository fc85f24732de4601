(** * Error bounds, as far as real numbers go (spec/bounds.md)

    What a wrong angle and a row of small relative errors do.  Roundings are in [numeric/]. *)
From Gnomon Require Import Sums Pairs.

(** ** Definitions *)

(** Normative: BOUND-2 (gamma). *)
Definition gamma (n u : R) : R := n * u / (1 - n * u).

(** Normative: BOUND-4.  How far a value [v] of derivative [v'] by the angle moves, at most, where
    the angle is off by at most [D]. *)
Definition moved (D v v' : R) : R := D * Rabs v' + D * D / 2 * Rabs v.

(** Normative: BOUND-3.  The number of roundings that a frequency base^-e amounts to, [e] rounded
    and the base exact: by pow and a division; by exp; multiplied up over [i] pairs, [e1] the
    exponent of one.  An exact [e] counts 3 in the first form; an inexact base counts [e] more. *)
Definition working_count (base e : R) : R := 3 + Rabs (ln base) * e.
Definition exp_count (base e : R) : R := 3 + 2 * (Rabs (ln base) * e).
Definition chained_count (base e1 : R) (i : nat) : R :=
  3 + (3 * INR i + Rabs (ln base) * (INR i * e1)).

(** Normative: BOUND-3.  The error of an angle [a] at position [m] that amounts to [n] roundings;
    [eta] for what underflows. *)
Definition angle_error (n u eta m a : R) : R := gamma n u * Rabs a + (2 * Rabs m + 1) * eta.

(** Normative: BOUND-3.  The error of a frequency [w] that amounts to [C] roundings, in the working
    format. *)
Definition frequency_bound (C u eta w : R) : R := gamma (Rmax 2 C) u * Rabs w + eta.

(** Normative: BOUND-5.  The element y = x0 c - x1 s at angle [a], its absolute products [S], and
    those of its derivative [S']. *)
Definition element (x0 x1 a : R) : R := x0 * cos a - x1 * sin a.
Definition products (x0 x1 a : R) : R := Rabs (x0 * cos a) + Rabs (x1 * sin a).
Definition products' (x0 x1 a : R) : R := Rabs (x0 * sin a) + Rabs (x1 * cos a).

(** ** Products of small relative errors *)

Lemma abs_le_inv x b : Rabs x <= b -> - b <= x <= b.
Proof. unfold Rabs; destruct Rcase_abs; lra. Qed.

(** BOUND-2 multiplies factors 1 + r and 1 / (1 + r).  Each counts for as many roundings as its |r|
    has u: an error of one ulp counts as two. *)
Record error := Error { relative : R; count : R; inverse : bool }.
Definition factor (e : error) : R := if inverse e then / (1 + relative e) else 1 + relative e.
Definition product (l : list error) : R := fold_right (fun e q => factor e * q) 1 l.
Definition roundings (l : list error) : R := sum l count.
Definition within_count (u : R) (e : error) : Prop := 0 <= count e /\ Rabs (relative e) <=
  count e * u.

Lemma factor_bounds u e : within_count u e -> count e * u < 1 ->
  1 - count e * u <= factor e <= / (1 - count e * u).
Proof.
  unfold factor; set (v := count e * u); intros [_ Hr] Hv; apply abs_le_inv in Hr; fold v in Hr.
  destruct (inverse e).
  - assert (E : 1 - v = / (/ (1 - v))) by (rewrite Rinv_inv; trivial).
    split; [rewrite E|]; apply Rinv_le_contravar; try lra.
    apply Rmult_le_reg_r with (1 - v); [lra|]; rewrite Rinv_l by lra; nra.
  - split; [lra|]; apply Rmult_le_reg_r with (1 - v); [lra|]; rewrite Rinv_l by lra; nra.
Qed.

Lemma roundings_nonneg u l : (forall e, In e l -> within_count u e) -> 0 <= roundings l.
Proof. intros H; apply sum_nonneg; intros e He; now apply (H e He). Qed.

(** Weierstrass: exp(- s u) prod (1 - n_k u) >= 1 - (sum n_k + s) u, and the product of the factors
    lies between the left side and its inverse. *)
Lemma product_bounds u s l : 0 <= u -> 0 <= s -> (forall e, In e l -> within_count u e) ->
  (roundings l + s) * u < 1 ->
  exists p, 1 - (roundings l + s) * u <= p * exp (- (s * u)) /\ 0 < p /\ p <= product l <= / p.
Proof.
  intros Hu Hs; induction l as [|e l IH]; intros Hl H.
  - exists 1; simpl; rewrite Rinv_1; unfold roundings in *; simpl in *.
    pose proof (exp_ineq1_le (- (s * u))); lra.
  - assert (He : within_count u e) by (apply Hl; now left).
    assert (Hl' : forall e, In e l -> within_count u e) by (intros; apply Hl; now right).
    pose proof (roundings_nonneg u l Hl') as H0; destruct He as [Hc Hr].
    unfold roundings in *; simpl sum in *; set (n := count e) in *; set (N := sum l count) in *.
    assert (0 <= n * u /\ 0 <= (N + s) * u) as [Hn HN] by (split; apply Rmult_le_pos; lra).
    destruct (IH Hl' ltac:(lra)) as (p & Hp & Hp0 & Hpl & Hpu).
    destruct (factor_bounds u e (conj Hc Hr) ltac:(fold n; lra)) as [Hf Hf']; fold n in Hf, Hf'.
    exists ((1 - n * u) * p); repeat split.
    + apply Rle_trans with ((1 - n * u) * (1 - (N + s) * u)); [nra|].
      rewrite Rmult_assoc; apply Rmult_le_compat_l; lra.
    + apply Rmult_lt_0_compat; lra.
    + simpl product; apply Rmult_le_compat; lra.
    + simpl product; rewrite Rinv_mult; apply Rmult_le_compat; lra.
Qed.

Theorem BOUND_2_gamma u s t l : 0 <= u -> 0 <= s -> Rabs t <= s * u ->
  (forall e, In e l -> within_count u e) -> (roundings l + s) * u < 1 ->
  Rabs (exp t * product l - 1) <= gamma (roundings l + s) u.
Proof.
  intros Hu Hs Ht Hl Hn; destruct (product_bounds u s l Hu Hs Hl Hn) as (p & Hw & Hp & Ha & Hb).
  apply abs_le_inv in Ht; pose proof (roundings_nonneg u l Hl) as Hnn;
    set (N := roundings l + s) in *.
  pose proof (exp_pos (- (s * u))) as He; pose proof (exp_pos t).
  assert (H1 : exp (- (s * u)) <= exp t)
    by (destruct (Req_dec (- (s * u)) t) as [->|]; [lra|left; apply exp_increasing; lra]).
  assert (H2 : exp t <= / exp (- (s * u))).
  { rewrite <- exp_Ropp, Ropp_involutive.
    destruct (Req_dec t (s * u)) as [->|]; [lra|left; apply exp_increasing; lra]. }
  assert (0 < 1 - N * u) by lra.
  assert (Hlow : 1 - N * u <= exp t * product l).
  { eapply Rle_trans; [exact Hw|]; rewrite Rmult_comm; apply Rmult_le_compat; lra. }
  assert (Hup : exp t * product l <= / (1 - N * u)).
  { apply Rle_trans with (/ (p * exp (- (s * u)))); [|now apply Rinv_le_contravar].
    rewrite Rinv_mult, Rmult_comm; apply Rmult_le_compat; lra. }
  unfold gamma; assert (E : / (1 - N * u) = 1 + N * u / (1 - N * u)) by (field; lra).
  assert (0 <= N * u) by (apply Rmult_le_pos; unfold N; lra).
  assert (N * u <= N * u / (1 - N * u)); [|apply Rabs_le; lra].
  apply Rmult_le_reg_r with (1 - N * u); [lra|].
  unfold Rdiv; rewrite (Rmult_assoc _ (/ _)), Rinv_l by lra; nra.
Qed.

(** Where the exponent exceeds s u a little, gamma's own slack still covers it. *)
Lemma exp_below x : 0 <= x < 1 -> exp (x + x * x / 2) <= / (1 - x).
Proof.
  intros [[Hx| <-] Hx1]; [|replace (0 + 0 * 0 / 2) with 0 by field; rewrite exp_0, Rminus_0_r,
    Rinv_1; lra].
  set (z := fun y => y + y * y * / 2).
  destruct (MVT_cor2 (fun y => (1 - y) * exp (z y))
    (fun y => (0 - 1) * exp (z y) + (1 - y) * (exp (z y) * (1 + y))) 0 x Hx) as (c & Hc & Hcx).
  - intros c _; apply (derivable_pt_lim_mult (fun y => 1 - y) (fun y => exp (z y))).
    + apply derivable_pt_lim_minus; [apply derivable_pt_lim_const|apply derivable_pt_lim_id].
    + apply (derivable_pt_lim_comp z exp); [|apply derivable_pt_lim_exp].
      unfold z; apply derivable_pt_lim_plus; [apply derivable_pt_lim_id|].
      replace c with ((1 * c + c * 1) * / 2 + c * c * 0) at 2 by field.
      apply (derivable_pt_lim_mult (fun y => y * y) (fun _ => / 2));
        [|apply derivable_pt_lim_const].
      apply (derivable_pt_lim_mult id id); apply derivable_pt_lim_id.
  - unfold z in Hc at 2; rewrite Rminus_0_r, Rmult_0_l, Rmult_0_l, Rplus_0_r, exp_0 in Hc.
    pose proof (exp_pos (z c)).
    assert (0 <= c * c * exp (z c) * (x - 0))
      by (apply Rmult_le_pos; [apply Rmult_le_pos; nra|lra]).
    apply Rmult_le_reg_l with (1 - x); [lra|]; rewrite Rinv_r by lra.
    change (x + x * x / 2) with (z x); nra.
Qed.

Theorem BOUND_2_gamma_second_order u s t l : 0 <= u -> 0 <= s ->
  Rabs t <= s * u + s * u * (s * u) / 2 ->
  (forall e, In e l -> within_count u e) -> (roundings l + s) * u < 1 ->
  Rabs (exp t * product l - 1) <= gamma (roundings l + s) u.
Proof.
  intros Hu Hs Ht Hl Hn; pose proof (roundings_nonneg u l Hl) as Hnn; set (n := roundings l) in *.
  assert (0 <= s * u /\ 0 <= n * u) as [Hsu Hnu] by (split; now apply Rmult_le_pos).
  destruct (product_bounds u 0 l Hu (Rle_refl 0) Hl ltac:(fold n; lra)) as (p & Hw & Hp & Ha & Hb).
  rewrite Rmult_0_l, Ropp_0, exp_0, Rmult_1_r in Hw; fold n in Hw.
  apply abs_le_inv in Ht; pose proof (exp_pos t) as Het.
  set (a := s * u) in *; set (b := n * u) in *.
  assert (EN : (n + s) * u = a + b) by (unfold a, b; ring); rewrite EN in Hn.
  assert (Hb0 : 1 - b <= p) by (unfold b; lra).
  assert (H1 : exp t <= / (1 - a)).
  { apply Rle_trans with (2 := exp_below a ltac:(lra)).
    destruct (proj2 Ht) as [H|H]; [left; now apply exp_increasing|rewrite H; apply Rle_refl]. }
  assert (H2 : product l <= / (1 - b))
    by (apply Rle_trans with (1 := Hb); apply Rinv_le_contravar; lra).
  assert (Hup : exp t * product l <= / (1 - (a + b))).
  { apply Rle_trans with (/ (1 - a) * / (1 - b)); [apply Rmult_le_compat; lra|].
    rewrite <- Rinv_mult; apply Rinv_le_contravar; nra. }
  assert (Hlow : 1 - (a + b) - a * a / 2 <= exp t * product l).
  { pose proof (exp_ineq1_le t).
    apply Rle_trans with (exp t * (1 - b)); [|apply Rmult_le_compat_l; lra].
    apply Rle_trans with ((1 - a - a * a / 2) * (1 - b)); [|apply Rmult_le_compat_r; lra].
    assert (0 <= a * b /\ 0 <= a * a * b) by (split; repeat apply Rmult_le_pos; lra); lra. }
  unfold gamma; rewrite EN; set (N := a + b) in *.
  assert (E : / (1 - N) = 1 + N / (1 - N)) by (field; lra); rewrite E in Hup.
  assert (N + a * a / 2 <= N / (1 - N)).
  { apply Rmult_le_reg_r with (1 - N); [lra|]; unfold Rdiv; rewrite (Rmult_assoc N), Rinv_l by lra.
    assert (0 <= a * a <= N * N) by (unfold N; split; nra).
    assert (0 <= a * a * N) by (apply Rmult_le_pos; unfold N; lra); nra. }
  apply Rabs_le; lra.
Qed.

(** ** A wrong angle *)

Lemma abs_sin_le t D : Rabs t <= D -> Rabs (sin t) <= D.
Proof.
  intros H; apply Rle_trans with (Rabs t); trivial.
  assert (Hp : forall x, 0 <= x -> Rabs (sin x) <= x).
  { intros x Hx; apply Rabs_le; pose proof (SIN_bound x); pose proof PI2_1.
    destruct (Req_dec x 0) as [->|]; [rewrite sin_0; lra|].
    split; [|left; apply sin_lt_x; lra].
    destruct (Rle_lt_dec x 1); [|lra].
    pose proof (sin_ge_0 x ltac:(lra)); pose proof PI_RGT_0; lra. }
  destruct (Rle_lt_dec 0 t); [rewrite (Rabs_pos_eq t) by trivial; auto|].
  rewrite <- (Rabs_Ropp (sin t)), <- sin_neg, <- (Rabs_Ropp t), (Rabs_pos_eq (- t)) by lra;
    apply Hp; lra.
Qed.

Lemma versine_le t D : Rabs t <= D -> 0 <= 1 - cos t <= D * D / 2.
Proof.
  intros H; replace t with (2 * (t / 2)) by field; rewrite cos_2a_sin.
  assert (Rabs (sin (t / 2)) <= D / 2) by (apply abs_sin_le; unfold Rdiv;
    rewrite Rabs_mult, (Rabs_pos_eq (/ 2)); lra).
  assert (E : sin (t / 2) * sin (t / 2) = Rabs (sin (t / 2)) * Rabs (sin (t / 2)))
    by (rewrite <- Rabs_mult, Rabs_pos_eq; [trivial|apply Rle_0_sqr]).
  rewrite !Rmult_assoc, E; pose proof (Rabs_pos (sin (t / 2))); split; nra.
Qed.

(** f(a + t) = f(a) cos t + f'(a) sin t: no term of higher order is dropped. *)
Lemma moved_bounds t D v v' : Rabs t <= D -> Rabs (v * cos t + v' * sin t - v) <= moved D v v'.
Proof.
  intros H; pose proof (abs_sin_le t D H); pose proof (versine_le t D H); unfold moved.
  replace (v * cos t + v' * sin t - v) with (v' * sin t + v * - (1 - cos t)) by ring.
  eapply Rle_trans; [apply Rabs_triang|]; rewrite !Rabs_mult, Rabs_Ropp,
    (Rabs_pos_eq (1 - cos t)) by lra.
  rewrite (Rmult_comm D), (Rmult_comm (D * D / 2)).
  apply Rplus_le_compat; apply Rmult_le_compat_l; lra || apply Rabs_pos.
Qed.

Theorem BOUND_4_moved_sine a t D : Rabs t <= D ->
  Rabs (sin (a + t) - sin a) <= moved D (sin a) (cos a).
Proof. intros H; rewrite sin_plus; now apply moved_bounds. Qed.

Theorem BOUND_4_moved_cosine a t D : Rabs t <= D ->
  Rabs (cos (a + t) - cos a) <= moved D (cos a) (sin a).
Proof.
  intros H; rewrite cos_plus; pose proof (moved_bounds t D (cos a) (- sin a) H) as Hm.
  unfold moved in *; rewrite Rabs_Ropp in Hm.
  now replace (cos a * cos t - sin a * sin t) with (cos a * cos t + - sin a * sin t) by ring.
Qed.

Theorem BOUND_5_products_bound_the_element x0 x1 a : Rabs (element x0 x1 a) <= products x0 x1 a.
Proof. unfold element, Rminus; eapply Rle_trans; [apply Rabs_triang|]; rewrite Rabs_Ropp;
  apply Rle_refl. Qed.

Theorem BOUND_5_moved_element x0 x1 a t D : Rabs t <= D ->
  Rabs (element x0 x1 (a + t) - element x0 x1 a) <=
  D * products' x0 x1 a + D * D / 2 * products x0 x1 a.
Proof.
  intros H; assert (0 <= D) by (pose proof (Rabs_pos t); lra).
  pose proof (moved_bounds t D (element x0 x1 a) (- (x0 * sin a + x1 * cos a)) H) as Hm.
  replace (element x0 x1 (a + t)) with (element x0 x1 a * cos t + - (x0 * sin a + x1 * cos a) *
    sin t)
    by (unfold element; rewrite cos_plus, sin_plus; ring).
  eapply Rle_trans; [exact Hm|]; unfold moved; rewrite Rabs_Ropp.
  pose proof (BOUND_5_products_bound_the_element x0 x1 a).
  pose proof (Rabs_triang (x0 * sin a) (x1 * cos a)); unfold products' in *.
  apply Rplus_le_compat; apply Rmult_le_compat_l; nra.
Qed.

Theorem BOUND_5_moved_products x0 x1 a t D : Rabs t <= D ->
  products x0 x1 (a + t) <= products x0 x1 a + D * products' x0 x1 a.
Proof.
  intros H; unfold products, products'; rewrite cos_plus, sin_plus.
  assert (Hab : forall x p q, Rabs (x * (p * cos t + q * sin t)) <=
    Rabs (x * p) + D * Rabs (x * q)).
  { intros x p q; replace (x * (p * cos t + q * sin t)) with (x * p * cos t + x * q * sin t)
      by ring.
    eapply Rle_trans; [apply Rabs_triang|]; rewrite (Rabs_mult (x * p)), (Rabs_mult (x * q)).
    pose proof (abs_sin_le t D H); pose proof (Rabs_pos (x * p)); pose proof (Rabs_pos (x * q)).
    assert (Rabs (cos t) <= 1) by (apply Rabs_le; pose proof (COS_bound t); lra).
    apply Rplus_le_compat; [|rewrite Rmult_comm]; nra. }
  pose proof (Hab x0 (cos a) (- sin a)) as H0; pose proof (Hab x1 (sin a) (cos a)) as H1.
  rewrite Ropp_mult_distr_r_reverse, Rabs_Ropp in H0.
  replace (cos a * cos t - sin a * sin t) with (cos a * cos t + - sin a * sin t) by ring; lra.
Qed.

(** ** Sums of products of answers *)
Lemma sumn_minus n f g : sumn n f - sumn n g = sumn n (fun i => f i - g i).
Proof.
  rewrite (sumn_ext n (fun i => f i - g i) (fun i => f i + (-1) * g i)) by (intros; ring).
  rewrite sumn_plus, sumn_scal; ring.
Qed.

Lemma sumn_abs n f : Rabs (sumn n f) <= sumn n (fun i => Rabs (f i)).
Proof.
  induction n as [|n IH]; [unfold sumn; simpl; rewrite Rabs_R0; lra|]; rewrite !sumn_S.
  eapply Rle_trans; [apply Rabs_triang|lra].
Qed.

(** From q k - q' k' = - q' e_k - k' e_q + e_q e_k, at the answers themselves. *)
Lemma product_error q k q' k' eq ek : Rabs (q' - q) <= eq -> Rabs (k' - k) <= ek ->
  Rabs (q' * k' - q * k) <= Rabs q' * ek + Rabs k' * eq + eq * ek.
Proof.
  intros Hq Hk; replace (q' * k' - q * k) with (q' * (k' - k) + k' * (q' - q) + - ((q' - q) * (k'
    - k))) by ring.
  eapply Rle_trans; [apply Rabs_triang|]; rewrite Rabs_Ropp; apply Rplus_le_compat.
  - eapply Rle_trans; [apply Rabs_triang|]; rewrite !Rabs_mult.
    apply Rplus_le_compat; apply Rmult_le_compat_l; trivial; apply Rabs_pos.
  - rewrite Rabs_mult; apply Rmult_le_compat; trivial; apply Rabs_pos.
Qed.

Lemma dot_error n (q k q' k' eq ek : vector) :
  (forall i, (i < n)%nat -> Rabs (q' i - q i) <= eq i) ->
  (forall i, (i < n)%nat -> Rabs (k' i - k i) <= ek i) ->
  Rabs (dot n q' k' - dot n q k) <= sumn n (fun i => Rabs (q' i) * ek i + Rabs (k' i) * eq i + eq
    i * ek i).
Proof.
  intros Hq Hk; unfold dot; rewrite sumn_minus; eapply Rle_trans; [apply sumn_abs|].
  apply sumn_le; intros i Hi; apply product_error; auto.
Qed.
