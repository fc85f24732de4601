// REPORT-3 and REPORT-4 where they are easily lost: given cases of several subjects, runs that
// judge nothing, commands that repeat what was judged, lists behind links.
#include <gtest/gtest.h>

#include "gnomon/oracle/cli_test.h"
#include "gnomon/oracle/expected.h"
#include "gnomon/oracle/files.h"

namespace gnomon::oracle {
namespace {

class ReportForms : public CliTest {
 protected:
  std::string Path(const std::string& name) const { return folder_ / name; }
  std::string Text(const std::string& name) const {
    return std::string(ReadFile(Path(name)).text());
  }
  // The words of the command behind the last `before`, on its line.
  std::vector<std::string> WordsAfter(const std::string& text, const std::string& before) const {
    std::istringstream words(text.substr(text.rfind(before) + before.size()));
    std::string line;
    std::getline(words, line);
    std::istringstream in_line(line);
    std::vector<std::string> all;
    for (std::string word; in_line >> word; all.push_back(word))
      for (const char quote : {'\'', '`'}) std::erase(word, quote);
    return all;
  }
};

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Each target its own suite and row.
TEST_F(ReportForms, GivenCasesNameTheirSubject) {
  const Answer run = Gnomon({"check", "--subject", "builtin", kRecording, "--junit", Path("j.xml"),
                             "--markdown", Path("m.md")});
  EXPECT_EQ(run.code, 0) << run.err << run.out;
  EXPECT_TRUE(Has(Text("j.xml"), "<testsuite name=\"" + Plainest() + "\" tests=\"1\""))
      << Text("j.xml");
  EXPECT_FALSE(Has(Text("j.xml"), "\"recordings\""));
  EXPECT_TRUE(Has(Text("m.md"), "| subject | file | verdict |"));
  EXPECT_TRUE(Has(Text("m.md"), "\n| " + Plainest() + " | ")) << Text("m.md");
}

TEST_F(ReportForms, WhereNothingIsJudgedATestFails) {
  ASSERT_EQ(Gnomon({"emit", "--operation", "rope.apply", "--format", "f64", "--cases", "1", "--out",
                    Path("cases")})
                .code,
            0);
  const Answer run =
      Gnomon({"check", "--subject", Plainest(), Path("cases"), "--junit", Path("j.xml")});
  EXPECT_EQ(run.code, 4) << run.out;
  EXPECT_TRUE(Has(Text("j.xml"), "failures=\"1\"")) << Text("j.xml");
  EXPECT_TRUE(Has(Text("j.xml"), "<failure message=\"nothing run\">"));
}

// What repeats a verdict comes to the same one.
TEST_F(ReportForms, RepeatStatesTheCaseAndTheProfileAgain) {
  const std::string folder = GNOMON_SOURCE_DIR "/oracle/examples/";
  for (const std::vector<std::string>& asked :
       {std::vector<std::string>{"check", kRecording, "--profile", "standard"},
        {"check", kRecording, "--floor", "standard"},
        {"check", folder + "plain.safetensors", "--config", folder + "config.json", "--set",
         "layout=interleaved", "--axes", "seq,heads*head_dim"}}) {
    std::vector<std::string> check = asked;
    check.insert(check.end(), {"--markdown", Path("m.md"), "--out", Path("cut")});
    const Answer first = Gnomon(check);
    EXPECT_EQ(first.code, 1) << first.err;
    std::vector<std::string> again = WordsAfter(Text("m.md"), "repeat: `gnomon ");
    EXPECT_EQ(Gnomon(again).code, 1) << Text("m.md");
    again = WordsAfter(first.out, "alone: gnomon ");
    EXPECT_EQ(Gnomon(again).code, 1) << first.out;
  }
}

TEST_F(ReportForms, TimeForACaseIsRepeated) {
  const Answer run = Gnomon({"check", "--subject", "wrong:base", kRecording, "--case-time", "400",
                             "--markdown", Path("m.md")});
  EXPECT_EQ(run.code, 1) << run.out;
  EXPECT_TRUE(Has(Text("m.md"), "--subject wrong:base --case-time 400 " + kRecording))
      << Text("m.md");
}

// What a link leads to is rewritten, and stays as private as it was.
TEST_F(ReportForms, AListBehindALink) {
  namespace fs = std::filesystem;
  Write("list", "# mine\n");
  fs::permissions(Path("list"), fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink(Path("list"), Path("link"));
  EXPECT_EQ(
      Gnomon({"check", kRecording, "--profile", "standard", "--expected", Path("link"), "--update"})
          .code,
      1);
  EXPECT_TRUE(fs::is_symlink(Path("link")));
  EXPECT_TRUE(Has(Text("list"), "# mine\nrope.apply/")) << Text("list");
  EXPECT_EQ(fs::status(Path("list")).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

// The first list behind a link that leads nowhere yet.
TEST_F(ReportForms, AListThatALinkLeadsTo) {
  namespace fs = std::filesystem;
  fs::create_directory(Path("lists"));
  fs::create_symlink("lists/mine", Path("link"));
  EXPECT_EQ(
      Gnomon({"check", kRecording, "--profile", "standard", "--expected", Path("link"), "--update"})
          .code,
      1);
  EXPECT_TRUE(fs::is_symlink(Path("link")));
  EXPECT_TRUE(Has(Text("lists/mine"), "rope.apply/"));
}

// A name of two lines is one word of a pattern.
TEST(UpdatedList, CanBeReadAgain) {
  std::vector<Result> results(2);
  for (Result& r : results) {
    r.name = "89be96a4b7e9";
    r.operations = {"rope.apply"};
    r.format = "f32";
    r.verdict = Verdict::kNonconforming;
    r.status = "nonconforming";
  }
  results[0].source = results[0].file = "two\nlines\v.safetensors";
  results[1].source = results[1].file = "other.safetensors";
  const std::string text = UpdatedExpected(ParseExpected("", "list"), results).Text();
  EXPECT_TRUE(Has(text, "rope.apply/two?lines?.safetensors/f32")) << text;
  EXPECT_EQ(ParseExpected(text, "list").lines.size(), 2u) << text;
}

}  // namespace
}  // namespace gnomon::oracle
