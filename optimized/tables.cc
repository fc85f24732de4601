// The idea: a phase m w / 2 pi is exact in 128-bit integers, so float64 sees an angle already
// reduced to an eighth of a turn. Consecutive positions come from one such anchor every 32 rows,
// turned by a table of the angles of 0 to 31 tokens: four multiplications a pair. The float64 value
// has an error bound e (ROUND-2, ROUND-3, proved in spec/theories); where v - e and v + e round to
// the same float32, that is the truth's rounding (ROUND-4), and where not, Turns::Resolve decides
// that lane.
#include "gnomon/optimized/tables.h"

#include <algorithm>
#include <bit>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "gnomon/optimized/tables.cc"
#include "hwy/foreach_target.h"  // before highway.h
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

// ROUND-1. m w / 2 pi modulo 1 in units of 2^-64, cut off, for the pairs from `pair` on: the upper
// half of the 128-bit product, |m| <= 2^31, by 32-bit digits.
HWY_INLINE hn::Vec<U64> Phases(const Turns& turns, size_t pair, int64_t m) {
  const U64 d;
#if HWY_TARGET == HWY_SCALAR
  return hn::Set(d,
                 static_cast<uint64_t>((turns.fraction(pair) * static_cast<uint128_t>(m)) >> 64));
#else
  const hn::Repartition<uint32_t, U64> d32;
  const auto size = hn::BitCast(d32, hn::Set(d, static_cast<uint64_t>(m < 0 ? -m : m)));
  const auto times = [&](hn::Vec<U64> digit)
                         HWY_ATTR { return hn::MulEven(size, hn::BitCast(d32, digit)); };
  const auto high = hn::LoadU(d, turns.fractions_high() + pair);
  const auto low = hn::LoadU(d, turns.fractions_low() + pair);
  const auto carried = hn::Add(times(hn::ShiftRight<32>(low)), hn::ShiftRight<32>(times(low)));
  const auto product =
      hn::Add(hn::Add(hn::ShiftLeft<32>(times(hn::ShiftRight<32>(high))), times(high)),
              hn::ShiftRight<32>(carried));
  return m < 0 ? hn::Sub(hn::Zero(d), product) : product;
#endif
}

