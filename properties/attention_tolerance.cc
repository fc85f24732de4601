#include <algorithm>
#include <cmath>
#include <limits>

#include "gnomon/properties/attention_cases.h"
#include "gnomon/properties/biased_attention.h"
#include "gnomon/properties/tolerance.h"

// The norm form of ATT-14: every key of a row counts like the worst of them, and values by the
// largest, so that no truth enters. The sums here have positive terms only: nothing cancels.
namespace gnomon::properties::attention {
namespace {

using gnomon::attention::Extents;
using gnomon::attention::KeyTerms;

class SoftmaxTolerance : public Tolerance {
 public:
  SoftmaxTolerance(const Profile& promise, const Case& c, const gnomon::attention::Parameters& p,
                   const SchemeTermOf& scheme, int vectors = 1)
      : promise_(promise),
        c_(c),
        p_(p),
        scheme_(scheme),
        vectors_(vectors),
        e_(gnomon::attention::ExtentsOf(c)),
        weights_(c.operation == "attention.weights") {}

  double Bound(int, int64_t element) const override {
    const auto [batch, head, query] = Row(element);
    const double scale = std::abs(p_.scale   ? p_.scale->value
                                  : weights_ ? 1
                                             : 1 / std::sqrt(static_cast<double>(e_.head_dim))) *
                         kEvaluated;
    const bool has_bias = (scheme_ && vectors_ == 1) || c_.inputs.count("bias") > 0;
    const int64_t row = (batch * e_.heads + head) * e_.queries + query;
    if (row != last_row_) {  // the elements of a row ask one after the other
      last_row_ = row;
      seen_.clear();
      for (int64_t key = 0; key < e_.keys; ++key) {
        KeyTerms<double> t;
        if (Term(batch, head, query, key, scale, &t)) seen_.push_back(t);
      }
    }
    return NormForm(promise_, c_.format, e_.head_dim, has_bias,
                    p_.alibi_bias_max ? gnomon::attention::SlopeRoundings(head, e_.heads) : 0,
                    scale, seen_, Size(0, element), vectors_);
  }
  // The largest value that the query sees; 1 for weights.
  double Size(int, int64_t element) const override {
    if (weights_) return 1;
    const auto [batch, head, query] = Row(element);
    const Tensor& v = c_.inputs.at("v");
    double largest = 0;
    for (int64_t key = 0; key < e_.keys; ++key) {
      if (!Sees(c_, batch, query, key)) continue;
      const double added = vectors_ > 1 ? scheme_(batch, head, query, key).value : 0;
      const double own =
          v.Value(ElementOf(v.shape(), {batch, key, e_.KvHead(head), element % e_.value_dim}));
      largest = std::max(largest, std::abs(own) + added);
    }
    return largest;
  }

 private:
  struct At {
    int64_t batch, head, query;
  };
  At Row(int64_t element) const {
    if (weights_) {
      const int64_t row = element / e_.keys;
      return {row / (e_.heads * e_.queries), row / e_.queries % e_.heads, row % e_.queries};
    }
    const int64_t row = element / e_.value_dim;
    return {row / (e_.heads * e_.queries), row % e_.heads, row / e_.heads % e_.queries};
  }
  bool Term(int64_t batch, int64_t head, int64_t query, int64_t key, double scale,
            KeyTerms<double>* t) const {
    if (!Sees(c_, batch, query, key)) return false;
    if (scheme_) {
      const SchemeTerm term = scheme_(batch, head, query, key);
      if (!term.seen) return false;
      t->bias = term.size;
      t->bias_error = term.error;
      t->products = scale * term.products;
      t->operands = term.operands;
    } else if (const auto bias = c_.inputs.find("bias"); bias != c_.inputs.end()) {
      const Shape& shape = bias->second.shape();
      t->bias = std::abs(bias->second.Value(
          ElementOf(shape, {shape[0] == 1 ? 0 : head, query, key})));  // slopes are below 1
      if (!std::isfinite(t->bias)) return false;
    }
    if (weights_) {
      const Tensor& scores = c_.inputs.at("scores");
      const double x = std::abs(scores.Value(ElementOf(scores.shape(), {batch, head, query, key})));
      t->products = scale * x;
      t->operands = x + 1;
    } else {
      const Tensor &q = c_.inputs.at("q"), &k = c_.inputs.at("k");
      for (int64_t d = 0; d < e_.head_dim; ++d) {
        const double a = std::abs(q.Value(ElementOf(q.shape(), {batch, query, head, d})));
        const double b = std::abs(k.Value(ElementOf(k.shape(), {batch, key, e_.KvHead(head), d})));
        t->products += scale * a * b;
        t->operands += a + b;
      }
    }
    t->size = t->products + t->bias;
    return true;
  }

  Profile promise_;
  const Case& c_;
  gnomon::attention::Parameters p_;
  SchemeTermOf scheme_;
  int vectors_;
  mutable int64_t last_row_ = -1;
  mutable std::vector<KeyTerms<double>> seen_;
  Extents e_;
  bool weights_;
};

// ATT-15: the sum of the absolute products is its own norm form.
class SumTolerance : public Tolerance {
 public:
  SumTolerance(const Profile& promise, const Case& c)
      : promise_(promise), c_(c), terms_(c.operation == "attention.four_term") {}

