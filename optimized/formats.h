// float32 and the 16-bit formats, one element at a time (FORMAT-3, FORMAT-5): round to nearest,
// ties to even, in integers; a NaN stays a NaN. formats-inl.h has the same for vectors.
#ifndef GNOMON_OPTIMIZED_FORMATS_H_
#define GNOMON_OPTIMIZED_FORMATS_H_

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "gnomon/spec/format.h"

namespace gnomon::optimized {

inline uint16_t Bf16FromF32(float v) {
  const uint32_t bits = std::bit_cast<uint32_t>(v);
  if (std::isnan(v)) return static_cast<uint16_t>(bits >> 16 | 0x40);
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
inline float F32FromBf16(uint16_t bits) {
  return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

inline uint16_t F16FromF32(float v) {
  const uint32_t bits = std::bit_cast<uint32_t>(v);
  const uint32_t sign = bits >> 16 & 0x8000, size = bits & 0x7fffffff;
  uint32_t rounded;
  if (size > 0x7f800000) {
    rounded = 0x7e00 | (size >> 13 & 0x1ff);
  } else if (size >= 0x47800000) {  // 2^16
    rounded = 0x7c00;
  } else if (size < 0x38800000) {
    // Below 2^-14 the quantum is 2^-24: that of [1/2, 1) in float32, whose addition rounds.
    rounded = std::bit_cast<uint32_t>(std::bit_cast<float>(size) + 0.5f) - 0x3f000000;
  } else {
    rounded = (size + 0xfff + (size >> 13 & 1) - (uint32_t{112} << 23)) >> 13;
  }
  return static_cast<uint16_t>(sign | rounded);
}
inline float F32FromF16(uint16_t bits) {
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000) << 16, size = bits & 0x7fff;
  if (size >= 0x7c00) return std::bit_cast<float>(sign | 0x7f800000 | size << 13);
  return std::bit_cast<float>(sign |
                              std::bit_cast<uint32_t>(std::bit_cast<float>(size << 13) * 0x1p112f));
}

inline uint64_t EncodeF32(Format format, float v) {
  return format == Format::kBf16  ? Bf16FromF32(v)
         : format == Format::kF16 ? F16FromF32(v)
                                  : std::bit_cast<uint32_t>(v);
}
inline float DecodeToF32(Format format, const std::byte* from) {
  if (format == Format::kF64) {
    double v;
    std::memcpy(&v, from, sizeof v);
    return static_cast<float>(v);
  }
  if (format == Format::kF32) {
    float v;
    std::memcpy(&v, from, sizeof v);
    return v;
  }
  uint16_t bits;
  std::memcpy(&bits, from, sizeof bits);
  return format == Format::kBf16 ? F32FromBf16(bits) : F32FromF16(bits);
}

}  // namespace gnomon::optimized

#endif  // GNOMON_OPTIMIZED_FORMATS_H_
