#include "gnomon/optimized/frequencies.h"

#include <algorithm>
#include <bit>

#include "gnomon/optimized/cache.h"
#include "gnomon/optimized/formats.h"
#include "gnomon/optimized/rope_scaling.h"
#include "gnomon/optimized/scaled_rows.h"
#include "gnomon/optimized/tables.h"
#include "gnomon/spec/operation.h"
#include "hwy/cache_control.h"

namespace gnomon::optimized {
namespace {

std::vector<ExactFrequency> AllGiven(const std::vector<Number>& numbers) {
  std::vector<ExactFrequency> all;
  for (const Number& number : numbers) all.push_back(ExactFrequency::Given(number));
  return all;
}

}  // namespace

std::vector<ExactFrequency> ExactFrequencies(const RopeFrequencies& f) {
  if (f.scaled()) return ScaledFrequencies(f);
  if (!f.frequencies.empty()) return AllGiven(f.frequencies);
  std::vector<int64_t> numerators;
  for (int64_t i = 0; i < f.pairs(); ++i) numerators.push_back(2 * i);
  return ExactFrequency::Powers(f.rope_theta, numerators, f.rotary_dim);
}

std::vector<ExactFrequency> ExactFrequencies(const SinusoidalTable& t) {
  if (!t.frequencies.empty()) return AllGiven(t.frequencies);
  std::vector<int64_t> numerators;
  for (int64_t i = 0; i < t.sines(); ++i) numerators.push_back(t.ExponentNumerator(i));
  return ExactFrequency::Powers(t.base, numerators, t.ExponentDenominator());
}

int64_t PositionAt(DType dtype, const std::byte* address) {
  if (IsFloat(dtype))
    throw Rejected("positions", std::string(Name(dtype)), "must be I64 or I32", "POS-1");
  const uint64_t bits = LoadBits(dtype, address);
  const int64_t position =
      dtype == DType::kI32 ? static_cast<int32_t>(bits) : static_cast<int64_t>(bits);
  if (position < kMinPosition || position > kMaxPosition)
    throw Rejected("positions", std::to_string(position), "must be in [-2^31, 2^31)", "POS-1");
  return position;
}

bool RoundOnce(Format format, float correctly_rounded, uint64_t* bits) {
  *bits = EncodeF32(format, correctly_rounded);
  const uint32_t single = std::bit_cast<uint32_t>(correctly_rounded);
  if (format == Format::kF32 || (single & 0x7fffffff) == 0) return true;
  const uint64_t below = EncodeF32(format, std::bit_cast<float>(single - 1));
  const uint64_t above = EncodeF32(format, std::bit_cast<float>(single + 1));
  return below == above ||
         DecodeBits(format, below) + DecodeBits(format, above) != 2.0 * correctly_rounded;
}

void WriteTable(const Turns& turns, const ConstTensorView& positions, const TensorView& cos,
                const TensorView& sin, const ExactFrequency* magnitude) {
  const RowSource source{turns, magnitude};
  const Format format = FormatOf(cos.dtype);
  if (!IsFloat(cos.dtype) || format == Format::kF64)
    throw Rejected("cos", std::string(Name(cos.dtype)), "must be F32, BF16 or F16", "FORMAT-1");
  const size_t pairs = turns.size(), padded = turns.padded();
  const int64_t rows = positions.count();
  const bool in_order =
      format == Format::kF32 && pairs == padded && cos.contiguous() && sin.contiguous();
  const int64_t block = in_order ? 1024 : static_cast<int64_t>(kStepRows);
  const bool stream = 2 * cos.count() * SizeOf(cos.dtype) > StreamBytes();
  std::vector<int64_t> m(static_cast<size_t>(block));
  AlignedArray<float> c, s;
  if (!in_order) {
    c = AlignedArray<float>(kStepRows * padded);
    s = AlignedArray<float>(kStepRows * padded);
  }
  for (int64_t row = 0; row < rows; row += block) {
    const int64_t count = std::min(block, rows - row);
    for (int64_t i = 0; i < count; ++i)
      m[static_cast<size_t>(i)] = PositionAt(positions.dtype, positions.AddressOf(row + i));
    if (in_order) {
      const size_t at = static_cast<size_t>(row) * pairs;
      source.Fill(m.data(), static_cast<size_t>(count),
                  TableRows<float>{reinterpret_cast<float*>(cos.data) + at,
                                   reinterpret_cast<float*>(sin.data) + at, pairs, stream});
      continue;
    }
    source.Fill(m.data(), static_cast<size_t>(count),
                TableRows<float>{c.data(), s.data(), padded, false});
    for (int64_t i = 0; i < count; ++i) {
      const int64_t number = (row + i) * static_cast<int64_t>(pairs);
      std::byte* to_cos = cos.AddressOf(number);
      std::byte* to_sin = sin.AddressOf(number);
      const int64_t cos_step = cos.strides.back() * SizeOf(cos.dtype);
      const int64_t sin_step = sin.strides.back() * SizeOf(sin.dtype);
      for (size_t pair = 0; pair < pairs; ++pair, to_cos += cos_step, to_sin += sin_step) {
        const size_t at = static_cast<size_t>(i) * padded + pair;
        PairBits bits;
        if (!RoundOnce(format, c[at], &bits.first) || !RoundOnce(format, s[at], &bits.second))
          bits = source.Resolve(pair, m[static_cast<size_t>(i)], format);
        StoreBits(cos.dtype, to_cos, bits.first);
        StoreBits(sin.dtype, to_sin, bits.second);
      }
    }
  }
  if (stream) hwy::FlushStream();
}

}  // namespace gnomon::optimized
