(** * What the algebraic properties of rope.md may ask for (ROPE-13 to ROPE-20) (spec/rope.md)

    A subject answers each call within a bound for each member of a pair;
      from that, and exact algebra, the
    tolerances of the clauses follow.  First one pair at a time, then on [rope] itself: what the
    property tests compare.  Roundings of the comparison itself are not here. *)
From Gnomon Require Import Sums Pairs Bounds Rope.

(** ** Definitions *)
Notation pair := (R * R)%type.

(** R_a, the exact rotation of a pair by the angle [a].  Its transpose is R_(-a) (ROPE-6). *)
Definition turned_by (a : R) (x : pair) : pair := turn (cos a) (sin a) x.

(** The answer [y] is within [e] of the truth [x], member by member. *)
Definition within (e y x : pair) : Prop := Rabs (fst y - fst x) <=
  fst e /\ Rabs (snd y - snd x) <= snd e.

(** Normative: rope.md, Algebraic properties: [turned(e)], [hypot]. *)
Definition hypot (x : pair) : R := sqrt (fst x * fst x + snd x * snd x).
Definition turned (e : pair) : R := hypot e.

(** ** An error vector that is rotated *)
Lemma squares_nonneg (x : pair) : 0 <= fst x * fst x + snd x * snd x.
Proof. pose proof (Rle_0_sqr (fst x)); pose proof (Rle_0_sqr (snd x)); unfold Rsqr in *; lra. Qed.

Lemma hypot_nonneg x : 0 <= hypot x.
Proof. apply sqrt_pos. Qed.

Lemma le_hypot v x : v * v <= fst x * fst x + snd x * snd x -> Rabs v <= hypot x.
Proof.
  intros H; rewrite <- sqrt_Rsqr_abs; apply sqrt_le_1_alt; exact H.
Qed.

Lemma turned_bounds a e y x : within e y x ->
  Rabs (fst (turned_by a y) - fst (turned_by a x)) <= turned e /\
  Rabs (snd (turned_by a y) - snd (turned_by a x)) <= turned e.
Proof.
  destruct y as [y0 y1], x as [x0 x1], e as [ea eb]; unfold within, turned_by, turn;
    cbn [fst snd]; intros [H0 H1].
  pose proof (cos2_sin2 a) as E; set (c := cos a) in *; set (s := sin a) in *.
  set (p := y0 - x0) in *; set (q := y1 - x1) in *.
  assert (Hp : p * p <= ea * ea) by (rewrite <- (Rabs_pos_eq (p * p)) by apply Rle_0_sqr;
    rewrite Rabs_mult; apply Rmult_le_compat; trivial; apply Rabs_pos).
  assert (Hq : q * q <= eb * eb) by (rewrite <- (Rabs_pos_eq (q * q)) by apply Rle_0_sqr;
    rewrite Rabs_mult; apply Rmult_le_compat; trivial; apply Rabs_pos).
  split; apply le_hypot; cbn [fst snd].
  - replace (y0 * c - y1 * s - (x0 * c - x1 * s)) with (p * c - q * s) by (unfold p, q; ring).
    assert (Hsum : (p * c - q * s) * (p * c - q * s) + (p * s + q * c) * (p * s + q * c) = p * p +
      q * q)
      by (transitivity ((p * p + q * q) * (c * c + s * s)); [ring|rewrite E; ring]).
    pose proof (Rle_0_sqr (p * s + q * c)); unfold Rsqr in *; lra.
  - replace (y0 * s + y1 * c - (x0 * s + x1 * c)) with (p * s + q * c) by (unfold p, q; ring).
    assert (Hsum : (p * c - q * s) * (p * c - q * s) + (p * s + q * c) * (p * s + q * c) = p * p +
      q * q)
      by (transitivity ((p * p + q * q) * (c * c + s * s)); [ring|rewrite E; ring]).
    pose proof (Rle_0_sqr (p * c - q * s)); unfold Rsqr in *; lra.
Qed.

