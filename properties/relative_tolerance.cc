// What a promise allows the operations on relative position vectors (REL-10, REL-14), in the norm
// form: the sum of absolute products stands for the value.
#include <algorithm>
#include <cmath>
#include <string>

#include "gnomon/properties/relative_cases.h"
#include "gnomon/properties/tolerance.h"
#include "gnomon/reference/relative.h"
#include "gnomon/spec/relative.h"

namespace gnomon::properties::relative {
namespace {

// REL-3, REL-4.
class SumTolerance : public Tolerance {
 public:
  SumTolerance(const Profile& promise, const Case& c)
      : promise_(promise), c_(c), p_(gnomon::relative::ReadVectors(c)) {}
  double Bound(int, int64_t element) const override {
    const Sizes s = SizesOf(element);
    if (promise_.correctly_rounded) return OneRounding(c_.format, s.sum);
    return kEvaluated *
           (Scores()
                ? gnomon::relative::ScoreBound<double>(promise_, c_.format, s.sum, s.sum, Dims(),
                                                       Factor(), p_.scaled(), s.factors)
                : gnomon::relative::ValueBound<double>(promise_, c_.format, s.sum, s.sum,
                                                       c_.inputs.at("n").count()));
  }
  double Size(int, int64_t element) const override { return SizesOf(element).sum; }

 private:
  struct Sizes {
    double sum = 0, factors = 0;
  };
  bool Scores() const { return c_.operation == "relative.scores"; }
  int64_t Dims() const { return c_.inputs.at(Scores() ? "k" : "v").shape()[1]; }
  double Factor() const {
    if (!Scores()) return 1;
    return p_.rsqrt ? kEvaluated / std::sqrt(static_cast<double>(Dims())) : p_.scale.value;
  }
  Sizes SizesOf(int64_t element) const {
    const Tensor &m = c_.inputs.at("m"), &n = c_.inputs.at("n"), &table = c_.inputs.at("table");
    const Tensor &by = c_.inputs.at(Scores() ? "q" : "weights"),
                 &own = c_.inputs.at(Scores() ? "k" : "v");
    const int64_t keys = n.count(), dims = Dims(), columns = Scores() ? keys : dims;
    const int64_t query = element / columns, count = Scores() ? dims : keys;
    Sizes sizes;
    for (int64_t i = 0; i < count; ++i) {
      const int64_t key = Scores() ? element % columns : i, dim = Scores() ? i : element % columns;
      int64_t distance = n.Integer(key) - m.Integer(query);
      if (p_.difference == Difference::kQueryMinusKey) distance = -distance;
      const int64_t row = p_.K + std::min(std::max(distance, -p_.K), p_.K);
      const double size =
          std::abs(own.Value(key * dims + dim)) + std::abs(table.Value(row * dims + dim));
      sizes.factors += size;
      sizes.sum += std::abs(by.Value(query * count + i)) * size;
    }
    sizes.sum *= Factor() * kEvaluated;
    sizes.factors *= kEvaluated;
    return sizes;
  }

  Profile promise_;
  const Case& c_;
  gnomon::relative::VectorParameters p_;
};

// REL-2, REL-5: bits are kept.
class CopyTolerance : public Tolerance {
 public:
  double Bound(int, int64_t) const override { return 0; }
  double Size(int, int64_t) const override { return 0; }
};

// REL-14.
std::unique_ptr<Tolerance> OfAttention(const Profile& promise, const Case& c) {
  const gnomon::relative::AttentionParameters p = gnomon::relative::ReadAttention(c);
  const auto term = [p, &c](int64_t b, int64_t head, int64_t query, int64_t key) {
    const int64_t batch = Batches(c) == 1 ? 0 : b;
    const int64_t row = reference::RowOf(p.rows, QueryAt(c, batch, query), KeyAt(c, batch, key));
    const Tensor &q = c.inputs.at("q"), &of_key = c.inputs.at("key_table"),
                 &of_value = c.inputs.at("value_table");
    attention::SchemeTerm t;
    const int64_t dims = q.shape()[3];
    for (int64_t i = 0; i < dims; ++i) {
      const double a = std::abs(of_key.Value(row * dims + i));
      t.products +=
          a * std::abs(q.Value(attention::ElementOf(q.shape(), {b, query, head, i}))) * kEvaluated;
      t.operands += a;
    }
    const int64_t columns = of_value.shape()[1];
    for (int64_t i = 0; i < columns; ++i)
      t.value = std::max(t.value, std::abs(of_value.Value(row * columns + i)));
    return t;
  };
  return attention::MakeBiasedTolerance(promise, c, p.heads, term, 2);
}

}  // namespace

std::unique_ptr<Tolerance> MakeTolerance(const Profile& promise, const Case& c) {
  if (c.operation == "relative.scores" || c.operation == "relative.values")
    return std::make_unique<SumTolerance>(promise, c);
  if (c.operation == "relative.attention") return OfAttention(promise, c);
  return std::make_unique<CopyTolerance>();
}

}  // namespace gnomon::properties::relative
