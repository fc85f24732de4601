// The idea: a magnitude t multiplies every cosine and sine (SCALE-13), and t cos is to be correctly
// rounded, not t times a rounded cosine. So the float64 rows are multiplied by t as float64, and
// where both ends of the error round alike that is the answer. Against the rows without t the error
// grows by three roundings: t, its product, and forming the ends. What is left open, about one
// entry in 2^26, is decided from the exact frequency and the exact t (exact.h).
#include "gnomon/optimized/scaled_rows.h"

#include <algorithm>
#include <cmath>

#include "gnomon/optimized/aligned.h"
#include "gnomon/optimized/formats.h"

namespace gnomon::optimized {

double RowSource::nearest() const {
  return magnitude == nullptr ? 1 : DecodeBits(Format::kF64, magnitude->Round(Format::kF64));
}

PairBits RowSource::Resolve(size_t pair, int64_t position, Format format) const {
  if (magnitude == nullptr) return turns.Resolve(pair, position, format);
  return RoundRotation(turns.exact(pair), position, 1, 0, format, *magnitude);
}

void RowSource::Fill(const int64_t* positions, size_t rows, const TableRows<double>& to) const {
  FillTable(turns, positions, rows, to);
  if (magnitude == nullptr) return;
  const double t = nearest();
  for (size_t row = 0; row < rows; ++row)
    for (size_t i = 0; i < turns.padded(); ++i) {
      to.cos[row * to.stride + i] *= t;
      to.sin[row * to.stride + i] *= t;
    }
}

void RowSource::Fill(const int64_t* positions, size_t rows, const TableRows<float>& to) const {
  if (magnitude == nullptr) return FillTable(turns, positions, rows, to);
  constexpr double kRelative = kDirectRelative + 4 * 0x1p-53;
  const size_t padded = turns.padded();
  const double absolute = nearest() * kDirectAbsolute;
  AlignedArray<double> cos(padded), sin(padded);
  for (size_t row = 0; row < rows; ++row) {
    Fill(positions + row, 1, TableRows<double>{cos.data(), sin.data(), padded});
    float* c = to.cos + row * to.stride;
    float* s = to.sin + row * to.stride;
    bool open = false;
    const auto round = [&](double v, float* into) {
      const double error = std::abs(v) * kRelative + absolute;
      *into = static_cast<float>(v - error);
      open |= *into != static_cast<float>(v + error);
    };
    for (size_t i = 0; i < padded; ++i) {
      round(cos[i], c + i);
      round(sin[i], s + i);
    }
    if (!open) continue;
    const auto decided = [&](double v) {
      const double error = std::abs(v) * kRelative + absolute;
      return static_cast<float>(v - error) == static_cast<float>(v + error);
    };
    for (size_t i = 0; i < turns.size(); ++i) {
      if (decided(cos[i]) && decided(sin[i])) continue;
      const PairBits bits = Resolve(i, positions[row], Format::kF32);
      c[i] = static_cast<float>(DecodeBits(Format::kF32, bits.first));
      s[i] = static_cast<float>(DecodeBits(Format::kF32, bits.second));
    }
  }
}

}  // namespace gnomon::optimized
