// Where a truth has a fast path (Truth::Quick), its radius covers the distance to the truth and its
// bounds are the clause's: of every operation, on what the properties draw.
#include <gtest/gtest.h>

#include <iostream>

#include "gnomon/properties/cases.h"
#include "gnomon/reference/certify.h"
#include "gnomon/reference/truth.h"
#include "gnomon/spec/schemes.h"

namespace gnomon::properties {
namespace {

using namespace reference;

constexpr int kCases = 25;
constexpr int64_t kMostElements = 96;  // of each output that are looked at

struct Counts {
  int64_t elements = 0, quick = 0;
};

void Check(const Case& c, Counts* counts) {
  const std::unique_ptr<Truth> truth = TruthOf(c);
  ScopedPrecision precision(1024);
  int output = 0;
  for (const OutputShape& shape : Validate(c)) {
    const int64_t all = ElementCount(shape.shape), step = std::max<int64_t>(1, all / kMostElements);
    for (int64_t i = 0; i < all; i += step) {
      ++counts->elements;
      QuickElement q;
      if (!truth->Quick(output, i, kProfiles, &q)) continue;
      ++counts->quick;
      const auto where = [&] { return c.operation + " element " + std::to_string(i); };
      EXPECT_TRUE(LessOrEqual(abs(Interval(q.value) - truth->Value(output, i)), Interval(q.radius)))
          << where();
      for (size_t p = 0; p < kProfiles.size(); ++p) {
        if (kProfiles[p].correctly_rounded || q.bound[p] < 0) continue;
        const Interval bound = truth->Bound(output, i, kProfiles[p]);
        EXPECT_TRUE(LessOrEqual(abs(Interval(q.bound[p]) - bound), bound * 0x1p-40))
            << where() << " " << kProfiles[p].name;
      }
    }
    ++output;
  }
}

class EveryOperation : public testing::TestWithParam<std::string> {};

TEST_P(EveryOperation, TheRadiusCoversTheTruth) {
  Counts counts;
  for (const Format format : {Format::kF32, Format::kBf16, Format::kF16})
    for (int64_t number = 0; number < kCases; ++number)
      if (const auto c = NumberedCase(GetParam(), format, 7, number)) Check(*c, &counts);
  std::cout << counts.quick << " of " << counts.elements << " elements have a fast path\n";
  EXPECT_GT(counts.elements, 0);
  EXPECT_TRUE(counts.quick > 0 || GetParam() != "rope.apply");
}

std::vector<std::string> Operations() {
  std::vector<std::string> names;
  for (const OperationSpec* operation : AllOperations()) names.push_back(operation->name);
  return names;
}
INSTANTIATE_TEST_SUITE_P(All, EveryOperation, testing::ValuesIn(Operations()),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '.', '_');
                           return name;
                         });

}  // namespace
}  // namespace gnomon::properties
