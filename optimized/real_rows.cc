// The idea: products with a factor of two doubles are exact but for 2^-102, so is their sum, and a
// whole number of quarter turns comes off it exactly. What is left is an angle of ROUND-2; ROUND-9
// says how far off it may be, and ROUND-4 what that decides.
#include "gnomon/optimized/real_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "gnomon/optimized/real_rows.cc"
// clang-format off
#include "hwy/foreach_target.h"  // before highway.h
#include "hwy/highway.h"
#include "gnomon/optimized/cos_sin-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace gnomon {
namespace optimized {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if !HWY_NATIVE_FMA
// Veltkamp: 26 bits and the rest.
HWY_INLINE void Split(V64 a, V64& upper, V64& lower) {
  const V64 c = hn::Mul(a, hn::Set(F64(), 134217729.0));
  upper = hn::Sub(c, hn::Sub(c, a));
  lower = hn::Sub(a, upper);
}
#endif
// a b - p, exactly, p = fl(a b).
HWY_INLINE V64 ProductError(V64 a, V64 b, V64 p) {
#if HWY_NATIVE_FMA
  return hn::MulSub(a, b, p);
#else
  V64 a1, a0, b1, b0;
  Split(a, a1, a0);
  Split(b, b1, b0);
  const V64 rest = hn::Add(hn::Sub(hn::Mul(a1, b1), p), hn::Mul(a1, b0));
  return hn::Add(hn::Add(rest, hn::Mul(a0, b1)), hn::Mul(a0, b0));
#endif
}

HWY_INLINE V64 LoadStep(const double* from, size_t step, size_t i) {
  return step == 0 ? hn::Set(F64(), from[0]) : hn::LoadU(F64(), from + i);
}

// ROUND-9. cos and sin of the angles from i on; `absolute` is that part of the radius. `kOne`: of a
// single product.
template <bool kOne>
HWY_INLINE void CosSinOfSum(const RealTerm* terms, size_t count, double slack, size_t i,
                            V64& cosine, V64& sine, V64& absolute) {
  const F64 d;
  const V64 tiny = hn::Set(d, 0x1p-400), zero = hn::Zero(d);
  V64 high = zero, low = zero, sizes = zero;
  auto lost = hn::Lt(zero, zero);
  for (const RealTerm* t = terms; t != terms + (kOne ? 1 : count); ++t) {
    const V64 x = LoadStep(t->x, t->x_step, i), factor = LoadStep(t->high, t->step, i);
    const V64 p = hn::Mul(x, factor), size = hn::Abs(p);
    V64 rest = ProductError(x, factor, p);
    if (t->low != nullptr) rest = hn::MulAdd(x, LoadStep(t->low, t->step, i), rest);
    sizes = hn::Add(sizes, size);
    const auto operands = hn::Gt(hn::Min(hn::Abs(x), hn::Abs(factor)), zero);
    lost = hn::Or(lost, hn::And(hn::Lt(size, tiny), operands));
#if !HWY_NATIVE_FMA
    lost = hn::Or(lost, hn::Ge(hn::Abs(x), hn::Set(d, 0x1p900)));  // Split would overflow
#endif
    const V64 sum = hn::Add(high, p);
    if constexpr (kOne) {
      low = hn::Add(low, rest);
    } else {
      const V64 part = hn::Sub(sum, high);
      const V64 error = hn::Add(hn::Sub(high, hn::Sub(sum, part)), hn::Sub(p, part));
      low = hn::Add(hn::Add(low, rest), error);
    }
    high = sum;
  }
  const auto good = hn::AndNot(lost, hn::Lt(sizes, hn::Set(d, 0x1p32)));
  absolute = hn::IfThenElse(good, hn::Mul(sizes, hn::Set(d, slack)),
                            hn::Set(d, std::numeric_limits<double>::infinity()));
  // Rounds to a whole number, whose two last bits are the quadrant.
  const V64 shift = hn::Set(d, 0x1.8p52), shifted = hn::Add(high, shift);
  const V64 x = hn::Add(hn::Sub(high, hn::Sub(shifted, shift)), low);
  CosSinOfQuarters(hn::ShiftLeft<62>(hn::BitCast(U64(), shifted)), x, cosine, sine);
}

// ROUND-4, of the absolute value; a lower end below 0 decides nothing.
HWY_INLINE hn::Mask<F32> Undecided(const Halves& v, const Halves& absolute) {
  const hn::RebindToUnsigned<F32> du;
  const V64 relative = hn::Set(F64(), 8 * 0x1p-53);
  const Halves size{hn::Abs(v.low), hn::Abs(v.high)};
  const Halves radius{hn::MulAdd(size.low, relative, absolute.low),
                      hn::MulAdd(size.high, relative, absolute.high)};
  const V32 lower = Round(hn::Sub(size.low, radius.low), hn::Sub(size.high, radius.high));
  const V32 upper = Round(hn::Add(size.low, radius.low), hn::Add(size.high, radius.high));
  const auto below = hn::TestBit(hn::BitCast(du, lower), hn::Set(du, uint32_t{1} << 31));
  // Not Ne, which is false of NaN.
  return hn::Or(hn::Not(hn::Eq(lower, upper)), hn::RebindMask(F32(), below));
}

// ROUND-4: the cheaper test, whose reach is more than a radius with so small an absolute part.
HWY_INLINE bool Clear(const Halves& c, const Halves& s, const Halves& absolute, V32 cosine,
                      V32 sine) {
#if HWY_TARGET == HWY_SCALAR
  (void)c, (void)s, (void)absolute, (void)cosine, (void)sine;
  return false;
#else
  const V64 small = hn::Set(F64(), 0x1p-51);
  const auto covered = hn::Lt(hn::Max(absolute.low, absolute.high), small);
  Nearness nearness;
  nearness.Add(c, s, cosine, sine);
  return nearness.Clear() && hn::AllTrue(F64(), covered);
#endif
}

template <bool kOne>
HWY_INLINE bool RowOf(const RealTerm* terms, size_t count, double slack, size_t padded, float* cos,
                      float* sin, uint32_t* open) {
  const F32 d;
  const hn::RebindToUnsigned<F32> du;
  bool any = false;
  for (size_t i = 0; i < padded; i += hn::Lanes(d)) {
    Halves c, s, absolute;
    CosSinOfSum<kOne>(terms, count, slack, i, c.low, s.low, absolute.low);
#if HWY_TARGET != HWY_SCALAR
    CosSinOfSum<kOne>(terms, count, slack, i + UpperHalf(), c.high, s.high, absolute.high);
#else
    c.high = c.low, s.high = s.low, absolute.high = absolute.low;
#endif
    const V32 cosine = Round(c.low, c.high), sine = Round(s.low, s.high);
    hn::Store(cosine, d, cos + i);
    hn::Store(sine, d, sin + i);
    hn::Store(hn::Zero(du), du, open + i);
    if (HWY_LIKELY(Clear(c, s, absolute, cosine, sine))) continue;
    const auto undecided = hn::Or(Undecided(c, absolute), Undecided(s, absolute));
    if (HWY_LIKELY(hn::AllFalse(d, undecided))) continue;
    hn::Store(hn::BitCast(du, hn::VecFromMask(d, undecided)), du, open + i);
    any = true;
  }
  return any;
}

bool Row(const RealTerm* terms, size_t count, double slack, size_t padded, float* cos, float* sin,
         uint32_t* open) {
  return count == 1 ? RowOf<true>(terms, count, slack, padded, cos, sin, open)
                    : RowOf<false>(terms, count, slack, padded, cos, sin, open);
}

}  // namespace HWY_NAMESPACE
}  // namespace optimized
}  // namespace gnomon
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gnomon::optimized {

HWY_EXPORT(Row);

QuarterFactors::QuarterFactors(size_t size) : size_(size), high_(padded()), low_(padded()) {
  std::fill_n(high_.data(), padded(), 0.0);
  std::fill_n(low_.data(), padded(), 0.0);
}
void QuarterFactors::Set(size_t i, Two quarters) {
  const double size = std::fabs(quarters.hi);
  const bool tame = size == 0 || (size >= 0x1p-300 && size <= 0x1p300);
  high_[i] = tame ? quarters.hi : std::numeric_limits<double>::quiet_NaN();
  low_[i] = quarters.lo;
  exact_ &= quarters.lo == 0;
}

Two QuartersOf(Two w) { return Times(w, {0x1.45f306dc9c883p-1, -0x1.6b01ec5417056p-55}); }

RealRow::RealRow(size_t padded) : padded(padded), cos(padded), sin(padded), open(padded) {}

bool RealRow::Fill(const std::vector<RealTerm>& terms) {
  const double n = static_cast<double>(terms.size());
  double slack = 0x1p-104 * (n + 5) * (n + 5);
  if (terms.size() == 1 && terms[0].low == nullptr) slack = 0;
  if (terms.size() > kMaxRealTerms) slack = std::numeric_limits<double>::quiet_NaN();
  return HWY_DYNAMIC_DISPATCH(Row)(terms.data(), terms.size(), slack, padded, cos.data(),
                                   sin.data(), open.data());
}

}  // namespace gnomon::optimized
#endif  // HWY_ONCE
