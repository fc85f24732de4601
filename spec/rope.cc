// The operations of RoPE: their parameters, tensors and shapes (spec/rope.md; rope.xpos:
// rope_xpos.cc).
#include "gnomon/spec/rope.h"

#include "gnomon/spec/rope_xpos.h"
#include "gnomon/spec/schemes.h"

namespace gnomon::rope {
namespace {

std::vector<OutputShape> ValidateFrequencies(const Case& c) {
  const RopeFrequencies f = ReadFrequencies(c);
  rope_scaling::RequireLength(f.scaling);
  return {{"w", {f.pairs()}}};
}

std::vector<OutputShape> ValidateTable(const Case& c) {
  const RopeFrequencies f = ReadFrequencies(c);
  Shape shape = ValidatePositions(c, "positions", 2);
  shape.push_back(f.pairs());
  return {{"cos", shape}, {"sin", shape}};
}

std::vector<OutputShape> ValidateApply(const Case& c) {
  const RopeApply a = ReadApply(c);
  const Shape& x = c.inputs.at("x").shape();
  if (x.size() != 4)
    throw Rejected("x", "rank " + std::to_string(x.size()), "must be [batch, seq, heads, head_dim]",
                   "ROPE-3");
  RequireExtent("x", "head_dim", x[3], a.frequencies.head_dim, "ROPE-3");
  RequireCaseFormat(c, "x");
  const bool positions = c.inputs.count("positions"), cos = c.inputs.count("cos"),
             sin = c.inputs.count("sin");
  if (cos != sin || positions == cos)
    throw Rejected("positions", positions ? "(given)" : "(missing)",
                   "give either positions, or both cos and sin", "ROPE-4");
  const auto batch_fits = [&](const std::string& role, const Shape& shape, size_t rank) {
    if (shape.size() != rank && shape.size() != rank + 1)
      throw Rejected(role, "rank " + std::to_string(shape.size()),
                     "must be " + std::to_string(rank) + ", or one more for a batch", "ROPE-4");
    RequireExtent(role, "seq", shape[shape.size() - rank], x[1], "ROPE-3");
    if (shape.size() == rank + 1 && shape[0] != 1)
      RequireExtent(role, "batch", shape[0], x[0], "ROPE-3");
  };
  if (positions) {
    batch_fits("positions", ValidatePositions(c, "positions", 2), 1);
  } else {
    if (a.frequencies.scaled())
      throw Rejected("rope_type", Plain(c.parameters.at("rope_type")),
                     "says nothing of given tables: they are used as they are", "SCALE-13");
    for (const char* role : {"cos", "sin"}) {
      batch_fits(role, c.inputs.at(role).shape(), 2);
      RequireExtent(role, "pair", c.inputs.at(role).shape().back(), a.frequencies.pairs(),
                    "ROPE-3");
    }
    const Tensor &of_cos = c.inputs.at("cos"), &of_sin = c.inputs.at("sin");
    if (of_sin.dtype() != of_cos.dtype() || of_sin.shape() != of_cos.shape())
      throw Rejected("sin", std::string(Name(of_sin.dtype())),
                     "must have the type and shape of cos", "ROPE-4");
  }
  return {{"y", x}};
}

}  // namespace

const std::vector<OperationSpec>& Operations() {
  static const std::vector<ParameterSpec> unscaled = {
      {"head_dim", "required", "1 to 1048576", "dims of one head"},
      {"rotary_dim", "head_dim", "even, 2 to head_dim", "dims that are rotated"},
      {"rope_theta", "10000", "positive", "base of the frequencies"},
      {"frequencies", "by rope_theta", "rotary_dim / 2 finite numbers", "frequencies as given"}};
  static const std::vector<ParameterSpec> frequencies = [] {
    std::vector<ParameterSpec> all = unscaled;
    for (const ParameterSpec& parameter : rope_scaling::ScalingParameters())
      all.push_back(parameter);
    return all;
  }();
  const auto with_rotation = [](std::vector<ParameterSpec> all) {
    all.push_back({"layout", "required", "interleaved, half_split", "which dims form a pair"});
    all.push_back({"output_layout", "layout", "interleaved, half_split", "the same, of y"});
    all.push_back({"rotary_offset", "0", "0 to head_dim - rotary_dim", "first rotated dim"});
    all.push_back({"direction", "forward", "forward, transpose", "by the angle, or by minus it"});
    return all;
  };
  static const std::vector<ParameterSpec> apply = with_rotation(frequencies);
  static const TensorSpec positions = {"positions",
                                       {"batch", "seq"},
                                       "tokens, in [-2^31, 2^31); [seq] serves every batch",
                                       false,
                                       true};
  static const std::vector<OperationSpec> operations = {
      {"rope.frequencies",
       "the frequency of every pair, in radians a token",
       frequencies,
       {},
       {{"w", {"pair"}, "frequencies"}},
       ErrorUnit::kUlp,
       ValidateFrequencies},
      {"rope.table",
       "cosine and sine of position times frequency",
       frequencies,
       {positions},
       {{"cos", {"batch", "seq", "pair"}, "cosines"}, {"sin", {"batch", "seq", "pair"}, "sines"}},
       ErrorUnit::kUlp,
       ValidateTable,
       "",
       {"batch", "seq"}},
      {"rope.apply",
       "rotate the pairs of queries or keys by their positions",
       apply,
       {{"x", {"batch", "seq", "heads", "head_dim"}, "queries or keys"},
        {"positions", {"batch", "seq"}, positions.meaning, true, true},
        {"cos", {"batch", "seq", "pair"}, "given cosines, any values", true},
        {"sin", {"batch", "seq", "pair"}, "given sines, any values", true}},
       {{"y", {"batch", "seq", "heads", "head_dim"}, "rotated x"}},
       ErrorUnit::kRoundoffOfSum,
       ValidateApply,
       "x",
       {"batch", "seq", "heads"}},
      XposOperation(with_rotation(unscaled), positions)};
  return operations;
}

}  // namespace gnomon::rope
