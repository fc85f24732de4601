// Cases of rope.xpos, and how far an answer may be from the truth (XPOS-6).
#include <algorithm>
#include <cmath>

#include "gnomon/properties/rope_cases.h"
#include "gnomon/properties/rope_xpos.h"

namespace gnomon::properties::rope {
namespace {

Xpos Read(const Case& c) { return gnomon::rope::ReadXpos(c); }

// XPOS-6 in the norm form.
class XposTolerance : public Tolerance {
 public:
  XposTolerance(const Profile& promise, const Case& c)
      : promise_(promise),
        format_(c.format),
        p_(Read(c)),
        x_(c.inputs.at("x").view()),
        positions_(c.inputs.at("positions").view()) {}

  double Bound(int, int64_t element) const override {
    if (!p_.apply.InWindow(element % x_.shape[3])) return 0;
    const Pair pair = PairOf(element);
    const double z = ScaleUp(pair), length = z * std::hypot(pair.a, pair.b) * kEvaluated;
    if (promise_.correctly_rounded) return OneRounding(format_, length);
    const double size = z * (std::abs(pair.a) + std::abs(pair.b)) * kEvaluated;
    const RopeFrequencies& f = p_.apply.frequencies;
    const double D = promise_.angle == AngleForm::kExact
                         ? 0
                         : AngleBound(promise_,
                                      OriginOf(f.rope_theta, f.frequencies, 2 * pair.number,
                                               f.rotary_dim, pair.number),
                                      FrequencySize(f.rope_theta, f.frequencies, 2 * pair.number,
                                                    f.rotary_dim, pair.number),
                                      pair.position, format_);
    const double K =
        gnomon::rope::ScaleRoundings(promise_.angle, p_, pair.position, pair.number, format_);
    return gnomon::rope::XposBound<double>(promise_, format_, K, z, length, length, length, size,
                                           D) *
           kEvaluated;
  }
  double Size(int, int64_t element) const override {
    if (!p_.apply.InWindow(element % x_.shape[3])) return 0;
    const Pair pair = PairOf(element);
    return ScaleUp(pair) * std::hypot(pair.a, pair.b);
  }

 private:
  struct Pair {
    int64_t position, number;
    double a, b;
  };
  Pair PairOf(int64_t element) const {
    const int64_t dims = x_.shape[3], head = element / dims * dims;
    const int64_t number = p_.apply.PairAt(p_.apply.output_layout, element % dims).first;
    const int64_t token = element / (x_.shape[2] * dims);
    return {IntegerAt(positions_, token % positions_.count()), number,
            ValueAt(x_, head + p_.apply.Dim(p_.apply.input_layout, number, 0)),
            ValueAt(x_, head + p_.apply.Dim(p_.apply.input_layout, number, 1))};
  }
  // XPOS-1, rounded up: a power of binary64 errs by less than 2^-44 here.
  double ScaleUp(const Pair& pair) const {
    return std::pow(
               static_cast<double>(p_.Numerator(pair.number)) /
                   static_cast<double>(p_.Denominator()),
               static_cast<double>(p_.Steps(pair.position)) / static_cast<double>(p_.scale_base)) *
           kEvaluated;
  }

  Profile promise_;
  Format format_;
  Xpos p_;
  ConstTensorView x_, positions_;
};

}  // namespace

std::unique_ptr<Tolerance> MakeXposTolerance(const Profile& promise, const Case& c) {
  return std::make_unique<XposTolerance>(promise, c);
}

Case DrawXpos(Trial& trial, const XposDraw& draw) {
  Source& source = trial.source();
  Draw rotation;
  rotation.numbers = draw.numbers ? *draw.numbers : DrawTame(source);
  rotation.memory = draw.memory;
  rotation.output_layout = rotation.direction = !draw.one_layout;
  rotation.position_limit = int64_t{1} << 20;
  Case c = DrawApply(trial, rotation);
  c.operation = "rope.xpos";
  const Limits limits = trial.limits(c.operation);
  c.parameters["role"] = kXposRoleNames[static_cast<size_t>(source.Below(2))];
  const int64_t base = source.Pick<int64_t>({512, 16, 100, 4096, 3, 1, 1 << 20});
  if (base != 512 || source.Chance(1, 2)) c.parameters["scale_base"] = static_cast<double>(base);
  // The centre lies near the first position, and the others near the centre: a few powers of zeta
  // off, now and then as many as there may be.
  const auto distance = [&] {
    const int64_t most = source.Chance(1, 6) ? draw.reach : std::min<int64_t>(draw.reach, 2);
    const int64_t size =
        source.Chance(1, 4) ? base * source.Below(most + 1) : source.Below(most * base + 1);
    return source.Chance(1, 2) ? size : -size;
  };
  Tensor& positions = c.inputs.at("positions");
  const int64_t first = positions.count() > 0 ? positions.Integer(0) : 0;
  const int64_t center = std::clamp(source.Chance(1, 4) ? first : first - distance(),
                                    -gnomon::rope::kMaxCenter, gnomon::rope::kMaxCenter);
  c.parameters["center"] = static_cast<double>(center);
  for (int64_t i = 1; i < positions.count(); ++i)
    if (std::abs(positions.Integer(i) - center) > draw.reach * base)
      positions.SetInteger(i, limits.position(center + distance()));
  FitParameters(limits, c.operation, source, &c.parameters);
  trial.RequireInside(Outside(limits, c).empty());
  const Xpos p = Read(c);
  for (int64_t i = 0; i < positions.count(); ++i)
    trial.RequireInside(std::abs(positions.Integer(i) - p.center) <= draw.reach * p.scale_base);
  return c;
}

void ForEachXposPair(const Case& c, RopeLayout layout,
                     const std::function<void(int64_t, int64_t, int64_t, int64_t)>& f) {
  const RopeApply a = Read(c).apply;
  const Shape& shape = c.inputs.at("x").shape();
  const Tensor& positions = c.inputs.at("positions");
  for (int64_t head = 0; head < shape[0] * shape[1] * shape[2]; ++head)
    for (int64_t i = 0; i < a.frequencies.pairs(); ++i)
      f(positions.Integer(head / shape[2] % positions.count()), i,
        head * shape[3] + a.Dim(layout, i, 0), head * shape[3] + a.Dim(layout, i, 1));
}

Case WithCenter(const Case& c, int64_t center) {
  return WithParameter(c, "center", static_cast<double>(center));
}

std::vector<CaseSource> XposCases() {
  const auto source = [](const std::string& name, CaseKind kind, const XposDraw& draw) {
    return CaseSource{"rope.xpos." + name, "rope.xpos", kind,
                      [draw](Trial& t) { return DrawXpos(t, draw); }};
  };
  XposDraw plain, memory, special, wide;
  memory.memory = true;
  special.numbers = Numbers::kSpecial;
  wide.numbers = Numbers::kWide;
  return {source("plain", CaseKind::kPlain, plain), source("memory", CaseKind::kMemory, memory),
          source("special", CaseKind::kSpecial, special), source("wide", CaseKind::kSpecial, wide)};
}

}  // namespace gnomon::properties::rope
