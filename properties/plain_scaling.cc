#include "gnomon/properties/plain_scaling.h"

#include <algorithm>
#include <cmath>

namespace gnomon::properties {
namespace {

// R: long double for exact angles, else float.
template <class R>
class Scaler {
 public:
  Scaler(AngleForm form, const RopeFrequencies& f, Slip slip, bool negative_exponent)
      : form_(form), f_(f), s_(f.scaling), slip_(slip), negative_(negative_exponent) {}

  R Of(int64_t i) const {
    const R s = Factor();
    switch (s_.type) {
      case RopeType::kDefault:
        return Base(f_.rope_theta.value, i);
      case RopeType::kLinear: {
        const R w = Base(f_.rope_theta.value, i);
        if (Is(Slip::kFactorIgnored)) return w;
        return Is(Slip::kMultiplies) ? w * s : w / s;
      }
      case RopeType::kNtk:
        return Stretched(s, i);
      case RopeType::kDynamic:
        return Dynamic(s, i);
      case RopeType::kNtkByParts:
        return ByParts(s, i);
      case RopeType::kYarn:
        return Yarn(s, i);
      case RopeType::kLlama3:
        return Llama3(s, i);
      case RopeType::kLongrope: {
        const R n = static_cast<R>(s_.seq_len), L = static_cast<R>(s_.original_length.value);
        const bool beyond = Is(Slip::kAlwaysLong) || (Is(Slip::kSwitchAtLength) ? n >= L : n > L);
        const Number& by = (beyond ? s_.long_factor : s_.short_factor)[static_cast<size_t>(i)];
        return Base(f_.rope_theta.value, i) / static_cast<R>(by.value);
      }
      case RopeType::kProportional: {
        const double dims =
            std::floor(s_.partial_rotary_factor.value * static_cast<double>(f_.rotary_dim));
        const int64_t turning = static_cast<int64_t>(dims / 2);
        if (i >= turning && !Is(Slip::kRestTurns)) return 0;
        if (Is(Slip::kPartialDivisor)) return Base(f_.rope_theta.value, i, 2 * turning) / s;
        return Base(f_.rope_theta.value, i) / s;
      }
    }
    return 0;
  }

