#include "gnomon/oracle/neighbours.h"

#include <gtest/gtest.h>

#include "gnomon/reference/truth.h"

namespace gnomon::oracle {
namespace {

// Four tokens of one head of four dims.
Recording Question() {
  Recording recording;
  Case& c = recording.c;
  c.operation = "rope.apply";
  c.parameters = {{"head_dim", 4.0}, {"layout", std::string("half_split")}};
  Tensor x(DType::kF32, {1, 4, 1, 4}), positions(DType::kI64, {4});
  for (int64_t i = 0; i < x.count(); ++i) x.Set(i, 1 + static_cast<double>(i) / 7);
  for (int64_t i = 0; i < 4; ++i) positions.SetInteger(i, i);
  c.inputs.emplace("x", std::move(x));
  c.inputs.emplace("positions", std::move(positions));
  return recording;
}

// What is found where the answer is the truth of the question with one parameter changed.
std::vector<std::string> Found(const std::string& name, const std::string& value,
                               const Demand& demand = {}) {
  Recording recording = Question();
  Case answered = recording.c;
  answered.parameters[name] = value;
  const Tensor y = reference::RoundedTruth(answered).at("y");
  recording.outputs["y"] = y.view();
  std::vector<std::string> changes;
  for (const Neighbour& neighbour : ConformingNeighbours(recording, demand))
    changes.push_back(neighbour.change);
  return changes;
}

TEST(NeighboursTest, TheOtherDirectionOrLayoutIsFound) {
  EXPECT_EQ(Found("direction", "transpose"), std::vector<std::string>{"direction=transpose"});
  EXPECT_EQ(Found("layout", "interleaved"), std::vector<std::string>{"layout=interleaved"});
  EXPECT_EQ(Found("layout", "interleaved", {*ProfileFromName("rounded")}),
            std::vector<std::string>{"layout=interleaved"});
}

TEST(NeighboursTest, TwoChangesAreNoNeighbour) {
  EXPECT_EQ(Found("output_layout", "interleaved"), std::vector<std::string>{});
}

TEST(NeighboursTest, OtherOperationsHaveNone) {
  Recording recording;
  recording.c.operation = "rope.table";
  EXPECT_TRUE(ConformingNeighbours(recording, {}).empty());
}

}  // namespace
}  // namespace gnomon::oracle
