(** * The error of similarities (spec/sinusoidal.md, SIN-12)

    Dot products of stored rows, summed in any order.  The distance is not here. *)
From Coq Require Import Reals ZArith Lra Lia List Permutation.
From Gnomon Require Import Sums Bounds Sinusoidal.
Open Scope R_scope.

(** ** Definitions *)

(** A7.  The sum of a list: additions in any order, each off by at most [u] relatively. *)
Inductive summed (u : R) : list R -> R -> Prop :=
  | one_term x : summed u [x] x
  | two_sums l l' s s' r : summed u l s -> summed u l' s' -> Rabs r <= u ->
      summed u (l ++ l') ((s + s') * (1 + r))
  | reordered l l' s : summed u l s -> Permutation l l' -> summed u l' s.

(** Normative: SIN-12, similarity.  [d] the relative error of an entry,
[ua] the roundoff of the products, [g] =
    gamma (N - 1), [moved] the sum over the pairs of what wrong angles do, [eta] of the tables. *)
Definition similarity_bound (K : R) (h : nat) (d ua g moved eta : R) : R :=
  K * K * (INR h * ((1 + d) * (1 + d) * (1 + ua) * (1 + g) - 1) + moved)
  + 4 * INR (2 * h) * ((1 + Rabs K) * (1 + Rabs K)) * eta.

(** ** Sums in any order *)
Definition total (l : list R) : R := sum l (fun x => x).
Definition size (l : list R) : R := sum l Rabs.

Lemma size_nonneg l : 0 <= size l.
Proof. apply sum_nonneg; intros; apply Rabs_pos. Qed.

Lemma power_grows u n m : 0 <= u -> (n <= m)%nat -> (1 + u) ^ n <= (1 + u) ^ m.
Proof. intros; apply Rle_pow; [lra|trivial]. Qed.

