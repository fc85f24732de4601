(** * The error of a rotated element (spec/bounds.md, BOUND-5)

    For every input, underflow included; both members and the transpose; fused or not;
      tables that err
    relatively or underflow; a wrong angle. *)
From Coq Require Import Reals ZArith Lra Lia.
From Flocq Require Import Core.
From Gnomon Require Import Bounds.
From Gnomon.numeric Require Import Rounding.
Open Scope R_scope.

(** ** Definitions *)

(** Normative: BOUND-5, the coefficient and the bound.  [S], [S'] sums of absolute products,
    [size] =
    |x0| + |x1|, [D] the angle's error, [d] the tables',
      [eta_t] the tables' underflow (0 where d = 0). *)
Definition coefficient (u d : R) : R := 2 * u + d + 8 * (u * u).
Definition rotation_bound (u d eta eta_t S S' size D : R) : R :=
  coefficient u d * (S + D * S') + (3 * eta + size * eta_t) + (D * S' + D * D / 2 * S).
Definition output_bound (O : format) (y E : R) : R := u O * Rabs y + (1 + u O) * E + eta O.

(** BOUND-1, A1: x c + x' s in format [F], with two roundings of products or one.  A difference is
    the sum with - x' for x': rounding is odd ([fl_opp]). *)
Inductive computed (F : format) (x c x' s : R) : R -> Prop :=
  | two_products : computed F x c x' s (fl F (fl F (x * c) + fl F (x' * s)))
  | fused_first : computed F x c x' s (fl F (x * c + fl F (x' * s)))
  | fused_second : computed F x c x' s (fl F (fl F (x * c) + x' * s)).

(** The ways to write the first member. *)
Theorem BOUND_1_differences F x0 x1 c s :
  computed F x0 c (- x1) s (fl F (fl F (x0 * c) - fl F (x1 * s))) /\
  computed F x0 c (- x1) s (fl F (x0 * c - fl F (x1 * s))) /\
  computed F x0 c (- x1) s (fl F (fl F (x0 * c) - x1 * s)).
