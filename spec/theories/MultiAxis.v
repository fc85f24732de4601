(** * More than one axis (spec/multi_axis.md) *)
From Coq Require Import ZifyNat.
From Gnomon Require Import Sums Pairs Rope Sinusoidal.
From Gnomon Require Learned.

(** ** Definitions *)

(** Normative: AXES-1 (axial rotation).  Pair [i] belongs to axis [axis i] and is turned by the
    position on that axis, [p (axis i)], times its frequency. *)
Definition axial l h o (axis : nat -> nat) (w : nat -> R) (p : nat -> R) :=
  rotate l l h o (fun i => cos (p (axis i) * w i)) (fun i => sin (p (axis i) * w i)).
Definition axial_transpose l h o (axis : nat -> nat) (w : nat -> R) (p : nat -> R) :=
  rotate_transpose l l h o (fun i => cos (p (axis i) * w i)) (fun i => sin (p (axis i) * w i)).

(** Normative: AXES-2 (sections).  Consecutive pairs: the first section has the first [sizes_0]
    pairs, .. Frequencies are those of one schedule over all pairs: their index runs on. *)
Fixpoint section (sizes : list nat) (i : nat) : nat :=
  match sizes with
  | [] => 0
  | n :: rest => if (i <? n)%nat then 0 else S (section rest (i - n))
  end.
Definition start (sizes : list nat) (k : nat) : nat := list_sum (firstn k sizes).

(** Normative: AXES-3 (interleaved sections): [n1] and [n2] pairs for axes 1 and 2, axis 0 the rest. *)
Definition interleaved_section (n1 n2 i : nat) : nat :=
  if ((i mod 3 =? 1) && (i <? 3 * n1))%nat then 1
  else if ((i mod 3 =? 2) && (i <? 3 * n2))%nat then 2
  else 0.

(** Normative: AXES-4 (factorised sum). *)
Definition factorised {X Y} (px : X -> R) (py : Y -> R) (x : X) (y : Y) : R := px x + py y.

(** Normative: AXES-5 (concatenation): the first [n] columns by one axis, the others by another. *)
Definition concatenated (n : nat) (px py : vector) : vector := fun k => if (k <? n)%nat then px k
  else py (k - n)%nat.

(** Normative: AXES-6 (resize, bilinear, corners not aligned), on one axis, from [a] rows to [b]. *)
Definition source (a b i : nat) : R := (INR i + / 2) * INR a / INR b - / 2.
Definition clamped (a : nat) (k : Z) : nat := Z.to_nat (Z.max 0 (Z.min k (Z.of_nat a - 1))).
Definition resized (a b : nat) (P : nat -> R) (i : nat) : R :=
  let k := Int_part (source a b i) in
  let f := source a b i - IZR k in
  (1 - f) * P (clamped a k) + f * P (clamped a (k + 1)).

(** Normative: AXES-7 (two-dimensional table).  [X] by [Y] rows; no other place has one. *)
Definition lookup_2d {Row} (X Y : nat) (P : nat -> nat -> Row) (x y : Z) : option Row :=
  if ((0 <=? x) && (x <? Z.of_nat X) && ((0 <=? y) && (y <? Z.of_nat Y)))%Z
  then Some (P (Z.to_nat x) (Z.to_nat y)) else None.

(** Normative: AXES-8 (resize, bicubic, corners not aligned): cubic convolution, [c] = -3/4 in the
    deployed code, over the four rows around the source. *)
Definition cubic (c t : R) : R :=
  let t := Rabs t in
  if Rle_dec t 1 then (c + 2) * t ^ 3 - (c + 3) * t ^ 2 + 1
  else if Rlt_dec t 2 then c * t ^ 3 - 5 * c * t ^ 2 + 8 * c * t - 4 * c else 0.

(** A resize reads some rows with some weights: the taps of a row of the result. *)
Definition taps := nat -> list (R * nat).
Definition resized_by (T : taps) (P : nat -> R) (i : nat) : R := sum (T i) (fun p => fst p * P (snd
  p)).
