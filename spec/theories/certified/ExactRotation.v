(** * The enclosure of the exact rotation (spec/rounding_test.md, ROUND-8)

    A rotation in binary64 and the radius that goes with it: the truth lies between the ends,
      unless both are
    too small to be accepted. *)
From Coq Require Import Reals ZArith Lra Lia.
From Flocq Require Import Core.
From Gnomon Require Import Bounds.
From Gnomon.numeric Require Import Rounding RoundingTest.
From Gnomon.certified Require Import PhaseError TableValues.
Open Scope R_scope.

(** ** Definitions *)

(** The table's factor of the radius; what a table entry may be off absolutely is [d], 2^-61 or 0.
*)
Definition k_rotation_relative : R := 12 * powerRZ 2 (-53).
Definition entry (d C c : R) : Prop := Rabs (c - C) <= 553 / 100 * u64 * Rabs C + d.

(** The result [y] of p = fl(x0 c) and q = fl(x1 s), their size, and the radius, fused or not. *)
Definition result (x0 c x1 s : R) : R := fl f64 (fl f64 (x0 * c) - fl f64 (x1 * s)).
Definition size_of (x0 c x1 s : R) : R := fl f64 (Rabs (fl f64 (x0 * c)) + Rabs (fl f64 (x1 * s))).
Definition absolute_of (x0 x1 d : R) : R := fl f64 (fl f64 (Rabs x0 + Rabs x1) * (2 * d)).
Definition is_radius (A ab r : R) : Prop :=
  r = fl f64 (A * k_rotation_relative + ab) \/ r = fl f64 (fl f64 (A * k_rotation_relative) + ab).

(** ** Rounding *)
Lemma fl_error' x : Rabs (fl f64 x - x) <= u64 * Rabs x + eta f64.
Proof.
  destruct (FORMAT_3_rounding f64 x) as (r & e & Hr & He & _ & ->); apply below_u in Hr.
  rewrite u_f64 in Hr; replace (x * (1 + r) + e - x) with (x * r + e) by ring.
  apply Rle_trans with (1 := Rabs_triang _ _); rewrite Rabs_mult, (Rmult_comm (Rabs x)).
  apply Rplus_le_compat; [apply Rmult_le_compat_r; [apply Rabs_pos|exact Hr]|exact He].
Qed.

Lemma eta_tiny : 0 < eta f64 <= bpow radix2 (-300).
Proof. split; [apply eta_pos|]; unfold eta; apply bpow_le; cbn; lia. Qed.

Lemma size_change a b : Rabs a <= Rabs b + Rabs (a - b) /\ Rabs b <= Rabs a + Rabs (a - b).
Proof. split; unfold Rabs; repeat destruct Rcase_abs; lra. Qed.

(** One product: computed from an entry, against the real one, in terms of the computed size. *)
Lemma product_error x c C d p : 0 <= d -> entry d C c -> p = fl f64 (x * c) ->
  Rabs (p - x * C) <= 654 / 100 * u64 * Rabs p + (1 + 10 * u64) * (Rabs x * d) + 2 * eta f64.
