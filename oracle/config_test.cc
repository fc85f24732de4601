#include "gnomon/oracle/config.h"

#include <gtest/gtest.h>

#include "gnomon/oracle/bad_file.h"
#include "gnomon/spec/rejected.h"

namespace gnomon::oracle {
namespace {

Parameters Read(const std::string& text) { return ParseConfig(text, "config.json"); }

std::string Refusal(const std::string& text) {
  try {
    Read(text);
  } catch (const Rejected& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << "one line";
    return error.what();
  } catch (const BadFile& error) {
    return error.what();
  }
  return "(accepted)";
}

TEST(ConfigTest, OldForm) {
  const Parameters expected = {{"head_dim", 128.0}, {"rope_theta", 5e5}};
  EXPECT_EQ(
      Read(
          R"({"model_type":"llama","hidden_size":4096,"num_attention_heads":32,"rope_theta":500000.0,
                     "rope_scaling":null,"max_position_embeddings":8192,"vocab_size":128256,"hidden_act":"silu"})"),
      expected);
}

TEST(ConfigTest, HeadDimIsNotAlwaysTheQuotient) {
  EXPECT_EQ(Read(R"({"hidden_size":3072,"num_attention_heads":16,"head_dim":256})").at("head_dim"),
            Value(256.0));
}

TEST(ConfigTest, NewForm) {
  const Parameters expected = {{"head_dim", 128.0}, {"rope_theta", 1e6}, {"rotary_dim", 64.0}};
  EXPECT_EQ(Read(R"({"head_dim":128,"rope_parameters":{"rope_type":"default","rope_theta":1e6,
                     "partial_rotary_factor":0.5}})"),
            expected);
}

TEST(ConfigTest, LayersThatAgreeAreOne) {
  EXPECT_EQ(Read(R"({"head_dim":64,"layer_types":["a","b"],"rope_parameters":{
                     "full_attention":{"rope_type":"default","rope_theta":1e4},
                     "sliding_attention":{"rope_type":"default","rope_theta":1e4}}})")
                .at("rope_theta"),
            Value(1e4));
  EXPECT_NE(Refusal(R"({"head_dim":64,"rope_parameters":{
                     "full_attention":{"rope_type":"default","rope_theta":1e6},
                     "sliding_attention":{"rope_type":"default","rope_theta":1e4}}})")
                .find("rope_parameters.sliding_attention"),
            std::string::npos);
}

TEST(ConfigTest, GptNeoXAndGptJ) {
  const Parameters neox = {{"head_dim", 96.0}, {"rotary_dim", 24.0}, {"rope_theta", 10000.0}};
  EXPECT_EQ(
      Read(
          R"({"model_type":"gpt_neox","hidden_size":6144,"num_attention_heads":64,"rotary_pct":0.25,
                     "rotary_emb_base":10000,"use_parallel_residual":true})"),
      neox);
  const Parameters gptj = {{"head_dim", 256.0}, {"rotary_dim", 64.0}};
  EXPECT_EQ(Read(R"({"model_type":"gptj","n_embd":4096,"n_head":16,"n_positions":2048,"rotary":true,
                     "rotary_dim":64})"),
            gptj);
}

// int(head_dim * factor): a binary64 product, truncated; 0.29 * 100 is 28.999999999999996.
TEST(ConfigTest, PartialFactorAsPythonTruncatesIt) {
  EXPECT_EQ(Read(R"({"head_dim":80,"partial_rotary_factor":0.4})").at("rotary_dim"), Value(32.0));
  EXPECT_EQ(Read(R"({"head_dim":100,"partial_rotary_factor":0.29})").at("rotary_dim"), Value(28.0));
  EXPECT_EQ(Read(R"({"head_dim":80,"partial_rotary_factor":1})").at("rotary_dim"), Value(80.0));
  EXPECT_NE(Refusal(R"({"head_dim":80,"partial_rotary_factor":0.4125})").find("ROPE-2"),
            std::string::npos);
}

// DeepSeek: dims of a head that turn are a tensor of their own. JetMoE: heads are not the quotient.
TEST(ConfigTest, HeadDimUnderOtherNames) {
  EXPECT_EQ(Read(R"({"model_type":"deepseek_v3","hidden_size":7168,"num_attention_heads":128,
                     "qk_nope_head_dim":128,"qk_rope_head_dim":64,"rope_theta":10000})"),
            (Parameters{{"head_dim", 64.0}, {"rope_theta", 1e4}}));
  EXPECT_EQ(Read(R"({"hidden_size":2048,"num_attention_heads":32,"kv_channels":128})"),
            (Parameters{{"head_dim", 128.0}}));
  const std::string whole =
      R"({"head_dim":512,"qk_rope_head_dim":64,"partial_rotary_factor":0.125})";
  EXPECT_EQ(ParseConfig(whole, "config.json", {"", 512}),
            (Parameters{{"head_dim", 512.0}, {"rotary_dim", 64.0}}));
}

