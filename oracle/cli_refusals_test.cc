// CASE-6. Whatever is not understood is refused in one line, with parameter, value and clause;
// nothing that was typed is ignored.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "gnomon/oracle/cli_test.h"
#include "gnomon/oracle/strict_json.h"

namespace gnomon::oracle {
namespace {

class CliRefusals : public CliTest {};

const std::vector<std::string> kFrequencies = {"eval", "rope.frequencies", "--set", "head_dim=8"};

std::vector<std::string> With(std::vector<std::string> arguments,
                              const std::vector<std::string>& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

TEST_F(CliRefusals, AnEmptyValueIsNotAnAbsentOne) {
  for (const std::string option :
       {"--profile", "--floor", "--config", "--operation", "--axes", "--subject"})
    ExpectRefused({"check", kRecording, option, ""},
                  option + " = \"\": must not be empty (CASE-6)");
  for (const std::string option : {"--out", "--in", "--positions", "--format", "--config"})
    ExpectRefused(With(kFrequencies, {option, ""}), option + " = \"\": must not be empty (CASE-6)");
  ExpectRefused({"eval", ""}, "OP = \"\": must not be empty (CASE-6)");
  ExpectRefused({"check", ""}, "FILE = \"\": must not be empty (CASE-6)");
  ExpectRefused({"explain", kRecording, "--at", ""}, "--at = \"\": must not be empty (CASE-6)");
}

TEST_F(CliRefusals, WhatIsStatedTwiceIsRefused) {
  ExpectRefused({"check", kRecording, "--set", "layout=half_split", "--set", "layout=interleaved"},
                "--set = \"layout=interleaved\": states layout a second time (CASE-6)");
  ExpectRefused({"check", kRecording, "--tensor", "x=query", "--tensor", "x=other"},
                "--tensor = \"x=other\": names x a second time (CASE-6)");
  ExpectRefused(With(kFrequencies, {"--limit", "1", "--limit", "2"}),
                "--limit = \"2\": may be given once; see gnomon eval --help (CASE-6)");
}

TEST_F(CliRefusals, NumbersOutOfRangeAreRefused) {
  const std::vector<std::string> reference = {"check", "--subject", "reference"};
  for (const char* seed : {"18446744073709551616", "-1", "1.5", "0x10", "7 "})
    ExpectRefused(With(reference, {"--seed", seed}),
                  "--seed = " + Quoted(seed) +
                      ": must be an integer from 0 to 18446744073709551615 (CASE-6)");
  for (const char* cases : {"0", "-5", "2147483648", "many"})
    ExpectRefused(
        With(reference, {"--cases", cases}),
        "--cases = " + Quoted(cases) + ": must be an integer from 1 to 2147483647 (CASE-6)");
  for (const char* limit : {"-5", "99999999999999999999", "x"})
    ExpectRefused(
        With(kFrequencies, {"--limit", limit}),
        "--limit = " + Quoted(limit) + ": must be an integer from 0 to 1073741824 (CASE-6)");
  const Answer last = Gnomon(With(reference, {"--cases", "1", "--operation", "rope.frequencies",
                                              "--seed", "18446744073709551615"}));
  EXPECT_NE(last.out.find("seed 18446744073709551615"), std::string::npos) << last.err;
}

TEST_F(CliRefusals, UsageHasParameterValueAndClause) {
  const auto refused = [](const std::vector<std::string>& arguments, const std::string& line) {
    ExpectRefused(arguments, "gnomon: " + line + " (CASE-6)\n");
  };
  refused({}, "COMMAND = (missing): is required; see gnomon --help");
  refused({"-x"}, "argument = \"-x\": is not expected here; see gnomon --help");
  refused({"check", "--jsn"}, "argument = \"--jsn\": is not expected; see gnomon check --help");
  refused({"eval", "rope.table", "a", "b"},
          "argument = \"a\": is not expected; see gnomon eval --help");
  refused({"check", kRecording, "--profile"},
          "--profile = (missing): needs a value; see gnomon check --help");
  refused({"check", kRecording, "--json=no"},
          "--json = (a value): takes none; see gnomon check --help");
  refused({"explain"}, "FILE = (missing): is required; see gnomon explain --help");
  refused({"explain", "f"}, "--at = (missing): is required; see gnomon explain --help");
  refused({"check", kRecording, "--cases", "3"},
          "--cases = \"3\": requires --subject; see gnomon check --help");
  ExpectRefused({"check", "--subject", "builtin", "--profile", "rounded"},
                "--profile = rounded: excludes --subject, which is held to the \"promise\" of its "
                "description; --floor and --profile are for its answers in files (SUBJ-1)");
}

TEST_F(CliRefusals, AFileThatIsNoPluginIsToldHowToBeAsked) {
  const std::string script = GNOMON_SOURCE_DIR "/oracle/examples/process_python/rope.py";
  ExpectRefused(
      {"check", "--subject", script},
      "is a file whose name does not end in .so: a program is asked as 'process:python3 " + script +
          "', a shared library as plugin:" + script + " (SUBJ-5)");
  const std::string program = GNOMON_SOURCE_DIR "/ci/build";
  ExpectRefused({"check", "--subject", program},
                "a program is asked as process:" + program + ", a shared library as plugin:");
}

TEST_F(CliRefusals, OutputsBeyondMemoryAreRefusedBeforehand) {
  ExpectRefused({"eval", "sinusoidal.shift_matrix", "--set", "width=1048576", "--set", "offset=3"},
                "matrix = [1048576, 1048576]: outputs must not exceed 2^30 elements (CASE-4)");
}

// 2^30 elements would take days: what is not printed is not computed.
TEST_F(CliRefusals, EvalComputesWhatItPrints) {
  const Answer run = Gnomon({"eval", "sinusoidal.shift_matrix", "--set", "width=32768", "--set",
                             "offset=3", "--limit", "2"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_NE(run.out.find("... and 1073741822 more elements\n"), std::string::npos) << run.out;
  const Answer none = Gnomon(With(kFrequencies, {"--limit", "0"}));
  EXPECT_NE(none.out.find("... and 4 more elements\n"), std::string::npos);
}

TEST_F(CliRefusals, EvalPrintsTheSameWithAndWithoutAFile) {
  const std::vector<std::string> table = {"eval",        "rope.table", "--set",    "head_dim=8",
                                          "--positions", "0,7",        "--format", "bf16"};
  EXPECT_EQ(Gnomon(table).out, Gnomon(With(table, {"--out", folder_ / "table"})).out);
}

TEST_F(CliRefusals, OptionsThatDoNotApplyAreRefused) {
  ExpectRefused(With(kFrequencies, {"--positions", "1,2"}),
                "--positions = \"1,2\": rope.frequencies has no positions (CASE-4)");
  ExpectRefused({"eval", "--in", kRecording, "--tensor", "y=y"},
                "--tensor = \"y\": is an output: eval computes it (CASE-6)");
  const std::string no_axes = "states those of x and y; rope.frequencies has neither (CASE-7)";
  ExpectRefused(With(kFrequencies, {"--axes", "seq"}), no_axes);
  ExpectRefused({"check", kRecording, "--operation", "rope.frequencies", "--axes", "seq"}, no_axes);
}

TEST_F(CliRefusals, InPlaceIsCheckedWhateverTheOperation) {
  const auto file = [&](const std::string& in_place) {
    const std::string own =
        R"({\"operation\":\"rope.frequencies\",\"parameters\":{\"head_dim\":2},)"
        R"(\"in_place\":\")" +
        in_place + R"(\"})";
    return WriteSafetensors("case",
                            R"({"__metadata__":{"gnomon.case":")" + own + R"("},)" +
                                R"("w":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})",
                            std::string("\0\0\x80\x3f", 4));
  };
  EXPECT_EQ(Gnomon({"check", file("")}).code, 0);
  ExpectRefused({"check", file("nonsense")},
                "in_place = nonsense: no input of rope.frequencies can be overwritten (CASE-4)");
}

// SCALE-16. A configuration speaks of the whole model, but its scaling changes every angle.
TEST_F(CliRefusals, AScalingThatAnOperationDoesNotTakeIsNotDropped) {
  const std::string config = Write("config.json", R"({"head_dim":8,"rope_theta":10000,
      "rope_scaling":{"type":"linear","factor":4}})");
  for (const std::string operation : {"multi_axis.mrope", "multi_axis.axial", "rope.xpos"})
    ExpectRefused({"check", kPlain, "--operation", operation, "--config", config},
                  "is a scaling, which " + operation + " does not take");
  EXPECT_EQ(Gnomon({"eval", "rope.frequencies", "--config", config}).code, 0);
}

// CASE-8. Of a model of several towers.
TEST_F(CliRefusals, ATowerIsChosenByName) {
  const std::string config = Write("config.json", R"({"model_type":"qwen2_vl",
      "text_config":{"head_dim":8,"rope_theta":500000.0},
      "vision_config":{"embed_dim":1280,"num_heads":16,"rope_theta":10000.0}})");
  const std::vector<std::string> eval = {"eval", "rope.frequencies", "--config", config};
  ExpectRefused(eval, "--set tower=text asks for text_config alone");
  for (const std::string tower : {"audio", "Text", "[1]"})
    ExpectRefused(With(eval, {"--set", "tower=" + tower}), ": must be text or vision (CASE-8)");
  ExpectRefused(With(eval, {"--set", "tower=audio"}), "tower = \"audio\": must be text or vision");
  ExpectRefused(With(eval, {"--set", "tower=vision"}),
                "tower = vision: is read for multi_axis.axial alone (CASE-8)");
  const Answer run = Gnomon(With(eval, {"--set", "tower=text"}));
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(run.out, Gnomon(With(kFrequencies, {"--set", "rope_theta=500000"})).out);
}

// A scheme without RoPE takes its own parameters.
TEST_F(CliRefusals, AConfigurationOfAnotherScheme) {
  const std::string bloom = Write("bloom.json", R"({"model_type":"bloom","n_head":8})");
  const Answer run = Gnomon({"eval", "alibi.slopes", "--config", bloom});
  EXPECT_EQ(run.out, Gnomon({"eval", "alibi.slopes", "--set", "num_heads=8"}).out) << run.err;
  ExpectRefused({"eval", "rope.frequencies", "--config", bloom}, "is a model without RoPE");
  ExpectRefused({"eval", "t5_bias.bucket", "--config", bloom}, "does not say that it has");
}

TEST_F(CliRefusals, NumbersAreSaidAsPeopleWriteThem) {
  ExpectRefused(
      {"check", kPlain, "--config", Write("c.json", R"({"head_dim":40,"kv_channels":80})")},
      "kv_channels = 80: contradicts 40 under another name");
  EXPECT_NE(Gnomon({"check", kRecording, "--set", "rope_theta=40"})
                .out.find("overridden: rope_theta 40, where the file's case says 500000\n"),
            std::string::npos);
}

TEST_F(CliRefusals, WhatIsNoRegularFileIsNotRead) {
  ExpectRefused({"check", "/dev/zero"}, "/dev/zero: cannot be read: not a regular file (CASE-7)");
  const std::string pipe = folder_ / "pipe";  // nobody ever writes
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  ExpectRefused({"explain", pipe, "--at", "0"}, "cannot be read: not a regular file (CASE-7)");
  ExpectRefused({"check", kPlain, "--config", "/dev/zero"}, "not a regular file (CASE-7)");
  ExpectRefused({"explain", Write("zeros", std::string(64, '\0')), "--at", "0"},
                "as safetensors its header length would be 0 (CASE-7)");
}

TEST_F(CliRefusals, WhatOverridesTheFilesOwnCaseIsStated) {
  const std::string note =
      "overridden: layout \"interleaved\", where the file's case says \"half_split\"\n";
  const std::vector<std::string> set = {"--set", "layout=interleaved"};
  EXPECT_NE(Gnomon(With({"check", kRecording}, set)).out.find(note), std::string::npos);
  EXPECT_NE(Gnomon(With({"explain", kRecording, "--at", "0,1,0,0"}, set)).out.find(note),
            std::string::npos);
  EXPECT_NE(Gnomon(With({"eval", "--in", kRecording, "--limit", "1"}, set)).out.find(note),
            std::string::npos);
  const Json json =
      ParseStrictly(Gnomon(With({"check", kRecording, "--json"}, set)).out, "report", "CASE-7");
  EXPECT_EQ(json["overridden"].size(), 1u);
  EXPECT_EQ(Gnomon({"check", kRecording, "--set", "layout=half_split"}).out.find("overridden"),
            std::string::npos);
}

}  // namespace
}  // namespace gnomon::oracle
