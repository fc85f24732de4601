// ctest: fuzz-replay
// `gnomon fuzz` on a plug-in with three bugs planted: each is among the finds, and every find is a
// file that shows its bug again.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <set>

#include "gnomon/oracle/case_file.h"
#include "gnomon/oracle/subjects.h"
#include "gnomon/properties/trial.h"
#include "gnomon/reference/judge.h"

namespace gnomon::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr int kSeconds = 30;
const std::string kBin = GNOMON_BIN_DIR;
const std::string kPlugin = kBin + "/plugins/three_bugs.so";

struct Ran {
  std::string output;
  int code = -1;
};
Ran Command(const std::string& command) {
  Ran ran;
  std::FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  std::array<char, 4096> piece{};
  while (const size_t got = std::fread(piece.data(), 1, piece.size(), pipe))
    ran.output.append(piece.data(), got);
  const int status = pclose(pipe);
  if (WIFEXITED(status)) ran.code = WEXITSTATUS(status);
  return ran;
}

// Whether the plug-in with that bug alone answers the case outside its promise.
bool Shows(const std::string& bug, const Case& c) {
  setenv("GNOMON_BUGS", bug.c_str(), 1);
  const auto subjects = oracle::SubjectsNamed(kPlugin);
  unsetenv("GNOMON_BUGS");
  properties::Subject& subject = *subjects.front();
  Outputs outputs = properties::GuardedOutputs(c);
  properties::OutputViews views;
  for (auto& [role, tensor] : outputs) views.emplace(role, tensor.view());
  EXPECT_EQ(subject.Run(c, views).status, properties::Outcome::kOk);
  return reference::Judge(c, outputs).profiles[subject.Promise()].outside > 0;
}

class Candidate : public testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(kBin + "/gnomon-fuzz"))
      GTEST_SKIP() << "gnomon-fuzz is not built: no libFuzzer runtime of clang, or a sanitizer";
    out_ = fs::path(testing::TempDir()) / ("finds-" + std::to_string(getpid()));
  }
  void TearDown() override { fs::remove_all(out_); }
  fs::path out_;
};

TEST_F(Candidate, ThreePlantedBugsAreFoundWithinAMinute) {
  const Ran ran = Command(kBin + "/gnomon fuzz --subject " + kPlugin + " --time " +
                          std::to_string(kSeconds) + " --out " + out_.string());
  EXPECT_EQ(ran.code, 1) << ran.output;
  const std::set<std::string> bugs = {"tail", "position", "subnormal"};
  std::set<std::string> found;
  int files = 0;
  for (const auto& entry : fs::directory_iterator(out_)) {
    ++files;
    const oracle::Recording find = oracle::ReadCaseFile(entry.path().string());
    std::set<std::string> shown;
    for (const std::string& bug : bugs)
      if (Shows(bug, find.c)) shown.insert(bug);
    EXPECT_FALSE(shown.empty()) << entry.path() << " shows no bug alone\n" << ran.output;
    found.insert(shown.begin(), shown.end());
    EXPECT_FALSE(Shows("none", find.c)) << entry.path();
    const Ran again =
        Command(kBin + "/gnomon check " + entry.path().string() + " --floor f32-angle");
    EXPECT_EQ(again.code, 1) << again.output;
  }
  EXPECT_EQ(found, bugs) << ran.output;
  // Deduplicated: one a bug, and few more for what shows in two ways.
  EXPECT_LE(files, 6) << ran.output;
  std::cout << ran.output;
}

TEST_F(Candidate, NothingIsFoundInARightOne) {
  const Ran ran =
      Command("GNOMON_BUGS=none " + kBin + "/gnomon fuzz --subject " + kPlugin + " --time 3");
  EXPECT_EQ(ran.code, 0) << ran.output;
  EXPECT_EQ(ran.output.rfind("nothing found: ", 0), 0u) << ran.output;
}

// SUBJ-7. The third hang ends the search, and what is left is said.
TEST_F(Candidate, AfterTheThirdHangItIsAskedNoMore) {
  const auto begin = std::chrono::steady_clock::now();
  const Ran ran = Command("GNOMON_EVIL=hang " + kBin + "/gnomon fuzz --subject " + kBin +
                          "/plugins/evil_plugin.so --time 600");
  EXPECT_EQ(ran.code, 2) << ran.output;
  EXPECT_NE(ran.output.find(" of 600 s were NOT SEARCHED: the subject exceeded its time 3 times"),
            std::string::npos)
      << ran.output;
  EXPECT_NE(ran.output.find("NOT RUN in a process of its own"), std::string::npos) << ran.output;
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::minutes(5));
}

// The signal is for `gnomon fuzz` alone, and nobody who reads what it prints is kept waiting by
// what it started.
TEST_F(Candidate, AStoppedSearchSaysWhatItFound) {
  const auto begin = std::chrono::steady_clock::now();
  const Ran ran = Command("timeout --foreground --preserve-status -s TERM 6 " + kBin +
                          "/gnomon fuzz --subject wrong:table-layout --operation 'rope.*' "
                          "--time 300");
  EXPECT_EQ(ran.code, 1) << ran.output;
  EXPECT_NE(ran.output.find("mistake: table-layout"), std::string::npos) << ran.output;
  EXPECT_NE(ran.output.find("  the search was stopped after "), std::string::npos) << ran.output;
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(100));
}

TEST_F(Candidate, NothingAskedIsNoPass) {
  const Ran ran =
      Command(kBin + "/gnomon fuzz --subject " + kPlugin + " --operation 'sinusoidal.*' --time 1");
  EXPECT_EQ(ran.code, 4) << ran.output;
}

TEST_F(Candidate, APluginThatCannotBeLoadedIsOneLine) {
  const Ran ran = Command(kBin + "/gnomon fuzz --subject /nowhere/k.so --time 1");
  EXPECT_EQ(ran.code, 3) << ran.output;
  EXPECT_EQ(std::count(ran.output.begin(), ran.output.end(), '\n'), 1) << ran.output;
}

}  // namespace
}  // namespace gnomon::fuzz
