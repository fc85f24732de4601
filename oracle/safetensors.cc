#include "gnomon/oracle/safetensors.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "gnomon/oracle/bad_file.h"
#include "gnomon/oracle/strict_json.h"

namespace gnomon::oracle {
namespace {

constexpr uint64_t kLongestHeader = uint64_t{1} << 25;
constexpr size_t kMostAxes = 16;

// The types of the format that no operation takes; their sizes are still checked.
struct OtherType {
  std::string_view name;
  int64_t size;
};
constexpr OtherType kOtherTypes[] = {{"BOOL", 1}, {"U8", 1},      {"I8", 1},      {"F8_E5M2", 1},
                                     {"I16", 2},  {"F8_E4M3", 1}, {"F8_E8M0", 1}, {"U16", 2},
                                     {"U32", 4},  {"U64", 8},     {"C64", 8}};

std::optional<int64_t> SizeOfType(const std::string& name) {
  if (const auto dtype = DTypeFromName(name)) return SizeOf(*dtype);
  for (const OtherType& other : kOtherTypes)
    if (other.name == name) return other.size;
  return std::nullopt;
}

struct Range {
  int64_t begin, end;
  std::string tensor;
};

class Parser {
 public:
  Parser(const FileBytes& bytes, const std::string& name) : bytes_(bytes) { file_.name = name; }

  TensorFile Parse() {
    ReadHeader();
    for (const auto& [key, entry] : header_.items()) {
      if (key == "__metadata__") {
        ReadMetadata(entry);
      } else {
        ReadTensor(key, entry);
      }
    }
    CheckRanges();
    file_.memory.push_back(bytes_);
    return std::move(file_);
  }

 private:
  [[noreturn]] void Fail(const std::string& what) const { throw BadFile(file_.name, what); }
  [[noreturn]] void FailTensor(const std::string& tensor, const std::string& what) const {
    Fail("tensor " + Quoted(tensor) + ": " + what);
  }

  void ReadHeader() {
    if (bytes_.size < 8) Fail("is no safetensors file: shorter than 8 bytes");
    uint64_t length;
    std::memcpy(&length, bytes_.memory.get(), 8);
    if (length == 0) Fail("header length is 0: the shortest header is {}");
    if (length > kLongestHeader)
      Fail("header length " + std::to_string(length) + " exceeds " +
           std::to_string(kLongestHeader));
    if (length > bytes_.size - 8)
      Fail("header length " + std::to_string(length) + " exceeds the file's " +
           std::to_string(bytes_.size) + " bytes");
    data_ = bytes_.memory.get() + 8 + length;
    data_size_ = static_cast<int64_t>(bytes_.size - 8 - length);
    header_ = ParseStrictly(bytes_.text().substr(8, length), file_.name, "CASE-7");
    if (!header_.is_object()) Fail("header is no JSON object");
  }

  void ReadMetadata(const Json& entry) {
    if (!entry.is_object()) Fail("__metadata__ is no JSON object");
    for (const auto& [key, value] : entry.items()) {
      if (!value.is_string()) Fail("__metadata__ " + Quoted(key) + " is no string");
      file_.metadata[key] = value.get<std::string>();
    }
  }

  void ReadTensor(const std::string& name, const Json& entry) {
    if (!entry.is_object()) FailTensor(name, "its entry is no JSON object");
    for (const auto& [key, value] : entry.items())
      if (key != "dtype" && key != "shape" && key != "data_offsets")
        FailTensor(name, "key " + Quoted(key) + " is not known");
    for (const char* key : {"dtype", "shape", "data_offsets"})
      if (!entry.contains(key)) FailTensor(name, std::string(key) + " is missing");
    if (!entry["dtype"].is_string()) FailTensor(name, "dtype is no string");
    const std::string type = entry["dtype"];
    const auto size = SizeOfType(type);
    if (!size) FailTensor(name, "dtype " + Quoted(type) + " is not known");

    const Shape shape = ReadIntegers(name, entry["shape"], "shape");
    if (shape.size() > kMostAxes)
      FailTensor(name, "rank " + std::to_string(shape.size()) + " exceeds 16");
    if (!FitsIn(shape, data_size_ / *size))
      FailTensor(name, type + " in its shape needs more than the file holds, " +
                           std::to_string(data_size_) + " bytes of data");
    const Shape offsets = ReadIntegers(name, entry["data_offsets"], "data_offsets");
    if (offsets.size() != 2) FailTensor(name, "data_offsets must be two numbers");
    if (offsets[0] > offsets[1]) FailTensor(name, "data_offsets run backwards");
    if (offsets[1] > data_size_) FailTensor(name, "ends beyond the file");
    const int64_t needed = ElementCount(shape) * *size;
    if (offsets[1] - offsets[0] != needed)
      FailTensor(name, "data_offsets span " + std::to_string(offsets[1] - offsets[0]) +
                           " bytes, its shape needs " + std::to_string(needed));
    ranges_.push_back({offsets[0], offsets[1], name});
    if (const auto dtype = DTypeFromName(type)) {
      file_.tensors[name] = {*dtype, data_ + offsets[0], shape, ContiguousStrides(shape)};
    } else {
      file_.unusable[name] = type;
    }
  }

