// More than one axis: the fast path of the judge, the formulas on a second number type, two
// readings of the sections, and what is refused.
#include "gnomon/reference/multi_axis.h"

#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <random>

#include "gnomon/optimized/multi_axis.h"
#include "gnomon/reference/certify.h"
#include "gnomon/reference/judge.h"
#include "gnomon/reference/truth.h"
#include "gnomon/spec/schemes.h"

namespace gnomon::reference {
namespace {

std::mt19937_64& Random() {
  static std::mt19937_64 random(13);
  return random;
}

Case Rotation(Format format, int which) {
  Case c;
  c.format = format;
  c.operation = which % 2 ? "multi_axis.mrope" : "multi_axis.axial";
  c.parameters = {{"head_dim", 14.0},
                  {"rope_theta", which % 3 ? 10000.0 : 500000.0},
                  {"layout", kAxialLayoutNames[static_cast<size_t>(which) % 2]},
                  {"direction", kRopeDirectionNames[static_cast<size_t>(which / 4) % 2]}};
  if (which % 2) {
    c.parameters["rotary_dim"] = 12.0;
    c.parameters["mrope_section"] = std::vector<Number>{2, 2, 2};
    c.parameters["section_order"] = kSectionOrderNames[static_cast<size_t>(which / 2) % 2];
  } else {
    c.parameters["axes_dims"] = std::vector<Number>{4, 4, 4};
    c.parameters["exponent"] = kAxialExponentNames[static_cast<size_t>(which / 2) % 3];
    c.parameters["rotary_offset"] = 1.0;
  }
  Tensor x(DTypeOf(format), {1, 2, 2, 14}), positions(DType::kI64, {3, 2});
  for (int64_t i = 0; i < x.count(); ++i)
    x.Set(i, std::ldexp(static_cast<double>(Random()() % 4096) - 2048,
                        static_cast<int>(Random()() % 12) - 12));
  for (int64_t i = 0; i < positions.count(); ++i)
    positions.SetInteger(i, static_cast<int32_t>(Random()()) >> (Random()() % 31));
  c.inputs.emplace("x", x);
  c.inputs.emplace("positions", positions);
  return c;
}

TEST(MultiAxis, TheFastPathCoversTheTruth) {
  int64_t quick_elements = 0;
  for (const Format format : {Format::kF32, Format::kBf16, Format::kF16}) {
    for (int which = 0; which < 12; ++which) {
      const Case c = Rotation(format, which);
      const std::unique_ptr<Truth> truth = TruthOf(c);
      ScopedPrecision precision(512);
      for (int64_t i = 0; i < ElementCount(c.inputs.at("x").shape()); ++i) {
        QuickElement quick;
        if (!truth->Quick(0, i, kProfiles, &quick)) continue;
        ++quick_elements;
        EXPECT_TRUE(
            LessOrEqual(abs(Interval(quick.value) - truth->Value(0, i)), Interval(quick.radius)));
        EXPECT_EQ(quick.place.position, truth->Where(0, i).position);
        for (size_t p = 1; p < kProfiles.size(); ++p) {
          const Interval bound = truth->Bound(0, i, kProfiles[p]);
          EXPECT_TRUE(LessOrEqual(abs(Interval(quick.bound[p]) - bound), bound * 0x1p-40))
              << kProfiles[p].name;
        }
      }
    }
  }
  EXPECT_GT(quick_elements, 1000);
}

// AXES-1: the truth is the formula, and the formula says the same on cpp_bin_float.
TEST(MultiAxis, ASecondNumberTypeAgrees) {
  using Second = boost::multiprecision::number<
      boost::multiprecision::cpp_bin_float<200, boost::multiprecision::digit_base_2>,
      boost::multiprecision::et_off>;
  int64_t compared = 0;
  for (int which = 0; which < 24; ++which) {
    const Case c = Rotation(Format::kF64, which);
    const AxialRotation a = gnomon::multi_axis::ReadRotation(c);
    const std::unique_ptr<Truth> truth = TruthOf(c);
    ScopedPrecision precision(256);
    for (int64_t head = 0; head < 4; ++head)
      for (int64_t i = 0; i < a.pairs(); ++i) {
        const auto x = [&](int member) {
          return Second(c.inputs.at("x").Value(head * 14 + a.Dim(i, member)));
        };
        const auto position = [&](int64_t axis) {
          return c.inputs.at("positions").Integer(axis * 2 + head / 2);
        };
        const Pair<Second> y = RotateAxially<Second>(a, i, {x(0), x(1)}, position);
        for (const int member : {0, 1}) {
          const double got = static_cast<double>(member ? y.b : y.a);
          const double due = Midpoint(truth->Value(0, head * 14 + a.Dim(i, member)));
          EXPECT_NEAR(got, due, 0x1p-45 * 4096);  // both are doubles of values below 4096
          ++compared;
        }
      }
  }
  EXPECT_GT(compared, 1000);
}

// AXES-2, AXES-3, AXES-12: pair by pair here, section by section in the kernel.
TEST(MultiAxis, TwoReadingsOfTheSectionsAgree) {
  int64_t valid = 0;
  for (size_t order = 0; order < kSectionOrderNames.size(); ++order)
    for (unsigned number = 0; number < 625; ++number) {
      Case c;
      c.operation = "multi_axis.sections";
      std::vector<Number> sizes;
      unsigned rest = number;
      for (int i = order == 1 || order == 3 ? 3 : 4; i > 0; --i, rest /= 5)
        sizes.emplace_back(static_cast<double>(rest % 5));
      c.parameters = {{"mrope_section", sizes}, {"section_order", kSectionOrderNames[order]}};
      try {
        Validate(c);
      } catch (const Rejected&) {
        continue;
      }
      ++valid;
      Outputs kernel = MakeOutputs(c);
      optimized::SectionAxes(gnomon::multi_axis::ReadSections(c), kernel.at("axis").view());
      EXPECT_EQ(kernel.at("axis").storage(), RoundedTruth(c).at("axis").storage());
    }
  EXPECT_GT(valid, 1000);
}

// A case of copies proves something, zeros and NaNs among them are held to their bits.
TEST(MultiAxis, CopiesCount) {
  Case c;
  c.operation = "multi_axis.window_bias";
  c.parameters = {{"window_height", 1.0}, {"window_width", 2.0}};
  Tensor table(DType::kF32, {3, 1});
  table.Set(0, -0.0);
  table.Set(1, 1.5);
  table.SetBits(2, 0x7fc12345);
  c.inputs.emplace("table", table);
  Outputs y = RoundedTruth(c);
  EXPECT_TRUE(Judge(c, y).profiles[0].met());
  for (const auto& [element, bits] :
       {std::pair<int64_t, uint64_t>{0, 0x3fc00001}, {1, 0}, {2, 0x7fc00000}}) {
    Outputs wrong = y;
    wrong.at("bias").SetBits(element, bits);
    EXPECT_FALSE(Judge(c, wrong).strictest(kProfiles.size() - 1)) << element;
  }
}

TEST(MultiAxis, RefusesWithParameterAndClause) {
  const auto why = [](const std::string& operation, Parameters parameters, bool grid = true) {
    Case c;
    c.operation = operation;
    c.parameters = std::move(parameters);
    if (grid) {
      c.inputs.emplace("x", Tensor(DType::kF32, {1, 2, 1, 8}));
      c.inputs.emplace("positions", Tensor(DType::kI64, {2, 2}));
    }
    try {
      Validate(c);
    } catch (const Rejected& e) {
      return std::string(e.what());
    }
    return std::string("accepted");
  };
  const Value half = std::string("half_split");
  const auto list = [](std::initializer_list<double> numbers) {
    return Value(std::vector<Number>(numbers.begin(), numbers.end()));
  };
  const std::string axial = "multi_axis.axial", mrope = "multi_axis.mrope";
  EXPECT_EQ(why(axial, {{"head_dim", 8.0}, {"axes_dims", list({4, 4})}, {"layout", half}}),
            "accepted");
  EXPECT_EQ(why(axial, {{"head_dim", 8.0}, {"axes_dims", list({4, 3})}, {"layout", half}}),
            "axes_dims = [4, 3]: must hold even numbers (AXES-10)");
  EXPECT_EQ(why(axial, {{"head_dim", 8.0}, {"axes_dims", list({4, 4})}}),
            "layout = (missing): is never guessed: give interleaved, half_split or "
            "half_split_by_axis (AXES-11)");
  EXPECT_EQ(why(axial, {{"head_dim", 8.0}, {"axes_dims", list({4, 2, 2})}, {"layout", half}}),
            "positions = axis 2: must have axis 3 (AXES-1)");
  EXPECT_EQ(why(axial, {{"head_dim", 8.0}, {"axes_dims", list({8, 8})}, {"layout", half}}),
            "rotary_offset = 0: the rotary window of 16 dims ends beyond head_dim = 8 (AXES-11)");
  EXPECT_EQ(why(mrope, {{"head_dim", 8.0}, {"mrope_section", list({2, 1})}, {"layout", half}}),
            "mrope_section = [2, 1]: must sum to the pairs, 4 (AXES-2)");
  EXPECT_EQ(why("multi_axis.sections",
                {{"mrope_section", list({1, 4, 1})}, {"section_order", std::string("interleaved")}},
                false),
            "mrope_section = [1, 4, 1]: interleaved, the sizes after the first must not exceed a "
            "third (AXES-3)");
  EXPECT_EQ(why("multi_axis.window_index", {{"window_height", 7.0}}, false),
            "window_width = (missing): is required (AXES-14)");
}

}  // namespace
}  // namespace gnomon::reference
