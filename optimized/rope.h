// Rotary position embedding (Su et al. 2021, arXiv:2104.09864), as SIMD kernels for every
// instruction set that Highway reaches.
//
// Units: positions in tokens, integers in [-2^31, 2^31); frequencies in radians a token.
// Errors: gnomon::Rejected, with the parameter, its value and the clause. Nothing prints or aborts.
// Threads may share a plan; its copies share what it keeps.
#ifndef GNOMON_OPTIMIZED_ROPE_H_
#define GNOMON_OPTIMIZED_ROPE_H_

#include <memory>

#include "gnomon/spec/rope.h"
#include "gnomon/spec/tensor.h"

namespace gnomon::optimized {

template <class T>
class AlignedArray;
class ExactFrequency;
class KeptRows;
class TokenMemory;
class Turns;

// What rope.apply promises of every output.
enum class Mode {
  // Profile `standard` (spec/bounds.h): float32 tables, correctly rounded; float32 arithmetic; one
  // rounding at the end for bf16 and f16. The speed of memory.
  kStandard,
  // Profile `rounded`: the correctly rounded value of the rotation, whatever cancels.
  kExact,
};

// Frequencies, scaled or not (spec/rope_scaling.md), set up once for any number of calls. A length
// that they depend on has to be stated.
class RopePlan {
 public:
  explicit RopePlan(const RopeFrequencies& frequencies);
  explicit RopePlan(const RopeApply& apply);
  // For tests: the same bits by a slower path (turns.h).
  RopePlan(const RopeApply& apply, std::shared_ptr<const Turns> turns);

  // w [pair] in f32, bf16, f16 or f64: the correctly rounded frequencies (ROPE-1).
  void Frequencies(const TensorView& w) const;

  // positions [seq] or [batch, seq] (i32, i64); cos, sin [.., seq, pair] in f32, bf16 or f16.
  //
  // Times the magnitude where SCALE-13 puts it into tables. Correctly rounded at every position of
  // the domain for every frequency: positive, negative, 0, above a turn, and so small that sines
  // are subnormal or round to zero (ROPE-11). Frequencies below 2^-27 / |position| and zero take a
  // slower path, entry by entry.
  void Table(const ConstTensorView& positions, const TensorView& cos, const TensorView& sin) const;

  // x, y [batch, seq, heads, head_dim], the same format: f32, bf16 or f16; positions [seq] or
  // [batch or 1, seq]. y is x's own memory (the same view), or does not overlap it. Any strides;
  // a contiguous last axis with the layout kept is the fast path. Dims outside the rotary window
  // are copied bit by bit (ROPE-5). `stream_past`, for tests: where more bytes are read and
  // written, stores go around the caches (cache.h); by default what suits the machine. In
  // kStandard the plan keeps the positions of the last call, and their tables once they come again
  // (rope_rows.h). No bit depends on either.
  void Apply(const ConstTensorView& x, const ConstTensorView& positions, const TensorView& y,
             Mode mode = Mode::kStandard, int64_t stream_past = -1) const;

 private:
  void ApplyStandard(const TokenMemory& memory, const ConstTensorView& positions, bool shared,
                     int64_t stream_past) const;
  // Rows of these positions, where the call before had them too.
  std::shared_ptr<AlignedArray<float>> Kept(const ConstTensorView& positions, int64_t groups,
                                            int64_t seqs) const;
  void ApplyExact(const TokenMemory& memory, const ConstTensorView& positions, bool shared) const;

  RopeApply apply_;
  std::shared_ptr<const Turns> turns_;
  std::shared_ptr<const ExactFrequency> magnitude_;  // of y (SCALE-13); null: 1
  std::shared_ptr<KeptRows> kept_;
};

// The same with given tables, cos, sin [seq, pair] or [batch or 1, seq, pair], of any float format
// and any values (ROPE-4). kStandard rounds float64 tables to float32; kExact takes them as they
// are.
void ApplyRope(const RopeApply& apply, const ConstTensorView& x, const ConstTensorView& cos,
               const ConstTensorView& sin, const TensorView& y, Mode mode = Mode::kStandard);

}  // namespace gnomon::optimized

#endif  // GNOMON_OPTIMIZED_ROPE_H_
