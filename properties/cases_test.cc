// ctest: property
#include "gnomon/properties/cases.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "gnomon/properties/rope_scaling_cases.h"
#include "gnomon/properties/trial.h"
#include "gnomon/spec/schemes.h"

namespace gnomon::properties {
namespace {

constexpr Format kAll[] = {Format::kF64, Format::kF32, Format::kBf16, Format::kF16};

bool IsPlainMemory(const Case& c) {
  for (const auto& [role, tensor] : c.inputs)
    if (!tensor.view().contiguous()) return false;
  return c.in_place.empty();
}
int64_t SmallestPosition(const Case& c) {
  int64_t smallest = INT64_MAX;
  for (const auto& [role, tensor] : c.inputs)
    for (int64_t i = 0; !IsFloat(tensor.dtype()) && i < tensor.count(); ++i)
      smallest = std::min(smallest, std::abs(tensor.Integer(i)));
  return smallest;
}
// ATT-2: -inf in a bias or in scores is a mask, as plain as any number.
bool IsMask(const Case& c, const std::string& role, double x) {
  return c.operation.starts_with("attention.") && (role == "bias" || role == "scores") &&
         x == -std::numeric_limits<double>::infinity();
}
bool HasNonFinite(const Case& c) {
  for (const auto& [role, tensor] : c.inputs)
    for (int64_t i = 0; IsFloat(tensor.dtype()) && i < tensor.count(); ++i)
      if (const double x = tensor.Value(i); !std::isfinite(x) && !IsMask(c, role, x)) return true;
  return false;
}

TEST(Cases, EveryOperationHasPlainOnes) {
  std::set<std::string> names, plain;
  for (const CaseSource& source : AllCases()) {
    EXPECT_TRUE(names.insert(source.name).second) << source.name;
    EXPECT_NE(FindOperation(source.operation), nullptr) << source.operation;
    if (source.kind == CaseKind::kPlain) plain.insert(source.operation);
  }
  for (const OperationSpec* operation : AllOperations())
    EXPECT_EQ(plain.count(operation->name), 1u) << operation->name;
}

TEST(Cases, ARampThatEndsBeforeItBeginsIsNoScaling) {
  Parameters p = {{"head_dim", 64.0},
                  {"rope_type", std::string("yarn")},
                  {"factor", 4.0},
                  {"original_max_position_embeddings", 4096.0}};
  EXPECT_TRUE(rope_scaling::IsValid(p));
  p["original_max_position_embeddings"] = 64.0;
  p["beta_fast"] = p["beta_slow"] = 16.0;
  EXPECT_FALSE(rope_scaling::IsValid(p));
}

// Kernels divide axes among lanes, blocks and threads: some cases go beyond all of these.
TEST(Cases, SomeAxesAreLong) {
  std::map<std::string, int64_t> longest;
  int64_t most_tokens = 0, most_heads = 0, widest = 0;
  bool odd_pairs = false;
  for (int64_t number = 0; number < 800; ++number) {
    const Case c = *NumberedCase("rope.apply", Format::kF32, 20170612, number);
    const Shape& shape = c.inputs.at("x").shape();
    most_tokens = std::max(most_tokens, shape[1]);
    most_heads = std::max(most_heads, shape[2]);
    widest = std::max(widest, shape[3]);
    odd_pairs |= shape[3] >= 66 && shape[3] / 2 % 2 == 1;
    bool turned = !c.inputs.count("positions");
    for (int64_t i = 0; !turned && i < c.inputs.at("positions").count(); ++i)
      turned = c.inputs.at("positions").Integer(i) != 0;
    if (shape[1] > 64) {
      EXPECT_TRUE(turned) << number << ": the choices ran out";
    }
  }
  EXPECT_GT(most_tokens, 64);
  EXPECT_GT(most_heads, 16);
  EXPECT_GE(widest, 512);
  EXPECT_TRUE(odd_pairs);
  // Tiles of queries and keys.
  int64_t tiles = 0;
  for (int64_t number = 0; number < 200; ++number) {
    const Case c = *NumberedCase("attention.softmax", Format::kF32, 20170612, number);
    tiles += c.inputs.at("q").shape()[1] > 64 && c.inputs.at("k").shape()[1] > 64;
  }
  EXPECT_GT(tiles, 1);
  for (const OperationSpec* operation : AllOperations())
    for (int64_t number = 0; number < 200; ++number) {
      const Case c = *NumberedCase(operation->name, Format::kF32, 20170612, number);
      for (const auto& [role, input] : c.inputs)
        for (const int64_t extent : input.shape())
          longest[operation->name] = std::max(longest[operation->name], extent);
    }
  for (const auto& [operation, extent] : longest) EXPECT_GT(extent, 16) << operation;
}

// A source gives valid cases of its own operation and kind, whatever the choices.
TEST(Cases, SourcesKeepTheirWord) {
  for (const CaseSource& from : AllCases()) {
    int unusual_memory = 0, special = 0;
    for (uint64_t seed = 0; seed < 40; ++seed) {
      std::vector<uint64_t> tape;
      for (uint64_t i = 0; i < 800; ++i) tape.push_back(Spread(1 + seed * 1000 + i));
      Source source(seed == 0 ? std::vector<uint64_t>() : tape);
      const Format format = kAll[seed % 4];
      const std::optional<Case> c = DrawCase(from, source, format);
      ASSERT_TRUE(c) << from.name;
      EXPECT_EQ(c->operation, from.operation) << from.name;
      EXPECT_EQ(c->format, format);
      EXPECT_NO_THROW(Validate(*c)) << from.name;
      unusual_memory += !IsPlainMemory(*c);
      special += HasNonFinite(*c);
      if (from.kind == CaseKind::kLarge) {
        EXPECT_GE(SmallestPosition(*c), kLargePosition) << Describe(*c);
        if (const auto offset = c->parameters.find("offset"); offset != c->parameters.end()) {
          EXPECT_GE(std::abs(std::get<double>(offset->second)), double{kLargePosition});
        }
      }
    }
    EXPECT_EQ(unusual_memory > 5, from.kind == CaseKind::kMemory) << from.name;
    if (from.name.ends_with(".special")) {
      EXPECT_GT(special, 5) << from.name;
    }
    if (from.kind == CaseKind::kPlain) {
      EXPECT_EQ(special, 0) << from.name;
    }
  }
}

TEST(Cases, NumberedOnesRepeat) {
  std::set<std::string> seen;
  for (int64_t number = 0; number < 30; ++number) {
    const auto c = NumberedCase("rope.apply", Format::kBf16, 7, number);
    const auto again = NumberedCase("rope.apply", Format::kBf16, 7, number);
    ASSERT_TRUE(c && again);
    EXPECT_EQ(Describe(*c), Describe(*again));
    EXPECT_EQ(c->inputs.at("x").storage(), again->inputs.at("x").storage());
    seen.insert(Describe(*c));
  }
  EXPECT_EQ(seen.size(), 30u);
  EXPECT_NE(Describe(*NumberedCase("rope.apply", Format::kBf16, 8, 0)),
            Describe(*NumberedCase("rope.apply", Format::kBf16, 7, 0)));
  EXPECT_FALSE(NumberedCase("rope.nothing", Format::kF32, 7, 0));
}

// SUBJ-3: what limits leave nothing of is replaced by plain cases inside them.
TEST(Cases, LimitsHold) {
  Limits limits;
  limits.parameters = {{"layout", {std::string("half_split")}}, {"head_dim", {64.0}}};
  limits.without = {"frequencies", "rotary_offset", "cos", "sin"};
  limits.dtypes = {{"positions", {DType::kI32}}};
  limits.strides = false;
  limits.min_position = 0;
  limits.max_position = 4095;
  for (int64_t number = 0; number < 40; ++number) {
    const auto c = NumberedCase("rope.apply", Format::kF16, 3, number, limits);
    ASSERT_TRUE(c) << number;
    EXPECT_EQ(Outside(limits, *c), "") << Describe(*c);
  }
  limits.max_position = 70000;
  bool large = false;
  for (int64_t number = 0; number < 20; ++number) {
    const auto c = NumberedCase("rope.apply", Format::kF16, 3, number, limits);
    large |= c && SmallestPosition(*c) >= kLargePosition;
    ASSERT_TRUE(c) << number;
    EXPECT_EQ(Outside(limits, *c), "") << Describe(*c);
  }
  EXPECT_TRUE(large);
}

}  // namespace
}  // namespace gnomon::properties
