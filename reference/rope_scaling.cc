// The truths of rope_scaling.magnitude, .layers and .temperature, and the error counts of scaled
// frequencies. rope_scaling.frequencies is rope.frequencies (rope.cc).
#include "gnomon/reference/rope_scaling.h"

#include <algorithm>
#include <functional>

#include "gnomon/reference/angle_terms.h"
#include "gnomon/reference/certify.h"
#include "gnomon/reference/rope_magnitude.h"
#include "gnomon/reference/truth.h"

namespace gnomon::reference {
namespace {

namespace contract = gnomon::rope_scaling;

double Above(const Interval& x) { return mpfr_get_d(Upper(abs(x)), MPFR_RNDU); }

// Two frequencies and their counts, blended with weight g of the second (SCALE-17).
struct Blended {
  double p_count, q_count;
  Interval p, q, value;
};
enum class End { kSlow, kFast, kBetween };  // g = 0, g = 1, for sure; else between

double CountOf(const Blended& b, End end, double K) {
  if (end == End::kSlow) return b.p_count;
  if (end == End::kFast) return b.q_count;
  return contract::BlendCount(b.p_count, b.q_count, K, Above((b.q - b.p) / b.value));
}

// Of weight (1 - ramp) for pair i of a truncated range.
End EndOf(const Range<Interval>& range, int64_t i, const Number& weight) {
  if (weight.value == 0 || LessOrEqual(range.hi, Interval(i))) return End::kSlow;
  return weight == Number(1) && LessOrEqual(Interval(i), range.lo) ? End::kFast : End::kBetween;
}

contract::NewBase NewBaseOf(const RopeFrequencies& f, int64_t i) {
  const RopeScaling& s = f.scaling;
  const Interval factor = ScaleFactor<Interval>(s);
  Interval scale = factor;
  contract::NewBase base;
  if (s.type == RopeType::kDynamic) {
    const Interval L = Exactly<Interval>(s.original_length), c = DynamicState<Interval>(s);
    scale = DynamicFactor<Interval>(factor, L, c);
    base.growth = Above((factor * (Less(L, c) ? c : L) / L + factor) / scale);
  }
  const Interval exponent = Interval(f.rotary_dim) / (f.rotary_dim - 2);
  base.numerator = 2 * i;
  base.rotary_dim = f.rotary_dim;
  base.pair = i;
  base.log_base = Above(log(Exactly<Interval>(f.rope_theta)) + exponent * log(scale));
  base.log_factor = Above(log(scale));
  base.inexact_base = IsInexact(f.rope_theta);
  base.inexact_factor = contract::FactorIsInexact(s);
  return base;
}

// From the count of an unscaled frequency, formed in some way, to that of the scaled one.
using Counter = std::function<double(AngleForm, double count)>;

Counter YarnCounter(const RopeFrequencies& f, int64_t i, double u) {
  const RopeScaling& s = f.scaling;
  const Interval w = UnscaledFrequency<Interval>(f, i), slow = w / ScaleFactor<Interval>(s),
                 value = ScaledFrequency<Interval>(f, i);
  const auto blended = [s, w, slow, value](double count, End end, double K) {
    return CountOf({count + contract::FactorCount(s), count, slow, w, value}, end, K);
  };
  const bool llama3 = s.type == RopeType::kLlama3;
  if (!llama3 && s.ramp == YarnRamp::kIndex) {
    const Range<Interval> range = YarnRange<Interval>(f);
    const End end = s.truncate ? EndOf(range, i, s.extrapolation_factor) : End::kBetween;
    const double K = s.truncate ? contract::kTruncatedRamp
                                : contract::OpenRamp(Above(range.lo), Above(range.hi), u);
    return [=](AngleForm, double count) { return blended(count, end, K); };
  }
  const Number low = llama3 ? s.low_freq_factor : s.beta_slow;
  const Number high = llama3 ? s.high_freq_factor : s.beta_fast;
  const Number weight = llama3 ? Number(1) : s.extrapolation_factor;
  const Interval r = Rotations<Interval>(s, w);
  return [=](AngleForm, double count) {
    const Interval off = Gamma(count + 5, u) * r;
    if (weight.value == 0 || Less(r + off, Exactly<Interval>(low)))
      return blended(count, End::kSlow, 0);
    if (weight == Number(1) && Less(Exactly<Interval>(high), r - off))
      return blended(count, End::kFast, 0);
    return blended(count, End::kBetween,
                   contract::RotationsRamp(count, Above(r), low.value, high.value,
                                           IsInexact(low) || IsInexact(high), u));
  };
}

Counter NewBaseCounter(const RopeFrequencies& f, int64_t i, double u) {
  return [base = NewBaseOf(f, i), u](AngleForm form, double) {
    return contract::NewBaseCount(form, base, u);
  };
}

Counter ByPartsCounter(const RopeFrequencies& f, int64_t i, double u) {
  const RopeScaling& s = f.scaling;
  const Interval w = UnscaledFrequency<Interval>(f, i), factor = ScaleFactor<Interval>(s),
                 slow = w / factor, ntk = NtkFrequency<Interval>(f, factor, i);
  const ByParts<Interval> parts = NtkByParts<Interval>(f, i);
  const auto end = [&](double fast, double slow_turns, const Number& weight) {
    return EndOf(CorrectionRange<Interval>(f, true, Interval(fast), Interval(slow_turns)), i,
                 weight);
  };
  const End first = end(1.25, 0.75, s.ntk_factor), second = end(16, 2, s.extrapolation_factor);
  return [=, by_new_base = NewBaseCounter(f, i, u)](AngleForm form, double count) {
    constexpr double K = contract::kTruncatedRamp;
    const double slow_count = count + contract::FactorCount(s);
    const double v_count =
        CountOf({slow_count, by_new_base(form, count), slow, ntk, parts.v}, first, K);
    return CountOf({v_count, count, parts.v, w, parts.w}, second, K);
  };
}

Counter CounterOf(const RopeFrequencies& f, int64_t i, double u) {
  const RopeScaling& s = f.scaling;
  const auto more = [](double by) { return [by](AngleForm, double count) { return count + by; }; };
  switch (s.type) {
    case RopeType::kDefault:
      return more(0);
    case RopeType::kLinear:
      return more(contract::FactorCount(s));
    case RopeType::kProportional:
      if (i < TurningPairs(f)) return more(contract::FactorCount(s));
      return [](AngleForm, double) { return 0.0; };
    case RopeType::kLongrope: {
      const bool is_long = Less(Exactly<Interval>(s.original_length), Interval(s.seq_len));
      const auto& factors = is_long ? s.long_factor : s.short_factor;
      return more(contract::DivisionCount(factors[static_cast<size_t>(i)]));
    }
    case RopeType::kNtk:
    case RopeType::kDynamic:
      return NewBaseCounter(f, i, u);
    case RopeType::kYarn:
    case RopeType::kLlama3:
      return YarnCounter(f, i, u);
    case RopeType::kNtkByParts:
      return ByPartsCounter(f, i, u);
  }
  return {};
}

// Exactly 0 or 1 here, and 1 there.
class LayersTruth : public Truth {
 public:
  explicit LayersTruth(const Case& c) : layers_(contract::ReadLayers(c)) {}
  // SCALE-14.
  Expectation Expect(int, int64_t layer) const override {
    int64_t use = 1;
    if (layers_.interval > 0) use = (layer + 1) % layers_.interval != 0;
    if (!layers_.use_rope.empty()) use = layers_.use_rope[static_cast<size_t>(layer)];
    return {Expectation::kInteger, static_cast<uint64_t>(use)};
  }
  Interval Value(int, int64_t layer) const override {
    return Interval(static_cast<int64_t>(Expect(0, layer).bits));
  }
  Interval Bound(int, int64_t, const Profile&) const override { return Interval(0); }
  Interval Size(int, int64_t) const override { return Interval(1); }
  Interval Scale(int, int64_t) const override { return Interval(1); }
  Place Where(int, int64_t) const override { return {}; }
  std::vector<Step> Steps(int, int64_t) const override { return {}; }

