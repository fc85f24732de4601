// The idea: an angle is a short sum of products, and a row of them goes through the vector kernel
// (real_rows.h); what it leaves open is a sum of integers. A row of cosines and sines is made for a
// token and a head, and the head, as a tensor of one, is left to the kernels of rope.apply. Tables
// cost more than the rotation here: they are shared by the batches that share positions.
#include "gnomon/optimized/multi_axis_mixed.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "gnomon/optimized/cache.h"
#include "gnomon/optimized/exact_angle.h"
#include "gnomon/optimized/multi_axis.h"
#include "gnomon/optimized/real_angle.h"
#include "gnomon/optimized/real_rows.h"
#include "gnomon/optimized/rope_tokens.h"

namespace gnomon::optimized {
namespace {

// One head of x and y.
struct OneHead {
  OneHead(const RopeApply& window, ConstTensorView of_x, TensorView of_y, int64_t first,
          int64_t heads)
      : x(std::move(of_x)),
        y(std::move(of_y)),
        memory(window, Only(&x, first, heads), Only(&y, first, heads)),
        tokens(memory, StreamBytes()) {}

  ConstTensorView x;
  TensorView y;
  TokenMemory memory;
  StandardTokens tokens;

 private:
  template <class View>
  static const View& Only(View* view, int64_t first, int64_t heads) {
    view->data += first * view->strides[2] * SizeOf(view->dtype);
    view->shape[2] = heads;
    return *view;
  }
};

struct Term {
  double p, w;
};

// cos and sin of sum p w, as float32: AXES-20.
PairBits CosSinOfSum(const std::vector<Term>& terms) {
  Dyadic exact;
  for (const Term& t : terms) exact = exact + ToDyadic(t.p) * ToDyadic(t.w);
  if (exact.n.is_zero()) return {EncodeBits(Format::kF32, 1.0), 0};
  const cpp_int size = abs(exact.n);
  return RoundCosSin(
      [&](int64_t bits) {
        const int64_t shift = exact.exponent + bits;
        const cpp_int low = ShiftLeft(size, std::max<int64_t>(shift, 0)) >>
                            static_cast<unsigned>(std::max<int64_t>(-shift, 0));
        return std::pair<cpp_int, cpp_int>(low, low + 1);
      },
      exact.n < 0, BitLength(size) + exact.exponent, Format::kF32);
}

float ToFloat(uint64_t bits) { return static_cast<float>(DecodeBits(Format::kF32, bits)); }

}  // namespace

void ApplyMixed(const AxialRotation& rotation, const ConstTensorView& x,
                const ConstTensorView& positions, const ConstTensorView& frequencies,
                const TensorView& y) {
  const RopeApply window = WindowOf(rotation);
  const int64_t axes = rotation.axes(), pairs = rotation.pairs(), lists = frequencies.shape[1];
  const int64_t batches = x.shape[0], seqs = x.shape[1], heads = x.shape[2];
  const bool shared = positions.rank() == 2 || positions.shape[0] == 1;
  const double sign = rotation.direction == RopeDirection::kTranspose ? -1 : 1;  // ROPE-6
  std::vector<std::unique_ptr<OneHead>> parts;  // as many as there are lists of frequencies
  for (int64_t list = 0; list < std::min(lists, heads); ++list)
    parts.push_back(std::make_unique<OneHead>(window, x, y, list, lists == 1 ? heads : 1));
  const auto frequency = [&](int64_t axis, size_t list, int64_t pair) {
    return ValueAt(frequencies, (axis * lists + static_cast<int64_t>(list)) * pairs + pair);
  };
  std::vector<QuarterFactors> factors;  // [list][axis]
  for (size_t list = 0; list < parts.size(); ++list)
    for (int64_t a = 0; a < axes; ++a) {
      factors.emplace_back(static_cast<size_t>(pairs));
      for (int64_t i = 0; i < pairs; ++i)
        factors.back().Set(static_cast<size_t>(i), QuartersOf({frequency(a, list, i), 0}));
    }
  RealRow row(PaddedPairs(static_cast<size_t>(pairs)));
  std::vector<double> at(static_cast<size_t>(axes));
  std::vector<RealTerm> sum(at.size());
  std::vector<Term> terms(at.size());
  for (int64_t group = 0; group < (shared ? std::min<int64_t>(batches, 1) : batches); ++group)
    for (int64_t seq = 0; seq < seqs; ++seq) {
      for (int64_t a = 0; a < axes; ++a)
        at[static_cast<size_t>(a)] =
            sign * static_cast<double>(
                       IntegerAt(positions, ((shared ? 0 : group) * axes + a) * seqs + seq));
      for (size_t list = 0; list < parts.size(); ++list) {
        for (size_t a = 0; a < at.size(); ++a) {
          const QuarterFactors& of_axis = factors[list * at.size() + a];
          sum[a] = {&at[a], 0, of_axis.high(), of_axis.low(), 1};
        }
        if (row.Fill(sum))
          for (int64_t i = 0; i < pairs; ++i) {
            const size_t pair = static_cast<size_t>(i);
            if (row.open[pair] == 0) continue;
            for (size_t a = 0; a < at.size(); ++a)
              terms[a] = {at[a], frequency(static_cast<int64_t>(a), list, i)};
            const PairBits exact = CosSinOfSum(terms);
            row.cos[pair] = ToFloat(exact.first);
            row.sin[pair] = ToFloat(exact.second);
          }
        for (int64_t b = group; b < (shared ? batches : group + 1); ++b)
          parts[list]->tokens.Rotate(b, seq, 1, {row.cos.data(), row.sin.data(), row.padded});
      }
    }
}

}  // namespace gnomon::optimized