Definition linear_taps (a b : nat) : taps := fun i =>
  let k := Int_part (source a b i) in
  let f := source a b i - IZR k in
  [(1 - f, clamped a k); (f, clamped a (k + 1))].
Definition cubic_taps (c : R) (a b : nat) : taps := fun i =>
  let k := Int_part (source a b i) in
  let f := source a b i - IZR k in
  map (fun j => (cubic c (f - IZR j), clamped a (k + j))) [-1; 0; 1; 2]%Z.

(** Normative: AXES-9 (resize over two axes): along x at every y, then along y. *)
Definition resized_2d (Tx Ty : taps) (P : nat -> nat -> R) (i j : nat) : R :=
  resized_by Ty (fun y => resized_by Tx (fun x => P x y) i) j.

(** Normative: AXES-12 (other orders of sections).  With an extra axis: what no section owns belongs
    to axis 3.  Alternating: [n] even pairs and [n] odd ones, then axis 2. *)
Definition extra_section (n0 n1 n2 i : nat) : nat :=
  if (i <? 3 * nth (i mod 3) [n0; n1; n2] 0)%nat then (i mod 3)%nat else 3%nat.
Definition alternating_section (n i : nat) : nat := if (i <? 2 * n)%nat then (i mod 2)%nat else
  2%nat.

(** Normative: AXES-14 (window index): of a query and a key, each a row and a column of a window of
    [H] rows and [W] columns. *)
Definition window_index (H W : Z) (q k : Z * Z) : Z :=
  ((fst q - fst k + H - 1) * (2 * W - 1) + (snd q - snd k + W - 1))%Z.
Definition in_window (H W : Z) (p : Z * Z) : Prop := (0 <= fst p < H /\ 0 <= snd p < W)%Z.

(** Normative: AXES-20 (mixed rotation).  Every pair belongs to every axis, of which there are [A]:
    pair [i] is turned by the sum of the positions times its own frequency on each, [w a i]. *)
Definition mixed_angle (A : nat) (w : nat -> nat -> R) (p : nat -> R) (i : nat) : R :=
  sumn A (fun a => p a * w a i).
Definition mixed l h o A w p :=
  rotate l l h o (fun i => cos (mixed_angle A w p i)) (fun i => sin (mixed_angle A w p i)).
Definition mixed_transpose l h o A w p :=
  rotate_transpose l l h o (fun i => cos (mixed_angle A w p i)) (fun i => sin (mixed_angle A w p i)).

(** ** Pairs turned by angles *)
Section Turned.
Variables (l : layout) (h o : nat).
Definition turned (a : nat -> R) :=
  rotate l l h o (fun i => cos (a i)) (fun i => sin (a i)).
Definition turned_back (a : nat -> R) :=
  rotate_transpose l l h o (fun i => cos (a i)) (fun i => sin (a i)).

Ltac by_pairs k := destruct (dims l h o k) as [Hk|(i & Hi & [->| ->])];
  unfold turned, turned_back, rotate_transpose;
  [repeat rewrite ROPE_5_copied by trivial
  |repeat ((rewrite ROPE_3_first by trivial) || (rewrite ROPE_3_second by trivial))..].

Lemma turned_alike a b x k : (forall i, a i = b i) -> turned a x k = turned b x k.
Proof. intros E; by_pairs k; now rewrite ?E. Qed.

Lemma turned_by_0 a x k : (forall i, a i = 0) -> turned a x k = x k.
Proof. intros E; by_pairs k; trivial; rewrite E, cos_0, sin_0; ring. Qed.

Lemma turned_twice a b c x k : (forall i, c i = a i + b i) ->
  turned a (turned b x) k = turned c x k.
Proof. intros E; by_pairs k; rewrite ?E, ?cos_plus, ?sin_plus; ring. Qed.

Lemma turned_there_and_back a b c x k : (forall i, c i = b i - a i) ->
  turned_back a (turned b x) k = turned c x k.
