// Vector conversions between float32 and 16 bits, for every target: Highway 1.0.3's own truncate to
// bf16 everywhere, truncate to f16 below AVX2, and there turn an infinite or NaN f16 into a number.
#if defined(GNOMON_OPTIMIZED_FORMATS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef GNOMON_OPTIMIZED_FORMATS_INL_H_
#undef GNOMON_OPTIMIZED_FORMATS_INL_H_
#else
#define GNOMON_OPTIMIZED_FORMATS_INL_H_
#endif

#include "hwy/highway.h"

// F16C rounds to nearest even and keeps NaN and Inf.
#undef GNOMON_NATIVE_F16
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
#define GNOMON_NATIVE_F16 1
#else
#define GNOMON_NATIVE_F16 0
#endif

HWY_BEFORE_NAMESPACE();
namespace gnomon {
namespace optimized {
namespace HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR

// A vector of 16-bit elements is a vector of 32-bit lanes: an even element below, an odd one above.
struct Lanes16 {
  using F = hwy::HWY_NAMESPACE::ScalableTag<float>;
  using U = hwy::HWY_NAMESPACE::ScalableTag<uint32_t>;
  using H = hwy::HWY_NAMESPACE::ScalableTag<uint16_t>;
  using VF = hwy::HWY_NAMESPACE::Vec<F>;
  using VU = hwy::HWY_NAMESPACE::Vec<U>;
  using VH = hwy::HWY_NAMESPACE::Vec<H>;
};

struct Bf16Lanes : Lanes16 {
  static HWY_INLINE VF Even(VH v) {
    namespace hn = hwy::HWY_NAMESPACE;
    return hn::BitCast(F(), hn::ShiftLeft<16>(hn::BitCast(U(), v)));
  }
  static HWY_INLINE VF Odd(VH v) {
    namespace hn = hwy::HWY_NAMESPACE;
    return hn::BitCast(F(), hn::And(hn::BitCast(U(), v), hn::Set(U(), 0xffff0000u)));
  }
  // even, odd must be results of arithmetic on operands whose NaNs, if any, have 16 zero bits at
  // the end, as promoted bf16 has: then so has a NaN that arithmetic hands on or makes, and
  // rounding leaves it one. All upper halves and all lower halves side by side, 16 bits a lane: the
  // carry of lower + 0x7fff + (upper & 1) into the upper half is the top bit of that sum's
  // rounded-up half.
  static HWY_INLINE VH Join(VF even, VF odd) {
    namespace hn = hwy::HWY_NAMESPACE;
    const H h;
    const VU even_bits = hn::BitCast(U(), even), odd_bits = hn::BitCast(U(), odd);
    const VH upper =
        hn::OddEven(hn::BitCast(h, odd_bits), hn::BitCast(h, hn::ShiftRight<16>(even_bits)));
    const VH lower =
        hn::OddEven(hn::BitCast(h, hn::ShiftLeft<16>(odd_bits)), hn::BitCast(h, even_bits));
    const VH half = hn::Or(hn::And(upper, hn::Set(h, 1)), hn::Set(h, 0x7ffe));
    return hn::Add(upper, hn::ShiftRight<15>(hn::AverageRound(lower, half)));
  }
};

struct F16Lanes : Lanes16 {
  static HWY_INLINE VF Promote(VU low) {
    namespace hn = hwy::HWY_NAMESPACE;
    const U u;
    const VU sign = hn::ShiftLeft<16>(hn::And(low, hn::Set(u, 0x8000)));
    const VU size = hn::And(low, hn::Set(u, 0x7fff));
    const VU moved = hn::ShiftLeft<13>(size);
    const VU finite = hn::BitCast(u, hn::Mul(hn::BitCast(F(), moved), hn::Set(F(), 0x1p112f)));
    const VU special = hn::Or(moved, hn::Set(u, 0x7f800000));
    const auto is_special = hn::Gt(size, hn::Set(u, 0x7bff));
    return hn::BitCast(F(), hn::Or(sign, hn::IfThenElse(is_special, special, finite)));
  }
  static HWY_INLINE VF Even(VH v) {
    namespace hn = hwy::HWY_NAMESPACE;
    return Promote(hn::And(hn::BitCast(U(), v), hn::Set(U(), 0xffff)));
  }
  static HWY_INLINE VF Odd(VH v) {
    namespace hn = hwy::HWY_NAMESPACE;
    return Promote(hn::ShiftRight<16>(hn::BitCast(U(), v)));
  }
  // F16FromF32 of formats.h, in lanes.
  static HWY_INLINE VU Demote(VF v) {
    namespace hn = hwy::HWY_NAMESPACE;
    const U u;
    const VU bits = hn::BitCast(u, v);
    const VU sign = hn::And(hn::ShiftRight<16>(bits), hn::Set(u, 0x8000));
    const VU size = hn::And(bits, hn::Set(u, 0x7fffffff));
    const VU nan = hn::Or(hn::Set(u, 0x7e00), hn::And(hn::ShiftRight<13>(size), hn::Set(u, 0x1ff)));
    const VU subnormal =  // ROPE-10: gradual underflow
        hn::Sub(hn::BitCast(u, hn::Add(hn::BitCast(F(), size), hn::Set(F(), 0.5f))),
                hn::Set(u, 0x3f000000));
    const VU odd = hn::And(hn::ShiftRight<13>(size), hn::Set(u, 1));
    const VU rebiased = hn::Sub(hn::Add(size, hn::Set(u, 0xfff)), hn::Set(u, uint32_t{112} << 23));
    VU rounded = hn::ShiftRight<13>(hn::Add(rebiased, odd));
    rounded = hn::IfThenElse(hn::Gt(hn::Set(u, 0x38800000), size), subnormal, rounded);
    rounded = hn::IfThenElse(hn::Gt(size, hn::Set(u, 0x477fffff)), hn::Set(u, 0x7c00), rounded);
    rounded = hn::IfThenElse(hn::Gt(size, hn::Set(u, 0x7f800000)), nan, rounded);
    return hn::Or(sign, rounded);
  }
  static HWY_INLINE VH Join(VF even, VF odd) {
    namespace hn = hwy::HWY_NAMESPACE;
    return hn::BitCast(H(), hn::Or(Demote(even), hn::ShiftLeft<16>(Demote(odd))));
  }
};

#endif  // HWY_SCALAR

#if GNOMON_NATIVE_F16
HWY_INLINE Lanes16::VF LoadF16(const uint16_t* p) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::Rebind<hwy::float16_t, Lanes16::F> d;
  return hn::PromoteTo(Lanes16::F(), hn::LoadU(d, reinterpret_cast<const hwy::float16_t*>(p)));
}
HWY_INLINE auto DemoteF16(Lanes16::VF v) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::Rebind<hwy::float16_t, Lanes16::F> d;
  return hn::BitCast(hn::Rebind<uint16_t, Lanes16::F>(), hn::DemoteTo(d, v));
}
HWY_INLINE Lanes16::VH JoinF16(Lanes16::VF low, Lanes16::VF high) {
  namespace hn = hwy::HWY_NAMESPACE;
  return hn::Combine(Lanes16::H(), DemoteF16(high), DemoteF16(low));
}
#endif

}  // namespace HWY_NAMESPACE
}  // namespace optimized
}  // namespace gnomon
HWY_AFTER_NAMESPACE();

#endif  // GNOMON_OPTIMIZED_FORMATS_INL_H_
