// BOUND-8 from the command line: a plug-in that declares flushing, and recordings that are said to.
#include <gtest/gtest.h>

#include "gnomon/oracle/case_file.h"
#include "gnomon/oracle/cli_test.h"
#include "gnomon/oracle/files.h"
#include "gnomon/oracle/testing/evil.h"
#include "gnomon/reference/truth.h"

namespace gnomon::oracle {
namespace {

using Flushing = CliTest;

TEST_F(Flushing, APlugInDeclaresIt) {
  SetEvil("flushes");
  const std::vector<std::string> check = {"check", "--subject", kEvilPlugin, "--operation",
                                          "rope.apply"};
  const Answer undeclared = Gnomon(check);
  EXPECT_EQ(undeclared.code, 1);
  EXPECT_NE(undeclared.out.find("subnormal results flushed to zero"), std::string::npos)
      << undeclared.out;
  setenv("GNOMON_EVIL_DECLARES", "flushing", 1);
  const Answer declared = Gnomon(check);
  EXPECT_EQ(declared.code, 0) << declared.out;
  EXPECT_NE(declared.out.find("promises f32-angle and may flush subnormals"), std::string::npos)
      << declared.out;
  SetEvil("once");
  EXPECT_EQ(Gnomon(check).code, 1) << "another mistake passes";
  unsetenv("GNOMON_EVIL_DECLARES");
}

TEST_F(Flushing, ARecordingIsSaidTo) {
  Case c = RopeCase(3, 1);
  c.inputs.at("x").Set(0, 0x1p-128);
  c.inputs.at("x").Set(4, 0x1p-129);
  Outputs y = reference::RoundedTruth(c);
  y.at("y").Set(0, 0);
  y.at("y").Set(4, 0);
  const std::string path = folder_ / "flushed.safetensors";
  WriteFile(path, {CaseFileBytes(c, y)});
  EXPECT_EQ(Gnomon({"check", path}).code, 1);
  const Answer declared = Gnomon({"check", path, "--flushes-subnormals"});
  EXPECT_EQ(declared.code, 0) << declared.out;
  EXPECT_NE(declared.out.find("flushed to zero (declared, BOUND-8)"), std::string::npos);
  // One of the flushed elements, by both bounds.
  EXPECT_NE(Gnomon({"explain", path, "--at", "0,0,0,0"}).out.find("outside"), std::string::npos);
  const Answer granted = Gnomon({"explain", path, "--at", "0,0,0,0", "--flushes-subnormals"});
  EXPECT_NE(granted.out.find("by profile, subnormal numbers as 0"), std::string::npos);
  EXPECT_NE(granted.out.find("f32-angle      4.85"), std::string::npos) << granted.out;
  ExpectRefused({"check", path, "--flushes-subnormals", "--profile", "rounded"},
                "--flushes-subnormals = (given): contradicts the profile rounded, the only one "
                "that is asked for (BOUND-8)");
  ExpectRefused({"check", path, "--flushes-subnormals", "--subject", "reference"},
                "--flushes-subnormals");
}

}  // namespace
}  // namespace gnomon::oracle
