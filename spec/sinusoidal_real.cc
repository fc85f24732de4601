// Timesteps, Fourier features and NeRF: their parameters, tensors and shapes (spec/sinusoidal.md).
#include "gnomon/spec/sinusoidal_real.h"

namespace gnomon::sinusoidal {
namespace {

// SIN-23.
void RequireFinite(const Case& c, const std::string& role) {
  const ConstTensorView view = c.inputs.at(role).view();
  for (int64_t i = 0; i < view.count(); ++i)
    if (!std::isfinite(ValueAt(view, i)))
      throw Rejected(role, Plain(Number(ValueAt(view, i))), "must be a finite number", "SIN-23");
}

Shape RequireRank(const Case& c, const std::string& role, size_t rank, const std::string& axes,
                  const std::string& clause) {
  const Shape& shape = c.inputs.at(role).shape();
  if (shape.size() != rank)
    throw Rejected(role, "rank " + std::to_string(shape.size()), "must be " + axes, clause);
  RequireFinite(c, role);
  return shape;
}

std::vector<OutputShape> ValidateTimestep(const Case& c) {
  const Timestep p = ReadTimestep(c);
  return {{"pe", {RequireRank(c, "timesteps", 1, "[batch]", "SIN-20")[0], p.width}}};
}

std::vector<OutputShape> ValidateFourier(const Case& c) {
  ReadFourier(c);
  const Shape x = RequireRank(c, "x", 2, "[point, coordinate]", "SIN-21");
  const Shape B = RequireRank(c, "B", 2, "[feature, coordinate]", "SIN-21");
  RequireExtent("B", "coordinate", B[1], x[1], "SIN-21");
  return {{"features", {x[0], 2 * B[0]}}};
}

std::vector<OutputShape> ValidateNerf(const Case& c) {
  const Nerf p = ReadNerf(c);
  const Shape x = RequireRank(c, "x", 2, "[point, coordinate]", "SIN-22");
  return {{"features", {x[0], x[1] * (2 * p.octaves + (p.include_input ? 1 : 0))}}};
}

}  // namespace

Timestep ReadTimestep(const Case& c) {
  ParameterReader reader(c.parameters, "SIN-20");
  Timestep p;
  p.width = reader.GetRequiredInteger("width", 2, kMaxWidth);
  p.max_period = reader.GetNumber("max_period", p.max_period);
  if (!(p.max_period.value > 0))
    throw Rejected("max_period", Plain(p.max_period), "must be positive", "SIN-20");
  p.shift = reader.GetInteger("downscale_freq_shift", p.shift, -kMaxWidth, 1);
  if (p.shift >= p.pairs())
    throw Rejected("downscale_freq_shift", std::to_string(p.shift),
                   "must be below the number of pairs, " + std::to_string(p.pairs()), "SIN-20");
  p.flip = reader.GetFlag("flip_sin_to_cos", false, "SIN-20");
  p.scale = reader.GetNumber("scale", p.scale);
  reader.RejectOthers();
  return p;
}

FourierLayout ReadFourier(const Case& c) {
  ParameterReader reader(c.parameters, "SIN-21");
  const FourierLayout layout =
      reader.GetName("layout", FourierLayout::kCosSin, kFourierLayoutNames);
  reader.RejectOthers();
  return layout;
}

Nerf ReadNerf(const Case& c) {
  ParameterReader reader(c.parameters, "SIN-22");
  Nerf p;
  p.sampling = reader.GetName("sampling", p.sampling, kNerfSamplingNames);
  p.octaves = reader.GetRequiredInteger("octaves", 1, p.sampling == Nerf::Sampling::kLog ? 64 : 32);
  p.order = reader.GetName("order", p.order, kNerfOrderNames);
  p.unit = reader.GetName("unit", p.unit, kNerfUnitNames);
  p.include_input = reader.GetFlag("include_input", false, "SIN-22");
  reader.RejectOthers();
  return p;
}

bool IsReal(const std::string& operation) {
  return operation == "sinusoidal.timestep" || operation == "sinusoidal.fourier" ||
         operation == "sinusoidal.nerf";
}

std::vector<OperationSpec> RealOperations() {
  const TensorSpec x = {"x", {"point", "coordinate"}, "points, finite numbers"};
  return {{"sinusoidal.timestep",
           "sines and cosines of real times",
           {{"width", "required", "2 to 1048576", "columns"},
            {"max_period", "10000", "positive", "base of the frequencies"},
            {"downscale_freq_shift", "1", "an integer up to 1, below width/2",
             "shortens what the exponent is divided by"},
            {"flip_sin_to_cos", "false", "true, false", "cosines first"},
            {"scale", "1", "any number", "multiplies the times"}},
           {{"timesteps", {"batch"}, "times, finite numbers"}},
           {{"pe", {"batch", "width"}, "their rows"}},
           ErrorUnit::kUlp,
           ValidateTimestep,
           "",
           {"batch"}},
          {"sinusoidal.fourier",
           "random Fourier features: cosines and sines of 2 pi B x",
           {{"layout", "cos_sin", "cos_sin, sin_cos", "order of the columns"}},
           {x, {"B", {"feature", "coordinate"}, "frequencies in turns, finite numbers"}},
           {{"features", {"point", "column"}, "cosines and sines"}},
           ErrorUnit::kUlp,
           ValidateFourier,
           "",
           {"point"}},
          {"sinusoidal.nerf",
           "sines and cosines of doubling frequencies, coordinate by coordinate",
           {{"octaves", "required", "1 to 64, linear 1 to 32", "frequencies L"},
            {"unit", "pi", "pi, one", "frequency of the first octave"},
            {"order", "coordinate", "coordinate, octave", "order of the columns"},
            {"sampling", "log", "log, linear", "frequencies doubling, or evenly spaced"},
            {"include_input", "false", "true, false", "x itself first"}},
           {x},
           {{"features", {"point", "column"}, "sines and cosines"}},
           ErrorUnit::kUlp,
           ValidateNerf,
           "",
           {"point"}}};
}

}  // namespace gnomon::sinusoidal
