// The idea: rotate in float64 and carry the error bound along with each element: it is relative to
// |p c| + |q s|, which cancellation leaves large while the result gets small. Where both ends of
// the enclosure round alike the rounding is decided; the caller decides the others from the exact
// frequency. No assumption about how often that is enters the result.
#include "gnomon/optimized/rotate_exact.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "gnomon/optimized/rotate_exact.cc"
#include "hwy/foreach_target.h"  // before highway.h
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace gnomon {
namespace optimized {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using F64 = hn::ScalableTag<double>;
using V64 = hn::Vec<F64>;

// To odd: truncated to 24 bits, the last of which says whether anything was cut.
HWY_INLINE V64 ToOdd(V64 v) {
  const F64 d;
  const hn::RebindToUnsigned<F64> du;
  const auto cut = hn::Set(du, (uint64_t{1} << 29) - 1);
  const auto bits = hn::BitCast(du, v);
  const auto carry = hn::Add(hn::And(bits, cut), cut);  // bit 29 is set unless nothing is cut
  const auto sticky = hn::And(carry, hn::Set(du, uint64_t{1} << 29));
  return hn::BitCast(d, hn::AndNot(cut, hn::Or(bits, sticky)));
}

void Enclose(const PairsToEnclose& in, const EnclosedPairs& out) {
  const F64 d;
  const hn::Rebind<float, F64> f;
  constexpr double kRotationRelative = 12 * 0x1p-53;  // ROUND-8
  const V64 relative = hn::Set(d, kRotationRelative);
  for (size_t i = 0; i < in.pairs; i += hn::Lanes(d)) {
    const V64 p = hn::PromoteTo(d, hn::LoadU(f, in.p + i));
    const V64 q = hn::PromoteTo(d, hn::LoadU(f, in.q + i));
    const V64 c = hn::LoadU(d, in.c + i), s = hn::LoadU(d, in.s + i);
    const V64 absolute = hn::Mul(hn::Add(hn::Abs(p), hn::Abs(q)), hn::LoadU(d, in.absolute + i));
    const auto store = [&](V64 y, V64 size, float* low, float* high) HWY_ATTR {
      const V64 radius = hn::MulAdd(size, relative, absolute);
      const V64 below = hn::Sub(y, radius), above = hn::Add(y, radius);
      hn::StoreU(hn::DemoteTo(f, in.to_16_bits ? ToOdd(below) : below), f, low + i);
      hn::StoreU(hn::DemoteTo(f, in.to_16_bits ? ToOdd(above) : above), f, high + i);
    };
    const V64 pc = hn::Mul(p, c), qs = hn::Mul(q, s), ps = hn::Mul(p, s), qc = hn::Mul(q, c);
    store(hn::Sub(pc, qs), hn::Add(hn::Abs(pc), hn::Abs(qs)), out.low0, out.high0);
    store(hn::Add(ps, qc), hn::Add(hn::Abs(ps), hn::Abs(qc)), out.low1, out.high1);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace optimized
}  // namespace gnomon
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gnomon::optimized {

HWY_EXPORT(Enclose);
void EncloseRotation(const PairsToEnclose& in, const EnclosedPairs& out) {
  HWY_DYNAMIC_DISPATCH(Enclose)(in, out);
}

}  // namespace gnomon::optimized
#endif  // HWY_ONCE
