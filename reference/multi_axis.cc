// The truths of the operations over more than one axis.
#include "gnomon/reference/multi_axis.h"

#include <cmath>
#include <limits>
#include <string>

#include "gnomon/reference/angle_terms.h"
#include "gnomon/reference/certify.h"
#include "gnomon/reference/truth.h"

namespace gnomon::reference {
namespace {

namespace axes = gnomon::multi_axis;

AngleTerms TermsOf(const AxialRotation& a) {
  return AngleTerms([a](int64_t pair) { return Frequency<Interval>(a, pair); },
                    [a, log_base = LogBaseUpperBound(a.rope_theta),
                     inexact = IsInexact(a.rope_theta)](int64_t pair) {
                      if (!a.frequencies.empty())
                        return GivenOrigin(a.frequencies[static_cast<size_t>(pair)], pair);
                      // AXES-16: a chain of products starts anew where the exponent does.
                      const AxialPair& p = a.at(pair);
                      return AngleOrigin{p.numerator, p.denominator,   log_base,
                                         false,       p.numerator / 2, inexact};
                    });
}

// AXES-11, AXES-17. Pairs turned by an angle each; which, the operations say.
class RotationTruth : public Truth {
 public:
  explicit RotationTruth(const Case& c)
      : format_(c.format),
        a_(axes::ReadRotation(c)),
        by_dim_(a_.PairsByDim()),
        x_(c.inputs.at("x").view()),
        positions_(c.inputs.at("positions").view()) {}

  Expectation Expect(int, int64_t element) const override {
    const Member m = At(element);
    if (m.copied) return {Expectation::kCopy, BitsOfX(m.own)};
    if (std::isfinite(m.a) && std::isfinite(m.b)) return {};
    // ROPE-7: IEEE rules on extended reals; only the signs of the finite factors matter.
    const auto signs = Certify([&] {
      const auto sign = [](const Interval& v) {
        if (IsPoint(v) && v == 0) return 0.0;
        return Less(v, Interval(0)) ? -1.0 : 1.0;
      };
      const AngleTerm& term = TermOf(m);
      return Pair<double>{sign(term.cos), sign(term.sin)};
    });
    const auto sign = [](double v) {
      return std::isfinite(v) ? static_cast<double>(v > 0) - static_cast<double>(v < 0) : v;
    };
    const Pair<double> y = Rotate<double>({sign(m.a), sign(m.b)}, signs->a, signs->b, a_.direction);
    Expectation e{Expectation::kNonFinite, 0, m.member == 0 ? y.a : y.b};
    if (signs->b == 0) e.or_bits = BitsOfX(m.own);
    return e;
  }

  Interval Value(int, int64_t element) const override {
    const Member m = At(element);
    const AngleTerm& term = TermOf(m);
    const Pair<Interval> y =
        Rotate<Interval>({Interval(m.a), Interval(m.b)}, term.cos, term.sin, a_.direction);
    return m.member == 0 ? y.a : y.b;
  }
  Interval Bound(int, int64_t element, const Profile& profile) const override {
    const Member m = At(element);
    const Pair<Interval> S = Sums(m);
    const AngleTerm term = TermOf(m);
    const Interval size = abs(Interval(m.a)) + abs(Interval(m.b));
    return RotationBound(
        profile, format_, Value(0, element), S.a, S.b, size, ErrorOf(profile, m),
        TableError(profile, format_),
        UnderflowOfInputs<Interval>(profile, format_, FormatAt(profile.tables, format_), size,
                                    abs(term.cos) + abs(term.sin)));
  }
  Interval Size(int, int64_t element) const override {
    const Member m = At(element);
    return sqrt(Interval(m.a) * Interval(m.a) + Interval(m.b) * Interval(m.b));
  }
  Interval Scale(int, int64_t element) const override { return Sums(At(element)).a; }

