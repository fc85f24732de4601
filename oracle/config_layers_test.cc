// SCALE-16, CASE-8. Rotary parameters that differ by layer, by tower, or that a model keeps in a
// place of its own.
#include <gtest/gtest.h>

#include "gnomon/oracle/cli_test.h"
#include "gnomon/oracle/config.h"
#include "gnomon/spec/rejected.h"

namespace gnomon::oracle {
namespace {

Parameters Read(const std::string& text, const ConfigChoices& choices = {}) {
  return ParseConfig(text, "config.json", choices);
}
std::string Refusal(const std::string& text, const ConfigChoices& choices = {}) {
  try {
    Read(text, choices);
  } catch (const std::runtime_error& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << "one line";
    return error.what();
  }
  return "(accepted)";
}
void ExpectRefusal(const std::string& text, const std::string& message,
                   const ConfigChoices& choices = {}) {
  EXPECT_NE(Refusal(text, choices).find(message), std::string::npos)
      << text << "  got: " << Refusal(text, choices);
}
ConfigChoices Layers(const std::string& type) {
  ConfigChoices choices;
  choices.layer_type = type;
  return choices;
}

TEST(ConfigLayers, ModernBert) {
  const std::string text = R"({"model_type":"modernbert","hidden_size":768,
      "num_attention_heads":12,"global_attn_every_n_layers":3,"global_rope_theta":160000.0,
      "local_attention":128,"local_rope_theta":10000.0,"position_embedding_type":"rope"})";
  ExpectRefusal(text, "local_rope_theta = 10000.0: is of other layers than global_rope_theta");
  EXPECT_EQ(Read(text, Layers("full_attention")),
            (Parameters{{"head_dim", 64.0}, {"rope_theta", 160000.0}}));
  EXPECT_EQ(Read(text, Layers("sliding_attention")),
            (Parameters{{"head_dim", 64.0}, {"rope_theta", 10000.0}}));
  // Null: the global one is of both.
  EXPECT_EQ(Read(R"({"head_dim":64,"global_rope_theta":5e4,"local_rope_theta":null})"),
            (Parameters{{"head_dim", 64.0}, {"rope_theta", 5e4}}));
  ExpectRefusal(text, "choose by --set layer_type", Layers("chunked"));
}

TEST(ConfigLayers, Gemma4HasWiderHeadsInFullAttention) {
  const std::string rope = R"("rope_parameters":{
      "full_attention":{"rope_type":"proportional","partial_rotary_factor":0.25,"rope_theta":1e6},
      "sliding_attention":{"rope_type":"default","rope_theta":1e4}})";
  const std::string text =
      R"({"model_type":"gemma4_text","head_dim":256,"global_head_dim":512,)" + rope + "}";
  EXPECT_EQ(Read(text, Layers("full_attention")).at("head_dim"), Value(512.0));
  EXPECT_EQ(Read(text, Layers("sliding_attention")),
            (Parameters{{"head_dim", 256.0}, {"rope_theta", 1e4}}));
  const std::string silent = R"({"model_type":"gemma4_text","head_dim":256,)" + rope + "}";
  ExpectRefusal(silent, "global_head_dim = (missing): is the head_dim of full attention, 512",
                Layers("full_attention"));
  EXPECT_EQ(Read(R"({"model_type":"gemma4","text_config":)" + text + "}", Layers("full_attention"))
                .at("head_dim"),
            Value(512.0));
  const std::string own = R"({"model_type":"gemma4_text","head_dim":256,"per_layer_config":{
      "5":{"head_dim":512}},)" +
                          rope + "}";
  ExpectRefusal(own, "per_layer_config", Layers("sliding_attention"));
  ConfigChoices stated = Layers("full_attention");
  stated.head_dim = 512;
  EXPECT_EQ(Read(own, stated).at("head_dim"), Value(512.0));
}

TEST(ConfigLayers, DbrxKeepsItInItsAttention) {
  EXPECT_EQ(Read(R"({"model_type":"dbrx","d_model":6144,"n_heads":48,"attn_config":{
                     "clip_qkv":8,"kv_n_heads":8,"rope_theta":500000}})"),
            (Parameters{{"head_dim", 128.0}, {"rope_theta", 5e5}}));
  ExpectRefusal(R"({"model_type":"dbrx","head_dim":128,"attn_config":{"rope_theta":5e5,
                    "rope_impl":"hf"}})",
                "attn_config");
}

TEST(ConfigLayers, ChatGlmSaysLittle) {
  const std::string text = R"({"model_type":"chatglm","kv_channels":128,"rope_ratio":500,
      "original_rope":true})";
  ExpectRefusal(text, "rotates half of the dims of a head, which no key says");
  ConfigChoices choices;
  choices.stated = {"rotary_dim"};
  ExpectRefusal(text, "rope_ratio = 500: is multiplied with 10000 in the code of GLM 4", choices);
  choices.stated = {"rotary_dim", "rope_theta"};
  choices.rope_theta = true;
  EXPECT_EQ(Read(text, choices), (Parameters{{"head_dim", 128.0}}));
}

