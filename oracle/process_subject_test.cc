// Processes (SUBJ-5, SUBJ-7): what they answer is taken, how they die is said in one line, and the
// run goes on. The process is testing/process_child.py.
#include "gnomon/oracle/process_subject.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "gnomon/oracle/bad_file.h"
#include "gnomon/properties/trial.h"

namespace gnomon::oracle {
namespace {

using properties::Call;
using properties::Outcome;

std::string Child(const std::string& what) {
  return "python3 '" GNOMON_SOURCE_DIR "/oracle/testing/process_child.py' " + what;
}
// Only who is known to hang is given little time: this machine may be busy.
ProcessOptions TimeFor(const std::string& what) {
  ProcessOptions options;
  if (what == "hang") options.case_time = std::chrono::milliseconds(400);
  return options;
}

Case CaseOf(int64_t head_dim, int64_t seq = 2) {
  Case c;
  c.operation = "rope.apply";
  c.parameters = {{"head_dim", static_cast<double>(head_dim)},
                  {"layout", std::string("half_split")}};
  Tensor x(DType::kF32, {1, seq, 1, head_dim}), positions(DType::kI64, {seq});
  for (int64_t i = 0; i < x.count(); ++i) x.Set(i, static_cast<double>(i + 1));
  c.inputs = {{"x", x}, {"positions", positions}};
  return c;
}

// Cases and memory for their answers; the bad ones have head_dim 6.
struct Asked {
  explicit Asked(size_t count, std::vector<size_t> bad = {}) {
    for (size_t i = 0; i < count; ++i)
      cases.push_back(CaseOf(std::count(bad.begin(), bad.end(), i) ? 6 : 4));
    for (const Case& c : cases) outputs.push_back(properties::GuardedOutputs(c));
    for (size_t i = 0; i < count; ++i)
      calls.push_back({&cases[i], {{"y", outputs[i].at("y").view()}}});
  }
  bool answered(size_t i) const {
    for (int64_t e = 0; e < outputs[i].at("y").count(); ++e)
      if (outputs[i].at("y").Value(e) != static_cast<double>(e + 1)) return false;
    return true;
  }
  std::vector<Case> cases;
  std::vector<Outputs> outputs;
  std::vector<Call> calls;
};

// The outcome of one bad case among two good ones, all asked one by one.
Outcome Of(const std::string& what) {
  ProcessOptions options = TimeFor(what);
  options.batch_cases = 1;
  ProcessSubject subject(Child(what), options);
  Asked asked(3, {1});
  const std::vector<Outcome> outcomes = subject.RunBatch(asked.calls);
  EXPECT_EQ(outcomes[0].status, Outcome::kOk) << what << ": " << outcomes[0].message;
  EXPECT_EQ(outcomes[2].status, Outcome::kOk) << what << ": " << outcomes[2].message;
  EXPECT_TRUE(asked.answered(0) && asked.answered(2)) << what;
  EXPECT_EQ(outcomes[1].message.find('\n'), std::string::npos) << what;
  return outcomes[1];
}

TEST(ProcessSubject, DescribesItselfAndAnswers) {
  ProcessSubject subject(Child(""));
  EXPECT_EQ(subject.Name(), "process:" + Child(""));
  EXPECT_EQ(subject.description().name, "child");
  EXPECT_TRUE(subject.Declares("rope.apply", Format::kF32));
  EXPECT_FALSE(subject.Declares("rope.apply", Format::kF16));
  Asked asked(300);
  const std::vector<Outcome> outcomes = subject.RunBatch(asked.calls);
  ASSERT_EQ(outcomes.size(), 300u);
  for (size_t i = 0; i < 300; ++i) {
    ASSERT_EQ(outcomes[i].status, Outcome::kOk) << outcomes[i].message;
    ASSERT_TRUE(asked.answered(i)) << i;
  }
}

// Both directions hold more than a pipe does: whoever only writes, or only reads, would stand
// still.
TEST(ProcessSubject, LargeCasesDoNotDeadlock) {
  ProcessOptions options;
  options.batch_bytes = size_t{1} << 22;
  ProcessSubject subject(Child(""), options);
  const Case c = CaseOf(64, 20000);  // 5 MB, more than a batch may have
  Outputs first = properties::GuardedOutputs(c), second = first;
  const std::vector<Outcome> outcomes =
      subject.RunBatch({{&c, {{"y", first.at("y").view()}}}, {&c, {{"y", second.at("y").view()}}}});
  for (const Outcome& outcome : outcomes)
    EXPECT_EQ(outcome.status, Outcome::kOk) << outcome.message;
  EXPECT_EQ(second.at("y").Value(64 * 20000 - 1), 64.0 * 20000);
}

TEST(ProcessSubject, EveryDeathIsNamedAndTheRunGoesOn) {
  const std::pair<const char*, const char*> deaths[] = {
      {"signal",
       "the process died by SIGSEGV before its DONE; asked rope.apply f32 positions[2] x[1, 2, 1, "
       "6]; its standard error: \"about to die\""},
      {"exit",
       "the process exited with status 7 before its DONE; asked rope.apply f32 positions[2] x[1, "
       "2, 1, 6]; its standard error: \"giving up on two lines\""},
      {"hang", "the process did not answer within 400 ms"},
      {"close", "the process closed its standard output before its DONE"},
      {"garbage",
       "the process wrote on its standard output what is no DONE frame: \"loading checkpoint "
       "shards"},
      {"type", "the process wrote on its standard output what is no DONE frame: \"HELO"},
      {"count", "the process sent a DONE with "},
      {"none", "the process sent a DONE with 0 answers to 1 cases"},
      {"status", "the process sent a DONE with status 9, which is none"},
      {"length", "the process sent a DONE whose answer needs 1152921504606846976 bytes"},
      {"huge", "the process sent a DONE of 4611686018427387904 bytes, more than the "},
      {"truncated", "the process exited with status 0 within its DONE"},
      {"more", "the process sent a DONE with 4 bytes after its 1 answers"},
  };
  for (const auto& [what, message] : deaths) {
    const Outcome outcome = Of(what);
    EXPECT_EQ(outcome.status, Outcome::kCrashed) << what;
    EXPECT_EQ(outcome.message.rfind(message, 0), 0u) << what << ": " << outcome.message;
    EXPECT_EQ(outcome.message.find("asked again"), std::string::npos) << outcome.message;
  }
}

// A pipe that nobody reads is a finding too, and no signal to us.
TEST(ProcessSubject, AClosedInputIsNamed) {
  ProcessOptions options;
  options.batch_cases = 1;
  ProcessSubject subject(Child("deaf"), options);
  Asked asked(2, {0});
  const std::vector<Outcome> outcomes = subject.RunBatch(asked.calls);
  EXPECT_EQ(outcomes[0].status, Outcome::kOk) << outcomes[0].message;
  EXPECT_EQ(outcomes[1].status, Outcome::kCrashed);
  EXPECT_EQ(outcomes[1].message.rfind("the process closed its standard input", 0), 0u)
      << outcomes[1].message;
}

// The process lives on: these are findings on the case alone.
TEST(ProcessSubject, BadAnswersFail) {
  const std::tuple<const char*, Outcome::Status, const char*> answers[] = {
      {"file", Outcome::kFailed,
       "its answer: is no safetensors file: shorter than 8 bytes (CASE-7)"},
      {"missing", Outcome::kFailed, "its answer: holds no tensor \"y\"; it holds \"z\" (CASE-7)"},
      {"shape", Outcome::kFailed,
       "its answer: y has shape [6, 1, 2, 1]; the case asks for [1, 2, 1, 6] (CASE-4)"},
      {"dtype", Outcome::kFailed, "its answer: y is F16 where the case asks for F32 (CASE-4)"},
      {"extra", Outcome::kFailed, "its answer: holds \"z\", which is no output (SUBJ-5)"},
      {"unsupported", Outcome::kUnsupported, "\"because of six\""},
      {"rejected", Outcome::kRejected, "\"because of six\""},
      {"failed", Outcome::kFailed, "\"because of six\""},
  };
  for (const auto& [what, status, message] : answers) {
    const Outcome outcome = Of(what);
    EXPECT_EQ(outcome.status, status) << what;
    EXPECT_EQ(outcome.message, message) << what;
  }
}

// SUBJ-6: one case of every batch is asked twice.
TEST(ProcessSubject, EqualCallsMustAgree) {
  ProcessSubject subject(Child("different"));
  std::vector<size_t> all;
  for (size_t i = 0; i < 40; ++i) all.push_back(i);
  Asked asked(40, all);
  int found = 0;
  for (const Outcome& outcome : subject.RunBatch(asked.calls))
    if (outcome.message.find("two equal calls have different answers (SUBJ-6): y, element 0, is") !=
        std::string::npos)
      ++found;
  EXPECT_GE(found, 3);
}

// By halving, or one by one where time ran out.
TEST(ProcessSubject, WhoDiesInABatchIsFound) {
  const std::pair<const char*, std::vector<size_t>> batches[] = {
      {"signal", {20, 45, 46}}, {"count", {20, 59}}, {"hang", {5}}};
  for (const auto& [what, bad] : batches) {
    ProcessSubject subject(Child(what), TimeFor(what));
    Asked asked(60, bad);
    const std::vector<Outcome> outcomes = subject.RunBatch(asked.calls);
    for (size_t i = 0; i < 60; ++i) {
      const bool dies = std::count(bad.begin(), bad.end(), i) > 0;
      EXPECT_EQ(outcomes[i].status, dies ? Outcome::kCrashed : Outcome::kOk)
          << what << " " << i << ": " << outcomes[i].message;
      EXPECT_NE(asked.answered(i), dies) << what << " " << i;
    }
  }
}

// SUBJ-7. Of a batch too: the fourth hang is not waited for.
TEST(ProcessSubject, AfterTheThirdHangItIsAskedNoMore) {
  ProcessSubject subject(Child("hang"), TimeFor("hang"));
  Asked asked(12, {2, 5, 8, 10, 11});
  const std::vector<Outcome> outcomes = subject.RunBatch(asked.calls);
  for (const size_t i : {0, 1, 3, 4, 6, 7}) EXPECT_EQ(outcomes[i].status, Outcome::kOk) << i;
  for (const size_t i : {2, 5, 8}) EXPECT_EQ(outcomes[i].status, Outcome::kCrashed) << i;
  for (const size_t i : {9, 10, 11}) EXPECT_EQ(outcomes[i].status, Outcome::kNotAsked) << i;
}

TEST(ProcessSubject, ACrashThatDoesNotComeBackIsSaidToBeOne) {
  const std::string flag =
      std::filesystem::temp_directory_path() / ("gnomon-crashed-once-" + std::to_string(getpid()));
  std::filesystem::remove(flag);
  ProcessSubject subject(Child("once " + flag));
  Asked asked(40, {20});
  const std::vector<Outcome> outcomes = subject.RunBatch(asked.calls);
  int crashed = 0;
  for (const Outcome& outcome : outcomes) {
    if (outcome.status != Outcome::kCrashed) continue;
    ++crashed;
    EXPECT_NE(outcome.message.find("died by SIGABRT before its DONE"), std::string::npos)
        << outcome.message;
    EXPECT_NE(outcome.message.find("on a batch of 16 cases, and not when new processes were asked"),
              std::string::npos)
        << outcome.message;
  }
  EXPECT_EQ(crashed, 16);
  std::filesystem::remove(flag);
  ProcessOptions single;
  single.batch_cases = 1;
  ProcessSubject alone(Child("once " + flag), single);
  Asked one(1, {0});
  EXPECT_NE(alone.RunBatch(one.calls)[0].message.find("; asked again, a new process answered"),
            std::string::npos);
  std::filesystem::remove(flag);
}

TEST(ProcessSubject, ABadBeginningIsOneClearLine) {
  // Time to start on a loaded machine, but for the one that never answers.
  const auto refusal = [](const std::string& command,
                          std::chrono::milliseconds start = std::chrono::seconds(30)) {
    ProcessOptions options;
    options.start_time = start;
    try {
      ProcessSubject subject(command, options);
    } catch (const BadFile& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  EXPECT_EQ(
      refusal("/no/such/program"),
      "process:/no/such/program: /no/such/program cannot be started: No such file or directory "
      "(SUBJ-5)");
  EXPECT_EQ(refusal("true"), "process:true: exited with status 0 before its HELO (SUBJ-5)");
  EXPECT_EQ(refusal("sh -c 'echo no gpu >&2; exit 3'"),
            "process:sh -c 'echo no gpu >&2; exit 3': exited with status 3 before its HELO; its "
            "standard error: \"no gpu\" (SUBJ-5)");
  // Before or after the question reaches it.
  EXPECT_NE(refusal(Child("chatty")).find("wrote on its standard output "), std::string::npos);
  EXPECT_NE(refusal(Child("chatty")).find(": \"Hello!"), std::string::npos);
  EXPECT_NE(refusal(Child("'no hello'"), std::chrono::milliseconds(500))
                .find("did not answer within 500 ms"),
            std::string::npos);
  EXPECT_NE(refusal(Child("lie")).find("description: key \"shoe size\": is not known (SUBJ-1)"),
            std::string::npos);
}

// Neither the child nor what it started outlives its subject.
TEST(ProcessSubject, NobodyIsLeftBehind) {
  const std::string file =
      std::filesystem::temp_directory_path() / ("gnomon-grandchild-" + std::to_string(getpid()));
  {
    ProcessSubject subject("sh -c 'sleep 1000 & echo $! > " + file + "; " + Child("") + "'");
    Asked asked(1);
    EXPECT_EQ(subject.RunBatch(asked.calls)[0].status, Outcome::kOk);
  }
  pid_t grandchild = 0;
  std::ifstream(file) >> grandchild;
  std::filesystem::remove(file);
  ASSERT_GT(grandchild, 0);
  // A killed process stays a zombie until whoever inherits it looks.
  const auto gone = [&] {
    if (kill(grandchild, 0) != 0) return true;
    std::ifstream status("/proc/" + std::to_string(grandchild) + "/stat");
    std::string number, name, state;
    status >> number >> name >> state;
    return state == "Z";
  };
  for (int i = 0; i < 100 && !gone(); ++i) usleep(10000);
  EXPECT_TRUE(gone());
}

}  // namespace
}  // namespace gnomon::oracle
