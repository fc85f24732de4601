// The idea: an angle is a sum of two doubles (real_angle.h); what the test of its rounding cannot
// decide (angles beyond 2^20, near a zero, or exactly one) is asked of integers, where rational
// multiples of pi are reduced in turns, exactly. Nothing here is wide enough for vectors to matter:
// the kernel is one plain loop, the same on every target.
#include "gnomon/optimized/sinusoidal_real.h"

#include <cmath>
#include <optional>

#include "gnomon/optimized/exact_angle.h"
#include "gnomon/optimized/formats.h"
#include "gnomon/optimized/real_angle.h"

namespace gnomon::optimized {
namespace {

using gnomon::sinusoidal::FourierLayout;
using gnomon::sinusoidal::Nerf;
using gnomon::sinusoidal::NerfColumn;
using gnomon::sinusoidal::Timestep;

// Quarter turns, known within `error`: the whole ones are exact.
std::optional<Near> NearQuarters(Two q, double error) {
  if (!(std::fabs(q.hi) < kLargest)) return std::nullopt;
  const double k = std::rint(q.hi);
  const Two rest = Sum(q.hi - k, q.lo);
  if (std::fabs(rest.hi) < kSmallest || error > std::fabs(rest.hi) * 0x1p-46) return std::nullopt;
  const Two angle = Times(rest, kHalfPi);
  return Turned(static_cast<int64_t>(k), angle.hi + angle.lo);
}

// SIN-21, SIN-22. q / denominator quarter turns.
PairBits RoundQuarters(const Dyadic& q, uint64_t denominator, Format format) {
  // n / d, d > 0, as k + r with 0 <= r < 1.
  const cpp_int n = ShiftLeft(q.n, std::max<int64_t>(q.exponent, 0));
  const cpp_int d = ShiftLeft(cpp_int(denominator), std::max<int64_t>(-q.exponent, 0));
  cpp_int k, r;
  divide_qr(n, d, k, r);
  if (r < 0) r += d, --k;
  if (2 * r > d) r -= d, ++k;
  const bool negative = r < 0;
  const cpp_int rest = abs(r);
  const uint64_t one = EncodeBits(format, 1.0), sign = SignBit(format);
  PairBits at{one, 0};
  if (!rest.is_zero()) {
    const int64_t log2 = BitLength(rest) - BitLength(d) + 2;
    at = RoundCosSin(
        [&](int64_t bits) {
          const cpp_int low = PiInUnits(bits) * rest / (2 * d);
          return std::pair<cpp_int, cpp_int>(low - 1, low + 2);
        },
        negative, log2, format);
  }
  const int quarter = static_cast<int>(((k % 4) + 4) % 4);
  switch (quarter) {
    case 0:
      return at;
    case 1:
      return {at.second ^ sign, at.first};
    case 2:
      return {at.first ^ sign, at.second ^ sign};
    default:
      return {at.second, at.first ^ sign};
  }
}

// A frequency or a scale to two doubles: within 2^-100.
Two ToTwo(const ExactFrequency& w) {
  if (w.sign() == 0) return {};
  const Enclosure m = w.Magnitude(128);
  const int64_t shift = BitLength(m.low) - 53;
  const cpp_int top = m.low >> static_cast<unsigned>(shift);
  const cpp_int rest = m.low - (top << static_cast<unsigned>(shift));
  const int e = static_cast<int>(std::clamp<int64_t>(m.exponent, -4000, 4000));
  const double hi = std::ldexp(static_cast<double>(top), e + static_cast<int>(shift));
  return Sum(w.sign() * hi, w.sign() * std::ldexp(static_cast<double>(rest), e));
}

// SIN-20, or a plain product: a b t, t not 0.
PairBits RoundProduct(const ExactFrequency& a, const ExactFrequency& b, double t, Format format) {
  if (a.sign() == 0) return {EncodeBits(format, 1.0), 0};
  Dyadic time = ToDyadic(t);
  const bool negative = (a.sign() < 0) != (time.n < 0);
  time.n = abs(time.n);
  const int64_t log2 = a.log2() + b.log2() + 2 + BitLength(time.n) + time.exponent;
  return RoundCosSin(
      [&](int64_t bits) {
        const int64_t relative = std::max<int64_t>(bits + log2, 0) + 16;
        const Enclosure x = a.Magnitude(relative), y = b.Magnitude(relative);
        const int64_t shift = x.exponent + y.exponent + time.exponent + bits;
        return std::pair<cpp_int, cpp_int>(ShiftLeft(cpp_int(x.low * y.low * time.n), shift),
                                           ShiftLeft(cpp_int(x.high * y.high * time.n), shift) + 1);
      },
      negative, log2, format);
}

void RequireOutput(const std::string& role, const TensorView& view, const Shape& shape) {
  if (view.shape != shape)
    throw Rejected(role, "rank " + std::to_string(view.rank()), "has another shape", "CASE-4");
  if (view.dtype != DType::kF32 && view.dtype != DType::kBf16 && view.dtype != DType::kF16)
    throw Rejected(role, std::string(Name(view.dtype)), "must be F32, BF16 or F16", "FORMAT-1");
}

class Rows {
 public:
  explicit Rows(const TensorView& view) : view_(view), format_(FormatOf(view.dtype)) {}
  Format format() const { return format_; }
  void Store(int64_t row, int64_t column, uint64_t bits) const {
    StoreBits(
        view_.dtype,
        view_.data + (row * view_.strides[0] + column * view_.strides[1]) * SizeOf(view_.dtype),
        bits);
  }

