// The truths of rope.frequencies (rope_scaling.frequencies too), rope.table and rope.apply.
#include "gnomon/reference/rope.h"

#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <tuple>

#include "gnomon/reference/angle_terms.h"
#include "gnomon/reference/certify.h"
#include "gnomon/reference/rope_magnitude.h"
#include "gnomon/reference/rope_xpos.h"
#include "gnomon/reference/truth.h"

namespace gnomon::reference {
namespace {

namespace contract = gnomon::rope_scaling;

// Remembered beyond the case, for each precision: suites ask the same parameters many times over,
// and a power costs more than all else of a small case.
Interval RememberedFrequency(const RopeFrequencies& f, int64_t pair) {
  if (!f.frequencies.empty() || f.scaled()) return Frequency<Interval>(f, pair);
  using Key = std::tuple<double, std::string, int64_t, int64_t, unsigned>;
  constexpr size_t kMost = 4096;
  thread_local std::map<Key, Interval> known;
  const Key key(f.rope_theta.value, f.rope_theta.decimal, f.rotary_dim, pair,
                Interval::default_precision());
  const auto found = known.find(key);
  if (found != known.end()) return found->second;
  if (known.size() >= kMost) known.clear();
  return known.emplace(key, Frequency<Interval>(f, pair)).first->second;
}

AngleTerms TermsOf(const RopeFrequencies& f, Format format) {
  if (f.scaled())
    return AngleTerms([f](int64_t pair) { return Frequency<Interval>(f, pair); },
                      [](int64_t pair) { return AngleOrigin{2 * pair}; },
                      [f, format](int64_t pair) { return CountsOf(f, pair, format); });
  return AngleTerms([f](int64_t pair) { return RememberedFrequency(f, pair); },
                    [f, log_base = LogBaseUpperBound(f.rope_theta),
                     inexact = IsInexact(f.rope_theta)](int64_t pair) {
                      if (!f.frequencies.empty())
                        return GivenOrigin(f.frequencies[static_cast<size_t>(pair)], pair);
                      return AngleOrigin{2 * pair, f.rotary_dim, log_base, false, pair, inexact};
                    });
}

// SCALE-13. t, where tables or results are multiplied by it; absent where it is 1.
class MagnitudeOf {
 public:
  MagnitudeOf(const RopeScaling& scaling, bool applied, Format format)
      : scaling_(scaling), mu_(contract::MagnitudeCount(scaling, format)) {
    if (!applied) return;
    ScopedPrecision precision(kFirstPrecision);
    const Interval t = Magnitude<Interval>(scaling);
    nearest_ = Midpoint(t);
    there_ = !(IsPoint(t) && nearest_ == 1);
  }
  explicit operator bool() const { return there_; }
  double nearest() const { return nearest_; }
  double mu() const { return mu_; }
  int roundings() const { return there_ ? 1 + static_cast<int>(mu_) : 0; }  // SCALE-18
  const RopeScaling& scaling() const { return scaling_; }
  const Interval& Value() const {
    if (precision_ != Interval::default_precision()) {
      value_ = there_ ? Magnitude<Interval>(scaling_) : Interval(1);
      precision_ = Interval::default_precision();
    }
    return value_;
  }

 private:
  RopeScaling scaling_;
  double mu_, nearest_ = 1;
  bool there_ = false;
  mutable unsigned precision_ = 0;
  mutable Interval value_;
};

class FrequenciesTruth : public Truth {
 public:
  explicit FrequenciesTruth(const Case& c)
      : format_(c.format), f_(gnomon::rope::ReadFrequencies(c)), terms_(TermsOf(f_, c.format)) {}
  Interval Value(int, int64_t pair) const override { return terms_.At(1, pair).frequency; }
  Interval Bound(int, int64_t pair, const Profile& profile) const override {
    if (f_.scaled())
      return contract::ScaledFrequencyBound<Interval>(profile, format_, abs(Value(0, pair)),
                                                      terms_.CountsOf(pair));
    return FrequencyBound(profile, format_, abs(Value(0, pair)), terms_.OriginOf(pair));
  }
  Interval Size(int, int64_t pair) const override { return abs(Value(0, pair)); }
  Interval Scale(int, int64_t pair) const override { return abs(Value(0, pair)); }
  Place Where(int, int64_t pair) const override { return {std::nullopt, pair}; }
  std::vector<Step> Steps(int, int64_t pair) const override {
    if (!f_.scaled()) return {{"w", Value(0, pair)}};
    const Interval w = UnscaledFrequency<Interval>(f_, pair);
    return {{"w", w}, {"w' / w", Value(0, pair) / w}, {"w'", Value(0, pair)}};
  }

