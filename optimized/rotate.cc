// The idea: a token's cosines and sines stay in L1 while its heads stream past, so the rotation
// runs at the speed of memory. Tables are arranged once a token so that no layout needs more than
// one shuffle a vector: interleaved float lanes swap neighbours, [c c] and [-s s] beside them;
// 16-bit lanes are taken as the even and odd halves of 32-bit ones, which de-interleaves for
// nothing. Rows that end inside a vector finish in a buffer, so nothing outside the window is
// touched.
#include "gnomon/optimized/rotate.h"

#include <cstring>

#include "gnomon/optimized/aligned.h"
#include "gnomon/optimized/formats.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "gnomon/optimized/rotate.cc"
// clang-format off
#include "hwy/foreach_target.h"  // before highway.h
#include "hwy/highway.h"
#include "gnomon/optimized/formats-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace gnomon {
namespace optimized {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using F32 = hn::ScalableTag<float>;
using V32 = hn::Vec<F32>;

#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128

// Without vectors there is nothing to arrange: plain loops.
void Rotate(Format format, RopeLayout layout, const HeadsOfToken& t) {
  const size_t size = format == Format::kF32 ? 4 : 2;
  const size_t next = layout == RopeLayout::kInterleaved ? 2 : 1;
  const size_t other = layout == RopeLayout::kInterleaved ? 1 : t.pairs;
  for (size_t head = 0; head < t.heads; ++head) {
    const int64_t h = static_cast<int64_t>(head * size);
    const std::byte* x = static_cast<const std::byte*>(t.x) + h * t.x_stride;
    std::byte* y = static_cast<std::byte*>(t.y) + h * t.y_stride;
    for (size_t i = 0; i < t.pairs; ++i) {
      const size_t first = i * next * size, second = first + other * size;
      const float p = DecodeToF32(format, x + first), q = DecodeToF32(format, x + second);
      const uint64_t a = EncodeF32(format, p * t.cos[i] - q * t.sin[i]);
      const uint64_t b = EncodeF32(format, p * t.sin[i] + q * t.cos[i]);
      std::memcpy(y + first, &a, size);
      std::memcpy(y + second, &b, size);
    }
  }
}

#else

// A branch on what no store of a call changes costs nothing beside the store.
template <class D, class V = hn::Vec<D>, class T = hn::TFromD<D>>
HWY_INLINE void Put(bool stream, V v, D d, T* p) {
  stream ? hn::Stream(v, d, p) : hn::StoreU(v, d, p);
}

// A kernel turns Width() elements of a row at a time: those at x and, half-split, the other members
// of the same pairs at x + pairs. Its `Tables` are the cosines and sines for one such step, in
// registers while all heads pass; kBlock steps are taken at once where the row is long enough.
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
constexpr size_t kTableRegisters = 16;
#else
constexpr size_t kTableRegisters = 8;
#endif

struct F32Interleaved {
  using Element = float;
  static constexpr bool kHalfSplit = false;
  static constexpr size_t kBlock = kTableRegisters / 2;
  struct Tables {
    V32 c, s;
  };
  const float *c, *s;  // [c0 c0 c1 c1 ..], [-s0 s0 -s1 s1 ..]

  F32Interleaved(const HeadsOfToken& t, size_t padded) : c(t.scratch), s(t.scratch + 2 * padded) {
    const F32 d;
    for (size_t i = 0; i < padded; i += hn::Lanes(d)) {
      const V32 cosine = hn::LoadU(d, t.cos + i), sine = hn::LoadU(d, t.sin + i);
      hn::StoreInterleaved2(cosine, cosine, d, t.scratch + 2 * i);
      hn::StoreInterleaved2(hn::Neg(sine), sine, d, t.scratch + 2 * padded + 2 * i);
    }
  }
  static HWY_INLINE size_t Width() { return hn::Lanes(F32()); }
  HWY_INLINE Tables Load(size_t at) const {
    return {hn::LoadU(F32(), c + at), hn::LoadU(F32(), s + at)};
  }
  static HWY_INLINE void Turn(bool stream, const Tables& t, const float* x, float* y, size_t) {
    const V32 v = hn::LoadU(F32(), x);
    Put(stream, hn::MulAdd(v, t.c, hn::Mul(hn::Shuffle2301(v), t.s)), F32(), y);
  }
};

struct F32HalfSplit {
  using Element = float;
  static constexpr bool kHalfSplit = true;
  static constexpr size_t kBlock = 4;
  struct Tables {
    V32 c, s;
  };
  const float *c, *s;