Proof. intros E; by_pairs k; rewrite ?E, ?cos_minus, ?sin_minus; ring. Qed.

Lemma turned_scores d a b c q k : (o + 2 * h <= d)%nat -> (forall i, c i = b i - a i) ->
  dot d (turned a q) (turned b k) = dot d q (turned c k).
Proof.
  intros Hd E; unfold turned at 1; rewrite ROPE_6_tables_transpose_is_the_adjoint by trivial.
  apply dot_ext; trivial; intros j; now apply turned_there_and_back.
Qed.
End Turned.

(** ** Axial rotations *)
Section Axial.
Variables (l : layout) (h o : nat) (axis : nat -> nat) (w : nat -> R).
Notation R_ := (axial l h o axis w).

(** Equal positions on all axes: the rotation of rope.md. *)
Theorem AXES_1_equal_positions_are_rope m x k : R_ (fun _ => m) x k = rope l h o w m x k.
Proof. reflexivity. Qed.

Theorem AXES_1_composition p p' x k : R_ p (R_ p' x) k = R_ (fun a => p a + p' a) x k.
Proof. apply turned_twice; intros; ring. Qed.

Theorem AXES_1_transpose_undoes p x k : axial_transpose l h o axis w p (R_ p x) k = x k.
Proof.
  transitivity (turned l h o (fun _ => 0) x k);
    [apply turned_there_and_back; intros; ring|now apply turned_by_0].
Qed.

(** Scores depend on the offset in every axis, and on nothing else. *)
Theorem AXES_1_scores d p p' q k : (o + 2 * h <= d)%nat ->
  dot d (R_ p q) (R_ p' k) = dot d q (R_ (fun a => p' a - p a) k).
Proof. intros Hd; apply turned_scores; trivial; intros; ring. Qed.

Theorem AXES_1_scores_depend_on_the_offsets_only d p p' t q k : (o + 2 * h <= d)%nat ->
  dot d (R_ (fun a => p a + t a) q) (R_ (fun a => p' a + t a) k) = dot d (R_ p q) (R_ p' k).
Proof.
  intros Hd; rewrite (AXES_1_scores d p p') by trivial; apply turned_scores; trivial; intros; ring.
Qed.

(** A step along one axis leaves the pairs of the others alone. *)
Theorem AXES_1_axes_do_not_mix p p' x i : (i < h)%nat -> p (axis i) = p' (axis i) ->
  R_ p x (o + first l h i)%nat = R_ p' x (o + first l h i)%nat /\
  R_ p x (o + second l h i)%nat = R_ p' x (o + second l h i)%nat.
Proof. intros Hi E; unfold axial; now rewrite !ROPE_3_first, !ROPE_3_second, E. Qed.
End Axial.

(** ** Mixed axes *)
Section Mixed.
Variables (l : layout) (h o A : nat) (w : nat -> nat -> R).
Notation M_ := (mixed l h o A w).
Notation angle := (mixed_angle A w).

Lemma mixed_angle_plus p p' i : angle (fun a => p a + p' a) i = angle p i + angle p' i.
Proof. unfold mixed_angle; rewrite <- sumn_plus; apply sumn_ext; intros; ring. Qed.
Lemma mixed_angle_minus p p' i : angle (fun a => p a - p' a) i = angle p i - angle p' i.
Proof.
  enough (angle p i = angle (fun a => p a - p' a) i + angle p' i) by lra.
  rewrite <- mixed_angle_plus; apply sumn_ext; intros; ring.
Qed.

(** Where every pair has a frequency on one axis only, the rotation is axial. *)
Theorem AXES_20_one_axis_a_pair_is_axial axis w1 p x k : (forall i, (axis i < A)%nat) ->
  (forall a i, w a i = if (a =? axis i)%nat then w1 i else 0) ->
  M_ p x k = axial l h o axis w1 p x k.
Proof.
  intros Haxis Hw; apply turned_alike; intros i; unfold mixed_angle.
  rewrite (sumn_single A (axis i)); trivial.
  - now rewrite Hw, Nat.eqb_refl.
  - intros a _ Ha; rewrite Hw; apply Nat.eqb_neq in Ha as ->; ring.
Qed.

Theorem AXES_20_composition p p' x k : M_ p (M_ p' x) k = M_ (fun a => p a + p' a) x k.
Proof. apply turned_twice; apply mixed_angle_plus. Qed.

Theorem AXES_20_transpose_undoes p x k : mixed_transpose l h o A w p (M_ p x) k = x k.
Proof.
  transitivity (turned l h o (fun _ => 0) x k);
    [apply turned_there_and_back; intros; ring|now apply turned_by_0].
Qed.

(** Scores depend on the offset in every axis, and on nothing else. *)
Theorem AXES_20_scores d p p' q k : (o + 2 * h <= d)%nat ->
  dot d (M_ p q) (M_ p' k) = dot d q (M_ (fun a => p' a - p a) k).
