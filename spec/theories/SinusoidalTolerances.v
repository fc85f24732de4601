(** * What the algebraic properties of sinusoidal.md may ask for (SIN-13 to SIN-17) (spec/sinusoidal.md)

    A subject answers rows of the table within [T], entries of a matrix within [B],
      similarities and distances
    within [P].  Roundings of the comparison itself are not here. *)
From Gnomon Require Import Sums Pairs Bounds Sinusoidal.
From Gnomon Require Import RopeTolerances.

Section Tolerances.
Variables (o : order) (h : nat) (K : R) (w : nat -> R).
Notation PE := (pe o h Zero K w).
Notation width := (2 * h)%nat.

(** Answers [p] and [q] for the rows [t] and [t + k], [M] for the shift matrix. *)
Theorem SIN_13_tolerance t k r (p q Tt Tk : vector) (M B : matrix) : (r < width)%nat ->
  (forall j, (j < width)%nat -> Rabs (p j - PE t j) <= Tt j) ->
  (forall j, (j < width)%nat -> Rabs (q j - PE (t + k) j) <= Tk j) ->
  (forall j, (j < width)%nat -> Rabs (M r j - shift_matrix o h w k r j) <= B r j) ->
  Rabs (q r - times width M p r) <=
  Tk r + sumn width (fun j => Rabs (M r j) * Tt j + Rabs (p j) * B r j + B r j * Tt j).
Proof.
  intros Hr Hp Hq HM; specialize (Hq r Hr); rewrite <- SIN_13_shift_is_a_rotation in Hq by trivial.
  pose proof (dot_error width _ _ _ _ _ _ HM Hp) as H; unfold times in *.
  set (x := dot width (shift_matrix o h w k r) (PE t)) in *; set (y := dot width (M r) p) in *.
  replace (q r - y) with ((q r - x) + - (y - x)) by ring.
  eapply Rle_trans; [apply Rabs_triang|]; rewrite Rabs_Ropp; lra.
Qed.

(** Two answers for one truth. *)
Lemma same_truth x y z e e' : Rabs (x - z) <= e -> Rabs (y - z) <= e' -> Rabs (x - y) <= e + e'.
Proof.
  intros Hx Hy; replace (x - y) with ((x - z) + - (y - z)) by ring.
  eapply Rle_trans; [apply Rabs_triang|]; rewrite Rabs_Ropp; lra.
Qed.

