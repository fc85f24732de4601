#include "gnomon/optimized/turns.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "gnomon/optimized/mpfr_truth.h"

namespace gnomon::optimized {
namespace {

using testing::Mpfr;

// v 2^bits, as an MPFR value.
Mpfr Scaled(uint128_t v, int exponent) {
  Mpfr r(300);
  mpfr_set_ui(r.get(), static_cast<uint64_t>(v >> 64), MPFR_RNDN);
  mpfr_mul_2si(r.get(), r.get(), 64, MPFR_RNDN);
  Mpfr low(300);
  mpfr_set_ui(low.get(), static_cast<uint64_t>(v), MPFR_RNDN);
  mpfr_add(r.get(), r.get(), low.get(), MPFR_RNDN);
  mpfr_mul_2si(r.get(), r.get(), exponent, MPFR_RNDN);
  return r;
}

const std::vector<Number> kFrequencies = {Number(1),    Number(1e-4),  Number(6.2),   Number(1e5),
                                          Number(0.77), Number(-2),    Number(1e250), Number("0.1"),
                                          Number(1e-9), Number(1e-30), Number(0)};

Turns AllTurns() {
  std::vector<ExactFrequency> all;
  for (const Number& n : kFrequencies) all.push_back(ExactFrequency::Given(n));
  return Turns(all);
}

// ROUND-1: w / 2 pi modulo 1, to nearest.
TEST(Turns, FractionsAreWithinHalfAUnit) {
  const Turns turns = AllTurns();
  for (size_t i = 0; i < kFrequencies.size(); ++i) {
    Mpfr pi(1500), truth(1500), whole(1500);
    mpfr_const_pi(pi.get(), MPFR_RNDN);
    mpfr_div(truth.get(), Mpfr::Of(kFrequencies[i], 1500).get(), pi.get(), MPFR_RNDN);
    mpfr_div_2ui(truth.get(), truth.get(), 1, MPFR_RNDN);
    mpfr_floor(whole.get(), truth.get());
    mpfr_sub(truth.get(), truth.get(), whole.get(), MPFR_RNDN);
    mpfr_sub(truth.get(), truth.get(), Scaled(turns.fraction(i), -128).get(), MPFR_RNDN);
    double apart = std::fabs(mpfr_get_d(truth.get(), MPFR_RNDN));
    if (apart > 0.5) apart = 1 - apart;  // modulo 1
    EXPECT_LE(apart, 0x1p-129 + 0x1p-170) << ToText(kFrequencies[i]);
  }
}

// ROUND-5: the fixed-point tier's own bound holds, and is not idle.
TEST(Turns, FixedPointErrorIsWithinItsBound) {
  const Turns turns = AllTurns();
  std::mt19937_64 random(7);
  double largest = 0;
  for (int k = 0; k < 4000; ++k) {
    const size_t i = random() % kFrequencies.size();
    const int64_t m = (static_cast<int64_t>(random() % (uint64_t{1} << 32)) - (int64_t{1} << 31)) >>
                      (random() % 32);
    const FixedCosSin v = turns.Fixed(i, m);
    const auto truth = testing::CosSin(Mpfr::Of(kFrequencies[i], 1500), m, 300);
    for (const auto& [size, negative, exact] :
         {std::tuple{v.cos, v.cos_negative, truth.cos.get()},
          std::tuple{v.sin, v.sin_negative, truth.sin.get()}}) {
      Mpfr got = Scaled(size, -127);
      if (negative) mpfr_neg(got.get(), got.get(), MPFR_RNDN);
      mpfr_sub(got.get(), got.get(), exact, MPFR_RNDN);
      const double error = std::fabs(mpfr_get_d(got.get(), MPFR_RNDN)) * 0x1p127;
      ASSERT_LE(error, static_cast<double>(v.error)) << ToText(kFrequencies[i]) << " at " << m;
      if (v.error) largest = std::max(largest, error / static_cast<double>(v.error));
    }
  }
  EXPECT_GT(largest, 0.1);
  std::printf("largest error: %.2f of the bound\n", largest);
}

TEST(Turns, StepsAreNearestDoubles) {
  const Turns turns = AllTurns();
  for (size_t j = 0; j < kStepRows; ++j)
    for (size_t i = 0; i < turns.size(); ++i) {
      const auto truth =
          testing::CosSin(Mpfr::Of(kFrequencies[i], 1500), static_cast<int64_t>(j), 300);
      const double c = mpfr_get_d(truth.cos.get(), MPFR_RNDN),
                   s = mpfr_get_d(truth.sin.get(), MPFR_RNDN);
      EXPECT_LE(std::fabs(turns.steps()->cos[j * turns.padded() + i] - c), 0x1p-90);
      EXPECT_LE(std::fabs(turns.steps()->sin[j * turns.padded() + i] - s), 0x1p-90);
    }
}

}  // namespace
}  // namespace gnomon::optimized