 private:
  contract::Layers layers_;
};

// Output 0: the magnitude; output 1: the factor of the scores.
class MagnitudeTruth : public Truth {
 public:
  explicit MagnitudeTruth(const Case& c) : format_(c.format), s_(contract::ReadMagnitude(c)) {}
  Interval Value(int output, int64_t) const override {
    if (output == 1) return SoftmaxFactor<Interval>(s_);
    return s_.ScalesRotation() ? Magnitude<Interval>(s_) : Interval(1);
  }
  // SCALE-18.
  Interval Bound(int output, int64_t, const Profile&) const override {
    const Interval v = Value(output, 0);
    const bool none = output == 1 && IsPoint(v) && v == 1;
    const double mu = std::max(1.0, contract::MagnitudeCount(s_, format_));
    if (none) return Interval(0);
    return contract::CountedBound<Interval>(format_, v, output == 1 ? 2 * mu + 1 : mu);
  }
  Interval Size(int output, int64_t) const override { return Value(output, 0); }
  Interval Scale(int output, int64_t) const override { return Value(output, 0); }
  Place Where(int, int64_t) const override { return {}; }
  std::vector<Step> Steps(int, int64_t) const override {
    return {{"s", ScaleFactor<Interval>(s_)}, {"t", Magnitude<Interval>(s_)}};
  }

