(** * The schemes inside attention (spec/attention.md)

    The output at a moved position is the output at the original one: ATT-6 for every scheme whose
      scores
    depend on the offset alone.  Positions are integers, all tokens move by [c]. *)
From Gnomon Require Import Sums Pairs Attention.
From Gnomon Require Rope Alibi T5Bias Relative.

Section Moved.
Variables (d : nat) (Q K : Z -> vector) (keys : list Z) (value : Z -> R) (c q : Z).
Let moved := map (fun k => k + c)%Z keys.
Let Q' t := Q (t - c)%Z.
Let K' t := K (t - c)%Z.
Let value' t := value (t - c)%Z.

Lemma moves (s s' : Z -> Z -> R) : (forall k, s' (q + c)%Z (k + c)%Z = s q k) ->
  attend moved unmasked s' value' (q + c)%Z = attend keys unmasked s value q.
Proof.
  intros H; apply (ATT_6_reindexing (fun k => k + c)%Z); trivial; intros k _; unfold value'.
  now rewrite Z.add_simpl_r.
Qed.

Theorem ATT_6_rope l h o w : (o + 2 * h <= d)%nat ->
  let score Q K m n := dot d (Rope.rope l h o w (IZR m) (Q m)) (Rope.rope l h o w (IZR n) (K n)) /
    sqrt (INR d) in
  attend moved unmasked (score Q' K') value' (q + c)%Z = attend keys unmasked (score Q K) value q.
Proof.
  intros Hd score; apply moves; intros k; unfold score, Q', K'; rewrite !Z.add_simpl_r, !plus_IZR.
  now rewrite Rope.ROPE_16_scores_depend_on_the_offset_only.
Qed.

Theorem ATT_6_alibi slope :
  let score Q K := score d Q K (Alibi.bias slope) in
  attend moved unmasked (score Q' K') value' (q + c)%Z = attend keys unmasked (score Q K) value q.
Proof.
  apply moves; intros k; unfold score, Q', K';
    now rewrite !Z.add_simpl_r, Alibi.ALIBI_2_bias_depends_on_the_offset_only.
Qed.

(** T5 does not scale its scores. *)
Theorem ATT_6_t5_bias bidirectional num_buckets max_distance table :
  let score Q K m n := dot d (Q m) (K n) + T5Bias.bias bidirectional num_buckets max_distance
    table m n in
  attend moved unmasked (score Q' K') value' (q + c)%Z = attend keys unmasked (score Q K) value q.
Proof.
  intros score; apply moves; intros k; unfold score, Q', K'.
  now rewrite !Z.add_simpl_r, T5Bias.T5_4_bias_depends_on_the_offset_only.
Qed.

Theorem ATT_6_relative clip table :
  let score Q K := Relative.score d clip Q K table in
  attend moved unmasked (score Q' K') value' (q + c)%Z = attend keys unmasked (score Q K) value q.
Proof.
  apply moves; intros k; unfold Relative.score, Q', K'.
  now rewrite !Z.add_simpl_r, Relative.REL_2_depends_on_the_offset_only.
Qed.

(** Transformer-XL: content and distance, unscaled. *)
Theorem ATT_6_transformer_xl u v r :
  let score Q K := Relative.xl_score d Q K u v r in
  attend moved unmasked (score Q' K') value' (q + c)%Z = attend keys unmasked (score Q K) value q.
Proof. apply moves; intros k; apply Relative.REL_6_depends_on_the_offset_only. Qed.
End Moved.
