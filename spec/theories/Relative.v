(** * Relative position vectors (spec/relative.md)

    Shaw, Uszkoreit, Vaswani 2018; the skew of Huang et al. 2019;
      the shift of Transformer-XL (Dai et
    al. 2019). *)
From Gnomon Require Import Sums.
Local Open Scope Z_scope.

(** ** Definitions *)

(** Normative: REL-1 (clip), REL-2 (row).  A table of 2 K + 1 rows; [m] the query's position, [n]
    the key's. *)
Definition clip (K x : Z) : Z := Z.max (- K) (Z.min K x).
Definition row (K m n : Z) : Z := clip K (n - m) + K.

(** The two differences: with [Query_minus_key] the positions change places. *)
Inductive difference := Key_minus_query | Query_minus_key.
Definition row_by (by_what : difference) (K m n : Z) : Z :=
  match by_what with Key_minus_query => row K m n | Query_minus_key => row K n m end.

(** Normative: REL-3 (scores) over [d] dims: the key plus its row, as one vector; [s] the scale, and
    the scale that stands where none is given. *)
Definition scaled_score (s : R) (d : nat) (K : Z) (q k table : Z -> vector) (m n : Z) : R :=
  (s * dot d (q m) (fun c => k n c + table (row K m n) c))%R.
Definition score (d : nat) (K : Z) (q k table : Z -> vector) (m n : Z) : R :=
  (dot d (q m) (fun c => k n c + table (row K m n) c) / sqrt (INR d))%R.

(** The same, gathered: one product of the query with all 2 K + 1 rows, then pick. *)
Definition products (d : nat) (q table : Z -> vector) (m r : Z) : R := dot d (q m) (table r).
Definition score_gathered d K q k table m n : R :=
  ((dot d (q m) (k n) + products d q table m (row K m n)) / sqrt (INR d))%R.

(** Normative: REL-4 (values).  The value plus its row; one component. *)
Definition output {A} (keys : list A) (weight : A -> R) (value : A -> R) (r : A ->
  Z) (table : Z -> R) : R :=
  sum keys (fun a => weight a * (value a + table (r a)))%R.

(** Normative: REL-5 (shift).  [A] has a row for each of [Q] queries, [K] columns: pad one column on
    the left, read the rows one after the other, drop the first [Q] entries, cut into rows of [K].
    *)
Section Shift.
Local Open Scope nat_scope.
Context {X : Type}.
Variables (zero : X) (Q K : nat) (A : nat -> nat -> X).
Definition padded (i c : nat) : X := match c with O => zero | S c' => A i c' end.
Definition flat (f : nat) : X := padded (f / (K + 1)) (f mod (K + 1)).
Definition shifted (i j : nat) : X := flat (i * K + j + Q).
End Shift.

(** Normative: REL-6 (Transformer-XL scores), unscaled: u and v in place of the query's own
    position; [r] has a row for each distance, query minus key. *)
Definition xl_score (d : nat) (q k : Z -> vector) (u v : vector) (r : Z -> vector) (m n : Z) : R :=
  (dot d (fun c => q m c + u c) (k n) + dot d (fun c => q m c + v c) (r (m - n)%Z))%R.

(** ** Clip and rows *)
Section Clip.
Variable K : Z.
Hypothesis HK : 0 <= K.

Theorem REL_1_range x : - K <= clip K x <= K.
Proof. unfold clip; lia. Qed.
Theorem REL_1_monotone x y : x <= y -> clip K x <= clip K y.
Proof. unfold clip; lia. Qed.
Theorem REL_1_identity_inside x : - K <= x <= K -> clip K x = x.
Proof. unfold clip; lia. Qed.
Theorem REL_1_idempotent x : clip K (clip K x) = clip K x.
Proof. unfold clip; lia. Qed.
Theorem REL_1_odd x : clip K (- x) = - clip K x.
Proof. unfold clip; lia. Qed.

Theorem REL_2_range m n : 0 <= row K m n < 2 * K + 1.
Proof. unfold row, clip; lia. Qed.
Theorem REL_2_depends_on_the_offset_only c m n : row K (m + c) (n + c) = row K m n.
Proof. unfold row; now replace (n + c - (m + c)) with (n - m) by lia. Qed.
(** Which row it is, distance by distance. *)
Theorem REL_2_row_of_the_distance m n : row K m n =
  if n - m <? - K then 0 else if K <? n - m then 2 * K else n - m + K.
Proof.
  unfold row, clip; destruct (Z.ltb_spec (n - m) (- K)), (Z.ltb_spec K (n - m)); lia.
Qed.

(** The other difference reads the table from its other end. *)
Theorem REL_2_query_minus_key m n :
  row_by Query_minus_key K m n = 2 * K - row_by Key_minus_query K m n.
Proof. unfold row_by, row, clip; lia. Qed.

(** K + 1 tokens use all 2 K + 1 rows. *)
Theorem REL_2_every_row_is_used r : 0 <= r < 2 * K + 1 ->
  exists m n, 0 <= m <= K /\ 0 <= n <= K /\ row K m n = r.
Proof. intros Hr; exists (Z.max 0 (K - r)), (Z.max 0 (r - K)); unfold row, clip; lia. Qed.
End Clip.

(** ** Gather and binning *)
Theorem REL_3_gathered_scores_are_the_scores d K q k table m n :
  score_gathered d K q k table m n = score d K q k table m n.
Proof.
  unfold score, score_gathered, products, dot; f_equal; rewrite <- sumn_plus.
  apply sumn_ext; intros; ring.
Qed.

Theorem REL_3_scale_left_out d K q k table m n :
  score d K q k table m n = scaled_score (/ sqrt (INR d)) d K q k table m n.
Proof. unfold score, scaled_score, Rdiv; apply Rmult_comm. Qed.

(** Sum the weights of each row first: 2 K + 1 products in place of one a key. *)
Theorem REL_4_binned_weights {A} (keys : list A) weight value r table (rows : list Z) :
  NoDup rows -> (forall a, In a keys -> In (r a) rows) ->
  output keys weight value r table =
  (sum keys (fun a => weight a * value a) +
   sum rows (fun x => sum keys (fun a => if r a =? x then weight a else 0) * table x))%R.
Proof.
  intros Hnd Hin; unfold output.
  rewrite (sum_ext _ _ (fun a => weight a * value a + weight a * table (r a))%R), sum_plus
    by (intros; ring).
  f_equal; transitivity (sum rows (fun x => sum keys (fun a => if r a =? x then weight a * table x
    else 0)%R)).
  - rewrite <- sum_swap; apply sum_ext; intros a Ha; specialize (Hin a Ha); clear Ha.
    induction Hnd as [|x rows Hx Hnd IH]; [easy|]; simpl; destruct (Z.eqb_spec (r a) x) as [->|E].
    + rewrite (sum_ext _ _ (fun _ => 0%R)), sum_const; [ring|].
      intros y Hy; destruct (Z.eqb_spec x y); congruence.
    + rewrite <- IH; [ring|destruct Hin; congruence].
  - apply sum_ext; intros x _; rewrite Rmult_comm, <- sum_scal; apply sum_ext; intros a _.
    destruct (r a =? x); ring.
Qed.

(** ** The shift, for [Q] queries that are the last of [K] positions *)
Section ShiftTheorems.
Local Open Scope nat_scope.
Context {X : Type}.
Variables (zero : X) (Q K : nat) (A : nat -> nat -> X).
Hypothesis HQ : Q <= K.
Notation B := (shifted zero Q K A).

(** Keys up to the query's own position: the query's own row, moved. *)
Theorem REL_5_up_to_the_query i j : i < Q -> j <= i + (K - Q) -> B i j = A i (j + (Q - 1 - i)).
Proof.
  intros Hi Hj; unfold shifted, flat.
  rewrite <- (Nat.div_unique (i * K + j + Q) (K + 1) i (j + Q - i)) by nia.
  rewrite <- (Nat.mod_unique (i * K + j + Q) (K + 1) i (j + Q - i)) by nia.
  unfold padded; destruct (j + Q - i) eqn:E; [lia|f_equal; lia].
Qed.

(** So if column [c] of A stands for the distance K - 1 - c, column [j] of the result stands for the
    distance of the key at [j] from the query at [i + (K - Q)]. *)
Theorem REL_5_distance (of_distance : nat -> nat -> X) i j :
  (forall i c, c < K -> A i c = of_distance i (K - 1 - c)) -> i < Q -> j <= i + (K - Q) ->
  B i j = of_distance i (i + (K - Q) - j).
Proof. intros HA Hi Hj; rewrite REL_5_up_to_the_query, HA by lia; f_equal; lia. Qed.

(** Keys after the query: the next query's row or padding.  The mask must hide them. *)
Theorem REL_5_after_the_query i j : i + (K - Q) < j < K ->
  B i j = padded zero A (i + 1) (j - (i + (K - Q)) - 1).
Proof.
  intros H; unfold shifted, flat.
  rewrite <- (Nat.div_unique (i * K + j + Q) (K + 1) (i + 1) (j - (i + (K - Q)) - 1)) by nia.
  now rewrite <- (Nat.mod_unique (i * K + j + Q) (K + 1) (i + 1) (j - (i + (K - Q)) - 1)) by nia.
Qed.
End ShiftTheorems.

(** The skew: as many queries as keys.  Column [c] stands for the offset c - (L - 1). *)
Theorem REL_5_skew {X} (zero : X) L A i j : (j <= i < L)%nat ->
  shifted zero L L A i j = A i (L - 1 - (i - j))%nat.
Proof. intros H; rewrite REL_5_up_to_the_query by lia; f_equal; lia. Qed.

Theorem REL_5_skew_above_the_diagonal {X} (zero : X) L A i j : (i < j < L)%nat ->
  shifted zero L L A i j = padded zero A (i + 1) (j - i - 1).
Proof. intros H; rewrite REL_5_after_the_query by lia; f_equal; lia. Qed.

(** Both forms of the skew.  The full one, of N keys, is the shift of Q + N - 1 columns, of which the
    first N are kept: no element of it is left over or padding. *)
Theorem REL_8_full {X} (zero : X) Q N A i j : (i < Q)%nat -> (j < N)%nat ->
  shifted zero Q (Q + N - 1) A i j = A i (j + (Q - 1 - i))%nat.
Proof. intros Hi Hj; apply REL_5_up_to_the_query; lia. Qed.

Theorem REL_8_forms_agree {X} (zero : X) Q N A i j : (j <= i < Q)%nat -> (j < N)%nat ->
  shifted zero Q (Q + N - 1) A i j = shifted zero Q Q A i j.
Proof. intros Hi Hj; rewrite REL_8_full, REL_5_skew by lia; f_equal; lia. Qed.

(** Three queries, five keys. *)
Theorem REL_5_example :
  map (fun i => map (shifted 0%nat 3 5 (fun i j => 5 * i + j)%nat i) (seq 0 5)) (seq 0 3)
  = [[2; 3; 4; 0; 5]; [6; 7; 8; 9; 0]; [10; 11; 12; 13; 14]]%nat.
Proof. vm_compute; reflexivity. Qed.

Theorem REL_6_four_terms d q k u v r m n :
  xl_score d q k u v r m n =
  (dot d (q m) (k n) + dot d (q m) (r (m - n)%Z) + dot d u (k n) + dot d v (r (m - n)%Z))%R.
Proof. unfold xl_score, dot; rewrite <- !sumn_plus; apply sumn_ext; intros; ring. Qed.

(** Equal contents at equal distances have equal scores. *)
Theorem REL_6_depends_on_the_offset_only d q k u v r m n c :
  xl_score d (fun t => q (t - c)) (fun t => k (t - c)) u v r (m + c) (n + c) =
  xl_score d q k u v r m n.
Proof.
  unfold xl_score; rewrite !Z.add_simpl_r.
  now replace (m + c - (n + c)) with (m - n) by lia.
Qed.
