(** * T5 relative position bias (spec/t5_bias.md)

    Raffel et al. 2020.  Buckets are decided in exact integers. *)
From Coq Require Import NArith Nnat Sorted.
From Gnomon Require Import Sums.

(** ** Definitions *)

(** The greatest k <= n with [P k]; 0 if there is none ([P 0] is not asked). *)
Fixpoint greatest (P : nat -> bool) (n : nat) : nat :=
  match n with O => O | S n' => if P n then n else greatest P n' end.

(** Normative: T5-2 (one side).  [E] = max_exact, [D] = max_distance, [L] logarithmic buckets.  A
    distance [x] >= E has reached the k-th logarithmic bucket if E^(L-k) D^k <= x^L. *)
Definition reaches (E D L x k : nat) : bool :=
  (N.of_nat E ^ N.of_nat (L - k) * N.of_nat D ^ N.of_nat k <=? N.of_nat x ^ N.of_nat L)%N.

Definition one_sided (E D L x : nat) : nat :=
  if (x <? E)%nat then x else E + greatest (reaches E D L x) (L - 1).

(** Normative: T5-1 (parameters).  Buckets a side, and how they are shared out. *)
Definition side (bidirectional : bool) (num_buckets : nat) : nat :=
  if bidirectional then num_buckets / 2 else num_buckets.
Definition max_exact (n : nat) : nat := n / 2.
Definition domain (bidirectional : bool) (num_buckets max_distance : nat) : Prop :=
  (1 <= max_exact (side bidirectional num_buckets) < max_distance)%nat.

(** Normative: T5-3 (bucket) of [rel] = key position - query position. *)
Definition bucket (bidirectional : bool) (num_buckets max_distance : nat) (rel : Z) : nat :=
  let n := side bidirectional num_buckets in
  let one := one_sided (max_exact n) max_distance (n - max_exact n) in
  if bidirectional
  then (if (0 <? rel)%Z then n else 0) + one (Z.abs_nat rel)
  else one (Z.to_nat (- rel)).

(** Normative: T5-4 (bias).  One table of [num_buckets] numbers a head; scores are not scaled. *)
Definition bias bidirectional num_buckets max_distance (table : nat -> R) (query key : Z) : R :=
  table (bucket bidirectional num_buckets max_distance (key - query)).

