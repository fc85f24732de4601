// The truth of rope.xpos: that of rope.apply times the scale (XPOS-3).
#include "gnomon/reference/rope_xpos.h"

#include <cmath>
#include <tuple>
#include <utility>

#include "gnomon/reference/angle_terms.h"
#include "gnomon/reference/certify.h"
#include "gnomon/reference/remembered.h"
#include "gnomon/reference/rope.h"

namespace gnomon::reference {
namespace {

class XposTruth : public Truth {
 public:
  explicit XposTruth(const Case& c)
      : format_(c.format),
        p_(gnomon::rope::ReadXpos(c)),
        x_(c.inputs.at("x").view()),
        positions_(c.inputs.at("positions").view()),
        terms_([this](int64_t pair) { return Frequency<Interval>(f(), pair); },
               [this, log_base = LogBaseUpperBound(f().rope_theta),
                inexact = IsInexact(f().rope_theta)](int64_t pair) {
                 if (!f().frequencies.empty())
                   return GivenOrigin(f().frequencies[static_cast<size_t>(pair)], pair);
                 return AngleOrigin{2 * pair, f().rotary_dim, log_base, false, pair, inexact};
               }) {}

  // XPOS-4.
  Expectation Expect(int, int64_t element) const override {
    const Member m = At(element);
    if (m.copied) return {Expectation::kCopy, BitsOfX(m.offset)};
    if (std::isfinite(m.a) && std::isfinite(m.b)) return {};
    const auto signs = Certify([&] {
      const AngleTerm& term = terms_.At(m.position, m.pair);
      const auto sign = [](const Interval& v) {
        if (IsPoint(v) && v == 0) return 0.0;
        return Less(v, Interval(0)) ? -1.0 : 1.0;
      };
      return Pair<double>{sign(term.cos), sign(term.sin)};
    });
    const auto factor = [](double v) {  // only the signs of finite factors matter
      return std::isfinite(v) ? static_cast<double>(v > 0) - static_cast<double>(v < 0) : v;
    };
    const Pair<double> y =
        Rotate<double>({factor(m.a), factor(m.b)}, signs->a, signs->b, p_.apply.direction);
    return {Expectation::kNonFinite, 0, m.member == 0 ? y.a : y.b};
  }

  Interval Value(int, int64_t element) const override {
    const Member m = At(element);
    const AngleTerm& term = terms_.At(m.position, m.pair);
    const Pair<Interval> y =
        Rotate<Interval>({Interval(m.a), Interval(m.b)}, term.cos, term.sin, p_.apply.direction);
    return ScaleAt(m) * (m.member == 0 ? y.a : y.b);
  }
  // XPOS-6.
  Interval Bound(int, int64_t element, const Profile& profile) const override {
    const Member m = At(element);
    const Interval z = ScaleAt(m);
    const Pair<Interval> S = Sums(m);
    return gnomon::rope::XposBound<Interval>(profile, format_, Roundings(m, profile), z,
                                             Value(0, element), S.a, S.b, z * SizeOf(m),
                                             terms_.Error(profile, format_, m.position, m.pair));
  }
  Interval Size(int, int64_t element) const override {
    const Member m = At(element);
    const Interval a(m.a), b(m.b);
    return ScaleAt(m) * sqrt(a * a + b * b);
  }
  Interval Scale(int, int64_t element) const override { return Sums(At(element)).a; }

  bool NonFiniteIsOpen(int, int64_t element, const Profile& profile) const override {
    if (profile.correctly_rounded) return false;
    const Member m = At(element);
    const auto finite = [](double v) { return std::isfinite(v) ? std::abs(v) : 0; };
    const auto scale = Certify([&] { return Midpoint(Narrow(ScaleAt(m))); });
    if (gnomon::rope::XposMayOverflow(profile, format_, Roundings(m, profile), scale.value(),
                                      finite(m.a) + finite(m.b)))
      return true;
    if (std::isfinite(m.a) && std::isfinite(m.b)) return false;
    // ROPE-7: the sign of a table entry that the bound does not decide, or that the scale makes 0.
    const Format tables = FormatAt(profile.tables, format_);
    const auto open = Certify([&] {
      const Interval lost = 2 * (1 + 1 / ScaleAt(m)) * Underflow<Interval>(tables, profile.flushes);
      return SignIsOpen(terms_.At(m.position, m.pair),
                        terms_.Error(profile, format_, m.position, m.pair), tables, profile.flushes,
                        lost);
    });
    return open.value_or(false);
  }

