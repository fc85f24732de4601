// REPORT-1, REPORT-3 and REPORT-4 from the command line: several files, exit codes, files written.
#include <gtest/gtest.h>

#include "gnomon/oracle/cli_test.h"
#include "gnomon/oracle/conclusion.h"
#include "gnomon/oracle/files.h"

namespace gnomon::oracle {
namespace {

class CliReport : public CliTest {
 protected:
  CliReport() : none_(WriteSafetensors("none.safetensors", "{}")) {}
  std::string Path(const std::string& name) const { return folder_ / name; }
  static std::string Text(const std::string& path) { return std::string(ReadFile(path).text()); }
  static bool Has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }
  static size_t Count(const std::string& text, const std::string& part) {
    size_t count = 0;
    for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
      ++count;
    return count;
  }
  const std::string none_;  // a file that holds nothing
  const std::string case_ = "89be96a4b7e9";
  const std::vector<std::string> wrong_ = {
      "check", "--subject", "wrong:base", "--operation", "rope.frequencies", "--cases", "10"};
};

TEST_F(CliReport, CrashedBeforeNonconformingBeforeNothingRun) {
  using enum Verdict;
  EXPECT_EQ(Overall({kConforms, kNothingRun, kRefused, kNonconforming, kCrashed}), kRefused);
  EXPECT_EQ(Overall({kConforms, kNothingRun, kNonconforming, kCrashed}), kCrashed);
  EXPECT_EQ(Overall({kNothingRun, kNonconforming, kConforms}), kNonconforming);
  EXPECT_EQ(Overall({kConforms, kNothingRun}), kNothingRun);
  EXPECT_EQ(Overall({kConforms, kConforms}), kConforms);
  EXPECT_EQ(Overall({}), kNothingRun);
}

TEST_F(CliReport, SeveralFilesHaveALineEach) {
  const Answer run = Gnomon({"check", kRecording, none_});
  EXPECT_EQ(run.code, 4) << run.err;
  EXPECT_EQ(Count(run.out, "\n"), 3u) << run.out;
  EXPECT_TRUE(run.out.starts_with("conforms       f32-angle     3.83e+04 u S  rope.apply"))
      << run.out;
  EXPECT_TRUE(Has(run.out, case_ + "  " + kRecording + "\nnothing run "));
  EXPECT_TRUE(run.out.ends_with("\n1 of 2 recordings conform\n"));
  EXPECT_EQ(Gnomon({"check", kRecording, none_, "--profile", "standard"}).code, 1);
}

TEST_F(CliReport, AFileThatCannotBeReadKeepsNoOtherFromItsVerdict) {
  const std::string bad = Path("bad.safetensors");
  Write("bad.safetensors", "no tensors");
  const Answer run = Gnomon({"check", kRecording, bad, "--junit", Path("junit.xml")});
  EXPECT_EQ(run.code, 3) << run.err;
  EXPECT_TRUE(run.out.starts_with("conforms ")) << run.out;
  EXPECT_TRUE(Has(Text(Path("junit.xml")), "<error message=\"refused\">"));
  EXPECT_TRUE(Has(run.out, "\nrefused ") && Has(run.out, bad + "; refused: ")) << run.out;
  EXPECT_TRUE(run.out.ends_with("\n1 of 2 recordings conform\n"));

  const Answer asked = Gnomon({"check", "--subject", "reference", kRecording, bad});
  EXPECT_EQ(asked.code, 3) << asked.err;
  EXPECT_TRUE(Has(asked.out, bad + ": refused: ")) << asked.out;
  EXPECT_TRUE(Has(asked.out, "1 of 1 answers conform")) << asked.out;

  Write("known.txt", "*  -  -  -  a reason\n");
  EXPECT_EQ(Gnomon({"check", kRecording, bad, "--expected", Path("known.txt")}).code, 3);
  ExpectRefused({"check", bad}, bad);
  ExpectRefused({"check", bad, "--subject", "reference"}, bad);
}

TEST_F(CliReport, AFolderStandsForItsRecordings) {
  const std::filesystem::path below = folder_ / "answers" / "more";
  std::filesystem::create_directories(below);
  ExpectRefused({"check", Path("answers")}, "holds no .safetensors file (REPORT-1)");
  std::filesystem::copy_file(kRecording, below / "b.safetensors");
  std::filesystem::copy_file(kRecording, folder_ / "answers" / "a.safetensors");
  Write("answers/notes.txt", "no recording");
  const Answer run = Gnomon({"check", Path("answers")});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_LT(run.out.find("a.safetensors"), run.out.find("more/b.safetensors"));
  EXPECT_TRUE(run.out.ends_with("\n2 of 2 recordings conform\n")) << run.out;
  ExpectRefused({"check", Path("answers"), Path("answers/./a.safetensors")}, "is given twice");
}

TEST_F(CliReport, WhereNoFileCanBeReadTheRunIsRefused) {
  const std::string junit = Path("junit.xml");
  ExpectRefused({"check", kPlain, Write("bad", "?"), "--junit", junit}, "head_dim = (missing)");
  EXPECT_FALSE(std::filesystem::exists(junit));
  ExpectRefused({"check", kRecording, ""}, "FILE = \"\": must not be empty");
}

TEST_F(CliReport, JUnitOfRecordings) {
  const std::string junit = Path("a&b.xml");
  EXPECT_EQ(Gnomon({"check", kRecording, none_, "--profile", "standard", "--junit", junit}).code,
            1);
  const std::string xml = Text(junit);
  EXPECT_TRUE(
      xml.starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"gnomon\" "
                      "tests=\"2\" failures=\"2\" errors=\"0\">\n"))
      << xml;
  EXPECT_TRUE(
      Has(xml, "<testcase name=\"" + kRecording +
                   "\" classname=\"rope.apply\">\n"
                   "      <failure message=\"nonconforming\">nonconforming: rope.apply on 160"));
  EXPECT_TRUE(Has(xml, "<failure message=\"nothing run\">"));
  EXPECT_TRUE(Has(xml, "repeat: gnomon check " + kRecording));
  EXPECT_EQ(Count(xml, "<testcase"), Count(xml, "</testcase>"));
}

