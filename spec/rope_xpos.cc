// rope.xpos: its parameters, tensors and shapes (spec/rope_xpos.md).
#include "gnomon/spec/rope_xpos.h"

namespace gnomon::rope {
namespace {

std::vector<OutputShape> ValidateXpos(const Case& c) {
  const Xpos p = ReadXpos(c);
  const Shape& x = c.inputs.at("x").shape();
  if (x.size() != 4)
    throw Rejected("x", "rank " + std::to_string(x.size()), "must be [batch, seq, heads, head_dim]",
                   "ROPE-3");
  RequireExtent("x", "head_dim", x[3], p.apply.frequencies.head_dim, "ROPE-3");
  RequireCaseFormat(c, "x");
  const Shape rows = ValidatePositions(c, "positions", 2);
  RequireExtent("positions", "seq", rows.back(), x[1], "ROPE-3");
  if (rows.size() == 2 && rows[0] != 1)
    RequireExtent("positions", "batch", rows[0], x[0], "ROPE-3");
  const Tensor& positions = c.inputs.at("positions");
  for (int64_t i = 0; i < positions.count(); ++i)
    if (std::abs(positions.Integer(i) - p.center) > kMaxXposExponent * p.scale_base)
      throw Rejected("positions", std::to_string(positions.Integer(i)),
                     "must lie within 64 scale_base of center = " + std::to_string(p.center),
                     "XPOS-1");
  return {{"y", x}};
}

}  // namespace

Xpos ReadXpos(const Case& c) {
  ParameterReader reader(c.parameters, "XPOS-3");
  Xpos p;
  p.apply = ReadApply(reader);
  if (!reader.Has("role"))
    throw Rejected("role", "(missing)", "is never guessed: give query or key", "XPOS-1");
  p.role = reader.GetName("role", p.role, kXposRoleNames);
  p.scale_base = reader.GetInteger("scale_base", 512, 1, kMaxScaleBase);
  p.center = reader.GetRequiredInteger("center", -kMaxCenter, kMaxCenter);
  reader.RejectOthers();
  return p;
}

OperationSpec XposOperation(const std::vector<ParameterSpec>& apply, const TensorSpec& positions) {
  std::vector<ParameterSpec> parameters = apply;
  parameters.push_back({"role", "required", "query, key", "multiplied by the scale, or divided"});
  parameters.push_back({"scale_base", "512", "1 to 1048576", "tokens of one power of zeta"});
  parameters.push_back(
      {"center", "required", "-16777216 to 16777216", "position where the scale is 1"});
  return {"rope.xpos",
          "rotate the pairs of queries or keys, and scale each by its distance from the centre",
          parameters,
          {{"x", {"batch", "seq", "heads", "head_dim"}, "queries or keys"}, positions},
          {{"y", {"batch", "seq", "heads", "head_dim"}, "rotated and scaled x"}},
          ErrorUnit::kRoundoffOfSum,
          ValidateXpos,
          "x",
          {"batch", "seq", "heads"}};
}

}  // namespace gnomon::rope
