(** * What the algebraic properties of rope.md may ask for (ROPE-13 to ROPE-20)

    A subject answers each call within a bound for each member of a pair;
      from that, and exact algebra, the
    tolerances of the clauses follow.  One pair at a time;
      roundings of the comparison itself are not here. *)
From Gnomon Require Import Sums Pairs Bounds.

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

Theorem ROPE_13_tolerance x y e : within e y (turned_by (0 * w) x) -> within e y x.
Proof. now rewrite Rmult_0_l, turned_by_0. Qed.

Theorem ROPE_14_tolerance m n x y1 y2 y3 e1 e2 e3 :
  within e1 y1 (turned_by (n * w) x) -> within e2 y2 (turned_by (m * w) y1) ->
  within e3 y3 (turned_by ((m + n) * w) x) ->
  Rabs (fst y2 - fst y3) <= turned e1 + fst e2 + fst e3 /\
  Rabs (snd y2 - snd y3) <= turned e1 + snd e2 + snd e3.
Proof.
  intros H1 H2 H3; pose proof (two_calls _ _ _ _ _ _ _ H1 H2) as H.
  replace (n * w + m * w) with ((m + n) * w) in H by ring; exact (compare _ _ _ _ _ H H3).
Qed.

Theorem ROPE_15_tolerance m n x y1 y2 y3 e1 e2 e3 :
  within e1 y1 (turned_by (n * w) x) -> within e2 y2 (turned_by (- (m * w)) y1) ->
  within e3 y3 (turned_by ((n - m) * w) x) ->
  Rabs (fst y2 - fst y3) <= turned e1 + fst e2 + fst e3 /\
  Rabs (snd y2 - snd y3) <= turned e1 + snd e2 + snd e3.
Proof.
  intros H1 H2 H3; pose proof (two_calls _ _ _ _ _ _ _ H1 H2) as H.
  replace (n * w + - (m * w)) with ((n - m) * w) in H by ring; exact (compare _ _ _ _ _ H H3).
Qed.

Theorem ROPE_20_tolerance m x y1 y2 e1 e2 :
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

Theorem ROPE_17_tolerance m x y e : within e y (turned_by (m * w) x) ->
  Rabs (hypot y - hypot x) <= turned e.
Proof.
  intros H; rewrite <- (hypot_turned_by (m * w) x); set (z := turned_by _ x) in *.
  assert (H' : within e z y).
  { destruct H as [H0 H1]; split; rewrite Rabs_minus_sym; trivial. }
  pose proof (hypot_le _ _ _ H); pose proof (hypot_le _ _ _ H'); unfold turned; apply Rabs_le; lra.
Qed.

Theorem ROPE_18_tolerance m x y fz fx fy ez ex ey :
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

(** Two answers to one truth: layouts, and in place against out of place. *)
Theorem ROPE_19_tolerance e y y' x : within e y x -> within e y' x ->
  Rabs (fst y - fst y') <= 2 * fst e /\ Rabs (snd y - snd y') <= 2 * snd e.
Proof. intros H H'; destruct (compare _ _ _ _ _ H H'); lra. Qed.

(** Scores of answers [q'], [k'] against scores of the truths [q], [k], over [n] dims. *)
Theorem ROPE_16_tolerance n (q k q' k' eq ek : vector) :
  (forall i, (i < n)%nat -> Rabs (q' i - q i) <= eq i) ->
  (forall i, (i < n)%nat -> Rabs (k' i - k i) <= ek i) ->
  Rabs (dot n q' k' - dot n q k) <= sumn n (fun i => Rabs (q' i) * ek i + Rabs (k' i) * eq i + eq
    i * ek i).
Proof. apply dot_error. Qed.
