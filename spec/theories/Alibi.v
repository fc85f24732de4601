(** * ALiBi: attention with linear biases (spec/alibi.md)

    Press, Smith, Lewis 2022. *)
From Gnomon Require Import Sums Attention.

(** ** Definitions *)

(** Normative: ALIBI-1 (slopes).  Head [h] of [H], 1 <= h <= H; [B] is alibi_bias_max, 8 by default.
    With [c] the largest power of two that is at most [H],
      the first [c] heads have the slopes of [c]
    heads; the others have the 1st, 3rd, 5th, .. slope of [2 c] heads. *)
Definition heads_below (H : nat) : nat := 2 ^ Nat.log2 H.

Definition slope (B : R) (H h : nat) : R :=
  let c := heads_below H in
  if (h <=? c)%nat then Rpower 2 (- (B * INR h / INR c))
  else Rpower 2 (- (B * INR (2 * (h - c) - 1) / INR (2 * c))).

(** Normative: ALIBI-2 (bias) of the query at [i] and the key at [j]. *)
Definition bias (m : R) (i j : Z) : R := - m * IZR (Z.abs (i - j)).

(** Normative: ALIBI-3 (row forms), [T] keys: the extent of the axis, whatever the positions are. *)
Definition by_distance (m : R) (i j : Z) : R := bias m i j.
Definition by_key (m : R) (i j : Z) : R := m * IZR j.
Definition by_key_from_the_end (m : R) (T : nat) (i j : Z) : R := m * (IZR j - (INR T - 1)).
Definition by_distance_below (m : R) (i j : Z) : R := if (j <=? i)%Z then by_distance m i j else 0.

(** ** Slopes *)

Lemma heads_below_pos H : (0 < heads_below H)%nat.
Proof. apply Nat.neq_0_lt_0, Nat.pow_nonzero; lia. Qed.

Lemma heads_below_spec H : (0 < H)%nat -> (heads_below H <= H < 2 * heads_below H)%nat.
Proof. intros HH; apply (Nat.log2_spec H HH). Qed.

Lemma heads_below_power n : heads_below (2 ^ n) = (2 ^ n)%nat.
Proof. unfold heads_below; now rewrite Nat.log2_pow2 by lia. Qed.

Lemma heads_below_double H : heads_below (2 * heads_below H) = (2 * heads_below H)%nat.
Proof. unfold heads_below at 2 3; rewrite <- Nat.pow_succ_r'; apply heads_below_power. Qed.

Theorem ALIBI_1_powers_of_two B n h : (h <= 2 ^ n)%nat ->
  slope B (2 ^ n) h = Rpower 2 (- (B * INR h / INR (2 ^ n))).
Proof. intros Hh; unfold slope; rewrite heads_below_power;
  now rewrite (proj2 (Nat.leb_le _ _) Hh). Qed.

(** The other head counts: [slope B H] picks from the slopes of [2 c] heads, first 2, 4, .., 2 c,
    then 1, 3, 5, ..  Both published rules read so. *)
Theorem ALIBI_1_other_head_counts B H h (c := heads_below H) : (0 < h <= H)%nat ->
  slope B H h = slope B (2 * c) (if (h <=? c)%nat then 2 * h else 2 * (h - c) - 1).
Proof.
  intros Hh; pose proof (heads_below_pos H); pose proof (heads_below_spec H ltac:(lia)).
  unfold slope at 2; unfold c; rewrite heads_below_double; fold c.
  rewrite (proj2 (Nat.leb_le (if (h <=? c)%nat then _ else _) _))
    by (destruct (Nat.leb_spec h c); unfold c in *; lia).
  unfold slope; fold c; destruct (Nat.leb_spec h c); trivial.
  f_equal; rewrite !mult_INR; simpl (INR 2); field; apply not_0_INR; unfold c; lia.
Qed.

