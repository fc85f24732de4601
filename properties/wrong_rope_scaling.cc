// A plain kernel of context extension, and the mistakes people make in one: each is one Slip of
// plain_scaling.h.
#include <cmath>

#include "gnomon/properties/plain_scaling.h"
#include "gnomon/properties/wrong_subjects.h"

namespace gnomon::properties::rope_scaling {
namespace {

class PlainScaling final : public Subject {
 public:
  PlainScaling(Slip slip, std::string name, const std::string& promise, bool negative_exponent)
      : slip_(slip),
        name_(std::move(name)),
        promise_(*ProfileFromName(promise)),
        negative_(negative_exponent) {}
  std::string Name() const override { return name_; }
  bool Declares(const std::string& operation, Format format) const override {
    return operation.rfind("rope_scaling.", 0) == 0 && format != Format::kF64;
  }
  size_t Promise() const override { return promise_; }

  Outcome Run(const Case& c, const OutputViews& outputs) override {
    if (c.operation == "rope_scaling.frequencies") {
      const RopeFrequencies f = gnomon::rope::ReadFrequencies(c);
      for (int64_t i = 0; i < f.pairs(); ++i)
        Store(outputs.at("w"), i,
              PlainScaledFrequency(kProfiles[promise_].angle, f, i, slip_, negative_));
    } else if (c.operation == "rope_scaling.magnitude") {
      const RopeScaling s = gnomon::rope_scaling::ReadMagnitude(c);
      Store(outputs.at("magnitude"), 0, PlainMagnitude(s, false, slip_));
      Store(outputs.at("softmax_factor"), 0, PlainSoftmaxFactor(s, slip_));
    } else if (c.operation == "rope_scaling.layers") {
      Layers(gnomon::rope_scaling::ReadLayers(c), outputs.at("use_rope"));
    } else {
      Temperatures(c, outputs.at("temperature"));
    }
    return {};
  }

 private:
  // In f32, then in the format.
  void Store(const TensorView& view, int64_t element, double value) const {
    const Format format = FormatOf(view.dtype);
    StoreBits(view.dtype, view.AddressOf(element),
              EncodeBits(format, RoundToFormat(format, static_cast<float>(value))));
  }
  void Layers(const gnomon::rope_scaling::Layers& layers, const TensorView& use) const {
    for (int64_t l = 0; l < layers.layers; ++l) {
      const int64_t number = slip_ == Slip::kLayerFromZero ? l : l + 1;
      int64_t answer = layers.interval > 0 ? number % layers.interval != 0 : 1;
      if (!layers.use_rope.empty()) answer = layers.use_rope[static_cast<size_t>(l)];
      if (slip_ == Slip::kLayersInverted) answer = 1 - answer;
      StoreBits(use.dtype, use.AddressOf(l), static_cast<uint64_t>(answer));
    }
  }
  void Temperatures(const Case& c, const TensorView& out) const {
    const gnomon::rope_scaling::Temperature t = gnomon::rope_scaling::ReadTemperature(c);
    const Tensor& positions = c.inputs.at("positions");
    for (int64_t i = 0; i < positions.count(); ++i) {
      const double p = static_cast<double>(positions.Integer(i));
      const double steps = std::floor((slip_ == Slip::kStepLate ? p : p + 1) / t.floor_scale.value);
      const double log =
          slip_ == Slip::kLogarithmOfSteps ? (steps > 0 ? std::log(steps) : 0) : std::log1p(steps);
      Store(out, i, 1 + t.attn_scale.value * log);
    }
  }

