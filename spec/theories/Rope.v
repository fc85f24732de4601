(** * Rotary position embedding (spec/rope.md)

    Su, Lu, Pan, Murtadha, Wen, Liu 2021.  Positions are real numbers here;
      POS-1 lets integers in. *)
From Gnomon Require Import Sums Pairs.

(** ** Definitions

    Normative: ROPE-1 (frequencies) is [frequency rope_theta rotary_dim] or any given schedule [w],
    ROPE-2 (layout) is in [Pairs]. *)

(** Normative: ROPE-3 and ROPE-4 (rotation by tables), ROPE-5 (window).  [h] pairs start at dim [o];
    pairs are read from the layout [lin] and written to the layout [lout]; other dims are copied. *)
Definition rotate (lin lout : layout) (h o : nat) (c s : nat -> R) (x : vector) : vector := fun k =>
  if ((o <=? k) && (k <? o + 2 * h))%nat then
    let i := pair_of lout h (k - o) in
    let y := turn (c i) (s i) (x (o + first lin h i)%nat, x (o + second lin h i)%nat) in
    if is_first lout h (k - o) then fst y else snd y
  else x k.

(** Normative: ROPE-6 (direction).  The transpose has [- s] for [s]. *)
Definition rotate_transpose lin lout h o (c s : nat -> R) := rotate lin lout h o c (fun i => - s i).

(** Normative: ROPE-3.  R_m, the rotation at position [m] under the schedule [w]: the angle is the
    exact product.  And its transpose. *)
Definition rope2 lin lout h o (w : nat -> R) (m : R) :=
  rotate lin lout h o (fun i => cos (m * w i)) (fun i => sin (m * w i)).
Definition rope_transpose2 lin lout h o (w : nat -> R) (m : R) :=
  rotate_transpose lin lout h o (fun i => cos (m * w i)) (fun i => sin (m * w i)).
(** The usual case: input and output in the same layout. *)
Definition rope l := rope2 l l.
Definition rope_transpose l := rope_transpose2 l l.

(** Normative: ROPE-19.  P: from interleaved order to half-split order inside the window. *)
Definition to_half_split (h o : nat) (x : vector) : vector := fun k =>
  if ((o <=? k) && (k <? o + 2 * h))%nat then
    x (o + (if k - o <? h then first interleaved h (k - o) else second interleaved h (k - o -
      h)))%nat
  else x k.

(** Normative: ROPE-3 on a whole tensor [batch, seq, heads, head_dim]: every token has a position of
    its own, every head of a token the same. *)
Definition tensor := nat -> nat -> nat -> vector.
Definition apply lin lout h o (w : nat -> R) (position : nat -> nat -> R) (x : tensor) : tensor :=
  fun b t n => rope2 lin lout h o w (position b t) (x b t n).

(** ** What the definition says, dim by dim *)
Section Dims.
Variables (lin lout : layout) (h o : nat) (c s : nat -> R) (x : vector).

Lemma window_inside k : (k < 2 * h)%nat -> ((o <=? o + k) && (o + k <? o + 2 * h))%nat = true.
Proof. intros; apply andb_true_intro; split; [apply Nat.leb_le|apply Nat.ltb_lt]; lia. Qed.

Lemma window_outside k : (k < o \/ o + 2 * h <= k)%nat ->
  ((o <=? k) && (k <? o + 2 * h))%nat = false.
Proof. intros; apply andb_false_iff; rewrite Nat.leb_gt, Nat.ltb_ge; lia. Qed.

Theorem ROPE_3_first i : (i < h)%nat ->
  rotate lin lout h o c s x (o + first lout h i)%nat =
  x (o + first lin h i)%nat * c i - x (o + second lin h i)%nat * s i.
Proof.
  intros Hi; unfold rotate; rewrite window_inside by now apply first_lt.
  rewrite (Nat.add_comm o (first _ _ _)), Nat.add_sub, pair_of_first, is_first_first; trivial.
Qed.

