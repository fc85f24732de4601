#include "gnomon/optimized/rope.h"

#include <algorithm>
#include <cmath>

#include "gnomon/optimized/formats.h"
#include "gnomon/optimized/frequencies.h"
#include "gnomon/optimized/rotate.h"
#include "gnomon/optimized/rotate_exact.h"
#include "gnomon/optimized/tables.h"
#include "gnomon/optimized/turns.h"
#include "hwy/cache_control.h"

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
  return a;
}

// One call of rope.apply: everything but where cosines and sines come from.
class Application {
 public:
  // `tables`: entries that the caller wants room for beside the scratch memory, one allocation.
  Application(const RopeApply& a, const ConstTensorView& x, const TensorView& y, Mode mode,
              size_t tables = 0)
      : a_(a), x_(x), y_(y), format_(FormatOf(x.dtype)), size_(SizeOf(x.dtype)) {
    if (x.rank() != 4)
      throw Rejected("x", "rank " + std::to_string(x.rank()),
                     "must be [batch, seq, heads, head_dim]", "ROPE-3");
    if (x.shape[3] != a.frequencies.head_dim)
      throw Rejected("x", "head_dim " + std::to_string(x.shape[3]),
                     "must have head_dim " + std::to_string(a.frequencies.head_dim), "ROPE-3");
    if (x.dtype != DType::kF32 && x.dtype != DType::kBf16 && x.dtype != DType::kF16)
      throw Rejected("x", std::string(Name(x.dtype)), "must be F32, BF16 or F16", "FORMAT-1");
    if (y.shape != x.shape || y.dtype != x.dtype)
      throw Rejected("y", std::string(Name(y.dtype)), "must have the shape and type of x",
                     "ROPE-3");
    in_place_ = y.data == x.data;
    if (in_place_ && y.strides != x.strides)
      throw Rejected("y", "(memory of x)", "must have the strides of x too", "ROPE-21");
    pairs_ = static_cast<size_t>(a.frequencies.pairs());
    padded_ = PaddedPairs(pairs_);
    fast_ = x.strides[3] == 1 && y.strides[3] == 1 && a.input_layout == a.output_layout &&
            mode == Mode::kStandard;
    stream_ = !in_place_ && StreamsPast(2 * x.count() * size_);
    scratch_ = AlignedArray<float>(8 * padded_ + tables);
    if (mode == Mode::kExact)
      std::fill_n(scratch_.data(), 2 * padded_, 0.0f);  // the padding of p, q
  }
  ~Application() {
    if (stream_) hwy::FlushStream();
  }

  size_t pairs() const { return pairs_; }
  size_t padded() const { return padded_; }
  float* tables() { return scratch_.data() + 8 * padded_; }
  bool transposed() const {  // ROPE-6
    return a_.direction == RopeDirection::kTranspose;
  }

  // kStandard. cos, sin: [padded].
  void Token(int64_t batch, int64_t seq, const float* cos, const float* sin) {
    const std::byte* x = At(x_, batch, seq);
    std::byte* y = At(y_, batch, seq);
    if (fast_) {
      const int64_t window = a_.rotary_offset * size_;
      RotateHeads(format_, a_.input_layout,
                  {x + window, y + window, x_.strides[2], y_.strides[2],
                   static_cast<size_t>(x_.shape[2]), pairs_, cos, sin, scratch_.data(), stream_});
      CopyRest(x, y);
      return;
    }
    // Any strides, any layouts: a row goes through float32 in the half-split order.
    float* row = scratch_.data() + 4 * padded_;
    for (int64_t head = 0; head < x_.shape[2]; ++head) {
      const std::byte* from = x + head * x_.strides[2] * size_;
      std::byte* to = y + head * y_.strides[2] * size_;
      for (size_t i = 0; i < pairs_; ++i) {
        row[i] = Load(from, i, 0);
        row[pairs_ + i] = Load(from, i, 1);
      }
      RotateHeads(Format::kF32, RopeLayout::kHalfSplit,
                  {row, row, 0, 0, 1, pairs_, cos, sin, scratch_.data(), false});
      for (size_t i = 0; i < pairs_; ++i) {
        Store(to, i, 0, EncodeF32(format_, row[i]));
        Store(to, i, 1, EncodeF32(format_, row[pairs_ + i]));
      }
    }
    CopyRest(x, y);
  }