// What a message asks for has to help.
TEST(ConfigTest, HeadDimMayBeChosen) {
  const Parameters expected = {{"head_dim", 128.0}, {"rotary_dim", 64.0}};
  EXPECT_EQ(ParseConfig(R"({"hidden_size":4096,"num_attention_heads":96,"rope_percent":0.5})",
                        "config.json", {"", 128}),
            expected);
  EXPECT_EQ(ParseConfig(R"({"partial_rotary_factor":0.5})", "config.json", {"", 128}), expected);
}

// Qwen2-VL as published, and as it is saved again; Qwen3-VL.
TEST(ConfigTest, SectionsOfTheAxes) {
  const Value sizes = std::vector<Number>{16, 24, 24};
  const Parameters expected = {{"head_dim", 128.0}, {"mrope_section", sizes}};
  EXPECT_EQ(Read(R"({"head_dim":128,"rope_scaling":{"type":"mrope","mrope_section":[16,24,24]}})"),
            expected);
  EXPECT_EQ(Read(R"({"head_dim":128,"rope_scaling":{"type":"default","rope_type":"default",
                     "mrope_section":[16,24,24]}})"),
            expected);
  EXPECT_EQ(Read(R"({"head_dim":128,"rope_parameters":{"rope_type":"default",
                     "mrope_section":[24,20,20],"mrope_interleaved":true}})")
                .at("section_order"),
            Value(std::string("interleaved")));
}

TEST(ConfigTest, LayoutOnlyWhereItIsSaid) {
  EXPECT_EQ(Read(R"({"head_dim":64,"rope_interleaved":true})").at("layout"),
            Value(std::string("interleaved")));
  EXPECT_EQ(Read(R"({"head_dim":64,"rope_interleaved":false})").at("layout"),
            Value(std::string("half_split")));
  for (const char* model : {"llama", "gptj", "glm"})
    EXPECT_EQ(Read(R"({"head_dim":64,"model_type":")" + std::string(model) + "\"}").count("layout"),
              0u);
}

TEST(ConfigTest, RefusesByName) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "JSON"},
      {"[]", "no JSON object"},
      {R"({"head_dim":1,"head_dim":2})", "occurs twice"},
      {R"({"rope_scaling":{"type":"linear","factor":2,"beta_fast":3}})", "rope_scaling.beta_fast"},
      {R"({"rope_scaling":{"factor":2,"rope_type":"xdrope"}})",
       R"(rope_scaling.rope_type = "xdrope": is no known type of scaling)"},
      {R"({"rope_scaling":{"factor":2}})", "rope_scaling.factor"},
      {R"({"rope_parameters":{"a":{"rope_type":"default"},"b":{"rope_type":"yarn"}}})",
       "rope_parameters.b"},
      {R"({"rope_scaling":{"rope_type":"yarn","type":"linear"}})", "contradicts"},
      {R"({"rope_scaling":{"rope_type":"yarn","new_key":1}})", "rope_scaling.new_key"},
      {R"({"rope_scaling":{"rope_type":"yarn","factor":{}}})", "rope_scaling.factor"},
      {R"({"rope_scaling":{"type":"linear","factor":2},"rope_parameters":{"rope_theta":1}})",
       "stands beside rope_parameters"},
      {R"({"rope_scaling":{"type":"default","mrope_section":2}})", "must be a list"},
      {R"({"rope_scaling":{"type":"yarn","mrope_section":[1,2]}})", "beside a scaling"},
      {R"({"rope_scaling":{"mrope_interleaved":1}})", "must be a boolean"},
      {R"({"rope_scaling":2.0})", "must be an object"},
      {R"({"rope_local_base_freq":1e4})", "rope_local_base_freq"},
      {R"({"head_dim":512,"qk_rope_head_dim":64})", "which dims turn is not said"},
      {R"({"head_dim":64,"kv_channels":128})", "contradicts"},
      {R"({"no_rope_layers":1})", "no_rope_layers"},
      {R"({"Rotary_Base":1e4})", "Rotary_Base"},
      {R"({"use_alibi":true})", "is ALiBi, not RoPE"},
      {R"({"alibi":true})", "alibi"},
      {R"({"position_embedding_type":"absolute"})", "position_embedding_type"},
      {R"({"relative_position_buckets":32})", "relative_position_buckets"},
      {R"({"ntk_alpha":4})", "ntk_alpha"},
      {R"({"rope_theta":"1e4"})", "rope_theta"},
      {R"({"rope_theta":1e4,"rotary_emb_base":1e5})", "contradicts"},
      {R"({"rope_theta":1e4,"rope_parameters":{"rope_theta":1e5}})", "contradicts"},
      {R"({"rope_theta":NaN})", "JSON"},
      {R"({"head_dim":0})", "head_dim"},
      {R"({"head_dim":64.5})", "head_dim"},
      {R"({"hidden_size":100,"num_attention_heads":3})", "no multiple"},
      {R"({"hidden_size":100,"num_attention_heads":0})", "num_attention_heads"},
      {R"({"head_dim":64,"partial_rotary_factor":0})", "above 0"},
      {R"({"head_dim":64,"partial_rotary_factor":1.5})", "at most 1"},
      {R"({"partial_rotary_factor":0.5})", "needs a head_dim"},
      {R"({"partial_rotary_factor":0.5,"rope_percent":0.25})", "contradicts"},
      {R"({"head_dim":64,"partial_rotary_factor":0.5,"rotary_dim":64})", "contradicts"},
      {R"({"head_dim":64,"rope_interleaved":1})", "boolean"},
  };
  for (const auto& [text, message] : cases)
    EXPECT_NE(Refusal(text).find(message), std::string::npos) << text << "  got: " << Refusal(text);
}

