// The idea: a head at a time. Rows of any format and stride become contiguous float32, the kernel
// answers, its rows are rounded into the output. The four terms and untied scores are two and one
// nested sums in float64, rounded once.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "gnomon/optimized/attention.h"
#include "gnomon/optimized/biased_attention.h"
#include "gnomon/optimized/formats.h"
#include "gnomon/optimized/schemes.h"
#include "gnomon/spec/attention.h"
#include "gnomon/spec/schemes.h"

namespace gnomon::optimized::attention {
namespace {

using gnomon::attention::Extents;

float At(const ConstTensorView& view, std::initializer_list<int64_t> index) {
  int64_t offset = 0;
  size_t axis = 0;
  for (const int64_t i : index) offset += i * view.strides[axis++];
  return DecodeToF32(FormatOf(view.dtype), view.data + offset * SizeOf(view.dtype));
}
template <class Number>
void Store(const TensorView& view, std::initializer_list<int64_t> index, Number value) {
  int64_t offset = 0;
  size_t axis = 0;
  for (const int64_t i : index) offset += i * view.strides[axis++];
  const Format format = FormatOf(view.dtype);
  StoreBits(view.dtype, view.data + offset * SizeOf(view.dtype),
            EncodeBits(format, RoundToFormat(format, value)));
}

// ATT-2: minus infinity leaves a pair out, whatever is left of the slope in f32.
float Scaled(float slope, float bias) { return std::isinf(bias) ? bias : slope * bias; }

// The nearest f32 that is finite: 0 times it stays 0 (A6).
float FiniteF32(double scale) {
  const double largest = LargestFinite(Format::kF32);
  return static_cast<float>(std::clamp(scale, -largest, largest));
}

// ATT-1, ATT-12: bias times the head's slope, [query, key].
class BiasOfHead {
 public:
  BiasOfHead(const Case& c, const gnomon::attention::Parameters& p, const Extents& e)
      : p_(p), e_(e) {
    if (!c.inputs.count("bias")) return;
    view_.emplace(c.inputs.at("bias").view());
    rows_.resize(static_cast<size_t>(e.queries * e.keys));
  }
  const float* Of(int64_t head) {
    if (!view_) return nullptr;
    const int64_t from = view_->shape[0] == 1 ? 0 : head;
    float slope = 1;
    if (p_.alibi_bias_max) {
      const gnomon::attention::SlopeExponent s = gnomon::attention::SlopeOf(head, e_.heads);
      slope = static_cast<float>(
          std::exp2(-p_.alibi_bias_max->value * static_cast<double>(s.numerator) /
                    static_cast<double>(s.denominator)));
    }
    for (int64_t m = 0; m < e_.queries; ++m)
      for (int64_t n = 0; n < e_.keys; ++n)
        rows_[static_cast<size_t>(m * e_.keys + n)] = Scaled(slope, At(*view_, {from, m, n}));
    return rows_.data();
  }