  Slip slip_;
  std::string name_;
  size_t promise_;
  bool negative_;
};

struct Row {
  Slip slip;
  const char* id;
  const char* text;
};

constexpr Row kRows[] = {
    {Slip::kMultiplies, "interpolate-inverse", "frequencies times the factor"},
    {Slip::kFactorIgnored, "scaling-ignored/linear", "linear scaling ignored"},
    {Slip::kNtkNoExponent, "ntk-exponent", "base times s, without an exponent"},
    {Slip::kNtkHalfExponent, "ntk-exponent/pairs", "exponent of s (2d - 2) / (d - 2)"},
    {Slip::kStatic, "dynamic-ntk/static", "the factor s at every length"},
    {Slip::kStale, "dynamic-ntk", "the base of the calls before kept"},
    {Slip::kNeverReset, "dynamic-ntk/never-reset", "a short call keeps the long base"},
    {Slip::kAlwaysReset, "dynamic-ntk/stateless", "every call taken for the first"},
    {Slip::kBandsIgnored, "scaling-ignored/llama3", "bands unused"},
    {Slip::kBandsWithoutBlend, "llama3-ignored/no-blend", "no blend between the bands"},
    {Slip::kBandsExchanged, "llama3-ignored/exchanged", "low and high factor exchanged"},
    {Slip::kRoundingSkipped, "yarn-rounding", "correction dims not rounded"},
    {Slip::kRoundingInverted, "yarn-rounding/inverted", "ceiling and floor exchanged"},
    {Slip::kBetasExchanged, "yarn-betas", "beta_fast and beta_slow exchanged"},
    {Slip::kNtkForFast, "yarn-betas/ntk", "NTK-aware base for the fast pairs"},
    {Slip::kBaseRaised, "yarn-betas/base", "correction dims of the base s b"},
    {Slip::kRampReversed, "yarn-betas/reversed", "ramp for 1 - ramp"},
    {Slip::kRotationsForIndex, "yarn-betas/rotations",
     "the paper's ramp where that by index is asked"},
    {Slip::kSwitchAtLength, "longrope-switch", "long factors from n = L on"},
    {Slip::kAlwaysLong, "longrope-switch/allocated", "long factors whatever the length is"},
    {Slip::kLengthForFactor, "longrope-switch/magnitude", "magnitude by the new length"},
    {Slip::kPartsExchanged, "ntk-parts", "the two ranges exchanged"},
    {Slip::kPartialDivisor, "proportional-divisor", "exponent divided by the turning dims"},
    {Slip::kRestTurns, "proportional-divisor/rest", "all pairs turn"},
    {Slip::kMagnitudeDropped, "yarn-magnitude", "magnitude 1"},
    {Slip::kRatioIgnored, "yarn-magnitude/ratio", "mscale and mscale_all_dim ignored"},
    {Slip::kAttentionFactorIgnored, "yarn-magnitude/attention-factor", "attention_factor ignored"},
    {Slip::kLogarithmTwice, "yarn-magnitude/twice", "logarithm squared"},
    {Slip::kMagnitudeSquared, "yarn-magnitude/squared", "magnitude squared"},
    {Slip::kPlacementIgnored, "yarn-magnitude/placement", "the magnitude wherever it is to go"},
    {Slip::kSoftmaxOnce, "yarn-softmax", "magnitude for its square on the scores"},
    {Slip::kLayerFromZero, "layer-offset", "every k-th layer counted from 0"},
    {Slip::kLayersInverted, "layer-offset/inverted", "0 and 1 exchanged"},
    {Slip::kStepLate, "temperature-step", "p for p + 1"},
    {Slip::kLogarithmOfSteps, "temperature-step/logarithm", "ln(floor) for ln(1 + floor)"},
};

}  // namespace

std::vector<WrongSubject> WrongSubjects() {
  std::vector<WrongSubject> all;
  for (const Row& row : kRows)
    all.push_back({row.id, row.text, MistakeKind::kFormula, "rope_scaling", [row] {
                     return std::make_unique<PlainScaling>(row.slip, std::string("wrong:") + row.id,
                                                           "f32-angle", false);
                   }});
  return all;
}

std::vector<RightSubject> RightSubjects() {
  std::vector<RightSubject> all;
  const auto add = [&](const char* id, const char* text, const char* promise, bool negative) {
    all.push_back({id, text, promise, "rope_scaling", [=] {
                     return std::make_unique<PlainScaling>(
                         Slip::kNone, std::string("right-rope_scaling:") + id + "/" + promise,
                         promise, negative);
                   }});
  };
  add("plain", "float64 frequencies, rounded once", "standard", false);
  add("plain", "every operation in f32, frequencies by pow", "f32-angle", false);
  add("negative-exponent", "frequencies by pow(base, -e)", "f32-angle", true);
  add("plain", "the same, frequencies by exp", "f32-exp", false);
  add("plain", "the same in f32, stored in 16 bits", "f32-angle-16", false);
  add("plain", "frequencies multiplied up pair by pair", "f32-chained", false);
  return all;
}

}  // namespace gnomon::properties::rope_scaling
