(** * Pairs of dims: the two layouts, and the rotation of a pair *)
From Gnomon Require Import Sums.

(** ** Definitions *)

(** Normative: ROPE-2 (layout).  [2 h] dims hold [h] pairs.  Dims of pair [i]: interleaved (2i,
    2i + 1), half split (i, h + i). *)
Inductive layout := interleaved | half_split.

Definition first (l : layout) (h i : nat) : nat :=
  match l with interleaved => 2 * i | half_split => i end.
Definition second (l : layout) (h i : nat) : nat :=
  match l with interleaved => 2 * i + 1 | half_split => h + i end.

(** Which pair has dim [k], and as which member. *)
Definition pair_of (l : layout) (h k : nat) : nat :=
  match l with interleaved => k / 2 | half_split => if (k <? h)%nat then k else k - h end.
Definition is_first (l : layout) (h k : nat) : bool :=
  match l with interleaved => Nat.even k | half_split => (k <? h)%nat end.

(** Normative: ROPE-3 (rotation).  The pair (a, b) turned by the angle whose cosine and sine are
    [c] and [s].  Tables may hold any [c] and [s]. *)
Definition turn (c s : R) (p : R * R) : R * R := (fst p * c - snd p * s, fst p * s + snd p * c).

(** Normative: ROPE-1, SIN-1 (frequencies).  Angular frequency of pair [i], in radians a token:
    base^(-2i / width). *)
Definition frequency (base : R) (width i : nat) : R := Rpower base (- (2 * INR i / INR width)).

(** ** Layouts *)
Section Layouts.
Variables (l : layout) (h : nat).

Lemma pair_of_first i : (i < h)%nat -> pair_of l h (first l h i) = i.
Proof.
  intros Hi; destruct l; cbn [pair_of first second].
  - rewrite Nat.mul_comm; now apply Nat.div_mul.
  - now rewrite (proj2 (Nat.ltb_lt _ _) Hi).
Qed.

Lemma pair_of_second i : (i < h)%nat -> pair_of l h (second l h i) = i.
Proof.
  intros Hi; destruct l; cbn [pair_of first second].
  - symmetry; apply (Nat.div_unique _ _ _ 1); lia.
  - rewrite (proj2 (Nat.ltb_ge (h + i) h)) by lia; lia.
Qed.

Lemma is_first_first i : (i < h)%nat -> is_first l h (first l h i) = true.
Proof.
  intros Hi; destruct l; cbn [is_first first second];
    [now rewrite Nat.even_mul|now apply Nat.ltb_lt].
Qed.

Lemma is_first_second i : (i < h)%nat -> is_first l h (second l h i) = false.
Proof.
  intros Hi; destruct l; cbn [is_first first second]; [|apply Nat.ltb_ge; lia].
  now rewrite Nat.add_1_r, Nat.even_succ, Nat.odd_mul.
Qed.

Lemma first_lt i : (i < h)%nat -> (first l h i < 2 * h)%nat.
Proof. destruct l; simpl; lia. Qed.

Lemma second_lt i : (i < h)%nat -> (second l h i < 2 * h)%nat.
Proof. destruct l; simpl; lia. Qed.

(** Every dim is a member of exactly one pair. *)
Lemma dim_cases k : (k < 2 * h)%nat ->
  exists i, (i < h)%nat /\ (k = first l h i \/ k = second l h i).
Proof.
  intros Hk; destruct l; simpl.
  - exists (k / 2)%nat; split; [apply Nat.div_lt_upper_bound; lia|].
    pose proof (Nat.div_mod k 2); pose proof (Nat.mod_upper_bound k 2); lia.
  - destruct (Nat.ltb_spec k h); [exists k|exists (k - h)%nat]; lia.
Qed.

(** A sum over dims is a sum over pairs, whatever the layout. *)
Lemma sum_of_pairs f : sumn (2 * h) f = sumn h (fun i => f (first l h i) + f (second l h i)).
Proof.
  destruct l; cbn [first second]; [apply sumn_even_odd|].
  replace (2 * h)%nat with (h + h)%nat by lia; now rewrite sumn_split, <- sumn_plus.
Qed.
End Layouts.

(** ** Rotations *)
Lemma turn_turn a b p : turn (cos a) (sin a) (turn (cos b) (sin b) p) = turn (cos (a + b)) (sin (a
  + b)) p.
Proof. unfold turn; simpl; rewrite sin_plus, cos_plus; f_equal; ring. Qed.

Lemma cos2_sin2 a : cos a * cos a + sin a * sin a = 1.
Proof. pose proof (sin2_cos2 a); unfold Rsqr in *; lra. Qed.

Lemma frequency_0 base width : 0 < base -> frequency base width 0 = 1.
Proof.
  intros Hb; unfold frequency; simpl (INR 0).
  replace (- (2 * 0 / INR width)) with 0 by (unfold Rdiv; ring); now apply Rpower_O.
Qed.