Lemma turned_twice a b x : turned_by a (turned_by b x) = turned_by (a + b) x.
Proof. apply turn_turn. Qed.

Lemma turned_by_0 x : turned_by 0 x = x.
Proof. destruct x; unfold turned_by, turn; rewrite cos_0, sin_0; cbn [fst snd]; f_equal; ring. Qed.

(** Two calls after each other, by the angles [a] then [b], against one exact rotation by [a + b].
    *)
Lemma two_calls a b x y1 e1 y2 e2 : within e1 y1 (turned_by a x) -> within e2 y2 (turned_by b y1) ->
  within (turned e1 + fst e2, turned e1 + snd e2) y2 (turned_by (a + b) x).
Proof.
  intros H1 [H2 H3]; rewrite (Rplus_comm a b), <- turned_twice.
  destruct (turned_bounds b e1 y1 (turned_by a x) H1) as [H4 H5].
  set (z := turned_by b (turned_by a x)) in *; split; cbn [fst snd].
  - replace (fst y2 - fst z) with ((fst (turned_by b y1) - fst z) + (fst y2 - fst (turned_by b
      y1))) by ring.
    eapply Rle_trans; [apply Rabs_triang|lra].
  - replace (snd y2 - snd z) with ((snd (turned_by b y1) - snd z) + (snd y2 - snd (turned_by b
      y1))) by ring.
    eapply Rle_trans; [apply Rabs_triang|lra].
Qed.

Lemma compare e e' y y' x : within e y x -> within e' y' x ->
  Rabs (fst y - fst y') <= fst e + fst e' /\ Rabs (snd y - snd y') <= snd e + snd e'.
Proof.
  intros [H0 H1] [H2 H3]; split.
  - replace (fst y - fst y') with ((fst y - fst x) + - (fst y' - fst x)) by ring.
    eapply Rle_trans; [apply Rabs_triang|]; rewrite Rabs_Ropp; lra.
  - replace (snd y - snd y') with ((snd y - snd x) + - (snd y' - snd x)) by ring.
    eapply Rle_trans; [apply Rabs_triang|]; rewrite Rabs_Ropp; lra.
Qed.

(** ** Tolerances.  [w] is the frequency of the pair. *)
Section Tolerances.
Variable w : R.
Implicit Types (x y e : pair).

Lemma pair_13 x y e : within e y (turned_by (0 * w) x) -> within e y x.
Proof. now rewrite Rmult_0_l, turned_by_0. Qed.

Lemma pair_14 m n x y1 y2 y3 e1 e2 e3 :
  within e1 y1 (turned_by (n * w) x) -> within e2 y2 (turned_by (m * w) y1) ->
  within e3 y3 (turned_by ((m + n) * w) x) ->
  Rabs (fst y2 - fst y3) <= turned e1 + fst e2 + fst e3 /\
  Rabs (snd y2 - snd y3) <= turned e1 + snd e2 + snd e3.
Proof.
  intros H1 H2 H3; pose proof (two_calls _ _ _ _ _ _ _ H1 H2) as H.
  replace (n * w + m * w) with ((m + n) * w) in H by ring; exact (compare _ _ _ _ _ H H3).
Qed.

Lemma pair_15 m n x y1 y2 y3 e1 e2 e3 :
  within e1 y1 (turned_by (n * w) x) -> within e2 y2 (turned_by (- (m * w)) y1) ->
  within e3 y3 (turned_by ((n - m) * w) x) ->
  Rabs (fst y2 - fst y3) <= turned e1 + fst e2 + fst e3 /\
  Rabs (snd y2 - snd y3) <= turned e1 + snd e2 + snd e3.
Proof.
  intros H1 H2 H3; pose proof (two_calls _ _ _ _ _ _ _ H1 H2) as H.
  replace (n * w + - (m * w)) with ((n - m) * w) in H by ring; exact (compare _ _ _ _ _ H H3).
Qed.

Lemma pair_20 m x y1 y2 e1 e2 :
  within e1 y1 (turned_by (m * w) x) -> within e2 y2 (turned_by (- (m * w)) y1) ->
  within (turned e1 + fst e2, turned e1 + snd e2) y2 x.