  F32HalfSplit(const HeadsOfToken& t, size_t) : c(t.cos), s(t.sin) {}
  static HWY_INLINE size_t Width() { return hn::Lanes(F32()); }
  HWY_INLINE Tables Load(size_t at) const {
    return {hn::LoadU(F32(), c + at), hn::LoadU(F32(), s + at)};
  }
  static HWY_INLINE void Turn(bool stream, const Tables& t, const float* x, float* y,
                              size_t pairs) {
    const V32 p = hn::LoadU(F32(), x), q = hn::LoadU(F32(), x + pairs);
    Put(stream, hn::NegMulAdd(q, t.s, hn::Mul(p, t.c)), F32(), y);
    Put(stream, hn::MulAdd(p, t.s, hn::Mul(q, t.c)), F32(), y + pairs);
  }
};

// 16-bit elements as halves of 32-bit lanes. `Pack` is Bf16Lanes or F16Lanes of formats-inl.h.
template <class Pack>
struct Interleaved16 {
  using Element = uint16_t;
  static constexpr bool kHalfSplit = false;
  static constexpr size_t kBlock = 4;
  struct Tables {
    V32 c, s;
  };
  const float *c, *s;

  Interleaved16(const HeadsOfToken& t, size_t) : c(t.cos), s(t.sin) {}
  static HWY_INLINE size_t Width() { return 2 * hn::Lanes(F32()); }
  HWY_INLINE Tables Load(size_t at) const {
    return {hn::LoadU(F32(), c + at / 2), hn::LoadU(F32(), s + at / 2)};
  }
  static HWY_INLINE void Turn(bool stream, const Tables& t, const uint16_t* x, uint16_t* y,
                              size_t) {
    const hn::ScalableTag<uint16_t> d;
    const auto v = hn::LoadU(d, x);
    const V32 p = Pack::Even(v), q = Pack::Odd(v);
    Put(stream,
        Pack::Join(hn::NegMulAdd(q, t.s, hn::Mul(p, t.c)), hn::MulAdd(p, t.s, hn::Mul(q, t.c))), d,
        y);
  }
};

// Tables of a vector and of the one after it, or of its even and its odd pairs.
struct TablesOfTwo {
  V32 c0, c1, s0, s1;
};

template <class Pack>
struct HalfSplit16 {
  using Element = uint16_t;
  static constexpr bool kHalfSplit = true;
  static constexpr size_t kBlock = 2;
  using Tables = TablesOfTwo;
  const float *c0, *c1, *s0, *s1;

