// The kernels against the numbers that Coq computed from the definitions: every table entry and
// every frequency is the correctly rounded value (ROUND-4).
#include <gtest/gtest.h>

#include "gnomon/optimized/schemes.h"
#include "gnomon/reference/certified_numbers.h"

namespace gnomon::optimized {
namespace {

using reference::testing::CertifiedNumber;
using reference::testing::CertifiedNumbers;

class Certified : public ::testing::TestWithParam<std::string> {
 protected:
  void TearDown() override { UseTarget(""); }
};

TEST_P(Certified, KernelsRoundTheEnclosure) {
  const std::vector<CertifiedNumber> numbers = CertifiedNumbers(GetParam());
  int compared = 0;
  for (const std::string& target : Targets()) {
    UseTarget(target);
    for (CertifiedNumber number : numbers) {
      for (const Format format : {Format::kF32, Format::kBf16, Format::kF16}) {
        Case& c = number.question;
        c.format = format;
        if (!Supports(c.operation, format)) continue;
        reference::ScopedPrecision precision(256);
        const double expected = reference::Round(format, reference::testing::Enclosure(number));
        for (const Mode mode : {Mode::kStandard, Mode::kExact}) {
          Outputs outputs;
          OutputViews views;
          for (const OutputShape& shape : Validate(c))
            outputs.emplace(shape.role, Tensor(DTypeOf(format), shape.shape));
          for (auto& [role, tensor] : outputs) views.emplace(role, tensor.view());
          optimized::Run(c, views, mode);
          EXPECT_EQ(outputs.at(number.role).Value(number.element), expected)
              << target << " " << c.operation << " " << Traits(format).name << " " << number.low;
          ++compared;
        }
      }
    }
  }
  EXPECT_GE(compared, 2 * 3 * 200);
}

INSTANTIATE_TEST_SUITE_P(Schemes, Certified,
                         ::testing::Values("rope", "sinusoidal", "rope_scaling"),
                         [](const auto& stem) { return stem.param; });

}  // namespace
}  // namespace gnomon::optimized
