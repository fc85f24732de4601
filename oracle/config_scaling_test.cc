// Context extension in a config.json, as its readers have it (SCALE-14 to SCALE-16).
#include <gtest/gtest.h>

#include "gnomon/oracle/config.h"
#include "gnomon/spec/rejected.h"

namespace gnomon::oracle {
namespace {

Parameters Read(const std::string& text, const std::string& layer_type = "") {
  return ParseConfig(text, "config.json", {layer_type, {}});
}
std::string Refusal(const std::string& text, const std::string& layer_type = "") {
  try {
    Read(text, layer_type);
  } catch (const Rejected& error) {
    return error.what();
  }
  return "(accepted)";
}
Value Name(const char* text) { return std::string(text); }

TEST(ConfigScaling, Llama31InBothForms) {
  const Parameters expected = {{"head_dim", 128.0},
                               {"rope_theta", 5e5},
                               {"rope_type", Name("llama3")},
                               {"factor", 8.0},
                               {"low_freq_factor", 1.0},
                               {"high_freq_factor", 4.0},
                               {"original_max_position_embeddings", 8192.0}};
  EXPECT_EQ(Read(R"({"head_dim":128,"rope_theta":500000.0,"max_position_embeddings":131072,
      "rope_scaling":{"rope_type":"llama3","factor":8.0,"low_freq_factor":1.0,
      "high_freq_factor":4.0,"original_max_position_embeddings":8192}})"),
            expected);
  EXPECT_EQ(Read(R"({"head_dim":128,"max_position_embeddings":131072,
      "rope_parameters":{"rope_type":"llama3","rope_theta":500000.0,"factor":8.0,"low_freq_factor":1.0,
      "high_freq_factor":4.0,"original_max_position_embeddings":8192}})"),
            expected);
}

TEST(ConfigScaling, YarnOfDeepSeek) {
  const Parameters p = Read(R"({"head_dim":64,"rope_scaling":{"type":"yarn","factor":40,
      "beta_fast":32,"beta_slow":1,"mscale":1.0,"mscale_all_dim":0,"finetuned":true,
      "original_max_position_embeddings":4096},"max_position_embeddings":163840})");
  EXPECT_EQ(p.at("mscale"), Value(1.0));
  EXPECT_EQ(p.count("mscale_all_dim"), 0u) << "0 is absent";
  EXPECT_EQ(p.at("factor"), Value(40.0));
  EXPECT_EQ(p.count("max_position_embeddings"), 0u);
}

TEST(ConfigScaling, WithoutAFactorTheQuotient) {
  const Parameters p = Read(R"({"head_dim":64,"max_position_embeddings":16384,"rope_parameters":{
      "rope_type":"yarn","truncate":false,"original_max_position_embeddings":4096}})");
  EXPECT_EQ(p.at("max_position_embeddings"), Value(16384.0));
  EXPECT_EQ(p.at("truncate"), Value(false));
}

// Phi-3: the file's own original_max_position_embeddings decides, whatever factor the object has.
TEST(ConfigScaling, LongropeOfPhi3) {
  const Parameters p = Read(R"({"head_dim":4,"max_position_embeddings":131072,
      "original_max_position_embeddings":4096,"rope_scaling":{"type":"su","factor":7,
      "short_factor":[1,1.5],"long_factor":[2,3]}})");
  EXPECT_EQ(p.at("rope_type"), Name("longrope"));
  EXPECT_EQ(p.count("factor"), 0u);
  EXPECT_EQ(p.at("max_position_embeddings"), Value(131072.0));
  EXPECT_EQ(p.at("original_max_position_embeddings"), Value(4096.0));
  EXPECT_EQ(p.at("long_factor"), Value(std::vector<Number>{2, 3}));
}

TEST(ConfigScaling, DynamicTakesTheLengthOfTheFile) {
  const Parameters p = Read(R"({"head_dim":64,"max_position_embeddings":2048,"rope_scaling":{
      "type":"dynamic","factor":2.0,"original_max_position_embeddings":999}})");
  EXPECT_EQ(p.at("original_max_position_embeddings"), Value(2048.0));
  const Parameters alpha =
      Read(R"({"head_dim":64,"rope_scaling":{"type":"dynamic","alpha":1000.0}})");
  EXPECT_EQ(alpha.at("rope_type"), Name("ntk"));
  EXPECT_EQ(alpha.at("factor"), Value(1000.0));
}

TEST(ConfigScaling, ByLayerType) {
  const std::string gemma = R"({"head_dim":256,"rope_parameters":{
      "full_attention":{"rope_type":"proportional","partial_rotary_factor":0.25,"rope_theta":1e6},
      "sliding_attention":{"rope_type":"default","rope_theta":1e4}}})";
  EXPECT_NE(Refusal(gemma).find("layer_type="), std::string::npos) << Refusal(gemma);
  const Parameters full = Read(gemma, "full_attention");
  EXPECT_EQ(full.at("partial_rotary_factor"), Value(0.25));
  EXPECT_EQ(full.count("rotary_dim"), 0u);
  EXPECT_EQ(full.at("rope_theta"), Value(1e6));
  const Parameters sliding = Read(gemma, "sliding_attention");
  EXPECT_EQ(sliding, (Parameters{{"head_dim", 256.0}, {"rope_theta", 1e4}}));
  EXPECT_NE(Refusal(gemma, "chunked").find("layer_type = chunked"), std::string::npos);
}

TEST(ConfigScaling, Gemma3InItsOlderForm) {
  const std::string gemma = R"({"head_dim":256,"rope_theta":1e6,"rope_local_base_freq":1e4,
      "rope_scaling":{"rope_type":"linear","factor":8.0}})";
  EXPECT_NE(Refusal(gemma).find("rope_local_base_freq"), std::string::npos);
  EXPECT_EQ(Read(gemma, "sliding_attention"),
            (Parameters{{"head_dim", 256.0}, {"rope_theta", 1e4}}));
  const Parameters full = Read(gemma, "full_attention");
  EXPECT_EQ(full.at("factor"), Value(8.0));
  EXPECT_EQ(full.at("rope_theta"), Value(1e6));
}

TEST(ConfigScaling, LayersWithoutRope) {
  const Parameters llama4 = Read(R"({"head_dim":128,"num_hidden_layers":48,"no_rope_layers":[],
      "no_rope_layer_interval":4,"attn_temperature_tuning":4,"floor_scale":8192,"attn_scale":0.1})");
  EXPECT_EQ(llama4.at("no_rope_layer_interval"), Value(4.0));
  EXPECT_EQ(llama4.at("num_hidden_layers"), Value(48.0));
  EXPECT_EQ(llama4.at("floor_scale"), Value(8192.0));
  const Parameters smol = Read(R"({"head_dim":64,"num_hidden_layers":4,"no_rope_layers":[1,1,1,0],
      "no_rope_layer_interval":4})");
  EXPECT_EQ(smol.at("no_rope_layers"), Value(std::vector<Number>{1, 1, 1, 0}));
  EXPECT_EQ(smol.count("no_rope_layer_interval"), 0u);
}

TEST(ConfigScaling, ALayerTypeThatIsNotThereIsRefused) {
  EXPECT_NE(Refusal(R"({"head_dim":64,"rope_theta":1e4})", "full_attention").find("does not tell"),
            std::string::npos);
}

}  // namespace
}  // namespace gnomon::oracle
