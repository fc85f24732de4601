(** * The cheaper test, and 16-bit results from float32 (spec/rounding_test.md, ROUND-4, ROUND-8)

    A double that keeps away from the middles of floats rounds as every number near it does.  A
    correctly rounded float that is no middle of two 16-bit values rounds as the truth does; one
    that is rounded to odd always. *)
From Coq Require Import Reals ZArith Lra Lia.
From Flocq Require Import Core Round_odd.
From Gnomon Require Import Bounds.
From Gnomon.numeric Require Import Rounding.
Open Scope R_scope.

#[local] Existing Instance exponent_valid.

(** ** Definitions *)

(** A positive double: 24 leading bits [N], the 29 bits [d] that rounding drops, a unit 2^e. *)
Definition double (N d e : Z) : R := IZR (N * 2 ^ 29 + d) * bpow radix2 e.
Definition is_double (N d e : Z) : Prop := (2 ^ 23 <= N < 2 ^ 24 /\ 0 <= d < 2 ^ 29)%Z.

(** ROUND-4.  The test by bits: 2^15 units from the middle, 2^28; and above 2^-12. *)
Definition k_reach : Z := 2 ^ 15.
Definition k_middle : Z := 2 ^ 28.
Definition clear (d e : Z) : Prop := (k_reach <= Z.abs (d - k_middle) /\ -64 <= e)%Z.

(** The middle of two neighbours of a format. *)
Definition is_middle (F : format) (x : R) : Prop :=
  exists g, is_value F g /\ x = (g + succ radix2 (exponent F) g) / 2.

(** ** Rounding is the nearest value, and monotone *)
Lemma fl_nearest F x g : is_value F g -> Rabs (fl F x - x) <= Rabs (g - x).
Proof. intros Hg; apply (round_N_pt radix2 (exponent F) (fun x => negb (Z.even x)) x); exact Hg.
  Qed.

Lemma fl_le F x y : x <= y -> fl F x <= fl F y.
Proof. intros; apply round_le; [apply exponent_valid|apply valid_rnd_N|trivial]. Qed.

(** ** The test by bits *)

(** Floats from 2^23 H on are multiples of H. *)
Lemma multiple f k : is_value f32 f -> bpow radix2 (23 + k) <= f -> exists n, f
  = IZR n * bpow radix2 k.
Proof.
  intros Hf Hk; assert (Hmag : (24 + k <= mag radix2 f)%Z).
  { apply mag_ge_bpow; replace (24 + k - 1)%Z with (23 + k)%Z by lia; rewrite Rabs_pos_eq; trivial.
    apply Rle_trans with (2 := Hk), bpow_ge_0. }
  unfold is_value, generic_format, F2R in Hf; cbn [Fnum Fexp] in Hf.
  set (m := Ztrunc _) in Hf; set (c := cexp radix2 (exponent f32) f) in Hf.
  assert (Hc : (k <= c)%Z) by (unfold c, cexp, exponent, FLT_exp; cbn [p qmin f32]; lia).
  exists (m * 2 ^ (c - k))%Z; rewrite Hf, mult_IZR, (IZR_Zpower radix2) by lia.
  rewrite Rmult_assoc, <- bpow_plus; do 2 f_equal; lia.
Qed.

Lemma whole_is_value N k : (0 <= N <= 2 ^ 24)%Z -> (-149 <= k)%Z ->
  is_value f32 (IZR N * bpow radix2 k).
Proof.
  intros HN Hk; destruct (Z.eq_dec N (2 ^ 24)) as [->|H].
  - replace (IZR (2 ^ 24) * bpow radix2 k) with (bpow radix2 (24 + k))
      by (rewrite bpow_plus; f_equal; symmetry; apply (IZR_Zpower radix2); lia).
    apply generic_format_bpow; unfold exponent, FLT_exp; cbn [p qmin f32]; lia.
  - apply generic_format_FLT; exists (Float radix2 N k); cbn [Fnum Fexp p qmin f32]; trivial.
    rewrite Z.abs_eq by lia; change (radix2 ^ 24)%Z with (2 ^ 24)%Z; lia.
Qed.

(** [w] rounds to [g]: between the middles; [G] the step above g,
and below it at least half of that. *)
Lemma rounds_to N k w : let G := bpow radix2 k in let g := IZR N * G in
  (2 ^ 23 <= N <= 2 ^ 24)%Z -> (-148 <= k)%Z -> g - G / 8192 < w < g + G / 2 -> fl f32 w = g.
