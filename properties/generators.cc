#include "gnomon/properties/generators.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "gnomon/spec/operation.h"

namespace gnomon::properties {
namespace {

// 1 + fraction in [1, 2), as many bits as the format holds; 1 from the word 0.
double Significand(Format format, uint64_t word) {
  const int bits = Traits(format).precision - 1;
  return 1 + std::ldexp(static_cast<double>(Spread(word) >> (64 - bits)), -bits);
}

double Special(Source& source, Format format) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  // A negative NaN whose payload shows in every format.
  const double nan = std::bit_cast<double>(uint64_t{0xfffd540000000000});
  return source.Pick<double>({0.0, -0.0, kInfinity, -kInfinity, nan,
                              std::numeric_limits<double>::quiet_NaN(), LargestFinite(format),
                              std::ldexp(1.0, Traits(format).min_quantum_exponent)});
}

// For every byte of storage: whether it belongs to an element.
std::vector<bool> OwnedBytes(const Tensor& tensor) {
  std::vector<bool> owned(tensor.storage().size(), false);
  const ConstTensorView view = tensor.view();
  const int64_t size = SizeOf(tensor.dtype());
  for (int64_t i = 0; i < tensor.count(); ++i) {
    const int64_t at = (tensor.origin() + view.OffsetOf(i)) * size;
    for (int64_t byte = 0; byte < size; ++byte) owned[static_cast<size_t>(at + byte)] = true;
  }
  return owned;
}

}  // namespace

double DrawNumber(Source& source, Format format, Numbers kind) {
  const uint64_t word = source.Word();
  const uint64_t bits = Spread(word);  // independent of the order of magnitude of the word
  const double sign = bits & 1 ? -1 : 1;
  switch (kind) {
    case Numbers::kWhole:
      return sign * static_cast<double>(1 + (bits >> 1) % 8);
    case Numbers::kUnit:
      return sign * Significand(format, word) * std::ldexp(1.0, -static_cast<int>(bits >> 1 & 3));
    case Numbers::kEdges: {
      if ((bits >> 1) % 8 == 1) return sign * 0.0;
      const double power = std::ldexp(1.0, static_cast<int>(bits >> 8 & 7) - 3);
      const double ulp = std::ldexp(power, 1 - Traits(format).precision);
      const int step = static_cast<int>(bits >> 16) % 3;
      return sign * (step == 0 ? power : step == 1 ? power + ulp : power - ulp / 2);
    }
    case Numbers::kUnequal: {
      const int spread = format == Format::kF16 ? 3 : 12;
      const int exponent = static_cast<int>((bits >> 1) % static_cast<uint64_t>(2 * spread + 1));
      return sign * Significand(format, word) * std::ldexp(1.0, word == 0 ? 0 : exponent - spread);
    }
    case Numbers::kSpecial:
      if ((bits >> 1) % 4 == 1) return Special(source, format);
      [[fallthrough]];
    case Numbers::kWide: {
      const FormatTraits& t = Traits(format);
      const int lowest = t.min_quantum_exponent - 1;
      if (word == 0) return 1;
      const int range = t.max_exponent - lowest + 1;
      // A quarter near either end of the range, where rounding changes its rule.
      int exponent = lowest + static_cast<int>((bits >> 4) % static_cast<uint64_t>(range));
      if ((bits >> 2 & 3) == 1) exponent = t.max_exponent - static_cast<int>(bits >> 40) % 3;
      if ((bits >> 2 & 3) == 2)
        exponent = lowest + static_cast<int>(bits >> 40) % (t.precision + 3);
      return RoundToFormat(format,
                           sign * std::min(Significand(format, word) * std::ldexp(1.0, exponent),
                                           LargestFinite(format)));
    }
  }
  return 1;
}

Numbers DrawTame(Source& source) {
  return source.Pick({Numbers::kWhole, Numbers::kUnit, Numbers::kEdges, Numbers::kUnequal});
}