 private:
  gnomon::attention::Parameters p_;
  Extents e_;
  std::optional<ConstTensorView> view_;
  std::vector<float> rows_;
};

// ATT-2. Of one batch row; empty: every key.
std::vector<uint8_t> Seen(const Case& c, const Extents& e, int64_t batch) {
  std::vector<uint8_t> seen;
  const auto mask = c.inputs.find("key_mask");
  if (mask == c.inputs.end()) return seen;
  for (int64_t n = 0; n < e.keys; ++n)
    seen.push_back(mask->second.Integer(batch * e.keys + n) != 0);
  return seen;
}

void Softmax(const Case& c, const TensorView& y) {
  const gnomon::attention::Parameters p = gnomon::attention::ReadParameters(c);
  const Extents e = gnomon::attention::ExtentsOf(c);
  BiasOfHead bias(c, p, e);
  ForEachHead(c, p, y, [&](int64_t, int64_t h, AttentionHead* head) {
    head->bias = bias.Of(h);
    head->bias_stride = static_cast<ptrdiff_t>(e.keys);
    FusedAttention(*head);
  });
}

bool RiseByOne(const std::vector<int64_t>& positions) {
  for (size_t i = 1; i < positions.size(); ++i)
    if (positions[i] != positions[i - 1] + 1) return false;
  return true;
}

// The query number `m` of the head alone: it sees the keys that it saw among all queries.
AttentionHead OneQuery(const AttentionHead& all, size_t m) {
  AttentionHead one = all;
  const size_t reach = m + 1 + all.keys;  // ATT-2
  if (all.causal) one.keys = reach > all.queries ? std::min(all.keys, reach - all.queries) : 0;
  one.causal = false;
  one.queries = 1;
  one.q += m * all.head_dim;
  one.y += m * all.value_dim;
  return one;
}

void Weights(const Case& c, const TensorView& weights) {
  const gnomon::attention::Parameters p = gnomon::attention::ReadParameters(c);
  const Extents e = gnomon::attention::ExtentsOf(c);
  const ConstTensorView scores = c.inputs.at("scores").view();
  const float scale = FiniteF32(p.scale ? p.scale->value : 1);
  BiasOfHead bias(c, p, e);
  std::vector<float> row(static_cast<size_t>(e.keys));
  for (int64_t b = 0; b < e.batch; ++b) {
    const std::vector<uint8_t> seen = Seen(c, e, b);
    for (int64_t h = 0; h < e.heads; ++h) {
      const float* added = bias.Of(h);
      for (int64_t m = 0; m < e.queries; ++m) {
        for (int64_t n = 0; n < e.keys; ++n) {
          const size_t at = static_cast<size_t>(n);
          const bool sees = e.Sees(p.mask, m, n) && (seen.empty() || seen[at] != 0);
          row[at] = sees ? At(scores, {b, h, m, n}) * scale + (added ? added[m * e.keys + n] : 0)
                         : -std::numeric_limits<float>::infinity();
        }
        SoftmaxRow(row.data(), row.size());
        for (int64_t n = 0; n < e.keys; ++n)
          Store(weights, {b, h, m, n}, row[static_cast<size_t>(n)]);
      }
    }
  }
}

// ATT-8, ATT-15.
void FourTerm(const Case& c, const OutputViews& outputs) {
  const ConstTensorView e = c.inputs.at("e").view(), p = c.inputs.at("p").view(),
                        w = c.inputs.at("w").view();
  const int64_t seq = e.shape[0], width = e.shape[1];
  std::vector<double> row(static_cast<size_t>(width));
  for (const bool content : {true, false}) {
    const ConstTensorView& x = content ? e : p;
    for (int64_t m = 0; m < seq; ++m) {
      std::fill(row.begin(), row.end(), 0.0);
      for (int64_t r = 0; r < width; ++r)
        for (int64_t s = 0; s < width; ++s)
          row[static_cast<size_t>(s)] += static_cast<double>(At(x, {m, r})) * At(w, {r, s});
      for (int64_t n = 0; n < seq; ++n) {
        double with_e = 0, with_p = 0;
        for (int64_t s = 0; s < width; ++s) {
          with_e += row[static_cast<size_t>(s)] * At(e, {n, s});
          with_p += row[static_cast<size_t>(s)] * At(p, {n, s});
        }
        Store(outputs.at(content ? "content_content" : "position_content"), {m, n}, with_e);
        Store(outputs.at(content ? "content_position" : "position_position"), {m, n}, with_p);
      }
    }
  }
}

// ATT-10, ATT-15.
void Untied(const Case& c, const TensorView& scores) {
  const ConstTensorView q = c.inputs.at("q").view(), k = c.inputs.at("k").view(),
                        pq = c.inputs.at("pq").view(), pk = c.inputs.at("pk").view();
  const int64_t d = q.shape[2];
  const double root = std::sqrt(2 * static_cast<double>(d));
  for (int64_t h = 0; h < q.shape[1]; ++h)
    for (int64_t m = 0; m < q.shape[0]; ++m)
      for (int64_t n = 0; n < k.shape[0]; ++n) {
        double sum = 0;
        for (int64_t i = 0; i < d; ++i)
          sum += static_cast<double>(At(q, {m, h, i})) * At(k, {n, h, i}) +
                 static_cast<double>(At(pq, {m, h, i})) * At(pk, {n, h, i});
        Store(scores, {h, m, n}, sum / root);
      }
}

}  // namespace

bool Supports(const std::string& operation, Format format) {
  if (format == Format::kF64) return false;
  for (const OperationSpec& known : gnomon::attention::Operations())
    if (known.name == operation) return true;
  return false;
}

bool Run(const Case& c, const OutputViews& outputs, Mode) {
  if (!Supports(c.operation, c.format)) return false;
  if (c.operation == "attention.softmax") {
    Softmax(c, outputs.at("y"));
  } else if (c.operation == "attention.weights") {
    Weights(c, outputs.at("weights"));
  } else if (c.operation == "attention.four_term") {
    FourTerm(c, outputs);
  } else {
    Untied(c, outputs.at("scores"));
  }
  return true;
}

}  // namespace gnomon::optimized::attention

