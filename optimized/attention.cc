// The idea: a block of queries meets a block of 64 keys in registers, both ways: scores are outer
// products of a query's component and 64 keys' (keys are packed component by component), outputs
// are outer products of a weight and a value's row. Between the two stand 64 exponentials a query
// and a running maximum; outputs so far are rescaled when it rises. Keys are taken in tiles that
// stay in the second-level cache. The bias is read where it is needed, from a matrix or a line.
// Relative rows are gathered and binned (REL-3, REL-4): to the registers they are more keys, whose
// products with a query are picked by distance, and more values, whose weights are sums of keys'.
#include "gnomon/optimized/attention.h"

#include <algorithm>
#include <bit>
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
constexpr size_t kTileBytes = size_t{256} << 10;  // half of a second-level cache
constexpr size_t kQueryBlock = 6;
// With relative rows, so many queries go through all keys together: few, for their products and
// sums of weights to stay in the second-level cache beside a tile, but enough to use it often.
HWY_INLINE size_t QueryGroup(size_t rows) {
  const size_t fit = kTileBytes / 2 / (2 * sizeof(float) * rows);
  return std::clamp(fit / kQueryBlock, size_t{8}, size_t{32}) * kQueryBlock;
}
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
  // Relative rows, if there are any.
  size_t rows, padded_rows;  // padded: whole blocks of kKeyBlock
  const float* row_keys;     // as keys
  const float* row_values;   // as values
  const uint8_t* rising;     // [block]: positions of its keys rise by one
  float* products;           // [query of the group][padded_rows]
  float* row_weights;        // the same
  size_t group_start;        // the first query of the group under way
};

// ATT-2. Keys that the query sees, counted from the first.
HWY_INLINE size_t Reach(const AttentionHead& head, size_t query) {
  if (!head.causal) return head.keys;
  const size_t reach = query + 1 + head.keys;
  return reach > head.queries ? std::min(head.keys, reach - head.queries) : 0;
}

template <size_t kRows>
HWY_INLINE void LoadQueries(const AttState& s, size_t query) {
  const size_t head_dim = s.head->head_dim;
  for (size_t r = 0; r < kRows; ++r)
    for (size_t c = 0; c < head_dim; ++c)
      s.block[c * kRows + r] = s.head->q[(query + r) * head_dim + c];
}

// Products, times `by`, of the `kRows` queries that are loaded with `count` keys of one block; what
// stands after those holds nothing of use.
template <size_t kRows>
HWY_INLINE void Scores(const AttState& s, const float* block, size_t count, float by,
                       float (*scores)[kKeyBlock]) {
  const AttF d;
  const size_t head_dim = s.head->head_dim;
  for (size_t lane = 0; lane < count; lane += kAttWidth) {
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
    const AttV scale = hn::Set(d, by);
    for (size_t r = 0; r < kRows; ++r)
      for (size_t v = 0; v < kAttVectors; ++v)
        hn::Store(hn::Mul(tile[r][v], scale), d, scores[r] + lane + v * kAttLanes);
  }
}

// REL-2. The keys from `first` on in runs: put(from, end, row, step) where key `from` has the row
// `row` and each key after it the same row (step 0) or the next one (1).
template <class Put>
HWY_INLINE void EachRun(const AttState& s, size_t query, size_t first, size_t count,
                        const Put& put) {
  const RelativeRows& rows = *s.head->rows;
  const int64_t zero = rows.query_positions[query] + rows.low, last = rows.high - rows.low;
  const int64_t* at = rows.key_positions + first;
  if (s.rising[first / kKeyBlock] == 0) {
    for (size_t n = 0; n < count; ++n)
      put(n, n + 1, static_cast<size_t>(std::clamp(at[n] - zero, int64_t{0}, last)), size_t{0});
    return;
  }
  const int64_t start = at[0] - zero, end = static_cast<int64_t>(count);
  const int64_t lowest = std::clamp(-start, int64_t{0}, end);
  const int64_t between = std::clamp(last + 1 - start, lowest, end);
  put(size_t{0}, static_cast<size_t>(lowest), size_t{0}, size_t{0});
  put(static_cast<size_t>(lowest), static_cast<size_t>(between),
      static_cast<size_t>(start + lowest), size_t{1});
  put(static_cast<size_t>(between), count, static_cast<size_t>(last), size_t{0});
}

// REL-3: products with the rows of the keys join those with the keys, then the scale.
HWY_INLINE void AddProducts(const AttState& s, size_t query, size_t first, size_t count,
                            float* scores) {
  const float* products = s.products + (query - s.group_start) * s.padded_rows;
  const float by = s.head->scale;
  EachRun(s, query, first, count, [&](size_t n, size_t end, size_t row, size_t step) HWY_ATTR {
    const AttF d;
    const AttV scale = hn::Set(d, by);
    for (; n + kAttLanes <= end; n += kAttLanes, row += step * kAttLanes) {
      const AttV more = step == 0 ? hn::Set(d, products[row]) : hn::LoadU(d, products + row);
      hn::StoreU(hn::Mul(hn::Add(hn::LoadU(d, scores + n), more), scale), d, scores + n);
    }
    for (; n < end; ++n, row += step) scores[n] = (scores[n] + products[row]) * by;
  });
}

