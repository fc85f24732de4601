// What the generators reach. A generator that never makes a subnormal cannot find what flushes
// them.
#include "gnomon/properties/generators.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "gnomon/properties/reference_subject.h"
#include "gnomon/properties/rope_cases.h"
#include "gnomon/properties/sinusoidal_cases.h"
#include "gnomon/spec/schemes.h"

namespace gnomon::properties {
namespace {

Source RandomSource(uint64_t seed) {
  std::vector<uint64_t> tape(1500);
  for (size_t i = 0; i < tape.size(); ++i) tape[i] = Spread(seed * 7919 + i + 1);
  return Source(std::move(tape));
}

class OfFormat : public testing::TestWithParam<Format> {};

TEST_P(OfFormat, EveryKindOfNumberIsAValueOfTheFormat) {
  for (const Numbers kind : {Numbers::kWhole, Numbers::kUnit, Numbers::kEdges, Numbers::kUnequal,
                             Numbers::kWide, Numbers::kSpecial}) {
    Source source = RandomSource(1);
    for (int i = 0; i < 700; ++i) {
      const double v = DrawNumber(source, GetParam(), kind);
      if (!std::isnan(v)) {
        EXPECT_EQ(v, RoundToFormat(GetParam(), v)) << v;
      } else {
        EXPECT_EQ(kind, Numbers::kSpecial);
      }
      if (kind < Numbers::kWide) {
        EXPECT_LT(std::abs(v), 0x1p13);
      }
    }
  }
}

TEST_P(OfFormat, WideNumbersReachBothEndsOfTheRange) {
  const FormatTraits& t = Traits(GetParam());
  const double smallest_normal = std::ldexp(1.0, t.min_quantum_exponent + t.precision - 1);
  int subnormal = 0, large = 0, ordinary = 0;
  Source source = RandomSource(2);
  for (int i = 0; i < 1000; ++i) {
    const double v = std::abs(DrawNumber(source, GetParam(), Numbers::kWide));
    subnormal += v > 0 && v < smallest_normal;
    large += v > LargestFinite(GetParam()) / 4;
    ordinary += v >= smallest_normal && v <= LargestFinite(GetParam()) / 4;
  }
  EXPECT_GT(subnormal, 100);
  EXPECT_GT(large, 100);
  EXPECT_GT(ordinary, 100);
}

TEST_P(OfFormat, SpecialNumbersAreAllThere) {
  std::map<std::string, int> seen;
  for (uint64_t seed = 0; seed < 3; ++seed) {
    Source source = RandomSource(seed);
    for (int i = 0; i < 700; ++i) {
      const double v = DrawNumber(source, GetParam(), Numbers::kSpecial);
      if (std::isnan(v)) ++seen[std::signbit(v) ? "-nan" : "nan"];
      if (std::isinf(v)) ++seen[v > 0 ? "inf" : "-inf"];
      if (v == 0) ++seen[std::signbit(v) ? "-0" : "0"];
      if (std::isfinite(v) && v != 0) ++seen["finite"];
    }
  }
  for (const char* what : {"nan", "-nan", "inf", "-inf", "0", "-0"})
    EXPECT_GT(seen[what], 10) << what;
  EXPECT_GT(seen["finite"], 1000);
}

INSTANTIATE_TEST_SUITE_P(Formats, OfFormat,
                         testing::Values(Format::kF64, Format::kF32, Format::kBf16, Format::kF16),
                         [](const auto& format) { return std::string(Traits(format.param).name); });

TEST(Positions, AreWhereThingsBreak) {
  int negative = 0, small = 0, large = 0;
  std::set<int64_t> seen;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Source source = RandomSource(seed);
    for (int i = 0; i < 500; ++i) {
      const int64_t p = DrawPosition(source, int64_t{1} << 31);
      ASSERT_GE(p, kMinPosition);
      ASSERT_LE(p, kMaxPosition);
      seen.insert(p);
      negative += p < 0;
      small += std::abs(p) < 16;
      large += std::abs(p) > (1 << 24);
    }
    for (int i = 0; i < 100; ++i) ASSERT_LT(std::abs(DrawPosition(source, 1000)), 1000);
  }
  EXPECT_GT(negative, 1000);
  EXPECT_GT(small, 1000);
  EXPECT_GT(large, 1000);
  for (const int64_t p : {int64_t{0}, int64_t{257}, int64_t{2049}, int64_t{65520}, int64_t{1} << 20,
                          (int64_t{1} << 24) + 1, kMaxPosition, kMinPosition})
    EXPECT_TRUE(seen.count(p)) << p;
}

TEST(Memory, StridesReachEveryElementOnceInsideTheStorage) {
  int padded = 0, reversed = 0, permuted = 0, far = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    Source source = RandomSource(seed);
    const Tensor tensor = DrawStrided(source, DType::kF32, {2, 3, 2, 5});
    const ConstTensorView view = tensor.view();
    std::set<int64_t> offsets;
    for (int64_t i = 0; i < tensor.count(); ++i) {
      const int64_t at = tensor.origin() + view.OffsetOf(i);
      EXPECT_GE(at, 64);
      EXPECT_LE((at + 64) * 4, static_cast<int64_t>(tensor.storage().size()));
      EXPECT_TRUE(offsets.insert(at).second);
    }
    const Shape& s = view.strides;
    padded += *offsets.rbegin() - *offsets.begin() > 59;
    reversed += *std::min_element(s.begin(), s.end()) < 0;
    permuted += !std::is_sorted(s.rbegin(), s.rend());
    far += *offsets.rbegin() - *offsets.begin() > 65536;
  }
  EXPECT_GT(padded, 100);
  EXPECT_GT(reversed, 50);
  EXPECT_GT(permuted, 50);
  EXPECT_GT(far, 5);
}