  // ROPE-7: the sign of a table entry that the profile leaves undecided.
  bool NonFiniteIsOpen(int, int64_t element, const Profile& profile) const override {
    const Member m = At(element);
    if (profile.correctly_rounded || (std::isfinite(m.a) && std::isfinite(m.b))) return false;
    const Format tables = FormatAt(profile.tables, format_);
    const auto open = Certify(
        [&] { return SignIsOpen(TermOf(m), ErrorOf(profile, m), tables, profile.flushes); });
    return open.value_or(false);
  }

  Place Where(int, int64_t element) const override {
    const Member m = At(element);
    if (m.copied) return {};
    return PlaceOf(m);
  }
  std::vector<Step> Steps(int, int64_t element) const override {
    const Member m = At(element);
    if (m.copied) return {{"x", Interval(DecodeBits(format_, BitsOfX(m.own)))}};
    const AngleTerm& term = TermOf(m);
    const Pair<Interval> S = Sums(m);
    std::vector<Step> steps = AngleSteps(m);
    const std::vector<Step> more = {
        {"cos", term.cos},      {"sin", term.sin}, {"x_a", Interval(m.a)},
        {"x_b", Interval(m.b)}, {"S", S.a},        {"S'", S.b}};
    steps.insert(steps.end(), more.begin(), more.end());
    return steps;
  }

 protected:
  struct Member {
    int64_t batch = 0, seq = 0, head = 0, pair = 0;
    int member = 0;       // 0: x_a c - x_b s, 1: x_a s + x_b c
    double a = 0, b = 0;  // the pair of x
    bool copied = false;  // outside the window
    int64_t own = 0;      // offset in x of the element itself, which may be negative
  };
  virtual const AngleTerm& TermOf(const Member& m) const = 0;
  virtual Interval ErrorOf(const Profile& profile, const Member& m) const = 0;  // D of its angle
  virtual Place PlaceOf(const Member& m) const = 0;
  virtual std::vector<Step> AngleSteps(const Member& m) const = 0;

  Member At(int64_t element) const {
    const int64_t dim = element % x_.shape[3], number = element / x_.shape[3];
    Member m;
    m.head = number % x_.shape[2];
    const int64_t token = number / x_.shape[2];
    m.batch = token / x_.shape[1];
    m.seq = token % x_.shape[1];
    const int64_t start = m.batch * x_.strides[0] + m.seq * x_.strides[1] + m.head * x_.strides[2];
    m.own = start + dim * x_.strides[3];
    m.copied = !a_.InWindow(dim);
    if (m.copied) return m;
    std::tie(m.pair, m.member) = by_dim_[static_cast<size_t>(dim - a_.rotary_offset)];
    const auto value = [&](int member) {
      return DecodeBits(format_, BitsOfX(start + a_.Dim(m.pair, member) * x_.strides[3]));
    };
    m.a = value(0);
    m.b = value(1);
    return m;
  }
  // AXES-1. Of the member's token, on one axis.
  int64_t PositionOn(const Member& m, int64_t axis) const {
    const bool by_batch = positions_.rank() == 3 && positions_.shape[0] != 1;
    return IntegerAt(positions_,
                     ((by_batch ? m.batch : 0) * a_.axes() + axis) * x_.shape[1] + m.seq);
  }

  Format format_;
  AxialRotation a_;

 private:
  uint64_t BitsOfX(int64_t offset) const {
    return LoadBits(x_.dtype, x_.data + offset * SizeOf(x_.dtype));
  }
  // S and S' of this member (BOUND-5).
  Pair<Interval> Sums(const Member& m) const {
    const AngleTerm& term = TermOf(m);
    const Interval a = abs(Interval(m.a)), b = abs(Interval(m.b));
    const Interval c = abs(term.cos), s = abs(term.sin);
    const Interval first = a * c + b * s, second = a * s + b * c;
    return m.member == 0 ? Pair<Interval>{first, second} : Pair<Interval>{second, first};
  }