Proof.
  intros Hd Hc ->; pose proof (fl_error' (x * c)) as Hp; pose proof eta_tiny as He;
    set (h := eta f64) in *.
  set (p := fl f64 (x * c)) in *; unfold entry in Hc.
  assert (H1 : Rabs (x * c - x * C) <= 553 / 100 * u64 * Rabs (x * C) + Rabs x * d).
  { rewrite <- Rmult_minus_distr_l, !Rabs_mult.
    apply Rle_trans with (Rabs x * (553 / 100 * u64 * Rabs C + d)); [|right; ring].
    apply Rmult_le_compat_l; [apply Rabs_pos|exact Hc]. }
  destruct (size_change p (x * c)) as [_ S1]; destruct (size_change (x * c) (x * C)) as [_ S2].
  pose proof (Rabs_pos p); pose proof (Rabs_pos (x * c)); pose proof (Rabs_pos (x * C)).
  assert (0 <= Rabs x * d) by (apply Rmult_le_pos; [apply Rabs_pos|exact Hd]).
  set (D := Rabs x * d) in *; clearbody D.
  replace (p - x * C) with (p - x * c + (x * c - x * C)) by ring.
  eapply Rle_trans; [apply Rabs_triang|]; rewrite u64_is in *; lra.
Qed.

(** ** The enclosure *)
Theorem ROUND_8_rotation x0 x1 C S c s d r (v := x0 * C - x1 * S) (y := result x0 c x1 s) :
  d = 0 \/ d = powerRZ 2 (-61) -> entry d C c -> entry d S s ->
  is_radius (size_of x0 c x1 s) (absolute_of x0 x1 d) r ->
  bpow radix2 (-126) <= Rabs (low_end y r) \/ bpow radix2 (-126) <= Rabs (high_end y r) ->
  low_end y r <= v <= high_end y r.
Proof.
  intros Hd Hc Hs Hr Hbig.
  assert (Hd0 : 0 <= d) by (destruct Hd as [-> | ->]; [lra|left; apply powerRZ_lt; lra]).
  unfold y, v, result, size_of, absolute_of, low_end, high_end in *; clear y v.
  pose proof (product_error x0 c C d _ Hd0 Hc eq_refl) as P.
  pose proof (product_error x1 s S d _ Hd0 Hs eq_refl) as Q.
  set (p := fl f64 (x0 * c)) in *; set (q := fl f64 (x1 * s)) in *.
  pose proof (fl_error' (p - q)) as Hy; set (y := fl f64 (p - q)) in *.
  pose proof (fl_error' (Rabs p + Rabs q)) as HA; set (A := fl f64 (Rabs p + Rabs q)) in *.
  pose proof (fl_error' (Rabs x0 + Rabs x1)) as Hsz; set (sz := fl f64 (Rabs x0 + Rabs x1)) in *.
  pose proof (fl_error' (sz * (2 * d))) as Hab; set (ab := fl f64 (sz * (2 * d))) in *.
  pose proof (fl_error' (y - r)) as Hl; pose proof (fl_error' (y + r)) as Hh.
  set (low := fl f64 (y - r)) in *; set (high := fl f64 (y + r)) in *.
  pose proof eta_tiny as He; set (h := eta f64) in *.
  assert (Ep : 0 <= Rabs p) by apply Rabs_pos; assert (Eq : 0 <= Rabs q) by apply Rabs_pos.
  assert (E0 : 0 <= Rabs x0) by apply Rabs_pos; assert (E1 : 0 <= Rabs x1) by apply Rabs_pos.
  rewrite (Rabs_pos_eq (Rabs p + Rabs q)) in HA by lra; rewrite (Rabs_pos_eq (Rabs x0 + Rabs x1))
    in Hsz by lra.
  apply abs_le_inv in HA, Hsz.
  (* the absolute part: twice the tables' d, to a few roundings *)
  set (T := (Rabs x0 + Rabs x1) * d) in *.
  assert (ET : T = Rabs x0 * d + Rabs x1 * d) by (unfold T; ring).
  assert (HT : 0 <= T) by (apply Rmult_le_pos; lra).
  assert (Hsz0 : 0 <= sz) by (unfold sz; rewrite <- (fl_of_value f64 0 (generic_format_0 _ _));
    apply fl_le; lra).
  assert (HT2 : (2 - 2 * u64) * T - h <= sz * (2 * d) <= (2 + 2 * u64) * T + h).
  { assert (Hd1 : 2 * d <= 1) by (destruct Hd as [-> | ->]; [lra|rewrite <- (bpow_powerRZ radix2);
    simpl; lra]).
    assert (L : (Rabs x0 + Rabs x1 - u64 * (Rabs x0 + Rabs x1) - h) * (2 * d) <= sz * (2 * d))
      by (apply Rmult_le_compat_r; lra).
    assert (U : sz * (2 * d) <= (Rabs x0 + Rabs x1 + u64 * (Rabs x0 + Rabs x1) + h) * (2 * d))
      by (apply Rmult_le_compat_r; lra).
    assert (h * (2 * d) <= h * 1) by (apply Rmult_le_compat_l; lra).
    replace ((Rabs x0 + Rabs x1 - u64 * (Rabs x0 + Rabs x1) - h) * (2 * d)) with
      ((2 - 2 * u64) * T - h * (2 * d)) in L by (unfold T; ring).
    replace ((Rabs x0 + Rabs x1 + u64 * (Rabs x0 + Rabs x1) + h) * (2 * d)) with
      ((2 + 2 * u64) * T + h * (2 * d)) in U by (unfold T; ring).
    split; lra. }
  assert (0 <= sz * (2 * d)) by (apply Rmult_le_pos; lra).
  rewrite (Rabs_pos_eq (sz * (2 * d))) in Hab by trivial; apply abs_le_inv in Hab.
  assert (Dx : Rabs (p - q - (x0 * C - x1 * S)) <=
    654 / 100 * u64 * (Rabs p + Rabs q) + (1 + 10 * u64) * T + 4 * h).
  { replace (p - q - (x0 * C - x1 * S)) with (p - x0 * C - (q - x1 * S)) by ring.
    eapply Rle_trans; [apply Rabs_triang|]; rewrite Rabs_Ropp, ET, u64_is in *; lra. }
  assert (Npq : Rabs (p - q) <= Rabs p + Rabs q)
    by (eapply Rle_trans; [apply Rabs_triang|]; rewrite Rabs_Ropp; lra).
  assert (HA0 : 0 <= A) by (unfold A; rewrite <- (fl_of_value f64 0 (generic_format_0 _ _));
    apply fl_le; lra).
  clearbody T; set (M := Rabs p + Rabs q) in *.
  assert (HM : 0 <= M) by (unfold M; lra).
  (* the radius *)
  unfold is_radius, k_rotation_relative in Hr; fold u64 in Hr.
  assert (Hab0 : 0 <= ab) by (unfold ab; rewrite <- (fl_of_value f64 0 (generic_format_0 _ _));
    apply fl_le; trivial).
  assert (Hrad : 119 / 10 * u64 * M + 19 / 10 * T - 9 * h <= r
    <= 13 * u64 * M + 21 / 10 * T + 9 * h /\ 0 <= r).
  { assert (Hu : u64 = / 9007199254740992) by apply u64_is.
    assert (A12 : 0 <= A * (12 * u64)) by (apply Rmult_le_pos; rewrite ?Hu; lra).
    destruct Hr as [-> | ->].
    - pose proof (fl_error' (A * (12 * u64) + ab)) as H1; fold h in H1.
      rewrite (Rabs_pos_eq (A * (12 * u64) + ab)) in H1 by lra; apply abs_le_inv in H1; split.
      + rewrite Hu in *; lra.
      + rewrite <- (fl_of_value f64 0 (generic_format_0 _ _)); apply fl_le; lra.
    - pose proof (fl_error' (A * (12 * u64))) as H2; fold h in H2.
      rewrite (Rabs_pos_eq (A * (12 * u64))) in H2 by lra; apply abs_le_inv in H2.
      assert (G0 : 0 <= fl f64 (A * (12 * u64)))
        by (rewrite <- (fl_of_value f64 0 (generic_format_0 _ _)); apply fl_le; lra).
      set (g := fl f64 (A * (12 * u64))) in *; pose proof (fl_error' (g + ab)) as H1; fold h in H1.
      rewrite (Rabs_pos_eq (g + ab)) in H1 by lra; apply abs_le_inv in H1; split.
      + rewrite Hu in *; lra.
      + rewrite <- (fl_of_value f64 0 (generic_format_0 _ _)); apply fl_le; lra. }
  destruct Hrad as [Hrad Hr0]; clear Hr.
  assert (Ny : Rabs y <= (1 + 2 * u64) * M + h).
  { destruct (size_change y (p - q)) as [H1 _]; rewrite u64_is in *; lra. }
  assert (Nl : Rabs (y - r) <= Rabs y + r) by (unfold Rabs; repeat destruct Rcase_abs; lra).
  assert (Nh : Rabs (y + r) <= Rabs y + r) by (unfold Rabs; repeat destruct Rcase_abs; lra).
  (* something is there, or the ends would be too small: underflow is nothing beside it *)
  assert (W : h <= (M + T) / 1237940039285380274899124224).
  { assert (B : bpow radix2 (-126) <= 3 * M + 3 * T + 20 * h).
    { destruct (size_change low (y - r)) as [S1 _]; destruct (size_change high (y + r)) as [S2 _].
      rewrite u64_is in *; destruct Hbig; lra. }
    assert (B2 : bpow radix2 (-300) <= bpow radix2 (-126) / 1298074214633706907132624082305024).
    { replace (bpow radix2 (-126) / 1298074214633706907132624082305024) with (bpow radix2 (-126 +
      -110))
        by (rewrite bpow_plus; simpl; lra); apply bpow_le; lia. }
    lra. }
  assert (Dv : Rabs (y - (x0 * C - x1 * S)) <= 755 / 100 * u64 * M + (1 + 10 * u64) * T + 6 * h).
  { replace (y - (x0 * C - x1 * S)) with (y - (p - q) + (p - q - (x0 * C - x1 * S))) by ring.
    eapply Rle_trans; [apply Rabs_triang|]; rewrite u64_is in *; lra. }
  apply abs_le_inv in Hl, Hh, Dv; rewrite u64_is in *; split; lra.
Qed.
