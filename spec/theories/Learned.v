(** * Learned positions (spec/learned.md)

    A table with one row a position.  What a row is does not matter here. *)
From Gnomon Require Import Sums.

(** ** Definitions *)
Section Table.
Context {Row : Type}.
Variables (T_max : nat) (P : nat -> Row).

(** Normative: LEARNED-1 (lookup).  No position outside 0 .. T_max - 1 has a row. *)
Definition lookup (t : Z) : option Row :=
  if ((0 <=? t) && (t <? Z.of_nat T_max))%Z then Some (P (Z.to_nat t)) else None.

(** Normative: LEARNED-2 (offset).  Position [t] reads row [t + offset]. *)
Definition lookup_from (offset t : Z) : option Row := lookup (t + offset).

(** ** Theorems *)
Theorem LEARNED_1_row t : (t < T_max)%nat -> lookup (Z.of_nat t) = Some (P t).
Proof.
  intros H; unfold lookup; rewrite Nat2Z.id.
  now rewrite (proj2 (Z.leb_le _ _)), (proj2 (Z.ltb_lt _ _)) by lia.
Qed.

Theorem LEARNED_1_defined_exactly_below_T_max t :
  (exists row, lookup t = Some row) <-> (0 <= t < Z.of_nat T_max)%Z.
Proof.
  unfold lookup; destruct (Z.leb_spec 0 t), (Z.ltb_spec t (Z.of_nat T_max)); simpl; split;
    intros H'.
  all: try lia; try (now destruct H'); now exists (P (Z.to_nat t)).
Qed.

Theorem LEARNED_1_neither_wrapped_nor_clamped t :
  (t < 0 \/ Z.of_nat T_max <= t)%Z -> lookup t = None.
Proof.
  intros H; destruct (lookup t) as [row|] eqn:E; trivial.
  assert (exists row, lookup t = Some row) as H' by now exists row.
  apply LEARNED_1_defined_exactly_below_T_max in H'; lia.
Qed.

Theorem LEARNED_2_offset_shortens_the_table offset t :
  (exists row, lookup_from offset t = Some row) <-> (- offset <= t < Z.of_nat T_max - offset)%Z.
Proof. unfold lookup_from; rewrite LEARNED_1_defined_exactly_below_T_max; lia. Qed.
End Table.

(** Normative: LEARNED-3 (add): position [t] adds row [t + offset]. *)
Definition add (T_max : nat) (P : nat -> vector) (offset : Z) (x : vector) (t : Z) :
  option vector := option_map (fun row k => x k + row k) (lookup_from T_max P offset t).

Theorem LEARNED_3_add T_max P offset x t r k : (t + offset = Z.of_nat r)%Z -> (r < T_max)%nat ->
  option_map (fun y => y k) (add T_max P offset x t) = Some (x k + P r k).
Proof. intros E H; unfold add, lookup_from; now rewrite E, LEARNED_1_row. Qed.

Theorem LEARNED_3_defined_where_the_row_is T_max P offset x t :
  (exists y, add T_max P offset x t = Some y) <-> (- offset <= t < Z.of_nat T_max - offset)%Z.
Proof.
  rewrite <- (LEARNED_2_offset_shortens_the_table T_max P); unfold add.
  destruct lookup_from; simpl; split; intros [y H]; try discriminate; eauto.
Qed.