 private:
  Format format_;
  RopeFrequencies f_;
  AngleTerms terms_;
};

// rope.table: output 0 holds cosines, output 1 sines; [batch, seq, pair].
class TableTruth : public Truth {
 public:
  explicit TableTruth(const Case& c)
      : format_(c.format),
        f_(gnomon::rope::ReadFrequencies(c)),
        positions_(c.inputs.at("positions").view()),
        terms_(TermsOf(f_, c.format)),
        t_(f_.scaling, f_.scaling.ScalesTables(), c.format) {}

  Interval Value(int output, int64_t element) const override {
    const AngleTerm& term = Term(element);
    const Interval& v = output == 0 ? term.cos : term.sin;
    return t_ ? Interval(t_.Value() * v) : v;
  }
  Interval Bound(int output, int64_t element, const Profile& profile) const override {
    const AngleTerm& term = Term(element);
    const Interval D = terms_.Error(profile, format_, Position(element), element % f_.pairs());
    const Interval slope = output == 0 ? term.sin : term.cos;
    return TableBound<Interval>(format_, Value(output, element), t_ ? t_.Value() * slope : slope, D,
                                t_.roundings(), t_.nearest(), profile.flushes);
  }
  Interval Size(int, int64_t) const override { return t_.Value(); }
  Interval Scale(int output, int64_t element) const override { return abs(Value(output, element)); }
  Place Where(int, int64_t element) const override {
    return {Position(element), element % f_.pairs()};
  }
  std::vector<Step> Steps(int, int64_t element) const override {
    const AngleTerm& term = Term(element);
    std::vector<Step> steps = {
        {"w", term.frequency}, {"m w", term.angle}, {"cos", term.cos}, {"sin", term.sin}};
    if (t_) steps.push_back({"t", t_.Value()});
    return steps;
  }
  bool Quick(int output, int64_t element, const Profiles& profiles,
             QuickElement* q) const override {
    if (format_ == Format::kF64) return false;
    const int64_t position = Position(element), pair = element % f_.pairs();
    const QuickAngle& angle = terms_.QuickAt(position, pair);
    if (!angle.usable) return false;
    const double t = t_.nearest();
    const double v = t * (output == 0 ? angle.cos : angle.sin);
    const double slope = t * (output == 0 ? angle.sin : angle.cos);
    q->value = v;
    q->radius = std::abs(v) * (t_ ? 0x1p-51 : 0x1p-52);
    q->unit = std::abs(v);
    q->size = t;
    q->place = {position, pair};
    const auto D = terms_.QuickErrors(profiles, format_, position, pair, angle.angle);
    for (size_t i = 0; i < profiles.size(); ++i)
      q->bound[i] =
          TableBound<double>(format_, v, slope, D[i], t_.roundings(), t, profiles[i].flushes);
    return true;
  }

 private:
  int64_t Position(int64_t element) const { return IntegerAt(positions_, element / f_.pairs()); }
  const AngleTerm& Term(int64_t element) const {
    return terms_.At(Position(element), element % f_.pairs());
  }
  Format format_;
  RopeFrequencies f_;
  ConstTensorView positions_;
  AngleTerms terms_;
  MagnitudeOf t_;
};

// What one element of rope.apply is made of; the pair by its layout (ROPE-2).
struct Member {
  int64_t pair = 0;
  int member = 0;           // 0: x_a c - x_b s, 1: x_a s + x_b c
  double a = 0, b = 0;      // the pair of x
  int64_t row = 0;          // of positions, cos, sin: batch * seq + seq, or seq
  bool copied = false;      // outside the window
  int64_t copied_from = 0;  // offset in x, of such a dim; any sign, as strides may be negative
  int64_t same_member = 0;  // offset in x of the same member of the pair
};

class ApplyTruth : public Truth {
 public:
  explicit ApplyTruth(const Case& c)
      : format_(c.format),
        a_(gnomon::rope::ReadApply(c)),
        x_(c.inputs.at("x").view()),
        terms_(TermsOf(a_.frequencies, c.format)),
        t_(a_.frequencies.scaling, a_.frequencies.scaling.ScalesRotation(), c.format) {
    given_ = c.inputs.count("cos") > 0;
    if (given_) {
      cos_ = c.inputs.at("cos").view();
      sin_ = c.inputs.at("sin").view();
    } else {
      positions_ = c.inputs.at("positions").view();
    }
    const Shape& rows = given_ ? cos_.shape : positions_.shape;
    per_batch_ = rows.size() == (given_ ? 3u : 2u) && rows[0] != 1;
  }

