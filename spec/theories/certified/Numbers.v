(** * Numbers that are computed (spec/vectors/certified_*.json)

    What tools/certified_numbers.py needs to enclose the real numbers of the definitions: each
      number
    of the files is a proof, checked by Coq's kernel, that the definition's value lies between two
    dyadic numbers. *)
From Coq Require Import Reals ZArith Uint63 Lra Lia.
From Interval Require Import Tactic.
From Flocq Require Import Core.
From Gnomon Require Import Sums Pairs Sinusoidal T5Bias Alibi RopeScaling Bounds.
From Gnomon.numeric Require Import Rounding RotationError NarrowArithmetic TableError AddError
  PairwiseError DistanceError.
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
    dynamic_factor,
    frequency_half_minus_one, frequency, Rpower; cbv beta;
  rewrite ?(Rmax_left 16384 2048) by lra; literals.

(** Bounds: u and eta are powers of two. *)
Ltac powers_of_two := repeat
  match goal with
  | |- context [bpow radix2 ?z] => let e := eval vm_compute in z in
      change (bpow radix2 z) with (bpow radix2 e); rewrite (bpow_powerRZ radix2 e);
      change (IZR radix2) with 2
  end.

Ltac enclose_bound name :=
  unfold enclosed, output_bound, rotation_bound, coefficient, table_bound, add_bound, angle_error,
    similarity_bound, distance_bound, rows_bound, pair_error, sumn, sum, moved, gamma,
      working_count,
    exp_count, chained_count, narrow_table_error, u, eta; cbn [seq fold_right Nat.eqb];
  powers_of_two; literals;
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
  unfold enclosed, llama3, yarn_magnitude, longrope_magnitude; decide_comparisons; reals;
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

(** Pair [i] is kept, interpolated, or on the ramp between. *)
Ltac enclose_yarn name range :=
  rewrite range; unfold enclosed;
  first [ rewrite SCALE_6_low_pairs_are_kept; [| by_enclosure | by_enclosure]
        | rewrite SCALE_6_high_pairs_are_interpolated; [| by_enclosure | by_enclosure]
        | unfold yarn_by_index; cbn [fst snd];
          rewrite SCALE_4_ramp_is_linear_between; [| by_enclosure | split; by_enclosure] ];
  enclose name.

(** ** Tables of integers

    As machine integers, which print fast. *)
Definition printed (l : list nat) : list PrimInt63.int := map (fun n => Uint63.of_Z (Z.of_nat n)) l.

(** T5: the boundaries of one side of [b] buckets, for max_distance = max_exact + 1 .. [M].
The powers of
    the distances are computed once. *)
Definition all_boundaries (b M : nat) : list (list nat) :=
  let E := max_exact b in
  let L := (b - E)%nat in
  let ps := powers L E (S M - E) in
  map (fun D => merge (thresholds E D L) ps) (seq (S E) (M - E)).

Lemma all_boundaries_are_boundaries b M : all_boundaries b M =
  map (fun D => boundaries (max_exact b) D (b - max_exact b) M) (seq (S (max_exact b)) (M -
    max_exact b)).
Proof. reflexivity. Qed.

(** ALiBi: the exponents of all heads. *)
Definition all_sixteenths (H : nat) : list nat := map (sixteenths H) (seq 1 H).
