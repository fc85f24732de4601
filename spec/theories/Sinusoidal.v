(** * Sinusoidal positions (spec/sinusoidal.md)

    Vaswani et al. 2017.  Positions are real numbers here; POS-1 lets integers in. *)
From Gnomon Require Import Sums Pairs.

(** ** Definitions *)

(** Normative: SIN-1 (frequencies).  Divisor half is [frequency base width]; given ones are any [w];
    divisor half_minus_one, for [h] pairs: *)
Definition frequency_half_minus_one (base : R) (h i : nat) : R :=
  Rpower base (- (INR i / INR (Nat.max (h - 1) 1))).

(** Normative: SIN-2 (layout).  Columns of the sine and the cosine of pair [i] among [h] pairs. *)
Inductive order := Interleaved | Sin_cos | Cos_sin.

Definition sine_column (o : order) (h i : nat) : nat :=
  match o with Interleaved => 2 * i | Sin_cos => i | Cos_sin => h + i end.
Definition cosine_column (o : order) (h i : nat) : nat :=
  match o with Interleaved => 2 * i + 1 | Sin_cos => h + i | Cos_sin => i end.

(** Which pair has column [k], and as its sine or its cosine. *)
Definition pair_at (o : order) (h k : nat) : nat :=
  pair_of (match o with Interleaved => interleaved | _ => half_split end) h k.
Definition is_sine (o : order) (h k : nat) : bool :=
  match o with
  | Interleaved => is_first interleaved h k
  | Sin_cos => is_first half_split h k
  | Cos_sin => negb (is_first half_split h k)
  end.

(** Normative: SIN-3 (odd width), SIN-4 (table and scale).  Row [t] of the table; column [2 h]
    exists where the width is odd. *)
Inductive odd_width := Sine | Zero.

Definition pe (o : order) (h : nat) (odd : odd_width) (K : R) (w : nat -> R) (t : R) : vector :=
  fun k =>
  if (k <? 2 * h)%nat then
    if is_sine o h k then K * sin (t * w (pair_at o h k)) else K * cos (t * w (pair_at o h k))
  else match odd with Sine => K * sin (t * w h) | Zero => 0 end.

(** Normative: SIN-5 (add). *)
Definition add o h odd K w (token_scale : R) (x : vector) (t : R) : vector := fun k =>
  token_scale * x k + pe o h odd K w t k.

(** Normative: SIN-19 (wavelength) of the frequency [w], in tokens. *)
Definition wavelength (w : R) : R := 2 * PI / w.

(** Normative: SIN-20 (timesteps).  A real time [t]; [h] pairs; [shift] shortens the divisor. *)
Definition timestep_frequency (max_period shift : R) (h i : nat) : R :=
  Rpower max_period (- (INR i / (INR h - shift))).
Definition timestep (flip_sin_to_cos : bool) (h : nat) (max_period shift scale t : R) : vector :=
  pe (if flip_sin_to_cos then Cos_sin else Sin_cos) h Zero 1 (timestep_frequency max_period shift h)
    (scale * t).

(** Normative: SIN-21 (Fourier features).  [B] has [h] rows of [n] columns, [x] is a point. *)
Definition phase (n : nat) (B : matrix) (x : vector) : vector := fun i => 2 * PI * dot n (B i) x.
Definition fourier (n h : nat) (B : matrix) (x : vector) : vector := fun k =>
  if (k <? h)%nat then cos (phase n B x k) else sin (phase n B x (k - h)%nat).

(** Normative: SIN-22 (NeRF).  One coordinate [x], [L] octaves, [unit] radians: PI in the paper, 1
    in its code.  And the code's order for [n] coordinates: octave by octave, all sines then all
    cosines. *)
Definition octave (unit : R) (k : nat) : R := 2 ^ k * unit.
Definition nerf (L : nat) (unit x : R) : vector := pe Interleaved L Zero 1 (octave unit) x.
Definition nerf_by_octaves (n : nat) (unit : R) (x : vector) : vector := fun j =>
  let k := (j / (2 * n))%nat in
  let c := (j mod (2 * n))%nat in
  if (c <? n)%nat then sin (octave unit k * x c) else cos (octave unit k * x (c - n)%nat).