Proof. intros Hd; apply turned_scores; trivial; intros i; apply mixed_angle_minus. Qed.

Theorem AXES_20_scores_depend_on_the_offsets_only d p p' t q k : (o + 2 * h <= d)%nat ->
  dot d (M_ (fun a => p a + t a) q) (M_ (fun a => p' a + t a) k) = dot d (M_ p q) (M_ p' k).
Proof.
  intros Hd; rewrite (AXES_20_scores d p p') by trivial; apply turned_scores; trivial; intros i.
  rewrite !mixed_angle_plus, mixed_angle_minus; ring.
Qed.
End Mixed.

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

Definition sizes_of (section : nat -> nat) (pairs : nat) : list nat :=
  map (fun k => length (filter (fun i => section i =? k)%nat (seq 0 pairs))) (seq 0 3).

(** Every axis has as many pairs as its size says, if the last of them are pairs at all. *)
Section Sizes.
Ltac Zify.zify_post_hook ::= Z.div_mod_to_equations.
Variables n1 n2 : nat.
Notation size k N := (length (filter (fun i => interleaved_section n1 n2 i =? k)%nat (seq 0 N))).

Lemma filter_seq_S f N : length (filter f (seq 0 (S N))) =
  (length (filter f (seq 0 N)) + if f N then 1 else 0)%nat.
Proof. rewrite seq_S, filter_app, app_length; simpl; now destruct (f N). Qed.

Lemma size_1 N : size 1%nat N = Nat.min n1 ((N + 1) / 3).
Proof.
  induction N as [|N IH]; [simpl; lia|]; rewrite filter_seq_S, IH; unfold interleaved_section.
  destruct (Nat.eqb_spec (N mod 3) 1), (Nat.ltb_spec N (3 * n1)); cbn [andb Nat.eqb];
    try (destruct ((N mod 3 =? 2) && (N <? 3 * n2))%nat; cbn [Nat.eqb]); lia.
Qed.

Lemma size_2 N : size 2%nat N = Nat.min n2 (N / 3).
Proof.
  induction N as [|N IH]; [simpl; lia|]; rewrite filter_seq_S, IH; unfold interleaved_section.
  destruct (Nat.eqb_spec (N mod 3) 1), (Nat.ltb_spec N (3 * n1)); cbn [andb Nat.eqb];
    try destruct (Nat.eqb_spec (N mod 3) 2), (Nat.ltb_spec N (3 * n2)); cbn [andb Nat.eqb]; lia.
Qed.

Lemma sizes_add N : (size 0%nat N + size 1%nat N + size 2%nat N = N)%nat.
Proof.
  induction N as [|N IH]; trivial; rewrite !filter_seq_S; unfold interleaved_section.
  destruct ((N mod 3 =? 1) && (N <? 3 * n1))%nat, ((N mod 3 =? 2) && (N <? 3 * n2))%nat;
    cbn [Nat.eqb]; unfold interleaved_section in IH; lia.
Qed.

Theorem AXES_3_sizes n0 (N := (n0 + n1 + n2)%nat) : (3 * n1 <= N + 1)%nat -> (3 * n2 <= N)%nat ->
  sizes_of (interleaved_section n1 n2) N = [n0; n1; n2].
Proof.
  intros H1 H2; unfold sizes_of; cbn [seq map].
  pose proof (size_1 N) as S1; pose proof (size_2 N) as S2; pose proof (sizes_add N) as S0.
  repeat f_equal; lia.
Qed.

(** Else the last pairs of an axis do not exist and axis 0 has them. *)
Theorem AXES_3_sizes_that_do_not_fit N : (N + 1 < 3 * n1)%nat -> (size 1%nat N < n1)%nat.
Proof. intros H; rewrite size_1; lia. Qed.
End Sizes.

(** The published sections of 64 pairs. *)

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

Theorem AXES_6_is_two_taps a b P i : resized a b P i = resized_by (linear_taps a b) P i.
Proof. unfold resized, resized_by, linear_taps; cbn [sum fold_right fst snd]; ring. Qed.

Theorem AXES_6_stays_in_range a b P i lo hi : (0 < a)%nat ->
  (forall k, (k < a)%nat -> lo <= P k <= hi) -> lo <= resized a b P i <= hi.
Proof.
  intros Ha H; unfold resized; set (k := Int_part _).
  assert (Hc : forall k, (clamped a k < a)%nat) by (intros; unfold clamped; lia).
  pose proof (H _ (Hc k)); pose proof (H _ (Hc (k + 1)%Z));
    pose proof (base_Int_part (source a b i)) as Hf.
  fold k in Hf; set (f := source a b i - IZR k); assert (0 <= f <= 1) by (unfold f; lra); nra.
Qed.

(** ** Two-dimensional tables *)
Theorem AXES_7_defined_exactly_inside {Row} X Y (P : nat -> nat -> Row) x y :
  (exists row, lookup_2d X Y P x y = Some row) <->
  (0 <= x < Z.of_nat X /\ 0 <= y < Z.of_nat Y)%Z.
Proof.
  unfold lookup_2d; destruct (Z.leb_spec 0 x), (Z.ltb_spec x (Z.of_nat X)), (Z.leb_spec 0 y),
    (Z.ltb_spec y (Z.of_nat Y)); cbn [andb]; split; intros H'.
  all: try lia; try (now destruct H'); eauto.
Qed.

Theorem AXES_7_row {Row} X Y (P : nat -> nat -> Row) x y : (x < X)%nat -> (y < Y)%nat ->
  lookup_2d X Y P (Z.of_nat x) (Z.of_nat y) = Some (P x y).
Proof.
  intros Hx Hy; unfold lookup_2d; rewrite !Nat2Z.id.
  repeat rewrite (proj2 (Z.leb_le _ _)) by lia.
  now rewrite (proj2 (Z.ltb_lt (Z.of_nat x) _)), (proj2 (Z.ltb_lt (Z.of_nat y) _)) by lia.
Qed.

(** The same rows in one table, x by x. *)
Theorem AXES_7_as_one_table {Row} X Y (P : nat -> nat -> Row) x y : (x < X)%nat -> (y < Y)%nat ->
  Learned.lookup (X * Y) (fun r => P (r / Y)%nat (r mod Y)%nat) (Z.of_nat (x * Y + y)) =
  lookup_2d X Y P (Z.of_nat x) (Z.of_nat y).
Proof.
  intros Hx Hy; rewrite AXES_7_row, Learned.LEARNED_1_row by (trivial; nia).
  rewrite <- (Nat.div_unique (x * Y + y) Y x y), <- (Nat.mod_unique (x * Y + y) Y x y) by lia;
    trivial.
Qed.

(** ** Bicubic *)
Lemma source_fraction a b i (f := source a b i - IZR (Int_part (source a b i))) : 0 <= f < 1.
Proof. unfold f; pose proof (base_Int_part (source a b i)); lra. Qed.

(** The four weights at the fraction [f]. *)
Lemma cubic_weights c f : 0 <= f < 1 ->
  cubic c (f - IZR (-1)) = c * (f + 1) ^ 3 - 5 * c * (f + 1) ^ 2 + 8 * c * (f + 1) - 4 * c /\
  cubic c (f - IZR 0) = (c + 2) * f ^ 3 - (c + 3) * f ^ 2 + 1 /\
  cubic c (f - IZR 1) = (c + 2) * (1 - f) ^ 3 - (c + 3) * (1 - f) ^ 2 + 1 /\
  cubic c (f - IZR 2) = c * (2 - f) ^ 3 - 5 * c * (2 - f) ^ 2 + 8 * c * (2 - f) - 4 * c.
Proof.
  intros Hf; unfold cubic; repeat split.
  - rewrite Rabs_pos_eq by lra; destruct Rle_dec; [|destruct Rlt_dec; [|lra]].
    + assert (f = 0) by lra; subst f; ring.
    + ring.
  - rewrite Rabs_pos_eq by lra; destruct Rle_dec; [ring|lra].
  - rewrite Rabs_left1 by lra; destruct Rle_dec; [ring|lra].
  - rewrite Rabs_left1 by lra; destruct Rle_dec; [lra|destruct Rlt_dec].
    + ring.
    + assert (f = 0) by lra; subst f; ring.
Qed.

Theorem AXES_8_weights_sum_to_1 c a b i : sum (cubic_taps c a b i) fst = 1.
Proof.
  unfold cubic_taps; cbn [map sum fold_right fst].
  destruct (cubic_weights c _ (source_fraction a b i)) as (-> & -> & -> & ->).
  set (f := source a b i - _); ring.
Qed.

(** A constant table stays; so does any table of the same size. *)
Theorem AXES_8_constants_stay c a b v i : resized_by (cubic_taps c a b) (fun _ => v) i = v.
Proof.
  unfold resized_by; rewrite (sum_ext _ _ (fun p => v * fst p)), sum_scal, AXES_8_weights_sum_to_1
    by (intros; ring); ring.
Qed.

Theorem AXES_8_same_size c a P i : (i < a)%nat -> resized_by (cubic_taps c a a) P i = P i.
Proof.
  intros Hi; unfold resized_by, cubic_taps; assert (INR a <> 0) by (apply not_0_INR; lia).
  replace (source a a i) with (INR i) by (unfold source; field; trivial).
  rewrite Int_part_INR, INR_IZR_INZ, (Rminus_diag_eq (IZR (Z.of_nat i)) _ eq_refl).
  cbn [map sum fold_right fst snd].
  destruct (cubic_weights c 0 ltac:(lra)) as (-> & -> & -> & ->).
  replace (clamped a (Z.of_nat i + 0)) with i by (unfold clamped; lia); ring.
Qed.

(** Unlike the bilinear one it can leave the range of the table. *)
Theorem AXES_8_overshoots : exists f P, 0 <= f < 1 /\ (forall k, 0 <= P k <= 1) /\
  cubic (- 3 / 4) (f - IZR (-1)) * P 0%nat + cubic (- 3 / 4) (f - IZR 0) * P 1%nat +
  cubic (- 3 / 4) (f - IZR 1) * P 2%nat + cubic (- 3 / 4) (f - IZR 2) * P 3%nat < 0.
Proof.
  exists (/ 2), (fun k => if (k =? 0)%nat then 1 else 0); repeat split; try lra;
    try (destruct (_ =? _)%nat; lra).
  destruct (cubic_weights (- 3 / 4) (/ 2) ltac:(lra)) as (-> & -> & -> & ->); simpl; lra.
Qed.

(** ** Two axes *)
(** It does not matter which axis comes first. *)
Theorem AXES_9_axes_commute Tx Ty P i j :
  resized_2d Tx Ty P i j = resized_by Tx (fun x => resized_by Ty (fun y => P x y) j) i.
Proof.
  unfold resized_2d, resized_by.
  transitivity (sum (Ty j) (fun p => sum (Tx i) (fun r => fst p * (fst r * P (snd r) (snd p))))).
  - apply sum_ext; intros; now rewrite sum_scal.
  - rewrite sum_swap; apply sum_ext; intros r _; rewrite <- sum_scal; apply sum_ext; intros; ring.
Qed.

(** Tables of the same size stay as they are, and a sum (AXES-4) is resized axis by axis. *)
Theorem AXES_9_same_size a b P i j : (i < a)%nat -> (j < b)%nat ->
  resized_2d (linear_taps a a) (linear_taps b b) P i j = P i j.
Proof.
  intros Hi Hj; unfold resized_2d; rewrite <- AXES_6_is_two_taps, AXES_6_same_size by trivial.
  now rewrite <- AXES_6_is_two_taps, AXES_6_same_size.
Qed.

Theorem AXES_9_sums Tx Ty px py i j : sum (Tx i) fst = 1 -> sum (Ty j) fst = 1 ->
  resized_2d Tx Ty (factorised px py) i j =
  factorised (resized_by Tx px) (resized_by Ty py) i j.
Proof.
  intros Hx Hy; unfold resized_2d, factorised, resized_by.
  rewrite (sum_ext (Ty j) _ (fun p => sum (Tx i) (fun r => fst r * px (snd r)) * fst p
    + fst p * py (snd p))), sum_plus, sum_scal, Hy; [ring|].
  intros p _; rewrite (sum_ext (Tx i) _ (fun r => fst r * px (snd r) + py (snd p) * fst r)),
    sum_plus, sum_scal, Hx by (intros; ring); ring.
Qed.

(** ** Other orders of sections *)
(** With an axis of its own for what is left over, the other three have the pairs of AXES-3. *)
Theorem AXES_12_agrees_where_owned n0 n1 n2 i : extra_section n0 n1 n2 i <> 3%nat ->
  extra_section n0 n1 n2 i = interleaved_section n1 n2 i.
Proof.
  unfold extra_section, interleaved_section; intros H.
  pose proof (Nat.mod_upper_bound i 3 ltac:(lia)) as B.
  destruct (i mod 3)%nat as [|[|[|m]]]; [| | |lia]; cbn [nth Nat.eqb andb] in *;
    destruct (i <? _)%nat; trivial; now destruct H.
Qed.

(** The published sizes: the pairs 61 and 62, and no others, are left over. *)
Theorem AXES_12_published :
  filter (fun i => extra_section 24 20 20 i =? 3)%nat (seq 0 64) = [61; 62]%nat.
Proof. vm_compute; reflexivity. Qed.

Lemma alternating_rest n m :
  length (filter (fun i => alternating_section n i =? 2)%nat (seq 0 (2 * n + m))) = m.
Proof.
  rewrite seq_app, filter_app, app_length.
  assert (low : forall l, (forall i, In i l -> (i < 2 * n)%nat) ->
    filter (fun i => alternating_section n i =? 2)%nat l = []).
  { induction l as [|i l IH]; simpl; intros H; trivial; unfold alternating_section at 1.
    rewrite (proj2 (Nat.ltb_lt i (2 * n))) by (apply H; now left).
    pose proof (Nat.mod_upper_bound i 2 ltac:(lia)).
    destruct (Nat.eqb_spec (i mod 2) 2); [lia|]; apply IH; auto. }
  assert (high : forall l, (forall i, In i l -> (2 * n <= i)%nat) ->
    filter (fun i => alternating_section n i =? 2)%nat l = l).
  { induction l as [|i l IH]; simpl; intros H; trivial; unfold alternating_section at 1.
    rewrite (proj2 (Nat.ltb_ge i (2 * n))) by (apply H; now left); simpl; f_equal; apply IH; auto. }
  rewrite low, high, seq_length by (intros i Hi; apply in_seq in Hi; lia); trivial.
Qed.

(** Alternating: [n] pairs for axis 0, as many for axis 1, the rest for axis 2. *)
Theorem AXES_12_alternating_sizes n m :
  let size a := length (filter (fun i => alternating_section n i =? a)%nat (seq 0 (2 * n + m))) in
  size 0%nat = n /\ size 1%nat = n /\ size 2%nat = m.
Proof.
  enough (pairs : forall a, (a < 2)%nat ->
    length (filter (fun i => alternating_section n i =? a)%nat (seq 0 (2 * n + m))) = n)
    by (intros size; repeat split; [apply pairs; lia..|apply alternating_rest]).
  intros a Ha; rewrite seq_app, filter_app, app_length, Nat.add_0_l.
  assert (high : forall l, (forall i, In i l -> (2 * n <= i)%nat) ->
    filter (fun i => alternating_section n i =? a)%nat l = []).
  { induction l as [|i l IH]; simpl; intros H; trivial; unfold alternating_section at 1.
    rewrite (proj2 (Nat.ltb_ge i (2 * n))) by (apply H; now left).
    destruct (Nat.eqb_spec 2 a); [lia|]; apply IH; auto. }
  rewrite (high (seq (2 * n) m)), Nat.add_0_r by (intros i Hi; apply in_seq in Hi; lia).
  assert (low : forall k, (k <= n)%nat ->
    length (filter (fun i => alternating_section n i =? a)%nat (seq 0 (2 * k))) = k).
  { induction k as [|k IH]; intros Hk; trivial.
    replace (2 * S k)%nat with (2 * k + 2)%nat by lia.
    rewrite seq_app, filter_app, app_length, IH, Nat.add_0_l by lia; cbn [seq filter].
    assert (E : forall r, (r < 2)%nat -> alternating_section n (2 * k + r) = r).
    { intros r Hr; unfold alternating_section.
      rewrite (proj2 (Nat.ltb_lt (2 * k + r) (2 * n)) ltac:(lia)).
      rewrite (Nat.mul_comm 2), Nat.add_comm, Nat.mod_add by lia; now apply Nat.mod_small. }
    pose proof (E 0%nat ltac:(lia)) as E0; rewrite Nat.add_0_r in E0.
    replace (S (2 * k)) with (2 * k + 1)%nat by lia; rewrite E0, (E 1%nat) by lia.
    destruct a as [|[|a]]; [cbn; lia..|lia]. }
  now apply low.
Qed.

(** ** Windows *)
Theorem AXES_14_both_directions H W q k :
  (window_index H W q k + window_index H W k q = (2 * H - 1) * (2 * W - 1) - 1)%Z.
Proof. unfold window_index; ring. Qed.

Theorem AXES_14_range H W q k : in_window H W q -> in_window H W k ->
  (0 <= window_index H W q k < (2 * H - 1) * (2 * W - 1))%Z.
Proof. unfold in_window, window_index; intros (? & ?) (? & ?); nia. Qed.

(** Equal offsets have equal indices, and different ones different indices. *)
Theorem AXES_14_an_index_for_every_offset H W q k q' k' :
  in_window H W q -> in_window H W k -> in_window H W q' -> in_window H W k' ->
  window_index H W q k = window_index H W q' k' <->
  (fst q - fst k = fst q' - fst k' /\ snd q - snd k = snd q' - snd k')%Z.
Proof.
  unfold in_window, window_index; intros (? & ?) (? & ?) (? & ?) (? & ?);
    split; [|intros (-> & ->); trivial].
  set (w := (2 * W - 1)%Z); intros E.
  destruct (Z.div_mod_unique w (fst q - fst k + H - 1) (fst q' - fst k' + H - 1)
    (snd q - snd k + W - 1) (snd q' - snd k' + W - 1)) as (? & ?); unfold w in *; lia.
Qed.
