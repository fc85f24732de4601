// REPORT-4, rule by rule.
#include "gnomon/oracle/expected.h"

#include <gtest/gtest.h>

#include <limits>

#include "gnomon/oracle/bad_file.h"

namespace gnomon::oracle {
namespace {

constexpr char kToday[] = "2026-11-29";

Result Recording(const std::string& id, std::optional<double> error) {
  Result r;
  r.source = "answers/" + id + ".safetensors";
  r.file = id + ".safetensors";
  r.name = id;
  r.operations = {"rope.apply"};
  r.format = "bf16";
  r.verdict = error ? Verdict::kNonconforming : Verdict::kConforms;
  r.status = Name(r.verdict);
  r.largest = error.value_or(1);
  r.unit = "u S";
  return r;
}
Result Property(const std::string& name, bool fails) {
  Result r;
  r.source = "mine";
  r.name = name;
  r.clause = "ROPE-14";
  r.operations = {"rope.table", "rope.apply"};
  if (fails) r.operations = {"rope.apply"};
  if (fails) r.format = "f16";
  r.verdict = fails ? Verdict::kNonconforming : Verdict::kConforms;
  r.status = fails ? "fails" : "holds";
  return r;
}

ExpectedOutcome Compare(const std::string& list, const std::vector<Result>& results) {
  return CompareWithExpected(ParseExpected(list, "list"), results, kToday);
}
std::string Problems(const std::string& list, const std::vector<Result>& results) {
  std::string text;
  for (const std::string& problem : Compare(list, results).problems) text += problem + "\n";
  return text;
}
std::string Updated(const std::string& list, const std::vector<Result>& results) {
  return UpdatedExpected(ParseExpected(list, "list"), results).Text();
}

TEST(Expected, WhatFailsAsListedIsNoProblem) {
  const std::vector<Result> results = {Recording("aaa", 12.3), Recording("bbb", {}),
                                       Property("rope.norm", true), Property("rope.linear", false)};
  const std::string list =
      "# known\n\naaa  12.3  -  -  https://x.org/1\n  rope.apply/rope.n?rm/f16 - - 2026-11-29 "
      "why\n";
  const ExpectedOutcome outcome = Compare(list, results);
  EXPECT_EQ(outcome.problems, std::vector<std::string>());
  EXPECT_EQ(outcome.expected, std::vector<bool>({true, false, true, false}));
}

TEST(Expected, EveryDepartureIsAProblem) {
  const std::vector<Result> fails = {Recording("aaa", 12.3)};
  EXPECT_EQ(
      Problems("", fails),
      "list: rope.apply/aaa/bf16 (answers/aaa.safetensors) nonconforming, and is not listed\n");
  EXPECT_EQ(Problems("aaa 12.2 - - why", fails),
            "list:1: rope.apply/aaa/bf16 (answers/aaa.safetensors) errs by 12.3 u S, more than the "
            "12.2 allowed\n");
  EXPECT_EQ(Problems("aaa 12.3 - 2026-11-28 why", fails), "list:1: expired on 2026-11-28\n");
  EXPECT_EQ(Problems("aaa 12.3 - -", fails), "list:1: has no reason: write a link, or why\n");
  EXPECT_EQ(Problems("aaa 12.3 - - TODO later", fails),
            "list:1: has no reason: write a link, or why\n");
  EXPECT_EQ(Problems("aaa inf - - why\nccc 1 - - why", fails),
            "list:2: matches nothing that was judged\n");
  EXPECT_NE(Problems("aaa - - - why", fails).find("must state the largest error"),
            std::string::npos);
  EXPECT_EQ(Problems("bbb 9 - - why", {Recording("bbb", {})}),
            "list:1: rope.apply/bbb/bf16 (answers/bbb.safetensors) passes: remove the line, or "
            "narrow it\n");
  // A line too wide, even if it fits a failure.
  EXPECT_NE(Problems("rope.apply/*/* 99 - - why", {fails[0], Recording("bbb", {})}).find("passes"),
            std::string::npos);
  EXPECT_NE(Problems("rope.norm 3 - - why", {Property("rope.norm", true)}).find("must have -"),
            std::string::npos);
  // Two lines that fit the same result both have to be right.
  EXPECT_NE(Problems("aaa 99 - - why\n*/aaa/* 1 - - why", fails).find("list:2:"),
            std::string::npos);
}

TEST(Expected, ErrorsAreComparedAsTheyArePrinted) {
  EXPECT_EQ(Problems("aaa 12.3 - - why", {Recording("aaa", 12.349)}), "");
  EXPECT_NE(Problems("aaa 12.3 - - why", {Recording("aaa", 12.351)}), "");
  EXPECT_EQ(Problems("aaa 497 - - why", {Recording("aaa", 497.4)}), "");
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_NE(Problems("aaa 1e30 - - why", {Recording("aaa", infinity)}), "");
  EXPECT_EQ(Problems("aaa inf - - why", {Recording("aaa", infinity)}), "");
}

TEST(Expected, TheMistakeHasToBeTheOneListed) {
  Result result = Recording("aaa", 5);
  EXPECT_NE(Problems("aaa 5 layout - why", {result}).find("was not diagnosed"), std::string::npos);
  result.mistakes.emplace();
  EXPECT_NE(Problems("aaa 5 layout - why", {result}).find("shows no known mistake"),
            std::string::npos);
  result.mistakes = {"base/5e+05 + layout", "direction"};
  EXPECT_NE(Problems("aaa 5 layout - why", {result})
                .find("shows mistake base/5e+05+layout, direction; the line says layout"),
            std::string::npos);
  EXPECT_EQ(Problems("aaa 5 base/5e+05+layout - why", {result}), "");
  EXPECT_EQ(Problems("aaa 5 - - why", {result}), "");
}

TEST(Expected, PatternsFitOperationNameAndFormat) {
  const Result r = Recording("aaa", 1), p = Property("rope.norm", true);
  const auto fits = [](const std::string& pattern, const Result& result) {
    return ExpectedFailure{pattern, {}, "", "-", "-", "why"}.Matches(result);
  };
  for (const char* pattern : {"aaa", "a*", "a?a", "aaa.safetensors", "rope.apply/aaa/bf16", "*/*/*",
                              "rope.*/a*/b*", "*/aaa.s*/*", "aaa@answers/*", "*/*/*@*aaa*"})
    EXPECT_TRUE(fits(pattern, r)) << pattern;
  for (const char* pattern : {"aa", "AAA", "rope.table/aaa/bf16", "rope.apply/aaa/f16", "answers",
                              "rope.apply/answers*/bf16", "aaa@other/*", "aaa@answers/*@mine"})
    EXPECT_FALSE(fits(pattern, r)) << pattern;
  EXPECT_FALSE(fits("*/rope.norm/f32", p));
  EXPECT_TRUE(fits("rope.table/rope.norm/f32", Property("rope.norm", false)));  // every format
  Result other = p;
  other.applicable = false;
  EXPECT_FALSE(fits("*", other));
}

TEST(Expected, LinesThatAreNoneAreRefused) {
  for (const char* line :
       {"aaa", "aaa 1 -", "a/b 1 - - x", "a/b/c/d 1 - - x", "aaa x - - x", "aaa -1 - - x",
        "aaa nan - - x", "aaa@ 1 - - x", "@mine 1 - - x", "aaa SIGsegv - - x", "aaa 1 - tomorrow x",
        "aaa 1 - 2026-02-30 x", "aaa 1 - 2026-1-1 x"})
    EXPECT_THROW(ParseExpected(line, "list"), BadFile) << line;
  try {
    ParseExpected("# fine\naaa 1 - 2026-13-01 why", "list");
    FAIL();
  } catch (const BadFile& error) {
    EXPECT_STREQ(error.what(),
                 "list:2: UNTIL = \"2026-13-01\": must be YYYY-MM-DD or - (REPORT-4)");
  }
}

TEST(Update, KeepsWhatStillHolds) {
  const std::vector<Result> results = {Recording("aaa", 12.3), Recording("bbb", {})};
  const std::string list = "# why\n\n aaa   20  -  2027-01-01   see  https://x.org\n# end\n";
  EXPECT_EQ(Updated(list, results), list);
  EXPECT_EQ(Updated("", {Recording("bbb", {})}), "");  // what passes is never listed
}

TEST(Update, TakesOverWhatFailed) {
  // Larger; gone; unlisted.
  EXPECT_EQ(Updated("# a\naaa  2  -  2027-01-01  see x\n# b\nbbb  9  -  -  see y\nzzz 1 - - gone\n",
                    {Recording("aaa", 12.345), Recording("bbb", {}), Recording("ccc", 7)}),
            "# a\naaa  12.3  -  2027-01-01  see x\n# b\nrope.apply/ccc/bf16  7  -  -  TODO\n");
  // Too wide.
  EXPECT_EQ(Updated("*  9  -  2027-01-01  see x\n",
                    {Recording("aaa", 3), Recording("bbb", {}), Property("rope.norm", true)}),
            "rope.apply/aaa/bf16  9  -  2027-01-01  see x\n"
            "rope.apply/rope.norm/f16  -  -  2027-01-01  see x\n");
  Result diagnosed = Recording("aaa", 3);
  diagnosed.mistakes = {"base + layout"};
  EXPECT_EQ(Updated("aaa 3 direction - see x\n", {diagnosed}), "aaa  3  base+layout  -  see x\n");
  EXPECT_EQ(Updated("", {diagnosed}), "rope.apply/aaa/bf16  3  base+layout  -  TODO\n");
}

// Two answers to one question: told apart by file, or allowed together.
TEST(Update, OneQuestionAnsweredTwice) {
  Result first = Recording("aaa", 3), second = Recording("aaa", {});
  second.file = "other file";
  EXPECT_EQ(Updated("", {first, second}), "rope.apply/aaa.safetensors/bf16  3  -  -  TODO\n");
  // The same name in two folders.
  Result third = Recording("aaa", 5);
  third.source = "other answers/aaa.safetensors";
  const std::string both =
      "rope.apply/aaa/bf16@answers/aaa.safetensors  3  -  -  TODO\n"
      "rope.apply/aaa/bf16@other?answers/aaa.safetensors  5  -  -  TODO\n";
  EXPECT_EQ(Updated("", {first, third}), both);
  EXPECT_EQ(Updated(both, {first, third}), both);
  // Names that no pattern tells apart: said, and nothing is written.
  third.source = "answers/aaa?safetensors";
  Result fourth = third;
  fourth.source = "answers/aaa safetensors";
  try {
    Updated("", {third, fourth});
    FAIL();
  } catch (const BadFile& error) {
    EXPECT_NE(std::string(error.what()).find("no pattern tells rope.apply/aaa/bf16"),
              std::string::npos)
        << error.what();
  }
}

// One line for two failures that need different words becomes two.
TEST(Update, ALineThatCannotHoldForAllIsSplit) {
  Result a = Recording("aaa", 3), b = Recording("bbb", 5);
  a.mistakes = {"layout"};
  b.mistakes = {"base"};
  const std::string updated = Updated("* 9 layout - see x\n", {a, b});
  EXPECT_EQ(updated,
            "rope.apply/aaa/bf16  9  layout  -  see x\nrope.apply/bbb/bf16  9  base  -  see x\n");
  EXPECT_EQ(Problems(updated, {a, b}), "");
}

// Of a live subject: which, how far off, how it dies.
Result Of(const std::string& subject, Result result) {
  result.source = result.subject = subject;
  return result;
}
TEST(Subjects, TheTargetIsNamed) {
  const std::vector<Result> results = {Of("own:AVX2", Property("rope.norm", true)),
                                       Of("own:SSE 2", Property("rope.norm", false))};
  EXPECT_EQ(Problems("rope.norm@own:AVX2 - - - why", results), "");
  EXPECT_NE(Problems("rope.norm - - - why", results).find("(own:SSE 2) passes"), std::string::npos);
  EXPECT_EQ(Problems("rope.norm@own:SSE* - - - why", {results[0]}),
            "list:1: matches nothing that was judged\n"
            "list: rope.apply/rope.norm/f16 (own:AVX2) fails, and is not listed\n");
  EXPECT_EQ(Updated("", results), "rope.apply/rope.norm/f16@own:AVX2  -  -  -  TODO\n");
  EXPECT_EQ(Updated("", {results[0]}), "rope.apply/rope.norm/f16  -  -  -  TODO\n");
}
TEST(Subjects, TheErrorOfAPropertyIsHeld) {
  Result fails = Of("mine", Property("rope.norm", true));
  fails.largest = 12.3;
  fails.unit = "of the bound";
  EXPECT_EQ(Problems("rope.norm 12.3 - - why", {fails}), "");
  EXPECT_EQ(Problems("rope.norm 12 - - why", {fails}),
            "list:1: rope.apply/rope.norm/f16 (mine) errs by 12.3 of the bound, more than the 12 "
            "allowed\n");
  EXPECT_EQ(Updated("rope.norm - - - why\n", {fails}), "rope.norm  12.3  -  -  why\n");
}
TEST(Subjects, ACrashIsHeldToItsKind) {
  Result dies = Of("mine", Property("rope.norm", true));
  dies.verdict = Verdict::kCrashed;
  dies.status = "crashes";
  dies.crash = "SIGSEGV";
  EXPECT_EQ(Problems("rope.norm SIGSEGV - - why", {dies}), "");
  EXPECT_NE(
      Problems("rope.norm hang - - why", {dies}).find("crashes by SIGSEGV; the line says hang"),
      std::string::npos);
  EXPECT_NE(
      Problems("rope.norm - - - why", {dies}).find("crashes by SIGSEGV; the line says nothing"),
      std::string::npos);
  EXPECT_NE(Problems("rope.norm SIGSEGV - - why", {Of("mine", Property("rope.norm", true))})
                .find("fails; the line says SIGSEGV"),
            std::string::npos);
  EXPECT_EQ(Updated("rope.norm 3 - - why\n", {dies}), "rope.norm  SIGSEGV  -  -  why\n");
}
TEST(Subjects, KindsOfCrashes) {
  EXPECT_EQ(CrashKind("SIGSEGV, wrote to address 0x0 (SUBJ-7)"), "SIGSEGV");
  EXPECT_EQ(CrashKind("the process died by signal 11 (Segmentation fault)"), "SIGSEGV");
  EXPECT_EQ(CrashKind("the process died by signal 1 (Hangup)"), "SIGHUP");
  EXPECT_EQ(CrashKind("exited with status 3: SIGSEGV was caught"), "exit");
  EXPECT_EQ(CrashKind("no answer within 2 s (SUBJ-7)"), "hang");
  EXPECT_EQ(CrashKind("the process did not answer within 400 ms"), "hang");
  EXPECT_EQ(CrashKind("wrote on standard output: hello (SUBJ-7)"), "output");
  EXPECT_EQ(CrashKind("closed its standard output"), "crash");
}

// But for the reasons, an updated list has no problem left.
TEST(Update, LeavesNothingButReasonsAndDates) {
  const std::vector<Result> results = {Recording("aaa", 3), Recording("bbb", {}),
                                       Property("rope.norm", true), Property("rope.sum", false)};
  for (const char* list :
       {"", "* 1 - - why", "*/*/* 1 layout - why", "aaa 1 x - why\nzzz 2 - - why"}) {
    std::string updated = Updated(list, results);
    EXPECT_EQ(Updated(updated, results), updated);
    for (size_t at; (at = updated.find("TODO")) != std::string::npos;)
      updated.replace(at, 4, "why");
    EXPECT_EQ(Problems(updated, results), "") << list;
  }
}

TEST(Today, IsADate) {
  EXPECT_NO_THROW(ParseExpected("aaa 1 - " + Today() + " why", "list"));
  EXPECT_GT(Today(), "2026-01-01");
}

// A mark that some editors write before the first line is no part of its pattern.
TEST(Expected, AByteOrderMarkIsPassedOver) {
  EXPECT_EQ(Problems("\xef\xbb\xbf"
                     "aaa 12.3 - - why",
                     {Recording("aaa", 12.3)}),
            "");
  EXPECT_EQ(Updated("\xef\xbb\xbf# mine\n", {}), "# mine\n");
}

}  // namespace
}  // namespace gnomon::oracle
