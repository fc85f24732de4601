(** * The error of distances (spec/sinusoidal.md, SIN-12)

    The root of a sum of squared differences of stored rows, summed in any order. *)
From Coq Require Import Reals ZArith Lra Lia List Permutation.
From Gnomon Require Import Sums Bounds Sinusoidal.
From Gnomon.numeric Require Import PairwiseError.
Open Scope R_scope.

(** ** Definitions *)

(** Normative: SIN-12, distance.  [em], [en] the errors of the pairs of each row; [g]
= (1 + gamma 4)(1 + gamma h) - 1;
    [eta] of the tables, [ea] of the arithmetic. *)
Definition pair_error (d D : R) : R := d + (1 + d) * D.
Definition rows_bound (K : R) (h : nat) (em en : nat -> R) (eta : R) : R :=
  Rabs K * (sqrt (sumn h (fun i => em i * em i)) + sqrt (sumn h (fun i => en i * en i)))
  + 4 * INR (2 * h) * (1 + Rabs K) * eta.
Definition distance_bound (rows dist g : R) (h : nat) (ea : R) : R :=
  rows + g * (dist + rows) + (1 + g) * sqrt (INR (2 * h) * ea).

(** ** Euclidean norms *)
Definition norm (n : nat) (x : vector) : R := sqrt (dot n x x).

Lemma dot_nonneg n x : 0 <= dot n x x.
Proof. apply sum_nonneg; intros; apply Rle_0_sqr. Qed.

Lemma dot_S n x y : dot (S n) x y = dot n x y + x n * y n.
Proof. apply sumn_S. Qed.

Lemma square_le a b : 0 <= b -> a * a <= b * b -> a <= b.
Proof. intros; nra. Qed.

Lemma cauchy_schwarz n x y : dot n x y * dot n x y <= dot n x x * dot n y y.
Proof.
  induction n as [|n IH]; [unfold dot, sumn; simpl; lra|]; rewrite !dot_S.
  pose proof (dot_nonneg n x) as HA; pose proof (dot_nonneg n y) as HB.
  set (A := dot n x x) in *; set (B := dot n y y) in *; set (b := dot n x y) in *.
  set (s := x n); set (t := y n); set (P := A * (t * t) + B * (s * s)).
  assert (HP : 0 <= P) by (unfold P; assert (0 <= t * t) by apply Rle_0_sqr; assert (0
    <= s * s) by apply Rle_0_sqr;
    apply Rplus_le_le_0_compat; apply Rmult_le_pos; trivial).
  assert (H : 2 * b * (s * t) <= P).
  { apply square_le; trivial.
    assert (b * b * ((s * t) * (s * t)) <= A * B * ((s * t) * (s * t)))
      by (apply Rmult_le_compat_r; [apply Rle_0_sqr|exact IH]).
    assert (0 <= (A * (t * t) - B * (s * s)) * (A * (t * t) - B * (s * s))) by apply Rle_0_sqr.
    unfold P; lra. }
  unfold P in H; lra.
Qed.

Lemma triangle n x y z : (forall k, (k < n)%nat -> z k = x k + y k) -> norm n z
  <= norm n x + norm n y.
Proof.
  intros Hz; unfold norm; pose proof (dot_nonneg n x) as HA; pose proof (dot_nonneg n y) as HB.
  assert (E : dot n z z = dot n x x + 2 * dot n x y + dot n y y).
  { unfold dot; rewrite <- sumn_scal, <- !sumn_plus; apply sumn_ext; intros k Hk;
    rewrite Hz by trivial; ring. }
  assert (H : dot n x y <= sqrt (dot n x x) * sqrt (dot n y y)).
  { apply square_le; [apply Rmult_le_pos; apply sqrt_pos|].
    replace (_ * _ * (_ * _)) with (sqrt (dot n x x) * sqrt (dot n x x) * (sqrt (dot n y y) * sqrt
      (dot n y y))) by ring.
    rewrite !sqrt_sqrt by trivial; apply cauchy_schwarz. }
  apply square_le; [apply Rplus_le_le_0_compat; apply sqrt_pos|].
  rewrite sqrt_sqrt by apply dot_nonneg; rewrite E.
  replace ((sqrt (dot n x x) + sqrt (dot n y y)) * (sqrt (dot n x x) + sqrt (dot n y y))) with
    (sqrt (dot n x x) * sqrt (dot n x x) + 2 * (sqrt (dot n x x) * sqrt (dot n y y)) +
     sqrt (dot n y y) * sqrt (dot n y y)) by ring.
  rewrite !sqrt_sqrt by trivial; lra.
Qed.

Lemma plane a b a' b' x y : 0 <= x -> 0 <= y -> a * a + b * b <= x * x -> a' * a' + b' * b'
  <= y * y ->
  (a + a') * (a + a') + (b + b') * (b + b') <= (x + y) * (x + y).
