// The idea: both operations move memory. A row is copied as one run where it is one, and float32
// rows that are runs are added in whole vectors; everything else goes element by element, through
// float32, with one rounding to the output's format. What is known of a row is checked before it is
// read: a position past the table is refused, not clamped.
#include "gnomon/optimized/learned.h"

#include <cstring>

#include "gnomon/optimized/formats.h"
#include "gnomon/optimized/learned_resize.h"
#include "gnomon/optimized/schemes.h"
#include "gnomon/spec/schemes.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "gnomon/optimized/learned.cc"
// clang-format off
#include "hwy/foreach_target.h"  // before highway.h
#include "hwy/highway.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace gnomon {
namespace optimized {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// y = x + p; y may be x.
void AddRuns(const float* x, const float* p, size_t size, float* y) {
  const hn::ScalableTag<float> d;
  size_t i = 0;
  for (; i + hn::Lanes(d) <= size; i += hn::Lanes(d))
    hn::StoreU(hn::Add(hn::LoadU(d, x + i), hn::LoadU(d, p + i)), d, y + i);
  for (; i < size; ++i) y[i] = x[i] + p[i];
}

}  // namespace HWY_NAMESPACE
}  // namespace optimized
}  // namespace gnomon
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gnomon::optimized {

HWY_EXPORT(AddRuns);

namespace {

using gnomon::learned::LookupParameters;
using gnomon::learned::ReadLookup;

// LEARNED-1.
const std::byte* RowAt(const ConstTensorView& table, int64_t row) {
  if (row < 0 || row >= table.shape[0])
    throw Rejected("positions", "row " + std::to_string(row),
                   "is none of the table's " + std::to_string(table.shape[0]), "LEARNED-1");
  return table.data + row * table.strides[0] * SizeOf(table.dtype);
}

// Of the token with this number, without the last axis.
std::byte* TokenAt(const TensorView& view, int64_t token) {
  const int64_t width = view.shape.back();
  return width == 0 ? view.data : view.AddressOf(token * width);
}

}  // namespace

std::vector<int64_t> RowsFromMask(const LookupParameters& p, const ConstTensorView& mask) {
  std::vector<int64_t> rows;
  const int64_t count = mask.count(), seq = mask.shape.back();
  int64_t next = 0;  // the position of the next token that counts
  for (int64_t i = 0; i < count; ++i) {
    if (i % seq == 0) next = 0;
    rows.push_back((IntegerAt(mask, i) != 0 ? next++ : p.padding_position) + p.offset);
  }
  return rows;
}

std::vector<int64_t> RowsFromPositions(const LookupParameters& p,
                                       const ConstTensorView& positions) {
  std::vector<int64_t> rows;
  for (int64_t i = 0; i < positions.count(); ++i)
    rows.push_back(IntegerAt(positions, i) + p.offset);
  return rows;
}

void LookUpRows(const ConstTensorView& table, const std::vector<int64_t>& row,
                const TensorView& rows) {
  const int64_t size = SizeOf(table.dtype), width = table.shape[1];
  const int64_t from_stride = table.strides[1], to_stride = rows.strides.back();
  for (size_t i = 0; i < row.size(); ++i) {
    const std::byte* from = RowAt(table, row[i]);
    std::byte* to = TokenAt(rows, static_cast<int64_t>(i));
    if (from_stride == 1 && to_stride == 1) {
      std::memcpy(to, from, static_cast<size_t>(width * size));
      continue;
    }
    for (int64_t c = 0; c < width; ++c)
      std::memcpy(to + c * to_stride * size, from + c * from_stride * size,
                  static_cast<size_t>(size));
  }
}

void AddRows(const ConstTensorView& x, const ConstTensorView& table,
             const std::vector<int64_t>& row, const TensorView& y) {
  const Format format = FormatOf(x.dtype);
  const int64_t size = SizeOf(x.dtype), width = table.shape[1], seq = x.shape[1];
  const int64_t in = x.strides[2], column = table.strides[1], out = y.strides[2];
  const bool runs = format == Format::kF32 && in == 1 && column == 1 && out == 1;
  for (int64_t token = 0; token < x.shape[0] * seq; ++token) {
    const int64_t batch = token / seq, i = token % seq;
    const std::byte* p = RowAt(table, row[static_cast<size_t>(token) % row.size()]);
    const std::byte* from = x.data + (batch * x.strides[0] + i * x.strides[1]) * size;
    std::byte* to = y.data + (batch * y.strides[0] + i * y.strides[1]) * size;
    if (runs) {
      HWY_DYNAMIC_DISPATCH(AddRuns)
      (reinterpret_cast<const float*>(from), reinterpret_cast<const float*>(p),
       static_cast<size_t>(width), reinterpret_cast<float*>(to));
      continue;
    }
    for (int64_t c = 0; c < width; ++c)
      // LEARNED-5: NaN and infinities go through the sum.
      StoreBits(y.dtype, to + c * out * size,
                EncodeF32(format, DecodeToF32(format, from + c * in * size) +
                                      DecodeToF32(format, p + c * column * size)));
  }
}

namespace learned {

bool Supports(const std::string& operation, Format format) {
  if (format == Format::kF64) return false;
  for (const OperationSpec& known : gnomon::learned::Operations())
    if (known.name == operation) return true;
  return false;
}

bool Run(const Case& c, const OutputViews& outputs, Mode) {
  if (!Supports(c.operation, c.format)) return false;
  if (c.operation == "learned.resize") {
    ResizeTable(gnomon::learned::ReadResize(c), c.inputs.at("table").view(), outputs.at("resized"));
    return true;
  }
  if (c.operation == "learned.lookup_2d") {
    LookUpGrid(c.inputs.at("table").view(), c.inputs.at("positions").view(), outputs.at("rows"));
    return true;
  }
  const LookupParameters p = ReadLookup(c);
  const std::vector<int64_t> row = c.inputs.count("mask") > 0
                                       ? RowsFromMask(p, c.inputs.at("mask").view())
                                       : RowsFromPositions(p, c.inputs.at("positions").view());
  const ConstTensorView table = c.inputs.at("table").view();
  if (c.operation == "learned.lookup") {
    LookUpRows(table, row, outputs.at("rows"));
  } else {
    const TensorView& y = outputs.at("y");
    AddRows(c.in_place == "x" ? ConstTensorView(y) : c.inputs.at("x").view(), table, row, y);
  }
  return true;
}

}  // namespace learned
}  // namespace gnomon::optimized
#endif  // HWY_ONCE
