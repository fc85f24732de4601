(** * More than one axis (spec/multi_axis.md) *)
From Coq Require Import ZifyNat.
From Gnomon Require Import Sums Pairs Rope Sinusoidal.

(** ** Definitions *)

(** Normative: AXES-1 (axial rotation).  Pair [i] belongs to axis [axis i] and is turned by the
    position on that axis, [p (axis i)], times its frequency. *)
Definition axial l h o (axis : nat -> nat) (w : nat -> R) (p : nat -> R) :=
  rotate l l h o (fun i => cos (p (axis i) * w i)) (fun i => sin (p (axis i) * w i)).
Definition axial_transpose l h o (axis : nat -> nat) (w : nat -> R) (p : nat -> R) :=
  rotate_transpose l l h o (fun i => cos (p (axis i) * w i)) (fun i => sin (p (axis i) * w i)).

(** Normative: AXES-2 (sections).  Consecutive pairs: the first section has the first [sizes_0]
    pairs, .. Frequencies are those of one schedule over all pairs; their index does not start anew.
    *)
Fixpoint section (sizes : list nat) (i : nat) : nat :=
  match sizes with
  | [] => 0
  | n :: rest => if (i <? n)%nat then 0 else S (section rest (i - n))
  end.
Definition start (sizes : list nat) (k : nat) : nat := list_sum (firstn k sizes).

(** Normative: AXES-3 (interleaved sections) of [n1] and [n2] pairs for the axes 1 and 2; axis 0 has
    the rest. *)
Definition interleaved_section (n1 n2 i : nat) : nat :=
  if ((i mod 3 =? 1) && (i <? 3 * n1))%nat then 1
  else if ((i mod 3 =? 2) && (i <? 3 * n2))%nat then 2
  else 0.

(** Normative: AXES-4 (factorised sum). *)
Definition factorised {X Y} (px : X -> R) (py : Y -> R) (x : X) (y : Y) : R := px x + py y.

(** Normative: AXES-5 (concatenation): the first [n] columns by one axis, the others by another. *)
Definition concatenated (n : nat) (px py : vector) : vector := fun k => if (k <? n)%nat then px k
  else py (k - n)%nat.

(** Normative: AXES-6 (resize, bilinear, corners not aligned), along one axis, from [a] rows to [b].
    *)
Definition source (a b i : nat) : R := (INR i + / 2) * INR a / INR b - / 2.
Definition clamped (a : nat) (k : Z) : nat := Z.to_nat (Z.max 0 (Z.min k (Z.of_nat a - 1))).
Definition resized (a b : nat) (P : nat -> R) (i : nat) : R :=
  let k := Int_part (source a b i) in
  let f := source a b i - IZR k in
  (1 - f) * P (clamped a k) + f * P (clamped a (k + 1)).

(** ** Axial rotations *)
Section Axial.
Variables (l : layout) (h o : nat) (axis : nat -> nat) (w : nat -> R).
Notation R_ := (axial l h o axis w).

Ltac by_pairs k := destruct (dims l h o k) as [Hk|(i & Hi & [->| ->])];
  unfold axial, axial_transpose, rotate_transpose;
  [repeat rewrite ROPE_5_copied by trivial
  |repeat ((rewrite ROPE_3_first by trivial) || (rewrite ROPE_3_second by trivial))..].

(** Equal positions on all axes: the rotation of rope.md. *)
Theorem AXES_1_equal_positions_are_rope m x k : R_ (fun _ => m) x k = rope l h o w m x k.
Proof. reflexivity. Qed.

Theorem AXES_1_composition p p' x k : R_ p (R_ p' x) k = R_ (fun a => p a + p' a) x k.
Proof. by_pairs k; rewrite ?Rmult_plus_distr_r, ?cos_plus, ?sin_plus; ring. Qed.

Lemma transposed_composition p p' x k :
  axial_transpose l h o axis w p (R_ p' x) k = R_ (fun a => p' a - p a) x k.
Proof. by_pairs k; rewrite ?Rmult_minus_distr_r, ?cos_minus, ?sin_minus; ring. Qed.

Theorem AXES_1_transpose_undoes p x k : axial_transpose l h o axis w p (R_ p x) k = x k.
Proof.
  rewrite transposed_composition; by_pairs k; trivial;
    cbv beta; rewrite (Rminus_diag_eq (p (axis i))), Rmult_0_l, cos_0, sin_0 by trivial; ring.
Qed.

(** Scores depend on the offset in every axis, and on nothing else. *)
Theorem AXES_1_scores d p p' q k : (o + 2 * h <= d)%nat ->
  dot d (R_ p q) (R_ p' k) = dot d q (R_ (fun a => p' a - p a) k).
Proof.
  intros Hd; unfold axial at 1; rewrite ROPE_6_tables_transpose_is_the_adjoint by trivial.
  apply dot_ext; trivial; intros j; apply transposed_composition.
Qed.

