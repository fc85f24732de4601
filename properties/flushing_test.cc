// ctest: property
// BOUND-8: who flushes subnormals must say so, and who says so is granted nothing else.
#include <gtest/gtest.h>

#include "gnomon/properties/forwarding_subject.h"
#include "gnomon/properties/score.h"

namespace gnomon::properties {
namespace {

// The same kernel under another declaration.
class Declaring final : public ForwardingSubject {
 public:
  Declaring(std::unique_ptr<Subject> kernel, bool flushes)
      : ForwardingSubject(*kernel), kernel_(std::move(kernel)), flushes_(flushes) {}
  bool FlushesSubnormals() const override { return flushes_; }

 private:
  std::unique_ptr<Subject> kernel_;
  bool flushes_;
};

template <class S>
S As(S subject, bool flushes) {
  subject.make = [make = subject.make, flushes] {
    return std::make_unique<Declaring>(make(), flushes);
  };
  return subject;
}

TEST(Flushing, DeclaredPassesAndUndeclaredFails) {
  int flushing = 0;
  for (const RightSubject& right : RightSubjects()) {
    if (right.id.rfind("flushed/", 0) != 0) continue;
    ++flushing;
    const Alarms declared = AlarmsOf(right, ScoreSeed(0), kScoreCases);
    EXPECT_TRUE(declared.by.empty()) << right.stem << " " << right.id << ": " << declared.by[0];
    const Alarms undeclared = AlarmsOf(As(right, false), ScoreSeed(0), kScoreCases);
    EXPECT_FALSE(undeclared.by.empty()) << right.stem << " " << right.id;
  }
  EXPECT_EQ(flushing, 10);
}

// All that is wrong but the flushing is still seen, within the wider bounds.
TEST(FlushingSlow, ADeclarationCoversNoOtherMistake) {
  int covered = 0;
  for (const WrongSubject& wrong : WrongSubjects()) {
    if (wrong.stem != "rope" && wrong.stem != "sinusoidal") continue;  // BOUND-8 grants it there
    const bool survives = !FirstKillOf(As(wrong, true), ScoreSeed(0), {});
    const bool flushes = wrong.id.rfind("subnormals-flushed/", 0) == 0;
    EXPECT_EQ(survives, flushes) << wrong.stem << " " << wrong.id;
    covered += survives;
  }
  EXPECT_EQ(covered, 5);
}

}  // namespace
}  // namespace gnomon::properties
