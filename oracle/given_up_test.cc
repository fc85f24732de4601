// SUBJ-7. Who answers nothing, or cannot be started again, is asked no more; whoever dies of some
// cases alone has each of them named.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "gnomon/oracle/process_subject.h"
#include "gnomon/oracle/run_cases.h"
#include "gnomon/oracle/testing/evil.h"
#include "gnomon/properties/suite.h"

namespace gnomon::oracle {
namespace {

using properties::Outcome;
using properties::PropertyReport;

class GivenUp : public ::testing::Test {
 protected:
  void SetUp() override { Clear(); }
  void TearDown() override { std::filesystem::remove(log_); }
  void Clear() const { std::ofstream log(log_); }
  std::string Child(const std::string& what) const {
    return "python3 '" GNOMON_SOURCE_DIR "/oracle/testing/process_child.py' " + what + " " + log_;
  }
  // How often the process was started.
  uintmax_t Starts() const { return std::filesystem::file_size(log_); }

  const std::string log_ =
      std::filesystem::temp_directory_path() / ("gnomon-starts-" + std::to_string(getpid()));
};

std::vector<CaseResult> AskAll(properties::Subject& subject, size_t count, size_t at_once = 64,
                               int64_t first = 0) {
  std::vector<Case> cases;
  for (size_t i = 0; i < count; ++i) cases.push_back(RopeCase(first));
  return RunCases(subject, cases, at_once);
}
int64_t Count(const std::vector<CaseResult>& results, Outcome::Status status) {
  return std::count_if(results.begin(), results.end(),
                       [&](const CaseResult& result) { return result.outcome.status == status; });
}

// Each of the three is asked twice, by a new process each time.
TEST_F(GivenUp, AProcessThatAnswersNothing) {
  ProcessSubject subject(Child("always"));
  const std::vector<CaseResult> results = AskAll(subject, 200);
  EXPECT_EQ(Count(results, Outcome::kCrashed), 3);
  EXPECT_EQ(Count(results, Outcome::kNotAsked), 197);
  EXPECT_EQ(results[0].outcome.message.rfind("the process exited with status 7", 0), 0u);
  EXPECT_EQ(results[199].outcome.message,
            "the subject died on the first 3 cases and answered none (SUBJ-7)");
  EXPECT_EQ(Starts(), 6u);
}

TEST_F(GivenUp, APluginThatAnswersNothing) {
  for (const char* evil : {"abort", "stdout"}) {
    PluginSubject subject = Evil(evil);
    const std::vector<CaseResult> results = AskAll(subject, 200);
    EXPECT_EQ(Count(results, Outcome::kCrashed), 3) << evil;
    EXPECT_EQ(Count(results, Outcome::kNotAsked), 197) << evil;
  }
}

// Of the first property the smallest case is still searched for, as of the second and third.
TEST_F(GivenUp, InASuiteAfterThreeProperties) {
  PluginSubject subject = Evil("past_end");
  properties::SuiteOptions options;
  options.cases = 3;
  const properties::SuiteReport report = RunSuite(subject, options);
  EXPECT_EQ(report.count(PropertyReport::kCrashes), 3) << ToText(report);
  EXPECT_GE(report.count(PropertyReport::kNotRun), 5) << ToText(report);
  EXPECT_GT(report.properties[0].shrinks + report.properties[1].shrinks, 0);
  EXPECT_NE(ToText(report).find(
                "NOT RUN: the subject died in 3 properties and answered nothing (SUBJ-7)"),
            std::string::npos)
      << ToText(report);
}

// An answer before it, and deaths are no reason any more.
TEST_F(GivenUp, ButNotWhoDiesOfSomeCases) {
  PluginSubject subject = Evil("abort", "40");
  EXPECT_EQ(Count(AskAll(subject, 1), Outcome::kOk), 1);
  EXPECT_EQ(Count(AskAll(subject, 20, 64, 40), Outcome::kCrashed), 20);
}

TEST_F(GivenUp, AProcessThatCannotBeStartedAgain) {
  std::filesystem::remove(log_);  // from its death on
  ProcessSubject subject(Child("restart"));
  std::vector<Case> cases(30, RopeCase(0));
  cases[9] = RopeCase(0, 2, 6);
  const std::vector<CaseResult> results = RunCases(subject, cases);
  EXPECT_EQ(Count(results, Outcome::kOk) + Count(results, Outcome::kCrashed) +
                Count(results, Outcome::kNotAsked),
            30);
  ASSERT_EQ(Count(results, Outcome::kCrashed), 1);
  const auto crashed = std::find_if(results.begin(), results.end(), [](const CaseResult& result) {
    return result.outcome.status == Outcome::kCrashed;
  });
  EXPECT_EQ(crashed->outcome.message.rfind("the process died by SIGABRT", 0), 0u)
      << crashed->outcome.message;
  EXPECT_EQ(results[29].outcome.status, Outcome::kNotAsked);
  EXPECT_EQ(results[29].outcome.message,
            "the subject cannot be started again: it exited with status 3 before its HELO "
            "(SUBJ-7)");
  EXPECT_EQ(Starts(), 3u);
  // Alone, it is named with the death before it.
  std::filesystem::remove(log_);
  ProcessSubject alone(Child("restart"));
  const std::string message = RunCases(alone, {cases[9]})[0].outcome.message;
  EXPECT_EQ(message.rfind("the process died by SIGABRT", 0), 0u) << message;
  EXPECT_NE(message.find("; the process cannot be started again: it exited with status 3"),
            std::string::npos)
      << message;
  EXPECT_EQ(Starts(), 3u);
}

TEST_F(GivenUp, APluginThatCannotBeLoadedAgain) {
  PluginSubject subject = Evil("abort");
  SetEvil("get_crashes");  // from the next process on
  const std::vector<CaseResult> results = AskAll(subject, 10);
  EXPECT_EQ(Count(results, Outcome::kCrashed), 2);
  EXPECT_EQ(results[0].outcome.message.rfind("SIGABRT", 0), 0u);
  EXPECT_NE(results[1].outcome.message.find("loading it: SIGSEGV"), std::string::npos);
  EXPECT_EQ(results[2].outcome.status, Outcome::kNotAsked);
  EXPECT_NE(results[9].outcome.message.find("cannot be loaded again: "), std::string::npos);
  // A suite says so too, and not that it hung.
  properties::SuiteOptions options;
  options.cases = 1;
  const properties::SuiteReport report = RunSuite(subject, options);
  EXPECT_TRUE(report.gave_up());
  EXPECT_NE(ToText(report).find("NOT RUN: the subject cannot be loaded again"), std::string::npos)
      << ToText(report);
}

// SUBJ-2: a refusal without a message is said to be one.
TEST_F(GivenUp, NotWhoRefusesWithoutAMessage) {
  PluginSubject subject = Evil("silent");
  EXPECT_EQ(AskAll(subject, 1)[0].outcome.message, kNoMessage);
}

}  // namespace
}  // namespace gnomon::oracle