(** A matrix of one block [[a, b], [-b, a]] a pair, on its sine and its cosine column. *)
Definition blocks (o : order) (h : nat) (a b : nat -> R) : matrix := fun r c =>
  let i := pair_at o h r in
  if (i =? pair_at o h c)%nat then
    match is_sine o h r, is_sine o h c with
    | true, true => a i
    | true, false => b i
    | false, true => - b i
    | false, false => a i
    end
  else 0.

(** Normative: SIN-6 (shift matrix), SIN-7 (relative head). *)
Definition shift_matrix o h w (k : R) : matrix :=
  blocks o h (fun i => cos (k * w i)) (fun i => sin (k * w i)).
Definition relative_head o h w (gain k : R) : matrix := fun r c => gain * shift_matrix o h w k r c.

(** Normative: SIN-8 (similarity), SIN-9 (distance), of rows [m] and [n] of even width [2 h]. *)
Definition similarity o h K w (m n : R) : R := dot (2 * h) (pe o h Zero K w m) (pe o h Zero K w n).
Definition distance o h K w (m n : R) : R :=
  let D := fun k => pe o h Zero K w m k - pe o h Zero K w n k in sqrt (dot (2 * h) D D).

(** ** Columns *)
Section Columns.
Variables (o : order) (h : nat).

Lemma column_cases k : (k < 2 * h)%nat ->
  exists i, (i < h)%nat /\ (k = sine_column o h i \/ k = cosine_column o h i).
Proof.
  destruct o; intros Hk.
  - exact (dim_cases interleaved h k Hk).
  - exact (dim_cases half_split h k Hk).
  - destruct (dim_cases half_split h k Hk) as (i & Hi & H); exists i; tauto.
Qed.

Lemma sine_column_lt i : (i < h)%nat -> (sine_column o h i < 2 * h)%nat.
Proof. destruct o; cbn [sine_column]; lia. Qed.
Lemma cosine_column_lt i : (i < h)%nat -> (cosine_column o h i < 2 * h)%nat.
Proof. destruct o; cbn [cosine_column]; lia. Qed.

Lemma at_sine i : (i < h)%nat ->
  pair_at o h (sine_column o h i) = i /\ is_sine o h (sine_column o h i) = true.
Proof.
  unfold pair_at, is_sine; destruct o; intros Hi; split.
  - exact (pair_of_first interleaved h i Hi).
  - exact (is_first_first interleaved h i Hi).
  - exact (pair_of_first half_split h i Hi).
  - exact (is_first_first half_split h i Hi).
  - exact (pair_of_second half_split h i Hi).
  - exact (f_equal negb (is_first_second half_split h i Hi)).
Qed.

Lemma at_cosine i : (i < h)%nat ->
  pair_at o h (cosine_column o h i) = i /\ is_sine o h (cosine_column o h i) = false.
Proof.
  unfold pair_at, is_sine; destruct o; intros Hi; split.
  - exact (pair_of_second interleaved h i Hi).
  - exact (is_first_second interleaved h i Hi).
  - exact (pair_of_second half_split h i Hi).
  - exact (is_first_second half_split h i Hi).
  - exact (pair_of_first half_split h i Hi).
  - exact (f_equal negb (is_first_first half_split h i Hi)).
Qed.

Lemma sum_of_columns f :
  sumn (2 * h) f = sumn h (fun i => f (sine_column o h i) + f (cosine_column o h i)).
Proof.
  destruct o.
  - exact (sum_of_pairs interleaved h f).
  - exact (sum_of_pairs half_split h f).
  - rewrite (sum_of_pairs half_split h f); apply sumn_ext; intros; apply Rplus_comm.
Qed.

Lemma blocks_times a b x i : (i < h)%nat ->
  times (2 * h) (blocks o h a b) x (sine_column o h i) =
    a i * x (sine_column o h i) + b i * x (cosine_column o h i) /\
  times (2 * h) (blocks o h a b) x (cosine_column o h i) =
    - b i * x (sine_column o h i) + a i * x (cosine_column o h i).
Proof.
  intros Hi; destruct (at_sine i Hi) as [Hp Hs], (at_cosine i Hi) as [Hp' Hs'].
  unfold times, dot; rewrite !sum_of_columns; split; rewrite (sumn_single h i); trivial;
    try (unfold blocks; rewrite ?Hp, ?Hp', ?Hs, ?Hs', Nat.eqb_refl; reflexivity);
    intros j Hj Hne; destruct (at_sine j Hj) as [Hj1 _], (at_cosine j Hj) as [Hj2 _];
    unfold blocks; rewrite ?Hp, ?Hp', Hj1, Hj2, (proj2 (Nat.eqb_neq i j)) by auto; ring.
