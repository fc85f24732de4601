// REPORT-2. Whatever `gnomon check --json` writes is as spec/report.schema.json says, and what that
// says stands in spec/report.md.
#include <gtest/gtest.h>

#include <set>

#include "gnomon/oracle/cli_test.h"
#include "gnomon/oracle/files.h"
#include "gnomon/oracle/strict_json.h"

namespace gnomon::oracle {
namespace {

const std::string kSpec = GNOMON_SOURCE_DIR "/spec/";

// As much of JSON Schema as the schema uses; any other keyword is an error.
class Validator {
 public:
  explicit Validator(const Json& root) : root_(root) {}

  std::vector<std::string> Errors(const Json& value) const {
    std::vector<std::string> errors;
    Check(root_, value, "", &errors);
    return errors;
  }

 private:
  using Errors_ = std::vector<std::string>;

  static bool HasType(const Json& value, const std::string& type) {
    return type == "integer"   ? value.is_number_integer()
           : value.is_number() ? type == "number"
                               : value.type_name() == type;
  }
  void Check(const Json& schema, const Json& value, const std::string& path,
             Errors_* errors) const {
    const auto fail = [&](const std::string& what) { errors->push_back(path + ": " + what); };
    for (const auto& [keyword, of] : schema.items()) {
      if (keyword == "$schema" || keyword == "title" || keyword == "$defs") continue;
      if (keyword == "$ref") {
        const std::string name = of.get<std::string>().substr(std::string("#/$defs/").size());
        Check(root_.at("$defs").at(name), value, path, errors);
      } else if (keyword == "type") {
        const Json types = of.is_array() ? of : Json::array({of});
        if (std::none_of(types.begin(), types.end(),
                         [&](const Json& type) { return HasType(value, type); }))
          fail("is no " + of.dump());
      } else if (keyword == "enum") {
        if (std::find(of.begin(), of.end(), value) == of.end()) fail("is none of " + of.dump());
      } else if (keyword == "const") {
        if (value != of) fail("is not " + of.dump());
      } else if (keyword == "minimum") {
        if (value.is_number() && value < of) fail("is below " + of.dump());
      } else if (keyword == "required") {
        for (const Json& key : of)
          if (value.is_object() && !value.contains(key.get<std::string>()))
            fail("lacks " + key.dump());
      } else if (keyword == "properties" || keyword == "additionalProperties") {
        if (keyword == "properties" || !schema.contains("properties"))
          CheckMembers(schema, value, path, errors);
      } else if (keyword == "items") {
        for (size_t i = 0; value.is_array() && i < value.size(); ++i)
          Check(of, value[i], path + "/" + std::to_string(i), errors);
      } else if (keyword == "oneOf") {
        Errors_ all;
        int fit = 0;
        for (const Json& one : of) {
          Errors_ here;
          Check(one, value, path, &here);
          fit += here.empty();
          all.insert(all.end(), here.begin(), here.end());
        }
        if (fit == 1) continue;
        fail("fits " + std::to_string(fit) + " of the choices");
        errors->insert(errors->end(), all.begin(), all.end());
      } else {
        fail("the schema uses " + keyword + ", which this test does not know");
      }
    }
  }
  void CheckMembers(const Json& schema, const Json& value, const std::string& path,
                    Errors_* errors) const {
    if (!value.is_object()) return;
    const Json known = schema.value("properties", Json::object());
    const Json others = schema.value("additionalProperties", Json(true));
    for (const auto& [key, member] : value.items()) {
      const std::string here = path + "/" + key;
      if (known.contains(key)) {
        Check(known[key], member, here, errors);
      } else if (others.is_object()) {
        Check(others, member, here, errors);
      } else if (others == false) {
        errors->push_back(here + ": is not in the schema");
      }
    }
  }
  const Json& root_;
};

class ReportSchema : public CliTest {
 protected:
  ReportSchema() : schema_(Read("report.schema.json")), validator_(schema_) {}
  static Json Read(const std::string& name) {
    return ParseStrictly(ReadFile(kSpec + name).text(), name, "REPORT-2");
  }
  std::string Wrong(const Json& report) const {
    std::string text;
    for (const std::string& error : validator_.Errors(report)) text += error + "\n";
    return text;
  }
  // The report of a run, which fits.
  Json Fits(std::vector<std::string> arguments, int code) const {
    arguments.insert(arguments.begin(), "check");
    arguments.push_back("--json");
    const Answer run = Gnomon(arguments);
    EXPECT_EQ(run.code, code) << run.err;
    const Json report = ParseStrictly(run.out, "report", "REPORT-2");
    EXPECT_EQ(Wrong(report), "") << arguments[1];
    EXPECT_EQ(report["exit_code"], code);
    return report;
  }
  const Json schema_;
  const Validator validator_;
};

TEST_F(ReportSchema, HoldsForOneRecording) {
  EXPECT_EQ(Fits({kRecording}, 0)["kind"], "recording");
  Fits({kRecording, "--set", "layout=interleaved"}, 1);
  Fits({WriteSafetensors("none", "{}")}, 4);
  const std::string recordings = GNOMON_SOURCE_DIR "/oracle/recordings/";
  for (const char* name : {"torch_sinusoidal_d64", "onnx_ref_f16", "faulty_1"})
    for (const auto& file : std::filesystem::directory_iterator(recordings))
      if (file.path().stem().string().starts_with(name))
        Fits({file.path()}, std::string(name) == "faulty_1");
}

TEST_F(ReportSchema, HoldsWhereNothingIsFinite) {
  const std::string table = folder_ / "table";
  ASSERT_EQ(
      Gnomon({"eval", "rope.table", "--set", "head_dim=4", "--positions", "1,2", "--out", table})
          .code,
      0);
  std::string bytes(ReadFile(table).text());
  bytes.replace(bytes.size() - 4, 4, "\xff\xff\xff\x7f");
  const Json report = Fits({Write("nan", bytes)}, 1);
  EXPECT_EQ(report["largest_error"], "inf");
  EXPECT_EQ(report["worst"]["got"], "nan");
}

TEST_F(ReportSchema, HoldsForSeveralFiles) {
  const std::string none = WriteSafetensors("none", "{}");
  const Json report = Fits({kRecording, none}, 4);
  EXPECT_EQ(report["kind"], "recordings");
  EXPECT_EQ(report["recordings"][0]["file"], kRecording);
  EXPECT_EQ(report["recordings"].size(), 2u);
}

// Cases of files, asked of a live subject.
TEST_F(ReportSchema, HoldsForCasesOfASubject) {
  const Json answered = Fits({"--subject", "reference", kRecording}, 0);
  EXPECT_EQ(answered["recordings"][0]["subject"], "reference");
  EXPECT_EQ(answered["recordings"][0]["profile"], "rounded");
  const Json outside =
      Fits({"--subject", Plainest() + "/exact",
            GNOMON_SOURCE_DIR "/oracle/recordings/torch_sinusoidal_f32_d64.safetensors"},
           4);
  EXPECT_EQ(outside["recordings"][0]["verdict"], "nothing run");
}

TEST_F(ReportSchema, HoldsForSubjects) {
  EXPECT_EQ(Fits({"--subject", "reference", "--cases", "1"}, 0)["kind"], "subjects");
  const Json wrong =
      Fits({"--subject", "wrong:base", "--operation", "rope.frequencies", "--cases", "3"}, 1);
  bool finding = false;
  for (const Json& property : wrong["subjects"][0]["properties"])
    finding |= property.contains("finding");
  EXPECT_TRUE(finding);
  Fits({"--subject", "reference", "--operation", "none.*"}, 4);
}

TEST_F(ReportSchema, HoldsWithExpectedFailures) {
  const std::string list = Write("list", "nothing  1  -  -  because\n");
  const Json report = Fits({kRecording, "--expected", list}, 1);
  EXPECT_EQ(report["expected"]["problems"].size(), 1u);
  EXPECT_EQ(report["verdict"], "conforms");
}

TEST_F(ReportSchema, FindsPlantedFaults) {
  const Json good = Fits({kRecording}, 0);
  const auto faulty = [&](const char* pointer, const Json& value) {
    Json bad = good;
    bad[Json::json_pointer(pointer)] = value;
    return Wrong(bad) != "";
  };
  EXPECT_FALSE(faulty("/sentence", "else"));
  EXPECT_TRUE(faulty("/new", 1));
  EXPECT_TRUE(faulty("/schema", 2));
  EXPECT_TRUE(faulty("/verdict", "fine"));
  EXPECT_TRUE(faulty("/elements", "many"));
  EXPECT_TRUE(faulty("/elements", -1));
  EXPECT_TRUE(faulty("/worst/bound", "big"));
  EXPECT_TRUE(faulty("/worst/more", 1));
  EXPECT_TRUE(faulty("/profiles/standard/met", 1));
  EXPECT_TRUE(faulty("/histogram/bins/0/count", 0.5));
  for (const auto& [key, value] : good.items()) {
    Json bad = good;
    bad.erase(key);
    EXPECT_NE(Wrong(bad), "") << key;
  }
}

TEST_F(ReportSchema, EveryKeyIsExplained) {
  const std::string page(ReadFile(kSpec + "report.md").text());
  std::set<std::string> keys;
  for (const auto& [name, part] : schema_["$defs"].items())
    if (part.contains("properties"))
      for (const auto& [key, of] : part["properties"].items()) keys.insert(key);
  EXPECT_GT(keys.size(), 50u);
  for (const std::string& key : keys)
    EXPECT_NE(page.find("`" + key + "`"), std::string::npos) << key;
}

}  // namespace
}  // namespace gnomon::oracle
