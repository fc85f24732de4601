// What the plain kernels of every scheme have in common (wrong_<stem>.cc): a mistake or none, a
// promise, a way to round, and the mistakes that are made in the angle or in the store of any
// scheme. `M` is the scheme's list of mistakes.
#ifndef GNOMON_PROPERTIES_PLAIN_KERNEL_H_
#define GNOMON_PROPERTIES_PLAIN_KERNEL_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gnomon/properties/plain_angle.h"
#include "gnomon/properties/wrong_subjects.h"

namespace gnomon::properties {

// Ways to round that BOUND-1 leaves open. Not set: what plain code does.
struct Rounding {
  // Which product of a sum of two goes into a fused multiply-add (A1).
  enum Fused { kNone, kFirst, kSecond, kEither } fused = kNone;  // kEither: one here, one there
  enum Sum { kForward, kBackward, kPairwise, kFloat64, kFusedForward } sum = kForward;  // A7
  enum Tables { kNearest, kUp, kDown } tables = kNearest;  // within one ulp (A3)
  bool float64 = false;                                    // products and sums of two in float64
  bool negative_exponent = false;  // pow(base, -e) for 1 / pow(base, e) (BOUND-3)
  bool from_angles = false;        // a dot product by the cosines of (m - n) w (SIN-12)
  // Which subnormal numbers count as 0; declared, if any do (BOUND-8).
  enum Flush { kKept, kInputs, kResults, kBoth } flush = kKept;
};

// v to f32; up or down where `tables` says so and v is normal (A3).
float EntryOf(double v, Rounding::Tables tables);
// Of values of f32, accumulated in f32 or float64.
double SumOf(const std::vector<double>& terms, Rounding::Sum sum);

template <class M>
struct MistakeRow {
  M mistake;
  const char* id;
  const char* text;
  MistakeKind kind;
  const char* promise;
};

struct RoundingRow {
  const char* id;
  const char* text;
  const char* promise;
  Rounding rounding;
};

// Whether the kernel makes this mistake; false where the scheme's list has none of that name.
#define GNOMON_MAKES(mistake)               \
  [&] {                                     \
    if constexpr (requires { M::mistake; }) \
      return Is(M::mistake);                \
    else                                    \
      return false;                         \
  }()

// What a kernel of any scheme takes a position to be.
template <class M>
int64_t MistakenPosition(M mistake, int64_t position) {
  const auto Is = [mistake](M one) { return mistake == one; };
  const double p = static_cast<double>(position);
  if (GNOMON_MAKES(kPlusSeven)) return position + 7;
  if (GNOMON_MAKES(kAbsolutePosition)) return std::abs(position);
  if (GNOMON_MAKES(kUnsignedPosition)) return static_cast<uint32_t>(position);
  if (GNOMON_MAKES(kUint16)) return static_cast<uint16_t>(position);
  if (GNOMON_MAKES(kInt16)) return static_cast<int16_t>(position);
  if (GNOMON_MAKES(kPositionsBf16)) return std::llrint(RoundToFormat(Format::kBf16, p));
  if (GNOMON_MAKES(kPositionsF16))
    return std::llrint(std::clamp(RoundToFormat(Format::kF16, p), -65504.0, 65504.0));
  return position;
}

template <class M>
class PlainKernel : public Subject {
 public:
  PlainKernel(M mistake, const Rounding& rounding, std::string name, const std::string& promise,
              std::string stem)
      : mistake_(mistake),
        rounding_(rounding),
        name_(std::move(name)),
        promise_(*ProfileFromName(promise)),
        stem_(std::move(stem)) {}

  std::string Name() const override { return name_; }
  bool Declares(const std::string& operation, Format format) const override {
    return operation.rfind(stem_ + ".", 0) == 0 && format != Format::kF64;
  }
  size_t Promise() const override { return promise_; }
  bool FlushesSubnormals() const override { return rounding_.flush != Rounding::kKept; }

 protected:
  M mistake() const { return mistake_; }
  bool Is(M mistake) const { return mistake_ == mistake; }
  const Profile& promise() const { return kProfiles[promise_]; }
  const Rounding& rounding() const { return rounding_; }
  AngleForm form() const { return GNOMON_MAKES(kChained) ? AngleForm::kChained : promise().angle; }

  Format arithmetic() const { return narrow() ? format_ : Format::kF32; }
  // To the format that the arithmetic runs in.
  double Rounded(double v) const {
    if (promise().correctly_rounded) return v;
    return Result(arithmetic(), RoundToFormat(arithmetic(), v));
  }
  // An operand, and a result, as a kernel that flushes has them (BOUND-8).
  double Operand(Format format, double v) const {
    const bool flushes = rounding_.flush == Rounding::kInputs || rounding_.flush == Rounding::kBoth;
    return flushes ? Flushed(format, v) : v;
  }
  double Result(Format format, double v) const { return FlushesResults() ? Flushed(format, v) : v; }
  bool FlushesResults() const {
    return rounding_.flush == Rounding::kResults || rounding_.flush == Rounding::kBoth;
  }
  // a b + c d. `member` tells the two outputs of a pair apart.
  double TwoProducts(double a, double b, double c, double d, int member = 0) const {
    const bool second =
        rounding_.fused == Rounding::kSecond || (rounding_.fused == Rounding::kEither && member);
    if (rounding_.float64) return Rounded(a * b + c * d);
    for (double* operand : {&a, &b, &c, &d}) *operand = Operand(arithmetic(), *operand);
    if (rounding_.fused == Rounding::kNone)
      return Rounded(Operand(arithmetic(), Rounded(a * b)) + Operand(arithmetic(), Rounded(c * d)));
    return second ? Fused(c, d, Rounded(a * b)) : Fused(a, b, Rounded(c * d));
  }
  // a b + c, rounded once.
  double Fused(double a, double b, double c) const {
    c = Operand(arithmetic(), c);
    if (narrow()) return Rounded(std::fma(a, b, c));
    return Rounded(std::fma(static_cast<float>(a), static_cast<float>(b), static_cast<float>(c)));
  }