  // kExact (ROUND-8). c, s, absolute: [padded], as PairsToEnclose has them; `resolve(pair, x0, x1)`
  // decides what they leave undecided.
  template <class Resolve>
  void ExactToken(int64_t batch, int64_t seq, const double* c, const double* s,
                  const double* absolute, const Resolve& resolve) {
    const std::byte* x = At(x_, batch, seq);
    std::byte* y = At(y_, batch, seq);
    float* p = scratch_.data();
    float* q = p + padded_;
    float* ends = q + padded_;
    const EnclosedPairs enclosed{ends, ends + padded_, ends + 2 * padded_, ends + 3 * padded_};
    for (int64_t head = 0; head < x_.shape[2]; ++head) {
      const std::byte* from = x + head * x_.strides[2] * size_;
      std::byte* to = y + head * y_.strides[2] * size_;
      for (size_t i = 0; i < pairs_; ++i) {
        p[i] = Load(from, i, 0);
        q[i] = Load(from, i, 1);
      }
      EncloseRotation({padded_, p, q, c, s, absolute, format_ != Format::kF32}, enclosed);
      for (size_t i = 0; i < pairs_; ++i) {
        PairBits bits;
        if (!Decide(enclosed.low0[i], enclosed.high0[i], &bits.first) ||
            !Decide(enclosed.low1[i], enclosed.high1[i], &bits.second))
          bits = resolve(i, p[i], q[i], format_);
        Store(to, i, 0, bits.first);
        Store(to, i, 1, bits.second);
      }
    }
    CopyRest(x, y);
  }

 private:
  template <class Byte>
  Byte* At(const BasicTensorView<Byte>& view, int64_t batch, int64_t seq) const {
    return view.data + (batch * view.strides[0] + seq * view.strides[1]) * size_;
  }
  float Load(const std::byte* head, size_t pair, int member) const {
    const int64_t dim = a_.Dim(a_.input_layout, static_cast<int64_t>(pair), member);
    return DecodeToF32(format_, head + dim * x_.strides[3] * size_);
  }
  void Store(std::byte* head, size_t pair, int member, uint64_t bits) const {
    const int64_t dim = a_.Dim(a_.output_layout, static_cast<int64_t>(pair), member);
    std::memcpy(head + dim * y_.strides[3] * size_, &bits, static_cast<size_t>(size_));
  }
  bool Decide(float low, float high, uint64_t* bits) const {
    *bits = EncodeF32(format_, low);
    const float size = std::fabs(low);
    return size >= 0x1p-126f && size < 0x1p127f && *bits == EncodeF32(format_, high);
  }

  // ROPE-5.
  void CopyRest(const std::byte* x, std::byte* y) const {
    const int64_t dims = a_.frequencies.head_dim, first = a_.rotary_offset;
    const int64_t last = first + a_.frequencies.rotary_dim;
    if (in_place_ || (first == 0 && last == dims)) return;
    for (int64_t head = 0; head < x_.shape[2]; ++head) {
      CopyDims(x + head * x_.strides[2] * size_, y + head * y_.strides[2] * size_, 0, first);
      CopyDims(x + head * x_.strides[2] * size_, y + head * y_.strides[2] * size_, last, dims);
    }
  }
  void CopyDims(const std::byte* x, std::byte* y, int64_t from, int64_t to) const {
    if (x_.strides[3] == 1 && y_.strides[3] == 1) {
      std::memcpy(y + from * size_, x + from * size_, static_cast<size_t>((to - from) * size_));
      return;
    }
    for (int64_t dim = from; dim < to; ++dim)
      std::memcpy(y + dim * y_.strides[3] * size_, x + dim * x_.strides[3] * size_,
                  static_cast<size_t>(size_));
  }

