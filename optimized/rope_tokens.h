// rope.apply takes a tensor token by token. Whatever its strides, format and layouts, a token is
// handed cosines and sines, and its heads are rotated: by StandardTokens in float32, at the speed
// of memory where rows are contiguous; by ExactTokens with every output correctly rounded. Where
// the tables come from is the caller's affair (rope.cc).
#ifndef GNOMON_OPTIMIZED_ROPE_TOKENS_H_
#define GNOMON_OPTIMIZED_ROPE_TOKENS_H_

#include <functional>

#include "gnomon/optimized/aligned.h"
#include "gnomon/optimized/exact.h"
#include "gnomon/optimized/rotate.h"
#include "gnomon/spec/rope.h"
#include "gnomon/spec/tensor.h"

namespace gnomon::optimized {

// x and y of one call. The views must outlive it.
class TokenMemory {
 public:
  // Throws Rejected for tensors that `a` does not fit (ROPE-3, FORMAT-1, ROPE-21).
  TokenMemory(const RopeApply& a, const ConstTensorView& x, const TensorView& y);

  const std::byte* X(int64_t batch, int64_t seq, int64_t head) const {
    return x.data + (batch * x.strides[0] + seq * x.strides[1] + head * x.strides[2]) * size;
  }
  std::byte* Y(int64_t batch, int64_t seq, int64_t head) const {
    return y.data + (batch * y.strides[0] + seq * y.strides[1] + head * y.strides[2]) * size;
  }
  // A member, 0 or 1, of a pair of the head at an address: its value, and bits to put there.
  float Load(const std::byte* head, size_t pair, int member) const;
  void Store(std::byte* head, size_t pair, int member, uint64_t bits) const;
  // ROPE-5: the dims outside the window, where there is a `rest` to copy.
  void CopyRest(int64_t batch, int64_t seq) const;

  const RopeApply& a;
  const ConstTensorView& x;
  const TensorView& y;
  const Format format;
  const int64_t size, heads;
  const size_t pairs, padded;
  const bool in_place, rest;
};

// Cosines and sines of consecutive tokens, as TokensToRotate has them.
struct TokenTables {
  float* cos = nullptr;
  float* sin = nullptr;
  size_t stride = 0;
  const AnchoredRows* rows = nullptr;
};

// Mode::kStandard. Stores are non-temporal where the call moves more than `stream_past` bytes.
class StandardTokens {
 public:
  StandardTokens(const TokenMemory& memory, int64_t stream_past);
  ~StandardTokens();
  bool streams() const { return tokens_.stream; }
  void Rotate(int64_t batch, int64_t seq, int64_t tokens, const TokenTables& tables);

 private:
  void RotateStrided(int64_t batch, int64_t seq, float* cos, float* sin);

  const TokenMemory& memory_;
  ScratchArray<float, 2 * 128> row_;
  TokensToRotate tokens_;
  bool fast_;
};

// Mode::kExact (ROUND-8).
class ExactTokens {
 public:
  // Decides (pair, x0, x1, format) where the enclosures do not.
  using Resolve = std::function<PairBits(size_t, float, float, Format)>;

  explicit ExactTokens(const TokenMemory& memory);
  // c, s, absolute: [padded], as PairsToEnclose has them.
  void Rotate(int64_t batch, int64_t seq, const double* c, const double* s, const double* absolute,
              const Resolve& resolve);

 private:
  bool Decide(float low, float high, uint64_t* bits) const;

  const TokenMemory& memory_;
  AlignedArray<float> scratch_;
};

}  // namespace gnomon::optimized

#endif  // GNOMON_OPTIMIZED_ROPE_TOKENS_H_
