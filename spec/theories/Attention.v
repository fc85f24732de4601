(** * Softmax attention (spec/attention.md)

    Masks, permutations, translations; the four-term expansion. *)
From Gnomon Require Import Sums Pairs Sinusoidal.

(** ** Definitions *)
Section Definitions.
(** Positions are of any type [P]; [keys] lists those that hold a key.  One component of the value
    vectors at a time. *)
Context {P : Type}.
Variables (keys : list P) (keep : P -> P -> bool) (score : P -> P -> R) (value : P -> R).

(** Normative: ATT-2 (mask).  [keep q k = false] stands for a score of minus infinity. *)
Definition numerator (q k : P) : R := if keep q k then exp (score q k) else 0.

(** Normative: ATT-3 (weights), ATT-4 (output). *)
Definition denominator (q : P) : R := sum keys (numerator q).
Definition weight (q k : P) : R := numerator q k / denominator q.
Definition attend (q : P) : R := sum keys (fun k => weight q k * value k).
End Definitions.

(** Normative: ATT-1 (scores): content times the scale [s], plus a bias; and with the scale that
    stands where none is given. *)
Definition scaled_score {P} (s : R) (d : nat) (q k : P -> vector) (bias : P -> P -> R) (m n : P) :
  R := s * dot d (q m) (k n) + bias m n.
Definition score {P} (d : nat) (q k : P -> vector) (bias : P -> P -> R) (m n : P) : R :=
  dot d (q m) (k n) / sqrt (INR d) + bias m n.

(** Normative: ATT-2.  No mask; the causal mask of [Q] queries and [K] keys: key [k] is let through
    where k <= q + (K - Q), in integers. *)
Definition unmasked {P} : P -> P -> bool := fun _ _ => true.
Definition causal (Q K q k : nat) : bool := (k + Q <=? q + K)%nat.

(** Normative: ATT-8 (four terms).  The bilinear form x W y^T over [d] dims. *)
Definition form (d : nat) (W : matrix) (x y : vector) : R := dot d x (times d W y).

(** Normative: ATT-10 (untied).  Content and position from separate projections. *)
Definition untied (d : nat) (q k pq pk : vector) : R := (dot d q k + dot d pq pk) / sqrt (2 * INR
  d).

