// The matrix mistakes x operations x formats: what the diagnosis says of subjects that are wrong on
// purpose. The subjects are properties/wrong_*.cc; the hypotheses share no code with them.
#include <gtest/gtest.h>

#include <iostream>
#include <map>
#include <set>
#include <tuple>

#include "gnomon/oracle/diagnose_subject.h"
#include "gnomon/properties/forwarding_subject.h"
#include "gnomon/properties/wrong_subjects.h"

namespace gnomon::oracle {
namespace {

using properties::MistakeKind;
using properties::WrongSubject;

// Where the diagnosis says more of a variant than the subject's id does.
std::string DiagnosedAs(const WrongSubject& wrong) {
  static const std::map<std::string, std::string> more = {
      {"base", "base/1e+04"},
      {"table-clamp", "table-clamp/2048"},
      {"positions-f16", "positions-f16/saturated"},
      {"table-wrap", "table-wrap/2048"},
      {"rope:tail-vector", "tail-vector/8"},
      {"alibi:tail-vector", "tail-vector/4"},
      {"t5_bias:tail-vector", "tail-vector/4"},
      {"sinusoidal:tail-vector", "tail-vector/4"},
      {"relative:tail-vector", "tail-vector/4"},
      {"learned:tail-vector", "tail-vector/4"},
      {"attention:tail-vector", "tail-vector/4"},
      {"attention:tail-overwrite", "tail-overwrite/4"},
      {"rope:tail-overwrite", "tail-overwrite/8"},
      {"multi_axis:tail-vector", "tail-vector/4"},
      {"table-ulp/one-rounded-promised", "table-ulp/one"},
      {"alibi:subnormals-flushed", "subnormals-flushed/result"},
      {"t5-rounding/f32-low", "t5-rounding"},
      {"table-ulp/real", "table-ulp/two"},
      {"magnitude/real", "magnitude"},
      {"bf16-truncated/real", "bf16-truncated"},
      {"unreduced/real", "unreduced/float-two-pi"},
      {"tail-vector/real", "tail-vector/4"},
      {"scaling-ignored/linear", "scaling-ignored"},
      {"scaling-ignored/llama3", "scaling-ignored"},
      {"axes/mixed", "axes"},
      {"axes/mixed-first", "axes/first"},
      {"axes/mixed-last-left-out", "axes/last-unturned"},
      {"sign/mixed", "sign"},
      {"backward/mixed", "backward"},
      {"layout/mixed", "layout/half-split"},
      {"positions-bf16/mixed", "positions-bf16"},
      {"frequencies-bf16/mixed", "frequencies-bf16"},
      {"magnitude/mixed", "magnitude"},
      {"nan-lost/mixed", "nan-lost/as-zero"},
      {"row-positions/mixed", "row-positions"},
      {"tail-vector/mixed", "tail-vector/8"},
      {"in-place/mixed", "in-place"},
      {"window-not-copied/mixed", "window-not-copied"},
      {"sign/xpos", "sign"},
      {"positions-bf16/xpos", "positions-bf16"},
      {"magnitude/xpos", "magnitude"},
      {"nan-lost/xpos", "nan-lost/as-zero"},
      {"tail-vector/xpos", "tail-vector/8"},
      {"tail-overwrite/xpos", "tail-overwrite/8"},
      {"in-place/xpos", "in-place"},
      {"window-not-copied/xpos", "window-not-copied"}};
  for (const std::string& key : {wrong.stem + ":" + wrong.id, wrong.id})
    if (const auto found = more.find(key); found != more.end()) return found->second;
  return wrong.id;
}

// A mistake is named for some 17 bits of evidence (diagnosis.cc), and a failing element may tell
// one bit: on fewer elements it need not be distinguishable from chance.
constexpr int64_t kFew = 17;

struct Counts {
  int right = 0, in_class = 0, profile = 0, few = 0, abstained = 0, wrong = 0;
};

// Of the live subjects of one stem, in one format.
class OneFormat final : public properties::ForwardingSubject {
 public:
  OneFormat(Subject& subject, Format format) : ForwardingSubject(subject), format_(format) {}
  bool Declares(const std::string& operation, Format format) const override {
    return format == format_ && ForwardingSubject::Declares(operation, format);
  }

 private:
  Format format_;
};

using Asked = std::tuple<std::string, Format>;
// Of a hundred mistakes of formula that can be told: as many as are asked of every stem.
constexpr int kLeastNamed = 95;

class MatrixSlow : public testing::TestWithParam<Asked> {};

TEST_P(MatrixSlow, NothingIsNamedWrongly) {
  Counts formula, state;
  for (const WrongSubject& wrong : properties::WrongSubjects()) {
    if (wrong.stem != std::get<0>(GetParam())) continue;
    const std::unique_ptr<properties::Subject> kernel = wrong.make();
    OneFormat subject(*kernel, std::get<1>(GetParam()));
    properties::SuiteOptions options;
    options.operation = wrong.stem + ".*";
    options.cases = 40;
    options.shrink = false;
    Counts& counts = wrong.kind == MistakeKind::kFormula ? formula : state;
    for (const SubjectDiagnosis& one : DiagnoseSubject(subject, options)) {
      const Diagnosis& d = one.diagnosis;
      const std::set<std::string> named(d.mistakes.begin(), d.mistakes.end());
      const char* verdict = "abstained";
      if (named.count(DiagnosedAs(wrong))) {
        verdict = named.size() == 1 ? "right" : "class";
        ++(named.size() == 1 ? counts.right : counts.in_class);
      } else if (!named.empty()) {
        verdict = "WRONG";
        ++counts.wrong;
      } else if (d.other_profile) {
        verdict = "profile";
        ++counts.profile;
      } else if (d.failing < kFew) {
        verdict = "too few";
        ++counts.few;
      } else {
        ++counts.abstained;
      }
      std::cout << wrong.id << " | " << one.operation << " | " << Traits(one.format).name << " | "
                << one.failing << "/" << one.asked << " | " << verdict << "\n";
      if (std::string(verdict) != "right")
        for (const std::string& line : d.Lines()) std::cout << "      " << line << "\n";
    }
  }
  const auto show = [](const char* kind, const Counts& c) {
    std::cout << kind << ": right " << c.right << ", class " << c.in_class << ", other profile "
              << c.profile << ", too few " << c.few << ", abstained " << c.abstained << ", wrong "
              << c.wrong << "\n";
  };
  show("formula", formula);
  show("state", state);
  EXPECT_EQ(formula.wrong + state.wrong, 0);
  const int named = formula.right + formula.in_class, told = named + formula.abstained;
  EXPECT_GT(told, 0);
  EXPECT_GE(named * 100, told * kLeastNamed) << named << " of " << told;
}

// Every stem in f32; in the narrow formats these, as all would take an hour.
std::string NameOf(const testing::TestParamInfo<Asked>& info) {
  return std::get<0>(info.param) + "_" + std::string(Traits(std::get<1>(info.param)).name);
}
INSTANTIATE_TEST_SUITE_P(All, MatrixSlow,
                         testing::Combine(testing::ValuesIn(properties::Stems()),
                                          testing::Values(Format::kF32)),
                         NameOf);
INSTANTIATE_TEST_SUITE_P(Narrow, MatrixSlow,
                         testing::Combine(testing::Values("rope", "sinusoidal", "t5_bias",
                                                          "relative", "learned", "multi_axis"),
                                          testing::Values(Format::kBf16, Format::kF16)),
                         NameOf);

}  // namespace
}  // namespace gnomon::oracle
