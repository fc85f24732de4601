// Tensors as the contract sees them: a data type, a shape, strides, and memory (spec/case.md,
// CASE-4).
#ifndef GNOMON_SPEC_TENSOR_H_
#define GNOMON_SPEC_TENSOR_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "gnomon/spec/format.h"

namespace gnomon {

// The first four are the formats, in the same order.
enum class DType { kF64, kF32, kBf16, kF16, kI64, kI32 };

constexpr bool IsFloat(DType dtype) { return dtype <= DType::kF16; }
constexpr Format FormatOf(DType dtype) { return static_cast<Format>(dtype); }
constexpr DType DTypeOf(Format format) { return static_cast<DType>(format); }

constexpr int64_t SizeOf(DType dtype) {
  switch (dtype) {
    case DType::kF64:
    case DType::kI64:
      return 8;
    case DType::kF32:
    case DType::kI32:
      return 4;
    default:
      return 2;
  }
}

// The names of safetensors.
inline constexpr std::string_view kDTypeNames[] = {"F64", "F32", "BF16", "F16", "I64", "I32"};
constexpr std::string_view Name(DType dtype) { return kDTypeNames[static_cast<size_t>(dtype)]; }
constexpr std::optional<DType> DTypeFromName(std::string_view name) {
  for (size_t i = 0; i < std::size(kDTypeNames); ++i)
    if (kDTypeNames[i] == name) return static_cast<DType>(i);
  return std::nullopt;
}

using Shape = std::vector<int64_t>;

inline int64_t ElementCount(const Shape& shape) {
  int64_t count = 1;
  for (int64_t extent : shape) count *= extent;
  return count;
}

// Indices of the element with this row-major number, and back.
inline Shape IndexOf(const Shape& shape, int64_t element) {
  Shape index = shape;
  for (size_t axis = shape.size(); axis-- > 0; element /= shape[axis])
    index[axis] = element % shape[axis];
  return index;
}
inline int64_t ElementAt(const Shape& shape, const Shape& index) {
  int64_t element = 0;
  for (size_t axis = 0; axis < shape.size(); ++axis) element = element * shape[axis] + index[axis];
  return element;
}

// "[1, 12, 2, 128]"
inline std::string ShapeText(const Shape& shape) {
  std::string text;
  for (const int64_t extent : shape) text += (text.empty() ? "" : ", ") + std::to_string(extent);
  return "[" + text + "]";
}

inline Shape ContiguousStrides(const Shape& shape) {
  Shape strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  return strides;
}

// Memory that belongs to someone else. Strides count elements, and may be zero or negative; `data`
// is the address of the element with all indices 0.
template <class Byte>
struct BasicTensorView {
  DType dtype = DType::kF32;
  Byte* data = nullptr;
  Shape shape;
  Shape strides;

  size_t rank() const { return shape.size(); }
  int64_t count() const { return ElementCount(shape); }
  bool contiguous() const { return strides == ContiguousStrides(shape); }

  // Offset, in elements from `data`, of the element with this row-major number.
  int64_t OffsetOf(int64_t number) const {
    if (shape.size() == 1) return number * strides[0];
    int64_t offset = 0;
    for (size_t i = shape.size(); i-- > 0;) {
      offset += (number % shape[i]) * strides[i];
      number /= shape[i];
    }
    return offset;
  }
  Byte* AddressOf(int64_t number) const { return data + OffsetOf(number) * SizeOf(dtype); }

  operator BasicTensorView<const std::byte>() const requires(!std::is_const_v<Byte>) {
    return {dtype, data, shape, strides};
  }
};
using TensorView = BasicTensorView<std::byte>;
using ConstTensorView = BasicTensorView<const std::byte>;

inline uint64_t LoadBits(DType dtype, const std::byte* address) {
  uint64_t bits = 0;
  std::memcpy(&bits, address, static_cast<size_t>(SizeOf(dtype)));  // little-endian hosts only
  return bits;
}
inline void StoreBits(DType dtype, std::byte* address, uint64_t bits) {
  std::memcpy(address, &bits, static_cast<size_t>(SizeOf(dtype)));
}

// The number that these bits of a type stand for: exact in binary64, but for integers beyond 2^53.
inline int64_t IntegerOf(DType dtype, uint64_t bits) {
  return dtype == DType::kI32 ? static_cast<int32_t>(bits) : static_cast<int64_t>(bits);
}
inline double ValueOf(DType dtype, uint64_t bits) {
  return IsFloat(dtype) ? DecodeBits(FormatOf(dtype), bits)
                        : static_cast<double>(IntegerOf(dtype, bits));
}

// Elements by row-major number.
inline uint64_t BitsAt(const ConstTensorView& view, int64_t number) {
  return LoadBits(view.dtype, view.AddressOf(number));
}
inline double ValueAt(const ConstTensorView& view, int64_t number) {
  return ValueOf(view.dtype, BitsAt(view, number));
}
inline int64_t IntegerAt(const ConstTensorView& view, int64_t number) {
  return IntegerOf(view.dtype, BitsAt(view, number));
}

// A tensor that owns its memory. The memory may be larger than the elements need (padding between
// rows, guard zones), so that strides and what lies between elements can be tested.
class Tensor {
 public:
  Tensor() = default;
  Tensor(DType dtype, Shape shape)
      : Tensor(dtype, shape, ContiguousStrides(shape), 0, ElementCount(shape)) {}
  // `origin`: the element of the storage that all indices 0 name. `extent`: elements of storage.
  Tensor(DType dtype, Shape shape, Shape strides, int64_t origin, int64_t extent)
      : dtype_(dtype),
        shape_(std::move(shape)),
        strides_(std::move(strides)),
        origin_(origin),
        storage_(static_cast<size_t>(extent * SizeOf(dtype))) {}

  DType dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  int64_t origin() const { return origin_; }
  int64_t count() const { return ElementCount(shape_); }
  TensorView view() {
    return {dtype_, storage_.data() + origin_ * SizeOf(dtype_), shape_, strides_};
  }
  ConstTensorView view() const {
    return {dtype_, storage_.data() + origin_ * SizeOf(dtype_), shape_, strides_};
  }
  std::vector<std::byte>& storage() { return storage_; }
  const std::vector<std::byte>& storage() const { return storage_; }

  double Value(int64_t number) const { return ValueAt(view(), number); }
  int64_t Integer(int64_t number) const { return IntegerAt(view(), number); }
  // Rounds to the tensor's format (FORMAT-3).
  void Set(int64_t number, double value) {
    const Format format = FormatOf(dtype_);
    SetBits(number, EncodeBits(format, RoundToFormat(format, value)));
  }
  void SetInteger(int64_t number, int64_t value) { SetBits(number, static_cast<uint64_t>(value)); }
  void SetBits(int64_t number, uint64_t bits) { StoreBits(dtype_, view().AddressOf(number), bits); }

 private:
  DType dtype_ = DType::kF32;
  Shape shape_;
  Shape strides_;
  int64_t origin_ = 0;
  std::vector<std::byte> storage_;
};

}  // namespace gnomon

#endif  // GNOMON_SPEC_TENSOR_H_
