// The kernel of rope.xpos on every target: within `standard`, in every layout and memory.
#include "gnomon/optimized/rope_xpos.h"

#include <gtest/gtest.h>

#include "gnomon/optimized/schemes.h"
#include "gnomon/reference/judge.h"
#include "gnomon/spec/schemes.h"

namespace gnomon::optimized {
namespace {

Case XposCase(Format format, bool per_batch, const std::string& role, const std::string& layout) {
  Case c;
  c.operation = "rope.xpos";
  c.format = format;
  c.parameters = {{"head_dim", 40.0},  {"rotary_dim", 36.0}, {"rotary_offset", 2.0},
                  {"layout", layout},  {"role", role},       {"center", 17.0},
                  {"scale_base", 64.0}};
  if (per_batch) c.parameters["direction"] = std::string("transpose");
  Tensor x(DTypeOf(format), {2, 3, 1, 40});
  for (int64_t i = 0; i < x.count(); ++i) x.Set(i, 0.37 * static_cast<double>((i * 7) % 23) - 4);
  Tensor positions(DType::kI64, per_batch ? Shape{2, 3} : Shape{3});
  for (int64_t i = 0; i < positions.count(); ++i) positions.SetInteger(i, 17 + 31 * i - 60);
  c.inputs.emplace("x", x);
  c.inputs.emplace("positions", positions);
  return c;
}

TEST(Xpos, EveryTargetKeepsThePromise) {
  for (const std::string& target : Targets()) {
    UseTarget(target);
    for (const Format format : {Format::kF32, Format::kBf16, Format::kF16})
      for (const bool per_batch : {false, true})
        for (const char* role : {"query", "key"})
          for (const char* layout : {"interleaved", "half_split"}) {
            const Case c = XposCase(format, per_batch, role, layout);
            Outputs y = MakeOutputs(c);
            optimized::Run(c, {{"y", y.at("y").view()}});
            const reference::Judgement judged = reference::Judge(c, y);
            EXPECT_TRUE(judged.profiles[*ProfileFromName("standard")].met())
                << target << " " << Traits(format).name << " " << role << " " << layout;
          }
  }
  UseTarget("");
}

TEST(Xpos, InPlaceIsTheSame) {
  Case c = XposCase(Format::kF32, true, "key", "half_split");
  Outputs y = MakeOutputs(c);
  optimized::Run(c, {{"y", y.at("y").view()}});
  Tensor x = c.inputs.at("x");
  c.in_place = "x";
  optimized::Run(c, {{"y", x.view()}});
  EXPECT_EQ(x.storage(), y.at("y").storage());
}

}  // namespace
}  // namespace gnomon::optimized