(** The formula of the paper's code, in real numbers. *)
Definition one_sided_real (E D L x : nat) : Z :=
  if (x <? E)%nat then Z.of_nat x
  else (Z.of_nat E + Z.min (Int_part (ln (INR x / INR E) / ln (INR D / INR E) * INR L)) (Z.of_nat
    L - 1))%Z.

(** ** The greatest k *)
Lemma greatest_le P n : (greatest P n <= n)%nat.
Proof. induction n as [|n IH]; simpl; [|destruct (P (S n))]; lia. Qed.

Lemma greatest_bounds P n k : (1 <= k <= n)%nat -> P k = true -> (k <= greatest P n)%nat.
Proof.
  induction n as [|n IH]; simpl; [lia|]; intros Hk Pk; destruct (P (S n)) eqn:E; [lia|].
  destruct (Nat.eq_dec k (S n)) as [->|]; [congruence|apply IH; trivial; lia].
Qed.

Lemma greatest_holds P n : (0 < greatest P n)%nat -> P (greatest P n) = true.
Proof. induction n as [|n IH]; simpl; [lia|]; destruct (P (S n)) eqn:E; auto. Qed.

Lemma greatest_mono P Q n : (forall k, P k = true -> Q k = true) ->
  (greatest P n <= greatest Q n)%nat.
Proof.
  intros H; induction n as [|n IH]; simpl; trivial; destruct (P (S n)) eqn:E;
    [now rewrite (H _ E)|].
  destruct (Q (S n)); trivial; pose proof (greatest_le P n); lia.
Qed.

Lemma ln_div a b : 0 < a -> 0 < b -> ln (a / b) = ln a - ln b.
Proof. intros; unfold Rdiv; rewrite ln_mult, ln_Rinv by auto using Rinv_0_lt_compat; ring. Qed.

Lemma ln_le_iff a b : 0 < a -> 0 < b -> ln a <= ln b <-> a <= b.
Proof.
  intros Ha Hb; split; intros H.
  - destruct (Rle_lt_dec a b) as [|Hlt]; trivial; pose proof (ln_increasing b a Hb Hlt); lra.
  - destruct H as [Hlt| ->]; [left; now apply ln_increasing|right; reflexivity].
Qed.

(** ** One side *)
Section OneSide.
Variables E D L : nat.
Hypotheses (HE : (0 < E)%nat) (HD : (E < D)%nat) (HL : (0 < L)%nat).
Notation one := (one_sided E D L).

Lemma reaches_iff x k : reaches E D L x k = true <-> (E ^ (L - k) * D ^ k <= x ^ L)%nat.
Proof using E D L. clear HE HD HL; unfold reaches;
  rewrite <- !Nat2N.inj_pow, <- Nat2N.inj_mul, N.leb_le; lia. Qed.

Theorem T5_2_exact_below_max_exact x : (x < E)%nat -> one x = x.
Proof using E D L. intros H; unfold one_sided; now rewrite (proj2 (Nat.ltb_lt _ _) H). Qed.

Theorem T5_2_range x : (one x < E + L)%nat.
Proof using HL.
  clear HE HD; unfold one_sided; destruct (Nat.ltb_spec x E); [lia|].
  pose proof (greatest_le (reaches E D L x) (L - 1)); lia.
Qed.

Theorem T5_2_monotone x y : (x <= y)%nat -> (one x <= one y)%nat.
Proof using E D L.
  clear HE HD HL; intros Hxy; unfold one_sided; destruct (Nat.ltb_spec x E), (Nat.ltb_spec y E);
    try lia.
  apply Nat.add_le_mono_l, greatest_mono; intros k; rewrite !reaches_iff; intros Hk.
  etransitivity; [exact Hk|]; now apply Nat.pow_le_mono_l.
Qed.

Theorem T5_2_saturates x : (D <= x)%nat -> one x = (E + L - 1)%nat.
Proof.
  intros Hx; unfold one_sided; destruct (Nat.ltb_spec x E); [lia|].
  pose proof (greatest_le (reaches E D L x) (L - 1)).
  destruct (Nat.eq_dec L 1) as [->|]; [simpl; lia|].
  assert (L - 1 <= greatest (reaches E D L x) (L - 1))%nat; [|lia].
  apply greatest_bounds; [lia|]; apply reaches_iff.
  replace L with (L - (L - 1) + (L - 1))%nat at 4 by lia; rewrite Nat.pow_add_r.
  apply Nat.mul_le_mono; apply Nat.pow_le_mono_l; lia.
Qed.

(** The integer test is the real inequality, *)
Lemma reaches_real x k : (E <= x)%nat -> (k <= L)%nat ->
  reaches E D L x k = true <-> INR k <= ln (INR x / INR E) / ln (INR D / INR E) * INR L.
Proof.
  intros Hx Hk; rewrite reaches_iff.
  assert (0 < INR E) by (apply lt_0_INR; lia).
  assert (0 < INR x) by (apply lt_0_INR; lia).
  assert (INR E < INR D) by (apply lt_INR; lia).
  assert (0 < ln (INR D) - ln (INR E)) by (pose proof (ln_increasing (INR E) (INR D)); lra).
  rewrite !ln_div by lra.
  transitivity (INR (L - k) * ln (INR E) + INR k * ln (INR D) <= INR L * ln (INR x)).
  - rewrite <- !ln_pow, <- ln_mult by (try apply pow_lt; lra).
    rewrite ln_le_iff, <- !pow_INR, <- mult_INR by (try apply Rmult_lt_0_compat; apply pow_lt; lra).
    split; [apply le_INR|apply INR_le].
  - rewrite minus_INR by lia.
    set (q := (ln (INR x) - ln (INR E)) / (ln (INR D) - ln (INR E)) * INR L).
    assert (q * (ln (INR D) - ln (INR E)) = (ln (INR x) - ln (INR E)) * INR L) by (unfold q;
      field; lra).
    split; intros; nra.
Qed.

(** so the integer definition is the real formula, for every distance. *)
Theorem T5_2_integers_are_the_real_formula x : Z.of_nat (one x) = one_sided_real E D L x.
Proof.
  unfold one_sided, one_sided_real; destruct (Nat.ltb_spec x E) as [|Hx]; trivial.
  rewrite Nat2Z.inj_add; f_equal.
  set (q := ln (INR x / INR E) / ln (INR D / INR E) * INR L).
  set (g := greatest (reaches E D L x) (L - 1)).
  assert (Hg : (g <= L - 1)%nat) by apply greatest_le.
  assert (Hfloor := base_Int_part q).
  assert (Hq0 : INR 0 <= q).
  { apply reaches_real; trivial; [lia|]; apply reaches_iff.
    rewrite Nat.pow_0_r, Nat.sub_0_r, Nat.mul_1_r; now apply Nat.pow_le_mono_l. }
  assert (Hgq : INR g <= q).
  { destruct (Nat.eq_dec g 0) as [->|]; trivial.
    apply reaches_real; trivial; [lia|]; apply greatest_holds; fold g; lia. }
  assert (Hmax : forall k, (1 <= k <= L - 1)%nat -> INR k <= q -> (k <= g)%nat).
  { intros k Hk Hkq; apply greatest_bounds; trivial; apply reaches_real; trivial; lia. }
  assert (Hlow : (Z.of_nat g <= Int_part q)%Z).
  { apply Z.lt_succ_r, lt_IZR; rewrite succ_IZR, <- INR_IZR_INZ; lra. }
  destruct (Z.min_spec (Int_part q) (Z.of_nat L - 1)) as [[Hc ->]|[Hc ->]].
  - destruct (Z.eq_dec (Int_part q) 0) as [|Hnz]; [lia|].
    assert (Z.to_nat (Int_part q) <= g)%nat; [|lia].
    apply Hmax; [lia|]; rewrite INR_IZR_INZ, Z2Nat.id by lia; lra.
  - destruct (Nat.eq_dec L 1) as [->|]; [simpl in *; lia|].
    assert (L - 1 <= g)%nat; [|lia].
    apply Hmax; [lia|]; apply Rle_trans with (IZR (Int_part q)); [|lra].
    rewrite INR_IZR_INZ; apply IZR_le; lia.
Qed.
End OneSide.

(** ** Tables by their boundaries

    [boundaries E D L M]: for k = 1 .. L - 1 the least distance in the k-th logarithmic bucket,
      found in one
    walk through the distances E .. M, M >= D.  spec/vectors/certified_t5_bias.json is computed by
      it. *)
Definition powers (L a n : nat) : list (nat * N) :=
  map (fun x => (x, N.of_nat x ^ N.of_nat L)%N) (seq a n).
Definition thresholds (E D L : nat) : list N :=
  map (fun k => N.of_nat E ^ N.of_nat (L - k) * N.of_nat D ^ N.of_nat k)%N (seq 1 (L - 1)).
Fixpoint skip (t : N) (ps : list (nat * N)) : list (nat * N) :=
  match ps with
  | [] => []
  | (x, p) :: ps' => if (p <? t)%N then skip t ps' else ps
  end.
Fixpoint merge (ts : list N) (ps : list (nat * N)) : list nat :=
  match ts with
  | [] => []
  | t :: ts' => let ps' := skip t ps in fst (hd (0%nat, 0%N) ps') :: merge ts' ps'
  end.
Definition boundaries (E D L M : nat) : list nat := merge (thresholds E D L) (powers L E (S M - E)).

Lemma skip_powers L t n a : exists a', (a <= a' <= a + n)%nat /\
  skip t (powers L a n) = powers L a' (a + n - a') /\
  (forall x, (a <= x < a')%nat -> (N.of_nat x ^ N.of_nat L < t)%N) /\
  ((a' < a + n)%nat -> (t <= N.of_nat a' ^ N.of_nat L)%N).
Proof.
  revert a; induction n as [|n IH]; intros a.
  - exists a; replace (a + 0 - a)%nat with 0%nat by lia; repeat split; trivial; lia.
  - cbn [powers seq map skip]; destruct (N.ltb_spec (N.of_nat a ^ N.of_nat L) t) as [H|H].
    + destruct (IH (S a)) as (a' & Ha & Hs & Hx & Ht); exists a'.
      replace (a + S n)%nat with (S a + n)%nat by lia; repeat split; [lia|lia|exact Hs| |exact Ht].
      intros x Hx'; destruct (Nat.eq_dec x a) as [->|]; trivial; apply Hx; lia.
    + exists a; replace (a + S n - a)%nat with (S n) by lia; repeat split; trivial; lia.
Qed.

Lemma merge_finds E L n ts : forall a, (E <= a)%nat -> StronglySorted N.le ts ->
  (forall t, In t ts -> t <= N.of_nat (a + n - 1) ^ N.of_nat L)%N -> (0 < n)%nat ->
  (forall x t, (E <= x < a)%nat -> In t ts -> N.of_nat x ^ N.of_nat L < t)%N ->
  forall j, (j < length ts)%nat -> forall x, (E <= x)%nat ->
  (nth j ts 0 <= N.of_nat x ^ N.of_nat L)%N <-> (nth j (merge ts (powers L a n)) 0 <= x)%nat.
Proof.
  revert n; induction ts as [|t ts IH]; intros n a HEa Hsort Hlast Hn Hbelow j Hj x Hx;
    [simpl in Hj; lia|].
  inversion_clear Hsort as [|? ? Hs Hle]; rewrite Forall_forall in Hle.
  assert (Hmono : forall x y, (x <= y)%nat -> (N.of_nat x ^ N.of_nat L
    <= N.of_nat y ^ N.of_nat L)%N)
    by (intros; apply N.pow_le_mono_l; lia).
  cbn [merge]; destruct (skip_powers L t n a) as (a' & Ha & -> & Hskipped & Hfound).
  assert (Hin : (a' < a + n)%nat).
  { destruct (Nat.eq_dec a' (a + n)) as [->|]; [|lia].
    specialize (Hskipped (a + n - 1)%nat ltac:(lia)); specialize (Hlast t ltac:(now left)); lia. }
  specialize (Hfound Hin).
  destruct j as [|j].
  - replace (a + n - a')%nat with (S (a + n - a' - 1)) by lia; cbn [powers seq map hd fst nth].
    split; intros H.
    + destruct (Nat.le_gt_cases a' x); trivial; exfalso.
      destruct (Nat.le_gt_cases a x) as [Hax|Hax].
      * specialize (Hskipped x ltac:(lia)); lia.
      * specialize (Hbelow x t ltac:(lia) ltac:(now left)); lia.
    + apply N.le_trans with (1 := Hfound), Hmono, H.
  - cbn [nth]; apply IH; trivial; try lia; simpl in Hj; try lia.
    + intros t' Ht'; replace (a' + (a + n - a') - 1)%nat with (a + n - 1)%nat by lia.
      apply Hlast; now right.
    + intros y t' Hy Ht'; destruct (Nat.le_gt_cases a y) as [Hay|Hay].
      * apply N.lt_le_trans with t; [apply Hskipped; lia|now apply Hle].
      * apply Hbelow; [lia|now right].
Qed.

Lemma thresholds_grow E D L : (E <= D)%nat -> StronglySorted N.le (thresholds E D L).
Proof.
  intros HED; unfold thresholds; assert (G : forall n k, (k + n <= S L)%nat ->
    StronglySorted N.le (map (fun k => N.of_nat E ^ N.of_nat (L - k) * N.of_nat D ^ N.of_nat k)%N
      (seq k n)));
    [|apply (G (L - 1)%nat); lia].
  induction n as [|n IH]; intros k Hk; cbn [seq map]; constructor; [apply IH; lia|].
  apply Forall_forall; intros t Ht; apply in_map_iff in Ht; destruct Ht as (k' & <- & Hin).
  apply in_seq in Hin; rewrite <- !Nat2N.inj_pow, <- !Nat2N.inj_mul.
  destruct (Nat.le_exists_sub k k') as (j & -> & _); [lia|].
  assert (E ^ (L - k) * D ^ k <= E ^ (L - (j + k)) * D ^ (j + k))%nat; [|lia].
  replace (L - k)%nat with (L - (j + k) + j)%nat by lia; rewrite !Nat.pow_add_r, <- Nat.mul_assoc.
  apply Nat.mul_le_mono_l, Nat.mul_le_mono_r, Nat.pow_le_mono_l; lia.
Qed.

(** A distance is in the k-th logarithmic bucket or above from the k-th boundary on. *)
Theorem T5_2_boundaries E D L M k x : (0 < E < D)%nat -> (D <= M)%nat -> (1 <= k < L)%nat -> (E
  <= x)%nat ->
  (E + k <= one_sided E D L x <-> nth (k - 1) (boundaries E D L M) 0 <= x)%nat.
Proof.
  intros HE HM Hk Hx; unfold boundaries.
  assert (Hlen : length (thresholds E D L) = (L - 1)%nat)
    by (unfold thresholds; now rewrite map_length, seq_length).
  assert (Hnth : nth (k - 1) (thresholds E D L) 0%N =
    (N.of_nat E ^ N.of_nat (L - k) * N.of_nat D ^ N.of_nat k)%N).
  { unfold thresholds; rewrite (nth_indep _ 0%N (N.of_nat E ^ N.of_nat (L - 0) * N.of_nat D ^
    N.of_nat 0)%N)
      by (rewrite map_length, seq_length; lia).
    rewrite (map_nth (fun k => (N.of_nat E ^ N.of_nat (L - k) * N.of_nat D ^ N.of_nat k)%N)).
    rewrite seq_nth by lia; now replace (1 + (k - 1))%nat with k by lia. }
  rewrite <- (merge_finds E L (S M - E) (thresholds E D L) E); try lia.
  - rewrite Hnth; unfold one_sided; destruct (Nat.ltb_spec x E) as [|_]; [lia|].
    rewrite <- Nat.add_le_mono_l; split; intros H.
    + pose proof (greatest_holds (reaches E D L x) (L - 1) ltac:(lia)) as Hg.
      pose proof (greatest_le (reaches E D L x) (L - 1)) as Hgl; apply reaches_iff in Hg.
      set (g := greatest _ _) in *; rewrite <- !Nat2N.inj_pow, <- !Nat2N.inj_mul.
      assert (E ^ (L - k) * D ^ k <= x ^ L)%nat; [|lia].
      etransitivity; [|exact Hg]; destruct (Nat.le_exists_sub k g) as (j & Ej & _); [lia|];
        rewrite Ej.
      replace (L - k)%nat with (L - (j + k) + j)%nat by lia; rewrite !Nat.pow_add_r,
        <- Nat.mul_assoc.
      apply Nat.mul_le_mono_l, Nat.mul_le_mono_r, Nat.pow_le_mono_l; lia.
    + apply greatest_bounds; [lia|]; unfold reaches; now apply N.leb_le.
  - apply thresholds_grow; lia.
  - intros t Ht; unfold thresholds in Ht; apply in_map_iff in Ht; destruct Ht as (j & <- & Hj).
    apply in_seq in Hj; rewrite <- !Nat2N.inj_pow, <- !Nat2N.inj_mul.
    assert (E ^ (L - j) * D ^ j <= (E + (S M - E) - 1) ^ L)%nat; [|lia].
    replace (E + (S M - E) - 1)%nat with M by lia; replace L with (L - j + j)%nat at 2 by lia.
    rewrite Nat.pow_add_r; apply Nat.mul_le_mono; apply Nat.pow_le_mono_l; lia.
Qed.

(** ** Both sides *)
Section Bucket.
Variables (bidirectional : bool) (num_buckets max_distance : nat).
Hypothesis Hdomain : domain bidirectional num_buckets max_distance.
Let n := side bidirectional num_buckets.
Notation b := (bucket bidirectional num_buckets max_distance).

(** Both kinds of buckets are there, so nothing in the formula divides by zero. *)
Theorem T5_1_shares :
  (max_exact n + (n - max_exact n) = n /\ 0 < n - max_exact n /\ 0 < max_exact n)%nat.
Proof.
  revert Hdomain; unfold domain, max_exact; fold n; intros.
  pose proof (Nat.div_lt n 2); assert (n <> 0)%nat by (intros ->; simpl in *; lia); lia.
Qed.

Lemma one_lt x : (one_sided (max_exact n) max_distance (n - max_exact n) x < n)%nat.
Proof. destruct T5_1_shares as (H & HL & _); pose proof (T5_2_range (max_exact n) max_distance _ HL
  x);
  lia. Qed.

Theorem T5_3_range rel : (b rel < num_buckets)%nat.
Proof.
  unfold bucket; fold n; pose proof (one_lt (Z.abs_nat rel));
    pose proof (one_lt (Z.to_nat (- rel))).
  unfold n, side in *; destruct bidirectional; [|trivial].
  pose proof (Nat.div_mod num_buckets 2); destruct (0 <? rel)%Z; lia.
Qed.

Theorem T5_3_halves rel : bidirectional = true -> (n <= b rel)%nat <-> (0 < rel)%Z.
Proof.
  intros Hb; unfold bucket; fold n; rewrite Hb; pose proof (one_lt (Z.abs_nat rel)).
  destruct (Z.ltb_spec 0 rel); lia.
Qed.

Theorem T5_3_mirror rel : bidirectional = true -> (0 < rel)%Z -> b rel = (n + b (- rel))%nat.
Proof.
  intros Hb H; unfold bucket; fold n; rewrite Hb;
    replace (Z.abs_nat (- rel)) with (Z.abs_nat rel) by lia.
  destruct (Z.ltb_spec 0 rel), (Z.ltb_spec 0 (- rel)); lia.
Qed.

(** Up to the query both directions are the causal form of half the buckets. *)
Theorem T5_3_up_to_the_query N D rel : (rel <= 0)%Z ->
  bucket true (2 * N) D rel = bucket false N D rel.
Proof.
  intros H; unfold bucket, side; rewrite (Nat.mul_comm 2), Nat.div_mul by lia.
  rewrite (proj2 (Z.ltb_ge 0 rel)) by trivial; now replace (Z.abs_nat rel) with (Z.to_nat (- rel))
    by lia.
Qed.

Theorem T5_3_causal_future rel : bidirectional = false -> (0 <= rel)%Z -> b rel = 0%nat.
Proof.
  intros Hb H; unfold bucket; fold n; rewrite Hb; replace (Z.to_nat (- rel)) with 0%nat by lia.
  apply T5_2_exact_below_max_exact, T5_1_shares.
Qed.

Theorem T5_3_past_is_monotone rel rel' : (rel' <= rel <= 0)%Z -> (b rel <= b rel')%nat.
Proof.
  intros H; unfold bucket; fold n; destruct bidirectional.
  - destruct (Z.ltb_spec 0 rel), (Z.ltb_spec 0 rel'); try lia.
    apply Nat.add_le_mono_l, T5_2_monotone; lia.
  - apply T5_2_monotone; lia.
Qed.

Theorem T5_3_past_saturates rel : (rel <= - Z.of_nat max_distance)%Z -> b rel = (n - 1)%nat.
Proof.
  intros H; destruct T5_1_shares as (Hn & HL & HE).
  assert (HD : (max_exact n < max_distance)%nat) by apply Hdomain.
  unfold bucket; fold n; destruct bidirectional.
  - destruct (Z.ltb_spec 0 rel); [lia|]; rewrite T5_2_saturates by lia; lia.
  - rewrite T5_2_saturates by lia; lia.
Qed.

Theorem T5_4_bias_depends_on_the_offset_only table c query key :
  bias bidirectional num_buckets max_distance table (query + c) (key + c) =
  bias bidirectional num_buckets max_distance table query key.
Proof. unfold bias; do 2 f_equal; lia. Qed.
End Bucket.

(** An odd count leaves the top bucket of a bidirectional table unused. *)
Theorem T5_3_odd_count_leaves_the_top_unused k max_distance rel :
  domain true (2 * k + 1) max_distance -> (bucket true (2 * k + 1) max_distance rel < 2 * k)%nat.
Proof.
  intros Hd; assert (Hs : side true (2 * k + 1) = side true (2 * k)).
  { unfold side; rewrite (Nat.mul_comm 2 k), Nat.div_mul by lia; symmetry;
      apply (Nat.div_unique _ _ _ 1); lia. }
  unfold domain, bucket in *; rewrite Hs in *; exact (T5_3_range true (2 * k) max_distance Hd rel).
Qed.

(** *** Published tables *)

(** Ends of the runs of equal buckets: distance at which each begins. *)
Definition starts (one : nat -> nat) (upto : nat) : list (nat * nat) :=
  map (fun x => (x, one x)) (filter (fun x => negb (one (x - 1) =? one x)%nat) (seq 1 upto)).

Theorem T5_3_published_bidirectional :
  starts (fun x => bucket true 32 128 (- Z.of_nat x)) 300 =
  map (fun x => (x, x)) (seq 1 8) ++ [(12, 9); (16, 10); (23, 11); (32, 12); (46, 13); (64, 14);
    (91, 15)]%nat.
Proof. vm_compute; reflexivity. Qed.

Theorem T5_3_published_causal :
  starts (fun x => bucket false 32 128 (- Z.of_nat x)) 300 =
  map (fun x => (x, x)) (seq 1 16) ++
  [(19, 17); (21, 18); (24, 19); (27, 20); (31, 21); (35, 22); (40, 23); (46, 24); (52, 25);
    (59, 26);
   (67, 27); (77, 28); (87, 29); (99, 30); (113, 31)]%nat.
Proof. vm_compute; reflexivity. Qed.

(** Exact boundaries at which the formula goes wrong in floating point: 10, 20, 80 in binary64 (10
    buckets, max_distance 160), 36 and 54 in binary32 (48 buckets, 81). *)
Theorem T5_2_exact_boundaries :
  map (one_sided 5 160 5) [9; 10; 19; 20; 79; 80]%nat = [5; 6; 6; 7; 8; 9]%nat /\
  map (one_sided 24 81 24) [35; 36; 53; 54]%nat = [31; 32; 39; 40]%nat.
Proof. split; vm_compute; reflexivity. Qed.