Proof.
  intros G g HN Hk Hw; assert (HG : 0 < G) by apply bpow_gt_0.
  assert (Hg : is_value f32 g) by (apply whole_is_value; lia).
  pose proof (fl_nearest f32 w g Hg) as Hn; set (f := fl f32 w) in *.
  assert (Hf : is_value f32 f) by (apply generic_format_round;
    [apply exponent_valid|apply valid_rnd_N]).
  assert (Hb : bpow radix2 (23 + k) <= g).
  { unfold g, G; rewrite bpow_plus; apply Rmult_le_compat_r; [apply bpow_ge_0|].
    change (bpow radix2 23) with (IZR (2 ^ 23)); apply IZR_le; lia. }
  assert (E2 : G = 2 * bpow radix2 (k - 1))
    by (unfold G; replace k with (1 + (k - 1))%Z at 1 by lia; rewrite bpow_plus; reflexivity).
  destruct (Rle_lt_dec g w) as [Hgw|Hgw].
  - assert (B : g <= f < g + G) by (revert Hn; unfold Rabs; repeat destruct Rcase_abs; lra).
    destruct (multiple f k Hf ltac:(lra)) as (n & En); fold G in En.
    assert (n = N); [|now subst n]; apply Z.le_antisymm.
    + apply Z.lt_succ_r, lt_IZR; rewrite succ_IZR; apply Rmult_lt_reg_r with G; trivial.
      rewrite <- En; unfold g in B; lra.
    + apply le_IZR; apply Rmult_le_reg_r with G; trivial; rewrite <- En; unfold g in B; lra.
  - assert (B : g - G / 4096 < f <= g) by (revert Hn; unfold Rabs; repeat destruct Rcase_abs; lra).
    assert (Hlow : bpow radix2 (23 + (k - 1)) <= f).
    { replace (23 + (k - 1))%Z with (22 + k)%Z by lia.
      assert (E3 : bpow radix2 (23 + k) = 2 * bpow radix2 (22 + k))
        by (replace (23 + k)%Z with (1 + (22 + k))%Z by lia; rewrite bpow_plus; reflexivity).
      assert (G <= bpow radix2 (22 + k)) by (apply bpow_le; lia); lra. }
    destruct (multiple f (k - 1) Hf Hlow) as (n & En).
    assert (n = 2 * N)%Z.
    { assert (HH : 0 < bpow radix2 (k - 1)) by apply bpow_gt_0.
      apply Z.le_antisymm.
      - apply le_IZR; rewrite mult_IZR; apply Rmult_le_reg_r with (bpow radix2 (k - 1)); trivial.
        rewrite <- En; unfold g in B; rewrite E2 in B; lra.
      - apply Z.lt_succ_r, lt_IZR; rewrite succ_IZR, mult_IZR.
        apply Rmult_lt_reg_r with (bpow radix2 (k - 1)); trivial.
        rewrite Rmult_plus_distr_r, <- En; unfold g in B; rewrite E2 in B; lra. }
    subst n; rewrite En, mult_IZR; unfold g; rewrite E2; ring.
Qed.

Theorem ROUND_4_by_bits N d e v : is_double N d e -> clear d e ->
  Rabs (double N d e - v) < bpow radix2 (15 + e) -> fl f32 (double N d e) = fl f32 v.