TEST_F(CliReport, JUnitOfASubject) {
  const std::string junit = Path("junit.xml");
  std::vector<std::string> check = wrong_;
  check.insert(check.end(), {"--junit", junit});
  EXPECT_EQ(Gnomon(check).code, 1);
  const std::string xml = Text(junit);
  EXPECT_TRUE(Has(xml, "  <testsuite name=\"wrong:base\" tests=\"")) << xml;
  EXPECT_TRUE(Has(xml,
                  "<testcase name=\"rope.geometric\" classname=\"ROPE-1\">\n"
                  "      <failure message=\"fails\">w_1 = "));
  EXPECT_TRUE(Has(xml, " is not theta^(-1/") && Has(xml, "): off by "));
}

TEST_F(CliReport, JUnitOfCrashesAndOfWhatDoesNotApply) {
  Result crash, other;
  crash.source = other.source = crash.subject = other.subject = "mine \x01<\"&\xff";
  crash.name = other.name = "rope.norm";
  crash.clause = other.clause = "ROPE-15";
  crash.status = "crashes";
  crash.verdict = Verdict::kCrashed;
  other.applicable = false;
  const std::string junit = Path("junit.xml");
  EXPECT_EQ(Conclude({crash, other}, {junit, "", "", false}).exit_code, 2);
  const std::string xml = Text(junit);
  EXPECT_TRUE(
      Has(xml,
          "<testsuite name=\"mine  &lt;&quot;&amp;\xef\xbf\xbd\" tests=\"2\" failures=\"0\" "
          "errors=\"1\" skipped=\"1\">"))
      << xml;
  EXPECT_TRUE(Has(xml, "<error message=\"crashes\">"));
  EXPECT_TRUE(Has(xml, "<skipped message=\"not applicable\"/>"));
  EXPECT_EQ(Conclude({other}, {junit, "", "", false}).exit_code, 4);
  EXPECT_EQ(Conclude({}, {junit, "", "", false}).exit_code, 4);
  EXPECT_TRUE(Has(Text(junit), "<failure message=\"nothing run\">"));
}

TEST_F(CliReport, TheKnownMistakeIsNamedEverywhere) {
  const std::string junit = Path("x.xml"), page = Path("x.md"), mistake = "; shows mistake layout";
  const Answer run = Gnomon({"check", kRecording, none_, "--set", "layout=interleaved", "--junit",
                             junit, "--markdown", page});
  EXPECT_EQ(run.code, 1) << run.err;
  for (const std::string& text : {run.out, Text(junit), Text(page)})
    EXPECT_TRUE(Has(text, mistake)) << text;
}