Theorem SIN_14_tolerance_of_similarities m n s v v' P P' :
  Rabs (v - similarity o h K w m n) <= P -> Rabs (v' - similarity o h K w (m + s) (n + s)) <= P' ->
  Rabs (v - v') <= P + P'.
Proof.
  unfold similarity; rewrite SIN_14_dot_products_depend_on_the_offset_only; apply same_truth.
Qed.

Theorem SIN_14_tolerance_of_distances m n s v v' P P' :
  Rabs (v - distance o h K w m n) <= P -> Rabs (v' - distance o h K w (m + s) (n + s)) <= P' ->
  Rabs (v - v') <= P + P'.
Proof. rewrite SIN_14_distances_depend_on_the_offset_only; apply same_truth. Qed.

(** Dot products of rows that were answered. *)
Definition tolerance (p q Tp Tq : vector) : R :=
  sumn width (fun j => Rabs (p j) * Tq j + Rabs (q j) * Tp j + Tp j * Tq j).

Theorem SIN_14_tolerance_of_rows m n s (p q p' q' Tp Tq Tp' Tq' : vector) :
  (forall j, (j < width)%nat -> Rabs (p j - PE m j) <= Tp j) ->
  (forall j, (j < width)%nat -> Rabs (q j - PE n j) <= Tq j) ->
  (forall j, (j < width)%nat -> Rabs (p' j - PE (m + s) j) <= Tp' j) ->
  (forall j, (j < width)%nat -> Rabs (q' j - PE (n + s) j) <= Tq' j) ->
  Rabs (dot width p q - dot width p' q') <= tolerance p q Tp Tq + tolerance p' q' Tp' Tq'.
Proof.
  intros Hp Hq Hp' Hq'; pose proof (dot_error width _ _ _ _ _ _ Hp Hq) as H.
  pose proof (dot_error width _ _ _ _ _ _ Hp' Hq') as H'.
  rewrite SIN_14_dot_products_depend_on_the_offset_only in H'; exact (same_truth _ _ _ _ _ H H').
Qed.

Theorem SIN_15_tolerance m v P : Rabs (v - similarity o h K w m m) <= P ->
  Rabs (v - K * K * INR h) <= P.
Proof. unfold similarity; now rewrite SIN_15_norm. Qed.

(** The pair [i] of an answered row: on the circle of radius |K|. *)
Theorem SIN_15_tolerance_of_pairs t i (p T : vector) : (i < h)%nat ->
  (forall j, (j < width)%nat -> Rabs (p j - PE t j) <= T j) ->
  Rabs (hypot (p (sine_column o h i), p (cosine_column o h i)) - Rabs K) <=
  hypot (T (sine_column o h i), T (cosine_column o h i)).
Proof.
  intros Hi Hp; pose proof (Hp _ (sine_column_lt o h i Hi)) as Hs.
  pose proof (Hp _ (cosine_column_lt o h i Hi)) as Hc.
  set (x := (PE t (sine_column o h i), PE t (cosine_column o h i))).
  pose proof (hypot_error x (p (sine_column o h i), p (cosine_column o h i))
    (T (sine_column o h i), T (cosine_column o h i)) (conj Hs Hc)) as H.
  replace (hypot x) with (Rabs K) in H; trivial.
  rewrite <- sqrt_Rsqr_abs; unfold hypot, x; cbn [fst snd]; f_equal.
  pose proof (SIN_15_norm_of_a_pair o h Zero K w t i Hi) as E; unfold Rsqr; simpl in E; lra.
Qed.

(** Parity, layouts, the scale: entries of two answered rows for one number. *)
Theorem SIN_16_tolerance_of_parity t i (p q T T' : vector) (a := sine_column o h i)
  (b := cosine_column o h i) : (i < h)%nat ->
  Rabs (p a - PE (- t) a) <= T a -> Rabs (q a - PE t a) <= T' a ->
  Rabs (p b - PE (- t) b) <= T b -> Rabs (q b - PE t b) <= T' b ->
  Rabs (p a - -1 * q a) <= T a + T' a /\ Rabs (p b - q b) <= T b + T' b.
Proof.
  intros Hi; unfold a, b; destruct (SIN_16_parity o h Zero K w t i Hi) as [-> ->].
  intros H1 H2 H3 H4; apply abs_le_inv in H1, H2, H3, H4; split; apply Rabs_le; lra.
Qed.

(** The last column of an odd width: a sine or 0, wherever the layout puts the others. *)
Theorem SIN_16_tolerance_of_the_last_column odd t p q T T' :
  Rabs (p - pe o h odd K w (- t) width) <= T -> Rabs (q - pe o h odd K w t width) <= T' ->
  Rabs (p - -1 * q) <= T + T'.
Proof.
  rewrite !SIN_3_odd_column, Ropp_mult_distr_l_reverse, sin_neg; intros Hp Hq.
  apply abs_le_inv in Hp, Hq; destruct odd; apply Rabs_le; lra.
Qed.

Theorem SIN_2_tolerance_of_the_last_column o' odd t p q T T' :
  Rabs (p - pe o h odd K w t width) <= T -> Rabs (q - pe o' h odd K w t width) <= T' ->
  Rabs (p - q) <= T + T'.
Proof. rewrite !SIN_3_odd_column; apply same_truth. Qed.

Theorem SIN_2_tolerance o' t i (p q T T' : vector) : (i < h)%nat ->
  (forall j, (j < width)%nat -> Rabs (p j - PE t j) <= T j) ->
  (forall j, (j < width)%nat -> Rabs (q j - pe o' h Zero K w t j) <= T' j) ->
  Rabs (p (sine_column o h i) - q (sine_column o' h i)) <=
    T (sine_column o h i) + T' (sine_column o' h i) /\
  Rabs (p (cosine_column o h i) - q (cosine_column o' h i)) <=
    T (cosine_column o h i) + T' (cosine_column o' h i).
Proof.
  intros Hi Hp Hq; destruct (SIN_2_layouts_hold_the_same_columns o h Zero K w o' t i Hi) as [Es Ec].
  pose proof (Hp _ (sine_column_lt o h i Hi)) as H1; rewrite Es in H1.
  pose proof (Hp _ (cosine_column_lt o h i Hi)) as H2; rewrite Ec in H2.
  split; [exact (same_truth _ _ _ _ _ H1 (Hq _ (sine_column_lt o' h i Hi)))
         |exact (same_truth _ _ _ _ _ H2 (Hq _ (cosine_column_lt o' h i Hi)))].
Qed.

Theorem SIN_4_tolerance_of_the_scale odd t r p q T T' : Rabs (p - pe o h odd K w t r) <= T ->
  Rabs (q - pe o h odd 1 w t r) <= T' -> Rabs (p - K * q) <= T + Rabs K * T'.
Proof.
  rewrite SIN_4_scale; set (x := pe o h odd 1 w t r); intros Hp Hq.
  replace (p - K * q) with ((p - K * x) + K * - (q - x)) by ring.
  eapply Rle_trans; [apply Rabs_triang|]; rewrite Rabs_mult, Rabs_Ropp.
  apply Rplus_le_compat; trivial; apply Rmult_le_compat_l; trivial; apply Rabs_pos.
Qed.

(** A row asked alone, and among others. *)
Theorem SIN_4_tolerance_of_rows odd (position : nat -> R) row j (p q T T' : vector) :
  Rabs (p j - pe o h odd K w (position row) j) <= T j ->
  Rabs (q j - pe o h odd K w (position row) j) <= T' j -> Rabs (p j - q j) <= T j + T' j.
Proof. apply same_truth. Qed.

(** The last column of an odd width, and the sine that the next even width has there. *)
Theorem SIN_3_tolerance odd t p q T T' : Rabs (p - pe o h odd K w t width) <= T ->
  Rabs (q - pe Sin_cos (S h) Zero K w t (sine_column Sin_cos (S h) h)) <= T' ->
  match odd with Sine => Rabs (p - q) <= T + T' | Zero => Rabs (p - 0) <= T end.
Proof.
  rewrite SIN_3_odd_column, SIN_4_sine by lia; intros Hp Hq; destruct odd; trivial.
  exact (same_truth _ _ _ _ _ Hp Hq).
Qed.

(** The similarity and the distance against the answered rows; each other. *)
Theorem SIN_8_tolerance m n v P (p q Tp Tq : vector) : Rabs (v - similarity o h K w m n) <= P ->
  (forall j, (j < width)%nat -> Rabs (p j - PE m j) <= Tp j) ->
  (forall j, (j < width)%nat -> Rabs (q j - PE n j) <= Tq j) ->
  Rabs (v - dot width p q) <= P + tolerance p q Tp Tq.
Proof.
  intros Hv Hp Hq; pose proof (dot_error width _ _ _ _ _ _ Hp Hq) as H.
  exact (same_truth _ _ _ _ _ Hv H).
Qed.

Theorem SIN_9_tolerance_of_cosines m n d s P Q : Rabs (d - distance o h K w m n) <= P ->
  Rabs (s - similarity o h K w m n) <= Q ->
  Rabs (d * d - 2 * (K * K * INR h - s)) <= Rabs d * P + Rabs d * P + P * P + 2 * Q.
Proof.
  intros Hd Hs; pose proof (product_error _ _ _ _ _ _ Hd Hd) as H.
  rewrite SIN_9_square_of_the_distance in H; apply abs_le_inv in H, Hs; apply Rabs_le; lra.
Qed.

Theorem SIN_7_tolerance gain k r c v v' B B' : 0 <= gain ->
  Rabs (v - relative_head o h w gain k r c) <= B -> Rabs (v' - shift_matrix o h w k r c) <= B' ->
  Rabs (v - gain * v') <= B + gain * B'.
Proof.
  unfold relative_head; intros Hg Hv Hv'; apply abs_le_inv in Hv'.
  assert (- (gain * B') <= gain * (v' - shift_matrix o h w k r c) <= gain * B') by nra.
  apply abs_le_inv in Hv; apply Rabs_le; lra.
Qed.

Theorem SIN_5_tolerance odd g x t r y p Y T : Rabs (y - add o h odd K w g x t r) <= Y ->
  Rabs (p - pe o h odd K w t r) <= T -> Rabs (y - (g * x r + p)) <= Y + T.
Proof. unfold add; intros Hy Hp; apply abs_le_inv in Hy, Hp; apply Rabs_le; lra. Qed.

Theorem SIN_4_tolerance_at_the_origin i (p T : vector) : (i < h)%nat ->
  (forall j, (j < width)%nat -> Rabs (p j - PE 0 j) <= T j) ->
  Rabs (p (sine_column o h i) - 0) <= T (sine_column o h i) /\
  Rabs (p (cosine_column o h i) - K) <= T (cosine_column o h i).
Proof.
  intros Hi Hp; pose proof (Hp _ (sine_column_lt o h i Hi)) as Hs.
  pose proof (Hp _ (cosine_column_lt o h i Hi)) as Hc.
  destruct (SIN_4_origin o h Zero K w i Hi) as [Es Ec]; rewrite Es in Hs; rewrite Ec in Hc; auto.
Qed.

Theorem SIN_16_tolerance k r c v v' B B' :
  Rabs (v - shift_matrix o h w (- k) r c) <= B -> Rabs (v' - shift_matrix o h w k c r) <= B' ->
  Rabs (v - v') <= B + B'.
Proof. rewrite SIN_16_opposite_shift_is_the_transpose; apply same_truth. Qed.

(** The relative head: p W q with all three answered; capitals are sizes, small letters errors. *)
Definition head_tolerance (p q Tp Tq : vector) (W B : matrix) : R :=
  sumn width (fun r => sumn width (fun c =>
    let A := Rabs (p r) in let a := Tp r in let B_ := Rabs (W r c) in let b := B r c in
    let C := Rabs (q c) in let c_ := Tq c in
    a * B_ * C + A * b * C + A * B_ * c_ + a * b * C + a * B_ * c_ + A * b * c_ + a * b * c_)).

Lemma triple_error x y z x' y' z' a b c : Rabs (x' - x) <= a -> Rabs (y' - y) <= b ->
  Rabs (z' - z) <= c ->
  Rabs (x' * y' * z' - x * y * z) <=
  a * Rabs y' * Rabs z' + Rabs x' * b * Rabs z' + Rabs x' * Rabs y' * c
  + a * b * Rabs z' + a * Rabs y' * c + Rabs x' * b * c + a * b * c.
Proof.
  intros Hx Hy Hz; pose proof (product_error _ _ _ _ _ _ (product_error _ _ _ _ _ _ Hx Hy) Hz) as H.
  rewrite Rabs_mult in H; lra.
Qed.

Section Head.
Variables (gain k m : R) (p Tp : vector) (W B : matrix).
Hypotheses (Hp : forall j, (j < width)%nat -> Rabs (p j - PE m j) <= Tp j)
  (HW : forall r c, (r < width)%nat -> (c < width)%nat ->
    Rabs (W r c - relative_head o h w gain k r c) <= B r c).

(** The answered form for an answered row [q] of position [n]. *)
Definition answered_form (q : vector) : R := sumn width (fun r => sumn width (fun c => p r * W r c
  * q c)).

Lemma head_error n q Tq : (forall j, (j < width)%nat -> Rabs (q j - PE n j) <= Tq j) ->
  Rabs (answered_form q - gain * similarity o h K w (m - k) n) <= head_tolerance p q Tp Tq W B.
Proof.
  intros Hq; rewrite <- SIN_7_relative_head.
  replace (dot width (PE m) (times width (relative_head o h w gain k) (PE n))) with
    (sumn width (fun r => sumn width (fun c => PE m r * relative_head o h w gain k r c * PE n c))).
  - unfold answered_form; rewrite sumn_minus; eapply Rle_trans; [apply sumn_abs|]; apply sumn_le;
      intros r Hr.
    rewrite sumn_minus; eapply Rle_trans; [apply sumn_abs|]; apply sumn_le; intros c Hc.
    apply triple_error; auto.
  - apply sumn_ext; intros r _; unfold times, dot; rewrite <- sumn_scal; apply sumn_ext; intros;
      ring.
Qed.

Theorem SIN_17_tolerance_of_the_peak q Tq :
  (forall j, (j < width)%nat -> Rabs (q j - PE (m - k) j) <= Tq j) ->
  Rabs (answered_form q - gain * (K * K * INR h)) <= head_tolerance p q Tp Tq W B.
Proof. intros Hq; pose proof (head_error _ _ _ Hq) as H; unfold similarity in H;
  now rewrite SIN_15_norm in H. Qed.

Theorem SIN_17_tolerance n q Tq peak Tpeak : 0 <= gain ->
  (forall j, (j < width)%nat -> Rabs (q j - PE n j) <= Tq j) ->
  (forall j, (j < width)%nat -> Rabs (peak j - PE (m - k) j) <= Tpeak j) ->
  answered_form q <= answered_form peak + head_tolerance p q Tp Tq W B + head_tolerance p peak Tp
    Tpeak W B.
Proof.
  intros Hg Hq Hpeak; pose proof (head_error _ _ _ Hq) as H;
    pose proof (head_error _ _ _ Hpeak) as H'.
  pose proof (SIN_8_similarity_is_largest_at_0 o h K w (m - k) n) as Hs;
    apply (Rmult_le_compat_l gain) in Hs; trivial.
  apply abs_le_inv in H, H'; lra.
Qed.
End Head.
End Tolerances.
