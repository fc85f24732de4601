#include "gnomon/oracle/case_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "gnomon/oracle/bad_file.h"
#include "gnomon/oracle/case_json.h"
#include "gnomon/oracle/memory_layout.h"
#include "gnomon/oracle/safetensors.h"
#include "gnomon/properties/cases.h"
#include "gnomon/reference/truth.h"
#include "gnomon/spec/schemes.h"

namespace gnomon::oracle {
namespace {

class CaseFileTest : public testing::Test {
 protected:
  ~CaseFileTest() override { std::filesystem::remove(path_); }
  const std::string path_ = std::filesystem::temp_directory_path() /
                            ("gnomon-case-" + std::to_string(getpid()) + ".safetensors");
};

Case RopeCase(Tensor x) {
  Case c;
  c.operation = "rope.apply";
  c.format = FormatOf(x.dtype());
  c.parameters = {{"head_dim", static_cast<double>(x.shape()[3])},
                  {"layout", std::string("interleaved")}};
  Tensor positions(DType::kI32, {x.shape()[1]});
  for (int64_t i = 0; i < positions.count(); ++i) positions.SetInteger(i, 100 * i - 7);
  for (int64_t i = 0; i < x.count(); ++i) x.Set(i, static_cast<double>(i) / 8 - 1);
  c.inputs.emplace("x", std::move(x));
  c.inputs.emplace("positions", std::move(positions));
  return c;
}

TEST_F(CaseFileTest, ARecordingReadsBackAsWritten) {
  const Case c = RopeCase(Tensor(DType::kBf16, {1, 3, 2, 4}));
  const Outputs outputs = reference::RoundedTruth(c);
  WriteCaseFile(path_, c, outputs);
  const Recording read = ReadCaseFile(path_);
  EXPECT_EQ(CaseId(read.c), CaseId(c));
  EXPECT_TRUE(read.notes.empty());
  for (int64_t i = 0; i < outputs.at("y").count(); ++i)
    EXPECT_EQ(BitsAt(read.outputs.at("y"), i), BitsAt(outputs.at("y").view(), i));
}

// Of every operation: the same question, in the same memory, with the same answer.
TEST_F(CaseFileTest, WhatEmitWritesReadsBackAsWritten) {
  for (const OperationSpec* operation : AllOperations())
    for (const Format format : {Format::kF64, Format::kF32, Format::kBf16, Format::kF16})
      for (int64_t number = 0; number < 12; ++number) {
        const Case c = *properties::NumberedCase(operation->name, format, 3, number);
        SCOPED_TRACE(operation->name + " " + std::string(Traits(format).name) + " " +
                     std::to_string(number));
        const Outputs outputs = reference::RoundedTruth(c);
        WriteCaseFile(path_, c, outputs);
        const Recording read = ReadCaseFile(path_);
        ASSERT_EQ(CaseId(read.c), CaseId(c));
        for (const auto& [role, input] : c.inputs) {
          EXPECT_EQ(read.c.inputs.at(role).view().strides, input.view().strides) << role;
          EXPECT_EQ(read.c.inputs.at(role).storage().size(), input.storage().size()) << role;
        }
        for (const auto& [role, output] : outputs) {
          ASSERT_EQ(read.outputs.at(role).shape, output.shape()) << role;
          for (int64_t i = 0; i < output.count(); ++i)
            ASSERT_EQ(BitsAt(read.outputs.at(role), i), BitsAt(output.view(), i)) << role;
        }
      }
}

TEST_F(CaseFileTest, MemoryAndAliasingReadBackAsWritten) {
  Case c = RopeCase(Tensor(DType::kF32, {1, 3, 2, 4}, {0, -20, 5, 1}, 45, 60));
  c.in_place = "x";
  WriteCaseFile(path_, c);
  const Recording read = ReadCaseFile(path_);
  EXPECT_EQ(CaseId(read.c), CaseId(c));
  EXPECT_EQ(read.c.in_place, "x");
  EXPECT_TRUE(read.outputs.empty());
  const Tensor& x = read.c.inputs.at("x");
  EXPECT_EQ(x.view().strides, (Shape{0, -20, 5, 1}));
  EXPECT_EQ(x.storage()[0], std::byte{0xff});
  Validate(read.c);
}

TEST(MemoryLayoutTest, RefusesWhatDoesNotFit) {
  Tensor two(DType::kI32, {2});
  two.SetInteger(1, 5);
  const auto refusal = [&](const MemoryLayout& layout) -> std::string {
    try {
      LayOut(two.view(), layout, "x");
    } catch (const Rejected& error) {
      return error.what();
    }
    return "(accepted)";
  };
  const int64_t huge = int64_t{1} << 62;
  EXPECT_EQ(refusal({{1}, 0, 2}), "(accepted)");
  EXPECT_EQ(refusal({{-1}, 1, 2}), "(accepted)");
  EXPECT_NE(refusal({{1, 1}, 0, 2}).find("one an axis"), std::string::npos);
  EXPECT_NE(refusal({{1}, 1, 2}).find("every element"), std::string::npos);
  EXPECT_NE(refusal({{-1}, 0, 2}).find("every element"), std::string::npos);
  EXPECT_NE(refusal({{huge}, 0, 2}).find("every element"), std::string::npos);
  EXPECT_NE(refusal({{-huge}, 0, 2}).find("every element"), std::string::npos);
  EXPECT_NE(refusal({{1}, 0, huge}).find("extent"), std::string::npos);
  EXPECT_NE(refusal({{1}, -1, 2}).find("origin"), std::string::npos);
  EXPECT_NE(refusal({{0}, 0, 2}).find("shares memory"), std::string::npos);
}

class RecordingOfTest : public testing::Test {
 protected:
  RecordingOfTest() {
    const Case c = RopeCase(Tensor(DType::kF32, {1, 3, 2, 4}));
    x_ = c.inputs.at("x");
    positions_ = c.inputs.at("positions");
    y_ = reference::RoundedTruth(c).at("y");
    id_ = CaseId(c);
    file_.name = "f";
    Put("x", &x_, {3, 8});
    Put("positions", &positions_, {3});
    Put("y", &y_, {3, 8});
    options_.set = c.parameters;
    options_.axes = {"seq", "heads*head_dim"};
  }
  void Put(const std::string& name, const Tensor* tensor, const Shape& shape) {
    file_.tensors[name] = {tensor->dtype(), tensor->storage().data(), shape,
                           ContiguousStrides(shape)};
  }
  std::string Refusal() const {
    try {
      const Recording recording = ReadRecording(file_, options_);
      Validate(recording.c);
    } catch (const Rejected& error) {
      return error.what();
    } catch (const BadFile& error) {
      return error.what();
    }
    return "(accepted)";
  }
  Tensor x_, positions_, y_;
  std::string id_;
  TensorFile file_;
  RecordingOptions options_;
};

TEST_F(RecordingOfTest, OptionsStateACase) {
  const Recording recording = ReadRecording(file_, options_);
  EXPECT_EQ(CaseId(recording.c), id_);
  EXPECT_EQ(recording.outputs.at("y").shape, (Shape{1, 3, 2, 4}));
  EXPECT_EQ(recording.notes, std::vector<std::string>{"operation rope.apply, the default"});
}

TEST_F(RecordingOfTest, RankAndTensorStandInForAxesAndHeadDim) {
  options_.axes.clear();
  options_.set.erase("head_dim");
  Put("x", &x_, {3, 2, 4});
  Put("y", &y_, {3, 2, 4});
  const Recording recording = ReadRecording(file_, options_);
  EXPECT_EQ(recording.c.inputs.at("x").shape(), (Shape{1, 3, 2, 4}));
  EXPECT_EQ(CaseId(recording.c), id_);
  EXPECT_EQ(recording.notes.size(), 3u);  // and both are said
}

TEST_F(RecordingOfTest, NamesOfTensors) {
  file_.tensors["query"] = file_.tensors.at("x");
  file_.tensors.erase("x");
  EXPECT_NE(Refusal().find("x = (missing)"), std::string::npos);
  options_.tensors["x"] = "query";
  EXPECT_EQ(Refusal(), "(accepted)");
  options_.tensors["x"] = "key";
  EXPECT_NE(Refusal().find("holds no tensor \"key\""), std::string::npos);
  options_.tensors = {{"x", "query"}, {"z", "query"}};
  EXPECT_NE(Refusal().find("\"z\""), std::string::npos);
}

TEST_F(RecordingOfTest, NamedTablesReplacePositions) {
  Tensor wide(DType::kF32, {3, 4});
  file_.tensors["c"] = file_.tensors["s"] = wide.view();
  options_.tensors = {{"cos", "c"}, {"sin", "s"}};
  const Recording recording = ReadRecording(file_, options_);
  EXPECT_EQ(recording.c.inputs.count("positions"), 0u);
  EXPECT_EQ(recording.c.inputs.at("cos").shape(), (Shape{3, 2}));
  EXPECT_NE(recording.notes.back().find("sin is stored twice"), std::string::npos);
  EXPECT_EQ(Refusal(), "(accepted)");
}

TEST_F(RecordingOfTest, WrongTypesRanksAndAxesAreRefused) {
  options_.axes = {"seq", "heads"};
  EXPECT_NE(Refusal().find("head_dim"), std::string::npos);
  options_.axes = {"seq", "heads", "head_dim"};
  EXPECT_NE(Refusal().find("rank 2"), std::string::npos);
  options_.axes = {"seq", "heads*head_dim"};
  Tensor reals(DType::kF32, {3});
  file_.tensors["positions"] = reals.view();
  EXPECT_NE(Refusal().find("positions = F32"), std::string::npos);
  Tensor longer(DType::kI64, {4});
  file_.tensors["positions"] = longer.view();
  EXPECT_NE(Refusal().find("seq"), std::string::npos);
  file_.tensors.erase("positions");
  file_.unusable["positions"] = "U8";
  EXPECT_NE(Refusal().find("type U8"), std::string::npos);
}

TEST_F(RecordingOfTest, TheFilesOwnCaseNeedsNoOptionsAndIsOverridden) {
  file_.metadata["gnomon.case"] =
      R"({"operation":"rope.apply","parameters":{"head_dim":4,"layout":"interleaved"},)"
      R"("axes":{"x":["seq","heads*head_dim"],"y":["seq","heads*head_dim"]}})";
  options_ = {};
  EXPECT_EQ(CaseId(ReadRecording(file_, options_).c), id_);
  options_.set["layout"] = std::string("half_split");
  EXPECT_NE(CaseId(ReadRecording(file_, options_).c), id_);
  file_.metadata["gnomon.case"] = R"({"operation":"rope.apply","inputs":{"w":"x"}})";
  EXPECT_NE(Refusal().find("\"w\""), std::string::npos);
}

}  // namespace
}  // namespace gnomon::oracle
