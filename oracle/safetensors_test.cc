#include "gnomon/oracle/safetensors.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>

#include "gnomon/oracle/bad_file.h"

namespace gnomon::oracle {
namespace {

FileBytes Bytes(const std::string& header, const std::string& data) {
  const uint64_t length = header.size();
  std::string all(reinterpret_cast<const char*>(&length), 8);
  all += header + data;
  return CopyBytes(std::as_bytes(std::span(all)));
}

// The message with which such a file is refused.
std::string Refusal(const FileBytes& bytes) {
  try {
    ParseSafetensors(bytes, "f");
  } catch (const BadFile& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << "one line";
    EXPECT_EQ(error.clause(), "CASE-7");
    return error.what();
  }
  return "(accepted)";
}
std::string Refusal(const std::string& header, const std::string& data) {
  return Refusal(Bytes(header, data));
}

TEST(SafetensorsTest, ReadsTensorsAndMetadata) {
  const TensorFile file = ParseSafetensors(
      Bytes(R"({"__metadata__":{"k":"v"},"a":{"dtype":"I32","shape":[2,1],"data_offsets":[0,8]},)"
            R"("mask":{"dtype":"BOOL","shape":[3],"data_offsets":[8,11]}}  )",
            std::string("\1\0\0\0\2\0\0\0\1\1\1", 11)),
      "f");
  EXPECT_EQ(file.metadata.at("k"), "v");
  const ConstTensorView& a = TensorNamed(file, "a");
  EXPECT_EQ(a.shape, (Shape{2, 1}));
  EXPECT_EQ(IntegerAt(a, 1), 2);
  EXPECT_EQ(file.unusable.at("mask"), "BOOL");
  EXPECT_THROW(TensorNamed(file, "mask"), BadFile);
  EXPECT_THROW(TensorNamed(file, "b"), BadFile);
}

TEST(SafetensorsTest, ReadsAnEmptyTensorAndAScalar) {
  const TensorFile file =
      ParseSafetensors(Bytes(R"({"e":{"dtype":"F64","shape":[0,7],"data_offsets":[0,0]},)"
                             R"("s":{"dtype":"F32","shape":[],"data_offsets":[0,4]}})",
                             std::string(4, '\0')),
                       "f");
  EXPECT_EQ(TensorNamed(file, "e").count(), 0);
  EXPECT_EQ(TensorNamed(file, "s").count(), 1);
}

struct Bad {
  std::string header, data, message;
};

TEST(SafetensorsTest, RefusesWhatLies) {
  const std::string four(4, '\0');
  const auto tensor = [](const std::string& dtype, const std::string& shape,
                         const std::string& offsets) {
    return R"({"x":{"dtype":")" + dtype + R"(","shape":)" + shape + R"(,"data_offsets":)" +
           offsets + "}}";
  };
  const std::vector<Bad> cases = {
      {"", "", "header length is 0"},
      {"[]", "", "no JSON object"},
      {R"({"x":1})", "", "no JSON object"},
      {R"({"x":{"dtype":"F32")", "", "JSON"},
      {"{\"x\":{\"dtype\":\"\xff\"", "", "JSON"},
      {std::string(100000, '['), "", "nested"},
      {R"({"a":1,"a":2})", "", "occurs twice"},
      {R"({"__metadata__":{"a":1}})", "", "no string"},
      {R"({"x":{"dtype":"F32","shape":[1]}})", four, "data_offsets is missing"},
      {R"({"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4],"y":1}})", four, "not known"},
      {tensor("F33", "[1]", "[0,4]"), four, "dtype"},
      {tensor("F32", "[-1]", "[0,4]"), four, "integers"},
      {tensor("F32", "[1.5]", "[0,4]"), four, "integers"},
      {tensor("F32", "7", "[0,4]"), four, "no list"},
      {tensor("F32", "[18446744073709551615]", "[0,4]"), four, "integers"},
      {tensor("F32", "[4294967296,4294967296]", "[0,0]"), "", "more than the file holds"},
      {tensor("F32", "[4611686018427387904,4611686018427387904,0]", "[0,0]"), "", "more than"},
      {tensor("F32", "[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]", "[0,4]"), four, "rank 17"},
      {tensor("F32", "[1]", "[0,4,8]"), four, "two numbers"},
      {tensor("F32", "[1]", "[4,0]"), four, "backwards"},
      {tensor("F32", "[1]", "[4,8]"), four, "beyond the file"},
      {tensor("F32", "[1]", "[0,2]"), four, "span 2 bytes"},
      {tensor("F32", "[1]", "[0,4]"), four + four, "4 bytes follow"},
      {tensor("F32", "[1]", "[4,8]"), four + four, "hole"},
      {R"({"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
       R"("y":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})",
       four, "shares bytes"},
  };
  for (const Bad& bad : cases)
    EXPECT_NE(Refusal(bad.header, bad.data).find(bad.message), std::string::npos)
        << bad.header.substr(0, 200) << "\n  got: " << Refusal(bad.header, bad.data);
}

