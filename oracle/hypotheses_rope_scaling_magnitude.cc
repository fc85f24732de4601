// Mistakes in magnitudes and in the factor of the scores (spec/mistakes.md): SCALE-7, SCALE-9 and
// SCALE-13 as kernels misread them.
#include <cmath>

#include "gnomon/oracle/hypotheses_rope_scaling.h"
#include "gnomon/reference/certify.h"
#include "gnomon/reference/rope_magnitude.h"

namespace gnomon::oracle {
namespace {

using reference::Exactly;
using reference::Interval;
using reference::Magnitude;

bool Applied(const RopeScaling& s, bool tables) {
  return tables ? s.ScalesTables() : s.ScalesRotation();
}
Interval Placed(const RopeScaling& s, bool tables, const Interval& t) {
  return Applied(s, tables) ? t : Interval(1);
}
Interval LogFactor(const RopeScaling& s) { return log(reference::ScaleFactor<Interval>(s)); }
bool HasFormula(const RopeScaling& s) { return !s.attention_factor && !s.short_mscale; }

using Whole = std::function<Interval(const RopeScaling&)>;

// Where the page puts it.
ScalingMistake Formula(std::string id, std::string text, std::function<bool(const RopeScaling&)> in,
                       Whole whole) {
  return MistakenScaling(std::move(id), std::move(text),
                         [in, whole](RopeFrequencies* f, ScalingFormulas* formulas) {
                           formulas->magnitude = [whole](const RopeScaling& s, bool tables) {
                             return Placed(s, tables, whole(s));
                           };
                           return f->scaling.HasMagnitude() && in(f->scaling);
                         });
}
bool OfAny(const RopeScaling&) { return true; }
bool OfYarn(const RopeScaling& s) { return s.type == RopeType::kYarn && HasFormula(s); }
bool OfLongrope(const RopeScaling& s) { return s.type == RopeType::kLongrope && HasFormula(s); }

// Parameters that are read otherwise: for the magnitude, and for the scores too.
void AddReads(const char* id, const char* text, std::function<void(RopeScaling*)> change,
              std::vector<ScalingMistake>* all) {
  const auto changed = [change](RopeScaling s) {
    change(&s);
    return s;
  };
  const auto shows = [changed](const RopeScaling& s) {
    const RopeScaling other = changed(s);
    return s.HasMagnitude() &&
           (s.attention_factor != other.attention_factor || s.mscale != other.mscale ||
            s.mscale_all_dim != other.mscale_all_dim || s.mscale_rule != other.mscale_rule ||
            s.seq_len != other.seq_len || !(s.attn_factor == other.attn_factor));
  };
  all->push_back(Formula(id, text, shows, [changed](const RopeScaling& s) {
    return Magnitude<Interval>(changed(s));
  }));
  std::string both = text;
  both += ", in the factor of the scores as well";
  all->push_back(
      MistakenScaling(id, both, [changed, shows](RopeFrequencies* f, ScalingFormulas* formulas) {
        if (!shows(f->scaling)) return false;
        formulas->magnitude = [changed](const RopeScaling& s, bool tables) {
          return Placed(s, tables, Magnitude<Interval>(changed(s)));
        };
        formulas->softmax = [changed](const RopeScaling& s) {
          return reference::SoftmaxFactor<Interval>(changed(s));
        };
        return true;
      }));
}

// a g(mscale) / g(mscale_all_dim) where the page has it, with another g.
Interval YarnWith(const RopeScaling& s, const std::function<Interval(const Number& k)>& g) {
  const bool each = s.mscale_rule == MscaleRule::kEach;
  const Interval a = Exactly<Interval>(s.attn_factor);
  if (!each && !(s.mscale && s.mscale_all_dim)) return a * g(Number(1));
  return a * g(s.mscale.value_or(Number(1))) / g(s.mscale_all_dim.value_or(Number(0)));
}
ScalingMistake Growth(const char* id, const char* text,
                      std::function<Interval(const RopeScaling&, const Number& k)> g) {
  return Formula(id, text, OfYarn, [g](const RopeScaling& s) {
    return YarnWith(s, [&](const Number& k) { return g(s, k); });
  });
}
Interval Grown(const RopeScaling& s, const Interval& by, const Number& k) {
  return Interval(1) + LogFactor(s) * Exactly<Interval>(k) * by;
}
Interval Tenth() { return Interval(1) / 10; }

void AddPowers(std::vector<ScalingMistake>* all) {
  const auto add = [&](const char* id, const char* text, Whole whole) {
    all->push_back(Formula(id, text, OfAny, whole));
  };
  add("yarn-magnitude", "magnitude 1", [](const RopeScaling&) { return Interval(1); });
  add("yarn-magnitude/squared", "magnitude squared", [](const RopeScaling& s) {
    const Interval t = Magnitude<Interval>(s);
    return Interval(t * t);
  });
  add("yarn-magnitude/inverted", "divided by the magnitude",
      [](const RopeScaling& s) { return Interval(1 / Magnitude<Interval>(s)); });
  add("yarn-magnitude/root", "the root of the magnitude",
      [](const RopeScaling& s) { return Interval(sqrt(Magnitude<Interval>(s))); });
  // As DeepSeek's own code has it, where another placement is asked.
  all->push_back(MistakenScaling(
      "yarn-magnitude/placement", "the magnitude wherever it is to go",
      [](RopeFrequencies* f, ScalingFormulas* formulas) {
        formulas->magnitude = [](const RopeScaling& s, bool) { return Magnitude<Interval>(s); };
        return f->scaling.HasMagnitude() &&
               !(Applied(f->scaling, true) && Applied(f->scaling, false));
      }));
  all->push_back(
      MistakenScaling("yarn-magnitude/neither", "magnitude 1, and nothing on the scores",
                      [](RopeFrequencies* f, ScalingFormulas* formulas) {
                        formulas->magnitude = [](const RopeScaling&, bool) { return Interval(1); };
                        formulas->softmax = [](const RopeScaling&) { return Interval(1); };
                        return f->scaling.HasMagnitude();
                      }));
}

void AddYarn(std::vector<ScalingMistake>* all) {
  all->push_back(Formula(
      "yarn-magnitude/twice", "logarithm squared, no ratio", OfYarn, [](const RopeScaling& s) {
        const Interval log = LogFactor(s);
        return Interval(Exactly<Interval>(s.attn_factor) * (Interval(1) + log * log * Tenth()));
      }));
  all->push_back(Growth(
      "yarn-magnitude/twice", "logarithm squared",
      [](const RopeScaling& s, const Number& k) { return Grown(s, LogFactor(s) * Tenth(), k); }));
  all->push_back(Growth("yarn-magnitude/logarithm", "logarithm of base 2",
                        [](const RopeScaling& s, const Number& k) {
                          return Grown(s, Tenth() / log(Interval(2)), k);
                        }));
  all->push_back(Growth("yarn-magnitude/logarithm", "logarithm of base 10",
                        [](const RopeScaling& s, const Number& k) {
                          return Grown(s, Tenth() / log(Interval(10)), k);
                        }));
  all->push_back(
      Growth("yarn-magnitude/tenth", "ln s + 1: the factor 0.1 left out",
             [](const RopeScaling& s, const Number& k) { return Grown(s, Interval(1), k); }));
  all->push_back(Growth(
      "yarn-magnitude/one", "0.1 ln s: the 1 left out",
      [](const RopeScaling& s, const Number& k) { return Interval(Grown(s, Tenth(), k) - 1); }));
  all->push_back(Formula("yarn-magnitude/undivided", "mscale_all_dim ignored", OfYarn,
                         [](const RopeScaling& s) {
                           return Interval(Exactly<Interval>(s.attn_factor) *
                                           Grown(s, Tenth(), s.mscale.value_or(Number(1))));
                         }));
  all->push_back(Formula("yarn-magnitude/ratio-inverted", "mscale and mscale_all_dim exchanged",
                         OfYarn, [](const RopeScaling& s) {
                           RopeScaling other = s;
                           std::swap(other.mscale, other.mscale_all_dim);
                           return Magnitude<Interval>(other);
                         }));
  all->push_back(Formula(
      "yarn-magnitude/doubly", "attn_factor times attention_factor",
      [](const RopeScaling& s) {
        return s.type == RopeType::kYarn && s.attention_factor.has_value();
      },
      [](const RopeScaling& s) {
        RopeScaling other = s;
        other.attention_factor.reset();
        return Interval(Magnitude<Interval>(s) * Magnitude<Interval>(other));
      }));
}

void AddLongrope(std::vector<ScalingMistake>* all) {
  const auto add = [&](const char* id, const char* text, Whole whole) {
    all->push_back(Formula(id, text, OfLongrope, [whole](const RopeScaling& s) {
      const Interval one(1);
      return reference::Less(one, reference::ScaleFactor<Interval>(s)) ? whole(s) : one;
    }));
  };
  static const auto log_length = [](const RopeScaling& s) {
    return Interval(log(Exactly<Interval>(s.original_length)));
  };
  add("longrope-switch/magnitude", "sqrt(1 + ln L / ln (s L))", [](const RopeScaling& s) {
    const Interval L = log_length(s);
    return Interval(sqrt(1 + L / (L + LogFactor(s))));
  });
  add("longrope-switch/magnitude", "sqrt(1 + ln s / ln (s L))", [](const RopeScaling& s) {
    return Interval(sqrt(1 + LogFactor(s) / (log_length(s) + LogFactor(s))));
  });
  add("longrope-switch/magnitude", "sqrt(1 + ln (s L) / ln L)",
      [](const RopeScaling& s) { return Interval(sqrt(2 + LogFactor(s) / log_length(s))); });
  add("longrope-switch/magnitude", "sqrt(ln (s L) / ln (s L)): 1, as the lengths are one",
      [](const RopeScaling&) { return Interval(1); });
  add("longrope-switch/root", "1 + ln s / ln L, without the root",
      [](const RopeScaling& s) { return Interval(1 + LogFactor(s) / log_length(s)); });
  add("longrope-switch/yarn", "yarn's magnitude for that of longrope",
      [](const RopeScaling& s) { return Grown(s, Tenth(), Number(1)); });
  all->push_back(Formula(
      "longrope-switch/mscale", "short_mscale and long_mscale exchanged",
      [](const RopeScaling& s) { return s.short_mscale.has_value(); },
      [](const RopeScaling& s) {
        RopeScaling other = s;
        std::swap(other.short_mscale, other.long_mscale);
        return Magnitude<Interval>(other);
      }));
  all->push_back(Formula(
      "longrope-switch/mscale", "short_mscale and long_mscale ignored",
      [](const RopeScaling& s) { return s.short_mscale.has_value(); },
      [](const RopeScaling& s) {
        RopeScaling other = s;
        other.short_mscale.reset();
        other.long_mscale.reset();
        return Magnitude<Interval>(other);
      }));
}

}  // namespace

const std::vector<ScalingMistake>& MagnitudeMistakes() {
  static const std::vector<ScalingMistake> all = [] {
    std::vector<ScalingMistake> list;
    AddPowers(&list);
    AddReads(
        "yarn-magnitude/ratio", "mscale and mscale_all_dim ignored",
        [](RopeScaling* s) {
          s->mscale.reset();
          s->mscale_all_dim.reset();
        },
        &list);
    AddReads(
        "yarn-magnitude/attention-factor", "attention_factor ignored",
        [](RopeScaling* s) { s->attention_factor.reset(); }, &list);
    AddReads(
        "yarn-magnitude/attn-factor", "attn_factor ignored",
        [](RopeScaling* s) { s->attn_factor = Number(1); }, &list);
    AddReads(
        "yarn-magnitude/rule", "one of mscale and mscale_all_dim is enough",
        [](RopeScaling* s) {
          if (s->mscale || s->mscale_all_dim) s->mscale_rule = MscaleRule::kEach;
        },
        &list);
    AddReads(
        "yarn-magnitude/rule", "both of mscale and mscale_all_dim, or none",
        [](RopeScaling* s) { s->mscale_rule = MscaleRule::kBoth; }, &list);
    AddReads(
        "longrope-switch/mscale", "long_mscale whatever the length is",
        [](RopeScaling* s) {
          if (s->short_mscale) s->seq_len = gnomon::rope_scaling::kLongestSequence;
        },
        &list);
    AddYarn(&list);
    AddLongrope(&list);
    return list;
  }();
  return all;
}

const std::vector<ScalingMistake>& SoftmaxMistakes() {
  static const std::vector<ScalingMistake> all = [] {
    std::vector<ScalingMistake> list;
    const auto add = [&](const char* id, const char* text, Whole softmax) {
      list.push_back(
          MistakenScaling(id, text, [softmax](RopeFrequencies* f, ScalingFormulas* formulas) {
            formulas->softmax = softmax;
            return f->scaling.HasMagnitude();
          }));
    };
    const auto factor = [](const RopeScaling& s) { return reference::SoftmaxFactor<Interval>(s); };
    add("yarn-softmax", "magnitude for its square on the scores",
        [=](const RopeScaling& s) { return Interval(sqrt(factor(s))); });
    add("yarn-softmax/none", "nothing on the scores",
        [](const RopeScaling&) { return Interval(1); });
    add("yarn-softmax/twice", "the square of what belongs on the scores",
        [=](const RopeScaling& s) {
          const Interval t = factor(s);
          return Interval(t * t);
        });
    add("yarn-softmax/inverted", "scores divided, not multiplied",
        [=](const RopeScaling& s) { return Interval(1 / factor(s)); });
    add("yarn-softmax/placement", "the square of the magnitude on the scores, wherever it is to go",
        [=](RopeScaling s) {
          if (s.placement != MagnitudePlacement::kSplit) s.placement = MagnitudePlacement::kSoftmax;
          return factor(s);
        });
    // SCALE-13 has the one for `softmax`, the other for `split`.
    add("yarn-softmax/scale", "mscale and mscale_all_dim exchanged on the scores",
        [=](RopeScaling s) {
          std::swap(s.mscale, s.mscale_all_dim);
          return factor(s);
        });
    return list;
  }();
  return all;
}

double MagnitudeBy(const RopeScaling& s, const ScalingFormulas& formulas, bool tables) {
  const auto known = reference::Certify([&] {
    if (formulas.magnitude) return reference::Midpoint(formulas.magnitude(s, tables));
    return reference::Midpoint(Placed(s, tables, Magnitude<Interval>(s)));
  });
  return known.value_or(std::nan(""));
}

double MagnitudeRoundings(const RopeScaling& s, bool mistaken, Format format) {
  const double count = gnomon::rope_scaling::MagnitudeCount(s, format);
  // Formed in binary64 where the result is f32; twice, and once more, where it is squared.
  const double formed = WorkingFormat(format) == Format::kF64 ? 16 : 2;
  return mistaken ? 2 * std::max(count, formed) + 1 : count;
}

}  // namespace gnomon::oracle
