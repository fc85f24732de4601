#include "gnomon/oracle/config_keys.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>
#include <string_view>

namespace gnomon::oracle {
namespace {

constexpr std::array<std::string_view, 5> kOtherTowers = {"vision", "visual", "image", "audio",
                                                          "video"};

const std::set<std::string_view>& RopeKeys() {
  static const std::set<std::string_view> keys = {"head_dim",
                                                  "hidden_size",
                                                  "num_attention_heads",
                                                  "n_embd",
                                                  "n_head",
                                                  "rope_theta",
                                                  "rope_parameters",
                                                  "rope_scaling",
                                                  "rotary_emb_base",
                                                  "partial_rotary_factor",
                                                  "rotary_pct",
                                                  "rope_pct",
                                                  "rope_percent",
                                                  "rotary_emb_fraction",
                                                  "kv_channels",
                                                  "qk_rope_head_dim",
                                                  "rotary_dim",
                                                  "rope_interleaved",
                                                  "rope_local_base_freq",
                                                  "no_rope_layers",
                                                  "no_rope_layer_interval"};
  return keys;
}

// Seen in the configurations of LLaMA, Mistral, Mixtral, Qwen, Phi, Gemma, GLM, Cohere, GPT-NeoX,
// GPT-J, Falcon, StableLM, OLMo, Granite, StarCoder. The first line are those whose name would be
// refused: lengths of a context, which matter to a scaling alone; and `rope_interleave`, which says
// how a checkpoint is permuted but not what the output looks like, so that a layout must be stated.
const std::set<std::string_view>& UnrelatedKeys() {
  static const std::set<std::string_view> keys = {"max_position_embeddings",
                                                  "n_positions",
                                                  "original_max_position_embeddings",
                                                  "rope_interleave",
                                                  "_name_or_path",
                                                  "activation_function",
                                                  "add_cross_attention",
                                                  "architectures",
                                                  "attention_bias",
                                                  "attention_dropout",
                                                  "attention_multiplier",
                                                  "attention_out_bias",
                                                  "attention_probs_dropout_prob",
                                                  "attn_implementation",
                                                  "attn_logit_softcapping",
                                                  "attn_pdrop",
                                                  "auto_map",
                                                  "bad_words_ids",
                                                  "begin_suppress_tokens",
                                                  "bias",
                                                  "bos_token_id",
                                                  "cache_implementation",
                                                  "chunk_size_feed_forward",
                                                  "classifier_dropout",
                                                  "clip_qkv",
                                                  "cross_attention_hidden_size",
                                                  "decoder_start_token_id",
                                                  "diversity_penalty",
                                                  "do_sample",
                                                  "dtype",
                                                  "early_stopping",
                                                  "embd_pdrop",
                                                  "embedding_dropout",
                                                  "embedding_multiplier",
                                                  "encoder_no_repeat_ngram_size",
                                                  "eos_token_id",
                                                  "expert_interval",
                                                  "ffn_hidden_size",
                                                  "final_logit_softcapping",
                                                  "finetuning_task",
                                                  "first_k_dense_replace",
                                                  "forced_bos_token_id",
                                                  "forced_eos_token_id",
                                                  "gradient_checkpointing",
                                                  "hidden_act",
                                                  "hidden_activation",
                                                  "hidden_dropout",
                                                  "hidden_dropout_prob",
                                                  "id2label",
                                                  "initializer_range",
                                                  "intermediate_size",
                                                  "is_decoder",
                                                  "is_encoder_decoder",
                                                  "label2id",
                                                  "layer_norm_eps",
                                                  "layer_norm_epsilon",
                                                  "layer_types",
                                                  "layernorm_epsilon",
                                                  "length_penalty",
                                                  "logit_scale",
                                                  "logits_scaling",
                                                  "max_length",
                                                  "max_window_layers",
                                                  "min_length",
                                                  "mlp_bias",
                                                  "model_type",
                                                  "moe_intermediate_size",
                                                  "moe_layer_freq",
                                                  "multi_query",
                                                  "n_group",
                                                  "n_inner",
                                                  "n_layer",
                                                  "n_routed_experts",
                                                  "n_shared_experts",
                                                  "new_decoder_architecture",
                                                  "no_repeat_ngram_size",
                                                  "norm_epsilon",
                                                  "norm_topk_prob",
                                                  "num_beam_groups",
                                                  "num_beams",
                                                  "num_experts",
                                                  "num_experts_per_tok",
                                                  "num_hidden_layers",
                                                  "num_key_value_heads",
                                                  "num_kv_heads",
                                                  "num_labels",
                                                  "num_local_experts",
                                                  "num_nextn_predict_layers",
                                                  "num_return_sequences",
                                                  "output_attentions",
                                                  "output_hidden_states",
                                                  "output_router_logits",
                                                  "output_scores",
                                                  "pad_token_id",
                                                  "parallel_attn",
                                                  "prefix",
                                                  "pretraining_tp",
                                                  "problem_type",
                                                  "pruned_heads",
                                                  "qk_layernorm",
                                                  "quantization_config",
                                                  "query_pre_attn_scalar",
                                                  "remove_invalid_values",
                                                  "repetition_penalty",
                                                  "resid_pdrop",
                                                  "residual_multiplier",
                                                  "return_dict",
                                                  "return_dict_in_generate",
                                                  "rms_norm_eps",
                                                  "routed_scaling_factor",
                                                  "router_aux_loss_coef",
                                                  "scale_attn_weights",
                                                  "scale_embedding",
                                                  "scoring_func",
                                                  "sep_token_id",
                                                  "seq_length",
                                                  "sliding_window",
                                                  "sliding_window_pattern",
                                                  "summary_activation",
                                                  "summary_first_dropout",
                                                  "summary_proj_to_labels",
                                                  "summary_type",
                                                  "summary_use_proj",
                                                  "suppress_tokens",
                                                  "task_specific_params",
                                                  "temperature",
                                                  "tf_legacy_loss",
                                                  "tie_encoder_decoder",
                                                  "tie_word_embeddings",
                                                  "tokenizer_class",
                                                  "top_k",
                                                  "top_p",
                                                  "topk_group",
                                                  "topk_method",
                                                  "torch_dtype",
                                                  "torchscript",
                                                  "transformers_version",
                                                  "typical_p",
                                                  "use_bfloat16",
                                                  "use_bias",
                                                  "use_cache",
                                                  "use_parallel_residual",
                                                  "use_qk_norm",
                                                  "use_qkv_bias",
                                                  "use_sliding_window",
                                                  "vocab_size"};
  return keys;
}

}  // namespace

bool IsRopeKey(const std::string& key) { return RopeKeys().count(key) > 0; }

bool IsExtentKey(const std::string& key) {
  return key == "head_dim" || key == "hidden_size" || key == "num_attention_heads" ||
         key == "n_embd" || key == "n_head" || key == "kv_channels";
}

bool IsOtherTower(const std::string& key) {
  return std::any_of(kOtherTowers.begin(), kOtherTowers.end(),
                     [&](std::string_view word) { return key.find(word) != std::string::npos; });
}

bool IsModelWithoutRope(const std::string& model_type) {
  static const std::set<std::string_view> types = {
      "albert",      "bart",       "bert",     "biogpt",  "blenderbot", "bloom", "camembert",
      "clip",        "ctrl",       "deberta",  "electra", "deberta-v2", "gpt2",  "gpt_bigcode",
      "distilbert",  "gpt_neo",    "m2m_100",  "marian",  "mbart",      "mpnet", "mpt",
      "mt5",         "openai-gpt", "opt",      "pegasus", "roberta",    "t5",    "umt5",
      "xlm-roberta", "vit",        "wav2vec2", "whisper", "xglm",       "xlnet"};
  return types.count(model_type) > 0;
}

std::optional<int64_t> OwnDefaultTheta(const std::string& model_type) {
  static const std::map<std::string_view, int64_t> bases = {{"apertus", 12000000},
                                                            {"apertus1p5_text", 12000000},
                                                            {"bitnet", 500000},
                                                            {"blt", 500000},
                                                            {"blt_global_transformer", 500000},
                                                            {"blt_local_decoder", 500000},
                                                            {"blt_local_encoder", 500000},
                                                            {"cohere", 500000},
                                                            {"cosmos3_edge_text", 100000000},
                                                            {"csm", 500000},
                                                            {"csm_depth_decoder_model", 500000},
                                                            {"cwm", 1000000},
                                                            {"dots3_note_text", 80000000},
                                                            {"emu3_text_model", 1000000},
                                                            {"eomt_dinov3", 100},
                                                            {"ernie4_5", 500000},
                                                            {"ernie4_5_moe", 500000},
                                                            {"ernie4_5_vl_moe_text", 500000},
                                                            {"evolla", 500000},
                                                            {"exaone", 500000},
                                                            {"flex_olmo", 500000},
                                                            {"fuyu", 25000},
                                                            {"gemma3_text", 1000000},
                                                            {"gemma3n_text", 1000000},
                                                            {"gemma4_vision", 100},
                                                            {"gpt_oss", 150000},
                                                            {"gte", 160000},
                                                            {"helium", 100000},
                                                            {"hy_v3", 11158840},
                                                            {"jina_embeddings_v3", 20000},
                                                            {"lfm2", 1000000},
                                                            {"lfm2_moe", 1000000},
                                                            {"lfm3", 1000000},
                                                            {"lfm3_vl_vision", 1000000},
                                                            {"llama4_text", 500000},
                                                            {"longcat_flash", 10000000},
                                                            {"minimax", 1000000},
                                                            {"minimax_m2", 5000000},
                                                            {"minimax_m3_vl_text", 5000000},
                                                            {"mixtral", 1000000},
                                                            {"mllama_text_model", 500000},
                                                            {"modernbert", 160000},
                                                            {"modernbert-decoder", 160000},
                                                            {"muse_glimmer_assistant", 500000},
                                                            {"musicflamingo", 1200},
                                                            {"neomme", 1000000},
                                                            {"nomic_bert", 1000},
                                                            {"olmo3", 500000},
                                                            {"openai_privacy_filter", 150000},
                                                            {"paddleocr_vl_text", 500000},
                                                            {"pe_audio_encoder", 20000},
                                                            {"pe_audio_video_encoder", 20000},
                                                            {"pe_video_encoder", 20000},
                                                            {"phimoe", 1000000},
                                                            {"qwen2_5_omni_talker", 1000000},
                                                            {"qwen2_5_omni_text", 1000000},
                                                            {"qwen2_5_vl_text", 1000000},
                                                            {"qwen2_vl_text", 1000000},
                                                            {"qwen3_omni_moe_text", 1000000},
                                                            {"qwen3_vl_moe_text", 500000},
                                                            {"qwen3_vl_text", 500000},
                                                            {"sarvam_moe", 8000000},
                                                            {"smollm3", 2000000},
                                                            {"solar_open", 1000000},
                                                            {"t5gemma2_decoder", 1000000},
                                                            {"t5gemma2_text", 1000000}};
  const auto found = bases.find(model_type);
  return found == bases.end() ? std::nullopt : std::optional(found->second);
}

bool IsUnrelatedKey(const std::string& key) { return UnrelatedKeys().count(key) > 0; }

bool SpeaksOfPositions(const std::string& key) {
  static constexpr std::array<std::string_view, 12> kWords = {
      "rope",  "rotary", "rotat", "position", "pos_emb", "pos_enc",
      "alibi", "ntk",    "yarn",  "mscale",   "xpos",    "sinusoid"};
  std::string lower = key;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::any_of(kWords.begin(), kWords.end(),
                     [&](std::string_view word) { return lower.find(word) != std::string::npos; });
}

std::optional<std::vector<Json>> HarmlessValues(const std::string& key) {
  static const std::map<std::string, std::vector<Json>> values = {
      {"alibi", {false}},         {"rotary", {true}},
      {"use_rotary", {true}},     {"position_embedding_type", {"rope", "rotary", "rope_gptj"}},
      {"rope_type", {"default"}}, {"position_embedding_xdrope", {false}},
  };
  const auto found = values.find(key);
  if (found == values.end()) return std::nullopt;
  return found->second;
}

}  // namespace gnomon::oracle
