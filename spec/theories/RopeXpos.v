(** * xPos (spec/rope_xpos.md)

    Sun et al. 2022.  A rotation of which every pair is scaled by zeta to the power of its distance
    from a centre. *)
From Gnomon Require Import Sums Pairs Rope.

(** ** Definitions

    Normative: XPOS-1 (scale).  zeta of pair [i] of [r] dims; the scale at position [m], for the
    centre [c] and the base [B].  [key] divides. *)
Definition zeta (r i : nat) : R := (10 * INR i + 2 * INR r) / (7 * INR r).
Definition xpos_scale (key : bool) (B c : R) (r i : nat) (m : R) : R :=
  Rpower (zeta r i) ((if key then c - m else m - c) / B).

(** Normative: XPOS-3 (rotation and scale).  Both members of a pair have its scale; other dims are
    copied.  [w]: the schedule of ROPE-1. *)
Definition xpos2 lin lout h o (w : nat -> R) (s : nat -> R -> R) (m : R) (x : vector) : vector :=
  fun k =>
  if ((o <=? k) && (k <? o + 2 * h))%nat then
    s (pair_of lout h (k - o)) m * rope2 lin lout h o w m x k
  else x k.
Definition xpos l h o w key B c m x :=
  xpos2 l l h o w (fun i => xpos_scale key B c (2 * h) i) m x.

(** ** The scale *)
Lemma zeta_range r i : (0 < r)%nat -> (2 * i < r)%nat -> 0 < zeta r i < 1.
Proof.
  intros Hr Hi; unfold zeta.
  assert (H : 0 < 7 * INR r) by (apply lt_0_INR in Hr; lra).
  pose proof (pos_INR i); apply lt_0_INR in Hr.
  apply lt_INR in Hi; rewrite mult_INR in Hi; simpl (INR 2) in Hi.
  split; [apply Rdiv_lt_0_compat; lra|].
  apply (Rmult_lt_reg_r (7 * INR r)); trivial; unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra; lra.
Qed.

(** As the paper writes it. *)
Theorem XPOS_1_zeta r i : (0 < r)%nat ->
  zeta r i = (2 * INR i + 4 / 10 * INR r) / (14 / 10 * INR r).
Proof. intros Hr; apply lt_0_INR in Hr; unfold zeta; field; lra. Qed.

Theorem XPOS_1_scale_is_positive key B c r i m : 0 < xpos_scale key B c r i m.
Proof. apply exp_pos. Qed.

(** Whatever the conventions of XPOS-2 are, moving the centre is one factor. *)
Theorem XPOS_2_centre_is_a_factor B c c' r i m : B <> 0 ->
  xpos_scale false B c' r i m = Rpower (zeta r i) ((c - c') / B) * xpos_scale false B c r i m.
Proof. intros; unfold xpos_scale; rewrite <- Rpower_plus; f_equal; now field. Qed.

Theorem XPOS_7_scale_at_the_centre key B c r i : (0 < r)%nat -> (2 * i < r)%nat ->
  xpos_scale key B c r i c = 1.
Proof.
  intros Hr Hi; unfold xpos_scale; destruct (zeta_range r i Hr Hi).
  replace ((if key then c - c else c - c) / B) with 0 by (destruct key; unfold Rdiv; ring).
  now apply Rpower_O.
Qed.

Theorem XPOS_7_roles_mirror B c r i t :
  xpos_scale false B c r i (c + t) = xpos_scale true B c r i (c - t).
Proof. unfold xpos_scale; do 2 f_equal; ring. Qed.

Theorem XPOS_7_roles_cancel B c r i m : (0 < r)%nat -> (2 * i < r)%nat ->
  xpos_scale false B c r i m * xpos_scale true B c r i m = 1.
Proof.
  intros Hr Hi; unfold xpos_scale; destruct (zeta_range r i Hr Hi); rewrite <- Rpower_plus.
  replace ((m - c) / B + (c - m) / B) with 0 by (unfold Rdiv; ring); now apply Rpower_O.
Qed.

(** A query at [m] meets a key at [n]: of both, what is left depends on [m - n]. *)
Lemma scales_meet B c c' r i m n : B <> 0 ->
  xpos_scale false B c r i m * xpos_scale true B c r i n =
  xpos_scale false B c' r i m * xpos_scale true B c' r i n.
Proof.
  intros; unfold xpos_scale; rewrite <- !Rpower_plus; f_equal; now field.
Qed.

Theorem XPOS_9_decay B c r i m n : 0 < B -> (0 < r)%nat -> (2 * i < r)%nat -> m < n ->
  xpos_scale false B c r i n < xpos_scale false B c r i m.