int64_t DrawPosition(Source& source, int64_t limit) {
  int64_t position = 0;
  switch (source.Below(6)) {
    case 0:
      position = source.Below(16);
      break;
    case 1:
    case 2:
      position = source.Below(5000);
      break;
    case 3:
      position = (int64_t{1} << source.Below(32)) + source.Pick<int64_t>({0, 1, -1});
      break;
    case 4:
      position = source.Pick<int64_t>(
          {257, 2049, 255, 4097, 65520, 131071, 513, 1000003, 16777217, 2147483647, -2147483648});
      break;
    default:
      position = source.Below(limit);
      break;
  }
  if (source.Chance(1, 3)) position = -position;
  const bool any = limit > kMaxPosition;
  if (any && position >= kMinPosition && position <= kMaxPosition) return position;
  return position % std::min(limit, kMaxPosition);
}

Number DrawBase(Source& source) {
  if (source.Chance(1, 16)) return Number(std::string("10000.1"));
  return source.Pick<double>({10000, 500000, 1000000, 100, 2, 12345.678, 1.5, 0.5, 10000000, 16});
}

Number DrawFrequency(Source& source) {
  const double plain = Significand(Format::kF64, source.Word());
  const double scale = source.Pick<double>({1, 0.5, 0x1p-4, 0x1p-10, 0, -1, -0x1p-5, 3, 1000,
                                            0x1p40, 0x1p-40, 1e-20, 1e-38, -1e20, 0x1p-140});
  return Number(plain * scale);
}

Tensor Guarded(DType dtype, const Shape& shape, uint8_t fill) {
  const int64_t count = ElementCount(shape), guard = count + 64;
  Tensor tensor(dtype, shape, ContiguousStrides(shape), guard, count + 2 * guard);
  std::fill(tensor.storage().begin(), tensor.storage().end(), std::byte{fill});
  return tensor;
}

std::vector<int64_t> DrawExtents(Source& source, std::initializer_list<int64_t> usual,
                                 int64_t inner) {
  constexpr int64_t kMostElements = 2112;  // 132 rows of 16
  std::vector<int64_t> extents;
  for (const int64_t most : usual) extents.push_back(1 + source.Below(most));
  if (!source.Chance(1, 20)) return extents;
  const int64_t axis = source.Below(static_cast<int64_t>(extents.size()));
  const int64_t length = source.Pick<int64_t>({9, 17, 34, 66, 130, 258, 1026});
  for (int64_t& extent : extents) {
    extent = 1 + source.Below(2);
    inner *= extent;
  }
  int64_t& longest = extents[static_cast<size_t>(axis)];
  longest = std::clamp<int64_t>(kMostElements * longest / inner, 1, length);
  return extents;
}

Tensor DrawStrided(Source& source, DType dtype, const Shape& shape, uint8_t fill) {
  constexpr int64_t kMostFarRows = 8;  // of 66000 elements each
  std::vector<size_t> order(shape.size());
  std::iota(order.begin(), order.end(), size_t{0});
  // From the innermost axis out: swaps permute, gaps pad, a far row needs wide offsets.
  for (size_t i = order.size(); i-- > 1;)
    if (source.Chance(1, 4))
      std::swap(order[i], order[static_cast<size_t>(source.Below(static_cast<int64_t>(i)))]);
  Shape strides(shape.size());
  int64_t stride = 1, first = 0, last = 0;
  for (size_t i = order.size(); i-- > 0;) {
    const size_t axis = order[i];
    if (source.Chance(1, 3)) stride += 1 + source.Below(7);
    if (i == 0 && axis + 1 < shape.size() && shape[axis] > 1 && source.Chance(1, 8) &&
        shape[axis] <= kMostFarRows)
      stride = std::max<int64_t>(stride, 66000);
    const bool reversed = source.Chance(1, 8);
    strides[axis] = reversed ? -stride : stride;
    const int64_t reach = (shape[axis] - 1) * stride;
    (reversed ? first : last) += reversed ? -reach : reach;
    stride = std::max<int64_t>(stride * shape[axis], 1);
  }
  // Wide enough for code that takes the tensor as contiguous, or writes a vector beyond its last
  // row.
  const int64_t guard = ElementCount(shape) + 16 * std::abs(strides.back()) + 64;
  Tensor tensor(dtype, shape, strides, guard - first, last - first + 1 + 2 * guard);
  // Other junk at every place, but for the highest byte: what was read says where it was read.
  const size_t size = static_cast<size_t>(SizeOf(dtype));
  std::vector<std::byte>& storage = tensor.storage();
  for (size_t at = 0; at < storage.size(); at += size) {
    const uint64_t junk = Spread(at / size);
    for (size_t byte = 0; byte + 1 < size; ++byte)
      storage[at + byte] = std::byte(junk >> 8 * byte & 0xff);
    storage[at + size - 1] = std::byte{fill};
  }
  return tensor;
}

