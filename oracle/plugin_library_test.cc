// A plug-in asked in this process, and the call it sees.
#include "gnomon/oracle/plugin_library.h"

#include <gtest/gtest.h>

#include "gnomon/oracle/testing/evil.h"
#include "gnomon/properties/generators.h"
#include "gnomon/properties/trial.h"
#include "gnomon/reference/judge.h"

namespace gnomon::oracle {
namespace {

using properties::Outcome;

TEST(PluginLibrary, AnswersInProcess) {
  SetEvil("good");
  const PluginLibrary library(kEvilPlugin);
  EXPECT_EQ(library.description().name, "evil");
  Case c = RopeCase(3);
  for (const bool in_place : {false, true}) {
    c.in_place = in_place ? "x" : "";
    Outputs outputs = properties::GuardedOutputs(c);
    const Outcome outcome = RunPlugin(library, c, {{"y", outputs.at("y").view()}});
    ASSERT_EQ(outcome.status, Outcome::kOk) << outcome.message;
    EXPECT_TRUE(reference::Judge(c, outputs).profiles[*ProfileFromName("f32-angle")].met());
  }
}

// Strides, origin and order of axes are those of the case.
TEST(PluginLibrary, TheCall) {
  Case c = RopeCase(3);
  c.parameters["frequencies"] =
      std::vector<Number>{Number(1.0), Number(0.1), Number(std::string("0.01")), Number(1e-3)};
  Tensor y(DType::kF32, {1, 2, 1, 8}, {-24, 12, 8, -1}, 9, 40);
  std::pmr::monotonic_buffer_resource memory;
  char message[8];
  const TensorView x = c.inputs.at("x").view(), positions = c.inputs.at("positions").view();
  const gnomon_call* call =
      MakeCall(c, {{"x", x}, {"positions", positions}}, {{"y", y.view()}}, message, &memory);
  EXPECT_EQ(call->size, sizeof(gnomon_call));
  EXPECT_STREQ(call->operation, "rope.apply");
  EXPECT_STREQ(call->parameters,
               R"({"frequencies":[1,0.1,"0.01",0.001],"head_dim":8,"layout":"half_split"})");
  EXPECT_STREQ(call->format, "f32");
  EXPECT_EQ(call->in_place, nullptr);
  ASSERT_EQ(call->input_count, 2u);
  ASSERT_EQ(call->output_count, 1u);
  EXPECT_EQ(call->message_size, sizeof message);
  const gnomon_tensor* t = gnomon_find(call->outputs, call->output_count, "y");
  ASSERT_NE(t, nullptr);
  EXPECT_EQ(t->dtype, GNOMON_F32);
  ASSERT_EQ(t->rank, 4);
  EXPECT_EQ(Shape(t->shape, t->shape + 4), y.shape());
  EXPECT_EQ(Shape(t->strides, t->strides + 4), y.view().strides);
  EXPECT_EQ(t->data, y.view().data);
  EXPECT_EQ(gnomon_find(call->inputs, call->input_count, "positions")->dtype, GNOMON_I64);
  EXPECT_EQ(gnomon_find(call->inputs, call->input_count, "cos"), nullptr);
  EXPECT_EQ(gnomon_number(call, "head_dim", 0), 8);
  EXPECT_EQ(gnomon_number(call, "rope_theta", 10000), 10000);
  EXPECT_TRUE(gnomon_is(call, "layout", "half_split"));
  EXPECT_FALSE(gnomon_is(call, "layout", "half"));
}

TEST(PluginLibrary, AMessageIsOneLine) {
  EXPECT_EQ(ToOutcome(GNOMON_FAILED, "a\nb\tc\x01\xff d \n\n").message, "a b c?? d");
  const std::string a(100, 'a'), b(100, 'b');
  EXPECT_EQ(ToOutcome(GNOMON_FAILED, a + b + b).message, a + " ... " + b);
  EXPECT_EQ(ToOutcome(GNOMON_FAILED, std::string_view("no\0more", 7)).message, "no");
}

}  // namespace
}  // namespace gnomon::oracle
