// The smallest failing case of a live subject: small, failing by itself, and as a file that the
// printed commands fail on.
#include "gnomon/oracle/diagnose_subject.h"

#include <map>

#include "gnomon/oracle/cli_test.h"
#include "gnomon/properties/wrong_subjects.h"

namespace gnomon::oracle {
namespace {

SubjectDiagnosis Of(const std::string& id, const std::string& operation) {
  properties::SuiteOptions options;
  options.operation = operation;
  options.cases = 30;
  for (const properties::WrongSubject& wrong : properties::WrongSubjects()) {
    if (wrong.id != id || wrong.stem != operation.substr(0, operation.find('.'))) continue;
    const auto subject = wrong.make();
    for (const SubjectDiagnosis& one : DiagnoseSubject(*subject, options))
      if (one.operation == operation && one.format == Format::kF32) return one;
  }
  ADD_FAILURE() << id << " is right in " << operation;
  return {};
}

// With head_dim 2 there is but one layout.
TEST(SmallestCase, OfALayoutIsOneTokenOfTwoPairs) {
  const SubjectDiagnosis one = Of("layout/half-split", "rope.apply");
  ASSERT_TRUE(one.alone);
  const Tensor& x = one.smallest.c.inputs.at("x");
  EXPECT_EQ(x.shape(), (Shape{1, 1, 1, 4}));
  const auto positions = one.smallest.c.inputs.find("positions");  // or given tables
  if (positions != one.smallest.c.inputs.end()) {
    EXPECT_LE(std::abs(positions->second.Integer(0)), 1);
  }
}

TEST(SmallestCase, OfAnOffsetIsOnePair) {
  const SubjectDiagnosis one = Of("offset", "rope.apply");
  ASSERT_TRUE(one.alone);
  EXPECT_EQ(one.smallest.c.inputs.at("x").count(), 2);
  EXPECT_EQ(Of("offset", "sinusoidal.table").smallest.c.inputs.at("positions").count(), 1);
}

// What shows beside a first head keeps two of them, and one token.
TEST(SmallestCase, KeepsWhatTheMistakeNeeds) {
  const SubjectDiagnosis one = Of("q-k-crossed/first-head", "rope.apply");
  ASSERT_TRUE(one.alone);
  const Shape x = one.smallest.c.inputs.at("x").shape();
  EXPECT_EQ((Shape{x[0], x[1], x[2]}), (Shape{1, 1, 2}));
}

class SmallestFile : public CliTest {};

TEST_F(SmallestFile, FailsWithThePrintedCommands) {
  const Answer run = Gnomon({"check", "--subject", "wrong:layout/half-split", "--operation",
                             "rope.apply", "--cases", "30", "--out", folder_});
  EXPECT_EQ(run.code, 1);
  int commands = 0;
  for (const std::string start : {"ask again: gnomon ", "as answered: gnomon "})
    for (size_t at = 0; (at = run.out.find(start, at)) != std::string::npos;) {
      at += start.size();
      std::istringstream words(run.out.substr(at, run.out.find('\n', at) - at));
      const std::vector<std::string> command{std::istream_iterator<std::string>(words), {}};
      EXPECT_EQ(Gnomon(command).code, 1) << run.out.substr(at, 200);
      ++commands;
    }
  EXPECT_GE(commands, 4) << run.out;
}

}  // namespace
}  // namespace gnomon::oracle
