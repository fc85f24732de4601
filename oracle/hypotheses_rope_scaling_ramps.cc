// Mistakes in ramps and blends of scaled frequencies (spec/mistakes.md): yarn, llama3,
// ntk_by_parts. SCALE-4 to SCALE-8 and SCALE-11, as kernels misread them.
#include <cmath>
#include <limits>

#include "gnomon/oracle/hypotheses_rope_scaling.h"
#include "gnomon/reference/rope_ramps.h"

namespace gnomon::oracle {
namespace {

using reference::Exactly;
using reference::Interval;
using reference::Less;
namespace contract = gnomon::rope_scaling;
using Type = RopeType;

constexpr AngleForm kRounded[] = {AngleForm::kWorking, AngleForm::kExp, AngleForm::kChained};
constexpr double kInfinity = std::numeric_limits<double>::infinity();

enum class Ends { kAsAsked, kOpen, kExchanged, kDown, kUp, kNearest, kAlways };
enum class Mean { kArithmetic, kGeometric, kHarmonic };

// How a kernel reads a ramp; the defaults are right.
struct RampReading {
  // What it is linear in, and its ends.
  std::optional<YarnRamp> ramp;
  Ends ends = Ends::kAsAsked;
  bool betas_exchanged = false, default_betas = false, base_raised = false, extended = false,
       no_two_pi = false, by_head_dim = false, whole_dims = false;
  bool end_at_pairs = false, unclamped = false, by_dims = false;
  // What it is the weight of.
  bool reversed = false, parts_exchanged = false, full_weight = false, weight_of_slow = false;
  bool ntk_fast = false, ntk_slow = false;
  Mean mean = Mean::kArithmetic;
  // Of ntk_by_parts.
  bool ranges_exchanged = false, weights_exchanged = false, without_ntk = false;
  std::optional<Interval> exponent;
};

// Of the second of two frequencies; K of SCALE-17 by the form of the angle. `sure`: 0 or 1,
// however the kernel rounds.
struct Weight {
  Interval g;
  FrequencyCounts K{};
  std::array<bool, 4> sure{};
};

bool Is(const Interval& g, int64_t value) { return reference::IsPoint(g) && g == value; }

Interval Clamped(const Interval& q) {
  if (Less(q, Interval(0))) return Interval(0);
  return Less(Interval(1), q) ? Interval(1) : q;
}
Weight Against(Weight w) {
  w.g = 1 - w.g;
  return w;
}
Weight TimesNumber(Weight w, const Number& e) {
  if (e == Number(1)) return w;
  w.g *= Exactly<Interval>(e);
  for (bool& sure : w.sure) sure = (sure && Is(w.g, 0)) || e.value == 0;
  return w;
}

Counted Blended(const Weight& w, const Counted& p, const Counted& q, Mean mean) {
  Counted blend;
  const Interval g = w.g;
  if (mean == Mean::kGeometric) {
    blend.value = exp((1 - g) * log(p.value) + g * log(q.value));
  } else if (mean == Mean::kHarmonic) {
    blend.value = 1 / ((1 - g) / p.value + g / q.value);
  } else {
    blend.value = (1 - g) * p.value + g * q.value;
  }
  // A mean of the kinds that nobody should form moves by |ln q / p| or |q - p| / p at most.
  Interval distance = abs(q.value - p.value) / blend.value;
  if (mean == Mean::kGeometric) distance = 3 + abs(log(q.value / p.value));
  if (mean == Mean::kHarmonic) distance = blend.value * abs(1 / p.value - 1 / q.value);
  for (const AngleForm form : kRounded) {
    const size_t k = static_cast<size_t>(form);
    blend.counts[k] =
        w.sure[k] ? (Is(g, 0) ? p : q).counts[k]
                  : contract::BlendCount(p.counts[k], q.counts[k], w.K[k], AboveAll(distance));
  }
  return blend;
}

Interval TwoPi(const RampReading& reading) {
  return reading.no_two_pi ? Interval(1) : Interval(2 * reference::Pi<Interval>());
}
Interval Length(const RopeFrequencies& f, const RampReading& reading) {
  const Interval L = Exactly<Interval>(f.scaling.original_length);
  return reading.extended ? Interval(L * reference::ScaleFactor<Interval>(f.scaling)) : L;
}

// The index of the pair that makes so many rotations.
Interval IndexOf(const RopeFrequencies& f, const RampReading& reading, const Interval& rotations) {
  Interval base = Exactly<Interval>(f.rope_theta);
  if (reading.base_raised) base *= reference::ScaleFactor<Interval>(f.scaling);
  const int64_t dims =
      (reading.by_head_dim ? f.head_dim : f.rotary_dim) * (reading.whole_dims ? 2 : 1);
  return dims * log(Length(f, reading) / (TwoPi(reading) * rotations)) / (2 * log(base));
}

Interval RoundedEnd(const Interval& end, Ends ends, bool truncate, bool low) {
  const auto down = [&] { return reference::Floor<Interval>(end); };
  const auto up = [&] { return Interval(-reference::Floor<Interval>(Interval(-end))); };
  switch (ends) {
    case Ends::kOpen:
      return end;
    case Ends::kAlways:
      return low ? down() : up();
    case Ends::kExchanged:
      if (!truncate) return end;
      return low ? up() : down();
    case Ends::kDown:
      return truncate ? down() : end;
    case Ends::kUp:
      return truncate ? up() : end;
    case Ends::kNearest:
      return truncate ? reference::Floor<Interval>(Interval(end + 0.5)) : end;
    case Ends::kAsAsked:
      break;
  }
  if (!truncate) return end;
  return low ? down() : up();
}

// 1 - ramp(lo, hi, i), whichever of the two ends comes first.
Weight BelowRange(const RopeFrequencies& f, const RampReading& reading, bool truncate,
                  const Interval& fast, const Interval& slow, int64_t pair, Format format) {
  Interval lo = RoundedEnd(IndexOf(f, reading, fast), reading.ends, truncate, true);
  Interval hi = RoundedEnd(IndexOf(f, reading, slow), reading.ends, truncate, false);
  const Interval last(reading.end_at_pairs ? f.pairs() - 1 : f.rotary_dim - 1);
  if (!reading.unclamped) {
    if (Less(lo, Interval(0))) lo = Interval(0);
    if (Less(last, hi)) hi = last;
  }
  const bool equal = !Less(lo, hi) && !Less(hi, lo);
  if (equal) hi += Interval(1) / 1000;
  const int64_t i = reading.by_dims ? 2 * pair : pair;
  Weight w{1 - Clamped((Interval(i) - lo) / (hi - lo)), {}, {}};
  const auto whole = [](const Interval& end) {
    return reference::IsPoint(end) && mpfr_integer_p(reference::Lower(end));
  };
  const double width = mpfr_get_d(reference::Lower(abs(hi - lo)), MPFR_RNDD);
  const double ends = 2 * AboveAll(lo) + AboveAll(hi);
  const double u = UnitRoundoff(WorkingFormat(format));
  // SCALE-17: K of a truncated range, and of one that is not.
  double K = contract::kTruncatedRamp;
  const bool open = !whole(lo) || !(equal || whole(hi));
  if (open) K = u * ends > width / 4 ? kInfinity : 3 + 2 * (ends / width + 2);
  for (const AngleForm form : kRounded) {
    const size_t k = static_cast<size_t>(form);
    w.K[k] = K;
    w.sure[k] = !open && (Is(w.g, 0) || Is(w.g, 1));
  }
  return reading.reversed ? Against(w) : w;
}

Interval RotationsOf(const RopeFrequencies& f, const RampReading& reading, const Counted& w) {
  return Length(f, reading) * w.value / TwoPi(reading);
}
// Whether r is apart from an edge by more than the rounding of it (SCALE-17, "for sure").
bool Apart(const Interval& r, double count, const Interval& edge, double u) {
  const Interval off = Gamma(count + 5, u) * r;
  return AboveAll(off) < mpfr_get_d(reference::Lower(abs(r - edge)), MPFR_RNDD);
}

// ramp(low, high, r); low may be the greater one.
Weight ByRotations(const RopeFrequencies& f, const RampReading& reading, const Counted& w,
                   const Number& low, const Number& high, Format format) {
  const Interval r = RotationsOf(f, reading, w);
  const Interval from = Exactly<Interval>(low), to = Exactly<Interval>(high);
  Weight kept{Clamped((r - from) / (to - from)), {}, {}};
  const double u = UnitRoundoff(WorkingFormat(format));
  for (const AngleForm form : kRounded) {
    const size_t k = static_cast<size_t>(form);
    kept.K[k] = contract::RotationsRamp(w.counts[k], AboveAll(r), std::min(low.value, high.value),
                                        std::max(low.value, high.value),
                                        IsInexact(low) || IsInexact(high), u);
    kept.sure[k] = (Is(kept.g, 0) || Is(kept.g, 1)) && Apart(r, w.counts[k], from, u) &&
                   Apart(r, w.counts[k], to, u);
  }
  return reading.reversed ? Against(kept) : kept;
}
// 0 below the edge, else 1.
Weight Step(const RopeFrequencies& f, const RampReading& reading, const Counted& w,
            const Number& edge, Format format) {
  const Interval r = RotationsOf(f, reading, w), at = Exactly<Interval>(edge);
  Weight kept{Interval(Less(r, at) ? 0 : 1), {}, {}};
  for (const AngleForm form : kRounded) {
    const size_t k = static_cast<size_t>(form);
    kept.K[k] = kInfinity;
    kept.sure[k] = Apart(r, w.counts[k], at, UnitRoundoff(WorkingFormat(format)));
  }
  return kept;
}

Counted Ntk(const RopeFrequencies& f, const RampReading& reading, int64_t i, Format format) {
  return OfNewBase(f, reference::ScaleFactor<Interval>(f.scaling),
                   reading.exponent.value_or(NtkExponent(f)), 0, i, format);
}

Counted YarnBy(const RopeFrequencies& f, const RampReading& reading, int64_t i, Format format) {
  const RopeScaling& s = f.scaling;
  const Counted w = UnscaledPair(f, i);
  Number fast = reading.default_betas ? Number(32) : s.beta_fast;
  Number slow = reading.default_betas ? Number(1) : s.beta_slow;
  if (reading.betas_exchanged) std::swap(fast, slow);
  Weight kept = reading.ramp.value_or(s.ramp) == YarnRamp::kRotations
                    ? ByRotations(f, reading, w, slow, fast, format)
                    : BelowRange(f, reading, s.truncate, Exactly<Interval>(fast),
                                 Exactly<Interval>(slow), i, format);
  const Number e = reading.full_weight ? Number(1) : s.extrapolation_factor;
  kept = reading.weight_of_slow ? Against(TimesNumber(Against(kept), e)) : TimesNumber(kept, e);
  if (reading.parts_exchanged) kept = Against(kept);
  const bool ntk = f.rotary_dim > 2;
  return Blended(kept, reading.ntk_slow && ntk ? Ntk(f, reading, i, format) : Interpolated(f, w),
                 reading.ntk_fast && ntk ? Ntk(f, reading, i, format) : w, reading.mean);
}

Counted ByPartsBy(const RopeFrequencies& f, const RampReading& reading, int64_t i, Format format) {
  const RopeScaling& s = f.scaling;
  const Counted w = UnscaledPair(f, i);
  Number first = s.ntk_factor, second = s.extrapolation_factor;
  if (reading.weights_exchanged) std::swap(first, second);
  if (reading.without_ntk) first = Number(0);
  const auto weight = [&](bool of_ntk, const Number& by) {
    const bool narrow = of_ntk != reading.ranges_exchanged;
    Interval fast(narrow ? 1.25 : 16), slow(narrow ? 0.75 : 2);
    if (reading.betas_exchanged) std::swap(fast, slow);
    return TimesNumber(BelowRange(f, reading, true, fast, slow, i, format), by);
  };
  const Counted v =
      Blended(weight(true, first), Interpolated(f, w), Ntk(f, reading, i, format), reading.mean);
  return Blended(weight(false, second), v, w, reading.mean);
}

using Change = void (*)(RampReading*);

using Function = std::function<Counted(const RopeFrequencies&, int64_t pair, Format)>;

FrequencyFormula FormulaOf(RampReading reading) {
  return std::make_shared<const Function>(
      [reading](const RopeFrequencies& f, int64_t i, Format format) {
        return f.scaling.type == Type::kYarn ? YarnBy(f, reading, i, format)
                                             : ByPartsBy(f, reading, i, format);
      });
}

// Of these types; where they are two, also of yarn alone.
void Add(std::vector<Type> types, const char* id, const char* text, Change change,
         std::vector<ScalingMistake>* all) {
  RampReading reading;
  change(&reading);
  const FrequencyFormula formula = FormulaOf(reading);
  const auto add = [&](const std::vector<Type>& of, const std::string& said) {
    all->push_back(
        MistakenScaling(id, said, [of, formula](RopeFrequencies* f, ScalingFormulas* formulas) {
          formulas->frequency = formula;
          return std::find(of.begin(), of.end(), f->scaling.type) != of.end();
        }));
  };
  add(types, text);
  if (types.size() == 1) return;
  std::string alone = text;
  alone += ", of rope_type yarn";
  add({Type::kYarn}, alone);
}

void AddYarn(std::vector<ScalingMistake>* all) {
  const std::vector<Type> both = {Type::kYarn, Type::kNtkByParts}, yarn = {Type::kYarn};
  const auto in_both = [&](const char* id, const char* text, Change change) {
    Add(both, id, text, change, all);
  };
  const auto in_yarn = [&](const char* id, const char* text, Change change) {
    Add(yarn, id, text, change, all);
  };
  in_both("yarn-rounding", "correction dims not rounded",
          [](RampReading* r) { r->ends = Ends::kOpen; });
  in_both("yarn-rounding/inverted", "ceiling and floor exchanged",
          [](RampReading* r) { r->ends = Ends::kExchanged; });
  in_both("yarn-rounding/down", "both correction dims rounded down",
          [](RampReading* r) { r->ends = Ends::kDown; });
  in_both("yarn-rounding/up", "both correction dims rounded up",
          [](RampReading* r) { r->ends = Ends::kUp; });
  in_both("yarn-rounding/nearest", "correction dims rounded to nearest",
          [](RampReading* r) { r->ends = Ends::kNearest; });
  in_yarn("yarn-rounding/always", "correction dims rounded, whatever `truncate` says",
          [](RampReading* r) { r->ends = Ends::kAlways; });
  in_both("yarn-betas", "beta_fast and beta_slow exchanged",
          [](RampReading* r) { r->betas_exchanged = true; });
  in_yarn("yarn-betas/defaults", "32 and 1 rotations, whatever beta_fast and beta_slow say",
          [](RampReading* r) { r->default_betas = true; });
  in_yarn("yarn-betas/ntk", "NTK-aware base for the fast pairs",
          [](RampReading* r) { r->ntk_fast = true; });
  in_yarn("yarn-betas/ntk-slow", "NTK-aware base for the slow pairs",
          [](RampReading* r) { r->ntk_slow = true; });
  in_both("yarn-betas/base", "correction dims of the base s b",
          [](RampReading* r) { r->base_raised = true; });
  in_both("yarn-betas/length", "the ramp by s L, not by L",
          [](RampReading* r) { r->extended = true; });
  in_both("yarn-betas/two-pi", "radians for rotations: 2 pi left out",
          [](RampReading* r) { r->no_two_pi = true; });
  in_both("yarn-betas/head-dim", "correction dims by head_dim, not rotary_dim",
          [](RampReading* r) { r->by_head_dim = true; });
  in_both("yarn-betas/whole-dims", "correction dims twice as large: of dims, not of pairs",
          [](RampReading* r) { r->whole_dims = true; });
  in_both("yarn-betas/by-dims", "the ramp at dim 2i, not at pair i",
          [](RampReading* r) { r->by_dims = true; });
  in_both("yarn-betas/last-pair", "the ramp ends at the last pair, not at d - 1",
          [](RampReading* r) { r->end_at_pairs = true; });
  in_both("yarn-betas/unclamped", "correction dims not held within 0 and d - 1",
          [](RampReading* r) { r->unclamped = true; });
  in_both("yarn-betas/reversed", "ramp for 1 - ramp", [](RampReading* r) { r->reversed = true; });
  in_yarn("yarn-betas/parts", "scaled and unscaled frequencies exchanged in the blend",
          [](RampReading* r) { r->parts_exchanged = true; });
  in_yarn("yarn-betas/rotations", "the paper's ramp where that by index is asked",
          [](RampReading* r) { r->ramp = YarnRamp::kRotations; });
  in_yarn("yarn-betas/index", "the ramp by index where the paper's is asked",
          [](RampReading* r) { r->ramp = YarnRamp::kIndex; });
  in_yarn("yarn-betas/weight", "extrapolation_factor ignored",
          [](RampReading* r) { r->full_weight = true; });
  in_yarn("yarn-betas/weight", "extrapolation_factor on the ramp, not on 1 - ramp",
          [](RampReading* r) { r->weight_of_slow = true; });
  in_both("yarn-betas/mean", "logarithms of the frequencies blended",
          [](RampReading* r) { r->mean = Mean::kGeometric; });
  in_both("yarn-betas/mean", "periods blended, not frequencies",
          [](RampReading* r) { r->mean = Mean::kHarmonic; });
  const std::vector<Type> parts = {Type::kNtkByParts};
  Add(
      parts, "ntk-parts", "the two ranges exchanged",
      [](RampReading* r) { r->ranges_exchanged = true; }, all);
  Add(
      parts, "ntk-parts/weights", "ntk_factor and extrapolation_factor exchanged",
      [](RampReading* r) { r->weights_exchanged = true; }, all);
  Add(
      parts, "ntk-parts/no-base", "no NTK-aware base",
      [](RampReading* r) { r->without_ntk = true; }, all);
}

using BandWeight = Weight (*)(const RopeFrequencies&, const Counted& w, Format);

void AddLlama3(std::vector<ScalingMistake>* all) {
  const auto add = [&](const char* id, const char* text, BandWeight weight) {
    const FrequencyFormula formula = std::make_shared<const Function>(
        [weight](const RopeFrequencies& f, int64_t i, Format format) {
          const Counted w = UnscaledPair(f, i);
          return Blended(weight(f, w, format), Interpolated(f, w), w, Mean::kArithmetic);
        });
    all->push_back(
        MistakenScaling(id, text, [formula](RopeFrequencies* f, ScalingFormulas* formulas) {
          formulas->frequency = formula;
          return f->scaling.type == Type::kLlama3;
        }));
  };
  static const auto bands = [](const RopeFrequencies& f, const RampReading& reading,
                               const Counted& w, Number low, Number high, Format format) {
    return low == high ? Step(f, reading, w, low, format)
                       : ByRotations(f, reading, w, low, high, format);
  };
  add("llama3-ignored/no-blend", "no blend: kept above the low factor",
      [](const RopeFrequencies& f, const Counted& w, Format format) {
        return Step(f, {}, w, f.scaling.low_freq_factor, format);
      });
  add("llama3-ignored/no-blend", "no blend: divided below the high factor",
      [](const RopeFrequencies& f, const Counted& w, Format format) {
        return Step(f, {}, w, f.scaling.high_freq_factor, format);
      });
  // The edges are compared with before the blend, so there is none.
  add("llama3-ignored/exchanged", "low and high factor exchanged, short wavelengths first",
      [](const RopeFrequencies& f, const Counted& w, Format format) {
        return Step(f, {}, w, f.scaling.low_freq_factor, format);
      });
  add("llama3-ignored/exchanged", "low and high factor exchanged, long wavelengths first",
      [](const RopeFrequencies& f, const Counted& w, Format format) {
        return Step(f, {}, w, f.scaling.high_freq_factor, format);
      });
  add("llama3-ignored/inverted", "the blend the other way round between the bands",
      [](const RopeFrequencies& f, const Counted& w, Format format) {
        const Weight kept =
            bands(f, {}, w, f.scaling.low_freq_factor, f.scaling.high_freq_factor, format);
        return Is(kept.g, 0) || Is(kept.g, 1) ? kept : Against(kept);
      });
  add("llama3-ignored/bands", "short wavelengths divided, long ones kept",
      [](const RopeFrequencies& f, const Counted& w, Format format) {
        return Against(
            bands(f, {}, w, f.scaling.low_freq_factor, f.scaling.high_freq_factor, format));
      });
  add("llama3-ignored/two-pi", "radians for rotations: 2 pi left out",
      [](const RopeFrequencies& f, const Counted& w, Format format) {
        RampReading reading;
        reading.no_two_pi = true;
        return bands(f, reading, w, f.scaling.low_freq_factor, f.scaling.high_freq_factor, format);
      });
  add("llama3-ignored/length", "bands by s L, not by L",
      [](const RopeFrequencies& f, const Counted& w, Format format) {
        RampReading reading;
        reading.extended = true;
        return bands(f, reading, w, f.scaling.low_freq_factor, f.scaling.high_freq_factor, format);
      });
  add("llama3-ignored/length-8192", "bands by a length of 8192, whatever L is",
      [](const RopeFrequencies& f, const Counted& w, Format format) {
        RopeFrequencies g = f;
        g.scaling.original_length = Number(8192);
        return bands(g, {}, w, f.scaling.low_freq_factor, f.scaling.high_freq_factor, format);
      });
  add("llama3-ignored/defaults", "factors 1 and 4, whatever the case says",
      [](const RopeFrequencies& f, const Counted& w, Format format) {
        return bands(f, {}, w, Number(1), Number(4), format);
      });
  // (wavelength - L / high) / (L / low - L / high), of the divided one.
  add("llama3-ignored/wavelength", "the blend linear in the wavelength",
      [](const RopeFrequencies& f, const Counted& w, Format format) {
        const Number low = f.scaling.low_freq_factor, high = f.scaling.high_freq_factor;
        Weight kept = bands(f, {}, w, low, high, format);
        if (low == high || Is(kept.g, 0) || Is(kept.g, 1)) return kept;
        const Interval a = 1 / Exactly<Interval>(high), b = 1 / Exactly<Interval>(low);
        const Interval at = 1 / RotationsOf(f, {}, w);
        kept.g = 1 - Clamped((at - a) / (b - a));
        // Of at, a and b, as RotationsRamp has it of r, low and high.
        for (const AngleForm form : kRounded) {
          const size_t k = static_cast<size_t>(form);
          kept.K[k] = 4 + 2 * AboveAll(((w.counts[k] + 4) * at + 3 * (a + b)) / (b - a));
        }
        return kept;
      });
}

}  // namespace

Counted ByPartsOfExponent(const RopeFrequencies& f, const Interval& exponent, int64_t pair,
                          Format format) {
  RampReading reading;
  reading.exponent = exponent;
  return ByPartsBy(f, reading, pair, format);
}

std::vector<ScalingMistake> RampMistakes() {
  std::vector<ScalingMistake> all;
  AddYarn(&all);
  AddLlama3(&all);
  return all;
}

}  // namespace gnomon::oracle
