(** * The angle of BOUND-3 (spec/bounds.md)

    From a frequency, by the counts of [FrequencyCounts], to the angle that is used. *)
From Gnomon Require Import Sums Pairs Bounds FrequencyCounts.

(** The angle from a frequency [w'] that amounts to the roundings [l] (and
    the exponential exp t, |t| <= s u) and may have underflowed by [e]; position [m], rounded by
    [r]; product rounded by [r']. *)
Theorem BOUND_3_angle u eta s t l e m r r' e' w (n := roundings l + s + 2) :
  0 <= u <= / 4 -> 0 <= s -> Rabs t <= s * u -> (forall x, In x l -> within_count u x) ->
    n * u < 1 ->
  Rabs e <= eta -> Rabs r <= u -> Rabs r' <= u -> Rabs e' <= eta ->
  Rabs (m * (1 + r) * (w * (exp t * product l) + e) * (1 + r') + e' - m * w) <=
    angle_error n u eta m (m * w).
Proof.
  intros Hu Hs Ht Hl Hn He Hr Hr' He'; unfold angle_error.
  set (l' := Error r 1 false :: Error r' 1 false :: l).
  assert (El : roundings l' + s = n) by (unfold n, roundings, l'; simpl; ring).
  assert (Hl' : forall x, In x l' -> within_count u x).
  { intros x [<-|[<-|Hx]]; [split; cbn [relative count]; lra..|now apply Hl]. }
  pose proof (BOUND_2_gamma u s t l' ltac:(lra) Hs Ht Hl' ltac:(rewrite El; lra)) as H;
    rewrite El in H.
  replace (m * (1 + r) * (w * (exp t * product l) + e) * (1 + r') + e' - m * w) with
    (m * w * (exp t * product l' - 1) + (m * e * ((1 + r) * (1 + r')) + e'))
    by (unfold l'; simpl product; unfold factor; simpl; ring).
  eapply Rle_trans; [apply Rabs_triang|]; rewrite Rabs_mult, (Rmult_comm (Rabs (m * w))).
  apply Rplus_le_compat; [apply Rmult_le_compat_r; trivial; apply Rabs_pos|].
  eapply Rle_trans; [apply Rabs_triang|]; rewrite !Rabs_mult.
  assert (Ho : forall x, Rabs x <= u -> Rabs (1 + x) <= 5 / 4)
    by (intros x Hx; eapply Rle_trans; [apply Rabs_triang|]; rewrite Rabs_R1; lra).
  assert (Rabs (1 + r) * Rabs (1 + r') <= 5 / 4 * (5 / 4)) by (apply Rmult_le_compat; auto;
    apply Rabs_pos).
  assert (0 <= Rabs (1 + r) * Rabs (1 + r')) by (apply Rmult_le_pos; apply Rabs_pos).
  pose proof (Rabs_pos m); pose proof (Rabs_pos e).
  assert (Rabs m * Rabs e * (Rabs (1 + r) * Rabs (1 + r')) <= Rabs m * eta * 2).
  { apply Rmult_le_compat; try lra; [apply Rmult_le_pos; lra|apply Rmult_le_compat_l; lra]. }
  lra.
Qed.

(** A further rounding of a frequency that is within gamma: one count more, or [c] for
    |r| <= c u. *)
Lemma gamma_more C c r u : 0 <= u -> 0 <= C -> 0 <= c -> (C + c) * u < 1 -> Rabs r <= c * u ->
  (1 + gamma C u) * (1 + c * u) <= 1 + gamma (C + c) u.
Proof.
  intros Hu HC Hc Hn Hr.
  assert (0 <= C * u /\ 0 <= c * u) as [HCu Hcu] by (split; now apply Rmult_le_pos).
  assert (G : forall k, k * u < 1 -> 1 + gamma k u = / (1 - k * u)) by (intros; unfold gamma; field;
    lra).
  rewrite !G by lra.
  apply Rle_trans with (/ (1 - C * u) * / (1 - c * u)).
  - apply Rmult_le_compat_l; [left; apply Rinv_0_lt_compat; lra|].
    apply Rmult_le_reg_r with (1 - c * u); [lra|]; rewrite Rinv_l by lra; nra.
  - rewrite <- Rinv_mult; apply Rinv_le_contravar; [lra|nra].
Qed.

(** The join: a frequency of which a theorem above says [f] within gamma(C), the underflow [x]
    beside; position rounded by [r], product by [r'], each counted ([a], [b]: 1) or exact (0: a
    position up to 2^p; P = 0). *)
Theorem BOUND_3_angle_of_a_frequency u eta C a b f w x m r r' x' : 0 <= u <= / 4 -> 0 <= C ->
  0 <= a <= 1 -> 0 <= b <= 1 -> (C + a + b) * u < 1 -> Rabs (f - w) <= gamma C u * Rabs w ->
  Rabs x <= eta -> Rabs r <= a * u -> Rabs r' <= b * u -> Rabs x' <= eta ->
  Rabs (m * (1 + r) * (f + x) * (1 + r') + x' - m * w) <= angle_error (C + a + b) u eta m (m * w).
Proof.
  intros Hu HC Ha Hb Hn Hf Hx Hr Hr' Hx'; unfold angle_error.
  assert (0 <= C * u /\ 0 <= a * u <= u /\ 0 <= b * u <= u) as (HCu & Hau & Hbu).
  { repeat split; nra. }
  set (k := (1 + r) * (1 + r')).
  assert (Ho : forall y c, Rabs y <= c -> Rabs (1 + y) <= 1 + c)
    by (intros y c Hy; eapply Rle_trans; [apply Rabs_triang|]; rewrite Rabs_R1; lra).
  assert (Hk : Rabs k <= (1 + a * u) * (1 + b * u))
    by (unfold k; rewrite Rabs_mult; apply Rmult_le_compat; auto; apply Rabs_pos).
  assert (Hk1 : Rabs (k - 1) <= (1 + a * u) * (1 + b * u) - 1).
  { replace (k - 1) with (r + r' + r * r') by (unfold k; ring).
    assert (Rabs (r * r') <= a * u * (b * u)) by (rewrite Rabs_mult; apply Rmult_le_compat; trivial;
      apply Rabs_pos).
    eapply Rle_trans; [apply Rabs_triang|]; pose proof (Rabs_triang r r'); lra. }
  assert (H2 : (1 + a * u) * (1 + b * u) <= 2) by nra.
  assert (HG : (1 + gamma C u) * ((1 + a * u) * (1 + b * u)) <= 1 + gamma (C + a + b) u).
  { rewrite <- Rmult_assoc; apply Rle_trans with ((1 + gamma (C + a) u) * (1 + b * u)).
    - apply Rmult_le_compat_r; [lra|]; apply gamma_more with r; lra.
    - apply gamma_more with r'; lra. }
  assert (Hw : Rabs (k * f - w) <= gamma (C + a + b) u * Rabs w).
  { replace (k * f - w) with (k * (f - w) + (k - 1) * w) by ring.
    eapply Rle_trans; [apply Rabs_triang|]; rewrite !Rabs_mult; pose proof (Rabs_pos w) as Pw.
    assert (Rabs k * Rabs (f - w) <= (1 + a * u) * (1 + b * u) * (gamma C u * Rabs w))
      by (apply Rmult_le_compat; trivial; apply Rabs_pos).
    assert (Rabs (k - 1) * Rabs w <= ((1 + a * u) * (1 + b * u) - 1) * Rabs w)
      by now apply Rmult_le_compat_r.
    apply Rle_trans with (((1 + gamma C u) * ((1 + a * u) * (1 + b * u)) - 1) * Rabs w); [lra|].
    apply Rmult_le_compat_r; lra. }
  replace (m * (1 + r) * (f + x) * (1 + r') + x' - m * w) with
    (m * (k * f - w) + (m * x * k + x')) by (unfold k; ring).
  eapply Rle_trans; [apply Rabs_triang|]; rewrite !Rabs_mult; pose proof (Rabs_pos m) as Pm.
  assert (Rabs m * Rabs (k * f - w) <= Rabs m * (gamma (C + a + b) u * Rabs w))
    by now apply Rmult_le_compat_l.
  assert (Rabs (m * x * k + x') <= Rabs m * eta * 2 + eta).
  { eapply Rle_trans; [apply Rabs_triang|]; apply Rplus_le_compat; trivial; rewrite !Rabs_mult.
    apply Rmult_le_compat; [apply Rmult_le_pos; apply Rabs_pos|apply Rabs_pos| |lra].
    now apply Rmult_le_compat_l. }
  lra.
Qed.

(** P = 0 where nothing rounds but the position: pair 0 of a base, f = w = 1, with C = 0. *)
Theorem BOUND_3_angle_of_pair_0 u eta m r : 0 <= u <= / 4 -> 0 <= eta -> Rabs r <= u ->
  Rabs (m * (1 + r) - m) <= angle_error 1 u eta m (m * 1).
Proof.
  intros Hu He Hr.
  assert (H0 : forall y, Rabs 0 <= y <-> 0 <= y) by (intros; rewrite Rabs_R0; tauto).
  pose proof (BOUND_3_angle_of_a_frequency u eta 0 1 0 1 1 0 m r 0 0) as H.
  replace (0 + 1 + 0) with 1 in H by ring.
  replace (m * (1 + r) * (1 + 0) * (1 + 0) + 0 - m * 1) with (m * (1 + r) - m) in H by ring.
  apply H; try lra; try (apply H0; lra).
  rewrite Rminus_diag_eq by trivial; apply H0; unfold gamma, Rdiv; rewrite !Rmult_0_l; lra.
Qed.
