// The idea: an angle is a sum of products in quarter turns, and rows of them go through the vector
// kernel (real_rows.h); what the test of its rounding leaves open (arguments beyond its range, sums
// that cancel, zeros of a sine) is asked of integers, where rational multiples of pi are reduced in
// turns, exactly.
#include "gnomon/optimized/sinusoidal_real.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "gnomon/optimized/exact_angle.h"
#include "gnomon/optimized/formats.h"
#include "gnomon/optimized/real_angle.h"
#include "gnomon/optimized/real_rows.h"

namespace gnomon::optimized {
namespace {

using gnomon::sinusoidal::FourierLayout;
using gnomon::sinusoidal::Nerf;
using gnomon::sinusoidal::NerfColumn;
using gnomon::sinusoidal::Timestep;

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

// a b in quarter turns a unit, to two doubles: within 2^-103. Both parts are cut off.
Two QuartersOf(const ExactFrequency& a, const ExactFrequency& b) {
  if (a.sign() == 0 || b.sign() == 0) return {};
  constexpr int64_t kBits = 160;
  const Enclosure x = a.Magnitude(kBits), y = b.Magnitude(kBits);
  // x y 2 / pi: 2^kBits / (pi 2^kBits) takes kBits off again.
  const cpp_int q = ((x.low * y.low) << static_cast<unsigned>(kBits + 1)) / PiInUnits(kBits);
  const int64_t drop = BitLength(q) - 53, lower = drop - 53;
  const cpp_int top = q >> static_cast<unsigned>(drop);
  const cpp_int rest = (q - (top << static_cast<unsigned>(drop))) >> static_cast<unsigned>(lower);
  const int64_t e = std::clamp<int64_t>(x.exponent + y.exponent + lower, -4000, 4000);
  const double sign = a.sign() * b.sign();
  const Two quarters = Sum(sign * std::ldexp(static_cast<double>(top), static_cast<int>(e) + 53),
                           sign * std::ldexp(static_cast<double>(rest), static_cast<int>(e)));
  if (quarters.hi == 0) return {std::numeric_limits<double>::quiet_NaN(), 0};  // beyond doubles
  return quarters;
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
    StoreBits(view_.dtype, At(row, column), bits);
  }
  // The cosine and the sine of angle i, whose exact bits are exact().
  template <class Exact>
  void StorePair(int64_t row, int64_t cosine, int64_t sine, const RealRow& from, size_t i,
                 const Exact& exact) const {
    if (format_ == Format::kF32 && from.open[i] == 0) {
      std::memcpy(At(row, cosine), from.cos.data() + i, sizeof(float));
      std::memcpy(At(row, sine), from.sin.data() + i, sizeof(float));
      return;
    }
    const PairBits at = from.Bits(i, format_, exact);
    Store(row, cosine, at.first);
    Store(row, sine, at.second);
  }
  // `count` cosines from column `cosines` on, and sines, of angles whose exact bits are exact(i).
  template <class Exact>
  void StoreRun(int64_t row, int64_t cosines, int64_t sines, int64_t count, const RealRow& from,
                bool any_open, const Exact& exact) const {
    if (format_ == Format::kF32 && view_.strides[1] == 1 && !any_open) {
      const size_t bytes = static_cast<size_t>(count) * sizeof(float);
      std::memcpy(At(row, cosines), from.cos.data(), bytes);
      std::memcpy(At(row, sines), from.sin.data(), bytes);
      return;
    }
    for (int64_t i = 0; i < count; ++i)
      StorePair(row, cosines + i, sines + i, from, static_cast<size_t>(i),
                [&] { return exact(i); });
  }

 private:
  std::byte* At(int64_t row, int64_t column) const {
    return view_.data + (row * view_.strides[0] + column * view_.strides[1]) * SizeOf(view_.dtype);
  }

  TensorView view_;
  Format format_;
};

}  // namespace

