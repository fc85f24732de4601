// The idea: the table kernels write cosines and sines in two runs of columns, which is what a row
// of the sin_cos and cos_sin layouts is: those are written where they belong. Every other layout,
// format, scale or stride picks its columns from float32 rows in the first-level cache.
#include "gnomon/optimized/sinusoidal.h"

#include <algorithm>
#include <cmath>

#include "gnomon/optimized/cache.h"
#include "gnomon/optimized/formats.h"
#include "gnomon/optimized/frequencies.h"
#include "gnomon/optimized/plan_cache.h"
#include "gnomon/optimized/schemes.h"
#include "gnomon/optimized/sinusoidal_real.h"
#include "gnomon/optimized/tables.h"
#include "gnomon/spec/schemes.h"
#include "hwy/cache_control.h"

namespace gnomon::optimized {
namespace {

using Kind = SinusoidalColumn::Kind;

void RequireFormat(const std::string& role, const TensorView& view) {
  if (view.dtype != DType::kF32 && view.dtype != DType::kBf16 && view.dtype != DType::kF16)
    throw Rejected(role, std::string(Name(view.dtype)), "must be F32, BF16 or F16", "FORMAT-1");
}

uint64_t RoundDouble(Format format, double v) {
  if (format == Format::kF32) return std::bit_cast<uint32_t>(static_cast<float>(v));
  return EncodeBits(format, RoundToFormat(format, v));
}

// Float32 sines and cosines of up to kStepRows positions.
class Block {
 public:
  explicit Block(const Turns& turns)
      : turns_(turns), cos_(kStepRows * turns.padded()), sin_(kStepRows * turns.padded()) {}

  void Fill(const ConstTensorView& positions, int64_t first, int64_t rows) {
    for (int64_t i = 0; i < rows; ++i)
      positions_[i] = PositionAt(positions.dtype, positions.AddressOf(first + i));
    FillTable(turns_, positions_, static_cast<size_t>(rows),
              TableRows<float>{cos_.data(), sin_.data(), turns_.padded()});
  }
  void Fill(int64_t position) {
    positions_[0] = position;
    FillTable(turns_, positions_, 1, TableRows<float>{cos_.data(), sin_.data(), turns_.padded()});
  }
  float Value(int64_t row, SinusoidalColumn column) const {
    if (column.kind == Kind::kZero) return 0;
    const size_t at = static_cast<size_t>(row) * turns_.padded() + static_cast<size_t>(column.pair);
    return column.kind == Kind::kSine ? sin_[at] : cos_[at];
  }
  // Correctly rounded to the format.
  uint64_t Bits(Format format, int64_t row, SinusoidalColumn column) const {
    uint64_t bits;
    if (RoundOnce(format, Value(row, column), &bits)) return bits;
    const PairBits both = turns_.Resolve(static_cast<size_t>(column.pair), positions_[row], format);
    return column.kind == Kind::kSine ? both.second : both.first;
  }