Proof.
  intros HB Hr Hi Hmn; unfold xpos_scale, Rpower; destruct (zeta_range r i Hr Hi) as [H0 H1].
  assert (Hl : ln (zeta r i) < 0) by (rewrite <- ln_1; now apply ln_increasing).
  apply exp_increasing.
  assert (0 < / B) by now apply Rinv_0_lt_compat.
  assert (Hd : (n - c) / B - (m - c) / B = (n - m) * / B) by (unfold Rdiv; ring).
  assert (0 < (n - m) * / B) by (apply Rmult_lt_0_compat; lra).
  apply Ropp_lt_cancel; rewrite !Ropp_mult_distr_r.
  apply Rmult_lt_compat_r; lra.
Qed.

(** ** Dim by dim *)
Section Dims.
Variables (lin lout : layout) (h o : nat) (w : nat -> R) (s : nat -> R -> R) (m : R) (x : vector).
Notation X := (xpos2 lin lout h o w s m x).

Theorem XPOS_3_copied k : (k < o \/ o + 2 * h <= k)%nat -> X k = x k.
Proof. intros Hk; unfold xpos2; now rewrite window_outside. Qed.

Lemma xpos_first i : (i < h)%nat ->
  X (o + first lout h i)%nat = s i m * rope2 lin lout h o w m x (o + first lout h i)%nat.
Proof.
  intros Hi; unfold xpos2; rewrite window_inside by now apply first_lt.
  rewrite (Nat.add_comm o (first _ _ _)), Nat.add_sub, pair_of_first by trivial; reflexivity.
Qed.

Lemma xpos_second i : (i < h)%nat ->
  X (o + second lout h i)%nat = s i m * rope2 lin lout h o w m x (o + second lout h i)%nat.
Proof.
  intros Hi; unfold xpos2; rewrite window_inside by now apply second_lt.
  rewrite (Nat.add_comm o (second _ _ _)), Nat.add_sub, pair_of_second by trivial; reflexivity.
Qed.

(** Both members: the rotation of the pair, times its scale. *)
Theorem XPOS_3_scaled_rotation i : (i < h)%nat ->
  X (o + first lout h i)%nat = s i m * (x (o + first lin h i)%nat * cos (m * w i)
                                        - x (o + second lin h i)%nat * sin (m * w i)) /\
  X (o + second lout h i)%nat = s i m * (x (o + first lin h i)%nat * sin (m * w i)
                                         + x (o + second lin h i)%nat * cos (m * w i)).
Proof.
  intros Hi; rewrite xpos_first, xpos_second by trivial; unfold rope2.
  now rewrite ROPE_3_first, ROPE_3_second.
Qed.
End Dims.

Ltac by_scaled_dims l h o k :=
  let i := fresh "i" in let Hi := fresh "Hi" in let Hk := fresh "Hk" in
  destruct (dims l h o k) as [Hk|(i & Hi & [->| ->])]; unfold xpos;
  [repeat (rewrite XPOS_3_copied by trivial)
  |repeat ((rewrite (proj1 (XPOS_3_scaled_rotation _ _ _ _ _ _ _ _ _ Hi)))
           || (rewrite (proj2 (XPOS_3_scaled_rotation _ _ _ _ _ _ _ _ _ Hi))))..].

Section Theorems.
Variables (l : layout) (h o : nat) (w : nat -> R) (B : R).
Hypothesis HB : B <> 0.
Notation X := (xpos l h o w).

(** At the centre it is the rotation. *)
Theorem XPOS_7_centre key c x k : X key B c c x k = rope l h o w c x k.
Proof.
  destruct (dims l h o k) as [Hk|(i & Hi & [->| ->])]; unfold xpos, rope.
  - now rewrite XPOS_3_copied by trivial; unfold rope2; rewrite ROPE_5_copied.
  - rewrite xpos_first, XPOS_7_scale_at_the_centre by (trivial; lia); ring.
  - rewrite xpos_second, XPOS_7_scale_at_the_centre by (trivial; lia); ring.
Qed.

Theorem XPOS_9_norm_of_a_pair key c m x i : (i < h)%nat ->
  (X key B c m x (o + first l h i)%nat)^2 + (X key B c m x (o + second l h i)%nat)^2 =
  (xpos_scale key B c (2 * h) i m)^2 *
    ((x (o + first l h i)%nat)^2 + (x (o + second l h i)%nat)^2).
Proof.
  intros Hi; unfold xpos; rewrite xpos_first, xpos_second by trivial.
  rewrite <- (ROPE_17_norm_of_a_pair l h o w m x i Hi); unfold rope; ring.
Qed.

Theorem XPOS_10_composition key c c' m n x k :
  X key B c' m (X key B c n x) k = X key B (c + c') (m + n) x k.