namespace {

// What a timestep is multiplied with. Takes long to set up, beside a small call.
struct TimestepFactors {
  explicit TimestepFactors(const Timestep& p)
      : scale(ExactFrequency::Given(p.scale)), quarters(static_cast<size_t>(p.pairs())) {
    std::vector<int64_t> numerators;
    for (int64_t i = 0; i < p.pairs(); ++i) numerators.push_back(i);
    w = ExactFrequency::Powers(p.max_period, numerators, p.pairs() - p.shift);
    for (size_t i = 0; i < w.size(); ++i) quarters.Set(i, QuartersOf(scale, w[i]));
  }
  ExactFrequency scale;
  std::vector<ExactFrequency> w;
  QuarterFactors quarters;
};
// Thread-safe; keeps a few sets.
std::shared_ptr<const TimestepFactors> CachedFactors(const Timestep& p) {
  static std::mutex mutex;
  static std::map<std::string, std::shared_ptr<const TimestepFactors>> known;
  const std::string key = std::to_string(p.pairs()) + " " + std::to_string(p.shift) + " " +
                          ToText(p.max_period) + " " + ToText(p.scale);
  {
    const std::lock_guard<std::mutex> lock(mutex);
    const auto found = known.find(key);
    if (found != known.end()) return found->second;
  }
  auto made = std::make_shared<const TimestepFactors>(p);
  const std::lock_guard<std::mutex> lock(mutex);
  if (known.size() >= 64) known.clear();
  known.emplace(key, made);
  return made;
}

}  // namespace

void TimestepTable(const Timestep& p, const ConstTensorView& timesteps, const TensorView& pe) {
  RequireOutput("pe", pe, {timesteps.shape.at(0), p.width});
  const Rows out(pe);
  const auto cached = CachedFactors(p);
  const QuarterFactors& factors = cached->quarters;
  const int64_t h = p.pairs(), sines = p.Column(0).kind == SinusoidalColumn::kSine ? 0 : h;
  RealRow angles(factors.padded());
  for (int64_t row = 0; row < timesteps.shape[0]; ++row) {
    const double t = ValueAt(timesteps, row);
    const bool open = angles.Fill({{&t, 0, factors.high(), factors.low(), 1}});
    out.StoreRun(row, h - sines, sines, h, angles, open, [&](int64_t i) -> PairBits {
      if (t == 0) return {EncodeBits(out.format(), 1.0), 0};
      return RoundProduct(cached->scale, cached->w[static_cast<size_t>(i)], t, out.format());
    });
    if (p.width % 2 != 0) out.Store(row, p.width - 1, 0);
  }
}

void FourierFeatures(FourierLayout layout, const ConstTensorView& x, const ConstTensorView& B,
                     const TensorView& features) {
  const int64_t h = B.shape.at(0), coordinates = B.shape.at(1);
  RequireOutput("features", features, {x.shape.at(0), 2 * h});
  const Rows out(features);
  const int64_t sines = layout == FourierLayout::kSinCos ? 0 : h, cosines = h - sines;
  // [coordinate][feature], in quarter turns.
  std::vector<QuarterFactors> factors;
  for (int64_t i = 0; i < coordinates; ++i) {
    factors.emplace_back(static_cast<size_t>(h));
    for (int64_t feature = 0; feature < h; ++feature)
      factors.back().Set(static_cast<size_t>(feature),
                         {4 * ValueAt(B, feature * coordinates + i), 0});
  }
  RealRow angles(PaddedPairs(static_cast<size_t>(h)));
  std::vector<double> at(static_cast<size_t>(coordinates));
  std::vector<RealTerm> terms;
  for (size_t i = 0; i < at.size(); ++i)
    terms.push_back({&at[i], 0, factors[i].high(), nullptr, 1});
  for (int64_t point = 0; point < x.shape[0]; ++point) {
    for (size_t i = 0; i < at.size(); ++i)
      at[i] = ValueAt(x, point * coordinates + static_cast<int64_t>(i));
    const bool open = angles.Fill(terms);
    out.StoreRun(point, cosines, sines, h, angles, open, [&](int64_t feature) {
      Dyadic exact;
      for (int64_t i = 0; i < coordinates; ++i)
        exact = exact + ToDyadic(ValueAt(B, feature * coordinates + i)) *
                            ToDyadic(at[static_cast<size_t>(i)]);
      exact.exponent += 2;
      return RoundQuarters(exact, 1, out.format());
    });
  }
}

