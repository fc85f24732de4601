// What a kernel finds that looks in the wrong place, or keeps something of the call before.
#include "gnomon/oracle/hypotheses_memory.h"

#include <gtest/gtest.h>

#include <cmath>

namespace gnomon::oracle {
namespace {

// Rows of 2 in a memory with rows of 3, whose third is NaN.
Tensor Padded(int64_t rows) {
  Tensor tensor(DType::kF32, {rows, 2}, {3, 1}, 0, 3 * rows);
  for (size_t i = 0; i < tensor.storage().size(); ++i) tensor.storage()[i] = std::byte{0xff};
  for (int64_t i = 0; i < tensor.count(); ++i) tensor.Set(i, static_cast<double>(i + 1));
  return tensor;
}

TEST(HypothesesMemory, InputsAreFoundByStridesOrAsContiguous) {
  const Tensor tensor = Padded(2);
  Change change;
  EXPECT_EQ(FindNumber(change, tensor, 3), 4);
  change.offsets = Offsets::kContiguous;
  EXPECT_EQ(FindNumber(change, tensor, 3), 3);
  EXPECT_TRUE(std::isnan(*FindNumber(change, tensor, 2)));
}

TEST(HypothesesMemory, OffsetsAreCutTo16Bits) {
  Tensor tensor(DType::kF32, {2, 1}, {65537, 1}, 0, 65538);
  Change change;
  change.offsets = Offsets::kIn16Bits;
  tensor.Set(0, 5);
  tensor.Set(1, 7);
  StoreBits(DType::kF32, tensor.storage().data() + 4, EncodeBits(Format::kF32, 3));
  EXPECT_EQ(FindNumber(change, tensor, 0), 5);
  EXPECT_EQ(FindNumber(change, tensor, 1), 3);
}

TEST(HypothesesMemory, WhatLiesOutsideIsNotKnown) {
  const Tensor tensor(DType::kF32, {2, 2}, {-2, 1}, 2, 4);
  Change change;
  change.offsets = Offsets::kContiguous;
  EXPECT_TRUE(FindBits(change, tensor, 1));
  EXPECT_FALSE(FindBits(change, tensor, 2));
}

TEST(HypothesesMemory, WhatLiesAfterARowIsItsLastElementsAffair) {
  const Tensor tensor = Padded(2);
  Change change;
  change.beyond_row = true;
  EXPECT_EQ(FindNumber(change, tensor, 0), 1);
  EXPECT_TRUE(std::isnan(*FindNumber(change, tensor, 1)));
  EXPECT_FALSE(FindBeyond(change, Tensor(DType::kF32, {1, 2}), 1));
}

TEST(HypothesesMemory, WhatIsKeptHasAsManyElements) {
  Case before, own;
  before.inputs.emplace("m", Tensor(DType::kI64, {2, 2}));
  own.inputs.emplace("m", Tensor(DType::kI64, {4}));
  Answered answered{&own, nullptr};
  EXPECT_FALSE(Kept(answered, {"m"}));
  answered.before = &before;
  EXPECT_EQ(Kept(answered, {"m"})->front(), &before.inputs.at("m"));
  own.inputs.insert_or_assign("m", Tensor(DType::kI64, {3}));
  EXPECT_EQ(Kept(answered, {"m"})->front(), &own.inputs.at("m"));
}

TEST(HypothesesMemory, AFlushedCopyIsAZeroOfEitherSign) {
  Change change;
  change.any = change.flush_inputs = true;
  for (const double v : {-0x1p-140, -0.0, 0x1p-140}) {
    const Prediction p = Copied(change, Format::kF32, EncodeBits(Format::kF32, v));
    EXPECT_EQ(p.kind, Prediction::kReal);
    EXPECT_EQ(p.low[0], 0);
    EXPECT_EQ(p.high[0], 0);
  }
  EXPECT_EQ(Copied(change, Format::kF32, EncodeBits(Format::kF32, 1)).kind, Prediction::kBits);
}

}  // namespace
}  // namespace gnomon::oracle
