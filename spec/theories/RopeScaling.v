(** * Context extension of rotary embeddings (spec/rope_scaling.md)

    Position interpolation (Chen et al. 2023), NTK-aware bases, YaRN (Peng et al. 2023), Llama 3.1,
    LongRoPE (Ding et al. 2024).  [w] is a frequency, [s] the factor, [L] the original context,
    [d] = 2 h the rotary width.  Magnitudes, and layers without RoPE: [Magnitude]; how many
    roundings a scaled frequency amounts to: [ScaledCounts]. *)
From Gnomon Require Import Sums Pairs Rope Sinusoidal.

(** ** Definitions *)

(** Normative: SCALE-1 (position interpolation). *)
Definition interpolated (s : R) (w : nat -> R) : nat -> R := fun i => w i / s.

(** Normative: SCALE-2 (NTK-aware base), d > 2. *)
Definition ntk_base (b s : R) (h : nat) : R := b * Rpower s (INR (2 * h) / (INR (2 * h) - 2)).

(** Normative: SCALE-3 (dynamic NTK): the factor at sequence length [n]. *)
Definition dynamic_factor (s L n : R) : R := s * Rmax n L / L - (s - 1).
Definition dynamic_ntk_base (b s L n : R) (h : nat) : R := ntk_base b (dynamic_factor s L n) h.

(** Normative: SCALE-10 (dynamic NTK, calls).  The state is the length [c] that the frequencies were
    made for, [L] before the first call.  A longer call makes them anew; one below [L] goes back to
    the original ones; any other keeps what is there. *)
Definition dynamic_step (L c n : R) : R :=
  if Rlt_dec c n then n else if Rlt_dec n L then L else c.
Definition dynamic_state (L : R) (calls : list R) : R := fold_left (dynamic_step L) calls L.
Definition dynamic_call_base (b s L : R) (h : nat) (before : list R) (n : R) : R :=
  dynamic_ntk_base b s L (dynamic_step L (dynamic_state L before) n) h.
(** [update] = grow keeps what is there below [L] too. *)
Definition growing_step (c n : R) : R := if Rlt_dec c n then n else c.

(** Normative: SCALE-4 (ramp and blend).  [g] = 1 keeps the frequency, [g] = 0 interpolates it. *)
Definition ramp (lo hi r : R) : R := Rmax 0 (Rmin 1 ((r - lo) / (hi - lo))).
Definition blend (g s w : R) : R := (1 - g) * (w / s) + g * w.

