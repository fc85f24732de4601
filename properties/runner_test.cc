// The runner: what counts, what starves, what a failure says, and that it can be had again.
#include <gtest/gtest.h>

#include "gnomon/properties/generators.h"
#include "gnomon/properties/reference_subject.h"
#include "gnomon/properties/suite.h"
#include "gnomon/properties/trial.h"

namespace gnomon::properties {
namespace {

PropertyReport Check(const std::function<void(Trial&)>& check, SuiteOptions options = {}) {
  ReferenceSubject subject(Format::kF32);
  PropertyReport report;
  report.property = {"test.property", "ROPE-4", "", "", {"rope.table"}, true, check};
  RunProperty(subject, {Format::kF32}, options, &report);
  return report;
}

TEST(Runner, CountsInstancesThatCouldHaveFailed) {
  SuiteOptions options;
  options.cases = 37;
  const PropertyReport report = Check([](Trial& t) { t.NoteCompared(); }, options);
  EXPECT_EQ(report.status, PropertyReport::kHolds);
  EXPECT_EQ(report.cases, 37);
}

TEST(Runner, VacuousInstancesAreNoPass) {
  const PropertyReport none = Check([](Trial&) {});
  EXPECT_EQ(none.status, PropertyReport::kStarved);
  EXPECT_EQ(none.cases, 0);
  EXPECT_GT(none.vacuous, 0);
  // A tolerance larger than the thing itself lets everything through, and counts for nothing.
  const PropertyReport wide = Check([](Trial& t) {
    t.Compare(Interval(1), Interval(3), Interval(2), [] { return std::string(); });
  });
  EXPECT_EQ(wide.status, PropertyReport::kStarved);
  // Some of both is a verdict over those that count.
  const PropertyReport some = Check([](Trial& t) {
    if (t.source().Chance(1, 2)) t.NoteCompared();
  });
  EXPECT_EQ(some.status, PropertyReport::kHolds);
  EXPECT_EQ(some.cases, kDefaultCases);
  EXPECT_GT(some.vacuous, 10);
}

TEST(Runner, NanIsNeverWithinATolerance) {
  const PropertyReport report = Check([](Trial& t) {
    t.Compare(Interval(std::nan("")), Interval(3), Interval(4), [] { return std::string("x"); });
  });
  EXPECT_EQ(report.status, PropertyReport::kFails);
}

TEST(Runner, ShrinksToTheSmallestChoiceThatFails) {
  int64_t last = 0;
  const auto check = [&](Trial& t) {
    const int64_t first = t.source().Below(1000), second = t.source().Below(1000);
    if (first >= 100) {
      last = first + 1000 * second;
      t.Fail("first is " + std::to_string(first) + ", second " + std::to_string(second));
    }
    t.NoteCompared();
  };
  const PropertyReport report = Check(check);
  ASSERT_EQ(report.status, PropertyReport::kFails);
  EXPECT_GT(report.shrinks, 0);
  EXPECT_LT(last, 125) << report.finding;  // the second is 0, the first near its threshold
  EXPECT_EQ(report.finding, "first is " + std::to_string(last) + ", second 0");
}

TEST(Runner, TheSameSeedFindsTheSame) {
  const auto check = [](Trial& t) {
    if (t.source().Below(1000) > 990) t.Fail("word " + std::to_string(t.source().Word()));
    t.NoteCompared();
  };
  SuiteOptions options;
  options.cases = 1000;
  options.shrink = false;
  const PropertyReport one = Check(check, options), two = Check(check, options);
  ASSERT_EQ(one.status, PropertyReport::kFails);
  EXPECT_EQ(one.finding, two.finding);
  EXPECT_EQ(one.cases, two.cases);
  options.seed = 4;
  EXPECT_NE(Check(check, options).finding, one.finding);
}

TEST(Runner, AnInvalidCaseIsAFailureOfTheProperty) {
  const PropertyReport report = Check([](Trial& t) {
    Case c;
    c.operation = "rope.table";
    t.Run(c);
  });
  EXPECT_EQ(report.status, PropertyReport::kFails);
  EXPECT_NE(report.finding.find("CASE-4"), std::string::npos) << report.finding;
}

class Throws : public ReferenceSubject {
 public:
  Outcome Run(const Case&, const OutputViews&) override { throw 1; }
};
class Declines : public ReferenceSubject {
 public:
  Outcome Run(const Case&, const OutputViews&) override { return {Outcome::kUnsupported, ""}; }
};
class Dies : public ReferenceSubject {
 public:
  Outcome Run(const Case&, const OutputViews&) override { return {Outcome::kCrashed, "gone"}; }
};
class Hangs : public ReferenceSubject {
 public:
  explicit Hangs(int from) : from_(from) {}
  Outcome Run(const Case& c, const OutputViews& outputs) override {
    if (++asked < from_) return ReferenceSubject::Run(c, outputs);
    return {Outcome::kCrashed, "no answer within 5 s (SUBJ-7)", true};
  }
  int asked = 0;