 private:
  bool Is(Slip slip) const { return slip_ == slip; }
  R Factor() const {
    return static_cast<R>(static_cast<long double>(s_.factor.value) /
                          static_cast<long double>(s_.factor_divisor.value));
  }
  R Base(long double base, int64_t i, int64_t denominator = 0) const {
    if (denominator == 0) denominator = f_.rotary_dim;
    if (form_ == AngleForm::kExact)
      return static_cast<R>(std::pow(
          base, -2.0L * static_cast<long double>(i) / static_cast<long double>(denominator)));
    PlainFrequency w;
    w.base = static_cast<double>(base);
    w.numerator = 2 * i;
    w.denominator = denominator;
    w.pair = i;
    w.negative_exponent = negative_;
    if (form_ != AngleForm::kChained) return static_cast<R>(FrequencyAs(form_, w));
    // Multiplied up from pair to pair.
    const R step = std::pow(static_cast<R>(base), -R(2) / static_cast<R>(denominator));
    R product = 1;
    for (int64_t k = 0; k < i; ++k) product *= step;
    return product;
  }
  R Stretched(R s, int64_t i) const {
    R x = static_cast<R>(f_.rotary_dim) / static_cast<R>(f_.rotary_dim - 2);
    if (Is(Slip::kNtkNoExponent)) x = 1;
    if (Is(Slip::kNtkHalfExponent)) x = 2 / static_cast<R>(f_.rotary_dim - 2) + 2;
    return Base(static_cast<R>(f_.rope_theta.value) * std::pow(s, x), i);
  }
  R Dynamic(R s, int64_t i) const {
    const double L = s_.original_length.value;
    double made_for = L;
    const auto call = [&](double n) {
      if (Is(Slip::kAlwaysReset) || s_.update == DynamicUpdate::kStateless || n > made_for) {
        made_for = n;
      } else if (s_.update == DynamicUpdate::kReset && n < L && !Is(Slip::kNeverReset)) {
        made_for = L;
      }
    };
    for (const int64_t n : s_.earlier_seq_lens) call(static_cast<double>(n));
    if (!(Is(Slip::kStale) && !s_.earlier_seq_lens.empty())) call(static_cast<double>(s_.seq_len));
    const R n = static_cast<R>(std::max(made_for, L));
    return Stretched(Is(Slip::kStatic) ? s : s * n / static_cast<R>(L) - (s - 1), i);
  }
  // In binary64, as most code has it.
  double Dim(double rotations) const {
    constexpr double kPi = 3.14159265358979323846;
    double base = f_.rope_theta.value;
    if (Is(Slip::kBaseRaised)) base *= s_.factor.value / s_.factor_divisor.value;
    return static_cast<double>(f_.rotary_dim) *
           std::log(s_.original_length.value / (rotations * 2 * kPi)) / (2 * std::log(base));
  }
  // 1 - ramp
  R Below(int64_t i, double fast, double slow, bool truncate) const {
    double lo = Dim(fast), hi = Dim(slow);
    if (truncate && !Is(Slip::kRoundingSkipped)) {
      lo = Is(Slip::kRoundingInverted) ? std::ceil(lo) : std::floor(lo);
      hi = Is(Slip::kRoundingInverted) ? std::floor(hi) : std::ceil(hi);
    }
    lo = std::max(lo, 0.0);
    hi = std::min(hi, static_cast<double>(f_.rotary_dim - 1));
    if (lo == hi) hi += 0.001;
    R ramp;
    if (form_ == AngleForm::kExact && !truncate) {  // more digits than binary64 has
      ramp = Fractional(i, fast, slow);
    } else {
      ramp = (static_cast<R>(i) - static_cast<R>(lo)) / (static_cast<R>(hi) - static_cast<R>(lo));
    }
    ramp = std::clamp(ramp, R(0), R(1));
    return Is(Slip::kRampReversed) ? ramp : 1 - ramp;
  }
  R Fractional(int64_t i, double fast, double slow) const {
    constexpr long double kPi = 3.14159265358979323846264338327950288L;
    const auto dim = [&](long double rotations) {
      return static_cast<long double>(f_.rotary_dim) *
             std::log(static_cast<long double>(s_.original_length.value) / (rotations * 2 * kPi)) /
             (2 * std::log(static_cast<long double>(f_.rope_theta.value)));
    };
    const long double lo = std::max(dim(fast), 0.0L);
    const long double hi = std::min(dim(slow), static_cast<long double>(f_.rotary_dim - 1));
    return static_cast<R>((static_cast<long double>(i) - lo) / (hi - lo));
  }
  R Rotations(R w) const {
    constexpr long double kTwoPi = 6.28318530717958647692528676655900577L;
    return static_cast<R>(s_.original_length.value) * w / static_cast<R>(kTwoPi);
  }
  R Yarn(R s, int64_t i) const {
    const R w = Base(f_.rope_theta.value, i);
    double fast = s_.beta_fast.value, slow = s_.beta_slow.value;
    R g;
    if (s_.ramp == YarnRamp::kRotations || Is(Slip::kRotationsForIndex)) {
      if (Is(Slip::kBetasExchanged)) std::swap(fast, slow);
      g = (Rotations(w) - static_cast<R>(slow)) / (static_cast<R>(fast) - static_cast<R>(slow));
      g = std::clamp(g, R(0), R(1));
      if (Is(Slip::kRampReversed)) g = 1 - g;
    } else {
      if (Is(Slip::kBetasExchanged)) std::swap(fast, slow);
      g = Below(i, fast, slow, s_.truncate);
    }
    g *= static_cast<R>(s_.extrapolation_factor.value);
    const R kept = Is(Slip::kNtkForFast) && f_.rotary_dim > 2 ? Stretched(s, i) : w;
    return w / s * (1 - g) + kept * g;
  }
  R Llama3(R s, int64_t i) const {
    constexpr long double kTwoPi = 6.28318530717958647692528676655900577L;
    const R w = Base(f_.rope_theta.value, i), L = static_cast<R>(s_.original_length.value);
    R low = static_cast<R>(s_.low_freq_factor.value),
      high = static_cast<R>(s_.high_freq_factor.value);
    if (Is(Slip::kBandsIgnored)) return w;
    if (Is(Slip::kBandsExchanged)) std::swap(low, high);
    const R wavelength = static_cast<R>(kTwoPi) / w;
    if (wavelength < L / high) return w;
    if (wavelength > L / low) return w / s;
    if (Is(Slip::kBandsWithoutBlend)) return w;
    const R g = (L / wavelength - low) / (high - low);
    return (1 - g) * w / s + g * w;
  }
  R ByParts(R s, int64_t i) const {
    const R w = Base(f_.rope_theta.value, i);
    double a = 1.25, b = 0.75, c = 16, d = 2;
    if (Is(Slip::kPartsExchanged)) std::swap(a, c), std::swap(b, d);
    const R g1 = Below(i, a, b, true) * static_cast<R>(s_.ntk_factor.value);
    const R v = w / s * (1 - g1) + Stretched(s, i) * g1;
    const R g2 = Below(i, c, d, true) * static_cast<R>(s_.extrapolation_factor.value);
    return v * (1 - g2) + w * g2;
  }

