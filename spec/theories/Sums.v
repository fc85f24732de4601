(** * Finite sums

    All that the theories need of a library: sums over a list, [sum l f], and sums over 0 .. n-1,
    [sumn n f].  Vectors and matrices are functions of their indices. *)
From Coq Require Export Reals List Permutation Lra Lia Arith Bool ZArith.
Export ListNotations.
Global Open Scope R_scope.

Definition vector := nat -> R.
Definition matrix := nat -> nat -> R.   (* row, column *)

Definition sum {A} (l : list A) (f : A -> R) : R := fold_right (fun a s => f a + s) 0 l.
Definition sumn (n : nat) (f : nat -> R) : R := sum (seq 0 n) f.

(** Dot product over [n] dims; a matrix of [n] columns times a vector. *)
Definition dot (n : nat) (x y : vector) : R := sumn n (fun k => x k * y k).
Definition times (n : nat) (A : matrix) (x : vector) : vector := fun r => dot n (A r) x.

(** ** Sums over a list *)
Section Lists.
Context {A : Type}.
Implicit Types (l : list A) (f g : A -> R).

Lemma sum_ext l f g : (forall a, In a l -> f a = g a) -> sum l f = sum l g.
Proof. induction l; simpl; intros H; trivial; rewrite IHl, H; auto. Qed.

Lemma sum_perm l l' f : Permutation l l' -> sum l f = sum l' f.
Proof. induction 1; simpl; lra. Qed.

Lemma sum_map {B} (h : B -> A) (l : list B) f : sum (map h l) f = sum l (fun b => f (h b)).
Proof. induction l; simpl; congruence. Qed.

Lemma sum_plus l f g : sum l (fun a => f a + g a) = sum l f + sum l g.
Proof. induction l; simpl; lra. Qed.

Lemma sum_scal l c f : sum l (fun a => c * f a) = c * sum l f.
Proof. induction l; simpl; lra. Qed.

Lemma sum_const l c : sum l (fun _ => c) = INR (length l) * c.
Proof.
  induction l as [|a l IH]; [simpl; lra|].
  change (c + sum l (fun _ => c) = INR (S (length l)) * c); rewrite IH, S_INR; lra.
Qed.

Lemma sum_le l f g : (forall a, In a l -> f a <= g a) -> sum l f <= sum l g.
Proof.
  induction l as [|a l IH]; simpl; intros H; [lra|].
  assert (f a <= g a) by auto; assert (sum l f <= sum l g) by auto; lra.
Qed.

Lemma sum_nonneg l f : (forall a, In a l -> 0 <= f a) -> 0 <= sum l f.
Proof. intros H; rewrite <- (Rmult_0_r (INR (length l))), <- sum_const; now apply sum_le. Qed.

Lemma sum_pos l f a : (forall b, In b l -> 0 <= f b) -> In a l -> 0 < f a -> 0 < sum l f.
Proof.
  induction l as [|b l IH]; simpl; [tauto|]; intros H [->|Hin] Ha.
  - assert (0 <= sum l f) by (apply sum_nonneg; auto); lra.
  - assert (0 <= f b) by auto; assert (0 < sum l f) by auto; lra.
Qed.
End Lists.

Lemma sum_swap {A B} (l : list A) (m : list B) (f : A -> B -> R) :
  sum l (fun a => sum m (f a)) = sum m (fun b => sum l (fun a => f a b)).
Proof.
  induction l as [|a l IH]; simpl.
  - rewrite sum_const; lra.
  - now rewrite IH, <- sum_plus.
Qed.

(** ** Sums over 0 .. n-1 *)
Lemma sumn_S n f : sumn (S n) f = sumn n f + f n.
Proof.
  unfold sumn; rewrite seq_S, (sum_perm _ (n :: seq 0 n)) by (symmetry;
    apply Permutation_cons_append).
  simpl; lra.
Qed.

Lemma sumn_ext n f g : (forall i, (i < n)%nat -> f i = g i) -> sumn n f = sumn n g.
Proof. intros H; apply sum_ext; intros i Hi; apply in_seq in Hi; apply H; lia. Qed.

Lemma sumn_plus n f g : sumn n (fun i => f i + g i) = sumn n f + sumn n g.
Proof. apply sum_plus. Qed.

Lemma sumn_scal n c f : sumn n (fun i => c * f i) = c * sumn n f.
Proof. apply sum_scal. Qed.

Lemma sumn_const n c : sumn n (fun _ => c) = INR n * c.
Proof. unfold sumn; now rewrite sum_const, seq_length. Qed.

Lemma sumn_le n f g : (forall i, (i < n)%nat -> f i <= g i) -> sumn n f <= sumn n g.
Proof. intros H; apply sum_le; intros i Hi; apply in_seq in Hi; apply H; lia. Qed.

Lemma sumn_swap n m (f : nat -> nat -> R) :
  sumn n (fun i => sumn m (f i)) = sumn m (fun j => sumn n (fun i => f i j)).
Proof. apply sum_swap. Qed.

Lemma sumn_split n m f : sumn (n + m) f = sumn n f + sumn m (fun i => f (n + i)%nat).
Proof.
  induction m as [|m IH].
  - rewrite Nat.add_0_r; unfold sumn at 3; simpl; lra.
  - rewrite Nat.add_succ_r, !sumn_S, IH; lra.
Qed.

Lemma sumn_even_odd n f : sumn (2 * n) f = sumn n (fun i => f (2 * i)%nat + f (2 * i + 1)%nat).
Proof.
  induction n as [|n IH]; trivial.
  replace (2 * S n)%nat with (S (S (2 * n))) by lia.
  rewrite !sumn_S, IH; replace (S (2 * n)) with (2 * n + 1)%nat by lia; lra.
Qed.

(** A sum of which only term [j] is not 0. *)
Lemma sumn_single n j f : (j < n)%nat -> (forall i, (i < n)%nat -> i <> j -> f i = 0) ->
  sumn n f = f j.
Proof.
  intros Hj H; induction n as [|n IH]; [lia|]; rewrite sumn_S.
  destruct (Nat.eq_dec j n) as [->|].
  - rewrite (sumn_ext _ _ (fun _ => 0)), sumn_const by (intros; apply H; lia); ring.
  - rewrite IH, (H n) by (intros; try apply H; lia); ring.
Qed.
