(** * Error bounds, as far as real numbers go (spec/bounds.md)

    What a wrong angle and a row of small relative errors do.  Roundings are in [numeric/]. *)
From Gnomon Require Import Sums Pairs.

(** ** Definitions *)

(** Normative: BOUND-2 (gamma). *)
Definition gamma (n u : R) : R := n * u / (1 - n * u).

(** Normative: BOUND-4.  How far a value [v] of derivative [v'] by the angle moves, at most, where
    the angle is off by at most [D]. *)
Definition moved (D v v' : R) : R := D * Rabs v' + D * D / 2 * Rabs v.

(** Normative: BOUND-3.  The number of roundings that a frequency base^-e amounts to: by pow and a
    division; by exp; multiplied up over [i] pairs, [e1] the exponent of one. *)
Definition working_count (base e : R) : R := 3 + Rabs (ln base) * e.
Definition exp_count (base e : R) : R := 3 + 2 * (Rabs (ln base) * e).
Definition chained_count (base e1 : R) (i : nat) : R := 3 * INR i + Rabs (ln base) * (INR i * e1).

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

(** A relative error of the exponent is a factor exp(r e ln base): |ln base| e roundings, exactly.
    *)
Theorem BOUND_3_exponent base e r : Rpower base (e * (1 + r)) = Rpower base e * exp (r * e * ln
  base).
Proof. unfold Rpower; rewrite <- exp_plus; f_equal; ring. Qed.

(** The working form, [1 / pow(base, e)], of an exact base and an exponent that was rounded: C = 3 +
    |ln base| e. [r] the rounding of e, [q] the error of pow (one ulp), [v] that of the division. *)
Theorem BOUND_3_working_frequency u base e r q v : 0 <= u -> 0 <= e ->
  Rabs r <= u -> Rabs q <= 2 * u -> Rabs v <= u -> working_count base e * u < 1 ->
  Rabs (/ (Rpower base (e * (1 + r)) * (1 + q)) * (1 + v) - Rpower base (- e)) <=
  gamma (working_count base e) u * Rpower base (- e).
Proof.
  unfold working_count; intros Hu He Hr Hq Hv Hn; set (L := Rabs (ln base)) in *.
  assert (HLe : 0 <= L * e) by (apply Rmult_le_pos; [apply Rabs_pos|trivial]).
  set (l := [Error q 2 true; Error v 1 false]).
  assert (El : roundings l = 3) by (unfold roundings, l; simpl; ring).
  assert (Hl : forall x, In x l -> within_count u x).
  { intros x [<-|[<-|[]]]; split; cbn [relative count]; lra. }
  assert (Ht : Rabs (- (r * e * ln base)) <= L * e * u).
  { rewrite Rabs_Ropp, !Rabs_mult, (Rabs_pos_eq e) by trivial; fold L.
    replace (Rabs r * e * L) with (Rabs r * (L * e)) by ring; rewrite (Rmult_comm (L * e)).
    now apply Rmult_le_compat_r. }
  pose proof (BOUND_2_gamma u (L * e) _ l Hu ltac:(lra) Ht Hl ltac:(rewrite El; lra)) as H;
    rewrite El in H.
  assert (0 <= u * 3 < 1 /\ 0 <= L * e * u) as [Hu3 HLu] by (split; [|apply Rmult_le_pos]; nra).
  assert (0 < 1 + q) by (apply abs_le_inv in Hq; lra).
  pose proof (exp_pos (- e * ln base)) as Hp.
  replace (/ (Rpower base (e * (1 + r)) * (1 + q)) * (1 + v) - Rpower base (- e)) with
    ((exp (- (r * e * ln base)) * product l - 1) * Rpower base (- e)).
  - unfold Rpower in *; rewrite Rabs_mult, (Rabs_pos_eq (exp _)) by lra; apply Rmult_le_compat_r;
      lra.
  - rewrite BOUND_3_exponent; unfold product, factor, l; simpl; rewrite exp_Ropp, Rpower_Ropp.
    pose proof (exp_pos (r * e * ln base)); pose proof (exp_pos (e * ln base)); unfold Rpower;
      field; lra.
Qed.

(** A base that is rounded (by half an ulp at most): e roundings more. *)
Lemma ln_of_rounding u r : 0 <= u -> Rabs r <= u / (1 + u) -> Rabs (ln (1 + r)) <= u.
Proof.
  intros Hu Hr; apply abs_le_inv in Hr.
  assert (Hi : u / (1 + u) = 1 - / (1 + u)) by (field; lra).
  assert (Hp : 0 < / (1 + u) <= 1).
  { split; [apply Rinv_0_lt_compat; lra|]; rewrite <- Rinv_1 at 2; apply Rinv_le_contravar; lra. }
  assert (Hexp : forall x, 0 < x -> forall b, x <= exp b -> ln x <= b).
  { intros x Hx b Hb; rewrite <- (ln_exp b); destruct Hb as [Hb| ->]; [left;
      now apply ln_increasing|lra]. }
  assert (Hle : u / (1 + u) <= u).
  { apply Rmult_le_reg_r with (1 + u); [lra|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra;
    nra. }
  apply Rabs_le; split.
  - assert (H : ln (/ (1 + r)) <= u).
    { apply Hexp; [apply Rinv_0_lt_compat; lra|]; apply Rle_trans with (1 + u);
        [|apply exp_ineq1_le].
      rewrite <- (Rinv_inv (1 + u)); apply Rinv_le_contravar; lra. }
    rewrite ln_Rinv in H by lra; lra.
  - apply Hexp; [lra|]; apply Rle_trans with (1 + u); [|apply exp_ineq1_le]; lra.
Qed.

Theorem BOUND_3_inexact_base u base e r : 0 <= u -> 0 <= e -> 0 < base -> Rabs r <= u / (1 + u) ->
  exists t, Rabs t <= e * u /\ Rpower (base * (1 + r)) e = Rpower base e * exp t.
Proof.
  intros Hu He Hb Hr; pose proof (ln_of_rounding u r Hu Hr) as Hl; apply abs_le_inv in Hr.
  assert (u / (1 + u) < 1) by (apply Rmult_lt_reg_r with (1 + u); [lra|]; unfold Rdiv;
    rewrite Rmult_assoc, Rinv_l; lra).
  exists (e * ln (1 + r)); split.
  - rewrite Rabs_mult, (Rabs_pos_eq e) by trivial; now apply Rmult_le_compat_l.
  - unfold Rpower; rewrite ln_mult, <- exp_plus by lra; f_equal; ring.
Qed.

(** Base and exponent both rounded, by [b] and [r]: C = 3 + |ln base| e + e.
What the product of the
    two errors adds is covered by the slack of the division's rounding, or by |ln base| >= 1. *)
Lemma exp_second_order y : 0 <= y -> 1 + y + y * y / 2 <= exp y.
Proof.
  intros [Hy| <-]; [|rewrite exp_0; lra].
  destruct (MVT_cor2 (fun x => exp x - (1 + x + x * x / 2)) (fun x => exp x - (1 + x)) 0 y Hy)
    as (c & Hc & Hcy).
  - intros c _; apply derivable_pt_lim_minus; [apply derivable_pt_lim_exp|].
    replace (1 + c) with (0 + 1 + (1 * c + c * 1) * / 2) by field.
    apply derivable_pt_lim_plus; [apply derivable_pt_lim_plus|].
    + apply derivable_pt_lim_const.
    + apply derivable_pt_lim_id.
    + replace ((1 * c + c * 1) * / 2) with ((1 * c + c * 1) * / 2 + c * c * 0) by ring.
      apply (derivable_pt_lim_mult (fun x => x * x) (fun _ => / 2));
        [|apply derivable_pt_lim_const].
      apply (derivable_pt_lim_mult id id); apply derivable_pt_lim_id.
  - rewrite exp_0 in Hc; assert (0 <= (exp c - (1 + c)) * (y - 0)); [|lra].
    apply Rmult_le_pos; [pose proof (exp_ineq1_le c)|]; lra.
Qed.

(** ln (1 + u) is below u by enough: *)
Lemma ln_below u : 0 <= u -> (2 + u / (1 + u)) * ln (1 + u) <= 2 * u.
Proof.
  intros Hu; set (y := 2 * u * (1 + u) / (2 + 3 * u)).
  assert (Hy : 0 <= y).
  { unfold y; apply Rmult_le_pos; [apply Rmult_le_pos; lra|left; apply Rinv_0_lt_compat; lra]. }
  assert (Hl : ln (1 + u) <= y).
  { assert (He : 1 + u <= exp y).
    { apply Rle_trans with (2 := exp_second_order y Hy).
      assert (E : y + y * y / 2 - u = u * u * u * (2 + 4 * u) / (2 * ((2 + 3 * u) * (2 + 3 * u))))
        by (unfold y; field; lra).
      assert (0 <= u * u * u * (2 + 4 * u) / (2 * ((2 + 3 * u) * (2 + 3 * u)))); [|lra].
      apply Rmult_le_pos; [repeat apply Rmult_le_pos; lra|].
      left; apply Rinv_0_lt_compat; apply Rmult_lt_0_compat; [lra|apply Rmult_lt_0_compat; lra]. }
    rewrite <- (ln_exp y); destruct He as [He| ->]; [left; apply ln_increasing; lra|lra]. }
  apply Rle_trans with ((2 + u / (1 + u)) * y).
  - apply Rmult_le_compat_l; trivial; assert (0 <= u / (1 + u)); [|lra].
    apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; lra].
  - right; unfold y; field; lra.
Qed.

Lemma ln_of_rounding' u r : 0 <= u -> Rabs r <= u / (1 + u) -> Rabs (ln (1 + r)) <= ln (1 + u).
Proof.
  intros Hu Hr; apply abs_le_inv in Hr.
  assert (Hi : u / (1 + u) = 1 - / (1 + u)) by (field; lra).
  assert (Hp : 0 < / (1 + u)) by (apply Rinv_0_lt_compat; lra).
  assert (Hle : u / (1 + u) <= u).
  { apply Rmult_le_reg_r with (1 + u); [lra|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra;
      nra. }
  assert (M : forall a b, 0 < a -> a <= b -> ln a <= ln b)
    by (intros a b Ha [Hab| ->]; [left; now apply ln_increasing|lra]).
  apply Rabs_le; split; [|apply M; lra].
  rewrite <- ln_Rinv by lra; apply M; lra.
Qed.

Theorem BOUND_3_inexact_base_and_exponent u base e b r q v (C := working_count base e + e) :
  0 <= u -> 0 <= e -> 0 < base -> e <= 1 \/ 1 <= Rabs (ln base) ->
  Rabs b <= u / (1 + u) -> Rabs r <= u / (1 + u) -> Rabs q <= 2 * u -> Rabs v <= u / (1 + u) ->
  C * u < 1 ->
  Rabs (/ (Rpower (base * (1 + b)) (e * (1 + r)) * (1 + q)) * (1 + v) - Rpower base (- e)) <=
  gamma C u * Rpower base (- e).
Proof.
  unfold C, working_count; intros Hu He Hbase Hcase Hb Hr Hq Hv Hn; set (L := Rabs (ln base)) in *.
  pose proof (ln_of_rounding' u b Hu Hb) as Lb; pose proof (ln_of_rounding' u v Hu Hv) as Lv.
  pose proof (ln_below u Hu) as Hln; pose proof (ln_of_rounding u b Hu Hb) as Lb1.
  pose proof (ln_of_rounding u v Hu Hv) as Lv1.
  assert (HL : 0 <= L) by apply Rabs_pos.
  assert (HLe : 0 <= L * e) by now apply Rmult_le_pos.
  set (w := u / (1 + u)) in *; set (k := ln (1 + u)) in *.
  assert (Hw : 0 <= w) by (apply Rle_trans with (2 := Hb), Rabs_pos).
  assert (Hwu : w <= u).
  { unfold w; apply Rmult_le_reg_r with (1 + u); [lra|]; unfold Rdiv;
      rewrite Rmult_assoc, Rinv_l by lra; nra. }
  assert (Ew : w = u - u * w) by (unfold w; field; lra).
  assert (Hk : 0 <= k) by (apply Rle_trans with (2 := Lb), Rabs_pos).
  assert (H1 : 0 < 1 + b /\ 0 < 1 + v).
  { apply abs_le_inv in Hb, Hv; assert (w < 1); [|lra].
    unfold w; apply Rmult_lt_reg_r with (1 + u); [lra|]; unfold Rdiv;
      rewrite Rmult_assoc, Rinv_l; lra. }
  set (t := - (r * e * ln base) - e * (1 + r) * ln (1 + b) + ln (1 + v)).
  assert (Ht : Rabs t <= (L * e + e + 1) * u).
  { assert (T1 : Rabs (r * e * ln base) <= w * (L * e)).
    { rewrite !Rabs_mult, (Rabs_pos_eq e) by trivial; fold L; rewrite Rmult_assoc, (Rmult_comm e).
      apply Rmult_le_compat_r; trivial. }
    assert (Hr1 : Rabs (1 + r) <= 1 + w).
    { eapply Rle_trans; [apply Rabs_triang|]; rewrite Rabs_R1; lra. }
    assert (T2 : forall n, Rabs (ln (1 + b)) <= n -> Rabs (e * (1 + r) * ln (1 + b))
      <= e * ((1 + w) * n)).
    { intros n Hbn; rewrite !Rabs_mult, (Rabs_pos_eq e), Rmult_assoc by trivial.
      apply Rmult_le_compat_l; trivial; apply Rmult_le_compat; trivial; apply Rabs_pos. }
    assert (T : Rabs t <= Rabs (r * e * ln base) + Rabs (e * (1 + r) * ln (1 + b)) + Rabs (ln (1 +
      v))).
    { unfold t, Rminus; eapply Rle_trans; [apply Rabs_triang|]; apply Rplus_le_compat_r.
      eapply Rle_trans; [apply Rabs_triang|]; rewrite !Rabs_Ropp; lra. }
    destruct Hcase as [He1|HL1].
    - specialize (T2 k Lb); assert (0 <= w * k) by now apply Rmult_le_pos.
      assert (w * (L * e) <= u * (L * e)) by (apply Rmult_le_compat_r; trivial).
      assert (e * ((1 + w) * k - u) <= u - k).
      { destruct (Rle_lt_dec ((1 + w) * k - u) 0) as [Hneg|Hpos].
        - assert (e * ((1 + w) * k - u) <= 0) by nra; lra.
        - assert (e * ((1 + w) * k - u) <= 1 * ((1 + w) * k - u)) by (apply Rmult_le_compat_r; lra).
          lra. }
      lra.
    - specialize (T2 u Lb1).
      assert (0 <= e * (w * (L - 1) * u)).
      { apply Rmult_le_pos; trivial; apply Rmult_le_pos; trivial; apply Rmult_le_pos; lra. }
      assert (w * (L * e) = u * (L * e) - u * w * (L * e)) by (rewrite Ew at 1; ring).
      nra. }
  set (l := [Error q 2 true]).
  assert (El : roundings l = 2) by (unfold roundings, l; simpl; ring).
  assert (Hl : forall x, In x l -> within_count u x) by (intros x [<-|[]]; split;
    cbn [relative count]; lra).
  pose proof (BOUND_2_gamma u (L * e + e + 1) t l Hu ltac:(lra) Ht Hl ltac:(rewrite El; lra)) as H.
  rewrite El in H; replace (2 + (L * e + e + 1)) with (3 + L * e + e) in H by ring.
  assert (0 < 1 + q) by (apply abs_le_inv in Hq; nra).
  pose proof (exp_pos (- e * ln base)) as Hp.
  replace (/ (Rpower (base * (1 + b)) (e * (1 + r)) * (1 + q)) * (1 + v) - Rpower base (- e)) with
    ((exp t * product l - 1) * Rpower base (- e)).
  - unfold Rpower in *; rewrite Rabs_mult, (Rabs_pos_eq (exp _)) by lra; apply Rmult_le_compat_r;
      lra.
  - unfold Rpower; rewrite ln_mult by lra; unfold product, factor, l; simpl.
    rewrite Rinv_mult, <- exp_Ropp; rewrite <- (exp_ln (1 + v)) at 1 by lra.
    replace t with (- (e * (1 + r) * (ln base + ln (1 + b))) + ln (1 + v) - - e * ln base)
      by (unfold t; ring).
    unfold Rminus at 2; rewrite exp_plus, exp_Ropp, exp_plus.
    pose proof (exp_pos (- e * ln base)); field; split; lra.
Qed.

(** The form [exp(- i k)], k = ln(base) 2 / d rounded, [r] its error, [r'] that of the product, [q]
    that of exp (one ulp): C = 3 + 2 |ln base| e, with e = 2 i / d. *)
Theorem BOUND_3_exp_frequency u base e r r' q : 0 <= u -> 0 <= e -> Rabs r <= u -> Rabs r' <= u ->
  Rabs q <= 2 * u -> exp_count base e * u < 1 ->
  Rabs (exp (- (e * ln base) * ((1 + r) * (1 + r'))) * (1 + q) - Rpower base (- e)) <=
  gamma (exp_count base e) u * Rpower base (- e).
Proof.
  unfold exp_count; intros Hu He Hr Hr' Hq Hn; set (L := Rabs (ln base)) in *.
  assert (HLe : 0 <= L * e) by (apply Rmult_le_pos; [apply Rabs_pos|trivial]).
  assert (HLu : 0 <= L * e * u) by (now apply Rmult_le_pos).
  set (l := [Error q 2 false]).
  assert (El : roundings l = 2) by (unfold roundings, l; simpl; ring).
  assert (Hl : forall x, In x l -> within_count u x) by (intros x [<-|[]]; split;
    cbn [relative count]; lra).
  set (t := - (e * ln base) * (r + r' + r * r')).
  assert (Ht : Rabs t <= (1 + 2 * (L * e)) * u).
  { unfold t; rewrite Rabs_mult, Rabs_Ropp, Rabs_mult, (Rabs_pos_eq e) by trivial; fold L.
    assert (Rabs (r + r' + r * r') <= 2 * u + u * u).
    { eapply Rle_trans; [apply Rabs_triang|]; rewrite Rabs_mult; pose proof (Rabs_triang r r').
      assert (Rabs r * Rabs r' <= u * u) by (apply Rmult_le_compat; trivial; apply Rabs_pos); lra. }
    apply Rle_trans with (e * L * (2 * u + u * u)); [apply Rmult_le_compat_l; lra|].
    assert (L * e * u * u <= 1 * u) by (apply Rmult_le_compat_r; lra); lra. }
  pose proof (BOUND_2_gamma u (1 + 2 * (L * e)) t l Hu ltac:(lra) Ht Hl ltac:(rewrite El;
    lra)) as H.
  rewrite El in H; replace (2 + (1 + 2 * (L * e))) with (3 + 2 * (L * e)) in H by ring.
  replace (exp (- (e * ln base) * ((1 + r) * (1 + r'))) * (1 + q) - Rpower base (- e)) with
    ((exp t * product l - 1) * Rpower base (- e)).
  - pose proof (exp_pos (- e * ln base)) as Hp; unfold Rpower in *;
      rewrite Rabs_mult, (Rabs_pos_eq (exp _)) by lra.
    apply Rmult_le_compat_r; lra.
  - replace (- (e * ln base) * ((1 + r) * (1 + r'))) with (t + - e * ln base) by (unfold t; ring).
    rewrite exp_plus; unfold product, factor, l, Rpower; simpl; ring.
Qed.

(** The chained form: the step base^(-e1), e1 = 2 / d rounded once ([r]), pow within one ulp ([q]);
    then [i] products, each rounded ([v]): 3 i + |ln base| e roundings, e = i e1.  BOUND-3 allows 3
    more. *)
Theorem BOUND_3_chained_frequency u base e1 i r q (v : list R) : 0 <= u -> 0 <= e1 ->
  Rabs r <= u -> Rabs q <= 2 * u -> (forall x, In x v -> Rabs x <= u) -> length v = i ->
  chained_count base e1 i * u < 1 ->
  Rabs ((Rpower base (- (e1 * (1 + r))) * (1 + q)) ^ i * fold_right (fun x y => (1 + x) * y) 1 v
        - Rpower base (- (INR i * e1))) <=
  gamma (chained_count base e1 i) u * Rpower base (- (INR i * e1)).
Proof.
  unfold chained_count; intros Hu He Hr Hq Hv Hi Hn; set (L := Rabs (ln base)) in *;
    pose proof (pos_INR i) as Hi0.
  assert (HLe : 0 <= L * (INR i * e1)) by (repeat apply Rmult_le_pos; trivial; apply Rabs_pos).
  set (l := repeat (Error q 2 false) i ++ map (fun x => Error x 1 false) v).
  assert (El : roundings l = 3 * INR i).
  { unfold roundings, l; rewrite <- Hi; clear; induction v as [|x v IH]; [simpl; ring|].
    rewrite (sum_perm _ (Error q 2 false :: Error x 1 false ::
      (repeat (Error q 2 false) (length v) ++ map (fun x => Error x 1 false) v))).
    - cbn [sum fold_right length count]; fold (sum (repeat (Error q 2 false) (length v)
        ++ map (fun x => Error x 1 false) v) count); rewrite IH, S_INR; ring.
    - simpl; constructor; symmetry; apply Permutation_middle. }
  assert (Hl : forall x, In x l -> within_count u x).
  { intros x Hx; apply in_app_or in Hx; destruct Hx as [Hx|Hx].
    - apply repeat_spec in Hx; subst x; split; cbn [relative count]; lra.
    - apply in_map_iff in Hx; destruct Hx as (y & <- & Hy); split; cbn [relative count]; [lra|].
      rewrite Rmult_1_l; auto. }
  assert (Ep : product l = (1 + q) ^ i * fold_right (fun x y => (1 + x) * y) 1 v).
  { unfold l; assert (Happ : forall a b, product (a ++ b) = product a * product b).
    { induction a as [|x a IH]; intros b; simpl; [ring|]; rewrite IH; ring. }
    rewrite Happ; f_equal.
    - clear; induction i as [|i IH]; simpl; trivial; rewrite IH; reflexivity.
    - clear; induction v as [|x v IH]; simpl; trivial; rewrite IH; reflexivity. }
  set (t := - (r * (INR i * e1) * ln base)).
  assert (Ht : Rabs t <= L * (INR i * e1) * u).
  { unfold t; rewrite Rabs_Ropp, !Rabs_mult, (Rabs_pos_eq (INR i)), (Rabs_pos_eq e1) by trivial;
      fold L.
    replace (Rabs r * (INR i * e1) * L) with (Rabs r * (L * (INR i * e1))) by ring.
    rewrite (Rmult_comm _ u); now apply Rmult_le_compat_r. }
  pose proof (BOUND_2_gamma u _ t l Hu HLe Ht Hl ltac:(rewrite El; lra)) as H; rewrite El, Ep in H.
  replace ((Rpower base (- (e1 * (1 + r))) * (1 + q)) ^ i * fold_right (fun x y => (1 + x) * y) 1 v
           - Rpower base (- (INR i * e1))) with
    ((exp t * ((1 + q) ^ i * fold_right (fun x y => (1 + x) * y) 1 v) - 1) * Rpower base (- (INR i
      * e1))).
  - pose proof (exp_pos (- (INR i * e1) * ln base)) as Hp; unfold Rpower in *.
    rewrite Rabs_mult, (Rabs_pos_eq (exp _)) by lra; apply Rmult_le_compat_r; lra.
  - rewrite Rpow_mult_distr, <- (Rpower_pow i (Rpower base _)), Rpower_mult by apply exp_pos.
    replace (Rpower base (- (e1 * (1 + r)) * INR i)) with (exp t * Rpower base (- (INR i * e1)));
      [ring|].
    unfold Rpower, t; rewrite <- exp_plus; f_equal; ring.
Qed.

(** The same of a base that was rounded: e roundings more, and one of the slack that BOUND-3
allows. *)
Lemma one_more e n u d t : 0 <= u -> 0 <= e -> 0 <= n -> (n + e) * u < 1 ->
  Rabs d <= gamma n u -> Rabs t <= e * u -> Rabs ((1 + d) * exp t - 1) <= gamma (n + e) u.
Proof.
  intros Hu He Hn H Hd Ht.
  assert (Hnu : 0 <= n * u) by now apply Rmult_le_pos.
  assert (Heu : 0 <= e * u) by now apply Rmult_le_pos.
  assert (Hg : forall k, k * u < 1 -> 1 + gamma k u = / (1 - k * u)) by (intros; unfold gamma;
    field; lra).
  assert (E1 : exp (e * u) <= / (1 - e * u)).
  { assert (H1 : 1 - e * u <= exp (- (e * u))) by (pose proof (exp_ineq1_le (- (e * u))); lra).
    rewrite <- (Rinv_inv (exp (e * u))), <- exp_Ropp; apply Rinv_le_contravar; lra. }
  assert (E2 : (1 + gamma n u) * exp (e * u) <= 1 + gamma (n + e) u).
  { rewrite !Hg by lra; apply Rle_trans with (/ (1 - n * u) * / (1 - e * u)).
    - apply Rmult_le_compat_l; [left; apply Rinv_0_lt_compat; lra|exact E1].
    - rewrite <- Rinv_mult; apply Rinv_le_contravar; [lra|].
      assert (0 <= n * u * (e * u)) by (now apply Rmult_le_pos); lra. }
  apply abs_le_inv in Ht; pose proof (exp_pos t) as P.
  assert (Up : exp t <= exp (e * u))
    by (destruct (Req_dec t (e * u)) as [->|]; [lra|left; apply exp_increasing; lra]).
  assert (Low : 1 - e * u <= exp t) by (pose proof (exp_ineq1_le t); lra).
  assert (Ab : Rabs (exp t - 1) <= exp (e * u) - 1).
  { assert (1 + e * u <= exp (e * u)) by apply exp_ineq1_le; apply Rabs_le; split; lra. }
  replace ((1 + d) * exp t - 1) with (exp t - 1 + d * exp t) by ring.
  eapply Rle_trans; [apply Rabs_triang|]; rewrite Rabs_mult, (Rabs_pos_eq (exp t)) by lra.
  assert (Rabs d * exp t <= gamma n u * exp (e * u)) by (apply Rmult_le_compat; lra ||
    apply Rabs_pos); lra.
Qed.

Theorem BOUND_3_chained_inexact_base u base e1 i b r q (v : list R) (e := INR i * e1)
  (C := chained_count base e1 i + 1 + e) : 0 <= u -> 0 <= e1 -> 0 < base -> Rabs b <= u / (1 + u) ->
  Rabs r <= u -> Rabs q <= 2 * u -> (forall x, In x v -> Rabs x <= u) -> length v = i ->
    C * u < 1 ->
  Rabs ((Rpower (base * (1 + b)) (- (e1 * (1 + r))) * (1 + q)) ^ i *
    fold_right (fun x y => (1 + x) * y) 1 v - Rpower base (- e)) <= gamma C u * Rpower base (- e).
Proof.
  intros Hu He1 Hbase Hb Hr Hq Hv Hi Hn; pose proof (ln_of_rounding u b Hu Hb) as Hlb.
  assert (Hb1 : 0 < 1 + b).
  { apply abs_le_inv in Hb; assert (u / (1 + u) < 1); [|lra].
    apply Rmult_lt_reg_r with (1 + u); [lra|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l; lra. }
  assert (He : 0 <= e) by (apply Rmult_le_pos; [apply pos_INR|trivial]).
  assert (Hl : Rabs (ln (base * (1 + b))) <= Rabs (ln base) + u).
  { rewrite ln_mult by trivial; eapply Rle_trans; [apply Rabs_triang|lra]. }
  assert (H3 : 0 <= 3 * INR i) by (pose proof (pos_INR i); lra).
  assert (HLe : 0 <= Rabs (ln base) * e) by (apply Rmult_le_pos; [apply Rabs_pos|trivial]).
  assert (HCu : 0 <= (chained_count base e1 i + 1) * u /\ 0 <= e * u).
  { unfold chained_count; fold e; split; apply Rmult_le_pos; lra. }
  assert (Hn' : chained_count (base * (1 + b)) e1 i <= chained_count base e1 i + 1).
  { unfold chained_count; fold e; unfold C in Hn.
    assert (Rabs (ln (base * (1 + b))) * e <= (Rabs (ln base) + u) * e) by (apply
      Rmult_le_compat_r; trivial).
    assert (e * u < 1) by lra; lra. }
  assert (Hnu : chained_count (base * (1 + b)) e1 i * u <= (chained_count base e1 i + 1) * u)
    by (apply Rmult_le_compat_r; trivial).
  pose proof (BOUND_3_chained_frequency u (base * (1 + b)) e1 i r q v Hu He1 Hr Hq Hv Hi
    ltac:(unfold C in Hn; lra)) as H.
  fold e in H; set (y := _ * fold_right _ 1 v) in *; set (n' := chained_count (base * (1 + b)) e1
    i) in *.
  assert (P' : 0 < Rpower (base * (1 + b)) (- e)) by apply exp_pos.
  assert (P : 0 < Rpower base (- e)) by apply exp_pos.
  set (t := - (e * ln (1 + b))).
  assert (E : Rpower (base * (1 + b)) (- e) = Rpower base (- e) * exp t).
  { unfold Rpower, t; rewrite ln_mult, <- exp_plus by trivial; f_equal; ring. }
  assert (Ht : Rabs t <= e * u).
  { unfold t; rewrite Rabs_Ropp, Rabs_mult, (Rabs_pos_eq e) by trivial;
    now apply Rmult_le_compat_l. }
  set (d := y / Rpower (base * (1 + b)) (- e) - 1).
  assert (Ey : y = (1 + d) * exp t * Rpower base (- e)).
  { unfold d; transitivity (y / Rpower (base * (1 + b)) (- e) * (Rpower base (- e) * exp t));
      [rewrite <- E; field; lra|ring]. }
  assert (Hn0 : 0 <= n') by (unfold n', chained_count; fold e;
    pose proof (Rabs_pos (ln (base * (1 + b))));
    assert (0 <= Rabs (ln (base * (1 + b))) * e) by (apply Rmult_le_pos; trivial); lra).
  assert (Hd : Rabs d <= gamma (chained_count base e1 i + 1) u).
  { apply Rle_trans with (gamma n' u).
    - unfold d; replace (y / Rpower (base * (1 + b)) (- e) - 1) with
        ((y - Rpower (base * (1 + b)) (- e)) * / Rpower (base * (1 + b)) (- e)) by (field; lra).
      rewrite Rabs_mult, (Rabs_pos_eq (/ _)) by (left; now apply Rinv_0_lt_compat).
      apply Rmult_le_reg_r with (Rpower (base * (1 + b)) (- e)); trivial.
      rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra; exact H.
    - assert (G : forall k, k * u < 1 -> gamma k u = / (1 - k * u) - 1) by (intros; unfold gamma;
      field; lra).
      unfold C in Hn; rewrite !G by lra; apply Rplus_le_compat_r, Rinv_le_contravar; lra. }
  rewrite Ey; replace ((1 + d) * exp t * Rpower base (- e) - Rpower base (- e)) with
    (((1 + d) * exp t - 1) * Rpower base (- e)) by ring.
  rewrite Rabs_mult, (Rabs_pos_eq (Rpower base _)) by lra; apply Rmult_le_compat_r; [lra|].
  unfold C in *; apply one_more; trivial; unfold chained_count; fold e; lra.
Qed.

(** Normative: BOUND-3.  The angle from a frequency [w'] that amounts to the roundings [l] (and
    the exponential exp t, |t| <= s u) and may have underflowed by [e]; position [m], rounded by
    [r]; product rounded by [r']. *)
Definition angle_error (n u eta m a : R) : R := gamma n u * Rabs a + (2 * Rabs m + 1) * eta.

Theorem BOUND_3_angle u eta s t l e m r r' e' w (n := roundings l + s + 2) :
  0 <= u <= / 4 -> 0 <= s -> Rabs t <= s * u -> (forall x, In x l -> within_count u x) ->
    n * u < 1 ->
  Rabs e <= eta -> Rabs r <= u -> Rabs r' <= u -> Rabs e' <= eta ->
  Rabs (m * (1 + r) * (w * (exp t * product l) + e) * (1 + r') + e' - m * w) <=
    angle_error n u eta m (m * w).
Proof.
  intros Hu Hs Ht Hl Hn He Hr Hr' He'; unfold angle_error.
  set (l' := Error r 1 false :: Error r' 1 false :: l).
  assert (El : roundings l' + s = n) by (unfold n, roundings, l'; simpl; ring).
  assert (Hl' : forall x, In x l' -> within_count u x).
  { intros x [<-|[<-|Hx]]; [split; cbn [relative count]; lra..|now apply Hl]. }
  pose proof (BOUND_2_gamma u s t l' ltac:(lra) Hs Ht Hl' ltac:(rewrite El; lra)) as H;
    rewrite El in H.
  replace (m * (1 + r) * (w * (exp t * product l) + e) * (1 + r') + e' - m * w) with
    (m * w * (exp t * product l' - 1) + (m * e * ((1 + r) * (1 + r')) + e'))
    by (unfold l'; simpl product; unfold factor; simpl; ring).
  eapply Rle_trans; [apply Rabs_triang|]; rewrite Rabs_mult, (Rmult_comm (Rabs (m * w))).
  apply Rplus_le_compat; [apply Rmult_le_compat_r; trivial; apply Rabs_pos|].
  eapply Rle_trans; [apply Rabs_triang|]; rewrite !Rabs_mult.
  assert (Ho : forall x, Rabs x <= u -> Rabs (1 + x) <= 5 / 4)
    by (intros x Hx; eapply Rle_trans; [apply Rabs_triang|]; rewrite Rabs_R1; lra).
  assert (Rabs (1 + r) * Rabs (1 + r') <= 5 / 4 * (5 / 4)) by (apply Rmult_le_compat; auto;
    apply Rabs_pos).
  assert (0 <= Rabs (1 + r) * Rabs (1 + r')) by (apply Rmult_le_pos; apply Rabs_pos).
  pose proof (Rabs_pos m); pose proof (Rabs_pos e).
  assert (Rabs m * Rabs e * (Rabs (1 + r) * Rabs (1 + r')) <= Rabs m * eta * 2).
  { apply Rmult_le_compat; try lra; [apply Rmult_le_pos; lra|apply Rmult_le_compat_l; lra]. }
  lra.
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
