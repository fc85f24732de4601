(** * Numbers that are computed (spec/vectors/certified_*.json)

    What tools/certified_numbers.py needs to enclose the real numbers of the definitions: each
      number
    of the files is a proof, checked by Coq's kernel, that the definition's value lies between two
    dyadic numbers. *)
From Coq Require Import Reals ZArith NArith List Uint63 Lra Lia.
From Interval Require Import Tactic.
From Flocq Require Import Core.
From Gnomon Require Import Sums Pairs Rope Sinusoidal T5Bias Alibi RopeScaling Magnitude Bounds.
From Gnomon.numeric Require Import Rounding RotationError NarrowArithmetic TableError AddError
  PairwiseError DistanceError.
Import ListNotations.
Open Scope R_scope.

(** ** What is asked *)

(** [e] lies in an interval that is given with the proof. *)
Definition enclosed (e : R) : Type := {b : R * R | fst b <= e <= snd b}.

(** ** From the definitions to expressions that Interval reads *)
Ltac literals := repeat
  match goal with
  | |- context [INR ?n] => let z := eval vm_compute in (Z.of_nat n) in
      replace (INR n) with (IZR z) by (rewrite (INR_IZR_INZ n); reflexivity)
  end.

Ltac reals :=
  unfold blend, wavelength, rotations, correction_dim, interpolated, dynamic_ntk_base, ntk_base,
    dynamic_factor, frequency_half_minus_one, frequency, Rpower; cbv beta;
  repeat match goal with
  | |- context [Rmax ?a ?b] =>
      first [rewrite (Rmax_left a b) by lra|rewrite (Rmax_right a b) by lra]
  end; literals.

(** Bounds: u and eta are powers of two. *)
Ltac powers_of_two := repeat
  match goal with
  | |- context [bpow radix2 ?z] => let e := eval vm_compute in z in
      change (bpow radix2 z) with (bpow radix2 e); rewrite (bpow_powerRZ radix2 e);
      change (IZR radix2) with 2
  end.

Ltac enclose_bound name :=
  unfold enclosed, output_bound, rotation_bound, coefficient, table_bound, add_bound, angle_error,
    frequency_bound, similarity_bound, distance_bound, rows_bound, pair_error, sumn, sum, moved,
    gamma,
      working_count,
    exp_count, chained_count, narrow_table_error, u, eta; cbn [seq fold_right Nat.eqb];
  repeat match goal with
  | |- context [Rmax 2 ?c] => first [rewrite (Rmax_left 2 c) by interval
                                    |rewrite (Rmax_right 2 c) by interval]
  end; powers_of_two; literals;
  match goal with
  | |- {b : R * R | fst b <= ?e <= snd b} =>
      let K := fresh "K" in
      interval_intro e with (i_prec 140) as K;
      match type of K with ?l <= _ <= ?h => idtac name l h; exists (l, h); exact K end
  end.

(** Which branch of a definition is taken is decided by enclosures too. *)
Ltac by_enclosure := reals; interval with (i_prec 140).
Ltac decide_comparisons := repeat
  match goal with
  | |- context [Rlt_dec ?a ?b] =>
      first [ destruct (Rlt_dec a b) as [_|N]; [|exfalso; apply N; by_enclosure]
            | destruct (Rlt_dec a b) as [N|_]; [exfalso; revert N; apply Rle_not_lt;
              by_enclosure|] ]
  | |- context [Rle_dec ?a ?b] =>
      first [ destruct (Rle_dec a b) as [_|N]; [|exfalso; apply N; by_enclosure]
            | destruct (Rle_dec a b) as [N|_]; [exfalso; revert N; apply Rlt_not_le;
              by_enclosure|] ]
  end.

(** Prints [name], low, high; the proof itself goes to the kernel. *)
Ltac enclose name :=
  unfold enclosed, llama3, longrope, dynamic_call_base, dynamic_state, fold_left, dynamic_step,
    on_vectors, on_scores, softmax_magnitude, split_magnitude, magnitude, or_else, yarn_magnitude,
    mscale_part, longrope_magnitude;
  decide_comparisons; reals;
  match goal with
  | |- {b : R * R | fst b <= ?e <= snd b} =>
      let K := fresh "K" in
      interval_intro e with (i_prec 140) as K;
      match type of K with ?l <= _ <= ?u => idtac name l u; exists (l, u); exact K end
  end.

