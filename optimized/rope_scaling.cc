// The idea: a scaled frequency is set up once a plan, so it may cost what exactness costs. Almost
// all are a power, or two, times a rational number: position interpolation, NTK-aware bases, ramps
// that end at whole pairs, factors a pair. Those stay powers (exact.h). Ramps by rotations hold pi,
// and ramps between fractional pairs logarithms: those frequencies are enclosed between rationals,
// as narrow as whoever asks wants them. Which piece of a ramp a pair lies on is decided with as
// many digits as it takes. Tables then know nothing of the scaling but its turns (turns.h).
#include "gnomon/optimized/rope_scaling.h"

#include <algorithm>
#include <cmath>

#include "gnomon/optimized/plan_cache.h"
#include "gnomon/optimized/schemes.h"

namespace gnomon::optimized {
namespace {

cpp_rational FactorOf(const RopeScaling& s) {
  return ToRational(s.factor) / ToRational(s.factor_divisor);
}

cpp_int FloorOf(const cpp_rational& r) {
  const cpp_int n = numerator(r), d = denominator(r);
  cpp_int quotient = n / d;
  if (n < 0 && quotient * d != n) --quotient;
  return quotient;
}

Between Times(const Between& a, const cpp_rational& by) {  // by >= 0
  return {a.low * by, a.high * by};
}
Between Over(const Between& a, const Between& b) {  // b > 0
  return {a.low / (a.low < 0 ? b.low : b.high), a.high / (a.high < 0 ? b.high : b.low)};
}

// SCALE-6: d ln(L / (2 pi x)) / (2 ln b).
Between CorrectionDim(const RopeFrequencies& f, const cpp_rational& x, int64_t bits) {
  const cpp_rational L = ToRational(f.scaling.original_length);
  const Between pi = PiBetween(bits), ratio = LogBetween(L / (2 * x), bits);
  const Between log = {ratio.low - LogBetween(pi.high, bits).high,
                       ratio.high - LogBetween(pi.low, bits).low};
  return Over(Times(log, cpp_rational(f.rotary_dim)),
              Times(LogBetween(ToRational(f.rope_theta), bits), cpp_rational(2)));
}

struct WholeRange {
  cpp_rational lo, hi;
};
// The floor of a number that is no integer.
cpp_int FloorOfDim(const RopeFrequencies& f, const cpp_rational& x, bool ceiling) {
  for (int64_t bits = 128;; bits *= 2) {
    const Between dim = CorrectionDim(f, x, bits);
    if (FloorOf(dim.low) == FloorOf(dim.high)) return FloorOf(dim.low) + ceiling;
  }
}
WholeRange TruncatedRange(const RopeFrequencies& f, const cpp_rational& fast,
                          const cpp_rational& slow) {
  const cpp_rational lo = std::max(cpp_rational(0), cpp_rational(FloorOfDim(f, fast, false)));
  cpp_rational hi =
      std::min(cpp_rational(f.rotary_dim - 1), cpp_rational(FloorOfDim(f, slow, true)));
  if (hi < lo)
    throw Rejected("original_max_position_embeddings", ToText(f.scaling.original_length),
                   "the range of the ramp ends before it begins", "SCALE-6");
  if (hi == lo) hi += cpp_rational(1, 1000);
  return {lo, hi};
}

// SCALE-4.
cpp_rational Clamp(const cpp_rational& q) {
  return std::max(cpp_rational(0), std::min(cpp_rational(1), q));
}
cpp_rational Below(const WholeRange& range, int64_t i) {  // 1 - ramp
  return 1 - Clamp((i - range.lo) / (range.hi - range.lo));
}
// blend(g) / w
cpp_rational Kept(const cpp_rational& g, const cpp_rational& s) { return (1 - g) / s + g; }

// w', where g is known between two numbers and w is a power.
ExactFrequency Blended(const ExactFrequency& w, const cpp_rational& s,
                       std::function<Between(int64_t bits)> g) {
  return ExactFrequency::Computed([=](int64_t bits) {
    const Enclosure power = w.Magnitude(bits);
    const cpp_rational unit =
        power.exponent >= 0
            ? cpp_rational(cpp_int(1) << static_cast<unsigned>(power.exponent))
            : cpp_rational(cpp_int(1), cpp_int(1) << static_cast<unsigned>(-power.exponent));
    const Between weight = g(bits);
    return Between{power.low * unit * Kept(weight.low, s),
                   power.high * unit * Kept(weight.high, s)};
  });
}

// SCALE-5, SCALE-8: e ramp(low, high, L w / 2 pi).
ExactFrequency ByRotations(const RopeFrequencies& f, const ExactFrequency& w,
                           const cpp_rational& low, const cpp_rational& high,
                           const cpp_rational& e) {
  const cpp_rational s = FactorOf(f.scaling), L = ToRational(f.scaling.original_length);
  const auto rotations = [=](int64_t bits) {
    const ExactFrequency turns = w.Times(L / 2);
    const Enclosure r = turns.Magnitude(bits);
    const cpp_rational unit =
        r.exponent >= 0
            ? cpp_rational(cpp_int(1) << static_cast<unsigned>(r.exponent))
            : cpp_rational(cpp_int(1), cpp_int(1) << static_cast<unsigned>(-r.exponent));
    return Over({r.low * unit, r.high * unit}, PiBetween(bits));
  };
  for (int64_t bits = 128;; bits *= 2) {
    const Between r = rotations(bits);
    if (r.high < low) return w.Times(1 / s);
    if (r.low > high) return w.Times(Kept(e, s));
    if (r.low > low && r.high < high) break;
  }
  if (e == 0) return w.Times(1 / s);
  return Blended(w, s, [=](int64_t bits) {
    const Between r = rotations(bits);
    return Between{e * Clamp((r.low - low) / (high - low)),
                   e * Clamp((r.high - low) / (high - low))};
  });
}

// SCALE-6 without floor and ceil.
ExactFrequency ByFractionalIndex(const RopeFrequencies& f, const ExactFrequency& w, int64_t i) {
  const RopeScaling& scaling = f.scaling;
  const cpp_rational s = FactorOf(scaling), e = ToRational(scaling.extrapolation_factor);
  const auto ends = [f](int64_t bits) {
    Between lo = CorrectionDim(f, ToRational(f.scaling.beta_fast), bits);
    Between hi = CorrectionDim(f, ToRational(f.scaling.beta_slow), bits);
    const cpp_rational zero(0), last(f.rotary_dim - 1);
    lo = {std::max(zero, lo.low), std::max(zero, lo.high)};
    hi = {std::min(last, hi.low), std::min(last, hi.high)};
    return std::pair(lo, hi);
  };
  if (e == 0) return w.Times(1 / s);
  for (int64_t bits = 128;; bits *= 2) {
    const auto [lo, hi] = ends(bits);
    if (hi.high < lo.low)
      throw Rejected("original_max_position_embeddings", ToText(scaling.original_length),
                     "the range of the ramp ends before it begins", "SCALE-6");
    if (lo.low >= i) return w.Times(Kept(e, s));
    if (hi.high <= i) return w.Times(1 / s);
    if (lo.high < i && hi.low > i) break;
  }
  // (hi - i) / (hi - lo) grows with lo and with hi.
  return Blended(w, s, [=](int64_t bits) {
    const auto [lo, hi] = ends(bits);
    if (hi.low <= lo.low || hi.high <= lo.high) return Between{cpp_rational(0), e};
    return Between{e * Clamp((hi.low - i) / (hi.low - lo.low)),
                   e * Clamp((hi.high - i) / (hi.high - lo.high))};
  });
}

// base^(-numerator / denominator), where that is rational.
bool RationalPower(const cpp_rational& base, int64_t numerator_, int64_t denominator_,
                   cpp_rational* value) {
  const int64_t common = std::gcd(numerator_, denominator_);
  const int64_t p = numerator_ / common, q = denominator_ / common;
  const auto root = [q](const cpp_int& n, cpp_int* r) {
    if (n == 1 || q == 1) return *r = n, true;
    if (q > BitLength(n)) return false;
    cpp_int low = 1, high = cpp_int(1) << static_cast<unsigned>(BitLength(n) / q + 1);
    while (low < high) {
      const cpp_int middle = (low + high + 1) / 2;
      if (boost::multiprecision::pow(middle, static_cast<unsigned>(q)) <= n) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    *r = low;
    return boost::multiprecision::pow(low, static_cast<unsigned>(q)) == n;
  };
  cpp_int n, d;
  if (!root(cpp_int(numerator(base)), &n) || !root(cpp_int(denominator(base)), &d)) return false;
  const auto power = [p](const cpp_int& v) {
    return boost::multiprecision::pow(v, static_cast<unsigned>(p));
  };
  if (p > 4096) return false;
  *value = cpp_rational(power(d), power(n));
  return true;
}

// SCALE-11: w' = w (c1 + c2 s^(-2i/(d-2))), with c1, c2 rational.
ExactFrequency ByParts(const RopeFrequencies& f, const ExactFrequency& w, const WholeRange& ntk,
                       const WholeRange& extrapolated, int64_t i) {
  const cpp_rational s = FactorOf(f.scaling);
  const cpp_rational g1 = ToRational(f.scaling.ntk_factor) * Below(ntk, i);
  const cpp_rational g2 = ToRational(f.scaling.extrapolation_factor) * Below(extrapolated, i);
  const cpp_rational c1 = (1 - g2) * (1 - g1) / s + g2, c2 = (1 - g2) * g1;
  cpp_rational power;
  if (c2 == 0) return w.Times(c1);
  if (RationalPower(s, 2 * i, f.rotary_dim - 2, &power)) return w.Times(c1 + c2 * power);
  const ExactFrequency stretched = w.TimesPower(s, 2 * i, f.rotary_dim - 2).Times(c2);
  if (c1 == 0) return stretched;
  const ExactFrequency straight = w.Times(c1);
  return ExactFrequency::Computed([=](int64_t bits) {
    Between sum{cpp_rational(0), cpp_rational(0)};
    for (const ExactFrequency* term : {&stretched, &straight}) {
      const Enclosure v = term->Magnitude(bits);
      const cpp_rational unit =
          v.exponent >= 0
              ? cpp_rational(cpp_int(1) << static_cast<unsigned>(v.exponent))
              : cpp_rational(cpp_int(1), cpp_int(1) << static_cast<unsigned>(-v.exponent));
      sum = {sum.low + v.low * unit, sum.high + v.high * unit};
    }
    return sum;
  });
}

// SCALE-10, SCALE-3.
cpp_rational DynamicFactor(const RopeScaling& s) {
  const cpp_rational L = ToRational(s.original_length), factor = FactorOf(s);
  cpp_rational made_for = L;
  const auto call = [&](const cpp_rational& n) {
    const bool grows = n > made_for, resets = s.update == DynamicUpdate::kReset && n < L;
    if (s.update == DynamicUpdate::kStateless || grows) {
      made_for = n;
    } else if (resets) {
      made_for = L;
    }
  };
  for (const int64_t n : s.earlier_seq_lens) call(cpp_rational(n));
  call(cpp_rational(s.seq_len));
  return factor * std::max(made_for, L) / L - (factor - 1);
}

}  // namespace

std::vector<ExactFrequency> ScaledFrequencies(const RopeFrequencies& f) {
  const RopeScaling& s = f.scaling;
  gnomon::rope_scaling::RequireLength(s);
  std::vector<int64_t> numerators;
  for (int64_t i = 0; i < f.pairs(); ++i) numerators.push_back(2 * i);
  std::vector<ExactFrequency> all = ExactFrequency::Powers(f.rope_theta, numerators, f.rotary_dim);
  const cpp_rational factor = FactorOf(s), e = ToRational(s.extrapolation_factor);
  const auto each = [&](const auto& scaled) {
    for (int64_t i = 0; i < f.pairs(); ++i) {
      ExactFrequency& w = all[static_cast<size_t>(i)];
      w = scaled(w, i);
    }
  };
  switch (s.type) {
    case RopeType::kDefault:
      break;
    case RopeType::kLinear:  // SCALE-1
      each([&](const ExactFrequency& w, int64_t) { return w.Times(1 / factor); });
      break;
    case RopeType::kNtk:  // SCALE-2
      each([&](const ExactFrequency& w, int64_t i) {
        return w.TimesPower(factor, 2 * i, f.rotary_dim - 2);
      });
      break;
    case RopeType::kDynamic: {  // SCALE-3
      const cpp_rational grown = DynamicFactor(s);
      each([&](const ExactFrequency& w, int64_t i) {
        return w.TimesPower(grown, 2 * i, f.rotary_dim - 2);
      });
      break;
    }
    case RopeType::kNtkByParts: {  // SCALE-11
      const WholeRange ntk = TruncatedRange(f, cpp_rational(5, 4), cpp_rational(3, 4));
      const WholeRange extrapolated = TruncatedRange(f, cpp_rational(16), cpp_rational(2));
      each([&](const ExactFrequency& w, int64_t i) { return ByParts(f, w, ntk, extrapolated, i); });
      break;
    }
    case RopeType::kYarn:  // SCALE-5, SCALE-6
      if (s.ramp == YarnRamp::kRotations) {
        each([&](const ExactFrequency& w, int64_t) {
          return ByRotations(f, w, ToRational(s.beta_slow), ToRational(s.beta_fast), e);
        });
      } else if (s.truncate) {
        const WholeRange range =
            TruncatedRange(f, ToRational(s.beta_fast), ToRational(s.beta_slow));
        each([&](const ExactFrequency& w, int64_t i) {
          return w.Times(Kept(e * Below(range, i), factor));
        });
      } else {
        each([&](const ExactFrequency& w, int64_t i) { return ByFractionalIndex(f, w, i); });
      }
      break;
    case RopeType::kLlama3:  // SCALE-8
      each([&](const ExactFrequency& w, int64_t) {
        return ByRotations(f, w, ToRational(s.low_freq_factor), ToRational(s.high_freq_factor),
                           cpp_rational(1));
      });
      break;
    case RopeType::kLongrope: {  // SCALE-9
      const bool beyond = cpp_rational(s.seq_len) > ToRational(s.original_length);
      const std::vector<Number>& by = beyond ? s.long_factor : s.short_factor;
      if (by.size() != all.size())
        throw Rejected("long_factor", std::to_string(by.size()) + " numbers",
                       "must hold rotary_dim / 2 = " + std::to_string(all.size()), "SCALE-9");
      each([&](const ExactFrequency& w, int64_t i) {
        return w.Times(1 / ToRational(by[static_cast<size_t>(i)]));
      });
      break;
    }
    case RopeType::kProportional: {  // SCALE-12
      const double dims = s.partial_rotary_factor.value * static_cast<double>(f.rotary_dim);
      each([&](const ExactFrequency& w, int64_t i) {
        return 2 * i + 1 < std::floor(dims) ? w.Times(1 / factor)
                                            : ExactFrequency::Given(Number(0));
      });
      break;
    }
  }
  return all;
}

namespace {

// g(k) of SCALE-7, between two numbers.
Between Growth(const RopeScaling& s, const cpp_rational& k, int64_t bits) {
  const cpp_rational factor = FactorOf(s);
  if (factor <= 1 || k == 0) return {cpp_rational(1), cpp_rational(1)};
  const Between log = LogBetween(factor, bits);
  return {log.low * k / 10 + 1, log.high * k / 10 + 1};
}

// a g(k) / g(l), to the power 1 or 2.
ExactFrequency GrowthRatio(const RopeScaling& s, const cpp_rational& a, const cpp_rational& k,
                           const cpp_rational& l, int power) {
  const auto raised = [power](const cpp_rational& v) {
    return power == 2 ? cpp_rational(v * v) : v;
  };
  if (k == l || FactorOf(s) <= 1) return ExactFrequency::Rational(raised(a));
  return ExactFrequency::Computed([=](int64_t bits) {
    const Between ratio = Over(Growth(s, k, bits), Growth(s, l, bits));
    return Between{raised(a * ratio.low), raised(a * ratio.high)};
  });
}

cpp_rational Or(const std::optional<Number>& number, int otherwise) {
  return number ? ToRational(*number) : cpp_rational(otherwise);
}

// The root of a number within 2^-bits.
cpp_rational Root(const cpp_rational& v, int64_t bits, bool up) {
  const cpp_int scaled =
      (cpp_int(numerator(v)) << static_cast<unsigned>(2 * bits)) / cpp_int(denominator(v));
  return cpp_rational(cpp_int(sqrt(scaled) + up), cpp_int(1) << static_cast<unsigned>(bits));
}

// SCALE-7, SCALE-9: to the power 1, or 2 for the scores.
ExactFrequency MagnitudeTo(const RopeScaling& s, int power) {
  const auto given = [power](const Number& number) {
    const cpp_rational t = ToRational(number);
    return ExactFrequency::Rational(power == 2 ? cpp_rational(t * t) : t);
  };
  if (s.attention_factor) return given(*s.attention_factor);
  if (s.type == RopeType::kLongrope) {
    const cpp_rational L = ToRational(s.original_length), factor = FactorOf(s);
    if (s.short_mscale)
      return given(cpp_rational(s.seq_len) > L ? *s.long_mscale : *s.short_mscale);
    if (factor <= 1) return ExactFrequency::Rational(1);
    return ExactFrequency::Computed([=](int64_t bits) {
      const Between ratio = Over(LogBetween(factor, bits), LogBetween(L, bits));
      const cpp_rational low = 1 + ratio.low, high = 1 + ratio.high;
      if (power == 2) return Between{low, high};
      return Between{Root(low, bits, false), Root(high, bits, true)};
    });
  }
  const bool both = s.mscale && s.mscale_all_dim;
  const bool each = s.mscale_rule == MscaleRule::kEach;
  return GrowthRatio(s, ToRational(s.attn_factor), each || both ? Or(s.mscale, 1) : cpp_rational(1),
                     each || both ? Or(s.mscale_all_dim, 0) : cpp_rational(0), power);
}

}  // namespace

std::shared_ptr<const ExactFrequency> MagnitudeOf(const RopeScaling& s) {
  if (!s.HasMagnitude()) return nullptr;
  auto t = std::make_shared<const ExactFrequency>(MagnitudeTo(s, 1));
  const Enclosure v = t->Magnitude(64);
  const bool one = v.low == v.high && ShiftLeft(v.low, v.exponent) == 1 &&
                   ShiftLeft(cpp_int(1), -v.exponent) == v.low;
  return one ? nullptr : t;
}

ExactFrequency SoftmaxFactorOf(const RopeScaling& s) {
  if (s.placement == MagnitudePlacement::kSplit)
    return GrowthRatio(s, cpp_rational(1), Or(s.mscale_all_dim, 0), cpp_rational(0), 2);
  if (!s.HasMagnitude() || s.placement != MagnitudePlacement::kSoftmax)
    return ExactFrequency::Rational(1);
  if (s.attention_factor || s.type == RopeType::kLongrope) return MagnitudeTo(s, 2);
  return GrowthRatio(s, ToRational(s.attn_factor), Or(s.mscale, 1), cpp_rational(0), 2);
}

std::string KeyOf(const RopeScaling& s) {
  if (s.type == RopeType::kDefault) return "";
  std::string key = std::to_string(static_cast<int>(s.type));
  const auto add = [&](const std::string& text) { key.append(" ").append(text); };
  const auto numbers = [&](const std::vector<Number>& all) {
    for (const Number& number : all) add(ToText(number));
    add("|");
  };
  numbers({s.factor, s.factor_divisor, s.original_length, s.beta_fast, s.beta_slow,
           s.extrapolation_factor, s.ntk_factor, s.low_freq_factor, s.high_freq_factor,
           s.partial_rotary_factor});
  add(std::to_string(s.seq_len));
  for (const int64_t n : s.earlier_seq_lens) add(std::to_string(n));
  add(std::to_string(static_cast<int>(s.update)) + std::to_string(static_cast<int>(s.ramp)) +
      (s.truncate ? "t" : "f"));
  numbers(s.short_factor);
  numbers(s.long_factor);
  return key;
}

namespace rope_scaling {

bool Supports(const std::string& operation, Format) {
  return operation == "rope_scaling.frequencies" || operation == "rope_scaling.magnitude" ||
         operation == "rope_scaling.layers" || operation == "rope_scaling.temperature";
}

namespace {

// SCALE-15. floor((p + 1) / floor_scale) is exact; float64 decides the rest, or logarithms do.
uint64_t TemperatureBits(const gnomon::rope_scaling::Temperature& t, int64_t position,
                         Format format) {
  const cpp_rational scale = ToRational(t.attn_scale);
  const cpp_int steps = FloorOf(cpp_rational(position + 1) / ToRational(t.floor_scale));
  if (steps == 0 || scale == 0) return ExactFrequency::Rational(1).Round(format);
  return ExactFrequency::Computed([=](int64_t bits) {
           const Between log = LogBetween(cpp_rational(steps + 1), bits);
           return Between{1 + scale * log.low, 1 + scale * log.high};
         })
      .Round(format);
}

}  // namespace

bool Run(const Case& c, const OutputViews& outputs, Mode) {
  if (c.operation == "rope_scaling.frequencies") {
    const RopeFrequencies f = gnomon::rope::ReadFrequencies(c);
    RopePlan(RopeApply{f}, CachedTurns(f)).Frequencies(outputs.at("w"));
    return true;
  }
  if (c.operation == "rope_scaling.magnitude") {
    const RopeScaling s = gnomon::rope_scaling::ReadMagnitude(c);
    const auto t = s.ScalesRotation() ? MagnitudeOf(s) : nullptr;
    const TensorView &magnitude = outputs.at("magnitude"), &softmax = outputs.at("softmax_factor");
    StoreBits(magnitude.dtype, magnitude.data,
              (t ? *t : ExactFrequency::Rational(1)).Round(FormatOf(magnitude.dtype)));
    StoreBits(softmax.dtype, softmax.data, SoftmaxFactorOf(s).Round(FormatOf(softmax.dtype)));
    return true;
  }
  if (c.operation == "rope_scaling.layers") {
    const gnomon::rope_scaling::Layers layers = gnomon::rope_scaling::ReadLayers(c);
    const TensorView& use = outputs.at("use_rope");
    for (int64_t l = 0; l < layers.layers; ++l) {  // SCALE-14
      const bool skips = layers.interval > 0 && (l + 1) % layers.interval == 0;
      const bool stated = !layers.use_rope.empty();
      StoreBits(use.dtype, use.AddressOf(l),
                stated ? static_cast<uint64_t>(layers.use_rope[static_cast<size_t>(l)]) : !skips);
    }
    return true;
  }
  if (c.operation != "rope_scaling.temperature") return false;
  const gnomon::rope_scaling::Temperature t = gnomon::rope_scaling::ReadTemperature(c);
  const TensorView& out = outputs.at("temperature");
  const Tensor& positions = c.inputs.at("positions");
  for (int64_t i = 0; i < positions.count(); ++i)
    StoreBits(out.dtype, out.AddressOf(i),
              TemperatureBits(t, positions.Integer(i), FormatOf(out.dtype)));
  return true;
}

}  // namespace rope_scaling
}  // namespace gnomon::optimized
