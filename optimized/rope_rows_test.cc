// Rows that a plan keeps: found by the positions alone, and without a trace in any output (ROPE-3).
#include "gnomon/optimized/rope_rows.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <bit>
#include <cstring>
#include <thread>

#include "gnomon/optimized/frequencies.h"
#include "gnomon/optimized/kernel_cases.h"
#include "gnomon/optimized/rope.h"
#include "gnomon/optimized/tables.h"

namespace gnomon::optimized {
namespace {

using testing::Random;

RopeFrequencies Frequencies(int64_t dim, double theta) {
  RopeFrequencies f;
  f.head_dim = f.rotary_dim = dim;
  f.rope_theta = Number(theta);
  return f;
}

class RopeRowsTest : public ::testing::Test {
 protected:
  ~RopeRowsTest() override { UseTarget(""); }
};

// New, then made, then the same again; any other value, or one more or less, is new.
TEST_F(RopeRowsTest, TheKeyIsEveryPosition) {
  const Turns turns(ExactFrequencies(Frequencies(70, 10000)));
  const size_t padded = turns.padded();
  std::vector<int64_t> m(40);
  for (size_t i = 0; i < m.size(); ++i) m[i] = static_cast<int64_t>(i < 30 ? i : 7 * i) - 11;
  for (bool mirrored : {false, true}) {
    KeptRows kept;
    const auto of = [&](const std::vector<int64_t>& p, size_t count) {
      return kept.Of({turns}, mirrored, p.data(), count);
    };
    EXPECT_EQ(of(m, m.size()), nullptr);
    const KeptRows::Rows rows = of(m, m.size());
    ASSERT_NE(rows, nullptr);
    const std::vector<int64_t> elsewhere = m;
    EXPECT_EQ(of(elsewhere, m.size()), rows);
    AlignedArray<float> cos(padded), sin(padded);
    for (size_t row = 0; row < m.size(); ++row) {
      FillTable(turns, &m[row], 1, TableRows<float>{cos.data(), sin.data(), padded});
      for (size_t pair = 0; pair < turns.size(); ++pair) {
        const float *there = rows->data() + row * 2 * padded + pair,
                    sine = mirrored ? -sin[pair] : sin[pair];
        ASSERT_EQ(std::bit_cast<uint32_t>(there[0]), std::bit_cast<uint32_t>(cos[pair]));
        ASSERT_EQ(std::bit_cast<uint32_t>(there[padded]), std::bit_cast<uint32_t>(sine));
      }
    }
    for (size_t i = 0; i < m.size(); ++i) {
      std::vector<int64_t> other = m;
      other[i] += int64_t{1} << i % 32;
      EXPECT_EQ(of(other, m.size()), nullptr) << i;
      EXPECT_EQ(of(m, m.size()), nullptr) << i;
    }
    EXPECT_EQ(of(m, m.size() - 1), nullptr);
    EXPECT_EQ(of(m, m.size()), nullptr);
    EXPECT_NE(of(m, m.size()), nullptr);
  }
}

// What a plan that never saw the positions makes of them, in memory like y's: contiguous heads and
// others may be rounded otherwise, within the profile.
std::vector<uint64_t> Fresh(const RopeApply& a, const Tensor& x, const Tensor& positions,
                            Tensor y) {
  RopePlan(a).Apply(x.view(), positions.view(), y.view());
  std::vector<uint64_t> bits;
  for (int64_t i = 0; i < y.count(); ++i)
    bits.push_back(BitsAt(static_cast<const Tensor&>(y).view(), i));
  return bits;
}

size_t Differences(const Tensor& y, const std::vector<uint64_t>& bits) {
  size_t differences = 0;
  for (int64_t i = 0; i < y.count(); ++i)
    differences += BitsAt(y.view(), i) != bits[static_cast<size_t>(i)];
  return differences;
}

// The mistake `stale-table`: equal positions, then others in the same memory and of the same shape,
// of which only the last, the first or one between differs, then equal ones again. Every target,
// format, layout, direction, window, memory and shape of positions.
TEST_F(RopeRowsTest, NoBitDependsOnWhatWasSeen) {
  Random random(31);
  std::array<size_t, 2> directions{}, layouts{}, mixed{}, ranks{};
  for (const std::string& target : Targets()) {
    UseTarget(target);
    for (int i = 0; i < 36; ++i) {
      const Case c = testing::RandomApply(
          random, std::array{Format::kF32, Format::kBf16, Format::kF16}[i % 3]);
      const RopeApply a = gnomon::rope::ReadApply(c);
      ++directions[a.direction == RopeDirection::kTranspose];
      ++layouts[a.input_layout == RopeLayout::kInterleaved];
      ++mixed[a.input_layout != a.output_layout];
      const Tensor& x = c.inputs.at("x");
      Tensor positions = c.inputs.at("positions");
      ++ranks[positions.shape().size() - 1];
      const RopePlan plan(a);
      Tensor y = testing::Strided(random, x.dtype(), x.shape(), false, random() % 2 == 0);
      const int64_t last = positions.count() - 1;
      for (const int64_t changed : {last, last, int64_t{0}, last / 2}) {
        const std::vector<uint64_t> expected = Fresh(a, x, positions, y);
        for (int call = 0; call < 3; ++call) {
          const Tensor& constant = positions;
          testing::FillValues(random, &y);
          plan.Apply(x.view(), constant.view(), y.view());
          ASSERT_EQ(Differences(y, expected), 0u) << target << " case " << i << " call " << call;
        }
        positions.SetInteger(changed, positions.Integer(changed) + 1);
      }
    }
  }
  for (const auto& seen : {directions, layouts, mixed, ranks})
    for (size_t times : seen) EXPECT_GT(times, 10u);
}

// Plans do not share: other frequencies and the other direction, at the same positions.
TEST_F(RopeRowsTest, APlanHasItsOwn) {
  Random random(32);
  Tensor x(DType::kF32, {2, 9, 3, 64}), y(DType::kF32, x.shape()), positions(DType::kI64, {9});
  testing::FillValues(random, &x);
  for (int64_t i = 0; i < 9; ++i) positions.SetInteger(i, 100 + i);
  const Tensor &in = x, &m = positions;
  std::vector<RopePlan> plans;
  std::vector<RopeApply> applies;
  for (double theta : {10000.0, 500000.0})
    for (RopeDirection direction : {RopeDirection::kForward, RopeDirection::kTranspose}) {
      applies.push_back({Frequencies(64, theta)});
      applies.back().direction = direction;
      plans.emplace_back(applies.back());
    }
  for (int call = 0; call < 4; ++call)
    for (size_t i = 0; i < plans.size(); ++i) {
      plans[i].Apply(in.view(), m.view(), y.view());
      EXPECT_EQ(Differences(y, Fresh(applies[i], x, positions, y)), 0u) << i;
    }
}

// Up to the limit and beyond it.
TEST_F(RopeRowsTest, MoreThanIsKept) {
  const int64_t most = static_cast<int64_t>(KeptRows::MaxRows(32));
  ASSERT_GT(most, 0);
  const RopeApply a{Frequencies(2, 10000)};
  const RopePlan plan(a);
  Random random(33);
  for (int64_t seq : {most, most + 1}) {
    Tensor x(DType::kF32, {1, seq, 1, 2}), y(DType::kF32, x.shape()), m(DType::kI32, {seq});
    testing::FillValues(random, &x);
    for (int64_t i = 0; i < seq; ++i) m.SetInteger(i, i * i % 10007);
    for (int call = 0; call < 3; ++call) {
      plan.Apply(static_cast<const Tensor&>(x).view(), static_cast<const Tensor&>(m).view(),
                 y.view());
      EXPECT_EQ(Differences(y, Fresh(a, x, m, y)), 0u) << seq;
    }
  }
}

// A position that is refused (POS-1) leaves the plan as it was.
TEST_F(RopeRowsTest, ARefusedCallIsNotKept) {
  const RopeApply a{Frequencies(4, 10000)};
  const RopePlan plan(a);
  Tensor x(DType::kF32, {1, 2, 1, 4}), y(DType::kF32, x.shape()), m(DType::kI64, {2});
  for (int64_t i = 0; i < 8; ++i) x.Set(i, static_cast<double>(i + 1));
  const Tensor &in = x, &positions = m;
  for (int64_t bad : {int64_t{1} << 31, -(int64_t{1} << 31) - 1}) {
    for (int call = 0; call < 3; ++call) {
      m.SetInteger(1, 5);
      plan.Apply(in.view(), positions.view(), y.view());
      EXPECT_EQ(Differences(y, Fresh(a, x, m, y)), 0u);
      m.SetInteger(1, bad);
      EXPECT_THROW(plan.Apply(in.view(), positions.view(), y.view()), Rejected);
    }
  }
}

// Threads share a plan, each with positions of its own and some that all have.
TEST_F(RopeRowsTest, ThreadsShareAPlan) {
  Random random(34);
  const RopeApply a{Frequencies(64, 10000)};
  const RopePlan plan(a);
  Tensor x(DType::kF32, {1, 8, 2, 64});
  testing::FillValues(random, &x);
  std::vector<Tensor> positions;
  std::vector<std::vector<uint64_t>> expected;
  for (int64_t set = 0; set < 3; ++set) {
    Tensor& m = positions.emplace_back(DType::kI64, Shape{8});
    for (int64_t i = 0; i < 8; ++i) m.SetInteger(i, 50 + i + (i == 7 ? set : 0));
    expected.push_back(Fresh(a, x, m, Tensor(x.dtype(), x.shape())));
  }
  std::atomic<size_t> differences = 0, calls = 0;
  const auto work = [&](size_t own) {
    Tensor y(DType::kF32, x.shape());
    const Tensor& in = x;
    for (size_t i = 0; i < 2000; ++i, ++calls) {
      const size_t set = i / 5 % 2 ? own : 2;
      const Tensor& m = positions[set];
      plan.Apply(in.view(), m.view(), y.view());
      differences += Differences(y, expected[set]);
    }
  };
  std::thread first(work, 0), second(work, 1);
  first.join();
  second.join();
  EXPECT_EQ(differences, 0u);
  EXPECT_EQ(calls, 4000u);
}

}  // namespace
}  // namespace gnomon::optimized
