(** * The counts of BOUND-3 (spec/bounds.md)

    How many roundings a computed frequency amounts to, form by form.  The counts are defined in
    [Bounds]; what they leave of the angle is in [Angles]. *)
From Gnomon Require Import Sums Pairs Bounds.

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

(** Base and exponent both rounded, by [b] and [r]: C = 3 + |ln base| e + e.  What the product of
    the two errors adds is covered by the slack of the roundings to nearest, and of gamma. *)
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

Lemma ln_above u : 0 <= u -> u - u * u <= ln (1 + u).
Proof.
  intros Hu; assert (H : ln (/ (1 + u)) <= - (u / (1 + u))).
  { rewrite <- (ln_exp (- (u / (1 + u)))); pose proof (exp_ineq1_le (- (u / (1 + u)))) as H.
    replace (1 + - (u / (1 + u))) with (/ (1 + u)) in H by (field; lra).
    destruct H as [H|H]; [left; apply ln_increasing; trivial; apply Rinv_0_lt_compat; lra|].
    rewrite H; apply Rle_refl. }
  rewrite ln_Rinv in H by lra; assert (u - u * u <= u / (1 + u)); [|lra].
  apply Rmult_le_reg_r with (1 + u); [lra|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra; nra.
Qed.

Theorem BOUND_3_inexact_base_and_exponent u base e b r q v (C := working_count base e + e) :
  0 <= u -> 0 <= e -> 0 < base ->
  Rabs b <= u / (1 + u) -> Rabs r <= u / (1 + u) -> Rabs q <= 2 * u -> Rabs v <= u / (1 + u) ->
  C * u < 1 ->
  Rabs (/ (Rpower (base * (1 + b)) (e * (1 + r)) * (1 + q)) * (1 + v) - Rpower base (- e)) <=
  gamma C u * Rpower base (- e).
Proof.
  unfold C, working_count; intros Hu He Hbase Hb Hr Hq Hv Hn; set (L := Rabs (ln base)) in *.
  pose proof (ln_of_rounding' u b Hu Hb) as Lb; pose proof (ln_of_rounding' u v Hu Hv) as Lv.
  pose proof (ln_below u Hu) as Hln; pose proof (ln_above u Hu) as Hlow.
  assert (HL : 0 <= L) by apply Rabs_pos.
  assert (HLe : 0 <= L * e) by now apply Rmult_le_pos.
  set (w := u / (1 + u)) in *; set (k := ln (1 + u)) in *.
  assert (Hw : 0 <= w) by (apply Rle_trans with (2 := Hb), Rabs_pos).
  assert (Hwu : w <= u).
  { unfold w; apply Rmult_le_reg_r with (1 + u); [lra|]; unfold Rdiv;
      rewrite Rmult_assoc, Rinv_l by lra; nra. }
  assert (Hk : 0 <= k) by (apply Rle_trans with (2 := Lb), Rabs_pos).
  assert (Hku : k <= u) by (assert (0 <= w * k) by (now apply Rmult_le_pos); lra).
  assert (H1 : 0 < 1 + b /\ 0 < 1 + v).
  { apply abs_le_inv in Hb, Hv; assert (w < 1); [|lra].
    unfold w; apply Rmult_lt_reg_r with (1 + u); [lra|]; unfold Rdiv;
      rewrite Rmult_assoc, Rinv_l; lra. }
  set (t := - (r * e * ln base) - e * (1 + r) * ln (1 + b) + ln (1 + v)).
  set (s := L * e + e + 1); assert (Hs : 0 <= s) by (unfold s; lra).
  assert (Ht : Rabs t <= s * u + s * u * (s * u) / 2).
  { assert (T1 : Rabs (r * e * ln base) <= u * (L * e)).
    { rewrite !Rabs_mult, (Rabs_pos_eq e) by trivial; fold L; rewrite Rmult_assoc, (Rmult_comm e).
      apply Rmult_le_compat_r; lra. }
    assert (T2 : Rabs (e * (1 + r) * ln (1 + b)) <= e * ((1 + w) * k)).
    { rewrite !Rabs_mult, (Rabs_pos_eq e), Rmult_assoc by trivial.
      apply Rmult_le_compat_l; trivial; apply Rmult_le_compat; trivial; try apply Rabs_pos.
      eapply Rle_trans; [apply Rabs_triang|]; rewrite Rabs_R1; lra. }
    assert (T : Rabs t <= Rabs (r * e * ln base) + Rabs (e * (1 + r) * ln (1 + b)) + Rabs (ln (1 +
      v))).
    { unfold t, Rminus; eapply Rle_trans; [apply Rabs_triang|]; apply Rplus_le_compat_r.
      eapply Rle_trans; [apply Rabs_triang|]; rewrite !Rabs_Ropp; lra. }
    assert (T3 : e * ((1 + w) * k) <= e * (2 * u - k)) by (apply Rmult_le_compat_l; lra).
    (* s u + (e - 1) (u - k), and u - k <= u^2 *)
    assert (T4 : (e - 1) * (u - k) <= s * u * (s * u) / 2).
    { assert (0 <= u * u) by nra.
      assert (Hs2 : 2 * (e - 1) <= s * s) by (unfold s; nra).
      assert (2 * (e - 1) * (u * u) <= s * s * (u * u)) by (apply Rmult_le_compat_r; lra).
      destruct (Rle_lt_dec e 1); [nra|].
      assert ((e - 1) * (u - k) <= (e - 1) * (u * u)) by (apply Rmult_le_compat_l; lra); lra. }
    unfold s in *; lra. }
  set (l := [Error q 2 true]).
  assert (El : roundings l = 2) by (unfold roundings, l; simpl; ring).
  assert (Hl : forall x, In x l -> within_count u x) by (intros x [<-|[]]; split;
    cbn [relative count]; lra).
  pose proof (BOUND_2_gamma_second_order u s t l Hu Hs Ht Hl ltac:(rewrite El; unfold s; lra)) as H.
  rewrite El in H; replace (2 + s) with (3 + L * e + e) in H by (unfold s; ring).
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
Definition steps_count (base e1 : R) (i : nat) : R := 3 * INR i + Rabs (ln base) * (INR i * e1).

Lemma chained_steps u base e1 i r q (v : list R) : 0 <= u -> 0 <= e1 ->
  Rabs r <= u -> Rabs q <= 2 * u -> (forall x, In x v -> Rabs x <= u) -> length v = i ->
  steps_count base e1 i * u < 1 ->
  Rabs ((Rpower base (- (e1 * (1 + r))) * (1 + q)) ^ i * fold_right (fun x y => (1 + x) * y) 1 v
        - Rpower base (- (INR i * e1))) <=
  gamma (steps_count base e1 i) u * Rpower base (- (INR i * e1)).
Proof.
  unfold steps_count; intros Hu He Hr Hq Hv Hi Hn; set (L := Rabs (ln base)) in *;
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

(** More roundings, a larger gamma. *)
Lemma gamma_monotone n k u : 0 <= u -> n <= k -> k * u < 1 -> gamma n u <= gamma k u.
Proof.
  intros Hu Hk H; assert (n * u <= k * u) by now apply Rmult_le_compat_r.
  assert (G : forall x, x * u < 1 -> gamma x u = / (1 - x * u) - 1) by (intros; unfold gamma; field;
    lra).
  rewrite !G by lra; apply Rplus_le_compat_r, Rinv_le_contravar; lra.
Qed.

Theorem BOUND_3_chained_frequency u base e1 i r q (v : list R) : 0 <= u -> 0 <= e1 ->
  Rabs r <= u -> Rabs q <= 2 * u -> (forall x, In x v -> Rabs x <= u) -> length v = i ->
  chained_count base e1 i * u < 1 ->
  Rabs ((Rpower base (- (e1 * (1 + r))) * (1 + q)) ^ i * fold_right (fun x y => (1 + x) * y) 1 v
        - Rpower base (- (INR i * e1))) <=
  gamma (chained_count base e1 i) u * Rpower base (- (INR i * e1)).
Proof.
  intros Hu He Hr Hq Hv Hi Hn; unfold chained_count in *; fold (steps_count base e1 i) in *.
  assert (steps_count base e1 i * u <= (3 + steps_count base e1 i) * u)
    by (apply Rmult_le_compat_r; lra).
  eapply Rle_trans; [apply (chained_steps u base e1 i r q v); trivial; lra|].
  apply Rmult_le_compat_r; [left; apply exp_pos|apply gamma_monotone; trivial; lra].
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

Lemma chained_steps_inexact_base u base e1 i b r q (v : list R) (e := INR i * e1)
  (C := steps_count base e1 i + 1 + e) : 0 <= u -> 0 <= e1 -> 0 < base -> Rabs b <= u / (1 + u) ->
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
  assert (HCu : 0 <= (steps_count base e1 i + 1) * u /\ 0 <= e * u).
  { unfold steps_count; fold e; split; apply Rmult_le_pos; lra. }
  assert (Hn' : steps_count (base * (1 + b)) e1 i <= steps_count base e1 i + 1).
  { unfold steps_count; fold e; unfold C in Hn.
    assert (Rabs (ln (base * (1 + b))) * e <= (Rabs (ln base) + u) * e) by (apply
      Rmult_le_compat_r; trivial).
    assert (e * u < 1) by lra; lra. }
  assert (Hnu : steps_count (base * (1 + b)) e1 i * u <= (steps_count base e1 i + 1) * u)
    by (apply Rmult_le_compat_r; trivial).
  pose proof (chained_steps u (base * (1 + b)) e1 i r q v Hu He1 Hr Hq Hv Hi
    ltac:(unfold C in Hn; lra)) as H.
  fold e in H; set (y := _ * fold_right _ 1 v) in *; set (n' := steps_count (base * (1 + b)) e1
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
  assert (Hn0 : 0 <= n') by (unfold n', steps_count; fold e;
    pose proof (Rabs_pos (ln (base * (1 + b))));
    assert (0 <= Rabs (ln (base * (1 + b))) * e) by (apply Rmult_le_pos; trivial); lra).
  assert (Hd : Rabs d <= gamma (steps_count base e1 i + 1) u).
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
  unfold C in *; apply one_more; trivial; unfold steps_count; fold e; lra.
Qed.

Theorem BOUND_3_chained_inexact_base u base e1 i b r q (v : list R) (e := INR i * e1)
  (C := chained_count base e1 i + e) : 0 <= u -> 0 <= e1 -> 0 < base -> Rabs b <= u / (1 + u) ->
  Rabs r <= u -> Rabs q <= 2 * u -> (forall x, In x v -> Rabs x <= u) -> length v = i ->
    C * u < 1 ->
  Rabs ((Rpower (base * (1 + b)) (- (e1 * (1 + r))) * (1 + q)) ^ i *
    fold_right (fun x y => (1 + x) * y) 1 v - Rpower base (- e)) <= gamma C u * Rpower base (- e).
Proof.
  unfold C, chained_count; fold (steps_count base e1 i) e; intros Hu He Hb0 Hb Hr Hq Hv Hi Hn.
  set (n := steps_count base e1 i + 1 + e).
  assert (n * u <= (3 + steps_count base e1 i + e) * u)
    by (apply Rmult_le_compat_r; unfold n; lra).
  eapply Rle_trans; [apply (chained_steps_inexact_base u base e1 i b r q v); trivial;
    fold e; fold n; lra|].
  fold e; fold n; apply Rmult_le_compat_r; [left; apply exp_pos|].
  apply gamma_monotone; trivial; unfold n; lra.
Qed.

(** The working form of an exact base and an exact exponent: C = 3, whatever the base. *)
Theorem BOUND_3_working_exact u base e q v : 0 <= u -> Rabs q <= 2 * u -> Rabs v <= u ->
  3 * u < 1 ->
  Rabs (/ (Rpower base e * (1 + q)) * (1 + v) - Rpower base (- e)) <=
  gamma 3 u * Rpower base (- e).
Proof.
  intros Hu Hq Hv Hn; set (l := [Error q 2 true; Error v 1 false]).
  assert (El : roundings l + 0 = 3) by (unfold roundings, l; simpl; ring).
  assert (Hl : forall x, In x l -> within_count u x).
  { intros x [<-|[<-|[]]]; split; cbn [relative count]; lra. }
  assert (H0 : Rabs 0 <= 0 * u) by (rewrite Rabs_R0; lra).
  pose proof (BOUND_2_gamma u 0 0 l Hu (Rle_refl 0) H0 Hl ltac:(rewrite El; lra)) as H.
  rewrite El, exp_0, Rmult_1_l in H; rewrite Rpower_Ropp.
  assert (P : 0 < Rpower base e) by apply exp_pos.
  assert (0 < 1 + q) by (apply abs_le_inv in Hq; lra).
  replace (/ (Rpower base e * (1 + q)) * (1 + v) - / Rpower base e) with
    ((product l - 1) * / Rpower base e).
  - rewrite Rabs_mult, (Rabs_pos_eq (/ _)) by (left; now apply Rinv_0_lt_compat).
    apply Rmult_le_compat_r; trivial; left; now apply Rinv_0_lt_compat.
  - unfold product, factor, l; simpl; field; split; lra.
Qed.

(** An inexact base and an exact exponent: C = 3 + e. *)
Theorem BOUND_3_working_inexact_base u base e b q v : 0 <= u -> 0 <= e -> 0 < base ->
  Rabs b <= u / (1 + u) -> Rabs q <= 2 * u -> Rabs v <= u -> (3 + e) * u < 1 ->
  Rabs (/ (Rpower (base * (1 + b)) e * (1 + q)) * (1 + v) - Rpower base (- e)) <=
  gamma (3 + e) u * Rpower base (- e).
Proof.
  intros Hu He Hb Hr Hq Hv Hn.
  destruct (BOUND_3_inexact_base u base e b Hu He Hb Hr) as (t & Ht & E).
  set (l := [Error q 2 true; Error v 1 false]).
  assert (El : roundings l + e = 3 + e) by (unfold roundings, l; simpl; ring).
  assert (Hl : forall x, In x l -> within_count u x).
  { intros x [<-|[<-|[]]]; split; cbn [relative count]; lra. }
  assert (Ht' : Rabs (- t) <= e * u) by now rewrite Rabs_Ropp.
  pose proof (BOUND_2_gamma u e (- t) l Hu He Ht' Hl ltac:(rewrite El; lra)) as H.
  rewrite El in H; rewrite E, Rpower_Ropp.
  assert (P : 0 < Rpower base e) by apply exp_pos; pose proof (exp_pos t).
  assert (0 <= e * u) by now apply Rmult_le_pos.
  assert (0 < 1 + q) by (apply abs_le_inv in Hq; lra).
  replace (/ (Rpower base e * exp t * (1 + q)) * (1 + v) - / Rpower base e) with
    ((exp (- t) * product l - 1) * / Rpower base e).
  - rewrite Rabs_mult, (Rabs_pos_eq (/ _)) by (left; now apply Rinv_0_lt_compat).
    apply Rmult_le_compat_r; trivial; left; now apply Rinv_0_lt_compat.
  - rewrite exp_Ropp; unfold product, factor, l; simpl; field; repeat split; lra.
Qed.

(** A given frequency, rounded: C = 1.  One that is a value of the working format: C = 0. *)
Theorem BOUND_3_given_frequency u w r : 0 <= u < 1 -> Rabs r <= u ->
  Rabs (w * (1 + r) - w) <= gamma 1 u * Rabs w /\ Rabs (w - w) <= gamma 0 u * Rabs w.
Proof.
  intros Hu Hr; split.
  - replace (w * (1 + r) - w) with (r * w) by ring; rewrite Rabs_mult.
    apply Rmult_le_compat_r; [apply Rabs_pos|]; apply Rle_trans with (1 := Hr); unfold gamma.
    rewrite !Rmult_1_l; apply Rmult_le_reg_r with (1 - u); [lra|].
    unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra; nra.
  - rewrite Rminus_diag_eq, Rabs_R0 by trivial; unfold gamma, Rdiv; rewrite !Rmult_0_l; lra.
Qed.

(** The bound of a frequency itself: what each count theorem says of [f], an underflow [x]
    beside. *)
Theorem BOUND_3_frequency u eta C w f x : 0 <= u -> Rmax 2 C * u < 1 ->
  Rabs (f - w) <= gamma C u * Rabs w -> Rabs x <= eta ->
  Rabs (f + x - w) <= frequency_bound C u eta w.
Proof.
  intros Hu Hn Hf Hx; unfold frequency_bound; replace (f + x - w) with ((f - w) + x) by ring.
  eapply Rle_trans; [apply Rabs_triang|]; apply Rplus_le_compat; trivial.
  apply Rle_trans with (1 := Hf), Rmult_le_compat_r; [apply Rabs_pos|].
  apply gamma_monotone; trivial; apply Rmax_r.
Qed.
