// The command line as a person types it: the manual's examples, exit codes, bad input.
#include "gnomon/oracle/cli_test.h"

#include <gtest/gtest.h>

#include "gnomon/oracle/axes.h"
#include "gnomon/oracle/cli_help.h"
#include "gnomon/oracle/strict_json.h"

namespace gnomon::oracle {
namespace {

TEST_F(CliTest, TheManualsExamplesDoWhatItSays) {
  const std::filesystem::path before = std::filesystem::current_path();
  // The tree's entries, and what the examples write, in a folder of their own.
  for (const auto& entry : std::filesystem::directory_iterator(GNOMON_SOURCE_DIR))
    std::filesystem::create_symlink(entry.path(), folder_ / entry.path().filename());
  std::filesystem::current_path(folder_);
  size_t examples = 0;
  std::vector<Page> pages = {ProgramPage()};
  for (const Command& command : Commands()) pages.push_back(command.page);
  for (const Page& manual : pages) {
    std::vector<std::string> help = {manual.command, "--help"};
    if (help[0].empty()) help.erase(help.begin());
    const Answer page = Gnomon(help);
    EXPECT_EQ(page.code, 0);
    for (const char* part :
         {"NAME\n", "SYNOPSIS\n", "DESCRIPTION\n", "OPTIONS\n", "EXAMPLES\n", "EXIT STATUS\n"})
      EXPECT_NE(page.out.find(part), std::string::npos) << manual.command << " lacks " << part;
    for (const Example& example : manual.examples) {
      EXPECT_NE(page.out.find("$ " + example.command + "\n"), std::string::npos);
      std::vector<std::string> arguments = SplitList(example.command, ' ');
      ASSERT_EQ(arguments[0], "gnomon");
      arguments.erase(arguments.begin());
      for (std::string& argument : arguments) std::erase(argument, '\'');  // as the shell does
      const Answer run = Gnomon(arguments);
      EXPECT_EQ(run.code, example.exit_code) << example.command << "\n" << run.err;
      EXPECT_NE(run.out, "") << example.command;
      ++examples;
    }
  }
  EXPECT_GT(examples, 10u);
  std::filesystem::current_path(before);
}

TEST_F(CliTest, CheckReportsTheWorstElementInWords) {
  const Answer run = Gnomon({"check", kRecording});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(run.out.find("conforms: rope.apply on 160 f32 elements"), 0u) << run.out;
  for (const char* part : {"meets f32-angle", "layout half_split", "rope_theta 500000",
                           "worst element under f32-angle", "y[batch 0, seq ", "position ",
                           "expected ", "0x1.", "bound ", "errors in u S",
                           "largest error by position", "departs from standard at |position| "})
    EXPECT_NE(run.out.find(part), std::string::npos) << part << " in\n" << run.out;
  EXPECT_EQ(run.err, "");
}

TEST_F(CliTest, CheckReportsInJson) {
  const Answer run = Gnomon({"check", kRecording, "--json"});
  const Json json = ParseStrictly(run.out, "report", "CASE-7");
  EXPECT_EQ(json["verdict"], "conforms");
  EXPECT_EQ(json["operation"], "rope.apply");
  EXPECT_EQ(json["profile"], "f32-angle");
  EXPECT_EQ(json["elements"], 160);
  EXPECT_EQ(json["vacuous"], 0);
  EXPECT_EQ(json["ties"], 0);
  EXPECT_EQ(json["worst"]["output"], "y");
  EXPECT_TRUE(json["worst"]["index"].contains("head_dim"));
  int64_t counted = json["histogram"]["not_finite"];
  for (const Json& bin : json["histogram"]["bins"]) counted += bin["count"].get<int64_t>();
  EXPECT_EQ(counted, 160);
  EXPECT_GT(json["profiles"]["standard"]["outside"], 0);
}

TEST_F(CliTest, ProfileAndFloorDecideTheExitCode) {
  EXPECT_EQ(Gnomon({"check", kRecording, "--profile", "f32-angle"}).code, 0);
  EXPECT_EQ(Gnomon({"check", kRecording, "--profile", "f32-exp"}).code, 0);
  const Answer run = Gnomon({"check", kRecording, "--floor", "standard"});
  EXPECT_EQ(run.code, 1);
  EXPECT_EQ(run.out.find("nonconforming: "), 0u);
  EXPECT_NE(run.out.find("first element outside standard"), std::string::npos);
  ExpectRefused({"check", kRecording, "--profile", "perfect"}, "--profile = \"perfect\"");
  ExpectRefused({"check", kRecording, "--profile", "standard", "--floor", "standard"}, "excludes");
}

TEST_F(CliTest, APlainFileNeedsALayout) {
  ExpectRefused({"check", kPlain, "--axes", kPacked, "--set", "head_dim=16"}, "layout = (missing)");
  const Answer run = Gnomon({"check", kPlain, "--axes", kPacked, "--set", "head_dim=16", "--set",
                             "rope_theta=500000", "--set", "layout=half_split"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_NE(run.out.find("layout half_split"), std::string::npos);
}

TEST_F(CliTest, UsageIsRefused) {
  ExpectRefused({"frobnicate"}, "frobnicate");
  ExpectRefused({"check"}, "FILE = (missing)");
  ExpectRefused({"check", kRecording, "--subject", "builtin", "--operation", "rope.apply"},
                "--operation = (given): is for the suite");
  ExpectRefused({"check", kRecording, "--subject", "builtin", "--cases", "5"},
                "--cases = (given): is for the suite");
  ExpectRefused({"check", "--subject", "builtin", "--profile", "rounded"}, "excludes");
  ExpectRefused({"check", kRecording, "--cases", "7"}, "requires --subject");
  ExpectRefused({"eval", "rope.frequencies", "--set", "head_dim=8", "--set", "a\nb=3"}, "a b = 3");
  ExpectRefused({"check", kRecording, "--set", "layout"}, "NAME=VALUE");
  ExpectRefused({"check", kRecording, "--tensor", "=x"}, "NAME=VALUE");
  ExpectRefused({"check", kRecording, "--operation", "rope.reply"}, "rope.reply");
  ExpectRefused({"eval", "rope.reply"}, "is none of rope.frequencies,rope.table,rope.apply");
  ExpectRefused({"check", "--subject", "reference", "--cases", "0"}, "--cases = \"0\"");
  ExpectRefused({"check", "--subject", "reference", "--cases", "-1"}, "--cases = \"-1\"");
  ExpectRefused({"explain", kRecording, "--at", "0,9,0,0"}, "outside");
  ExpectRefused({"explain", kRecording, "--at", "0,0"}, "one index an axis");
  ExpectRefused({"explain", kRecording, "--at", "0,0,0,0", "--output", "z"}, "\"z\"");
  ExpectRefused({"eval", "rope.table", "--set", "head_dim=4", "--positions", "1,x"}, "--positions");
  ExpectRefused({"eval", "rope.table", "--set", "head_dim=4", "--format", "f8"}, "--format");
}

TEST_F(CliTest, BadParametersAreRefused) {
  const auto refused = [](const std::string& set, const std::string& message) {
    ExpectRefused({"check", kRecording, "--set", set}, message);
  };
  refused("rope_theta=0", "(ROPE-1)");
  refused("rope_theta=-1", "(ROPE-1)");
  refused("rope_theta=nan", "(CASE-3)");
  refused("rope_theta=1e999", "(CASE-3)");
  refused("rotary_dim=7", "rotary_dim = 7: must be even (ROPE-2)");
  refused("head_dim=7", "head_dim = 7: must be even where no rotary_dim is given (ROPE-2)");
  refused("rope_theta=-40", "rope_theta = -40: must be positive (ROPE-1)");
  refused("rotary_dim=32", "(ROPE-5)");
  refused("rotary_offset=2", "(ROPE-5)");
  refused("head_dim=8", "head_dim");
  refused("layout=sideways", "sideways");
  refused("rope_scaling=2", "(CASE-2)");
  ExpectRefused({"eval", "rope.table", "--set", "head_dim=4", "--positions", "2147483648"},
                "(POS-1)");
}

TEST_F(CliTest, BadFilesAreRefused) {
  ExpectRefused({"check", folder_ / "missing"}, "cannot be opened");
  ExpectRefused({"check", folder_}, "holds no .safetensors file");
  ExpectRefused({"check", Write("empty", "")}, "is neither a safetensors nor a .npy file");
  ExpectRefused({"check", Write("zeros", std::string(100, '\0'))},
                "is neither a safetensors nor a .npy file");
  ExpectRefused({"check", kExamples / "config.json"}, "is neither a safetensors nor a .npy file");
  ExpectRefused(
      {"check",
       WriteSafetensors("lies", R"({"x":{"dtype":"F32","shape":[9],"data_offsets":[0,36]}})")},
      "more than the file holds");
  ExpectRefused({"check", Write("short.npy", "\x93NUMPY\x01")}, "ends within");
  const std::string y = kExamples / "y.npy", x = "x=" + (kExamples / "x.npy").string();
  ExpectRefused({"check", y, "--operation", "rope.apply", "--tensor", x, "--tensor", "y=" + y},
                "names the output, which the file itself is (CASE-7)");
  ExpectRefused(
      {"check", kPlain, "--config", Write("c.json", R"({"rope_scaling":{"type":"spiral"}})")},
      "spiral");
  ExpectRefused(
      {"check",
       WriteSafetensors("newline", R"({"a\nb":{"dtype":"F3","shape":[],"data_offsets":[0,0]}})")},
      "a\\nb");
  const std::string question = folder_ / "question";
  ASSERT_EQ(
      Gnomon({"eval", "rope.table", "--set", "head_dim=4", "--positions", "1", "--out", question})
          .code,
      0);
  EXPECT_EQ(Gnomon({"check", question, "--profile", "rounded"}).code, 0);
  ExpectRefused(
      {"check", kPlain, "--axes", kPacked, "--tensor", "y=z", "--set", "layout=half_split"},
      "\"z\"");
}

TEST_F(CliTest, AMissingRoleIsRefusedWithWhatTheFileHolds) {
  const std::string other = WriteSafetensors(
      "other", R"({"query":{"dtype":"F32","shape":[1,1,4],"data_offsets":[0,16]}})",
      std::string(16, '\0'));
  ExpectRefused({"check", other, "--set", "layout=half_split"},
                "an input of rope.apply: name it by --tensor x=NAME; it holds \"query\"");
  ExpectRefused({"check", other, "--set", "layout=half_split", "--tensor", "x=query"},
                "--tensor positions=NAME; it holds \"query\"");
}

// x and y [1, 2, 3, 4]: as Hugging Face stores them, two heads of three tokens.
TEST_F(CliTest, AxesTakenByRankAreNamedWhereSomethingIsWrong) {
  const std::string file =
      WriteSafetensors("order",
                       R"({"x":{"dtype":"F32","shape":[1,2,3,4],"data_offsets":[0,96]},)"
                       R"("y":{"dtype":"F32","shape":[1,2,3,4],"data_offsets":[96,192]},)"
                       R"("positions":{"dtype":"I64","shape":[3],"data_offsets":[192,216]}})",
                       std::string(216, '\0'));
  const std::string hint = "axes taken as batch,seq,heads,head_dim; state them with --axes";
  ExpectRefused({"check", file, "--set", "layout=half_split"}, hint);
  const std::string order = "batch,heads,seq,head_dim";
  EXPECT_EQ(Gnomon({"check", file, "--set", "layout=half_split", "--axes", order}).code, 0);
  const std::string red = WriteSafetensors(
      "red",
      R"({"x":{"dtype":"F32","shape":[1,1,1,2],"data_offsets":[0,8]},"y":{"dtype":"F32","shape":)"
      R"([1,1,1,2],"data_offsets":[8,16]},"positions":{"dtype":"I64","shape":[1],"data_offsets":[16,24]}})",
      std::string("\0\0\0\0\0\0\0\0@@@@@@@@\0\0\0\0\0\0\0\0", 24));
  const Answer run = Gnomon({"check", red, "--set", "layout=half_split"});
  EXPECT_EQ(run.code, 1);
  EXPECT_NE(run.out.find("\nhint: " + hint + "\n"), std::string::npos) << run.out;
  // A position that is none is no affair of axes.
  const std::string far = WriteSafetensors(
      "far",
      R"({"x":{"dtype":"F32","shape":[1,1,1,2],"data_offsets":[0,8]},"y":{"dtype":"F32","shape":)"
      R"([1,1,1,2],"data_offsets":[8,16]},"positions":{"dtype":"I64","shape":[1],"data_offsets":[16,24]}})",
      std::string(16, '\0') + std::string("\0\0\0\0\0\1\0\0", 8));
  const Answer refused = Gnomon({"check", far, "--set", "layout=half_split"});
  EXPECT_EQ(refused.code, 3);
  EXPECT_TRUE(refused.err.ends_with("(POS-1)\n")) << refused.err;
  EXPECT_EQ(refused.err.find("--axes"), std::string::npos) << refused.err;
}

TEST_F(CliTest, ARedVerdictNamesTheMistake) {
  const Answer run = Gnomon({"check", kRecording, "--set", "layout=interleaved"});
  EXPECT_EQ(run.code, 1);
  EXPECT_NE(run.out.find("\nmistake: layout/half-split ("), std::string::npos) << run.out;
}

TEST_F(CliTest, ASubjectRunEndsWithASummary) {
  const Answer run = Gnomon({"check", "--subject", "reference", "--cases", "1"});
  EXPECT_TRUE(run.out.ends_with("\n1 of 1 subject conforms\n")) << run.out;
}

TEST_F(CliTest, AManualPageListsTheExitCodesOfItsCommand) {
  for (const char* command : {"operations", "eval", "explain"})
    EXPECT_EQ(Gnomon({command, "--help"}).out.find("nonconforming,"), std::string::npos) << command;
  for (const char* part : {"1 nonconforming,", "wrong:<id>"})
    EXPECT_NE(Gnomon({"check", "--help"}).out.find(part), std::string::npos) << part;
}

TEST_F(CliTest, NothingRunIsNoSuccess) {
  const std::string none = WriteSafetensors("none", "{}");
  EXPECT_EQ(Gnomon({"check", none}).code, 4);
  const std::string empty = WriteSafetensors(
      "no_tokens",
      R"({"x":{"dtype":"F32","shape":[0,1,4],"data_offsets":[0,0]},"y":{"dtype":"F32","shape":[0,1,4],"data_offsets":[0,0]},)"
      R"("positions":{"dtype":"I64","shape":[0],"data_offsets":[0,0]}})");
  const Answer run = Gnomon({"check", empty, "--set", "layout=half_split", "--json"});
  EXPECT_EQ(run.code, 4) << run.err;
  EXPECT_EQ(ParseStrictly(run.out, "report", "CASE-7")["verdict"], "nothing run");
}

TEST_F(CliTest, AnOutputThatCannotBeWrittenLeavesNothing) {
  ExpectRefused(
      {"eval", "rope.frequencies", "--set", "head_dim=4", "--out", folder_ / "no" / "where"},
      "cannot be written");
  ExpectRefused({"eval", "rope.frequencies", "--set", "head_dim=4", "--out", "/dev/full"},
                "cannot be written");
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

TEST_F(CliTest, EvalTellsDecimalsFromBinary) {
  const auto frequency = [](const std::string& list) {
    return Gnomon({"eval", "rope.frequencies", "--format", "f64", "--set", "head_dim=2", "--set",
                   "frequencies=" + list})
        .out;
  };
  EXPECT_NE(frequency("[0.1]").find("truth 0.100000000000000005551115123126 +- 3e-31"),
            std::string::npos)
      << frequency("[0.1]");
  EXPECT_NE(frequency("[\"0.1\"]").find("truth 0.1 +- "), std::string::npos)
      << frequency("[\"0.1\"]");
}

TEST_F(CliTest, ExplainShowsTheSteps) {
  const Answer run = Gnomon({"explain", kRecording, "--at", "0,4,1,9"});
  EXPECT_EQ(run.code, 0) << run.err;
  for (const char* part : {"position       131071", "pair           1", "m w", "cos", "x_a",
                           "truth", "rounded", "candidate", "standard", "outside", "f32-angle"})
    EXPECT_NE(run.out.find(part), std::string::npos) << part << " in\n" << run.out;
}

}  // namespace
}  // namespace gnomon::oracle
