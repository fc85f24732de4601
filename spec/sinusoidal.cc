// The sinusoidal operations: their parameters, tensors and shapes (spec/sinusoidal.md).
#include "gnomon/spec/sinusoidal.h"

#include "gnomon/spec/schemes.h"
#include "gnomon/spec/sinusoidal_real.h"

namespace gnomon::sinusoidal {
namespace {

std::vector<OutputShape> ValidateTable(const Case& c) {
  const SinusoidalTable t = ReadTable(c);
  return {{"pe", {ValidatePositions(c, "positions", 1)[0], t.width}}};
}

std::vector<OutputShape> ValidateAdd(const Case& c) {
  const AddParameters a = ReadAdd(c);
  const Tensor& x = c.inputs.at("x");
  const int64_t seq = ValidatePositions(c, "positions", 1)[0];
  if (x.shape().size() != 3 || x.shape()[1] != seq || x.shape()[2] != a.table.width)
    throw Rejected("x", "rank " + std::to_string(x.shape().size()),
                   "must be [batch, seq, width] with seq " + std::to_string(seq) + ", width " +
                       std::to_string(a.table.width),
                   "SIN-5");
  RequireCaseFormat(c, "x");
  return {{"y", x.shape()}};
}

std::vector<OutputShape> ValidateMatrix(const Case& c) {
  const int64_t width = ReadMatrix(c).table.width;
  return {{"matrix", {width, width}}};
}

// SIN-8, SIN-9.
std::vector<OutputShape> ValidatePairwise(const Case& c) {
  RequireEvenWidth(ReadTable(c), "SIN-8");
  return {{"values", {ValidatePositions(c, "m", 1)[0], ValidatePositions(c, "n", 1)[0]}}};
}

}  // namespace

const std::vector<OperationSpec>& Operations() {
  static const std::vector<ParameterSpec> table = {
      {"width", "required", "1 to 1048576", "columns; channels of the model"},
      {"base", "10000", "positive", "base of the frequencies"},
      {"frequencies", "by base", "one finite number for every sine", "frequencies as given"},
      {"layout", "interleaved", "interleaved, sin_cos, cos_sin", "order of the columns"},
      {"divisor", "half", "half, half_minus_one", "what the exponent is divided by"},
      {"odd_width", "sine", "sine, zero", "last column of an odd width"},
      {"scale", "1", "any number", "multiplies every entry"}};
  const auto with = [](std::initializer_list<ParameterSpec> more) {
    std::vector<ParameterSpec> all = table;
    all.insert(all.end(), more);
    return all;
  };
  static const TensorSpec positions = {
      "positions", {"seq"}, "tokens, in [-2^31, 2^31)", false, true};
  static const ParameterSpec offset = {"offset", "required", "[-2^31, 2^31)", "shift k, in tokens"};
  static const std::vector<TensorSpec> two = {
      {"m", {"m"}, "positions of the rows", false, true},
      {"n", {"n"}, "positions of the columns", false, true}};
  static std::vector<OperationSpec> operations = {
      {"sinusoidal.table",
       "sines and cosines of position times frequency",
       table,
       {positions},
       {{"pe", {"seq", "width"}, "the table"}},
       ErrorUnit::kUlp,
       ValidateTable,
       "",
       {"seq"}},
      {"sinusoidal.add",
       "token embeddings plus the table",
       with({{"token_scale", "1", "a number, or sqrt_width", "multiplies x first"}}),
       {{"x", {"batch", "seq", "width"}, "token embeddings"}, positions},
       {{"y", {"batch", "seq", "width"}, "token_scale x + pe"}},
       ErrorUnit::kRoundoffOfSum,
       ValidateAdd,
       "x",
       {"batch", "seq"}},
      {"sinusoidal.shift_matrix",
       "M_k with PE[t + k] = M_k PE[t]",
       with({offset}),
       {},
       {{"matrix", {"row", "column"}, "M_k"}},
       ErrorUnit::kUlp,
       ValidateMatrix},
      {"sinusoidal.relative_head",
       "W = c M_k, the head that attends to offset k",
       with({offset, {"gain", "1", "positive", "c"}}),
       {},
       {{"matrix", {"row", "column"}, "W"}},
       ErrorUnit::kUlp,
       ValidateMatrix},
      {"sinusoidal.similarity",
       "dot products PE[m] . PE[n]",
       table,
       two,
       {{"values", {"m", "n"}, "dot products"}},
       ErrorUnit::kRoundoffOfSum,
       ValidatePairwise},
      {"sinusoidal.distance",
       "Euclidean distances |PE[m] - PE[n]|",
       table,
       two,
       {{"values", {"m", "n"}, "distances"}},
       ErrorUnit::kRoundoffOfSum,
       ValidatePairwise}};
  static const bool with_real = [] {
    for (OperationSpec& more : RealOperations()) operations.push_back(std::move(more));
    return true;
  }();
  static_cast<void>(with_real);
  return operations;
}

}  // namespace gnomon::sinusoidal