  Place Where(int, int64_t element) const override {
    const Member m = At(element);
    Place place;
    place.position = m.position;
    if (!m.copied) place.pair = m.pair;
    return place;
  }
  std::vector<Step> Steps(int, int64_t element) const override {
    const Member m = At(element);
    if (m.copied) return {{"x", Interval(DecodeBits(format_, BitsOfX(m.offset)))}};
    const AngleTerm& term = terms_.At(m.position, m.pair);
    const Pair<Interval> S = Sums(m);
    return {{"w", term.frequency},
            {"m w", term.angle},
            {"zeta", Interval(p_.Numerator(m.pair)) / Interval(p_.Denominator())},
            {"scale", ScaleAt(m)},
            {"cos", term.cos},
            {"sin", term.sin},
            {"x_a", Interval(m.a)},
            {"x_b", Interval(m.b)},
            {"S", S.a},
            {"S'", S.b}};
  }

 private:
  // What one element is made of (ROPE-2, ROPE-5).
  struct Member {
    int64_t position = 0, pair = 0;
    int member = 0;
    double a = 0, b = 0;  // the pair of x
    bool copied = false;
    int64_t offset = 0;  // in x, of a dim that is copied
  };
  const RopeFrequencies& f() const { return p_.apply.frequencies; }
  uint64_t BitsOfX(int64_t offset) const {
    return LoadBits(x_.dtype, x_.data + offset * gnomon::SizeOf(x_.dtype));
  }
  // XPOS-1.
  Interval ScaleAt(const Member& m) const {
    return scales_.At({m.position, m.pair},
                      [&] { return ScaleOf<Interval>(p_, m.position, m.pair); });
  }
  static Interval SizeOf(const Member& m) { return abs(Interval(m.a)) + abs(Interval(m.b)); }
  // XPOS-5.
  double Roundings(const Member& m, const Profile& profile) const {
    return gnomon::rope::ScaleRoundings(profile.angle, p_, m.position, m.pair, format_);
  }
  // S and S' of this member (BOUND-5), times the scale.
  Pair<Interval> Sums(const Member& m) const {
    const AngleTerm& term = terms_.At(m.position, m.pair);
    const Interval z = ScaleAt(m);
    const Interval a = abs(Interval(m.a)), b = abs(Interval(m.b));
    const Interval c = abs(term.cos), s = abs(term.sin);
    const Interval first = z * (a * c + b * s), second = z * (a * s + b * c);
    return m.member == 0 ? Pair<Interval>{first, second} : Pair<Interval>{second, first};
  }
  Member At(int64_t element) const {
    const int64_t dim = element % x_.shape[3], number = element / x_.shape[3];
    const int64_t head = number % x_.shape[2], token = number / x_.shape[2];
    const int64_t batch = token / x_.shape[1], seq = token % x_.shape[1];
    const bool per_batch = positions_.rank() == 2 && positions_.shape[0] != 1;
    const int64_t start = batch * x_.strides[0] + seq * x_.strides[1] + head * x_.strides[2];
    Member m;
    m.position = IntegerAt(positions_, per_batch ? token : seq);
    m.copied = !p_.apply.InWindow(dim);
    m.offset = start + dim * x_.strides[3];
    if (m.copied) return m;
    std::tie(m.pair, m.member) = p_.apply.PairAt(p_.apply.output_layout, dim);
    const auto value = [&](int member) {
      return DecodeBits(
          format_,
          BitsOfX(start + p_.apply.Dim(p_.apply.input_layout, m.pair, member) * x_.strides[3]));
    };
    m.a = value(0);
    m.b = value(1);
    return m;
  }

  Format format_;
  Xpos p_;
  ConstTensorView x_, positions_;
  Remembered<std::pair<int64_t, int64_t>> scales_;  // by position and pair
  AngleTerms terms_;
};

}  // namespace

namespace rope {
std::unique_ptr<Truth> MakeXposTruth(const Case& c) { return std::make_unique<XposTruth>(c); }
}  // namespace rope

}  // namespace gnomon::reference
