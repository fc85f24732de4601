// The idea: a head's bias depends on key - query alone, or on the key alone, so it is worked out as
// one line of numbers and the matrix is written by copies of it (offset_line.cc). The slope is an
// exponential of two in float64, the product with the whole distance is float64 too, and only
// then is it rounded: to float32, and from there to 16 bits. No vector arithmetic: the lines are
// short beside the matrix.
#include "gnomon/optimized/alibi.h"

#include <cmath>

#include "gnomon/optimized/biased_attention.h"
#include "gnomon/optimized/formats.h"
#include "gnomon/optimized/offset_line.h"
#include "gnomon/optimized/schemes.h"

namespace gnomon::optimized {
namespace {

// ALIBI-1.
double SlopeOf(const AlibiSlopes& s, int64_t head) {
  const AlibiExponent e = s.ExponentOf(head);
  return std::exp2(-e.bias_max.value * static_cast<double>(e.numerator) /
                   static_cast<double>(e.denominator));
}

void Encode(Format format, double slope, const std::vector<int64_t>& factors, std::byte* bits) {
  if (format == Format::kF32) {
    float* to = reinterpret_cast<float*>(bits);
    for (size_t i = 0; i < factors.size(); ++i)
      to[i] = static_cast<float>(slope * static_cast<double>(factors[i]));
    return;
  }
  uint16_t* to = reinterpret_cast<uint16_t*>(bits);
  for (size_t i = 0; i < factors.size(); ++i)
    to[i] = static_cast<uint16_t>(
        EncodeF32(format, static_cast<float>(slope * static_cast<double>(factors[i]))));
}

}  // namespace

void FillAlibiSlopes(const AlibiSlopes& slopes, const TensorView& to) {
  const Format format = FormatOf(to.dtype);
  for (int64_t head = 0; head < slopes.num_heads; ++head)
    StoreBits(to.dtype, to.AddressOf(head),
              EncodeF32(format, static_cast<float>(SlopeOf(slopes, head))));
}

void FillAlibiBias(const gnomon::alibi::BiasParameters& p, const ConstTensorView& query,
                   const ConstTensorView& key, const TensorView& to) {
  const Format format = FormatOf(to.dtype);
  const int64_t heads = p.slopes.num_heads, keys = key.shape.back();
  const auto encode = [&](int64_t head, const std::vector<int64_t>& factors, std::byte* bits) {
    Encode(format, SlopeOf(p.slopes, head), factors, bits);
  };
  if (p.form == AlibiForm::kKey || p.form == AlibiForm::kKeyFromTheEnd) {
    FillByKey(
        key.rank() == 2 ? key.shape[0] : 1, heads,
        [&](int64_t batch) {
          std::vector<int64_t> line(static_cast<size_t>(keys));
          for (int64_t i = 0; i < keys; ++i)
            line[static_cast<size_t>(i)] =
                IntegerAt(key, batch * keys + i) - (p.form == AlibiForm::kKey ? 0 : keys - 1);
          return line;
        },
        encode, to);
    return;
  }
  const bool below = p.form == AlibiForm::kDistanceBelow;
  std::vector<int64_t> factors;
  FillByOffset(
      query, key, heads, 1,
      [&](int64_t head, const std::vector<int64_t>& line, std::byte* bits) {
        factors.resize(line.size());
        for (size_t i = 0; i < line.size(); ++i)
          factors[i] = line[i] <= 0 ? line[i] : below ? 0 : -line[i];
        encode(head, factors, bits);
      },
      to);
}

namespace {

// ALIBI-8: the line of ALIBI-3, in float32, read by the fused kernel.
void RunAttention(const Case& c, const TensorView& y) {
  const gnomon::alibi::AttentionParameters p = gnomon::alibi::ReadAttention(c);
  const AlibiForm form = p.bias.form;
  const bool by_key = form == AlibiForm::kKey || form == AlibiForm::kKeyFromTheEnd;
  const int64_t keys = c.inputs.at("key_positions").shape().back();
  RunBiasedAttention(
      c, p.heads, by_key,
      [&](int64_t head, const std::vector<int64_t>& line, float* bias) {
        const double slope = SlopeOf(p.bias.slopes, head);
        for (size_t i = 0; i < line.size(); ++i)
          bias[i] = static_cast<float>(
              slope * static_cast<double>(by_key ? gnomon::alibi::Factor(form, 0, line[i], keys)
                                                 : gnomon::alibi::Factor(form, -line[i], 0, keys)));
      },
      y);
}

}  // namespace

namespace alibi {

bool Supports(const std::string& operation, Format format) {
  return format != Format::kF64 && (operation == "alibi.slopes" || operation == "alibi.bias" ||
                                    operation == "alibi.attention");
}

bool Run(const Case& c, const OutputViews& outputs, Mode) {
  if (!Supports(c.operation, c.format)) return false;
  if (c.operation == "alibi.slopes") {
    FillAlibiSlopes(gnomon::alibi::ReadSlopes(c), outputs.at("slopes"));
  } else if (c.operation == "alibi.attention") {
    RunAttention(c, outputs.at("y"));
  } else {
    FillAlibiBias(gnomon::alibi::ReadBias(c), c.inputs.at("query_positions").view(),
                  c.inputs.at("key_positions").view(), outputs.at("bias"));
  }
  return true;
}

}  // namespace alibi
}  // namespace gnomon::optimized
