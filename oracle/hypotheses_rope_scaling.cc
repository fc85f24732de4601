// Known mistakes in context extension (spec/mistakes.md), as hypotheses: each rewrites the case,
// and the mistaken kernel answers what is true of the rewritten one, but for a power of a factor.
#include <cmath>

#include "gnomon/oracle/hypotheses.h"
#include "gnomon/reference/certify.h"
#include "gnomon/reference/truth.h"
#include "gnomon/spec/rope.h"
#include "gnomon/spec/schemes.h"

namespace gnomon::oracle::rope_scaling {
namespace {

struct ScalingChange {
  Change shared;
  Case c;
  double factor = 1;  // of every output
  double power = 1;   // and its power
};

class ScalingPredictor : public Predictor {
 public:
  explicit ScalingPredictor(ScalingChange change)
      : change_(std::move(change)), truth_(reference::TruthOf(change_.c)) {}

  Prediction At(int output, int64_t element) override {
    Prediction p;
    const reference::Expectation expected = truth_->Expect(output, element);
    if (expected.kind == reference::Expectation::kInteger) {
      p.kind = Prediction::kBits;
      p.bits = expected.bits;
      return p;
    }
    const Format format = change_.c.format;
    const auto known =
        reference::Certify([&] { return reference::Midpoint(truth_->Value(output, element)); });
    if (!known) return p;
    const double v = std::pow(*known, change_.power) * change_.factor;
    PerProfile bound, narrow;
    for (size_t i = 0; i < kProfiles.size(); ++i) {
      const auto b = reference::Certify([&] {
        return mpfr_get_d(reference::Upper(truth_->Bound(output, element, kProfiles[i])),
                          MPFR_RNDU);
      });
      // Relative errors of factors and powers add to what the profile allows.
      bound[i] = b.value_or(INFINITY) * std::abs(v / *known) * change_.power;
      narrow[i] = bound[i];
    }
    return Stored(change_.shared, format, v, std::abs(v) * 0x1p-50, bound, narrow);
  }

 private:
  ScalingChange change_;
  std::unique_ptr<reference::Truth> truth_;
};

using Mistake = Entry<ScalingChange>;
using Make = Mistake::Make;

bool IsType(const Case& c, const char* type) {
  const auto found = c.parameters.find("rope_type");
  return found != c.parameters.end() && found->second == Value(std::string(type));
}
bool IsOf(const Case& c, const char* operation) {
  return c.operation == std::string("rope_scaling.") + operation;
}
// A change of parameters, dropped where the case would not be valid.
Make Rewrites(std::function<bool(Case*)> rewrite) {
  return [rewrite](const Case&, ScalingChange* change) {
    Case next = change->c;
    if (!rewrite(&next)) return false;
    try {
      Validate(next);
    } catch (const Rejected&) {
      return false;
    }
    change->c = std::move(next);
    return true;
  };
}
Make Drops(const char* type, std::vector<std::string> names) {
  return Rewrites([=](Case* c) {
    size_t dropped = 0;
    for (const std::string& name : names) dropped += c->parameters.erase(name);
    return IsType(*c, type) && dropped > 0;
  });
}
Make Unscaled(const char* type) {
  return Rewrites([=](Case* c) {
    if (!IsOf(*c, "frequencies") || !IsType(*c, type)) return false;
    Parameters kept;
    for (const char* name : {"head_dim", "rotary_dim", "rope_theta"})
      if (c->parameters.count(name)) kept[name] = c->parameters.at(name);
    kept["rope_type"] = std::string("default");
    c->parameters = std::move(kept);
    return true;
  });
}
Make Sets(const char* type, const char* name, Value value) {
  return Rewrites([=](Case* c) {
    c->parameters[name] = value;
    return IsType(*c, type);
  });
}

const std::vector<Mistake>& Entries() {
  static const std::vector<Mistake> all = [] {
    std::vector<Mistake> entries = {
        Mistake::Formula("interpolate-inverse", "frequencies times the factor",
                         [](const Case& c, ScalingChange* change) {
                           if (!IsType(c, "linear")) return false;
                           const double s = gnomon::rope_scaling::FactorValue(
                               gnomon::rope::ReadFrequencies(c).scaling);
                           change->factor *= s * s;
                           return true;
                         }),
        Mistake::Formula("interpolate-inverse/ignored", "linear scaling ignored",
                         Unscaled("linear")),
        Mistake::Formula("llama3-ignored", "bands unused", Unscaled("llama3")),
        Mistake::Formula(
            "dynamic-ntk/static", "the factor s at every length", Rewrites([](Case* c) {
              if (!IsType(*c, "dynamic")) return false;
              for (const char* name :
                   {"seq_len", "earlier_seq_lens", "update", "original_max_position_embeddings"})
                c->parameters.erase(name);
              c->parameters["rope_type"] = std::string("ntk");
              return true;
            })),
        Mistake::Formula("dynamic-ntk/stateless", "every call taken for the first",
                         Drops("dynamic", {"earlier_seq_lens"})),
        Mistake::Formula("dynamic-ntk/never-reset", "a short call keeps the long base",
                         Sets("dynamic", "update", std::string("grow"))),
        Mistake::Formula("yarn-rounding", "correction dims not rounded",
                         Sets("yarn", "truncate", false)),
        Mistake::Formula("yarn-betas/rotations", "the paper's ramp where that by index is asked",
                         Rewrites([](Case* c) {
                           c->parameters.erase("truncate");
                           c->parameters["ramp"] = std::string("rotations");
                           return IsType(*c, "yarn") && IsOf(*c, "frequencies");
                         })),
        Mistake::Formula("longrope-switch", "long factors from n = L on", Rewrites([](Case* c) {
                           const auto n = c->parameters.find("seq_len");
                           const auto L = c->parameters.find("original_max_position_embeddings");
                           if (!IsType(*c, "longrope") || n == c->parameters.end() ||
                               L == c->parameters.end() || n->second != L->second)
                             return false;
                           n->second = std::get<double>(n->second) + 1;
                           return true;
                         })),
        Mistake::Formula("longrope-switch/allocated", "long factors whatever the length is",
                         Sets("longrope", "seq_len", 2147483648.0)),
        Mistake::Formula("yarn-magnitude", "magnitude 1", Rewrites([](Case* c) {
                           c->parameters["magnitude_placement"] = std::string("softmax");
                           return IsOf(*c, "magnitude") && IsType(*c, "yarn");
                         })),
        Mistake::Formula("yarn-magnitude/ratio", "mscale and mscale_all_dim ignored",
                         Drops("yarn", {"mscale", "mscale_all_dim"})),
        Mistake::Formula("yarn-magnitude/attention-factor", "attention_factor ignored",
                         Drops("yarn", {"attention_factor"})),
        Mistake::Formula("yarn-magnitude/squared", "magnitude squared",
                         [](const Case& c, ScalingChange* change) {
                           change->power = 2;
                           return IsOf(c, "magnitude");
                         }),
        Mistake::Formula("yarn-softmax", "magnitude for its square on the scores",
                         [](const Case& c, ScalingChange* change) {
                           change->power = 0.5;
                           return IsOf(c, "magnitude");
                         }),
    };
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
  ScalingChange change;
  change.c = *answered.c;
  MakeMistakes(Entries(), *answered.c, made, factor, factor_error, &change);
  return std::make_unique<ScalingPredictor>(std::move(change));
}

}  // namespace gnomon::oracle::rope_scaling