TEST(Source, ZeroIsTheSimplestChoice) {
  Source source({});
  EXPECT_EQ(source.Below(1000), 0);
  EXPECT_FALSE(source.Chance(99, 100));
  EXPECT_EQ(source.Pick({7, 8, 9}), 7);
  EXPECT_EQ(DrawPosition(source, 100), 0);
  EXPECT_EQ(DrawNumber(source, Format::kF32, Numbers::kWide), 1);
}

// Every generated case is one that the contract accepts, and their variety is there.
TEST(Cases, AreValidAndVaried) {
  ReferenceSubject subject;
  std::map<std::string, int> seen;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    Source source = RandomSource(seed);
    Trial trial(subject, source, {Format::kF32, Format::kBf16, Format::kF16});
    rope::Draw draw;
    draw.memory = true;
    draw.given_tables = seed % 4 == 0;
    const Case c = rope::DrawApply(trial, draw);
    ASSERT_NO_THROW(Validate(c)) << Describe(c);
    const RopeApply a = gnomon::rope::ReadApply(c);
    ++seen["interleaved in " + std::to_string(a.input_layout == RopeLayout::kInterleaved)];
    seen["layouts differ"] += a.input_layout != a.output_layout;
    seen["partial"] += a.frequencies.rotary_dim < a.frequencies.head_dim;
    seen["offset"] += a.rotary_offset > 0;
    seen["odd head_dim"] += a.frequencies.head_dim % 2;
    seen["transpose"] += a.direction == RopeDirection::kTranspose;
    seen["explicit"] += !a.frequencies.frequencies.empty();
    seen["in place"] += !c.in_place.empty();
    seen["tail"] += a.frequencies.pairs() > 8 && a.frequencies.pairs() % 8 != 0;
    seen["strided"] += !c.inputs.at("x").view().contiguous();
    ASSERT_NO_THROW(Validate(sinusoidal::DrawAdd(trial, {})));
    const Case table = sinusoidal::DrawTable(trial, {});
    ASSERT_NO_THROW(Validate(table)) << Describe(table);
    const SinusoidalTable t = sinusoidal::TableOf(table);
    seen["odd width, sine"] += t.width % 2 != 0 && t.odd_width == OddWidth::kSine;
    seen["odd width, zero"] += t.width % 2 != 0 && t.odd_width == OddWidth::kZero;
    seen["less one"] += t.divisor == SinusoidalDivisor::kHalfMinusOne;
    seen["scale"] += t.scale.value != 1;
  }
  for (const auto& [what, count] : seen) EXPECT_GE(count, 10) << what;
}

}  // namespace
}  // namespace gnomon::properties
