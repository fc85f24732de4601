// rope.frequencies, rope.table, rope.apply and rope.xpos as cases.
#include "gnomon/optimized/plan_cache.h"
#include "gnomon/optimized/rope_xpos.h"
#include "gnomon/optimized/schemes.h"

namespace gnomon::optimized::rope {

bool Supports(const std::string& operation, Format format) {
  if (operation == "rope.frequencies") return true;
  return (operation == "rope.table" || operation == "rope.apply" || operation == "rope.xpos") &&
         format != Format::kF64;
}

bool Run(const Case& c, const OutputViews& outputs, Mode mode) {
  if (c.operation == "rope.frequencies" || c.operation == "rope.table") {
    const RopeFrequencies frequencies = gnomon::rope::ReadFrequencies(c);
    const RopePlan plan(RopeApply{frequencies}, CachedTurns(frequencies));
    if (c.operation == "rope.frequencies") {
      plan.Frequencies(outputs.at("w"));
    } else {
      plan.Table(c.inputs.at("positions").view(), outputs.at("cos"), outputs.at("sin"));
    }
    return true;
  }
  if (c.operation != "rope.apply" && c.operation != "rope.xpos") return false;
  const TensorView& y = outputs.at("y");
  const ConstTensorView x = c.in_place == "x" ? ConstTensorView(y) : c.inputs.at("x").view();
  if (c.operation == "rope.xpos") {
    const Xpos xpos = gnomon::rope::ReadXpos(c);
    ApplyXpos(xpos, *CachedTurns(xpos.apply.frequencies), x, c.inputs.at("positions").view(), y);
    return true;
  }
  const RopeApply apply = gnomon::rope::ReadApply(c);
  if (c.inputs.count("positions")) {
    RopePlan(apply, CachedTurns(apply.frequencies))
        .Apply(x, c.inputs.at("positions").view(), y, mode);
  } else {
    ApplyRope(apply, x, c.inputs.at("cos").view(), c.inputs.at("sin").view(), y, mode);
  }
  return true;
}

}  // namespace gnomon::optimized::rope
