// The idea: a token's cosines and sines stay in registers while its heads stream past, so the
// rotation runs at the speed of memory. They are arranged once a token, so that no layout needs
// more than one shuffle a vector: interleaved float lanes swap neighbours, [c c] and [-s s] beside
// them; 16-bit lanes are the even and odd halves of 32-bit ones, which de-interleaves for nothing.
// Rows that end inside a vector finish in a buffer: nothing outside the window is touched.
#include "gnomon/optimized/rotate.h"

#include <cstring>

#include "gnomon/optimized/aligned.h"
#include "gnomon/optimized/formats.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "gnomon/optimized/rotate.cc"
// clang-format off
#include "hwy/cache_control.h"
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
using U64 = hn::ScalableTag<uint64_t>;
using V32 = hn::Vec<F32>;
using V16 = hn::Vec<hn::ScalableTag<uint16_t>>;

#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128

// Without vectors there is nothing to arrange: plain loops.
void Rotate(Format format, RopeLayout layout, const TokensToRotate& t) {
  const int64_t size = format == Format::kF32 ? 4 : 2;
  const size_t bytes = static_cast<size_t>(size);
  const size_t next = layout == RopeLayout::kInterleaved ? 2 : 1;
  const size_t other = layout == RopeLayout::kInterleaved ? 1 : t.pairs;
  for (size_t token = 0; token < t.tokens; ++token) {
    float *cos = t.cos + token * t.table_stride, *sin = t.sin + token * t.table_stride;
    if (t.rows != nullptr) t.rows->make(*t.rows, token, cos, sin);
    for (size_t head = 0; head < t.heads; ++head) {
      const int64_t i = static_cast<int64_t>(token), h = static_cast<int64_t>(head);
      const std::byte* x =
          static_cast<const std::byte*>(t.x) + (i * t.x_token + h * t.x_head) * size;
      std::byte* y = static_cast<std::byte*>(t.y) + (i * t.y_token + h * t.y_head) * size;
      for (size_t pair = 0; pair < t.pairs; ++pair) {
        const size_t first = pair * next * bytes, second = first + other * bytes;
        const float p = DecodeToF32(format, x + first), q = DecodeToF32(format, x + second);
        const uint64_t a = EncodeF32(format, p * cos[pair] - q * sin[pair]);
        const uint64_t b = EncodeF32(format, p * sin[pair] + q * cos[pair]);
        std::memcpy(y + first, &a, bytes);
        std::memcpy(y + second, &b, bytes);
      }
    }
  }
}

#else

template <class D, class V = hn::Vec<D>, class T = hn::TFromD<D>>
HWY_INLINE void Put(bool stream, V v, D d, T* p) {
  stream ? hn::Stream(v, d, p) : hn::StoreU(v, d, p);
}