Proof.
  assert (H : forall i, xpos_scale key B (c + c') (2 * h) i (m + n) =
    xpos_scale key B c' (2 * h) i m * xpos_scale key B c (2 * h) i n).
  { intros i; unfold xpos_scale; rewrite <- Rpower_plus; f_equal; destruct key; now field. }
  by_scaled_dims l h o k; trivial; rewrite H, Rmult_plus_distr_r, cos_plus, sin_plus; ring.
Qed.

Theorem XPOS_10_linearity key c m a b x y k :
  X key B c m (fun j => a * x j + b * y j) k = a * X key B c m x k + b * X key B c m y k.
Proof. by_scaled_dims l h o k; ring. Qed.

(** The scales of a query at [m] and a key at [n], dim by dim of their product. *)
Lemma pair_of_scores c m n q (k : vector) i : (i < h)%nat ->
  X false B c m q (o + first l h i)%nat * X true B c n k (o + first l h i)%nat +
  X false B c m q (o + second l h i)%nat * X true B c n k (o + second l h i)%nat =
  Rpower (zeta (2 * h) i) ((m - n) / B) *
  (rope l h o w m q (o + first l h i)%nat * rope l h o w n k (o + first l h i)%nat +
   rope l h o w m q (o + second l h i)%nat * rope l h o w n k (o + second l h i)%nat).
Proof.
  intros Hi; unfold xpos; rewrite !xpos_first, !xpos_second by trivial; fold (rope l h o w m q).
  replace ((m - n) / B) with ((m - c) / B + (c - n) / B) by now field.
  rewrite Rpower_plus; unfold xpos_scale, rope; ring.
Qed.

Section Scores.
Variable d : nat.
Hypothesis Hd : (o + 2 * h <= d)%nat.

(** The centre cancels. *)
Theorem XPOS_8_centre_cancels c c' m n q (k : vector) :
  dot d (X false B c m q) (X true B c n k) = dot d (X false B c' m q) (X true B c' n k).
Proof.
  unfold dot; rewrite !(sum_by_dims l h o d) by trivial; f_equal; [f_equal|];
    apply sumn_ext; intros i Hi.
  - unfold xpos; now rewrite !XPOS_3_copied by (left; lia).
  - now rewrite !pair_of_scores.
  - unfold xpos; now rewrite !XPOS_3_copied by (right; lia).
Qed.

Lemma pair_of_rotations m n t q (k : vector) i : (i < h)%nat ->
  rope l h o w (m + t) q (o + first l h i)%nat * rope l h o w (n + t) k (o + first l h i)%nat +
  rope l h o w (m + t) q (o + second l h i)%nat * rope l h o w (n + t) k (o + second l h i)%nat =
  rope l h o w m q (o + first l h i)%nat * rope l h o w n k (o + first l h i)%nat +
  rope l h o w m q (o + second l h i)%nat * rope l h o w n k (o + second l h i)%nat.
Proof.
  intros Hi; unfold rope, rope2; rewrite !ROPE_3_first, !ROPE_3_second by trivial.
  rewrite !Rmult_plus_distr_r, !cos_plus, !sin_plus.
  set (a := q _); set (b := q _); set (a' := k _); set (b' := k _).
  set (C := cos (m * w i)); set (S := sin (m * w i)).
  set (C' := cos (n * w i)); set (S' := sin (n * w i)).
  pose proof (cos2_sin2 (t * w i)) as H; revert H.
  set (Ct := cos (t * w i)); set (St := sin (t * w i)); intros H.
  transitivity ((Ct * Ct + St * St) * ((a * C - b * S) * (a' * C' - b' * S') +
    (a * S + b * C) * (a' * S' + b' * C'))); [ring|rewrite H; ring].
Qed.

(** Only [m - n] matters, and no centre does. *)
Theorem XPOS_8_scores c c' m n t q (k : vector) :
  dot d (X false B c (m + t) q) (X true B c (n + t) k) = dot d (X false B c' m q) (X true B c' n k).
Proof.
  rewrite (XPOS_8_centre_cancels c c').
  unfold dot; rewrite !(sum_by_dims l h o d) by trivial; f_equal; [f_equal|];
    apply sumn_ext; intros i Hi.
  - unfold xpos; now rewrite !XPOS_3_copied by (left; lia).
  - rewrite !pair_of_scores by trivial; f_equal; [do 2 f_equal; ring|].
    now apply pair_of_rotations.
  - unfold xpos; now rewrite !XPOS_3_copied by (right; lia).
Qed.
End Scores.
End Theorems.

(** Layouts differ by P (ROPE-19). *)
Theorem XPOS_10_layouts h o w s m x k :
  xpos2 half_split half_split h o w s m (to_half_split h o x) k =
  to_half_split h o (xpos2 interleaved interleaved h o w s m x) k.
Proof.
  destruct (dims half_split h o k) as [Hk|(i & Hi & [->| ->])].
  - now rewrite XPOS_3_copied, !to_half_split_copied, XPOS_3_copied by trivial.
  - rewrite to_half_split_first, !xpos_first by trivial; unfold rope2.
    now rewrite !ROPE_3_first, to_half_split_first, to_half_split_second.
  - rewrite to_half_split_second, !xpos_second by trivial; unfold rope2.
    now rewrite !ROPE_3_second, to_half_split_first, to_half_split_second.
Qed.
