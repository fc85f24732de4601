// A run that is stopped reports what it has (REPORT-1).
#include "gnomon/oracle/stop.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <sstream>

#include "gnomon/oracle/cli.h"
#include "gnomon/oracle/watched_subject.h"
#include "gnomon/properties/reference_subject.h"
#include "gnomon/properties/suite.h"

namespace gnomon::oracle {
namespace {

using properties::PropertyReport;

TEST(Stop, ASuiteKeepsWhatItHas) {
  properties::ReferenceSubject reference;
  int64_t asked = 0;
  WatchedSubject subject(reference, [&](int64_t n) { asked = n; });
  properties::SuiteOptions options;
  options.operation = "alibi.*";
  options.cases = 5;
  const int64_t all = [&] {
    const auto whole = RunSuite(subject, options);
    EXPECT_EQ(whole.count(PropertyReport::kNotRun), 0) << ToText(whole);
    return asked;
  }();
  ASSERT_GT(all, 40);
  options.stopped = [&] { return asked >= all + all / 2; };
  const properties::SuiteReport report = RunSuite(subject, options);
  EXPECT_LT(asked, all + all / 2 + 40);
  EXPECT_GT(report.count(PropertyReport::kHolds), 2) << ToText(report);
  EXPECT_GT(report.count(PropertyReport::kNotRun), 2) << ToText(report);
  EXPECT_NE(ToText(report).find("NOT RUN: the run was stopped (REPORT-1)"), std::string::npos);
  EXPECT_FALSE(report.holds());
}

TEST(Stop, TheFirstSignalIsNotedAndOthersAreLeftAlone) {
  const auto handler = [](int number) {
    struct sigaction now;
    sigaction(number, nullptr, &now);
    return now.sa_handler;
  };
  signal(SIGTERM, SIG_IGN);
  {
    const StopSignals stop;
    EXPECT_FALSE(StopSignals::Came());
    raise(SIGTERM);
    EXPECT_FALSE(StopSignals::Came());
    raise(SIGINT);
    EXPECT_TRUE(StopSignals::Came());
    raise(SIGINT);  // the same one, sent twice
    EXPECT_EXIT(
        {
          usleep(1100000);
          raise(SIGINT);
        },
        testing::KilledBySignal(SIGINT), "");
  }
  EXPECT_EQ(handler(SIGTERM), SIG_IGN);
  signal(SIGTERM, SIG_DFL);
}

// The signal comes from the subject, before its first answer.
TEST(Stop, OnTheCommandLine) {
  std::ostringstream out, err;
  const std::string subject =
      "process:sh -c 'kill -INT $PPID; exec python3 \"$0\"' '" GNOMON_SOURCE_DIR
      "/oracle/testing/process_child.py'";
  EXPECT_EQ(RunCli({"check", "--subject", subject}, out, err), 4) << out.str() << err.str();
  EXPECT_NE(out.str().find("nothing run: process:"), std::string::npos) << out.str();
  EXPECT_NE(out.str().find("NOT RUN: the run was stopped (REPORT-1)"), std::string::npos);
  EXPECT_NE(out.str().find("\nstopped: what was not asked by then is missing\n"),
            std::string::npos);
}

}  // namespace
}  // namespace gnomon::oracle
