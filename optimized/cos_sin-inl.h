// Cosine and sine of quarter turns in float64 (ROUND-2), and their rounding to float32, for every
// target: what the tables of integer positions and of real arguments share.
#if defined(GNOMON_OPTIMIZED_COS_SIN_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef GNOMON_OPTIMIZED_COS_SIN_INL_H_
#undef GNOMON_OPTIMIZED_COS_SIN_INL_H_
#else
#define GNOMON_OPTIMIZED_COS_SIN_INL_H_
#endif

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace gnomon {
namespace optimized {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using F32 = hn::ScalableTag<float>;
using F64 = hn::ScalableTag<double>;
using U64 = hn::ScalableTag<uint64_t>;
using V32 = hn::Vec<F32>;
using V64 = hn::Vec<F64>;

// (-1)^k (pi/2)^n / n!, to nearest: Taylor in quarter turns, n = 1, 3, .. 17 and n = 2, 4, .. 16.
constexpr double kSine[] = {0x1.921fb54442d18p+0,  -0x1.4abbce625be53p-1,  0x1.466bc6775aae2p-4,
                            -0x1.32d2cce62bd86p-8, 0x1.50783487ee782p-13,  -0x1.e3074fde8871fp-19,
                            0x1.e8f434d018d63p-25, -0x1.6fadb9f155744p-31, 0x1.aaec32af93359p-38};
constexpr double kCosine[] = {-0x1.3bd3cc9be45dep+0,  0x1.03c1f081b5ac4p-2,   -0x1.55d3c7e3cbffap-6,
                              0x1.e1f506891babbp-11,  -0x1.a6d1f2a204a8cp-16, 0x1.f9d38a3763cc3p-22,
                              -0x1.b6e24f44b128fp-28, 0x1.20c62c2f2d7f5p-34};

template <size_t kCount>
HWY_INLINE V64 Horner(const double (&c)[kCount], V64 z) {
  const F64 d;
  V64 v = hn::Set(d, c[kCount - 1]);
  for (size_t i = kCount - 1; i-- > 0;) v = hn::MulAdd(v, z, hn::Set(d, c[i]));
  return v;
}

// ROUND-2. cos and sin of x quarter turns, |x| <= 1/2, from the quadrant that the two top bits of
// `quadrant` say.
HWY_INLINE void CosSinOfQuarters(hn::Vec<U64> quadrant, V64 x, V64& cosine, V64& sine) {
  const F64 d;
  const U64 du;
  const V64 z = hn::Mul(x, x);
  const V64 s = hn::Mul(x, Horner(kSine, z));
  const V64 c = hn::MulAdd(z, Horner(kCosine, z), hn::Set(d, 1.0));
  const auto quarter = hn::Set(du, uint64_t{1} << 62), sign = hn::Set(du, uint64_t{1} << 63);
  const auto odd = hn::RebindMask(d, hn::TestBit(quadrant, quarter));
  const auto cos_sign = hn::And(hn::Add(quadrant, quarter), sign);
  sine = hn::Xor(hn::IfThenElse(odd, c, s), hn::BitCast(d, hn::And(quadrant, sign)));
  cosine = hn::Xor(hn::IfThenElse(odd, s, c), hn::BitCast(d, cos_sign));
}

// One vector of float32 from the float64 vectors that hold its lower and its upper lanes. The
// scalar target has one lane of each.
#if HWY_TARGET == HWY_SCALAR
HWY_INLINE V32 Round(V64 low, V64) { return hn::DemoteTo(F32(), low); }
#else
HWY_INLINE V32 Round(V64 low, V64 high) {
  const hn::Rebind<float, F64> half;
  return hn::Combine(F32(), hn::DemoteTo(half, high), hn::DemoteTo(half, low));
}
#endif

// Where the upper lanes of a float32 vector start.
HWY_INLINE size_t UpperHalf() {
  return hn::Lanes(F32()) == hn::Lanes(F64()) ? 0 : hn::Lanes(F64());
}

// A float64 vector for the lower and the upper lanes of a float32 one.
struct Halves {
  V64 low, high;
};

#if HWY_TARGET != HWY_SCALAR
// ROUND-4. A cheaper test that passes most values, by integers: all are above 2^-12, where 2^15
// units in the last place of a double are more than either radius, and none is that close to the
// middle of two floats, 2^28 in the 29 bits that rounding drops.
class Nearness {
 public:
  // `may_pass`: false lets nothing pass.
  explicit Nearness(bool may_pass = true)
      : beyond_(hn::Set(U32(), may_pass ? ((uint32_t{1} << 29) - 1) & ~(2 * kReach - 1) : 0)),
        distance_(hn::Set(U32(), ~uint32_t{0})),
        size_(hn::Set(F32(), 1.0f)) {}
  HWY_INLINE void Add(const Halves& c, const Halves& s, V32 rounded_cos, V32 rounded_sin) {
    const auto distance = [&](const Halves& v) HWY_ATTR {
      const auto low_words =
          hn::ConcatEven(U32(), hn::BitCast(U32(), v.high), hn::BitCast(U32(), v.low));
      return hn::And(hn::Add(low_words, hn::Set(U32(), kMiddle + kReach)), beyond_);
    };
    distance_ = hn::Min(distance_, hn::Min(distance(c), distance(s)));
    size_ = hn::Min(size_, hn::Abs(hn::Mul(rounded_cos, rounded_sin)));
  }
  HWY_INLINE bool Clear() const {
    const auto near = hn::Eq(distance_, hn::Zero(U32()));
    const auto small = hn::Lt(size_, hn::Set(F32(), 0x1p-11f));
    return hn::AllFalse(F32(), hn::Or(hn::RebindMask(F32(), near), small));
  }

 private:
  using U32 = hn::RebindToUnsigned<F32>;
  static constexpr uint32_t kReach = uint32_t{1} << 15, kMiddle = uint32_t{1} << 28;
  hn::Vec<U32> beyond_, distance_;
  V32 size_;
};
#endif

}  // namespace HWY_NAMESPACE
}  // namespace optimized
}  // namespace gnomon
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