  std::vector<std::pair<int64_t, int>> by_dim_;
  ConstTensorView x_, positions_;
};

// AXES-1. multi_axis.axial, multi_axis.mrope.
class AxialTruth : public RotationTruth {
 public:
  explicit AxialTruth(const Case& c) : RotationTruth(c), terms_(TermsOf(a_)) {}

  bool Quick(int, int64_t element, const Profiles& profiles, QuickElement* q) const override {
    if (format_ == Format::kF64) return false;
    const Member m = At(element);
    if (m.copied || !std::isfinite(m.a) || !std::isfinite(m.b)) return false;
    const int64_t position = PositionOf(m);
    const QuickAngle& near = terms_.QuickAt(position, m.pair);
    if (!near.usable) return false;
    const double c = near.cos, s = a_.direction == RopeDirection::kForward ? near.sin : -near.sin;
    const double ac = m.a * c, bs = m.b * s, as = m.a * s, bc = m.b * c;
    const double first = std::abs(ac) + std::abs(bs), second = std::abs(as) + std::abs(bc);
    const double S = m.member == 0 ? first : second, S_turned = m.member == 0 ? second : first;
    q->place = {position, m.pair};
    q->value = m.member == 0 ? ac - bs : as + bc;
    // Each product errs by 2 roundings of 2^-53 (table, product), the sum by one more: 3 x 2^-53 S.
    // The fourth is for products of these and the rounding of the radius.
    q->radius = S * 0x1p-51 + (S > 0 ? 0x1p-1000 : 0);
    q->unit = S;
    q->size = std::sqrt(m.a * m.a + m.b * m.b);
    const auto D = terms_.QuickErrors(profiles, format_, position, m.pair, near.angle);
    const double size = std::abs(m.a) + std::abs(m.b), turn = std::abs(c) + std::abs(s);
    for (size_t i = 0; i < profiles.size(); ++i)
      q->bound[i] = RotationBound<double>(
          profiles[i], format_, q->value, S, S_turned, size, D[i], TableError(profiles[i], format_),
          UnderflowOfInputs(profiles[i], format_, FormatAt(profiles[i].tables, format_), size,
                            turn));
    return true;
  }

 private:
  int64_t PositionOf(const Member& m) const { return PositionOn(m, a_.at(m.pair).axis); }
  const AngleTerm& TermOf(const Member& m) const override {
    return terms_.At(PositionOf(m), m.pair);
  }
  Interval ErrorOf(const Profile& profile, const Member& m) const override {
    return terms_.Error(profile, format_, PositionOf(m), m.pair);
  }
  Place PlaceOf(const Member& m) const override { return {PositionOf(m), m.pair}; }
  std::vector<Step> AngleSteps(const Member& m) const override {
    const AngleTerm& term = TermOf(m);
    return {{"axis", Interval(a_.at(m.pair).axis)},
            {"p", Interval(PositionOf(m))},
            {"w", term.frequency},
            {"p w", term.angle}};
  }

  AngleTerms terms_;
};

// AXES-20, AXES-21. multi_axis.mixed: an angle of its own for every token, head and pair.
class MixedTruth : public RotationTruth {
 public:
  explicit MixedTruth(const Case& c)
      : RotationTruth(c),
        x_(c.inputs.at("x").shape()),
        frequencies_(c.inputs.at("frequencies").view()),
        angles_([this](int64_t number) { return AngleOf(MemberOf(number)); }, {}) {}