Theorem ROPE_3_second i : (i < h)%nat ->
  rotate lin lout h o c s x (o + second lout h i)%nat =
  x (o + first lin h i)%nat * s i + x (o + second lin h i)%nat * c i.
Proof.
  intros Hi; unfold rotate; rewrite window_inside by now apply second_lt.
  rewrite (Nat.add_comm o (second _ _ _)), Nat.add_sub, pair_of_second, is_first_second; trivial.
Qed.

Theorem ROPE_5_copied k : (k < o \/ o + 2 * h <= k)%nat -> rotate lin lout h o c s x k = x k.
Proof. intros Hk; unfold rotate; now rewrite window_outside. Qed.
End Dims.

(** A row asked alone, at its own position, is that row of the whole: no other token enters. *)
Theorem ROPE_3_rows lin lout h o w position (x : tensor) b t n :
  apply lin lout h o w position x b t n =
  apply lin lout h o w (fun _ _ => position b t) (fun _ _ n => x b t n) 0%nat 0%nat n.
Proof. reflexivity. Qed.

(** Heads that hold the same numbers are turned alike. *)
Theorem ROPE_3_heads lin lout h o w position (x : tensor) b t n n' k :
  (forall j, x b t n j = x b t n' j) ->
  apply lin lout h o w position x b t n k = apply lin lout h o w position x b t n' k.
Proof. intros H; unfold apply, rope2, rotate; now rewrite !H. Qed.

(** Every dim is copied, or the first or the second of one pair. *)
Lemma dims lout h o k : (k < o \/ o + 2 * h <= k)%nat \/
  exists i, (i < h)%nat /\ (k = o + first lout h i \/ k = o + second lout h i)%nat.
Proof.
  destruct (Nat.lt_ge_cases k o), (Nat.lt_ge_cases k (o + 2 * h)); try tauto.
  destruct (dim_cases lout h (k - o)) as (i & Hi & [E|E]); [lia|right; exists i; lia..].
Qed.

(** Compare two vectors dim by dim: copied, first of a pair, second of a pair. *)
Ltac by_dims l h o k :=
  let i := fresh "i" in let Hi := fresh "Hi" in let Hk := fresh "Hk" in
  destruct (dims l h o k) as [Hk|(i & Hi & [->| ->])];
  unfold rope, rope_transpose, rope2, rope_transpose2, rotate_transpose;
  [repeat (rewrite ROPE_5_copied by trivial)
  |repeat ((rewrite ROPE_3_first by trivial) || (rewrite ROPE_3_second by trivial))..].

(** A sum over the [n] dims of a head: copied dims, and the pairs of the window. *)
Lemma sum_by_dims l h o n f : (o + 2 * h <= n)%nat ->
  sumn n f = sumn o f + sumn h (fun i => f (o + first l h i)%nat + f (o + second l h i)%nat)
             + sumn (n - o - 2 * h) (fun k => f (o + 2 * h + k)%nat).
Proof.
  intros Hn; replace n with (o + (2 * h + (n - o - 2 * h)))%nat at 1 by lia.
  rewrite sumn_split, sumn_split, (sum_of_pairs l).
  rewrite (sumn_ext (n - o - 2 * h) _ (fun k => f (o + 2 * h + k)%nat)) by (intros; f_equal; lia);
    ring.
Qed.

(** ** Theorems *)

Theorem ROPE_1_first_frequency theta r : 0 < theta -> frequency theta r 0 = 1.
Proof. apply frequency_0. Qed.

Theorem ROPE_1_frequencies_fall theta r i j : 1 < theta -> (0 < r)%nat -> (i < j)%nat ->
  0 < frequency theta r j < frequency theta r i.
Proof.
  intros Ht Hr Hij; apply lt_INR in Hij; apply lt_0_INR in Hr; split; [apply exp_pos|].
  apply Rpower_lt; trivial; apply Ropp_lt_contravar, Rmult_lt_compat_r;
    [now apply Rinv_0_lt_compat|lra].
Qed.

(** What all frequencies of a theta can be tested by without a logarithm. *)
Theorem ROPE_1_power_of_a_frequency theta h i : 0 < theta -> (0 < h)%nat ->
  frequency theta (2 * h) i ^ h * theta ^ i = 1.
Proof.
  intros Ht Hh; unfold frequency; rewrite <- Rpower_pow, <- (Rpower_pow i), Rpower_mult,
    <- Rpower_plus
    by (trivial; apply exp_pos).
  replace (- (2 * INR i / INR (2 * h)) * INR h + INR i) with 0; [now apply Rpower_O|].
  rewrite mult_INR; simpl (INR 2); field; apply not_0_INR; lia.
Qed.

Theorem ROPE_2_layouts_partition_the_dims l h k : (k < 2 * h)%nat ->
  exists i, (i < h)%nat /\ (k = first l h i \/ k = second l h i) /\
    forall j, (j < h)%nat -> k = first l h j \/ k = second l h j -> j = i.
Proof.
  intros Hk; destruct (dim_cases l h k Hk) as (i & Hi & H); exists i; repeat split; trivial.
  assert (Hp : forall j, (j < h)%nat -> k = first l h j \/ k = second l h j -> pair_of l h k = j)
    by (intros j Hj [->| ->]; [now apply pair_of_first|now apply pair_of_second]).
  intros j Hj H'; now rewrite <- (Hp j), <- (Hp i).
Qed.

(** The transpose really is the transpose, for any tables: over the [d] dims of a head that holds
    the window, the dot product with a rotated vector is that of the other vector, rotated back. *)
Theorem ROPE_6_tables_transpose_is_the_adjoint l h o d c s q (k : vector) : (o + 2 * h <= d)%nat ->
  dot d (rotate l l h o c s q) k = dot d q (rotate_transpose l l h o c s k).
Proof.
  intros Hd; unfold dot; rewrite !(sum_by_dims l h o d) by trivial; f_equal; [f_equal|];
    apply sumn_ext; intros i Hi; unfold rotate_transpose.
  - now rewrite !ROPE_5_copied by (left; lia).
  - rewrite !ROPE_3_first, !ROPE_3_second by trivial; ring.
  - now rewrite !ROPE_5_copied by (right; lia).
Qed.

Lemma dot_ext d x x' y y' : (forall k, x k = x' k) -> (forall k, y k = y' k) ->
  dot d x y = dot d x' y'.
Proof. intros Hx Hy; apply sumn_ext; intros k _; now rewrite Hx, Hy. Qed.

Section Theorems.
Variables (l : layout) (h o : nat) (w : nat -> R).
Implicit Types (x y q : vector) (m n t : R).
Notation R_ := (rope l h o w).
Notation T_ := (rope_transpose l h o w).

Theorem ROPE_13_identity x j : R_ 0 x j = x j.
Proof. by_dims l h o j; rewrite ?Rmult_0_l, ?cos_0, ?sin_0; ring. Qed.

Theorem ROPE_14_composition m n x j : R_ m (R_ n x) j = R_ (m + n) x j.
Proof. by_dims l h o j; rewrite ?Rmult_plus_distr_r, ?cos_plus, ?sin_plus; ring. Qed.

Theorem ROPE_4_positions_are_their_tables m x j :
  R_ m x j = rotate l l h o (fun i => cos (m * w i)) (fun i => sin (m * w i)) x j.
Proof. reflexivity. Qed.

Theorem ROPE_4_unit_circle m i : cos (m * w i) ^ 2 + sin (m * w i) ^ 2 = 1.
Proof. rewrite <- (cos2_sin2 (m * w i)); ring. Qed.

Theorem ROPE_14_tables_add m n i :
  cos ((m + n) * w i) = cos (m * w i) * cos (n * w i) - sin (m * w i) * sin (n * w i) /\
  sin ((m + n) * w i) = sin (m * w i) * cos (n * w i) + cos (m * w i) * sin (n * w i).
Proof. rewrite Rmult_plus_distr_r, cos_plus, sin_plus; split; ring. Qed.

Theorem ROPE_6_transpose_is_the_inverse_rotation m x j : T_ m x j = R_ (- m) x j.
Proof. by_dims l h o j; rewrite ?Ropp_mult_distr_l_reverse, ?cos_neg, ?sin_neg; ring. Qed.

Theorem ROPE_15_negative_position m x j : R_ (- m) x j = T_ m x j.
Proof. symmetry; apply ROPE_6_transpose_is_the_inverse_rotation. Qed.

Theorem ROPE_15_transposed_composition m n x j : T_ m (R_ n x) j = R_ (n - m) x j.
Proof. by_dims l h o j; rewrite ?Rmult_minus_distr_r, ?cos_minus, ?sin_minus; ring. Qed.

Theorem ROPE_20_transpose_undoes m x j : T_ m (R_ m x) j = x j.
Proof. rewrite ROPE_15_transposed_composition, Rminus_diag_eq by trivial;
  apply ROPE_13_identity. Qed.

Theorem ROPE_11_zero_frequency m x i : (i < h)%nat -> w i = 0 ->
  R_ m x (o + first l h i)%nat = x (o + first l h i)%nat /\
  R_ m x (o + second l h i)%nat = x (o + second l h i)%nat.
Proof.
  intros Hi Hw; unfold rope, rope2; rewrite ROPE_3_first, ROPE_3_second, Hw, Rmult_0_r, cos_0,
    sin_0 by trivial.
  split; ring.
Qed.

Theorem ROPE_18_linearity m a b x y j :
  R_ m (fun k => a * x k + b * y k) j = a * R_ m x j + b * R_ m y j.
Proof. by_dims l h o j; ring. Qed.

Theorem ROPE_17_norm_of_a_pair m x i : (i < h)%nat ->
  (R_ m x (o + first l h i)%nat)^2 + (R_ m x (o + second l h i)%nat)^2 =
  (x (o + first l h i)%nat)^2 + (x (o + second l h i)%nat)^2.
Proof.
  intros Hi; unfold rope, rope2; rewrite ROPE_3_first, ROPE_3_second by trivial.
  set (a := x _); set (b := x _); set (C := cos _); set (S := sin _).
  transitivity ((a^2 + b^2) * (C * C + S * S)); [ring|unfold C, S; rewrite cos2_sin2; ring].
Qed.

(** Scores over the [n] dims of a head, which holds the window. *)
Section Scores.
Variable d : nat.
Hypothesis Hd : (o + 2 * h <= d)%nat.

Theorem ROPE_6_transpose_is_the_adjoint m q (k : vector) : dot d (R_ m q) k = dot d q (T_ m k).
Proof. now apply ROPE_6_tables_transpose_is_the_adjoint. Qed.

Theorem ROPE_16_scores m n q (k : vector) : dot d (R_ m q) (R_ n k) = dot d q (R_ (n - m) k).
Proof.
  rewrite ROPE_6_transpose_is_the_adjoint; apply dot_ext; trivial;
    apply ROPE_15_transposed_composition.
Qed.

Theorem ROPE_16_scores_depend_on_the_offset_only m n t q (k : vector) :
  dot d (R_ (m + t) q) (R_ (n + t) k) = dot d (R_ m q) (R_ n k).
Proof. rewrite !ROPE_16_scores; do 2 f_equal; ring. Qed.

Theorem ROPE_17_norm m x : dot d (R_ m x) (R_ m x) = dot d x x.
Proof.
  rewrite ROPE_16_scores; apply dot_ext; trivial; intros; rewrite Rminus_diag_eq by trivial.
  apply ROPE_13_identity.
Qed.
End Scores.

(** Given tables: the transpose is the inverse exactly on the unit circle. *)
Theorem ROPE_6_transpose_of_tables c s x i : (i < h)%nat ->
  let y := rotate_transpose l l h o c s (rotate l l h o c s x) in
  y (o + first l h i)%nat = (c i * c i + s i * s i) * x (o + first l h i)%nat /\
  y (o + second l h i)%nat = (c i * c i + s i * s i) * x (o + second l h i)%nat.
Proof.
  intros Hi y; unfold y, rotate_transpose.
  repeat ((rewrite ROPE_3_first by trivial) || (rewrite ROPE_3_second by trivial)); split; ring.
Qed.
End Theorems.

(** A negative frequency turns the other way. *)
Theorem ROPE_11_negative_frequency l h o w m x j :
  rope l h o (fun i => - w i) m x j = rope_transpose l h o w m x j.
Proof. by_dims l h o j; rewrite ?Ropp_mult_distr_r_reverse, ?cos_neg, ?sin_neg; ring. Qed.

(** *** Layouts conjugate *)
Section Layouts.
Variables (h o : nat).

Lemma to_half_split_first x i : (i < h)%nat ->
  to_half_split h o x (o + first half_split h i)%nat = x (o + first interleaved h i)%nat.
Proof.
  intros Hi; unfold to_half_split; rewrite window_inside by (simpl; lia); simpl first.
  replace (o + i - o)%nat with i by lia; now rewrite (proj2 (Nat.ltb_lt _ _) Hi).
Qed.

Lemma to_half_split_second x i : (i < h)%nat ->
  to_half_split h o x (o + second half_split h i)%nat = x (o + second interleaved h i)%nat.
Proof.
  intros Hi; unfold to_half_split; rewrite window_inside by (simpl; lia); simpl second.
  replace (o + (h + i) - o)%nat with (h + i)%nat by lia.
  rewrite (proj2 (Nat.ltb_ge (h + i) h)) by lia; do 2 f_equal; lia.
Qed.

Lemma to_half_split_copied x k : (k < o \/ o + 2 * h <= k)%nat -> to_half_split h o x k = x k.
Proof. intros; unfold to_half_split; now rewrite window_outside. Qed.

Ltac halves k := destruct (dims half_split h o k) as [Hk|(i & Hi & [->| ->])];
  repeat ((rewrite ROPE_5_copied by trivial) || (rewrite to_half_split_copied by trivial)
          || (rewrite ROPE_3_first by trivial) || (rewrite ROPE_3_second by trivial)
          || (rewrite to_half_split_first by trivial) || (rewrite to_half_split_second
            by trivial)); trivial.

(** P takes every input and every output layout from interleaved to half split: it holds for any
    tables, so for both directions. *)
Theorem ROPE_19_conjugation c s x k :
  rotate half_split half_split h o c s (to_half_split h o x) k =
  to_half_split h o (rotate interleaved interleaved h o c s x) k.
Proof. halves k. Qed.

Theorem ROPE_19_input_layout lout c s x k :
  rotate half_split lout h o c s (to_half_split h o x) k = rotate interleaved lout h o c s x k.
Proof.
  destruct (dims lout h o k) as [Hk|(i & Hi & [->| ->])];
  repeat ((rewrite ROPE_5_copied by trivial) || (rewrite to_half_split_copied by trivial)
          || (rewrite ROPE_3_first by trivial) || (rewrite ROPE_3_second by trivial)
          || (rewrite to_half_split_first by trivial) || (rewrite to_half_split_second
            by trivial)); trivial.
Qed.

Theorem ROPE_19_output_layout lin c s x k :
  rotate lin half_split h o c s x k = to_half_split h o (rotate lin interleaved h o c s x) k.
Proof. halves k. Qed.

(** Scores do not see the order of dims, as long as q and k share it. *)
Theorem ROPE_19_scores_are_blind_to_the_order d x y : (o + 2 * h <= d)%nat ->
  dot d (to_half_split h o x) (to_half_split h o y) = dot d x y.
Proof.
  intros Hd; unfold dot.
  rewrite (sum_by_dims half_split h o d), (sum_by_dims interleaved h o d (fun k => x k * y k))
    by trivial.
  f_equal; [f_equal|]; apply sumn_ext; intros i Hi.
  - now rewrite !to_half_split_copied by (left; lia).
  - now rewrite !to_half_split_first, !to_half_split_second.
  - now rewrite !to_half_split_copied by (right; lia).
Qed.
End Layouts.
