// Where a truth has a fast path (Truth::Quick), its radius covers the distance to the truth and its
// bounds are the clause's: of every operation, on what the properties draw.
#include <gtest/gtest.h>

#include <iostream>
#include <set>

#include "gnomon/properties/cases.h"
#include "gnomon/properties/trial.h"
#include "gnomon/reference/certify.h"
#include "gnomon/reference/judge.h"
#include "gnomon/reference/truth.h"
#include "gnomon/spec/schemes.h"

namespace gnomon::properties {
namespace {

using namespace reference;

constexpr int kCases = 25;
constexpr int64_t kMostElements = 96;  // of each output that are looked at

const std::set<std::string> kQuick = {"rope.table",
                                      "rope.apply",
                                      "sinusoidal.table",
                                      "sinusoidal.add",
                                      "sinusoidal.shift_matrix",
                                      "sinusoidal.relative_head",
                                      "multi_axis.axial",
                                      "multi_axis.mrope",
                                      "alibi.bias",
                                      "relative.scores",
                                      "relative.values",
                                      "learned.add",
                                      "learned.resize"};

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
      QuickElement q, flushing;
      if (!truth->Quick(output, i, kProfiles, &q)) continue;
      ASSERT_TRUE(truth->Quick(output, i, kFlushingProfiles, &flushing));
      ++counts->quick;
      const auto where = [&] { return c.operation + " element " + std::to_string(i); };
      EXPECT_TRUE(LessOrEqual(abs(Interval(q.value) - truth->Value(output, i)), Interval(q.radius)))
          << where();
      for (size_t p = 0; p < kProfiles.size(); ++p) {
        if (kProfiles[p].correctly_rounded) continue;
        for (const auto& [near, profile] : {std::pair(q.bound[p], kProfiles[p]),
                                            std::pair(flushing.bound[p], kFlushingProfiles[p])}) {
          const Interval bound = truth->Bound(output, i, profile);
          EXPECT_TRUE(
              LessOrEqual(abs(Interval(near) - bound),
                          bound * 0x1p-40 + Interval(4 * UnitRoundoff(c.format)) * q.radius))
              << where() << " " << profile.name << (profile.flushes ? ", flushing" : "");
        }
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
  EXPECT_EQ(counts.quick > 0, kQuick.count(GetParam()) > 0);
}

// Asked about one profile, the judge says of it what it says when asked about all, whichever comes
// first.
TEST_P(EveryOperation, OneProfileAlone) {
  for (size_t p = 0; p < kProfiles.size(); ++p)
    for (const Format format : {Format::kF64, Format::kBf16}) {
      const auto c = NumberedCase(GetParam(), format, 11, static_cast<int64_t>(p));
      if (!c) continue;
      Outputs y = RoundedTruth(*c);
      for (auto& [role, tensor] : y)
        for (int64_t i = 0; i < tensor.count(); i += 3)
          tensor.SetBits(i, BitsAt(std::as_const(tensor).view(), i) ^ (i % 2 ? 1u : 8u));
      const Judgement first = Judge(*c, y, {{}, false, p}), all = Judge(*c, y),
                      again = Judge(*c, y, {{}, false, p});
      const auto text = [](const std::optional<ElementReport>& e) {
        return e ? e->output + " " + std::to_string(e->element) + " " + Show(e->bound) : "none";
      };
      for (const Judgement* one : {&first, &again})
        for (size_t i = 0; i < kProfiles.size(); ++i) {
          const ProfileResult &said = one->profiles[i],
                              due = i == p ? all.profiles[i] : ProfileResult();
          EXPECT_EQ(said.within, due.within);
          EXPECT_EQ(said.outside, due.outside);
          EXPECT_EQ(said.vacuous, due.vacuous);
          EXPECT_EQ(said.proving, due.proving);
          EXPECT_EQ(text(said.worst), text(due.worst));
          EXPECT_EQ(text(said.first_outside), text(due.first_outside));
        }
    }
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
