#include "gnomon/optimized/sinusoidal.h"

#include <gtest/gtest.h>

#include <cmath>

#include "gnomon/optimized/kernel_cases.h"
#include "gnomon/optimized/mpfr_truth.h"

namespace gnomon::optimized {
namespace {

using testing::Between;
using testing::Guarded;
using testing::Mpfr;
using testing::Random;

constexpr Format kFormats16And32[] = {Format::kF32, Format::kBf16, Format::kF16};
const Profile& kStandardProfile = kProfiles[*ProfileFromName("standard")];

Case RandomTable(Random& random, Format format, bool even) {
  Case c;
  c.format = format;
  const int64_t width = even ? 2 * Between(random, 1, 70) : Between(random, 1, 140);
  c.parameters["width"] = static_cast<double>(width);
  c.parameters["layout"] = kSinusoidalLayoutNames[random() % 3];
  c.parameters["divisor"] = kSinusoidalDivisorNames[random() % 2];
  c.parameters["odd_width"] = kOddWidthNames[random() % 2];
  if (random() % 2) c.parameters["base"] = 5e5;
  return c;
}

Tensor RandomPositions(Random& random, int64_t count) {
  Tensor positions = testing::Strided(random, random() % 2 ? DType::kI32 : DType::kI64, {count},
                                      false, random() % 2);
  const int64_t first = Between(random, -(int64_t{1} << 31), (int64_t{1} << 31) - count);
  for (int64_t i = 0; i < count; ++i)
    positions.SetInteger(i, random() % 9 ? first + i : Between(random, -3, 3));
  return positions;
}

struct Sines {
  double cos, sin;
  uint64_t cos_bits, sin_bits;
};
Sines At(const SinusoidalTable& t, int64_t position, int64_t pair, Format format) {
  const Mpfr w = Mpfr::Power(t.base, t.ExponentNumerator(pair), t.ExponentDenominator(), 200);
  const auto v = testing::CosSin(w, position, 150);
  return {mpfr_get_d(v.cos.get(), MPFR_RNDN), mpfr_get_d(v.sin.get(), MPFR_RNDN),
          v.cos.Bits(format), v.sin.Bits(format)};
}
double Of(const Sines& v, SinusoidalColumn::Kind kind) {
  return kind == SinusoidalColumn::kSine ? v.sin : kind == SinusoidalColumn::kCosine ? v.cos : 0;
}

class SinusoidalTest : public ::testing::Test {
 protected:
  ~SinusoidalTest() override { UseTarget(""); }
  static Guarded Answer(Random& random, const Case& c, const std::string& role) {
    Guarded out(
        testing::Strided(random, DTypeOf(c.format), Validate(c)[0].shape, false, random() % 2));
    out.Fence();
    optimized::Run(c, {{role, out.tensor().view()}});
    return out;
  }
};

// SIN-4: correctly rounded where scale is 1, within BOUND-4 otherwise.
TEST_F(SinusoidalTest, Table) {
  Random random(31);
  for (const std::string& target : Targets()) {
    UseTarget(target);
    for (int i = 0; i < 30; ++i) {
      const Format format = kFormats16And32[i % 3];
      Case c = RandomTable(random, format, false);
      c.operation = "sinusoidal.table";
      if (i % 4 == 3) c.parameters["scale"] = -0.37;
      c.inputs["positions"] = RandomPositions(random, 37);
      Guarded pe = Answer(random, c, "pe");
      ASSERT_TRUE(pe.Intact());
      const SinusoidalTable t = gnomon::sinusoidal::ReadTable(c);
      const double scale = t.scale.value;
      for (int64_t at = 0; at < pe.tensor().count(); at += 3) {
        const int64_t m = c.inputs.at("positions").Integer(at / t.width);
        const SinusoidalColumn column = t.Column(at % t.width);
        const double got = pe.tensor().Value(at);
        if (column.kind == SinusoidalColumn::kZero || m == 0) {
          ASSERT_EQ(
              std::fabs(got),
              std::fabs(RoundToFormat(format, scale * (column.kind == SinusoidalColumn::kCosine))));
          continue;
        }
        const Sines v = At(t, m, column.pair, format);
        if (scale == 1) {
          ASSERT_EQ(BitsAt(pe.tensor().view(), at),
                    column.kind == SinusoidalColumn::kSine ? v.sin_bits : v.cos_bits)
              << target << " width " << t.width << " position " << m << " column " << at % t.width;
        } else {
          const double truth = scale * Of(v, column.kind);
          ASSERT_LE(std::fabs(got - truth), TableBound<double>(format, truth, 0, 0, 2, scale))
              << target;
        }
      }
    }
  }
}

// The layouts whose halves a kernel writes straight into the table, past the cache too.
TEST_F(SinusoidalTest, TableInHalvesIsTheInterleavedOneReordered) {
  for (const std::string& target : Targets()) {
    UseTarget(target);
    Case c;
    c.operation = "sinusoidal.table";
    c.parameters["width"] = 512.0;
    Tensor positions(DType::kI64, {1500});  // 3 MiB
    for (int64_t i = 0; i < 1500; ++i) positions.SetInteger(i, 3 * i / 2);
    c.inputs["positions"] = positions;
    std::vector<Outputs> answers;
    for (const std::string& layout : kSinusoidalLayoutNames) {
      c.parameters["layout"] = layout;
      answers.push_back(MakeOutputs(c));
      optimized::Run(c, {{"pe", answers.back().at("pe").view()}});
    }
    const auto bits = [&](size_t layout, int64_t row, int64_t column) {
      return BitsAt(answers[layout].at("pe").view(), row * 512 + column);
    };
    for (int64_t row = 0; row < 1500; row += 7)
      for (int64_t pair = 0; pair < 256; ++pair) {
        ASSERT_EQ(bits(0, row, 2 * pair), bits(1, row, pair));
        ASSERT_EQ(bits(0, row, 2 * pair), bits(2, row, 256 + pair));
        ASSERT_EQ(bits(0, row, 2 * pair + 1), bits(1, row, 256 + pair));
      }
  }
}

// SIN-5, in place and not; token_scale a number or sqrt_width.
TEST_F(SinusoidalTest, Add) {
  Random random(32);
  for (const std::string& target : Targets()) {
    UseTarget(target);
    for (int i = 0; i < 24; ++i) {
      const Format format = kFormats16And32[i % 3];
      Case c = RandomTable(random, format, false);
      c.operation = "sinusoidal.add";
      if (i % 4 == 1) c.parameters["token_scale"] = std::string("sqrt_width");
      if (i % 4 == 2) c.parameters["token_scale"] = 0.3;
      const SinusoidalTable t = gnomon::sinusoidal::ReadAdd(c).table;
      Tensor x = testing::Strided(random, DTypeOf(format), {2, 35, t.width}, true, random() % 2);
      testing::FillValues(random, &x);
      c.inputs["x"] = x;
      c.inputs["positions"] = RandomPositions(random, 35);
      Guarded y(testing::Strided(random, x.dtype(), x.shape(), false, random() % 2));
      if (i % 2) {
        for (int64_t at = 0; at < x.count(); ++at)
          y.tensor().SetBits(at, BitsAt(static_cast<const Tensor&>(x).view(), at));
        c.inputs["x"] = y.tensor();
        c.in_place = "x";
      }
      y.Fence();
      optimized::Run(c, {{"y", y.tensor().view()}});
      ASSERT_TRUE(y.Intact());
      const double factor = i % 4 == 1   ? std::sqrt(static_cast<double>(t.width))
                            : i % 4 == 2 ? 0.3
                                         : 1;
      for (int64_t at = 0; at < x.count(); at += 5) {
        const SinusoidalColumn column = t.Column(at % t.width);
        double pe = 0;
        if (column.kind != SinusoidalColumn::kZero)
          pe = Of(At(t, c.inputs.at("positions").Integer(at / t.width % 35), column.pair, format),
                  column.kind);
        const double scaled = factor * x.Value(at), truth = scaled + pe;
        const double bound = gnomon::sinusoidal::AddBound<double>(
            kStandardProfile, format, truth, std::fabs(scaled), pe,
            TableBound<double>(Format::kF32, pe, 0, 0, 0, 1), factor != 1);
        ASSERT_LE(std::fabs(y.tensor().Value(at) - truth), bound)
            << target << " case " << i << " at " << at;
      }
    }
  }
}

// SIN-6, SIN-7.
TEST_F(SinusoidalTest, Matrices) {
  Random random(33);
  for (const std::string& target : Targets()) {
    UseTarget(target);
    for (int i = 0; i < 18; ++i) {
      const Format format = kFormats16And32[i % 3];
      Case c = RandomTable(random, format, true);
      c.parameters["offset"] = static_cast<double>(Between(random, 1, (int64_t{1} << 31) - 1));
      c.operation = i % 2 ? "sinusoidal.relative_head" : "sinusoidal.shift_matrix";
      if (i % 2) c.parameters["gain"] = 2.7;
      Guarded matrix = Answer(random, c, "matrix");
      ASSERT_TRUE(matrix.Intact());
      const gnomon::sinusoidal::MatrixParameters p = gnomon::sinusoidal::ReadMatrix(c);
      const double gain = i % 2 ? 2.7 : 1;
      for (int64_t row = 0; row < p.table.width; ++row)
        for (int64_t column = 0; column < p.table.width; ++column) {
          const SinusoidalColumn r = p.table.Column(row), s = p.table.Column(column);
          const double got = matrix.tensor().Value(row * p.table.width + column);
          if (r.pair != s.pair) {
            ASSERT_EQ(got, 0);
            continue;
          }
          const Sines v = At(p.table, p.offset, r.pair, format);
          const double truth = gain * (r.kind == s.kind                    ? v.cos
                                       : r.kind == SinusoidalColumn::kSine ? v.sin
                                                                           : -v.sin);
          ASSERT_LE(std::fabs(got - truth),
                    TableBound<double>(format, truth, 0, 0, gain == 1 ? 0 : 2, gain))
              << target;
          if (gain == 1 && r.kind == s.kind) {
            ASSERT_EQ(BitsAt(matrix.tensor().view(), row * p.table.width + column), v.cos_bits);
          }
        }
    }
  }
}

// SIN-8, SIN-9.
TEST_F(SinusoidalTest, SimilarityAndDistance) {
  Random random(34);
  for (const std::string& target : Targets()) {
    UseTarget(target);
    for (int i = 0; i < 18; ++i) {
      const Format format = kFormats16And32[i % 3];
      Case c = RandomTable(random, format, true);
      c.operation = i % 2 ? "sinusoidal.distance" : "sinusoidal.similarity";
      if (i % 4 > 1) c.parameters["scale"] = 1.5;
      c.inputs["m"] = RandomPositions(random, 5);
      c.inputs["n"] = RandomPositions(random, 7);
      c.inputs["n"].SetInteger(0, c.inputs["m"].Integer(0));
      Guarded values = Answer(random, c, "values");
      ASSERT_TRUE(values.Intact());
      const SinusoidalTable t = gnomon::sinusoidal::ReadTable(c);
      const double scale = t.scale.value;
      for (int64_t at = 0; at < 35; ++at) {
        const int64_t apart = c.inputs["m"].Integer(at / 7) - c.inputs["n"].Integer(at % 7);
        gnomon::sinusoidal::PairwiseBound<double> bound(kStandardProfile, format, t.width,
                                                        scale != 1);
        double dot = 0, squares = 0;
        for (int64_t pair = 0; pair < t.pairs(); ++pair) {
          const Sines v = At(t, apart, pair, format);
          bound.AddPair(v.cos, v.sin, 0, 0);
          dot += v.cos;
          squares += 2 - 2 * v.cos;
        }
        const double truth =
            i % 2 ? scale * std::sqrt(std::max(squares, 0.0)) : scale * scale * dot;
        const double allowed =
            i % 2 ? bound.OfDistance(truth, scale) : bound.OfSimilarity(truth, scale);
        ASSERT_LE(std::fabs(values.tensor().Value(at) - truth), allowed)
            << target << " case " << i << " at " << at;
        if (i % 2 && apart == 0) {
          ASSERT_EQ(values.tensor().Value(at), 0);
        }
      }
    }
  }
}

}  // namespace
}  // namespace gnomon::optimized
