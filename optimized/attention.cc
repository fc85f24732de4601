// The idea: a block of queries meets a block of 64 keys in registers, both ways: scores are outer
// products of a query's component and 64 keys' (keys are packed component by component), outputs
// are outer products of a weight and a value's row. Between the two stand 64 exponentials a query
// and a running maximum; outputs so far are rescaled when it rises. Keys are taken in tiles that
// stay in the second-level cache. The bias is read where it is needed, from a matrix or a line.
#include "gnomon/optimized/attention.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "gnomon/optimized/aligned.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "gnomon/optimized/attention.cc"
#include "hwy/foreach_target.h"  // before highway.h
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace gnomon {
namespace optimized {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using AttF = hn::ScalableTag<float>;
using AttI = hn::ScalableTag<int32_t>;
using AttV = hn::Vec<AttF>;

constexpr size_t kKeyBlock = 64;
constexpr size_t kKeyTile = 512;
constexpr size_t kQueryBlock = 6;
constexpr size_t kAttLanes = HWY_LANES(float);
// Vectors of a register tile: with 6 queries, 24 accumulators of 32 registers, or 12 of 16.
constexpr size_t kAttVectors = HWY_TARGET <= HWY_AVX3 ? 4 : 2;
constexpr size_t kAttWidth = kAttLanes * kAttVectors;
constexpr float kNoScore = -std::numeric_limits<float>::infinity();

// exp(x) for x <= 0, within one ulp; 0 below ln 2^-126, NaN for NaN. 2^n e^r with |r| <= ln 2 / 2:
// ln 2 in two parts, the first of few bits, so that n times it is exact; e^r by its series to r^7
// (the rest is below 0.1 u).
HWY_INLINE AttV AttExp(AttV x) {
  const AttF d;
  const AttI di;
  const AttV n = hn::Round(hn::Mul(x, hn::Set(d, 0x1.715476p+0f)));
  AttV r = hn::NegMulAdd(n, hn::Set(d, 0x1.62e4p-1f), x);
  r = hn::NegMulAdd(n, hn::Set(d, 0x1.7f7d1cp-20f), r);
  AttV p = hn::Set(d, 1.0f / 5040);
  p = hn::MulAdd(p, r, hn::Set(d, 1.0f / 720));
  p = hn::MulAdd(p, r, hn::Set(d, 1.0f / 120));
  p = hn::MulAdd(p, r, hn::Set(d, 1.0f / 24));
  p = hn::MulAdd(p, r, hn::Set(d, 1.0f / 6));
  p = hn::MulAdd(p, r, hn::Set(d, 0.5f));
  p = hn::MulAdd(p, hn::Mul(r, r), r);
  p = hn::Add(p, hn::Set(d, 1.0f));
  const AttV power =
      hn::BitCast(d, hn::ShiftLeft<23>(hn::Add(hn::ConvertTo(di, n), hn::Set(di, 127))));
  return hn::IfThenElse(hn::Lt(x, hn::Set(d, -87.336544f)), hn::Zero(d), hn::Mul(p, power));
}

// One head under way.
struct AttState {
  const AttentionHead* head;
  const float* keys;    // [block][head_dim][64], zeros at the end
  const float* values;  // [key][width], zeros at the end and where a key is left out
  size_t width;         // value_dim, rounded up to whole register tiles
  float* outputs;       // [query][width], not divided by the sum yet
  float* maximum;       // [query]
  float* sum;           // [query]
  float* block;         // [head_dim][kQueryBlock]: the queries under way, component by component
};

// ATT-2. Keys that the query sees, counted from the first.
HWY_INLINE size_t Reach(const AttentionHead& head, size_t query) {
  if (!head.causal) return head.keys;
  const size_t reach = query + 1 + head.keys;
  return reach > head.queries ? std::min(head.keys, reach - head.queries) : 0;
}

// Scores of `kRows` queries with one block of keys.
template <size_t kRows>
HWY_INLINE void Scores(const AttState& s, size_t first, float (*scores)[kKeyBlock]) {
  const AttF d;
  const size_t head_dim = s.head->head_dim;
  const float* block = s.keys + first * head_dim;
  for (size_t lane = 0; lane < kKeyBlock; lane += kAttWidth) {
    AttV tile[kRows][kAttVectors];
    for (size_t r = 0; r < kRows; ++r)
      for (size_t v = 0; v < kAttVectors; ++v) tile[r][v] = hn::Zero(d);
    const float* q = s.block;
    for (size_t c = 0; c < head_dim; ++c, q += kRows) {
      AttV k[kAttVectors];
      for (size_t v = 0; v < kAttVectors; ++v)
        k[v] = hn::Load(d, block + c * kKeyBlock + lane + v * kAttLanes);
      HWY_UNROLL(8)
      for (size_t r = 0; r < kRows; ++r) {
        const AttV one = hn::Set(d, q[r]);
        for (size_t v = 0; v < kAttVectors; ++v) tile[r][v] = hn::MulAdd(one, k[v], tile[r][v]);
      }
    }
    const AttV scale = hn::Set(d, s.head->scale);
    for (size_t r = 0; r < kRows; ++r)
      for (size_t v = 0; v < kAttVectors; ++v)
        hn::Store(hn::Mul(tile[r][v], scale), d, scores[r] + lane + v * kAttLanes);
  }
}

// Bias and mask of one query's scores.
HWY_INLINE void Finish(const AttentionHead& head, size_t query, size_t first, float* scores) {
  const AttF d;
  const size_t reach = Reach(head, query);
  const size_t count = reach > first ? std::min(reach - first, kKeyBlock) : 0;
  if (head.bias != nullptr) {
    const float* bias = head.bias + static_cast<ptrdiff_t>(query) * head.bias_stride +
                        static_cast<ptrdiff_t>(first);
    size_t n = 0;
    for (; n + kAttLanes <= count; n += kAttLanes)
      hn::Store(hn::Add(hn::Load(d, scores + n), hn::LoadU(d, bias + n)), d, scores + n);
    for (; n < count; ++n) scores[n] += bias[n];
  }
  if (head.seen != nullptr)
    for (size_t n = 0; n < count; ++n)
      if (head.seen[first + n] == 0) scores[n] = kNoScore;
  for (size_t n = count; n < kKeyBlock; ++n) scores[n] = kNoScore;
}

// ATT-3. Scores become weights against the running maximum; returns what outputs so far are
// multiplied by.
HWY_INLINE float Weigh(const AttState& s, size_t query, float* scores) {
  const AttF d;
  AttV highest = hn::Load(d, scores);
  for (size_t n = kAttLanes; n < kKeyBlock; n += kAttLanes)
    highest = hn::Max(highest, hn::Load(d, scores + n));
  const float before = s.maximum[query];
  const float maximum = std::max(before, hn::GetLane(hn::MaxOfLanes(d, highest)));
  s.maximum[query] = maximum;
  const float shift = maximum == kNoScore ? 0 : maximum;
  const AttV shifted = hn::Set(d, shift);
  AttV sum = hn::Zero(d);
  for (size_t n = 0; n < kKeyBlock; n += kAttLanes) {
    const AttV weight = AttExp(hn::Sub(hn::Load(d, scores + n), shifted));
    hn::Store(weight, d, scores + n);
    sum = hn::Add(sum, weight);
  }
  const float factor = before == maximum ? 1 : std::exp(before - shift);
  s.sum[query] = s.sum[query] * factor + hn::GetLane(hn::SumOfLanes(d, sum));
  return factor;
}

// ATT-4.
template <size_t kRows>
HWY_INLINE void AddValues(const AttState& s, size_t query, size_t first, size_t count,
                          const float (*weights)[kKeyBlock], const float* factor) {
  const AttF d;
  for (size_t column = 0; column < s.width; column += kAttWidth) {
    AttV tile[kRows][kAttVectors];
    float* outputs = s.outputs + query * s.width + column;
    for (size_t r = 0; r < kRows; ++r)
      for (size_t v = 0; v < kAttVectors; ++v)
        tile[r][v] =
            hn::Mul(hn::Set(d, factor[r]), hn::Load(d, outputs + r * s.width + v * kAttLanes));
    const float* values = s.values + first * s.width + column;
    for (size_t n = 0; n < count; ++n, values += s.width) {
      AttV row[kAttVectors];
      for (size_t v = 0; v < kAttVectors; ++v) row[v] = hn::Load(d, values + v * kAttLanes);
      HWY_UNROLL(8)
      for (size_t r = 0; r < kRows; ++r) {
        const AttV weight = hn::Set(d, weights[r][n]);
        for (size_t v = 0; v < kAttVectors; ++v)
          tile[r][v] = hn::MulAdd(weight, row[v], tile[r][v]);
      }
    }
    for (size_t r = 0; r < kRows; ++r)
      for (size_t v = 0; v < kAttVectors; ++v)
        hn::Store(tile[r][v], d, outputs + r * s.width + v * kAttLanes);
  }
}

// `kRows` queries with the keys from `first` to `end`.
template <size_t kRows>
HWY_INLINE void Queries(const AttState& s, size_t query, size_t first, size_t end) {
  HWY_ALIGN float weights[kRows][kKeyBlock];
  float factor[kRows];
  const AttentionHead& head = *s.head;
  const size_t reach = std::min(end, Reach(head, query + kRows - 1));
  for (size_t r = 0; first < reach && r < kRows; ++r)
    for (size_t c = 0; c < head.head_dim; ++c)
      s.block[c * kRows + r] = head.q[(query + r) * head.head_dim + c];
  for (; first < reach; first += kKeyBlock) {
    Scores<kRows>(s, first, weights);
    for (size_t r = 0; r < kRows; ++r) {
      Finish(head, query + r, first, weights[r]);
      factor[r] = Weigh(s, query + r, weights[r]);
    }
    AddValues<kRows>(s, query, first, std::min(reach - first, kKeyBlock), weights, factor);
  }
}

void Fused(const AttentionHead& head) {
  const size_t blocks = (head.keys + kKeyBlock - 1) / kKeyBlock, padded = blocks * kKeyBlock;
  const size_t width = (head.value_dim + kAttWidth - 1) / kAttWidth * kAttWidth;
  AlignedArray<float> keys(padded * head.head_dim), values(padded * width);
  AlignedArray<float> outputs(head.queries * width), maximum(head.queries), sum(head.queries),
      block(kQueryBlock * head.head_dim);
  std::fill_n(outputs.data(), head.queries * width, 0.0f);
  std::fill_n(maximum.data(), head.queries, kNoScore);
  std::fill_n(sum.data(), head.queries, 0.0f);
  bool finite = true;
  for (size_t n = 0; n < padded; ++n) {
    float* column = keys.data() + n / kKeyBlock * kKeyBlock * head.head_dim + n % kKeyBlock;
    float* row = values.data() + n * width;
    const bool there = n < head.keys && (head.seen == nullptr || head.seen[n] != 0);
    for (size_t c = 0; c < head.head_dim; ++c)
      column[c * kKeyBlock] = n < head.keys ? head.k[n * head.head_dim + c] : 0;
    for (size_t c = 0; c < width; ++c) {
      row[c] = there && c < head.value_dim ? head.v[n * head.value_dim + c] : 0;
      finite &= std::isfinite(row[c]);
    }
  }
  const AttState s = {&head,          keys.data(),    values.data(), width,
                      outputs.data(), maximum.data(), sum.data(),    block.data()};
  // ATT-13: in a block of queries the first ones meet values that only the last ones see, with the
  // weight 0. That is no use where a value is NaN or infinite: one query at a time, then.
  for (size_t first = 0; first < padded; first += kKeyTile) {
    const size_t end = std::min(first + kKeyTile, padded);
    size_t query = 0;
    if (finite)
      for (; query + kQueryBlock <= head.queries; query += kQueryBlock)
        Queries<kQueryBlock>(s, query, first, end);
    for (; query < head.queries; ++query) Queries<1>(s, query, first, end);
  }
  for (size_t query = 0; query < head.queries; ++query) {
    const float inverse = sum[query] == 0 ? 0 : 1 / sum[query];  // ATT-2: no key, no output
    for (size_t c = 0; c < head.value_dim; ++c)
      head.y[query * head.value_dim + c] = outputs[query * width + c] * inverse;
  }
}

void Row(float* row, size_t count) {
  const AttF d;
  float maximum = kNoScore;
  for (size_t n = 0; n < count; ++n) maximum = std::max(maximum, row[n]);
  const AttV shift = hn::Set(d, maximum == kNoScore ? 0 : maximum);
  HWY_ALIGN float part[kAttLanes];
  float sum = 0;
  for (size_t n = 0; n < count; n += kAttLanes) {
    const size_t here = std::min(kAttLanes, count - n);
    std::fill_n(part, kAttLanes, kNoScore);
    std::copy_n(row + n, here, part);
    const AttV weight = AttExp(hn::Sub(hn::Load(d, part), shift));
    hn::Store(weight, d, part);
    std::copy_n(part, here, row + n);
    sum += hn::GetLane(hn::SumOfLanes(d, weight));
  }
  const float inverse = sum == 0 ? 0 : 1 / sum;
  for (size_t n = 0; n < count; ++n) row[n] *= inverse;
}

}  // namespace HWY_NAMESPACE
}  // namespace optimized
}  // namespace gnomon
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gnomon::optimized {

HWY_EXPORT(Fused);
HWY_EXPORT(Row);
void FusedAttention(const AttentionHead& head) { HWY_DYNAMIC_DISPATCH(Fused)(head); }
void SoftmaxRow(float* row, size_t count) { HWY_DYNAMIC_DISPATCH(Row)(row, count); }

}  // namespace gnomon::optimized
#endif  // HWY_ONCE