  Expectation Expect(int, int64_t element) const override {
    const Member m = At(element);
    if (m.copied) return {Expectation::kCopy, BitsOfX(m.copied_from)};
    if (given_) {
      const double c = ValueAt(cos_, TableIndex(m)), s = ValueAt(sin_, TableIndex(m));
      if (std::isfinite(m.a) && std::isfinite(m.b) && std::isfinite(c) && std::isfinite(s))
        return {};
      return {Expectation::kNonFinite, 0, ExtendedReal(m, c, s)};
    }
    if (std::isfinite(m.a) && std::isfinite(m.b)) return {};
    const int64_t position = IntegerAt(positions_, m.row);
    const auto signs = Certify([&] {
      const AngleTerm& term = terms_.At(position, m.pair);
      const auto sign = [](const Interval& v) {
        if (IsPoint(v) && v == 0) return 0.0;
        return Less(v, Interval(0)) ? -1.0 : 1.0;
      };
      return Pair<double>{sign(term.cos), sign(term.sin)};
    });
    Expectation e{Expectation::kNonFinite, 0, ExtendedReal(m, signs->a, signs->b)};
    if (signs->b == 0 && !t_) e.or_bits = BitsOfX(m.same_member);
    return e;
  }

  Interval Value(int, int64_t element) const override {
    const Member m = At(element);
    const Pair<Interval> table = Table(m);
    const Pair<Interval> y =
        Rotate<Interval>({Interval(m.a), Interval(m.b)}, table.a, table.b, a_.direction);
    return m.member == 0 ? y.a : y.b;
  }
  // ROPE-12 with the d of the tables (BOUND-2).
  Interval Bound(int, int64_t element, const Profile& profile) const override {
    const Member m = At(element);
    const Interval size = abs(Interval(m.a)) + abs(Interval(m.b));
    const Interval D =
        given_ ? Interval(0) : terms_.Error(profile, format_, IntegerAt(positions_, m.row), m.pair);
    const Pair<Interval> S = Sums(m);
    const Pair<Interval> table = Table(m);
    const Interval turn = abs(table.a) + abs(table.b);
    if (t_)
      return contract::ScaledRotationBound<Interval>(
          profile, format_, t_.scaling(), t_.mu(), t_.nearest(), Value(0, element), S.a, S.b,
          t_.Value() * size, D, TableErrorOf(profile),
          UnderflowOfInputs<Interval>(profile, format_, TableFormat(profile), t_.Value() * size,
                                      turn));
    return RotationBound(profile, format_, Value(0, element), S.a, S.b, size, D,
                         TableErrorOf(profile),
                         UnderflowOfInputs(profile, format_, TableFormat(profile), size, turn));
  }
  Interval Size(int, int64_t element) const override {
    const Member m = At(element);
    const Pair<Interval> S = Sums(m);
    return given_ ? Interval(S.a + S.b)
                  : Interval(t_.Value() *
                             sqrt(Interval(m.a) * Interval(m.a) + Interval(m.b) * Interval(m.b)));
  }
  Interval Scale(int, int64_t element) const override { return Sums(At(element)).a; }

  bool NonFiniteIsOpen(int, int64_t element, const Profile& profile) const override {
    if (profile.correctly_rounded) return false;
    const Member m = At(element);
    if (given_) return MayLeaveTheRange(m, profile);
    if (std::isfinite(m.a) && std::isfinite(m.b)) return false;
    const int64_t position = IntegerAt(positions_, m.row);
    const Format tables = FormatAt(profile.tables, format_);
    const auto open = Certify([&] {
      return SignIsOpen(terms_.At(position, m.pair),
                        terms_.Error(profile, format_, position, m.pair), tables, profile.flushes);
    });
    return open.value_or(false);
  }

  bool Quick(int, int64_t element, const Profiles& profiles, QuickElement* q) const override;

  Place Where(int, int64_t element) const override {
    const Member m = At(element);
    Place place;
    if (!given_) place.position = IntegerAt(positions_, m.row);
    if (!m.copied) place.pair = m.pair;
    return place;
  }
  std::vector<Step> Steps(int, int64_t element) const override;

 private:
  // The head that an element belongs to: elements are mostly asked for in order.
  struct Head {
    int64_t first = std::numeric_limits<int64_t>::min() / 2;  // number of its first element
    int64_t start = 0;                                        // offset in x
    int64_t row = 0;                                          // of positions, cos, sin
  };
  Head HeadOf(int64_t element) const;
  Member At(int64_t element) const;
  uint64_t BitsOfX(int64_t offset) const {
    return LoadBits(x_.dtype, x_.data + offset * SizeOf(x_.dtype));
  }
  int64_t TableIndex(const Member& m) const { return m.row * a_.frequencies.pairs() + m.pair; }