 private:
  // Of an angle: its number among all, and back.
  int64_t NumberOf(const Member& m) const {
    return ((m.batch * x_[1] + m.seq) * x_[2] + m.head) * a_.pairs() + m.pair;
  }
  Member MemberOf(int64_t number) const {
    Member m;
    m.pair = number % a_.pairs();
    const int64_t head = number / a_.pairs(), token = head / x_[2];
    m.head = head % x_[2];
    m.batch = token / x_[1];
    m.seq = token % x_[1];
    return m;
  }
  double FrequencyOf(const Member& m, int64_t axis) const {
    const int64_t heads = frequencies_.shape[1], head = heads == 1 ? 0 : m.head;
    return ValueAt(frequencies_, (axis * heads + head) * a_.pairs() + m.pair);
  }
  Interval ProductOn(const Member& m, int64_t axis) const {
    return Interval(PositionOn(m, axis)) * Interval(FrequencyOf(m, axis));
  }
  Interval AngleOf(const Member& m) const {
    return MixedAngle<Interval>(a_.axes(), [&](int64_t axis) { return ProductOn(m, axis); });
  }
  const AngleTerm& TermOf(const Member& m) const override { return angles_.At(1, NumberOf(m)); }
  Interval ErrorOf(const Profile& profile, const Member& m) const override {
    int64_t terms = 0;
    bool rounded = false;
    double positions = 0;
    Interval products(0);
    for (int64_t axis = 0; axis < a_.axes(); ++axis) {
      const int64_t p = PositionOn(m, axis);
      if (p == 0 || FrequencyOf(m, axis) == 0) continue;
      ++terms;
      rounded |= axes::IsPositionRounded(p, format_);
      positions += std::abs(static_cast<double>(p));
      products += abs(ProductOn(m, axis));
    }
    if (axes::LeavesTheRange(Midpoint(products), format_)) return Interval(0);
    return axes::MixedAngleError<Interval>(profile, format_, terms, rounded, products, positions);
  }
  // One axis' position would say too little.
  Place PlaceOf(const Member& m) const override {
    Place place;
    place.pair = m.pair;
    return place;
  }
  std::vector<Step> AngleSteps(const Member& m) const override {
    std::vector<Step> steps;
    for (int64_t axis = 0; axis < a_.axes(); ++axis) {
      const std::string number = std::to_string(axis);
      steps.push_back({std::string("p_").append(number), Interval(PositionOn(m, axis))});
      steps.push_back({std::string("w_").append(number), Interval(FrequencyOf(m, axis))});
    }
    steps.push_back({"sum p w", TermOf(m).angle});
    return steps;
  }

  Shape x_;
  ConstTensorView frequencies_;
  AngleTerms angles_;  // as frequencies at position 1
};

// AXES-13. Rows of zeros, then one row a place.
class SincosTruth : public Truth {
 public:
  explicit SincosTruth(const Case& c)
      : format_(c.format),
        t_(axes::ReadSincos(c)),
        positions_(c.inputs.at("positions").view()),
        terms_([t = t_](int64_t pair) { return Frequency<Interval>(t.half, pair); },
               [t = t_, log_base = LogBaseUpperBound(t_.half.base),
                inexact = IsInexact(t_.half.base)](int64_t pair) {
                 return AngleOrigin{t.half.ExponentNumerator(pair),
                                    t.half.ExponentDenominator(),
                                    log_base,
                                    false,
                                    pair,
                                    inexact};
               }) {}

  Interval Value(int, int64_t element) const override {
    const Cell cell = At(element);
    if (cell.zero) return Interval(0);
    const AngleTerm& term = terms_.At(cell.position, cell.pair);
    return cell.sine ? term.sin : term.cos;
  }
  Interval Bound(int, int64_t element, const Profile& profile) const override {
    const Cell cell = At(element);
    if (cell.zero) return Interval(0);
    const AngleTerm& term = terms_.At(cell.position, cell.pair);
    return TableBound(format_, cell.sine ? term.sin : term.cos, cell.sine ? term.cos : term.sin,
                      terms_.Error(profile, format_, cell.position, cell.pair), 0, 1,
                      profile.flushes);
  }
  Interval Size(int, int64_t) const override { return Interval(1); }
  Interval Scale(int, int64_t element) const override { return abs(Value(0, element)); }
  Place Where(int, int64_t element) const override {
    const Cell cell = At(element);
    if (cell.zero) return {};
    return {cell.position, cell.pair};
  }
  std::vector<Step> Steps(int, int64_t element) const override {
    const Cell cell = At(element);
    if (cell.zero) return {{"zero", Interval(0)}};
    const AngleTerm& term = terms_.At(cell.position, cell.pair);
    return {{"p", Interval(cell.position)},
            {"w", term.frequency},
            {"p w", term.angle},
            {"cos", term.cos},
            {"sin", term.sin}};
  }