(** ** YaRN by index *)
Lemma floor_is x n : IZR n <= x < IZR n + 1 -> floor x = IZR n.
Proof.
  intros H; unfold floor; f_equal; destruct (base_Int_part x) as [H1 H2].
  assert (H3 : IZR (Int_part x) < IZR (n + 1)) by (rewrite plus_IZR; lra).
  assert (H4 : IZR n < IZR (Int_part x + 1)) by (rewrite plus_IZR; lra).
  apply lt_IZR in H3, H4; lia.
Qed.

Lemma ceiling_is x n : IZR n - 1 < x <= IZR n -> ceiling x = IZR n.
Proof.
  intros H; unfold ceiling; rewrite (floor_is (- x) (- n)); rewrite opp_IZR; [ring|lra].
Qed.

Lemma range_truncated b L fast slow h lo hi :
  IZR lo <= correction_dim b L h fast < IZR lo + 1 -> IZR hi - 1 < correction_dim b L h slow
    <= IZR hi ->
  0 <= IZR lo < IZR hi -> IZR hi <= INR (2 * h) - 1 ->
  correction_range true b L fast slow h = (IZR lo, IZR hi).
Proof.
  intros Hlo Hhi H Hh; unfold correction_range.
  rewrite (floor_is _ lo Hlo), (ceiling_is _ hi Hhi), Rmax_right, Rmin_right by lra.
  destruct Req_EM_T; [lra|reflexivity].
Qed.

Lemma range_exact b L fast slow h :
  0 <= correction_dim b L h fast < correction_dim b L h slow -> correction_dim b L h slow
    <= INR (2 * h) - 1 ->
  correction_range false b L fast slow h = (correction_dim b L h fast, correction_dim b L h slow).
Proof.
  intros H Hh; unfold correction_range; rewrite Rmax_right, Rmin_right by lra.
  destruct Req_EM_T; [lra|reflexivity].
Qed.

(** A pair is on a ramp, or before it, or after it. *)
Ltac decide_ramps := repeat
  match goal with
  | |- context [ramp ?lo ?hi ?r] =>
      first [ rewrite (SCALE_4_ramp_starts_at_0 lo hi) by by_enclosure
            | rewrite (SCALE_4_ramp_ends_at_1 lo hi) by by_enclosure
            | rewrite (SCALE_4_ramp_is_linear_between lo hi) by (by_enclosure || split;
                by_enclosure) ]
  end.
Ltac enclose_yarn name range :=
  rewrite range; unfold enclosed;
  first [ rewrite SCALE_6_low_pairs_are_kept; [| by_enclosure | by_enclosure]
        | rewrite SCALE_6_high_pairs_are_interpolated; [| by_enclosure | by_enclosure]
        | unfold yarn_by_index, kept_by_index; cbn [fst snd]; rewrite Rmult_1_l;
          rewrite SCALE_4_ramp_is_linear_between; [| by_enclosure | split; by_enclosure] ];
  enclose name.
Ltac enclose_by_rotations name := unfold enclosed, yarn; decide_ramps; enclose name.
Ltac enclose_by_parts name range1 range2 :=
  unfold enclosed; rewrite range1, range2; unfold ntk_by_parts, kept_by_index; cbn [fst snd];
  cbv zeta; decide_ramps; enclose name.
Ltac enclose_proportional name :=
  unfold enclosed, proportional; cbn [Nat.ltb Nat.leb]; enclose name.

(** Temperature: [n] is the floor. *)
Ltac enclose_temperature name n :=
  unfold enclosed, temperature; rewrite (floor_is _ n) by lra; enclose name.

