// Known mistakes in context extension (spec/mistakes.md), as hypotheses. Those in frequencies and
// magnitudes are of hypotheses_rope_scaling.h; those in layers and temperatures are here.
#include "gnomon/oracle/hypotheses_rope_scaling.h"

#include <cmath>

#include "gnomon/reference/certify.h"
#include "gnomon/reference/rope_magnitude.h"
#include "gnomon/spec/schemes.h"

namespace gnomon::oracle::rope_scaling {
namespace {

using reference::Interval;
namespace contract = gnomon::rope_scaling;

enum class Steps { kDown, kUp, kNearest, kFraction };
enum class Logarithm { kOfMore, kOfSteps, kOfStepsWhereAny, kTwo, kTen };

// SCALE-14 and SCALE-15 as a kernel reads them; the defaults are right.
struct LayerReading {
  int64_t first = 1;     // the number of the first layer
  int64_t interval = 0;  // whatever the case says, where not 0
  bool interval_inverted = false, list_inverted = false, all_turn = false;
};
struct TemperatureReading {
  int64_t next = 1;  // p + 1
  Steps steps = Steps::kDown;
  Logarithm logarithm = Logarithm::kOfMore;
  bool default_scale = false, default_floor = false, scale_alone = false, inverted = false,
       squared = false, batch_row = false;
};

struct ScalingChange {
  Change shared;
  RopeFrequencies f;
  ScalingFormulas formulas;
  LayerReading layers;
  TemperatureReading temperature;
};

bool IsOf(const Case& c, const char* operation) {
  return c.operation == std::string("rope_scaling.") + operation;
}

class FrequenciesPredictor : public Predictor {
 public:
  FrequenciesPredictor(Format format, ScalingChange change)
      : format_(format),
        change_(std::move(change)),
        scaled_(change_.f, change_.formulas.frequency, format) {}
  Prediction At(int, int64_t pair) override {
    const RopeFrequencies& f = change_.f;
    const bool given = !f.frequencies.empty();
    const ScaledFrequencies::Pair& answer = scaled_.At(pair);
    const double w =
        given ? f.frequencies[static_cast<size_t>(pair)].value : answer.frequency.value;
    PerProfile bound, narrow;
    for (size_t i = 0; i < kProfiles.size(); ++i) {
      const auto bound_in = [&](Format output) {
        return given ? FrequencyBound<double>(
                           kProfiles[i], output, std::abs(w),
                           GivenOrigin(f.frequencies[static_cast<size_t>(pair)], pair))
                     : contract::ScaledFrequencyBound<double>(kProfiles[i], output, std::abs(w),
                                                              answer.counts);
      };
      bound[i] = bound_in(format_);
      narrow[i] = bound_in(WorkingFormat(format_));
    }
    return Stored(change_.shared, format_, w, std::abs(w) * 0x1p-52, bound, narrow);
  }

 private:
  Format format_;
  ScalingChange change_;
  ScaledFrequencies scaled_;
};

class MagnitudePredictor : public Predictor {
 public:
  MagnitudePredictor(Format format, ScalingChange change)
      : format_(format), change_(std::move(change)) {}
  Prediction At(int output, int64_t) override {
    const RopeScaling& s = change_.f.scaling;
    const ScalingFormulas& by = change_.formulas;
    const auto v = reference::Certify([&] {
      if (output == 0) return MagnitudeBy(s, by, false);
      return reference::Midpoint(by.softmax ? by.softmax(s)
                                            : reference::SoftmaxFactor<Interval>(s));
    });
    if (!v || !std::isfinite(*v)) return {};
    const bool mistaken = output == 0 ? by.magnitude != nullptr : by.softmax != nullptr;
    // SCALE-18.
    const double mu = std::max(1.0, MagnitudeRoundings(s, mistaken, format_));
    const double count = output == 0 ? mu : 2 * mu + 1;
    PerProfile bound, narrow;
    bound.fill(contract::CountedBound<double>(format_, *v, count));
    narrow.fill(contract::CountedBound<double>(WorkingFormat(format_), *v, count));
    if (output == 1 && *v == 1) bound.fill(0), narrow.fill(0);
    return Stored(change_.shared, format_, *v, std::abs(*v) * 0x1p-50, bound, narrow);
  }