 private:
  struct Cell {
    bool zero = false, sine = false;
    int64_t position = 0, pair = 0;
  };
  Cell At(int64_t element) const {
    const int64_t row = element / t_.width() - t_.zero_rows;
    if (row < 0) return {true};
    const SincosColumn half = ColumnOf(t_, element % t_.width());
    const SinusoidalColumn column = t_.half.Column(half.within);
    return {false, column.kind == SinusoidalColumn::kSine,
            IntegerAt(positions_, (half.of_column ? positions_.shape[1] : 0) + row), column.pair};
  }
  Format format_;
  SincosTable t_;
  ConstTensorView positions_;
  AngleTerms terms_;
};

// Integers, and bits of an input: nothing to enclose. A copied number other than 0 is one real
// number and no other, so it proves something (BOUND-7); zeros keep their sign, NaN its payload.
class ExactTruth : public Truth {
 public:
  Interval Value(int output, int64_t element) const override {
    return Interval(ExactValue(output, element));
  }
  Interval Bound(int, int64_t, const Profile&) const override { return Interval(0); }
  Interval Size(int output, int64_t element) const override { return abs(Value(output, element)); }
  Interval Scale(int output, int64_t element) const override { return abs(Value(output, element)); }
  Place Where(int, int64_t) const override { return {}; }
  std::vector<Step> Steps(int, int64_t) const override { return {}; }

 protected:
  virtual double ExactValue(int output, int64_t element) const {
    return static_cast<double>(Expect(output, element).bits);
  }
};

Expectation Copied(Format format, uint64_t bits) {
  const double v = DecodeBits(format, bits);
  if (std::isfinite(v) && v != 0) return {};
  return {Expectation::kCopy, bits};
}

// AXES-2, AXES-3, AXES-12.
class SectionsTruth : public ExactTruth {
 public:
  explicit SectionsTruth(const Case& c) : sections_(axes::ReadSections(c)) {}
  Expectation Expect(int, int64_t pair) const override {
    return {Expectation::kInteger, static_cast<uint64_t>(sections_.AxisOf(pair))};
  }
  Place Where(int, int64_t pair) const override { return {std::nullopt, pair}; }
  std::vector<Step> Steps(int, int64_t pair) const override {
    return {{"axis", Interval(sections_.AxisOf(pair))}};
  }

 private:
  Sections sections_;
};

// AXES-14.
class IndexTruth : public ExactTruth {
 public:
  explicit IndexTruth(const Case& c) : w_(axes::ReadWindowSize(c)) {}
  Expectation Expect(int, int64_t element) const override {
    return {Expectation::kInteger, static_cast<uint64_t>(IndexAt(element))};
  }
  std::vector<Step> Steps(int, int64_t element) const override {
    return {{"query", Interval(element / w_.tokens())},
            {"key", Interval(element % w_.tokens())},
            {"index", Interval(IndexAt(element))}};
  }

 protected:
  int64_t IndexAt(int64_t element) const {
    return WindowIndex(w_, element / w_.tokens() % w_.tokens(), element % w_.tokens());
  }
  Window w_;
};

// AXES-15.
class BiasTruth : public IndexTruth {
 public:
  explicit BiasTruth(const Case& c) : IndexTruth(c), table_(c.inputs.at("table").view()) {}
  Expectation Expect(int, int64_t element) const override {
    return Copied(FormatOf(table_.dtype), BitsOfRow(element));
  }