Proof.
  unfold clear, k_reach, k_middle; intros [HN Hd] [Hc He] Hv; set (y := double N d e) in *;
    set (G := bpow radix2 (29 + e)).
  assert (HG : 0 < G) by apply bpow_gt_0.
  assert (E : bpow radix2 (15 + e) = G / 16384).
  { unfold G; replace (29 + e)%Z with (14 + (15 + e))%Z by lia; rewrite (bpow_plus radix2 14).
    change (bpow radix2 14) with 16384; field. }
  assert (Ee : bpow radix2 e = G / 536870912).
  { unfold G; rewrite (bpow_plus radix2 29); change (bpow radix2 29) with 536870912; field. }
  assert (Ey : y = IZR N * G + IZR d * (G / 536870912)).
  { unfold y, double; rewrite Ee, plus_IZR, mult_IZR; change (IZR (2 ^ 29)) with 536870912; field. }
  rewrite E in Hv; apply Rabs_lt_inv in Hv.
  assert (C : (d <= 2 ^ 28 - 2 ^ 15 \/ 2 ^ 28 + 2 ^ 15 <= d)%Z) by lia; destruct C as [C|C].
  - assert (Hd0 : 0 <= IZR d) by (apply IZR_le; lia).
    assert (Hd1 : IZR d <= 268435456 - 32768)
      by (rewrite <- minus_IZR; apply IZR_le; exact C).
    assert (0 <= IZR d * (G / 536870912)) by (apply Rmult_le_pos; lra).
    assert (IZR d * (G / 536870912) <= (268435456 - 32768) * (G / 536870912))
      by (apply Rmult_le_compat_r; lra).
    rewrite (rounds_to N (29 + e) y), (rounds_to N (29 + e) v); trivial; fold G; lia || lra.
  - assert (Hd0 : 268435456 + 32768 <= IZR d) by (rewrite <- plus_IZR; apply IZR_le; exact C).
    assert (Hd1 : IZR d <= 536870912) by (apply IZR_le; lia).
    assert ((268435456 + 32768) * (G / 536870912) <= IZR d * (G / 536870912))
      by (apply Rmult_le_compat_r; lra).
    assert (IZR d * (G / 536870912) <= 536870912 * (G / 536870912)) by (apply Rmult_le_compat_r;
      lra).
    assert (E1 : forall w, IZR N * G + G / 2 < w < IZR N * G + G + G / 16384 -> fl f32 w
      = IZR (N + 1) * G).
    { intros w Hw; destruct (Rle_lt_dec (IZR N * G + G - G / 16384) w) as [Hb|Hb].
      - apply (rounds_to (N + 1) (29 + e)); [lia|lia|fold G; rewrite plus_IZR; lra].
      - (* below the next value, above the middle *)
        assert (Hg : is_value f32 (IZR (N + 1) * G)) by (apply whole_is_value; lia).
        pose proof (fl_nearest f32 w _ Hg) as Hn; set (f := fl f32 w) in *.
        assert (Hf : is_value f32 f) by (apply generic_format_round;
          [apply exponent_valid|apply valid_rnd_N]).
        rewrite plus_IZR in *.
        assert (B : IZR N * G < f <= (IZR N + 1) * G)
          by (revert Hn; unfold Rabs; repeat destruct Rcase_abs; lra).
        assert (Hb23 : bpow radix2 (23 + (29 + e)) <= IZR N * G).
        { unfold G; rewrite (bpow_plus radix2 23); apply Rmult_le_compat_r; [apply bpow_ge_0|].
          change (bpow radix2 23) with (IZR (2 ^ 23)); apply IZR_le; lia. }
        destruct (multiple f (29 + e) Hf ltac:(lra)) as (n & En); fold G in En.
        assert (n = N + 1)%Z; [|subst n; rewrite En, plus_IZR; reflexivity].
        apply Z.le_antisymm.
        + apply le_IZR; rewrite plus_IZR; apply Rmult_le_reg_r with G; trivial; rewrite <- En; lra.
        + assert (N < n)%Z; [|lia]; apply lt_IZR, Rmult_lt_reg_r with G; trivial; rewrite <- En;
          lra. }
    rewrite (E1 y), (E1 v); trivial; lra.
Qed.

(** That the product of the rounded cosine and sine is at least 2^-11 makes both large enough. *)
Theorem ROUND_4_large y z : fl f32 (Rabs (fl f32 y) * Rabs (fl f32 z)) >= bpow radix2 (-11) ->
  Rabs (fl f32 z) <= 1 -> bpow radix2 (-12) <= Rabs y.
Proof.
  intros H Hz; destruct (Rle_lt_dec (bpow radix2 (-12)) (Rabs y)) as [|Hy]; trivial; exfalso.
  assert (V : is_value f32 (bpow radix2 (-12)))
    by (apply generic_format_bpow; unfold exponent, FLT_exp; cbn [p qmin f32]; lia).
  assert (A : Rabs (fl f32 y) <= bpow radix2 (-12)).
  { assert (E : Rabs (fl f32 y) = fl f32 (Rabs y)).
    { unfold Rabs at 2; destruct (Rcase_abs y) as [Hn|Hn].
      - rewrite fl_opp; apply Rabs_left1; rewrite <- (fl_of_value f32 0 (generic_format_0 _ _)).
        apply fl_le; lra.
      - apply Rabs_pos_eq; rewrite <- (fl_of_value f32 0 (generic_format_0 _ _)); apply fl_le; lra.
        }
    rewrite E, <- (fl_of_value f32 _ V); apply fl_le; lra. }
  assert (P : Rabs (fl f32 y) * Rabs (fl f32 z) <= bpow radix2 (-12) * 1)
    by (apply Rmult_le_compat; trivial; apply Rabs_pos).
  assert (Q : fl f32 (Rabs (fl f32 y) * Rabs (fl f32 z)) <= bpow radix2 (-12)).
  { rewrite <- (fl_of_value f32 _ V); apply fl_le; lra. }
  assert (bpow radix2 (-12) < bpow radix2 (-11)) by (apply bpow_lt; lia); lra.