Lemma sum_app {A} (l l' : list A) f : sum (l ++ l') f = sum l f + sum l' f.
Proof. induction l as [|a l IH]; simpl; [ring|]; fold (sum (l ++ l') f) (sum l f); rewrite IH;
  ring. Qed.

Lemma sum_of_map {A} (l : list A) (f : A -> R) g : sum (map f l) g = sum l (fun x => g (f x)).
Proof. unfold sum; induction l as [|a l IH]; simpl; trivial; rewrite IH; reflexivity. Qed.

Lemma summed_error u l s : 0 <= u -> summed u l s ->
  (0 < length l)%nat /\ Rabs (s - total l) <= ((1 + u) ^ (length l - 1) - 1) * size l.
Proof.
  intros Hu H; induction H as [x|l l' s s' r H [Hl IH] H' [Hl' IH'] Hr|l l' s H [Hl IH] P].
  - split; [simpl; lia|]; unfold total; simpl; rewrite Rplus_0_r, Rminus_diag_eq,
    Rabs_R0 by trivial; lra.
  - rewrite app_length; split; [lia|]; unfold total, size in *; rewrite !sum_app.
    fold (total l) (total l') (size l) (size l') in *.
    pose proof (size_nonneg l) as Z0; pose proof (size_nonneg l') as Z0'.
    set (n := length l) in *; set (n' := length l') in *.
    assert (E : forall k, (1 + u) ^ (n + n' - 1) >= (1 + u) * (1 + u) ^ k \/ (n + n' - 1 < S
      k)%nat).
    { intros k; destruct (Nat.le_gt_cases (S k) (n + n' - 1)); [left|now right].
      apply Rle_ge; change ((1 + u) * (1 + u) ^ k) with ((1 + u) ^ S k); now apply power_grows. }
    destruct (E (n - 1)%nat) as [E1|E1]; [|lia]; destruct (E (n' - 1)%nat) as [E2|E2]; [|lia].
    assert (B : Rabs (total l) <= size l /\ Rabs (total l') <= size l').
    { assert (G : forall k, Rabs (total k) <= size k).
      { induction k as [|x k IHk]; unfold total, size in *; simpl; [rewrite Rabs_R0; lra|].
        eapply Rle_trans; [apply Rabs_triang|]; apply Rplus_le_compat_l; exact IHk. }
      split; apply G. }
    replace ((s + s') * (1 + r) - (total l + total l')) with
      ((s - total l + (s' - total l')) * (1 + r) + (total l + total l') * r) by ring.
    eapply Rle_trans; [apply Rabs_triang|]; rewrite !Rabs_mult.
    assert (Hr1 : Rabs (1 + r) <= 1 + u) by (eapply Rle_trans; [apply Rabs_triang|];
      rewrite Rabs_R1; lra).
    set (a := (1 + u) ^ (n - 1)) in *; set (a' := (1 + u) ^ (n' - 1)) in *;
      set (b := (1 + u) ^ (n + n' - 1)) in *.
    assert (X : Rabs (s - total l + (s' - total l')) * Rabs (1 + r) <=
      ((a - 1) * size l + (a' - 1) * size l') * (1 + u)).
    { apply Rmult_le_compat; trivial; try apply Rabs_pos.
      eapply Rle_trans; [apply Rabs_triang|]; lra. }
    assert (Y : Rabs (total l + total l') * Rabs r <= (size l + size l') * u).
    { apply Rmult_le_compat; trivial; try apply Rabs_pos.
      eapply Rle_trans; [apply Rabs_triang|]; lra. }
    apply Rge_le in E1, E2.
    assert (Z1 : (1 + u) * a * size l <= b * size l) by (apply Rmult_le_compat_r; trivial).
    assert (Z2 : (1 + u) * a' * size l' <= b * size l') by (apply Rmult_le_compat_r; trivial).
    lra.
  - rewrite <- (Permutation_length P); split; trivial.
    unfold total, size in *; now rewrite <- !(sum_perm l l') by exact P.
Qed.

(** ** Products of entries *)

(** Entries [p'], [q'] of the real [p], [q], each off by [d] relatively and [e]; their product,
rounded by [r], and
    what it loses by underflow, [f]. *)
Lemma entry_product p q p' q' d e r u f E : 0 <= d -> 0 <= e -> 0 <= u ->
  Rabs (p' - p) <= d * Rabs p + e -> Rabs (q' - q) <= d * Rabs q + e -> Rabs r <= u -> Rabs f
    <= E ->
  let B := ((1 + d) * Rabs p + e) * ((1 + d) * Rabs q + e) * (1 + u) + E in
  Rabs (p' * q' * (1 + r) + f) <= B /\ Rabs (p' * q' * (1 + r) + f - p * q) <= B - Rabs (p * q).
Proof.
  intros Hd He Hu Hp Hq Hr Hf B.
  set (P := Rabs p) in *; set (Q := Rabs q) in *.
  assert (HP : 0 <= P) by apply Rabs_pos; assert (HQ : 0 <= Q) by apply Rabs_pos.
  set (a := p' - p) in *; set (b := q' - q) in *.
  assert (Ep : p' = p + a) by (unfold a; ring); assert (Eq : q' = q + b) by (unfold b; ring).
  assert (Pp : Rabs p' <= (1 + d) * P + e) by (rewrite Ep; eapply Rle_trans; [apply Rabs_triang|];
    fold P; lra).
  assert (Pq : Rabs q' <= (1 + d) * Q + e) by (rewrite Eq; eapply Rle_trans; [apply Rabs_triang|];
    fold Q; lra).
  assert (X : Rabs (p' * q') <= ((1 + d) * P + e) * ((1 + d) * Q + e))
    by (rewrite Rabs_mult; apply Rmult_le_compat; trivial; apply Rabs_pos).
  assert (X0 : 0 <= Rabs (p' * q')) by apply Rabs_pos.
  assert (Y : Rabs (p' * q' * r) <= ((1 + d) * P + e) * ((1 + d) * Q + e) * u)
    by (rewrite (Rabs_mult _ r); apply Rmult_le_compat; trivial; apply Rabs_pos).
  split.
  - replace (p' * q' * (1 + r) + f) with (p' * q' + p' * q' * r + f) by ring.
    eapply Rle_trans; [apply Rabs_triang|]; unfold B; apply Rplus_le_compat; trivial.
    eapply Rle_trans; [apply Rabs_triang|]; lra.
  - replace (p' * q' * (1 + r) + f - p * q) with (p * b + a * q + a * b + p' * q' * r + f) by
    (rewrite Ep, Eq; ring).
    assert (Z : Rabs (p * b) <= P * (d * Q + e) /\ Rabs (a * q) <= (d * P + e) * Q /\
      Rabs (a * b) <= (d * P + e) * (d * Q + e)).
    { rewrite !Rabs_mult; repeat split; apply Rmult_le_compat; trivial; try apply Rabs_pos;
      apply Rle_refl. }
    destruct Z as (Z1 & Z2 & Z3).
    assert (T : Rabs (p * b + a * q + a * b + p' * q' * r + f) <=
      Rabs (p * b) + Rabs (a * q) + Rabs (a * b) + Rabs (p' * q' * r) + Rabs f).
    { pose proof (Rabs_triang (p * b + a * q + a * b + p' * q' * r) f).
      pose proof (Rabs_triang (p * b + a * q + a * b) (p' * q' * r)).
      pose proof (Rabs_triang (p * b + a * q) (a * b)); pose proof (Rabs_triang (p * b) (a * q));
        lra. }
    unfold B; rewrite (Rabs_mult p q); fold P Q; lra.
Qed.

(** ** Similarity *)
Section Similarity.
Variables (o : order) (h : nat) (K : R) (w : nat -> R) (m n : R) (t t' Dm Dn : nat -> R).
Hypotheses (Hh : (0 < h)%nat) (Ht : forall i, (i < h)%nat -> Rabs (t i) <= Dm i)
  (Ht' : forall i, (i < h)%nat -> Rabs (t' i) <= Dn i).

(** Rows at the angles that were used: off by [t], [t']. *)
Definition turned_row (x : R) (t : nat -> R) : vector := fun k =>
  if is_sine o h k then K * sin (x * w (pair_at o h k) + t (pair_at o h k))
  else K * cos (x * w (pair_at o h k) + t (pair_at o h k)).
Notation p := (turned_row m t).
Notation q := (turned_row n t').

Lemma turned_pair x s i : (i < h)%nat ->
  turned_row x s (sine_column o h i) = K * sin (x * w i + s i) /\
  turned_row x s (cosine_column o h i) = K * cos (x * w i + s i).
Proof.
  intros Hi; unfold turned_row; destruct (at_sine o h i Hi) as [-> ->], (at_cosine o h i Hi) as [->
    ->].
  now split.
Qed.

Definition moved_pairs : R :=
  sumn h (fun i => moved (Dm i + Dn i) (cos ((m - n) * w i)) (sin ((m - n) * w i))).

Lemma wrong_angles : Rabs (dot (2 * h) p q - similarity o h K w m n) <= K * K * moved_pairs.
Proof.
  rewrite SIN_8_similarity; unfold dot; rewrite (sum_of_columns o).
  rewrite (sumn_ext h _ (fun i => K * K * cos ((m - n) * w i + (t i - t' i)))).
  - rewrite sumn_scal, <- Rmult_minus_distr_l, Rabs_mult, (Rabs_pos_eq (K * K)) by apply Rle_0_sqr.
    apply Rmult_le_compat_l; [apply Rle_0_sqr|].
    assert (G : forall k, (k <= h)%nat -> Rabs (sumn k (fun i =>
      cos ((m - n) * w i + (t i - t' i))) -
      sumn k (fun i => cos ((m - n) * w i))) <=
      sumn k (fun i => moved (Dm i + Dn i) (cos ((m - n) * w i)) (sin ((m - n) * w i)))).
    { induction k as [|k IH]; intros Hk; [unfold sumn; simpl; rewrite Rminus_0_r, Rabs_R0; lra|].
      rewrite !sumn_S; specialize (IH ltac:(lia)).
      replace (_ + _ - (_ + _)) with (sumn k (fun i => cos ((m - n) * w i + (t i - t' i))) -
        sumn k (fun i => cos ((m - n) * w i)) + (cos ((m - n) * w k + (t k - t' k)) - cos ((m - n)
          * w k))) by ring.
      eapply Rle_trans; [apply Rabs_triang|]; apply Rplus_le_compat; trivial.
      apply BOUND_4_moved_cosine; eapply Rle_trans; [apply Rabs_triang|]; rewrite Rabs_Ropp.
      apply Rplus_le_compat; [apply Ht|apply Ht']; lia. }
    now apply G.
  - intros i Hi; destruct (turned_pair m t i Hi) as [-> ->], (turned_pair n t' i Hi) as [-> ->].
    replace ((m - n) * w i + (t i - t' i)) with (m * w i + t i - (n * w i + t' i)) by ring.
    rewrite cos_minus; ring.
Qed.

(** The absolute products of a pair: at most K^2. *)
Lemma absolute_products : sumn (2 * h) (fun k => Rabs (p k * q k)) <= K * K * INR h.
Proof.
  rewrite (sum_of_columns o), (Rmult_comm _ (INR h)), <- sumn_const; apply sumn_le; intros i Hi.
  destruct (turned_pair m t i Hi) as [-> ->], (turned_pair n t' i Hi) as [-> ->].
  set (a := m * w i + t i); set (b := n * w i + t' i).
  assert (G : forall x y, Rabs (K * x * (K * y)) <= K * K * ((x * x + y * y) / 2)).
  { intros x y; replace (K * x * (K * y)) with (K * K * (x * y)) by ring.
    rewrite Rabs_mult, (Rabs_pos_eq (K * K)) by apply Rle_0_sqr.
    apply Rmult_le_compat_l; [apply Rle_0_sqr|]; apply Rabs_le.
    assert (0 <= (x - y) * (x - y)) by apply Rle_0_sqr; assert (0
      <= (x + y) * (x + y)) by apply Rle_0_sqr; lra. }
  pose proof (G (sin a) (sin b)); pose proof (G (cos a) (cos b)).
  pose proof (sin2_cos2 a) as Ea; pose proof (sin2_cos2 b) as Eb; unfold Rsqr in *.
  replace (K * K) with (K * K * ((sin a * sin a + cos a * cos a + (sin b * sin b + cos b * cos b))
    / 2))
    by (rewrite Ea, Eb; field); lra.
Qed.

Lemma entry_size x s k : (k < 2 * h)%nat -> Rabs (turned_row x s k) <= Rabs K.
Proof.
  intros _; unfold turned_row; assert (G : forall v, -1 <= v <= 1 -> Rabs (K * v) <= Rabs K).
  { intros v Hv; rewrite Rabs_mult; apply Rle_trans with (Rabs K * 1); [|lra].
    apply Rmult_le_compat_l; [apply Rabs_pos|apply Rabs_le; lra]. }
  destruct (is_sine o h k); apply G; [apply SIN_bound|apply COS_bound].
Qed.

Theorem SIN_12_similarity (p' q' z : vector) d eta u ua ea s (g := gamma (INR (2 * h - 1)) u) :
  0 <= d <= / 4 -> 0 <= eta <= / 8 -> 0 <= u -> 0 <= ua -> 0 <= ea <= eta ->
  INR (2 * h - 1) * u < 1 -> (1 + ua) * (1 + g) <= 5 / 4 ->
  (forall k, (k < 2 * h)%nat -> Rabs (p' k - p k) <= d * Rabs (p k) + (1 + Rabs K) * eta) ->
  (forall k, (k < 2 * h)%nat -> Rabs (q' k - q k) <= d * Rabs (q k) + (1 + Rabs K) * eta) ->
  (forall k, (k < 2 * h)%nat -> exists r f, Rabs r <= ua /\ Rabs f <= ea /\ z k
    = p' k * q' k * (1 + r) + f) ->
  summed u (map z (seq 0 (2 * h))) s ->
  Rabs (s - similarity o h K w m n) <= similarity_bound K h d ua g moved_pairs eta.
Proof.
  intros Hd Heta Hu Hua Hea Hn Hug Hp Hq Hz Hs.
  destruct (summed_error u _ s Hu Hs) as [_ He]; rewrite map_length, seq_length in He.
  assert (Hg : (1 + u) ^ (2 * h - 1) - 1 <= g).
  { set (l := repeat (Error u 1 false) (2 * h - 1)).
    assert (El : roundings l = INR (2 * h - 1)).
    { unfold roundings, l; generalize (2 * h - 1)%nat as k; induction k as [|k IH]; [reflexivity|].
      rewrite S_INR; simpl; fold (sum (repeat (Error u 1 false) k) count); rewrite IH; ring. }
    assert (Epr : product l = (1 + u) ^ (2 * h - 1)).
    { unfold l; generalize (2 * h - 1)%nat as k; induction k as [|k IH]; simpl; trivial;
      now rewrite IH. }
    pose proof (BOUND_2_gamma u 0 0 l Hu ltac:(lra) ltac:(rewrite Rabs_R0; lra)) as H.
    rewrite El, Rplus_0_r, exp_0, Rmult_1_l, Epr in H.
    assert (Hl : forall x, In x l -> within_count u x).
    { intros x Hx; apply repeat_spec in Hx; subst x; split; cbn [relative count];
      [lra|rewrite Rabs_pos_eq; lra]. }
    specialize (H Hl Hn); apply abs_le_inv in H; unfold g; lra. }
  assert (Hg0 : 0 <= g) by (apply Rle_trans with (2 := Hg); pose proof (pow_R1_Rle (1 + u) (2 * h -
    1) ltac:(lra)); lra).
  assert (Etot : total (map z (seq 0 (2 * h))) = sumn (2 * h) z).
  { unfold total, sumn; apply sum_of_map. }
  assert (Esz : size (map z (seq 0 (2 * h))) = sumn (2 * h) (fun k => Rabs (z k))).
  { unfold size, sumn; apply sum_of_map. }
  rewrite Etot, Esz in He; set (e := (1 + Rabs K) * eta) in *.
  assert (HK : 0 <= Rabs K) by apply Rabs_pos.
  assert (He0 : 0 <= e) by (apply Rmult_le_pos; lra).
  set (B := fun k => ((1 + d) * Rabs (p k) + e) * ((1 + d) * Rabs (q k) + e) * (1 + ua) + ea).
  assert (Hprod : forall k, (k < 2 * h)%nat -> Rabs (z k) <= B k /\ Rabs (z k - p k * q k)
    <= B k - Rabs (p k * q k)).
  { intros k Hk; destruct (Hz k Hk) as (r & f & Hr & Hf & ->).
    exact (entry_product (p k) (q k) (p' k) (q' k) d e r ua f ea ltac:(lra) He0 Hua (Hp k Hk) (Hq k
      Hk) Hr Hf). }
  (* what the sums are off, and the products *)
  assert (S1 : sumn (2 * h) (fun k => Rabs (z k)) <= sumn (2 * h) B) by (apply sumn_le; intros;
    now apply Hprod).
  assert (S0 : 0 <= sumn (2 * h) (fun k => Rabs (z k))) by (apply sum_nonneg; intros;
    apply Rabs_pos).
  assert (S2 : Rabs (sumn (2 * h) z - dot (2 * h) p q) <= sumn (2 * h) B - sumn (2 * h) (fun k =>
    Rabs (p k * q k))).
  { assert (G : forall k, (k <= 2 * h)%nat -> Rabs (sumn k z - sumn k (fun k => p k * q k)) <=
      sumn k B - sumn k (fun k => Rabs (p k * q k))).
    { induction k as [|k IH]; intros Hk; [unfold sumn; simpl; rewrite Rminus_0_r, Rabs_R0; lra|].
      rewrite !sumn_S; specialize (IH ltac:(lia)); destruct (Hprod k ltac:(lia)) as [_ H].
      replace (sumn k z + z k - (sumn k (fun k => p k * q k) + p k * q k)) with
        (sumn k z - sumn k (fun k => p k * q k) + (z k - p k * q k)) by ring.
      eapply Rle_trans; [apply Rabs_triang|]; lra. }
    now apply G. }
  pose proof wrong_angles as S3.
  assert (S4 : Rabs (s - similarity o h K w m n) <=
    (1 + g) * sumn (2 * h) B - sumn (2 * h) (fun k => Rabs (p k * q k)) + K * K * moved_pairs).
  { replace (s - similarity o h K w m n) with (s - sumn (2 * h) z + (sumn (2 * h) z - dot (2 * h) p
    q) +
      (dot (2 * h) p q - similarity o h K w m n)) by ring.
    assert (((1 + u) ^ (2 * h - 1) - 1) * sumn (2 * h) (fun k => Rabs (z k)) <= g * sumn (2 * h) B).
    { apply Rmult_le_compat; trivial.
      pose proof (pow_R1_Rle (1 + u) (2 * h - 1) ltac:(lra)); lra. }
    eapply Rle_trans; [apply Rabs_triang|]; eapply Rle_trans; [apply Rplus_le_compat_r,
      Rabs_triang|]; lra. }
  apply Rle_trans with (1 := S4).
  (* each term: the products, and what underflow adds, at most 4 (1 + |K|)^2 eta *)
  set (x := Rabs K) in *; set (c := (1 + d) * (1 + d) * (1 + ua) * (1 + g)).
  set (v := (1 + ua) * (1 + g)) in *.
  assert (Hv : 1 <= v) by (unfold v; nra).
  assert (T : (1 + g) * sumn (2 * h) B - sumn (2 * h) (fun k => Rabs (p k * q k)) <=
    (c - 1) * sumn (2 * h) (fun k => Rabs (p k * q k)) + INR (2 * h) * (4 * ((1 + x) * (1 + x)) *
      eta)).
  { rewrite <- !sumn_scal, <- sumn_const.
    apply Rle_trans with (sumn (2 * h) (fun k => c * Rabs (p k * q k) + 4 * ((1 + x) * (1 + x)) *
      eta) -
      sumn (2 * h) (fun k => Rabs (p k * q k))).
    - unfold Rminus; apply Rplus_le_compat_r, sumn_le; intros k Hk; unfold B.
      pose proof (entry_size m t k Hk) as Pk; pose proof (entry_size n t' k Hk) as Qk;
        fold x in Pk, Qk.
      rewrite (Rabs_mult (p k)); set (P := Rabs (p k)) in *; set (Q := Rabs (q k)) in *.
      assert (HP : 0 <= P) by apply Rabs_pos; assert (HQ : 0 <= Q) by apply Rabs_pos.
      assert (Cross : (1 + d) * e * (P + Q) + e * e + ea <= 3 * ((1 + x) * (1 + x)) * eta).
      { assert (Y : (1 + d) * e * (P + Q) <= 5 / 4 * e * (2 * x)).
        { apply Rmult_le_compat; [apply Rmult_le_pos; lra|lra|apply Rmult_le_compat_r; lra|lra]. }
        assert (Y2 : e * e <= (1 + x) * / 8 * e) by (apply Rmult_le_compat_r; trivial; unfold e;
          apply Rmult_le_compat_l; lra).
        assert (Ee : e = (1 + x) * eta) by reflexivity.
        assert (Z : 0 <= x * eta) by (apply Rmult_le_pos; lra).
        assert (Z2 : 0 <= x * x * eta) by (apply Rmult_le_pos; [apply Rmult_le_pos|]; lra).
        rewrite Ee in Y, Y2 |- *; lra. }
      assert (U : (1 + g) * (((1 + d) * P + e) * ((1 + d) * Q + e) * (1 + ua) + ea) <=
        c * (P * Q) + v * ((1 + d) * e * (P + Q) + e * e + ea)).
      { replace (c * (P * Q) + v * ((1 + d) * e * (P + Q) + e * e + ea)) with
          (v * (((1 + d) * P + e) * ((1 + d) * Q + e)) + v * ea) by (unfold c, v; ring).
        assert ((1 + g) * ea <= v * ea) by (apply Rmult_le_compat_r; [lra|unfold v; nra]).
        replace (v * (((1 + d) * P + e) * ((1 + d) * Q + e))) with
          ((1 + g) * (((1 + d) * P + e) * ((1 + d) * Q + e) * (1 + ua))) by (unfold v; ring); lra. }
      assert (W : v * ((1 + d) * e * (P + Q) + e * e + ea) <= 5 / 4 * (3 * ((1 + x) * (1 + x)) *
        eta)).
      { apply Rmult_le_compat; try lra.
        assert (0 <= (1 + d) * e * (P + Q)) by (apply Rmult_le_pos; [apply Rmult_le_pos|]; lra);
          nra. }
      assert (0 <= (1 + x) * (1 + x) * eta) by (apply Rmult_le_pos; [apply Rmult_le_pos|]; lra);
        lra.
    - rewrite sumn_plus, !sumn_scal; lra. }
  unfold similarity_bound; fold g x c.
  assert (A : (c - 1) * sumn (2 * h) (fun k => Rabs (p k * q k)) <= (c - 1) * (K * K * INR h)).
  { apply Rmult_le_compat_l; [|apply absolute_products]; unfold c; fold v.
    replace ((1 + d) * (1 + d) * (1 + ua) * (1 + g)) with ((1 + d) * (1 + d) * v) by (unfold v;
      ring); nra. }
  lra.
Qed.
End Similarity.