TEST_F(CliReport, MarkdownIsATable) {
  const std::string page = Path("page.md");
  const std::string odd = folder_ / "a|b.safetensors";
  std::filesystem::copy_file(kRecording, odd);
  EXPECT_EQ(Gnomon({"check", odd, "--profile", "standard", "--markdown", page}).code, 1);
  const std::string text = Text(page);
  EXPECT_TRUE(text.starts_with("# gnomon check: nonconforming\n\n0 of 1 pass; exit code 1.\n"))
      << text;
  EXPECT_TRUE(
      Has(text, "/a\\|b.safetensors | nonconforming | - | 3.83e+04 u S | rope.apply | f32 | " +
                    case_ + " |\n"))
      << text;
  EXPECT_TRUE(Has(text, "\n## Failures\n\n- rope.apply/" + case_ + "/f32 ("));
  EXPECT_EQ(Gnomon({"check", "--subject", "reference", "--cases", "1", "--markdown", page}).code,
            0);
  EXPECT_TRUE(Has(Text(page), "| reference | rope.within\\_bound | ROPE-12 | holds | - |\n"));
}

TEST_F(CliReport, FilesAreWrittenWholeOrNotAtAll) {
  const std::string list = Write("list", "");
  ExpectRefused({"check", kRecording, "--profile", "standard", "--expected", list, "--update",
                 "--junit", Path("no/where")},
                "cannot be written");
  EXPECT_EQ(Text(list), "");
  ExpectRefused({"check", kRecording, "--junit", list, "--markdown", list}, "is given twice");
  ExpectRefused({"check", kRecording, "--update"}, "requires --expected");
  ExpectRefused({"check", kRecording, "--expected", Path("missing")}, "cannot be opened");
  ExpectRefused({"check", kRecording, "--expected", Write("l", "aaa")}, "l:1: must read PATTERN");
}

TEST_F(CliReport, AnExpectedFailureIsASuccess) {
  const std::string list = Write("list", case_ + "  3.83e4  -  -  angles in float32\n");
  const std::vector<std::string> held = {"check",      kRecording, "--profile", "standard",
                                         "--expected", list,       "--junit",   Path("x.xml")};
  const Answer run = Gnomon(held);
  EXPECT_EQ(run.code, 0) << run.out;
  EXPECT_TRUE(run.out.starts_with("nonconforming: "));
  EXPECT_TRUE(run.out.ends_with("\n1 of 1 results fail as " + list + " lists\n")) << run.out;
  EXPECT_TRUE(Has(Text(Path("x.xml")), "<skipped message=\"expected: nonconforming\">"));
  // It passes where less is asked: then the line is stale.
  const Answer stale = Gnomon({"check", kRecording, "--expected", list, "--junit", Path("x.xml")});
  EXPECT_EQ(stale.code, 1);
  EXPECT_TRUE(Has(stale.out, "\nunexpected: " + list + ":1: rope.apply/" + case_)) << stale.out;
  EXPECT_TRUE(
      Has(Text(Path("x.xml")), "<testsuite name=\"expected failures\" tests=\"1\" failures=\"1\""));
}

TEST_F(CliReport, UpdateMakesAListThatWantsReasons) {
  const std::string list = Path("list");
  const std::vector<std::string> update = {"check",      kRecording, "--profile", "standard",
                                           "--expected", list,       "--update"};
  const Answer run = Gnomon(update);
  EXPECT_EQ(run.code, 1);
  EXPECT_TRUE(Has(run.out, "unexpected: " + list + ":1: has no reason")) << run.out;
  EXPECT_EQ(Text(list), "rope.apply/" + case_ + "/f32  3.83e+04  -  -  TODO\n");
  Write("list", "# mine\nrope.apply/" + case_ + "/f32  2  -  -  see x\n");
  EXPECT_EQ(Gnomon(update).code, 0);
  EXPECT_EQ(Text(list), "# mine\nrope.apply/" + case_ + "/f32  3.83e+04  -  -  see x\n");
  EXPECT_EQ(Gnomon({"check", kRecording, "--expected", list, "--update"}).code, 0);
  EXPECT_EQ(Text(list), "# mine\n");
}

