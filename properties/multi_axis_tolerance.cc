#include <algorithm>
#include <cmath>

#include "gnomon/properties/multi_axis_cases.h"
#include "gnomon/properties/multi_axis_mixed.h"
#include "gnomon/properties/tolerance.h"

namespace gnomon::properties::multi_axis {
namespace {

namespace axes = gnomon::multi_axis;

// AXES-16 and AXES-21, in the norm form.
class RotationTolerance : public Tolerance {
 public:
  RotationTolerance(const Profile& promise, const Case& c)
      : promise_(promise),
        case_(c),
        a_(axes::ReadRotation(c)),
        by_dim_(a_.PairsByDim()),
        x_(c.inputs.at("x").view()) {}

  double Bound(int, int64_t element) const override {
    if (!a_.InWindow(element % x_.shape[3])) return 0;
    const int64_t pair = PairAt(element);
    const auto [xa, xb] = Members(element, pair);
    const double length = std::hypot(xa, xb) * kEvaluated;
    if (promise_.correctly_rounded) return OneRounding(case_.format, length);
    const double size = std::abs(xa) + std::abs(xb), turn = std::sqrt(2.0) * kEvaluated;
    return RotationBound<double>(
               promise_, case_.format, length, length, length, size, AngleBoundOf(element, pair),
               TableError(promise_, case_.format),
               UnderflowOfInputs(promise_, case_.format, FormatAt(promise_.tables, case_.format),
                                 size, turn)) *
           kEvaluated;
  }
  double Size(int, int64_t element) const override {
    if (!a_.InWindow(element % x_.shape[3])) return 0;
    const auto [xa, xb] = Members(element, PairAt(element));
    return std::hypot(xa, xb);
  }

 private:
  int64_t PairAt(int64_t element) const {
    return by_dim_[static_cast<size_t>(element % x_.shape[3] - a_.rotary_offset)].first;
  }
  std::pair<double, double> Members(int64_t element, int64_t pair) const {
    const int64_t head = element / x_.shape[3] * x_.shape[3];
    return {ValueAt(x_, head + a_.Dim(pair, 0)), ValueAt(x_, head + a_.Dim(pair, 1))};
  }
  double AngleBoundOf(int64_t element, int64_t pair) const {
    if (promise_.angle == AngleForm::kExact) return 0;
    const int64_t head = element / x_.shape[3], token = head / x_.shape[2];
    if (a_.mixed) return MixedBoundOf(token, head % x_.shape[2], pair);
    const AxialPair& p = a_.at(pair);
    const int64_t position = PositionOn(case_, token, p.axis);
    AngleOrigin origin = OriginOf(a_.rope_theta, a_.frequencies, p.numerator, p.denominator, pair);
    if (a_.frequencies.empty()) origin.pair = p.numerator / 2;
    return AngleBound(
        promise_, origin,
        FrequencySize(a_.rope_theta, a_.frequencies, p.numerator, p.denominator, pair), position,
        case_.format);
  }
  double MixedBoundOf(int64_t token, int64_t head, int64_t pair) const {
    int64_t terms = 0;
    bool rounded = false;
    double positions = 0, products = 0;
    for (int64_t axis = 0; axis < a_.axes(); ++axis) {
      const int64_t p = PositionOn(case_, token, axis);
      const double product =
          std::abs(static_cast<double>(p) * MixedFrequency(case_, axis, head, pair));
      if (product == 0) continue;
      ++terms;
      rounded |= axes::IsPositionRounded(p, case_.format);
      positions += std::abs(static_cast<double>(p));
      products += product;
    }
    if (axes::LeavesTheRange(products, case_.format)) return 0;
    return axes::MixedAngleError<double>(promise_, case_.format, terms, rounded, products,
                                         positions) *
           kEvaluated;
  }
  Profile promise_;
  const Case& case_;
  AxialRotation a_;
  std::vector<std::pair<int64_t, int>> by_dim_;
  ConstTensorView x_;
};

class SincosTolerance : public Tolerance {
 public:
  SincosTolerance(const Profile& promise, const Case& c)
      : promise_(promise),
        format_(c.format),
        t_(axes::ReadSincos(c)),
        positions_(c.inputs.at("positions").view()) {}
  double Bound(int, int64_t element) const override {
    const int64_t row = element / t_.width() - t_.zero_rows, column = element % t_.width();
    if (row < 0) return 0;
    // The larger angle of the two coordinates covers either half.
    const int64_t pair = t_.half.Column(column % t_.half.width).pair;
    return EntryBound(
        promise_, format_,
        std::max(AngleBoundOf(IntegerAt(positions_, row), pair),
                 AngleBoundOf(IntegerAt(positions_, positions_.shape[1] + row), pair)),
        1);
  }
  double Size(int, int64_t) const override { return 1; }

 private:
  double AngleBoundOf(int64_t position, int64_t pair) const {
    if (promise_.angle == AngleForm::kExact) return 0;
    const int64_t numerator = t_.half.ExponentNumerator(pair);
    const int64_t denominator = t_.half.ExponentDenominator();
    return AngleBound(promise_, OriginOf(t_.half.base, {}, numerator, denominator, pair),
                      FrequencySize(t_.half.base, {}, numerator, denominator, pair), position,
                      format_);
  }
  Profile promise_;
  Format format_;
  SincosTable t_;
  ConstTensorView positions_;
};

class SumTolerance : public Tolerance {
 public:
  SumTolerance(const Profile& promise, const Case& c)
      : promise_(promise),
        format_(c.format),
        sum_(axes::ReadCombine(c) == Combine::kSum),
        px_(c.inputs.at("px").view()),
        py_(c.inputs.at("py").view()) {}
  double Bound(int, int64_t element) const override {
    if (!sum_) return 0;
    const double size = Size(0, element);
    if (promise_.correctly_rounded) return OneRounding(format_, size);
    return axes::SumBound<double>(promise_, format_, size) * kEvaluated;
  }
  double Size(int, int64_t element) const override {
    if (!sum_) return 1;
    const int64_t width = px_.shape[1], place = element / width, column = element % width;
    return (std::abs(ValueAt(px_, place / py_.shape[0] * width + column)) +
            std::abs(ValueAt(py_, place % py_.shape[0] * width + column))) *
           kEvaluated;
  }

 private:
  Profile promise_;
  Format format_;
  bool sum_;
  ConstTensorView px_, py_;
};

// Copies and integers.
class NoTolerance : public Tolerance {
 public:
  double Bound(int, int64_t) const override { return 0; }
  double Size(int, int64_t) const override { return 1; }
};

}  // namespace

std::unique_ptr<Tolerance> MakeTolerance(const Profile& promise, const Case& c) {
  if (c.operation == "multi_axis.axial" || axes::IsMrope(c) || axes::IsMixed(c))
    return std::make_unique<RotationTolerance>(promise, c);
  if (c.operation == "multi_axis.sincos_2d") return std::make_unique<SincosTolerance>(promise, c);
  if (c.operation == "multi_axis.factorized") return std::make_unique<SumTolerance>(promise, c);
  return std::make_unique<NoTolerance>();
}

}  // namespace gnomon::properties::multi_axis
