// Context extension in a single case of every operation that takes it: what a kernel with other
// parameters would have answered is called by the mistake that they amount to, and by none where
// nobody makes it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "gnomon/oracle/diagnosis.h"
#include "gnomon/reference/judge.h"

namespace gnomon::oracle {
namespace {

using Changes = std::vector<std::pair<std::string, Value>>;
Value Text(const char* text) { return std::string(text); }

Case Question(const std::string& operation, const Changes& given) {
  constexpr int64_t kTokens = 5, kDim = 64;
  Case c;
  c.operation = operation;
  c.format = Format::kF32;
  c.parameters = {{"head_dim", double{kDim}}};
  for (const auto& [name, value] : given) c.parameters[name] = value;
  if (operation == "rope_scaling.frequencies" || operation == "rope.frequencies") return c;
  Tensor positions(DType::kI64, {kTokens});
  for (int64_t i = 0; i < kTokens; ++i) positions.SetInteger(i, 1 + 137 * i * i);
  c.inputs.emplace("positions", std::move(positions));
  if (operation == "rope.table") return c;
  c.parameters["layout"] = Text("half_split");
  Tensor x(DTypeOf(c.format), {1, kTokens, 2, kDim});
  for (int64_t i = 0; i < x.count(); ++i)
    x.Set(i, 0.75 + static_cast<double>(i * 37 % 101) / 64 - (i % 3 == 0 ? 2 : 0));
  c.inputs.emplace("x", std::move(x));
  return c;
}

// What is said where the answer is the truth of the question with parameters changed: a value that
// is an empty text takes a parameter away.
Diagnosis OfChanged(const Case& c, const Changes& changes) {
  Case changed = c;
  for (const auto& [name, value] : changes) {
    changed.parameters[name] = value;
    if (value == Text("")) changed.parameters.erase(name);
  }
  const Outputs outputs = reference::RoundedTruth(changed);
  std::map<std::string, ConstTensorView> views;
  for (const auto& [role, tensor] : outputs) views.emplace(role, tensor.view());
  return Diagnose({{&c, &views}});
}

const char* const kLength = "original_max_position_embeddings";

Changes Yarn() { return {{"rope_type", Text("yarn")}, {"factor", 4.0}, {kLength, 4096.0}}; }
Changes Llama3() { return {{"rope_type", Text("llama3")}, {"factor", 8.0}, {kLength, 4096.0}}; }
Changes Dynamic() {
  return {{"rope_type", Text("dynamic")}, {"factor", 2.0}, {kLength, 2048.0}, {"seq_len", 5000.0}};
}
Changes Linear() { return {{"rope_type", Text("linear")}, {"factor", 4.0}}; }
Changes Ntk() { return {{"rope_type", Text("ntk")}, {"factor", 4.0}}; }
Changes With(Changes all, const Changes& more) {
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

struct Row {
  Changes asked, answered;
  const char* mistake;
};
std::vector<Row> Rows() {
  const Changes unscaled = {
      {"rope_type", Text("default")}, {"factor", Text("")}, {kLength, Text("")}};
  const Changes recalled = {{"earlier_seq_lens", std::vector<Number>{Number(9000)}}};
  const Changes proportional = {
      {"rope_type", Text("proportional")}, {"factor", 2.0}, {"partial_rotary_factor", 0.25}};
  const Changes parts = {{"rope_type", Text("ntk_by_parts")}, {"factor", 4.0}, {kLength, 4096.0}};
  return {
      {Linear(), unscaled, "scaling-ignored"},
      {Linear(), {{"factor", 16.0}}, "interpolate-inverse/twice"},
      {Linear(), {{"rope_type", Text("ntk")}}, "interpolate-inverse/ntk"},
      {Ntk(), With(unscaled, {{"rope_theta", 40000.0}}), "ntk-exponent"},
      {Ntk(), {{"rope_type", Text("linear")}}, "ntk-exponent/linear"},
      {Dynamic(),
       {{"rope_type", Text("ntk")}, {kLength, Text("")}, {"seq_len", Text("")}},
       "dynamic-ntk/static"},
      {Dynamic(), {{"seq_len", 4096.0}}, "dynamic-ntk/constant"},
      {Dynamic(), {{"seq_len", 4999.0}}, "dynamic-ntk/last-position"},
      {With(Dynamic(), recalled), {{"earlier_seq_lens", Text("")}}, "dynamic-ntk/stateless"},
      {Yarn(), {{"truncate", false}}, "yarn-rounding"},
      {Yarn(), {{"ramp", Text("rotations")}}, "yarn-betas/rotations"},
      {With(Yarn(), {{"ramp", Text("rotations")}}), {{"ramp", Text("")}}, "yarn-betas/index"},
      {Yarn(), {{kLength, 16384.0}}, "yarn-betas/length"},
      {With(Yarn(), {{"beta_fast", 16.0}, {"beta_slow", 2.0}}),
       {{"beta_fast", 32.0}, {"beta_slow", 1.0}},
       "yarn-betas/defaults"},
      {Llama3(), unscaled, "scaling-ignored"},
      {Llama3(), {{"low_freq_factor", 4.0}, {"high_freq_factor", 4.0}}, "llama3-ignored/no-blend"},
      {Llama3(), {{kLength, 8192.0}}, "llama3-ignored/length-8192"},
      {proportional, {{"partial_rotary_factor", 1.0}}, "proportional-divisor/rest"},
      {proportional, {{"partial_rotary_factor", 0.5}}, "proportional-divisor/dims"},
      {parts, {{"ntk_factor", 0.0}}, "ntk-parts/no-base"},
  };
}

class DiagnosisOfScaling : public testing::TestWithParam<std::string> {};

TEST_P(DiagnosisOfScaling, OneCaseNamesTheMistake) {
  for (const Row& row : Rows()) {
    // Without its magnitude, which is another's matter here.
    Changes asked = row.asked, answered = row.answered;
    const bool yarn = asked[0].second == Text("yarn");
    if (yarn && GetParam() != "rope_scaling.frequencies")
      asked.emplace_back("attention_factor", 1.0);
    const Diagnosis d = OfChanged(Question(GetParam(), asked), answered);
    EXPECT_TRUE(std::count(d.mistakes.begin(), d.mistakes.end(), row.mistake))
        << row.mistake << ": " << d.Lines()[0];
    EXPECT_LE(d.mistakes.size(), 3u) << row.mistake << ": " << d.Lines()[0];
    EXPECT_LE(d.residual, 1);
  }
}

TEST_P(DiagnosisOfScaling, WhatNobodyListedIsNotNamed) {
  const std::vector<std::pair<Changes, Changes>> rows = {
      {Ntk(), {{"factor", 4.25}}},
      {Dynamic(), {{"factor", 2.125}}},
      {Dynamic(), {{"seq_len", 5077.0}}},
      {Yarn(), {{"factor", 4.25}}},
      {Yarn(), {{kLength, 7000.0}}},
      {Yarn(), {{"beta_fast", 20.0}, {"beta_slow", 3.0}}},
      {Yarn(), {{"extrapolation_factor", 0.75}}},
      {Llama3(), {{"factor", 9.0}}},
      {Llama3(), {{kLength, 5000.0}}},
      {Llama3(), {{"low_freq_factor", 1.5}}},
      {Llama3(), {{"rope_theta", 7777.0}}},
  };
  // Of other operations one of every four, as they take all pairs of mistakes to be refuted.
  const size_t step = GetParam() == "rope_scaling.frequencies" ? 1 : 4;
  for (size_t i = 0; i < rows.size(); i += step) {
    const auto& [asked, answered] = rows[i];
    const Diagnosis d = OfChanged(Question(GetParam(), asked), answered);
    EXPECT_GT(d.failing, 0);
    EXPECT_EQ(d.mistakes, std::vector<std::string>{}) << d.Lines()[0];
  }
}

INSTANTIATE_TEST_SUITE_P(Operations, DiagnosisOfScaling,
                         testing::Values("rope_scaling.frequencies", "rope.frequencies",
                                         "rope.table", "rope.apply"),
                         [](const auto& operation) {
                           std::string name = operation.param;
                           std::replace(name.begin(), name.end(), '.', '_');
                           return name;
                         });

// The magnitude, where it shows.
TEST(DiagnosisOfMagnitude, OneCaseNamesTheMistake) {
  const double t = 1 + 0.1 * std::log(4.0);
  const std::vector<Row> rows = {
      {Yarn(), {{"attention_factor", 1.0}}, "yarn-magnitude"},
      {Yarn(), {{"attention_factor", t * t}}, "yarn-magnitude/squared"},
      {Yarn(), {{"attention_factor", 1 / t}}, "yarn-magnitude/inverted"},
      {Yarn(), {{"attention_factor", std::log(4.0) + 1}}, "yarn-magnitude/tenth"},
      {With(Yarn(), {{"mscale", 0.5}, {"mscale_all_dim", 1.5}}),
       {{"mscale_all_dim", 0.0}, {"mscale", 0.0}},
       "yarn-magnitude/ratio"},
      {With(Yarn(), {{"attention_factor", 1.5}}),
       {{"attention_factor", Text("")}},
       "yarn-magnitude/attention-factor"},
      {With(Yarn(), {{"magnitude_placement", Text("softmax")}}),
       {{"magnitude_placement", Text("")}},
       "yarn-magnitude/placement"},
  };
  for (const char* operation : {"rope.table", "rope.apply"})
    for (const Row& row : rows) {
      const Diagnosis d = OfChanged(Question(operation, row.asked), row.answered);
      EXPECT_TRUE(std::count(d.mistakes.begin(), d.mistakes.end(), row.mistake))
          << operation << " " << row.mistake << ": " << d.Lines()[0];
    }
}

}  // namespace
}  // namespace gnomon::oracle
