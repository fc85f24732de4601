// Mistakes in scaled frequencies without a ramp (spec/mistakes.md): linear, ntk, dynamic, longrope,
// proportional. Those with a ramp: hypotheses_rope_scaling_ramps.cc.
#include <cmath>
#include <limits>

#include "gnomon/oracle/hypotheses_rope_scaling.h"
#include "gnomon/reference/angle_terms.h"
#include "gnomon/reference/certify.h"
#include "gnomon/reference/rope_scaling.h"

namespace gnomon::oracle {
namespace {

using reference::Exactly;
using reference::Interval;
namespace contract = gnomon::rope_scaling;

constexpr AngleForm kRounded[] = {AngleForm::kWorking, AngleForm::kExp, AngleForm::kChained};
constexpr double kInfinity = std::numeric_limits<double>::infinity();

using Type = RopeType;
using Types = std::vector<RopeType>;

bool Among(const RopeFrequencies& f, const Types& types) {
  return std::find(types.begin(), types.end(), f.scaling.type) != types.end();
}

Counted Times(Counted w, const Interval& by, double count) {
  w.value *= by;
  for (const AngleForm form : kRounded) w.counts[static_cast<size_t>(form)] += count;
  return w;
}

using Function = std::function<Counted(const RopeFrequencies&, int64_t pair, Format)>;

// A formula of these types.
ScalingMistake Of(Types types, std::string id, std::string text, Function function) {
  const auto formula = std::make_shared<const Function>(std::move(function));
  return MistakenScaling(std::move(id), std::move(text),
                         [types, formula](RopeFrequencies* f, ScalingFormulas* formulas) {
                           formulas->frequency = formula;
                           return Among(*f, types);
                         });
}
// Other parameters of these types.
ScalingMistake Reads(Types types, std::string id, std::string text,
                     std::function<bool(RopeScaling*)> change) {
  return MistakenScaling(std::move(id), std::move(text),
                         [types, change](RopeFrequencies* f, ScalingFormulas*) {
                           return Among(*f, types) && change(&f->scaling);
                         });
}

Counted Kept(const RopeFrequencies& f, int64_t i, Format) { return UnscaledPair(f, i); }
Counted Divided(const RopeFrequencies& f, int64_t i, Format) {
  return Interpolated(f, UnscaledPair(f, i));
}

// SCALE-3 and SCALE-10 as mistaken kernels have them.
struct DynamicReading {
  bool only_first = false, only_earlier = false, resets_at_length = false, shrinks = false;
  bool without_offset = false, length_alone = false;
  bool extended = false;  // s L taken for L
  bool constant = false;  // every length is s L
  int64_t longer = 0;     // added to every length
  std::function<Interval(const RopeFrequencies&)> exponent = NtkExponent;
};

Interval StateBy(const RopeFrequencies& f, const DynamicReading& reading, const Interval& L) {
  const RopeScaling& s = f.scaling;
  std::vector<int64_t> calls = s.earlier_seq_lens;
  if (!(reading.only_earlier && !calls.empty())) calls.push_back(s.seq_len);
  if (reading.only_first) calls.resize(1);
  Interval c = L;
  for (const int64_t call : calls) {
    const Interval n(std::max<int64_t>(call + reading.longer, 1));
    const bool at_length = reading.resets_at_length && s.update == DynamicUpdate::kReset &&
                           !reference::Less(L, n) && !reference::Less(n, L);
    c = at_length ? L : reference::DynamicStep<Interval>(s.update, L, c, n);
  }
  return c;
}

Counted DynamicBy(const RopeFrequencies& f, const DynamicReading& reading, int64_t i,
                  Format format) {
  const Interval s = reference::ScaleFactor<Interval>(f.scaling);
  Interval L = Exactly<Interval>(f.scaling.original_length);
  if (reading.extended) L *= s;
  Interval n = reading.constant ? Interval(L * s) : StateBy(f, reading, L);
  if (!reading.shrinks && reference::Less(n, L)) n = L;
  Interval scale = s * n / L - (s - 1);
  if (reading.without_offset) scale = s * n / L;
  if (reading.length_alone) scale = n / L;
  const double growth = AboveAll((s * n / L + s) / scale);
  return OfNewBase(f, scale, reading.exponent(f), growth, i, format);
}

ScalingMistake Dynamic(std::string id, std::string text, DynamicReading reading) {
  return Of({Type::kDynamic}, std::move(id), std::move(text),
            [reading](const RopeFrequencies& f, int64_t i, Format format) {
              return DynamicBy(f, reading, i, format);
            });
}

using Exponent = std::function<Interval(const RopeFrequencies&)>;

// SCALE-2 with another exponent, wherever a base is made: also in the kernel that blends it.
Counted NtkBy(const RopeFrequencies& f, const Exponent& exponent, int64_t i, Format format) {
  const Interval s = reference::ScaleFactor<Interval>(f.scaling);
  if (f.scaling.type == Type::kDynamic) {
    DynamicReading reading;
    reading.exponent = exponent;
    return DynamicBy(f, reading, i, format);
  }
  return OfNewBase(f, s, exponent(f), 0, i, format);
}
void AddExponents(std::vector<ScalingMistake>* all) {
  struct Row {
    const char* id;
    const char* text;
    Exponent exponent;
  };
  const std::vector<Row> rows = {
      {"ntk-exponent", "base times s, without an exponent",
       [](const RopeFrequencies&) { return Interval(1); }},
      {"ntk-exponent/pairs", "exponent of s (2d - 2) / (d - 2)",
       [](const RopeFrequencies& f) {
         return Interval(Interval(2 * f.rotary_dim - 2) / (f.rotary_dim - 2));
       }},
      {"ntk-exponent/inverted", "exponent of s (d - 2) / d",
       [](const RopeFrequencies& f) { return Interval(1 / NtkExponent(f)); }},
      {"ntk-exponent/half", "exponent of s by the number of pairs h, h / (h - 2)",
       [](const RopeFrequencies& f) {
         const int64_t h = f.pairs();
         return h > 2 ? Interval(Interval(h) / (h - 2)) : NtkExponent(f);
       }},
      {"ntk-exponent/head-dim", "exponent of s by head_dim, not rotary_dim",
       [](const RopeFrequencies& f) { return Interval(Interval(f.head_dim) / (f.head_dim - 2)); }},
      {"ntk-exponent/squared", "exponent of s 2d / (d - 2)",
       [](const RopeFrequencies& f) { return Interval(2 * NtkExponent(f)); }},
  };
  for (const Row& row : rows)
    for (const Types& types : {Types{Type::kNtk, Type::kDynamic, Type::kNtkByParts},
                               Types{Type::kNtk}, Types{Type::kDynamic}}) {
      std::string text = row.text;
      if (types.size() == 1) {
        text += types[0] == Type::kNtk ? ", of rope_type ntk" : ", of rope_type dynamic";
      }
      all->push_back(
          Of(types, row.id, text,
             [exponent = row.exponent](const RopeFrequencies& f, int64_t i, Format format) {
               if (f.scaling.type != Type::kNtkByParts) return NtkBy(f, exponent, i, format);
               return ByPartsOfExponent(f, exponent(f), i, format);
             }));
    }
}

void AddDynamic(std::vector<ScalingMistake>* all) {
  const auto add = [&](const char* id, const char* text, void (*change)(DynamicReading*)) {
    DynamicReading reading;
    change(&reading);
    all->push_back(Dynamic(id, text, reading));
  };
  add("dynamic-ntk", "the base of the calls before kept",
      [](DynamicReading* r) { r->only_earlier = true; });
  add("dynamic-ntk/first", "the base of the first call kept",
      [](DynamicReading* r) { r->only_first = true; });
  add("dynamic-ntk/at-length", "a call of length L resets the base",
      [](DynamicReading* r) { r->resets_at_length = true; });
  add("dynamic-ntk/shrinks", "the base shrinks for calls below L",
      [](DynamicReading* r) { r->shrinks = true; });
  add("dynamic-ntk/factor", "the factor s n / L, with nothing taken off",
      [](DynamicReading* r) { r->without_offset = true; });
  add("dynamic-ntk/length-alone", "the factor n / L, without s",
      [](DynamicReading* r) { r->length_alone = true; });
  add("dynamic-ntk/last-position", "the largest position for the length",
      [](DynamicReading* r) { r->longer = -1; });
  add("dynamic-ntk/longer", "every length longer by one", [](DynamicReading* r) { r->longer = 1; });
  add("dynamic-ntk/extended", "grows beyond s L, not beyond L",
      [](DynamicReading* r) { r->extended = true; });
  add("dynamic-ntk/constant", "the length s L in every call",
      [](DynamicReading* r) { r->constant = true; });
  const auto update = [&](const char* id, const char* text,
                          std::function<bool(RopeScaling*)> change) {
    all->push_back(Reads({Type::kDynamic}, id, text, std::move(change)));
  };
  update("dynamic-ntk/static", "the factor s at every length", [](RopeScaling* s) {
    s->type = Type::kNtk;
    return true;
  });
  update("dynamic-ntk/stateless", "every call taken for the first", [](RopeScaling* s) {
    s->update = DynamicUpdate::kStateless;
    return true;
  });
  update("dynamic-ntk/never-reset", "a short call keeps the long base", [](RopeScaling* s) {
    if (s->update != DynamicUpdate::kReset) return false;
    s->update = DynamicUpdate::kGrow;
    return true;
  });
  update("dynamic-ntk/never-reset", "the longest base stays, whatever `update` says",
         [](RopeScaling* s) {
           s->update = DynamicUpdate::kGrow;
           return true;
         });
  update("dynamic-ntk/resets", "a short call resets, whatever `update` says", [](RopeScaling* s) {
    s->update = DynamicUpdate::kReset;
    return true;
  });
}

void AddLongrope(std::vector<ScalingMistake>* all) {
  const auto add = [&](const char* id, const char* text, std::function<bool(RopeScaling*)> change) {
    all->push_back(Reads({Type::kLongrope}, id, text, std::move(change)));
  };
  // The lists alone: the magnitude goes on by the true length.
  const auto always = [](bool is_long) {
    return [is_long](RopeScaling* s) {
      (is_long ? s->short_factor : s->long_factor) = is_long ? s->long_factor : s->short_factor;
      return true;
    };
  };
  add("longrope-switch", "long factors from n = L on", [](RopeScaling* s) {
    if (static_cast<double>(s->seq_len) != s->original_length.value) return false;
    s->short_factor = s->long_factor;
    return true;
  });
  add("longrope-switch/allocated", "long factors whatever the length is", always(true));
  add("longrope-switch/allocated", "long factors and their magnitude whatever the length is",
      [](RopeScaling* s) {
        s->seq_len = contract::kLongestSequence;
        return true;
      });
  add("longrope-switch/short", "short factors whatever the length is", always(false));
  add("longrope-switch/exchanged", "short factors beyond L, long ones up to it",
      [](RopeScaling* s) {
        std::swap(s->short_factor, s->long_factor);
        return true;
      });
  add("longrope-switch/extended", "long factors beyond s L, not beyond L", [](RopeScaling* s) {
    const double extended = s->original_length.value * contract::FactorValue(*s);
    if (static_cast<double>(s->seq_len) > extended) return false;
    s->long_factor = s->short_factor;
    return true;
  });
  add("longrope-switch/last-position", "long factors by the largest position, beyond L",
      [](RopeScaling* s) {
        if (static_cast<double>(s->seq_len) - 1 > s->original_length.value) return false;
        s->long_factor = s->short_factor;
        return true;
      });
  const auto factors = [](const RopeFrequencies& f) {
    const RopeScaling& s = f.scaling;
    return reference::Less(Exactly<Interval>(s.original_length), Interval(s.seq_len))
               ? s.long_factor
               : s.short_factor;
  };
  all->push_back(Of({Type::kLongrope}, "longrope-switch/multiplies",
                    "frequencies times the factors",
                    [factors](const RopeFrequencies& f, int64_t i, Format) {
                      const Number by = factors(f)[static_cast<size_t>(i)];
                      return Times(UnscaledPair(f, i), Exactly<Interval>(by), 3);
                    }));
  all->push_back(Of({Type::kLongrope}, "longrope-switch/scaled", "divided by s beside the factors",
                    [factors](const RopeFrequencies& f, int64_t i, Format) {
                      const Number by = factors(f)[static_cast<size_t>(i)];
                      return Interpolated(f,
                                          Times(UnscaledPair(f, i), 1 / Exactly<Interval>(by), 3));
                    }));
}

void AddProportional(std::vector<ScalingMistake>* all) {
  // `turning` of the pairs from `first` on.
  const auto add =
      [&](const char* id, const char* text,
          std::function<Counted(const RopeFrequencies&, int64_t i, int64_t turning)> turns) {
        all->push_back(Of({Type::kProportional}, id, text,
                          [turns](const RopeFrequencies& f, int64_t i, Format) {
                            return turns(f, i, reference::TurningPairs(f));
                          }));
      };
  const auto still = [] { return Counted{Interval(0), {}}; };
  const auto turned = [](const RopeFrequencies& f, int64_t i) {
    return Interpolated(f, UnscaledPair(f, i));
  };
  add("proportional-divisor", "exponent divided by the turning dims",
      [=](const RopeFrequencies& f, int64_t i, int64_t turning) {
        return i < turning ? Interpolated(f, OfBase(f, 2 * i, 2 * turning, i)) : still();
      });
  add("proportional-divisor/rest", "all pairs turn",
      [=](const RopeFrequencies& f, int64_t i, int64_t) { return turned(f, i); });
  add("proportional-divisor/both", "all pairs turn, exponent divided by the dims that should",
      [=](const RopeFrequencies& f, int64_t i, int64_t turning) {
        return turning > 0 ? Interpolated(f, OfBase(f, 2 * i, 2 * turning, i)) : turned(f, i);
      });
  add("proportional-divisor/dims", "as many pairs turn as dims should",
      [=](const RopeFrequencies& f, int64_t i, int64_t turning) {
        return i < 2 * turning ? turned(f, i) : still();
      });
  add("proportional-divisor/last", "the last pairs turn, not the first",
      [=](const RopeFrequencies& f, int64_t i, int64_t turning) {
        return i >= f.pairs() - turning ? turned(f, i) : still();
      });
  add("proportional-divisor/factor", "the factor ignored",
      [=](const RopeFrequencies& f, int64_t i, int64_t turning) {
        return i < turning ? UnscaledPair(f, i) : still();
      });
  add("proportional-divisor/rest-kept", "the pairs that should not turn keep their frequency",
      [=](const RopeFrequencies& f, int64_t i, int64_t turning) {
        return i < turning ? turned(f, i) : UnscaledPair(f, i);
      });
  for (const bool up : {true, false})
    add("proportional-divisor/rounding",
        up ? "the number of turning pairs rounded up" : "the number of turning pairs rounded",
        [=](const RopeFrequencies& f, int64_t i, int64_t) {
          const double pairs =
              f.scaling.partial_rotary_factor.value * static_cast<double>(f.rotary_dim) / 2;
          const double turning = up ? std::ceil(pairs) : std::nearbyint(pairs);
          return static_cast<double>(i) < turning ? turned(f, i) : still();
        });
}

void AddWholeTypes(std::vector<ScalingMistake>* all) {
  // Of every type, or of one alone: one name, since one case cannot tell.
  const Types types = {Type::kLinear, Type::kNtk,    Type::kDynamic,  Type::kNtkByParts,
                       Type::kYarn,   Type::kLlama3, Type::kLongrope, Type::kProportional};
  const auto named = [](Type type) { return kRopeTypeNames[static_cast<size_t>(type)]; };
  all->push_back(Of(types, "scaling-ignored", "frequencies as without rope_type", Kept));
  for (const Type type : types) {
    std::string text = named(type);
    text += " scaling ignored";
    all->push_back(Of({type}, "scaling-ignored", text, Kept));
  }
  const std::vector<std::pair<Type, const char*>> taken_for_linear = {
      {Type::kNtk, "ntk-exponent/linear"},      {Type::kDynamic, "dynamic-ntk/linear"},
      {Type::kNtkByParts, "ntk-parts/linear"},  {Type::kYarn, "yarn-betas/linear"},
      {Type::kLlama3, "llama3-ignored/linear"}, {Type::kLongrope, "longrope-switch/linear"}};
  for (const auto& [type, id] : taken_for_linear) {
    std::string text = named(type);
    text += " taken for linear";
    all->push_back(Of({type}, id, text, Divided));
  }
  all->push_back(Of({Type::kLinear}, "interpolate-inverse", "frequencies times the factor",
                    [](const RopeFrequencies& f, int64_t i, Format) {
                      return Times(UnscaledPair(f, i), reference::ScaleFactor<Interval>(f.scaling),
                                   3);
                    }));
  all->push_back(Of({Type::kLinear}, "interpolate-inverse/twice", "divided by the factor twice",
                    [](const RopeFrequencies& f, int64_t i, Format) {
                      return Interpolated(f, Interpolated(f, UnscaledPair(f, i)));
                    }));
  all->push_back(Of({Type::kLinear}, "interpolate-inverse/ntk", "linear taken for ntk",
                    [](const RopeFrequencies& f, int64_t i, Format format) {
                      if (f.rotary_dim <= 2) return UnscaledPair(f, i);
                      return NtkBy(f, NtkExponent, i, format);
                    }));
  all->push_back(Of({Type::kNtk, Type::kDynamic}, "ntk-exponent/divided",
                    "new base, and divided by s as well",
                    [](const RopeFrequencies& f, int64_t i, Format format) {
                      return Interpolated(f, NtkBy(f, NtkExponent, i, format));
                    }));
}

// All that a frequency depends on.
std::string BytesOf(const RopeFrequencies& f, Format format) {
  std::string bytes;
  const auto add = [&](const auto& value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  const auto number = [&](const Number& n) {
    add(n.value);
    add(n.decimal.size());
    bytes += n.decimal;
  };
  const RopeScaling& s = f.scaling;
  add(format), add(f.head_dim), add(f.rotary_dim), add(s.type), add(s.seq_len), add(s.update);
  add(s.ramp), add(s.truncate), add(s.earlier_seq_lens.size());
  for (const int64_t n : s.earlier_seq_lens) add(n);
  for (const Number* n : {&f.rope_theta, &s.factor, &s.factor_divisor, &s.original_length,
                          &s.beta_fast, &s.beta_slow, &s.extrapolation_factor, &s.ntk_factor,
                          &s.low_freq_factor, &s.high_freq_factor, &s.partial_rotary_factor})
    number(*n);
  for (const auto* list : {&f.frequencies, &s.short_factor, &s.long_factor}) {
    add(list->size());
    for (const Number& n : *list) number(n);
  }
  return bytes;
}

}  // namespace

ScalingMistake MistakenScaling(std::string id, std::string text,
                               std::function<bool(RopeFrequencies*, ScalingFormulas*)> make) {
  return {{std::move(id), std::move(text), false, false}, std::move(make)};
}

double AboveAll(const Interval& x) { return mpfr_get_d(reference::Upper(abs(x)), MPFR_RNDU); }

Counted OfBase(const RopeFrequencies& f, int64_t numerator, int64_t denominator, int64_t pair) {
  Counted w{reference::InversePower<Interval>(f.rope_theta, numerator, denominator), {}};
  const AngleOrigin origin{numerator, denominator, reference::LogBaseUpperBound(f.rope_theta),
                           false,     pair,        IsInexact(f.rope_theta)};
  for (const AngleForm form : kRounded)
    w.counts[static_cast<size_t>(form)] = FrequencyRoundings(form, origin);
  return w;
}

Counted UnscaledPair(const RopeFrequencies& f, int64_t pair) {
  return OfBase(f, 2 * pair, f.rotary_dim, pair);
}

Counted Interpolated(const RopeFrequencies& f, Counted w) {
  return Times(std::move(w), 1 / reference::ScaleFactor<Interval>(f.scaling),
               contract::FactorCount(f.scaling));
}

Interval NtkExponent(const RopeFrequencies& f) {
  return Interval(f.rotary_dim) / (f.rotary_dim - 2);
}

Counted OfNewBase(const RopeFrequencies& f, const Interval& scale, const Interval& exponent,
                  double growth, int64_t pair, Format format) {
  Counted w;
  if (!reference::Less(Interval(0), scale)) {
    w.value = Interval(std::nan(""));
    return w;
  }
  const Interval grown = exponent * log(scale);
  w.value = reference::InversePower<Interval>(f.rope_theta, 2 * pair, f.rotary_dim) *
            exp(-Interval(2 * pair) / f.rotary_dim * grown);
  // NewBaseCount multiplies by d / (d - 2) what this exponent multiplies.
  const double by = AboveAll(exponent / NtkExponent(f));
  const bool inexact = contract::FactorIsInexact(f.scaling);
  const double F = growth > 0 ? (4 + inexact) * growth : inexact;
  const contract::NewBase base{2 * pair,
                               f.rotary_dim,
                               pair,
                               AboveAll(log(Exactly<Interval>(f.rope_theta)) + grown),
                               by * (AboveAll(log(scale)) + F) - F,
                               growth,
                               IsInexact(f.rope_theta),
                               inexact};
  for (const AngleForm form : kRounded)
    w.counts[static_cast<size_t>(form)] =
        contract::NewBaseCount(form, base, UnitRoundoff(WorkingFormat(format)));
  return w;
}

ScaledFrequencies::ScaledFrequencies(RopeFrequencies f, FrequencyFormula formula, Format format)
    : f_(std::move(f)), formula_(std::move(formula)), format_(format) {}

const ScaledFrequencies::Pair& ScaledFrequencies::At(int64_t pair) const {
  if (!known_) {
    constexpr size_t kMost = 512;
    constexpr int64_t kWidest = 4096;  // pairs
    thread_local std::map<std::pair<std::string, FrequencyFormula>, std::shared_ptr<Known>> all;
    if (all.size() >= kMost) all.clear();
    known_ = std::make_shared<Known>();
    if (f_.pairs() <= kWidest)
      known_ = all.try_emplace({BytesOf(f_, format_), formula_}, known_).first->second;
  }
  const auto found = known_->find(pair);
  if (found != known_->end()) return found->second;
  Pair answer{Number(1), {}};
  answer.counts.fill(kInfinity);  // not a number, or not decided: nothing can be said
  reference::Certify(
      [&] {
        const Counted w = formula_ ? (*formula_)(f_, pair, format_)
                                   : Counted{reference::ScaledFrequency<Interval>(f_, pair),
                                             reference::CountsOf(f_, pair, format_)};
        if (!std::isfinite(reference::Midpoint(w.value))) return false;
        char text[120];
        mpfr_snprintf(text, sizeof text, "%.60RNe", reference::Lower(w.value));
        answer = {Number(std::string(text)), w.counts};
        return true;
      },
      256);
  return known_->emplace(pair, std::move(answer)).first->second;
}

const std::vector<ScalingMistake>& FrequencyMistakes() {
  static const std::vector<ScalingMistake> all = [] {
    std::vector<ScalingMistake> list;
    AddWholeTypes(&list);
    AddExponents(&list);
    AddDynamic(&list);
    AddLongrope(&list);
    AddProportional(&list);
    for (ScalingMistake& mistake : RampMistakes()) list.push_back(std::move(mistake));
    return list;
  }();
  return all;
}

}  // namespace gnomon::oracle