// REL-4: weights are summed row by row; earlier sums are rescaled like the outputs.
HWY_INLINE void BinWeights(const AttState& s, size_t query, size_t first, size_t count,
                           const float* weights, float factor) {
  const AttF outer;
  float* bins = s.row_weights + (query - s.group_start) * s.padded_rows;
  if (factor != 1)
    for (size_t r = 0; r < s.padded_rows; r += kAttLanes)
      hn::Store(hn::Mul(hn::Set(outer, factor), hn::Load(outer, bins + r)), outer, bins + r);
  EachRun(s, query, first, count, [&](size_t n, size_t end, size_t row, size_t step) HWY_ATTR {
    const AttF d;
    AttV sum = hn::Zero(d);
    const bool whole = n + kAttLanes <= end;
    for (; n + kAttLanes <= end; n += kAttLanes, row += step * kAttLanes) {
      const AttV w = hn::LoadU(d, weights + n);
      if (step == 0) {
        sum = hn::Add(sum, w);
      } else {
        hn::StoreU(hn::Add(hn::LoadU(d, bins + row), w), d, bins + row);
      }
    }
    if (step == 0 && whole) bins[row] += hn::GetLane(hn::SumOfLanes(d, sum));
    for (; n < end; ++n, row += step) bins[row] += weights[n];
  });
}