TEST(ConfigLayers, ErnieOrdersItsFrequencies) {
  ExpectRefusal(R"({"model_type":"ernie4_5_vl_moe_text","head_dim":128,"rope_parameters":{
                    "rope_type":"default","rope_theta":5e5,"mrope_section":[22,22,20]}})",
                "an order of its own");
}

// SCALE-6. Equal betas: pairs up to floor(64 ln(4096 / 2 pi) / (2 ln 50000)) = 19 as without a
// scaling, those from 20 on as with a linear one.
TEST_F(CliTest, TheStepOfKimi) {
  const std::string config = Write("kimi.json", R"({"model_type":"kimi_k2","qk_rope_head_dim":64,
      "rope_theta":50000.0,"max_position_embeddings":131072,"rope_scaling":{"type":"yarn",
      "beta_fast":1.0,"beta_slow":1.0,"factor":32.0,"mscale":1.0,"mscale_all_dim":1.0,
      "original_max_position_embeddings":4096}})");
  const auto lines = [](const std::vector<std::string>& more) {
    std::vector<std::string> eval = {"eval", "rope.frequencies"};
    eval.insert(eval.end(), more.begin(), more.end());
    const Answer run = Gnomon(eval);
    EXPECT_EQ(run.code, 0) << run.err;
    std::vector<std::string> pairs;
    std::istringstream text(run.out);
    for (std::string line; std::getline(text, line);)
      if (line.starts_with("w[pair ")) pairs.push_back(line);
    return pairs;
  };
  const auto kimi = lines({"--config", config});
  const auto plain = lines({"--set", "head_dim=64", "--set", "rope_theta=50000"});
  const auto linear = lines({"--set", "head_dim=64", "--set", "rope_theta=50000", "--set",
                             "rope_type=linear", "--set", "factor=32"});
  ASSERT_EQ(kimi.size(), 32u);
  for (size_t i = 0; i < 32; ++i) EXPECT_EQ(kimi[i], i <= 19 ? plain[i] : linear[i]);
  for (const std::string other : {"truncate=false", "ramp=rotations"})
    ExpectRefused({"eval", "rope.frequencies", "--config", config, "--set", other},
                  "beta_fast = 1: must be above beta_slow = 1 (SCALE-6)");
}

TEST(ConfigLayers, AVisionTowerIsReadWhereItIsAsked) {
  ConfigChoices vision;
  vision.vision_tower = true;
  vision.operation = "multi_axis.axial";
  const std::vector<Number> forty = {40, 40}, thirty_two = {32, 32}, forty_four = {44, 44};
  const std::string qwen = R"({"model_type":"qwen2_vl","hidden_size":3584,"vision_config":{
      "depth":32,"embed_dim":1280,"num_heads":16,"hidden_size":3584,"patch_size":14}})";
  ExpectRefusal(qwen, "rope_theta = (missing): is 10000 in this tower's code", vision);
  ConfigChoices stated = vision;
  stated.stated = {"rope_theta"};
  EXPECT_EQ(
      Read(qwen, stated),
      (Parameters{{"head_dim", 80.0}, {"axes_dims", forty}, {"exponent", std::string("reset")}}));
  EXPECT_EQ(Read(R"({"vision_config":{"model_type":"pixtral","hidden_size":1024,
                     "num_attention_heads":16,"rope_theta":10000.0}})",
                 vision),
            (Parameters{{"head_dim", 64.0},
                        {"axes_dims", thirty_two},
                        {"exponent", std::string("alternating")},
                        {"rope_theta", 1e4}}));
  EXPECT_EQ(Read(R"({"vision_config":{"model_type":"llama4_vision_model","hidden_size":1408,
                     "num_attention_heads":16,"rope_theta":10000}})",
                 vision),
            (Parameters{{"head_dim", 88.0},
                        {"axes_dims", forty_four},
                        {"exponent", std::string("reset")},
                        {"rope_theta", 1e4}}));
  ExpectRefusal(R"({"head_dim":64})", "tower = vision: config.json has no vision_config", vision);
  ExpectRefusal(R"({"vision_config":{"model_type":"siglip_vision_model"}})",
                "is no tower for images whose rotary positions are known", vision);
  ExpectRefusal(R"({"vision_config":{"model_type":"pixtral","head_dim":64,"rope_theta":1,
                    "rope_scaling":{}}})",
                "rope_scaling", vision);
  vision.operation = "rope.apply";
  ExpectRefusal(qwen, "tower = vision: is read for multi_axis.axial alone (CASE-8)", vision);
  // Without the choice the text's head_dim is not taken for the image's.
  ConfigChoices axial;
  axial.operation = "multi_axis.axial";
  ExpectRefusal(R"({"text_config":{"head_dim":128,"rope_theta":1e6},"vision_config":{
                    "model_type":"siglip"}})",
                "--set tower=vision reads it", axial);
}

}  // namespace
}  // namespace gnomon::oracle