  HalfSplit16(const HeadsOfToken& t, size_t padded)
      : c0(t.scratch), c1(c0 + padded), s0(c1 + padded), s1(s0 + padded) {
    const F32 d;
    for (size_t i = 0; i < padded; i += 2 * hn::Lanes(d)) {
      V32 even, odd;
      hn::LoadInterleaved2(d, t.cos + i, even, odd);
      hn::StoreU(even, d, t.scratch + i / 2);
      hn::StoreU(odd, d, t.scratch + padded + i / 2);
      hn::LoadInterleaved2(d, t.sin + i, even, odd);
      hn::StoreU(even, d, t.scratch + 2 * padded + i / 2);
      hn::StoreU(odd, d, t.scratch + 3 * padded + i / 2);
    }
  }
  static HWY_INLINE size_t Width() { return 2 * hn::Lanes(F32()); }
  HWY_INLINE Tables Load(size_t at) const {
    const F32 d;
    return {hn::LoadU(d, c0 + at / 2), hn::LoadU(d, c1 + at / 2), hn::LoadU(d, s0 + at / 2),
            hn::LoadU(d, s1 + at / 2)};
  }
  static HWY_INLINE void Turn(bool stream, const Tables& t, const uint16_t* x, uint16_t* y,
                              size_t pairs) {
    const hn::ScalableTag<uint16_t> d;
    const auto v0 = hn::LoadU(d, x), v1 = hn::LoadU(d, x + pairs);
    const V32 p0 = Pack::Even(v0), p1 = Pack::Odd(v0), q0 = Pack::Even(v1), q1 = Pack::Odd(v1);
    Put(stream,
        Pack::Join(hn::NegMulAdd(q0, t.s0, hn::Mul(p0, t.c0)),
                   hn::NegMulAdd(q1, t.s1, hn::Mul(p1, t.c1))),
        d, y);
    Put(stream,
        Pack::Join(hn::MulAdd(p0, t.s0, hn::Mul(q0, t.c0)),
                   hn::MulAdd(p1, t.s1, hn::Mul(q1, t.c1))),
        d, y + pairs);
  }
};

#if GNOMON_NATIVE_F16
// Where the CPU converts f16 itself, that beats integers, but wants its lanes in order.
struct NativeF16Interleaved {
  using Element = uint16_t;
  static constexpr bool kHalfSplit = false;
  static constexpr size_t kBlock = kTableRegisters / 4;
  using Tables = TablesOfTwo;
  F32Interleaved f32;

  NativeF16Interleaved(const HeadsOfToken& t, size_t padded) : f32(t, padded) {}
  static HWY_INLINE size_t Width() { return 2 * hn::Lanes(F32()); }
  HWY_INLINE Tables Load(size_t at) const {
    const auto first = f32.Load(at), second = f32.Load(at + hn::Lanes(F32()));
    return {first.c, second.c, first.s, second.s};
  }
  static HWY_INLINE void Turn(bool stream, const Tables& t, const uint16_t* x, uint16_t* y,
                              size_t) {
    const V32 v0 = LoadF16(x), v1 = LoadF16(x + hn::Lanes(F32()));
    const V32 t0 = hn::Mul(hn::Shuffle2301(v0), t.s0), t1 = hn::Mul(hn::Shuffle2301(v1), t.s1);
    Put(stream, JoinF16(hn::MulAdd(v0, t.c0, t0), hn::MulAdd(v1, t.c1, t1)),
        hn::ScalableTag<uint16_t>(), y);
  }
};
struct NativeF16HalfSplit {
  using Element = uint16_t;
  static constexpr bool kHalfSplit = true;
  static constexpr size_t kBlock = 2;
  using Tables = TablesOfTwo;
  const float *c, *s;