  const RopeApply& a_;
  const ConstTensorView& x_;
  const TensorView& y_;
  const Format format_;
  const int64_t size_;
  bool in_place_, fast_, stream_;
  size_t pairs_, padded_;
  AlignedArray<float> scratch_;
};

// Tokens are taken in blocks whose tables fit the first-level cache; a table that all batches share
// is made once a block. `fill(group, seq, rows)` makes it, `token(batch, seq, row)` uses it.
template <class Fill, class Token>
void ForEachBlock(int64_t batches, int64_t seqs, bool shared, int64_t block_rows, const Fill& fill,
                  const Token& token) {
  for (int64_t group = 0; group < (shared ? 1 : batches); ++group) {
    const int64_t last = shared ? batches : group + 1;
    for (int64_t seq = 0; seq < seqs; seq += block_rows) {
      const int64_t rows = std::min(block_rows, seqs - seq);
      fill(group, seq, rows);
      for (int64_t batch = group; batch < last; ++batch)
        for (int64_t row = 0; row < rows; ++row) token(batch, seq + row, row);
    }
  }
}

int64_t BlockRows(size_t padded) {
  constexpr size_t kEntries = size_t{1} << 14;
  return static_cast<int64_t>(std::clamp<size_t>(kEntries / padded, 1, kStepRows));
}

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

void ReadPositions(const ConstTensorView& view, int64_t group, int64_t seq, int64_t rows,
                   int64_t* into) {
  const int64_t step = view.strides.back();
  int64_t offset = seq * step + (view.rank() == 2 ? group * view.strides[0] : 0);
  for (int64_t row = 0; row < rows; ++row, offset += step)
    into[row] = PositionAt(view.dtype, view.data + offset * SizeOf(view.dtype));
}

}  // namespace

RopePlan::RopePlan(const RopeFrequencies& frequencies) : RopePlan(RopeApply{frequencies}) {}
RopePlan::RopePlan(const RopeApply& apply)
    : RopePlan(apply, std::make_shared<const Turns>(ExactFrequencies(Checked(apply).frequencies))) {
}
RopePlan::RopePlan(const RopeApply& apply, std::shared_ptr<const Turns> turns)
    : apply_(Checked(apply)), turns_(std::move(turns)) {}

void RopePlan::Frequencies(const TensorView& w) const {
  if (w.rank() != 1 || w.shape[0] != apply_.frequencies.pairs() || !IsFloat(w.dtype))
    throw Rejected("w", "rank " + std::to_string(w.rank()), "must be [pair], of a float format",
                   "ROPE-1");
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
    throw Rejected("cos", "rank " + std::to_string(cos.rank()), "must be [.., seq, pair], as sin",
                   "ROPE-4");
  WriteTable(*turns_, positions, cos, sin);
}

void RopePlan::Apply(const ConstTensorView& x, const ConstTensorView& positions,
                     const TensorView& y, Mode mode) const {
  const size_t padded = PaddedPairs(static_cast<size_t>(apply_.frequencies.pairs()));
  const int64_t block = BlockRows(padded);
  const size_t entries = static_cast<size_t>(block) * padded;
  Application application(apply_, x, y, mode, mode == Mode::kStandard ? 2 * entries : 0);
  const bool shared = Shared("positions", positions, 1, x);
  int64_t m[kStepRows] = {};
  const auto row_of = [padded](int64_t row) { return static_cast<size_t>(row) * padded; };
  if (mode == Mode::kStandard) {
    float *cos = application.tables(), *sin = cos + entries;
    ForEachBlock(
        x.shape[0], x.shape[1], shared, block,
        [&](int64_t group, int64_t seq, int64_t rows) {
          ReadPositions(positions, group, seq, rows, m);
          FillTable(*turns_, m, static_cast<size_t>(rows), TableRows<float>{cos, sin, padded});
          if (!application.transposed()) return;
          for (size_t i = 0; i < row_of(rows); ++i) sin[i] = -sin[i];
        },
        [&](int64_t batch, int64_t seq, int64_t row) {
          application.Token(batch, seq, cos + row_of(row), sin + row_of(row));
        });
    return;
  }
  AlignedArray<double> cos(entries), sin(entries), moving(padded), still(padded);
  for (size_t i = 0; i < padded; ++i) {
    still[i] = 0;
    moving[i] = i < turns_->size() && turns_->exact(i).sign() == 0 ? 0 : kDirectAbsolute;
    if (turns_->first_tier() != Tier::kVector) still[i] = moving[i] = INFINITY;
  }
  ForEachBlock(
      x.shape[0], x.shape[1], shared, block,
      [&](int64_t group, int64_t seq, int64_t rows) {
        ReadPositions(positions, group, seq, rows, m);
        // The angle of the transpose is that of the mirrored position, which 2^31 may be.
        if (application.transposed())
          for (int64_t& position : m) position = -position;
        FillTable(*turns_, m, static_cast<size_t>(rows),
                  TableRows<double>{cos.data(), sin.data(), padded});
      },
      [&](int64_t batch, int64_t seq, int64_t row) {
        const int64_t position = m[static_cast<size_t>(row)];
        application.ExactToken(batch, seq, cos.data() + row_of(row), sin.data() + row_of(row),
                               position == 0 ? still.data() : moving.data(),
                               [&](size_t pair, float x0, float x1, Format format) {
                                 return RoundRotation(turns_->exact(pair), position, x0, x1,
                                                      format);
                               });
      });
}