  double Bound(int output, int64_t element) const override {
    double operands = 0;
    const double S = Sum(output, element, &operands) * kEvaluated;
    if (promise_.correctly_rounded) return OneRounding(c_.format, S);
    const double d = static_cast<double>(c_.inputs.begin()->second.shape().back());
    return (terms_ ? gnomon::attention::SumBound<double>(promise_, c_.format, S, S, 5, 2 * (d - 1),
                                                         (d + 1) * operands)
                   : gnomon::attention::SumBound<double>(promise_, c_.format, S, S, 9, 2 * d - 1,
                                                         2 * operands)) *
           kEvaluated;
  }
  double Size(int output, int64_t element) const override {
    double operands = 0;
    return Sum(output, element, &operands);
  }

 private:
  double Sum(int output, int64_t element, double* operands) const {
    return terms_ ? FourTerm(output, element, operands) : Untied(element, operands);
  }
  double FourTerm(int output, int64_t element, double* operands) const {
    const Tensor &x = c_.inputs.at(output < 2 ? "e" : "p"),
                 &y = c_.inputs.at(output % 2 == 0 ? "e" : "p"), &w = c_.inputs.at("w");
    const int64_t seq = x.shape()[0], width = x.shape()[1];
    double sum = 0;
    *operands = static_cast<double>(width + 1);
    for (int64_t r = 0; r < width; ++r) {
      const double a = std::abs(x.Value(element / seq * width + r));
      *operands += a + std::abs(y.Value(element % seq * width + r));
      for (int64_t s = 0; s < width; ++s)
        sum += a * std::abs(w.Value(r * width + s) * y.Value(element % seq * width + s));
    }
    return sum;
  }
  double Untied(int64_t element, double* operands) const {
    const Shape &q = c_.inputs.at("q").shape(), &k = c_.inputs.at("k").shape();
    const int64_t n = element % k[0], m = element / k[0] % q[0], h = element / k[0] / q[0];
    double sum = 0;
    *operands = static_cast<double>(2 * q[2] + 1);
    for (const auto& [a, b] : {std::pair("q", "k"), std::pair("pq", "pk")})
      for (int64_t d = 0; d < q[2]; ++d) {
        const double x = std::abs(c_.inputs.at(a).Value(ElementOf(q, {m, h, d})));
        const double y = std::abs(c_.inputs.at(b).Value(ElementOf(k, {n, h, d})));
        sum += x * y;
        *operands += x + y;
      }
    return sum / std::sqrt(2.0 * static_cast<double>(q[2]));
  }

  Profile promise_;
  const Case& c_;
  bool terms_;
};

}  // namespace

double NormForm(const Profile& promise, Format format, int64_t head_dim, bool has_bias,
                double bias_roundings, double scale, const std::vector<KeyTerms<double>>& seen,
                double V, int vectors) {
  if (seen.empty()) return 0;
  if (promise.correctly_rounded) return OneRounding(format, V);
  double lambda = 0, largest = 0;
  for (const KeyTerms<double>& t : seen) {
    lambda = std::max(lambda, gnomon::attention::ScoreError(promise, format, head_dim, has_bias,
                                                            bias_roundings, scale, t, vectors));
    largest = std::max(largest, t.size);
  }
  // One key of relative score 0 stands for all: M+ - l <= 2 (largest + lambda).
  const Format arithmetic = FormatAt(promise.arithmetic, format);
  const double delta = lambda + UnitRoundoff(arithmetic) * (2 * (largest + lambda) + lambda);
  const double n = static_cast<double>(seen.size());
  const double g =
      gnomon::attention::Roundings(3 + 2 * vectors, (3 + vectors) * n, promise, format);
  const double alpha = (std::expm1(delta) * (1 + g) + g) * kEvaluated;
  const FormatTraits& working = Traits(WorkingFormat(format));
  const double flushed = 4 * vectors * n *
                         (ExactPowerOfTwo(working.min_quantum_exponent + working.precision - 1) +
                          ExactPowerOfTwo(EtaExponent(arithmetic)));
  const double rho = alpha + n * flushed;
  if (!(rho < 1)) return std::numeric_limits<double>::infinity();
  return gnomon::attention::RatioBound<double>(promise, format, V,
                                               alpha * V + flushed * (n * V + 1), rho) *
         kEvaluated;
}

std::unique_ptr<Tolerance> MakeTolerance(const Profile& promise, const Case& c) {
  if (c.operation == "attention.softmax" || c.operation == "attention.weights")
    return std::make_unique<SoftmaxTolerance>(promise, c, gnomon::attention::ReadParameters(c),
                                              SchemeTermOf());
  return std::make_unique<SumTolerance>(promise, c);
}

std::unique_ptr<Tolerance> MakeBiasedTolerance(const Profile& promise, const Case& c,
                                               const gnomon::attention::Parameters& p,
                                               const SchemeTermOf& scheme, int vectors) {
  return std::make_unique<SoftmaxTolerance>(promise, c, p, scheme, vectors);
}

}  // namespace gnomon::properties::attention