void NerfFeatures(const Nerf& p, const ConstTensorView& x, const TensorView& features) {
  const int64_t coordinates = x.shape.at(1);
  const int64_t columns = coordinates * (2 * p.octaves + (p.include_input ? 1 : 0));
  RequireOutput("features", features, {x.shape[0], columns});
  const Rows out(features);
  const bool pi = p.unit == Nerf::Unit::kPi;
  const ExactFrequency one = ExactFrequency::Given(Number(1));
  const double d = static_cast<double>(p.Denominator());
  std::vector<ExactFrequency> exact_factors;
  QuarterFactors factors(static_cast<size_t>(p.octaves));
  // Numerators are below 2^36 or powers of two, so doubles.
  for (int64_t k = 0; k < p.octaves; ++k) {
    const double n = static_cast<double>(p.Numerator(k)), quotient = n / d;
    const Two factor = Sum(quotient, std::fma(-quotient, d, n) / d);
    exact_factors.push_back(ExactFrequency::Given(Number(n)));
    factors.Set(static_cast<size_t>(k),
                pi ? Two{2 * factor.hi, 2 * factor.lo} : QuartersOf(factor));
  }
  const auto exact = [&](double v, int64_t octave) -> PairBits {
    if (v == 0) return {EncodeBits(out.format(), 1.0), 0};
    Dyadic product = ToDyadic(v) * ToDyadic(static_cast<double>(p.Numerator(octave)));
    if (pi) {
      product.exponent += 1;
      return RoundQuarters(product, p.Denominator(), out.format());
    }
    if (p.Denominator() == 1)
      return RoundProduct(exact_factors[static_cast<size_t>(octave)], one, v, out.format());
    const cpp_int size = abs(product.n);
    return RoundCosSin(
        [&](int64_t bits) {
          const int64_t shift = product.exponent + bits;
          const cpp_int low = ShiftLeft(size, std::max<int64_t>(shift, 0)) /
                              ShiftLeft(cpp_int(p.Denominator()), std::max<int64_t>(-shift, 0));
          return std::pair<cpp_int, cpp_int>(low, low + 1);
        },
        product.n < 0, BitLength(size) + product.exponent, out.format());
  };
  // Where the sine and the cosine of an octave of a coordinate go.
  std::vector<int64_t> inputs(static_cast<size_t>(coordinates), -1);
  std::vector<int64_t> sines(static_cast<size_t>(coordinates * p.octaves)), cosines = sines;
  for (int64_t column = 0; column < columns; ++column) {
    const NerfColumn c = gnomon::sinusoidal::ColumnOf(p, coordinates, column);
    const size_t at = static_cast<size_t>(c.octave * coordinates + c.coordinate);
    if (c.kind == NerfColumn::kInput) {
      inputs[static_cast<size_t>(c.coordinate)] = column;
    } else {
      (c.kind == NerfColumn::kSine ? sines : cosines)[at] = column;
    }
  }
  // The numbers of some points side by side.
  const int64_t points = std::max<int64_t>(1, 128 / std::max<int64_t>(coordinates, 1));
  RealRow angles(PaddedPairs(static_cast<size_t>(points * coordinates)));
  std::vector<double> numbers(angles.padded, 0.0);
  for (int64_t first = 0; first < x.shape[0]; first += points) {
    const int64_t count = std::min(points, x.shape[0] - first);
    for (int64_t i = 0; i < count * coordinates; ++i) {
      const int64_t number = first * coordinates + i;
      const double v = numbers[static_cast<size_t>(i)] = ValueAt(x, number);
      const int64_t column = inputs[static_cast<size_t>(i % coordinates)];
      if (column >= 0)
        out.Store(number / coordinates, column,
                  x.dtype == features.dtype
                      ? BitsAt(x, number)
                      : EncodeBits(out.format(), RoundToFormat(out.format(), v)));
    }
    for (int64_t k = 0; k < p.octaves; ++k) {
      angles.Fill({{numbers.data(), 1, factors.high() + k,
                    factors.exact() ? nullptr : factors.low() + k, 0}});
      for (int64_t point = 0; point < count; ++point)
        for (int64_t c = 0; c < coordinates; ++c) {
          const size_t i = static_cast<size_t>(point * coordinates + c);
          const size_t column = static_cast<size_t>(k * coordinates + c);
          out.StorePair(first + point, cosines[column], sines[column], angles, i,
                        [&] { return exact(numbers[i], k); });
        }
    }
  }
}

}  // namespace gnomon::optimized