Proof.
  intros Hx Hy H H'; assert (E : a * a' + b * b' <= x * y).
  { apply square_le; [now apply Rmult_le_pos|].
    apply Rle_trans with ((a * a + b * b) * (a' * a' + b' * b')).
    - assert (0 <= (a * b' - b * a') * (a * b' - b * a')) by apply Rle_0_sqr; lra.
    - replace (x * y * (x * y)) with (x * x * (y * y)) by ring.
      assert (0 <= a * a) by apply Rle_0_sqr; assert (0 <= b * b) by apply Rle_0_sqr.
      assert (0 <= a' * a') by apply Rle_0_sqr; assert (0 <= b' * b') by apply Rle_0_sqr.
      apply Rmult_le_compat; lra. }
  lra.
Qed.

(** ** Rows *)
Section Row.
Variables (o : order) (h : nat) (K : R) (w : nat -> R) (x : R) (t D : nat ->
  R) (d e : R) (x' : vector).
Hypotheses (Hh : (0 < h)%nat) (Ht : forall i, (i < h)%nat -> Rabs (t i) <= D i) (Hd : 0
  <= d) (He : 0 <= e)
  (Hx : forall k, (k < 2 * h)%nat ->
    Rabs (x' k - turned_row o h K w x t k) <= d * Rabs (turned_row o h K w x t k) + e).

Lemma row_error :
  norm (2 * h) (fun k => x' k - pe o h Zero K w x k) <=
  Rabs K * sqrt (sumn h (fun i => pair_error d (D i) * pair_error d (D i))) + INR (2 * h) * e.
Proof.
  set (k := Rabs K); assert (Hk : 0 <= k) by apply Rabs_pos.
  assert (Kk : K * K = k * k) by (unfold k; rewrite <- Rabs_mult; symmetry; apply Rabs_pos_eq,
    Rle_0_sqr).
  assert (HD : forall i, (i < h)%nat -> 0 <= D i)
    by (intros i Hi; apply Rle_trans with (2 := Ht i Hi), Rabs_pos).
  set (v := fun i => k * pair_error d (D i)).
  (* a pair *)
  assert (Hpair : forall i, (i < h)%nat ->
    (x' (sine_column o h i) - pe o h Zero K w x (sine_column o h i)) *
    (x' (sine_column o h i) - pe o h Zero K w x (sine_column o h i)) +
    (x' (cosine_column o h i) - pe o h Zero K w x (cosine_column o h i)) *
    (x' (cosine_column o h i) - pe o h Zero K w x (cosine_column o h i))
      <= (v i + 2 * e) * (v i + 2 * e)).
  { intros i Hi; destruct (turned_pair o h K w x t i Hi) as [Es Ec].
    pose proof (Hx _ (sine_column_lt o h i Hi)) as Hs; pose proof (Hx _ (cosine_column_lt o h i
      Hi)) as Hc.
    rewrite Es in Hs; rewrite Ec in Hc; rewrite SIN_4_sine, SIN_4_cosine by trivial.
    set (a := x * w i) in *; set (S := sin (a + t i)) in *; set (C := cos (a + t i)) in *.
    set (xs := x' (sine_column o h i)) in *; set (xc := x' (cosine_column o h i)) in *.
    assert (SC : S * S + C * C = 1) by (unfold S, C; pose proof (sin2_cos2 (a + t i)) as E;
      unfold Rsqr in E; lra).
    assert (U : (xs - K * S) * (xs - K * S) + (xc - K * C) * (xc - K * C)
      <= (k * d + 2 * e) * (k * d + 2 * e)).
    { rewrite !Rabs_mult in Hs, Hc; fold k in Hs, Hc.
      assert (AS : Rabs S <= 1) by (apply Rabs_le; apply SIN_bound).
      assert (AC : Rabs C <= 1) by (apply Rabs_le; apply COS_bound).
      assert (QS : Rabs S * Rabs S = S * S) by (rewrite <- Rabs_mult; apply Rabs_pos_eq, Rle_0_sqr).
      assert (QC : Rabs C * Rabs C = C * C) by (rewrite <- Rabs_mult; apply Rabs_pos_eq, Rle_0_sqr).
      assert (Sq : forall y b, Rabs y <= b -> y * y <= b * b).
      { intros y b Hy; apply abs_le_inv in Hy; nra. }
      apply Sq in Hs, Hc; pose proof (Rabs_pos S); pose proof (Rabs_pos C).
      assert (dk : 0 <= d * k * e) by (apply Rmult_le_pos; [apply Rmult_le_pos|]; trivial).
      assert (d * k * e * (Rabs S + Rabs C) <= d * k * e * 2) by (apply Rmult_le_compat_l; lra).
      assert (E2 : d * k * (d * k) * (Rabs S * Rabs S + Rabs C * Rabs C) = d * k * (d * k))
        by (rewrite QS, QC, SC; ring).
      assert (0 <= e * e) by apply Rle_0_sqr; lra. }
    assert (V : (K * S - K * sin a) * (K * S - K * sin a) + (K * C - K * cos a) * (K * C - K * cos
      a) <=
      (k * D i) * (k * D i)).
    { replace ((K * S - K * sin a) * (K * S - K * sin a) + (K * C - K * cos a) * (K * C - K * cos
      a)) with
        (K * K * ((S * S + C * C) + (sin a * sin a + cos a * cos a) - 2 * (S * sin a + C * cos a)))
          by ring.
      assert (E1 : sin a * sin a + cos a * cos a = 1) by (pose proof (sin2_cos2 a) as E;
        unfold Rsqr in E; lra).
      assert (E2 : S * sin a + C * cos a = cos (t i)).
      { replace (t i) with (a + t i - a) by ring; rewrite cos_minus; fold S C; ring. }
      rewrite SC, E1, E2, Kk; pose proof (half_angle (t i)) as E3.
      assert (Hs2 : sin (t i / 2) * sin (t i / 2) <= D i / 2 * (D i / 2)).
      { assert (Hq : Rabs (t i / 2) <= D i / 2).
        { unfold Rdiv; rewrite Rabs_mult, (Rabs_pos_eq (/ 2)) by lra; specialize (Ht i Hi); lra. }
        apply abs_sin_le in Hq; apply abs_le_inv in Hq; specialize (HD i Hi); nra. }
      assert (k * k * (2 * (1 - cos (t i))) <= k * k * (D i * D i)) by (apply Rmult_le_compat_l;
        [nra|lra]).
      lra. }
    assert (H0 : 0 <= k * d) by now apply Rmult_le_pos.
    assert (H1 : 0 <= k * D i) by (apply Rmult_le_pos; [trivial|now apply HD]).
    assert (W := plane _ _ _ _ (k * d + 2 * e) (k * D i) ltac:(lra) H1 U V).
    replace (xs - K * S + (K * S - K * sin a)) with (xs - K * sin a) in W by ring.
    replace (xc - K * C + (K * C - K * cos a)) with (xc - K * cos a) in W by ring.
    apply Rle_trans with (1 := W).
    assert (0 <= d * (k * D i)) by now apply Rmult_le_pos.
    assert (Ev : v i = k * d + k * D i + d * (k * D i)) by (unfold v, pair_error; ring).
    apply Rmult_le_compat; lra. }
  (* the pairs together *)
  assert (Hrow : norm (2 * h) (fun k => x' k - pe o h Zero K w x k) <= norm h (fun i =>
    v i + 2 * e)).
  { unfold norm; apply sqrt_le_1_alt; unfold dot; rewrite (sum_of_columns o); apply sumn_le;
    exact Hpair. }
  apply Rle_trans with (1 := Hrow).
  apply Rle_trans with (norm h v + norm h (fun _ => 2 * e)); [apply triangle; intros; ring|].
  apply Rplus_le_compat.
  - unfold norm, dot, v; rewrite (sumn_ext h _ (fun i => k * k * (pair_error d (D i) * pair_error d
    (D i))))
      by (intros; ring).
    rewrite sumn_scal, sqrt_mult_alt by (apply Rmult_le_pos; trivial);
      rewrite sqrt_square by trivial; lra.
  - unfold norm, dot; rewrite sumn_const.
    assert (H1 : 1 <= INR h) by (apply (le_INR 1 h); lia).
    apply square_le; [apply Rmult_le_pos; [apply pos_INR|trivial]|].
    rewrite sqrt_sqrt by (apply Rmult_le_pos; [apply pos_INR|apply Rle_0_sqr]).
    rewrite mult_INR; simpl (INR 2).
    replace ((1 + 1) * INR h * e * ((1 + 1) * INR h * e)) with (INR h * INR h * (2 * e * (2 * e)))
      by ring.
    apply Rmult_le_compat_r; [apply Rle_0_sqr|nra].
Qed.
End Row.

(** ** Sums of what is not negative *)
Lemma summed_nonneg u l s : 0 <= u <= 1 -> summed u l s -> (forall x, In x l -> 0 <= x) ->
  (0 < length l)%nat /\ (1 - u) ^ (length l - 1) * total l <= s
    <= (1 + u) ^ (length l - 1) * total l /\ 0 <= total l.
Proof.
  intros Hu H; induction H as [x|l l' s s' r H IH H' IH' Hr|l l' s H IH P]; intros Hl.
  - split; [simpl; lia|]; unfold total; simpl; rewrite Rplus_0_r;
    specialize (Hl x (or_introl eq_refl)); lra.
  - destruct IH as (L & B & T); [intros; apply Hl, in_or_app; now left|].
    destruct IH' as (L' & B' & T'); [intros; apply Hl, in_or_app; now right|].
    rewrite app_length; unfold total in *; rewrite sum_app; fold (total l) (total l') in *.
    set (n := length l) in *; set (n' := length l') in *; split; [lia|].
    assert (Hm : 0 <= 1 - u <= 1) by lra.
    assert (G : forall k, (S k <= n + n' - 1)%nat -> (1 + u) * (1 + u) ^ k
      <= (1 + u) ^ (n + n' - 1) /\
      (1 - u) ^ (n + n' - 1) <= (1 - u) * (1 - u) ^ k).
    { intros k Hk; change ((1 + u) * (1 + u) ^ k) with ((1 + u) ^ S k);
        change ((1 - u) * (1 - u) ^ k) with ((1 - u) ^ S k); split; [apply power_grows; lra ||
          trivial|].
      replace (n + n' - 1)%nat with (S k + (n + n' - 1 - S k))%nat by lia; rewrite pow_add.
      rewrite <- (Rmult_1_r ((1 - u) ^ S k)) at 2; apply Rmult_le_compat_l; [now apply pow_le|].
      apply Rle_trans with (1 ^ (n + n' - 1 - S k)); [apply pow_incr; lra|rewrite pow1; lra]. }
    destruct (G (n - 1)%nat ltac:(lia)) as [G1 G2]; destruct (G (n' - 1)%nat ltac:(lia)) as [G3 G4].
    pose proof (pow_le (1 - u) (n - 1) ltac:(lra)); pose proof (pow_le (1 - u) (n' - 1) ltac:(lra)).
    set (a := (1 + u) ^ (n - 1)) in *; set (a' := (1 + u) ^ (n' - 1)) in *;
      set (b := (1 + u) ^ (n + n' - 1)) in *.
    set (c := (1 - u) ^ (n - 1)) in *; set (c' := (1 - u) ^ (n' - 1)) in *;
      set (f := (1 - u) ^ (n + n' - 1)) in *.
    apply abs_le_inv in Hr.
    assert (0 <= c * total l) by now apply Rmult_le_pos.
    assert (0 <= c' * total l') by now apply Rmult_le_pos.
    assert (Y1 : (s + s') * (1 - u) <= (s + s') * (1 + r)) by (apply Rmult_le_compat_l; lra).
    assert (Y2 : (s + s') * (1 + r) <= (s + s') * (1 + u)) by (apply Rmult_le_compat_l; lra).
    assert (Z1 : (1 - u) * (c * total l + c' * total l') <= (1 - u) * (s + s')) by (apply
      Rmult_le_compat_l; lra).
    assert (Z2 : (1 + u) * (s + s') <= (1 + u) * (a * total l + a' * total l')) by (apply
      Rmult_le_compat_l; lra).
    assert (W1 : (1 + u) * a * total l <= b * total l) by (apply Rmult_le_compat_r; trivial).
    assert (W2 : (1 + u) * a' * total l' <= b * total l') by (apply Rmult_le_compat_r; trivial).
    assert (W3 : f * total l <= (1 - u) * c * total l) by (apply Rmult_le_compat_r; trivial).
    assert (W4 : f * total l' <= (1 - u) * c' * total l') by (apply Rmult_le_compat_r; trivial).
    split; [split|]; lra.
  - destruct IH as (L & B & T); [intros x Hx; apply Hl; now apply (Permutation_in x P)|].
    rewrite <- (Permutation_length P); unfold total in *; now rewrite <- (sum_perm l l' _ P).
Qed.

(** ** Distance *)

Lemma gamma_inverse n u : n * u < 1 -> 1 + gamma n u = / (1 - n * u).
Proof. intros; unfold gamma; field; lra. Qed.

Lemma sums_of_squares (z a : vector) c n ea : 0 <= c ->
  (forall k, (k < n)%nat -> z k <= c * (a k * a k) + ea) -> sumn n z <= c * dot n a a + INR n * ea.
Proof.
  intros _ H; unfold dot; rewrite <- sumn_scal, <- sumn_const, <- sumn_plus; now apply sumn_le.
Qed.

(** The distance [y] computed from the vector of differences [a]: differences rounded once,
squares, their sum in any
    order, a rounding of the sum, and a root within one ulp. *)
Lemma root_error (a z : vector) h u ua ea s r3 r4 (sigma := sqrt (INR (2 * h) * ea))
  (g := (1 + gamma 4 ua) * (1 + gamma (INR h) u) - 1) :
  (0 < h)%nat -> 0 <= u -> INR h * u < 1 -> 0 <= ua -> 4 * ua < 1 -> 0 <= ea ->
  (forall k, (k < 2 * h)%nat -> exists r1 r2 f, Rabs r1 <= ua /\ Rabs r2 <= ua /\ Rabs f
    <= ea /\ 0 <= z k /\
    z k = a k * (1 + r1) * (a k * (1 + r1)) * (1 + r2) + f) ->
  summed u (map z (seq 0 (2 * h))) s -> Rabs r3 <= ua -> Rabs r4 <= 2 * ua ->
  Rabs (sqrt (s * (1 + r3)) * (1 + r4) - norm (2 * h) a) <= g * norm (2 * h) a + (1 + g) * sigma.
Proof.
  intros Hh Hu Hhu Hua H4 Hea Hz Hs Hr3 Hr4; set (N := (2 * h)%nat) in *; set (x := norm N a).
  assert (Hx : 0 <= x) by apply sqrt_pos.
  assert (Hh1 : 1 <= INR h) by (apply (le_INR 1 h); lia).
  assert (Hu1 : u <= 1) by nra.
  assert (HNe : 0 <= INR N * ea) by (apply Rmult_le_pos; [apply pos_INR|trivial]).
  assert (Hsig : 0 <= sigma) by apply sqrt_pos; assert (Esig : sigma * sigma
    = INR N * ea) by now apply sqrt_sqrt.
  assert (Ex : x * x = dot N a a) by (apply sqrt_sqrt, dot_nonneg).
  (* the sum *)
  destruct (summed_nonneg u _ s ltac:(lra) Hs) as (_ & Hsum & _).
  { intros v Hv; apply in_map_iff in Hv; destruct Hv as (k & <- & Hk); apply in_seq in Hk.
    destruct (Hz k ltac:(lia)) as (r1 & r2 & f & _ & _ & _ & Hpos & _); exact Hpos. }
  rewrite map_length, seq_length in Hsum.
  assert (Etot : total (map z (seq 0 N)) = sumn N z) by (unfold total, sumn; apply sum_of_map).
  rewrite Etot in Hsum; set (al := 1 + ua) in *; set (be := 1 - ua).
  assert (Hal : 1 <= al) by (unfold al; lra); assert (Hbe : 0 <= be <= 1) by (unfold be; lra).
  assert (Hcube : forall r1 r2, Rabs r1 <= ua -> Rabs r2 <= ua ->
    be * be * be <= (1 + r1) * (1 + r1) * (1 + r2) <= al * al * al).
  { intros r1 r2 H1 H2; apply abs_le_inv in H1, H2; unfold be, al in *.
    assert (0 <= (1 - ua) * (1 - ua)) by apply Rle_0_sqr.
    assert ((1 - ua) * (1 - ua) <= (1 + r1) * (1 + r1) <= (1 + ua) * (1 + ua)) by nra.
    split; apply Rmult_le_compat; lra. }
  assert (Hup : sumn N z <= al * al * al * (x * x) + sigma * sigma).
  { rewrite Ex, Esig; apply sums_of_squares; [repeat apply Rmult_le_pos; lra|]; intros k Hk.
    destruct (Hz k Hk) as (r1 & r2 & f & H1 & H2 & H3 & _ & ->);
      destruct (Hcube r1 r2 H1 H2) as [_ C].
    assert (0 <= a k * a k) by apply Rle_0_sqr; apply abs_le_inv in H3.
    assert ((1 + r1) * (1 + r1) * (1 + r2) * (a k * a k) <= al * al * al * (a k * a k)) by (apply
      Rmult_le_compat_r; trivial).
    lra. }
  assert (Hlow : be * be * be * (x * x) - sigma * sigma <= sumn N z).
  { rewrite Ex, Esig; assert (G : sumn N (fun k => - z k) <= - (be * be * be) * dot N a a + INR N *
    ea).
    { unfold dot; rewrite <- sumn_scal, <- sumn_const, <- sumn_plus; apply sumn_le; intros k Hk.
      destruct (Hz k Hk) as (r1 & r2 & f & H1 & H2 & H3 & _ & ->);
        destruct (Hcube r1 r2 H1 H2) as [C _].
      assert (0 <= a k * a k) by apply Rle_0_sqr; apply abs_le_inv in H3.
      assert (be * be * be * (a k * a k) <= (1 + r1) * (1 + r1) * (1 + r2) * (a k * a k)) by (apply
        Rmult_le_compat_r; trivial).
      lra. }
    rewrite (sumn_ext N _ (fun k => -1 * z k)), sumn_scal in G by (intros; ring); lra. }
  (* powers of the additions *)
  set (A := (1 + u) ^ h); set (B := (1 - u) ^ h).
  assert (HA2 : (1 + u) ^ (N - 1) <= A * A).
  { unfold A; rewrite <- pow_add; apply power_grows; [trivial|unfold N; lia]. }
  assert (HB2 : B * B <= (1 - u) ^ (N - 1)).
  { unfold B; rewrite <- pow_add; replace (h + h)%nat with (N - 1 + 1)%nat by (unfold N; lia).
    rewrite pow_add, pow_1; apply Rle_trans with ((1 - u) ^ (N - 1) * 1); [|lra].
    apply Rmult_le_compat_l; [apply pow_le|]; lra. }
  assert (HAg : A <= 1 + gamma (INR h) u).
  { set (l := repeat (Error u 1 false) h).
    assert (El : roundings l = INR h).
    { unfold roundings, l; generalize h as k; induction k as [|k IH]; [reflexivity|].
      rewrite S_INR; simpl; fold (sum (repeat (Error u 1 false) k) count); rewrite IH; ring. }
    assert (Epr : product l = A).
    { unfold l, A; generalize h as k; induction k as [|k IH]; simpl; trivial; now rewrite IH. }
    pose proof (BOUND_2_gamma u 0 0 l Hu ltac:(lra) ltac:(rewrite Rabs_R0; lra)) as H.
    rewrite El, Rplus_0_r, exp_0, Rmult_1_l, Epr in H.
    assert (Hl : forall v, In v l -> within_count u v).
    { intros v Hv; apply repeat_spec in Hv; subst v; split; cbn [relative count];
      [lra|rewrite Rabs_pos_eq; lra]. }
    specialize (H Hl Hhu); apply abs_le_inv in H; lra. }
  assert (HB1 : 1 - INR h * u <= B <= 1).
  { unfold B; split; [|apply Rle_trans with (1 ^ h); [apply pow_incr; lra|rewrite pow1; lra]].
    generalize h as k; induction k as [|k IH]; [simpl; lra|].
    rewrite S_INR; simpl; assert (0 <= (1 - u) ^ k) by (apply pow_le; lra); assert (0
      <= INR k) by apply pos_INR.
    assert (0 <= INR k * u * u) by (apply Rmult_le_pos; [apply Rmult_le_pos|]; trivial); nra. }
  assert (HA0 : 1 <= A) by (apply pow_R1_Rle; lra).
  assert (HB0 : 0 <= B) by (apply pow_le; lra).
  (* gammas *)
  assert (G4 : (1 + 2 * ua) * (al * al) <= 1 + gamma 4 ua).
  { rewrite gamma_inverse by trivial; apply Rmult_le_reg_r with (1 - 4 * ua); [lra|];
    rewrite Rinv_l by lra.
    unfold al; assert (0 <= ua * ua) by apply Rle_0_sqr.
    assert (0 <= ua * ua * ua) by (apply Rmult_le_pos; trivial).
    assert (0 <= ua * ua * ua * ua) by (apply Rmult_le_pos; trivial); lra. }
  assert (G0 : 4 * ua <= gamma 4 ua /\ INR h * u <= gamma (INR h) u).
  { assert (Q : forall v, 0 <= v < 1 -> v <= v / (1 - v)).
    { intros v Hv; apply Rmult_le_reg_r with (1 - v); [lra|]; unfold Rdiv; rewrite Rmult_assoc,
      Rinv_l by lra; nra. }
    split; apply Q; split; try lra; apply Rmult_le_pos; lra. }
  set (g4 := gamma 4 ua) in *; set (gh := gamma (INR h) u) in *.
  assert (Hhu0 : 0 <= INR h * u) by (apply Rmult_le_pos; lra).
  assert (Hg : g4 + gh <= g) by (unfold g; assert (0 <= g4 * gh) by (apply Rmult_le_pos; lra); lra).
  apply abs_le_inv in Hr3, Hr4.
  set (T := s * (1 + r3)).
  assert (HZ0 : 0 <= sumn N z).
  { apply sum_nonneg; intros k Hk; apply in_seq in Hk.
    destruct (Hz k ltac:(lia)) as (? & ? & ? & _ & _ & _ & Hpos & _); exact Hpos. }
  set (Z := sumn N z) in *; destruct Hsum as [Hsum1 Hsum2].
  assert (Hs1 : B * B * Z <= s) by (apply Rle_trans with (2 := Hsum1); apply Rmult_le_compat_r;
    trivial).
  assert (Hs2 : s <= A * A * Z) by (apply Rle_trans with (1 := Hsum2); apply Rmult_le_compat_r;
    trivial).
  assert (HBB : 0 <= B * B) by apply Rle_0_sqr; assert (HAA : 0 <= A * A) by apply Rle_0_sqr.
  assert (Hs0 : 0 <= s) by (apply Rle_trans with (2 := Hs1), Rmult_le_pos; trivial).
  assert (HT1 : B * B * Z * be <= T) by (unfold T, be; apply Rmult_le_compat; trivial; try lra;
    now apply Rmult_le_pos).
  assert (HT2 : T <= A * A * Z * al) by (unfold T, al; apply Rmult_le_compat; trivial; lra).
  assert (HT0 : 0 <= T) by (unfold T; apply Rmult_le_pos; lra).
  assert (Hroot : sqrt T * sqrt T = T) by now apply sqrt_sqrt.
  assert (Hr0 : 0 <= sqrt T) by apply sqrt_pos.
  (* above *)
  assert (U : sqrt T <= A * (al * al * x + al * sigma)).
  { apply square_le; [apply Rmult_le_pos; [lra|]; apply Rplus_le_le_0_compat;
    repeat apply Rmult_le_pos; lra|].
    rewrite Hroot; apply Rle_trans with (1 := HT2).
    assert (V : Z * al <= (al * al * x + al * sigma) * (al * al * x + al * sigma)).
    { assert (Z * al <= (al * al * al * (x * x) + sigma * sigma) * al) by (apply Rmult_le_compat_r;
      lra).
      assert (0 <= sigma * sigma) by apply Rle_0_sqr.
      assert (al * (sigma * sigma) <= al * al * (sigma * sigma)) by (apply Rmult_le_compat_r; nra).
      assert (0 <= al * al * x * (al * sigma)) by (repeat apply Rmult_le_pos; lra); lra. }
    apply (Rmult_le_compat_l (A * A)) in V; trivial; lra. }
  assert (U2 : sqrt T * (1 + r4) <= (1 + g) * (x + sigma)).
  { apply Rle_trans with (A * (al * al * x + al * sigma) * (1 + 2 * ua)); [apply Rmult_le_compat;
    lra|].
    assert (al * sigma <= al * al * sigma) by (apply Rmult_le_compat_r; nra).
    apply Rle_trans with (A * ((1 + 2 * ua) * (al * al)) * (x + sigma)).
    - replace (A * ((1 + 2 * ua) * (al * al)) * (x + sigma)) with
        (A * (al * al * x + al * al * sigma) * (1 + 2 * ua)) by ring.
      apply Rmult_le_compat_r; [lra|]; apply Rmult_le_compat_l; lra.
    - apply Rmult_le_compat_r; [lra|]; unfold g; replace (1 + ((1 + g4) * (1 + gh) - 1)) with ((1 +
      gh) * (1 + g4)) by ring.
      apply Rmult_le_compat; try lra; repeat apply Rmult_le_pos; lra. }
  (* below *)
  assert (L : B * (be * be * x - sigma) <= sqrt T).
  { destruct (Rle_lt_dec (be * be * x) sigma) as [Hc|Hc].
    - apply Rle_trans with 0; [|trivial]; assert (B * (be * be * x - sigma)
      <= B * 0) by (apply Rmult_le_compat_l; lra); lra.
    - apply square_le; trivial; rewrite Hroot; apply Rle_trans with (2 := HT1).
      assert (V : (be * be * x - sigma) * (be * be * x - sigma) <= Z * be).
      { assert (W : (be * be * be * (x * x) - sigma * sigma) * be
        <= Z * be) by (apply Rmult_le_compat_r; lra).
        assert (be * (sigma * sigma) <= 1 * (sigma * sigma)) by (apply Rmult_le_compat_r;
          [apply Rle_0_sqr|lra]).
        assert (0 <= sigma * (be * be * x - sigma)) by (apply Rmult_le_pos; lra); lra. }
      apply (Rmult_le_compat_l (B * B)) in V; trivial; lra. }
  assert (L2 : (1 - g) * x - sigma <= sqrt T * (1 + r4)).
  { apply Rle_trans with (sqrt T * (1 - 2 * ua)); [|apply Rmult_le_compat_l; lra].
    apply Rle_trans with (B * (be * be * x - sigma) * (1 - 2 * ua)); [|apply Rmult_le_compat_r;
      lra].
    assert (C1 : B * (1 - 2 * ua) <= 1 * 1) by (apply Rmult_le_compat; lra).
    assert (C2 : B * (1 - 2 * ua) * sigma <= 1 * 1 * sigma) by (apply Rmult_le_compat_r; trivial).
    assert (C3 : 1 - 4 * ua <= be * be * (1 - 2 * ua)).
    { unfold be; assert (0 <= ua * ua * (5 - 2 * ua)) by (apply Rmult_le_pos;
      [apply Rle_0_sqr|lra]); lra. }
    assert (C4 : (1 - 4 * ua) * (1 - INR h * u) <= be * be * (1 - 2 * ua) * B) by (apply
      Rmult_le_compat; lra).
    assert (0 <= 4 * ua * (INR h * u)) by (apply Rmult_le_pos; lra).
    assert (C5 : (1 - g) * x <= be * be * (1 - 2 * ua) * B * x) by (apply Rmult_le_compat_r; lra).
    lra. }
  assert (0 <= g * sigma) by (apply Rmult_le_pos; lra).
  fold T; apply Rabs_le; split; lra.
Qed.

Theorem SIN_12_distance (o : order) (h : nat) (K : R) (w : nat -> R) (m n : R) (t t' Dm Dn : nat ->
  R)
  (p' q' z : vector) d eta u ua ea s r3 r4
  (rows := rows_bound K h (fun i => pair_error d (Dm i)) (fun i => pair_error d (Dn i)) eta)
  (g := (1 + gamma 4 ua) * (1 + gamma (INR h) u) - 1) :
  (0 < h)%nat -> 0 <= d -> 0 <= eta -> 0 <= u -> INR h * u < 1 -> 0 <= ua -> 4 * ua < 1 -> 0
    <= ea ->
  (forall i, (i < h)%nat -> Rabs (t i) <= Dm i) -> (forall i, (i < h)%nat -> Rabs (t' i) <= Dn i) ->
  (forall k, (k < 2 * h)%nat -> Rabs (p' k - turned_row o h K w m t k) <=
    d * Rabs (turned_row o h K w m t k) + (1 + Rabs K) * eta) ->
  (forall k, (k < 2 * h)%nat -> Rabs (q' k - turned_row o h K w n t' k) <=
    d * Rabs (turned_row o h K w n t' k) + (1 + Rabs K) * eta) ->
  (forall k, (k < 2 * h)%nat -> exists r1 r2 f, Rabs r1 <= ua /\ Rabs r2 <= ua /\ Rabs f
    <= ea /\ 0 <= z k /\
    z k = (p' k - q' k) * (1 + r1) * ((p' k - q' k) * (1 + r1)) * (1 + r2) + f) ->
  summed u (map z (seq 0 (2 * h))) s -> Rabs r3 <= ua -> Rabs r4 <= 2 * ua ->
  Rabs (sqrt (s * (1 + r3)) * (1 + r4) - distance o h K w m n)
    <= distance_bound rows (distance o h K w m n) g h ea.
Proof.
  intros Hh Hd Heta Hu Hhu Hua H4 Hea Ht Ht' Hp Hq Hz Hs Hr3 Hr4.
  assert (HK : 0 <= Rabs K) by apply Rabs_pos; set (e := (1 + Rabs K) * eta) in *.
  assert (He : 0 <= e) by (apply Rmult_le_pos; lra).
  pose proof (row_error o h K w m t Dm d e p' Hh Ht Hd He Hp) as Rm.
  pose proof (row_error o h K w n t' Dn d e q' Hh Ht' Hd He Hq) as Rn.
  set (a := fun k => p' k - q' k).
  pose proof (root_error a z h u ua ea s r3 r4 Hh Hu Hhu Hua H4 Hea Hz Hs Hr3 Hr4) as Hroot;
    fold g in Hroot.
  set (P := pe o h Zero K w m) in *; set (Q := pe o h Zero K w n) in *.
  assert (Ed : distance o h K w m n = norm (2 * h) (fun k => P k - Q k)) by reflexivity.
  set (dist := distance o h K w m n) in *; set (x := norm (2 * h) a) in *.
  assert (Sym : forall v v' : vector, norm (2 * h) (fun k => v k - v' k) = norm (2 * h) (fun k =>
    v' k - v k)).
  { intros v v'; unfold norm, dot; f_equal; apply sumn_ext; intros; ring. }
  assert (HR : Rabs (x - dist) <= rows).
  { assert (T1 : x <= dist + (norm (2 * h) (fun k => p' k - P k) + norm (2 * h) (fun k =>
    q' k - Q k))).
    { rewrite Ed, (Sym q' Q); apply Rle_trans with (norm (2 * h) (fun k => P k - Q k) +
        norm (2 * h) (fun k => (p' k - P k) + (Q k - q' k))).
      - apply triangle; intros; unfold a; ring.
      - apply Rplus_le_compat_l, triangle; intros; ring. }
    assert (T2 : dist <= x + (norm (2 * h) (fun k => p' k - P k) + norm (2 * h) (fun k =>
      q' k - Q k))).
    { rewrite Ed, (Sym p' P); apply Rle_trans with (norm (2 * h) a +
        norm (2 * h) (fun k => (P k - p' k) + (q' k - Q k))).
      - apply triangle; intros; unfold a; ring.
      - apply Rplus_le_compat_l, triangle; intros; ring. }
    assert (INR (2 * h) * e = INR (2 * h) * (1 + Rabs K) * eta) by (unfold e; ring).
    assert (0 <= INR (2 * h) * e) by (apply Rmult_le_pos; [apply pos_INR|trivial]).
    unfold rows, rows_bound; apply Rabs_le; split; lra. }
  assert (Hg : 0 <= g).
  { assert (Q0 : forall v, 0 <= v < 1 -> 0 <= v / (1 - v)).
    { intros v Hv; apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; lra]. }
    assert (0 <= gamma 4 ua) by (apply Q0; lra).
    assert (0 <= gamma (INR h) u) by (apply Q0; split; [apply Rmult_le_pos;
      [apply pos_INR|trivial]|trivial]).
    unfold g; assert (0 <= gamma 4 ua * gamma (INR h) u) by (apply Rmult_le_pos; trivial); lra. }
  unfold distance_bound; set (sg := sqrt (INR (2 * h) * ea)) in *.
  assert (Hx : g * x <= g * (dist + rows)) by (apply Rmult_le_compat_l; trivial;
    apply abs_le_inv in HR; lra).
  apply abs_le_inv in Hroot, HR; apply Rabs_le; split; lra.
Qed.

(** The distance against that of the answered rows: SIN-9 as a property test asks it. *)
Theorem SIN_9_tolerance_of_rows o h K w m n v P (p q Tp Tq : vector) :
  Rabs (v - distance o h K w m n) <= P ->
  (forall k, (k < 2 * h)%nat -> Rabs (p k - pe o h Zero K w m k) <= Tp k) ->
  (forall k, (k < 2 * h)%nat -> Rabs (q k - pe o h Zero K w n k) <= Tq k) ->
  Rabs (v - norm (2 * h) (fun k => p k - q k)) <= P + norm (2 * h) (fun k => Tp k + Tq k).
Proof.
  intros Hv Hp Hq; set (D := fun k => pe o h Zero K w m k - pe o h Zero K w n k).
  change (distance o h K w m n) with (norm (2 * h) D) in Hv; set (A := fun k => p k - q k).
  set (e := fun k => A k - D k).
  assert (He : norm (2 * h) e <= norm (2 * h) (fun k => Tp k + Tq k)).
  { apply sqrt_le_1_alt, sumn_le; intros k Hk.
    assert (H : Rabs (e k) <= Tp k + Tq k).
    { specialize (Hp k Hk); specialize (Hq k Hk); apply abs_le_inv in Hp, Hq; unfold e, A, D;
        apply Rabs_le; lra. }
    rewrite <- (Rabs_pos_eq (e k * e k)), Rabs_mult by apply Rle_0_sqr.
    apply Rmult_le_compat; trivial; apply Rabs_pos. }
  assert (Hm : norm (2 * h) (fun k => - e k) = norm (2 * h) e)
    by (unfold norm; f_equal; apply sumn_ext; intros; ring).
  pose proof (triangle (2 * h) D e A ltac:(intros; unfold e; ring)) as H1.
  pose proof (triangle (2 * h) A (fun k => - e k) D ltac:(intros; unfold e; ring)) as H2.
  apply abs_le_inv in Hv; apply Rabs_le; lra.
Qed.