Proof.
  intros H1 H2; pose proof (two_calls _ _ _ _ _ _ _ H1 H2) as H.
  now rewrite Rplus_opp_r, turned_by_0 in H.
Qed.

Lemma hypot_turned_by a x : hypot (turned_by a x) = hypot x.
Proof.
  destruct x as [p q]; unfold hypot, turned_by, turn; cbn [fst snd]; f_equal;
    pose proof (cos2_sin2 a).
  set (c := cos a) in *; set (s := sin a) in *; transitivity ((p * p + q * q) * (c * c + s * s));
    [ring|rewrite H; ring].
Qed.

(** The triangle inequality, by Cauchy and Schwarz. *)
Lemma hypot_le x y e : within e y x -> hypot y <= hypot x + hypot e.
Proof.
  intros [H0 H1]; pose proof (hypot_nonneg x); pose proof (hypot_nonneg e).
  unfold hypot at 1; rewrite <- (sqrt_square (hypot x + hypot e)) by lra; apply sqrt_le_1_alt.
  assert (Ex : hypot x * hypot x = fst x * fst x + snd x * snd x)
    by apply sqrt_sqrt, squares_nonneg.
  assert (Ee : hypot e * hypot e = fst e * fst e + snd e * snd e)
    by apply sqrt_sqrt, squares_nonneg.
  set (p := fst y - fst x) in *; set (q := snd y - snd x) in *.
  assert (Hp : p * p <= fst e * fst e) by (rewrite <- (Rabs_pos_eq (p * p)) by apply Rle_0_sqr;
    rewrite Rabs_mult; apply Rmult_le_compat; trivial; apply Rabs_pos).
  assert (Hq : q * q <= snd e * snd e) by (rewrite <- (Rabs_pos_eq (q * q)) by apply Rle_0_sqr;
    rewrite Rabs_mult; apply Rmult_le_compat; trivial; apply Rabs_pos).
  assert (Hcs : fst x * p + snd x * q <= hypot x * hypot e).
  { apply Rle_trans with (1 := Rle_abs _).
    rewrite <- (Rabs_pos_eq (hypot x * hypot e)) by (apply Rmult_le_pos; lra);
      apply Rsqr_le_abs_0; unfold Rsqr.
    replace (hypot x * hypot e * (hypot x * hypot e))
      with ((hypot x * hypot x) * (hypot e * hypot e)) by ring.
    rewrite Ex, Ee.
    apply Rle_trans with ((fst x * fst x + snd x * snd x) * (p * p + q * q)).
    - pose proof (Rle_0_sqr (fst x * q - snd x * p)); unfold Rsqr in *; lra.
    - apply Rmult_le_compat_l; [apply squares_nonneg|lra]. }
  replace (fst y) with (fst x + p) by (unfold p; ring);
    replace (snd y) with (snd x + q) by (unfold q; ring); lra.
Qed.

Lemma pair_17 m x y e : within e y (turned_by (m * w) x) ->
  Rabs (hypot y - hypot x) <= turned e.