 private:
  TensorView view_;
  Format format_;
};

}  // namespace

void TimestepTable(const Timestep& p, const ConstTensorView& timesteps, const TensorView& pe) {
  RequireOutput("pe", pe, {timesteps.shape.at(0), p.width});
  const Rows out(pe);
  std::vector<int64_t> numerators;
  for (int64_t i = 0; i < p.pairs(); ++i) numerators.push_back(i);
  const std::vector<ExactFrequency> w =
      ExactFrequency::Powers(p.max_period, numerators, p.pairs() - p.shift);
  const ExactFrequency scale = ExactFrequency::Given(p.scale);
  std::vector<Two> factors;
  for (const ExactFrequency& one : w) factors.push_back(Times(ToTwo(scale), ToTwo(one)));
  std::vector<int64_t> sines(w.size()), cosines(w.size());
  for (int64_t column = 0; column < 2 * p.pairs(); ++column) {
    const SinusoidalColumn c = p.Column(column);
    (c.kind == SinusoidalColumn::kSine ? sines : cosines)[static_cast<size_t>(c.pair)] = column;
  }
  for (int64_t row = 0; row < timesteps.shape[0]; ++row) {
    const double t = ValueAt(timesteps, row);
    for (size_t i = 0; i < w.size(); ++i) {
      const bool tame = std::fabs(t) < 0x1p200 && std::fabs(factors[i].hi) < 0x1p200 &&
                        std::fabs(factors[i].hi) > 0x1p-200;
      const PairBits at = RoundAngle(tame ? NearRadians(Times(factors[i], {t, 0})) : std::nullopt,
                                     out.format(), [&]() -> PairBits {
                                       if (t == 0) return {EncodeBits(out.format(), 1.0), 0};
                                       return RoundProduct(scale, w[i], t, out.format());
                                     });
      out.Store(row, cosines[i], at.first);
      out.Store(row, sines[i], at.second);
    }
    if (p.width % 2 != 0) out.Store(row, p.width - 1, 0);
  }
}

void FourierFeatures(FourierLayout layout, const ConstTensorView& x, const ConstTensorView& B,
                     const TensorView& features) {
  const int64_t h = B.shape.at(0), coordinates = B.shape.at(1);
  RequireOutput("features", features, {x.shape.at(0), 2 * h});
  const Rows out(features);
  const int64_t sines = layout == FourierLayout::kSinCos ? 0 : h, cosines = h - sines;
  for (int64_t point = 0; point < x.shape[0]; ++point)
    for (int64_t feature = 0; feature < h; ++feature) {
      Two quarters;
      double sizes = 0;
      bool plain = true;  // no product over- or underflows
      for (int64_t i = 0; i < coordinates; ++i) {
        const Two one =
            Product(4 * ValueAt(B, feature * coordinates + i), ValueAt(x, point * coordinates + i));
        quarters = Plus(quarters, one);
        sizes += std::fabs(one.hi);
        plain &= one.hi == 0 || std::fabs(one.hi) > kSmallest;
      }
      const double error = static_cast<double>(coordinates) * sizes * 0x1p-98;
      const PairBits at = RoundAngle(
          plain && sizes > 0 ? NearQuarters(quarters, error) : std::nullopt, out.format(), [&] {
            Dyadic exact;
            for (int64_t i = 0; i < coordinates; ++i)
              exact = exact + ToDyadic(ValueAt(B, feature * coordinates + i)) *
                                  ToDyadic(ValueAt(x, point * coordinates + i));
            exact.exponent += 2;
            return RoundQuarters(exact, 1, out.format());
          });
      out.Store(point, cosines + feature, at.first);
      out.Store(point, sines + feature, at.second);
    }
}

void NerfFeatures(const Nerf& p, const ConstTensorView& x, const TensorView& features) {
  const int64_t coordinates = x.shape.at(1);
  const int64_t columns = coordinates * (2 * p.octaves + (p.include_input ? 1 : 0));
  RequireOutput("features", features, {x.shape[0], columns});
  const Rows out(features);
  const bool pi = p.unit == Nerf::Unit::kPi;
  const ExactFrequency one = ExactFrequency::Given(Number(1));
  std::vector<ExactFrequency> factors;
  for (int64_t k = 0; k < p.octaves; ++k)
    factors.push_back(ExactFrequency::Given(Number(static_cast<double>(p.Numerator(k)))));
  for (int64_t point = 0; point < x.shape[0]; ++point)
    for (int64_t column = 0; column < columns; ++column) {
      const NerfColumn c = gnomon::sinusoidal::ColumnOf(p, coordinates, column);
      const int64_t number = point * coordinates + c.coordinate;
      const double v = ValueAt(x, number);
      if (c.kind == NerfColumn::kInput) {
        out.Store(point, column,
                  x.dtype == features.dtype
                      ? BitsAt(x, number)
                      : EncodeBits(out.format(), RoundToFormat(out.format(), v)));
        continue;
      }
      // Numerators are below 2^36 or powers of two, so doubles.
      const double n = static_cast<double>(p.Numerator(c.octave));
      const double d = static_cast<double>(p.Denominator());
      std::optional<Near> near;
      if (std::fabs(v) < 0x1p200 && std::fabs(v) > 0x1p-200) {
        const Two product = Product(pi ? 2 * v : v, n);
        const double quotient = product.hi / d;
        const Two angle = Sum(quotient, (std::fma(-quotient, d, product.hi) + product.lo) / d);
        near = pi ? NearQuarters(angle, p.Denominator() == 1 ? 0 : std::fabs(quotient) * 0x1p-100)
                  : NearRadians(angle);
      }
      const PairBits at = RoundAngle(near, out.format(), [&]() -> PairBits {
        if (v == 0) return {EncodeBits(out.format(), 1.0), 0};
        Dyadic exact = ToDyadic(v) * ToDyadic(n);
        if (pi) {
          exact.exponent += 1;
          return RoundQuarters(exact, p.Denominator(), out.format());
        }
        if (p.Denominator() == 1)
          return RoundProduct(factors[static_cast<size_t>(c.octave)], one, v, out.format());
        const cpp_int size = abs(exact.n);
        return RoundCosSin(
            [&](int64_t bits) {
              const int64_t shift = exact.exponent + bits;
              const cpp_int low = ShiftLeft(size, std::max<int64_t>(shift, 0)) /
                                  ShiftLeft(cpp_int(p.Denominator()), std::max<int64_t>(-shift, 0));
              return std::pair<cpp_int, cpp_int>(low, low + 1);
            },
            exact.n < 0, BitLength(size) + exact.exponent, out.format());
      });
      out.Store(point, column, c.kind == NerfColumn::kSine ? at.second : at.first);
    }
}

}  // namespace gnomon::optimized