  Pair<Interval> Table(const Member& m) const {
    if (given_)
      return {Interval(ValueAt(cos_, TableIndex(m))), Interval(ValueAt(sin_, TableIndex(m)))};
    const AngleTerm& term = terms_.At(IntegerAt(positions_, m.row), m.pair);
    if (t_) return {t_.Value() * term.cos, t_.Value() * term.sin};  // SCALE-13
    return {term.cos, term.sin};
  }
  // S and S' of this member (BOUND-5).
  Pair<Interval> Sums(const Member& m) const {
    const Pair<Interval> t = Table(m);
    const Interval a = abs(Interval(m.a)), b = abs(Interval(m.b)), c = abs(t.a), s = abs(t.b);
    const Interval first = a * c + b * s, second = a * s + b * c;
    return m.member == 0 ? Pair<Interval>{first, second} : Pair<Interval>{second, first};
  }
  double TableErrorOf(const Profile& profile) const {
    return given_ ? GivenTableError(profile, format_, FormatOf(cos_.dtype))
                  : TableError(profile, format_);
  }
  Format TableFormat(const Profile& profile) const {
    return given_ ? FormatOf(cos_.dtype) : FormatAt(profile.tables, format_);
  }
  // ROPE-7: IEEE rules on extended reals; only the signs of finite factors matter.
  double ExtendedReal(const Member& m, double c, double s) const {
    const auto sign = [](double v) {
      return std::isfinite(v) ? static_cast<double>(v > 0) - static_cast<double>(v < 0) : v;
    };
    const Pair<double> y = Rotate<double>({sign(m.a), sign(m.b)}, sign(c), sign(s), a_.direction);
    return m.member == 0 ? y.a : y.b;
  }
  // ROPE-7, ROPE-9 of given tables: a table, or a product of finite numbers, may leave the range of
  // the arithmetic above; or what meets an infinity may become 0 in it.
  bool MayLeaveTheRange(const Member& m, const Profile& profile) const {
    double c = ValueAt(cos_, TableIndex(m)), s = ValueAt(sin_, TableIndex(m));
    if (m.member == 1) std::swap(c, s);  // this member is made of a c and b s
    const Format arithmetic = FormatAt(profile.arithmetic, format_);
    const Format tables = FormatOf(cos_.dtype);
    const double largest = LargestFinite(arithmetic), more = 1 + TableErrorOf(profile);
    const auto lost = [&](double v, Format held) {
      const double least = profile.flushes
                               ? std::max(SmallestNormal(held), SmallestNormal(arithmetic))
                               : ExactPowerOfTwo(Traits(arithmetic).min_quantum_exponent);
      return v != 0 && std::abs(v) < least;
    };
    const auto open = [&](double x, double table) {
      if (std::isinf(x)) return lost(table, tables);
      if (std::isinf(table)) return lost(x, format_);
      return std::abs(table) > largest || std::abs(x * table) * more > largest;
    };
    return open(m.a, c) || open(m.b, s);
  }