  // What is wrong with a position or a frequency whatever the scheme, and with the angle's sine.
  PlainTurn TurnWith(PlainFrequency w, int64_t m) const {
    w.flushes = FlushesSubnormals();
    Number number;  // a frequency of its own making
    const double value = FrequencyAs(form(), w);
    const auto replace = [&](double by) {
      number = by;
      w.given = &number;
    };
    if (GNOMON_MAKES(kFrequenciesBf16)) replace(RoundToFormat(Format::kBf16, value));
    if (GNOMON_MAKES(kFrequenciesF16)) replace(RoundToFormat(Format::kF16, value));
    if (GNOMON_MAKES(kDividesByFrequency) && value != 0) replace(1 / value);
    if (GNOMON_MAKES(kZeroFrequencyAsOne) && value == 0) replace(1);
    if (GNOMON_MAKES(kNegativeFrequency)) replace(std::abs(value));
    if (GNOMON_MAKES(kDivides)) replace(value / 3.7);  // the position, that is
    PlainTurn turn = TurnAs(form(), w, m);
    if (GNOMON_MAKES(kOddCosine) && w.given == nullptr) {
      ++w.numerator;
      turn.cos = TurnAs(form(), w, m).cos;
    }
    if (GNOMON_MAKES(kFloatTwoPi)) {
      constexpr float kTwoPi = 6.2831853f;
      const double angle = static_cast<double>(m) * value;
      const double reduced = angle - std::rint(angle / kTwoPi) * kTwoPi;
      turn = {std::cos(reduced), std::sin(reduced)};
    }
    if (GNOMON_MAKES(kPolynomialBeyondRange)) {
      const float a = static_cast<float>(m) * static_cast<float>(value);
      if (std::abs(a) > 40) turn.sin = a - a * a * a / 6;
    }
    return turn;
  }

  // The same as it is stored in f32, or one or two ulps up.
  float InF32(double v) const {
    float entry = static_cast<float>(Result(Format::kF32, EntryOf(v, rounding_.tables)));
    const int ulps = GNOMON_MAKES(kTwoUlps) ? 2 : GNOMON_MAKES(kOneUlp) ? 1 : 0;
    for (int i = 0; i < ulps; ++i) entry = std::nextafter(entry, entry < 0 ? -4.0f : 4.0f);
    return entry;
  }

  double SmallestNormal() const {
    const FormatTraits& t = Traits(format_);
    return std::ldexp(1.0, t.min_quantum_exponent + t.precision - 1);
  }
  // An input as the kernel takes it.
  double Read(double v) const {
    if (GNOMON_MAKES(kNanAsZero) && std::isnan(v)) return 0;
    if (GNOMON_MAKES(kFlushesInput) && std::abs(v) < SmallestNormal()) return 0;
    return Operand(format_, v);
  }
  void StoreAt(const TensorView& view, std::byte* address, double value) const {
    const StoreMistake mistake = GNOMON_MAKES(kTruncates)     ? StoreMistake::kTruncates
                                 : GNOMON_MAKES(kRoundsTwice) ? StoreMistake::kRoundsTwice
                                 : GNOMON_MAKES(kSaturates)   ? StoreMistake::kSaturates
                                 : GNOMON_MAKES(kFlushesResult) || FlushesResults()
                                     ? StoreMistake::kFlushes
                                 : GNOMON_MAKES(kCapsInfinity) ? StoreMistake::kCapsInfinity
                                 : GNOMON_MAKES(kClampsResult) ? StoreMistake::kClamps
                                 : GNOMON_MAKES(kZeroesNan)    ? StoreMistake::kZeroesNan
                                                               : StoreMistake::kNone;
    StoreBits(view.dtype, address, StoredBits(format_, value, mistake));
  }

  Format format_ = Format::kF32;  // of the case under way

 private:
  bool narrow() const {
    return promise().arithmetic == Stage::kOutput || GNOMON_MAKES(kBf16Arithmetic);
  }

  M mistake_;
  Rounding rounding_;
  std::string name_;
  size_t promise_;
  std::string stem_;
};

#undef GNOMON_MAKES

template <class Kernel, class M, size_t n>
std::vector<WrongSubject> WrongWith(const MistakeRow<M> (&rows)[n], const std::string& stem) {
  std::vector<WrongSubject> all;
  for (const MistakeRow<M>& row : rows)
    all.push_back({row.id, row.text, row.kind, stem, [row] {
                     return std::make_unique<Kernel>(row.mistake, Rounding(),
                                                     std::string("wrong:") + row.id, row.promise);
                   }});
  return all;
}

template <class Kernel, class M, size_t n>
std::vector<RightSubject> RightWith(M none, const RoundingRow (&rows)[n], const std::string& stem) {
  std::vector<RightSubject> all;
  for (const RoundingRow& row : rows)
    all.push_back({row.id, row.text, row.promise, stem, [=] {
                     return std::make_unique<Kernel>(
                         none, row.rounding, "right-" + stem + ":" + row.id + "/" + row.promise,
                         row.promise);
                   }});
  return all;
}

}  // namespace gnomon::properties

#endif  // GNOMON_PROPERTIES_PLAIN_KERNEL_H_
