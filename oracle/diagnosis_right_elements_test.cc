// What elements and cases that are right say of a mistake, and what they cannot say.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "gnomon/oracle/diagnosis_test.h"

namespace gnomon::oracle {
namespace {

// A bound so wide that it holds the truth and what a mistake makes of it: the answer tells which.
TEST(DiagnosisOfRightElements, RightElementsSpeakAgainstAMistake) {
  Case c = Question(Format::kF16, 2, 16);
  c.parameters["rope_theta"] = 1000.0;
  c.inputs.at("positions").SetInteger(0, 1 << 29);
  c.inputs.at("positions").SetInteger(1, 131071);
  Outputs y = reference::RoundedTruth(c);
  for (int64_t i = 32; i < 64; ++i) y.at("y").Set(i, c.inputs.at("x").Value(i));
  EXPECT_EQ(DiagnosisOf(c, y).mistakes, Names{});
}

// A head that is passed over is passed over always: where it is not, that is not the mistake.
TEST(DiagnosisOfRightElements, RightHeadsSpeakAgainstAnOrderOfHeads) {
  const Case c = Question(Format::kF32, 4, 8), other = Question(Format::kF32, 3, 16);
  const Outputs right = reference::RoundedTruth(other);
  Outputs wrong = reference::RoundedTruth(c);
  for (int64_t i = 0; i < wrong.at("y").count(); ++i)
    if (i / 8 % 2 == 1) wrong.at("y").Set(i, c.inputs.at("x").Value(i));
  const Views of_wrong = ViewsOf(wrong), of_right = ViewsOf(right);
  EXPECT_EQ(Diagnose({{&c, &of_wrong}}).mistakes, Names{"q-k-crossed/first-head"});
  EXPECT_EQ(Diagnose({{&c, &of_wrong}, {&other, &of_right}}).mistakes, Names{});
}

// A tail that is left 0 is left so wherever there is one.
TEST(DiagnosisOfRightElements, RightTailsSpeakAgainstATailThatIsLeft) {
  const Case c = Question(Format::kF32, 4, 6), other = Question(Format::kF32, 3, 6);
  const Outputs right = reference::RoundedTruth(other);
  Outputs zeros = reference::RoundedTruth(c);
  for (int64_t i = 0; i < zeros.at("y").count(); ++i) zeros.at("y").Set(i, 0);
  const Views of_zeros = ViewsOf(zeros), of_right = ViewsOf(right);
  const Names alone = Diagnose({{&c, &of_zeros}}).mistakes;
  EXPECT_EQ(std::count(alone.begin(), alone.end(), "tail-vector/8"), 1);
  EXPECT_EQ(Diagnose({{&c, &of_zeros}, {&other, &of_right}}).mistakes, Names{});
}

// What is read at a wrong place is NaN mostly, wherever that was.
TEST(DiagnosisOfRightElements, JunkOfOneCaseTellsNoPlace) {
  const auto ask = [](int64_t tokens) {
    Case c = Question(Format::kF32, tokens, 8);
    Tensor x(DType::kF32, {1, tokens, 2, 8}, {0, 100, 50, 1}, 0, 100 * tokens);
    std::fill(x.storage().begin(), x.storage().end(), std::byte{0xff});
    for (int64_t i = 0; i < x.count(); ++i) x.Set(i, c.inputs.at("x").Value(i));
    c.inputs.at("x") = std::move(x);
    return c;
  };
  const Case one = ask(2), two = ask(3);
  Outputs a = reference::RoundedTruth(one), b = reference::RoundedTruth(two);
  for (Outputs* y : {&a, &b})
    for (int64_t i = 8; i < y->at("y").count(); ++i) y->at("y").Set(i, std::nan(""));
  const Views of_one = ViewsOf(a), of_two = ViewsOf(b);
  EXPECT_EQ(Diagnose({{&one, &of_one}}).mistakes, Names{});
  const Names both = Diagnose({{&one, &of_one}, {&two, &of_two}}).mistakes;
  EXPECT_EQ(std::count(both.begin(), both.end(), "stride-ignored/input"), 1);
}

// What is wrong everywhere hides behind the bounds of large positions.
TEST(DiagnosisOfRightElements, LargePositionsSetNothingApart) {
  Case c = Question(Format::kF32, 4, 16), shifted = c;
  for (const int64_t i : {2, 3}) c.inputs.at("positions").SetInteger(i, (1 << 29) + i);
  for (int64_t i = 0; i < 4; ++i)
    shifted.inputs.at("positions").SetInteger(i, c.inputs.at("positions").Integer(i) + 3);
  Demand demand;
  demand.profile = ProfileFromName("f32-angle");
  const Diagnosis d = DiagnosisOf(c, reference::RoundedTruth(shifted), demand);
  EXPECT_EQ(d.mistakes, Names{"offset/+3"});
  EXPECT_EQ(d.pattern.find("position"), std::string::npos) << d.pattern;
}

}  // namespace
}  // namespace gnomon::oracle
