// The idea: rope.apply is a copy with little arithmetic, so all that is not the copy has to be
// small or hidden. The frequencies are set up once a plan. Consecutive positions share one anchor,
// and each row of tables is made by the kernels just before its token (tables.h), unless the call
// before had the same positions (rope_rows.h); what a token's memory looks like is decided once a
// call (rope_tokens.h). Small calls allocate nothing but what the plan keeps.
#include "gnomon/optimized/rope.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "gnomon/optimized/cache.h"
#include "gnomon/optimized/frequencies.h"
#include "gnomon/optimized/rope_rows.h"
#include "gnomon/optimized/rope_scaling.h"
#include "gnomon/optimized/rope_tokens.h"
#include "gnomon/optimized/tables.h"
#include "gnomon/optimized/turns.h"

namespace gnomon::optimized {
namespace {

// What ReadApply would refuse in a case, for parameters that were filled in by hand.
const RopeApply& Checked(const RopeApply& a) {
  const RopeFrequencies& f = a.frequencies;
  if (f.head_dim < 1 || f.head_dim > gnomon::rope::kMaxHeadDim)
    throw Rejected("head_dim", std::to_string(f.head_dim), "must be 1 to 1048576", "ROPE-1");
  if (f.rotary_dim < 2 || f.rotary_dim % 2 != 0)
    throw Rejected("rotary_dim", std::to_string(f.rotary_dim), "must be even, 2 to head_dim",
                   "ROPE-2");
  if (a.rotary_offset < 0 || a.rotary_offset + f.rotary_dim > f.head_dim)
    throw Rejected("rotary_offset", std::to_string(a.rotary_offset),
                   "the rotary window ends beyond head_dim = " + std::to_string(f.head_dim),
                   "ROPE-5");
  if (!f.frequencies.empty() && static_cast<int64_t>(f.frequencies.size()) != f.pairs())
    throw Rejected("frequencies", std::to_string(f.frequencies.size()) + " numbers",
                   "must hold rotary_dim / 2 = " + std::to_string(f.pairs()), "ROPE-1");
  if (!(f.rope_theta.value > 0) || !std::isfinite(f.rope_theta.value))
    throw Rejected("rope_theta", ToText(f.rope_theta), "must be positive", "ROPE-1");
  if (f.scaled() && !f.frequencies.empty())
    throw Rejected("frequencies", "(given)", "excludes a rope_type", "SCALE-1");
  if (f.scaling.Uses("factor") && !(f.scaling.factor.value >= f.scaling.factor_divisor.value))
    throw Rejected("factor", ToText(f.scaling.factor), "must be at least 1", "SCALE-1");
  gnomon::rope_scaling::RequireLength(f.scaling);
  return a;
}

// Tokens are taken in blocks whose tables fit the first-level cache; a table that all batches share
// is made once a block. `block(first, last, seq, rows)`: batches first to last - 1.
template <class Block>
void ForEachBlock(int64_t batches, int64_t seqs, bool shared, int64_t block_rows,
                  const Block& block) {
  for (int64_t first = 0; first < (shared ? 1 : batches); ++first)
    for (int64_t seq = 0; seq < seqs; seq += block_rows)
      block(first, shared ? batches : first + 1, seq, std::min(block_rows, seqs - seq));
}

int64_t BlockRows(size_t padded) {
  constexpr size_t kEntries = size_t{1} << 14;
  return static_cast<int64_t>(std::clamp<size_t>(kEntries / padded, 1, kStepRows));
}

bool Transposed(const RopeApply& a) { return a.direction == RopeDirection::kTranspose; }  // ROPE-6

// Is one table there for all batches? Throws Rejected unless [seq, rest..] or [batch or 1, seq,
// rest..].
bool Shared(const std::string& role, const ConstTensorView& view, size_t rank,
            const ConstTensorView& x) {
  if (view.rank() != rank && view.rank() != rank + 1)
    throw Rejected(role, "rank " + std::to_string(view.rank()),
                   "must be " + std::to_string(rank) + ", or one more for a batch", "ROPE-4");
  const int64_t seq = view.shape[view.rank() - rank];
  if (seq != x.shape[1])
    throw Rejected(role, "seq " + std::to_string(seq),
                   "must have seq " + std::to_string(x.shape[1]), "ROPE-4");
  if (view.rank() == rank || view.shape[0] == 1) return true;
  if (view.shape[0] != x.shape[0])
    throw Rejected(role, "batch " + std::to_string(view.shape[0]),
                   "must have batch " + std::to_string(x.shape[0]) + " or 1", "ROPE-4");
  return false;
}

template <class Integer>
bool ReadIntegers(const std::byte* at, int64_t step, int64_t rows, int64_t* into) {
  bool fit = true;
  for (int64_t row = 0; row < rows; ++row, at += step) {
    Integer position;
    std::memcpy(&position, at, sizeof position);
    into[row] = position;
    fit &= position >= kMinPosition && position <= kMaxPosition;
  }
  return fit;
}

void ReadPositions(const ConstTensorView& view, int64_t group, int64_t seq, int64_t rows,
                   int64_t* into) {
  const int64_t step = view.strides.back() * SizeOf(view.dtype);
  const int64_t batch = view.rank() == 2 ? group * view.strides[0] * SizeOf(view.dtype) : 0;
  const std::byte* at = view.data + batch + seq * step;
  if (view.dtype == DType::kI64
          ? ReadIntegers<int64_t>(at, step, rows, into)
          : view.dtype == DType::kI32 && ReadIntegers<int32_t>(at, step, rows, into))
    return;
  for (int64_t row = 0; row < rows; ++row) PositionAt(view.dtype, at + row * step);  // throws
}

}  // namespace

RopePlan::RopePlan(const RopeFrequencies& frequencies) : RopePlan(RopeApply{frequencies}) {}
RopePlan::RopePlan(const RopeApply& apply)
    : RopePlan(apply, std::make_shared<const Turns>(ExactFrequencies(Checked(apply).frequencies))) {
}
RopePlan::RopePlan(const RopeApply& apply, std::shared_ptr<const Turns> turns)
    : apply_(Checked(apply)),
      turns_(std::move(turns)),
      magnitude_(apply.frequencies.scaling.ScalesRotation() ? MagnitudeOf(apply.frequencies.scaling)
                                                            : nullptr),
      kept_(std::make_shared<KeptRows>()) {}

void RopePlan::Frequencies(const TensorView& w) const {
  if (w.rank() != 1 || w.shape[0] != apply_.frequencies.pairs() || !IsFloat(w.dtype))
    throw Rejected("w", std::string(Name(w.dtype)) + " " + ShapeText(w.shape),
                   "must be [pair], of a float format", "ROPE-1");
  for (int64_t i = 0; i < w.shape[0]; ++i)
    StoreBits(w.dtype, w.AddressOf(i),
              turns_->exact(static_cast<size_t>(i)).Round(FormatOf(w.dtype)));
}

void RopePlan::Table(const ConstTensorView& positions, const TensorView& cos,
                     const TensorView& sin) const {
  Shape shape = positions.shape;
  if (positions.rank() != 1 && positions.rank() != 2)
    throw Rejected("positions", "rank " + std::to_string(positions.rank()),
                   "must be [seq] or [batch, seq]", "POS-1");
  shape.push_back(apply_.frequencies.pairs());
  if (cos.shape != shape || sin.shape != shape || cos.dtype != sin.dtype)
    throw Rejected("cos", std::string(Name(cos.dtype)) + " " + ShapeText(cos.shape),
                   "must be " + ShapeText(shape) + ", as sin", "ROPE-4");
  const bool scales = apply_.frequencies.scaling.ScalesTables();
  WriteTable(*turns_, positions, cos, sin, scales ? magnitude_.get() : nullptr);
}

void RopePlan::Apply(const ConstTensorView& x, const ConstTensorView& positions,
                     const TensorView& y, Mode mode, int64_t stream_past) const {
  const TokenMemory memory(apply_, x, y);
  const bool shared = Shared("positions", positions, 1, x);
  if (mode == Mode::kStandard) {
    ApplyStandard(memory, positions, shared, stream_past < 0 ? StreamBytes() : stream_past);
  } else {
    ApplyExact(memory, positions, shared);
  }
}

std::shared_ptr<AlignedArray<float>> RopePlan::Kept(const ConstTensorView& positions,
                                                    int64_t groups, int64_t seqs) const {
  const size_t count = static_cast<size_t>(groups * seqs);
  if (count > KeptRows::MaxRows(turns_->padded())) return nullptr;
  ScratchArray<int64_t, 64> m(count);
  for (int64_t group = 0; group < groups; ++group)
    ReadPositions(positions, group, 0, seqs, m.data() + group * seqs);
  return kept_->Of({*turns_, magnitude_.get()}, Transposed(apply_), m.data(), count);
}

void RopePlan::ApplyStandard(const TokenMemory& memory, const ConstTensorView& positions,
                             bool shared, int64_t stream_past) const {
  const size_t padded = memory.padded;
  const int64_t batches = memory.x.shape[0], seqs = memory.x.shape[1], block = BlockRows(padded);
  const bool mirrored = Transposed(apply_);
  const RowSource source{*turns_, magnitude_.get()};
  StandardTokens tokens(memory, stream_past);
  // Around the caches, making rows hides behind the memory, and reading them does not.
  if (const auto kept = tokens.streams() ? nullptr : Kept(positions, shared ? 1 : batches, seqs)) {
    for (int64_t batch = 0; batch < batches; ++batch) {
      const size_t first = shared ? 0 : static_cast<size_t>(batch * seqs);
      float* cos = kept->data() + first * 2 * padded;
      tokens.Rotate(batch, 0, seqs, {cos, cos + padded, 2 * padded});
    }
    return;
  }
  // Rows that no other batch needs share one place.
  const size_t kept = shared && batches > 1 ? static_cast<size_t>(block) : 1;
  ScratchArray<float, 2 * 128> table(kept * 2 * padded);
  ScratchArray<double, 2 * 128> anchor(2 * padded);
  const auto rotate = [&](int64_t first, int64_t last, int64_t seq, int64_t rows) {
    int64_t m[kStepRows];
    ReadPositions(positions, first, seq, rows, m);
    for (int64_t row = 0; row < rows;) {
      TokenTables tables{table.data(), table.data() + padded, kept > 1 ? 2 * padded : 0};
      const size_t run =
          magnitude_ ? 0 : AnchoredRun(*turns_, m + row, static_cast<size_t>(rows - row));
      AnchoredRows anchored;
      if (run > 0) {
        anchored = AnchorRows(*turns_, m[row], mirrored, anchor.data());
        tables.rows = &anchored;
      } else {
        source.Fill(m + row, 1, TableRows<float>{tables.cos, tables.sin, padded});
        if (mirrored)
          for (size_t i = 0; i < padded; ++i) tables.sin[i] = -tables.sin[i];
      }
      const int64_t count = std::max<int64_t>(static_cast<int64_t>(run), 1);
      for (int64_t batch = first; batch < last; ++batch) {
        tokens.Rotate(batch, seq + row, count, tables);
        tables.rows = nullptr;  // made by now
      }
      row += count;
    }
  };
  ForEachBlock(batches, seqs, shared, block, rotate);
}

void RopePlan::ApplyExact(const TokenMemory& memory, const ConstTensorView& positions,
                          bool shared) const {
  const size_t padded = memory.padded;
  const int64_t block = BlockRows(padded);
  const RowSource source{*turns_, magnitude_.get()};
  // What the magnitude adds, three roundings of an entry (scaled_rows.h), is below 2^-50 of it.
  const double absolute = magnitude_ ? source.nearest() * (kDirectAbsolute + 0x1p-50) : 0;
  const size_t entries = static_cast<size_t>(block) * padded;
  AlignedArray<double> cos(entries), sin(entries), moving(padded), still(padded);
  for (size_t i = 0; i < padded; ++i) {
    still[i] = 0;
    moving[i] = i < turns_->size() && turns_->exact(i).sign() == 0 ? 0 : kDirectAbsolute;
    if (magnitude_) still[i] = moving[i] = absolute;
    if (turns_->first_tier() != Tier::kVector) still[i] = moving[i] = INFINITY;
  }
  ExactTokens tokens(memory);
  int64_t position = 0;
  const ExactTokens::Resolve resolve = [&](size_t pair, float x0, float x1, Format format) {
    if (magnitude_)
      return RoundRotation(turns_->exact(pair), position, x0, x1, format, *magnitude_);
    return RoundRotation(turns_->exact(pair), position, x0, x1, format);
  };
  const auto rotate = [&](int64_t first, int64_t last, int64_t seq, int64_t rows) {
    int64_t m[kStepRows];
    ReadPositions(positions, first, seq, rows, m);
    // The angle of the transpose is that of the mirrored position, which 2^31 may be.
    if (Transposed(apply_))
      for (int64_t row = 0; row < rows; ++row) m[row] = -m[row];
    source.Fill(m, static_cast<size_t>(rows), TableRows<double>{cos.data(), sin.data(), padded});
    for (int64_t batch = first; batch < last; ++batch) {
      for (int64_t row = 0; row < rows; ++row) {
        const size_t at = static_cast<size_t>(row) * padded;
        position = m[row];
        tokens.Rotate(batch, seq + row, cos.data() + at, sin.data() + at,
                      position == 0 ? still.data() : moving.data(), resolve);
      }
    }
  };
  ForEachBlock(memory.x.shape[0], memory.x.shape[1], shared, block, rotate);
}

void ApplyRope(const RopeApply& apply, const ConstTensorView& x, const ConstTensorView& cos,
               const ConstTensorView& sin, const TensorView& y, Mode mode) {
  const TokenMemory memory(Checked(apply), x, y);
  const std::pair<std::string, const ConstTensorView*> given[] = {{"cos", &cos}, {"sin", &sin}};
  for (const auto& [role, view] : given) {
    Shared(role, *view, 2, x);
    if (!IsFloat(view->dtype))
      throw Rejected(role, std::string(Name(view->dtype)), "must be of a float format", "CASE-4");
    if (view->shape.back() != apply.frequencies.pairs())
      throw Rejected(role, "pair " + std::to_string(view->shape.back()),
                     "must have pair " + std::to_string(apply.frequencies.pairs()), "ROPE-4");
  }
  const size_t pairs = memory.pairs, padded = memory.padded;
  const auto value = [&](const ConstTensorView& view, int64_t batch, int64_t seq, size_t pair) {
    const size_t rank = view.rank();
    int64_t offset =
        seq * view.strides[rank - 2] + static_cast<int64_t>(pair) * view.strides[rank - 1];
    if (rank == 3 && view.shape[0] != 1) offset += batch * view.strides[0];
    const DType dtype = view.dtype;
    return DecodeBits(FormatOf(dtype), LoadBits(dtype, view.data + offset * SizeOf(dtype)));
  };
  constexpr float quiet = std::numeric_limits<float>::quiet_NaN();  // no payload: rotate.h
  const double direction = Transposed(apply) ? -1 : 1;
  AlignedArray<double> c(padded), s(padded), absolute(padded);
  AlignedArray<float> c32(padded), s32(padded);
  for (size_t i = 0; i < padded; ++i) c[i] = s[i] = absolute[i] = c32[i] = s32[i] = 0;
  std::optional<StandardTokens> standard;
  std::optional<ExactTokens> exact;
  if (mode == Mode::kStandard) {
    standard.emplace(memory, StreamBytes());
  } else {
    exact.emplace(memory);
  }
  const ExactTokens::Resolve resolve = [&](size_t pair, float x0, float x1, Format format) {
    return RoundRotation(c[pair], s[pair], x0, x1, format);
  };
  for (int64_t batch = 0; batch < x.shape[0]; ++batch) {
    for (int64_t seq = 0; seq < x.shape[1]; ++seq) {
      for (size_t i = 0; i < pairs; ++i) {
        c[i] = value(cos, batch, seq, i);
        s[i] = direction * value(sin, batch, seq, i);
        c32[i] = std::isnan(c[i]) ? quiet : static_cast<float>(c[i]);
        s32[i] = std::isnan(s[i]) ? quiet : static_cast<float>(s[i]);
      }
      if (standard) {
        standard->Rotate(batch, seq, 1, {c32.data(), s32.data()});
      } else {
        exact->Rotate(batch, seq, c.data(), s.data(), absolute.data(), resolve);
      }
    }
  }
}

}  // namespace gnomon::optimized
