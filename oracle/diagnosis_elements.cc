#include "gnomon/oracle/diagnosis_elements.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "gnomon/oracle/text.h"
#include "gnomon/reference/certify.h"
#include "gnomon/reference/judge.h"
#include "gnomon/spec/schemes.h"

namespace gnomon::oracle {
namespace {

using reference::Expectation;
using reference::QuickElement;
using reference::Truth;

double TrueValue(const Truth& truth, Format format, int output, int64_t element) {
  QuickElement quick;
  if (AskQuick(truth, output, element, kProfiles, &quick)) return quick.value;
  const Expectation expected = truth.Expect(output, element);
  if (expected.kind == Expectation::kCopy) return DecodeBits(format, expected.bits);
  if (expected.kind == Expectation::kNonFinite) return expected.non_finite;
  if (expected.kind == Expectation::kInteger) return ValueOf(DType::kI64, expected.bits);
  const auto near = reference::Certify(
      [&] { return reference::Midpoint(reference::Narrow(truth.Value(output, element))); });
  return near.value_or(std::nan(""));
}

// Values of one coordinate: on how many elements it fails, on how many not.
using Tally = std::map<int64_t, std::pair<int64_t, int64_t>>;

// "from pair 16 on", or nothing where the failing values are not set apart.
std::string SetApart(std::string name, const Tally& tally) {
  if (name == "heads") name = "head";
  std::vector<int64_t> failing, clean;
  for (const auto& [value, counts] : tally) (counts.first > 0 ? failing : clean).push_back(value);
  if (failing.empty() || clean.empty()) return "";
  if (failing.size() == 1) return fmt::format("only {} {}", name, failing[0]);
  const auto all = [](const std::vector<int64_t>& values, auto holds) {
    return std::all_of(values.begin(), values.end(), holds);
  };
  if (failing.front() > clean.back()) {
    std::string text = fmt::format("only from {} {} on", name, failing.front());
    const int64_t count = tally.rbegin()->first + 1;
    for (const int64_t lanes : {16, 8, 4})
      if (name == "pair" && count % lanes != 0 && failing.front() == count / lanes * lanes)
        return text + fmt::format(": the last {} mod {} pairs of a row", count, lanes);
    return text;
  }
  if (failing.back() < clean.front()) {
    if (failing.back() < 0 && clean.front() >= 0) return fmt::format("only at negative {}s", name);
    // Bounds grow with positions: those far out may hide what is wrong at all of them.
    if (name.find("position") != std::string::npos) return "";
    return fmt::format("only up to {} {}", name, failing.back());
  }
  for (const int64_t odd : {1, 0})
    if (all(failing, [&](int64_t v) { return (v & 1) == odd; }) &&
        all(clean, [&](int64_t v) { return (v & 1) != odd; }))
      return fmt::format("only where {} is {}", name, odd ? "odd" : "even");
  return "";
}

// Dims outside the window have no pair, and are copied.
bool CopiesDims(const Case& c) { return c.operation == "rope.apply" || c.operation == "rope.xpos"; }

std::string PermutationText(const std::vector<int64_t>& p) {
  const int64_t n = static_cast<int64_t>(p.size());
  const auto is = [&](auto f) {
    for (int64_t d = 0; d < n; ++d)
      if (p[static_cast<size_t>(d)] != f(d)) return false;
    return true;
  };
  if (n % 2 == 0 && is([&](int64_t d) { return d % 2 * (n / 2) + d / 2; }))
    return "half split where interleaved was answered: element 2i holds what belongs in i, 2i + 1 "
           "what belongs in i + " +
           std::to_string(n / 2);
  if (n % 2 == 0 && is([&](int64_t d) { return d < n / 2 ? 2 * d : 2 * (d - n / 2) + 1; }))
    return "element i holds what belongs in 2i, i + " + std::to_string(n / 2) +
           " what belongs in 2i + 1";
  if (n % 2 == 0 && is([&](int64_t d) { return d ^ 1; }))
    return "the two of every adjacent pair exchanged";
  if (n % 2 == 0 && is([&](int64_t d) { return (d + n / 2) % n; }))
    return "the two halves exchanged";
  if (is([&](int64_t d) { return n - 1 - d; })) return "reversed";
  std::string text;
  int64_t moved = 0;
  for (int64_t d = 0; d < n; ++d) {
    if (p[static_cast<size_t>(d)] == d) continue;
    if (++moved <= 8)
      text += fmt::format("{}{} holds what belongs in {}", text.empty() ? "element " : ", ", d,
                          p[static_cast<size_t>(d)]);
  }
  return text + (moved > 8 ? fmt::format(", ... ({} moved)", moved) : "");
}

// Augmenting paths; an element that may stay where it is stays there first.
class Matching {
 public:
  explicit Matching(const std::vector<std::vector<char>>& may)
      : may_(may), holder_(may.size(), -1) {}
  std::vector<int64_t> Find() {
    const int64_t n = static_cast<int64_t>(may_.size());
    for (int64_t d = 0; d < n; ++d)
      if (may_[static_cast<size_t>(d)][static_cast<size_t>(d)]) holder_[static_cast<size_t>(d)] = d;
    std::vector<int64_t> p(may_.size(), -1);
    for (int64_t d = 0; d < n; ++d) {
      visited_.assign(may_.size(), 0);
      if (holder_[static_cast<size_t>(d)] != d && !Place(d)) return {};
    }
    for (int64_t e = 0; e < n; ++e) p[static_cast<size_t>(holder_[static_cast<size_t>(e)])] = e;
    return p;
  }

