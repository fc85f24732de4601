// What must hold of rope_scaling.* (spec/rope_scaling.md). The same scalings on rope.table and
// rope.apply: rope_scaled.cc.
#include <cmath>

#include "gnomon/properties/cases.h"
#include "gnomon/properties/judged.h"
#include "gnomon/properties/property.h"
#include "gnomon/properties/rope_scaling_cases.h"
#include "gnomon/properties/tolerance.h"

namespace gnomon::properties::rope_scaling {
namespace {

using Type = RopeType;

double NumberOf(const Parameters& p, const std::string& name) {
  return std::get<double>(p.at(name));
}
int64_t Pairs(const Case& c) { return gnomon::rope::ReadFrequencies(c).pairs(); }

std::string Pair(int64_t i, const Interval& got, const Interval& other) {
  return "w_" + std::to_string(i) + " = " + Show(got) + " against " + Show(other);
}

// |by w - w'| within their bounds.
void ExpectTimes(Trial& t, const Answer& scaled, const Interval& by, const Answer& w, int64_t i) {
  t.Compare(abs(by * scaled.Value(i) - w.Value(i)), by * scaled.Bound(i) + w.Bound(i), w.Size(i),
            [&] { return Pair(i, by * scaled.Value(i), w.Value(i)); });
}
// low <= high, but for their bounds.
void ExpectBelow(Trial& t, const Interval& low, const Interval& low_bound, const Interval& high,
                 const Interval& high_bound, int64_t i) {
  t.Compare(low - high, low_bound + high_bound, abs(low) + abs(high),
            [&] { return Pair(i, low, high) + ", which should not be below it"; });
}
// w / s <= w' <= w.
void ExpectBetween(Trial& t, const Answer& scaled, const Answer& w, double s) {
  for (int64_t i = 0; i < scaled.output("w").count(); ++i) {
    ExpectBelow(t, w.Value(i) / s, w.Bound(i) / s, scaled.Value(i), scaled.Bound(i), i);
    ExpectBelow(t, scaled.Value(i), scaled.Bound(i), w.Value(i), w.Bound(i), i);
  }
}

void FrequenciesWithinBound(Trial& t) {
  ExpectWithinBound(t, FrequenciesCase(t, DrawScaled(t.source(), DrawType(t.source()))));
}
template <size_t number>
void CaseWithinBound(Trial& t) {
  ExpectWithinBound(t, Cases()[kRopeTypeNames.size() - 1 + number].draw(t));
}

// SCALE-1.
void Interpolation(Trial& t) {
  const Case c = FrequenciesCase(t, DrawScaled(t.source(), Type::kLinear));
  const Answer scaled(t, c), w(t, Unscaled(c));
  const Interval s(NumberOf(c.parameters, "factor"));
  for (int64_t i = 0; i < Pairs(c); ++i) ExpectTimes(t, scaled, s, w, i);
}

// SCALE-2.
void NtkEnds(Trial& t) {
  const Case c = FrequenciesCase(t, DrawScaled(t.source(), Type::kNtk));
  const Answer scaled(t, c), w(t, Unscaled(c));
  ExpectTimes(t, scaled, Interval(1), w, 0);
  ExpectTimes(t, scaled, Interval(NumberOf(c.parameters, "factor")), w, Pairs(c) - 1);
}

Case WithLengths(const Case& c, std::vector<Number> earlier, double n) {
  Case other = WithParameter(c, "seq_len", n);
  other.parameters.erase("earlier_seq_lens");
  other.parameters.erase("update");
  if (!earlier.empty()) other.parameters["earlier_seq_lens"] = std::move(earlier);
  return other;
}
void ExpectSame(Trial& t, const Case& a, const Case& b) {
  const Answer one(t, a), two(t, b);
  for (int64_t i = 0; i < one.output("w").count(); ++i) CompareSame(t, one, i, two, i);
}

// SCALE-3 and SCALE-10: up to L the original base; a longer call forgets; a shorter one resets; in
// between the longest so far stays.
void DynamicShort(Trial& t) {
  const Case c = FrequenciesCase(t, DrawScaled(t.source(), Type::kDynamic));
  const double L = NumberOf(c.parameters, "original_max_position_embeddings");
  ExpectSame(t, WithLengths(c, {}, std::max(1.0, L - static_cast<double>(t.source().Below(3)))),
             Unscaled(c));
}
void DynamicForgets(Trial& t) {
  const Case c = FrequenciesCase(t, DrawScaled(t.source(), Type::kDynamic));
  const double L = NumberOf(c.parameters, "original_max_position_embeddings");
  ExpectSame(t, WithLengths(c, {Number(2 * L), Number(L)}, 3 * L), WithLengths(c, {}, 3 * L));
}
void DynamicResets(Trial& t) {
  const Case c = FrequenciesCase(t, DrawScaled(t.source(), Type::kDynamic));
  const double L = NumberOf(c.parameters, "original_max_position_embeddings");
  ExpectSame(t, WithLengths(c, {Number(2 * L)}, L - 1), Unscaled(c));
}
void DynamicKeeps(Trial& t) {
  const Case c = FrequenciesCase(t, DrawScaled(t.source(), Type::kDynamic));
  const double L = NumberOf(c.parameters, "original_max_position_embeddings");
  const double n = L + static_cast<double>(t.source().Below(static_cast<int64_t>(L)));
  ExpectSame(t, WithLengths(c, {Number(2 * L)}, n), WithLengths(c, {}, 2 * L));
}
void DynamicGrows(Trial& t) {
  const Case c = FrequenciesCase(t, DrawScaled(t.source(), Type::kDynamic));
  const double L = NumberOf(c.parameters, "original_max_position_embeddings");
  Case grown = WithLengths(c, {Number(2 * L)}, L - 1);
  grown.parameters["update"] = std::string("grow");
  ExpectSame(t, grown, WithLengths(c, {}, 2 * L));
}

// SCALE-5, SCALE-6, SCALE-8: between the two, and the kept part falls with the pair.
void Ramps(Trial& t) {
  const Type type = t.source().Pick({Type::kYarn, Type::kLlama3});
  const Case c = FrequenciesCase(t, DrawScaled(t.source(), type));
  const Answer scaled(t, c), w(t, Unscaled(c));
  ExpectBetween(t, scaled, w, NumberOf(c.parameters, "factor"));
  for (int64_t i = 0; i + 1 < Pairs(c); ++i) {
    const auto kept = [&](int64_t k) -> Interval { return scaled.Value(k) / w.Value(k); };
    const auto bound = [&](int64_t k) -> Interval {
      return (scaled.Bound(k) + kept(k) * w.Bound(k)) / (w.Value(k) - w.Bound(k));
    };
    ExpectBelow(t, kept(i + 1), bound(i + 1), kept(i), bound(i), i + 1);
  }
}

// SCALE-6: pairs well before the ramp keep their frequency, pairs well after it are divided by s.
// One pair of room on each side, so that binary64 may say which.
void YarnEnds(Trial& t) {
  Parameters p = DrawScaled(t.source(), Type::kYarn);
  for (const char* name : {"ramp", "extrapolation_factor"}) p.erase(name);
  const Case c = FrequenciesCase(t, std::move(p));
  const RopeFrequencies f = gnomon::rope::ReadFrequencies(c);
  const auto dim = [&](double rotations) {
    return static_cast<double>(f.rotary_dim) *
           std::log(f.scaling.original_length.value / (2 * M_PI * rotations)) /
           (2 * std::log(f.rope_theta.value));
  };
  const Answer scaled(t, c), w(t, Unscaled(c));
  for (int64_t i = 0; i < f.pairs(); ++i) {
    const double place = static_cast<double>(i);
    if (place <= dim(f.scaling.beta_fast.value) - 1) ExpectTimes(t, scaled, Interval(1), w, i);
    if (place >= dim(f.scaling.beta_slow.value) + 1)
      ExpectTimes(t, scaled, Interval(f.scaling.factor.value), w, i);
  }
}

// SCALE-8: the bands are the paper's ramp between the two factors.
void BandsAreARamp(Trial& t) {
  Parameters p = DrawScaled(t.source(), Type::kLlama3);
  if (!p.count("low_freq_factor")) p["low_freq_factor"] = 1.0, p["high_freq_factor"] = 4.0;
  if (p["low_freq_factor"] == p["high_freq_factor"]) p["high_freq_factor"] = 8.0;
  const Case c = FrequenciesCase(t, p);
  Case yarn = c;
  yarn.parameters["rope_type"] = std::string("yarn");
  yarn.parameters["ramp"] = std::string("rotations");
  yarn.parameters["beta_slow"] = p.at("low_freq_factor");
  yarn.parameters["beta_fast"] = p.at("high_freq_factor");
  yarn.parameters.erase("low_freq_factor");
  yarn.parameters.erase("high_freq_factor");
  ExpectSame(t, c, yarn);
}

// SCALE-9: the lists change after L, not at it.
void LongropeSwitch(Trial& t) {
  const Case c = FrequenciesCase(t, DrawScaled(t.source(), Type::kLongrope));
  const RopeFrequencies f = gnomon::rope::ReadFrequencies(c);
  const double L = f.scaling.original_length.value;
  const Answer w(t, Unscaled(c)), at(t, WithParameter(c, "seq_len", L)),
      beyond(t, WithParameter(c, "seq_len", L + 1));
  for (int64_t i = 0; i < f.pairs(); ++i) {
    const size_t k = static_cast<size_t>(i);
    ExpectTimes(t, at, Interval(f.scaling.short_factor[k].value), w, i);
    ExpectTimes(t, beyond, Interval(f.scaling.long_factor[k].value), w, i);
  }
}

// SCALE-11: never above w, never below w / s; without its NTK-aware part the second ramp alone.
void ByPartsBetween(Trial& t) {
  const Case c = FrequenciesCase(t, DrawScaled(t.source(), Type::kNtkByParts));
  const Answer scaled(t, c), w(t, Unscaled(c));
  ExpectBetween(t, scaled, w, NumberOf(c.parameters, "factor"));
  Case second = c, yarn = c;
  second.parameters["ntk_factor"] = 0.0;
  yarn.parameters.erase("ntk_factor");
  yarn.parameters["rope_type"] = std::string("yarn");
  yarn.parameters["beta_fast"] = 16.0;
  yarn.parameters["beta_slow"] = 2.0;
  ExpectSame(t, second, yarn);
}

// SCALE-12.
void Proportional(Trial& t) {
  const Case c = FrequenciesCase(t, DrawScaled(t.source(), Type::kProportional));
  const RopeFrequencies f = gnomon::rope::ReadFrequencies(c);
  const double dims = f.scaling.partial_rotary_factor.value * static_cast<double>(f.rotary_dim);
  const Answer scaled(t, c), w(t, Unscaled(c));
  for (int64_t i = 0; i < f.pairs(); ++i) {
    if (i < static_cast<int64_t>(std::floor(dims / 2))) {
      ExpectTimes(t, scaled, Interval(f.scaling.factor.value), w, i);
    } else {
      t.Expect(scaled.Raw(i) == 0, [&] { return Pair(i, scaled.Value(i), Interval(0)); });
    }
  }
}

Case DrawMagnitudeCase(Trial& t) { return Cases()[kRopeTypeNames.size() - 1].draw(t); }

// SCALE-7: 1 without extension; at least 1; and equal scales cancel.
void MagnitudeAtLeastOne(Trial& t) {
  Case c = DrawMagnitudeCase(t);
  for (const char* name :
       {"attention_factor", "attn_factor", "mscale", "mscale_all_dim", "mscale_rule",
        "short_mscale", "long_mscale", "seq_len", "magnitude_placement"})
    c.parameters.erase(name);
  const Answer grown(t, c), one(t, WithParameter(c, "factor", 1.0));
  ExpectBelow(t, Interval(1), Interval(0), grown.Value(0), grown.Bound(0), 0);
  t.Compare(abs(one.Value(0) - 1), one.Bound(0), Interval(1),
            [&] { return "the magnitude of factor 1 is " + Show(one.Value(0)); });
  c.parameters["attention_factor"] = 1.25;
  const Answer given(t, c);
  t.Compare(abs(given.Value(0) - 1.25), given.Bound(0), Interval(1),
            [&] { return "attention_factor 1.25 becomes " + Show(given.Value(0)); });
}

// SCALE-13: where the magnitude goes, the scores are the same: t^2 softmax_factor.
void PlacementsAgree(Trial& t) {
  Case c = DrawMagnitudeCase(t);
  c.parameters["rope_type"] = std::string("yarn");
  for (const char* name :
       {"attention_factor", "short_mscale", "long_mscale", "seq_len", "mscale_rule", "attn_factor"})
    c.parameters.erase(name);
  c.parameters["mscale"] = c.parameters["mscale_all_dim"] = t.source().Pick({1.0, 0.707, 0.5});
  const auto placed = [&](const char* where) {
    return WithParameter(c, "magnitude_placement", std::string(where));
  };
  const auto compare = [&](const Answer& a, const Answer& b) {
    const auto score = [](const Answer& x) -> Interval {
      return x.Value(0, 0) * x.Value(0, 0) * x.Value(0, 1);
    };
    const auto bound = [](const Answer& x) -> Interval {
      const Interval t1 = x.Value(0, 0) + x.Bound(0, 0);
      return t1 * t1 * (x.Value(0, 1) + x.Bound(0, 1)) -
             x.Value(0, 0) * x.Value(0, 0) * x.Value(0, 1);
    };
    t.Compare(abs(score(a) - score(b)), bound(a) + bound(b), score(a), [&] {
      return "scores are multiplied by " + Show(score(a)) + " and by " + Show(score(b));
    });
  };
  const Answer split(t, placed("split")), softmax(t, placed("softmax"));
  compare(split, softmax);
  const Answer tables(t, placed("tables")), input(t, placed("input"));
  compare(tables, input);
  t.Expect(softmax.Raw(0, 0) == 1, [&] {
    return "with placement softmax tables are multiplied by " + Show(softmax.Value(0, 0));
  });
}

// SCALE-14: the k-th layer, the 2k-th, and so on.
void EveryKthLayer(Trial& t) {
  Case c = Cases()[kRopeTypeNames.size()].draw(t);
  c.parameters.erase("no_rope_layers");
  const int64_t k = 1 + t.source().Below(5);
  c.parameters["no_rope_layer_interval"] = static_cast<double>(k);
  c.parameters["num_hidden_layers"] = static_cast<double>(2 * k + 1);
  const Outputs use = t.Run(c);
  for (int64_t l = 0; l < 2 * k + 1; ++l) {
    const int64_t due = l == k - 1 || l == 2 * k - 1 || l == 3 * k - 1 ? 0 : 1;
    t.Expect(use.at("use_rope").Integer(l) == due, [&] {
      return "layer " + std::to_string(l) + " of an interval of " + std::to_string(k) + " is " +
             std::to_string(use.at("use_rope").Integer(l));
    });
  }
  t.NoteCompared();
}

// SCALE-15: 1 below the first step, which is at p + 1 = floor_scale; never falling.
void TemperatureSteps(Trial& t) {
  Case c = Cases()[kRopeTypeNames.size() + 1].draw(t);
  c.parameters["attn_scale"] = 0.5;
  c.parameters.erase("floor_scale");
  const int64_t step = t.source().Pick<int64_t>({8192, 16, 100});
  c.parameters["floor_scale"] = static_cast<double>(step);
  const Answer a(t, With(c, "positions", Integers({4}, [&](int64_t i) {
                           return std::vector<int64_t>{0, step - 2, step - 1,
                                                       2 * step - 1}[static_cast<size_t>(i)];
                         })));
  const Interval ln2 = log(Interval(2)), ln3 = log(Interval(3));
  const Interval due[] = {Interval(1), Interval(1), 1 + ln2 / 2, 1 + ln3 / 2};
  for (int64_t i = 0; i < 4; ++i)
    t.Compare(abs(a.Value(i) - due[i]), a.Bound(i), Interval(1), [&] {
      return "temperature " + std::to_string(i) + " is " + Show(a.Value(i)) + ", not " +
             Show(due[i]);
    });
}

const std::vector<std::string> kFrequencies = {"rope_scaling.frequencies"};
const std::vector<std::string> kMagnitude = {"rope_scaling.magnitude"};
const std::vector<std::string> kLayers = {"rope_scaling.layers"};
const std::vector<std::string> kTemperature = {"rope_scaling.temperature"};

}  // namespace

std::vector<Property> Properties() {
  return {
      {"rope_scaling.frequencies_within_bound", "SCALE-17", "Gnomon.ScaledCounts.SCALE_17_blend",
       "every scaled frequency within its bound", kFrequencies, false, FrequenciesWithinBound},
      {"rope_scaling.magnitude_within_bound", "SCALE-18", "",
       "magnitude and factor of the scores within their bounds", kMagnitude, false,
       CaseWithinBound<0>},
      {"rope_scaling.layers_exact", "SCALE-14", "Gnomon.Magnitude.SCALE_14_every_kth_layer",
       "which layers rotate", kLayers, false, CaseWithinBound<1>},
      {"rope_scaling.temperature_within_bound", "SCALE-18", "", "temperatures within their bounds",
       kTemperature, false, CaseWithinBound<2>},
      {"rope_scaling.interpolation", "SCALE-1", "Gnomon.RopeScaling.SCALE_1_is_position_scaling",
       "s w' = w", kFrequencies, true, Interpolation},
      {"rope_scaling.ntk_ends", "SCALE-2", "Gnomon.RopeScaling.SCALE_2_divides_the_lowest",
       "the first frequency stays, the last is divided by s", kFrequencies, true, NtkEnds},
      {"rope_scaling.dynamic_short", "SCALE-3", "Gnomon.RopeScaling.SCALE_3_original_up_to_L",
       "up to length L nothing changes", kFrequencies, true, DynamicShort},
      {"rope_scaling.dynamic_forgets", "SCALE-10",
       "Gnomon.RopeScaling.SCALE_10_longer_calls_forget",
       "a call longer than all before is a first", kFrequencies, true, DynamicForgets},
      {"rope_scaling.dynamic_resets", "SCALE-10",
       "Gnomon.RopeScaling.SCALE_10_short_calls_are_original", "a call below L is the original",
       kFrequencies, true, DynamicResets},
      {"rope_scaling.dynamic_keeps", "SCALE-10", "Gnomon.RopeScaling.SCALE_10_longest_so_far",
       "from L on the longest length so far stays", kFrequencies, true, DynamicKeeps},
      {"rope_scaling.dynamic_grows", "SCALE-10", "Gnomon.RopeScaling.SCALE_10_growing",
       "with update grow a short call changes nothing", kFrequencies, true, DynamicGrows},
      {"rope_scaling.ramps", "SCALE-4", "Gnomon.RopeScaling.SCALE_4_blend_lies_between",
       "w / s <= w' <= w, and the kept part falls with the pair", kFrequencies, true, Ramps},
      {"rope_scaling.yarn_ends", "SCALE-6", "Gnomon.RopeScaling.SCALE_6_low_pairs_are_kept",
       "before the ramp w' = w, after it w / s", kFrequencies, true, YarnEnds},
      {"rope_scaling.bands_are_a_ramp", "SCALE-8",
       "Gnomon.RopeScaling.SCALE_8_is_a_ramp_by_rotations",
       "Llama 3's bands are YaRN's ramp by rotations", kFrequencies, true, BandsAreARamp},
      {"rope_scaling.longrope_switch", "SCALE-9",
       "Gnomon.RopeScaling.SCALE_9_short_factors_up_to_L",
       "the short factors at n = L, the long ones after it", kFrequencies, true, LongropeSwitch},
      {"rope_scaling.by_parts", "SCALE-11", "Gnomon.RopeScaling.SCALE_11_bounds",
       "w / s <= w' <= w, and one part alone is YaRN's ramp", kFrequencies, true, ByPartsBetween},
      {"rope_scaling.proportional", "SCALE-12", "Gnomon.RopeScaling.SCALE_12_first_pairs",
       "the first pairs w / s, the others 0", kFrequencies, true, Proportional},
      {"rope_scaling.magnitude_at_least_1", "SCALE-7", "Gnomon.Magnitude.SCALE_7_at_least_1",
       "1 at factor 1, never below; a given one is taken", kMagnitude, true, MagnitudeAtLeastOne},
      {"rope_scaling.placements_agree", "SCALE-13",
       "Gnomon.Magnitude.SCALE_13_split_is_softmax_on_the_scores",
       "the scores do not depend on where the magnitude goes", kMagnitude, true, PlacementsAgree},
      {"rope_scaling.every_kth_layer", "SCALE-14", "Gnomon.Magnitude.SCALE_14_every_kth_layer",
       "every k-th layer does not rotate", kLayers, true, EveryKthLayer},
      {"rope_scaling.temperature_steps", "SCALE-15", "Gnomon.Magnitude.SCALE_15_at_a_step",
       "1 below the first step, which is at p + 1", kTemperature, true, TemperatureSteps},
  };
}

}  // namespace gnomon::properties::rope_scaling