 private:
  Format format_;
  RopeScaling s_;
};

class TemperatureTruth : public Truth {
 public:
  explicit TemperatureTruth(const Case& c)
      : format_(c.format),
        t_(contract::ReadTemperature(c)),
        positions_(c.inputs.at("positions").view()) {}
  Interval Value(int, int64_t element) const override {
    return QueryTemperature<Interval>(t_, IntegerAt(positions_, element));
  }
  // SCALE-18. Where the floor may come out as another integer nothing is promised.
  Interval Bound(int, int64_t element, const Profile&) const override {
    const Format working = WorkingFormat(format_);
    const double p = static_cast<double>(IntegerAt(positions_, element)) + 1;
    const bool whole =
        IsBinary64(t_.floor_scale) && t_.floor_scale.value == std::floor(t_.floor_scale.value);
    if (!(whole && p < ExactPowerOfTwo(Traits(working).precision)) && !FloorIsSure(element))
      return Value(0, element) * std::numeric_limits<double>::infinity();
    return contract::CountedBound<Interval>(format_, Value(0, element), 5);
  }
  Interval Size(int, int64_t element) const override { return Value(0, element); }
  Interval Scale(int, int64_t element) const override { return Value(0, element); }
  Place Where(int, int64_t element) const override {
    return {IntegerAt(positions_, element), std::nullopt};
  }
  std::vector<Step> Steps(int, int64_t element) const override {
    return {{"(p + 1) / floor_scale", Quotient(element)}};
  }

 private:
  Interval Quotient(int64_t element) const {
    const Fraction<Interval> step = FractionOf<Interval>(t_.floor_scale);
    return Interval(IntegerAt(positions_, element) + 1) * step.denominator / step.numerator;
  }
  // No integer but the quotient itself within gamma(4, u) of it.
  bool FloorIsSure(int64_t element) const {
    const Interval q = Quotient(element);
    const Interval off = q * Gamma(4, UnitRoundoff(WorkingFormat(format_)));
    const Interval below = Floor<Interval>(q);
    const bool integer = IsPoint(q) && mpfr_integer_p(Lower(q));
    return Less(q + off, below + 1) && Less(integer ? below - 1 : below, q - off);
  }
  Format format_;
  contract::Temperature t_;
  ConstTensorView positions_;
};

}  // namespace

FrequencyCounts CountsOf(const RopeFrequencies& f, int64_t i, Format output) {
  const auto counts = Certify([&] {
    const double log_base = LogBaseUpperBound(f.rope_theta);
    const Counter counter = CounterOf(f, i, UnitRoundoff(WorkingFormat(output)));
    FrequencyCounts all{};
    for (const AngleForm form : {AngleForm::kWorking, AngleForm::kExp, AngleForm::kChained})
      all[static_cast<size_t>(form)] = counter(
          form, FrequencyRoundings(
                    form, {2 * i, f.rotary_dim, log_base, false, i, IsInexact(f.rope_theta)}));
    return all;
  });
  FrequencyCounts open;  // not decided at the cap: nothing is promised
  open.fill(std::numeric_limits<double>::infinity());
  return counts.value_or(open);
}

namespace rope_scaling {

std::unique_ptr<Truth> MakeTruth(const Case& c) {
  if (c.operation == "rope_scaling.frequencies") return rope::MakeTruth(c);
  if (c.operation == "rope_scaling.magnitude") return std::make_unique<MagnitudeTruth>(c);
  if (c.operation == "rope_scaling.layers") return std::make_unique<LayersTruth>(c);
  return std::make_unique<TemperatureTruth>(c);
}

}  // namespace rope_scaling
}  // namespace gnomon::reference