Qed.
End Columns.

(** ** Theorems *)

Theorem SIN_1_first_frequency base width : 0 < base -> frequency base width 0 = 1.
Proof. apply frequency_0. Qed.

Theorem SIN_1_last_of_half_minus_one base h : 0 < base -> (2 <= h)%nat ->
  frequency_half_minus_one base h (h - 1) = / base.
Proof.
  intros Hb Hh; unfold frequency_half_minus_one; rewrite Nat.max_l by lia.
  assert (INR (h - 1) <> 0) by (apply not_0_INR; lia).
  replace (INR (h - 1) / INR (h - 1)) with 1 by (field; trivial).
  now rewrite Rpower_Ropp, Rpower_1.
Qed.

Theorem SIN_2_columns_partition o h k : (k < 2 * h)%nat ->
  exists i, (i < h)%nat /\ (k = sine_column o h i \/ k = cosine_column o h i) /\
    forall j, (j < h)%nat -> k = sine_column o h j \/ k = cosine_column o h j -> j = i.
Proof.
  intros Hk; destruct (column_cases o h k Hk) as (i & Hi & H); exists i; repeat split; trivial.
  assert (Hp : forall j, (j < h)%nat -> k = sine_column o h j \/ k = cosine_column o h j ->
    pair_at o h k = j)
    by (intros j Hj [->| ->]; [now apply at_sine|now apply at_cosine]).
  intros j Hj H'; now rewrite <- (Hp j), <- (Hp i).
Qed.

Section Theorems.
Variables (o : order) (h : nat) (odd : odd_width) (K : R) (w : nat -> R).
Implicit Types (t s m n k : R).
Notation PE := (pe o h odd K w).
Notation M := (shift_matrix o h w).

Theorem SIN_4_sine t i : (i < h)%nat -> PE t (sine_column o h i) = K * sin (t * w i).
Proof.
  intros Hi; destruct (at_sine o h i Hi) as [Hp Hs]; unfold pe.
  now rewrite (proj2 (Nat.ltb_lt _ _) (sine_column_lt o h i Hi)), Hp, Hs.
Qed.

Theorem SIN_4_cosine t i : (i < h)%nat -> PE t (cosine_column o h i) = K * cos (t * w i).
Proof.
  intros Hi; destruct (at_cosine o h i Hi) as [Hp Hs]; unfold pe.
  now rewrite (proj2 (Nat.ltb_lt _ _) (cosine_column_lt o h i Hi)), Hp, Hs.
Qed.

Theorem SIN_4_origin i : (i < h)%nat ->
  PE 0 (sine_column o h i) = 0 /\ PE 0 (cosine_column o h i) = K.
Proof. intros Hi; rewrite SIN_4_sine, SIN_4_cosine, Rmult_0_l, sin_0, cos_0 by trivial;
  split; ring. Qed.

Theorem SIN_4_scale t r : PE t r = K * pe o h odd 1 w t r.
Proof. unfold pe; destruct (r <? 2 * h)%nat, (is_sine o h r), odd; ring. Qed.

Theorem SIN_2_layouts_hold_the_same_columns o' t i : (i < h)%nat ->
  PE t (sine_column o h i) = pe o' h odd K w t (sine_column o' h i) /\
  PE t (cosine_column o h i) = pe o' h odd K w t (cosine_column o' h i).