Tensor DrawMemory(Source& source, const Limits& limits, bool strided, DType dtype,
                  const Shape& shape, uint8_t fill) {
  return strided && limits.strides ? DrawStrided(source, dtype, shape, fill)
                                   : Guarded(dtype, shape, fill);
}

DType DrawIntegerType(Source& source, const Limits& limits, const std::string& role) {
  const DType drawn = source.Chance(1, 4) ? DType::kI32 : DType::kI64;
  if (limits.takes_dtype(role, drawn)) return drawn;
  return drawn == DType::kI32 ? DType::kI64 : DType::kI32;
}

void FitRank(const Limits& limits, const std::string& role, Shape* shape) {
  const auto rank = [&] { return static_cast<int64_t>(shape->size()); };
  if (limits.takes_rank(role, rank())) return;
  if (limits.takes_rank(role, rank() + 1)) shape->insert(shape->begin(), 1);
  if (limits.takes_rank(role, rank() - 1)) shape->erase(shape->begin());
}

void CopyElements(const Tensor& values, Tensor* to) {
  for (int64_t i = 0; i < values.count(); ++i) to->SetBits(i, BitsAt(values.view(), i));
}

Tensor Contiguous(const Tensor& values) {
  Tensor copy = Guarded(values.dtype(), values.shape());
  CopyElements(values, &copy);
  return copy;
}

Tensor Gather(const Tensor& from, size_t axis, const std::vector<int64_t>& index) {
  Shape shape = from.shape();
  const int64_t extent = shape[axis];
  int64_t inner = 1;
  for (size_t i = axis + 1; i < shape.size(); ++i) inner *= shape[i];
  shape[axis] = static_cast<int64_t>(index.size());
  Tensor to = Guarded(from.dtype(), shape);
  for (int64_t i = 0; i < to.count(); ++i) {
    const int64_t at = i / inner % shape[axis], outer = i / inner / shape[axis];
    to.SetBits(i, BitsAt(from.view(),
                         (outer * extent + index[static_cast<size_t>(at)]) * inner + i % inner));
  }
  return to;
}

void FillPadding(Tensor* tensor, uint8_t fill) {
  const std::vector<bool> owned = OwnedBytes(*tensor);
  for (size_t i = 0; i < owned.size(); ++i)
    if (!owned[i]) tensor->storage()[i] = std::byte{fill};
}

int64_t FirstChangedPadding(const Tensor& before, const Tensor& after) {
  const std::vector<bool> owned = OwnedBytes(before);
  for (size_t i = 0; i < owned.size(); ++i)
    if (!owned[i] && before.storage()[i] != after.storage()[i]) return static_cast<int64_t>(i);
  return -1;
}

int64_t FirstDifference(const Tensor& a, const Tensor& b) {
  for (int64_t i = 0; i < a.count(); ++i)
    if (BitsAt(a.view(), i) != BitsAt(b.view(), i)) return i;
  return -1;
}

Tensor Integers(const Shape& shape, const std::function<int64_t(int64_t)>& element) {
  Tensor tensor(DType::kI64, shape);
  for (int64_t i = 0; i < tensor.count(); ++i) tensor.SetInteger(i, element(i));
  return tensor;
}

Case With(Case c, const std::string& role, Tensor tensor) {
  c.inputs.insert_or_assign(role, std::move(tensor));
  return c;
}

Case WithParameter(Case c, const std::string& name, Value value) {
  c.parameters.insert_or_assign(name, std::move(value));
  return c;
}

}  // namespace gnomon::properties
