// Given cases asked of live subjects; and one kernel asked in three ways (SUBJ-4, SUBJ-5, SUBJ-8):
// as a plug-in, as a process, as files. One verdict, bit for bit.
#include "gnomon/oracle/run_cases.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "gnomon/oracle/case_file.h"
#include "gnomon/oracle/cli.h"
#include "gnomon/oracle/process_subject.h"
#include "gnomon/oracle/strict_json.h"
#include "gnomon/oracle/subjects.h"
#include "gnomon/properties/cases.h"
#include "gnomon/properties/generators.h"
#include "gnomon/properties/reference_subject.h"
#include "gnomon/properties/wrong_subjects.h"

namespace gnomon::oracle {
namespace {

namespace fs = std::filesystem;
using properties::Outcome;

const std::string kPlugin = GNOMON_BIN_DIR "/plugins/example_plugin_c.so";
const std::string kBridge = GNOMON_BIN_DIR "/plugin_bridge";

std::vector<Case> SomeCases(const std::string& operation, Format format, int64_t count,
                            const properties::Limits& limits = {}) {
  std::vector<Case> cases;
  for (int64_t i = 0; i < count; ++i)
    cases.push_back(*properties::NumberedCase(operation, format, 5, i, limits));
  return cases;
}

TEST(RunCases, EveryAnswerIsJudged) {
  properties::ReferenceSubject reference;
  const std::vector<Case> cases = SomeCases("sinusoidal.add", Format::kBf16, 30);
  for (size_t at_once : {size_t{1}, size_t{7}, kCasesAtOnce}) {
    const std::vector<CaseResult> results = RunCases(reference, cases, at_once);
    ASSERT_EQ(results.size(), cases.size());
    for (const CaseResult& result : results) {
      ASSERT_TRUE(result.judgement) << result.outcome.message;
      EXPECT_EQ(result.judgement->profiles[0].outside, 0);
      EXPECT_EQ(result.judgement->elements, result.outputs.at("y").count());
    }
  }
}

// SUBJ-3: not asked, and said so.
TEST(RunCases, OutsideWhatIsDeclaredNothingIsAsked) {
  const auto subject = std::move(SubjectsNamed(kPlugin).front());
  std::vector<Case> cases =
      SomeCases("rope.apply", Format::kF32, 20, subject->LimitsOf("rope.apply"));
  const size_t inside = cases.size();
  cases.push_back(SomeCases("rope.table", Format::kF32, 1).front());
  cases.push_back(properties::WithParameter(cases[0], "layout", std::string("interleaved")));
  const std::vector<CaseResult> results = RunCases(*subject, cases);
  for (size_t i = 0; i < inside; ++i) EXPECT_TRUE(results[i].judgement) << results[i].outside;
  EXPECT_EQ(results[inside].outside, "rope.table in f32 is not declared");
  EXPECT_NE(results[inside + 1].outside.find("layout"), std::string::npos);
  EXPECT_FALSE(results[inside + 1].judgement);
}

struct Ran {
  int code;
  std::string out;
};
Ran Gnomon(const std::vector<std::string>& arguments) {
  std::ostringstream out, err;
  const int code = RunCli(arguments, out, err);
  EXPECT_EQ(err.str(), "");
  return {code, out.str()};
}

class Folder : public testing::Test {
 protected:
  Folder() : path_(fs::temp_directory_path() / ("gnomon-run-cases-" + std::to_string(getpid()))) {
    fs::remove_all(path_);
    fs::create_directory(path_);
  }
  ~Folder() override { fs::remove_all(path_); }
  std::vector<std::string> Write(const std::vector<Case>& cases) {
    std::vector<std::string> files;
    for (size_t i = 0; i < cases.size(); ++i) {
      files.push_back(path_ / (std::to_string(100 + i) + ".safetensors"));
      WriteCaseFile(files.back(), cases[i]);
    }
    return files;
  }
  const fs::path path_;
};

using ThreeWays = Folder;
TEST_F(ThreeWays, OneVerdict) {
  const auto plugin = std::move(SubjectsNamed(kPlugin).front());
  const std::string command = "process:'" + kBridge + "' '" + kPlugin + "'";
  const auto process = std::move(SubjectsNamed(command).front());
  EXPECT_EQ(process->Promise(), plugin->Promise());
  const std::vector<Case> cases =
      SomeCases("rope.apply", Format::kF32, 60, plugin->LimitsOf("rope.apply"));
  const std::vector<std::string> files = Write(cases);
  const std::vector<CaseResult> by_plugin = RunCases(*plugin, cases);
  const std::vector<CaseResult> by_process = RunCases(*process, cases);
  std::string quoted;
  for (const std::string& file : files) quoted += " '" + file + "'";
  // Reports first: the files are answered in place.
  const std::string profile(kProfiles[plugin->Promise()].name);
  std::vector<Ran> of_plugin, of_process;
  for (size_t i = 0; i < files.size(); i += 10) {
    of_plugin.push_back(Gnomon({"check", "--subject", kPlugin, files[i]}));
    of_process.push_back(Gnomon({"check", "--subject", command, files[i]}));
  }
  ASSERT_EQ(std::system(("'" + kBridge + "' '" + kPlugin + "'" + quoted).c_str()), 0);
  for (size_t i = 0; i < files.size(); ++i) {
    ASSERT_TRUE(by_plugin[i].judgement) << by_plugin[i].outcome.message << by_plugin[i].outside;
    ASSERT_TRUE(by_process[i].judgement) << by_process[i].outcome.message << by_process[i].outside;
    const Recording answered = ReadCaseFile(files[i]);
    const Tensor &y = by_plugin[i].outputs.at("y"), &z = by_process[i].outputs.at("y");
    for (int64_t e = 0; e < y.count(); ++e) {
      ASSERT_EQ(BitsAt(y.view(), e), BitsAt(z.view(), e)) << files[i];
      ASSERT_EQ(BitsAt(y.view(), e), BitsAt(answered.outputs.at("y"), e)) << files[i];
    }
    const reference::Judgement by_file = reference::Judge(answered.c, answered.outputs);
    EXPECT_EQ(by_plugin[i].judgement->strictest(), by_file.strictest());
    EXPECT_EQ(by_process[i].judgement->strictest(), by_file.strictest());
    if (i % 10 != 0) continue;
    const Ran of_file = Gnomon({"check", files[i], "--profile", profile});
    EXPECT_EQ(of_plugin[i / 10].out, of_file.out);
    EXPECT_EQ(of_process[i / 10].out, of_file.out);
    EXPECT_EQ(of_plugin[i / 10].code, of_file.code);
    EXPECT_EQ(of_process[i / 10].code, of_file.code);
  }
}

using CheckCasesCommand = Folder;
TEST_F(CheckCasesCommand, VerdictsAndCounts) {
  const std::vector<std::string> files = Write(SomeCases("rope.apply", Format::kF32, 6));
  const Ran right = Gnomon({"check", "--subject", "reference", path_});
  EXPECT_EQ(right.code, 0) << right.out;
  EXPECT_NE(right.out.find("6 of 6 answers conform; 0 cases lie outside"), std::string::npos);
  const Ran wrong =
      Gnomon({"check", "--subject", "wrong:" + properties::WrongSubjects()[0].id, path_});
  EXPECT_EQ(wrong.code, 1) << wrong.out;
  EXPECT_NE(wrong.out.find("nonconforming: rope.apply on"), std::string::npos);
}

// SUBJ-7. Not run is no pass, and counted.
TEST_F(CheckCasesCommand, AfterTheThirdHangTheRestIsNotRun) {
  std::vector<Case> cases =
      SomeCases("rope.apply", Format::kF32, 7,
                std::move(SubjectsNamed(kPlugin).front())->LimitsOf("rope.apply"));
  Write(cases);
  setenv("GNOMON_EVIL", "hang", 1);
  const std::vector<std::string> check = {
      "check", "--subject", GNOMON_BIN_DIR "/plugins/evil_plugin.so", "--case-time", "200", path_};
  const Ran run = Gnomon(check);
  EXPECT_EQ(run.code, 2) << run.out;
  EXPECT_NE(run.out.find("0 of 3 answers conform; 0 cases lie outside what is declared\n"
                         "4 cases were NOT RUN: the subject exceeded its time 3 times (SUBJ-7)\n"),
            std::string::npos)
      << run.out;
  unsetenv("GNOMON_EVIL");
}

TEST_F(CheckCasesCommand, ACrashIsExitTwoAndNothingAskedIsFour) {
  const std::string child =
      "process:python3 '" GNOMON_SOURCE_DIR "/oracle/testing/process_child.py' ";
  Case c = SomeCases("rope.apply", Format::kF32, 1).front();
  c.parameters = {{"head_dim", 6.0}, {"layout", std::string("half_split")}};
  c.inputs.insert_or_assign("x", Tensor(DType::kF32, {1, 1, 1, 6}));
  c.inputs.insert_or_assign("positions", Tensor(DType::kI64, {1}));
  c.in_place = "";
  const std::string bad = Write({c}).front();
  const Ran crash = Gnomon({"check", "--subject", child + "exit", bad});
  EXPECT_EQ(crash.code, 2);
  EXPECT_EQ(crash.out,
            "crashed: the process exited with status 7 before its DONE; asked rope.apply f32 "
            "positions[1] x[1, 1, 1, 6]; its standard error: \"giving up on two lines\"\n");
  const Ran json = Gnomon({"check", "--json", "--subject", child + "exit", bad});
  EXPECT_EQ(json.code, 2);
  EXPECT_EQ(ParseStrictly(json.out, "", "")["recordings"][0]["verdict"], "crashed");
  c.format = Format::kF64;
  c.inputs.insert_or_assign("x", Tensor(DType::kF64, {1, 1, 1, 6}));
  const Ran outside = Gnomon({"check", "--subject", child, Write({c}).front()});
  EXPECT_EQ(outside.code, 4) << outside.out;
  EXPECT_NE(outside.out.find("rope.apply in f64 is not declared"), std::string::npos);
}

}  // namespace
}  // namespace gnomon::oracle