(** Normative: SCALE-5 (YaRN, the paper's ramp): linear in the rotations over the original context,
    [lo] = beta_slow, [hi] = beta_fast, [e] the extrapolation factor. *)
Definition rotations (L w : R) : R := L * w / (2 * PI).
Definition yarn (e lo hi s L w : R) : R := blend (e * ramp lo hi (rotations L w)) s w.

(** Normative: SCALE-6 (YaRN as deployed): linear in the pair index, between the correction dims of
    beta_fast and beta_slow. *)
Definition correction_dim (b L : R) (h : nat) (r : R) : R :=
  INR (2 * h) * ln (L / (2 * PI * r)) / (2 * ln b).
Definition floor (x : R) : R := IZR (Int_part x).
Definition ceiling (x : R) : R := - floor (- x).
Definition correction_range (truncate : bool) (b L beta_fast beta_slow : R) (h : nat) : R * R :=
  let lo := correction_dim b L h beta_fast in
  let hi := correction_dim b L h beta_slow in
  let lo := Rmax 0 (if truncate then floor lo else lo) in
  let hi := Rmin (INR (2 * h) - 1) (if truncate then ceiling hi else hi) in
  (lo, if Req_EM_T lo hi then hi + / 1000 else hi).
Definition kept_by_index (e : R) (range : R * R) (i : nat) : R :=
  e * (1 - ramp (fst range) (snd range) (INR i)).
Definition yarn_by_index (e : R) (range : R * R) (s : R) (w : nat -> R) (i : nat) : R :=
  blend (kept_by_index e range i) s (w i).

(** Normative: SCALE-8 (Llama 3): bands by wavelength (SIN-19). *)
Definition llama3 (s low_freq_factor high_freq_factor L w : R) : R :=
  if Rlt_dec (L / low_freq_factor) (wavelength w) then w / s
  else if Rlt_dec (wavelength w) (L / high_freq_factor) then w
  else blend ((L / wavelength w - low_freq_factor) / (high_freq_factor - low_freq_factor)) s w.

(** Normative: SCALE-9 (LongRoPE).  One factor a pair, from one of two lists by the sequence length.
    *)
Definition longrope (L : R) (short long : nat -> R) (w : nat -> R) (n : R) : nat -> R := fun i =>
  w i / (if Rlt_dec L n then long i else short i).

(** Normative: SCALE-11 (NTK by parts).  The frequency of SCALE-2 takes the place of the kept one,
    then the kept one that of both. *)
Definition ntk_by_parts (ntk_factor e : R) (ntk_range range : R * R) (b s : R) (h i : nat) : R :=
  let w := frequency b (2 * h) i in
  let g1 := kept_by_index ntk_factor ntk_range i in
  let g2 := kept_by_index e range i in
  (1 - g2) * ((1 - g1) * (w / s) + g1 * frequency (ntk_base b s h) (2 * h) i) + g2 * w.

(** Normative: SCALE-12 (proportional).  The first [A] pairs of the full width rotate. *)
Definition proportional (A : nat) (s : R) (w : nat -> R) (i : nat) : R :=
  if (i <? A)%nat then w i / s else 0.

(** ** Interpolation *)
Theorem SCALE_1_is_position_scaling l h o s w m x k : s <> 0 ->
  rope l h o (interpolated s w) m x k = rope l h o w (m / s) x k.
Proof.
  intros Hs; assert (E : forall i, m * (w i / s) = m / s * w i) by (intros; field; trivial).
  unfold interpolated; by_dims l h o k; rewrite ?E; reflexivity.
Qed.

Theorem SCALE_1_is_position_scaling_of_tables o h odd K s w t k : s <> 0 ->
  pe o h odd K (interpolated s w) t k = pe o h odd K w (t / s) k.
Proof.
  intros Hs; unfold pe, interpolated; assert (E : forall i, t * (w i / s) = t / s * w i)
    by (intros; field; trivial).
  now rewrite !E.
Qed.

(** ** NTK-aware bases *)
Lemma ntk_base_pos b s h : 0 < b -> 0 < ntk_base b s h.
Proof. intros; apply Rmult_lt_0_compat; [trivial|apply exp_pos]. Qed.

Theorem SCALE_2_keeps_the_highest b s h : 0 < b ->
  frequency (ntk_base b s h) (2 * h) 0 = frequency b (2 * h) 0.
Proof. intros Hb; rewrite !frequency_0; trivial; now apply ntk_base_pos. Qed.

Theorem SCALE_2_divides_the_lowest b s h : 0 < b -> 0 < s -> (2 <= h)%nat ->
  frequency (ntk_base b s h) (2 * h) (h - 1) = frequency b (2 * h) (h - 1) / s.
Proof.
  intros Hb Hs Hh; unfold frequency, ntk_base.
  rewrite <- Rpower_mult_distr, Rpower_mult by (trivial; apply exp_pos).
  assert (2 <= INR h) by (change 2 with (INR 2); now apply le_INR).
  replace (INR (2 * h) / (INR (2 * h) - 2) * (- (2 * INR (h - 1) / INR (2 * h)))) with (- (1)).
  - now rewrite (Rpower_Ropp s 1), Rpower_1.
  - rewrite minus_INR, mult_INR by lia; simpl (INR 2); simpl (INR 1); field; lra.
Qed.

Theorem SCALE_2_factor_1_changes_nothing b h : ntk_base b 1 h = b.
Proof. unfold ntk_base, Rpower; rewrite ln_1, Rmult_0_r, exp_0; ring. Qed.

Theorem SCALE_3_original_up_to_L b s L n h : 0 < L -> n <= L -> dynamic_ntk_base b s L n h = b.
Proof.
  intros HL Hn; unfold dynamic_ntk_base, dynamic_factor; rewrite Rmax_right by trivial.
  replace (s * L / L - (s - 1)) with 1 by (field; lra); apply SCALE_2_factor_1_changes_nothing.
Qed.

Theorem SCALE_3_factor_grows s L n n' : 0 < L -> 0 < s -> L <= n < n' ->
  1 <= dynamic_factor s L n < dynamic_factor s L n'.
Proof.
  intros HL Hs Hn; unfold dynamic_factor; rewrite !Rmax_left by lra.
  assert (E : forall x, s * x / L - (s - 1) = 1 + s * (x - L) * / L) by (intros; field; lra).
  rewrite !E; assert (0 < / L) by now apply Rinv_0_lt_compat.
  assert (0 <= s * (n - L)) by (apply Rmult_le_pos; lra).
  assert (s * (n - L) < s * (n' - L)) by (apply Rmult_lt_compat_l; lra).
  split; [nra|]; apply Rplus_lt_compat_l, Rmult_lt_compat_r; trivial.
Qed.

(** *** A sequence of calls *)

Lemma dynamic_state_snoc L calls n :
  dynamic_state L (calls ++ [n]) = dynamic_step L (dynamic_state L calls) n.
Proof. unfold dynamic_state; now rewrite fold_left_app. Qed.

Theorem SCALE_10_state_is_at_least_L L calls : L <= dynamic_state L calls.
Proof.
  induction calls as [|n calls IH] using rev_ind; [apply Rle_refl|].
  rewrite dynamic_state_snoc; unfold dynamic_step; repeat destruct Rlt_dec; lra.
Qed.

(** The first call is SCALE-3; so is every call that is longer than all before it, or below L. *)
Theorem SCALE_10_fresh b s L h n : 0 < L ->
  dynamic_call_base b s L h [] n = dynamic_ntk_base b s L n h.
Proof.
  intros HL; unfold dynamic_call_base, dynamic_state, dynamic_step; simpl.
  destruct (Rlt_dec L n); trivial; rewrite (SCALE_3_original_up_to_L b s L n) by lra.
  destruct (Rlt_dec n L); now rewrite SCALE_3_original_up_to_L by lra.
Qed.

Theorem SCALE_10_longer_calls_forget b s L h before n : dynamic_state L before < n ->
  dynamic_call_base b s L h before n = dynamic_ntk_base b s L n h.
Proof. intros H; unfold dynamic_call_base, dynamic_step; destruct Rlt_dec; [trivial|lra]. Qed.

Theorem SCALE_10_short_calls_are_original b s L h before n : 0 < L -> n < L ->
  dynamic_call_base b s L h before n = b.
Proof.
  intros HL Hn; unfold dynamic_call_base, dynamic_step.
  pose proof (SCALE_10_state_is_at_least_L L before).
  destruct Rlt_dec; [lra|]; destruct Rlt_dec; [|lra]; apply SCALE_3_original_up_to_L; lra.
Qed.

(** As long as no call is below L the state is the longest length so far. *)
Theorem SCALE_10_longest_so_far L calls : (forall n, In n calls -> L <= n) ->
  dynamic_state L calls = fold_left Rmax calls L.
Proof.
  induction calls as [|n calls IH] using rev_ind; trivial; intros H.
  rewrite dynamic_state_snoc, fold_left_app, IH by (intros; apply H, in_or_app; now left).
  assert (L <= n) by (apply H, in_or_app; right; now left).
  change (dynamic_step L (fold_left Rmax calls L) n = Rmax (fold_left Rmax calls L) n).
  set (c := fold_left Rmax calls L); unfold dynamic_step, Rmax; destruct (Rlt_dec c n);
    destruct (Rle_dec c n); try lra; destruct (Rlt_dec n L); lra.
Qed.

(** [grow] is the longest length so far, whatever the calls. *)
Theorem SCALE_10_growing L calls : fold_left growing_step calls L = fold_left Rmax calls L.
Proof.
  revert L; induction calls as [|n calls IH]; intros L; trivial; simpl; rewrite IH; f_equal.
  unfold growing_step, Rmax; destruct Rlt_dec, Rle_dec; lra.
Qed.

(** It is a state: of two calls of one length after different histories one has another base. At
    length L the longer frequencies stay. *)
Theorem SCALE_10_history_matters b s L h : 0 < b -> 0 < s -> 0 < L -> (2 <= h)%nat ->
  dynamic_call_base b s L h [2 * L] L <> dynamic_call_base b s L h [] L.
Proof.
  intros Hb Hs HL Hh; rewrite SCALE_10_fresh, SCALE_3_original_up_to_L by lra.
  unfold dynamic_call_base, dynamic_state, dynamic_step; simpl.
  destruct (Rlt_dec L (2 * L)); [|lra]; destruct Rlt_dec; [lra|]; destruct Rlt_dec; [lra|].
  unfold dynamic_ntk_base, ntk_base.
  pose proof (SCALE_3_factor_grows s L L (2 * L) HL Hs ltac:(lra)) as Hf.
  assert (2 <= INR h) by (change 2 with (INR 2); now apply le_INR).
  assert (Hp : 1 < Rpower (dynamic_factor s L (2 * L)) (INR (2 * h) / (INR (2 * h) - 2))).
  { rewrite <- (Rpower_O (dynamic_factor s L (2 * L))) by lra; apply Rpower_lt; [lra|].
    rewrite mult_INR; simpl (INR 2); apply Rmult_lt_0_compat; [lra|apply Rinv_0_lt_compat; lra]. }
  assert (b * 1 < b * Rpower (dynamic_factor s L (2 * L)) (INR (2 * h) / (INR (2 * h) - 2)))
    by (apply Rmult_lt_compat_l; lra); lra.
Qed.

(** ** Ramps and blends *)
Section Ramp.
Variables lo hi : R.
Hypothesis Hlh : lo < hi.

Theorem SCALE_4_ramp_range r : 0 <= ramp lo hi r <= 1.
Proof using Type. unfold ramp, Rmax, Rmin; repeat destruct Rle_dec; lra. Qed.

Theorem SCALE_4_ramp_is_monotone r r' : r <= r' -> ramp lo hi r <= ramp lo hi r'.
Proof.
  intros H; assert ((r - lo) / (hi - lo) <= (r' - lo) / (hi - lo))
    by (apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra|lra]).
  unfold ramp, Rmax, Rmin; repeat destruct Rle_dec; lra.
Qed.

Theorem SCALE_4_ramp_starts_at_0 r : r <= lo -> ramp lo hi r = 0.
Proof.
  intros H; assert ((r - lo) / (hi - lo) <= 0).
  { apply Rmult_le_reg_r with (hi - lo); [lra|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l; lra. }
  unfold ramp, Rmax, Rmin; repeat destruct Rle_dec; lra.
Qed.

Theorem SCALE_4_ramp_ends_at_1 r : hi <= r -> ramp lo hi r = 1.
Proof.
  intros H; assert (1 <= (r - lo) / (hi - lo)).
  { apply Rmult_le_reg_r with (hi - lo); [lra|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l; lra. }
  unfold ramp, Rmax, Rmin; repeat destruct Rle_dec; lra.
Qed.

Theorem SCALE_4_ramp_is_linear_between r : lo <= r <= hi -> ramp lo hi r = (r - lo) / (hi - lo).
Proof.
  intros H; assert (0 <= (r - lo) / (hi - lo) <= 1).
  { split; apply Rmult_le_reg_r with (hi - lo); try lra; unfold Rdiv; rewrite Rmult_assoc, Rinv_l;
      lra. }
  unfold ramp, Rmax, Rmin; repeat destruct Rle_dec; lra.
Qed.
End Ramp.

Theorem SCALE_4_blend_lies_between g s w : 0 <= g <= 1 -> 1 <= s -> 0 <= w ->
  w / s <= blend g s w <= w.
Proof.
  intros Hg Hs Hw; unfold blend; assert (w / s <= w); [|nra].
  apply Rmult_le_reg_r with s; [lra|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra; nra.
Qed.

Theorem SCALE_4_blend_is_monotone g g' s w : g <= g' -> 1 <= s -> 0 <= w ->
  blend g s w <= blend g' s w.
Proof.
  intros Hg Hs Hw; unfold blend; assert (w / s <= w); [|nra].
  apply Rmult_le_reg_r with s; [lra|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra; nra.
Qed.

Theorem SCALE_4_factor_1_changes_nothing g w : blend g 1 w = w.
Proof. unfold blend; field. Qed.

(** The paper's ramp: slow pairs are interpolated, fast ones kept, the rest lies between. *)
Section Yarn.
Variables lo hi e : R.
Hypotheses (Hlh : lo < hi) (He : 0 <= e <= 1).

Theorem SCALE_5_slow_pairs_are_interpolated s L w : rotations L w <= lo ->
  yarn e lo hi s L w = w / s.
Proof using Hlh. intros; unfold yarn, blend; rewrite SCALE_4_ramp_starts_at_0 by trivial; ring. Qed.

Theorem SCALE_5_fast_pairs_are_kept s L w : hi <= rotations L w -> yarn 1 lo hi s L w = w.
Proof using Hlh. intros; unfold yarn, blend; rewrite SCALE_4_ramp_ends_at_1 by trivial; ring. Qed.

Theorem SCALE_5_bounds s L w : 1 <= s -> 0 <= w -> w / s <= yarn e lo hi s L w <= w.
Proof.
  intros; apply SCALE_4_blend_lies_between; trivial.
  pose proof (SCALE_4_ramp_range lo hi (rotations L w)); split; nra.
Qed.

(** The kept part: what is left of the frequency, from 1 / s to 1. *)
Lemma kept_part g s w : 0 < w -> blend g s w / w = blend g s 1.
Proof using Type. intros Hw; unfold blend, Rdiv; set (r := / s); field; lra. Qed.

Theorem SCALE_5_kept_part_grows_with_the_frequency s L w w' : 1 <= s -> 0 <= L -> 0 < w <= w' ->
  yarn e lo hi s L w / w <= yarn e lo hi s L w' / w'.
Proof.
  intros Hs HL Hw; unfold yarn; rewrite !kept_part by lra.
  apply SCALE_4_blend_is_monotone; try lra; apply Rmult_le_compat_l; [lra|].
  apply SCALE_4_ramp_is_monotone; trivial; unfold rotations; pose proof PI_RGT_0.
  apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra|].
  apply Rmult_le_compat_l; lra.
Qed.

(** So the order of the frequencies stays. *)
Theorem SCALE_5_is_monotone s L w w' : 1 <= s -> 0 <= L -> 0 < w <= w' ->
  yarn e lo hi s L w <= yarn e lo hi s L w'.
Proof.
  intros Hs HL Hw; pose proof (SCALE_5_kept_part_grows_with_the_frequency s L w w' Hs HL Hw) as H.
  assert (E : forall x, 0 < x -> yarn e lo hi s L x = yarn e lo hi s L x / x * x)
    by (intros; field; lra).
  rewrite (E w), (E w') by lra; apply Rmult_le_compat; try lra.
  destruct (SCALE_5_bounds s L w Hs ltac:(lra)) as [Hb _].
  assert (0 < / w) by (apply Rinv_0_lt_compat; lra).
  assert (0 <= w / s) by (apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; lra]).
  apply Rmult_le_pos; lra.
Qed.

(** The deployed ramp, wherever its range is not empty. *)
Theorem SCALE_6_low_pairs_are_kept s w i : INR i <= lo -> yarn_by_index 1 (lo, hi) s w i = w i.
Proof using Hlh. intros; unfold yarn_by_index, kept_by_index, blend; simpl;
  rewrite SCALE_4_ramp_starts_at_0 by trivial; ring. Qed.

Theorem SCALE_6_high_pairs_are_interpolated s w i : hi <= INR i ->
  yarn_by_index e (lo, hi) s w i = w i / s.
Proof using Hlh. intros; unfold yarn_by_index, kept_by_index, blend; simpl;
  rewrite SCALE_4_ramp_ends_at_1 by trivial; ring. Qed.

Lemma kept_range i : 0 <= kept_by_index e (lo, hi) i <= 1.
Proof using He. unfold kept_by_index; cbn [fst snd];
  pose proof (SCALE_4_ramp_range lo hi (INR i)); split; nra. Qed.

Theorem SCALE_6_bounds s w i : 1 <= s -> 0 <= w i ->
  w i / s <= yarn_by_index e (lo, hi) s w i <= w i.
Proof using He. intros; apply SCALE_4_blend_lies_between; trivial; apply kept_range. Qed.

Theorem SCALE_6_kept_part_falls_with_the_index s w i j : 1 <= s -> 0 < w i -> 0 < w j ->
  (i <= j)%nat -> yarn_by_index e (lo, hi) s w j / w j <= yarn_by_index e (lo, hi) s w i / w i.
Proof.
  intros Hs Hi Hj H; apply le_INR in H; unfold yarn_by_index, kept_by_index; cbn [fst snd].
  rewrite !kept_part by trivial; apply SCALE_4_blend_is_monotone; try lra.
  pose proof (SCALE_4_ramp_is_monotone lo hi Hlh _ _ H); apply Rmult_le_compat_l; lra.
Qed.
End Yarn.

(** A pair at the correction dim of [r] makes [r] rotations over the original context. *)
Theorem SCALE_6_correction_dim_inverts_rotations b L h r : 1 < b -> 0 < L -> 0 < r -> (0 < h)%nat ->
  rotations L (Rpower b (- (2 * correction_dim b L h r / INR (2 * h)))) = r.
Proof.
  intros Hb HL Hr Hh; assert (0 < INR (2 * h)) by (apply lt_0_INR; lia); pose proof PI_RGT_0.
  assert (0 < ln b) by (rewrite <- ln_1; apply ln_increasing; lra).
  assert (0 < 2 * PI * r) by (apply Rmult_lt_0_compat; lra).
  unfold rotations, correction_dim, Rpower.
  replace (- (2 * (INR (2 * h) * ln (L / (2 * PI * r)) / (2 * ln b)) / INR (2 * h)) * ln b)
    with (- ln (L / (2 * PI * r))) by (field; lra).
  assert (0 < L / (2 * PI * r)) by (apply Rmult_lt_0_compat; [|apply Rinv_0_lt_compat]; trivial).
  rewrite exp_Ropp, exp_ln by trivial; field; lra.
Qed.

(** More rotations, a lower pair: so beta_slow < beta_fast opens the range. *)
Theorem SCALE_6_correction_dims_fall b L h r r' : 1 < b -> 0 < L -> 0 < r < r' -> (0 < h)%nat ->
  correction_dim b L h r' < correction_dim b L h r.
Proof.
  intros Hb HL Hr Hh; assert (0 < INR (2 * h)) by (apply lt_0_INR; lia); pose proof PI_RGT_0.
  assert (0 < ln b) by (rewrite <- ln_1; apply ln_increasing; lra).
  assert (0 < PI * r) by (apply Rmult_lt_0_compat; lra).
  assert (PI * r < PI * r') by (apply Rmult_lt_compat_l; lra).
  unfold correction_dim; apply Rmult_lt_compat_r; [apply Rinv_0_lt_compat; lra|].
  apply Rmult_lt_compat_l; trivial; apply ln_increasing.
  - apply Rmult_lt_0_compat, Rinv_0_lt_compat; lra.
  - apply Rmult_lt_compat_l; trivial; apply Rinv_lt_contravar; [|lra].
    apply Rmult_lt_0_compat; lra.
Qed.

(** The guard: the range is never empty, unless the parameters are rejected (hi < lo). *)
Theorem SCALE_6_guard truncate b L beta_fast beta_slow h :
  let range := correction_range truncate b L beta_fast beta_slow h in
  snd range < fst range \/ fst range < snd range.
Proof.
  intros range; unfold range, correction_range; cbn [fst snd].
  destruct Req_EM_T as [->|H]; [right; lra|apply Rdichotomy in H; tauto].
Qed.

Lemma floor_le x : floor x <= x < floor x + 1.
Proof. unfold floor; pose proof (base_Int_part x); lra. Qed.
Lemma ceiling_ge x : ceiling x - 1 < x <= ceiling x.
Proof. unfold ceiling; pose proof (floor_le (- x)); lra. Qed.

(** They are not where the correction dims meet the dims at all, 0 .. d - 1. *)
Theorem SCALE_6_not_rejected truncate b L beta_fast beta_slow h : 1 < b -> 0 < L -> (0 < h)%nat ->
  0 < beta_slow < beta_fast -> 0 <= correction_dim b L h beta_slow ->
  correction_dim b L h beta_fast <= INR (2 * h) - 1 ->
  let range := correction_range truncate b L beta_fast beta_slow h in
  0 <= fst range < snd range.
Proof.
  intros Hb HL Hh Hbeta Hslow Hfast range; unfold range, correction_range; cbn [fst snd].
  pose proof (SCALE_6_correction_dims_fall b L h beta_slow beta_fast Hb HL Hbeta Hh) as Hdims.
  assert (H1 : 1 <= INR (2 * h) - 1).
  { rewrite mult_INR; simpl (INR 2); assert (1 <= INR h) by (apply (le_INR 1 h); lia); lra. }
  set (lo := correction_dim b L h beta_fast) in *; set (hi := correction_dim b L h beta_slow) in *.
  set (lo' := if truncate then floor lo else lo); set (hi' := if truncate then ceiling hi else hi).
  assert (Hlo : lo' <= lo) by (unfold lo'; destruct truncate; [apply floor_le|lra]).
  assert (Hhi : hi <= hi') by (unfold hi'; destruct truncate; [apply ceiling_ge|lra]).
  assert (Hle : Rmax 0 lo' <= Rmin (INR (2 * h) - 1) hi')
    by (unfold Rmax, Rmin; repeat destruct Rle_dec; lra).
  split; [apply Rmax_l|]; destruct Req_EM_T; lra.
Qed.

(** ** Llama 3 *)
Section Llama3.
Variables (s lf hf L : R).
Hypotheses (Hf : 0 < lf < hf) (HL : 0 < L).

Lemma bands w f : 0 < w -> 0 < f -> L / f < wavelength w <-> rotations L w < f.
Proof.
  intros Hw Hf0; unfold wavelength, rotations; pose proof PI_RGT_0.
  assert (E : rotations L w - f = f * w / (2 * PI) * (L / f - 2 * PI / w)) by (unfold rotations;
    field; lra).
  unfold rotations in E; assert (0 < f * w / (2 * PI)).
  { apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat|apply Rinv_0_lt_compat]; lra. }
  split; intros; nra.
Qed.

Lemma bands' w f : 0 < w -> 0 < f -> wavelength w < L / f <-> f < rotations L w.
Proof.
  intros Hw Hf0; unfold wavelength, rotations; pose proof PI_RGT_0.
  assert (E : rotations L w - f = f * w / (2 * PI) * (L / f - 2 * PI / w)) by (unfold rotations;
    field; lra).
  unfold rotations in E; assert (0 < f * w / (2 * PI)).
  { apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat|apply Rinv_0_lt_compat]; lra. }
  split; intros; nra.
Qed.

(** The three bands are one blend, by the paper's ramp between the two factors. *)
Theorem SCALE_8_is_a_ramp_by_rotations w : 0 < w -> llama3 s lf hf L w = yarn 1 lf hf s L w.
Proof.
  intros Hw; pose proof PI_RGT_0; unfold llama3, yarn.
  destruct Rlt_dec as [H1|H1].
  - apply bands in H1; [|lra..]; unfold blend; rewrite SCALE_4_ramp_starts_at_0 by lra; ring.
  - destruct Rlt_dec as [H2|H2].
    + apply bands' in H2; [|lra..]; unfold blend; rewrite SCALE_4_ramp_ends_at_1 by lra; ring.
    + rewrite SCALE_4_ramp_is_linear_between; [|lra|].
      * rewrite Rmult_1_l; do 3 f_equal; unfold wavelength, rotations; field; lra.
      * split; apply Rnot_lt_le; intros H3; [apply H1, bands|apply H2, bands']; lra.
Qed.

Theorem SCALE_8_bounds w : 1 <= s -> 0 < w -> w / s <= llama3 s lf hf L w <= w.
Proof. intros; rewrite SCALE_8_is_a_ramp_by_rotations by trivial; apply SCALE_5_bounds;
  lra. Qed.

Lemma continuity_pt_near f g x : 0 < x -> (forall y, 0 < y -> f y = g y) -> continuity_pt f x ->
  continuity_pt g x.
Proof.
  intros Hx H Hf' eps Heps; destruct (Hf' eps Heps) as (a & Ha & Hc).
  exists (Rmin a x); split; [now apply Rmin_pos|]; intros y (Hy & Hd).
  assert (Rabs (y - x) < x) by (eapply Rlt_le_trans; [exact Hd|apply Rmin_r]).
  rewrite <- !H; trivial; [|apply Rabs_def2 in H0; lra].
  apply Hc; split; trivial; eapply Rlt_le_trans; [exact Hd|apply Rmin_l].
Qed.

Theorem SCALE_8_is_continuous w : 0 < w -> continuity_pt (llama3 s lf hf L) w.
Proof.
  intros Hw.
  (* max and min by the absolute value *)
  set (q := fun w => (L * w * / (2 * PI) - lf) * / (hf - lf)).
  set (m := fun w => (1 + q w - Rabs (1 - q w)) * / 2).
  set (g := fun w => (0 + m w + Rabs (0 - m w)) * / 2).
  apply continuity_pt_near with (fun w => (1 - g w) * (w * / s) + g w * w); trivial.
  - intros y Hy; rewrite SCALE_8_is_a_ramp_by_rotations by trivial.
    unfold yarn, blend; rewrite Rmult_1_l; replace (ramp lf hf (rotations L y)) with (g y); trivial.
    unfold g, m, ramp; fold (q y); unfold rotations, Rdiv; fold (q y).
    unfold Rmax, Rmin, Rabs; repeat (destruct Rle_dec || destruct Rcase_abs); lra.
  - assert (Hid : continuity_pt id w) by apply derivable_continuous_pt, derivable_pt_id.
    assert (Hc : forall c, continuity_pt (fun _ => c) w) by (intros; apply continuity_pt_const;
      now intros ? ?).
    assert (Ha : forall f, continuity_pt f w -> continuity_pt (fun w => Rabs (f w)) w)
      by (intros f Hf'; exact (continuity_pt_comp f Rabs w Hf' (Rcontinuity_abs _))).
    assert (Hq : continuity_pt q w).
    { apply (continuity_pt_mult (fun w => L * w * / (2 * PI) - lf) (fun _ => / (hf - lf)));
        [|apply Hc].
      apply (continuity_pt_minus (fun w => L * w * / (2 * PI)) (fun _ => lf)); [|apply Hc].
      apply (continuity_pt_mult (fun w => L * w) (fun _ => / (2 * PI))); [|apply Hc].
      apply (continuity_pt_mult (fun _ => L) id); [apply Hc|exact Hid]. }
    assert (Hm : continuity_pt m w).
    { apply (continuity_pt_mult (fun w => 1 + q w - Rabs (1 - q w)) (fun _ => / 2)); [|apply Hc].
      apply (continuity_pt_minus (fun w => 1 + q w) (fun w => Rabs (1 - q w))).
      - apply (continuity_pt_plus (fun _ => 1) q); [apply Hc|exact Hq].
      - apply Ha, (continuity_pt_minus (fun _ => 1) q); [apply Hc|exact Hq]. }
    assert (Hg : continuity_pt g w).
    { apply (continuity_pt_mult (fun w => 0 + m w + Rabs (0 - m w)) (fun _ => / 2)); [|apply Hc].
      apply (continuity_pt_plus (fun w => 0 + m w) (fun w => Rabs (0 - m w))).
      - apply (continuity_pt_plus (fun _ => 0) m); [apply Hc|exact Hm].
      - apply Ha, (continuity_pt_minus (fun _ => 0) m); [apply Hc|exact Hm]. }
    apply (continuity_pt_plus (fun w => (1 - g w) * (w * / s)) (fun w => g w * w)).
    + apply (continuity_pt_mult (fun w => 1 - g w) (fun w => w * / s)).
      * apply (continuity_pt_minus (fun _ => 1) g); [apply Hc|exact Hg].
      * apply (continuity_pt_mult id (fun _ => / s)); [exact Hid|apply Hc].
    + apply (continuity_pt_mult g id); [exact Hg|exact Hid].
Qed.
End Llama3.

(** ** LongRoPE *)
Theorem SCALE_9_equal_factors_are_interpolation L s w n i :
  longrope L (fun _ => s) (fun _ => s) w n i = interpolated s w i.
Proof. unfold longrope, interpolated; now destruct Rlt_dec. Qed.

Theorem SCALE_9_short_factors_up_to_L L short long w n i : n <= L ->
  longrope L short long w n i = w i / short i.
Proof. intros; unfold longrope; destruct Rlt_dec; lra || trivial. Qed.

Theorem SCALE_9_long_factors_beyond_L L short long w n i : L < n ->
  longrope L short long w n i = w i / long i.
Proof. intros; unfold longrope; destruct Rlt_dec; lra || trivial. Qed.

(** The call's length decides for all of its tokens: lengths on one side of L give one schedule. *)
Theorem SCALE_9_one_choice_a_call L short long w n n' i : (L < n <-> L < n') ->
  longrope L short long w n i = longrope L short long w n' i.
Proof. intros H; unfold longrope; destruct (Rlt_dec L n), (Rlt_dec L n'); tauto || trivial. Qed.

(** ** NTK by parts *)

(** The new base's frequencies lie between the interpolated ones and the old. *)
Lemma new_base_between b s h i : 0 < b -> 1 <= s -> (2 <= h)%nat -> (i < h)%nat ->
  frequency b (2 * h) i / s <= frequency (ntk_base b s h) (2 * h) i <= frequency b (2 * h) i.
Proof.
  intros Hb Hs Hh Hi; unfold frequency, ntk_base.
  rewrite <- Rpower_mult_distr, Rpower_mult by (lra || apply exp_pos).
  assert (H2 : 2 <= INR h) by (change 2 with (INR 2); now apply le_INR).
  assert (Hi' : INR i <= INR h - 1)
    by (replace (INR h - 1) with (INR (h - 1)) by (rewrite minus_INR by lia; simpl; lra);
        apply le_INR; lia).
  pose proof (pos_INR i) as H0.
  replace (INR (2 * h) / (INR (2 * h) - 2) * (- (2 * INR i / INR (2 * h))))
    with (- (INR i / (INR h - 1))) by (rewrite mult_INR; simpl (INR 2); field; lra).
  set (w := Rpower b _); assert (Hw : 0 < w) by apply exp_pos.
  assert (He : 0 <= INR i / (INR h - 1) <= 1).
  { split; [apply Rmult_le_pos; [trivial|left; apply Rinv_0_lt_compat; lra]|].
    apply Rmult_le_reg_r with (INR h - 1); [lra|].
    unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra; lra. }
  set (x := INR i / (INR h - 1)) in *.
  assert (Hl : 0 <= ln s)
    by (rewrite <- ln_1; destruct Hs as [Hs|<-]; [left; apply ln_increasing; lra|lra]).
  assert (E1 : Rpower s (- x) <= 1).
  { unfold Rpower; rewrite <- exp_0; destruct (Req_dec (- x * ln s) 0) as [->|]; [lra|].
    left; apply exp_increasing; nra. }
  assert (E2 : / s <= Rpower s (- x)).
  { rewrite <- (Rpower_1 s) at 1 by lra; rewrite <- Rpower_Ropp; unfold Rpower.
    destruct (Req_dec (- (1) * ln s) (- x * ln s)) as [->|]; [lra|].
    left; apply exp_increasing; nra. }
  split; [apply Rmult_le_compat_l; lra|].
  rewrite <- (Rmult_1_r w) at 2; apply Rmult_le_compat_l; lra.
Qed.

Theorem SCALE_11_bounds n e lo hi lo' hi' b s h i : 0 <= n <= 1 -> 0 <= e <= 1 ->
  0 < b -> 1 <= s -> (2 <= h)%nat -> (i < h)%nat -> let w := frequency b (2 * h) i in
  w / s <= ntk_by_parts n e (lo, hi) (lo', hi') b s h i <= w.
Proof.
  intros Hn He Hb Hs Hh Hi w; pose proof (new_base_between b s h i Hb Hs Hh Hi) as H; fold w in H.
  set (w' := frequency (ntk_base b s h) (2 * h) i) in H; unfold ntk_by_parts; fold w; fold w'.
  pose proof (kept_range lo hi n Hn i); pose proof (kept_range lo' hi' e He i).
  set (g1 := kept_by_index n (lo, hi) i) in *; set (g2 := kept_by_index e (lo', hi') i) in *.
  assert (w / s <= (1 - g1) * (w / s) + g1 * w' <= w) by (split; nra); split; nra.
Qed.

(** Slow pairs are interpolated, fast ones kept; between the two ranges the frequency is that of
    SCALE-2. *)
Theorem SCALE_11_slow_pairs_are_interpolated n e lo hi lo' hi' b s h i : lo < hi -> lo' < hi' ->
  hi <= INR i -> hi' <= INR i ->
  ntk_by_parts n e (lo, hi) (lo', hi') b s h i = frequency b (2 * h) i / s.
Proof. intros; unfold ntk_by_parts, kept_by_index; cbn [fst snd]; cbv zeta.
  rewrite !SCALE_4_ramp_ends_at_1 by trivial; ring. Qed.

Theorem SCALE_11_fast_pairs_are_kept n lo hi lo' hi' b s h i : lo' < hi' -> INR i <= lo' ->
  ntk_by_parts n 1 (lo, hi) (lo', hi') b s h i = frequency b (2 * h) i.
Proof. intros; unfold ntk_by_parts; cbv zeta; unfold kept_by_index at 1 2 4; cbn [fst snd];
  rewrite SCALE_4_ramp_starts_at_0 by trivial; ring. Qed.

Theorem SCALE_11_is_the_new_base_between lo hi lo' hi' b s h i e : lo < hi -> lo' < hi' ->
  hi' <= INR i <= lo ->
  ntk_by_parts 1 e (lo, hi) (lo', hi') b s h i = frequency (ntk_base b s h) (2 * h) i.
Proof. intros; unfold ntk_by_parts, kept_by_index; cbn [fst snd]; cbv zeta.
  rewrite (SCALE_4_ramp_ends_at_1 lo' hi'), (SCALE_4_ramp_starts_at_0 lo hi) by lra; ring. Qed.

(** ** Proportional *)
Theorem SCALE_12_first_pairs A s w i : (i < A)%nat -> proportional A s w i = interpolated s w i.
Proof. intros H; unfold proportional; apply Nat.ltb_lt in H; now rewrite H. Qed.

(** The other pairs stay: position moves none of their dims. *)
Theorem SCALE_12_other_pairs_stay l h A s w m x i : (A <= i < h)%nat ->
  rope l h 0 (proportional A s w) m x (first l h i) = x (first l h i) /\
  rope l h 0 (proportional A s w) m x (second l h i) = x (second l h i).
Proof.
  intros H; assert (E : proportional A s w i = 0).
  { unfold proportional; rewrite (proj2 (Nat.ltb_ge i A)) by lia; reflexivity. }
  split; [etransitivity; [exact (ROPE_3_first l l h 0 _ _ _ i ltac:(lia))|]
         |etransitivity; [exact (ROPE_3_second l l h 0 _ _ _ i ltac:(lia))|]];
    cbv beta; rewrite E, Rmult_0_r, cos_0, sin_0; cbn [Nat.add]; ring.
Qed.