  AngleForm form_;
  const RopeFrequencies& f_;
  const RopeScaling& s_;
  Slip slip_;
  bool negative_;
};

double Growth(const RopeScaling& s, const std::optional<Number>& k, double otherwise) {
  const double factor = s.factor.value / s.factor_divisor.value;
  return factor <= 1 ? 1 : 0.1 * (k ? k->value : otherwise) * std::log(factor) + 1;
}

double WholeMagnitude(const RopeScaling& s, Slip slip) {
  if (!s.HasMagnitude() || slip == Slip::kMagnitudeDropped) return 1;
  if (s.attention_factor && slip != Slip::kAttentionFactorIgnored) return s.attention_factor->value;
  const double factor = s.factor.value / s.factor_divisor.value;
  if (s.type == RopeType::kLongrope) {
    const double L = s.original_length.value;
    if (s.short_mscale)
      return (static_cast<double>(s.seq_len) > L ? *s.long_mscale : *s.short_mscale).value;
    if (factor <= 1) return 1;
    if (slip == Slip::kLengthForFactor) return std::sqrt(1 + std::log(L) / std::log(factor * L));
    return std::sqrt(1 + std::log(factor) / std::log(L));
  }
  const double a = s.attn_factor.value;
  if (slip == Slip::kLogarithmTwice) return a * (0.1 * std::log(factor) * std::log(factor) + 1);
  const bool each = s.mscale_rule == MscaleRule::kEach;
  if (slip == Slip::kRatioIgnored || (!each && !(s.mscale && s.mscale_all_dim)))
    return a * Growth(s, std::nullopt, 1);
  return a * Growth(s, s.mscale, 1) / Growth(s, s.mscale_all_dim, 0);
}

}  // namespace

double PlainScaledFrequency(AngleForm form, const RopeFrequencies& f, int64_t i, Slip slip,
                            bool negative_exponent) {
  if (form == AngleForm::kExact)
    return static_cast<double>(Scaler<long double>(form, f, slip, negative_exponent).Of(i));
  return Scaler<float>(form, f, slip, negative_exponent).Of(i);
}

long double ExactScaledFrequency(const RopeFrequencies& f, int64_t i, Slip slip) {
  return Scaler<long double>(AngleForm::kExact, f, slip, false).Of(i);
}

double PlainMagnitude(const RopeScaling& s, bool tables, Slip slip) {
  const bool applied = tables ? s.ScalesTables() : s.ScalesRotation();
  if (!applied && slip != Slip::kPlacementIgnored) return 1;
  const double t = WholeMagnitude(s, slip);
  return slip == Slip::kMagnitudeSquared ? t * t : t;
}

double PlainSoftmaxFactor(const RopeScaling& s, Slip slip) {
  double t = 1;
  if (s.HasMagnitude() && s.placement == MagnitudePlacement::kSplit) {
    t = Growth(s, s.mscale_all_dim, 0);
  } else if (s.HasMagnitude() && s.placement == MagnitudePlacement::kSoftmax) {
    t = s.attention_factor || s.type == RopeType::kLongrope
            ? WholeMagnitude(s, Slip::kNone)
            : s.attn_factor.value * Growth(s, s.mscale, 1);
  }
  return slip == Slip::kSoftmaxOnce ? t : t * t;
}

}  // namespace gnomon::properties
