// The idea: an axial rotation is a rotation whose table is put together. Each axis has turns of its
// own (turns.h); a block of tokens gets one table an axis, whose columns go to the places of the
// axis' pairs, and the row is then handed to the kernels of rope.apply. Where an axis is a window
// of its own, it is a rope.apply of its own. Tables of two axes are two sinusoidal tables side by
// side; sums and copies move memory, and windows are integers: plain code.
#include "gnomon/optimized/multi_axis.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "gnomon/optimized/cache.h"
#include "gnomon/optimized/formats.h"
#include "gnomon/optimized/multi_axis_mixed.h"
#include "gnomon/optimized/plan_cache.h"
#include "gnomon/optimized/rope_tokens.h"
#include "gnomon/optimized/schemes.h"
#include "gnomon/optimized/sinusoidal.h"
#include "gnomon/optimized/tables.h"
#include "gnomon/spec/schemes.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "gnomon/optimized/multi_axis.cc"
#include "hwy/foreach_target.h"  // before highway.h
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace gnomon {
namespace optimized {
namespace HWY_NAMESPACE {

void AddRow(const float* a, const float* b, float* y, size_t count) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  for (; i + lanes <= count; i += lanes)
    hn::StoreU(hn::Add(hn::LoadU(d, a + i), hn::LoadU(d, b + i)), d, y + i);
  for (; i < count; ++i) y[i] = a[i] + b[i];
}

}  // namespace HWY_NAMESPACE
}  // namespace optimized
}  // namespace gnomon
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gnomon::optimized {

HWY_EXPORT(AddRow);

// What CachedTurns is asked for: the frequencies of one axis.
struct AxisFrequencies {
  Number base;
  std::vector<Number> given;
  std::vector<int64_t> numerators;
  int64_t denominator = 1;
};

std::string CacheKey(const AxisFrequencies& f) {
  std::string key = "axis /" + std::to_string(f.denominator);
  for (const int64_t numerator : f.numerators) key.append(" ").append(std::to_string(numerator));
  return key + " " + CacheKey(f.given, f.base);
}

std::vector<ExactFrequency> ExactFrequencies(const AxisFrequencies& f) {
  if (f.given.empty()) return ExactFrequency::Powers(f.base, f.numerators, f.denominator);
  std::vector<ExactFrequency> all;
  for (const Number& number : f.given) all.push_back(ExactFrequency::Given(number));
  return all;
}

// AXES-11.
RopeApply WindowOf(const AxialRotation& r) {
  RopeApply a;
  a.frequencies.head_dim = r.head_dim;
  a.frequencies.rotary_dim = r.rotary_dim;
  a.input_layout = a.output_layout =
      r.layout == AxialLayout::kInterleaved ? RopeLayout::kInterleaved : RopeLayout::kHalfSplit;
  a.rotary_offset = r.rotary_offset;
  a.direction = r.direction;
  return a;
}

namespace {

// The positions on one axis, [seq] or [batch, seq].
ConstTensorView OnAxis(const ConstTensorView& positions, int64_t axis) {
  ConstTensorView row = positions;
  const size_t at = positions.rank() - 2;
  row.data += axis * positions.strides[at] * SizeOf(positions.dtype);
  row.shape.erase(row.shape.begin() + static_cast<std::ptrdiff_t>(at));
  row.strides.erase(row.strides.begin() + static_cast<std::ptrdiff_t>(at));
  return row;
}

uint64_t Load(const ConstTensorView& view, int64_t row, int64_t column) {
  return LoadBits(view.dtype, view.data + (row * view.strides[0] + column * view.strides[1]) *
                                              SizeOf(view.dtype));
}

}  // namespace

AxialPlan::AxialPlan(const AxialRotation& rotation) : rotation_(rotation) {
  const AxialRotation& r = rotation_;
  turns_.resize(r.sizes.size());
  pairs_.resize(r.sizes.size());
  for (int64_t axis = 0; axis < r.axes(); ++axis) {
    AxisFrequencies f{r.rope_theta, {}, {}, 1};
    std::vector<size_t>& pairs = pairs_[static_cast<size_t>(axis)];
    for (int64_t i = 0; i < r.pairs(); ++i) {
      if (r.at(i).axis != axis) continue;
      pairs.push_back(static_cast<size_t>(i));
      f.numerators.push_back(r.at(i).numerator);
      f.denominator = r.at(i).denominator;
      if (!r.frequencies.empty()) f.given.push_back(r.frequencies[static_cast<size_t>(i)]);
    }
    if (!pairs.empty()) turns_[static_cast<size_t>(axis)] = CachedTurns(f);
  }
}

// Blocks of tokens with the tables of their positions: rotate(batch, seq, count, cos, sin, m),
// row-major [count, padded], m the positions [axis, kStepRows], mirrored for the transpose.
template <class T, class Rotate>
void AxialPlan::ForEachBlock(const ConstTensorView& x, const ConstTensorView& positions,
                             const Rotate& rotate) const {
  const bool shared = positions.rank() == 2 || positions.shape[0] == 1;
  const int64_t sign = rotation_.direction == RopeDirection::kTranspose ? -1 : 1;  // ROPE-6
  const size_t padded = PaddedPairs(static_cast<size_t>(rotation_.pairs()));
  size_t widest = 0;
  for (const auto& turns : turns_) widest = std::max(widest, turns ? turns->padded() : 0);
  AlignedArray<T> cos(kStepRows * padded), sin(kStepRows * padded);
  AlignedArray<T> axis_cos(kStepRows * widest), axis_sin(kStepRows * widest);
  std::fill_n(cos.data(), kStepRows * padded, T(0));
  std::fill_n(sin.data(), kStepRows * padded, T(0));
  std::vector<int64_t> m(turns_.size() * kStepRows);
  const int64_t block = static_cast<int64_t>(kStepRows);
  for (int64_t group = 0; group < (shared ? std::min<int64_t>(x.shape[0], 1) : x.shape[0]); ++group)
    for (int64_t seq = 0; seq < x.shape[1]; seq += block) {
      const int64_t count = std::min(block, x.shape[1] - seq);
      for (size_t axis = 0; axis < turns_.size(); ++axis) {
        const ConstTensorView row = OnAxis(positions, static_cast<int64_t>(axis));
        const int64_t batch = row.rank() == 2 && !shared ? group * row.strides[0] : 0;
        int64_t* here = m.data() + axis * kStepRows;
        for (int64_t i = 0; i < count; ++i)
          here[i] =
              sign * PositionAt(row.dtype, row.data + (batch + (seq + i) * row.strides.back()) *
                                                          SizeOf(row.dtype));
        const Turns* turns = turns_[axis].get();
        if (turns == nullptr) continue;
        const size_t stride = turns->padded();
        FillTable(*turns, here, static_cast<size_t>(count),
                  TableRows<T>{axis_cos.data(), axis_sin.data(), stride});
        for (size_t i = 0; i < static_cast<size_t>(count); ++i)
          for (size_t k = 0; k < pairs_[axis].size(); ++k) {
            cos[i * padded + pairs_[axis][k]] = axis_cos[i * stride + k];
            sin[i * padded + pairs_[axis][k]] = axis_sin[i * stride + k];
          }
      }
      for (int64_t b = group; b < (shared ? x.shape[0] : group + 1); ++b)
        rotate(b, seq, count, cos.data(), sin.data(), m.data());
    }
}

void AxialPlan::Apply(const ConstTensorView& x, const ConstTensorView& positions,
                      const TensorView& y, Mode mode) const {
  if (rotation_.layout == AxialLayout::kHalfSplitByAxis) {
    ApplyByAxis(x, positions, y, mode);
    return;
  }
  const RopeApply window = WindowOf(rotation_);
  const TokenMemory memory(window, x, y);
  const size_t padded = memory.padded;
  if (mode == Mode::kStandard) {
    StandardTokens tokens(memory, StreamBytes());
    ForEachBlock<float>(
        x, positions,
        [&](int64_t batch, int64_t seq, int64_t count, float* cos, float* sin, const int64_t*) {
          tokens.Rotate(batch, seq, count, {cos, sin, padded});
        });
    return;
  }
  ExactTokens tokens(memory);
  AlignedArray<double> absolute(padded);
  std::fill_n(absolute.data(), padded, 0.0);
  const int64_t* at = nullptr;  // positions of the token under way
  const ExactTokens::Resolve resolve = [&](size_t pair, float x0, float x1, Format format) {
    const AxialPair& p = rotation_.at(static_cast<int64_t>(pair));
    const Turns& turns = *turns_[static_cast<size_t>(p.axis)];
    return RoundRotation(turns.exact(static_cast<size_t>(p.number)),
                         at[static_cast<size_t>(p.axis) * kStepRows], x0, x1, format);
  };
  ForEachBlock<double>(
      x, positions,
      [&](int64_t batch, int64_t seq, int64_t count, double* cos, double* sin, const int64_t* m) {
        for (int64_t i = 0; i < count; ++i) {
          at = m + i;
          for (size_t axis = 0; axis < turns_.size(); ++axis)
            for (size_t k = 0; k < pairs_[axis].size(); ++k) {
              const bool still = at[axis * kStepRows] == 0 || turns_[axis]->exact(k).sign() == 0;
              absolute[pairs_[axis][k]] = still ? 0 : kDirectAbsolute;
            }
          const size_t row = static_cast<size_t>(i) * padded;
          tokens.Rotate(batch, seq + i, cos + row, sin + row, absolute.data(), resolve);
        }
      });
}

// AXES-11, half_split_by_axis: the first window copies what none of them turns, the others work in
// place.
void AxialPlan::ApplyByAxis(const ConstTensorView& x, const ConstTensorView& positions,
                            const TensorView& y, Mode mode) const {
  RopeApply window = WindowOf(rotation_);
  for (size_t axis = 0; axis < turns_.size(); ++axis) {
    window.frequencies.rotary_dim = 2 * rotation_.sizes[axis];
    RopePlan(window, turns_[axis])
        .Apply(axis == 0 ? x : ConstTensorView(y), OnAxis(positions, static_cast<int64_t>(axis)), y,
               mode);
    window.rotary_offset += window.frequencies.rotary_dim;
  }
}

void SincosRows(const SincosTable& table, const ConstTensorView& positions, const TensorView& pe) {
  const int64_t size = SizeOf(pe.dtype), half = table.half.width;
  for (int64_t row = 0; row < table.zero_rows; ++row)
    for (int64_t column = 0; column < 2 * half; ++column)
      StoreBits(pe.dtype, pe.data + (row * pe.strides[0] + column * pe.strides[1]) * size, 0);
  const SinusoidalPlan plan(table.half, CachedTurns(table.half));
  for (const int64_t axis : {0, 1}) {
    const bool second = (axis == 1) != table.column_first;
    TensorView part = pe;
    part.shape = {pe.shape[0] - table.zero_rows, half};
    part.data += (table.zero_rows * pe.strides[0] + (second ? half * pe.strides[1] : 0)) * size;
    plan.Table(OnAxis(positions, axis), part);
  }
}

void Factorize(Combine combine, const ConstTensorView& px, const ConstTensorView& py,
               const TensorView& pe) {
  const int64_t size = SizeOf(pe.dtype), wx = px.shape[1];
  const Format format = FormatOf(pe.dtype);
  const auto row_of = [&](const ConstTensorView& view, int64_t row) {
    return view.data + row * view.strides[0] * size;
  };
  const bool rows = combine == Combine::kSum && format == Format::kF32 && px.strides[1] == 1 &&
                    py.strides[1] == 1 && pe.strides[2] == 1;
  for (int64_t x = 0; x < px.shape[0]; ++x)
    for (int64_t y = 0; y < py.shape[0]; ++y) {
      std::byte* to = pe.data + (x * pe.strides[0] + y * pe.strides[1]) * size;
      if (rows) {
        HWY_DYNAMIC_DISPATCH(AddRow)
        (reinterpret_cast<const float*>(row_of(px, x)),
         reinterpret_cast<const float*>(row_of(py, y)), reinterpret_cast<float*>(to),
         static_cast<size_t>(wx));
        continue;
      }
      for (int64_t i = 0; i < pe.shape[2]; ++i) {
        uint64_t bits;
        if (combine == Combine::kConcatenate) {
          bits = i < wx ? Load(px, x, i) : Load(py, y, i - wx);
        } else {
          // float32 has at least 2p + 2 bits for either 16-bit format: rounding twice is rounding
          // once (Figueroa 1995).
          bits =
              EncodeF32(format, DecodeToF32(format, row_of(px, x) + i * px.strides[1] * size) +
                                    DecodeToF32(format, row_of(py, y) + i * py.strides[1] * size));
        }
        StoreBits(pe.dtype, to + i * pe.strides[2] * size, bits);
      }
    }
}

void SectionAxes(const Sections& sections, const TensorView& axis) {
  const int64_t N = axis.shape[0];
  const auto fill = [&](int64_t from, int64_t to, int64_t step, int64_t value) {
    for (int64_t i = from; i < std::min(to, N); i += step)
      StoreBits(axis.dtype, axis.AddressOf(i), static_cast<uint64_t>(value));
  };
  const std::vector<int64_t>& n = sections.sizes;
  switch (sections.order) {
    case SectionOrder::kContiguous:
      for (int64_t k = 0, from = 0; k < static_cast<int64_t>(n.size()); ++k) {
        const int64_t size = n[static_cast<size_t>(k)];
        fill(from, from + size, 1, k);
        from += size;
      }
      break;
    case SectionOrder::kInterleaved:
      fill(0, N, 1, 0);
      fill(1, 3 * n[1], 3, 1);
      fill(2, 3 * n[2], 3, 2);
      break;
    case SectionOrder::kInterleavedExtra:
      fill(0, N, 1, 3);
      for (int64_t k = 0; k < 3; ++k) fill(k, 3 * n[static_cast<size_t>(k)], 3, k);
      break;
    case SectionOrder::kAlternating:
      fill(0, 2 * n[0], 2, 0);
      fill(1, 2 * n[0], 2, 1);
      fill(2 * n[0], N, 1, 2);
      break;
  }
}

namespace {

// AXES-14: calls f(query, key, index).
template <class F>
void ForEachIndex(const Window& w, const F& f) {
  const int64_t cls = w.cls == ClsToken::kBeit ? 1 : 0, all = w.offsets();
  if (cls) {
    f(0, 0, all + 2);
    for (int64_t i = 1; i < w.tokens(); ++i) {
      f(0, i, all);
      f(i, 0, all + 1);
    }
  }
  const int64_t stride = 2 * w.width - 1;
  const int64_t centre = (w.height - 1) * stride + w.width - 1;
  int64_t query = cls;
  for (int64_t r = 0; r < w.height; ++r)
    for (int64_t c = 0; c < w.width; ++c, ++query) {
      int64_t key = cls;
      for (int64_t s = 0; s < w.height; ++s)
        for (int64_t d = 0; d < w.width; ++d, ++key)
          f(query, key, centre + (r - s) * stride + c - d);
    }
}

}  // namespace

void WindowIndices(const Window& window, const TensorView& index) {
  ForEachIndex(window, [&](int64_t query, int64_t key, int64_t row) {
    StoreBits(
        index.dtype,
        index.data + (query * index.strides[0] + key * index.strides[1]) * SizeOf(index.dtype),
        static_cast<uint64_t>(row));
  });
}

void WindowBiases(const Window& window, const ConstTensorView& table, const TensorView& bias) {
  const int64_t size = SizeOf(bias.dtype);
  for (int64_t head = 0; head < bias.shape[0]; ++head) {
    std::byte* to = bias.data + head * bias.strides[0] * size;
    ForEachIndex(window, [&](int64_t query, int64_t key, int64_t row) {
      StoreBits(bias.dtype, to + (query * bias.strides[1] + key * bias.strides[2]) * size,
                Load(table, row, head));
    });
  }
}

namespace multi_axis {

bool Supports(const std::string& operation, Format format) {
  if (format == Format::kF64) return false;
  for (const OperationSpec& known : gnomon::multi_axis::Operations())
    if (known.name == operation) return true;
  return false;
}

bool Run(const Case& c, const OutputViews& outputs, Mode mode) {
  namespace axes = gnomon::multi_axis;
  if (!Supports(c.operation, c.format)) return false;
  const std::string verb = c.operation.substr(c.operation.find('.') + 1);
  const auto input = [&c](const std::string& role) { return c.inputs.at(role).view(); };
  if (verb == "sections") {  // AXES-2, AXES-3, AXES-12
    SectionAxes(axes::ReadSections(c), outputs.at("axis"));
  } else if (verb == "sincos_2d") {
    SincosRows(axes::ReadSincos(c), input("positions"), outputs.at("pe"));
  } else if (verb == "factorized") {
    Factorize(axes::ReadCombine(c), input("px"), input("py"), outputs.at("pe"));
  } else if (verb == "window_index") {
    WindowIndices(axes::ReadWindowSize(c), outputs.at("index"));
  } else if (verb == "window_bias") {
    WindowBiases(axes::ReadWindowSize(c), input("table"), outputs.at("bias"));
  } else {
    const TensorView& y = outputs.at("y");
    const ConstTensorView x = c.in_place == "x" ? ConstTensorView(y) : input("x");
    const AxialRotation rotation = axes::ReadRotation(c);
    if (rotation.mixed) {  // AXES-20
      ApplyMixed(rotation, x, input("positions"), input("frequencies"), y);
    } else {  // AXES-1, AXES-10
      AxialPlan(rotation).Apply(x, input("positions"), y, mode);
    }
  }
  return true;
}

}  // namespace multi_axis
}  // namespace gnomon::optimized
#endif  // HWY_ONCE