(** Normative: ATT-11 (per-token parts).  One function of the token, at every token; and a layer:
    attention of the token states, then a per-token part of state and attention's output. *)
Definition per_token {P X Y} (f : X -> Y) (x : P -> X) : P -> Y := fun t => f (x t).
Definition layer {P X} (keys : list P) (s : X -> X -> R) (v : X -> vector) (part : X -> vector -> X)
  (x : P -> X) : P -> X := fun t =>
  part (x t) (fun c => attend keys unmasked (fun q k => s (x q) (x k)) (fun k => v (x k) c) t).

(** ** Theorems *)
Section Softmax.
Context {P : Type}.
Implicit Types (keys : list P) (keep : P -> P -> bool) (score : P -> P -> R) (value : P -> R).

Theorem ATT_2_masked_weight_is_0 keys keep score q k :
  keep q k = false -> weight keys keep score q k = 0.
Proof. intros H; unfold weight, numerator; rewrite H; unfold Rdiv; ring. Qed.

(** A query that sees no key: its weights are 0, and its output. *)
Theorem ATT_2_no_key_gives_0 keys keep score value q :
  (forall k, In k keys -> keep q k = false) ->
  (forall k, In k keys -> weight keys keep score q k = 0) /\ attend keys keep score value q = 0.
Proof.
  intros H; assert (Hw : forall k, In k keys -> weight keys keep score q k = 0)
    by (intros k Hk; now apply ATT_2_masked_weight_is_0, H).
  split; trivial; unfold attend.
  rewrite (sum_ext _ _ (fun _ => 0)), sum_const; [ring|].
  intros k Hk; rewrite Hw by trivial; ring.
Qed.

Theorem ATT_1_scale_left_out d (q k : P -> vector) bias m n :
  score d q k bias m n = scaled_score (/ sqrt (INR d)) d q k bias m n.
Proof. unfold score, scaled_score, Rdiv; ring. Qed.

(** The content's part of a score does not see the bias, nor the bias the scale. *)
Theorem ATT_1_bias_is_added_after_the_scaling s d (q k : P -> vector) bias m n :
  scaled_score s d q k bias m n - bias m n = s * dot d (q m) (k n).
Proof. unfold scaled_score; ring. Qed.

Lemma numerator_nonneg keep score (q k : P) : 0 <= numerator keep score q k.
Proof. unfold numerator; destruct keep; [left; apply exp_pos|lra]. Qed.

(** A query that may see a key has a positive denominator. *)
Lemma denominator_pos keys keep score q k :
  In k keys -> keep q k = true -> 0 < denominator keys keep score q.
Proof.
  intros Hin Hk; apply sum_pos with k; trivial; [intros; apply numerator_nonneg|].
  unfold numerator; rewrite Hk; apply exp_pos.
Qed.

Theorem ATT_3_weights_sum_to_1 keys keep score q k :
  In k keys -> keep q k = true -> sum keys (weight keys keep score q) = 1.
Proof.
  intros Hin Hk; pose proof (denominator_pos keys keep score q k Hin Hk).
  rewrite (sum_ext _ _ (fun k => / denominator keys keep score q * numerator keep score q k))
    by (intros; unfold weight, Rdiv; ring).
  rewrite sum_scal; fold (denominator keys keep score q); field; lra.
Qed.

Theorem ATT_3_weights_are_nonnegative keys keep score q k k0 :
  In k0 keys -> keep q k0 = true -> 0 <= weight keys keep score q k.
Proof.
  intros Hin Hk; apply Rmult_le_pos; [apply numerator_nonneg|].
  left; now apply Rinv_0_lt_compat, (denominator_pos keys keep score q k0).
Qed.

(** Weights depend on what the mask lets through, and on that up to a constant a row. *)
Theorem ATT_5_shift_invariance keys keep score score' (c : R) q :
  (forall k, In k keys -> keep q k = true -> score' q k = score q k + c) ->
  forall k, In k keys -> weight keys keep score' q k = weight keys keep score q k.
Proof.
  intros H; assert (Hn : forall k, In k keys ->
    numerator keep score' q k = exp c * numerator keep score q k).
  { intros k Hk; unfold numerator; destruct (keep q k) eqn:E; [|ring].
    rewrite (H k Hk E), exp_plus; ring. }
  intros k Hk; unfold weight, denominator; rewrite (sum_ext _ _ _ Hn), sum_scal, Hn by trivial.
  fold (denominator keys keep score q); pose proof (exp_pos c).
  unfold Rdiv; rewrite Rinv_mult, <- !Rmult_assoc, (Rmult_comm (exp c)), (Rmult_assoc _ (exp c)),
    Rinv_r by lra; ring.
Qed.

Theorem ATT_5_output_shift_invariance keys keep score c value q :
  attend keys keep (fun q k => score q k + c) value q = attend keys keep score value q.
Proof.
  apply sum_ext; intros k Hk; f_equal; now apply (ATT_5_shift_invariance keys keep score _ c).
Qed.

Theorem ATT_4_masked_keys_do_not_matter keys keep score score' value value' q :
  (forall k, In k keys -> keep q k = true -> score q k = score' q k /\ value k = value' k) ->
  attend keys keep score value q = attend keys keep score' value' q.
Proof.
  intros H; apply sum_ext; intros k Hk.
  rewrite (ATT_5_shift_invariance keys keep score' score 0) by (trivial; intros;
    rewrite Rplus_0_r; now apply H).
  destruct (keep q k) eqn:E; [now rewrite (proj2 (H k Hk E))|].
  rewrite ATT_2_masked_weight_is_0 by trivial; ring.
Qed.

(** Outputs are convex combinations of the values that the mask lets through. *)
Theorem ATT_4_convexity keys keep score value q k0 lo hi :
  In k0 keys -> keep q k0 = true ->
  (forall k, In k keys -> keep q k = true -> lo <= value k <= hi) ->
  lo <= attend keys keep score value q <= hi.
Proof.
  intros Hin Hk Hv; pose proof (ATT_3_weights_sum_to_1 keys keep score q k0 Hin Hk) as H1.
  assert (Hw : forall k, In k keys ->
    lo * weight keys keep score q k <= weight keys keep score q k * value k <=
      hi * weight keys keep score q k).
  { intros k Hk'; pose proof (ATT_3_weights_are_nonnegative keys keep score q k k0 Hin Hk).
    destruct (keep q k) eqn:E; [specialize (Hv k Hk' E); nra|].
    rewrite ATT_2_masked_weight_is_0 by trivial; lra. }
  rewrite <- (Rmult_1_r lo), <- (Rmult_1_r hi), <- H1, <- !sum_scal.
  split; apply sum_le; intros k Hk'; now apply Hw.
Qed.

(** Re-indexing.  [f] carries positions to positions (a permutation, a translation, ..): if mask,
    scores and values do not see the difference, outputs are carried along. *)
Theorem ATT_6_reindexing {Q : Type} (f : P -> Q) keys (keys' : list Q)
    keep score value (keep' : Q -> Q -> bool) (score' : Q -> Q -> R) (value' : Q -> R) q :
  Permutation (map f keys) keys' ->
  (forall k, In k keys -> keep' (f q) (f k) = keep q k) ->
  (forall k, In k keys -> score' (f q) (f k) = score q k) ->
  (forall k, In k keys -> value' (f k) = value k) ->
  attend keys' keep' score' value' (f q) = attend keys keep score value q.
Proof.
  intros Hp Hkeep Hscore Hval.
  assert (Hn : forall k, In k keys -> numerator keep' score' (f q) (f k) = numerator keep score q k)
    by (intros k Hk; unfold numerator; now rewrite Hkeep, Hscore).
  unfold attend; rewrite <- (sum_perm _ _ _ Hp), sum_map; apply sum_ext; intros k Hk.
  unfold weight, denominator; now rewrite <- (sum_perm _ _ _ Hp), sum_map, (sum_ext _ _ _ Hn), Hn,
    Hval.
Qed.
End Softmax.

(** Without mask and bias, attention is blind to order. *)
Theorem ATT_6_permutation_equivariance T (p : nat -> nat) (score : nat -> nat -> R) value q :
  Permutation (map p (seq 0 T)) (seq 0 T) ->
  attend (seq 0 T) unmasked (fun q k => score (p q) (p k)) (fun k => value (p k)) q =
  attend (seq 0 T) unmasked score value (p q).
Proof. intros Hp; symmetry; now apply ATT_6_reindexing. Qed.

(** A bias of the offset: moving every token by [c] positions moves the outputs by [c]. *)
Theorem ATT_6_translation_equivariance (keys : list Z) (content : Z -> Z -> R)
  (bias : Z -> R) value c q :
  attend (map (fun k => k + c)%Z keys) unmasked
         (fun q k => content (q - c)%Z (k - c)%Z + bias (k - q)%Z)
         (fun k => value (k - c)%Z) (q + c)%Z =
  attend keys unmasked (fun q k => content q k + bias (k - q)%Z) value q.
Proof.
  apply (ATT_6_reindexing (fun k => k + c)%Z); trivial; intros k _.
  - rewrite !Z.add_simpl_r; do 2 f_equal; lia.
  - f_equal; lia.
Qed.

(** *** The causal mask *)

Theorem ATT_2_causal_of_equal_counts T q k : causal T T q k = (k <=? q)%nat.
Proof. unfold causal; destruct (Nat.leb_spec (k + T) (q + T)), (Nat.leb_spec k q); trivial; lia. Qed.

Theorem ATT_2_causal_last_query_sees_every_key Q K k : (0 < Q)%nat -> (k < K)%nat ->
  causal Q K (Q - 1) k = true.
Proof. intros HQ Hk; apply Nat.leb_le; lia. Qed.

(** More queries than keys: the first ones see none. *)
Theorem ATT_2_causal_early_queries_see_none Q K score value q : (q + K < Q)%nat ->
  attend (seq 0 K) (causal Q K) score value q = 0.
Proof. intros H; apply ATT_2_no_key_gives_0; intros k _; apply Nat.leb_gt; lia. Qed.

Theorem ATT_7_future_weights_are_0 Q K score q k : (q + K < k + Q)%nat ->
  weight (seq 0 K) (causal Q K) score q k = 0.
Proof. intros H; apply ATT_2_masked_weight_is_0, Nat.leb_gt, H. Qed.

Theorem ATT_7_outputs_ignore_the_future Q K score score' value value' q :
  (forall k, (k + Q <= q + K)%nat -> score q k = score' q k /\ value k = value' k) ->
  attend (seq 0 K) (causal Q K) score value q = attend (seq 0 K) (causal Q K) score' value' q.
Proof. intros H; apply ATT_4_masked_keys_do_not_matter; intros k _ Hk; now apply H, Nat.leb_le. Qed.

(** It breaks permutation equivariance: two tokens, equal scores, swapped. *)
Theorem ATT_7_causal_mask_sees_order :
  exists (p : nat -> nat) (score : nat -> nat -> R) (value : nat -> R) (q : nat),
    Permutation (map p (seq 0 2)) (seq 0 2) /\
    attend (seq 0 2) (causal 2 2) (fun q k => score (p q) (p k)) (fun k => value (p k)) q <>
    attend (seq 0 2) (causal 2 2) score value (p q).
Proof.
  exists (fun i => 1 - i)%nat, (fun _ _ => 0), INR, 0%nat; split; [apply perm_swap|].
  unfold attend, weight, denominator, numerator, sum; simpl; rewrite exp_0; lra.
Qed.

(** Equal scores: a query spreads its weight evenly over the q + 1 + K - Q keys that it sees; with
    equal counts, the t-th token (position t - 1) over t tokens. *)
Theorem ATT_7_uniform_causal_weights Q K (c : R) q k (t := (q + 1 + K - Q)%nat) :
  (q < Q)%nat -> (k + Q <= q + K)%nat ->
  weight (seq 0 K) (causal Q K) (fun _ _ => c) q k = / INR t.
Proof.
  intros HQ H; unfold weight.
  assert (Hn : forall j, (j < t)%nat -> numerator (causal Q K) (fun _ _ => c) q j = exp c)
    by (intros j Hj; unfold numerator, causal; now rewrite (proj2 (Nat.leb_le _ _)) by lia).
  replace (denominator (seq 0 K) (causal Q K) (fun _ _ => c) q) with (INR t * exp c).
  - rewrite Hn by lia; pose proof (exp_pos c); assert (0 < INR t) by (apply lt_0_INR; lia).
    field; split; lra.
  - change (INR t * exp c = sumn K (numerator (causal Q K) (fun _ _ => c) q)).
    replace (sumn K) with (@sumn (t + (K - t))) by (f_equal; lia); rewrite sumn_split.
    rewrite (sumn_ext t _ (fun _ => exp c)) by (intros; apply Hn; lia).
    rewrite (sumn_ext (K - t) _ (fun _ => 0)), !sumn_const; [ring|].
    intros j _; unfold numerator, causal; now rewrite (proj2 (Nat.leb_gt _ _)) by lia.
Qed.

(** The output is the mean of the values so far. *)
Theorem ATT_7_output_is_the_mean Q K (c : R) value q (t := (q + 1 + K - Q)%nat) :
  (q < Q <= q + K)%nat ->
  attend (seq 0 K) (causal Q K) (fun _ _ => c) value q = sumn t value / INR t.
Proof.
  intros H; unfold attend.
  transitivity (sumn (t + (K - t)) (fun k =>
    weight (seq 0 K) (causal Q K) (fun _ _ => c) q k * value k));
    [unfold sumn; f_equal; f_equal; lia|rewrite sumn_split].
  rewrite (sumn_ext (K - t) _ (fun _ => 0)), sumn_const.
  - rewrite (sumn_ext t _ (fun k => / INR t * value k)), sumn_scal; [unfold Rdiv; ring|].
    intros k Hk; rewrite ATT_7_uniform_causal_weights by lia; trivial.
  - intros k _; rewrite ATT_7_future_weights_are_0 by lia; ring.
Qed.

(** Where the first token alone has the value 1, the output of a query that sees t tokens is 1 / t:
    it tells how many came before. *)
Theorem ATT_7_output_counts_predecessors Q K (c : R) q q' :
  let y := attend (seq 0 K) (causal Q K) (fun _ _ => c) (fun k => if (k =? 0)%nat then 1 else 0) in
  (q < Q <= q + K)%nat -> (q' < Q <= q' + K)%nat ->
  y q = / INR (q + 1 + K - Q) /\ (y q = y q' -> q = q').
Proof.
  intros y Hq Hq'; assert (E : forall n, (n < Q <= n + K)%nat -> y n = / INR (n + 1 + K - Q)).
  { intros n Hn; unfold y; rewrite ATT_7_output_is_the_mean by trivial.
    rewrite (sumn_single (n + 1 + K - Q) 0) by (lia || (intros [|i] _ Hi; [lia|trivial])).
    simpl; unfold Rdiv; ring. }
  split; [now apply E|]; rewrite !E by trivial; intros H.
  apply (f_equal Rinv) in H; rewrite !Rinv_inv in H; apply INR_eq in H; lia.
Qed.

(** *** Per-token parts *)

Theorem ATT_11_per_token_parts {X Y} (f : X -> Y) (x : nat -> X) (p : nat -> nat) t :
  per_token f (fun t => x (p t)) t = per_token f x (p t).
Proof. reflexivity. Qed.

(** A map of sequences that a permutation of the tokens passes through. *)
Definition equivariant {X} (T : nat) (F : (nat -> X) -> nat -> X) : Prop :=
  (forall x y t, (forall i, x i = y i) -> F x t = F y t) /\
  forall (p : nat -> nat) x t, Permutation (map p (seq 0 T)) (seq 0 T) ->
    F (fun i => x (p i)) t = F x (p t).

Theorem ATT_11_a_layer {X} T (s : X -> X -> R) v part :
  (forall a f g, (forall c, f c = g c) -> part a f = part a g) ->
  equivariant T (@layer nat X (seq 0 T) s v part).
Proof.
  intros Hpart; split.
  - intros x y t H; unfold layer; rewrite H; apply Hpart; intros c.
    apply ATT_4_masked_keys_do_not_matter; intros k _ _; now rewrite !H.
  - intros p x t Hp; apply Hpart; intros c.
    exact (ATT_6_permutation_equivariance T p (fun q k => s (x q) (x k)) (fun k => v (x k) c) t Hp).
Qed.

(** And so a stack of any depth. *)
Theorem ATT_11_layers {X} T (layers : list ((nat -> X) -> nat -> X)) :
  (forall F, In F layers -> equivariant T F) ->
  equivariant T (fun x => fold_right (fun F y => F y) x layers).
Proof.
  induction layers as [|F layers IH]; intros H; simpl; [split; auto|].
  destruct (H F (or_introl eq_refl)) as [Fe Fp].
  destruct IH as [Ge Gp]; [intros; apply H; now right|]; split.
  - intros x y t Hxy; apply Fe; intros i; now apply Ge.
  - intros p x t Hp; rewrite <- Fp by trivial; apply Fe; intros i; now apply Gp.
Qed.

(** *** Four terms *)

Theorem ATT_8_four_terms d W (e p e' p' : vector) :
  form d W (fun i => e i + p i) (fun i => e' i + p' i) =
  form d W e e' + form d W e p' + form d W p e' + form d W p p'.
Proof.
  unfold form, dot; rewrite <- !sumn_plus; apply sumn_ext; intros r _; unfold times, dot.
  rewrite (sumn_ext d _ (fun c => W r c * e' c + W r c * p' c)), sumn_plus by (intros; ring); ring.
Qed.

(** Untied scores are those of content and position side by side, in 2 d dims. *)
Theorem ATT_10_is_one_score d (q k pq pk : vector) :
  let beside := fun x y : vector => fun i => if (i <? d)%nat then x i else y (i - d)%nat in
  untied d q k pq pk =
  score (2 * d) (fun _ => beside q pq) (fun _ => beside k pk) (fun _ _ => 0) tt tt.
Proof.
  intros beside; unfold untied, score; rewrite Rplus_0_r, mult_INR; f_equal.
  unfold dot; replace (2 * d)%nat with (d + d)%nat by lia; rewrite sumn_split; f_equal;
    apply sumn_ext; intros i Hi; unfold beside.
  - now rewrite (proj2 (Nat.ltb_lt _ _) Hi).
  - rewrite (proj2 (Nat.ltb_ge _ _)) by lia; now replace (d + i - d)%nat with i by lia.
Qed.

(** W commutes with the shifts, shifts keep dot products: the position term depends on the offset.
    *)
Theorem ATT_9_position_term d (W : matrix) (M : R -> matrix) (p : R -> vector) :
  (forall k t r, (r < d)%nat -> times d (M k) (p t) r = p (t + k) r) ->
  (forall k x y, dot d (times d (M k) x) (times d (M k) y) = dot d x y) ->
  (forall k x r, (r < d)%nat -> times d W (times d (M k) x) r = times d (M k) (times d W x) r) ->
  forall m n k, form d W (p (m + k)) (p (n + k)) = form d W (p m) (p n).
Proof.
  intros Hshift Hdot Hcomm m n k; unfold form; rewrite <- (Hdot k (p m)); unfold dot at 1 2.
  apply sumn_ext; intros r Hr; rewrite (Hshift k m r Hr), <- Hcomm by trivial; f_equal.
  apply sumn_ext; intros c Hc; now rewrite Hshift.
Qed.

(** Shifts keep dot products, by what they do to norms. *)
Lemma shift_keeps_dot_products o h w k x y :
  dot (2 * h) (times (2 * h) (shift_matrix o h w k) x) (times (2 * h) (shift_matrix o h w k) y) =
  dot (2 * h) x y.
Proof.
  unfold dot at 1 2; rewrite !(sum_of_columns o); apply sumn_ext; intros i Hi; unfold shift_matrix.
  destruct (blocks_times o h (fun i => cos (k * w i)) (fun i => sin (k * w i)) x i Hi) as [-> ->].
  destruct (blocks_times o h (fun i => cos (k * w i)) (fun i => sin (k * w i)) y i Hi) as [-> ->].
  pose proof (cos2_sin2 (k * w i)) as E.
  set (c := cos (k * w i)) in *; set (s := sin (k * w i)) in *.
  set (x0 := x _); set (x1 := x _); set (y0 := y _); set (y1 := y _).
  transitivity ((x0 * y0 + x1 * y1) * (c * c + s * s)); [ring|rewrite E; ring].
Qed.

(** The table and its shift matrices (SIN-4, SIN-6): any W that commutes with every shift. *)
Theorem ATT_9_commuting_with_the_shifts o h K w (W : matrix) (p := pe o h Zero K w) :
  (forall k x r, (r < 2 * h)%nat -> times (2 * h) W (times (2 * h) (shift_matrix o h w k) x) r =
    times (2 * h) (shift_matrix o h w k) (times (2 * h) W x) r) ->
  forall m n k, form (2 * h) W (p (m + k)) (p (n + k)) = form (2 * h) W (p m) (p n).
Proof.
  intros Hcomm; apply (ATT_9_position_term (2 * h) W (shift_matrix o h w) p); trivial.
  - intros k t r Hr; now apply SIN_13_shift_is_a_rotation.
  - intros; apply shift_keeps_dot_products.
Qed.

(** One scaled rotation [[a, b], [-b, a]] a pair commutes with every other, so with every shift. *)
Theorem ATT_9_scaled_rotations_commute o h (a b a' b' : nat -> R) x r : (r < 2 * h)%nat ->
  times (2 * h) (blocks o h a b) (times (2 * h) (blocks o h a' b') x) r =
  times (2 * h) (blocks o h a' b') (times (2 * h) (blocks o h a b) x) r.
Proof.
  intros Hr; destruct (column_cases o h r Hr) as (i & Hi & [->| ->]);
    destruct (blocks_times o h a b x i Hi) as [Es Ec];
    destruct (blocks_times o h a' b' x i Hi) as [Es' Ec'];
    destruct (blocks_times o h a b (times (2 * h) (blocks o h a' b') x) i Hi) as [Fs Fc];
    destruct (blocks_times o h a' b' (times (2 * h) (blocks o h a b) x) i Hi) as [Fs' Fc'];
    rewrite ?Fs, ?Fc, ?Fs', ?Fc', ?Es, ?Ec, ?Es', ?Ec'; ring.
Qed.

(** So: *)
Theorem ATT_9_scaled_rotations o h K w (a b : nat -> R) m n k (p := pe o h Zero K w) :
  form (2 * h) (blocks o h a b) (p (m + k)) (p (n + k)) = form (2 * h) (blocks o h a b) (p m) (p n).
Proof. apply ATT_9_commuting_with_the_shifts; intros; now apply ATT_9_scaled_rotations_commute. Qed.
