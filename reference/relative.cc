// The truths of the operations on relative position vectors.
#include "gnomon/reference/relative.h"

#include <cmath>
#include <limits>

#include "gnomon/reference/attention.h"
#include "gnomon/reference/scheme_bias.h"
#include "gnomon/reference/truth.h"
#include "gnomon/spec/schemes.h"

namespace gnomon::reference {
namespace {

using gnomon::relative::MayOverflow;
using gnomon::relative::ReadShift;
using gnomon::relative::ReadVectors;
using gnomon::relative::ScoreBound;
using gnomon::relative::ShiftParameters;
using gnomon::relative::ValueBound;
using gnomon::relative::VectorParameters;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// REL-9. What is due where something is not finite.
struct NonFinite {
  bool found = false;  // something is
  double due = kNan;
  bool open = false;  // the order of operations decides which
};

NonFinite NonFiniteOf(const std::vector<Product>& products) {
  NonFinite result;
  bool up = false, down = false, other = false, nan = false;
  const auto note = [&](double a, double b) {
    if (std::isfinite(a) && std::isfinite(b)) return;
    const double product = a * b;
    (std::isnan(product) ? other : product > 0 ? up : down) = true;
  };
  for (const Product& p : products) {
    if (std::isfinite(p.by) && std::isfinite(p.own) && std::isfinite(p.row)) continue;
    result.found = true;
    nan |= std::isnan(p.by) || std::isnan(p.own) || std::isnan(p.row);
    note(p.by, p.own);
    note(p.by, p.row);
    note(p.by, p.own + p.row);
  }
  result.open = !nan && (other || (up && down));
  if (!nan && !result.open) result.due = up ? kInfinity : -kInfinity;
  return result;
}

// 0 where it is not finite.
double SizeOf(double v) { return std::isfinite(v) ? std::abs(v) : 0; }

// relative.scores, relative.values: a sum of products for every element.
class SumTruth : public Truth {
 public:
  explicit SumTruth(const Case& c)
      : format_(c.format),
        scores_(c.operation == "relative.scores"),
        p_(ReadVectors(c)),
        by_(c.inputs.at(scores_ ? "q" : "weights").view()),
        own_(c.inputs.at(scores_ ? "k" : "v").view()),
        table_(c.inputs.at("table").view()),
        m_(c.inputs.at("m").view()),
        n_(c.inputs.at("n").view()) {}

  Expectation Expect(int, int64_t element) const override {
    const NonFinite special = NonFiniteOf(ProductsOf(element));
    return special.found ? Expectation{Expectation::kNonFinite, 0, special.due} : Expectation{};
  }
  Interval Value(int, int64_t element) const override {
    return Scale<Interval>() * SumOf<Interval>(ProductsOf(element)).value;
  }
  Interval Bound(int, int64_t element, const Profile& profile) const override {
    const std::vector<Product> products = ProductsOf(element);
    return BoundOf(SumOf<Interval>(products), Scale<Interval>(), products.size(), profile);
  }
  Interval Size(int, int64_t element) const override {
    return Scale<Interval>() * SumOf<Interval>(ProductsOf(element)).size;
  }
  Interval Scale(int, int64_t element) const override { return Size(0, element); }

  // REL-9.
  bool NonFiniteIsOpen(int, int64_t element, const Profile& profile) const override {
    if (profile.correctly_rounded) return false;
    const std::vector<Product> products = ProductsOf(element);
    const NonFinite special = NonFiniteOf(products);
    if (special.found && special.open) return true;
    double sum = 0, inner = 0, by = 0, all = 0;
    for (const Product& p : products) {
      // An infinity has company that may overflow the other way.
      const double size = SizeOf(p.own) + SizeOf(p.row);
      sum += SizeOf(p.by) * size;
      inner = std::max(inner, size);
      by = std::max(by, SizeOf(p.by));
      all += SizeOf(p.by);
    }
    const double scale = Scale<double>();
    return MayOverflow(
        profile, format_,
        scores_ ? std::max({sum, sum * scale, inner, by * scale}) : std::max({sum, inner, all}));
  }

