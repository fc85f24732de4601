// FusedAttention against float64, within ATT-14, on every target: blocks and tiles of keys that end
// anywhere, the causal mask, a bias from a matrix and from a line, keys left out.
#include "gnomon/optimized/attention.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "gnomon/optimized/schemes.h"
#include "gnomon/spec/attention.h"

namespace gnomon::optimized {
namespace {

struct Question {
  AttentionHead head;
  std::vector<float> q, k, v, y, bias;
  std::vector<uint8_t> seen;
};

Question Draw(size_t queries, size_t keys, size_t head_dim, size_t value_dim) {
  std::mt19937 random(static_cast<unsigned>(queries * 1000 + keys));
  std::normal_distribution<float> normal;
  Question a;
  const auto fill = [&](std::vector<float>* to, size_t count) {
    for (size_t i = 0; i < count; ++i) to->push_back(normal(random));
  };
  fill(&a.q, queries * head_dim);
  fill(&a.k, keys * head_dim);
  fill(&a.v, keys * value_dim);
  a.y.resize(queries * value_dim, std::nanf(""));
  a.head.queries = queries;
  a.head.keys = keys;
  a.head.head_dim = head_dim;
  a.head.value_dim = value_dim;
  a.head.scale = 1 / std::sqrt(static_cast<float>(head_dim));
  return a;
}
void Ask(Question* a) {
  a->head.q = a->q.data();
  a->head.k = a->k.data();
  a->head.v = a->v.data();
  a->head.y = a->y.data();
  if (!a->seen.empty()) a->head.seen = a->seen.data();
  FusedAttention(a->head);
}

// The largest error, over its bound.
double Worst(const Question& a) {
  const AttentionHead& h = a.head;
  const Profile& standard = kProfiles[*ProfileFromName("standard")];
  double worst = 0;
  for (size_t m = 0; m < h.queries; ++m) {
    std::vector<gnomon::attention::KeyTerms<double>> terms;
    std::vector<size_t> keys;
    double highest = -INFINITY;
    std::vector<double> scores;
    for (size_t n = 0; n < h.keys; ++n) {
      if (h.causal && n + h.queries > m + h.keys) continue;
      if (h.seen != nullptr && h.seen[n] == 0) continue;
      gnomon::attention::KeyTerms<double> t;
      double score = 0;
      for (size_t c = 0; c < h.head_dim; ++c) {
        const double x = a.q[m * h.head_dim + c], z = a.k[n * h.head_dim + c];
        score += h.scale * x * z;
        t.products += h.scale * std::abs(x * z);
        t.operands += std::abs(x) + std::abs(z);
      }
      if (h.bias != nullptr) {
        t.bias = h.bias[static_cast<ptrdiff_t>(m) * h.bias_stride + static_cast<ptrdiff_t>(n)];
        score += t.bias;
        t.bias = std::abs(t.bias);
      }
      t.size = std::abs(score);
      scores.push_back(score);
      keys.push_back(n);
      terms.push_back(t);
      highest = std::max(highest, score);
    }
    double Z = 0;
    for (size_t i = 0; i < terms.size(); ++i) {
      terms[i].relative = scores[i] - highest;
      terms[i].exponential = std::exp(terms[i].relative);
      Z += terms[i].exponential;
    }
    gnomon::attention::RowErrors<double> errors;
    if (!terms.empty())
      errors = gnomon::attention::ErrorsOfRow<double>(standard, Format::kF32,
                                                      static_cast<int64_t>(h.head_dim),
                                                      h.bias != nullptr, 0, h.scale, Z, terms);
    for (size_t c = 0; c < h.value_dim; ++c) {
      double y = 0, moved = errors.flushed;
      for (size_t i = 0; i < keys.size(); ++i) {
        const double v = a.v[keys[i] * h.value_dim + c];
        y += terms[i].exponential / Z * v;
        moved += (errors.alpha[i] + errors.flushed) * std::abs(v);
      }
      const double error = std::abs(a.y[m * h.value_dim + c] - y);
      if (terms.empty()) {
        EXPECT_EQ(a.y[m * h.value_dim + c], 0);
        continue;
      }
      const double bound =
          gnomon::attention::RatioBound<double>(standard, Format::kF32, y, moved, errors.rho);
      EXPECT_LT(errors.rho, 0.1);
      EXPECT_FALSE(std::isnan(error));
      worst = std::max(worst, error / bound);
    }
  }
  return worst;
}

class OnTargets : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { UseTarget(GetParam()); }
  void TearDown() override { UseTarget(""); }
};
INSTANTIATE_TEST_SUITE_P(Fused, OnTargets, testing::ValuesIn(Targets()),
                         [](const auto& target) { return target.param; });

TEST_P(OnTargets, WithinTheBound) {
  double worst = 0;
  for (const size_t keys : {1, 5, 63, 64, 65, 130, 600})
    for (const size_t queries : {1, 6, 13}) {
      Question a = Draw(queries, keys, 7 + keys % 5, 1 + keys % 70);
      for (const bool causal : {false, true}) {
        a.head.causal = causal;
        Ask(&a);
        worst = std::max(worst, Worst(a));
      }
      for (size_t n = 0; n < keys; ++n) a.seen.push_back(n % 3 != 1);
      Ask(&a);
      worst = std::max(worst, Worst(a));
    }
  RecordProperty("worst", std::to_string(worst));
  EXPECT_LT(worst, 1);
  EXPECT_GT(worst, 0);
}

TEST_P(OnTargets, ALineIsAMatrix) {
  Question line = Draw(70, 100, 16, 8);
  for (int64_t offset = -69; offset < 100; ++offset)
    line.bias.push_back(-0.25f * static_cast<float>(std::abs(offset)));
  Question matrix = line;
  matrix.bias.clear();
  for (int64_t m = 0; m < 70; ++m)
    for (int64_t n = 0; n < 100; ++n)
      matrix.bias.push_back(line.bias[static_cast<size_t>(n - m + 69)]);
  for (const bool causal : {false, true}) {
    line.head.causal = matrix.head.causal = causal;
    line.head.bias = line.bias.data() + 69;
    line.head.bias_stride = -1;
    matrix.head.bias = matrix.bias.data();
    matrix.head.bias_stride = 100;
    Ask(&line);
    Ask(&matrix);
    EXPECT_EQ(line.y, matrix.y);
    EXPECT_LT(Worst(line), 1);
  }
}

// ATT-13: what a query does not see may be NaN, in the same block of keys too.
TEST_P(OnTargets, UnseenNanStaysOut) {
  Question clean = Draw(13, 40, 4, 3);
  clean.head.causal = true;
  Question spoilt = clean;
  for (size_t c = 0; c < 3; ++c) spoilt.v[39 * 3 + c] = std::nanf("");
  for (size_t c = 0; c < 4; ++c) spoilt.k[39 * 4 + c] = INFINITY;
  Ask(&clean);
  Ask(&spoilt);
  for (size_t i = 0; i < clean.y.size(); ++i) {
    if (i < 12 * 3) {
      EXPECT_EQ(clean.y[i], spoilt.y[i]) << i;
    } else {
      EXPECT_TRUE(std::isnan(spoilt.y[i])) << i;
    }
  }
}

// ATT-2, A6: a slope and a scale beyond float32.
TEST(Attention, NumbersThatFloat32DoesNotHold) {
  Case c;
  c.operation = "attention.softmax";
  c.format = Format::kF32;
  c.parameters = {{"mask", std::string("none")}, {"alibi_bias_max", 200.0}, {"scale", 1e300}};
  const auto tensor = [](const Shape& shape, std::initializer_list<double> values) {
    Tensor t(DType::kF32, shape);
    int64_t i = 0;
    for (const double v : values) t.Set(i++, v);
    return t;
  };
  c.inputs.emplace("q", tensor({1, 1, 1, 1}, {0}));
  c.inputs.emplace("k", tensor({1, 2, 1, 1}, {1, 2}));
  c.inputs.emplace("v", tensor({1, 2, 1, 1}, {3, 5}));
  c.inputs.emplace("bias", tensor({1, 1, 2}, {0, -INFINITY}));
  Tensor y(DType::kF32, {1, 1, 1, 1});
  optimized::Run(c, {{"y", y.view()}});
  EXPECT_EQ(y.Value(0), 3);
}

}  // namespace
}  // namespace gnomon::optimized
