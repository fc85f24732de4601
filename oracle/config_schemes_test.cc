// CASE-8. What a config.json says of positions that are not RoPE, and what it does not.
#include "gnomon/oracle/config_schemes.h"

#include <gtest/gtest.h>

#include "gnomon/oracle/bad_file.h"
#include "gnomon/spec/rejected.h"

namespace gnomon::oracle {
namespace {

Parameters Read(const std::string& operation, const std::string& text,
                const std::set<std::string>& stated = {}) {
  ConfigChoices choices;
  choices.operation = operation;
  choices.stated = stated;
  return ParseConfig(text, "config.json", choices);
}
std::string Refusal(const std::string& operation, const std::string& text) {
  try {
    Read(operation, text);
  } catch (const std::runtime_error& error) {  // Rejected, BadFile
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << "one line";
    EXPECT_NE(std::string(error.what()).find("(CASE-"), std::string::npos) << error.what();
    return error.what();
  }
  return "(accepted)";
}
struct Refused {
  std::string operation, text, message;
};
void ExpectRefused(const std::vector<Refused>& cases) {
  for (const auto& [operation, text, message] : cases)
    EXPECT_NE(Refusal(operation, text).find(message), std::string::npos)
        << operation << " " << text << "  got: " << Refusal(operation, text);
}
Value Name(const char* text) { return std::string(text); }

TEST(ConfigSchemes, T5) {
  const std::string t5 = R"({"model_type":"t5","d_model":512,"num_heads":8,"n_positions":512,
      "is_encoder_decoder":true,"relative_attention_num_buckets":32,
      "relative_attention_max_distance":64})";
  EXPECT_EQ(Read("t5_bias.bias", t5, {"bidirectional"}),
            (Parameters{{"num_buckets", 32.0}, {"max_distance", 64.0}}));
  // As first published, without a distance: 128 in its code, and here.
  EXPECT_EQ(Read("t5_bias.bucket",
                 R"({"model_type":"mt5","is_encoder_decoder":false,
                     "relative_attention_num_buckets":32})"),
            (Parameters{{"num_buckets", 32.0}, {"bidirectional", true}}));
  EXPECT_EQ(Read("t5_bias.attention",
                 R"({"model_type":"t5","is_encoder_decoder":false,"is_decoder":true})"),
            (Parameters{{"bidirectional", false}}));
  ExpectRefused({
      {"t5_bias.bias", t5,
       "config.json: bidirectional = (missing): is true in the encoder and "
       "false in the decoder of this model: state it by --set bidirectional"},
      {"t5_bias.bias", R"({"model_type":"llama","rope_theta":1e4})", "does not say that it has"},
      {"t5_bias.bias", R"({"model_type":"mpnet","relative_attention_num_buckets":32})",
       "max_distance = (missing)"},
      {"t5_bias.bias", R"({"model_type":"udop","relative_attention_num_buckets":32})", "three"},
      {"t5_bias.bias", R"({"model_type":"t5","relative_attention_num_buckets":3.5})",
       "relative_attention_num_buckets = 3.5: must be a positive integer (CASE-8)"},
      {"t5_bias.bias", R"({"model_type":"t5","is_encoder_decoder":false,"rope_theta":1e4})",
       "rope_theta = 10000.0: speaks of positions"},
      {"t5_bias.bias", R"({"model_type":"t5","is_encoder_decoder":1})", "must be a boolean"},
  });
}

TEST(ConfigSchemes, DebertaV2) {
  const std::string begin = R"({"model_type":"deberta-v2","relative_attention":true,
      "position_buckets":256,"norm_rel_ebd":"layer_norm","position_biased_input":false,
      "max_position_embeddings":512,"max_relative_positions":)";
  EXPECT_EQ(Read("t5_bias.deberta_bucket", begin + "-1}"),
            (Parameters{{"position_buckets", 256.0}, {"max_relative_positions", 512.0}}));
  EXPECT_EQ(Read("t5_bias.deberta_bucket", begin + "300}").at("max_relative_positions"),
            Value(300.0));
  ExpectRefused({{"t5_bias.deberta_bucket", R"({"relative_attention":true})", "does not say"},
                 {"t5_bias.deberta_bucket", R"({"position_buckets":256})", "does not say"}});
}