namespace gnomon::optimized {
namespace {

// [token, component] of one batch row and head.
std::vector<float> Rows(const ConstTensorView& x, int64_t batch, int64_t head) {
  std::vector<float> rows(static_cast<size_t>(x.shape[1] * x.shape[3]));
  const Format format = FormatOf(x.dtype);
  const int64_t size = SizeOf(x.dtype);
  float* to = rows.data();
  for (int64_t t = 0; t < x.shape[1]; ++t, to += x.shape[3]) {
    const std::byte* at =
        x.data + (batch * x.strides[0] + t * x.strides[1] + head * x.strides[2]) * size;
    if (format == Format::kF32 && x.strides[3] == 1) {
      std::memcpy(to, at, static_cast<size_t>(x.shape[3] * size));
      continue;
    }
    for (int64_t c = 0; c < x.shape[3]; ++c)
      to[c] = DecodeToF32(format, at + c * x.strides[3] * size);
  }
  return rows;
}
void StoreRows(const TensorView& y, int64_t batch, int64_t head, const float* from) {
  const Format format = FormatOf(y.dtype);
  const int64_t size = SizeOf(y.dtype);
  for (int64_t t = 0; t < y.shape[1]; ++t, from += y.shape[3]) {
    std::byte* at = y.data + (batch * y.strides[0] + t * y.strides[1] + head * y.strides[2]) * size;
    if (format == Format::kF32 && y.strides[3] == 1) {
      std::memcpy(at, from, static_cast<size_t>(y.shape[3] * size));
      continue;
    }
    for (int64_t c = 0; c < y.shape[3]; ++c)
      StoreBits(y.dtype, at + c * y.strides[3] * size, EncodeF32(format, from[c]));
  }
}

}  // namespace

void ForEachHead(const Case& c, const gnomon::attention::Parameters& p, const TensorView& y,
                 const AnswerHead& answer) {
  const gnomon::attention::Extents e = gnomon::attention::ExtentsOf(c);
  const ConstTensorView q = c.inputs.at("q").view(), k = c.inputs.at("k").view(),
                        v = c.inputs.at("v").view();
  std::vector<float> out(static_cast<size_t>(e.queries * e.value_dim));
  for (int64_t b = 0; b < e.batch; ++b) {
    const std::vector<uint8_t> seen = attention::Seen(c, e, b);
    for (int64_t h = 0; h < e.heads; ++h) {
      const std::vector<float> queries = Rows(q, b, h), keys = Rows(k, b, e.KvHead(h)),
                               values = Rows(v, b, e.KvHead(h));
      AttentionHead head;
      head.queries = static_cast<size_t>(e.queries);
      head.keys = static_cast<size_t>(e.keys);
      head.head_dim = static_cast<size_t>(e.head_dim);
      head.value_dim = static_cast<size_t>(e.value_dim);
      head.q = queries.data();
      head.k = keys.data();
      head.v = values.data();
      head.y = out.data();
      head.scale = attention::FiniteF32(p.scale ? p.scale->value
                                                : 1 / std::sqrt(static_cast<double>(e.head_dim)));
      head.causal = p.mask == AttentionMask::kCausal;
      head.seen = seen.empty() ? nullptr : seen.data();
      answer(b, h, &head);
      StoreRows(y, b, h, out.data());
    }
  }
}

std::vector<int64_t> PositionsOf(const ConstTensorView& positions, int64_t batch) {
  const int64_t count = positions.shape.back();
  std::vector<int64_t> all;
  for (int64_t i = 0; i < count; ++i)
    all.push_back(IntegerAt(positions, (positions.rank() == 2 ? batch * count : 0) + i));
  return all;
}

void RunBiasedAttention(const Case& c, const gnomon::attention::Parameters& p, bool by_key,
                        const BiasOfLine& bias, const TensorView& y) {
  const ConstTensorView query = c.inputs.at("query_positions").view(),
                        key = c.inputs.at("key_positions").view();
  ForEachHead(c, p, y, [&](int64_t b, int64_t h, AttentionHead* head) {
    const std::vector<int64_t> m = PositionsOf(query, b), n = PositionsOf(key, b);
    if (m.empty() || n.empty()) return FusedAttention(*head);
    std::vector<int64_t> line = n;
    std::vector<float> numbers(m.size() + n.size());
    head->bias = numbers.data();
    if (by_key) {  // the stride 0: every row is the same
      bias(h, line, numbers.data());
      return FusedAttention(*head);
    }
    if (attention::RiseByOne(m) && attention::RiseByOne(n)) {
      line.resize(m.size() + n.size() - 1);
      for (size_t i = 0; i < line.size(); ++i)
        line[i] = n.front() - m.back() + static_cast<int64_t>(i);
      bias(h, line, numbers.data());
      head->bias += m.size() - 1;
      head->bias_stride = -1;
      return FusedAttention(*head);
    }
    for (size_t i = 0; i < m.size(); ++i) {
      for (size_t j = 0; j < n.size(); ++j) line[j] = n[j] - m[i];
      bias(h, line, numbers.data());
      FusedAttention(attention::OneQuery(*head, i));
    }
  });
}

}  // namespace gnomon::optimized