 private:
  bool Place(int64_t d) {
    for (size_t e = 0; e < may_.size(); ++e) {
      if (!may_[static_cast<size_t>(d)][e] || visited_[e]) continue;
      visited_[e] = 1;
      if (holder_[e] < 0 || Place(holder_[e])) {
        holder_[e] = d;
        return true;
      }
    }
    return false;
  }
  const std::vector<std::vector<char>>& may_;
  std::vector<int64_t> holder_;
  std::vector<char> visited_;
};

}  // namespace

std::vector<size_t> Spaced(const std::vector<size_t>& numbers, size_t most) {
  if (numbers.size() <= most) return numbers;
  std::vector<size_t> some;
  for (size_t i = 0; i < most; ++i) some.push_back(numbers[i * (numbers.size() - 1) / (most - 1)]);
  return some;
}

JudgedCase JudgeForDiagnosis(const Answered& answered, bool flushes_subnormals) {
  JudgedCase judged;
  judged.answered = answered;
  judged.truth = reference::TruthOf(*answered.c);
  judged.shapes = Validate(*answered.c);
  const Format format = answered.c->format;
  for (const OutputShape& shape : judged.shapes) judged.count += ElementCount(shape.shape);
  judged.sampled = judged.count > kMostDiagnosed;
  for (size_t output = 0; output < judged.shapes.size(); ++output) {
    const Shape& shape = judged.shapes[output].shape;
    const ConstTensorView& view = answered.outputs->at(judged.shapes[output].role);
    const int64_t count = ElementCount(shape), row = shape.empty() ? 1 : shape.back();
    if (count == 0) continue;
    const int64_t rows = count / row;
    const int64_t share = kMostDiagnosed / static_cast<int64_t>(judged.shapes.size());
    const int64_t kept = std::min(rows, std::max<int64_t>(1, share / row));
    std::set<int64_t> chosen;
    for (int64_t r = 0; r < kept; ++r) chosen.insert(kept == 1 ? 0 : r * (rows - 1) / (kept - 1));
    for (const auto& [of, element] : answered.wrong)
      if (of == static_cast<int>(output)) chosen.insert(element / row);
    for (const int64_t r : chosen) {
      const int64_t first = r * row;
      for (int64_t i = first; i < first + row; ++i) {
        JudgedElement e;
        e.output = static_cast<int>(output);
        e.number = i;
        e.bits = BitsAt(view, i);
        e.got = ValueOf(view.dtype, e.bits);
        e.truth = TrueValue(*judged.truth, format, e.output, i);
        e.rounded_truth_bits = reference::RoundedBits(*judged.truth, e.output, i, format);
        e.rounded_truth = ValueOf(view.dtype, e.rounded_truth_bits);
        e.ulp = IsFloat(view.dtype) ? UlpAt(format, e.got) : 1;
        const auto verdicts = reference::JudgeElement(*judged.truth, *answered.c, e.output, i,
                                                      view.dtype, e.bits, flushes_subnormals);
        for (size_t p = 0; p < kProfiles.size(); ++p) {
          e.outside |= static_cast<unsigned>(verdicts[p] == reference::ElementVerdict::kOutside)
                       << p;
          e.vacuous |= static_cast<unsigned>(verdicts[p] == reference::ElementVerdict::kVacuous)
                       << p;
        }
        judged.all.push_back(judged.elements.size());
        judged.elements.push_back(e);
      }
    }
  }
  return judged;
}

size_t MarkFailing(const Demand& demand, std::vector<JudgedCase>* cases) {
  std::array<int64_t, kProfiles.size()> outside{};
  for (const JudgedCase& judged : *cases)
    for (const JudgedElement& e : judged.elements)
      for (size_t p = 0; p < kProfiles.size(); ++p) outside[p] += e.outside >> p & 1;
  size_t basis = 0;
  for (size_t p = 1; p <= demand.floor; ++p)
    if (outside[p] < outside[basis]) basis = p;
  if (demand.profile) basis = *demand.profile;
  for (JudgedCase& judged : *cases)
    for (size_t k = 0; k < judged.elements.size(); ++k)
      if (judged.elements[k].outside >> basis & 1) judged.failing.push_back(k);
  return basis;
}

std::optional<size_t> OtherProfile(const std::vector<JudgedCase>& cases, size_t basis) {
  for (size_t p = 0; p < kProfiles.size(); ++p) {
    if (p == basis) continue;
    bool none_outside = true, proves = false;
    for (const JudgedCase& judged : cases)
      for (const JudgedElement& e : judged.elements) {
        none_outside &= !(e.outside >> p & 1);
        proves |= !(e.vacuous >> p & 1);
      }
    if (none_outside && proves) return p;
  }
  return std::nullopt;
}

std::string PatternOf(const std::vector<JudgedCase>& cases, size_t basis) {
  Tally positions;
  const JudgedCase* richest = nullptr;
  for (const JudgedCase& judged : cases) {
    if (!judged.failing.empty() &&
        (richest == nullptr || judged.elements.size() > richest->elements.size()))
      richest = &judged;
    std::set<size_t> failing(judged.failing.begin(), judged.failing.end());
    for (size_t k = 0; k < judged.elements.size(); ++k) {
      const JudgedElement& e = judged.elements[k];
      const reference::Place place = judged.truth->Where(e.output, e.number);
      if (!place.position) continue;
      // What is copied, or right within a bound that hides everything, says nothing of a position.
      const bool copied = CopiesDims(*judged.answered.c) && !place.pair;
      if (!failing.count(k) && (copied || (e.vacuous >> basis & 1) != 0)) continue;
      auto& counts = positions[*place.position];
      ++(failing.count(k) ? counts.first : counts.second);
    }
  }
  const JudgedCase& judged = *richest;
  const OperationSpec& operation = OperationOf(*judged.answered.c);
  std::map<std::string, Tally> tallies;
  Tally copied, outputs;
  const std::set<size_t> failing(judged.failing.begin(), judged.failing.end());
  for (size_t k = 0; k < judged.elements.size(); ++k) {
    const JudgedElement& e = judged.elements[k];
    const bool fails = failing.count(k) > 0;
    const auto note = [&](Tally& tally, int64_t value) {
      ++(fails ? tally[value].first : tally[value].second);
    };
    const TensorSpec& spec = operation.outputs[static_cast<size_t>(e.output)];
    const Shape index = IndexOf(judged.shapes[static_cast<size_t>(e.output)].shape, e.number);
    const size_t missing = spec.axes.size() - index.size();
    for (size_t axis = 0; axis < index.size(); ++axis)
      note(tallies[spec.axes[axis + missing]], index[axis]);
    const reference::Place place = judged.truth->Where(e.output, e.number);
    if (place.pair) note(tallies["pair"], *place.pair);
    if (CopiesDims(*judged.answered.c)) note(copied, place.pair ? 0 : 1);
    note(outputs, e.output);
  }
  std::vector<std::string> found;
  const auto add = [&](const std::string& text) {
    if (!text.empty()) found.push_back(text);
  };
  Tally sizes;
  for (const auto& [position, counts] : positions) {
    sizes[std::abs(position)].first += counts.first;
    sizes[std::abs(position)].second += counts.second;
  }
  std::string by_position = SetApart("position", positions);
  if (by_position.empty()) by_position = SetApart("|position|", sizes);
  add(by_position);
  // Positions are those of all cases; a place within a tensor means something in one of them alone.
  const size_t of_all = found.size();
  if (copied.size() == 2 && copied[0].first == 0) add("only dims outside the window");
  if (copied.size() == 2 && copied[1].first == 0) add("only dims of the window");
  if (const std::string only = SetApart("output", outputs); !only.empty())
    for (const auto& [output, counts] : outputs)
      if (counts.first > 0) add("only " + operation.outputs[static_cast<size_t>(output)].role);
  const std::string by_pair = SetApart("pair", tallies["pair"]);
  add(by_pair);
  for (const TensorSpec& spec : operation.outputs) {
    for (const std::string& axis : spec.axes) {
      if (axis == "pair" || (axis == "seq" && !by_position.empty())) continue;
      const std::string text = SetApart(axis, tallies[axis]);
      if (axis == "head_dim" && (!by_pair.empty() || copied.size() == 2)) continue;
      add(text);
    }
    break;
  }
  if (found.empty()) return "throughout";
  const auto several = std::count_if(cases.begin(), cases.end(),
                                     [](const JudgedCase& c) { return !c.failing.empty(); }) > 1;
  std::string text;
  for (size_t i = 0; i < found.size(); ++i)
    text += (i > 0 ? "; " : "") +
            std::string(several && i == of_all ? "in the largest case: " : "") + found[i];
  return text;
}

void FindPermutation(const std::vector<JudgedCase>& cases, size_t basis,
                     const std::function<std::unique_ptr<Predictor>(const Answered&)>& truth,
                     Diagnosis* diagnosis) {
  constexpr int64_t kLongestRow = 512, kMostRows = 64;
  static const std::set<std::string> kRows = {"rope.apply", "rope.table",       "rope.frequencies",
                                              "rope.xpos",  "sinusoidal.table", "sinusoidal.add"};
  for (const JudgedCase& judged : cases) {
    if (judged.failing.empty() || !kRows.count(judged.answered.c->operation)) continue;
    const Shape& shape = judged.shapes[0].shape;
    const int64_t row = shape.empty() ? 1 : shape.back();
    if (row < 2 || row > kLongestRow || judged.sampled) continue;
    const std::unique_ptr<Predictor> predictor = truth(judged.answered);
    const size_t n = static_cast<size_t>(row);
    const int64_t rows = std::min(kMostRows, ElementCount(shape) / row);
    for (const size_t profile : {basis, *ProfileFromName("f32-angle")}) {
      std::vector<std::vector<char>> may(n, std::vector<char>(n, 1));
      for (int64_t r = 0; r < rows; ++r) {
        std::vector<Prediction> expected;
        for (int64_t e = 0; e < row; ++e) expected.push_back(predictor->At(0, r * row + e));
        for (size_t d = 0; d < n; ++d) {
          const JudgedElement& got = judged.elements[static_cast<size_t>(r) * n + d];
          for (size_t e = 0; e < n; ++e) {
            if (!may[d][e]) continue;
            const Prediction& p = expected[e];
            const bool fits = p.kind == Prediction::kBits ? p.bits == got.bits
                              : p.kind == Prediction::kReal
                                  ? p.low[profile] <= got.got && got.got <= p.high[profile]
                                  : !std::isfinite(got.got);
            may[d][e] = fits;
          }
        }
      }
      const std::vector<int64_t> p = Matching(may).Find();
      if (p.empty()) continue;
      // Two elements that can be nowhere else: one alone may be an accident.
      int64_t certain = 0;
      for (size_t d = 0; d < n; ++d)
        certain +=
            p[d] != static_cast<int64_t>(d) && std::count(may[d].begin(), may[d].end(), 1) == 1;
      if (certain < 2) continue;
      diagnosis->permutation = p;
      diagnosis->permutation_text = PermutationText(p);
      return;
    }
    return;
  }
}

}  // namespace gnomon::oracle
