#include "gnomon/oracle/npy.h"

#include <gtest/gtest.h>

#include <span>

#include "gnomon/oracle/bad_file.h"

namespace gnomon::oracle {
namespace {

FileBytes Bytes(int version, const std::string& header, const std::string& data) {
  std::string all = "\x93NUMPY" + std::string{static_cast<char>(version), '\0'};
  const uint32_t length = static_cast<uint32_t>(header.size());
  all.append(reinterpret_cast<const char*>(&length), version == 1 ? 2 : 4);
  all += header + data;
  return CopyBytes(std::as_bytes(std::span(all)));
}
std::string Header(const std::string& descr, const std::string& fortran, const std::string& shape) {
  return "{'descr': '" + descr + "', 'fortran_order': " + fortran + ", 'shape': " + shape +
         ", }   \n";
}

std::string Refusal(const FileBytes& bytes) {
  try {
    ParseNpy(bytes, "f");
  } catch (const BadFile& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << "one line";
    return error.what();
  }
  return "(accepted)";
}

TEST(NpyTest, ReadsEveryVersionAndType) {
  for (int version = 1; version <= 3; ++version) {
    for (const auto& [descr, dtype] : std::map<std::string, DType>{{"<f8", DType::kF64},
                                                                   {"<f4", DType::kF32},
                                                                   {"<f2", DType::kF16},
                                                                   {"<i8", DType::kI64},
                                                                   {"<i4", DType::kI32}}) {
      const std::string data(static_cast<size_t>(6 * SizeOf(dtype)), '\0');
      const TensorFile file = ParseNpy(Bytes(version, Header(descr, "False", "(2, 3)"), data), "f");
      EXPECT_EQ(TensorNamed(file, "array").shape, (Shape{2, 3}));
      EXPECT_EQ(TensorNamed(file, "array").dtype, dtype);
    }
  }
}

TEST(NpyTest, FortranOrderIsAMatterOfStrides) {
  std::string data;
  for (char i = 0; i < 6; ++i) data += std::string{i, '\0', '\0', '\0'};
  const TensorFile c = ParseNpy(Bytes(1, Header("<i4", "False", "(2, 3)"), data), "f");
  const TensorFile fortran = ParseNpy(Bytes(1, Header("<i4", "True", "(2, 3)"), data), "f");
  EXPECT_EQ(IntegerAt(TensorNamed(c, "array"), 1), 1);        // [0, 1]
  EXPECT_EQ(IntegerAt(TensorNamed(fortran, "array"), 1), 2);  // [0, 1] is the third stored
}

TEST(NpyTest, ReadsScalarsVectorsAndEmptyArrays) {
  EXPECT_EQ(
      TensorNamed(ParseNpy(Bytes(1, Header("<i4", "False", "()"), std::string(4, 1)), "f"), "array")
          .rank(),
      0u);
  EXPECT_EQ(TensorNamed(ParseNpy(Bytes(1, Header("<i4", "False", "(1,)"), std::string(4, 1)), "f"),
                        "array")
                .rank(),
            1u);
  EXPECT_EQ(
      TensorNamed(ParseNpy(Bytes(1, Header("<i4", "False", "(0, 5)"), ""), "f"), "array").count(),
      0);
}

TEST(NpyTest, RefusesWhatLies) {
  const std::string four(4, '\0');
  const std::vector<std::tuple<std::string, std::string, std::string>> cases = {
      {Header("<V2", "False", "(2,)"), four, "bf16"},
      {Header("|V2", "False", "(2,)"), four, "bf16"},
      {Header(">f4", "False", "(1,)"), four, "not usable"},
      {Header("|O", "False", "(1,)"), four, "not usable"},
      {Header("<f4", "Maybe", "(1,)"), four, "True or False"},
      {Header("<f4", "False", "(-1,)"), four, "from 0 on"},
      {Header("<f4", "False", "(1.5,)"), four, "expected"},
      {Header("<f4", "False", "(4294967296, 4294967296)"), four, "bytes after the header"},
      {Header("<f4", "False", "(99999999999999999999,)"), four, "from 0 on"},
      {Header("<f4", "False", "(2,)"), four, "bytes after the header"},
      {Header("<f4", "False", "(1,)"), four + four, "bytes after the header"},
      {"", four, "expected '{'"},
      {"{'descr': '<f4'", four, "expected '}'"},
      {"{'descr': '<f4', 'descr': '<f4'}", four, "occurs twice"},
      {"{'descr': [('a', '<f4')], }", four, "expected a string"},
      {"{'descr': '<f4', 'fortran_order': False}", four, "lacks"},
      {Header("<f4", "False", "(1,)") + "x", four, "goes on"},
      {Header("<f4", "False", "(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)"), four, "rank"},
  };
  for (const auto& [header, data, message] : cases)
    EXPECT_NE(Refusal(Bytes(1, header, data)).find(message), std::string::npos)
        << header << "  got: " << Refusal(Bytes(1, header, data));
  EXPECT_NE(Refusal(Bytes(4, Header("<f4", "False", "(1,)"), four)).find("version 4"),
            std::string::npos);
}

TEST(NpyTest, RefusesEveryTruncation) {
  const FileBytes whole = Bytes(2, Header("<f4", "False", "(2,)"), std::string(8, '\0'));
  EXPECT_EQ(Refusal(whole), "(accepted)");
  for (size_t size = 0; size < whole.size; ++size)
    EXPECT_NE(Refusal(CopyBytes(whole.span().first(size))), "(accepted)") << size;
}

}  // namespace
}  // namespace gnomon::oracle
