// A mistake in the rows of one worker only, the last of each call, whatever they hold: it is called
// by the name of what was done there where that reproduces every element, and by no other.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <set>

#include "gnomon/oracle/diagnose_subject.h"
#include "gnomon/properties/forwarding_subject.h"
#include "gnomon/properties/wrong_subjects.h"
#include "gnomon/reference/judge.h"

namespace gnomon::oracle {
namespace {

using properties::Outcome;
using properties::OutputViews;
using properties::Subject;

enum class Late { kZeros, kOnes, kInput, kRowBefore, kFromZero, kTwice, kNegated, kFirstPosition };

const std::vector<std::pair<Late, std::set<std::string>>> kLate = {
    {Late::kZeros, {}},
    {Late::kOnes, {"in-place/adds-to-output"}},
    {Late::kInput, {"position-factor/none"}},
    {Late::kRowBefore, {}},
    {Late::kFromZero, {"arange-positions", "arange-positions/from-first"}},
    {Late::kTwice, {"position-factor/twice"}},
    {Late::kNegated, {"magnitude"}},
    {Late::kFirstPosition, {}},
};

// Right but for the last of `workers` parts of the tokens.
class LateWorker final : public properties::ForwardingSubject {
 public:
  LateWorker(Subject& right, Late late, int64_t workers)
      : ForwardingSubject(right), right_(right), late_(late), workers_(workers) {}

  Outcome Run(const Case& c, const OutputViews& outputs) override {
    const Outcome outcome = right_.Run(c, outputs);
    const auto found = outputs.find("y");
    if (c.operation != "rope.apply" || found == outputs.end() || c.inputs.count("cos") ||
        !c.in_place.empty())
      return outcome;
    const TensorView y = found->second;
    const int64_t batches = y.shape[0], seq = y.shape[1], heads = y.shape[2], dim = y.shape[3];
    const int64_t first = seq - (seq + workers_ - 1) / workers_;
    if (first == 0) return outcome;
    Case other = c;
    Tensor& positions = other.inputs.at("positions");
    const int64_t rows = positions.count() / seq;
    for (int64_t i = 0; i < rows * seq; ++i) {
      const int64_t s = i % seq, p = positions.Integer(i);
      if (late_ == Late::kFromZero) positions.SetInteger(i, s - first);
      if (late_ == Late::kTwice)
        positions.SetInteger(i, std::clamp<int64_t>(2 * p, -(1 << 30), 1 << 30));
      if (late_ == Late::kFirstPosition && s >= first)
        positions.SetInteger(i, c.inputs.at("positions").Integer(i - s));
    }
    const Outputs changed = reference::RoundedTruth(other);
    const ConstTensorView x = c.inputs.at("x").view();
    for (int64_t i = 0; i < batches * seq * heads * dim; ++i) {
      const int64_t s = i / (heads * dim) % seq;
      if (s < first) continue;
      uint64_t bits = BitsAt(changed.at("y").view(), i);
      if (late_ == Late::kZeros) bits = 0;
      if (late_ == Late::kOnes) bits = SizeOf(y.dtype) == 4 ? 0xffffffffu : 0xffffu;
      if (late_ == Late::kInput) bits = LoadBits(x.dtype, x.AddressOf(i));
      if (late_ == Late::kNegated) bits ^= SizeOf(y.dtype) == 4 ? 0x80000000u : 0x8000u;
      if (late_ == Late::kRowBefore)
        bits = LoadBits(y.dtype, y.AddressOf(i - (s - first + 1) * heads * dim));
      StoreBits(y.dtype, y.AddressOf(i), bits);
    }
    return outcome;
  }

 private:
  Subject& right_;
  Late late_;
  int64_t workers_;
};

TEST(PartialSlow, IsCalledWhatItIsOrNothing) {
  int named = 0, asked = 0;
  for (const auto& right : properties::RightSubjects()) {
    if (right.stem != "rope" || right.id != "plain" || right.promise != "standard") continue;
    const std::unique_ptr<Subject> kernel = right.make();
    for (const auto& [late, names] : kLate)
      for (const int64_t workers : {2, 1000})
        for (const uint64_t seed : {1, 2, 3, 4, 5}) {
          LateWorker subject(*kernel, late, workers);
          properties::SuiteOptions options;
          options.operation = "rope.apply";
          options.cases = 2;
          options.seed = seed;
          options.shrink = false;
          for (const SubjectDiagnosis& one : DiagnoseSubject(subject, options)) {
            ++asked;
            const Diagnosis& d = one.diagnosis;
            named += !d.mistakes.empty();
            bool truly = d.mistakes.empty();
            for (const std::string& name : d.mistakes) truly |= names.count(name) > 0;
            if (!truly || std::getenv("GNOMON_SHOW"))
              std::cout << static_cast<int>(late) << " " << workers << " " << seed << " "
                        << Traits(one.format).name << " " << one.failing << "/" << one.asked << ": "
                        << d.Lines()[0] << "\n";
            EXPECT_TRUE(truly) << static_cast<int>(late) << " of " << workers << ": "
                               << d.Lines()[0];
          }
        }
  }
  EXPECT_GT(asked, 50);  // of 240: not every case has a row of the last worker
  std::cout << named << " of " << asked << " named\n";
}

}  // namespace
}  // namespace gnomon::oracle