 private:
  const Turns& turns_;
  AlignedArray<float> cos_, sin_;
  int64_t positions_[kStepRows] = {};
};

// SIN-2, SIN-3.
std::vector<SinusoidalColumn> Columns(const SinusoidalTable& t) {
  std::vector<SinusoidalColumn> columns;
  for (int64_t i = 0; i < t.width; ++i) columns.push_back(t.Column(i));
  return columns;
}

}  // namespace

SinusoidalPlan::SinusoidalPlan(const SinusoidalTable& table)
    : SinusoidalPlan(table, std::make_shared<const Turns>(ExactFrequencies(table))) {}
SinusoidalPlan::SinusoidalPlan(const SinusoidalTable& table, std::shared_ptr<const Turns> turns)
    : table_(table), turns_(std::move(turns)) {}

void SinusoidalPlan::Table(const ConstTensorView& positions, const TensorView& pe) const {
  if (positions.rank() != 1 || pe.shape != Shape{positions.shape[0], table_.width})
    throw Rejected("pe", "rank " + std::to_string(pe.rank()),
                   "must be [seq, width], seq as positions", "SIN-4");
  RequireFormat("pe", pe);
  const Format format = FormatOf(pe.dtype);
  const int64_t rows = positions.shape[0], size = SizeOf(pe.dtype);
  const size_t pairs = static_cast<size_t>(table_.pairs());
  const double scale = table_.scale.value;
  const bool unscaled = table_.scale == Number(1);
  if (unscaled && format == Format::kF32 && pe.contiguous() &&
      2 * pairs == static_cast<size_t>(table_.width) && pairs == turns_->padded() &&
      table_.layout != SinusoidalLayout::kInterleaved) {
    // The halves of a row are what the kernels write.
    std::vector<int64_t> m(static_cast<size_t>(rows));
    for (int64_t i = 0; i < rows; ++i)
      m[static_cast<size_t>(i)] = PositionAt(positions.dtype, positions.AddressOf(i));
    float* first = reinterpret_cast<float*>(pe.data);
    float* second = first + pairs;
    const bool sines_first = table_.layout == SinusoidalLayout::kSinCos;
    const bool stream = pe.count() * size > StreamBytes();
    FillTable(*turns_, m.data(), m.size(),
              TableRows<float>{sines_first ? second : first, sines_first ? first : second,
                               2 * pairs, stream});
    if (stream) hwy::FlushStream();
    return;
  }
  const std::vector<SinusoidalColumn> columns = Columns(table_);
  Block block(*turns_);
  for (int64_t row = 0; row < rows; row += kStepRows) {
    const int64_t count = std::min<int64_t>(kStepRows, rows - row);
    block.Fill(positions, row, count);
    for (int64_t i = 0; i < count; ++i) {
      for (int64_t column = 0; column < table_.width; ++column) {
        const SinusoidalColumn& c = columns[static_cast<size_t>(column)];
        const uint64_t bits =
            unscaled ? block.Bits(format, i, c) : RoundDouble(format, scale * block.Value(i, c));
        StoreBits(pe.dtype, pe.data + ((row + i) * pe.strides[0] + column * pe.strides[1]) * size,
                  bits);
      }
    }
  }
}

void SinusoidalPlan::Add(const ConstTensorView& x, const ConstTensorView& positions,
                         double token_scale, const TensorView& y) const {
  if (x.rank() != 3 || positions.rank() != 1 || x.shape[1] != positions.shape[0] ||
      x.shape[2] != table_.width)
    throw Rejected("x", "rank " + std::to_string(x.rank()),
                   "must be [batch, seq, width], seq as positions", "SIN-5");
  if (y.shape != x.shape || y.dtype != x.dtype)
    throw Rejected("y", std::string(Name(y.dtype)), "must have the shape and type of x", "SIN-5");
  if (y.data == x.data && y.strides != x.strides)
    throw Rejected("y", "(memory of x)", "must have the strides of x too", "SIN-18");
  RequireFormat("y", y);
  const Format format = FormatOf(x.dtype);
  const int64_t size = SizeOf(x.dtype);
  const std::vector<SinusoidalColumn> columns = Columns(table_);
  std::vector<double> entries(columns.size());
  Block block(*turns_);
  for (int64_t row = 0; row < x.shape[1]; row += kStepRows) {
    const int64_t count = std::min<int64_t>(kStepRows, x.shape[1] - row);
    block.Fill(positions, row, count);
    for (int64_t i = 0; i < count; ++i) {
      for (size_t column = 0; column < columns.size(); ++column)
        entries[column] = table_.scale.value * block.Value(i, columns[column]);
      for (int64_t batch = 0; batch < x.shape[0]; ++batch) {
        const std::byte* from = x.data + (batch * x.strides[0] + (row + i) * x.strides[1]) * size;
        std::byte* to = y.data + (batch * y.strides[0] + (row + i) * y.strides[1]) * size;
        for (size_t column = 0; column < columns.size(); ++column) {
          const int64_t at = static_cast<int64_t>(column);
          const double v = DecodeToF32(format, from + at * x.strides[2] * size);
          StoreBits(y.dtype, to + at * y.strides[2] * size,
                    // SIN-10: NaN and infinities go through the product and the sum.
                    RoundDouble(format, token_scale * v + entries[column]));
        }
      }
    }
  }
}

void SinusoidalPlan::ShiftMatrix(int64_t offset, double gain, const TensorView& matrix) const {
  gnomon::sinusoidal::RequireEvenWidth(table_, "SIN-6");
  if (matrix.shape != Shape{table_.width, table_.width})
    throw Rejected("matrix", "rank " + std::to_string(matrix.rank()), "must be [width, width]",
                   "SIN-6");
  if (offset < kMinPosition || offset > kMaxPosition)
    throw Rejected("offset", std::to_string(offset), "must be in [-2^31, 2^31)", "POS-1");
  RequireFormat("matrix", matrix);
  const Format format = FormatOf(matrix.dtype);
  const int64_t size = SizeOf(matrix.dtype);
  const auto store = [&](int64_t row, int64_t column, uint64_t bits) {
    StoreBits(matrix.dtype,
              matrix.data + (row * matrix.strides[0] + column * matrix.strides[1]) * size, bits);
  };
  for (int64_t row = 0; row < table_.width; ++row)
    for (int64_t column = 0; column < table_.width; ++column) store(row, column, 0);
  Block block(*turns_);
  block.Fill(offset);
  std::vector<int64_t> sine_column(turns_->size()), cosine_column(turns_->size());
  for (int64_t column = 0; column < table_.width; ++column) {
    const SinusoidalColumn c = table_.Column(column);
    (c.kind == Kind::kSine ? sine_column : cosine_column)[static_cast<size_t>(c.pair)] = column;
  }
  const auto entry = [&](Kind kind, size_t pair) {
    const SinusoidalColumn c{kind, static_cast<int64_t>(pair)};
    return gain == 1 ? block.Bits(format, 0, c) : RoundDouble(format, gain * block.Value(0, c));
  };
  for (size_t pair = 0; pair < turns_->size(); ++pair) {
    const uint64_t cosine = entry(Kind::kCosine, pair), sine = entry(Kind::kSine, pair);
    store(sine_column[pair], sine_column[pair], cosine);
    store(sine_column[pair], cosine_column[pair], sine);
    store(cosine_column[pair], sine_column[pair], sine ^ SignBit(format));
    store(cosine_column[pair], cosine_column[pair], cosine);
  }
}

template <class Measure>
void SinusoidalPlan::Pairwise(const ConstTensorView& m, const ConstTensorView& n,
                              const TensorView& values, const Measure& measure) const {
  gnomon::sinusoidal::RequireEvenWidth(table_, "SIN-8");
  if (m.rank() != 1 || n.rank() != 1 || values.shape != Shape{m.shape[0], n.shape[0]})
    throw Rejected("values", "rank " + std::to_string(values.rank()), "must be [m, n]", "SIN-8");
  RequireFormat("values", values);
  const Format format = FormatOf(values.dtype);
  const size_t padded = turns_->padded(), columns = static_cast<size_t>(n.shape[0]);
  AlignedArray<double> cos_m(padded), sin_m(padded), cos_n(columns * padded),
      sin_n(columns * padded);
  std::vector<int64_t> positions(columns);
  for (size_t i = 0; i < columns; ++i)
    positions[i] = PositionAt(n.dtype, n.AddressOf(static_cast<int64_t>(i)));
  FillTable(*turns_, positions.data(), columns,
            TableRows<double>{cos_n.data(), sin_n.data(), padded});
  for (int64_t row = 0; row < m.shape[0]; ++row) {
    const int64_t position = PositionAt(m.dtype, m.AddressOf(row));
    FillTable(*turns_, &position, 1, TableRows<double>{cos_m.data(), sin_m.data(), padded});
    for (size_t column = 0; column < columns; ++column) {
      const double* c = cos_n.data() + column * padded;
      const double* s = sin_n.data() + column * padded;
      double sum = 0;
      for (size_t i = 0; i < turns_->size(); ++i)
        sum += measure.Term(cos_m[i], sin_m[i], c[i], s[i]);
      const int64_t at = row * values.strides[0] + static_cast<int64_t>(column) * values.strides[1];
      StoreBits(values.dtype, values.data + at * SizeOf(values.dtype),
                RoundDouble(format, measure.Result(sum, table_.scale.value)));
    }
  }
}

void SinusoidalPlan::Similarity(const ConstTensorView& m, const ConstTensorView& n,
                                const TensorView& values) const {
  struct Dot {
    static double Term(double cm, double sm, double cn, double sn) { return cm * cn + sm * sn; }
    static double Result(double sum, double scale) { return sum * scale * scale; }
  };
  Pairwise(m, n, values, Dot());
}

void SinusoidalPlan::Distance(const ConstTensorView& m, const ConstTensorView& n,
                              const TensorView& values) const {
  struct Euclid {
    static double Term(double cm, double sm, double cn, double sn) {
      return (cm - cn) * (cm - cn) + (sm - sn) * (sm - sn);
    }
    static double Result(double sum, double scale) { return std::sqrt(sum) * std::fabs(scale); }
  };
  Pairwise(m, n, values, Euclid());
}

namespace sinusoidal {

bool Supports(const std::string& operation, Format format) {
  if (format == Format::kF64) return false;
  for (const OperationSpec& known : gnomon::sinusoidal::Operations())
    if (known.name == operation) return true;
  return false;
}

bool Run(const Case& c, const OutputViews& outputs, Mode) {
  if (!Supports(c.operation, c.format)) return false;
  const std::string verb = c.operation.substr(c.operation.find('.') + 1);
  const auto plan = [](const SinusoidalTable& t) { return SinusoidalPlan(t, CachedTurns(t)); };
  const auto input = [&c](const std::string& role) { return c.inputs.at(role).view(); };
  if (verb == "timestep") {
    TimestepTable(gnomon::sinusoidal::ReadTimestep(c), input("timesteps"), outputs.at("pe"));
  } else if (verb == "fourier") {
    FourierFeatures(gnomon::sinusoidal::ReadFourier(c), input("x"), input("B"),
                    outputs.at("features"));
  } else if (verb == "nerf") {
    NerfFeatures(gnomon::sinusoidal::ReadNerf(c), input("x"), outputs.at("features"));
  } else if (verb == "table") {
    plan(gnomon::sinusoidal::ReadTable(c)).Table(input("positions"), outputs.at("pe"));
  } else if (verb == "add") {
    const gnomon::sinusoidal::AddParameters a = gnomon::sinusoidal::ReadAdd(c);
    const TensorView& y = outputs.at("y");
    const double factor =
        a.sqrt_width ? std::sqrt(static_cast<double>(a.table.width)) : a.token_scale.value;
    plan(a.table).Add(c.in_place == "x" ? ConstTensorView(y) : input("x"), input("positions"),
                      factor, y);
  } else if (verb == "shift_matrix" || verb == "relative_head") {
    const gnomon::sinusoidal::MatrixParameters m = gnomon::sinusoidal::ReadMatrix(c);
    plan(m.table).ShiftMatrix(m.offset, m.gain.value, outputs.at("matrix"));
  } else if (verb == "similarity") {
    plan(gnomon::sinusoidal::ReadTable(c)).Similarity(input("m"), input("n"), outputs.at("values"));
  } else {
    plan(gnomon::sinusoidal::ReadTable(c)).Distance(input("m"), input("n"), outputs.at("values"));
  }
  return true;
}

}  // namespace sinusoidal
}  // namespace gnomon::optimized
