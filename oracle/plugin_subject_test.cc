// Plug-ins that misbehave, each with its verdict (SUBJ-4, SUBJ-6, SUBJ-7), and one that does not.
#include "gnomon/oracle/plugin_subject.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "gnomon/oracle/bad_file.h"
#include "gnomon/oracle/testing/evil.h"
#include "gnomon/properties/test_cases.h"
#include "gnomon/properties/trial.h"
#include "gnomon/reference/judge.h"

namespace gnomon::oracle {
namespace {

using properties::Call;
using properties::Outcome;

struct Asked {
  Outcome outcome;
  Outputs outputs;
};
Asked Ask(PluginSubject& subject, const Case& c) {
  Asked asked{{}, properties::GuardedOutputs(c)};
  asked.outcome = subject.Run(c, {{"y", asked.outputs.at("y").view()}});
  return asked;
}

void ExpectMeetsItsPromise(const Case& c, const Asked& asked) {
  ASSERT_EQ(asked.outcome.status, Outcome::kOk) << asked.outcome.message;
  EXPECT_TRUE(reference::Judge(c, asked.outputs).profiles[*ProfileFromName("f32-angle")].met());
}

std::string Refusal(const std::string& path) {
  WorkerLimits limits = TestLimits();
  if (std::string(std::getenv("GNOMON_EVIL")) == "get_hangs") limits.load_seconds = 0.5;
  try {
    PluginSubject subject(path, limits);
  } catch (const BadFile& error) {
    return error.what();
  }
  return "";
}

TEST(PluginSubject, WhatCannotBeLoadedIsRefusedInOneLine) {
  const struct {
    std::string evil, path, line;
  } kCases[] = {
      {"", kPluginFolder + "none.so", "no such file (SUBJ-4)"},
      {"", GNOMON_SOURCE_DIR "/README.md", "cannot be loaded: "},
      {"", "/", "cannot be loaded: "},
      {"", kPluginFolder + "no_plugin.so", "does not export gnomon_plugin_get (SUBJ-4)"},
      {"get_null", kEvilPlugin, "gnomon_plugin_get returned NULL (SUBJ-4)"},
      {"wrong_abi", kEvilPlugin, "abi 7, must be 1 (SUBJ-4)"},
      {"run_null", kEvilPlugin, "run is NULL (SUBJ-4)"},
      {"description_null", kEvilPlugin, "description is NULL (SUBJ-4)"},
      {"garbage", kEvilPlugin, "JSON cannot be read: "},
      {"nonsense", kEvilPlugin, "rope.apply.formats: \"f33\" is no format (FORMAT-1)"},
      {"get_hangs", kEvilPlugin, "loading it: no answer within 0.5 s (SUBJ-4)"},
      {"get_crashes", kEvilPlugin, "loading it: SIGSEGV (SUBJ-4)"},
      {"get_exits", kEvilPlugin, "loading it: exited with status 0 (SUBJ-4)"},
      {"get_prints", kEvilPlugin, "loading it: wrote on standard output: hello (SUBJ-7)"},
  };
  for (const auto& c : kCases) {
    SetEvil(c.evil);
    const std::string line = Refusal(c.path);
    EXPECT_NE(line.find(c.line), std::string::npos) << c.evil << ": " << line;
    EXPECT_EQ(line.find(c.path + ": "), 0u) << line;
    EXPECT_EQ(line.find('\n'), std::string::npos) << line;
  }
}

// Where a misdeed on RopeCase is said to be.
const std::string kWhere = "; asked rope.apply f32 positions[2] x[1, 2, 1, 8]";

TEST(PluginSubject, EveryMisdeedHasItsVerdict) {
  const struct {
    std::string evil;
    Outcome::Status status;
    std::string message;
  } kCases[] = {
      {"segv", Outcome::kCrashed, "SIGSEGV, wrote to address 0x0" + kWhere + " (SUBJ-7)"},
      {"fpe", Outcome::kCrashed, "SIGFPE" + kWhere + " (SUBJ-7)"},
      {"abort", Outcome::kCrashed,
       "SIGABRT" + kWhere + "; its standard error: \"assertion failed: seq < 7\" (SUBJ-7)"},
      {"hang", Outcome::kCrashed, "no answer within 2 s" + kWhere + " (SUBJ-7)"},
      {"stop", Outcome::kCrashed, "stopped by SIGSTOP" + kWhere + " (SUBJ-7)"},
      {"exit0", Outcome::kCrashed, "exited with status 0" + kWhere + " (SUBJ-7)"},
      {"exit3", Outcome::kCrashed, "exited with status 3" + kWhere + " (SUBJ-7)"},
      {"_exit", Outcome::kCrashed, "exited with status 4" + kWhere + " (SUBJ-7)"},
      {"sigpipe", Outcome::kCrashed, "SIGPIPE" + kWhere + " (SUBJ-7)"},
      {"recursion", Outcome::kCrashed, "SIGSEGV, the stack overflowed" + kWhere + " (SUBJ-7)"},
      {"stdout", Outcome::kCrashed,
       "wrote on standard output: \"rotating 8 dims rotating 8 dims\"" + kWhere + " (SUBJ-7)"},
      {"writes_call", Outcome::kCrashed,
       ", memory of ours that is not its own" + kWhere + " (SUBJ-7)"},
      {"past_end", Outcome::kCrashed,
       "SIGSEGV, wrote 1 byte past the end of y" + kWhere + " (SUBJ-6)"},
      {"far_past_end", Outcome::kCrashed,
       "SIGSEGV, wrote 4401 bytes past the end of y" + kWhere + " (SUBJ-6)"},
      {"before_start", Outcome::kCrashed,
       "SIGSEGV, wrote 4 bytes before the start of y" + kWhere + ", the second time (SUBJ-6)"},
      {"unwritten_last", Outcome::kFailed, "never wrote y[0, 1, 0, 7] (SUBJ-6)"},
      {"changes_input", Outcome::kFailed, "changed its input x[0, 0, 0, 1] (SUBJ-6)"},
      {"changes_position", Outcome::kFailed, "changed its input positions[0] (SUBJ-6)"},
      {"reads_padding", Outcome::kFailed,
       "y[0, 0, 0, 0] depends on memory that belongs to no element of an input (SUBJ-6)"},
      {"random", Outcome::kFailed, "two equal calls differ at y[0, 0, 0, 0] (SUBJ-6)"},
      {"once", Outcome::kFailed, "two equal calls differ at y[0, 0, 0, 0] (SUBJ-6)"},
      {"unsupported", Outcome::kUnsupported, "not rope.apply"},
      {"rejected", Outcome::kRejected, "too long"},
      {"failed", Outcome::kFailed, "aaaa ... aaaa"},
      {"long_message", Outcome::kFailed, "wrote beyond the end of message (SUBJ-6)"},
      {"undecided", Outcome::kFailed, "asked twice, it answered ok, then unsupported (SUBJ-6)"},
      {"no_status", Outcome::kFailed, "run returned 77, no status (SUBJ-2)"},
  };
  for (const auto& c : kCases) {
    PluginSubject subject = Evil(c.evil, "40");
    const Asked asked = Ask(subject, RopeCase(40));
    EXPECT_EQ(asked.outcome.status, c.status) << c.evil << ": " << asked.outcome.message;
    EXPECT_NE(asked.outcome.message.find(c.message), std::string::npos)
        << c.evil << ": " << asked.outcome.message;
    // The run goes on.
    const Case other = RopeCase(41);
    ExpectMeetsItsPromise(other, Ask(subject, other));
  }
}

TEST(PluginSubject, MemoryIsLimited) {
#ifdef GNOMON_SANITIZED
  GTEST_SKIP() << "the sanitizer's allocator maps its memory before the limit is set";
#endif
  PluginSubject subject = Evil("out_of_memory");
  const Outcome outcome = Ask(subject, RopeCase(40)).outcome;
  EXPECT_EQ(outcome.status, Outcome::kCrashed);
  EXPECT_EQ(outcome.message,
            "SIGABRT" + kWhere + "; its standard error: \"out of memory, giving up\" (SUBJ-7)");
}

// The reason of a panic comes first, and much may follow; what earlier calls said is no part of it.
TEST(PluginSubject, StandardErrorIsQuotedFromBothEnds) {
  PluginSubject subject = Evil("panic", "40");
  std::vector<Case> cases = {RopeCase(39), RopeCase(40)};
  std::vector<Outputs> outputs;
  std::vector<Call> calls;
  for (const Case& c : cases) outputs.push_back(properties::GuardedOutputs(c));
  for (size_t i = 0; i < 2; ++i) calls.push_back({&cases[i], {{"y", outputs[i].at("y").view()}}});
  const std::string message = subject.RunBatch(calls)[1].message;
  EXPECT_NE(message.find("error: \"thread panicked: index 8"), std::string::npos) << message;
  EXPECT_NE(message.find("frame 1 frame"), std::string::npos) << message;
  EXPECT_NE(message.find("frame 999 aborting\" (SUBJ-7)"), std::string::npos) << message;
}

// SUBJ-7. Of a batch too: the fourth hang is not waited for.
TEST(PluginSubject, AfterTheThirdHangItIsAskedNoMore) {
  SetEvil("hang");
  WorkerLimits limits;
  limits.run_seconds = 0.2;
  PluginSubject subject(kEvilPlugin, limits);
  const std::vector<Case> cases(20, RopeCase(40));
  std::vector<Outputs> outputs(20, properties::GuardedOutputs(cases[0]));
  std::vector<Call> calls;
  for (size_t i = 0; i < 20; ++i) calls.push_back({&cases[i], {{"y", outputs[i].at("y").view()}}});
  const std::vector<Outcome> outcomes = subject.RunBatch(calls);
  for (size_t i = 0; i < 20; ++i)
    EXPECT_EQ(outcomes[i].status, i < 3 ? Outcome::kCrashed : Outcome::kNotAsked) << i;
  EXPECT_EQ(outcomes[19].message, "the subject exceeded its time 3 times (SUBJ-7)");
}

// What a plug-in may do to its own process.
TEST(PluginSubject, WhatHurtsNobodyIsNoFinding) {
  for (const char* evil :
       {"good", "close_fds", "stderr", "fork", "fork_and_return", "own_handler", "address"}) {
    SCOPED_TRACE(evil);
    PluginSubject subject = Evil(evil);
    for (int64_t position : {40, 41}) {
      const Case c = RopeCase(position);
      ExpectMeetsItsPromise(c, Ask(subject, c));
    }
  }
}

TEST(PluginSubject, AnAnswerFromTheCallBeforeIsFound) {
  PluginSubject subject = Evil("stale");
  Ask(subject, RopeCase(40));
  const Outcome outcome = Ask(subject, RopeCase(41)).outcome;
  EXPECT_EQ(outcome.status, Outcome::kFailed);
  EXPECT_EQ(outcome.message, "two equal calls differ at y[0, 0, 0, 0] (SUBJ-6)");
}

// With an alignment there is room between the last element and the guard page.
TEST(PluginSubject, AWriteBehindTheEndIsFoundWhereNoGuardPageIs) {
  setenv("GNOMON_EVIL_ALIGNED", "1", 1);
  PluginSubject subject = Evil("past_end");
  unsetenv("GNOMON_EVIL_ALIGNED");
  EXPECT_EQ(subject.description().alignment, 64);
  const Outcome outcome = Ask(subject, RopeCase(40, 1, 6)).outcome;
  EXPECT_EQ(outcome.status, Outcome::kFailed);
  EXPECT_EQ(outcome.message, "wrote outside y: 4 bytes, the first 1 byte past its end (SUBJ-6)");
}

TEST(PluginSubject, AWriteBetweenTheElementsIsFound) {
  PluginSubject subject = Evil("past_row");
  const Case c = RopeCase(40);
  Tensor y(DType::kF32, {1, 2, 1, 8}, {24, 12, 8, 1}, 0, 24);
  const Outcome outcome = subject.Run(c, {{"y", y.view()}});
  EXPECT_EQ(outcome.status, Outcome::kFailed);
  EXPECT_EQ(outcome.message,
            "wrote outside y: 4 bytes, the first between its elements, 32 bytes from its first "
            "(SUBJ-6)");
}

// In one batch: the one that crashed is named, all others are answered.
TEST(PluginSubject, ABatchGoesOnBehindACrash) {
  for (const char* evil : {"segv", "exit3", "stdout"}) {
    SCOPED_TRACE(evil);
    PluginSubject subject = Evil(evil, "150");
    std::vector<Case> cases;
    std::vector<Outputs> outputs;
    std::vector<Call> calls;
    for (int64_t i = 0; i < 200; ++i) {  // more than one arena holds
      cases.push_back(RopeCase(i));
      outputs.push_back(properties::GuardedOutputs(cases.back()));
    }
    for (size_t i = 0; i < cases.size(); ++i)
      calls.push_back({&cases[i], {{"y", outputs[i].at("y").view()}}});
    const std::vector<Outcome> outcomes = subject.RunBatch(calls);
    ASSERT_EQ(outcomes.size(), cases.size());
    for (size_t i = 0; i < cases.size(); ++i) {
      if (i == 150) {
        EXPECT_EQ(outcomes[i].status, Outcome::kCrashed);
      } else {
        ExpectMeetsItsPromise(cases[i], {outcomes[i], outputs[i]});
      }
    }
  }
}

TEST(PluginSubject, WhatIsPrintedOnceAndNotAgainIsReportedOnTheBatch) {
  const std::string flag = testing::TempDir() + "gnomon-evil-" + std::to_string(getpid());
  setenv("GNOMON_EVIL_FLAG", flag.c_str(), 1);
  PluginSubject subject = Evil("stdout_once", "2");
  std::vector<Case> cases = {RopeCase(0), RopeCase(1), RopeCase(2)};
  std::vector<Outputs> outputs;
  std::vector<Call> calls;
  for (const Case& c : cases) outputs.push_back(properties::GuardedOutputs(c));
  for (size_t i = 0; i < 3; ++i) calls.push_back({&cases[i], {{"y", outputs[i].at("y").view()}}});
  for (const Outcome& outcome : subject.RunBatch(calls)) {
    EXPECT_EQ(outcome.status, Outcome::kCrashed);
    EXPECT_EQ(
        outcome.message,
        "wrote on standard output, in a batch of 3 cases and not again: \"here I am\" (SUBJ-7)");
  }
  unlink(flag.c_str());
}

TEST(PluginSubject, CasesOfEverySizeFit) {
  PluginSubject subject = Evil("good");
  for (const int64_t seq : {0, 1, 3, 4096, 40000, 5}) {
    const Case c = RopeCase(7, seq, 128);
    const Asked asked = Ask(subject, c);
    ASSERT_EQ(asked.outcome.status, Outcome::kOk) << asked.outcome.message;
    if (seq > 0 && seq < 100) ExpectMeetsItsPromise(c, asked);
  }
}

TEST(PluginSubject, AGoodOneConforms) {
  PluginSubject subject = Evil("good");
  const properties::SuiteReport report = RunSuite(subject, properties::TestOptions(30));
  EXPECT_TRUE(report.holds()) << ToText(report);
  EXPECT_GE(report.count(properties::PropertyReport::kHolds), 16);
}

TEST(PluginSubject, ACrashIsTheSuitesVerdict) {
  PluginSubject subject = Evil("abort");
  properties::SuiteOptions options = properties::TestOptions(30);
  options.property = "rope.within_bound";
  const properties::SuiteReport report = RunSuite(subject, options);
  EXPECT_TRUE(report.crashed()) << ToText(report);
  EXPECT_FALSE(report.holds());
}

}  // namespace
}  // namespace gnomon::oracle
