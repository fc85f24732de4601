#include "gnomon/optimized/rope_tokens.h"

#include <algorithm>
#include <cmath>

#include "gnomon/optimized/cache.h"
#include "gnomon/optimized/formats.h"
#include "gnomon/optimized/rotate_exact.h"
#include "hwy/cache_control.h"

namespace gnomon::optimized {

TokenMemory::TokenMemory(const RopeApply& a, const ConstTensorView& x, const TensorView& y)
    : a(a),
      x(x),
      y(y),
      format(FormatOf(x.dtype)),
      size(SizeOf(x.dtype)),
      heads(x.rank() == 4 ? x.shape[2] : 0),
      pairs(static_cast<size_t>(a.frequencies.pairs())),
      padded(PaddedPairs(pairs)),
      in_place(y.data == x.data),
      rest(!in_place && a.frequencies.rotary_dim != a.frequencies.head_dim) {
  if (x.rank() != 4)
    throw Rejected("x", "rank " + std::to_string(x.rank()), "must be [batch, seq, heads, head_dim]",
                   "ROPE-3");
  if (x.shape[3] != a.frequencies.head_dim)
    throw Rejected("x", "head_dim " + std::to_string(x.shape[3]),
                   "must have head_dim " + std::to_string(a.frequencies.head_dim), "ROPE-3");
  if (x.dtype != DType::kF32 && x.dtype != DType::kBf16 && x.dtype != DType::kF16)
    throw Rejected("x", std::string(Name(x.dtype)), "must be F32, BF16 or F16", "FORMAT-1");
  if (y.shape != x.shape || y.dtype != x.dtype)
    throw Rejected("y", std::string(Name(y.dtype)) + " " + ShapeText(y.shape),
                   "must have the shape and type of x", "ROPE-3");
  if (in_place && y.strides != x.strides)
    throw Rejected("y", "(memory of x)", "must have the strides of x too", "ROPE-21");
}

float TokenMemory::Load(const std::byte* head, size_t pair, int member) const {
  const int64_t dim = a.Dim(a.input_layout, static_cast<int64_t>(pair), member);
  return DecodeToF32(format, head + dim * x.strides[3] * size);
}

void TokenMemory::Store(std::byte* head, size_t pair, int member, uint64_t bits) const {
  const int64_t dim = a.Dim(a.output_layout, static_cast<int64_t>(pair), member);
  std::memcpy(head + dim * y.strides[3] * size, &bits, static_cast<size_t>(size));
}

void TokenMemory::CopyRest(int64_t batch, int64_t seq) const {
  const int64_t dims = a.frequencies.head_dim, first = a.rotary_offset;
  const int64_t last = first + a.frequencies.rotary_dim;
  const auto copy = [this](const std::byte* from, std::byte* to, int64_t dim, int64_t end) {
    if (x.strides[3] == 1 && y.strides[3] == 1) {
      std::memcpy(to + dim * size, from + dim * size, static_cast<size_t>((end - dim) * size));
      return;
    }
    for (; dim < end; ++dim)
      std::memcpy(to + dim * y.strides[3] * size, from + dim * x.strides[3] * size,
                  static_cast<size_t>(size));
  };
  for (int64_t head = 0; head < heads; ++head) {
    copy(X(batch, seq, head), Y(batch, seq, head), 0, first);
    copy(X(batch, seq, head), Y(batch, seq, head), last, dims);
  }
}

StandardTokens::StandardTokens(const TokenMemory& memory, int64_t stream_past)
    : memory_(memory), row_(2 * memory.padded) {
  const RopeApply& a = memory.a;
  const ConstTensorView& x = memory.x;
  fast_ = x.strides[3] == 1 && memory.y.strides[3] == 1 && a.input_layout == a.output_layout;
  tokens_.x_token = x.strides[1];
  tokens_.y_token = memory.y.strides[1];
  tokens_.x_head = x.strides[2];
  tokens_.y_head = memory.y.strides[2];
  tokens_.heads = static_cast<size_t>(memory.heads);
  tokens_.pairs = memory.pairs;
  const int64_t bytes = (memory.in_place ? 1 : 2) * x.count() * memory.size;
  tokens_.stream = !memory.in_place && bytes > stream_past;
  // The hardware's prefetchers stop at the end of a page; rows that follow each other cross many.
  constexpr int64_t kAheadBytes = 8192;
  const int64_t row = tokens_.x_head * memory.size;
  if (row > 0 && x.strides[1] == memory.heads * x.strides[2] && bytes > Level2Bytes())
    tokens_.ahead = static_cast<size_t>(std::max<int64_t>(kAheadBytes / row, 1) * x.strides[2]);
}

StandardTokens::~StandardTokens() {
  if (tokens_.stream) hwy::FlushStream();
}

void StandardTokens::Rotate(int64_t batch, int64_t seq, int64_t tokens, const TokenTables& tables) {
  if (fast_) {
    const int64_t window = memory_.a.rotary_offset * memory_.size;
    tokens_.x = memory_.X(batch, seq, 0) + window;
    tokens_.y = memory_.Y(batch, seq, 0) + window;
    tokens_.tokens = static_cast<size_t>(tokens);
    tokens_.cos = tables.cos;
    tokens_.sin = tables.sin;
    tokens_.table_stride = tables.stride;
    tokens_.rows = tables.rows;
    RotateTokens(memory_.format, memory_.a.input_layout, tokens_);
    if (!memory_.rest) return;
  }
  for (int64_t token = 0; token < tokens; ++token) {
    if (!fast_) {
      const size_t i = static_cast<size_t>(token);
      float *cos = tables.cos + i * tables.stride, *sin = tables.sin + i * tables.stride;
      if (tables.rows != nullptr) tables.rows->make(*tables.rows, i, cos, sin);
      RotateStrided(batch, seq + token, cos, sin);
    }
    if (memory_.rest) memory_.CopyRest(batch, seq + token);
  }
}

// Any strides, any layouts: a row goes through float32 in the half-split order.
void StandardTokens::RotateStrided(int64_t batch, int64_t seq, float* cos, float* sin) {
  const size_t pairs = memory_.pairs;
  float* row = row_.data();
  TokensToRotate turn;
  turn.x = turn.y = row;
  turn.heads = 1;
  turn.pairs = pairs;
  turn.cos = cos;
  turn.sin = sin;
  for (int64_t head = 0; head < memory_.heads; ++head) {
    const std::byte* from = memory_.X(batch, seq, head);
    std::byte* to = memory_.Y(batch, seq, head);
    for (size_t i = 0; i < pairs; ++i) {
      row[i] = memory_.Load(from, i, 0);
      row[pairs + i] = memory_.Load(from, i, 1);
    }
    RotateTokens(Format::kF32, RopeLayout::kHalfSplit, turn);
    for (size_t i = 0; i < pairs; ++i) {
      memory_.Store(to, i, 0, EncodeF32(memory_.format, row[i]));
      memory_.Store(to, i, 1, EncodeF32(memory_.format, row[pairs + i]));
    }
  }
}

ExactTokens::ExactTokens(const TokenMemory& memory) : memory_(memory), scratch_(6 * memory.padded) {
  std::fill_n(scratch_.data(), 2 * memory.padded, 0.0f);  // the padding of p, q
}

void ExactTokens::Rotate(int64_t batch, int64_t seq, const double* c, const double* s,
                         const double* absolute, const Resolve& resolve) {
  const size_t padded = memory_.padded;
  float *p = scratch_.data(), *q = p + padded, *ends = q + padded;
  const EnclosedPairs enclosed{ends, ends + padded, ends + 2 * padded, ends + 3 * padded};
  for (int64_t head = 0; head < memory_.heads; ++head) {
    const std::byte* from = memory_.X(batch, seq, head);
    std::byte* to = memory_.Y(batch, seq, head);
    for (size_t i = 0; i < memory_.pairs; ++i) {
      p[i] = memory_.Load(from, i, 0);
      q[i] = memory_.Load(from, i, 1);
    }
    EncloseRotation({padded, p, q, c, s, absolute, memory_.format != Format::kF32}, enclosed);
    for (size_t i = 0; i < memory_.pairs; ++i) {
      PairBits bits;
      if (!Decide(enclosed.low0[i], enclosed.high0[i], &bits.first) ||
          !Decide(enclosed.low1[i], enclosed.high1[i], &bits.second))
        bits = resolve(i, p[i], q[i], memory_.format);
      memory_.Store(to, i, 0, bits.first);
      memory_.Store(to, i, 1, bits.second);
    }
  }
  if (memory_.rest) memory_.CopyRest(batch, seq);
}

bool ExactTokens::Decide(float low, float high, uint64_t* bits) const {
  *bits = EncodeF32(memory_.format, low);
  const float size = std::fabs(low);
  return size >= 0x1p-126f && size < 0x1p127f && *bits == EncodeF32(memory_.format, high);
}

}  // namespace gnomon::optimized