 private:
  Format format_;
  ScalingChange change_;
};

class LayersPredictor : public Predictor {
 public:
  LayersPredictor(const Case& c, const LayerReading& reading)
      : layers_(contract::ReadLayers(c)), reading_(reading) {}
  Prediction At(int, int64_t layer) override {
    const bool listed = !layers_.use_rope.empty();
    int64_t interval = layers_.interval;
    if (interval > 0 && reading_.interval > 0) interval = reading_.interval;
    int64_t use = interval > 0 && (layer + reading_.first) % interval == 0 ? 0 : 1;
    if (listed) use = layers_.use_rope[static_cast<size_t>(layer)];
    if (listed ? reading_.list_inverted : reading_.interval_inverted) use = 1 - use;
    if (reading_.all_turn) use = 1;
    Prediction p;
    p.kind = Prediction::kBits;
    p.bits = static_cast<uint64_t>(use);
    // Every layer of another interval is a question of its own.
    p.value = static_cast<double>(layer) +
              static_cast<double>(layers_.interval) * static_cast<double>(contract::kMostLayers);
    return p;
  }

 private:
  contract::Layers layers_;
  LayerReading reading_;
};

class TemperaturePredictor : public Predictor {
 public:
  TemperaturePredictor(const Case& c, const ScalingChange& change)
      : format_(c.format),
        change_(change),
        reading_(change.temperature),
        t_(contract::ReadTemperature(c)),
        positions_(c.inputs.at("positions").view()) {
    if (reading_.default_scale) t_.attn_scale = contract::Temperature{}.attn_scale;
    if (reading_.default_floor) t_.floor_scale = contract::Temperature{}.floor_scale;
  }

  Prediction At(int, int64_t element) override {
    if (reading_.batch_row) element %= positions_.shape.back();
    const int64_t p = IntegerAt(positions_, element);
    double v = 0;
    bool sure = true;
    const auto known = reference::Certify([&] {
      const reference::Fraction<Interval> step = reference::FractionOf<Interval>(t_.floor_scale);
      const Interval q = Interval(p + reading_.next) * step.denominator / step.numerator;
      v = reference::Midpoint(ValueOf(q));
      sure = reading_.steps == Steps::kFraction || IsSure(q, p);
      return true;
    });
    if (!known) return {};
    if (!std::isfinite(v)) return NonFinite(change_.shared, format_, v);
    PerProfile bound, narrow;
    const double count = change_.shared.any ? 8 : 5;
    bound.fill(sure ? contract::CountedBound<double>(format_, v, count) : INFINITY);
    narrow.fill(sure ? contract::CountedBound<double>(WorkingFormat(format_), v, count) : INFINITY);
    return Stored(change_.shared, format_, v, std::abs(v) * 0x1p-50, bound, narrow);
  }

