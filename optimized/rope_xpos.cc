// The idea: both members of a pair have one scale, so it goes into the pair's cosine and sine once
// a token, and the heads are left to the kernels of rope.apply (XPOS-3).
#include "gnomon/optimized/rope_xpos.h"

#include <cmath>
#include <vector>

#include "gnomon/optimized/cache.h"
#include "gnomon/optimized/rope_tokens.h"
#include "gnomon/optimized/tables.h"

namespace gnomon::optimized {

void ApplyXpos(const Xpos& xpos, const Turns& turns, const ConstTensorView& x,
               const ConstTensorView& positions, const TensorView& y) {
  const TokenMemory memory(xpos.apply, x, y);
  const size_t pairs = memory.pairs, padded = memory.padded;
  const int64_t batches = x.shape[0], seqs = x.shape[1];
  const bool per_batch = positions.rank() == 2 && positions.shape[0] != 1;
  std::vector<double> log2_zeta(pairs);  // XPOS-1
  for (size_t i = 0; i < pairs; ++i)
    log2_zeta[i] = std::log2(static_cast<double>(xpos.Numerator(static_cast<int64_t>(i))) /
                             static_cast<double>(xpos.Denominator()));
  const double sign = xpos.apply.direction == RopeDirection::kTranspose ? -1 : 1;  // ROPE-6
  StandardTokens tokens(memory, StreamBytes());
  ScratchArray<float, 2 * 128> table(2 * padded);
  float *cos = table.data(), *sin = cos + padded;
  for (int64_t group = 0; group < (per_batch ? batches : 1); ++group)
    for (int64_t seq = 0; seq < seqs; ++seq) {
      const int64_t m = IntegerAt(positions, group * seqs + seq);
      FillTable(turns, &m, 1, TableRows<float>{cos, sin, padded});
      const double e = static_cast<double>(xpos.Steps(m)) / static_cast<double>(xpos.scale_base);
      // At most 2^6 |log2_zeta| < 2^7: the exponent is off by less than 2^-44, so is the scale.
      for (size_t i = 0; i < pairs; ++i) {
        const double scale = std::exp2(e * log2_zeta[i]);
        cos[i] = static_cast<float>(cos[i] * scale);
        sin[i] = static_cast<float>(sin[i] * (sign * scale));
      }
      const int64_t last = per_batch ? group + 1 : batches;
      for (int64_t batch = group; batch < last; ++batch) tokens.Rotate(batch, seq, 1, {cos, sin});
    }
}

}  // namespace gnomon::optimized