  Format format_;
  RopeApply a_;
  ConstTensorView x_, positions_, cos_, sin_;
  bool given_ = false, per_batch_ = false;
  mutable Head head_;
  AngleTerms terms_;
  MagnitudeOf t_;
};

ApplyTruth::Head ApplyTruth::HeadOf(int64_t element) const {
  const int64_t number = element / x_.shape[3], head = number % x_.shape[2];
  const int64_t token = number / x_.shape[2];  // batch * seq + seq
  const int64_t batch = token / x_.shape[1], seq = token % x_.shape[1];
  const int64_t start = batch * x_.strides[0] + seq * x_.strides[1] + head * x_.strides[2];
  return {number * x_.shape[3], start, per_batch_ ? token : seq};
}

Member ApplyTruth::At(int64_t element) const {
  if (element < head_.first || element >= head_.first + x_.shape[3]) head_ = HeadOf(element);
  const int64_t dim = element - head_.first, start = head_.start;
  Member m;
  m.row = head_.row;
  if (!a_.InWindow(dim)) {
    m.copied = true;
    m.copied_from = start + dim * x_.strides[3];
    return m;
  }
  std::tie(m.pair, m.member) = a_.PairAt(a_.output_layout, dim);
  const auto value = [&](int64_t offset) { return DecodeBits(format_, BitsOfX(offset)); };
  const int64_t at_a = start + a_.Dim(a_.input_layout, m.pair, 0) * x_.strides[3];
  const int64_t at_b = start + a_.Dim(a_.input_layout, m.pair, 1) * x_.strides[3];
  m.a = value(at_a);
  m.b = value(at_b);
  m.same_member = m.member == 0 ? at_a : at_b;
  return m;
}

bool ApplyTruth::Quick(int, int64_t element, const Profiles& profiles, QuickElement* q) const {
  if (format_ == Format::kF64) return false;
  const Member m = At(element);
  if (m.copied || !std::isfinite(m.a) || !std::isfinite(m.b)) return false;
  double c, s, angle = 0;
  if (given_) {
    if (cos_.dtype == DType::kF64 || sin_.dtype == DType::kF64) return false;
    c = ValueAt(cos_, TableIndex(m));
    s = ValueAt(sin_, TableIndex(m));
    if (!std::isfinite(c) || !std::isfinite(s)) return false;
  } else {
    const int64_t position = IntegerAt(positions_, m.row);
    const QuickAngle& near = terms_.QuickAt(position, m.pair);
    if (!near.usable) return false;
    c = t_.nearest() * near.cos;
    s = t_.nearest() * near.sin;
    angle = near.angle;
    q->place.position = position;
  }
  q->place.pair = m.pair;
  if (a_.direction == RopeDirection::kTranspose) s = -s;
  const double ac = m.a * c, bs = m.b * s, as = m.a * s, bc = m.b * c;
  const double first = std::abs(ac) + std::abs(bs), second = std::abs(as) + std::abs(bc);
  const double S = m.member == 0 ? first : second, S_turned = m.member == 0 ? second : first;
  q->value = m.member == 0 ? ac - bs : as + bc;
  // Each product errs by 2 roundings of 2^-53 (table, product), the sum by one more: 3 x 2^-53 S.
  // A magnitude adds its own and that of its product. What is left of 4 and of 8 is for products
  // of these, for cos and sin not quite rounded (QuickAngle), and for the radius itself.
  const double t = t_.nearest();
  q->radius = S * (t_ ? 0x1p-50 : 0x1p-51) + (S > 0 ? 0x1p-1000 : 0);
  q->unit = S;
  q->size = given_ ? first + second : t * std::sqrt(m.a * m.a + m.b * m.b);
  const double size = t * (std::abs(m.a) + std::abs(m.b)), turn = std::abs(c) + std::abs(s);
  std::array<double, kProfiles.size()> D{};
  if (!given_) D = terms_.QuickErrors(profiles, format_, *q->place.position, m.pair, angle);
  for (size_t i = 0; i < profiles.size(); ++i) {
    const Profile& profile = profiles[i];
    const double inputs = UnderflowOfInputs(profile, format_, TableFormat(profile), size, turn);
    q->bound[i] = t_ ? contract::ScaledRotationBound<double>(
                           profile, format_, t_.scaling(), t_.mu(), t, q->value, S, S_turned, size,
                           D[i], TableErrorOf(profile), inputs)
                     : RotationBound<double>(profile, format_, q->value, S, S_turned, size, D[i],
                                             TableErrorOf(profile), inputs);
  }
  return true;
}

std::vector<Step> ApplyTruth::Steps(int, int64_t element) const {
  const Member m = At(element);
  if (m.copied) return {{"x", Interval(DecodeBits(format_, BitsOfX(m.copied_from)))}};
  std::vector<Step> steps;
  if (!given_) {
    const AngleTerm& term = terms_.At(IntegerAt(positions_, m.row), m.pair);
    steps = {{"w", term.frequency}, {"m w", term.angle}};
    if (t_) steps.push_back({"t", t_.Value()});
  }
  const Pair<Interval> table = Table(m), S = Sums(m);
  for (const Step& step : std::vector<Step>{{"cos", table.a},
                                            {"sin", table.b},
                                            {"x_a", Interval(m.a)},
                                            {"x_b", Interval(m.b)},
                                            {"S", S.a},
                                            {"S'", S.b}})
    steps.push_back(step);
  return steps;
}

}  // namespace

namespace rope {

std::unique_ptr<Truth> MakeTruth(const Case& c) {
  if (c.operation == "rope.frequencies" || c.operation == "rope_scaling.frequencies")
    return std::make_unique<FrequenciesTruth>(c);
  if (c.operation == "rope.table") return std::make_unique<TableTruth>(c);
  if (c.operation == "rope.xpos") return MakeXposTruth(c);
  return std::make_unique<ApplyTruth>(c);
}

}  // namespace rope
}  // namespace gnomon::reference
