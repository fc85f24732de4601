// REPORT-3. A command that repeats a result is quoted for the shell, whatever the file is called,
// and every form of report gives it back whole: it is run through sh here.
#include <fmt/format.h>

#include <cstdio>

#include "gnomon/oracle/cli_test.h"
#include "gnomon/oracle/conclusion.h"
#include "gnomon/oracle/strict_json.h"
#include "gnomon/properties/suite.h"

namespace gnomon::oracle {
namespace {

class Repeat : public CliTest {
 protected:
  void SetUp() override {
    // A program of that name that says what it was asked, an argument a line.
    Write("gnomon", "#!/bin/sh\nprintf '%s\\n' \"$@\"\n");
    std::filesystem::permissions(folder_ / "gnomon", std::filesystem::perms::all);
  }
  std::string Run(const std::string& command) const {
    Write("run.sh", "PATH=" + folder_.string() + ":$PATH\n" + command + "\n");
    FILE* pipe = popen(("sh " + (folder_ / "run.sh").string()).c_str(), "r");
    std::string said;
    for (int c; (c = fgetc(pipe)) != EOF;) said += static_cast<char>(c);
    EXPECT_EQ(pclose(pipe), 0) << command;
    return said;
  }
  std::string Text(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(folder_ / name).rdbuf();
    return text.str();
  }
};

const char* const kNames[] = {"plain.safetensors",
                              "two words",
                              "it's",
                              "\"quoted\"",
                              "a`id`b",
                              "`",
                              "a|b;c&d",
                              "$(id) $HOME",
                              "back\\slash",
                              "a*?[b]",
                              "<in >out",
                              "#no",
                              "~",
                              "{a,b} ``x``",
                              "!"};

// What CommonMark makes of the code span that stands there: backticks, as many at the end.
std::string CodeAfter(const std::string& page, const std::string& label) {
  const size_t at = page.find(label) + label.size();
  const size_t ticks = page.find_first_not_of('`', at) - at;
  const std::string fence(ticks, '`');
  size_t end = at + ticks;
  for (;; ++end) {  // a run of exactly so many
    end = page.find(fence, end);
    if (end == std::string::npos) return "(no end)";
    const size_t stop = page.find_first_not_of('`', end);
    if (stop - end == ticks) break;
    end = stop;
  }
  std::string code = page.substr(at + ticks, end - at - ticks);
  if (code.front() == ' ' && code.back() == ' ' && code.find_first_not_of(' ') != std::string::npos)
    code = code.substr(1, code.size() - 2);
  return code;
}
std::string FromXml(std::string text) {
  for (const auto& [entity, c] : {std::pair("&lt;", "<"), std::pair("&gt;", ">"),
                                  std::pair("&quot;", "\""), std::pair("&amp;", "&")})
    for (size_t at; (at = text.find(entity)) != std::string::npos;)
      text.replace(at, std::string(entity).size(), c);
  return text;
}

TEST_F(Repeat, OfARecordingWithAnyName) {
  std::string name;
  for (const std::string part : kNames) name += part + " ";
  const std::string file = folder_ / name;
  std::filesystem::copy_file(kRecording, file);
  EXPECT_EQ(Gnomon({"check", file, "--profile", "standard", "--junit", folder_ / "j.xml",
                    "--markdown", folder_ / "m.md"})
                .code,
            1);
  const std::string asked = "check\n" + file + "\n--profile\nstandard\n";
  EXPECT_EQ(Run(CodeAfter(Text("m.md"), "repeat: ")), asked) << Text("m.md");
  const std::string xml = Text("j.xml");
  const size_t at = xml.find("repeat: ") + 8;
  EXPECT_EQ(Run(FromXml(xml.substr(at, xml.find("</failure>") - at))), asked) << xml;
}

TEST_F(Repeat, OfASubjectWithAnyName) {
  for (const std::string name : kNames) {
    properties::SuiteReport report{"process:" + name, {}, {}};
    properties::PropertyReport& property = report.properties.emplace_back();
    property.property.operations = {"rope.apply"};
    property.status = properties::PropertyReport::kFails;
    const std::string text = ToText(report);
    const size_t at = text.find("repeat: ") + 8;
    EXPECT_EQ(Run(text.substr(at, text.find('\n', at) - at)),
              fmt::format("check\n--subject\nprocess:{}\n--operation\nrope.apply\n--seed\n{}\n"
                          "--cases\n100\n",
                          name, properties::kDefaultSeed));
  }
}

TEST_F(Repeat, AWordIsOneWord) {
  for (const std::string word : {"", "two\nlines", "\xc3\xa9", "-x", "a=b"})
    EXPECT_EQ(Run("gnomon " + properties::ShellQuoted(word)), word + "\n");
  EXPECT_EQ(properties::ShellQuoted("oracle/a-b_1.safetensors"), "oracle/a-b_1.safetensors");
}

}  // namespace
}  // namespace gnomon::oracle
