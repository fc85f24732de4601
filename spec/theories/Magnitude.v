(** * Magnitudes and temperatures (spec/rope_scaling.md)

    What context extension multiplies beside the frequencies, and layers without RoPE. *)
From Gnomon Require Import Sums Pairs Rope Sinusoidal RopeScaling.

(** ** Definitions *)

(** Normative: SCALE-7 (magnitude).  [k] is an mscale. *)
Definition mscale_part (s k : R) : R := if Rle_dec s 1 then 1 else k * ln s / 10 + 1.
Definition yarn_magnitude (s : R) : R := mscale_part s 1.

(** An mscale that is absent, or 0, is [None]. *)
Inductive mscale_rule := Both | Each.
Definition or_else (k : option R) (default : R) : R :=
  match k with Some k => k | None => default end.
Definition magnitude (rule : mscale_rule) (a s : R) (mscale mscale_all_dim : option R) : R :=
  match rule, mscale, mscale_all_dim with
  | Both, Some k, Some k' => a * (mscale_part s k / mscale_part s k')
  | Both, _, _ => a * yarn_magnitude s
  | Each, _, _ => a * (mscale_part s (or_else mscale 1) / mscale_part s (or_else mscale_all_dim 0))
  end.

(** Normative: SCALE-9 (magnitude of LongRoPE). *)
Definition longrope_magnitude (s L : R) : R := if Rle_dec s 1 then 1 else sqrt (1 + ln s / ln L).

