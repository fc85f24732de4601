// Mode::kExact and given tables: every output correctly rounded (profile `rounded`).
#include <gtest/gtest.h>

#include <cmath>

#include "gnomon/optimized/frequencies.h"
#include "gnomon/optimized/kernel_cases.h"
#include "gnomon/optimized/mpfr_truth.h"

namespace gnomon::optimized {
namespace {

using testing::Mpfr;
using testing::Random;

constexpr Format kFormats16And32[] = {Format::kF32, Format::kBf16, Format::kF16};

// x0 c -+ x1 s, member 0 or 1, to 1200 bits: exact for doubles but for the widest spreads.
Mpfr Turned(const Mpfr& c, const Mpfr& s, double x0, double x1, int member) {
  Mpfr p(1200), q(1200);
  mpfr_mul_d(p.get(), (member ? s : c).get(), x0, MPFR_RNDN);
  mpfr_mul_d(q.get(), (member ? c : s).get(), x1, MPFR_RNDN);
  member ? mpfr_add(p.get(), p.get(), q.get(), MPFR_RNDN)
         : mpfr_sub(p.get(), p.get(), q.get(), MPFR_RNDN);
  return p;
}

void ExpectBits(const Tensor& y, int64_t at, const Mpfr& truth, const std::string& where) {
  const Format format = FormatOf(y.dtype());
  const uint64_t got = BitsAt(y.view(), at);
  if (mpfr_zero_p(truth.get())) {
    ASSERT_EQ(y.Value(at), 0) << where;  // either sign (ROPE-8)
  } else {
    ASSERT_EQ(got, truth.Bits(format)) << where;
  }
}

class RopeExactTest : public ::testing::Test {
 protected:
  ~RopeExactTest() override { UseTarget(""); }
};

// Random memory, layouts and windows, every target.
TEST_F(RopeExactTest, PositionsGiven) {
  Random random(21);
  for (const std::string& target : Targets()) {
    UseTarget(target);
    for (int i = 0; i < 12; ++i) {
      Case c = testing::RandomApply(random, kFormats16And32[i % 3]);
      const RopeApply a = gnomon::rope::ReadApply(c);
      Outputs out = MakeOutputs(c);
      optimized::Run(c, {{"y", out.at("y").view()}}, Mode::kExact);
      const Tensor &x = c.inputs.at("x"), &y = out.at("y"), &positions = c.inputs.at("positions");
      const int64_t seqs = x.shape()[1], heads = x.shape()[2], dims = x.shape()[3];
      for (int64_t pair = 0; pair < a.frequencies.pairs(); pair += 5) {
        const Mpfr w = Mpfr::Power(Number(10000), 2 * pair, a.frequencies.rotary_dim);
        for (int64_t head = 0; head < x.count() / dims; ++head) {
          const int64_t token = head / heads, base = head * dims;
          const int64_t m = positions.Integer(positions.count() == seqs ? token % seqs : token);
          const auto t = testing::CosSin(w, a.direction == RopeDirection::kTranspose ? -m : m, 200);
          const double x0 = x.Value(base + a.Dim(a.input_layout, pair, 0));
          const double x1 = x.Value(base + a.Dim(a.input_layout, pair, 1));
          for (int member : {0, 1})
            ExpectBits(y, base + a.Dim(a.output_layout, pair, member),
                       Turned(t.cos, t.sin, x0, x1, member),
                       target + " position " + std::to_string(m));
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

// Pairs whose two products agree to as many bits as the format allows, frequencies of every kind,
// and the design's own example. The forced tier gives the same bits.
TEST_F(RopeExactTest, CancellationAndExtremes) {
  Random random(22);
  const std::vector<Number> frequencies = {Number(1),    Number(0),  Number(1e-38),
                                           Number(-0.3), Number(50), Number("0.1")};
  RopeApply a;
  a.frequencies.frequencies = frequencies;
  a.frequencies.head_dim = a.frequencies.rotary_dim = 12;
  a.input_layout = a.output_layout = RopeLayout::kInterleaved;
  Tensor positions(DType::kI64, {6});
  const int64_t at[] = {1515, 0, -1, 2147483647, -(int64_t{1} << 31), 77};
  for (int64_t i = 0; i < 6; ++i) positions.SetInteger(i, at[i]);
  for (Format format : kFormats16And32) {
    Tensor x(DTypeOf(format), {1, 6, 8, 12});
    for (int64_t i = 0; i < x.count(); i += 2) {
      const int64_t pair = i % 12 / 2, token = i / 96;
      const auto t =
          testing::CosSin(Mpfr::Of(frequencies[static_cast<size_t>(pair)], 500), at[token], 100);
      const double size = std::ldexp(1.0 + static_cast<double>(random() % 1000) / 999,
                                     static_cast<int>(random() % 20) - 10);
      x.Set(i, size * mpfr_get_d(t.sin.get(), MPFR_RNDN));
      x.Set(i + 1, size * mpfr_get_d(t.cos.get(), MPFR_RNDN));
    }
    x.Set(0, 7312951);
    x.Set(1, 7813160);
    const Tensor &in = x, &m = positions;
    Tensor forced(DTypeOf(format), x.shape());
    RopePlan(a, std::make_shared<const Turns>(ExactFrequencies(a.frequencies), Tier::kExact))
        .Apply(in.view(), m.view(), forced.view(), Mode::kExact);
    for (const std::string& target : Targets()) {
      UseTarget(target);
      Tensor y(DTypeOf(format), x.shape());
      RopePlan(a).Apply(in.view(), m.view(), y.view(), Mode::kExact);
      for (int64_t i = 0; i < x.count(); ++i) {
        const int64_t pair = i % 12 / 2, token = i / 96, member = i % 2;
        const auto t =
            testing::CosSin(Mpfr::Of(frequencies[static_cast<size_t>(pair)], 500), at[token], 400);
        ExpectBits(y, i,
                   Turned(t.cos, t.sin, x.Value(i - member), x.Value(i - member + 1),
                          static_cast<int>(member)),
                   target + " element " + std::to_string(i));
        if (HasFatalFailure()) return;
        if (y.Value(i) == 0) continue;
        ASSERT_EQ(BitsAt(y.view(), i), BitsAt(forced.view(), i));
      }
    }
  }
}

// ROPE-4: tables of every format and any size, halfway cases included; both modes.
TEST_F(RopeExactTest, GivenTables) {
  Random random(23);
  const DType tables[] = {DType::kF64, DType::kF32, DType::kBf16, DType::kF16};
  const Profile& standard = kProfiles[*ProfileFromName("standard")];
  for (const std::string& target : Targets()) {
    UseTarget(target);
    for (int i = 0; i < 60; ++i) {
      const Format format = kFormats16And32[i % 3];
      const DType table = tables[i / 3 % 4];
      Case c = testing::RandomApply(random, format);
      const RopeApply a = gnomon::rope::ReadApply(c);
      const Tensor& x = c.inputs.at("x");
      const int64_t seqs = x.shape()[1], heads = x.shape()[2], dims = x.shape()[3],
                    pairs = a.frequencies.pairs();
      Shape shape{seqs, pairs};
      if (i % 2) shape.insert(shape.begin(), i % 4 == 1 ? 1 : x.shape()[0]);
      Tensor cos = testing::Strided(random, table, shape, true, i % 5 == 0);
      Tensor sin = testing::Strided(random, table, shape, true, i % 7 == 0);
      testing::FillValues(random, &cos);
      testing::FillValues(random, &sin);
      c.inputs.erase("positions");
      c.inputs["cos"] = cos;
      c.inputs["sin"] = sin;
      Outputs exact = MakeOutputs(c), plain = MakeOutputs(c);
      optimized::Run(c, {{"y", exact.at("y").view()}}, Mode::kExact);
      optimized::Run(c, {{"y", plain.at("y").view()}}, Mode::kStandard);
      for (int64_t head = 0; head < x.count() / dims; ++head) {
        const int64_t token = head / heads, base = head * dims;
        const int64_t row = cos.count() == seqs * pairs ? token % seqs : token;
        for (int64_t pair = 0; pair < pairs; pair += 3) {
          const Mpfr C = Mpfr::Of(Number(cos.Value(row * pairs + pair)));
          const Mpfr S = Mpfr::Of(Number((a.direction == RopeDirection::kTranspose ? -1 : 1) *
                                         sin.Value(row * pairs + pair)));
          const double x0 = x.Value(base + a.Dim(a.input_layout, pair, 0));
          const double x1 = x.Value(base + a.Dim(a.input_layout, pair, 1));
          for (int member : {0, 1}) {
            const Mpfr truth = Turned(C, S, x0, x1, member);
            const int64_t to = base + a.Dim(a.output_layout, pair, member);
            ExpectBits(exact.at("y"), to, truth, target + " case " + std::to_string(i));
            if (HasFatalFailure()) return;
            const double t = mpfr_get_d(truth.get(), MPFR_RNDN);
            const double c0 = mpfr_get_d((member ? S : C).get(), MPFR_RNDN),
                         c1 = mpfr_get_d((member ? C : S).get(), MPFR_RNDN);
            const double bound =
                RotationBound<double>(standard, format, t, std::fabs(x0 * c0) + std::fabs(x1 * c1),
                                      0, std::fabs(x0) + std::fabs(x1), 0,
                                      GivenTableError(standard, format, FormatOf(table)));
            ASSERT_LE(std::fabs(plain.at("y").Value(to) - t), bound) << target << " case " << i;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace gnomon::optimized