 private:
  uint64_t BitsOfRow(int64_t element) const {
    const int64_t head = element / (w_.tokens() * w_.tokens());
    return BitsAt(table_, IndexAt(element) * table_.shape[1] + head);
  }
  double ExactValue(int, int64_t element) const override {
    return DecodeBits(FormatOf(table_.dtype), BitsOfRow(element));
  }
  ConstTensorView table_;
};

// AXES-4, AXES-5: [x, y, width].
class FactorizedTruth : public Truth {
 public:
  explicit FactorizedTruth(const Case& c)
      : format_(c.format),
        sum_(axes::ReadCombine(c) == Combine::kSum),
        px_(c.inputs.at("px").view()),
        py_(c.inputs.at("py").view()) {}

  Expectation Expect(int, int64_t element) const override {
    const Terms t = At(element);
    if (!sum_) return Copied(format_, t.of_y ? BitsAt(py_, t.y) : BitsAt(px_, t.x));
    const double x = ValueAt(px_, t.x), y = ValueAt(py_, t.y);
    if (std::isfinite(x) && std::isfinite(y)) return {};
    return {Expectation::kNonFinite, 0, x + y};
  }
  Interval Value(int, int64_t element) const override {
    const Terms t = At(element);
    if (!sum_) return Interval(t.of_y ? ValueAt(py_, t.y) : ValueAt(px_, t.x));
    // Exponents of f64 lie 2098 apart at most: with that many bits the sum is a point.
    ScopedPrecision precision(2200);
    return Factorised(Interval(ValueAt(px_, t.x)), Interval(ValueAt(py_, t.y)));
  }
  Interval Bound(int, int64_t element, const Profile& profile) const override {
    return sum_ ? axes::SumBound(profile, format_, Value(0, element)) : Interval(0);
  }
  Interval Size(int, int64_t element) const override {
    const Terms t = At(element);
    if (!sum_) return abs(Value(0, element));
    return abs(Interval(ValueAt(px_, t.x))) + abs(Interval(ValueAt(py_, t.y)));
  }
  Interval Scale(int, int64_t element) const override { return abs(Value(0, element)); }
  Place Where(int, int64_t) const override { return {}; }
  std::vector<Step> Steps(int, int64_t element) const override {
    const Terms t = At(element);
    if (!sum_ && t.of_y) return {{"py", Interval(ValueAt(py_, t.y))}};
    if (!sum_) return {{"px", Interval(ValueAt(px_, t.x))}};
    return {{"px", Interval(ValueAt(px_, t.x))}, {"py", Interval(ValueAt(py_, t.y))}};
  }

 private:
  struct Terms {
    int64_t x = 0, y = 0;  // elements of px and py
    bool of_y = false;     // of a concatenation
  };
  Terms At(int64_t element) const {
    const int64_t wx = px_.shape[1], wy = py_.shape[1], width = sum_ ? wx : wx + wy;
    const int64_t column = element % width, place = element / width;
    const int64_t x = place / py_.shape[0], y = place % py_.shape[0];
    if (sum_) return {x * wx + column, y * wy + column, false};
    if (column < wx) return {x * wx + column, 0, false};
    return {0, y * wy + column - wx, true};
  }
  Format format_;
  bool sum_;
  ConstTensorView px_, py_;
};

}  // namespace

namespace multi_axis {

std::unique_ptr<Truth> MakeTruth(const Case& c) {
  if (c.operation == "multi_axis.sections") return std::make_unique<SectionsTruth>(c);
  if (c.operation == "multi_axis.sincos_2d") return std::make_unique<SincosTruth>(c);
  if (c.operation == "multi_axis.factorized") return std::make_unique<FactorizedTruth>(c);
  if (c.operation == "multi_axis.window_index") return std::make_unique<IndexTruth>(c);
  if (c.operation == "multi_axis.window_bias") return std::make_unique<BiasTruth>(c);
  if (axes::IsMixed(c)) return std::make_unique<MixedTruth>(c);
  return std::make_unique<AxialTruth>(c);
}

}  // namespace multi_axis
}  // namespace gnomon::reference