(** ** The definitions themselves: rotations, rows, slopes

    An entry of a rotation's table is what the rotation makes of a unit vector. *)
Definition unit (j : nat) : vector := fun k => if (k =? j)%nat then 1 else 0.

Lemma unit_self j : unit j j = 1.
Proof. unfold unit; now rewrite Nat.eqb_refl. Qed.

Lemma unit_second l h i : (i < h)%nat -> unit (first l h i) (second l h i) = 0.
Proof.
  intros Hi; unfold unit; destruct (Nat.eqb_spec (second l h i) (first l h i)) as [E|]; trivial.
  exfalso; destruct l; cbn [first second] in E; lia.
Qed.

Lemma rope_cosine l h w m i : (i < h)%nat ->
  rope l h 0 w m (unit (first l h i)) (first l h i) = cos (m * w i).
Proof.
  intros Hi; etransitivity; [exact (ROPE_3_first l l h 0 _ _ _ i Hi)|]; cbn [Nat.add].
  rewrite unit_self, unit_second by trivial; ring.
Qed.

Lemma rope_sine l h w m i : (i < h)%nat ->
  rope l h 0 w m (unit (first l h i)) (second l h i) = sin (m * w i).
Proof.
  intros Hi; etransitivity; [exact (ROPE_3_second l l h 0 _ _ _ i Hi)|]; cbn [Nat.add].
  rewrite unit_self, unit_second by trivial; ring.
Qed.

Lemma pe_sine o h odd w t i k : (i < h)%nat -> k = sine_column o h i ->
  pe o h odd 1 w t k = sin (t * w i).
Proof. intros Hi ->; rewrite SIN_4_sine by trivial; ring. Qed.

Lemma pe_cosine o h odd w t i k : (i < h)%nat -> k = cosine_column o h i ->
  pe o h odd 1 w t k = cos (t * w i).
Proof. intros Hi ->; rewrite SIN_4_cosine by trivial; ring. Qed.

Lemma pe_odd o h w t : pe o h Sine 1 w t (2 * h)%nat = sin (t * w h).
Proof. unfold pe; rewrite Nat.ltb_irrefl; ring. Qed.

Lemma slope_of_128_heads j : (1 <= j <= 128)%nat -> slope 8 128 j = Rpower 2 (- (INR j / 16)).
Proof.
  intros Hj; unfold slope; change (heads_below 128) with 128%nat.
  rewrite (proj2 (Nat.leb_le j 128)) by lia; do 2 f_equal.
  replace (INR 128) with 128 by (rewrite INR_IZR_INZ; reflexivity); field.
Qed.

Ltac enclose_rope_cosine name := rewrite rope_cosine by lia; enclose name.
Ltac enclose_rope_sine name := rewrite rope_sine by lia; enclose name.
Ltac enclose_pe_sine name i := rewrite (pe_sine _ _ _ _ _ i) by (cbn; lia); enclose name.
Ltac enclose_pe_cosine name i := rewrite (pe_cosine _ _ _ _ _ i) by (cbn; lia); enclose name.
Ltac enclose_pe_odd name := rewrite pe_odd; enclose name.
Ltac enclose_slope name := rewrite slope_of_128_heads by lia; enclose name.

(** ** Tables of integers

    As machine integers, which print fast. *)
Definition printed (l : list nat) : list PrimInt63.int := map (fun n => Uint63.of_Z (Z.of_nat n)) l.

(** T5: the least distances of the logarithmic buckets of one side of [b] buckets. *)
Definition starts_of (M b D : nat) : list nat := boundaries (max_exact b) D (b - max_exact b) M.

(** T5: whole tables, the bucket of every [rel] = - R .. R. *)
Definition offsets (R : nat) : list Z :=
  map (fun k => (Z.of_nat k - Z.of_nat R)%Z) (seq 0 (2 * R + 1)).
Definition buckets (both : bool) (n R D : nat) : list nat := map (bucket both n D) (offsets R).

(** The same, with every power computed once: the thresholds of T5-2 from the highest down, the
    powers of the distances for all [D]. *)
Fixpoint downward (T : nat -> N) (k : nat) : list N :=
  match k with O => [] | S k' => T k :: downward T k' end.
Fixpoint highest (ts : list N) (p : N) : nat :=
  match ts with [] => O | t :: ts' => if (t <=? p)%N then length ts else highest ts' p end.
Definition one_side (E D L : nat) (ps : list (nat * N)) : list nat :=
  let ts := downward (fun k => N.of_nat E ^ N.of_nat (L - k) * N.of_nat D ^ N.of_nat k)%N (L - 1) in
  map (fun xp => if (fst xp <? E)%nat then fst xp else E + highest ts (snd xp))%nat ps.
Definition both_sides (both : bool) (n R : nat) (one : list nat) : list nat :=
  rev one ++ (if both then map (Nat.add n) (tl one) else repeat 0%nat R).
Definition tables (both : bool) (n R : nat) (Ds : list nat) : list (list nat) :=
  let s := side both n in
  let E := max_exact s in
  let ps := powers (s - E) 0 (S R) in
  map (fun D => both_sides both s R (one_side E D (s - E) ps)) Ds.

Lemma highest_is_greatest T p k : highest (downward T k) p = greatest (fun k => T k <=? p)%N k.
Proof.
  assert (Hl : forall j, length (downward T j) = j) by (induction j; simpl; congruence).
  induction k as [|k IH]; trivial; cbn [downward highest greatest length]; now rewrite Hl, IH.
Qed.

Lemma one_side_is_one_sided E D L R :
  one_side E D L (powers L 0 (S R)) = map (one_sided E D L) (seq 0 (S R)).
Proof.
  unfold one_side, powers; rewrite map_map; apply map_ext; intros x; cbn [fst snd].
  now rewrite highest_is_greatest.
Qed.

Lemma rev_seq n : rev (seq 0 (S n)) = map (fun k => n - k)%nat (seq 0 (S n)).
Proof.
  induction n as [|n IH]; trivial.
  rewrite seq_S at 1; rewrite rev_app_distr; cbn [rev app Nat.add]; rewrite IH.
  change (seq 0 (S (S n))) with (0%nat :: seq 1 (S n)); rewrite <- seq_shift; cbn [map].
  rewrite map_map; f_equal.
Qed.

Lemma seq_from a b n : seq (a + b) n = map (Nat.add a) (seq b n).
Proof.
  revert b; induction n as [|n IH]; intros b; trivial; cbn [seq map]; now rewrite plus_n_Sm, IH.
Qed.

Lemma offsets_split R : offsets R =
  map (fun x => (- Z.of_nat x)%Z) (rev (seq 0 (S R))) ++ map Z.of_nat (seq 1 R).
Proof.
  unfold offsets; replace (2 * R + 1)%nat with (S R + R)%nat by lia.
  rewrite seq_app, map_app; f_equal.
  - rewrite rev_seq, map_map; apply map_ext_in; intros k Hk; apply in_seq in Hk; lia.
  - replace (0 + S R)%nat with (R + 1)%nat by lia; rewrite seq_from, map_map.
    apply map_ext; intros; lia.
Qed.

(** What is computed is the definition's bucket, of every offset. *)
Theorem T5_3_tables_are_the_buckets both n R Ds : (0 < max_exact (side both n))%nat ->
  tables both n R Ds = map (buckets both n R) Ds.
Proof.
  intros HE; unfold tables; apply map_ext; intros D; rewrite one_side_is_one_sided.
  unfold buckets, both_sides, bucket; set (s := side both n) in *.
  rewrite offsets_split, map_app, map_map, <- map_rev; f_equal.
  - apply map_ext; intros x; destruct both; [|do 2 f_equal; lia].
    destruct (Z.ltb_spec 0 (- Z.of_nat x)); [lia|]; cbn [Nat.add]; f_equal; lia.
  - rewrite map_map; cbn [seq map tl]; destruct both.
    + rewrite map_map; apply map_ext_in; intros x Hx; apply in_seq in Hx.
      destruct (Z.ltb_spec 0 (Z.of_nat x)); [|lia]; do 2 f_equal; lia.
    + transitivity (map (fun _ => 0%nat) (seq 1 R)).
      * clear; generalize 1%nat; induction R as [|R IH]; intros a; trivial.
        cbn [seq map repeat]; now rewrite <- IH.
      * apply map_ext_in; intros x Hx; apply in_seq in Hx.
        replace (Z.to_nat (- Z.of_nat x)) with 0%nat by lia; unfold one_sided.
        now rewrite (proj2 (Nat.ltb_lt _ _) HE).
Qed.

(** Printed as runs of equal buckets: bucket and length. *)
Fixpoint runs (l : list nat) (b n : nat) : list (nat * nat) :=
  match l with
  | [] => [(b, n)]
  | x :: l' => if (x =? b)%nat then runs l' b (S n) else (b, n) :: runs l' x 1
  end.

Lemma runs_hold_the_list l b n :
  flat_map (fun r => repeat (fst r) (snd r)) (runs l b n) = repeat b n ++ l.
Proof.
  revert b n; induction l as [|x l IH]; intros b n; cbn [runs flat_map fst snd]; trivial.
  destruct (Nat.eqb_spec x b) as [->|].
  - rewrite IH; change (b :: l) with ([b] ++ l); now rewrite app_assoc, <- repeat_cons.
  - now cbn [flat_map fst snd]; rewrite IH.
Qed.

Definition printed_runs (l : list nat) : list PrimInt63.int :=
  map (fun r => Uint63.of_Z (Z.of_nat (fst r) * 65536 + Z.of_nat (snd r))) (runs l 0 0).

(** ALiBi: the exponents of all heads. *)
Definition all_sixteenths (H : nat) : list nat := map (sixteenths H) (seq 1 H).