  NativeF16HalfSplit(const HeadsOfToken& t, size_t) : c(t.cos), s(t.sin) {}
  static HWY_INLINE size_t Width() { return 2 * hn::Lanes(F32()); }
  HWY_INLINE Tables Load(size_t at) const {
    const F32 d;
    const size_t next = at + hn::Lanes(d);
    return {hn::LoadU(d, c + at), hn::LoadU(d, c + next), hn::LoadU(d, s + at),
            hn::LoadU(d, s + next)};
  }
  static HWY_INLINE void Turn(bool stream, const Tables& t, const uint16_t* x, uint16_t* y,
                              size_t pairs) {
    const hn::ScalableTag<uint16_t> d;
    const size_t n = hn::Lanes(F32());
    const V32 p0 = LoadF16(x), p1 = LoadF16(x + n), q0 = LoadF16(x + pairs),
              q1 = LoadF16(x + pairs + n);
    Put(stream,
        JoinF16(hn::NegMulAdd(q0, t.s0, hn::Mul(p0, t.c0)),
                hn::NegMulAdd(q1, t.s1, hn::Mul(p1, t.c1))),
        d, y);
    Put(stream,
        JoinF16(hn::MulAdd(p0, t.s0, hn::Mul(q0, t.c0)), hn::MulAdd(p1, t.s1, hn::Mul(q1, t.c1))),
        d, y + pairs);
  }
};
using F16Interleaved = NativeF16Interleaved;
using F16HalfSplit = NativeF16HalfSplit;
#else
using F16Interleaved = Interleaved16<F16Lanes>;
using F16HalfSplit = HalfSplit16<F16Lanes>;
#endif

// Steps of every head from `at` on, kBlock at a time, while they fit; returns where the next
// starts.
template <size_t kBlock, class Kernel>
HWY_INLINE size_t Blocks(const Kernel& k, const HeadsOfToken& t, bool stream, size_t at,
                         size_t end) {
  using Element = typename Kernel::Element;
  const size_t width = Kernel::Width();
  for (; at + kBlock * width <= end; at += kBlock * width) {
    typename Kernel::Tables tables[kBlock];
    for (size_t j = 0; j < kBlock; ++j) tables[j] = k.Load(at + j * width);
    const Element* x = static_cast<const Element*>(t.x) + at;
    Element* y = static_cast<Element*>(t.y) + at;
    for (size_t head = 0; head < t.heads; ++head, x += t.x_stride, y += t.y_stride)
      for (size_t j = 0; j < kBlock; ++j)
        Kernel::Turn(stream, tables[j], x + j * width, y + j * width, t.pairs);
  }
  return at;
}

// The rest of every row goes through vectors of its own, whose other lanes are turned for nothing.
template <class Kernel>
HWY_INLINE void Rest(const Kernel& k, const HeadsOfToken& t, size_t at, size_t end) {
  using Element = typename Kernel::Element;
  constexpr size_t kWidth = 2 * hn::MaxLanes(F32());
  const auto tables = k.Load(at);
  const Element* x = static_cast<const Element*>(t.x) + at;
  Element* y = static_cast<Element*>(t.y) + at;
  const size_t bytes = (end - at) * sizeof(Element);
  HWY_ALIGN Element rest[2 * kWidth] = {};
  for (size_t head = 0; head < t.heads; ++head, x += t.x_stride, y += t.y_stride) {
    std::memcpy(rest, x, bytes);
    if (Kernel::kHalfSplit) std::memcpy(rest + kWidth, x + t.pairs, bytes);
    Kernel::Turn(false, tables, rest, rest, kWidth);
    std::memcpy(y, rest, bytes);
    if (Kernel::kHalfSplit) std::memcpy(y + t.pairs, rest + kWidth, bytes);
  }
}

template <class Kernel>
void Token(const HeadsOfToken& t) {
  const Kernel k(t, PaddedPairs(t.pairs));
  const size_t end = Kernel::kHalfSplit ? t.pairs : 2 * t.pairs;
  // Non-temporal stores pay only for whole cache lines, written in one go.
  constexpr size_t kLine = 64;
  const size_t vector = hn::Lanes(F32()) * sizeof(float), size = sizeof(typename Kernel::Element);
  const bool lines = t.stream && reinterpret_cast<uintptr_t>(t.y) % kLine == 0 &&
                     static_cast<size_t>(t.y_stride) * size % kLine == 0 &&
                     (!Kernel::kHalfSplit || t.pairs * size % kLine == 0);
  size_t at = Blocks<Kernel::kBlock>(k, t, lines && Kernel::kBlock * vector >= kLine, 0, end);
  at = Blocks<1>(k, t, lines && vector >= kLine, at, end);
  if (at < end) Rest(k, t, at, end);
}

void Rotate(Format format, RopeLayout layout, const HeadsOfToken& t) {
  const bool interleaved = layout == RopeLayout::kInterleaved;
  switch (format) {
    case Format::kBf16:
      return interleaved ? Token<Interleaved16<Bf16Lanes>>(t) : Token<HalfSplit16<Bf16Lanes>>(t);
    case Format::kF16:
      return interleaved ? Token<F16Interleaved>(t) : Token<F16HalfSplit>(t);
    default:
      return interleaved ? Token<F32Interleaved>(t) : Token<F32HalfSplit>(t);
  }
}

#endif  // without vectors

}  // namespace HWY_NAMESPACE
}  // namespace optimized
}  // namespace gnomon
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gnomon::optimized {

HWY_EXPORT(Rotate);
void RotateHeads(Format format, RopeLayout layout, const HeadsOfToken& heads) {
  HWY_DYNAMIC_DISPATCH(Rotate)(format, layout, heads);
}

}  // namespace gnomon::optimized
#endif  // HWY_ONCE