// A kernel turns Width() elements of a row at a time: those at x and, half-split, the other members
// of the same pairs at x + pairs. Its `Tables` are the cosines and sines for one such step, in
// registers while all heads pass; kBlock steps are taken at once where the row is long enough.
// Turn stores the result at y; a half-split one returns the other members, which are stored once
// the block is through: lines written in ascending order are fetched faster.
struct TableOfToken {
  const float *cos, *sin;
};
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
  const float *cos, *sin;

  explicit F32Interleaved(const TableOfToken& t) : cos(t.cos), sin(t.sin) {}
  static HWY_INLINE size_t Width() { return hn::Lanes(F32()); }
  // [c0 c0 c1 c1 ..], [-s0 s0 -s1 s1 ..]
  HWY_INLINE Tables Load(size_t at) const {
    const auto s = Twice(sin + at / 2);
    return {hn::BitCast(F32(), Twice(cos + at / 2)),
            hn::BitCast(F32(), hn::Xor(s, hn::Set(U64(), uint64_t{1} << 31)))};
  }
  static HWY_INLINE hn::Vec<U64> Twice(const float* p) {
    const hn::Rebind<uint32_t, U64> half;
    const auto wide = hn::PromoteTo(U64(), hn::LoadU(half, reinterpret_cast<const uint32_t*>(p)));
    return hn::Or(wide, hn::ShiftLeft<32>(wide));
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

  explicit F32HalfSplit(const TableOfToken& t) : c(t.cos), s(t.sin) {}
  static HWY_INLINE size_t Width() { return hn::Lanes(F32()); }
  HWY_INLINE Tables Load(size_t at) const {
    return {hn::LoadU(F32(), c + at), hn::LoadU(F32(), s + at)};
  }
  static HWY_INLINE V32 Turn(bool stream, const Tables& t, const float* x, float* y, size_t pairs) {
    const V32 p = hn::LoadU(F32(), x), q = hn::LoadU(F32(), x + pairs);
    Put(stream, hn::NegMulAdd(q, t.s, hn::Mul(p, t.c)), F32(), y);
    return hn::MulAdd(p, t.s, hn::Mul(q, t.c));
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

  explicit Interleaved16(const TableOfToken& t) : c(t.cos), s(t.sin) {}
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
  const float *cos, *sin;

  explicit HalfSplit16(const TableOfToken& t) : cos(t.cos), sin(t.sin) {}
  static HWY_INLINE size_t Width() { return 2 * hn::Lanes(F32()); }
  HWY_INLINE Tables Load(size_t at) const {
    const F32 d;
    const V32 c0 = hn::LoadU(d, cos + at), c1 = hn::LoadU(d, cos + at + hn::Lanes(d));
    const V32 s0 = hn::LoadU(d, sin + at), s1 = hn::LoadU(d, sin + at + hn::Lanes(d));
    return {hn::ConcatEven(d, c1, c0), hn::ConcatOdd(d, c1, c0), hn::ConcatEven(d, s1, s0),
            hn::ConcatOdd(d, s1, s0)};
  }
  static HWY_INLINE V16 Turn(bool stream, const Tables& t, const uint16_t* x, uint16_t* y,
                             size_t pairs) {
    const hn::ScalableTag<uint16_t> d;
    const auto v0 = hn::LoadU(d, x), v1 = hn::LoadU(d, x + pairs);
    const V32 p0 = Pack::Even(v0), p1 = Pack::Odd(v0), q0 = Pack::Even(v1), q1 = Pack::Odd(v1);
    Put(stream,
        Pack::Join(hn::NegMulAdd(q0, t.s0, hn::Mul(p0, t.c0)),
                   hn::NegMulAdd(q1, t.s1, hn::Mul(p1, t.c1))),
        d, y);
    return Pack::Join(hn::MulAdd(p0, t.s0, hn::Mul(q0, t.c0)),
                      hn::MulAdd(p1, t.s1, hn::Mul(q1, t.c1)));
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

  explicit NativeF16Interleaved(const TableOfToken& t) : f32(t) {}
  static HWY_INLINE size_t Width() { return 2 * hn::Lanes(F32()); }
  HWY_INLINE Tables Load(size_t at) const {
    const auto first = f32.Load(at), second = f32.Load(at + hn::Lanes(F32()));
    return {first.c, second.c, first.s, second.s};
  }
  static HWY_INLINE void Turn(bool stream, const Tables& t, const uint16_t* x, uint16_t* y,
                              size_t) {
    const V32 v0 = LoadF16(x), v1 = LoadF16(x + hn::Lanes(F32()));
    const V32 t0 = hn::Mul(hn::Shuffle2301(v0), t.s0), t1 = hn::Mul(hn::Shuffle2301(v1), t.s1);
    const hn::Rebind<uint16_t, F32> half;
    Put(stream, DemoteF16(hn::MulAdd(v0, t.c0, t0)), half, y);
    Put(stream, DemoteF16(hn::MulAdd(v1, t.c1, t1)), half, y + hn::Lanes(half));
  }
};
struct NativeF16HalfSplit {
  using Element = uint16_t;
  static constexpr bool kHalfSplit = true;
  static constexpr size_t kBlock = 2;
  using Tables = TablesOfTwo;
  const float *c, *s;

  explicit NativeF16HalfSplit(const TableOfToken& t) : c(t.cos), s(t.sin) {}
  static HWY_INLINE size_t Width() { return 2 * hn::Lanes(F32()); }
  HWY_INLINE Tables Load(size_t at) const {
    const F32 d;
    const size_t next = at + hn::Lanes(d);
    return {hn::LoadU(d, c + at), hn::LoadU(d, c + next), hn::LoadU(d, s + at),
            hn::LoadU(d, s + next)};
  }
  static HWY_INLINE V16 Turn(bool stream, const Tables& t, const uint16_t* x, uint16_t* y,
                             size_t pairs) {
    const hn::ScalableTag<uint16_t> d;
    const size_t n = hn::Lanes(F32());
    const V32 p0 = LoadF16(x), p1 = LoadF16(x + n), q0 = LoadF16(x + pairs),
              q1 = LoadF16(x + pairs + n);
    Put(stream,
        JoinF16(hn::NegMulAdd(q0, t.s0, hn::Mul(p0, t.c0)),
                hn::NegMulAdd(q1, t.s1, hn::Mul(p1, t.c1))),
        d, y);
    return JoinF16(hn::MulAdd(p0, t.s0, hn::Mul(q0, t.c0)),
                   hn::MulAdd(p1, t.s1, hn::Mul(q1, t.c1)));
  }
};
using F16Interleaved = NativeF16Interleaved;
using F16HalfSplit = NativeF16HalfSplit;
#else
using F16Interleaved = Interleaved16<F16Lanes>;
using F16HalfSplit = HalfSplit16<F16Lanes>;
#endif

// The heads of one token, in elements. A copy, not the caller's: stores to y cannot change it.
template <class Element>
struct Heads {
  const Element* x;
  Element* y;
  int64_t x_head, y_head;
  size_t heads, pairs;
};

// Steps of every head from `at` on, kBlock at a time, while they fit; returns where the next
// starts. kFar: x comes from beyond the second-level cache, or y goes there.
template <size_t kBlock, bool kFar, class Kernel, class Element = typename Kernel::Element>
HWY_INLINE size_t Blocks(const Kernel& k, const Heads<Element>& t, bool stream, size_t ahead,
                         size_t at, size_t end) {
  const size_t width = Kernel::Width();
  for (; at + kBlock * width <= end; at += kBlock * width) {
    typename Kernel::Tables tables[kBlock];
    for (size_t j = 0; j < kBlock; ++j) tables[j] = k.Load(at + j * width);
    const Element* x = t.x + at;
    Element* y = t.y + at;
    for (size_t head = 0; head < t.heads; ++head, x += t.x_head, y += t.y_head) {
      if (kFar && ahead != 0) {
        const Element* later = x + ahead;
        for (size_t j = 0; j < kBlock; ++j) hwy::Prefetch(later + j * width);
        if (Kernel::kHalfSplit)
          for (size_t j = 0; j < kBlock; ++j) hwy::Prefetch(later + t.pairs + j * width);
      }
      if constexpr (Kernel::kHalfSplit) {
        hn::Vec<hn::ScalableTag<Element>> others[kBlock];
        for (size_t j = 0; j < kBlock; ++j)
          others[j] =
              Kernel::Turn(kFar && stream, tables[j], x + j * width, y + j * width, t.pairs);
        for (size_t j = 0; j < kBlock; ++j)
          Put(kFar && stream, others[j], hn::ScalableTag<Element>(), y + t.pairs + j * width);
      } else {
        for (size_t j = 0; j < kBlock; ++j)
          Kernel::Turn(kFar && stream, tables[j], x + j * width, y + j * width, t.pairs);
      }
    }
  }
  return at;
}

// The rest of every row goes through vectors of its own, whose other lanes are turned for nothing.
template <class Kernel, class Element = typename Kernel::Element>
HWY_NOINLINE void Rest(const Kernel& k, const Heads<Element>& t, size_t at, size_t end) {
  constexpr size_t kWidth = 2 * hn::MaxLanes(F32());
  const auto tables = k.Load(at);
  const Element* x = t.x + at;
  Element* y = t.y + at;
  const size_t bytes = (end - at) * sizeof(Element);
  HWY_ALIGN Element rest[2 * kWidth] = {};
  for (size_t head = 0; head < t.heads; ++head, x += t.x_head, y += t.y_head) {
    std::memcpy(rest, x, bytes);
    if (Kernel::kHalfSplit) std::memcpy(rest + kWidth, x + t.pairs, bytes);
    if constexpr (Kernel::kHalfSplit) {
      const auto others = Kernel::Turn(false, tables, rest, rest, kWidth);
      hn::StoreU(others, hn::ScalableTag<Element>(), rest + kWidth);
    } else {
      Kernel::Turn(false, tables, rest, rest, kWidth);
    }
    std::memcpy(y, rest, bytes);
    if (Kernel::kHalfSplit) std::memcpy(y + t.pairs, rest + kWidth, bytes);
  }
}

template <class Kernel, bool kFar>
void Tokens(const TokensToRotate& t) {
  using Element = typename Kernel::Element;
  const size_t end = Kernel::kHalfSplit ? t.pairs : 2 * t.pairs;
  // Non-temporal stores pay only for whole cache lines, written in one go.
  constexpr size_t kLine = 64, kSize = sizeof(Element);
  const size_t vector = hn::Lanes(F32()) * sizeof(float);
  const bool lines = t.stream && reinterpret_cast<uintptr_t>(t.y) % kLine == 0 &&
                     static_cast<size_t>(t.y_token) * kSize % kLine == 0 &&
                     static_cast<size_t>(t.y_head) * kSize % kLine == 0 &&
                     (!Kernel::kHalfSplit || t.pairs * kSize % kLine == 0);
  const bool stream_block = lines && Kernel::kBlock * vector >= kLine;
  const bool stream_one = lines && vector >= kLine;
  const AnchoredRows* rows = t.rows;
  const size_t tokens = t.tokens, table_stride = t.table_stride, ahead = t.ahead;
  const int64_t x_token = t.x_token, y_token = t.y_token;
  Heads<Element> heads{static_cast<const Element*>(t.x),
                       static_cast<Element*>(t.y),
                       t.x_head,
                       t.y_head,
                       t.heads,
                       t.pairs};
  float *cos = t.cos, *sin = t.sin;
  for (size_t token = 0; token < tokens; ++token) {
    if (rows != nullptr) rows->make(*rows, token, cos, sin);
    const Kernel k(TableOfToken{cos, sin});
    size_t at = Blocks<Kernel::kBlock, kFar>(k, heads, stream_block, ahead, 0, end);
    at = Blocks<1, kFar>(k, heads, stream_one, ahead, at, end);
    if (at < end) Rest(k, heads, at, end);
    heads.x += x_token;
    heads.y += y_token;
    cos += table_stride;
    sin += table_stride;
  }
}

template <class Kernel>
void NearOrFar(const TokensToRotate& t) {
  t.stream || t.ahead != 0 ? Tokens<Kernel, true>(t) : Tokens<Kernel, false>(t);
}

void Rotate(Format format, RopeLayout layout, const TokensToRotate& t) {
  const bool interleaved = layout == RopeLayout::kInterleaved;
  switch (format) {
    case Format::kBf16:
      return interleaved ? NearOrFar<Interleaved16<Bf16Lanes>>(t)
                         : NearOrFar<HalfSplit16<Bf16Lanes>>(t);
    case Format::kF16:
      return interleaved ? NearOrFar<F16Interleaved>(t) : NearOrFar<F16HalfSplit>(t);
    default:
      return interleaved ? NearOrFar<F32Interleaved>(t) : NearOrFar<F32HalfSplit>(t);
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
void RotateTokens(Format format, RopeLayout layout, const TokensToRotate& tokens) {
  HWY_DYNAMIC_DISPATCH(Rotate)(format, layout, tokens);
}

}  // namespace gnomon::optimized
#endif  // HWY_ONCE
