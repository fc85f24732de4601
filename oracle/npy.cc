#include "gnomon/oracle/npy.h"

#include <charconv>
#include <cstring>
#include <optional>

#include "gnomon/oracle/bad_file.h"
#include "gnomon/oracle/strict_json.h"

namespace gnomon::oracle {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr size_t kMostAxes = 16;

struct NpyType {
  std::string_view name;
  DType dtype;
};
constexpr NpyType kTypes[] = {{"<f8", DType::kF64},
                              {"<f4", DType::kF32},
                              {"<f2", DType::kF16},
                              {"<i8", DType::kI64},
                              {"<i4", DType::kI32}};

// The header is a Python dictionary: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
class HeaderReader {
 public:
  HeaderReader(std::string_view text, const std::string& file) : rest_(text), file_(file) {}

  void Read() {
    Expect('{');
    while (!Take('}')) {
      const std::string key = String();
      Expect(':');
      if (key == "descr" && !descr) {
        descr = String();
      } else if (key == "fortran_order" && !fortran_order) {
        fortran_order = Boolean();
      } else if (key == "shape" && !shape) {
        shape = Tuple();
      } else {
        Fail("header key " + Quoted(key) + " is not known, or occurs twice");
      }
      if (!Take(',')) {
        Expect('}');
        break;
      }
    }
    Skip();
    if (!rest_.empty()) Fail("header goes on after its dictionary");
    if (!descr || !fortran_order || !shape) Fail("header lacks descr, fortran_order or shape");
  }

  std::optional<std::string> descr;
  std::optional<bool> fortran_order;
  std::optional<Shape> shape;

 private:
  [[noreturn]] void Fail(const std::string& what) const { throw BadFile(file_, what); }
  void Skip() {
    while (!rest_.empty() && (rest_[0] == ' ' || rest_[0] == '\n')) rest_.remove_prefix(1);
  }
  bool Take(char c) {
    Skip();
    if (rest_.empty() || rest_[0] != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void Expect(char c) {
    if (!Take(c)) Fail("header: expected '" + std::string(1, c) + "' before " + Quoted(rest_));
  }
  std::string String() {
    Skip();
    const char quote = rest_.empty() ? '\0' : rest_[0];
    const size_t end = quote == '\'' || quote == '"' ? rest_.find(quote, 1) : std::string::npos;
    if (end == std::string::npos) Fail("header: expected a string before " + Quoted(rest_));
    const std::string text(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    return text;
  }
  bool Boolean() {
    Skip();
    for (const bool value : {false, true}) {
      const std::string_view name = value ? "True" : "False";
      if (!rest_.starts_with(name)) continue;
      rest_.remove_prefix(name.size());
      return value;
    }
    Fail("header: fortran_order must be True or False");
  }
  Shape Tuple() {
    Shape extents;
    Expect('(');
    while (!Take(')')) {
      Skip();
      int64_t extent = 0;
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), extent);
      if (error != std::errc() || extent < 0) Fail("header: shape must hold integers from 0 on");
      rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
      extents.push_back(extent);
      if (extents.size() > kMostAxes) Fail("rank exceeds 16");
      if (!Take(',')) {
        Expect(')');
        break;
      }
    }
    return extents;
  }

  std::string_view rest_;
  const std::string& file_;
};

}  // namespace

bool IsNpy(const FileBytes& bytes) { return bytes.text().starts_with(kMagic); }

TensorFile ParseNpy(const FileBytes& bytes, const std::string& name) {
  const std::string_view text = bytes.text();
  if (!IsNpy(bytes)) throw BadFile(name, "is no .npy file");
  if (text.size() < 10) throw BadFile(name, "ends within the .npy header");
  const int version = static_cast<unsigned char>(text[6]);
  if (version < 1 || version > 3 || text[7] != 0)
    throw BadFile(name, ".npy version " + std::to_string(version) + " is not known");
  const size_t width = version == 1 ? 2 : 4;
  if (text.size() < 8 + width) throw BadFile(name, "ends within the .npy header");
  uint32_t length = 0;
  std::memcpy(&length, text.data() + 8, width);
  if (length > text.size() - 8 - width)
    throw BadFile(name, "header length " + std::to_string(length) + " exceeds the file's " +
                            std::to_string(text.size()) + " bytes");
  HeaderReader header(text.substr(8 + width, length), name);
  header.Read();

  std::optional<DType> dtype;
  for (const NpyType& type : kTypes)
    if (type.name == *header.descr) dtype = type.dtype;
  if (*header.descr == "<V2" || *header.descr == "|V2")
    throw BadFile(name, "descr " + Quoted(*header.descr) +
                            " does not say whether it is bf16: use safetensors for bf16");
  if (!dtype)
    throw BadFile(name, "descr " + Quoted(*header.descr) +
                            " is not usable; usable are <f8, <f4, <f2, <i8, <i4");
  const size_t start = 8 + width + length;
  const int64_t size = static_cast<int64_t>(text.size() - start);
  if (!FitsIn(*header.shape, size / SizeOf(*dtype)) ||
      ElementCount(*header.shape) * SizeOf(*dtype) != size)
    throw BadFile(name, "holds " + std::to_string(size) +
                            " bytes after the header, and its shape needs " +
                            (FitsIn(*header.shape, INT64_MAX / SizeOf(*dtype))
                                 ? std::to_string(ElementCount(*header.shape) * SizeOf(*dtype))
                                 : std::string("more than 2^63")));

  ConstTensorView view{*dtype, bytes.memory.get() + start, *header.shape,
                       ContiguousStrides(*header.shape)};
  if (*header.fortran_order) {
    const Shape reversed(view.shape.rbegin(), view.shape.rend());
    const Shape strides = ContiguousStrides(reversed);
    view.strides.assign(strides.rbegin(), strides.rend());
  }
  TensorFile file;
  file.name = name;
  file.tensors["array"] = view;
  file.memory.push_back(bytes);
  return file;
}

}  // namespace gnomon::oracle
