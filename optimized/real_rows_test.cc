// ROUND-9: what a row of real angles decides is the rounded truth, on every target, and it decides
// all but a few; the largest error of its float64 values is not asked for, as they are not handed
// out.
#include "gnomon/optimized/real_rows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "gnomon/optimized/kernel_cases.h"
#include "gnomon/optimized/mpfr_truth.h"
#include "gnomon/optimized/schemes.h"

namespace gnomon::optimized {
namespace {

using testing::Mpfr;
using testing::Random;

constexpr size_t kLanes = 64;
constexpr mpfr_prec_t kBits = 3000;  // the widest sum of products of doubles below is exact

// One sum of products in radians or in quarter turns: exact arguments, exact factors.
struct Sums {
  std::vector<double> x;                     // [term]
  std::vector<std::vector<double>> factors;  // [term][lane]
  bool radians = false;
};

// cos and sin of lane i, as bits of float32.
PairBits Truth(const Sums& s, size_t i) {
  Mpfr sum(kBits), product(200), angle(kBits);
  mpfr_set_zero(sum.get(), 1);
  for (size_t a = 0; a < s.x.size(); ++a) {
    mpfr_set_d(product.get(), s.x[a], MPFR_RNDN);
    mpfr_mul_d(product.get(), product.get(), s.factors[a][i], MPFR_RNDN);
    mpfr_add(sum.get(), sum.get(), product.get(), MPFR_RNDN);
  }
  if (!s.radians) {
    // A whole number of quarter turns exactly: sines are then 0, not small.
    Mpfr four(kBits);
    mpfr_set_d(four.get(), 4, MPFR_RNDN);
    mpfr_fmod(sum.get(), sum.get(), four.get(), MPFR_RNDN);
    if (mpfr_integer_p(sum.get())) {
      const int quarter = static_cast<int>((mpfr_get_si(sum.get(), MPFR_RNDN) + 4) % 4);
      const float cos[] = {1, 0, -1, 0}, sin[] = {0, 1, 0, -1};
      return {std::bit_cast<uint32_t>(cos[quarter]), std::bit_cast<uint32_t>(sin[quarter])};
    }
    mpfr_const_pi(angle.get(), MPFR_RNDN);
    mpfr_div_ui(angle.get(), angle.get(), 2, MPFR_RNDN);
    mpfr_mul(sum.get(), sum.get(), angle.get(), MPFR_RNDN);
  }
  testing::MpfrCosSin v{Mpfr(400), Mpfr(400)};
  mpfr_sin_cos(v.sin.get(), v.cos.get(), sum.get(), MPFR_RNDN);
  return {v.cos.Bits(Format::kF32), v.sin.Bits(Format::kF32)};
}

// Fills a row, compares what is decided; returns how many lanes are.
size_t Decided(const Sums& s) {
  std::vector<QuarterFactors> factors;
  for (const std::vector<double>& of_term : s.factors) {
    factors.emplace_back(kLanes);
    for (size_t i = 0; i < kLanes; ++i)
      factors.back().Set(i, s.radians ? QuartersOf({of_term[i], 0}) : Two{of_term[i], 0});
  }
  std::vector<RealTerm> terms;
  for (size_t a = 0; a < s.x.size(); ++a)
    terms.push_back({&s.x[a], 0, factors[a].high(), s.radians ? factors[a].low() : nullptr, 1});
  RealRow row(PaddedPairs(kLanes));
  const bool any = row.Fill(terms);
  size_t decided = 0;
  for (size_t i = 0; i < kLanes; ++i) {
    if (row.open[i] != 0) continue;
    ++decided;
    const PairBits truth = Truth(s, i);
    const float cos = std::bit_cast<float>(static_cast<uint32_t>(truth.first)),
                sin = std::bit_cast<float>(static_cast<uint32_t>(truth.second));
    EXPECT_EQ(row.cos[i], cos) << CurrentTarget() << " lane " << i;
    EXPECT_EQ(row.sin[i], sin) << CurrentTarget() << " lane " << i;
    if (sin != 0) {
      EXPECT_EQ(std::signbit(row.sin[i]), std::signbit(sin)) << i;
    }
  }
  EXPECT_EQ(any, decided < kLanes);
  return decided;
}

double Draw(Random& random, int least, int most) {
  const double unit = 1 + std::ldexp(static_cast<double>(random() >> 12), -52);
  const int exponent = static_cast<int>(testing::Between(random, least, most));
  return (random() % 2 ? 1 : -1) * std::ldexp(unit, exponent);
}
Sums DrawSums(Random& random, size_t terms, int least, int most, bool radians) {
  Sums s;
  s.radians = radians;
  for (size_t a = 0; a < terms; ++a) {
    s.x.push_back(Draw(random, least, most));
    s.factors.emplace_back();
    for (size_t i = 0; i < kLanes; ++i) s.factors.back().push_back(Draw(random, least, most));
  }
  return s;
}

class RealRows : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { UseTarget(GetParam()); }
  void TearDown() override { UseTarget(""); }
};
INSTANTIATE_TEST_SUITE_P(Kernel, RealRows, ::testing::ValuesIn(Targets()),
                         [](const auto& target) { return target.param; });

TEST_P(RealRows, PlainAnglesAreDecided) {
  Random random(7);
  for (const bool radians : {false, true})
    for (const size_t terms : {1, 2, 3, 8})
      for (int round = 0; round < 12; ++round)
        EXPECT_GE(Decided(DrawSums(random, terms, -12, 12, radians)), kLanes - 1);
}

// Angles of any size: none decided wrongly; those below 2^32 quarter turns nearly always decided.
TEST_P(RealRows, AnySize) {
  Random random(8);
  for (const bool radians : {false, true})
    for (const size_t terms : {1, 3})
      for (int round = 0; round < 12; ++round) {
        Decided(DrawSums(random, terms, -290, 290, radians));
        EXPECT_GE(Decided(DrawSums(random, 1, -190, -10, radians)), kLanes - 2);
        EXPECT_GE(Decided(DrawSums(random, 1, 10, 14, radians)), kLanes - 1);
        EXPECT_EQ(Decided(DrawSums(random, 1, 17, 30, radians)), size_t{0});
      }
}

// Within some ulps of a multiple of a quarter turn, where the sine has lost all but its last bits.
TEST_P(RealRows, NearMultiplesOfAQuarterTurn) {
  Random random(9);
  for (const bool radians : {false, true})
    for (int round = 0; round < 20; ++round) {
      Sums s = DrawSums(random, 1, 0, 0, radians);
      s.x[0] = 1;
      for (double& w : s.factors[0]) {
        w = static_cast<double>(random() % 1000000) * (radians ? 1.5707963267948966 : 1.0);
        for (uint64_t steps = random() % 3; steps > 0; --steps) w = std::nextafter(w, 1e9);
      }
      EXPECT_GE(Decided(s), kLanes / 2);
      s.x.push_back(-1);  // sums that cancel, but for a few ulps
      s.factors.push_back(s.factors[0]);
      for (double& w : s.factors[1]) w = std::nextafter(w, 1e9);
      Decided(s);
    }
}

TEST_P(RealRows, ZerosAreExact) {
  Random random(10);
  for (const bool radians : {false, true}) {
    Sums s = DrawSums(random, 2, -3, 3, radians);
    s.x = {0.0, -0.0};
    EXPECT_EQ(Decided(s), kLanes);
    s.x = {3, -5};
    for (auto& of_term : s.factors) std::fill(of_term.begin(), of_term.end(), 0.0);
    EXPECT_EQ(Decided(s), kLanes);
    s.x = {0x1p1000, -0x1.8p1023};  // or left open
    Decided(s);
  }
  Sums quarters = DrawSums(random, 1, 0, 0, false);  // exact products
  quarters.x[0] = 0.25;
  for (size_t i = 0; i < kLanes; ++i) quarters.factors[0][i] = 2.0 * static_cast<double>(i) - 60;
  EXPECT_EQ(Decided(quarters), kLanes);
}

// What the derivation does not cover stays open.
TEST_P(RealRows, OutsideTheDomainIsOpen) {
  Random random(11);
  const double inf = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double beyond[] = {inf, -inf, nan, 0x1p-1074, 0x1p-1022, 0x1p-401, 0x1p33, 0x1p1000};
  for (const double x : beyond) {
    Sums s = DrawSums(random, 2, 0, 0, false);
    for (double& w : s.factors[0]) w = std::fabs(w) / 2;  // below 1
    s.x = {x, 1};
    EXPECT_EQ(Decided(s), size_t{0}) << x;
    s.x = {1, x};
    EXPECT_EQ(Decided(s), size_t{0}) << x;
    s.x = {1, 1};
    for (double& w : s.factors[1]) w = x;
    EXPECT_EQ(Decided(s), size_t{0}) << "factor " << x;
  }
  Sums many = DrawSums(random, kMaxRealTerms + 1, -3, 3, false);
  EXPECT_EQ(Decided(many), size_t{0});
  many.x.pop_back();
  many.factors.pop_back();
  EXPECT_GE(Decided(many), kLanes - 1);
}

}  // namespace
}  // namespace gnomon::optimized
