// Descriptions of subjects (SUBJ-1, SUBJ-3): what they say, and how a bad one is refused.
#include "gnomon/oracle/description.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "gnomon/oracle/bad_file.h"

namespace gnomon::oracle {
namespace {

std::string Refusal(const std::string& text) {
  try {
    ParseDescription(text, "k.so");
  } catch (const BadFile& error) {
    return error.what();
  }
  return "";
}

// The example of spec/subject.md.
TEST(Description, TheExampleOfTheClause) {
  std::ifstream page(GNOMON_SOURCE_DIR "/spec/subject.md");
  std::stringstream all;
  all << page.rdbuf();
  const std::string text = all.str();
  const size_t from = text.find("{\"name\": \"my rope\""), to = text.find("\n\n", from);
  ASSERT_NE(from, std::string::npos);
  const Description d = ParseDescription(text.substr(from, to - from), "k.so");
  EXPECT_EQ(d.name, "my rope");
  EXPECT_EQ(d.promise, *ProfileFromName("f32-angle"));
  EXPECT_EQ(d.alignment, 1);
  EXPECT_TRUE(d.Declares("rope.apply", Format::kBf16));
  EXPECT_FALSE(d.Declares("rope.apply", Format::kF16));
  EXPECT_FALSE(d.Declares("rope.table", Format::kF32));
  const properties::Limits limits = d.LimitsOf("rope.apply");
  EXPECT_FALSE(limits.strides);
  EXPECT_TRUE(limits.in_place);
  EXPECT_EQ(limits.max_position, 131071);
  EXPECT_EQ(limits.parameters.at("head_dim"), (std::vector<Value>{64.0, 128.0}));
  EXPECT_FALSE(limits.takes("cos"));
}

TEST(Description, ExtentsOfAxes) {
  const auto limits = ParseDescription(R"({"operations": {"attention.softmax": {"formats": ["f32"],
                          "axes": {"head_dim": [64, 128], "key": 512}}}})",
                                       "k.so")
                          .LimitsOf("attention.softmax");
  EXPECT_EQ(limits.extent("head_dim", 128), 128);
  EXPECT_NE(limits.extent("head_dim", 96), 96);
  EXPECT_EQ(limits.extent("key", 600), 512);
}

TEST(Description, TheLeast) {
  const Description d =
      ParseDescription(R"({"operations": {"rope.table": {"formats": ["f32"]}}})", "k.so");
  EXPECT_EQ(d.name, "k.so");
  EXPECT_EQ(d.promise, *ProfileFromName("f32-angle"));
  EXPECT_TRUE(d.LimitsOf("rope.table").strides);
  EXPECT_FALSE(d.flushes_subnormals);
}

// BOUND-8.
TEST(Description, Flushing) {
  const auto with = [](const std::string& body) {
    return "{" + body + R"(, "operations": {"rope.table": {"formats": ["f32"]}}})";
  };
  EXPECT_TRUE(ParseDescription(with(R"("flushes_subnormals": true)"), "k.so").flushes_subnormals);
  EXPECT_FALSE(
      ParseDescription(with(R"("flushes_subnormals": false, "promise": "rounded")"), "k.so")
          .flushes_subnormals);
  EXPECT_EQ(Refusal(with(R"("flushes_subnormals": 1)")),
            "k.so: description: flushes_subnormals = 1: must be true or false (SUBJ-1)");
  EXPECT_EQ(Refusal(with(R"("flushes_subnormals": "results")")),
            "k.so: description: flushes_subnormals = \"results\": must be true or false (SUBJ-1)");
  EXPECT_EQ(Refusal(with(R"("flush_subnormals": true)")),
            "k.so: description: key \"flush_subnormals\": is not known (SUBJ-1)");
  EXPECT_EQ(Refusal(with(R"("flushes_subnormals": true, "promise": "rounded")")),
            "k.so: description: flushes_subnormals: contradicts the promise \"rounded\" (BOUND-8)");
}

TEST(Description, ABadOneIsRefusedInOneLine) {
  const auto operation = [](const std::string& body) {
    return Refusal(R"({"operations": {"rope.apply": {"formats": ["f32"], )" + body + "}}}");
  };
  EXPECT_EQ(Refusal("[]"), "k.so: description: the description = []: must be an object (SUBJ-1)");
  EXPECT_EQ(Refusal("{}"), "k.so: description: operations: must name what it does (SUBJ-1)");
  EXPECT_NE(Refusal("{").find("JSON cannot be read"), std::string::npos);
  EXPECT_EQ(Refusal(R"({"operations": {"rope.turn": {}}})"),
            "k.so: description: operations: \"rope.turn\" is no operation (CASE-1)");
  EXPECT_EQ(Refusal(R"({"operations": {"rope.apply": {}}})"),
            "k.so: description: rope.apply: must list its formats (SUBJ-3)");
  EXPECT_EQ(Refusal(R"({"operations": {"rope.apply": {"formats": ["fp8"]}}})"),
            "k.so: description: rope.apply.formats: \"fp8\" is no format (FORMAT-1)");
  EXPECT_EQ(Refusal(R"({"promise": "exact"})"),
            "k.so: description: promise: \"exact\" is no profile (BOUND-1)");
  EXPECT_EQ(Refusal(R"({"alignment": 24})"),
            "k.so: description: alignment = 24: must be a power of two (SUBJ-1)");
  EXPECT_EQ(Refusal(R"({"threads": 2})"),
            "k.so: description: key \"threads\": is not known (SUBJ-1)");
  EXPECT_EQ(operation(R"("parameters": {"base": [1]})"),
            "k.so: description: rope.apply.parameters: \"base\" is not known to the operation "
            "(SUBJ-3)");
  EXPECT_NE(operation(R"("without": ["x"])").find("\"x\" is not known"), std::string::npos);
  EXPECT_NE(operation(R"("axes": {"width": 2})").find("\"width\" is not known"), std::string::npos);
  EXPECT_EQ(
      operation(R"("axes": {"heads": [8, 0]})"),
      "k.so: description: rope.apply.axes.heads = 0: must be an integer from 1 to 1099511627776 "
      "(SUBJ-3)");
  EXPECT_NE(operation(R"("axes": {"heads": []})").find("not empty"), std::string::npos);
  EXPECT_EQ(operation(R"("positions": [5, 4])"),
            "k.so: description: rope.apply.positions = 4: must be an integer from 5 to 2147483647 "
            "(SUBJ-3)");
  EXPECT_NE(operation(R"("strides": 0)").find("must be true or false"), std::string::npos);
  EXPECT_NE(operation(R"("ranks": {"x": [5]})").find("from 1 to 4"), std::string::npos);
  EXPECT_NE(operation(R"("dtypes": {"x": []})").find("not empty"), std::string::npos);
  EXPECT_EQ(operation(R"("dtypes": {"positions": ["F32"]})"),
            "k.so: description: rope.apply.dtypes: \"F32\" is no data type of positions (CASE-4)");
  EXPECT_EQ(
      operation(R"("without": ["layout"])"),
      "k.so: description: rope.apply.without: \"layout\" is required: every case has it (SUBJ-3)");
}

}  // namespace
}  // namespace gnomon::oracle