Proof.
  assert (E : - fl F (x1 * s) = fl F (- x1 * s)) by (rewrite <- Ropp_mult_distr_l; symmetry;
    apply fl_opp).
  assert (E' : - (x1 * s) = - x1 * s) by ring.
  unfold Rminus; rewrite E, E'; repeat split; constructor.
Qed.

(** BOUND-2, A3: the entry [t'] that is stored for the real number [t], in arithmetic of roundoff
    [u]: relatively right; or flushed to 0 by rounding; or subnormal, off by at most [eta_t] (and
    [rho] relatively), where the terms of BOUND-5 cover that. *)
Definition stored (u d eta_t t t' : R) : Prop :=
  Rabs (t' - t) <= d * Rabs t \/
  t' = 0 /\ Rabs t <= eta_t + d * Rabs t \/
  exists rho, 0 <= rho /\ Rabs (t' - t) <= eta_t + rho * Rabs t /\
    (2 * u + u * u) * eta_t + (1 + u) * (1 + u) * rho * Rabs t <= (d + 7 * (u * u)) * Rabs t.

(** ** Products *)
Section Products.
Variables (u d eta_t : R).
Hypotheses (Hu : 0 < u <= / 4) (Hd : 0 <= d <= 3 * u) (Ht : 0 <= eta_t).

(** What a product [q] for x t may be off, so that the bound holds; [loss] its underflow. *)
Definition good (x t q loss : R) : Prop :=
  (1 + u) * Rabs (q - x * t) + u * Rabs (x * t) <=
  coefficient u d * Rabs (x * t) + Rabs x * eta_t + (1 + u) * loss.

Lemma good_product x t t' r e loss : stored u d eta_t t t' -> Rabs r <= u -> Rabs e <= loss ->
  good x t (x * t' * (1 + r) + e) loss.
Proof.
  intros Hs Hr He; unfold good, coefficient; rewrite Rabs_mult.
  set (X := Rabs x); set (T := Rabs t); assert (0 <= X) by apply Rabs_pos;
    assert (0 <= T) by apply Rabs_pos.
  (* |q - x t| <= X |t' - t| (1 + u) + u X T + loss *)
  assert (Hq : Rabs (x * t' * (1 + r) + e - x * t) <= X * (Rabs (t' - t) * (1 + u) + u * T) + loss).
  { replace (x * t' * (1 + r) + e - x * t) with (x * ((t' - t) * (1 + r) + t * r) + e) by ring.
    eapply Rle_trans; [apply Rabs_triang|]; apply Rplus_le_compat; trivial; rewrite Rabs_mult.
    apply Rmult_le_compat_l; trivial; eapply Rle_trans; [apply Rabs_triang|]; rewrite !Rabs_mult.
    apply Rplus_le_compat; [apply Rmult_le_compat_l; [apply Rabs_pos|]|rewrite (Rmult_comm u);
      now apply Rmult_le_compat_l].
    eapply Rle_trans; [apply Rabs_triang|]; rewrite Rabs_R1; lra. }
  (* it is enough to look at the factor of X *)
  assert (Henough : forall A, Rabs (t' - t) <= A ->
    (1 + u) * (A * (1 + u) + u * T) + u * T <= (2 * u + d + 8 * (u * u)) * T + eta_t ->
    (1 + u) * Rabs (x * t' * (1 + r) + e - x * t) + u * (X * T) <=
    (2 * u + d + 8 * (u * u)) * (X * T) + X * eta_t + (1 + u) * loss).
  { intros A HA H'.
    assert (X * (Rabs (t' - t) * (1 + u) + u * T) <= X * (A * (1 + u) + u * T))
      by (apply Rmult_le_compat_l; trivial; apply Rplus_le_compat_r, Rmult_le_compat_r; lra).
    apply (Rmult_le_compat_l X) in H'; trivial.
    assert ((1 + u) * Rabs (x * t' * (1 + r) + e - x * t) <=
      (1 + u) * (X * (A * (1 + u) + u * T) + loss))
      by (apply Rmult_le_compat_l; lra).
    lra. }
  assert (0 <= u * T /\ 0 <= d * T /\ 0 <= u * u * T) as (HuT & HdT & HuuT)
    by (repeat split; repeat apply Rmult_le_pos; lra).
  destruct Hs as [Hs|[(Hz & Hs)|(rho & Hrho & Hs & Hc)]].
  - apply (Henough (d * T) Hs).
    assert (d * (u * T) <= 3 * u * (u * T)) by (apply Rmult_le_compat_r; lra).
    assert (u * (d * (u * T)) <= / 4 * (d * (u * T))) by (apply Rmult_le_compat_r;
      [apply Rmult_le_pos|]; lra).
    nra.
  - subst t'; replace (x * 0 * (1 + r) + e - x * t) with (x * - t + e) by ring.
    assert (Rabs (x * - t + e) <= X * T + loss)
      by (eapply Rle_trans; [apply Rabs_triang|]; rewrite Rabs_mult, Rabs_Ropp; unfold X, T; lra).
    assert ((1 + u) * Rabs (x * - t + e) <= (1 + u) * (X * T + loss)) by (apply Rmult_le_compat_l;
      lra).
    apply (Rmult_le_compat_l X) in Hs; trivial; fold T in Hs.
    assert (0 <= u * u * (X * T)) by (repeat apply Rmult_le_pos; lra); lra.
  - apply (Henough (eta_t + rho * T) Hs); fold T in Hc; lra.
Qed.

(** The sum of two good products, rounded once; what underflows in all is at most 3 eta. *)
Lemma good_sum x t q loss x' t' q' loss' r e last eta :
  good x t q loss -> good x' t' q' loss' -> Rabs r <= u -> Rabs e <= last ->
  (1 + u) * (loss + loss') + last <= 3 * eta ->
  Rabs ((q + q') * (1 + r) + e - (x * t + x' * t')) <=
  coefficient u d * (Rabs (x * t) + Rabs (x' * t')) + (3 * eta + (Rabs x + Rabs x') * eta_t).
Proof.
  unfold good; intros Hq Hq' Hr He Hloss.
  replace ((q + q') * (1 + r) + e - (x * t + x' * t'))
    with (((q - x * t) * (1 + r) + x * t * r) + ((q' - x' * t') * (1 + r) + x' * t' * r) + e)
      by ring.
  assert (Hone : forall a b, Rabs (a * (1 + r) + b * r) <= (1 + u) * Rabs a + u * Rabs b).
  { intros a b; eapply Rle_trans; [apply Rabs_triang|]; rewrite !Rabs_mult.
    rewrite (Rmult_comm (Rabs a)), (Rmult_comm (Rabs b)).
    apply Rplus_le_compat; apply Rmult_le_compat_r; trivial; try apply Rabs_pos.
    eapply Rle_trans; [apply Rabs_triang|]; rewrite Rabs_R1; lra. }
  eapply Rle_trans; [apply Rabs_triang|].
  eapply Rle_trans; [apply Rplus_le_compat; [apply Rabs_triang|exact He]|].
  pose proof (Hone (q - x * t) (x * t)); pose proof (Hone (q' - x' * t') (x' * t')); lra.
Qed.
End Products.

(** ** From the angle used to the exact one *)
Section Angle.
Variables (u d eta eta_t x0 x1 a t D y : R).
Hypotheses (HD : Rabs t <= D) (Hc : 0 <= coefficient u d).
Let below := 3 * eta + (Rabs x0 + Rabs x1) * eta_t.

Lemma first_member :
  Rabs (y - (x0 * cos (a + t) + - x1 * sin (a + t))) <=
    coefficient u d * (Rabs (x0 * cos (a + t)) + Rabs (- x1 * sin (a + t))) + below ->
  Rabs (y - element x0 x1 a) <=
  rotation_bound u d eta eta_t (products x0 x1 a) (products' x0 x1 a) (Rabs x0 + Rabs x1) D.
Proof.
  rewrite <- Ropp_mult_distr_l, Rabs_Ropp; intros H.
  pose proof (BOUND_5_moved_element x0 x1 a t D HD) as Hm.
  pose proof (BOUND_5_moved_products x0 x1 a t D HD) as Hp.
  apply (Rmult_le_compat_l (coefficient u d)) in Hp; trivial.
  replace (y - element x0 x1 a) with
    ((y - element x0 x1 (a + t)) + (element x0 x1 (a + t) - element x0 x1 a)) by ring.
  eapply Rle_trans; [apply Rabs_triang|].
  unfold rotation_bound; fold below; unfold element at 1; unfold products at 1 in Hp.
  replace (x0 * cos (a + t) - x1 * sin (a + t)) with (x0 * cos (a + t) + - (x1 * sin (a + t)))
    by ring; lra.
Qed.

Lemma second_member :
  Rabs (y - (x0 * sin (a + t) + x1 * cos (a + t))) <=
    coefficient u d * (Rabs (x0 * sin (a + t)) + Rabs (x1 * cos (a + t))) + below ->
  Rabs (y - (x0 * sin a + x1 * cos a)) <=
  rotation_bound u d eta eta_t (products' x0 x1 a) (products x0 x1 a) (Rabs x0 + Rabs x1) D.
Proof.
  intros H.
  assert (Ec : forall b, cos (b - PI / 2) = sin b) by (intros b;
    rewrite cos_minus, cos_PI2, sin_PI2; ring).
  assert (Es : forall b, sin (b - PI / 2) = - cos b) by (intros b;
    rewrite sin_minus, cos_PI2, sin_PI2; ring).
  pose proof (BOUND_5_moved_element x0 x1 (a - PI / 2) t D HD) as Hm.
  pose proof (BOUND_5_moved_products x0 x1 (a - PI / 2) t D HD) as Hp.
  replace (a - PI / 2 + t) with (a + t - PI / 2) in Hm, Hp by ring.
  unfold element, products, products' in *;
    rewrite !Ec, !Es, !Ropp_mult_distr_r_reverse, !Rabs_Ropp in *.
  apply (Rmult_le_compat_l (coefficient u d)) in Hp; trivial.
  replace (y - (x0 * sin a + x1 * cos a)) with
    ((y - (x0 * sin (a + t) + x1 * cos (a + t)))
     + (x0 * sin (a + t) - - (x1 * cos (a + t)) - (x0 * sin a - - (x1 * cos a)))) by ring.
  eapply Rle_trans; [apply Rabs_triang|]; unfold rotation_bound; fold below; lra.
Qed.
End Angle.

(** ** One format for the arithmetic and the tables *)
Section Element.
Variables (F : format) (d eta_t : R).
Hypotheses (Hd : 0 <= d <= 3 * u F) (Ht : 0 <= eta_t).
Notation stored' := (stored (u F) d eta_t).

Lemma format_facts : 0 < u F <= / 4 /\ 0 < eta F.
Proof. pose proof (u_pos F); pose proof (u_le F); pose proof (eta_pos F); lra. Qed.

(** For any two products: no trigonometry yet. *)
Lemma sum_of_products x t t' x' s s' y : stored' t t' -> stored' s s' -> computed F x t' x' s' y ->
  Rabs (y - (x * t + x' * s)) <=
  coefficient (u F) d * (Rabs (x * t) + Rabs (x' * s)) + (3 * eta F + (Rabs x + Rabs x') * eta_t).
Proof.
  intros Hs Hs' Hy; destruct format_facts as [Hu He].
  assert (H0 : Rabs 0 <= u F /\ Rabs 0 <= 0) by (rewrite Rabs_R0; lra).
  destruct (FORMAT_3_rounding F (x * t')) as (r & e & Hr & Hee & _ & E); apply below_u in Hr.
  destruct (FORMAT_3_rounding F (x' * s')) as (r' & e' & Hr' & Hee' & _ & E'); apply below_u in Hr'.
  assert (Hexact : forall v, v = v * (1 + 0) + 0) by (intros; ring).
  destruct Hy.
  - destruct (FORMAT_3_sum F _ _ (fl_is_value F (x * t')) (fl_is_value F (x' * s'))) 
      as (r'' & Hr'' & ->).
    apply below_u in Hr''; rewrite E, E', <- (Rplus_0_r (_ * (1 + r''))).
    apply good_sum with (u := u F) (loss := eta F) (loss' := eta F) (last := 0); try lra; trivial.
    all: try (apply good_product; trivial; lra); nra.
  - destruct (FORMAT_3_rounding F (x * t' + fl F (x' * s'))) as (r'' & e'' & Hr'' & Hee'' & _ & ->).
    apply below_u in Hr''; rewrite E', (Hexact (x * t')).
    apply good_sum with (u := u F) (loss := 0) (loss' := eta F) (last := eta F); try lra; trivial.
    all: try (apply good_product; trivial; lra); nra.
  - destruct (FORMAT_3_rounding F (fl F (x * t') + x' * s')) as (r'' & e'' & Hr'' & Hee'' & _ & ->).
    apply below_u in Hr''; rewrite E, (Hexact (x' * s')).
    apply good_sum with (u := u F) (loss := eta F) (loss' := 0) (last := eta F); try lra; trivial.
    all: try (apply good_product; trivial; lra); nra.
Qed.

(** With the angle off by [t], the first member of a pair, *)
Theorem BOUND_5_first_member x0 x1 a t D c s y : Rabs t <= D ->
  stored' (cos (a + t)) c -> stored' (sin (a + t)) s -> computed F x0 c (- x1) s y ->
  Rabs (y - element x0 x1 a) <=
  rotation_bound (u F) d (eta F) eta_t (products x0 x1 a) (products' x0 x1 a) (Rabs x0 + Rabs x1) D.
Proof.
  intros HD Hc Hs Hy; destruct format_facts as [Hu _]; apply first_member with t; trivial;
    [unfold coefficient; nra|].
  pose proof (sum_of_products _ _ _ _ _ _ _ Hc Hs Hy) as H; now rewrite Rabs_Ropp in H.
Qed.

(** and the second, which is the first of the angle a - pi/2. *)
Theorem BOUND_5_second_member x0 x1 a t D c s y : Rabs t <= D ->
  stored' (cos (a + t)) c -> stored' (sin (a + t)) s -> computed F x0 s x1 c y ->
  Rabs (y - (x0 * sin a + x1 * cos a)) <=
  rotation_bound (u F) d (eta F) eta_t (products' x0 x1 a) (products x0 x1 a) (Rabs x0 + Rabs x1) D.
Proof.
  intros HD Hc Hs Hy; destruct format_facts as [Hu _]; apply second_member with t; trivial;
    [unfold coefficient; nra|].
  exact (sum_of_products _ _ _ _ _ _ _ Hs Hc Hy).
Qed.
End Element.

(** The transpose is the rotation by - a, whose tables are [c] and [- s]. *)
Lemma stored_opp u d eta_t t t' : stored u d eta_t t t' -> stored u d eta_t (- t) (- t').
Proof.
  unfold stored; replace (- t' - - t) with (- (t' - t)) by ring; rewrite !Rabs_Ropp.
  intros [H|[(-> & H)|H]]; [now left|right; left; split; [ring|trivial]|now right; right].
Qed.

(** ** Where the tables come from *)

(** BOUND-2: tables in the format of the arithmetic, within one ulp where normal, rounded to nearest
    where subnormal: d = 2 u. *)
Theorem BOUND_5_tables_within_one_ulp F t t' : is_value F t' ->
  Rabs (t' - t) <= 2 * u F * Rabs t \/ Rabs (t' - t) <= eta F ->
  stored (u F) (2 * u F) (eta F) t t'.
Proof.
  intros Hv [H|H]; [now left|right]; pose proof (format_facts F) as [Hu He].
  destruct (FORMAT_2_smallest F t' Hv) as [->|Hbig].
  - left; split; trivial; rewrite Rminus_0_l, Rabs_Ropp in H.
    assert (0 <= 2 * u F * Rabs t) by (apply Rmult_le_pos; [lra|apply Rabs_pos]); lra.
  - right; exists 0; repeat split; try lra.
    assert (eta F <= Rabs t).
    { pose proof (Rabs_triang (t' - t) t) as Htri; replace (t' - t + t) with t' in Htri by ring;
        lra. }
    assert (u F * eta F <= u F * Rabs t) by (apply Rmult_le_compat_l; lra).
    assert (u F * (u F * eta F) <= u F * (u F * Rabs t)) by (apply Rmult_le_compat_l; lra).
    assert (0 <= u F * (u F * Rabs t)) by (repeat apply Rmult_le_pos; lra || apply Rabs_pos); lra.
Qed.

(** ROPE-4: given tables are exact: no table error, and no underflow of tables. *)
Theorem BOUND_5_given_tables F x0 x1 c s y : computed F x0 c (- x1) s y ->
  Rabs (y - (x0 * c - x1 * s)) <=
  coefficient (u F) 0 * (Rabs (x0 * c) + Rabs (x1 * s)) + 3 * eta F.
Proof.
  intros Hy; pose proof (format_facts F) as [Hu He].
  assert (Hexact : forall v, stored (u F) 0 0 v v) by (intros v; left;
    rewrite Rminus_diag_eq, Rabs_R0 by trivial; lra).
  pose proof (sum_of_products F 0 0 ltac:(lra) ltac:(lra) _ _ _ _ _ _ _ (Hexact c) (Hexact s) Hy)
    as H.
  rewrite <- Ropp_mult_distr_l, !Rabs_Ropp, Rmult_0_r, Rplus_0_r in H; exact H.
Qed.

(** ** The last rounding, to another format *)
Theorem BOUND_5_output O r y E : Rabs (r - y) <= E -> Rabs (fl O r - y) <= output_bound O y E.
Proof.
  intros H; destruct (FORMAT_3_rounding O r) as (e & t & He & Ht & _ & ->); apply below_u in He.
  pose proof (u_pos O) as Hu; unfold output_bound.
  replace (r * (1 + e) + t - y) with ((r - y) * (1 + e) + y * e + t) by ring.
  eapply Rle_trans; [apply Rabs_triang|]; apply Rplus_le_compat; trivial.
  eapply Rle_trans; [apply Rabs_triang|]; rewrite !Rabs_mult, Rplus_comm, (Rmult_comm (Rabs y)),
    (Rmult_comm (Rabs (r - y))).
  apply Rplus_le_compat; [apply Rmult_le_compat_r; trivial; apply Rabs_pos|].
  apply Rmult_le_compat; trivial; try apply Rabs_pos.
  eapply Rle_trans; [apply Rabs_triang|]; rewrite Rabs_R1; lra.
Qed.

(** ** The profile `standard` and those with a working angle, all in one: float32 output, or 16-bit
    output over float32 arithmetic. *)
Definition float32_bound x0 x1 a D : R :=
  rotation_bound (u f32) (2 * u f32) (eta f32) (eta f32) (products x0 x1 a) (products' x0 x1 a)
    (Rabs x0 + Rabs x1) D.

Section Float32.
Variables (x0 x1 a t D c s y : R).
Hypotheses (HD : Rabs t <= D) (Hc : is_value f32 c) (Hs : is_value f32 s)
  (Ec : Rabs (c - cos (a + t)) <= 2 * u f32 * Rabs (cos (a + t)) \/ Rabs (c - cos (a + t)) <=
    eta f32)
  (Es : Rabs (s - sin (a + t)) <= 2 * u f32 * Rabs (sin (a + t)) \/ Rabs (s - sin (a + t)) <=
    eta f32)
  (Hy : computed f32 x0 c (- x1) s y).

Theorem BOUND_5_float32 : Rabs (y - element x0 x1 a) <= float32_bound x0 x1 a D.
Proof.
  pose proof (format_facts f32); apply BOUND_5_first_member with t c s; trivial; try lra;
    now apply BOUND_5_tables_within_one_ulp.
Qed.

Theorem BOUND_5_bf16_over_float32 :
  Rabs (fl bf16 y - element x0 x1 a) <= output_bound bf16 (element x0 x1 a) (float32_bound x0 x1 a
    D).
Proof. apply BOUND_5_output, BOUND_5_float32. Qed.

Theorem BOUND_5_f16_over_float32 :
  Rabs (fl f16 y - element x0 x1 a) <= output_bound f16 (element x0 x1 a) (float32_bound x0 x1 a D).
Proof. apply BOUND_5_output, BOUND_5_float32. Qed.
End Float32.
