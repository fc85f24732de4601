#include "gnomon/properties/rope_scaling_cases.h"

#include <algorithm>
#include <cmath>

#include "gnomon/properties/cases.h"
#include "gnomon/properties/rope_cases.h"
#include "gnomon/spec/schemes.h"

namespace gnomon::properties::rope_scaling {
namespace {

std::vector<Number> DrawFactors(Source& source, int64_t count) {
  std::vector<Number> factors;
  double factor = 1;
  for (int64_t i = 0; i < count; ++i) {
    factors.emplace_back(factor);
    factor += source.Pick({0.25, 0.0, 1.5, 0.7});
  }
  return factors;
}

}  // namespace

bool IsValid(const Parameters& parameters) {
  try {
    ParameterReader reader(parameters, "ROPE-1");
    const RopeFrequencies f = gnomon::rope::ReadFrequencies(reader);
    gnomon::rope::ReadScaling(parameters, reader, f);
    return true;
  } catch (const Rejected&) {
    return false;
  }
}

RopeType DrawType(Source& source) {
  return source.Pick({RopeType::kYarn, RopeType::kLlama3, RopeType::kLinear, RopeType::kNtk,
                      RopeType::kDynamic, RopeType::kLongrope, RopeType::kNtkByParts,
                      RopeType::kProportional});
}

void DrawMagnitude(Source& source, RopeType type, Parameters* parameters) {
  Parameters& p = *parameters;
  if (source.Chance(1, 3))
    p["magnitude_placement"] = std::string(
        source.Pick({"input", "softmax", type == RopeType::kYarn ? "split" : "tables"}));
  if (source.Chance(1, 5)) {
    p["attention_factor"] = source.Pick({0.5, 1.25, 1.0, 1.1});
  } else if (type == RopeType::kLongrope) {
    if (source.Chance(1, 3)) p["short_mscale"] = 1.0, p["long_mscale"] = 1.243163121016122;
  } else {
    if (source.Chance(1, 4)) p["attn_factor"] = source.Pick({0.5, 2.0, 1.1});
    if (source.Chance(1, 3)) p["mscale"] = source.Pick({0.707, 1.0, 0.0});
    if (source.Chance(1, 3)) p["mscale_all_dim"] = source.Pick({0.707, 1.0, 0.5, 0.0});
    if (source.Chance(1, 4)) p["mscale_rule"] = std::string("each");
  }
}

Parameters DrawScaled(Source& source, RopeType type) {
  Parameters p;
  const int64_t d = source.Pick<int64_t>({64, 32, 128, 8, 16, 20, 96, 4, 36});
  p["head_dim"] = static_cast<double>(d);
  if (source.Chance(1, 5)) {
    p["rotary_dim"] = static_cast<double>(d);
    p["head_dim"] = static_cast<double>(d + source.Pick<int64_t>({2, 5, 64}));
  }
  if (source.Chance(2, 3)) p["rope_theta"] = source.Pick({10000.0, 500000.0, 1e6, 150000.0, 100.0});
  p["rope_type"] = kRopeTypeNames[static_cast<size_t>(type)];
  p["factor"] = source.Pick({4.0, 8.0, 2.0, 40.0, 10.0, 1.5, 3.3, 1.0, 32.0});
  const double L = source.Pick({4096.0, 2048.0, 8192.0, 1000.0, 64.0});
  if (type == RopeType::kDynamic || type == RopeType::kNtkByParts || type == RopeType::kYarn ||
      type == RopeType::kLlama3 || type == RopeType::kLongrope)
    p["original_max_position_embeddings"] = L;
  switch (type) {
    case RopeType::kDynamic: {
      const auto length = [&] {
        return source.Pick({L, 2 * L, L + 1, L - 1, 1.0, 3 * L, std::floor(1.5 * L)});
      };
      p["seq_len"] = length();
      std::vector<Number> earlier;
      for (int64_t n = source.Below(4); n > 0; --n) earlier.emplace_back(length());
      if (!earlier.empty()) p["earlier_seq_lens"] = earlier;
      if (source.Chance(1, 3)) p["update"] = std::string(source.Pick({"grow", "stateless"}));
      break;
    }
    case RopeType::kYarn:
      if (source.Chance(1, 3)) {
        p["ramp"] = std::string("rotations");
      } else if (source.Chance(1, 3)) {
        p["truncate"] = false;
      }
      if (source.Chance(1, 3)) {
        p["beta_fast"] = 16.0, p["beta_slow"] = source.Pick({2.0, 0.7});
      } else if (!p.count("ramp") && !p.count("truncate") && source.Chance(1, 4)) {
        p["beta_fast"] = p["beta_slow"] = source.Pick({1.0, 16.0});  // a step
      }
      if (source.Chance(1, 6)) p["extrapolation_factor"] = source.Pick({0.5, 0.0});
      DrawMagnitude(source, type, &p);
      break;
    case RopeType::kNtkByParts:
      if (source.Chance(1, 3)) p["ntk_factor"] = source.Pick({0.5, 0.0});
      if (source.Chance(1, 3)) p["extrapolation_factor"] = source.Pick({0.5, 0.0});
      break;
    case RopeType::kLlama3:
      if (source.Chance(1, 3))
        p["low_freq_factor"] = 2.0, p["high_freq_factor"] = source.Pick({8.0, 3.3, 2.0});
      break;
    case RopeType::kLongrope:
      p["short_factor"] = DrawFactors(source, d / 2);
      p["long_factor"] = DrawFactors(source, d / 2);
      p["seq_len"] = source.Pick({L, L + 1, 1.0, 2 * L});
      DrawMagnitude(source, type, &p);
      break;
    case RopeType::kProportional:
      if (source.Chance(3, 4)) p["partial_rotary_factor"] = source.Pick({0.25, 0.5, 0.3, 0.75});
      break;
    default:
      break;
  }
  if (!IsValid(p)) {  // a ramp that ends before it begins
    p["head_dim"] = 64.0;
    p.erase("rotary_dim");
    p["rope_theta"] = 10000.0;
    p["original_max_position_embeddings"] = 4096.0;
    p.erase("beta_fast");
    p.erase("beta_slow");
  }
  return p;
}

Case FrequenciesCase(Trial& trial, Parameters parameters, const std::string& operation) {
  Case c;
  c.operation = operation;
  c.format = trial.DrawFormat();
  c.parameters = std::move(parameters);
  for (const char* name : {"magnitude_placement", "attention_factor", "attn_factor", "mscale",
                           "mscale_all_dim", "mscale_rule", "short_mscale", "long_mscale"})
    c.parameters.erase(name);  // they say nothing of frequencies
  const Value type = c.parameters.at("rope_type");
  rope::Fit(trial.limits(operation), operation, trial.source(), &c.parameters);
  trial.RequireInside(c.parameters.count("rope_type") && c.parameters.at("rope_type") == type &&
                      IsValid(c.parameters));
  return c;
}

Case Unscaled(Case c) {
  Parameters kept;
  for (const char* name : {"head_dim", "rotary_dim", "rope_theta"})
    if (c.parameters.count(name)) kept[name] = c.parameters.at(name);
  kept["rope_type"] = std::string("default");
  c.parameters = std::move(kept);
  return c;
}

namespace {

Case MagnitudeCase(Trial& t) {
  Source& source = t.source();
  Case c;
  c.operation = "rope_scaling.magnitude";
  c.format = t.DrawFormat();
  const bool longrope = source.Chance(1, 3);
  c.parameters = {{"rope_type", std::string(longrope ? "longrope" : "yarn")},
                  {"factor", source.Pick({4.0, 40.0, 32.0, 1.0, 1.5})},
                  {"original_max_position_embeddings", source.Pick({4096.0, 2048.0, 1000.0})}};
  DrawMagnitude(source, longrope ? RopeType::kLongrope : RopeType::kYarn, &c.parameters);
  if (c.parameters.count("short_mscale")) c.parameters["seq_len"] = source.Pick({4096.0, 9000.0});
  return c;
}

Case LayersCase(Trial& t) {
  Source& source = t.source();
  Case c;
  c.operation = "rope_scaling.layers";
  c.format = t.DrawFormat();
  const int64_t layers = 1 + source.Below(24);
  c.parameters["num_hidden_layers"] = static_cast<double>(layers);
  if (source.Chance(1, 3)) {
    std::vector<Number> list;
    for (int64_t l = 0; l < layers; ++l) list.emplace_back(source.Chance(1, 3) ? 0.0 : 1.0);
    c.parameters["no_rope_layers"] = list;
  } else {
    c.parameters["no_rope_layer_interval"] = source.Pick({4.0, 2.0, 1.0, 3.0, 30.0});
  }
  return c;
}

Case TemperatureCase(Trial& t) {
  Source& source = t.source();
  Case c;
  c.operation = "rope_scaling.temperature";
  c.format = t.DrawFormat();
  if (source.Chance(1, 2)) c.parameters["attn_scale"] = source.Pick({0.1, 0.5, 0.0, 1.0});
  const double step = source.Pick({8192.0, 8.0, 100.0, 1.0});
  if (source.Chance(1, 2)) c.parameters["floor_scale"] = step;
  const double used = c.parameters.count("floor_scale") ? step : 8192.0;
  Shape shape = DrawExtents(source, {4}, 1);
  if (source.Chance(1, 4)) shape.insert(shape.begin(), 1 + source.Below(3));
  c.inputs.emplace(
      "positions", Integers(shape, [&](int64_t) -> int64_t {
        const int64_t edge = static_cast<int64_t>(used) * (1 + source.Below(5)) - source.Below(3);
        return source.Chance(1, 2) ? std::max<int64_t>(edge, 0) : source.Below(int64_t{1} << 20);
      }));
  return c;
}

}  // namespace

std::vector<CaseSource> Cases() {
  std::vector<CaseSource> all;
  for (size_t i = 1; i < kRopeTypeNames.size(); ++i)
    all.push_back({"rope_scaling.frequencies." + kRopeTypeNames[i], "rope_scaling.frequencies",
                   CaseKind::kPlain, [i](Trial& t) {
                     return FrequenciesCase(t, DrawScaled(t.source(), static_cast<RopeType>(i)));
                   }});
  all.push_back(
      {"rope_scaling.magnitude.plain", "rope_scaling.magnitude", CaseKind::kPlain, MagnitudeCase});
  all.push_back({"rope_scaling.layers.plain", "rope_scaling.layers", CaseKind::kPlain, LayersCase});
  all.push_back({"rope_scaling.temperature.plain", "rope_scaling.temperature", CaseKind::kPlain,
                 TemperatureCase});
  return all;
}

}  // namespace gnomon::properties::rope_scaling
