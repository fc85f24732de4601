// Resized tables and rows of grids: weights by hand, ties, special values, refusals, the second
// number type, the fast path.
#include "gnomon/reference/learned_resize.h"

#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <limits>
#include <random>

#include "gnomon/reference/certify.h"
#include "gnomon/reference/judge.h"
#include "gnomon/spec/schemes.h"

namespace gnomon::reference {
namespace {

using gnomon::learned::ReadResize;
using gnomon::learned::ResizeParameters;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr size_t kStandard = 1;

// A list of numbers, resized.
Case List(const std::vector<double>& values, double columns, const std::string& filter,
          Format format = Format::kF32) {
  Case c;
  c.operation = "learned.resize";
  c.format = format;
  c.parameters = {{"columns", columns}, {"filter", filter}};
  if (filter == "bicubic") c.parameters["cubic_a"] = -0.75;
  Tensor table(DTypeOf(format), {1, static_cast<int64_t>(values.size()), 1});
  for (int64_t i = 0; i < table.count(); ++i) table.Set(i, values[static_cast<size_t>(i)]);
  c.inputs.emplace("table", table);
  return c;
}
std::vector<double> Resized(const Case& c) {
  int64_t ties = 0;
  const Outputs outputs = RoundedTruth(c, &ties);
  EXPECT_EQ(ties, 0);
  std::vector<double> values;
  for (int64_t i = 0; i < outputs.at("resized").count(); ++i)
    values.push_back(outputs.at("resized").Value(i));
  return values;
}
std::string Refusal(const Case& c) {
  try {
    Validate(c);
  } catch (const Rejected& e) {
    return e.what();
  }
  return "";
}

// LEARNED-8, LEARNED-9: two numbers become four.
TEST(Resize, ByHand) {
  Case c = List({0, 1}, 4, "bilinear");
  EXPECT_EQ(Resized(c), (std::vector<double>{0, 0.25, 0.75, 1}));
  c.parameters["coordinates"] = std::string("align_corners");
  EXPECT_EQ(Resized(c), (std::vector<double>{0, 1.0f / 3, 2.0f / 3, 1}));
  // At 1/4: c(1.25), c(0.25), c(0.75), c(1.75) with a = -3/4.
  const std::vector<double> cubic = Resized(List({0, 0, 1, 0}, 8, "bicubic"));
  EXPECT_EQ(cubic[3], 0.26171875);
  EXPECT_EQ(cubic[4], 0.87890625);
  // One number is all there is.
  EXPECT_EQ(Resized(List({7}, 3, "bicubic")), (std::vector<double>{7, 7, 7}));
}

// LEARNED-10: four numbers become two, weights 3/7, 3/7, 1/7.
TEST(Resize, AntialiasedByHand) {
  Case c = List({0, 1, 2, 3}, 2, "bilinear", Format::kF64);
  c.parameters["antialias"] = true;
  EXPECT_EQ(Resized(c), (std::vector<double>{5.0 / 7, 16.0 / 7}));
  c.parameters["antialias"] = false;
  EXPECT_EQ(Resized(c), (std::vector<double>{0.5, 2.5}));
}

// What is half way between two numbers of the format is known to be: 1 + 2^-8 in bf16.
TEST(Resize, TiesAreDecided) {
  const Case even = List({1, 1 + 0x1p-7}, 1, "bilinear", Format::kBf16);
  EXPECT_EQ(Resized(even), std::vector<double>{1});
  Case thirds = List({1, 1, 1 + 0x3p-7}, 5, "bilinear", Format::kBf16);
  thirds.parameters["coordinates"] = std::string("align_corners");
  EXPECT_EQ(Resized(thirds)[3], 1 + 0x1p-6);  // 1 + 1.5 2^-7
}

// LEARNED-11.
TEST(Resize, NotFinite) {
  const auto expect = [](const Case& c, int64_t element) { return TruthOf(c)->Expect(0, element); };
  const auto open = [](const Case& c, int64_t element) {
    return TruthOf(c)->NonFiniteIsOpen(0, element, kProfiles[kStandard]);
  };
  const Case nan = List({0, std::nan(""), 2, 3, 4}, 10, "bilinear");
  EXPECT_EQ(expect(nan, 2).kind, Expectation::kNonFinite);
  EXPECT_TRUE(std::isnan(expect(nan, 2).non_finite));
  EXPECT_FALSE(open(nan, 2));
  EXPECT_EQ(expect(nan, 6).kind, Expectation::kReal);
  EXPECT_FALSE(open(nan, 6));
  const Case infinite = List({0, kInfinity, 2, 3, 4}, 10, "bilinear");
  EXPECT_EQ(expect(infinite, 2).kind, Expectation::kNonFinite);
  EXPECT_TRUE(open(infinite, 2));
  // The same size: the neighbour has the weight 0, or nearly.
  const Case beside = List({0, kInfinity, 2}, 3, "bilinear");
  EXPECT_EQ(expect(beside, 0).kind, Expectation::kReal);
  EXPECT_TRUE(open(beside, 0));
  EXPECT_EQ(expect(beside, 1).kind, Expectation::kNonFinite);
  // Beyond an end: torch clamps the coordinate to 0, and multiplies the neighbour by 0.
  const Case ends = List({1, kInfinity, kInfinity, 4}, 12, "bilinear");
  for (const int64_t element : {0, 11}) {
    EXPECT_EQ(expect(ends, element).kind, Expectation::kReal);
    EXPECT_TRUE(open(ends, element));
  }
  EXPECT_FALSE(open(List({1, 2, kInfinity, 4}, 12, "bilinear"), 0));
  // 2 x 3e38 may be met on the way.
  EXPECT_TRUE(open(List({3e38, 3e38}, 3, "bicubic"), 1));
}

TEST(Resize, Refusals) {
  Case c = List({0, 1}, 4, "bilinear");
  c.parameters["cubic_a"] = -0.5;
  EXPECT_EQ(Refusal(c), "cubic_a = (given): has no meaning for filter bilinear (LEARNED-9)");
  c.parameters["filter"] = std::string("bicubic");
  EXPECT_EQ(Refusal(c), "");
  c.parameters["cubic_a"] = -0.6;
  EXPECT_EQ(Refusal(c), "cubic_a = -0.6: must be a value of float32 from -1 to 0 (LEARNED-9)");
  c.parameters.erase("cubic_a");
  EXPECT_EQ(Refusal(c), "cubic_a = (missing): is required of filter bicubic (LEARNED-9)");
  c = List({0, 1}, 4, "bilinear");
  c.parameters["antialias"] = true;
  c.parameters["coordinates"] = std::string("align_corners");
  EXPECT_EQ(Refusal(c),
            "antialias = true: is not defined with coordinates align_corners (LEARNED-10)");
  c.parameters.erase("filter");
  EXPECT_EQ(Refusal(c), "filter = (missing): is required: bilinear or bicubic (LEARNED-9)");
}

// AXES-7.
TEST(Grid, PlacesByHand) {
  Case c;
  c.operation = "learned.lookup_2d";
  Tensor table(DType::kF32, {2, 3, 1}), places(DType::kI64, {2, 3});
  for (int64_t i = 0; i < 6; ++i) table.Set(i, static_cast<double>(i));
  const int64_t at[] = {0, 1, 1, 2, 0, 2};
  for (int64_t i = 0; i < 6; ++i) places.SetInteger(i, at[i]);
  c.inputs.emplace("table", table);
  c.inputs.emplace("positions", places);
  const Outputs rows = RoundedTruth(c);
  for (int64_t i = 0; i < 3; ++i)
    EXPECT_EQ(rows.at("rows").Value(i), static_cast<double>(3 * at[i] + at[3 + i]));
  c.inputs.at("positions").SetInteger(1, 2);
  EXPECT_EQ(Refusal(c), "positions = 2: is none of the table's 2 rows (AXES-7)");
  c.inputs.at("positions").SetInteger(1, 1);
  c.inputs.at("positions").SetInteger(3, -1);
  EXPECT_EQ(Refusal(c), "positions = -1: is none of the table's 3 columns (AXES-7)");
}

ResizeParameters Draw(std::mt19937_64& random) {
  ResizeParameters p;
  for (auto* axis : {&p.rows, &p.columns})
    *axis = {static_cast<int64_t>(1 + random() % 9), static_cast<int64_t>(1 + random() % 9)};
  p.filter = static_cast<gnomon::learned::ResizeFilter>(random() % 2);
  p.antialias = random() % 2;
  if (!p.antialias) p.coordinates = static_cast<gnomon::learned::Coordinates>(random() % 2);
  p.a = -static_cast<double>(random() % 5) / 4;
  p.width = 1;
  return p;
}

// The same templates on a number type that shares no code with MPFR; and weights sum to 1.
TEST(Resize, SecondNumberTypeAgrees) {
  using Second = boost::multiprecision::number<
      boost::multiprecision::cpp_bin_float<420, boost::multiprecision::digit_base_2>,
      boost::multiprecision::et_off>;
  std::mt19937_64 random(5);
  ScopedPrecision precision(512);
  for (int k = 0; k < 300; ++k) {
    const ResizeParameters p = Draw(random);
    const int64_t i = static_cast<int64_t>(random() % static_cast<uint64_t>(p.columns.to));
    const Taps<Interval> taps = TapsOf<Interval>(p, p.columns, i, Format::kF32);
    const Taps<Second> second = TapsOf<Second>(p, p.columns, i, Format::kF32);
    ASSERT_EQ(taps.size(), second.size());
    Interval sum(0);
    for (size_t t = 0; t < taps.size(); ++t) {
      sum += taps.Weight(t);
      // Numerators are small dyadic numbers: exact in both.
      ASSERT_TRUE(IsPoint(taps.numerators[t]));
      ASSERT_EQ(Midpoint(taps.numerators[t]), static_cast<double>(second.numerators[t]));
      ASSERT_NEAR(Midpoint(taps.Weight(t)), static_cast<double>(second.Weight(t)), 0x1p-52);
    }
    EXPECT_TRUE(LessOrEqual(abs(sum - 1), ldexp(Interval(1), -400)));
  }
}

// The fast path: its radius covers the truth, its bounds are the clause's within 2^-40.
TEST(Resize, QuickIsNearTheTruth) {
  std::mt19937_64 random(6);
  int64_t seen = 0;
  for (int k = 0; k < 60; ++k) {
    const ResizeParameters p = Draw(random);
    std::vector<double> values(static_cast<size_t>(p.columns.from));
    for (double& v : values)
      v = RoundToFormat(Format::kF32, std::ldexp(static_cast<double>(random() >> 12), -50) - 2);
    Case c = List(values, static_cast<double>(p.columns.to),
                  p.half_width() == 2 ? "bicubic" : "bilinear");
    if (p.half_width() == 2) c.parameters["cubic_a"] = p.a;
    if (p.antialias) c.parameters["antialias"] = true;
    const std::unique_ptr<Truth> truth = TruthOf(c);
    for (int64_t i = 0; i < p.columns.to; ++i) {
      QuickElement q;
      if (!truth->Quick(0, i, kProfiles, &q)) continue;
      ++seen;
      EXPECT_LE(std::abs(Midpoint(truth->Value(0, i)) - q.value), q.radius);
      for (size_t profile = 0; profile < kProfiles.size(); ++profile) {
        const double bound = Midpoint(truth->Bound(0, i, kProfiles[profile]));
        EXPECT_NEAR(q.bound[profile], bound, bound * 0x1p-40);
      }
    }
  }
  EXPECT_GT(seen, 100);
}

}  // namespace
}  // namespace gnomon::reference
