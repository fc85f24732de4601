#include "gnomon/oracle/axes.h"

#include <gtest/gtest.h>

#include "gnomon/oracle/wide_table.h"
#include "gnomon/spec/rejected.h"

namespace gnomon::oracle {
namespace {

const std::vector<std::string> kX = {"batch", "seq", "heads", "head_dim"};

// Element k of a row-major tensor holds k.
Tensor Counting(const Shape& shape) {
  Tensor tensor(DType::kI32, shape);
  for (int64_t i = 0; i < tensor.count(); ++i) tensor.SetInteger(i, i);
  return tensor;
}
int64_t At(const ConstTensorView& view, const Shape& index) {
  int64_t offset = 0;
  for (size_t i = 0; i < index.size(); ++i) offset += index[i] * view.strides[i];
  return IntegerAt({view.dtype, view.data + offset * SizeOf(view.dtype), {1}, {1}}, 0);
}

std::string Refusal(const Shape& shape, const std::string& axes,
                    const std::map<std::string, int64_t>& known = {}) {
  const Tensor tensor = Counting(shape);
  try {
    Arrange(tensor.view(), SplitList(axes, ','), kX, known, "x");
  } catch (const Rejected& error) {
    EXPECT_EQ(error.clause(), "CASE-7");
    return error.what();
  }
  return "(accepted)";
}

TEST(AxesTest, AnyOrder) {
  const Tensor tensor = Counting({2, 3, 5, 7});  // batch, heads, seq, head_dim
  const ConstTensorView view =
      Arrange(tensor.view(), {"batch", "heads", "seq", "head_dim"}, kX, {}, "x");
  EXPECT_EQ(view.shape, (Shape{2, 5, 3, 7}));
  for (int64_t b = 0; b < 2; ++b)
    for (int64_t s = 0; s < 5; ++s)
      for (int64_t h = 0; h < 3; ++h)
        for (int64_t d = 0; d < 7; ++d)
          EXPECT_EQ(At(view, {b, s, h, d}), ((b * 3 + h) * 5 + s) * 7 + d);
}

TEST(AxesTest, MissingAxesHaveExtentOneAndStayContiguous) {
  const Tensor tensor = Counting({5, 3, 7});
  const ConstTensorView view = Arrange(tensor.view(), {"seq", "heads", "head_dim"}, kX, {}, "x");
  EXPECT_EQ(view.shape, (Shape{1, 5, 3, 7}));
  EXPECT_TRUE(view.contiguous());
  const ConstTensorView row = Arrange(Counting({4}).view(), {"head_dim"}, kX, {}, "x");
  EXPECT_EQ(row.shape, (Shape{1, 1, 1, 4}));
}

TEST(AxesTest, OnlyTheBatchOfPositionsAndTablesIsLeftOut) {
  const Tensor tensor = Counting({5});
  EXPECT_EQ(Arrange(tensor.view(), {"seq"}, {"batch", "seq"}, {}, "positions").shape, (Shape{5}));
  EXPECT_EQ(Arrange(tensor.view(), {"seq"}, {"batch", "seq", "pair"}, {}, "cos").shape,
            (Shape{5, 1}));
  EXPECT_EQ(Arrange(tensor.view(), {"seq"}, {"batch", "seq"}, {}, "x").shape, (Shape{1, 5}));
}

TEST(AxesTest, PackedAxesSplitByWhatIsKnown) {
  const Tensor tensor = Counting({2, 12});
  const ConstTensorView outer =
      Arrange(tensor.view(), {"seq", "heads*head_dim"}, kX, {{"head_dim", 4}}, "x");
  EXPECT_EQ(outer.shape, (Shape{1, 2, 3, 4}));
  EXPECT_EQ(At(outer, {0, 1, 2, 3}), 12 + 2 * 4 + 3);
  const ConstTensorView inner =
      Arrange(tensor.view(), {"seq", "head_dim*heads"}, kX, {{"head_dim", 4}}, "x");
  EXPECT_EQ(inner.shape, (Shape{1, 2, 3, 4}));
  EXPECT_EQ(At(inner, {0, 1, 2, 3}), 12 + 3 * 3 + 2);
  EXPECT_EQ(Arrange(Counting({2, 0}).view(), {"seq", "heads*head_dim"}, kX, {{"head_dim", 4}}, "x")
                .count(),
            0);
}

TEST(AxesTest, RefusesByName) {
  EXPECT_NE(Refusal({5, 3}, "seq").find("rank 2"), std::string::npos);
  EXPECT_NE(Refusal({5}, "tokens").find("not tokens"), std::string::npos);
  EXPECT_NE(Refusal({5}, "").find("its axes are"), std::string::npos);
  EXPECT_NE(Refusal({5, 3}, "seq,seq").find("seq twice"), std::string::npos);
  EXPECT_NE(Refusal({5, 6}, "seq,heads*seq", {{"head_dim", 2}}).find("seq twice"),
            std::string::npos);
  EXPECT_NE(Refusal({6}, "heads*head_dim").find("heads and head_dim are not"), std::string::npos);
  EXPECT_NE(Refusal({6}, "heads*head_dim", {{"head_dim", 4}}).find("does not split"),
            std::string::npos);
  EXPECT_NE(Refusal({2}, "heads*head_dim", {{"head_dim", 4}}).find("does not split"),
            std::string::npos);
}

TEST(AxesTest, CopiesAreRowMajor) {
  const Tensor tensor = Counting({2, 3});
  const Tensor copy = CopyOf(Arrange(tensor.view(), {"seq", "batch"}, {"batch", "seq"}, {}, "x"));
  EXPECT_EQ(copy.shape(), (Shape{3, 2}));
  for (int64_t i = 0; i < 6; ++i) EXPECT_EQ(copy.Integer(i), i % 2 * 3 + i / 2);
}

TEST(WideTableTest, BothWaysOfStoringEveryEntryTwice) {
  Tensor halves(DType::kI32, {2, 4}), twice(DType::kI32, {2, 4});
  for (int64_t i = 0; i < 8; ++i) {
    halves.SetInteger(i, 10 * (i / 4) + i % 2);
    twice.SetInteger(i, 10 * (i / 4) + i % 4 / 2);
  }
  for (const Tensor* table : {&halves, &twice}) {
    ConstTensorView view = table->view();
    const auto how = NarrowWideTable(&view, 2, "cos");
    EXPECT_EQ(how, table == &halves ? "twice, in two halves" : "twice in a row");
    EXPECT_EQ(view.shape, (Shape{2, 2}));
    for (int64_t i = 0; i < 4; ++i) EXPECT_EQ(IntegerAt(view, i), 10 * (i / 2) + i % 2);
  }
  ConstTensorView narrow = halves.view();
  EXPECT_FALSE(NarrowWideTable(&narrow, 4, "cos"));
  halves.SetInteger(7, 99);
  ConstTensorView neither = halves.view();
  EXPECT_THROW(NarrowWideTable(&neither, 2, "cos"), Rejected);
}

}  // namespace
}  // namespace gnomon::oracle