TEST(ConfigSchemes, Alibi) {
  EXPECT_EQ(Read("alibi.slopes", R"({"model_type":"bloom","n_head":112,"hidden_size":14336})"),
            (Parameters{{"num_heads", 112.0}}));
  const Parameters mpt = {{"num_heads", 32.0}, {"alibi_bias_max", 8.0}};
  EXPECT_EQ(Read("alibi.bias", R"({"model_type":"mpt","n_heads":32,"d_model":4096,"attn_config":{
                    "alibi":true,"alibi_bias_max":8,"attn_impl":"torch","rope":false}})"),
            mpt);
  EXPECT_EQ(Read("alibi.bias", R"({"model_type":"falcon","alibi":true,"num_attention_heads":71})"),
            (Parameters{{"num_heads", 71.0}}));
  EXPECT_EQ(Read("alibi.bias", R"({"model_type":"baichuan","hidden_size":5120,
                    "num_attention_heads":40})"),
            (Parameters{{"num_heads", 40.0}}));
  EXPECT_EQ(Read("alibi.attention", R"({"alibi":true,"attn_config":{"alibi":true,
                    "softmax_scale":0.5}})"),
            (Parameters{{"scale", 0.5}}));
  const std::string sixteen = R"({"alibi":true,"alibi_bias_max":16})";
  EXPECT_EQ(Read("alibi.bias", sixteen, {"alibi_bias_max"}).at("alibi_bias_max"), Value(16.0));
  ExpectRefused({
      {"alibi.bias", sixteen, "alibi_bias_max = 16: is what Mosaic's own code takes"},
      {"alibi.bias", R"({"model_type":"llama","num_attention_heads":32})", "does not say"},
      {"alibi.bias", R"({"model_type":"baichuan","hidden_size":4096})", "does not say"},
      {"alibi.bias", R"({"alibi":false})", "alibi = false: says that there is none"},
      {"alibi.bias", R"({"attn_config":{"alibi":false}})", "attn_config.alibi = false"},
      {"alibi.bias", R"({"attn_config":{"alibi":true,"rope":true}})", "attn_config.rope = true"},
      {"alibi.bias", R"({"alibi":true,"rope_theta":1e4})", "rope_theta"},
      {"alibi.bias", R"({"alibi":true,"n_head":4,"num_heads":8})", "contradicts"},
      {"alibi.bias", R"({"position_embedding_type":"absolute"})", "is not ALiBi"},
      {"alibi.bias", R"({"alibi":"yes"})", "must be a boolean"},
      {"alibi.attention", R"({"model_type":"falcon","alibi":true})", "divides the bias"},
      {"alibi.bias", R"({"alibi":true,"layers":[{"rope_theta":1}]})", "0.rope_theta"},
  });
}

TEST(ConfigSchemes, Learned) {
  const std::pair<const char*, double> offsets[] = {
      {R"({"model_type":"bert","position_embedding_type":"absolute"})", 0},
      {R"({"model_type":"gpt2","n_positions":1024})", 0},
      {R"({"model_type":"opt","max_position_embeddings":2048})", 2},
      {R"({"model_type":"bart","static_position_embeddings":false,"extra_pos_embeddings":2})", 2},
      {R"({"model_type":"roberta","pad_token_id":1,"max_position_embeddings":514})", 2},
      {R"({"model_type":"xlm-roberta","pad_token_id":0})", 1},
      {R"({"text_config":{"model_type":"opt"}})", 2},
  };
  for (const auto& [text, offset] : offsets)
    EXPECT_EQ(Read("learned.lookup", text), (Parameters{{"offset", offset}})) << text;
  EXPECT_EQ(Read("learned.add", R"({"model_type":"mine"})", {"offset"}), Parameters());
  ExpectRefused({
      {"learned.lookup", R"({"model_type":"mine"})",
       "offset = (missing): \"mine\" is no model whose offset is known: state it by --set offset"},
      {"learned.add", R"({"model_type":"roberta"})", "is pad_token_id + 1 in roberta"},
      {"learned.lookup", R"({"model_type":"bert","position_embedding_type":"relative_key"})",
       "is no learned table"},
      {"learned.lookup", R"({"model_type":"distilbert","sinusoidal_pos_embds":true})",
       "sinusoidal_pos_embds = true: speaks of positions"},
      {"learned.lookup", R"({"model_type":"gpt2","extra_pos_embeddings":2})", "is not the offset"},
      {"learned.resize", R"({"model_type":"bert"})", "no configuration states a parameter"},
      {"learned.lookup", R"({"model_type":"bert","rope_theta":1})", "rope_theta"},
  });
}

