// The idea: a query meets only 2K + 1 rows, however many keys there are. So its product with each
// row that some key needs is made once and picked by distance (scores), and its weights are summed
// row by row before they meet the table (values): O(T (d + 1) + K d) a query in place of O(2 T d).
// Attention is the two in the fused kernel (attention.h); a query at a time where a table is not
// finite, or has far more rows than the keys can need.
// Operands become float32 rows of whole vectors first, padded with zeros: any strides, one loop.
// Moves of elements (vectors, skew, shift) are copies of runs; no instruction helps there.
#include "gnomon/optimized/relative.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <vector>

#include "gnomon/optimized/aligned.h"
#include "gnomon/optimized/attention.h"
#include "gnomon/optimized/biased_attention.h"
#include "gnomon/optimized/formats.h"
#include "gnomon/optimized/schemes.h"
#include "gnomon/spec/schemes.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "gnomon/optimized/relative.cc"
// clang-format off
#include "hwy/foreach_target.h"  // before highway.h
#include "hwy/highway.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace gnomon {
namespace optimized {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using F32 = hn::ScalableTag<float>;

// Of rows of `size` elements, a multiple of kPairAlignment: two sums, so that additions overlap.
float Dot(const float* a, const float* b, size_t size) {
  const F32 d;
  auto first = hn::Zero(d), second = hn::Zero(d);
  size_t i = 0;
  for (; i + 2 * hn::Lanes(d) <= size; i += 2 * hn::Lanes(d)) {
    first = hn::MulAdd(hn::Load(d, a + i), hn::Load(d, b + i), first);
    second =
        hn::MulAdd(hn::Load(d, a + i + hn::Lanes(d)), hn::Load(d, b + i + hn::Lanes(d)), second);
  }
  for (; i < size; i += hn::Lanes(d))
    first = hn::MulAdd(hn::Load(d, a + i), hn::Load(d, b + i), first);
  return hn::GetLane(hn::SumOfLanes(d, hn::Add(first, second)));
}

// sum += by a.
void AddScaled(float by, const float* a, size_t size, float* sum) {
  const F32 d;
  const auto factor = hn::Set(d, by);
  for (size_t i = 0; i < size; i += hn::Lanes(d))
    hn::Store(hn::MulAdd(factor, hn::Load(d, a + i), hn::Load(d, sum + i)), d, sum + i);
}

}  // namespace HWY_NAMESPACE
}  // namespace optimized
}  // namespace gnomon
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gnomon::optimized {

HWY_EXPORT(Dot);
HWY_EXPORT(AddScaled);

namespace {

using gnomon::relative::ReadShift;
using gnomon::relative::ReadVectors;
using gnomon::relative::ShiftParameters;
using gnomon::relative::VectorParameters;

// Float32 rows of a tensor [row, column], padded with zeros.
class Rows {
 public:
  explicit Rows(const ConstTensorView& from)
      : padded_(PaddedPairs(static_cast<size_t>(from.shape[1]))),
        data_(static_cast<size_t>(from.shape[0]) * padded_) {
    const Format format = FormatOf(from.dtype);
    const int64_t size = SizeOf(from.dtype);
    for (int64_t row = 0; row < from.shape[0]; ++row) {
      float* to = data_.data() + static_cast<size_t>(row) * padded_;
      std::fill(to, to + padded_, 0.0f);
      const std::byte* at = from.data + row * from.strides[0] * size;
      for (int64_t i = 0; i < from.shape[1]; ++i)
        to[i] = DecodeToF32(format, at + i * from.strides[1] * size);
    }
  }
  const float* operator[](int64_t row) const {
    return data_.data() + static_cast<size_t>(row) * padded_;
  }
  size_t padded() const { return padded_; }

 private:
  size_t padded_;
  AlignedArray<float> data_;
};

// REL-1, REL-2. The row for every key, seen from a query at m.
void FindRows(const VectorParameters& p, int64_t m, const std::vector<int64_t>& n,
              std::vector<int64_t>* rows) {
  const int64_t sign = p.difference == Difference::kKeyMinusQuery ? 1 : -1;
  for (size_t j = 0; j < n.size(); ++j) (*rows)[j] = std::clamp(sign * (n[j] - m), -p.K, p.K) + p.K;
}

void Store(const TensorView& to, int64_t row, int64_t column, float value) {
  std::byte* at = to.data + (row * to.strides[0] + column * to.strides[1]) * SizeOf(to.dtype);
  StoreBits(to.dtype, at, EncodeF32(FormatOf(to.dtype), value));
}

// A run of elements, bits kept.
void CopyRun(const std::byte* from, int64_t from_stride, std::byte* to, int64_t to_stride,
             int64_t count, int64_t size) {
  if (from_stride == 1 && to_stride == 1) {
    std::memcpy(to, from, static_cast<size_t>(count * size));
    return;
  }
  for (int64_t i = 0; i < count; ++i)
    std::memcpy(to + i * to_stride * size, from + i * from_stride * size,
                static_cast<size_t>(size));
}

void ZeroRun(std::byte* to, int64_t stride, int64_t count, int64_t size) {
  for (int64_t i = 0; i < count; ++i)
    std::memset(to + i * stride * size, 0, static_cast<size_t>(size));
}

// Row i of one head.
void ShiftRow(const ShiftParameters& p, int64_t i, int64_t queries, int64_t columns,
              const ConstTensorView& a, const std::byte* from, const TensorView& b, std::byte* to) {
  const int64_t size = SizeOf(a.dtype), rank = static_cast<int64_t>(a.rank());
  const int64_t row = a.strides[static_cast<size_t>(rank - 2)] * size;
  const int64_t column = a.strides.back(), key = b.strides.back();
  const bool full = p.form == SkewForm::kFull;
  const int64_t keys = full ? columns - queries + 1 : columns;
  const int64_t own = full ? keys : i + keys - queries + 1;  // keys up to the query
  // REL-5, REL-8: the query's own row, from its column queries - 1 - i on.
  CopyRun(from + i * row + (queries - 1 - i) * column * size, column, to, key, own, size);
  if (own == keys) return;
  std::byte* after = to + own * key * size;
  ZeroRun(after, key, p.after == AfterQuery::kZero ? keys - own : 1, size);
  // REL-7: the padding, then the next query's row from its beginning.
  if (p.after == AfterQuery::kLeftover)
    CopyRun(from + (i + 1) * row, column, after + key * size, key, keys - own - 1, size);
}

}  // namespace

void RelativeScores(const VectorParameters& p, const ConstTensorView& q, const ConstTensorView& k,
                    const ConstTensorView& table, const ConstTensorView& m,
                    const ConstTensorView& n, const TensorView& scores) {
  const Rows queries(q), keys(k), rows(table);
  const std::vector<int64_t> at_m = PositionsOf(m, 0), at_n = PositionsOf(n, 0);
  const float scale =
      static_cast<float>(p.rsqrt ? 1 / std::sqrt(static_cast<double>(q.shape[1])) : p.scale.value);
  std::vector<int64_t> row(at_n.size());
  std::vector<float> product(static_cast<size_t>(p.rows()));
  std::vector<int64_t> made(static_cast<size_t>(p.rows()), -1);  // for which query
  for (int64_t i = 0; i < q.shape[0]; ++i) {
    FindRows(p, at_m[static_cast<size_t>(i)], at_n, &row);
    for (int64_t j = 0; j < k.shape[0]; ++j) {
      const size_t r = static_cast<size_t>(row[static_cast<size_t>(j)]);
      if (made[r] != i) {
        product[r] =
            HWY_DYNAMIC_DISPATCH(Dot)(queries[i], rows[static_cast<int64_t>(r)], rows.padded());
        made[r] = i;
      }
      const float own = HWY_DYNAMIC_DISPATCH(Dot)(queries[i], keys[j], keys.padded());
      Store(scores, i, j, scale * (own + product[r]));
    }
  }
}

void RelativeValues(const VectorParameters& p, const ConstTensorView& weights,
                    const ConstTensorView& v, const ConstTensorView& table,
                    const ConstTensorView& m, const ConstTensorView& n, const TensorView& y) {
  const Rows values(v), rows(table), weight(weights);
  const std::vector<int64_t> at_m = PositionsOf(m, 0), at_n = PositionsOf(n, 0);
  std::vector<int64_t> row(at_n.size());
  std::vector<float> bin(static_cast<size_t>(p.rows()));
  AlignedArray<float> sum(values.padded());
  for (int64_t i = 0; i < weights.shape[0]; ++i) {
    FindRows(p, at_m[static_cast<size_t>(i)], at_n, &row);
    std::fill(sum.data(), sum.data() + values.padded(), 0.0f);
    for (const int64_t r : row) bin[static_cast<size_t>(r)] = 0;
    for (int64_t j = 0; j < v.shape[0]; ++j) {
      bin[static_cast<size_t>(row[static_cast<size_t>(j)])] += weight[i][j];
      HWY_DYNAMIC_DISPATCH(AddScaled)(weight[i][j], values[j], values.padded(), sum.data());
    }
    // REL-9: a row that no key has is not read.
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
    for (const int64_t r : row) HWY_DYNAMIC_DISPATCH(AddScaled)
    (bin[static_cast<size_t>(r)], rows[r], rows.padded(), sum.data());
    row.resize(at_n.size());
    for (int64_t c = 0; c < v.shape[1]; ++c) Store(y, i, c, sum[static_cast<size_t>(c)]);
  }
}

namespace {

// What one query at a time needs.
struct QueryState {
  std::vector<int64_t> row;   // [key]
  std::vector<size_t> key;    // seen
  std::vector<float> weight;  // of those
  std::vector<float> of_row;  // [row]: products with the query, then sums of weights
  std::vector<int64_t> made;  // [row]: for which query
  int64_t queries = 0;        // so far
};

// ATT-1 to ATT-3 with the rows of REL-3, gathered.
void WeighKeys(const float* query, const Rows& keys, const Rows& rows, float scale,
               const std::vector<bool>& seen, QueryState* s) {
  ++s->queries;
  s->key.clear();
  s->weight.clear();
  for (size_t n = 0; n < seen.size(); ++n) {
    if (!seen[n]) continue;
    const size_t r = static_cast<size_t>(s->row[n]);
    if (s->made[r] != s->queries) {
      s->of_row[r] = HWY_DYNAMIC_DISPATCH(Dot)(query, rows[s->row[n]], rows.padded());
      s->made[r] = s->queries;
    }
    const float own =
        HWY_DYNAMIC_DISPATCH(Dot)(query, keys[static_cast<int64_t>(n)], keys.padded());
    s->key.push_back(n);
    s->weight.push_back(scale * (own + s->of_row[r]));
  }
  if (!s->weight.empty()) SoftmaxRow(s->weight.data(), s->weight.size());
}

// ATT-4 with the rows of REL-4, binned.
void AddValues(const Rows& values, const Rows& rows, QueryState* s, float* sum) {
  std::fill(sum, sum + values.padded(), 0.0f);
  for (const size_t n : s->key) s->of_row[static_cast<size_t>(s->row[n])] = 0;
  for (size_t i = 0; i < s->key.size(); ++i) {
    const size_t n = s->key[i];
    s->of_row[static_cast<size_t>(s->row[n])] += s->weight[i];
    HWY_DYNAMIC_DISPATCH(AddScaled)
    (s->weight[i], values[static_cast<int64_t>(n)], values.padded(), sum);
  }
  for (const size_t n : s->key) {  // each row once
    const size_t r = static_cast<size_t>(s->row[n]);
    if (s->made[r] != s->queries) continue;
    s->made[r] = 0;
    HWY_DYNAMIC_DISPATCH(AddScaled)(s->of_row[r], rows[s->row[n]], rows.padded(), sum);
  }
}

}  // namespace

namespace {

// REL-9: a value's row that no key has does not matter, whatever it holds.
void OneByOne(const AttentionHead& head, const VectorParameters& p,
              const std::vector<int64_t>& at_m, const std::vector<int64_t>& at_n,
              const Rows& of_keys, const Rows& of_values) {
  const auto rows = [](const float* data, size_t count, size_t size) {
    const Shape shape = {static_cast<int64_t>(count), static_cast<int64_t>(size)};
    return Rows(
        {DType::kF32, reinterpret_cast<const std::byte*>(data), shape, ContiguousStrides(shape)});
  };
  const Rows queries = rows(head.q, head.queries, head.head_dim),
             keys = rows(head.k, head.keys, head.head_dim),
             values = rows(head.v, head.keys, head.value_dim);
  QueryState s;
  s.row.resize(head.keys);
  s.of_row.resize(static_cast<size_t>(p.rows()));
  s.made.resize(s.of_row.size());
  std::vector<bool> seen(head.keys);
  AlignedArray<float> sum(of_values.padded());
  for (size_t m = 0; m < head.queries; ++m) {
    FindRows(p, at_m[m], at_n, &s.row);
    for (size_t n = 0; n < head.keys; ++n)
      seen[n] = !(head.causal && n + head.queries > m + head.keys) &&
                (head.seen == nullptr || head.seen[n] != 0);
    WeighKeys(queries[static_cast<int64_t>(m)], keys, of_keys, head.scale, seen, &s);
    AddValues(values, of_values, &s, sum.data());
    std::copy_n(sum.data(), head.value_dim, head.y + m * head.value_dim);
  }
}

// Float32 rows for the differences key - query from `low` to `high`.
std::vector<float> RowsBetween(const VectorParameters& p, const ConstTensorView& table, int64_t low,
                               int64_t high) {
  std::vector<float> rows;
  rows.reserve(static_cast<size_t>((high - low + 1) * table.shape[1]));
  const Format format = FormatOf(table.dtype);
  for (int64_t i = low; i <= high; ++i) {
    const int64_t row = (p.difference == Difference::kKeyMinusQuery ? i : -i) + p.K;
    for (int64_t c = 0; c < table.shape[1]; ++c)
      rows.push_back(DecodeToF32(
          format,
          table.data + (row * table.strides[0] + c * table.strides[1]) * SizeOf(table.dtype)));
  }
  return rows;
}

// The rows that some pair of one batch row needs; REL-1's clip is odd, so differences are taken one
// way.
struct RowsOfBatch {
  std::vector<int64_t> m, n;
  std::vector<float> keys, values;
  RelativeRows rows;
  bool fused = false;

  RowsOfBatch(const Case& c, const VectorParameters& p, int64_t batch)
      : m(PositionsOf(c.inputs.at("query_positions").view(), batch)),
        n(PositionsOf(c.inputs.at("key_positions").view(), batch)) {
    if (m.empty() || n.empty()) return;
    const auto [first_m, last_m] = std::minmax_element(m.begin(), m.end());
    const auto [first_n, last_n] = std::minmax_element(n.begin(), n.end());
    rows.low = std::clamp(*first_n - *last_m, -p.K, p.K);
    rows.high = std::clamp(*last_n - *first_m, -p.K, p.K);
    if (rows.high - rows.low > 2 * static_cast<int64_t>(m.size() + n.size())) return;
    keys = RowsBetween(p, c.inputs.at("key_table").view(), rows.low, rows.high);
    values = RowsBetween(p, c.inputs.at("value_table").view(), rows.low, rows.high);
    fused = std::all_of(values.begin(), values.end(), [](float v) { return std::isfinite(v); });
    rows.keys = keys.data();
    rows.values = values.data();
    rows.query_positions = m.data();
    rows.key_positions = n.data();
  }
};

}  // namespace

void RelativeAttention(const Case& c, const TensorView& y) {
  const gnomon::relative::AttentionParameters p = gnomon::relative::ReadAttention(c);
  std::optional<Rows> of_keys, of_values;
  std::optional<RowsOfBatch> rows;
  int64_t batch = -1;
  ForEachHead(c, p.heads, y, [&](int64_t b, int64_t, AttentionHead* head) {
    if (b != batch) rows.emplace(c, p.rows, batch = b);
    if (head->queries == 0 || head->keys == 0) return FusedAttention(*head);
    if (rows->fused) {
      head->rows = &rows->rows;
      return FusedAttention(*head);
    }
    if (!of_keys) {
      of_keys.emplace(c.inputs.at("key_table").view());
      of_values.emplace(c.inputs.at("value_table").view());
    }
    OneByOne(*head, p.rows, rows->m, rows->n, *of_keys, *of_values);
  });
}

void RelativeVectors(const VectorParameters& p, const ConstTensorView& table,
                     const ConstTensorView& m, const ConstTensorView& n,
                     const TensorView& vectors) {
  const std::vector<int64_t> at_m = PositionsOf(m, 0), at_n = PositionsOf(n, 0);
  std::vector<int64_t> row(at_n.size());
  const int64_t size = SizeOf(table.dtype);
  for (size_t i = 0; i < at_m.size(); ++i) {
    FindRows(p, at_m[i], at_n, &row);
    for (size_t j = 0; j < at_n.size(); ++j)
      CopyRun(table.data + row[j] * table.strides[0] * size, table.strides[1],
              vectors.data + (static_cast<int64_t>(i) * vectors.strides[0] +
                              static_cast<int64_t>(j) * vectors.strides[1]) *
                                 size,
              vectors.strides[2], table.shape[1], size);
  }
}

void RelativeShift(const ShiftParameters& p, const ConstTensorView& a, const TensorView& b) {
  const size_t rank = a.rank();
  const int64_t queries = a.shape[rank - 2], columns = a.shape[rank - 1], size = SizeOf(a.dtype);
  const int64_t heads = rank > 2 ? a.shape[rank - 3] : 1, batches = rank > 3 ? a.shape[0] : 1;
  for (int64_t batch = 0; batch < batches; ++batch) {
    for (int64_t head = 0; head < heads; ++head) {
      const auto start = [&](const Shape& strides) {
        return ((rank > 3 ? batch * strides[0] : 0) + (rank > 2 ? head * strides[rank - 3] : 0)) *
               size;
      };
      for (int64_t i = 0; i < queries; ++i)
        ShiftRow(p, i, queries, columns, a, a.data + start(a.strides), b,
                 b.data + start(b.strides) + i * b.strides[rank - 2] * size);
    }
  }
}

namespace relative {

bool Supports(const std::string& operation, Format format) {
  if (format == Format::kF64) return false;
  for (const OperationSpec& known : gnomon::relative::Operations())
    if (known.name == operation) return true;
  return false;
}

bool Run(const Case& c, const OutputViews& outputs, Mode) {
  if (!Supports(c.operation, c.format)) return false;
  const auto in = [&c](const std::string& role) { return c.inputs.at(role).view(); };
  if (c.operation == "relative.scores") {
    RelativeScores(ReadVectors(c), in("q"), in("k"), in("table"), in("m"), in("n"),
                   outputs.at("scores"));
  } else if (c.operation == "relative.values") {
    RelativeValues(ReadVectors(c), in("weights"), in("v"), in("table"), in("m"), in("n"),
                   outputs.at("y"));
  } else if (c.operation == "relative.attention") {
    RelativeAttention(c, outputs.at("y"));
  } else if (c.operation == "relative.vectors") {
    RelativeVectors(ReadVectors(c), in("table"), in("m"), in("n"), outputs.at("vectors"));
  } else {
    RelativeShift(ReadShift(c), in("a"), outputs.at("b"));
  }
  return true;
}

}  // namespace relative
}  // namespace gnomon::optimized
#endif  // HWY_ONCE