TEST(SafetensorsTest, RefusesEveryTruncation) {
  const FileBytes whole =
      Bytes(R"({"x":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", std::string(8, '\0'));
  EXPECT_EQ(Refusal(whole), "(accepted)");
  for (size_t size = 0; size < whole.size; ++size)
    EXPECT_NE(Refusal(CopyBytes(whole.span().first(size))), "(accepted)") << size;
}

TEST(SafetensorsTest, RefusesAHeaderLongerThanAnyFile) {
  std::string all(16, '\xff');
  EXPECT_NE(Refusal(CopyBytes(std::as_bytes(std::span(all)))).find("header length"),
            std::string::npos);
}

class SafetensorsFileTest : public testing::Test {
 protected:
  SafetensorsFileTest()
      : folder_(std::filesystem::temp_directory_path() /
                ("gnomon-safetensors-" + std::to_string(getpid()))) {
    std::filesystem::create_directory(folder_);
  }
  ~SafetensorsFileTest() override { std::filesystem::remove_all(folder_); }
  std::string Path(const std::string& name) const { return folder_ / name; }
  size_t FilesInFolder() const {
    return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(folder_), {}));
  }
  std::filesystem::path folder_;
};

TEST_F(SafetensorsFileTest, WritesWhatItReads) {
  Tensor strided(DType::kF16, {2, 2}, {3, 1}, 1, 7);
  for (int64_t i = 0; i < 4; ++i) strided.Set(i, static_cast<double>(i) - 1.5);
  Tensor positions(DType::kI64, {1});
  positions.SetInteger(0, -5);
  WriteSafetensors(Path("a"), {{"s", strided.view()}, {"positions", positions.view()}},
                   {{"k", "\"v\"\n"}});
  const TensorFile file = ReadTensorFile(Path("a"));
  EXPECT_EQ(file.metadata.at("k"), "\"v\"\n");
  EXPECT_EQ(IntegerAt(TensorNamed(file, "positions"), 0), -5);
  for (int64_t i = 0; i < 4; ++i)
    EXPECT_EQ(ValueAt(TensorNamed(file, "s"), i), static_cast<double>(i) - 1.5);
  EXPECT_EQ(FilesInFolder(), 1u);
}

TEST_F(SafetensorsFileTest, AnOutputThatCannotBeWrittenLeavesNothing) {
  Tensor tensor(DType::kF32, {1});
  const std::map<std::string, ConstTensorView> tensors = {{"x", tensor.view()}};
  std::filesystem::create_directory(Path("folder"));
  EXPECT_THROW(WriteSafetensors(Path("missing/a"), tensors, {}), BadFile);
  EXPECT_THROW(WriteSafetensors(Path("folder"), tensors, {}), BadFile);
  EXPECT_THROW(WriteSafetensors("/dev/full", tensors, {}), BadFile);
  EXPECT_EQ(FilesInFolder(), 1u);
}

TEST_F(SafetensorsFileTest, AFileThatCannotBeReadIsRefused) {
  EXPECT_THROW(ReadTensorFile(Path("missing")), BadFile);
  EXPECT_THROW(ReadTensorFile(folder_), BadFile);
}

}  // namespace
}  // namespace gnomon::oracle
