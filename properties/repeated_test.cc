// ctest: property
// CASE-9 sees a kernel that is wrong from some index of an axis on, however far out that is.
#include <gtest/gtest.h>

#include "gnomon/properties/reference_subject.h"
#include "gnomon/properties/suite.h"

namespace gnomon::properties {
namespace {

// rope.apply in f32, the sign wrong from one index of an axis on.
class WrongFrom : public ReferenceSubject {
 public:
  WrongFrom(size_t axis, int64_t from) : ReferenceSubject(Format::kF32), axis_(axis), from_(from) {}
  bool Declares(const std::string& operation, Format format) const override {
    return operation == "rope.apply" && ReferenceSubject::Declares(operation, format);
  }
  Outcome Run(const Case& c, const OutputViews& outputs) override {
    const Outcome outcome = ReferenceSubject::Run(c, outputs);
    const TensorView& y = outputs.at("y");
    for (int64_t i = 0; i < y.count(); ++i)
      if (IndexOf(y.shape, i)[axis_] >= from_)
        StoreBits(y.dtype, y.AddressOf(i), LoadBits(y.dtype, y.AddressOf(i)) ^ 0x80000000u);
    return outcome;
  }

 private:
  size_t axis_;
  int64_t from_;
};

PropertyReport::Status Asked(size_t axis, int64_t from, int cases = kDefaultCases) {
  WrongFrom subject(axis, from);
  SuiteOptions options;
  options.property = "rope.repeated";
  options.shrink = false;
  options.cases = cases;
  return RunSuite(subject, options).properties.at(0).status;
}

TEST(Repeated, AKernelThatIsWrongFromSomeIndexOn) {
  for (const size_t axis : {0, 1, 2})  // batch, seq, heads
    for (const int64_t from : {16, 128, 256, 1024})
      EXPECT_EQ(Asked(axis, from), PropertyReport::kFails) << axis << ", from " << from;
}

TEST(Repeated, BeyondALaunchGrid) {
  EXPECT_EQ(Asked(1, 65535, kThoroughCases), PropertyReport::kFails);
}

TEST(Repeated, ARightOneHolds) { EXPECT_EQ(Asked(1, int64_t{1} << 40), PropertyReport::kHolds); }

}  // namespace
}  // namespace gnomon::properties
