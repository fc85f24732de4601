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
  const U64 du;
  const hn::RebindToSigned<F64> di;
  constexpr uint64_t kEighth = uint64_t{1} << 61, kQuarter = uint64_t{1} << 62;
  // The two top bits are the quadrant, the rest the distance from the nearest quarter turn.
  const auto shifted = hn::Add(phases, hn::Set(du, kEighth));
  const auto within = hn::Sub(hn::BitCast(di, hn::And(shifted, hn::Set(du, kQuarter - 1))),
                              hn::Set(di, static_cast<int64_t>(kEighth)));
  CosSinOfQuarters(shifted, hn::Mul(hn::ConvertTo(F64(), within), hn::Set(F64(), 0x1p-62)), cosine,
                   sine);
}

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
    Nearness nearness(turns.first_tier() == Tier::kVector);
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
  Nearness least(rows.turns->first_tier() == Tier::kVector);
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