// ROUND-2. cos and sin of `phases`.
HWY_INLINE void CosSinOfPhase(hn::Vec<U64> phases, V64& cosine, V64& sine) {
  const F64 d;
  const U64 du;
  const hn::RebindToSigned<F64> di;
  using VU = hn::Vec<U64>;
  constexpr uint64_t kEighth = uint64_t{1} << 61, kQuarter = uint64_t{1} << 62;
  // The two top bits are the quadrant, the rest the distance from the nearest quarter turn.
  const VU shifted = hn::Add(phases, hn::Set(du, kEighth));
  const auto within = hn::Sub(hn::BitCast(di, hn::And(shifted, hn::Set(du, kQuarter - 1))),
                              hn::Set(di, static_cast<int64_t>(kEighth)));
  const V64 x = hn::Mul(hn::ConvertTo(d, within), hn::Set(d, 0x1p-62));
  const V64 z = hn::Mul(x, x);
  const V64 s = hn::Mul(x, Horner(kSine, z));
  const V64 c = hn::MulAdd(z, Horner(kCosine, z), hn::Set(d, 1.0));
  const auto odd = hn::RebindMask(d, hn::TestBit(shifted, hn::Set(du, kQuarter)));
  const VU sign = hn::Set(du, uint64_t{1} << 63);
  const VU cos_sign = hn::And(hn::Add(shifted, hn::Set(du, kQuarter)), sign);
  sine = hn::Xor(hn::IfThenElse(odd, c, s), hn::BitCast(d, hn::And(shifted, sign)));
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
  explicit Nearness(const Turns& turns)
      : beyond_(hn::Set(U32(), turns.first_tier() == Tier::kVector
                                   ? ((uint32_t{1} << 29) - 1) & ~(2 * kReach - 1)
                                   : 0)),
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

// ROUND-4. Takes Lanes(F32) cosines and sines of one position, stores them rounded, and has the
// undecided ones resolved. `kRelative`: the radius of the test is relative |v| + absolute,
// otherwise absolute alone.
template <bool kRelative>
struct RoundedSink {
  const Turns& turns;
  const TableRows<float> to;
  bool stream;
  V64 relative, absolute;
  V32 sine_sign;  // -0 where sines are negated

  RoundedSink(const Turns& turns, const TableRows<float>& to, bool stream, V64 relative,
              V64 absolute, bool mirrored = false)
      : turns(turns),
        to(to),
        stream(stream),
        relative(relative),
        absolute(absolute),
        sine_sign(hn::Set(F32(), mirrored ? -0.0f : 0.0f)) {}

  HWY_INLINE void Store(V32 v, float* p) const {
    stream ? hn::Stream(v, F32(), p) : hn::StoreU(v, F32(), p);
  }
  HWY_INLINE void Put(size_t row, size_t pair, int64_t position, const Halves& c,
                      const Halves& s) const {
    float* cosine = to.cos + row * to.stride + pair;
    float* sine = to.sin + row * to.stride + pair;
    const V32 rounded_cos = Round(c.low, c.high), rounded_sin = Round(s.low, s.high);
    Store(rounded_cos, cosine);
    Store(hn::Xor(rounded_sin, sine_sign), sine);
    if (HWY_LIKELY(Clear(c, s, rounded_cos, rounded_sin))) return;
    const auto undecided = hn::Or(Undecided(c), Undecided(s));
    if (HWY_LIKELY(hn::AllFalse(F32(), undecided))) return;
    Resolve(turns, pair, position, hn::VecFromMask(F32(), undecided), sine_sign, cosine, sine);
  }
  HWY_INLINE hn::Mask<F32> Undecided(const Halves& v) const {
    V64 low = absolute, high = absolute;
    if constexpr (kRelative) {
      low = hn::MulAdd(hn::Abs(v.low), relative, absolute);
      high = hn::MulAdd(hn::Abs(v.high), relative, absolute);
    }
    return hn::Ne(Round(hn::Sub(v.low, low), hn::Sub(v.high, high)),
                  Round(hn::Add(v.low, low), hn::Add(v.high, high)));
  }
  HWY_INLINE bool Clear(const Halves& c, const Halves& s, V32 rounded_cos, V32 rounded_sin) const {
#if HWY_TARGET == HWY_SCALAR
    (void)c, (void)s, (void)rounded_cos, (void)rounded_sin;
    return false;
#else
    Nearness nearness(turns);
    nearness.Add(c, s, rounded_cos, rounded_sin);
    return nearness.Clear();
#endif
  }
  // Static, so that a sink is nothing but registers.
  static HWY_NOINLINE void Resolve(const Turns& turns, size_t pair, int64_t position, V32 undecided,
                                   V32 sine_sign, float* cosine, float* sine) {
    HWY_ALIGN float lanes[hn::MaxLanes(F32())];
    hn::Store(undecided, F32(), lanes);
    const bool mirrored = std::signbit(hn::GetLane(sine_sign));
    for (size_t i = 0; i < hn::Lanes(F32()); ++i) {
      if (std::bit_cast<uint32_t>(lanes[i]) == 0 || pair + i >= turns.size()) continue;
      const PairBits bits = turns.Resolve(pair + i, position, Format::kF32);
      cosine[i] = std::bit_cast<float>(static_cast<uint32_t>(bits.first));
      sine[i] = std::bit_cast<float>(static_cast<uint32_t>(bits.second));
      if (mirrored) sine[i] = -sine[i];
    }
  }
};

// The float64 values as they are.
struct DoubleSink {
  const TableRows<double>& to;

  HWY_INLINE void Put(size_t row, size_t pair, int64_t, const Halves& c, const Halves& s) const {
    const F64 d;
    double* cosine = to.cos + row * to.stride + pair;
    double* sine = to.sin + row * to.stride + pair;
    hn::StoreU(c.low, d, cosine);
    hn::StoreU(c.high, d, cosine + UpperHalf());
    hn::StoreU(s.low, d, sine);
    hn::StoreU(s.high, d, sine + UpperHalf());
  }
};

// Non-temporal stores pay only for whole cache lines: a row's next vector comes 32 rows later.
bool CanStream(const TableRows<float>& to) {
  constexpr size_t kLine = 64;
  return to.stream && hn::Lanes(F32()) * sizeof(float) >= kLine &&
         reinterpret_cast<uintptr_t>(to.cos) % kLine == 0 &&
         reinterpret_cast<uintptr_t>(to.sin) % kLine == 0 && to.stride * sizeof(float) % kLine == 0;
}

// A radius that decides nothing, for the tests that force the next tier.
HWY_INLINE V64 Proven(const Turns& turns, double radius) {
  return hn::Set(F64(), turns.first_tier() == Tier::kVector ? radius : 8.0);
}

// ROUND-3. Rows of positions m, m + 1, ..: at most kStepRows.
template <class Sink>
HWY_INLINE void Consecutive(const Turns& turns, int64_t m, size_t rows, const Sink& sink) {
  const F64 d;
  const size_t upper = UpperHalf(), lanes = hn::Lanes(F32()), padded = turns.padded();
  const Turns::Steps& steps = *turns.steps();
  for (size_t pair = 0; pair < padded; pair += lanes) {
    V64 c0, s0, c1, s1;
    CosSinOfPhase(Phases(turns, pair, m), c0, s0);
    CosSinOfPhase(Phases(turns, pair + upper, m), c1, s1);
    const double* HWY_RESTRICT cos_step = steps.cos.data() + pair;
    const double* HWY_RESTRICT sin_step = steps.sin.data() + pair;
    for (size_t row = 0; row < rows; ++row, cos_step += padded, sin_step += padded) {
      const V64 cj0 = hn::Load(d, cos_step), sj0 = hn::Load(d, sin_step);
      const V64 cj1 = hn::Load(d, cos_step + upper), sj1 = hn::Load(d, sin_step + upper);
      const Halves c{hn::NegMulAdd(s0, sj0, hn::Mul(c0, cj0)),
                     hn::NegMulAdd(s1, sj1, hn::Mul(c1, cj1))};
      const Halves s{hn::MulAdd(s0, cj0, hn::Mul(c0, sj0)), hn::MulAdd(s1, cj1, hn::Mul(c1, sj1))};
      sink.Put(row, pair, m + static_cast<int64_t>(row), c, s);
    }
  }
}

// ROUND-3. The pairs of one row of AnchoredRows: `put(pair, c, s)` for each vector of them.
template <class Put>
HWY_INLINE void EachOfRow(const AnchoredRows& rows, size_t row, const Put& put) {
  const F64 d;
  const size_t upper = UpperHalf(), lanes = hn::Lanes(F32()), padded = rows.padded;
  const double* HWY_RESTRICT anchor = rows.anchor;
  const double* HWY_RESTRICT cos_step = rows.cos_steps + row * padded;
  const double* HWY_RESTRICT sin_step = rows.sin_steps + row * padded;
  const auto turn = [&](size_t pair, V64& c, V64& s) HWY_ATTR {
    const V64 c0 = hn::Load(d, anchor + pair), s0 = hn::Load(d, anchor + padded + pair);
    const V64 cj = hn::Load(d, cos_step + pair), sj = hn::Load(d, sin_step + pair);
    c = hn::NegMulAdd(s0, sj, hn::Mul(c0, cj));
    s = hn::MulAdd(s0, cj, hn::Mul(c0, sj));
  };
  const auto step = [&](size_t pair) HWY_ATTR {
    Halves c, s;
    turn(pair, c.low, s.low);
    turn(pair + upper, c.high, s.high);
    put(pair, c, s);
  };
  // Unrolled by hand: the mispredicted end of a short loop, once a token, can be measured.
  size_t pair = 0;
  for (; pair + 4 * lanes <= padded; pair += 4 * lanes) {
    step(pair);
    step(pair + lanes);
    step(pair + 2 * lanes);
    step(pair + 3 * lanes);
  }
  for (; pair < padded; pair += lanes) step(pair);
}

HWY_NOINLINE void SettleRow(const AnchoredRows& rows, size_t row, float* cos, float* sin) {
  const Turns& turns = *rows.turns;
  const V64 radius = Proven(turns, kAnchoredAbsolute);
  const RoundedSink<false> sink(turns, {cos, sin, 0}, false, radius, radius, rows.mirrored);
  const int64_t position = rows.first + static_cast<int64_t>(row);
  EachOfRow(rows, row, [&](size_t pair, const Halves& c, const Halves& s) HWY_ATTR {
    sink.Put(0, pair, position, c, s);
  });
}

// One test for the whole row, not a branch a vector: nearly all rows pass.
void StepRow(const AnchoredRows& rows, size_t row, float* cos, float* sin) {
#if HWY_TARGET == HWY_SCALAR
  SettleRow(rows, row, cos, sin);
#else
  const F32 d;
  const V32 sine_sign = hn::Set(d, rows.mirrored ? -0.0f : 0.0f);
  Nearness least(*rows.turns);
  EachOfRow(rows, row, [&](size_t pair, const Halves& c, const Halves& s) HWY_ATTR {
    const V32 rounded_cos = Round(c.low, c.high), rounded_sin = Round(s.low, s.high);
    hn::Store(rounded_cos, d, cos + pair);
    hn::Store(hn::Xor(rounded_sin, sine_sign), d, sin + pair);
    least.Add(c, s, rounded_cos, rounded_sin);
  });
  if (HWY_UNLIKELY(!least.Clear())) SettleRow(rows, row, cos, sin);
#endif
}

// ROUND-2. One row of any position.
template <class Sink>
HWY_INLINE void Direct(const Turns& turns, int64_t m, size_t row, const Sink& sink) {
  const size_t upper = UpperHalf(), lanes = hn::Lanes(F32()), padded = turns.padded();
  for (size_t pair = 0; pair < padded; pair += lanes) {
    Halves c, s;
    CosSinOfPhase(Phases(turns, pair, m), c.low, s.low);
    CosSinOfPhase(Phases(turns, pair + upper, m), c.high, s.high);
    sink.Put(row, pair, m, c, s);
  }
}

void ConsecutiveRows(const Turns& turns, int64_t m, size_t rows, const TableRows<float>& to) {
  const V64 radius = Proven(turns, kAnchoredAbsolute);
  Consecutive(turns, m, rows, RoundedSink<false>(turns, to, CanStream(to), radius, radius));
}
void DirectRow(const Turns& turns, int64_t m, size_t row, const TableRows<float>& to) {
  const V64 relative = hn::Set(F64(), kDirectRelative);
  const V64 absolute = Proven(turns, kDirectAbsolute);
  Direct(turns, m, row, RoundedSink<true>(turns, to, CanStream(to), relative, absolute));
}
void ConsecutiveDoubles(const Turns& turns, int64_t m, size_t rows, const TableRows<double>& to) {
  Consecutive(turns, m, rows, DoubleSink{to});
}
void DirectDoubles(const Turns& turns, int64_t m, size_t row, const TableRows<double>& to) {
  Direct(turns, m, row, DoubleSink{to});
}

}  // namespace HWY_NAMESPACE
}  // namespace optimized
}  // namespace gnomon
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gnomon::optimized {

HWY_EXPORT(ConsecutiveRows);
HWY_EXPORT(DirectRow);
HWY_EXPORT(StepRow);
HWY_EXPORT(ConsecutiveDoubles);
HWY_EXPORT(DirectDoubles);

namespace {

// Shorter runs are not worth an anchor and the step table's trip through the cache.
constexpr size_t kShortRun = 4;

template <class T>
TableRows<T> From(const TableRows<T>& to, size_t row) {
  return {to.cos + row * to.stride, to.sin + row * to.stride, to.stride, to.stream};
}

size_t RunOf(const int64_t* positions, size_t rows) {
  size_t run = 1;
  while (run < std::min(rows, kStepRows) &&
         positions[run] == positions[0] + static_cast<int64_t>(run))
    ++run;
  return run;
}

}  // namespace

void FillTable(const Turns& turns, const int64_t* positions, size_t rows,
               const TableRows<float>& to) {
  for (size_t row = 0; row < rows;) {
    const size_t run = RunOf(positions + row, rows - row);
    if (run >= kShortRun && turns.steps() != nullptr) {
      HWY_DYNAMIC_DISPATCH(ConsecutiveRows)(turns, positions[row], run, From(to, row));
    } else {
      for (size_t i = row; i < row + run; ++i)
        HWY_DYNAMIC_DISPATCH(DirectRow)(turns, positions[i], i, to);
    }
    row += run;
  }
}

size_t AnchoredRun(const Turns& turns, const int64_t* positions, size_t count) {
  const size_t run = RunOf(positions, count);
  return run >= kShortRun && turns.padded() <= kMaxStepPairs ? run : 0;
}

AnchoredRows AnchorRows(const Turns& turns, int64_t first, bool mirrored, double* anchor) {
  FillTable(turns, &first, 1, TableRows<double>{anchor, anchor + turns.padded()});
  const Turns::Steps& steps = *turns.steps();
  return {&turns,           turns.padded(), anchor,   steps.cos.data(),
          steps.sin.data(), first,          mirrored, HWY_DYNAMIC_DISPATCH(StepRow)};
}

void FillTable(const Turns& turns, const int64_t* positions, size_t rows,
               const TableRows<double>& to) {
  for (size_t row = 0; row < rows; ++row)
    HWY_DYNAMIC_DISPATCH(DirectDoubles)(turns, positions[row], row, to);
}

void FillAnchored(const Turns& turns, int64_t first, const TableRows<double>& to) {
  HWY_DYNAMIC_DISPATCH(ConsecutiveDoubles)(turns, first, kStepRows, to);
}

}  // namespace gnomon::optimized
#endif  // HWY_ONCE
