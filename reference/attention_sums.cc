// The truths of attention without a softmax: four terms, untied scores.
#include <cmath>

#include "gnomon/reference/attention.h"
#include "gnomon/reference/certify.h"
#include "gnomon/reference/truth.h"

namespace gnomon::reference {
namespace {

// Sums of products without a softmax (ATT-15): a value, the sum of the absolute products.
class SumTruth : public Truth {
 public:
  explicit SumTruth(const Case& c) : format_(c.format) {}

  Expectation Expect(int output, int64_t element) const override {
    const double ieee = Ieee(output, element);
    return std::isfinite(ieee) ? Expectation{} : Expectation{Expectation::kNonFinite, 0, ieee};
  }
  // ATT-13: an order of the sum may make a NaN of an infinity, or of products that overflow.
  bool NonFiniteIsOpen(int output, int64_t element, const Profile& profile) const override {
    if (!std::isfinite(Ieee(output, element))) return true;
    const ScopedPrecision precision(kFirstPrecision);
    return Midpoint(Largest(output, element)) >=
           LargestFinite(FormatAt(profile.arithmetic, format_)) / 4;
  }
  Interval Size(int output, int64_t element) const override { return Scale(output, element); }

 protected:
  // On the way to the value, in any order (ATT-13).
  virtual Interval Largest(int output, int64_t element) const = 0;
  // Of the products that are not finite alone.
  virtual double Ieee(int output, int64_t element) const = 0;
  Format format_;
};

// Four outputs [query, key].
class FourTermTruth : public SumTruth {
 public:
  explicit FourTermTruth(const Case& c)
      : SumTruth(c),
        e_(c.inputs.at("e").view()),
        p_(c.inputs.at("p").view()),
        w_(c.inputs.at("w").view()),
        seq_(c.inputs.at("e").shape()[0]),
        width_(c.inputs.at("e").shape()[1]) {}

  Interval Value(int output, int64_t element) const override {
    return Evaluate(output, element, [](double v) { return Interval(v); });
  }
  Interval Scale(int output, int64_t element) const override {
    return Evaluate(output, element, [](double v) { return Interval(std::abs(v)); });
  }
  Interval Bound(int output, int64_t element, const Profile& profile) const override {
    Interval operands(width_ + 1);
    for (int64_t c = 0; c < width_; ++c)
      operands += abs(Interval(X(output, element, c))) + abs(Interval(Y(output, element, c)));
    const double width = static_cast<double>(width_);
    return gnomon::attention::SumBound(profile, format_, Value(output, element),
                                       Scale(output, element), 5, 2 * (width - 1),
                                       Interval((width_ + 1) * operands));
  }
  Place Where(int, int64_t element) const override { return {element / seq_, std::nullopt}; }
  std::vector<Step> Steps(int output, int64_t element) const override {
    return {{"value", Value(output, element)}, {"sum of |products|", Scale(output, element)}};
  }

 private:
  Interval Largest(int output, int64_t element) const override {
    Interval sum = Scale(output, element);
    for (int64_t r = 0; r < width_; ++r)
      for (int64_t c = 0; c < width_; ++c)
        sum += abs(Interval(w_(r, c))) *
               (abs(Interval(X(output, element, r))) + abs(Interval(Y(output, element, c))));
    return sum;
  }
  double X(int output, int64_t element, int64_t c) const {
    return (output < 2 ? e_ : p_)(element / seq_, c);
  }
  double Y(int output, int64_t element, int64_t c) const {
    return (output % 2 == 0 ? e_ : p_)(element % seq_, c);
  }
  template <class Read>
  Interval Evaluate(int output, int64_t element, Read read) const {
    return Form<Interval>(
        width_, [&](int64_t r) { return read(X(output, element, r)); },
        [&](int64_t r, int64_t c) { return read(w_(r, c)); },
        [&](int64_t c) { return read(Y(output, element, c)); });
  }
  double Ieee(int output, int64_t element) const override {
    double sum = 0;
    for (int64_t r = 0; r < width_; ++r)
      for (int64_t c = 0; c < width_; ++c) {
        const double x = X(output, element, r), w = w_(r, c), y = Y(output, element, c);
        if (!std::isfinite(x) || !std::isfinite(w) || !std::isfinite(y)) sum += x * w * y;
      }
    return sum;
  }
  Elements e_, p_, w_;
  int64_t seq_, width_;
};

// scores [heads, query, key].
class UntiedTruth : public SumTruth {
 public:
  explicit UntiedTruth(const Case& c)
      : SumTruth(c),
        q_(c.inputs.at("q").view()),
        k_(c.inputs.at("k").view()),
        pq_(c.inputs.at("pq").view()),
        pk_(c.inputs.at("pk").view()),
        queries_(c.inputs.at("q").shape()[0]),
        keys_(c.inputs.at("k").shape()[0]),
        d_(c.inputs.at("q").shape()[2]) {}

  Interval Value(int, int64_t element) const override {
    return Evaluate(element, [](double v) { return Interval(v); });
  }
  Interval Scale(int, int64_t element) const override {
    return Evaluate(element, [](double v) { return Interval(std::abs(v)); });
  }
  Interval Bound(int, int64_t element, const Profile& profile) const override {
    const int64_t n = element % keys_, m = element / keys_ % queries_,
                  h = element / keys_ / queries_;
    Interval operands(2 * d_ + 1);
    for (int64_t c = 0; c < d_; ++c)
      for (const double v : {q_(m, h, c), k_(n, h, c), pq_(m, h, c), pk_(n, h, c)})
        operands += abs(Interval(v));
    return gnomon::attention::SumBound(profile, format_, Value(0, element), Scale(0, element), 9,
                                       2 * static_cast<double>(d_) - 1, Interval(2 * operands));
  }
  Place Where(int, int64_t element) const override {
    return {element / keys_ % queries_, std::nullopt};
  }
  std::vector<Step> Steps(int, int64_t element) const override {
    return {{"value", Value(0, element)}, {"sum of |products|", Scale(0, element)}};
  }

 private:
  Interval Largest(int output, int64_t element) const override {
    return Scale(output, element) * sqrt(Interval(2 * d_));
  }
  template <class Read>
  Interval Evaluate(int64_t element, Read read) const {
    const int64_t n = element % keys_, m = element / keys_ % queries_,
                  h = element / keys_ / queries_;
    return Untied<Interval>(
        d_, [&](int64_t c) { return read(q_(m, h, c)); },
        [&](int64_t c) { return read(k_(n, h, c)); }, [&](int64_t c) { return read(pq_(m, h, c)); },
        [&](int64_t c) { return read(pk_(n, h, c)); });
  }
  double Ieee(int, int64_t element) const override {
    const int64_t n = element % keys_, m = element / keys_ % queries_,
                  h = element / keys_ / queries_;
    double sum = 0;
    const auto add = [&sum](double a, double b) {
      if (!std::isfinite(a) || !std::isfinite(b)) sum += a * b;
    };
    for (int64_t c = 0; c < d_; ++c) {
      add(q_(m, h, c), k_(n, h, c));
      add(pq_(m, h, c), pk_(n, h, c));
    }
    return sum;
  }
  Elements q_, k_, pq_, pk_;
  int64_t queries_, keys_, d_;
};

}  // namespace

namespace attention {

std::unique_ptr<Truth> MakeSumTruth(const Case& c) {
  if (c.operation == "attention.four_term") return std::make_unique<FourTermTruth>(c);
  return std::make_unique<UntiedTruth>(c);
}

}  // namespace attention
}  // namespace gnomon::reference
