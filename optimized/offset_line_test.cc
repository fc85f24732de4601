// The fills from the offset line: every element of large and small matrices is that of its own two
// positions, on every target, whichever way it is stored; and not a byte more is written.
#include "gnomon/optimized/offset_line.h"

#include <gtest/gtest.h>

#include <cmath>

#include "gnomon/optimized/alibi.h"
#include "gnomon/optimized/cache.h"
#include "gnomon/optimized/schemes.h"
#include "gnomon/optimized/t5_bias.h"

namespace gnomon::optimized {
namespace {

Tensor Consecutive(int64_t first, int64_t count) {
  Tensor positions(DType::kI64, {count});
  for (int64_t i = 0; i < count; ++i) positions.SetInteger(i, first + i);
  return positions;
}

class OffsetLine : public ::testing::TestWithParam<DType> {
 protected:
  void TearDown() override { UseTarget(""); }
};

// rows of `columns` elements, `padding` more between them, `shift` elements in front.
struct Layout {
  int64_t heads, queries, keys, padding, shift;
};

Tensor Make(DType dtype, const Layout& l) {
  const int64_t row = l.keys + l.padding, block = row * l.queries;
  Tensor tensor(dtype, {l.heads, l.queries, l.keys}, {block, row, 1}, l.shift,
                block * l.heads + l.shift + 64);
  std::fill(tensor.storage().begin(), tensor.storage().end(), std::byte{0x5a});
  return tensor;
}

int64_t Touched(const Tensor& tensor) {
  int64_t touched = 0;
  for (const std::byte b : tensor.storage()) touched += b != std::byte{0x5a};
  return touched;
}

TEST_P(OffsetLine, EveryElementIsThatOfItsPositions) {
  // 0x5a5a.. is no bias here, so that what is not written shows.
  const int64_t large = StreamBytes() / SizeOf(GetParam());
  const int64_t side = static_cast<int64_t>(std::sqrt(static_cast<double>(large))) + 40;
  T5Buckets t;
  const auto plan = CachedT5Plan(t);
  Tensor table(GetParam(), {t.num_buckets, 3});
  for (int64_t i = 0; i < table.count(); ++i) table.Set(i, 1 + static_cast<double>(i % 64));
  for (const std::string& target : Targets()) {
    UseTarget(target);
    for (const Layout& l : {Layout{3, 5, 7, 0, 0}, Layout{3, 1, 130, 3, 5}, Layout{3, 40, 33, 1, 1},
                            Layout{1, side, side, 0, 3}, Layout{1, side - 7, side + 9, 5, 0}}) {
      const Tensor query = Consecutive(1000 - l.queries, l.queries), key = Consecutive(0, l.keys);
      Tensor bias = Make(GetParam(), l);
      gnomon::alibi::BiasParameters p;
      p.slopes.num_heads = l.heads;
      p.slopes.bias_max = 1.0 / 1024;  // slopes near 1: every distance another bias
      FillAlibiBias(p, query.view(), key.view(), bias.view());
      Tensor entries = Make(GetParam(), l);
      Tensor few(GetParam(), {t.num_buckets, l.heads});
      for (int64_t i = 0; i < few.count(); ++i) few.Set(i, table.Value(i % table.count()));
      plan->Bias(query.view(), key.view(), std::as_const(few).view(), entries.view());
      for (int64_t h = 0; h < l.heads; ++h)
        for (int64_t q = 0; q<l.queries; q += l.queries> 100 ? 37 : 1)
          for (int64_t k = 0; k<l.keys; k += l.keys> 200 && k > 70 && k + 70 < l.keys ? 5 : 1) {
            const int64_t element = (h * l.queries + q) * l.keys + k;
            const int64_t rel = key.Integer(k) - query.Integer(q);
            const double slope = std::exp2(-p.slopes.bias_max.value *
                                           static_cast<double>(p.slopes.ExponentOf(h).numerator) /
                                           static_cast<double>(p.slopes.ExponentOf(h).denominator));
            const double due = -slope * static_cast<double>(std::abs(rel));
            ASSERT_EQ(bias.Value(element),
                      RoundToFormat(FormatOf(GetParam()), RoundToFormat(Format::kF32, due)))
                << target << " " << h << " " << q << " " << k;
            ASSERT_EQ(entries.Value(element), few.Value(plan->Bucket(rel) * l.heads + h))
                << target << " " << h << " " << q << " " << k;
          }
      const int64_t elements = l.heads * l.queries * l.keys * SizeOf(GetParam());
      EXPECT_LE(Touched(bias), elements) << target;
      EXPECT_LE(Touched(entries), elements) << target;
      const auto untouched = [&](const Tensor& tensor) {
        for (int64_t row = 0; row + 1 < l.heads * l.queries; ++row)
          for (int64_t i = l.keys; i < l.keys + l.padding; ++i) {
            const int64_t at = l.shift + row * (l.keys + l.padding) + i;
            for (int64_t b = 0; b < SizeOf(GetParam()); ++b)
              if (tensor.storage()[static_cast<size_t>(at * SizeOf(GetParam()) + b)] !=
                  std::byte{0x5a})
                return false;
          }
        return true;
      };
      EXPECT_TRUE(untouched(bias) && untouched(entries)) << target;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, OffsetLine,
                         ::testing::Values(DType::kF32, DType::kBf16, DType::kF16),
                         [](const auto& info) { return std::string(Name(info.param)); });

}  // namespace
}  // namespace gnomon::optimized
