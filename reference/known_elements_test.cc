// What is kept of a case is asked for by its content alone, and changes no verdict.
#include "gnomon/reference/known_elements.h"

#include <gtest/gtest.h>

#include "gnomon/reference/judge.h"

namespace gnomon::reference {
namespace {

Case Question(double x0 = 0.5) {
  Case c;
  c.operation = "rope.apply";
  c.parameters = {{"head_dim", 4.0}, {"layout", std::string("half_split")}};
  Tensor x(DType::kF32, {1, 2, 1, 4}), positions(DType::kI64, {2});
  for (int64_t i = 0; i < x.count(); ++i) x.Set(i, i == 0 ? x0 : 1 + static_cast<double>(i) / 8);
  positions.SetInteger(1, 7);
  c.inputs = {{"x", std::move(x)}, {"positions", std::move(positions)}};
  return c;
}

bool IsKnown(const Case& c, bool flushes = false, int64_t count = 8) {
  auto* const known = KnownElementsOf(c, flushes, {count});
  const bool was = (*known)[0][0].how != KnownElement::kUnknown;
  (*known)[0][0].how = KnownElement::kSlow;
  return was;
}

TEST(KnownElements, AreOfOneContent) {
  EXPECT_FALSE(IsKnown(Question(0.25)));
  EXPECT_TRUE(IsKnown(Question(0.25)));
  Case other = Question(0.25);
  Tensor strided(DType::kF32, {1, 2, 1, 4}, {0, 9, 0, 2}, 0, 20);
  for (int64_t i = 0; i < strided.count(); ++i) strided.Set(i, other.inputs.at("x").Value(i));
  other.inputs.insert_or_assign("x", std::move(strided));
  EXPECT_TRUE(IsKnown(other)) << "elsewhere in memory";

  EXPECT_FALSE(IsKnown(Question(0.125)));
  EXPECT_FALSE(IsKnown(Question(0.25), true));
  Case changed = Question(0.25);
  changed.parameters["rope_theta"] = 500000.0;
  EXPECT_FALSE(IsKnown(changed));
  changed.parameters["rope_theta"] = std::string("500000");  // another way to write a number
  EXPECT_FALSE(IsKnown(changed));
  changed = Question(0.25);
  changed.parameters["layout"] = std::string("interleaved");
  EXPECT_FALSE(IsKnown(changed));
  changed = Question(0.25);
  changed.inputs.at("positions").SetInteger(1, 8);
  EXPECT_FALSE(IsKnown(changed));
  changed = Question(0.25);
  changed.format = Format::kBf16;
  EXPECT_FALSE(IsKnown(changed));
  EXPECT_TRUE(IsKnown(Question(0.25)));
}

TEST(KnownElements, AreFew) {
  EXPECT_EQ(KnownElementsOf(Question(), false, {int64_t{1} << 20}), nullptr);
  // More than are kept: the first ones are forgotten, and no verdict depends on it.
  EXPECT_FALSE(IsKnown(Question(3), false, 4000));
  for (int i = 0; i < 100; ++i) IsKnown(Question(4 + i), false, 4000);
  EXPECT_FALSE(IsKnown(Question(3), false, 4000));
}

// A right answer, then a wrong one and one that is no number, then the right one again.
TEST(KnownElements, ChangeNoVerdict) {
  const Case c = Question(0.375);
  Outputs right = RoundedTruth(c);
  Outputs wrong = right, nan = right;
  wrong.at("y").Set(4, wrong.at("y").Value(4) + 0x1p-10);
  nan.at("y").Set(4, std::numeric_limits<double>::quiet_NaN());
  for (const auto& [outputs, outside] :
       {std::pair(&right, 0), std::pair(&wrong, 1), std::pair(&nan, 1), std::pair(&right, 0)})
    for (size_t p = 0; p < 2; ++p) {
      const Judgement judgement = Judge(c, *outputs);
      EXPECT_EQ(judgement.profiles[p].outside, outside) << kProfiles[p].name;
      EXPECT_EQ(judgement.profiles[p].within, 8 - outside) << kProfiles[p].name;
    }
}

}  // namespace
}  // namespace gnomon::reference