(** Normative: SCALE-13 (placement).  What the rotated vectors and the scores are multiplied by:
    [t] the magnitude, [m] that of the scores alone, [m'] what DeepSeek leaves to the scores. *)
Inductive placement := Tables | Input | Softmax | Split.
Definition on_vectors (p : placement) (t : R) : R := match p with Softmax => 1 | _ => t end.
Definition on_scores (p : placement) (m m' : R) : R :=
  match p with Softmax => m * m | Split => m' * m' | _ => 1 end.
(** [m] and [m'] of YaRN. *)
Definition softmax_magnitude (a s : R) (mscale : option R) : R :=
  a * mscale_part s (or_else mscale 1).
Definition split_magnitude (s : R) (mscale_all_dim : option R) : R :=
  mscale_part s (or_else mscale_all_dim 0).

(** Normative: SCALE-14 (layers without RoPE), every [k]-th. *)
Definition use_rope (k layer : nat) : bool := negb (S layer mod k =? 0)%nat.

(** Normative: SCALE-15 (temperature). *)
Definition temperature (attn_scale floor_scale p : R) : R :=
  1 + attn_scale * ln (1 + floor ((p + 1) / floor_scale)).

(** ** Magnitude *)
Theorem SCALE_7_at_least_1 s k : 0 <= k -> 1 <= mscale_part s k.
Proof.
  intros Hk; unfold mscale_part; destruct (Rle_dec s 1); [lra|].
  assert (ln 1 < ln s) by (apply ln_increasing; lra); rewrite ln_1 in *; nra.
Qed.

Theorem SCALE_7_equal_mscales_cancel rule a s k : 0 <= k ->
  magnitude rule a s (Some k) (Some k) = a.
Proof.
  intros Hk; pose proof (SCALE_7_at_least_1 s k Hk).
  destruct rule; unfold magnitude; cbn [or_else]; field; lra.
Qed.

(** Without both mscales the rules part: the one ignores a lone mscale, the other uses it. *)
Theorem SCALE_7_a_lone_mscale s k :
  magnitude Both 1 s (Some k) None = yarn_magnitude s /\
  magnitude Each 1 s (Some k) None = mscale_part s k.
Proof.
  unfold magnitude, or_else; split; [ring|].
  assert (E : mscale_part s 0 = 1) by (unfold mscale_part; destruct Rle_dec; lra).
  rewrite E; field.
Qed.

(** On the tables it acts on both q and k: its square on the scores. *)
Theorem SCALE_7_square_on_the_scores d f x y :
  dot d (fun k => f * x k) (fun k => f * y k) = f * f * dot d x y.
Proof. unfold dot; rewrite <- sumn_scal; apply sumn_ext; intros; ring. Qed.

Theorem SCALE_9_magnitude_is_at_least_1 s L : 1 < L -> 1 <= longrope_magnitude s L.
Proof.
  intros HL; unfold longrope_magnitude; destruct (Rle_dec s 1); [lra|].
  assert (ln 1 < ln s) by (apply ln_increasing; lra);
    assert (ln 1 < ln L) by (apply ln_increasing; lra).
  rewrite ln_1 in *; rewrite <- sqrt_1 at 1; apply sqrt_le_1_alt.
  assert (0 < ln s / ln L) by (apply Rmult_lt_0_compat; [|apply Rinv_0_lt_compat]; trivial); lra.
Qed.

(** ** Placement *)

(** Scaled tables and scaled inputs are one vector: rotations are linear. *)
Theorem SCALE_13_tables_or_input l h o w m t x k :
  t * rope l h o w m x k = rope l h o w m (fun j => t * x j) k.
Proof. by_dims l h o k; ring. Qed.

(** A pair is longer by the magnitude, *)
Theorem SCALE_13_norm_of_a_pair l h o w m t x i : (i < h)%nat ->
  (t * rope l h o w m x (o + first l h i)%nat) ^ 2 +
  (t * rope l h o w m x (o + second l h i)%nat) ^ 2 =
  t ^ 2 * ((x (o + first l h i)%nat) ^ 2 + (x (o + second l h i)%nat) ^ 2).
Proof.
  intros Hi; rewrite <- (ROPE_17_norm_of_a_pair l h o w m x i Hi); ring.
Qed.

(** and scaled tables lie on a circle of that radius. *)
Theorem SCALE_13_circle t a : (t * cos a) ^ 2 + (t * sin a) ^ 2 = t ^ 2.
Proof.
  transitivity (t ^ 2 * (cos a * cos a + sin a * sin a)); [ring|rewrite cos2_sin2; ring].
Qed.

(** DeepSeek's own placement and that of Hugging Face give the same scores. *)
Theorem SCALE_13_split_is_softmax_on_the_scores rule a s k k' : 0 <= k' ->
  let t := magnitude rule a s (Some k) (Some k') in
  let factor p := on_vectors p t * on_vectors p t *
    on_scores p (softmax_magnitude a s (Some k)) (split_magnitude s (Some k')) in
  factor Split = factor Softmax.
Proof.
  intros Hk'; pose proof (SCALE_7_at_least_1 s k' Hk').
  unfold on_vectors, on_scores, softmax_magnitude, split_magnitude, or_else; cbv zeta.
  destruct rule; unfold magnitude, or_else; field; lra.
Qed.

(** ** Layers without RoPE *)
Theorem SCALE_14_every_kth_layer k j : (0 < k)%nat ->
  use_rope k (k * S j - 1) = false /\
  (forall i, (i < k - 1)%nat -> use_rope k (k * j + i) = true).
Proof.
  intros Hk; unfold use_rope; split.
  - replace (S (k * S j - 1)) with (S j * k)%nat by nia; now rewrite Nat.mod_mul by lia.
  - intros i Hi; replace (S (k * j + i)) with (S i + j * k)%nat by nia.
    rewrite Nat.mod_add, Nat.mod_small by lia; reflexivity.
Qed.

(** ** Temperature *)
Theorem SCALE_15_starts_at_1 a f p : 0 < f -> 0 <= p + 1 < f -> temperature a f p = 1.
Proof.
  intros Hf Hp; unfold temperature.
  assert (Hq : 0 <= (p + 1) / f < 1).
  { split; [apply Rmult_le_pos; [lra|left; now apply Rinv_0_lt_compat]|].
    apply Rmult_lt_reg_r with f; trivial; unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra; lra. }
  assert (E : floor ((p + 1) / f) = 0).
  { pose proof (floor_le ((p + 1) / f)) as Hfl; unfold floor in *.
    set (z := Int_part ((p + 1) / f)) in *; assert (H1 : IZR z < IZR 1) by lra.
    assert (H2 : IZR (-1) < IZR z) by lra; apply lt_IZR in H1, H2; f_equal; lia. }
  rewrite E, Rplus_0_r, ln_1; ring.
Qed.

Theorem SCALE_15_at_a_step a f j : 0 < f ->
  temperature a f (INR j * f - 1) = 1 + a * ln (1 + INR j).
Proof.
  intros Hf; unfold temperature; replace ((INR j * f - 1 + 1) / f) with (INR j) by (field; lra).
  do 4 f_equal; rewrite INR_IZR_INZ; pose proof (floor_le (IZR (Z.of_nat j))) as H.
  unfold floor in *; set (z := Int_part (IZR (Z.of_nat j))) in *; f_equal.
  assert (IZR z < IZR (Z.of_nat j + 1)) by (rewrite plus_IZR; lra).
  assert (IZR (Z.of_nat j) < IZR (z + 1)) by (rewrite plus_IZR; lra).
  apply lt_IZR in H0, H1; lia.
Qed.

Theorem SCALE_15_is_monotone a f p q : 0 <= a -> 0 < f -> 0 <= p + 1 <= q + 1 ->
  temperature a f p <= temperature a f q.
Proof.
  intros Ha Hf H; unfold temperature; apply Rplus_le_compat_l, Rmult_le_compat_l; trivial.
  assert (Hd : (p + 1) / f <= (q + 1) / f)
    by (apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|lra]).
  assert (H0 : 0 <= (p + 1) / f)
    by (apply Rmult_le_pos; [lra|left; now apply Rinv_0_lt_compat]).
  assert (Hfl : 0 <= floor ((p + 1) / f) <= floor ((q + 1) / f)).
  { pose proof (floor_le ((p + 1) / f)); pose proof (floor_le ((q + 1) / f)); unfold floor in *.
    set (y := Int_part ((p + 1) / f)) in *; set (z := Int_part ((q + 1) / f)) in *.
    assert (H3 : IZR (-1) < IZR y) by lra.
    assert (H4 : IZR y < IZR (z + 1)) by (rewrite plus_IZR; lra).
    apply lt_IZR in H3, H4; split; apply IZR_le; lia. }
  destruct (Rle_lt_or_eq_dec _ _ (proj2 Hfl)) as [Hlt|E]; [left; apply ln_increasing; lra|].
  rewrite E; apply Rle_refl.
Qed.
