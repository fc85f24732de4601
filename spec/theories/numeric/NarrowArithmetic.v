(** * A rotated element in 16-bit arithmetic (spec/bounds.md, BOUND-5, profile f32-angle-16)

    Arithmetic and tables in bf16 or f16.  An operation may be done in that format or in float32 and
    rounded again (A1); a table entry is rounded to float32 first (BOUND-2). *)
From Coq Require Import Reals ZArith Lra Lia.
From Flocq Require Import Core Mult_error.
From Gnomon Require Import Bounds.
From Gnomon.numeric Require Import Rounding RotationError.
Open Scope R_scope.

(** ** Definitions *)

(** BOUND-1, A1.  What an operation of exact result [v] may give. *)
Definition operation (F : format) (v z : R) : Prop := z = fl F v \/ z = fl F (fl f32 v).

(** x c + x' s, with two products rounded or one. *)
Inductive computed_narrow (F : format) (x c x' s z : R) : Prop :=
  | narrow_two_products a b : operation F (x * c) a -> operation F (x' * s) b ->
      operation F (a + b) z -> computed_narrow F x c x' s z
  | narrow_fused_first b : operation F (x' * s) b -> operation F (x * c + b) z ->
    computed_narrow F x c x' s z
  | narrow_fused_second a : operation F (x * c) a -> operation F (a + x' * s) z ->
    computed_narrow F x c x' s z.

(** Rounding is odd: a difference is a sum with the opposite. *)
Theorem BOUND_1_opposite F v z : operation F v z -> operation F (- v) (- z).
Proof. intros [->| ->]; [left|right]; now rewrite ?fl_opp. Qed.

(** What is used of bf16 and f16: they are float32's values, and far coarser. *)
Record narrow (F : format) : Prop := {
  narrow_precision : (p F <= 24)%Z;
  narrow_exponent : (-149 <= qmin F)%Z;
  narrow_normal : (-126 <= qmin F + p F - 1)%Z;
  narrow_u : 4 * u f32 <= u F * u F;
  narrow_u_small : u F <= / 128;
  narrow_eta : 65536 * eta f32 <= eta F;
  narrow_u_f32 : 2048 * u f32 <= u F;
  narrow_u_least : / 2048 <= u F }.

Lemma bf16_is_narrow : narrow bf16.
Proof. split; try (simpl; lia); unfold u, eta; simpl; lra. Qed.
Lemma f16_is_narrow : narrow f16.
Proof. split; try (simpl; lia); unfold u, eta; simpl; lra. Qed.

(** BOUND-2: the error of an entry that is rounded to float32, then to [F]. *)
Definition narrow_table_error (F : format) : R := u F + 2 * u f32 * (1 + u F).

Section Narrow.
Variable F : format.
Hypothesis HF : narrow F.
Notation uF := (u F).
Notation uw := (u f32).
Notation etaw := (eta f32).

(** What a product may lose by underflow. *)
Definition loss : R := eta F + (1 + uF) * etaw.

Lemma facts : 0 < uF <= / 128 /\ 0 < uw /\ 4 * uw <= uF * uF /\ 2048 * uw <= uF /\
  0 < eta F /\ 0 < etaw /\ 65536 * etaw <= eta F.
Proof.
  destruct HF; pose proof (u_pos F); pose proof (u_pos f32); pose proof (eta_pos F);
    pose proof (eta_pos f32).
  repeat split; trivial; lra.
Qed.

Lemma narrow_is_float32 v : is_value F v -> is_value f32 v.
Proof.
  apply generic_inclusion_mag; intros _; unfold exponent, FLT_exp; destruct HF; simpl; lia.
Qed.

(** Rounding twice costs at most u. *)
Lemma twice r r' : Rabs r <= uw / (1 + uw) -> Rabs r' <= uF / (1 + uF) ->
  Rabs (r + r' + r * r') <= uF.
Proof.
  intros Hr Hr'; apply below_u in Hr; destruct facts as (Hu & Huw & H4 & _).
  assert (Hi : uF / (1 + uF) * (1 + uF) = uF) by (field; lra).
  set (i := uF / (1 + uF)) in *; assert (0 < i) by (apply Rdiv_lt_0_compat; lra).
  assert (Rabs (r + r' + r * r') <= uw + i + uw * i).
  { eapply Rle_trans; [apply Rabs_triang|]; rewrite Rabs_mult; pose proof (Rabs_triang r r').
    pose proof (Rabs_pos r); pose proof (Rabs_pos r'); assert (Rabs r * Rabs r' <= uw * i) by nra;
      lra. }
  assert (i <= uF) by nra; nra.
Qed.

Lemma operation_rounds v z : operation F v z ->
  exists r e, Rabs r <= uF /\ Rabs e <= loss /\ z = v * (1 + r) + e.
Proof.
  destruct facts as (Hu & Huw & H4 & _ & He & Hew & _).
  intros [->| ->].
  - destruct (FORMAT_3_rounding F v) as (r & e & Hr & Hee & _ & E); apply below_u in Hr.
    exists r, e; repeat split; trivial; unfold loss; nra.
  - destruct (FORMAT_3_rounding f32 v) as (r & e & Hr & Hee & _ & E).
    destruct (FORMAT_3_rounding F (fl f32 v)) as (r' & e' & Hr' & Hee' & _ & ->); rewrite E.
    exists (r + r' + r * r'), (e * (1 + r') + e'); repeat split; [now apply twice| |ring].
    eapply Rle_trans; [apply Rabs_triang|]; rewrite Rabs_mult; apply below_u in Hr'.
    assert (Rabs (1 + r') <= 1 + uF) by (eapply Rle_trans; [apply Rabs_triang|]; rewrite Rabs_R1;
      lra).
    pose proof (Rabs_pos e); pose proof (Rabs_pos (1 + r')).
    assert (Rabs e * Rabs (1 + r') <= etaw * (1 + uF)) by (apply Rmult_le_compat; trivial);
      unfold loss; lra.
Qed.

Lemma operation_is_value v z : operation F v z -> is_value F z.
Proof. intros [->| ->]; apply fl_is_value. Qed.

(** A sum of two values does not underflow, rounded twice either. *)
Lemma operation_sums a b z : is_value F a -> is_value F b -> operation F (a + b) z ->
  exists r, Rabs r <= uF /\ z = (a + b) * (1 + r).
Proof.
  intros Ha Hb [->| ->].
  - destruct (FORMAT_3_sum F a b Ha Hb) as (r & Hr & E); apply below_u in Hr; now exists r.
  - destruct (Rle_lt_dec (Rabs (a + b)) (smallest_normal F)) as [Hs|Hs].
    + pose proof (small_sum F a b Ha Hb Hs) as Hv.
      exists 0; rewrite Rabs_R0, (fl_of_value f32), (fl_of_value F); trivial;
        [|now apply narrow_is_float32].
      destruct facts; split; [lra|ring].
    + destruct (FORMAT_3_sum f32 a b (narrow_is_float32 a Ha) (narrow_is_float32 b Hb)) as (r & Hr
        & E).
      destruct (fl_normal F (fl f32 (a + b))) as (r' & Hr' & ->).
      * apply abs_round_ge_generic; [apply exponent_valid|apply valid_rnd_N| |lra].
        apply narrow_is_float32, smallest_normal_is_value.
      * rewrite E; exists (r + r' + r * r'); split; [now apply twice|ring].
Qed.

(** ** Products with a small power of two do not round, they only underflow *)

Lemma fl_small G v : Rabs v <= smallest_normal G -> Rabs (fl G v - v) <= eta G.
Proof.
  intros H; rewrite <- half_smallest; eapply Rle_trans; [apply error_le_half_ulp|].
  - apply exponent_valid.
  - unfold exponent; rewrite ulp_FLT_small; [apply Rle_refl|apply precision_positive|].
    apply Rle_lt_trans with (1 := H); apply bpow_lt; pose proof (p_pos G); lia.
Qed.

Lemma scaled_is_value G x e : is_value G x -> smallest_normal G <= Rabs (x * bpow radix2 e) ->
  is_value G (x * bpow radix2 e).
Proof.
  intros Hx Hn; destruct (Req_dec x 0) as [->|Hx0]; [rewrite Rmult_0_l; apply generic_format_0|].
  apply mult_bpow_exact_FLT; trivial.
  assert (Hm : (qmin G + p G - 1 < mag radix2 (x * bpow radix2 e))%Z).
  { apply mag_gt_bpow; exact Hn. }
  rewrite mag_mult_bpow in Hm by trivial; lia.
Qed.

Lemma operation_scales x e z : is_value F x -> operation F (x * bpow radix2 e) z ->
  Rabs (z - x * bpow radix2 e) <= loss.
Proof.
  intros Hx; destruct facts as (Hu & Huw & _ & _ & He & Hew & _).
  assert (Hone : forall v, v = x * bpow radix2 e -> Rabs (fl F v - v) <= eta F).
  { intros v ->; destruct (Rle_lt_dec (smallest_normal F) (Rabs (x * bpow radix2 e))) as [Hs|Hs].
    - rewrite fl_of_value by now apply scaled_is_value.
      rewrite Rminus_diag_eq, Rabs_R0 by trivial; lra.
    - apply fl_small; lra. }
  assert (Hloss : eta F + etaw <= loss) by (unfold loss; nra).
  intros [->| ->]; [specialize (Hone _ eq_refl); lra|].
  destruct (Rle_lt_dec (smallest_normal f32) (Rabs (x * bpow radix2 e))) as [Hs|Hs].
  - rewrite (fl_of_value f32) by (apply scaled_is_value; trivial; now apply narrow_is_float32).
    specialize (Hone _ eq_refl); lra.
  - assert (Hw : Rabs (fl f32 (x * bpow radix2 e) - x * bpow radix2 e) <= etaw)
      by (apply fl_small; lra).
    set (v := x * bpow radix2 e) in *; set (w := fl f32 v) in *.
    assert (Rabs (fl F w - w) <= eta F).
    { apply fl_small; apply Rle_trans with (smallest_normal f32).
      - apply Rnot_lt_le; intros Hlt; apply (Rlt_not_le _ _ Hlt); unfold w.
        apply abs_round_le_generic; [apply exponent_valid|apply valid_rnd_N|apply
          smallest_normal_is_value|lra].
      - apply bpow_le; destruct HF; simpl; lia. }
    replace (fl F w - v) with ((fl F w - w) + (w - v)) by ring.
    eapply Rle_trans; [apply Rabs_triang|]; lra.
Qed.

(** ** Table entries *)

(** Good enough for BOUND-5: what [RotationError] calls stored, or a small power of two. *)
Definition stored_narrow (d t t' : R) : Prop :=
  stored uF d (eta F) t t' \/
  (exists A, Rabs (t' - t) <= A /\
     (1 + uF) * (A * (1 + uF) + uF * Rabs t) + uF * Rabs t <= coefficient uF d * Rabs t + eta F) \/
  (exists e A, (t' = bpow radix2 e \/ t' = - bpow radix2 e) /\ Rabs (t' - t) <= A /\
     (1 + uF) * A + uF * Rabs t <= coefficient uF d * Rabs t + eta F).

Lemma good_near d x t t' A r e l : Rabs (t' - t) <= A ->
  (1 + uF) * (A * (1 + uF) + uF * Rabs t) + uF * Rabs t <= coefficient uF d * Rabs t + eta F ->
  Rabs r <= uF -> Rabs e <= l -> good uF d (eta F) x t (x * t' * (1 + r) + e) l.
Proof.
  intros HA H' Hr He; destruct facts as (Hu & _); unfold good; rewrite Rabs_mult.
  set (X := Rabs x) in *; set (T := Rabs t) in *; assert (0 <= X) by apply Rabs_pos;
    assert (0 <= T) by apply Rabs_pos.
  assert (Hq : Rabs (x * t' * (1 + r) + e - x * t) <= X * (A * (1 + uF) + uF * T) + l).
  { replace (x * t' * (1 + r) + e - x * t) with (x * ((t' - t) * (1 + r) + t * r) + e) by ring.
    eapply Rle_trans; [apply Rabs_triang|]; apply Rplus_le_compat; trivial; rewrite Rabs_mult.
    apply Rmult_le_compat_l; trivial; eapply Rle_trans; [apply Rabs_triang|]; rewrite !Rabs_mult.
    apply Rplus_le_compat; [|rewrite (Rmult_comm uF); now apply Rmult_le_compat_l].
    apply Rmult_le_compat; trivial; try apply Rabs_pos.
    eapply Rle_trans; [apply Rabs_triang|]; rewrite Rabs_R1; lra. }
  apply (Rmult_le_compat_l (1 + uF)) in Hq; [|lra]; apply (Rmult_le_compat_l X) in H'; trivial; lra.
Qed.

Lemma good_exactly d x t t' A e l : Rabs (t' - t) <= A ->
  (1 + uF) * A + uF * Rabs t <= coefficient uF d * Rabs t + eta F -> Rabs e <= l ->
  good uF d (eta F) x t (x * t' + e) l.
Proof.
  intros HA H' He; destruct facts as (Hu & _); unfold good; rewrite Rabs_mult.
  set (X := Rabs x) in *; set (T := Rabs t) in *; assert (0 <= X) by apply Rabs_pos.
  assert (Hq : Rabs (x * t' + e - x * t) <= X * A + l).
  { replace (x * t' + e - x * t) with (x * (t' - t) + e) by ring.
    eapply Rle_trans; [apply Rabs_triang|]; apply Rplus_le_compat; trivial; rewrite Rabs_mult.
    now apply Rmult_le_compat_l. }
  apply (Rmult_le_compat_l (1 + uF)) in Hq; [|lra]; apply (Rmult_le_compat_l X) in H'; trivial; lra.
Qed.

Section Products.
Variable d : R.
Hypothesis Hd : 0 <= d <= 3 * uF.

Lemma good_narrow x t t' z : is_value F x -> stored_narrow d t t' -> operation F (x * t') z ->
  good uF d (eta F) x t z loss.
Proof.
  intros Hx Hs Hz; destruct facts as (Hu & _ & _ & _ & He & _).
  destruct (operation_rounds _ _ Hz) as (r & e & Hr & Hee & E).
  destruct Hs as [Hs|[(A & HA & H)|(k & A & Hk & HA & H)]].
  - rewrite E; apply good_product; trivial; lra.
  - rewrite E; now apply good_near with A.
  - replace z with (x * t' + (z - x * t')) by ring; apply good_exactly with A; trivial.
    destruct Hk as [->| ->]; [now apply operation_scales|].
    replace (x * - bpow radix2 k) with (- x * bpow radix2 k) in * by ring.
    apply operation_scales; trivial; now apply opp_is_value.
Qed.

Lemma good_fused x t t' : stored_narrow d t t' -> good uF d (eta F) x t (x * t') 0.
Proof.
  intros Hs; destruct facts as (Hu & _ & _ & _ & He & _).
  assert (H0 : Rabs 0 <= uF /\ Rabs 0 <= 0) by (rewrite Rabs_R0; lra).
  replace (x * t') with (x * t' * (1 + 0) + 0) by ring.
  destruct Hs as [Hs|[(A & HA & H)|(k & A & Hk & HA & H)]].
  - apply good_product; trivial; lra.
  - apply good_near with A; trivial; lra.
  - replace (x * t' * (1 + 0) + 0) with (x * t' + 0) by ring; apply good_exactly with A; trivial;
      lra.
Qed.

Lemma narrow_sum x t t' x' s s' z : is_value F x -> is_value F x' ->
  stored_narrow d t t' -> stored_narrow d s s' -> computed_narrow F x t' x' s' z ->
  Rabs (z - (x * t + x' * s)) <=
  coefficient uF d * (Rabs (x * t) + Rabs (x' * s)) + (3 * eta F + (Rabs x + Rabs x') * eta F).
Proof.
  intros Hx Hx' Ht Hs Hz; destruct facts as (Hu & Huw & H4 & H2 & He & Hew & Hee).
  assert (Hl : (1 + uF) * (loss + loss) <= 3 * eta F /\ (1 + uF) * loss + loss <=
    3 * eta F /\ 0 < loss).
  { unfold loss; assert ((1 + uF) * etaw <= 2 * etaw) by nra.
    assert ((1 + uF) * (eta F + (1 + uF) * etaw) <= (1 + / 128) * (eta F + 2 * etaw))
      by (apply Rmult_le_compat; nra).
    repeat split; lra || nra. }
  destruct Hz as [a b Ha Hb Hab|b Hb Hab|a Ha Hab].
  - pose proof (good_narrow _ _ _ _ Hx Ht Ha); pose proof (good_narrow _ _ _ _ Hx' Hs Hb).
    destruct (operation_sums a b z (operation_is_value _ _ Ha) (operation_is_value _ _ Hb) Hab) as
      (r & Hr & ->).
    rewrite <- (Rplus_0_r (_ * (1 + r))).
    apply good_sum with (u := uF) (loss := loss) (loss' := loss) (last := 0); trivial;
      try rewrite Rabs_R0; lra.
  - pose proof (good_fused x _ _ Ht); pose proof (good_narrow _ _ _ _ Hx' Hs Hb).
    destruct (operation_rounds _ _ Hab) as (r & e & Hr & Hre & ->).
    apply good_sum with (u := uF) (loss := 0) (loss' := loss) (last := loss); trivial; lra.
  - pose proof (good_narrow _ _ _ _ Hx Ht Ha); pose proof (good_fused x' _ _ Hs).
    destruct (operation_rounds _ _ Hab) as (r & e & Hr & Hre & ->).
    apply good_sum with (u := uF) (loss := loss) (loss' := 0) (last := loss); trivial; lra.
Qed.
End Products.

(** ** What BOUND-2 stores is good enough *)

Lemma table_error_range : uF + 2 * uw <= narrow_table_error F <= 3 * uF.
Proof. destruct facts as (Hu & Huw & _ & H2 & _); unfold narrow_table_error; nra. Qed.

(** A value below 6 eta, 0 excepted, is 2 eta or 4 eta: a power of two. *)
Lemma small_value v : is_value F v -> v <> 0 -> Rabs v < 6 * eta F ->
  exists e, v = bpow radix2 e \/ v = - bpow radix2 e.
Proof.
  intros Hv H0 Hs; assert (Hfix : generic_format radix2 (FIX_exp (qmin F)) v).
  { apply generic_inclusion_mag with (2 := Hv); intros _; unfold exponent, FLT_exp, FIX_exp; lia. }
  apply FIX_format_generic in Hfix; destruct Hfix as [f Hf He].
  assert (E : v = IZR (Fnum f) * bpow radix2 (qmin F)) by (rewrite Hf; unfold F2R; now rewrite He).
  rewrite <- half_smallest in Hs; pose proof (bpow_gt_0 radix2 (qmin F)) as Hb.
  rewrite E, Rabs_mult, (Rabs_pos_eq (bpow _ _)), <- abs_IZR in Hs by lra.
  assert (Hk : (Z.abs (Fnum f) < 3)%Z) by (apply lt_IZR; nra).
  assert (Hn : Fnum f <> 0%Z) by (intros Hz; apply H0; rewrite E, Hz; ring).
  assert (Hb1 : bpow radix2 (qmin F + 1) = 2 * bpow radix2 (qmin F)) by (rewrite bpow_plus;
    change (bpow radix2 1) with 2; ring).
  assert (Hcases : (Fnum f = 1 \/ Fnum f = 2 \/ Fnum f = -1 \/ Fnum f = -2)%Z) by lia.
  rewrite E; destruct Hcases as [->|[->|[->| ->]]].
  - exists (qmin F); left; ring.
  - exists (qmin F + 1)%Z; left; rewrite Hb1; ring.
  - exists (qmin F); right; ring.
  - exists (qmin F + 1)%Z; right; rewrite Hb1; ring.
Qed.

(** The entry [w] of float32 for the real number [t] (A3), rounded to the format. *)
Theorem BOUND_5_tables_rounded_twice t w :
  Rabs (w - t) <= 2 * uw * Rabs t \/ Rabs (w - t) <= etaw ->
  stored_narrow (narrow_table_error F) t (fl F w).
Proof.
  intros Hw; destruct facts as (Hu & Huw & H4 & H2 & He & Hew & Hee).
  pose proof table_error_range as Hd; pose proof (narrow_u_least F HF) as Hleast.
  assert (Huw' : uw <= / 65536) by (unfold u; simpl; lra).
  set (T := Rabs t) in *; assert (0 <= T) by apply Rabs_pos.
  destruct (FORMAT_3_rounding F w) as (r & e & Hr & He' & Hre & E); apply below_u in Hr.
  assert (HuT : 0 <= uF * T) by (apply Rmult_le_pos; lra);
    assert (HuwT : 0 <= uw * T) by (apply Rmult_le_pos; lra).
  assert (HuuT : 0 <= uF * uF * T <= / 128 * (uF * T)) by (split; [repeat apply Rmult_le_pos;
    lra|nra]).
  assert (HdT : (uF + 2 * uw) * T <= narrow_table_error F * T) by (apply Rmult_le_compat_r; lra).
  destruct (Rmult_integral _ _ Hre) as [Hr0|He0].
  - (* the last rounding underflowed *)
    assert (Hlast : Rabs (fl F w - w) <= eta F).
    { rewrite E, Hr0; replace (w * (1 + 0) + e - w) with e by ring; exact He'. }
    destruct (FORMAT_2_smallest F (fl F w) (fl_is_value F w)) as [Hz|Hbig].
    + (* to 0 *)
      left; right; left; split; trivial; fold T; rewrite Hz, Rminus_0_l, Rabs_Ropp in Hlast.
      assert (Htri : T <= Rabs w + Rabs (w - t)).
      { pose proof (Rabs_triang w (- (w - t))) as H'; replace (w + - (w - t)) with t in H' by ring.
        now rewrite Rabs_Ropp in H'. }
      destruct Hw as [Hw|Hw]; [lra|].
      destruct (Rle_lt_dec T (eta F)); [nra|].
      assert (/ 2048 * eta F <= uF * T) by (apply Rmult_le_compat; lra); lra.
    + (* to a subnormal value *)
      assert (Htri : Rabs (fl F w) <= Rabs (fl F w - w) + (Rabs (w - t) + T)).
      { unfold T; pose proof (Rabs_triang (fl F w - w) (w - t + t)) as H';
          pose proof (Rabs_triang (w - t) t).
        replace (fl F w - w + (w - t + t)) with (fl F w) in H' by ring; lra. }
      assert (Hdelta : Rabs (w - t) <= T * / 32768) by (destruct Hw; nra).
      assert (HA : Rabs (fl F w - t) <= eta F + T * / 32768).
      { replace (fl F w - t) with ((fl F w - w) + (w - t)) by ring; eapply Rle_trans;
          [apply Rabs_triang|]; lra. }
      assert (Hsmall : T * / 32768 <= / 16 * (uF * T)) by nra.
      assert (HuE : uF * eta F <= uF * (T + T * / 32768)) by (apply Rmult_le_compat_l; lra).
      destruct (Rle_lt_dec (3 * eta F) T) as [H3|H3].
      * right; left; exists (eta F + T * / 32768); split; trivial; fold T; unfold coefficient.
        assert (uF * eta F <= / 3 * (uF * T)) by (assert (uF * (3 * eta F) <= uF * T)
          by (apply Rmult_le_compat_l; lra); lra).
        assert (uF * (uF * eta F) <= / 128 * (uF * eta F)) by (apply Rmult_le_compat_r;
          [apply Rmult_le_pos|]; lra).
        assert (uF * (T * / 32768) <= / 128 * (T * / 32768)) by (apply Rmult_le_compat_r; lra).
        assert (uF * (uF * (T * / 32768)) <= / 128 * (uF * (T * / 32768)))
          by (apply Rmult_le_compat_r; [apply Rmult_le_pos|]; lra).
        nra.
      * right; right; destruct (small_value (fl F w) (fl_is_value F w)) as (k & Hk).
        -- intros Hz; rewrite Hz, Rabs_R0 in Hbig; lra.
        -- lra.
        -- exists k, (eta F + T * / 32768); repeat split; trivial; fold T; unfold coefficient.
           assert (uF * (T * / 32768) <= / 128 * (T * / 32768)) by (apply Rmult_le_compat_r; lra).
           nra.
  - (* it did not *)
    assert (Herr : Rabs (fl F w - t) <= Rabs (w - t) * (1 + uF) + uF * T).
    { rewrite E, He0; replace (w * (1 + r) + 0 - t) with ((w - t) * (1 + r) + t * r) by ring.
      eapply Rle_trans; [apply Rabs_triang|]; rewrite !Rabs_mult; fold T.
      apply Rplus_le_compat; [|rewrite (Rmult_comm uF); now apply Rmult_le_compat_l].
      apply Rmult_le_compat_l; [apply Rabs_pos|]; eapply Rle_trans; [apply Rabs_triang|];
        rewrite Rabs_R1; lra. }
    destruct Hw as [Hw|Hw].
    + left; left; fold T; apply (Rmult_le_compat_r (1 + uF)) in Hw; [|lra];
        unfold narrow_table_error; lra.
    + right; left; exists (etaw * (1 + uF) + uF * T); split.
      { apply Rle_trans with (1 := Herr); apply Rplus_le_compat_r, Rmult_le_compat_r; lra. }
      fold T; unfold coefficient.
      assert (uF * uF <= / 128 * uF) by (apply Rmult_le_compat_r; lra).
      assert (uF * (uF * uF) <= / 128 * (uF * uF)) by (apply Rmult_le_compat_r;
        [apply Rmult_le_pos|]; lra).
      assert (etaw * ((1 + uF) * (1 + uF) * (1 + uF)) <= etaw * 2) by (apply Rmult_le_compat_l;
        lra).
      assert (uF * (uF * uF * T) <= / 128 * (uF * uF * T)) by (apply Rmult_le_compat_r; lra).
      nra.
Qed.

(** ** BOUND-5 in 16 bits *)
Definition narrow_bound (S S' size D : R) : R :=
  rotation_bound uF (narrow_table_error F) (eta F) (eta F) S S' size D.

Section Members.
Variables (x0 x1 a t D c s y : R).
Hypotheses (H0 : is_value F x0) (H1 : is_value F x1) (HD : Rabs t <= D)
  (Ec : Rabs (c - cos (a + t)) <= 2 * uw * Rabs (cos (a + t)) \/ Rabs (c - cos (a + t)) <= etaw)
  (Es : Rabs (s - sin (a + t)) <= 2 * uw * Rabs (sin (a + t)) \/ Rabs (s - sin (a + t)) <= etaw).

Theorem BOUND_5_narrow_first_member : computed_narrow F x0 (fl F c) (- x1) (fl F s) y ->
  Rabs (y - element x0 x1 a) <= narrow_bound (products x0 x1 a) (products' x0 x1 a) (Rabs x0 +
    Rabs x1) D.
Proof.
  intros Hy; destruct facts as (Hu & Huw & _); pose proof table_error_range as Hd.
  apply first_member with t; trivial; [unfold coefficient; nra|].
  rewrite <- (Rabs_Ropp x1); apply narrow_sum with (fl F c) (fl F s); trivial; try lra;
    [now apply opp_is_value|now apply BOUND_5_tables_rounded_twice..].
Qed.

Theorem BOUND_5_narrow_second_member : computed_narrow F x0 (fl F s) x1 (fl F c) y ->
  Rabs (y - (x0 * sin a + x1 * cos a)) <=
  narrow_bound (products' x0 x1 a) (products x0 x1 a) (Rabs x0 + Rabs x1) D.
Proof.
  intros Hy; destruct facts as (Hu & Huw & _); pose proof table_error_range as Hd.
  apply second_member with t; trivial; [unfold coefficient; nra|].
  apply narrow_sum with (fl F s) (fl F c); trivial; try lra; now apply BOUND_5_tables_rounded_twice.
Qed.
End Members.
End Narrow.