Theorem ALIBI_1_slopes_are_positive B H h : 0 < slope B H h.
Proof. unfold slope; destruct (h <=? heads_below H)%nat; apply exp_pos. Qed.

Theorem ALIBI_1_slopes_are_below_1 B H h : 0 < B -> (0 < h)%nat -> slope B H h < 1.
Proof.
  intros HB Hh; pose proof (heads_below_pos H).
  rewrite <- (Rpower_O 2) by lra.
  assert (Hneg : forall n d, (0 < n)%nat -> (0 < d)%nat ->
    Rpower 2 (- (B * INR n / INR d)) < Rpower 2 0).
  { intros n d Hn Hd; apply Rpower_lt; [lra|]; apply Ropp_lt_gt_0_contravar.
    apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat; trivial|apply Rinv_0_lt_compat];
      now apply lt_0_INR. }
  unfold slope; destruct (Nat.leb_spec h (heads_below H)); apply Hneg; lia.
Qed.

Theorem ALIBI_1_slopes_fall B H h h' : 0 < B -> (h < h' <= heads_below H)%nat ->
  slope B H h' < slope B H h.
Proof.
  intros HB Hh; unfold slope; rewrite !(proj2 (Nat.leb_le _ _)) by lia; apply Rpower_lt; [lra|].
  apply Ropp_lt_contravar, Rmult_lt_compat_r; [apply Rinv_0_lt_compat, lt_0_INR, heads_below_pos|].
  apply Rmult_lt_compat_l, lt_INR; lia || trivial.
Qed.

(** A geometric sequence whose ratio is its first term. *)
Theorem ALIBI_1_slopes_are_geometric B H h : (h < heads_below H)%nat ->
  slope B H (S h) = slope B H 1 * slope B H h.
Proof.
  intros Hh; unfold slope; rewrite !(proj2 (Nat.leb_le _ _)) by lia; rewrite <- Rpower_plus, S_INR.
  f_equal; simpl (INR 1); unfold Rdiv; ring.
Qed.

Theorem ALIBI_1_last_slope n : slope 8 (2 ^ n) (2 ^ n) = / 256.
Proof.
  rewrite ALIBI_1_powers_of_two by trivial; set (c := (2 ^ n)%nat).
  assert (INR c <> 0) by (apply not_0_INR, Nat.pow_nonzero; lia).
  replace (8 * INR c / INR c) with (INR 8) by (simpl INR; field; trivial).
  rewrite Rpower_Ropp, Rpower_pow by lra; f_equal; ring.
Qed.

Theorem ALIBI_1_eight_heads h : (h <= 8)%nat -> slope 8 8 h = / 2 ^ h.
Proof.
  intros Hh; change 8%nat with (2 ^ 3)%nat in *; rewrite ALIBI_1_powers_of_two by trivial.
  replace (8 * INR h / INR (2 ^ 3)) with (INR h) by (rewrite pow_INR; simpl (INR 2); field).
  now rewrite Rpower_Ropp, Rpower_pow by lra.
Qed.

(** With the usual bias_max 8 and at most 128 heads every slope is a power of the 16th root of 1/2:
    spec/vectors/certified_alibi.json is computed by this exponent. *)
Definition sixteenths (H h : nat) : nat :=
  let c := heads_below H in
  if (h <=? c)%nat then 128 * h / c else 64 * (2 * (h - c) - 1) / c.

Theorem ALIBI_1_up_to_128_heads H h : (1 <= h <= H)%nat -> (H <= 128)%nat ->
  slope 8 H h = Rpower 2 (- (INR (sixteenths H h) / 16)).
