// `gnomon check --subject` on plug-ins: exit codes, and what is printed.
#include <gtest/gtest.h>

#include "gnomon/oracle/cli_test.h"
#include "gnomon/oracle/strict_json.h"
#include "gnomon/oracle/testing/evil.h"

namespace gnomon::oracle {
namespace {

Answer Check(const std::string& evil, std::vector<std::string> more = {}) {
  SetEvil(evil);
  std::vector<std::string> arguments = {"check", "--subject", "plugin:" + kEvilPlugin, "--cases",
                                        "3"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return Gnomon(arguments);
}

TEST(PluginCli, ExitCodes) {
  const struct {
    std::string evil;
    int code;
    std::string text;
  } kCases[] = {
      {"good", 0, "conforms: plugin:"},
      {"random", 1, "two equal calls differ at y[0, 0, 0, 0] (SUBJ-6)"},
      {"answers_all", 1, "is not declared, and was answered"},
      {"unsupported", 1, "declared, and answered as unsupported (SUBJ-2)"},
      {"segv", 2, "SIGSEGV, wrote to address 0x0 (SUBJ-7)"},
      {"past_end", 2, "wrote 1 byte past the end of y (SUBJ-6)"},
  };
  for (const auto& c : kCases) {
    const Answer run = Check(c.evil);
    EXPECT_EQ(run.code, c.code) << c.evil << run.out;
    EXPECT_NE(run.out.find(c.text), std::string::npos) << c.evil << run.out;
    EXPECT_EQ(run.err, "");
  }
}

TEST(PluginCli, NothingRunIsNoSuccess) {
  const Answer run = Check("good", {"--operation", "sinusoidal.*"});
  EXPECT_EQ(run.code, 4);
  EXPECT_EQ(run.out.find("nothing run"), 0u) << run.out;
}

TEST(PluginCli, WhatCannotBeLoadedIsBadInput) {
  SetEvil("get_crashes");
  ExpectRefused({"check", "--subject", kEvilPlugin}, "loading it: SIGSEGV (SUBJ-4)");
  ExpectRefused({"check", "--subject", "plugin:none"}, "none: no such file (SUBJ-4)");
}

TEST(PluginCli, Json) {
  const Json report = Json::parse(Check("abort", {"--json", "--operation", "rope.apply"}).out);
  EXPECT_EQ(report["verdict"], "crashed");
  EXPECT_EQ(report["subjects"][0]["properties"][0]["finding"],
            "SIGABRT: assertion failed: seq < 7 (SUBJ-7)");
}

// A path names a plug-in by its ending alone, as the loader would not: from this folder.
TEST(PluginCli, ARelativePath) {
  SetEvil("good");
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(kPluginFolder);
  EXPECT_EQ(Gnomon({"check", "--subject", "evil_plugin.so", "--cases", "1"}).code, 0);
  std::filesystem::current_path(before);
}

}  // namespace
}  // namespace gnomon::oracle
