#include "gnomon/oracle/placement.h"

#include <algorithm>
#include <cstring>

namespace gnomon::oracle {
namespace {

// Offsets, in elements from the first one, of the lowest element and of the end of the highest.
struct Span {
  int64_t low = 0, high = 0;
};
Span SpanOf(const ConstTensorView& view) {
  Span span;
  if (view.count() == 0) return span;
  for (size_t i = 0; i < view.rank(); ++i)
    (view.strides[i] < 0 ? span.low : span.high) += (view.shape[i] - 1) * view.strides[i];
  ++span.high;
  return span;
}

template <class T>
T* AlignDown(T* address, int64_t alignment) {
  return address - reinterpret_cast<uintptr_t>(address) % static_cast<uintptr_t>(alignment);
}

// NaN and -1; and a number near 1/64 or 1 in every format.
constexpr std::byte JunkByte(Junk junk) {
  return junk == Junk::kFirst ? std::byte{0xff} : std::byte{0x3c};
}

}  // namespace

size_t SlotBytes(const ConstTensorView& view, int64_t alignment) {
  const Span span = SpanOf(view);
  return static_cast<size_t>((span.high - span.low) * SizeOf(view.dtype) + alignment);
}

Placement::Placement(std::string role, const ConstTensorView& view, const Slot& slot, Side side,
                     int64_t alignment)
    : role_(std::move(role)), slot_(slot), view_{view.dtype, nullptr, view.shape, view.strides} {
  const int64_t size = SizeOf(view.dtype);
  const int64_t aligned = std::max(alignment, size);
  const Span span = SpanOf(view);
  if (side == Side::kEnd) {
    view_.data = AlignDown(slot.end - span.high * size, aligned);
  } else {
    view_.data = AlignDown(slot.begin - span.low * size + aligned - 1, aligned);
  }
  first_ = view_.data + span.low * size;
  last_ = view_.data + span.high * size;
  const int64_t page = static_cast<int64_t>(Arena::kPage);
  from_ = side == Side::kEnd ? AlignDown(first_, page) : slot.begin;
  to_ = side == Side::kEnd ? slot.end : AlignDown(last_ + page - 1, page);
}

uint64_t Placement::Pattern(DType dtype, Junk junk) {
  const bool first = junk == Junk::kFirst;
  switch (dtype) {  // signalling NaN
    case DType::kF64:
      return first ? 0x7ff4a5a5a5a5a5a5 : 0x7ff2969696969696;
    case DType::kF32:
      return first ? 0x7fa5a5a5 : 0x7f969696;
    case DType::kBf16:
      return first ? 0x7fa5 : 0x7f96;
    case DType::kF16:
      return first ? 0x7d5a : 0x7c96;
    default:
      return first ? 0x5a5a5a5a5a5a5a5a : 0x6969696969696969;
  }
}

void Placement::Fill(const ConstTensorView* from, Junk junk) {
  expected_.assign(static_cast<size_t>(to_ - from_), JunkByte(junk));
  TensorView copy = view_;
  copy.data = expected_.data() + (view_.data - from_);
  const int64_t count = view_.count();
  if (from == nullptr) {
    const uint64_t pattern = Pattern(view_.dtype, junk);
    for (int64_t i = 0; i < count; ++i) StoreBits(view_.dtype, copy.AddressOf(i), pattern);
  } else if (from->contiguous() && view_.contiguous()) {
    std::copy_n(from->data, last_ - first_, copy.data);
  } else {
    for (int64_t i = 0; i < count; ++i) StoreBits(view_.dtype, copy.AddressOf(i), BitsAt(*from, i));
  }
  std::copy(expected_.begin(), expected_.end(), from_);
}

std::string Placement::Changed(bool is_output) {
  if (is_output) {
    TensorView copy = view_;
    copy.data = expected_.data() + (view_.data - from_);
    if (view_.contiguous()) {
      std::copy(first_, last_, copy.data);
    } else {
      for (int64_t i = 0; i < view_.count(); ++i)
        StoreBits(view_.dtype, copy.AddressOf(i), BitsAt(view_, i));
    }
  }
  if (expected_.empty() || std::memcmp(expected_.data(), from_, expected_.size()) == 0) return "";
  std::vector<bool> owned(expected_.size());
  const size_t size = static_cast<size_t>(SizeOf(view_.dtype));
  int64_t element = -1;
  for (int64_t i = 0; i < view_.count(); ++i) {
    std::byte* const address = view_.AddressOf(i);
    const size_t at = static_cast<size_t>(address - from_);
    std::fill_n(owned.begin() + static_cast<std::ptrdiff_t>(at), size, true);
    if (element < 0 && std::memcmp(address, &expected_[at], size) != 0) element = i;
  }
  if (element >= 0) return "changed its input " + ElementText(role_, view_.shape, element);
  size_t bytes = 0, first = 0;
  for (size_t i = expected_.size(); i-- > 0;) {
    if (owned[i] || expected_[i] == from_[i]) continue;
    ++bytes;
    first = i;
  }
  if (bytes == 0) return "";  // it is being changed by another thread while we look
  return "wrote outside " + role_ + ": " + std::to_string(bytes) +
         (bytes == 1 ? " byte, " : " bytes, the first ") + Where(first);
}

std::string Placement::Where(size_t byte) const {
  const std::byte* const address = from_ + byte;
  const auto bytes = [](std::ptrdiff_t n) {
    return std::to_string(n) + (n == 1 ? " byte" : " bytes");
  };
  if (address < first_) return bytes(first_ - address) + " before its start";
  if (address >= last_) return bytes(address - last_ + 1) + " past its end";
  return "between its elements, " + bytes(address - view_.data) + " from its first";
}

std::string Placement::Near(uint64_t address) const {
  const auto at = [](const std::byte* p) { return reinterpret_cast<uint64_t>(p); };
  const auto bytes = [](uint64_t n) { return std::to_string(n) + (n == 1 ? " byte" : " bytes"); };
  if (address >= at(last_) && address < at(slot_.end) + Arena::kGuard)
    return bytes(address - at(last_) + 1) + " past the end of " + role_;
  if (address < at(first_) && address >= at(slot_.begin) - Arena::kGuard)
    return bytes(at(first_) - address) + " before the start of " + role_;
  return "";
}

std::string ElementText(const std::string& role, const Shape& shape, int64_t number) {
  std::string text = "]";
  for (size_t i = shape.size(); i-- > 0;) {
    text = std::to_string(number % shape[i]) + text;
    if (i > 0) text = ", " + text;
    number /= shape[i];
  }
  return role + "[" + text;
}

}  // namespace gnomon::oracle