  Shape ReadIntegers(const std::string& tensor, const Json& list, const std::string& key) const {
    if (!list.is_array()) FailTensor(tensor, key + " is no list");
    Shape numbers;
    for (const Json& number : list) {
      if (!number.is_number_unsigned() || number.get<uint64_t>() > uint64_t{1} << 62)
        FailTensor(tensor, key + " must hold integers from 0 to 2^62");
      numbers.push_back(number.get<int64_t>());
    }
    return numbers;
  }

  // Every byte belongs to exactly one tensor.
  void CheckRanges() {
    std::sort(ranges_.begin(), ranges_.end(), [](const Range& a, const Range& b) {
      return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
    });
    int64_t end = 0;
    for (const Range& range : ranges_) {
      if (range.begin < end) FailTensor(range.tensor, "shares bytes with another tensor");
      if (range.begin > end) FailTensor(range.tensor, "has a hole before it");
      end = range.end;
    }
    if (end != data_size_) Fail(std::to_string(data_size_ - end) + " bytes follow the last tensor");
  }

  const FileBytes& bytes_;
  TensorFile file_;
  Json header_;
  const std::byte* data_ = nullptr;
  int64_t data_size_ = 0;
  std::vector<Range> ranges_;
};

}  // namespace

TensorFile ParseSafetensors(const FileBytes& bytes, const std::string& name) {
  return Parser(bytes, name).Parse();
}

namespace {

// The parts of a file, one after the other: `copies` holds what is not contiguous where it lies.
struct Parts {
  uint64_t length = 0;
  std::string header;
  std::vector<std::vector<std::byte>> copies;
  std::vector<std::span<const std::byte>> spans;
};

void MakeParts(const std::map<std::string, ConstTensorView>& tensors,
               const std::map<std::string, std::string>& metadata, Parts* parts) {
  Json header = Json::object();
  if (!metadata.empty()) header["__metadata__"] = metadata;
  int64_t offset = 0;
  parts->copies.reserve(tensors.size());
  parts->spans.resize(2);  // length and header, known last
  for (const auto& [name, view] : tensors) {
    const int64_t size = SizeOf(view.dtype), bytes = view.count() * size;
    header[name] = {{"dtype", Name(view.dtype)},
                    {"shape", view.shape},
                    {"data_offsets", {offset, offset + bytes}}};
    offset += bytes;
    if (view.contiguous()) {
      parts->spans.emplace_back(view.data, static_cast<size_t>(bytes));
      continue;
    }
    std::vector<std::byte>& copy = parts->copies.emplace_back(static_cast<size_t>(bytes));
    for (int64_t i = 0; i < view.count(); ++i)
      StoreBits(view.dtype, copy.data() + i * size, BitsAt(view, i));
    parts->spans.emplace_back(copy);
  }
  parts->header = header.dump();
  parts->header.resize((parts->header.size() + 7) / 8 * 8, ' ');  // tensors start at 8 n
  parts->length = parts->header.size();
  parts->spans[0] = std::as_bytes(std::span(&parts->length, 1));
  parts->spans[1] = std::as_bytes(std::span(parts->header));
}

}  // namespace

std::vector<std::byte> SafetensorsBytes(const std::map<std::string, ConstTensorView>& tensors,
                                        const std::map<std::string, std::string>& metadata) {
  Parts parts;
  MakeParts(tensors, metadata, &parts);
  std::vector<std::byte> bytes;
  for (const std::span<const std::byte> part : parts.spans)
    bytes.insert(bytes.end(), part.begin(), part.end());
  return bytes;
}

void WriteSafetensors(const std::string& path,
                      const std::map<std::string, ConstTensorView>& tensors,
                      const std::map<std::string, std::string>& metadata) {
  Parts parts;
  MakeParts(tensors, metadata, &parts);
  WriteFile(path, parts.spans);
}

}  // namespace gnomon::oracle