void ApplyRope(const RopeApply& apply, const ConstTensorView& x, const ConstTensorView& cos,
               const ConstTensorView& sin, const TensorView& y, Mode mode) {
  Application application(Checked(apply), x, y, mode);
  const std::pair<std::string, const ConstTensorView*> given[] = {{"cos", &cos}, {"sin", &sin}};
  for (const auto& [role, view] : given) {
    Shared(role, *view, 2, x);
    if (!IsFloat(view->dtype))
      throw Rejected(role, std::string(Name(view->dtype)), "must be of a float format", "CASE-4");
    if (view->shape.back() != apply.frequencies.pairs())
      throw Rejected(role, "pair " + std::to_string(view->shape.back()),
                     "must have pair " + std::to_string(apply.frequencies.pairs()), "ROPE-4");
  }
  const size_t pairs = application.pairs(), padded = application.padded();
  const auto value = [&](const ConstTensorView& view, int64_t batch, int64_t seq, size_t pair) {
    const size_t rank = view.rank();
    int64_t offset =
        seq * view.strides[rank - 2] + static_cast<int64_t>(pair) * view.strides[rank - 1];
    if (rank == 3 && view.shape[0] != 1) offset += batch * view.strides[0];
    const DType dtype = view.dtype;
    return DecodeBits(FormatOf(dtype), LoadBits(dtype, view.data + offset * SizeOf(dtype)));
  };
  constexpr float quiet = std::numeric_limits<float>::quiet_NaN();  // no payload: rotate.h
  const double direction = application.transposed() ? -1 : 1;
  AlignedArray<double> c(padded), s(padded), absolute(padded);
  AlignedArray<float> c32(padded), s32(padded);
  for (size_t i = 0; i < padded; ++i) c[i] = s[i] = absolute[i] = c32[i] = s32[i] = 0;
  for (int64_t batch = 0; batch < x.shape[0]; ++batch) {
    for (int64_t seq = 0; seq < x.shape[1]; ++seq) {
      for (size_t i = 0; i < pairs; ++i) {
        c[i] = value(cos, batch, seq, i);
        s[i] = direction * value(sin, batch, seq, i);
        c32[i] = std::isnan(c[i]) ? quiet : static_cast<float>(c[i]);
        s32[i] = std::isnan(s[i]) ? quiet : static_cast<float>(s[i]);
      }
      if (mode == Mode::kStandard) {
        application.Token(batch, seq, c32.data(), s32.data());
      } else {
        application.ExactToken(batch, seq, c.data(), s.data(), absolute.data(),
                               [&](size_t pair, float x0, float x1, Format format) {
                                 return RoundRotation(c[pair], s[pair], x0, x1, format);
                               });
      }
    }
  }
}

}  // namespace gnomon::optimized