Proof.
  intros Hh HH; pose proof (heads_below_spec H ltac:(lia)) as Hc.
  assert (Hn : (Nat.log2 H <= 7)%nat) by (apply (Nat.log2_le_mono H 128 HH)).
  unfold slope, sixteenths; unfold heads_below in *; set (n := Nat.log2 H) in *.
  assert (Hc0 : INR (2 ^ n) <> 0) by (apply not_0_INR, Nat.pow_nonzero; lia).
  assert (Hq : (2 ^ n * 2 ^ (7 - n) = 128)%nat)
    by (rewrite <- Nat.pow_add_r; now replace (n + (7 - n))%nat with 7%nat by lia).
  assert (Hq' : INR (2 ^ n) * INR (2 ^ (7 - n)) = 128) by (rewrite <- mult_INR, Hq; simpl; ring).
  destruct (Nat.leb_spec h (2 ^ n)).
  - replace (128 * h)%nat with (2 ^ (7 - n) * h * 2 ^ n)%nat by (rewrite <- Hq; ring).
    rewrite Nat.div_mul, mult_INR by (apply Nat.pow_nonzero; lia); f_equal; f_equal.
    transitivity (128 * INR h / INR (2 ^ n) / 16); [field|rewrite <- Hq'; field]; trivial.
  - assert (Hn6 : (n <= 6)%nat) by (destruct (Nat.eq_dec n 7) as [E|]; [rewrite E in *;
    simpl in *|]; lia).
    assert (Hh' : (2 ^ n * 2 ^ (6 - n) = 64)%nat)
      by (rewrite <- Nat.pow_add_r; now replace (n + (6 - n))%nat with 6%nat by lia).
    assert (Hh'' : INR (2 ^ n) * INR (2 ^ (6 - n)) = 64) by (rewrite <- mult_INR, Hh'; simpl; ring).
    set (k := (2 * (h - 2 ^ n) - 1)%nat).
    replace (64 * k)%nat with (2 ^ (6 - n) * k * 2 ^ n)%nat by (rewrite <- Hh'; ring).
    rewrite Nat.div_mul, !mult_INR by (apply Nat.pow_nonzero; lia); f_equal; f_equal.
    transitivity (64 * INR k / INR (2 ^ n) / 16); [simpl (INR 2); field|rewrite <- Hh''; field];
      trivial.
Qed.

(** ** Bias *)
Section Bias.
Variable m : R.
Hypothesis Hm : 0 < m.

Theorem ALIBI_2_bias_is_not_positive i j : bias m i j <= 0.
Proof. unfold bias; assert (0 <= IZR (Z.abs (i - j))) by (apply IZR_le; lia); nra. Qed.

Theorem ALIBI_2_bias_is_0_on_the_diagonal_only i j : bias m i j = 0 <-> i = j.
Proof.
  unfold bias; split.
  - intros H; destruct (Rmult_integral _ _ H) as [|H0]; [lra|apply eq_IZR in H0; lia].
  - intros ->; rewrite Z.sub_diag; simpl; ring.
Qed.

Theorem ALIBI_2_bias_falls_with_the_distance i j i' j' :
  (Z.abs (i - j) < Z.abs (i' - j'))%Z -> bias m i' j' < bias m i j.
Proof. intros H; apply IZR_lt in H; unfold bias; nra. Qed.
End Bias.

(** One slope a head: a step away from the query costs it, and the distance is all that it multiplies.
    *)
Theorem ALIBI_2_bias_is_the_slope_times_the_distance m i j :
  bias m i (i + 1) = - m /\ bias m i j = bias m i (i + 1) * IZR (Z.abs (i - j)).
Proof.
  assert (E : bias m i (i + 1) = - m)
    by (unfold bias; replace (Z.abs (i - (i + 1))) with 1%Z by lia; ring).
  now rewrite E.
Qed.

Theorem ALIBI_2_bias_depends_on_the_offset_only m c i j : bias m (i + c) (j + c) = bias m i j.
Proof. unfold bias; do 3 f_equal; lia. Qed.

Theorem ALIBI_2_bias_is_symmetric m i j : bias m i j = bias m j i.
Proof. unfold bias; do 2 f_equal; lia. Qed.

(** ** Row forms *)

(** Where the key is not after the query, all four differ by a constant a row. *)
Lemma by_distance_causal m i j : (j <= i)%Z -> by_distance m i j = m * IZR j - m * IZR i.
Proof.
  intros H; unfold by_distance, bias; rewrite Z.abs_eq by lia; rewrite minus_IZR; ring.
Qed.

(** Tokens of any kind at any positions; of any mask that lets query [q] see no key after it. *)
Section Causal.
Context {P : Type}.
Variables (keys : list P) (keep : P -> P -> bool) (at_query at_key : P -> Z).
Variables (content : P -> P -> R) (m : R) (T : nat) (q k : P).
Hypothesis Hkeep : forall j, keep q j = true -> (at_key j <= at_query q)%Z.
Hypothesis Hk : In k keys.
Let weights form :=
  weight keys keep (fun i j => content i j + form (at_query i) (at_key j)) q k.

Lemma same_weights form c : (forall j, (j <= at_query q)%Z ->
  form (at_query q) j = by_distance m (at_query q) j + c) -> weights form = weights (by_distance m).
Proof.
  intros H; apply ATT_5_shift_invariance with c; trivial.
  intros j _ Hj; rewrite H by (now apply Hkeep); ring.
Qed.

Theorem ALIBI_3_by_key : weights (by_key m) = weights (by_distance m).
Proof.
  apply same_weights with (m * IZR (at_query q)); intros; rewrite by_distance_causal by trivial;
    unfold by_key; ring.
Qed.

Theorem ALIBI_3_by_key_from_the_end : weights (by_key_from_the_end m T) = weights (by_distance m).
Proof.
  apply same_weights with (m * IZR (at_query q) - m * (INR T - 1)); intros;
    rewrite by_distance_causal by trivial.
  unfold by_key_from_the_end; ring.
Qed.

Theorem ALIBI_3_by_distance_below : weights (by_distance_below m) = weights (by_distance m).
Proof.
  apply same_weights with 0; intros j Hj; unfold by_distance_below.
  rewrite (proj2 (Z.leb_le _ _) Hj); ring.
Qed.
End Causal.

(** The causal mask of ATT-2 is such a mask: [Q] queries, the last of [K] positions. *)
Theorem ALIBI_3_causal_mask Q K q j : causal Q K q j = true ->
  (Z.of_nat j <= Z.of_nat q + (Z.of_nat K - Z.of_nat Q))%Z.
Proof. intros H; apply Nat.leb_le in H; lia. Qed.

(** Without a mask they part: two tokens, equal content, any slope. *)
Theorem ALIBI_3_forms_part_without_a_mask m : 0 < m ->
  let weights form := weight [0; 1]%Z unmasked form 0%Z 1%Z in
  weights (by_distance m) < weights (by_distance_below m) < weights (by_key m).
Proof.
  intros Hm weights; unfold weights, weight, denominator, numerator, unmasked, sum,
    by_distance_below, by_key,
    by_distance, bias; simpl; rewrite !Rmult_0_r, exp_0.
  replace (- m * 1) with (- m) by ring; rewrite Rmult_1_r.
  assert (0 < exp (- m) < 1 /\ 1 < exp m) as [Ha Hb].
  { rewrite <- exp_0; repeat split; [apply exp_pos|apply exp_increasing; lra..]. }
  set (a := exp (- m)) in *; set (b := exp m) in *.
  replace (a / (1 + (a + 0))) with (1 - / (1 + a)) by (field; lra).
  replace (1 / (1 + (1 + 0))) with (1 - / 2) by field.
  replace (b / (1 + (b + 0))) with (1 - / (1 + b)) by (field; lra).
  assert (/ 2 < / (1 + a)) by (apply Rinv_lt_contravar; nra).
  assert (/ (1 + b) < / 2) by (apply Rinv_lt_contravar; nra).
  lra.
Qed.