Proof.
  intros Hi; rewrite SIN_4_sine, SIN_4_cosine by trivial; unfold pe.
  destruct (at_sine o' h i Hi) as [-> ->], (at_cosine o' h i Hi) as [-> ->].
  now rewrite (proj2 (Nat.ltb_lt _ _) (sine_column_lt o' h i Hi)),
    (proj2 (Nat.ltb_lt _ _) (cosine_column_lt o' h i Hi)).
Qed.

Theorem SIN_5_add token_scale x t i : (i < h)%nat ->
  add o h odd K w token_scale x t (sine_column o h i) =
    token_scale * x (sine_column o h i) + K * sin (t * w i) /\
  add o h odd K w token_scale x t (cosine_column o h i) =
    token_scale * x (cosine_column o h i) + K * cos (t * w i).
Proof. intros Hi; unfold add; now rewrite SIN_4_sine, SIN_4_cosine. Qed.

Theorem SIN_6_blocks k i j : (i < h)%nat -> (j < h)%nat ->
  let entry := fun r c => if (i =? j)%nat then r else c in
  M k (sine_column o h i) (sine_column o h j) = entry (cos (k * w i)) 0 /\
  M k (sine_column o h i) (cosine_column o h j) = entry (sin (k * w i)) 0 /\
  M k (cosine_column o h i) (sine_column o h j) = entry (- sin (k * w i)) 0 /\
  M k (cosine_column o h i) (cosine_column o h j) = entry (cos (k * w i)) 0.
Proof.
  intros Hi Hj entry; unfold entry, shift_matrix, blocks.
  destruct (at_sine o h i Hi) as [-> ->], (at_cosine o h i Hi) as [-> ->].
  destruct (at_sine o h j Hj) as [-> ->], (at_cosine o h j Hj) as [-> ->].
  now destruct (i =? j)%nat.
Qed.

Theorem SIN_3_odd_column t :
  PE t (2 * h)%nat = match odd with Sine => K * sin (t * w h) | Zero => 0 end.
Proof. unfold pe; now rewrite Nat.ltb_irrefl. Qed.

(** Compare two vectors of width [2 h] at the sine and at the cosine of every pair. *)
Ltac by_columns r := intros Hr; destruct (column_cases o h r Hr) as (i & Hi & [->| ->]).

(** *** The shift *)

Theorem SIN_13_shift_is_a_rotation t k r : (r < 2 * h)%nat ->
  times (2 * h) (M k) (PE t) r = PE (t + k) r.
Proof.
  by_columns r; unfold shift_matrix.
  - rewrite (proj1 (blocks_times o h _ _ (PE t) i Hi)), !SIN_4_sine, SIN_4_cosine,
      Rmult_plus_distr_r, sin_plus
      by trivial; ring.
  - rewrite (proj2 (blocks_times o h _ _ (PE t) i Hi)), SIN_4_sine, !SIN_4_cosine,
      Rmult_plus_distr_r, cos_plus
      by trivial; ring.
Qed.

Theorem SIN_13_shift_keeps_the_norm k x :
  dot (2 * h) (times (2 * h) (M k) x) (times (2 * h) (M k) x) = dot (2 * h) x x.
Proof.
  unfold dot at 1 2; rewrite !(sum_of_columns o); apply sumn_ext; intros i Hi; unfold shift_matrix.
  destruct (blocks_times o h (fun i => cos (k * w i)) (fun i => sin (k * w i)) x i Hi) as [-> ->].
  set (a := x _); set (b := x _); pose proof (cos2_sin2 (k * w i)).
  set (c := cos (k * w i)) in *; set (d := sin (k * w i)) in *.
  transitivity ((a * a + b * b) * (c * c + d * d)); [ring|rewrite H; ring].
Qed.

Theorem SIN_13_shifts_compose k l x r : (r < 2 * h)%nat ->
  times (2 * h) (M k) (times (2 * h) (M l) x) r = times (2 * h) (M (k + l)) x r.
Proof.
  by_columns r; unfold shift_matrix;
    destruct (blocks_times o h (fun i => cos ((k + l) * w i)) (fun i => sin ((k + l) * w i)) x i
      Hi) as [Es Ec];
    destruct (blocks_times o h (fun i => cos (l * w i)) (fun i => sin (l * w i)) x i Hi) as [Es'
      Ec'];
    destruct (blocks_times o h (fun i => cos (k * w i)) (fun i => sin (k * w i))
      (times (2 * h) (blocks o h (fun i => cos (l * w i)) (fun i => sin (l * w i))) x) i Hi) as
        [Es'' Ec''];
    rewrite ?Es, ?Ec, ?Es'', ?Ec'', ?Es', ?Ec', !Rmult_plus_distr_r, sin_plus, cos_plus; ring.
Qed.

Theorem SIN_13_shift_0_is_the_identity x r : (r < 2 * h)%nat -> times (2 * h) (M 0) x r = x r.
Proof.
  by_columns r; unfold shift_matrix;
    destruct (blocks_times o h (fun i => cos (0 * w i)) (fun i => sin (0 * w i)) x i Hi) as [Es Ec];
    rewrite ?Es, ?Ec, Rmult_0_l, sin_0, cos_0; ring.
Qed.

Theorem SIN_16_opposite_shift_is_the_transpose k r c : M (- k) r c = M k c r.
Proof.
  unfold shift_matrix, blocks.
  rewrite (Nat.eqb_sym (pair_at o h c)); destruct (Nat.eqb_spec (pair_at o h r) (pair_at o h c))
    as [->|]; trivial.
  rewrite Ropp_mult_distr_l_reverse, cos_neg, sin_neg.
  destruct (is_sine o h r), (is_sine o h c); ring.
Qed.

Theorem SIN_16_parity t i : (i < h)%nat ->
  PE (- t) (sine_column o h i) = - PE t (sine_column o h i) /\
  PE (- t) (cosine_column o h i) = PE t (cosine_column o h i).
Proof.
  intros Hi; rewrite !SIN_4_sine, !SIN_4_cosine, Ropp_mult_distr_l_reverse, sin_neg, cos_neg
    by trivial; split; ring.
Qed.

Theorem SIN_16_transpose_is_the_inverse k x r : (r < 2 * h)%nat ->
  times (2 * h) (fun r c => M k c r) (times (2 * h) (M k) x) r = x r.
Proof.
  intros Hr; transitivity (times (2 * h) (M (- k)) (times (2 * h) (M k) x) r).
  - apply sumn_ext; intros c _; now rewrite SIN_16_opposite_shift_is_the_transpose.
  - rewrite SIN_13_shifts_compose, Rplus_opp_l by trivial; now apply SIN_13_shift_0_is_the_identity.
Qed.

(** *** Dot products, norms, distances *)

Theorem SIN_14_dot_products t s :
  dot (2 * h) (PE t) (PE s) = K * K * sumn h (fun i => cos ((t - s) * w i)).
Proof.
  unfold dot; rewrite (sum_of_columns o), <- sumn_scal; apply sumn_ext; intros i Hi.
  rewrite !SIN_4_sine, !SIN_4_cosine, Rmult_minus_distr_r, cos_minus by trivial; ring.
Qed.

Theorem SIN_14_dot_products_depend_on_the_offset_only t s k :
  dot (2 * h) (PE (t + k)) (PE (s + k)) = dot (2 * h) (PE t) (PE s).
Proof. rewrite !SIN_14_dot_products; now replace (t + k - (s + k)) with (t - s) by ring. Qed.

Theorem SIN_15_norm_of_a_pair t i : (i < h)%nat ->
  (PE t (sine_column o h i))^2 + (PE t (cosine_column o h i))^2 = K^2.
Proof.
  intros Hi; rewrite SIN_4_sine, SIN_4_cosine by trivial; pose proof (cos2_sin2 (t * w i)).
  transitivity (K^2 * (cos (t * w i) * cos (t * w i) + sin (t * w i) * sin (t * w i)));
    [ring|rewrite H; ring].
Qed.

Theorem SIN_15_norm t : dot (2 * h) (PE t) (PE t) = K * K * INR h.
Proof.
  rewrite SIN_14_dot_products, (sumn_ext _ _ (fun _ => 1)), sumn_const; [ring|].
  intros i _; now rewrite Rminus_diag_eq, Rmult_0_l, cos_0 by trivial.
Qed.
End Theorems.

Section Pairwise.
Variables (o : order) (h : nat) (K : R) (w : nat -> R).

Theorem SIN_8_similarity m n :
  similarity o h K w m n = K * K * sumn h (fun i => cos ((m - n) * w i)).
Proof. apply SIN_14_dot_products. Qed.

Theorem SIN_8_similarity_is_symmetric m n : similarity o h K w m n = similarity o h K w n m.
Proof. apply sumn_ext; intros; apply Rmult_comm. Qed.

Theorem SIN_8_similarity_is_largest_at_0 m n : similarity o h K w m n <= similarity o h K w m m.
Proof.
  rewrite !SIN_8_similarity; apply Rmult_le_compat_l; [apply Rle_0_sqr|]; apply sumn_le; intros i _.
  rewrite (Rminus_diag_eq m m), Rmult_0_l, cos_0 by trivial; apply COS_bound.
Qed.

Lemma half_angle a : 1 - cos a = 2 * (sin (a / 2) * sin (a / 2)).
Proof. replace a with (2 * (a / 2)) at 1 by field; rewrite cos_2a_sin; ring. Qed.

Theorem SIN_9_distance m n :
  distance o h K w m n =
  2 * Rabs K * sqrt (sumn h (fun i => sin ((m - n) * w i / 2) * sin ((m - n) * w i / 2))).
Proof.
  unfold distance; set (D := fun k => _).
  replace (dot (2 * h) D D) with
    ((2 * Rabs K) * (2 * Rabs K) * sumn h (fun i => sin ((m - n) * w i / 2) * sin ((m - n) * w i /
      2))).
  - rewrite sqrt_mult_alt by (apply Rle_0_sqr); f_equal; apply sqrt_square;
      pose proof (Rabs_pos K); lra.
  - replace ((2 * Rabs K) * (2 * Rabs K)) with (2 * (K * K) * 2)
      by (transitivity (4 * (Rabs K * Rabs K));
        [rewrite <- Rabs_mult, Rabs_pos_eq by apply Rle_0_sqr|]; ring).
    rewrite Rmult_assoc, <- !sumn_scal; unfold dot; rewrite (sum_of_columns o).
    apply sumn_ext; intros i Hi; rewrite <- half_angle; unfold D.
    rewrite !SIN_4_sine, !SIN_4_cosine, Rmult_minus_distr_r, cos_minus by trivial.
    pose proof (cos2_sin2 (m * w i)) as E; pose proof (cos2_sin2 (n * w i)) as E'.
    set (c := cos (m * w i)) in *; set (s := sin (m * w i)) in *.
    set (c' := cos (n * w i)) in *; set (s' := sin (n * w i)) in *.
    transitivity (K * K * ((c * c + s * s) + (c' * c' + s' * s') - 2 * (c * c' + s * s')));
      [rewrite E, E'|]; ring.
Qed.

Theorem SIN_9_square_of_the_distance m n :
  distance o h K w m n * distance o h K w m n = 2 * (K * K * INR h - similarity o h K w m n).
Proof.
  unfold distance; set (p := pe o h Zero K w m); set (q := pe o h Zero K w n).
  assert (Ep : dot (2 * h) p p = K * K * INR h) by apply SIN_15_norm.
  assert (Eq : dot (2 * h) q q = K * K * INR h) by apply SIN_15_norm.
  rewrite sqrt_sqrt by (apply sum_nonneg; intros; apply Rle_0_sqr).
  transitivity (dot (2 * h) p p + dot (2 * h) q q + -2 * dot (2 * h) p q);
    [|rewrite Ep, Eq; unfold similarity; fold p q; ring].
  unfold dot; rewrite <- sumn_scal, <- !sumn_plus; apply sumn_ext; intros; ring.
Qed.

Theorem SIN_14_distances_depend_on_the_offset_only m n k :
  distance o h K w (m + k) (n + k) = distance o h K w m n.
Proof. rewrite !SIN_9_distance; now replace (m + k - (n + k)) with (m - n) by ring. Qed.

Theorem SIN_9_distance_is_symmetric m n : distance o h K w m n = distance o h K w n m.
Proof. unfold distance; f_equal; apply sumn_ext; intros; ring. Qed.

(** *** The relative head *)

Theorem SIN_7_relative_head gain k m n :
  dot (2 * h) (pe o h Zero K w m) (times (2 * h) (relative_head o h w gain k) (pe o h Zero K w n)) =
  gain * similarity o h K w (m - k) n.
Proof.
  transitivity (gain * dot (2 * h) (pe o h Zero K w m) (pe o h Zero K w (n + k))).
  - unfold dot at 1 2; rewrite <- sumn_scal; apply sumn_ext; intros r Hr.
    rewrite <- (SIN_13_shift_is_a_rotation o h Zero K w n k r Hr).
    unfold times, dot, relative_head.
    rewrite (sumn_ext _ _ (fun c => gain * (shift_matrix o h w k r c * pe o h Zero K w n c))),
      sumn_scal
      by (intros; ring); ring.
  - rewrite SIN_14_dot_products, SIN_8_similarity; do 2 f_equal.
    apply sumn_ext; intros i _; do 2 f_equal; ring.
Qed.

Theorem SIN_17_value_at_the_peak gain k m :
  dot (2 * h) (pe o h Zero K w m) (times (2 * h) (relative_head o h w gain k) (pe o h Zero K w (m
    - k))) =
  gain * (K * K * INR h).
Proof. rewrite SIN_7_relative_head; f_equal; apply SIN_15_norm. Qed.

Theorem SIN_17_nothing_exceeds_the_peak gain k m n : 0 <= gain ->
  dot (2 * h) (pe o h Zero K w m) (times (2 * h) (relative_head o h w gain k) (pe o h Zero K w n))
    <=
  dot (2 * h) (pe o h Zero K w m) (times (2 * h) (relative_head o h w gain k) (pe o h Zero K w (m
    - k))).
Proof.
  intros; rewrite !SIN_7_relative_head; apply Rmult_le_compat_l; trivial;
    apply SIN_8_similarity_is_largest_at_0.
Qed.
End Pairwise.

(** *** Wavelengths *)

Theorem SIN_19_wavelength base width i : wavelength (frequency base width i) =
  2 * PI * Rpower base (2 * INR i / INR width).
Proof.
  unfold wavelength, frequency; rewrite Rpower_Ropp; unfold Rdiv at 1; now rewrite Rinv_inv.
Qed.

(** A wavelength later both entries of the pair are what they were. *)
Theorem SIN_19_period o h odd K w t i : (i < h)%nat -> w i <> 0 ->
  let t' := t + wavelength (w i) in
  pe o h odd K w t' (sine_column o h i) = pe o h odd K w t (sine_column o h i) /\
  pe o h odd K w t' (cosine_column o h i) = pe o h odd K w t (cosine_column o h i).
Proof.
  intros Hi Hw t'; rewrite !SIN_4_sine, !SIN_4_cosine by trivial.
  replace (t' * w i) with (t * w i + 2 * INR 1 * PI)
    by (unfold t', wavelength; simpl (INR 1); field; trivial).
  now rewrite sin_period, cos_period.
Qed.

(** *** Timesteps *)

Theorem SIN_20_shift_0_is_half max_period h i : (0 < h)%nat ->
  timestep_frequency max_period 0 h i = frequency max_period (2 * h) i.
Proof.
  intros Hh; unfold timestep_frequency, frequency; do 2 f_equal; rewrite mult_INR; simpl (INR 2).
  apply lt_0_INR in Hh; field; lra.
Qed.

Theorem SIN_20_shift_1_is_half_minus_one max_period h i : (2 <= h)%nat ->
  timestep_frequency max_period 1 h i = frequency_half_minus_one max_period h i.
Proof.
  intros Hh; unfold timestep_frequency, frequency_half_minus_one; rewrite Nat.max_l by lia.
  rewrite minus_INR by lia; reflexivity.
Qed.

Theorem SIN_20_first_frequency max_period shift h : 0 < max_period ->
  timestep_frequency max_period shift h 0 = 1.
Proof.
  intros H; unfold timestep_frequency; simpl (INR 0).
  replace (- (0 / (INR h - shift))) with 0 by (unfold Rdiv; ring); now apply Rpower_O.
Qed.

(** A later time is a rotation: SIN-13 for real times. *)
Theorem SIN_20_later_is_a_rotation flip h max_period shift scale t k r : (r < 2 * h)%nat ->
  times (2 * h) (shift_matrix (if flip : bool then Cos_sin else Sin_cos) h
    (timestep_frequency max_period shift h) (scale * k))
    (timestep flip h max_period shift scale t) r =
  timestep flip h max_period shift scale (t + k) r.
Proof.
  intros Hr; unfold timestep; rewrite SIN_13_shift_is_a_rotation by trivial; f_equal; ring.
Qed.

(** *** Fourier features *)

Theorem SIN_21_dot_products n h B x y : dot (2 * h) (fourier n h B x) (fourier n h B y) =
  sumn h (fun i => cos (phase n B (fun c => x c - y c) i)).
Proof.
  unfold dot; rewrite (sum_of_pairs half_split); apply sumn_ext; intros i Hi; simpl first;
    simpl second.
  unfold fourier; rewrite (proj2 (Nat.ltb_lt i h) Hi), (proj2 (Nat.ltb_ge (h + i) h)) by lia.
  replace (h + i - h)%nat with i by lia.
  replace (phase n B (fun c => x c - y c) i) with (phase n B x i - phase n B y i);
    [rewrite cos_minus; ring|].
  unfold phase, dot.
  rewrite (sumn_ext n (fun k => B i k * (x k - y k)) (fun k => B i k * x k + -1 * (B i k * y k)))
    by (intros; ring).
  rewrite sumn_plus, sumn_scal; ring.
Qed.

Theorem SIN_21_dot_products_depend_on_the_offset_only n h B x y t :
  dot (2 * h) (fourier n h B (fun c => x c + t c)) (fourier n h B (fun c => y c + t c)) =
  dot (2 * h) (fourier n h B x) (fourier n h B y).
Proof.
  rewrite !SIN_21_dot_products; apply sumn_ext; intros i _; unfold phase, dot; do 2 f_equal.
  apply sumn_ext; intros; ring.
Qed.

Theorem SIN_21_norm n h B x : dot (2 * h) (fourier n h B x) (fourier n h B x) = INR h.
Proof.
  rewrite SIN_21_dot_products, (sumn_ext _ _ (fun _ => 1)), sumn_const; [ring|].
  intros i _; unfold phase, dot; rewrite (sumn_ext _ _ (fun _ => 0)), sumn_const by (intros; ring).
  rewrite !Rmult_0_r; apply cos_0.
Qed.

(** *** NeRF *)

Theorem SIN_22_entries L unit x k : (k < L)%nat ->
  nerf L unit x (2 * k)%nat = sin (x * octave unit k) /\
  nerf L unit x (2 * k + 1)%nat = cos (x * octave unit k).
Proof.
  intros Hk; unfold nerf.
  pose proof (SIN_4_sine Interleaved L Zero 1 (octave unit) x k Hk) as Hs.
  pose proof (SIN_4_cosine Interleaved L Zero 1 (octave unit) x k Hk) as Hc.
  cbn [sine_column cosine_column] in Hs, Hc; rewrite Hs, Hc; split; ring.
Qed.

(** The code's order holds the same numbers. *)
Theorem SIN_22_orders_hold_the_same_entries L n unit x k c : (k < L)%nat -> (c < n)%nat ->
  nerf_by_octaves n unit x (2 * n * k + c)%nat = nerf L unit (x c) (2 * k)%nat /\
  nerf_by_octaves n unit x (2 * n * k + n + c)%nat = nerf L unit (x c) (2 * k + 1)%nat.
Proof.
  intros Hk Hc; destruct (SIN_22_entries L unit (x c) k Hk) as [-> ->]; unfold nerf_by_octaves;
    split.
  - rewrite <- (Nat.div_unique (2 * n * k + c) (2 * n) k c) by lia.
    rewrite <- (Nat.mod_unique (2 * n * k + c) (2 * n) k c) by lia.
    rewrite (proj2 (Nat.ltb_lt c n) Hc); f_equal; ring.
  - rewrite <- (Nat.div_unique (2 * n * k + n + c) (2 * n) k (n + c)) by lia.
    rewrite <- (Nat.mod_unique (2 * n * k + n + c) (2 * n) k (n + c)) by lia.
    rewrite (proj2 (Nat.ltb_ge (n + c) n)) by lia; replace (n + c - n)%nat with c by lia.
    f_equal; ring.
Qed.

(** Each octave is the one before it, doubled. *)
Theorem SIN_22_next_octave L unit x k : (S k < L)%nat ->
  let s := nerf L unit x (2 * k)%nat in
  let c := nerf L unit x (2 * k + 1)%nat in
  nerf L unit x (2 * S k)%nat = 2 * s * c /\ nerf L unit x (2 * S k + 1)%nat = c * c - s * s.
Proof.
  intros Hk s c; unfold s, c; destruct (SIN_22_entries L unit x k) as [-> ->]; [lia|].
  destruct (SIN_22_entries L unit x (S k) Hk) as [-> ->].
  replace (x * octave unit (S k)) with (2 * (x * octave unit k)) by (unfold octave; simpl; ring).
  rewrite sin_2a, cos_2a; split; ring.
Qed.
