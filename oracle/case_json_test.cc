#include "gnomon/oracle/case_json.h"

#include <gtest/gtest.h>

#include "gnomon/oracle/bad_file.h"

namespace gnomon::oracle {
namespace {

std::string Refusal(const std::string& text) {
  try {
    ParseCaseHeader(text, "f");
  } catch (const BadFile& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << "one line";
    return error.what();
  }
  return "(accepted)";
}

// The example of CASE-7, whose ids are printed there.
Case Example() {
  Case c;
  c.operation = "rope.apply";
  c.parameters = {
      {"head_dim", 4.0}, {"rope_theta", 500000.0}, {"layout", std::string("half_split")}};
  Tensor x(DType::kF32, {1, 2, 1, 4}), positions(DType::kI64, {2});
  const double values[] = {1, 0, 1, 0, 1, 2, 3, 4};
  for (int64_t i = 0; i < 8; ++i) x.Set(i, values[i]);
  positions.SetInteger(1, 3);
  c.inputs.emplace("x", x);
  c.inputs.emplace("positions", positions);
  return c;
}

TEST(CaseJsonTest, TheIdIsTheOneThatTheSpecificationPrints) {
  const Case c = Example();
  EXPECT_EQ(
      CanonicalForm(c),
      R"({"format":"f32","operation":"rope.apply","parameters":{"head_dim":4,"layout":"half_split","rope_theta":5e+05}})");
  EXPECT_EQ(CaseId(c), "ae4eaf5ee106");
}

TEST(CaseJsonTest, MemoryEntersTheId) {
  Case c = Example();
  Tensor apart(DType::kF32, {1, 2, 1, 4}, {12, 6, 4, 1}, 2, 16);
  for (int64_t i = 0; i < 8; ++i) apart.SetBits(i, BitsAt(c.inputs.at("x").view(), i));
  c.inputs.insert_or_assign("x", apart);
  EXPECT_EQ(
      CanonicalForm(c),
      R"({"format":"f32","memory":{"x":{"extent":16,"origin":2,"strides":[12,6,4,1]}},"operation":"rope.apply","parameters":{"head_dim":4,"layout":"half_split","rope_theta":5e+05}})");
  EXPECT_EQ(CaseId(c), "57fba964b626");
}

TEST(CaseJsonTest, ExactDecimalsEnterTheIdAsGiven) {
  Case c = Example();
  c.parameters.erase("rope_theta");
  c.parameters["frequencies"] =
      std::vector<Number>{Number(std::string("1")), Number(std::string("0.01"))};
  EXPECT_EQ(CaseId(c), "4f44b2465ab3");
}

TEST(CaseJsonTest, EveryPartEntersTheId) {
  const std::string id = CaseId(Example());
  Case c = Example();
  c.format = Format::kBf16;
  EXPECT_NE(CaseId(c), id);
  c = Example();
  c.in_place = "x";
  EXPECT_NE(CaseId(c), id);
  c = Example();
  c.parameters["rotary_dim"] = 4.0;  // the default, but given
  EXPECT_NE(CaseId(c), id);
  c = Example();
  c.inputs.at("x").Set(7, -4);
  EXPECT_NE(CaseId(c), id);
  c = Example();
  c.inputs.insert_or_assign("positions", Tensor(DType::kI32, {2}));
  EXPECT_NE(CaseId(c), id);
}

TEST(CaseJsonTest, ReadsWhatItWrites) {
  const std::string text =
      R"({"operation":"rope.apply","parameters":{"flag":true,"list":[1,"0.1",-0.0],"n":-0.0,"name":"ä\n"},)"
      R"("format":"f16","in_place":"x","inputs":{"x":"q"},"outputs":{"y":"o"},)"
      R"("axes":{"x":["seq","heads*head_dim"]},"memory":{"x":{"strides":[-1,0],"origin":3,"extent":4}}})";
  const CaseHeader header = ParseCaseHeader(text, "f");
  EXPECT_EQ(header.c.format, Format::kF16);
  EXPECT_EQ(header.memory.at("x").strides, (Shape{-1, 0}));
  EXPECT_TRUE(std::signbit(std::get<double>(header.c.parameters.at("n"))));
  const std::string again = ToJson(header);
  EXPECT_EQ(ToJson(ParseCaseHeader(again, "f")), again);
  EXPECT_EQ(ParseCaseHeader(again, "f").c.parameters, header.c.parameters);
}

TEST(CaseJsonTest, RefusesByName) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "JSON"},
      {"[]", "no JSON object"},
      {"{}", "operation is missing"},
      {R"({"operation":1})", "operation must be a string"},
      {R"({"operation":"a","operation":"a"})", "occurs twice"},
      {R"({"operation":"a","colour":1})", "\"colour\" is not known"},
      {R"({"operation":"a","format":"f8"})", "\"f8\""},
      {R"({"operation":"a","parameters":[]})", "parameters must be an object"},
      {R"({"operation":"a","parameters":{"p":null}})", "\"p\" must be"},
      {R"({"operation":"a","parameters":{"p":{}}})", "\"p\" must be"},
      {R"({"operation":"a","parameters":{"p":[true]}})", "\"p\" must hold numbers"},
      {R"({"operation":"a","parameters":{"p":["x"]}})", "\"p\" must hold numbers"},
      {R"({"operation":"a","parameters":{"p":NaN}})", "JSON"},
      {R"({"operation":"a","parameters":{"p":1e999}})", "JSON"},
      {R"({"operation":"a","inputs":{"x":1}})", "inputs must be a string"},
      {R"({"operation":"a","axes":{"x":"seq"}})", "lists of names"},
      {R"({"operation":"a","memory":{"x":{"strides":[1]}}})", "strides, origin and extent"},
      {R"({"operation":"a","memory":{"x":{"strides":[1],"origin":0.5,"extent":1}}})", "integers"},
  };
  for (const auto& [text, message] : cases)
    EXPECT_NE(Refusal(text).find(message), std::string::npos) << text << "  got: " << Refusal(text);
}

}  // namespace
}  // namespace gnomon::oracle