Proof.
  intros H; rewrite <- (hypot_turned_by (m * w) x); set (z := turned_by _ x) in *.
  assert (H' : within e z y).
  { destruct H as [H0 H1]; split; rewrite Rabs_minus_sym; trivial. }
  pose proof (hypot_le _ _ _ H); pose proof (hypot_le _ _ _ H'); unfold turned; apply Rabs_le; lra.
Qed.

Lemma pair_18 m x y fz fx fy ez ex ey :
  within ez fz (turned_by (m * w) (fst x + fst y, snd x + snd y)) ->
  within ex fx (turned_by (m * w) x) -> within ey fy (turned_by (m * w) y) ->
  Rabs (fst fz - fst fx - fst fy) <= fst ez + fst ex + fst ey /\
  Rabs (snd fz - snd fx - snd fy) <= snd ez + snd ex + snd ey.
Proof.
  destruct x as [x0 x1], y as [y0 y1]; unfold within, turned_by, turn; cbn [fst snd];
    intros [H0 H1] [H2 H3] [H4 H5].
  apply abs_le_inv in H0, H1, H2, H3, H4, H5; split; apply Rabs_le; lra.
Qed.
End Tolerances.

(** ** On the rotation itself

    [R_] is R_m, [T_] its transpose (ROPE-3, ROPE-6); answers [y] and their bounds [e] are vectors
    over the dims of a head. *)

(** The members of pair [i] of a vector. *)
Definition at_pair (l : layout) (h o i : nat) (x : vector) : pair :=
  (x (o + first l h i)%nat, x (o + second l h i)%nat).

(** An answer within its bound, dim by dim. *)
Definition answers (y e truth : vector) : Prop := forall j, Rabs (y j - truth j) <= e j.

(** Products of two answers. *)
Definition prod (p Tp q Tq : R) : R := Rabs p * Tq + Rabs q * Tp + Tp * Tq.

Section OnRope.
Variables (l : layout) (h o : nat) (w : nat -> R).
Notation R_ := (rope l h o w).
Notation T_ := (rope_transpose l h o w).
Implicit Types (x y e : vector).

Lemma rope_at_pair m x i : (i < h)%nat ->
  at_pair l h o i (R_ m x) = turned_by (m * w i) (at_pair l h o i x).
Proof.
  intros Hi; unfold at_pair, rope, rope2; rewrite ROPE_3_first, ROPE_3_second by trivial.
  unfold turned_by, turn; cbn [fst snd]; f_equal; ring.
Qed.

Lemma transpose_at_pair m x i : (i < h)%nat ->
  at_pair l h o i (T_ m x) = turned_by (- (m * w i)) (at_pair l h o i x).
Proof.
  intros Hi; unfold at_pair, rope_transpose, rope_transpose2, rotate_transpose.
  rewrite ROPE_3_first, ROPE_3_second by trivial; unfold turned_by, turn; cbn [fst snd].
  rewrite cos_neg, sin_neg; f_equal; ring.
Qed.

Lemma within_pair y e x i : answers y e x ->
  within (at_pair l h o i e) (at_pair l h o i y) (at_pair l h o i x).
Proof. intros H; split; cbn [fst snd]; apply H. Qed.

(** Two answers to one truth. *)
Lemma same_truth y e y' e' x j : answers y e x -> answers y' e' x ->
  Rabs (y j - y' j) <= e j + e' j.
Proof.
  intros H H'; specialize (H j); specialize (H' j).
  replace (y j - y' j) with ((y j - x j) + - (y' j - x j)) by ring.
  eapply Rle_trans; [apply Rabs_triang|]; rewrite Rabs_Ropp; lra.
Qed.

Theorem ROPE_13_tolerance x y e j : answers y e (R_ 0 x) -> Rabs (y j - x j) <= e j.
Proof. intros H; specialize (H j); now rewrite ROPE_13_identity in H. Qed.

Section Pair.
Variable i : nat.
Hypothesis Hi : (i < h)%nat.
Notation a := (o + first l h i)%nat.
Notation b := (o + second l h i)%nat.
Notation turned_of e := (turned (at_pair l h o i e)).

Theorem ROPE_14_tolerance m n x y1 y2 y3 e1 e2 e3 :
  answers y1 e1 (R_ n x) -> answers y2 e2 (R_ m y1) -> answers y3 e3 (R_ (m + n) x) ->
  Rabs (y2 a - y3 a) <= turned_of e1 + e2 a + e3 a /\
  Rabs (y2 b - y3 b) <= turned_of e1 + e2 b + e3 b.
Proof.
  intros H1 H2 H3; apply (within_pair _ _ _ i) in H1, H2, H3.
  rewrite rope_at_pair in H1, H2, H3 by trivial; exact (pair_14 _ _ _ _ _ _ _ _ _ _ H1 H2 H3).
Qed.

Theorem ROPE_15_tolerance m n x y1 y2 y3 e1 e2 e3 :
  answers y1 e1 (R_ n x) -> answers y2 e2 (T_ m y1) -> answers y3 e3 (R_ (n - m) x) ->
  Rabs (y2 a - y3 a) <= turned_of e1 + e2 a + e3 a /\
  Rabs (y2 b - y3 b) <= turned_of e1 + e2 b + e3 b.
Proof.
  intros H1 H2 H3; apply (within_pair _ _ _ i) in H1, H2, H3.
  rewrite rope_at_pair in H1, H3 by trivial; rewrite transpose_at_pair in H2 by trivial.
  exact (pair_15 _ _ _ _ _ _ _ _ _ _ H1 H2 H3).
Qed.

Theorem ROPE_20_tolerance m x y1 y2 e1 e2 :
  answers y1 e1 (R_ m x) -> answers y2 e2 (T_ m y1) ->
  Rabs (y2 a - x a) <= turned_of e1 + e2 a /\ Rabs (y2 b - x b) <= turned_of e1 + e2 b.
Proof.
  intros H1 H2; apply (within_pair _ _ _ i) in H1, H2.
  rewrite rope_at_pair in H1 by trivial; rewrite transpose_at_pair in H2 by trivial.
  exact (pair_20 _ _ _ _ _ _ _ H1 H2).
Qed.

Theorem ROPE_17_tolerance m x y e : answers y e (R_ m x) ->
  Rabs (hypot (at_pair l h o i y) - hypot (at_pair l h o i x)) <= turned_of e.
Proof.
  intros H; apply (within_pair _ _ _ i) in H; rewrite rope_at_pair in H by trivial.
  exact (pair_17 _ _ _ _ _ H).
Qed.
End Pair.

Theorem ROPE_15_tolerance_of_the_negative_position m x y y' e e' j :
  answers y e (R_ (- m) x) -> answers y' e' (T_ m x) -> Rabs (y j - y' j) <= e j + e' j.
Proof.
  intros H H'; apply (same_truth y e y' e' (R_ (- m) x)); trivial; intros k.
  rewrite ROPE_15_negative_position; apply H'.
Qed.

Theorem ROPE_18_tolerance m x y z fx fy fz ex ey ez j : (forall k, z k = x k + y k) ->
  answers fx ex (R_ m x) -> answers fy ey (R_ m y) -> answers fz ez (R_ m z) ->
  Rabs (fz j - fx j - fy j) <= ez j + ex j + ey j.
Proof.
  intros Hz Hx Hy Hf; specialize (Hx j); specialize (Hy j); specialize (Hf j).
  assert (E : R_ m z j = R_ m x j + R_ m y j).
  { transitivity (R_ m (fun k => 1 * x k + 1 * y k) j); [|rewrite ROPE_18_linearity; ring].
    unfold rope, rope2, rotate; rewrite !Hz, !Rmult_1_l; trivial. }
  rewrite E in Hf; apply abs_le_inv in Hx, Hy, Hf; apply Rabs_le; lra.
Qed.

(** [c] a power of two, so that [c x] and [c y] are exact; of any [c] it holds as well. *)
Theorem ROPE_18_tolerance_of_powers_of_two m c x z fx fz ex ez j : (forall k, z k = c * x k) ->
  answers fx ex (R_ m x) -> answers fz ez (R_ m z) ->
  Rabs (fz j - c * fx j) <= ez j + Rabs c * ex j.
Proof.
  intros Hz Hx Hf; specialize (Hx j); specialize (Hf j).
  assert (E : R_ m z j = c * R_ m x j).
  { transitivity (R_ m (fun k => c * x k + 0 * x k) j); [|rewrite ROPE_18_linearity; ring].
    unfold rope, rope2, rotate; rewrite !Hz, !Rmult_0_l, !Rplus_0_r; trivial. }
  rewrite E in Hf.
  replace (fz j - c * fx j) with ((fz j - c * R_ m x j) + c * - (fx j - R_ m x j)) by ring.
  eapply Rle_trans; [apply Rabs_triang|]; rewrite Rabs_mult, Rabs_Ropp.
  apply Rplus_le_compat; trivial; apply Rmult_le_compat_l; trivial; apply Rabs_pos.
Qed.

(** Two scores at one offset, from answers for q and k at both places, over the [n] dims of a
    head. *)
Definition score_tolerance (n : nat) (q k eq ek : vector) : R :=
  sumn n (fun j => prod (q j) (eq j) (k j) (ek j)).

Lemma score_error n (q k q' k' eq ek : vector) : answers q' eq q -> answers k' ek k ->
  Rabs (dot n q' k' - dot n q k) <= score_tolerance n q' k' eq ek.
Proof. intros Hq Hk; apply dot_error; intros; [apply Hq|apply Hk]. Qed.

Theorem ROPE_16_tolerance d m n t q k q1 k1 q2 k2 eq1 ek1 eq2 ek2 : (o + 2 * h <= d)%nat ->
  answers q1 eq1 (R_ m q) -> answers k1 ek1 (R_ n k) ->
  answers q2 eq2 (R_ (m + t) q) -> answers k2 ek2 (R_ (n + t) k) ->
  Rabs (dot d q1 k1 - dot d q2 k2) <=
  score_tolerance d q1 k1 eq1 ek1 + score_tolerance d q2 k2 eq2 ek2.
Proof.
  intros Hd Hq1 Hk1 Hq2 Hk2; pose proof (score_error d _ _ _ _ _ _ Hq1 Hk1) as H1.
  pose proof (score_error d _ _ _ _ _ _ Hq2 Hk2) as H2.
  rewrite ROPE_16_scores_depend_on_the_offset_only in H2 by trivial.
  apply abs_le_inv in H1, H2; apply Rabs_le; lra.
Qed.

(** Tables. *)
Definition table_answers (C S Tc Ts : R) (a : R) : Prop :=
  Rabs (C - cos a) <= Tc /\ Rabs (S - sin a) <= Ts.

Theorem ROPE_14_tolerance_of_tables m n i C S Tc Ts C' S' Tc' Ts' C2 S2 Tc2 Ts2 :
  table_answers C S Tc Ts (m * w i) -> table_answers C' S' Tc' Ts' (n * w i) ->
  table_answers C2 S2 Tc2 Ts2 ((m + n) * w i) ->
  Rabs (C2 - (C * C' - S * S')) <= Tc2 + prod C Tc C' Tc' + prod S Ts S' Ts' /\
  Rabs (S2 - (S * C' + C * S')) <= Ts2 + prod S Ts C' Tc' + prod C Tc S' Ts'.
Proof.
  intros [Hc Hs] [Hc' Hs'] [Hc2 Hs2]; destruct (ROPE_14_tables_add w m n i) as [Ec Es].
  rewrite Ec in Hc2; rewrite Es in Hs2.
  pose proof (product_error _ _ _ _ _ _ Hc Hc') as Pcc.
  pose proof (product_error _ _ _ _ _ _ Hs Hs') as Pss.
  pose proof (product_error _ _ _ _ _ _ Hs Hc') as Psc.
  pose proof (product_error _ _ _ _ _ _ Hc Hs') as Pcs.
  fold (prod C Tc C' Tc') in Pcc; fold (prod S Ts S' Ts') in Pss;
    fold (prod S Ts C' Tc') in Psc; fold (prod C Tc S' Ts') in Pcs.
  apply abs_le_inv in Hc2, Hs2, Pcc, Pss, Psc, Pcs; split; apply Rabs_le; lra.
Qed.

Lemma hypot_error (x y e : pair) : within e y x -> Rabs (hypot y - hypot x) <= hypot e.
Proof.
  intros H; assert (H' : within e x y) by (destruct H; split; now rewrite Rabs_minus_sym).
  pose proof (hypot_le _ _ _ H); pose proof (hypot_le _ _ _ H'); apply Rabs_le; lra.
Qed.

Theorem ROPE_4_tolerance_of_the_unit_circle m i C S Tc Ts : table_answers C S Tc Ts (m * w i) ->
  Rabs (hypot (C, S) - 1) <= hypot (Tc, Ts).
Proof.
  intros [Hc Hs].
  pose proof (hypot_error (cos (m * w i), sin (m * w i)) (C, S) (Tc, Ts) (conj Hc Hs)) as H.
  replace (hypot (cos (m * w i), sin (m * w i))) with 1 in H; trivial.
  unfold hypot; cbn [fst snd]; now rewrite cos2_sin2, sqrt_1.
Qed.

(** A subject's own table given back to it: [y] from the position, [z] from the tables [C], [S]. *)
Theorem ROPE_4_tolerance_of_own_tables m x y e z e' C S Tc Ts i (a := (o + first l h i)%nat)
  (b := (o + second l h i)%nat) : (i < h)%nat -> answers y e (R_ m x) ->
  answers z e' (rotate l l h o C S x) ->
  table_answers (C i) (S i) Tc Ts (m * w i) ->
  Rabs (y a - z a) <= e a + e' a + (Rabs (x a) * Tc + Rabs (x b) * Ts) /\
  Rabs (y b - z b) <= e b + e' b + (Rabs (x a) * Ts + Rabs (x b) * Tc).
Proof.
  intros Hi Hy Hz [Hc Hs]; pose proof (Hy a) as Ya; pose proof (Hy b) as Yb.
  pose proof (Hz a) as Za; pose proof (Hz b) as Zb; unfold a, b in *.
  unfold rope, rope2 in Ya, Yb; rewrite ROPE_3_first in Ya, Za by trivial.
  rewrite ROPE_3_second in Yb, Zb by trivial.
  set (p := x (o + first l h i)%nat) in *; set (q := x (o + second l h i)%nat) in *.
  assert (P : forall v d T, Rabs d <= T -> Rabs (v * d) <= Rabs v * T)
    by (intros; rewrite Rabs_mult; apply Rmult_le_compat_l; trivial; apply Rabs_pos).
  pose proof (P p _ _ Hc) as Ppc; pose proof (P p _ _ Hs) as Pps.
  pose proof (P q _ _ Hc) as Pqc; pose proof (P q _ _ Hs) as Pqs.
  apply abs_le_inv in Ya, Yb, Za, Zb, Ppc, Pps, Pqc, Pqs; split; apply Rabs_le; lra.
Qed.
End OnRope.

(** A row of the whole tensor and the same row asked alone; two heads that hold the same numbers. *)
Theorem ROPE_3_tolerance_of_rows lin lout h o w position x b t n y e z e' j :
  answers y e (apply lin lout h o w position x b t n) ->
  answers z e' (apply lin lout h o w (fun _ _ => position b t) (fun _ _ n => x b t n) 0%nat 0%nat n)
  -> Rabs (y j - z j) <= e j + e' j.
Proof. rewrite ROPE_3_rows; apply same_truth. Qed.

Theorem ROPE_3_tolerance_of_heads lin lout h o w position x b t n n' y e z e' j :
  (forall k, x b t n k = x b t n' k) ->
  answers y e (apply lin lout h o w position x b t n) ->
  answers z e' (apply lin lout h o w position x b t n') -> Rabs (y j - z j) <= e j + e' j.
Proof.
  intros Hx Hy Hz; apply (same_truth y e z e' (apply lin lout h o w position x b t n)); trivial.
  intros k; rewrite (ROPE_3_heads lin lout h o w position x b t n n') by trivial; apply Hz.
Qed.

(** Layouts: pairs read in any layout and written in any, against interleaved both ways. *)
Definition ordered (l : layout) (h o : nat) (x : vector) : vector :=
  match l with interleaved => x | half_split => to_half_split h o x end.

Lemma rotate_ordered lin lout h o c s x k :
  rotate lin lout h o c s (ordered lin h o x) k =
  ordered lout h o (rotate interleaved interleaved h o c s x) k.
Proof.
  destruct lin, lout; cbn [ordered]; trivial.
  - apply ROPE_19_output_layout.
  - apply ROPE_19_input_layout.
  - apply ROPE_19_conjugation.
Qed.

Lemma ordered_answers l h o y e x : answers y e x ->
  answers (ordered l h o y) (ordered l h o e) (ordered l h o x).
Proof.
  intros H k; destruct l; cbn [ordered]; [apply H|]; unfold to_half_split.
  destruct ((o <=? k) && (k <? o + 2 * h))%nat; apply H.
Qed.

Theorem ROPE_19_tolerance lin lout h o c s x y e z e' k :
  answers y e (rotate lin lout h o c s (ordered lin h o x)) ->
  answers z e' (rotate interleaved interleaved h o c s x) ->
  Rabs (y k - ordered lout h o z k) <= e k + ordered lout h o e' k.
Proof.
  intros Hy Hz; apply (ordered_answers lout h o) in Hz.
  apply (same_truth y e _ _ (ordered lout h o (rotate interleaved interleaved h o c s x)));
    trivial.
  intros j; rewrite <- rotate_ordered with (lin := lin); apply Hy.
Qed.

(** Frequencies: the answer [v] for w_i of [theta], within [E]. *)
Theorem ROPE_1_tolerance theta h i v E (w := frequency theta (2 * h) i) (q := E / (v - E)) :
  0 < theta -> (0 < h)%nat -> Rabs (v - w) <= E -> 0 < v - E -> q < 1 ->
  Rabs (INR h * ln v + INR i * ln theta) <= INR h * q / (1 - q).
Proof.
  intros Ht Hh Hv Hp Hq; assert (Hw : 0 < w) by apply exp_pos.
  assert (HE : 0 <= E) by (apply Rle_trans with (2 := Hv), Rabs_pos).
  assert (Hq0 : 0 <= q) by (apply Rmult_le_pos; trivial; left; now apply Rinv_0_lt_compat).
  apply abs_le_inv in Hv.
  assert (Hh0 : 0 < INR h) by now apply lt_0_INR.
  assert (El : INR h * ln w + INR i * ln theta = 0).
  { unfold w, frequency, Rpower; rewrite ln_exp, mult_INR; simpl (INR 2); field; lra. }
  replace (INR h * ln v + INR i * ln theta) with (INR h * (ln v - ln w)) by lra.
  rewrite Rabs_mult, (Rabs_pos_eq (INR h)) by lra; unfold Rdiv; rewrite Rmult_assoc.
  apply Rmult_le_compat_l; [lra|]; fold (q / (1 - q)).
  assert (Eq : q * (v - E) = E) by (unfold q; field; lra).
  assert (M : forall x y, 0 < x -> 0 < y -> ln x - ln y <= x / y - 1).
  { intros x y Hx Hy; assert (Hr : 0 < x / y) by (apply Rmult_lt_0_compat; trivial;
      now apply Rinv_0_lt_compat).
    replace (ln x - ln y) with (ln (x / y))
      by (unfold Rdiv; rewrite ln_mult, ln_Rinv by (trivial; now apply Rinv_0_lt_compat); ring).
    pose proof (exp_ineq1_le (ln (x / y))) as Hx1; rewrite exp_ln in Hx1 by trivial; lra. }
  assert (Q1 : q <= q / (1 - q)).
  { apply Rmult_le_reg_r with (1 - q); [lra|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l; nra. }
  pose proof (M v w ltac:(lra) Hw) as U; pose proof (M w v Hw ltac:(lra)) as D.
  assert (U' : v / w - 1 <= q).
  { apply Rmult_le_reg_r with w; trivial; unfold Rdiv; rewrite Rmult_minus_distr_r, Rmult_assoc,
      Rinv_l by lra; nra. }
  assert (D' : w / v - 1 <= q).
  { apply Rmult_le_reg_r with v; [lra|]; unfold Rdiv; rewrite Rmult_minus_distr_r, Rmult_assoc,
      Rinv_l by lra; nra. }
  apply Rabs_le; lra.
Qed.
