#include <cmath>

#include "gnomon/properties/rope_xpos.h"
#include "gnomon/properties/tolerance.h"
#include "gnomon/spec/rope.h"

namespace gnomon::properties::rope {
namespace {

class Angles {
 public:
  Angles(const Profile& promise, Format output, RopeFrequencies f)
      : promise_(promise), output_(output), f_(std::move(f)) {}
  const RopeFrequencies& frequencies() const { return f_; }
  AngleOrigin Origin(int64_t pair) const {
    return OriginOf(f_.rope_theta, f_.frequencies, 2 * pair, f_.rotary_dim, pair);
  }
  double Size(int64_t pair) const {
    return FrequencySize(f_.rope_theta, f_.frequencies, 2 * pair, f_.rotary_dim, pair);
  }
  double Bound(int64_t position, int64_t pair) const {
    if (promise_.angle == AngleForm::kExact) return 0;
    return AngleBound(promise_, Origin(pair), Size(pair), position, output_);
  }

 private:
  Profile promise_;
  Format output_;
  RopeFrequencies f_;
};

class FrequencyTolerance : public Tolerance {
 public:
  FrequencyTolerance(const Profile& promise, const Case& c)
      : promise_(promise),
        format_(c.format),
        angles_(promise, c.format, gnomon::rope::ReadFrequencies(c)) {}
  double Bound(int, int64_t pair) const override {
    const double w = angles_.Size(pair);
    if (promise_.correctly_rounded) return OneRounding(format_, w);
    return FrequencyBound<double>(promise_, format_, w, angles_.Origin(pair)) * kEvaluated;
  }
  double Size(int, int64_t pair) const override { return angles_.Size(pair); }

 private:
  Profile promise_;
  Format format_;
  Angles angles_;
};

class TableTolerance : public Tolerance {
 public:
  TableTolerance(const Profile& promise, const Case& c)
      : promise_(promise),
        format_(c.format),
        angles_(promise, c.format, gnomon::rope::ReadFrequencies(c)),
        positions_(c.inputs.at("positions").view()) {}
  double Bound(int, int64_t element) const override {
    const int64_t pairs = angles_.frequencies().pairs();
    return EntryBound(promise_, format_,
                      angles_.Bound(IntegerAt(positions_, element / pairs), element % pairs), 1);
  }
  double Size(int, int64_t) const override { return 1; }

 private:
  Profile promise_;
  Format format_;
  Angles angles_;
  ConstTensorView positions_;
};

class ApplyTolerance : public Tolerance {
 public:
  ApplyTolerance(const Profile& promise, const Case& c)
      : promise_(promise),
        case_(c),
        a_(gnomon::rope::ReadApply(c)),
        angles_(promise, c.format, a_.frequencies),
        x_(c.inputs.at("x").view()) {}

  double Bound(int, int64_t element) const override {
    const int64_t head_dim = x_.shape[3];
    if (!a_.InWindow(element % head_dim)) return 0;
    const auto [pair, member] = a_.PairAt(a_.output_layout, element % head_dim);
    const auto [xa, xb] = PairOf(element, pair);
    const int64_t token = element / (x_.shape[2] * head_dim);
    // d of BOUND-2; S, S' and |y| in the norm form, or by the tables that are given.
    double first = std::hypot(xa, xb) * kEvaluated, second = first, length = first, D = 0, d;
    double turn = std::sqrt(2.0) * kEvaluated;  // |c| + |s|
    Format tables = FormatAt(promise_.tables, case_.format);
    if (case_.inputs.count("cos")) {
      const Tensor &cos = case_.inputs.at("cos"), &sin = case_.inputs.at("sin");
      const int64_t at = (token * a_.frequencies.pairs()) % cos.count() + pair;
      const double c = cos.Value(at), s = sin.Value(at);
      first = std::abs(xa * c) + std::abs(xb * s);
      second = std::abs(xa * s) + std::abs(xb * c);
      if (member == 1) std::swap(first, second);
      length = first;
      turn = std::abs(c) + std::abs(s);
      tables = FormatOf(cos.dtype());
      d = GivenTableError(promise_, case_.format, FormatOf(cos.dtype()));
    } else {
      const Tensor& positions = case_.inputs.at("positions");
      D = angles_.Bound(positions.Integer(token % positions.count()), pair);
      d = TableError(promise_, case_.format);
    }
    if (promise_.correctly_rounded) return OneRounding(case_.format, length);
    const double size = std::abs(xa) + std::abs(xb);
    return RotationBound<double>(promise_, case_.format, length, first, second, size, D, d,
                                 UnderflowOfInputs(promise_, case_.format, tables, size, turn)) *
           kEvaluated;
  }
  double Size(int, int64_t element) const override {
    const int64_t dim = element % x_.shape[3];
    if (!a_.InWindow(dim)) return 0;
    const auto [xa, xb] = PairOf(element, a_.PairAt(a_.output_layout, dim).first);
    return std::hypot(xa, xb);
  }

 private:
  std::pair<double, double> PairOf(int64_t element, int64_t pair) const {
    const int64_t head = element / x_.shape[3] * x_.shape[3];
    return {ValueAt(x_, head + a_.Dim(a_.input_layout, pair, 0)),
            ValueAt(x_, head + a_.Dim(a_.input_layout, pair, 1))};
  }
  Profile promise_;
  const Case& case_;
  RopeApply a_;
  Angles angles_;
  ConstTensorView x_;
};

}  // namespace

std::unique_ptr<Tolerance> MakeTolerance(const Profile& promise, const Case& c) {
  if (c.parameters.count("rope_type")) return rope_scaling::MakeTolerance(promise, c);
  if (c.operation == "rope.xpos") return MakeXposTolerance(promise, c);
  if (c.operation == "rope.frequencies") return std::make_unique<FrequencyTolerance>(promise, c);
  if (c.operation == "rope.table") return std::make_unique<TableTolerance>(promise, c);
  return std::make_unique<ApplyTolerance>(promise, c);
}

}  // namespace gnomon::properties::rope
