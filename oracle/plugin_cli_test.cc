// `gnomon check --subject` on plug-ins: exit codes, and what is printed.
#include <gtest/gtest.h>

#include <map>

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
      {"segv", 2, "SIGSEGV, wrote to address 0x0; asked rope.apply f32 positions["},
      {"past_end", 2, "SIGSEGV, wrote 1 byte past the end of y; asked rope.apply f32 positions["},
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
  const std::string child =
      "process:python3 '" GNOMON_SOURCE_DIR "/oracle/testing/process_child.py' 'nothing left'";
  const Answer idle =
      Gnomon({"check", "--subject", child, "--operation", "rope.apply", "--cases", "3"});
  EXPECT_EQ(idle.code, 4);
  EXPECT_EQ(idle.out, "nothing run: the limits that " + child +
                          " declares leave nothing to ask of rope.apply (SUBJ-3)\n");
}

// A run on a plug-in that always hangs ends, and says what it left out (SUBJ-7).
TEST(PluginCli, AskedNoMoreAfterTheThirdHang) {
  const Answer run = Check("hang", {"--case-time", "300", "--json"});
  EXPECT_EQ(run.code, 2);
  std::map<std::string, int> statuses;
  const Json report = Json::parse(run.out);
  for (const Json& property : report["subjects"][0]["properties"])
    ++statuses[property["status"].get<std::string>()];
  EXPECT_EQ(report["verdict"], "crashed");
  EXPECT_EQ(statuses["crashes"], 1) << run.out;
  EXPECT_GE(statuses["not run"], 10) << run.out;
  EXPECT_EQ(statuses["holds"], 0) << run.out;
  const std::string text = Check("hang", {"--case-time", "300"}).out;
  EXPECT_NE(text.find("NOT RUN: the subject exceeded its time"), std::string::npos) << text;
  EXPECT_NE(text.find(" --case-time 300\n"), std::string::npos) << text;  // of the repeat line
}

TEST(PluginCliSlow, ThoroughIsFifteenTimesTheCases) {
  const Json report = Json::parse(Gnomon({"check", "--subject", Plainest(), "--operation",
                                          "rope.frequencies", "--thorough", "--json"})
                                      .out);
  EXPECT_EQ(report["verdict"], "conforms");
  EXPECT_EQ(report["subjects"][0]["cases"], 1500);
  EXPECT_EQ(report["subjects"][0]["properties"][0]["cases"], 1500);
  ExpectRefused({"check", "--subject", "reference", "--thorough", "--cases", "5"}, "--cases");
}

TEST(PluginCli, WhatCannotBeLoadedIsBadInput) {
  SetEvil("get_crashes");
  ExpectRefused({"check", "--subject", kEvilPlugin}, "loading it: SIGSEGV (SUBJ-4)");
  ExpectRefused({"check", "--subject", "plugin:none"}, "none: no such file (SUBJ-4)");
}

TEST(PluginCli, Json) {
  const Json report = Json::parse(Check("abort", {"--json", "--operation", "rope.apply"}).out);
  EXPECT_EQ(report["verdict"], "crashed");
  const std::string finding = report["subjects"][0]["properties"][0]["finding"];
  EXPECT_EQ(finding.rfind("SIGABRT; asked rope.apply f32 positions[", 0), 0u) << finding;
  EXPECT_TRUE(finding.ends_with("; its standard error: \"assertion failed: seq < 7\" (SUBJ-7)"))
      << finding;
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
