// The second opinion: the same reference templates on cpp_bin_float, which shares no code with
// MPFR, agree with the enclosures to 2^-280 (10^5 values), far beyond any rounding that is judged.
// An enclosure also stays inside the ones of less precision.
#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <random>

#include "gnomon/reference/certify.h"
#include "gnomon/reference/rope.h"
#include "gnomon/reference/sinusoidal.h"

namespace gnomon::reference {
namespace {

// 420 bits: angles up to 2^40 keep 300 bits behind the point.
using Second = boost::multiprecision::number<
    boost::multiprecision::cpp_bin_float<420, boost::multiprecision::digit_base_2>,
    boost::multiprecision::et_off>;

// Second's value, exactly, as an interval of 512 bits.
Interval Exact(const Second& v) {
  int exponent = 0;
  Second rest = frexp(v, &exponent);
  Interval sum(0);
  for (int i = 0; i < 9; ++i) {  // 53 bits at a time
    const double part = static_cast<double>(ldexp(rest, 50));
    const double whole = std::trunc(part);
    sum += ldexp(Interval(whole), exponent - 50 * (i + 1));
    rest = ldexp(rest, 50) - Second(whole);
  }
  return sum;
}

bool Near(const Interval& enclosure, const Second& value) {
  // cpp_bin_float is good to a few hundred bits, not to its last: widen by 2^-280 absolutely.
  const Interval error = abs(enclosure - Exact(value));
  return LessOrEqual(error, ldexp(Interval(1), -280));
}

TEST(Backends, RopeAgreesOn100000Values) {
  std::mt19937_64 random(7);
  ScopedPrecision precision(512);
  const double thetas[] = {10000, 500000, 1e6, 150000, 0.5, 3, 1.0000001};
  int64_t compared = 0;
  while (compared < 100000) {
    RopeFrequencies f;
    f.rotary_dim = f.head_dim = 2 * static_cast<int64_t>(1 + random() % 64);
    f.rope_theta = thetas[random() % std::size(thetas)];
    const int64_t pair = static_cast<int64_t>(random()) & 0x7fffffff;
    const Interval w = Frequency<Interval>(f, pair % f.pairs());
    const Second w2 = Frequency<Second>(f, pair % f.pairs());
    for (int i = 0; i < 50; ++i, compared += 2) {
      const int64_t position = static_cast<int64_t>(random()) >> (32 + random() % 31);
      const Interval angle = Interval(position) * w;
      const Second angle2 = Second(position) * w2;
      ASSERT_TRUE(Near(cos(angle), cos(angle2))) << position << " " << f.rope_theta.value;
      ASSERT_TRUE(Near(sin(angle), sin(angle2))) << position << " " << f.rope_theta.value;
    }
  }
}

TEST(Backends, SinusoidalAgrees) {
  std::mt19937_64 random(8);
  ScopedPrecision precision(512);
  for (int i = 0; i < 300; ++i) {
    SinusoidalTable t;
    t.width = static_cast<int64_t>(1 + random() % 20);
    t.layout = static_cast<SinusoidalLayout>(random() % 3);
    t.divisor = static_cast<SinusoidalDivisor>(random() % 2);
    t.odd_width = static_cast<OddWidth>(random() % 2);
    t.scale = Number("0.3");
    const int64_t m = static_cast<int64_t>(random()) >> 33,
                  n = static_cast<int64_t>(random()) >> 40;
    const int64_t column = static_cast<int64_t>(random() >> 1) % t.width;
    ASSERT_TRUE(Near(Entry<Interval>(t, m, column), Entry<Second>(t, m, column)));
    const auto w = [&](int64_t pair) { return Frequency<Interval>(t, pair); };
    const auto w2 = [&](int64_t pair) { return Frequency<Second>(t, pair); };
    ASSERT_TRUE(Near(Similarity<Interval>(t, m, n, w), Similarity<Second>(t, m, n, w2)));
    ASSERT_TRUE(Near(Distance<Interval>(t, m, n, w), Distance<Second>(t, m, n, w2)));
  }
}

TEST(Backends, MorePrecisionOnlyNarrows) {
  RopeFrequencies f;
  f.rotary_dim = f.head_dim = 128;
  for (const int64_t position : {int64_t{1}, int64_t{4095}, kMaxPosition, kMinPosition}) {
    for (const int64_t pair : {0, 1, 31, 63}) {
      std::optional<Interval> before;
      for (unsigned bits = 64; bits <= 1024; bits *= 2) {
        ScopedPrecision precision(bits);
        const Interval now = TableEntry<Interval>(f, position, pair).b;
        if (before) {
          EXPECT_TRUE(mpfr_lessequal_p(Lower(*before), Lower(now)));
          EXPECT_TRUE(mpfr_greaterequal_p(Upper(*before), Upper(now)));
        }
        before = now;
      }
    }
  }
}

}  // namespace
}  // namespace gnomon::reference