Qed.

(** ** 16-bit tables from float32 *)

Lemma ulp_of_0 F : ulp radix2 (exponent F) 0 = bpow radix2 (qmin F).
Proof. apply ulp_FLT_0; destruct F as [a b c]; unfold Prec_gt_0; cbn; lia. Qed.

(** bf16 and f16: a middle of theirs is a float32. *)
Lemma middle_is_float F x : F = bf16 \/ F = f16 -> is_middle F x -> is_value f32 x.
Proof.
  intros HF; assert (G : forall g, is_value F g -> 0 <= g ->
    is_value f32 ((g + succ radix2 (exponent F) g) / 2)).
  { intros g Hg Hg0; rewrite succ_eq_pos by trivial.
    assert (Hp : (2 <= p F <= 11 /\ -133 <= qmin F)%Z) by (destruct HF as [-> | ->]; cbn; lia).
    destruct (Req_dec g 0) as [->|Hn].
    - rewrite ulp_of_0; replace ((0 + (0 + bpow radix2 (qmin F))) / 2) with (bpow radix2 (qmin F -
      1)).
      + apply generic_format_bpow; unfold exponent, FLT_exp; cbn [p qmin f32]; lia.
      + unfold Z.sub; rewrite bpow_plus; change (bpow radix2 (-(1))) with (/ 2); field.
    - rewrite ulp_neq_0 by trivial; set (c := cexp radix2 (exponent F) g).
      assert (Hc : (qmin F <= c)%Z) by (unfold c, cexp, exponent, FLT_exp; lia).
      assert (Hm : (mag radix2 g - p F <= c)%Z) by (unfold c, cexp, exponent, FLT_exp; lia).
      unfold is_value, generic_format, F2R in Hg; cbn [Fnum Fexp] in Hg; fold c in Hg.
      set (m := Ztrunc _) in Hg.
      assert (Hm0 : (0 <= m)%Z).
      { apply le_IZR, Rmult_le_reg_r with (bpow radix2 c); [apply bpow_gt_0|].
        rewrite Rmult_0_l, <- Hg; exact Hg0. }
      assert (Hm1 : (m < 2 ^ 11)%Z).
      { apply lt_IZR, Rmult_lt_reg_r with (bpow radix2 c); [apply bpow_gt_0|]; rewrite <- Hg.
        apply Rlt_le_trans with (bpow radix2 (mag radix2 g)).
        - rewrite <- (Rabs_pos_eq g) at 1 by trivial; apply bpow_mag_gt.
        - change (IZR (2 ^ 11)) with (bpow radix2 11); rewrite <- bpow_plus; apply bpow_le; lia. }
      apply generic_format_FLT; exists (Float radix2 (2 * m + 1) (c - 1));
        cbn [Fnum Fexp p qmin f32].
      + unfold F2R; cbn [Fnum Fexp]; rewrite Hg, plus_IZR, mult_IZR; unfold Z.sub.
        rewrite bpow_plus; change (bpow radix2 (-(1))) with (/ 2); field.
      + rewrite Z.abs_eq by lia; change (radix2 ^ 24)%Z with (2 ^ 24)%Z; lia.
      + lia. }
  intros (g & Hg & ->); destruct (Rle_lt_dec 0 g) as [H|H]; [now apply G|].
  set (h := succ radix2 (exponent F) g).
  assert (Hh : is_value F h) by (apply generic_format_succ; [apply exponent_valid|exact Hg]).
  assert (Hh0 : h <= 0) by (apply succ_le_lt; trivial; [apply exponent_valid|apply
    generic_format_0]).
  replace ((g + h) / 2) with (- ((- h + succ radix2 (exponent F) (- h)) / 2)).
  - apply opp_is_value, G; [now apply opp_is_value|lra].
  - rewrite succ_opp; unfold h; rewrite pred_succ by (trivial; apply exponent_valid); field.
Qed.