TEST_F(CliReport, ExpectedFailuresOfASubject) {
  const std::string list = Path("list");
  std::vector<std::string> check = wrong_;
  check.insert(check.end(), {"--expected", list});
  std::vector<std::string> update = check;
  update.push_back("--update");
  EXPECT_EQ(Gnomon(update).code, 1);
  std::string lines = Text(list);
  EXPECT_EQ(Count(lines, "rope.frequencies/rope.geometric/"), 1u) << lines;
  // How far off, and the mistake; of a rope_theta of 100, the base 10000 is the exponent doubled.
  EXPECT_GT(Count(lines, "  base/1e+04  -  TODO\n") + Count(lines, "  exponent-doubled  -  TODO\n"),
            0u)
      << lines;
  EXPECT_EQ(Count(lines, "  -  base/1e+04"), 0u) << lines;
  for (size_t at; (at = lines.find("TODO")) != std::string::npos;) lines.replace(at, 4, "mine");
  Write("list", lines);
  EXPECT_EQ(Gnomon(check).code, 0) << Gnomon(check).out;
  const std::string measured = lines.substr(lines.find("  "));  // of the first line, and the rest
  Write("list",
        lines.substr(0, lines.find("  ")) + "  1.01" + measured.substr(measured.find("  ", 2)));
  const Answer larger = Gnomon(check);
  EXPECT_EQ(larger.code, 1);
  EXPECT_TRUE(Has(larger.out, " of the bound, more than the 1.01 allowed")) << larger.out;
  Write("list", lines + "*/rope.zero*/*  -  -  1999-12-31  old\n");
  EXPECT_EQ(Gnomon(check).code, 1);
}

// The same cases in two folders.
TEST_F(CliReport, UpdateTellsTwoFoldersApart) {
  const std::string list = Path("list");
  for (const char* name : {"one", "two"}) {
    std::filesystem::create_directory(folder_ / name);
    std::filesystem::copy_file(kRecording, folder_ / name / "a.safetensors");
  }
  const std::vector<std::string> check = {"check",    Path("one"),  Path("two"), "--profile",
                                          "standard", "--expected", list};
  std::vector<std::string> update = check;
  update.push_back("--update");
  EXPECT_EQ(Gnomon(update).code, 1);
  std::string lines = Text(list);
  EXPECT_TRUE(Has(lines, "/f32@" + Path("two/a.safetensors") + "  3.83e+04  -  -  TODO")) << lines;
  for (size_t at; (at = lines.find("TODO")) != std::string::npos;) lines.replace(at, 4, "mine");
  Write("list", lines);
  EXPECT_EQ(Gnomon(check).code, 0) << Gnomon(check).out;
}

// Every target has its own lines.
TEST_F(CliReport, ASubjectAmongSeveralIsNamed) {
  Result one, two;
  one.source = one.subject = "own:A";
  two.source = two.subject = "own:B";
  one.name = two.name = "rope.norm";
  one.clause = two.clause = "ROPE-15";
  one.operations = two.operations = {"rope.apply"};
  two.verdict = Verdict::kNonconforming;
  two.status = "fails";
  one.verdict = Verdict::kConforms;
  const std::string list = Path("list");
  EXPECT_EQ(Conclude({one, two}, {"", "", list, true}).exit_code, 1);
  EXPECT_EQ(Text(list), "rope.apply/rope.norm/*@own:B  -  -  -  TODO\n");
  Write("list", "rope.apply/rope.norm/*@own:B  -  -  -  why\n");
  EXPECT_EQ(Conclude({one, two}, {"", "", list, false}).exit_code, 0);
}

TEST_F(CliReport, ALongSuiteShowsHowFarItIs) {
  const std::vector<std::string> check = {"check",      "--subject", "wrong:base", "--operation",
                                          "rope.apply", "--cases",   "100"};
  EXPECT_EQ(Gnomon(check).err, "");
  const std::string shown = Gnomon(check, true).err;
  EXPECT_TRUE(Has(shown, "\rwrong:base: property ")) << shown;
  EXPECT_TRUE(Has(shown, " cases asked")) << shown;
  EXPECT_TRUE(shown.ends_with(" \r"));  // gone in the end
}

}  // namespace
}  // namespace gnomon::oracle