 private:
  const int from_;
};
class Refuses : public ReferenceSubject {
 public:
  Outcome Run(const Case&, const OutputViews&) override { return {Outcome::kRejected, "no"}; }
};
class DoesNothing : public ReferenceSubject {
 public:
  bool Declares(const std::string&, Format) const override { return false; }
};

SuiteReport Suite(Subject&& subject, int cases = 3) {
  SuiteOptions options;
  options.cases = cases;
  options.operation = "rope.frequencies";
  return RunSuite(subject, options);
}

// Every property that asks for the operation ended so.
bool All(const SuiteReport& report, PropertyReport::Status status) {
  const auto all = static_cast<int64_t>(report.properties.size());
  return all > 0 && report.count(status) == all;
}

// SUBJ-7: three times, simplification included, and no more.
TEST(Suite, AsksNoMoreAfterTheThirdHang) {
  for (const int from : {1, 8}) {
    Hangs subject(from);
    SuiteOptions options;
    options.cases = 3;
    const SuiteReport report = RunSuite(subject, options);
    EXPECT_EQ(subject.asked, from + 2);
    EXPECT_TRUE(report.crashed());
    EXPECT_TRUE(report.gave_up());
    EXPECT_FALSE(report.holds());
    const int64_t not_run = report.count(PropertyReport::kNotRun);
    EXPECT_GE(not_run, 10);
    EXPECT_EQ(
        report.count(PropertyReport::kCrashes) + report.count(PropertyReport::kHolds) + not_run,
        static_cast<int64_t>(report.properties.size()));
    EXPECT_NE(
        ToText(report).find(std::to_string(not_run) +
                            " properties were NOT RUN: the subject exceeded its time 3 times"),
        std::string::npos)
        << ToText(report);
  }
}

TEST(Suite, SaysWhyASubjectDidNotAnswer) {
  const SuiteReport thrown = Suite(Throws());
  EXPECT_TRUE(All(thrown, PropertyReport::kFails)) << ToText(thrown);
  EXPECT_NE(ToText(thrown).find("the subject threw"), std::string::npos);
  const SuiteReport declined = Suite(Declines());
  EXPECT_TRUE(All(declined, PropertyReport::kFails)) << ToText(declined);
  EXPECT_NE(ToText(declined).find("declared, and answered as unsupported"), std::string::npos);
  const SuiteReport dead = Suite(Dies());
  EXPECT_EQ(dead.count(PropertyReport::kCrashes), kMostHangs) << ToText(dead);
  EXPECT_EQ(dead.count(PropertyReport::kCrashes) + dead.count(PropertyReport::kNotRun),
            static_cast<int64_t>(dead.properties.size()));
  EXPECT_TRUE(dead.crashed());
  EXPECT_FALSE(dead.holds());
  EXPECT_NE(ToText(dead).find("CRASHES"), std::string::npos) << ToText(dead);
  const SuiteReport refused = Suite(Refuses());
  EXPECT_FALSE(refused.holds());
  EXPECT_NE(ToText(refused).find("the subject refuses a valid case: no"), std::string::npos);
}

TEST(Suite, NothingRunIsNoPass) {
  const SuiteReport report = Suite(DoesNothing());
  EXPECT_TRUE(All(report, PropertyReport::kNotApplicable)) << ToText(report);
  EXPECT_TRUE(report.nothing_ran());
  EXPECT_FALSE(report.holds());
  EXPECT_NE(ToText(report).find("nothing was run"), std::string::npos);
  SuiteOptions all;
  all.cases = 1;
  DoesNothing subject;
  const std::string text = ToText(RunSuite(subject, all));
  EXPECT_NE(text.find(" of alibi.* attention.* learned.*"), std::string::npos) << text;
}

TEST(Suite, AFailurePrintsTheCommandThatRepeatsIt) {
  const SuiteReport report = Suite(Throws(), 17);
  EXPECT_NE(ToText(report).find("gnomon check --subject reference --operation rope.frequencies "
                                "--seed 20170612 --cases 17"),
            std::string::npos)
      << ToText(report);
}

TEST(Suite, Globs) {
  EXPECT_TRUE(GlobMatches("*", ""));
  EXPECT_TRUE(GlobMatches("rope.*", "rope.apply"));
  EXPECT_TRUE(GlobMatches("*.t?ble", "sinusoidal.table"));
  EXPECT_TRUE(GlobMatches("*a*a*", "banana"));
  EXPECT_FALSE(GlobMatches("rope", "rope.apply"));
  EXPECT_FALSE(GlobMatches("rope.?", "rope.apply"));
  EXPECT_FALSE(GlobMatches("", "x"));
}

}  // namespace
}  // namespace gnomon::properties