 private:
  Interval ValueOf(const Interval& q) const {
    Interval steps = q;
    if (reading_.steps == Steps::kDown) steps = reference::Floor<Interval>(q);
    if (reading_.steps == Steps::kUp) steps = -reference::Floor<Interval>(Interval(-q));
    if (reading_.steps == Steps::kNearest) steps = reference::Floor<Interval>(Interval(q + 0.5));
    Interval logarithm;
    switch (reading_.logarithm) {
      case Logarithm::kOfMore:
      case Logarithm::kTwo:
      case Logarithm::kTen:
        logarithm = log(1 + steps);
        break;
      case Logarithm::kOfSteps:
      case Logarithm::kOfStepsWhereAny:
        logarithm = log(steps);
        if (reading_.logarithm == Logarithm::kOfStepsWhereAny &&
            !reference::Less(Interval(0), steps))
          logarithm = Interval(0);
        break;
    }
    if (reading_.logarithm == Logarithm::kTwo) logarithm /= log(Interval(2));
    if (reading_.logarithm == Logarithm::kTen) logarithm /= log(Interval(10));
    Interval v = reference::Exactly<Interval>(t_.attn_scale) * logarithm;
    if (!reading_.scale_alone) v += 1;
    if (reading_.inverted) v = 1 / v;
    return reading_.squared ? Interval(v * v) : v;
  }
  // SCALE-18: the quotient lies where no rounding changes its steps.
  bool IsSure(const Interval& q, int64_t p) const {
    const Number& step = t_.floor_scale;
    const Format working = WorkingFormat(format_);
    const bool whole = IsBinary64(step) && step.value == std::floor(step.value);
    const double next = static_cast<double>(p + 1);
    if (whole && next < ExactPowerOfTwo(Traits(working).precision)) return true;
    const Interval off = abs(q) * Gamma(4, UnitRoundoff(working));
    const Interval moved = reading_.steps == Steps::kNearest ? Interval(q + 0.5) : q;
    const Interval below = reference::Floor<Interval>(moved);
    const bool integer = reference::IsPoint(moved) && mpfr_integer_p(reference::Lower(moved));
    return reference::Less(moved + off, below + 1) &&
           reference::Less(integer ? Interval(below - 1) : below, moved - off);
  }

