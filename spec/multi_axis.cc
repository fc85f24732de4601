// The operations over more than one axis: their parameters, tensors and shapes
// (spec/multi_axis.md).
#include "gnomon/spec/multi_axis.h"

#include <cmath>

#include "gnomon/spec/schemes.h"

namespace gnomon::multi_axis {
namespace {

std::vector<OutputShape> ValidateSections(const Case& c) {
  return {{"axis", {ReadSections(c).pairs()}, true}};
}

// [axis, seq], or one more for a batch where `batch` is not 0.
int64_t ValidateGrid(const Case& c, int64_t axes, int64_t batch) {
  const Shape& shape = c.inputs.at("positions").shape();
  const bool by_batch = batch > 0 && shape.size() == 3;
  if (shape.size() != 2 && !by_batch)
    throw Rejected("positions", "rank " + std::to_string(shape.size()),
                   batch > 0 ? "must be [axis, seq] or [batch, axis, seq]" : "must be [axis, seq]",
                   "AXES-1");
  ValidatePositions(c, "positions", 3);
  RequireExtent("positions", "axis", shape[shape.size() - 2], axes, "AXES-1");
  if (by_batch && shape[0] != 1) RequireExtent("positions", "batch", shape[0], batch, "AXES-1");
  return shape.back();
}

std::vector<OutputShape> ValidateRotation(const Case& c) {
  const AxialRotation a = ReadRotation(c);
  const Shape& x = c.inputs.at("x").shape();
  if (x.size() != 4)
    throw Rejected("x", "rank " + std::to_string(x.size()), "must be [batch, seq, heads, head_dim]",
                   "AXES-1");
  RequireExtent("x", "head_dim", x[3], a.head_dim, "AXES-1");
  RequireCaseFormat(c, "x");
  const int64_t batch = x[0] > 0 ? x[0] : 1;
  RequireExtent("positions", "seq", ValidateGrid(c, a.axes(), batch), x[1], "AXES-1");
  return {{"y", x}};
}

std::vector<OutputShape> ValidateMixed(const Case& c) {
  const Tensor& w = c.inputs.at("frequencies");
  const Shape& shape = w.shape();
  if (shape.size() != 3)
    throw Rejected("frequencies", "rank " + std::to_string(shape.size()),
                   "must be [axis, heads, pair]", "AXES-20");
  if (shape[0] < 1 || shape[0] > kMostAxes)
    throw Rejected("frequencies", "axis " + std::to_string(shape[0]), "must have 1 to 8 axes",
                   "AXES-20");
  if (w.dtype() != DType::kF32 && w.dtype() != DTypeOf(c.format))
    throw Rejected("frequencies", std::string(Name(w.dtype())),
                   "must be F32, or have the case's format", "AXES-20");
  for (int64_t i = 0; i < w.count(); ++i)
    if (!std::isfinite(w.Value(i)))
      throw Rejected("frequencies", Plain(Number(w.Value(i))), "must be a finite number",
                     "AXES-20");
  std::vector<OutputShape> shapes = ValidateRotation(c);
  RequireExtent("frequencies", "pair", shape[2], ReadRotation(c).pairs(), "AXES-20");
  if (shape[1] != 1)
    RequireExtent("frequencies", "heads", shape[1], c.inputs.at("x").shape()[2], "AXES-20");
  return shapes;
}

std::vector<OutputShape> ValidateSincos(const Case& c) {
  const SincosTable t = ReadSincos(c);
  return {{"pe", {t.zero_rows + ValidateGrid(c, 2, 0), t.width()}}};
}

std::vector<OutputShape> ValidateFactorized(const Case& c) {
  const Combine combine = ReadCombine(c);
  const Shape &px = c.inputs.at("px").shape(), &py = c.inputs.at("py").shape();
  for (const char* role : {"px", "py"}) {
    if (c.inputs.at(role).shape().size() != 2)
      throw Rejected(role, "rank " + std::to_string(c.inputs.at(role).shape().size()),
                     "must have two axes, places and width", "AXES-4");
    RequireCaseFormat(c, role);
  }
  if (combine == Combine::kSum) RequireExtent("py", "width", py[1], px[1], "AXES-4");
  return {{"pe", {px[0], py[0], combine == Combine::kSum ? px[1] : px[1] + py[1]}}};
}

std::vector<OutputShape> ValidateIndex(const Case& c) {
  const int64_t tokens = ReadWindowSize(c).tokens();
  return {{"index", {tokens, tokens}, true}};
}

std::vector<OutputShape> ValidateBias(const Case& c) {
  const Window w = ReadWindowSize(c);
  const Shape& table = c.inputs.at("table").shape();
  if (table.size() != 2)
    throw Rejected("table", "rank " + std::to_string(table.size()), "must be [row, heads]",
                   "AXES-15");
  RequireExtent("table", "row", table[0], w.rows(), "AXES-15");
  RequireCaseFormat(c, "table");
  return {{"bias", {table[1], w.tokens(), w.tokens()}}};
}

}  // namespace

const std::vector<OperationSpec>& Operations() {
  static const std::vector<ParameterSpec> sections = {
      {"mrope_section", "required", "1 to 8 sizes", "pairs of each axis"},
      {"section_order", "contiguous", "contiguous, interleaved, interleaved_extra, alternating",
       "which pairs an axis has"}};
  static const ParameterSpec head_dim = {"head_dim", "required", "1 to 1048576",
                                         "dims of one head"};
  static const ParameterSpec rotary_dim = {"rotary_dim", "head_dim", "even, 2 to head_dim",
                                           "dims that are rotated"};
  static const std::vector<ParameterSpec> frequencies = {
      {"rope_theta", "10000", "positive", "base of the frequencies"},
      {"frequencies", "by rope_theta", "one finite number for every pair", "frequencies as given"}};
  static const std::vector<ParameterSpec> placed = {
      {"rotary_offset", "0", "0 to head_dim - rotary_dim", "first rotated dim"},
      {"layout", "required", "interleaved, half_split, half_split_by_axis",
       "which dims form a pair"},
      {"direction", "forward", "forward, transpose", "by the angle, or by minus it"}};
  const auto join = [](std::vector<ParameterSpec> all, const std::vector<ParameterSpec>& more) {
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  static const std::vector<ParameterSpec> rotation = join(frequencies, placed);
  static const std::vector<ParameterSpec> window = {
      {"window_height", "required", "1 to 4096", "rows of the window"},
      {"window_width", "required", "1 to 4096", "columns of the window"},
      {"cls_token", "none", "none, beit", "a token before those of the window"}};
  static const TensorSpec x = {"x", {"batch", "seq", "heads", "head_dim"}, "queries or keys"};
  static const TensorSpec y = {"y", {"batch", "seq", "heads", "head_dim"}, "rotated x"};
  static const TensorSpec positions = {
      "positions",
      {"batch", "axis", "seq"},
      "tokens on every axis, in [-2^31, 2^31); [axis, seq] serves every batch",
      false,
      true};
  static const std::vector<OperationSpec> operations = {
      {"multi_axis.sections",
       "the axis of every pair",
       sections,
       {},
       {{"axis", {"pair"}, "number of the axis", false, true}},
       ErrorUnit::kUlp,
       ValidateSections},
      {"multi_axis.axial",
       "rotate disjoint groups of pairs by the positions on several axes",
       join({head_dim,
             {"axes_dims", "required", "even numbers from 2", "rotated dims of each axis"},
             {"exponent", "reset", "reset, running, alternating", "what the exponent counts"}},
            rotation),
       {x, positions},
       {y},
       ErrorUnit::kRoundoffOfSum,
       ValidateRotation,
       "x",
       {"batch", "seq", "heads"}},
      {"multi_axis.mrope",
       "the same by sections of one list of frequencies",
       join(join({head_dim, rotary_dim}, sections), rotation),
       {x, positions},
       {y},
       ErrorUnit::kRoundoffOfSum,
       ValidateRotation,
       "x",
       {"batch", "seq", "heads"}},
      {"multi_axis.mixed",
       "rotate every pair by the positions on all axes, each times a frequency of its own",
       join({head_dim, rotary_dim}, placed),
       {x,
        positions,
        {"frequencies", {"axis", "heads", "pair"}, "radians a token, finite; one head serves all"}},
       {y},
       ErrorUnit::kRoundoffOfSum,
       ValidateMixed,
       "x",
       {"batch", "seq", "heads"}},
      {"multi_axis.sincos_2d",
       "sines and cosines of the row beside those of the column",
       {{"width", "required", "a multiple of 4, to 1048576", "columns of the table"},
        {"base", "10000", "positive", "base of the frequencies"},
        {"layout", "sin_cos", "interleaved, sin_cos, cos_sin", "order within each half"},
        {"divisor", "half", "half, half_minus_one", "what the exponent is divided by"},
        {"first_half", "required", "row, column", "what the first columns encode"},
        {"zero_rows", "0", "0 to 1048576", "rows of zeros before the others"}},
       {{"positions", {"axis", "seq"}, "row and column of every place", false, true}},
       {{"pe", {"seq", "width"}, "the table"}},
       ErrorUnit::kUlp,
       ValidateSincos},
      {"multi_axis.factorized",
       "a table of two axes from one of each",
       {{"combine", "required", "sum, concatenate", "px + py, or px beside py"}},
       {{"px", {"x", "width"}, "table of the first axis"},
        {"py", {"y", "width"}, "table of the second axis"}},
       {{"pe", {"x", "y", "width"}, "the table"}},
       ErrorUnit::kUlp,
       ValidateFactorized,
       "",
       {"x", "y"}},
      {"multi_axis.window_index",
       "row of the bias table for two tokens of a window",
       window,
       {},
       {{"index", {"query", "key"}, "row number", false, true}},
       ErrorUnit::kUlp,
       ValidateIndex},
      {"multi_axis.window_bias",
       "bias of two tokens of a window",
       window,
       {{"table", {"row", "heads"}, "one row for every offset"}},
       {{"bias", {"heads", "query", "key"}, "rows of the table"}},
       ErrorUnit::kUlp,
       ValidateBias,
       "",
       {"heads"}}};
  return operations;
}

}  // namespace gnomon::multi_axis