  bool Quick(int, int64_t element, const Profiles& profiles, QuickElement* q) const override {
    if (format_ == Format::kF64 || !p_.scale.decimal.empty()) return false;
    const std::vector<Product> products = ProductsOf(element);
    const double count = static_cast<double>(products.size()), scale = Scale<double>();
    if (count > 0x1p10 || !(scale > 0x1p-100 && scale < 0x1p100)) return false;
    const Sums<double> sums = SumOf<double>(products);
    if (!std::isfinite(sums.size) || sums.size >= 0x1p900) return false;
    q->value = scale * sums.value;
    q->unit = q->size = scale * sums.size;
    // Each term rounds twice, the sum at most `count` times, the scale three times; no product of
    // two numbers of f32 underflows in binary64. Once more, for what |y| brings into the bound.
    q->radius = q->size * (count + 8) * 0x1p-51 + 0x1p-1000;
    q->place = Where(0, element);
    for (size_t i = 0; i < profiles.size(); ++i)
      q->bound[i] = BoundOf(sums, scale, products.size(), profiles[i]);
    return true;
  }

  Place Where(int, int64_t element) const override {
    const auto [row, column] = At(element);
    const int64_t m = IntegerAt(m_, row);
    return {scores_ ? IntegerAt(n_, column) - m : m, std::nullopt};
  }
  std::vector<Step> Steps(int, int64_t element) const override {
    const auto [row, column] = At(element);
    std::vector<Step> steps = {{"m", Interval(IntegerAt(m_, row))}};
    if (scores_) {
      steps.push_back({"n", Interval(IntegerAt(n_, column))});
      steps.push_back({"row", Interval(RowOf(p_, IntegerAt(m_, row), IntegerAt(n_, column)))});
      steps.push_back({"scale", Scale<Interval>()});
    }
    std::vector<Product> products = ProductsOf(element);
    if (NonFiniteOf(products).found) return steps;
    const Sums<Interval> sums = SumOf<Interval>(products);
    for (Product& p : products) p.row = 0;
    const Interval own = SumOf<Interval>(products).value;
    steps.push_back({scores_ ? "q . k" : "sum of w v", own});
    steps.push_back({scores_ ? "q . a" : "sum of w a", sums.value - own});
    return steps;
  }

 private:
  std::pair<int64_t, int64_t> At(int64_t element) const {
    const int64_t columns = scores_ ? n_.shape[0] : own_.shape[1];
    return {element / columns, element % columns};
  }
  template <class T>
  T Scale() const {
    if (!scores_) return T(1);
    if constexpr (std::is_same_v<T, double>) {
      return p_.rsqrt ? 1 / std::sqrt(static_cast<double>(own_.shape[1])) : p_.scale.value;
    } else {
      return ScoreScale<T>(p_, own_.shape[1]);
    }
  }
  // REL-10.
  template <class T>
  T BoundOf(const Sums<T>& sums, const T& scale, size_t count, const Profile& profile) const {
    const int64_t terms = static_cast<int64_t>(count);
    return scores_ ? ScoreBound<T>(profile, format_, scale * sums.value, scale * sums.size, terms,
                                   scale, p_.scaled(), sums.factors)
                   : ValueBound<T>(profile, format_, sums.value, sums.size, terms);
  }
  // REL-3: over the dims of a head. REL-4: over the keys.
  std::vector<Product> ProductsOf(int64_t element) const {
    const auto [row, column] = At(element);
    const int64_t m = IntegerAt(m_, row), keys = n_.shape[0], dims = own_.shape[1];
    std::vector<Product> products;
    for (int64_t i = 0; i < (scores_ ? dims : keys); ++i) {
      const int64_t n = scores_ ? column : i, dim = scores_ ? i : column;
      products.push_back({ValueAt(by_, row * (scores_ ? dims : keys) + i),
                          ValueAt(own_, n * dims + dim),
                          ValueAt(table_, RowOf(p_, m, IntegerAt(n_, n)) * dims + dim)});
    }
    return products;
  }

  Format format_;
  bool scores_;
  VectorParameters p_;
  ConstTensorView by_, own_, table_, m_, n_;
};

// Elements that are moved, bit for bit, or 0.
class CopyTruth : public Truth {
 public:
  CopyTruth(const ConstTensorView& from, Format format) : from_(from), format_(format) {}
  // Row-major number in `from`; below 0: the element is 0.
  virtual int64_t From(int64_t element) const = 0;

  Expectation Expect(int, int64_t element) const override {
    const int64_t from = From(element);
    if (from < 0) return {};
    return {Expectation::kCopy, BitsAt(from_, from), 0};
  }
  Interval Value(int, int64_t element) const override {
    const int64_t from = From(element);
    return from < 0 ? Interval(0) : Interval(ValueAt(from_, from));
  }
  Interval Bound(int, int64_t, const Profile&) const override { return Interval(0); }
  Interval Size(int, int64_t element) const override { return abs(Value(0, element)); }
  Interval Scale(int, int64_t element) const override { return Size(0, element); }
  Place Where(int, int64_t) const override { return {}; }
  std::vector<Step> Steps(int, int64_t element) const override {
    return {{"element of the input", Interval(From(element))}};
  }