TEST(ConfigTest, ATextConfigIsReadWhereTheTopLevelSaysNothing) {
  const Parameters expected = {{"head_dim", 64.0}, {"rope_theta", 5e5}};
  EXPECT_EQ(
      Read(R"({"model_type":"llava","vision_config":{"hidden_size":1024,"num_attention_heads":16},
                     "text_config":{"hidden_size":128,"num_attention_heads":2,"rope_theta":5e5}})"),
      expected);
  EXPECT_NE(Refusal(R"({"text_config":{"rope_scaling":{"type":"x"}}})")
                .find(R"(text_config: rope_scaling.type = "x")"),
            std::string::npos);
}

TEST(ConfigTest, NoOtherNestedObjectIsPassedOver) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {R"({"head_dim":64,"text_config":{"rope_theta":5e5}})", "text_config"},
      {R"({"text_config":{"text_config":{"head_dim":64}}})", "text_config: text_config"},
      {R"({"head_dim":64,"layers":[{"rope_theta":1e4}]})", "0.rope_theta"},
      {R"({"llm_config":{"head_dim":64}})", "llm_config"},
      {R"({"head_dim":64,"language_config":{"hidden_size":64}})", "its hidden_size speaks"},
      {R"({"head_dim":64,"thinker":{"text_config":{"rope_theta":1}}})", "text_config.rope_theta"},
      {R"({"text_config":{"head_dim":64},"vision_config":{"rope_theta":1e4}})", "vision_config"},
      {R"({"head_dim":64,"attn_config":{"alibi":true}})", "attn_config"},
  };
  for (const auto& [text, message] : cases)
    EXPECT_NE(Refusal(text).find(message), std::string::npos) << text << "  got: " << Refusal(text);
}

TEST(ConfigTest, AFileThatSaysNothingOfRopeIsRefused) {
  for (const char* text : {"{}", R"({"model_type":"llama","vocab_size":9})",
                           R"({"text_config":{}})", R"({"rope_scaling":null})"})
    EXPECT_NE(Refusal(text).find("states no RoPE parameter"), std::string::npos) << text;
  for (const std::string type : {"bloom", "gpt2", "mpt", "opt", "bert", "t5", "whisper"}) {
    const std::string text = R"({"head_dim":64,"model_type":")" + type + "\"}";
    EXPECT_NE(Refusal(text).find("model_type = \"" + type + "\": is a model without RoPE"),
              std::string::npos)
        << type;
  }
}

// A file leaves out its model's own default; who states it is believed.
TEST(ConfigTest, AnotherDefaultOfRopeThetaIsNotGuessed) {
  const std::string text = R"({"model_type":"gemma3_text","head_dim":256})";
  EXPECT_NE(Refusal(text).find("rope_theta = (missing): is 1000000 by default in gemma3_text and "
                               "10000 elsewhere: state it by --set rope_theta (CASE-6)"),
            std::string::npos)
      << Refusal(text);
  EXPECT_EQ(Read(R"({"model_type":"llama","head_dim":64})"), (Parameters{{"head_dim", 64.0}}));
  ConfigChoices stated;
  stated.rope_theta = true;
  EXPECT_EQ(ParseConfig(text, "config.json", stated), (Parameters{{"head_dim", 256.0}}));
}

TEST(ConfigTest, AnotherTowerIsPassedOverWhereTheTextIsAskedFor) {
  const std::string text = R"({"text_config":{"head_dim":64,"rope_theta":1000000.0},
                               "vision_config":{"num_position_embeddings":2304}})";
  EXPECT_NE(Refusal(text).find("--set tower=text asks for text_config alone"), std::string::npos)
      << Refusal(text);
  ConfigChoices choices;
  choices.text_tower = true;
  EXPECT_EQ(ParseConfig(text, "config.json", choices),
            (Parameters{{"head_dim", 64.0}, {"rope_theta", 1000000.0}}));
}

TEST(ConfigTest, PassesOverWhatSaysNothing) {
  EXPECT_EQ(
      Read(R"({"head_dim":64,"some_new_key":{"a":[1]},"max_position_embeddings":1,"alibi":false,
                     "rope_interleave":true,"position_embedding_type":"rope_gptj","pos_embed_jitter":null,
                     "original_max_position_embeddings":4})"),
      (Parameters{{"head_dim", 64.0}}));
}

}  // namespace
}  // namespace gnomon::oracle