// Bias and mask of one query's scores with the `count` keys that it sees from `first` on.
HWY_INLINE void Finish(const AttState& s, size_t query, size_t first, size_t count, float* scores) {
  const AttF d;
  const AttentionHead& head = *s.head;
  if (head.rows != nullptr) AddProducts(s, query, first, count, scores);
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

// ATT-4. `from`: the first of `count` rows.
template <size_t kRows>
HWY_INLINE void AddValues(const AttState& s, size_t query, const float* from, size_t count,
                          const float (*weights)[kKeyBlock], const float* factor) {
  const AttF d;
  for (size_t column = 0; column < s.width; column += kAttWidth) {
    AttV tile[kRows][kAttVectors];
    float* outputs = s.outputs + query * s.width + column;
    for (size_t r = 0; r < kRows; ++r)
      for (size_t v = 0; v < kAttVectors; ++v)
        tile[r][v] =
            hn::Mul(hn::Set(d, factor[r]), hn::Load(d, outputs + r * s.width + v * kAttLanes));
    const float* values = from + column;
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
  if (first < reach) LoadQueries<kRows>(s, query);
  for (; first < reach; first += kKeyBlock) {
    const size_t here = std::min(reach - first, kKeyBlock);
    Scores<kRows>(s, s.keys + first * head.head_dim, here, head.rows == nullptr ? head.scale : 1,
                  weights);
    for (size_t r = 0; r < kRows; ++r) {
      const size_t own = Reach(head, query + r);
      const size_t count = own > first ? std::min(own - first, kKeyBlock) : 0;
      Finish(s, query + r, first, count, weights[r]);
      factor[r] = Weigh(s, query + r, weights[r]);
      if (head.rows != nullptr) BinWeights(s, query + r, first, count, weights[r], factor[r]);
    }
    AddValues<kRows>(s, query, s.values + first * s.width, here, weights, factor);
  }
}

// What relative rows need before `kRows` queries meet the keys, and after.
template <size_t kRows>
HWY_INLINE void BeforeKeys(const AttState& s, size_t query) {
  HWY_ALIGN float products[kRows][kKeyBlock];
  LoadQueries<kRows>(s, query);
  for (size_t row = 0; row < s.padded_rows; row += kKeyBlock) {
    Scores<kRows>(s, s.row_keys + row * s.head->head_dim, std::min(s.rows - row, kKeyBlock), 1,
                  products);
    for (size_t r = 0; r < kRows; ++r) {
      const size_t at = (query + r - s.group_start) * s.padded_rows + row;
      std::copy_n(products[r], kKeyBlock, s.products + at);
      std::fill_n(s.row_weights + at, kKeyBlock, 0.0f);
    }
  }
}
template <size_t kRows>
HWY_INLINE void AfterKeys(const AttState& s, size_t query) {
  HWY_ALIGN float weights[kRows][kKeyBlock];
  float factor[kRows];
  std::fill_n(factor, kRows, 1.0f);
  for (size_t row = 0; row < s.padded_rows; row += kKeyBlock) {
    for (size_t r = 0; r < kRows; ++r)
      std::copy_n(s.row_weights + (query + r - s.group_start) * s.padded_rows + row, kKeyBlock,
                  weights[r]);
    AddValues<kRows>(s, query, s.row_values + row * s.width, std::min(s.rows - row, kKeyBlock),
                     weights, factor);
  }
}

// Calls `six` and `one` for the queries from `query` to `end`.
template <class Six, class One>
HWY_INLINE void EachBlock(size_t query, size_t end, bool blocks, const Six& six, const One& one) {
  if (blocks)
    for (; query + kQueryBlock <= end; query += kQueryBlock) six(query);
  for (; query < end; ++query) one(query);
}

// [block][head_dim][64] from [n][head_dim], zeros at the end.
void PackKeys(const float* from, size_t count, size_t head_dim, float* to) {
  const size_t padded = (count + kKeyBlock - 1) / kKeyBlock * kKeyBlock;
  for (size_t n = 0; n < padded; ++n) {
    float* column = to + n / kKeyBlock * kKeyBlock * head_dim + n % kKeyBlock;
    for (size_t c = 0; c < head_dim; ++c)
      column[c * kKeyBlock] = n < count ? from[n * head_dim + c] : 0;
  }
}
// [n][width] from [n][value_dim], zeros at the end and where a row is left out. Whether all numbers
// are finite.
bool PadValues(const float* from, size_t count, size_t value_dim, const uint8_t* seen, size_t width,
               float* to) {
  const size_t padded = (count + kKeyBlock - 1) / kKeyBlock * kKeyBlock;
  uint32_t largest = 0;
  for (size_t n = 0; n < padded; ++n, to += width) {
    const bool there = n < count && (seen == nullptr || seen[n] != 0);
    const size_t filled = there ? value_dim : 0;
    if (there) std::memcpy(to, from + n * value_dim, value_dim * sizeof(float));
    std::fill(to + filled, to + width, 0.0f);
    for (size_t c = 0; c < filled; ++c)
      largest = std::max(largest, std::bit_cast<uint32_t>(to[c]) & 0x7fffffff);
  }
  return largest < 0x7f800000;
}

void Fused(const AttentionHead& head) {
  const auto up = [](size_t n, size_t to) { return (n + to - 1) / to * to; };
  const size_t padded = up(head.keys, kKeyBlock), width = up(head.value_dim, kAttWidth);
  const RelativeRows* rows = head.rows;
  const size_t count = rows == nullptr ? 0 : static_cast<size_t>(rows->high - rows->low + 1);
  const size_t padded_rows = up(count, kKeyBlock);
  const size_t group = rows == nullptr ? head.queries : QueryGroup(padded_rows);
  AlignedArray<float> keys(padded * head.head_dim), values(padded * width);
  AlignedArray<float> outputs(head.queries * width), maximum(head.queries), sum(head.queries),
      block(kQueryBlock * head.head_dim);
  AlignedArray<float> row_keys(padded_rows * head.head_dim), row_values(padded_rows * width),
      products(group * padded_rows), row_weights(group * padded_rows);
  AlignedArray<uint8_t> rising(padded / kKeyBlock);
  std::fill_n(outputs.data(), head.queries * width, 0.0f);
  std::fill_n(maximum.data(), head.queries, kNoScore);
  std::fill_n(sum.data(), head.queries, 0.0f);
  PackKeys(head.k, head.keys, head.head_dim, keys.data());
  const bool finite = PadValues(head.v, head.keys, head.value_dim, head.seen, width, values.data());
  if (rows != nullptr) {
    PackKeys(rows->keys, count, head.head_dim, row_keys.data());
    PadValues(rows->values, count, head.value_dim, nullptr, width, row_values.data());
    std::fill_n(rising.data(), padded / kKeyBlock, uint8_t{1});
    for (size_t n = 1; n < head.keys; ++n)
      if (n % kKeyBlock != 0 && rows->key_positions[n] != rows->key_positions[n - 1] + 1)
        rising[n / kKeyBlock] = 0;
  }
  AttState s = {&head,          keys.data(),     values.data(),      width,
                outputs.data(), maximum.data(),  sum.data(),         block.data(),
                count,          padded_rows,     row_keys.data(),    row_values.data(),
                rising.data(),  products.data(), row_weights.data(), 0};
  const size_t tile =
      std::max(kTileBytes / sizeof(float) / (head.head_dim + width) / kKeyBlock, size_t{1}) *
      kKeyBlock;
  for (size_t query = 0; query < head.queries; query += group) {
    const size_t end = std::min(query + group, head.queries);
    s.group_start = query;
    if (rows != nullptr)
      EachBlock(
          query, end, true, [&](size_t m) HWY_ATTR { BeforeKeys<kQueryBlock>(s, m); },
          [&](size_t m) HWY_ATTR { BeforeKeys<1>(s, m); });
    // ATT-13: in a block of queries the first ones meet values that only the last ones see, with
    // the weight 0. That is no use where a value is NaN or infinite: one query at a time, then.
    for (size_t first = 0; first < padded; first += tile) {
      const size_t last = std::min(first + tile, padded);
      EachBlock(
          query, end, finite, [&](size_t m) HWY_ATTR { Queries<kQueryBlock>(s, m, first, last); },
          [&](size_t m) HWY_ATTR { Queries<1>(s, m, first, last); });
    }
    if (rows != nullptr)
      EachBlock(
          query, end, true, [&](size_t m) HWY_ATTR { AfterKeys<kQueryBlock>(s, m); },
          [&](size_t m) HWY_ATTR { AfterKeys<1>(s, m); });
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