  Format format_;
  ScalingChange change_;
  TemperatureReading reading_;
  contract::Temperature t_;
  ConstTensorView positions_;
};

using Mistake = Entry<ScalingChange>;

Mistake OfLayers(const char* id, const char* text, void (*change)(LayerReading*)) {
  return Mistake::Formula(id, text, [change](const Case& c, ScalingChange* to) {
    change(&to->layers);
    return IsOf(c, "layers");
  });
}
Mistake OfTemperature(const char* id, const char* text, void (*change)(TemperatureReading*)) {
  return Mistake::Formula(id, text, [change](const Case& c, ScalingChange* to) {
    change(&to->temperature);
    return IsOf(c, "temperature");
  });
}

std::vector<Mistake> LayerMistakes() {
  return {
      OfLayers("layer-offset", "every k-th layer counted from 0",
               [](LayerReading* r) { r->first = 0; }),
      OfLayers("layer-offset/two", "every k-th layer counted from 2",
               [](LayerReading* r) { r->first = 2; }),
      OfLayers("layer-offset/inverted", "0 and 1 exchanged",
               [](LayerReading* r) { r->interval_inverted = r->list_inverted = true; }),
      OfLayers("layer-offset/inverted", "0 and 1 exchanged, of an interval",
               [](LayerReading* r) { r->interval_inverted = true; }),
      OfLayers("layer-offset/inverted", "0 and 1 exchanged, of a list",
               [](LayerReading* r) { r->list_inverted = true; }),
      OfLayers("layer-offset/all-turn", "all layers rotate",
               [](LayerReading* r) { r->all_turn = true; }),
      OfLayers("layer-offset/interval", "every fourth layer, whatever the interval is",
               [](LayerReading* r) { r->interval = 4; }),
  };
}

std::vector<Mistake> TemperatureMistakes() {
  return {
      OfTemperature("temperature-step", "p for p + 1", [](TemperatureReading* r) { r->next = 0; }),
      OfTemperature("temperature-step/two", "p + 2 for p + 1",
                    [](TemperatureReading* r) { r->next = 2; }),
      OfTemperature("temperature-step/logarithm", "ln(floor) for ln(1 + floor), and 0 for ln 0",
                    [](TemperatureReading* r) { r->logarithm = Logarithm::kOfStepsWhereAny; }),
      OfTemperature("temperature-step/logarithm", "ln(floor) for ln(1 + floor)",
                    [](TemperatureReading* r) { r->logarithm = Logarithm::kOfSteps; }),
      OfTemperature("temperature-step/base", "logarithm of base 2",
                    [](TemperatureReading* r) { r->logarithm = Logarithm::kTwo; }),
      OfTemperature("temperature-step/base", "logarithm of base 10",
                    [](TemperatureReading* r) { r->logarithm = Logarithm::kTen; }),
      OfTemperature("temperature-step/no-floor", "no floor",
                    [](TemperatureReading* r) { r->steps = Steps::kFraction; }),
      OfTemperature("temperature-step/no-floor", "no floor, p for p + 1",
                    [](TemperatureReading* r) {
                      r->steps = Steps::kFraction;
                      r->next = 0;
                    }),
      OfTemperature("temperature-step/up", "ceiling for floor",
                    [](TemperatureReading* r) { r->steps = Steps::kUp; }),
      OfTemperature("temperature-step/nearest", "rounded to nearest, not down",
                    [](TemperatureReading* r) { r->steps = Steps::kNearest; }),
      OfTemperature("temperature-step/defaults", "attn_scale 0.1, whatever the case says",
                    [](TemperatureReading* r) { r->default_scale = true; }),
      OfTemperature("temperature-step/defaults", "floor_scale 8192, whatever the case says",
                    [](TemperatureReading* r) { r->default_floor = true; }),
      OfTemperature("temperature-step/one", "the 1 left out",
                    [](TemperatureReading* r) { r->scale_alone = true; }),
      OfTemperature("temperature-step/inverted", "divided, not multiplied",
                    [](TemperatureReading* r) { r->inverted = true; }),
      OfTemperature("temperature-step/squared", "the temperature squared",
                    [](TemperatureReading* r) { r->squared = true; }),
      OfTemperature("row-positions", "the first row's positions for every row",
                    [](TemperatureReading* r) { r->batch_row = true; }),
  };
}

const std::vector<Mistake>& Entries() {
  static const std::vector<Mistake> all = [] {
    std::vector<Mistake> entries;
    const auto add = [&](const std::vector<ScalingMistake>& mistakes, const char* operation) {
      for (const ScalingMistake& mistake : mistakes)
        entries.push_back({mistake.about, [&mistake, operation](const Case& c, ScalingChange* to) {
                             return IsOf(c, operation) && to->f.scaled() &&
                                    mistake.make(&to->f, &to->formulas);
                           }});
    };
    add(FrequencyMistakes(), "frequencies");
    add(MagnitudeMistakes(), "magnitude");
    add(SoftmaxMistakes(), "magnitude");
    for (const Mistake& mistake : LayerMistakes()) entries.push_back(mistake);
    for (const Mistake& mistake : TemperatureMistakes()) entries.push_back(mistake);
    entries.push_back(Mistake::Formula("magnitude", "everything times one factor", nullptr));
    return entries;
  }();
  return all;
}

}  // namespace

const std::vector<Hypothesis>& Hypotheses() {
  static const std::vector<Hypothesis> all = AboutAll(Entries());
  return all;
}

std::unique_ptr<Predictor> Predict(const Answered& answered, const std::vector<size_t>& made,
                                   double factor, double factor_error) {
  const Case& c = *answered.c;
  ScalingChange change;
  if (IsOf(c, "frequencies")) change.f = gnomon::rope::ReadFrequencies(c);
  if (IsOf(c, "magnitude")) change.f.scaling = contract::ReadMagnitude(c);
  MakeMistakes(Entries(), c, made, factor, factor_error, &change);
  if (IsOf(c, "frequencies"))
    return std::make_unique<FrequenciesPredictor>(c.format, std::move(change));
  if (IsOf(c, "magnitude"))
    return std::make_unique<MagnitudePredictor>(c.format, std::move(change));
  if (IsOf(c, "layers")) return std::make_unique<LayersPredictor>(c, change.layers);
  return std::make_unique<TemperaturePredictor>(c, change);
}

}  // namespace gnomon::oracle::rope_scaling