Theorem AXES_1_scores_depend_on_the_offsets_only d p p' t q k : (o + 2 * h <= d)%nat ->
  dot d (R_ (fun a => p a + t a) q) (R_ (fun a => p' a + t a) k) = dot d (R_ p q) (R_ p' k).
Proof.
  intros Hd; rewrite !AXES_1_scores by trivial; apply dot_ext; trivial; intros j;
    unfold axial, rotate.
  now replace (p' (axis (pair_of l h (j - o))) + t (axis (pair_of l h (j - o)))
    - (p (axis (pair_of l h (j - o))) + t (axis (pair_of l h (j - o)))))
    with (p' (axis (pair_of l h (j - o))) - p (axis (pair_of l h (j - o)))) by ring.
Qed.

(** A step along one axis leaves the pairs of the others alone. *)
Theorem AXES_1_axes_do_not_mix p p' x i : (i < h)%nat -> p (axis i) = p' (axis i) ->
  R_ p x (o + first l h i)%nat = R_ p' x (o + first l h i)%nat /\
  R_ p x (o + second l h i)%nat = R_ p' x (o + second l h i)%nat.
Proof. intros Hi E; unfold axial; now rewrite !ROPE_3_first, !ROPE_3_second, E. Qed.
End Axial.

(** ** Sections partition the pairs *)
Theorem AXES_2_every_pair_has_a_section sizes i : (i < list_sum sizes)%nat ->
  (section sizes i < length sizes)%nat.
Proof.
  revert i; induction sizes as [|n rest IH]; simpl; intros i Hi; [lia|].
  destruct (Nat.ltb_spec i n); [lia|]; specialize (IH (i - n)%nat); lia.
Qed.

Theorem AXES_2_sections_are_runs sizes i k : (i < list_sum sizes)%nat -> (k < length sizes)%nat ->
  section sizes i = k <-> (start sizes k <= i < start sizes k + nth k sizes 0)%nat.
Proof.
  unfold start; revert i k; induction sizes as [|n rest IH]; simpl; intros i k Hi Hk; [lia|].
  destruct k as [|k]; simpl; destruct (Nat.ltb_spec i n); try (split; [lia|]; intros; lia).
  specialize (IH (i - n)%nat k ltac:(lia) ltac:(lia)); lia.
Qed.

(** Section [k] has as many pairs as its size says. *)
Lemma count_run a n m : (a + n <= m)%nat ->
  length (filter (fun i => (a <=? i) && (i <? a + n))%nat (seq 0 m)) = n.
Proof.
  intros H; replace m with (a + (n + (m - a - n)))%nat by lia;
    rewrite !seq_app, !filter_app, !app_length; simpl.
  assert (none : forall l, (forall i, In i l -> (i < a \/ a + n <= i)%nat) ->
    length (filter (fun i => (a <=? i) && (i <? a + n))%nat l) = 0%nat).
  { induction l as [|i l IH]; simpl; intros Hl; trivial;
      specialize (Hl i (or_introl eq_refl)) as Hi.
    replace ((a <=? i) && (i <? a + n))%nat with false; [apply IH; auto|].
    symmetry; apply andb_false_iff; rewrite Nat.leb_gt, Nat.ltb_ge; lia. }
  rewrite (none (seq 0 a)), (none (seq (a + n) _)) by (intros i Hi; apply in_seq in Hi; lia).
  assert (all : forall l, (forall i, In i l -> (a <= i < a + n)%nat) ->
    length (filter (fun i => (a <=? i) && (i <? a + n))%nat l) = length l).
  { induction l as [|i l IH]; simpl; intros Hl; trivial;
      specialize (Hl i (or_introl eq_refl)) as Hi.
    rewrite (proj2 (Nat.leb_le a i)), (proj2 (Nat.ltb_lt i (a + n))) by lia; simpl; f_equal;
      apply IH; auto. }
  rewrite all, seq_length by (intros i Hi; apply in_seq in Hi; lia); lia.
Qed.

Lemma start_nth sizes k : (start sizes k + nth k sizes 0 <= list_sum sizes)%nat.
Proof.
  unfold start; revert k; induction sizes as [|n rest IH]; intros [|k]; simpl; try lia.
  specialize (IH k); lia.
Qed.

Theorem AXES_2_sizes_of_sections sizes k : (k < length sizes)%nat ->
  length (filter (fun i => section sizes i =? k)%nat (seq 0 (list_sum sizes))) = nth k sizes 0%nat.
Proof.
  intros Hk; rewrite <- (count_run (start sizes k) (nth k sizes 0%nat) (list_sum sizes))
    by apply start_nth.
  f_equal; apply filter_ext_in; intros i Hi; apply in_seq in Hi.
  pose proof (AXES_2_sections_are_runs sizes i k ltac:(lia) Hk) as H.
  apply eq_true_iff_eq; rewrite andb_true_iff, Nat.eqb_eq, Nat.leb_le, Nat.ltb_lt; exact H.
Qed.

Section Interleaved.
Ltac Zify.zify_post_hook ::= Z.div_mod_to_equations.   (* lia knows quotients and remainders *)
Variables n1 n2 : nat.

Theorem AXES_3_pairs_of_axis_1 i :
  interleaved_section n1 n2 i = 1%nat <-> exists k, (k < n1)%nat /\ i = (3 * k + 1)%nat.
Proof.
  unfold interleaved_section; split.
  - destruct (Nat.eqb_spec (i mod 3) 1), (Nat.ltb_spec i (3 * n1)); cbn [andb];
      try (destruct ((i mod 3 =? 2) && (i <? 3 * n2))%nat; discriminate).
    intros _; exists (i / 3)%nat; lia.
  - intros (k & Hk & ->).
    destruct (Nat.eqb_spec ((3 * k + 1) mod 3) 1), (Nat.ltb_spec (3 * k + 1) (3 * n1)); trivial;
      exfalso; lia.
Qed.

Theorem AXES_3_pairs_of_axis_2 i :
  interleaved_section n1 n2 i = 2%nat <-> exists k, (k < n2)%nat /\ i = (3 * k + 2)%nat.
Proof.
  unfold interleaved_section; split.
  - destruct ((i mod 3 =? 1) && (i <? 3 * n1))%nat; [discriminate|].
    destruct (Nat.eqb_spec (i mod 3) 2), (Nat.ltb_spec i (3 * n2)); cbn [andb]; try discriminate.
    intros _; exists (i / 3)%nat; lia.
  - intros (k & Hk & ->); destruct (Nat.eqb_spec ((3 * k + 2) mod 3) 1); [exfalso; lia|];
      cbn [andb].
    destruct (Nat.eqb_spec ((3 * k + 2) mod 3) 2), (Nat.ltb_spec (3 * k + 2) (3 * n2)); trivial;
      exfalso; lia.
Qed.
End Interleaved.

(** The published sections of 64 pairs, contiguous and interleaved. *)
Definition sizes_of (section : nat -> nat) (pairs : nat) : list nat :=
  map (fun k => length (filter (fun i => section i =? k)%nat (seq 0 pairs))) (seq 0 3).

Theorem AXES_3_published : sizes_of (interleaved_section 20 20) 64 = [24; 20; 20]%nat.
Proof. vm_compute; reflexivity. Qed.

(** ** Factorised sums *)

(** A step along x changes the sum by the same amount in every row y; and only such tables
    factorise. *)
Theorem AXES_4_what_factorises {X Y} (x0 : X) (y0 : Y) (P : X -> Y -> R) :
  (exists px py, forall x y, P x y = factorised px py x y) <->
  forall x x' y y', P x y - P x' y = P x y' - P x' y'.
Proof.
  unfold factorised; split.
  - intros (px & py & H) x x' y y'; rewrite !H; ring.
  - intros H; exists (fun x => P x y0 - P x0 y0), (fun y => P x0 y).
    intros x y; pose proof (H x x0 y y0); lra.
Qed.

Theorem AXES_5_concatenated_dot_products n m px py qx qy :
  dot (n + m) (concatenated n px py) (concatenated n qx qy) = dot n px qx + dot m py qy.
Proof.
  unfold dot; rewrite sumn_split; f_equal; apply sumn_ext; intros k Hk; unfold concatenated.
  - now rewrite (proj2 (Nat.ltb_lt k n) Hk).
  - rewrite (proj2 (Nat.ltb_ge (n + k) n)) by lia; now replace (n + k - n)%nat with k by lia.
Qed.

(** Two sinusoidal tables side by side: similarity depends on both offsets only. *)
Theorem AXES_5_similarity o h K w o' h' K' w' x y x' y' :
  dot (2 * h + 2 * h') (concatenated (2 * h) (pe o h Zero K w x) (pe o' h' Zero K' w' y))
                       (concatenated (2 * h) (pe o h Zero K w x') (pe o' h' Zero K' w' y')) =
  K * K * sumn h (fun i => cos ((x - x') * w i)) + K' * K' * sumn h' (fun i => cos ((y - y') * w'
    i)).
Proof. now rewrite AXES_5_concatenated_dot_products, !SIN_14_dot_products. Qed.

(** ** Resize *)
Theorem AXES_6_same_size a P i : (i < a)%nat -> resized a a P i = P i.
Proof.
  intros Hi; unfold resized; assert (INR a <> 0) by (apply not_0_INR; lia).
  replace (source a a i) with (INR i) by (unfold source; field; trivial).
  rewrite Int_part_INR, INR_IZR_INZ, (Rminus_diag_eq (IZR (Z.of_nat i))) by trivial.
  unfold clamped; rewrite Z.min_l, Z.max_r, Nat2Z.id by lia; ring.
Qed.

Theorem AXES_6_stays_in_range a b P i lo hi : (0 < a)%nat ->
  (forall k, (k < a)%nat -> lo <= P k <= hi) -> lo <= resized a b P i <= hi.
Proof.
  intros Ha H; unfold resized; set (k := Int_part _).
  assert (Hc : forall k, (clamped a k < a)%nat) by (intros; unfold clamped; lia).
  pose proof (H _ (Hc k)); pose proof (H _ (Hc (k + 1)%Z));
    pose proof (base_Int_part (source a b i)) as Hf.
  fold k in Hf; set (f := source a b i - IZR k); assert (0 <= f <= 1) by (unfold f; lra); nra.
Qed.