 protected:
  ConstTensorView from_;
  Format format_;
};

// relative.vectors: [m, n, head_dim].
class VectorsTruth : public CopyTruth {
 public:
  explicit VectorsTruth(const Case& c)
      : CopyTruth(c.inputs.at("table").view(), c.format),
        p_(ReadVectors(c)),
        m_(c.inputs.at("m").view()),
        n_(c.inputs.at("n").view()) {}
  int64_t From(int64_t element) const override {
    const int64_t dims = from_.shape[1], pair = element / dims;
    const int64_t m = IntegerAt(m_, pair / n_.shape[0]), n = IntegerAt(n_, pair % n_.shape[0]);
    return RowOf(p_, m, n) * dims + element % dims;
  }
  Place Where(int, int64_t element) const override {
    const int64_t pair = element / from_.shape[1];
    return {IntegerAt(n_, pair % n_.shape[0]) - IntegerAt(m_, pair / n_.shape[0]), std::nullopt};
  }

 private:
  VectorParameters p_;
  ConstTensorView m_, n_;
};

// relative.skew, relative.xl_shift: [batch, heads, query, key].
class ShiftTruth : public CopyTruth {
 public:
  explicit ShiftTruth(const Case& c)
      : CopyTruth(c.inputs.at("a").view(), c.format),
        p_(ReadShift(c)),
        queries_(from_.shape[from_.rank() - 2]),
        columns_(from_.shape.back()) {}
  int64_t From(int64_t element) const override {
    const bool full = p_.form == SkewForm::kFull;
    const int64_t keys = full ? columns_ - queries_ + 1 : columns_;
    const int64_t i = element / keys % queries_, j = element % keys;
    const int64_t head = element / keys / queries_ * queries_ * columns_;
    // REL-8: every distance has its column.
    if (full) return head + i * columns_ + j - i + queries_ - 1;
    // REL-7: keys after the query.
    if (p_.after == AfterQuery::kZero && j > i + keys - queries_) return -1;
    const int64_t from = ShiftedFrom(queries_, keys, i, j);
    return from < 0 ? -1 : head + from;
  }
  Place Where(int, int64_t element) const override {
    const int64_t keys = p_.form == SkewForm::kFull ? columns_ - queries_ + 1 : columns_;
    return {element % keys - (element / keys % queries_ + keys - queries_), std::nullopt};
  }

 private:
  ShiftParameters p_;
  int64_t queries_, columns_;
};

// REL-12: what is added to the key and the value of one pair.
class RowsOfPair final : public SchemeBias {
 public:
  RowsOfPair(const Case& c, const VectorParameters& p)
      : p_(p),
        query_(c.inputs.at("query_positions").view()),
        key_(c.inputs.at("key_positions").view()),
        of_keys_(c.inputs.at("key_table").view()),
        of_values_(c.inputs.at("value_table").view()) {}

  Interval Slope(int64_t) const override { return Interval(1); }
  double Multiple(const Pair&) const override { return 0; }
  double About(const Pair&) const override { return 0; }
  Interval Error(const Pair&, const Profile&) const override { return Interval(0); }
  bool IsOpen(const Pair&, const Profile&) const override { return false; }

  bool AddsVectors() const override { return true; }
  double OfKey(const Pair& pair, int64_t c) const override { return of_keys_(Row(pair), c); }
  double OfValue(const Pair& pair, int64_t c) const override { return of_values_(Row(pair), c); }

 private:
  int64_t Row(const Pair& pair) const {
    const int64_t batch = key_.rank() == 2 ? pair.batch : 0;
    return RowOf(p_, IntegerAt(query_, batch * query_.shape.back() + pair.query),
                 IntegerAt(key_, batch * key_.shape.back() + pair.key));
  }
  VectorParameters p_;
  ConstTensorView query_, key_;
  Elements of_keys_, of_values_;
};

}  // namespace

namespace relative {

std::unique_ptr<Truth> MakeTruth(const Case& c) {
  if (c.operation == "relative.scores" || c.operation == "relative.values")
    return std::make_unique<SumTruth>(c);
  if (c.operation == "relative.attention") {
    const gnomon::relative::AttentionParameters p = gnomon::relative::ReadAttention(c);
    return MakeBiasedAttention(c, p.heads, std::make_unique<RowsOfPair>(c, p.rows));
  }
  if (c.operation == "relative.vectors") return std::make_unique<VectorsTruth>(c);
  return std::make_unique<ShiftTruth>(c);
}

}  // namespace relative
}  // namespace gnomon::reference
