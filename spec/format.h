// Number formats (spec/format.md, FORMAT-1 to FORMAT-4): f64, f32, bf16, f16, and the one rounding
// this project uses: to nearest, ties to even, gradual underflow, overflow to infinity.
#ifndef GNOMON_SPEC_FORMAT_H_
#define GNOMON_SPEC_FORMAT_H_

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

namespace gnomon {

enum class Format { kF64, kF32, kBf16, kF16 };

// FORMAT-1. A finite value is an integer multiple of 2^min_quantum_exponent with at most
// `precision` significant bits and magnitude below 2^(max_exponent + 1).
struct FormatTraits {
  std::string_view name;
  int bits;
  int precision;             // significant bits, the hidden one included
  int max_exponent;          // of the largest finite value, (2 - 2^(1 - precision)) 2^max_exponent
  int min_quantum_exponent;  // the smallest subnormal is 2^min_quantum_exponent
};

inline constexpr std::array<FormatTraits, 4> kFormats = {{{"f64", 64, 53, 1023, -1074},
                                                          {"f32", 32, 24, 127, -149},
                                                          {"bf16", 16, 8, 127, -133},
                                                          {"f16", 16, 11, 15, -24}}};

constexpr const FormatTraits& Traits(Format format) {
  return kFormats[static_cast<size_t>(format)];
}

constexpr std::optional<Format> FormatFromName(std::string_view name) {
  for (size_t i = 0; i < kFormats.size(); ++i)
    if (kFormats[i].name == name) return static_cast<Format>(i);
  return std::nullopt;
}

// 2^exponent, for every exponent that binary64 holds; 0 below them.
constexpr double ExactPowerOfTwo(int exponent) {
  if (exponent < -1074) return 0;
  return std::bit_cast<double>(exponent < -1022 ? uint64_t{1} << (exponent + 1074)
                                                : static_cast<uint64_t>(exponent + 1023) << 52);
}

// u: half the distance between 1 and the next value (FORMAT-2).
constexpr double UnitRoundoff(Format format) { return ExactPowerOfTwo(-Traits(format).precision); }

// log2 of eta, half the smallest subnormal (FORMAT-2); eta itself underflows in f64.
constexpr int EtaExponent(Format format) { return Traits(format).min_quantum_exponent - 1; }

// The distance between the values of the format around v; between the least ones at 0.
inline double UlpAt(Format format, double v) {
  const FormatTraits& t = Traits(format);
  const int exponent =
      v == 0 || !std::isfinite(v) ? t.min_quantum_exponent : std::ilogb(v) - t.precision + 1;
  return ExactPowerOfTwo(std::max(exponent, t.min_quantum_exponent));
}

constexpr double SmallestNormal(Format format) {
  return ExactPowerOfTwo(1 - Traits(format).max_exponent);
}

constexpr double LargestFinite(Format format) {
  const FormatTraits& t = Traits(format);
  return (2.0 - ExactPowerOfTwo(1 - t.precision)) * ExactPowerOfTwo(t.max_exponent);
}

// FORMAT-3 in integers, for any format narrower than binary64.
inline double RoundByIntegers(Format format, double v) {
  const FormatTraits& t = Traits(format);
  if (v == 0 || !std::isfinite(v)) return v;
  const uint64_t bits = std::bit_cast<uint64_t>(v);
  const int biased = static_cast<int>((bits >> 52) & 0x7ff);
  const uint64_t fraction = bits & ((uint64_t{1} << 52) - 1);
  // |v| = significand 2^quantum, exactly.
  const uint64_t significand = biased == 0 ? fraction : fraction | (uint64_t{1} << 52);
  const int quantum = (biased == 0 ? 1 : biased) - 1075;
  const int exponent = quantum + 63 - std::countl_zero(significand);  // of the leading bit
  const int target_quantum = std::max(exponent - t.precision + 1, t.min_quantum_exponent);
  const int shift = target_quantum - quantum;
  uint64_t kept = significand;
  if (shift >= 64) {
    kept = 0;
  } else if (shift > 0) {
    const uint64_t dropped = significand & ((uint64_t{1} << shift) - 1);
    const uint64_t half = uint64_t{1} << (shift - 1);
    kept = significand >> shift;
    if (dropped > half || (dropped == half && (kept & 1))) ++kept;
  } else {
    return v;  // already a value of the format
  }
  double rounded = std::ldexp(static_cast<double>(kept), target_quantum);
  if (rounded > LargestFinite(format)) rounded = std::numeric_limits<double>::infinity();
  return std::signbit(v) ? -rounded : rounded;
}

// FORMAT-3. The value of `format` nearest to v, ties to even. NaN stays NaN.
inline double RoundToFormat(Format format, double v) {
  if (format == Format::kF64) return v;
  if (format == Format::kF32) return static_cast<float>(v);  // the same: a test compares the two
  return RoundByIntegers(format, v);
}

// FORMAT-4. The stored bits of a value. `v` must be a value of the format (RoundToFormat makes it
// one); a NaN keeps its sign and the upper payload bits and becomes quiet.
inline uint64_t EncodeBits(Format format, double v) {
  if (format == Format::kF64) return std::bit_cast<uint64_t>(v);
  const uint64_t bits = std::bit_cast<uint64_t>(v);
  const uint64_t sign = bits >> 63;
  if (format == Format::kF16) {
    const uint64_t top = sign << 15;
    if (std::isnan(v)) return top | 0x7e00 | ((bits >> 42) & 0x1ff);
    if (std::isinf(v)) return top | 0x7c00;
    const double magnitude = std::fabs(v);
    if (magnitude < 0x1p-14) return top | static_cast<uint64_t>(magnitude * 0x1p24);
    const int exponent = std::ilogb(magnitude);
    return top | static_cast<uint64_t>(std::ldexp(magnitude, 10 - exponent) - 1024) |
           static_cast<uint64_t>(exponent + 15) << 10;
  }
  uint32_t single;
  if (std::isnan(v)) {
    single = static_cast<uint32_t>(sign << 31 | 0x7fc00000 | ((bits >> 29) & 0x3fffff));
  } else {
    single = std::bit_cast<uint32_t>(static_cast<float>(v));
  }
  return format == Format::kBf16 ? single >> 16 : single;
}

// The value that stored bits stand for. Every value of every format is a binary64 value.
inline double DecodeBits(Format format, uint64_t bits) {
  switch (format) {
    case Format::kF64:
      return std::bit_cast<double>(bits);
    case Format::kF32:
      return std::bit_cast<float>(static_cast<uint32_t>(bits));
    case Format::kBf16:
      return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
    case Format::kF16:
      break;
  }
  const double sign = (bits & 0x8000) ? -1.0 : 1.0;
  const int biased = static_cast<int>((bits >> 10) & 0x1f);
  const double fraction = static_cast<double>(bits & 0x3ff);
  if (biased == 0x1f) {
    if (fraction == 0) return sign * std::numeric_limits<double>::infinity();
    const uint64_t nan = (bits & 0x8000) << 48 | uint64_t{0x7ff} << 52 | (bits & 0x3ff) << 42;
    return std::bit_cast<double>(nan | uint64_t{1} << 51);
  }
  if (biased == 0) return sign * fraction * 0x1p-24;
  return sign * std::ldexp(1024.0 + fraction, biased - 25);
}

}  // namespace gnomon

#endif  // GNOMON_SPEC_FORMAT_H_
