// For tests only: random cases of rope.apply with every kind of memory, and guards around outputs.
#ifndef GNOMON_OPTIMIZED_KERNEL_CASES_H_
#define GNOMON_OPTIMIZED_KERNEL_CASES_H_

#include <gtest/gtest.h>

#include <random>

#include "gnomon/optimized/schemes.h"
#include "gnomon/spec/bounds.h"
#include "gnomon/spec/schemes.h"

namespace gnomon::optimized::testing {

using Random = std::mt19937_64;

inline int64_t Between(Random& random, int64_t low, int64_t high) {
  return low + static_cast<int64_t>(random() % static_cast<uint64_t>(high - low + 1));
}

// A tensor with padding between rows, and with negative or (for inputs) zero strides on some axes.
inline Tensor Strided(Random& random, DType dtype, const Shape& shape, bool input, bool unit_last) {
  Shape strides(shape.size());
  int64_t step = unit_last ? 1 : Between(random, 1, 3), origin = 16, extent = 32;
  for (size_t i = shape.size(); i-- > 0;) {
    const bool last = i + 1 == shape.size();
    const bool plain = last && unit_last;
    strides[i] = step;
    step = step * shape[i] + (last ? Between(random, 0, 5) : 0);
    if (!plain && random() % 4 == 0) strides[i] = -strides[i];
    if (!plain && input && random() % 8 == 0) strides[i] = 0;
    if (strides[i] < 0) origin += -strides[i] * (shape[i] - 1);
    extent += std::abs(strides[i]) * (shape[i] - 1);
  }
  return Tensor(dtype, shape, strides, origin, extent + 1);
}

// Magnitudes over many binades, and now and then a zero or a subnormal.
inline double Value(Random& random, Format format) {
  const uint64_t kind = random() % 40;
  if (kind == 0) return 0;
  if (kind == 1)
    return std::ldexp(1.0, Traits(format).min_quantum_exponent) * static_cast<double>(random() % 7);
  const double v =
      std::ldexp(static_cast<double>(random() % 2048) + 1, static_cast<int>(random() % 12) - 16);
  return random() % 2 ? v : -v;
}
inline void FillValues(Random& random, Tensor* tensor) {
  for (int64_t i = 0; i < tensor->count(); ++i)
    tensor->Set(i, Value(random, FormatOf(tensor->dtype())));
}

// Guards: every byte of the storage that no element owns keeps what it held.
class Guarded {
 public:
  explicit Guarded(Tensor tensor) : tensor_(std::move(tensor)) {}
  void Fence() {
    owned_.assign(tensor_.storage().size(), false);
    const size_t size = static_cast<size_t>(SizeOf(tensor_.dtype()));
    for (int64_t i = 0; i < tensor_.count(); ++i) {
      const size_t at = static_cast<size_t>(tensor_.view().AddressOf(i) - tensor_.storage().data());
      for (size_t b = 0; b < size; ++b) owned_[at + b] = true;
    }
    for (size_t i = 0; i < owned_.size(); ++i)
      if (!owned_[i]) tensor_.storage()[i] = std::byte{0xa5};
  }
  bool Intact() const {
    for (size_t i = 0; i < owned_.size(); ++i)
      if (!owned_[i] && tensor_.storage()[i] != std::byte{0xa5}) return false;
    return true;
  }
  Tensor& tensor() { return tensor_; }

 private:
  Tensor tensor_;
  std::vector<bool> owned_;
};

// rope.apply with everything drawn: shape, window, layouts, direction, strides, batch of positions.
inline Case RandomApply(Random& random, Format format) {
  Case c;
  c.operation = "rope.apply";
  c.format = format;
  const int64_t rotary = 2 * Between(random, 1, 75);
  const int64_t offset = random() % 2 ? Between(random, 0, 9) : 0;
  const int64_t dim = rotary + offset + (random() % 2 ? Between(random, 0, 9) : 0);
  const auto name = [&random](const std::vector<std::string>& names) {
    return names[random() % 2];
  };
  c.parameters["head_dim"] = static_cast<double>(dim);
  c.parameters["rotary_dim"] = static_cast<double>(rotary);
  c.parameters["rotary_offset"] = static_cast<double>(offset);
  c.parameters["layout"] = name(kRopeLayoutNames);
  if (random() % 3 == 0) c.parameters["output_layout"] = name(kRopeLayoutNames);
  c.parameters["direction"] = name(kRopeDirectionNames);
  const Shape shape{Between(random, 1, 3), Between(random, 1, 40), Between(random, 1, 3), dim};
  Tensor x = random() % 3 == 0 ? Tensor(DTypeOf(format), shape)
                               : Strided(random, DTypeOf(format), shape, true, random() % 2 == 0);
  FillValues(random, &x);
  c.inputs["x"] = x;
  Shape seq{shape[1]};
  if (random() % 2) seq.insert(seq.begin(), random() % 2 ? 1 : shape[0]);
  Tensor positions =
      Strided(random, random() % 2 ? DType::kI32 : DType::kI64, seq, false, random() % 2);
  const int64_t first = Between(random, -2000000, 2000000);
  for (int64_t i = 0; i < positions.count(); ++i)
    positions.SetInteger(i, random() % 8 ? first + i : Between(random, -2000000, 2000000));
  c.inputs["positions"] = positions;
  return c;
}

}  // namespace gnomon::optimized::testing

#endif  // GNOMON_OPTIMIZED_KERNEL_CASES_H_
