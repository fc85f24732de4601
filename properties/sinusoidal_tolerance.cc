#include <cmath>

#include "gnomon/properties/sinusoidal_cases.h"
#include "gnomon/properties/sinusoidal_real.h"
#include "gnomon/properties/tolerance.h"
#include "gnomon/spec/sinusoidal_real.h"

namespace gnomon::properties::sinusoidal {
namespace {

// D of the angles of one table.
class Angles {
 public:
  Angles(const Profile& promise, const Case& c)
      : promise_(promise), output_(c.format), table_(TableOf(c)) {}
  const SinusoidalTable& table() const { return table_; }
  double Bound(int64_t position, int64_t pair) const {
    if (promise_.angle == AngleForm::kExact) return 0;
    const int64_t numerator = table_.ExponentNumerator(pair);
    const int64_t denominator = table_.ExponentDenominator();
    return AngleBound(promise_,
                      OriginOf(table_.base, table_.frequencies, numerator, denominator, pair),
                      FrequencySize(table_.base, table_.frequencies, numerator, denominator, pair),
                      position, output_);
  }

 private:
  Profile promise_;
  Format output_;
  SinusoidalTable table_;
};

class TableTolerance : public Tolerance {
 public:
  TableTolerance(const Profile& promise, const Case& c)
      : promise_(promise),
        format_(c.format),
        angles_(promise, c),
        positions_(c.inputs.at("positions").view()) {}
  double Bound(int, int64_t element) const override { return BoundIn(format_, element); }
  double BoundIn(Format stored, int64_t element) const {
    const SinusoidalColumn column = angles_.table().Column(element % angles_.table().width);
    if (column.kind == SinusoidalColumn::kZero) return 0;
    const int64_t position = IntegerAt(positions_, element / angles_.table().width);
    return EntryBound(promise_, stored, angles_.Bound(position, column.pair),
                      angles_.table().scale);
  }
  double Size(int, int64_t) const override { return std::abs(angles_.table().scale.value); }

 private:
  Profile promise_;
  Format format_;
  Angles angles_;
  ConstTensorView positions_;
};

class AddTolerance : public Tolerance {
 public:
  AddTolerance(const Profile& promise, const Case& c)
      : promise_(promise),
        format_(c.format),
        p_(gnomon::sinusoidal::ReadAdd(c)),
        table_(promise, c),
        x_(c.inputs.at("x").view()) {}
  double Bound(int, int64_t element) const override {
    const double pe = table_.Size(0, 0), scaled = Scaled(element);
    if (promise_.correctly_rounded) return OneRounding(format_, pe + scaled);
    const int64_t row = element % (x_.shape[1] * x_.shape[2]);
    const bool has_scale = p_.sqrt_width || !(p_.token_scale == Number(1));
    return gnomon::sinusoidal::AddBound<double>(
               promise_, format_, pe + scaled, scaled, pe,
               table_.BoundIn(FormatAt(promise_.tables, format_), row), has_scale, Factor()) *
           kEvaluated;
  }
  double Size(int, int64_t element) const override { return table_.Size(0, 0) + Scaled(element); }

 private:
  double Factor() const {
    return p_.sqrt_width ? std::sqrt(static_cast<double>(p_.table.width))
                         : std::abs(p_.token_scale.value);
  }
  double Scaled(int64_t element) const {
    return Factor() * std::abs(ValueAt(x_, element)) * kEvaluated;
  }
  Profile promise_;
  Format format_;
  gnomon::sinusoidal::AddParameters p_;
  TableTolerance table_;
  ConstTensorView x_;
};

class MatrixTolerance : public Tolerance {
 public:
  MatrixTolerance(const Profile& promise, const Case& c)
      : promise_(promise),
        format_(c.format),
        p_(gnomon::sinusoidal::ReadMatrix(c)),
        angles_(promise, c) {}
  double Bound(int, int64_t element) const override {
    const SinusoidalColumn row = p_.table.Column(element / p_.table.width);
    const SinusoidalColumn column = p_.table.Column(element % p_.table.width);
    if (row.pair != column.pair) return 0;
    return EntryBound(promise_, format_, angles_.Bound(p_.offset, row.pair), p_.gain);
  }
  double Size(int, int64_t) const override { return p_.gain.value; }

 private:
  Profile promise_;
  Format format_;
  gnomon::sinusoidal::MatrixParameters p_;
  Angles angles_;
};

class PairwiseTolerance : public Tolerance {
 public:
  PairwiseTolerance(const Profile& promise, const Case& c)
      : promise_(promise),
        format_(c.format),
        distance_(c.operation == "sinusoidal.distance"),
        angles_(promise, c),
        m_(c.inputs.at("m").view()),
        n_(c.inputs.at("n").view()) {}
  double Bound(int, int64_t element) const override {
    const double size = Size(0, element) * kEvaluated;
    if (promise_.correctly_rounded) return OneRounding(format_, size);
    const SinusoidalTable& t = angles_.table();
    const int64_t m = IntegerAt(m_, element / n_.shape[0]),
                  n = IntegerAt(n_, element % n_.shape[0]);
    gnomon::sinusoidal::PairwiseBound<double> bound(promise_, format_, t.width,
                                                    !(t.scale == Number(1)));
    for (int64_t i = 0; i < t.pairs(); ++i)
      bound.AddPair(1, 1, angles_.Bound(m, i), angles_.Bound(n, i));
    const double scale = std::abs(t.scale.value);
    return (distance_ ? bound.OfDistance(size, scale) : bound.OfSimilarity(size, scale)) *
           kEvaluated;
  }
  double Size(int, int64_t) const override {
    const double scale = std::abs(angles_.table().scale.value);
    const double h = static_cast<double>(angles_.table().pairs());
    return distance_ ? 2 * scale * std::sqrt(h) : h * scale * scale;
  }

 private:
  Profile promise_;
  Format format_;
  bool distance_;
  Angles angles_;
  ConstTensorView m_, n_;
};

}  // namespace

std::unique_ptr<Tolerance> MakeTolerance(const Profile& promise, const Case& c) {
  if (gnomon::sinusoidal::IsReal(c.operation)) return MakeRealTolerance(promise, c);
  if (c.operation == "sinusoidal.table") return std::make_unique<TableTolerance>(promise, c);
  if (c.operation == "sinusoidal.add") return std::make_unique<AddTolerance>(promise, c);
  if (c.operation == "sinusoidal.similarity" || c.operation == "sinusoidal.distance")
    return std::make_unique<PairwiseTolerance>(promise, c);
  return std::make_unique<MatrixTolerance>(promise, c);
}

}  // namespace gnomon::properties::sinusoidal