TEST(ConfigSchemes, RelativeKeysOfBert) {
  EXPECT_EQ(
      Read("relative.scores", R"({"model_type":"bert","max_position_embeddings":512,
                    "position_embedding_type":"relative_key"})"),
      (Parameters{{"max_relative_position", 511.0}, {"difference", Name("query_minus_key")}}));
  ExpectRefused({
      {"relative.scores", R"({"position_embedding_type":"relative_key_query"})", "of the key too"},
      {"relative.scores", R"({"position_embedding_type":"absolute"})", "does not say"},
      {"relative.values", R"({"position_embedding_type":"relative_key"})", "no configuration"},
      {"relative.vectors", R"({"position_embedding_type":"relative_key"})",
       "max_relative_position = (missing)"},
  });
}

TEST(ConfigSchemes, Sinusoidal) {
  const std::string marian = R"({"model_type":"marian","d_model":512,"scale_embedding":true,
      "static_position_embeddings":true,"max_position_embeddings":512})";
  EXPECT_EQ(Read("sinusoidal.add", marian, {"layout", "divisor"}),
            (Parameters{{"width", 512.0}, {"token_scale", Name("sqrt_width")}}));
  EXPECT_EQ(Read("sinusoidal.table", marian, {"layout", "divisor"}),
            (Parameters{{"width", 512.0}}));
  EXPECT_EQ(
      Read("sinusoidal.timestep", R"({"_class_name":"UNet2DConditionModel","freq_shift":0,
                    "flip_sin_to_cos":true,"block_out_channels":[320,640]})"),
      (Parameters{{"width", 320.0}, {"flip_sin_to_cos", true}, {"downscale_freq_shift", 0.0}}));
  ExpectRefused({
      {"sinusoidal.table", marian, "layout = (missing): the order of sines and cosines"},
      {"sinusoidal.table", R"({"model_type":"bert"})", "does not say"},
      {"sinusoidal.nerf", marian, "no configuration states a parameter of sinusoidal.nerf"},
      {"sinusoidal.timestep", R"({"_class_name":"FluxTransformer2DModel"})", "does not say"},
      {"sinusoidal.table", R"({"model_type":"ctrl","d_model":4,"dim":8})", "contradicts"},
  });
}

// Models whose code never speaks of a rotation, and what a nested object or a key says of one.
TEST(ConfigSchemes, NoneIsReadAsRope) {
  for (const char* text :
       {R"({"model_type":"jamba","hidden_size":4096,"num_attention_heads":32})",
        R"({"model_type":"mamba2","head_dim":64})",
        R"({"model_type":"baichuan","hidden_size":5120,"num_attention_heads":40})",
        R"({"model_type":"falcon","alibi":true,"head_dim":64})",
        R"({"head_dim":64,"relative_attention_num_buckets":32})",
        R"({"head_dim":64,"relative_attention":true})",
        R"({"head_dim":64,"position_embedding_type":"relative_key"})"})
    EXPECT_NE(Refusal("rope.apply", text), "(accepted)") << text;
  EXPECT_EQ(Read("rope.apply", R"({"model_type":"baichuan","hidden_size":4096,
                    "num_attention_heads":32})"),
            (Parameters{{"head_dim", 128.0}}));
}

}  // namespace
}  // namespace gnomon::oracle