(** Where the correctly rounded float32 is no middle, its rounding is the truth's. *)
Theorem ROUND_4_from_float32 F v : F = bf16 \/ F = f16 -> ~ is_middle F (fl f32 v) ->
  fl F (fl f32 v) = fl F v.
Proof.
  intros HF Hno; set (V := fl f32 v) in *; set (g := fl F V).
  assert (Hg : is_value F g) by apply fl_is_value.
  set (up := (g + succ radix2 (exponent F) g) / 2); set (down := (g + pred radix2 (exponent F) g) /
    2).
  assert (Mu : is_middle F up) by (exists g; split; trivial).
  assert (Hpr : is_value F (pred radix2 (exponent F) g))
    by (apply generic_format_pred; [apply exponent_valid|exact Hg]).
  assert (Md : is_middle F down).
  { exists (pred radix2 (exponent F) g); split; trivial; unfold down.
    rewrite succ_pred by (trivial; apply exponent_valid); field. }
  assert (B : forall m, is_middle F m -> (V < m -> v < m) /\ (m < V -> m < v)).
  { intros m Hm; assert (E := fl_of_value f32 m (middle_is_float F m HF Hm)); split; intros H.
    - destruct (Rle_lt_dec m v) as [Hv|]; trivial; apply fl_le with (F := f32) in Hv.
      rewrite E in Hv; fold V in Hv; lra.
    - destruct (Rle_lt_dec v m) as [Hv|]; trivial; apply fl_le with (F := f32) in Hv.
      rewrite E in Hv; fold V in Hv; lra. }
  assert (HVu : V < up).
  { destruct (Rtotal_order V up) as [|[E|E]]; trivial; [rewrite E in Hno; tauto|exfalso].
    assert (Hs : is_value F (succ radix2 (exponent F) g))
      by (apply generic_format_succ; [apply exponent_valid|exact Hg]).
    assert (succ radix2 (exponent F) g <= g).
    { apply (round_N_ge_midp radix2 (exponent F) (fun x => negb (Z.even x))); trivial.
      rewrite pred_succ by (trivial; apply exponent_valid); unfold up in E; lra. }
    destruct (Req_dec g 0) as [Eg|Eg].
    - rewrite Eg, succ_0, ulp_of_0 in H; pose proof (bpow_gt_0 radix2 (qmin F)); lra.
    - pose proof (succ_gt_id radix2 (exponent F) g Eg); lra. }
  assert (HVd : down < V).
  { destruct (Rtotal_order V down) as [E|[E|]]; trivial; [exfalso|rewrite E in Hno; tauto].
    assert (g <= pred radix2 (exponent F) g).
    { apply (round_N_le_midp radix2 (exponent F) (fun x => negb (Z.even x))); trivial.
      rewrite succ_pred by (trivial; apply exponent_valid); unfold down in E; lra. }
    destruct (Req_dec g 0) as [Eg|Eg].
    - rewrite Eg, pred_0, ulp_of_0 in H; pose proof (bpow_gt_0 radix2 (qmin F)); lra.
    - pose proof (pred_lt_id radix2 (exponent F) g Eg); lra. }
  apply (B up Mu) in HVu; apply (B down Md) in HVd; apply Rle_antisym.
  - apply (round_N_ge_midp radix2 (exponent F) (fun x => negb (Z.even x))); trivial.
  - apply (round_N_le_midp radix2 (exponent F) (fun x => negb (Z.even x))); trivial.
Qed.

(** ** ROUND-8, its last step: an end is rounded to odd to the 24 bits of float32, then to a 16-bit
    format.  That is rounding the end itself, once: 24 >= 11 + 2, and float32 reaches lower than
    either format.  (Rounding to odd: cut off, and the last bit set if anything was lost.) *)
Definition to_odd (x : R) : R := round radix2 (exponent f32) Zrnd_odd x.

Theorem ROUND_8_rounding_to_odd O x : O = bf16 \/ O = f16 -> fl O (to_odd x) = fl O x.
Proof.
  intros HO; pose proof (precision_positive O) as Hp; pose proof (precision_positive f32) as Hp'.
  assert (V : Valid_exp (exponent O)) by apply exponent_valid.
  assert (V' : Valid_exp (exponent f32)) by apply exponent_valid.
  assert (N : Exists_NE radix2 (exponent O))
    by (apply exists_NE_FLT; right; destruct HO as [->| ->]; reflexivity).
  assert (N' : Exists_NE radix2 (exponent f32)) by (apply exists_NE_FLT; right; reflexivity).
  refine (round_N_odd radix2 eq_refl (exponent O) (exponent f32) _ _ x).
  intros e; unfold exponent, FLT_exp; destruct HO as [->| ->]; cbn [p qmin f32 bf16 f16]; lia.
Qed.
