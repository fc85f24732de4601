#include "gnomon/oracle/diagnosis.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <filesystem>
#include <set>
#include <unordered_set>

#include "gnomon/oracle/bad_file.h"
#include "gnomon/oracle/case_file.h"
#include "gnomon/oracle/case_json.h"
#include "gnomon/oracle/diagnosis_elements.h"
#include "gnomon/oracle/text.h"
#include "gnomon/spec/schemes.h"

namespace gnomon::oracle {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Elements of a case that every hypothesis meets first: most are refuted by them.
constexpr size_t kScreened = 16;
// A mistake is named if the chance that one of all those tried fits an answer with another cause
// is below 2^-10: every one of N fits with at most 2^-evidence.
constexpr double kNamingBits = 10;

const std::vector<Hypothesis>& HypothesesOf(const std::string& stem) {
#define GNOMON_HYPOTHESES(name) \
  if (stem == #name) return name::Hypotheses();
  GNOMON_FOR_EACH_STEM(GNOMON_HYPOTHESES)
#undef GNOMON_HYPOTHESES
  throw Rejected("operation", stem, "has no hypotheses", "CASE-1");
}

std::unique_ptr<Predictor> Predict(const Answered& answered, const std::vector<size_t>& made,
                                   double factor = 1, double factor_error = 0) {
  const std::string& operation = answered.c->operation;
  const std::string stem = operation.substr(0, operation.find('.'));
#define GNOMON_PREDICT(name) \
  if (stem == #name) return name::Predict(answered, made, factor, factor_error);
  GNOMON_FOR_EACH_STEM(GNOMON_PREDICT)
#undef GNOMON_PREDICT
  throw Rejected("operation", operation, "has no hypotheses", "CASE-1");
}

// Distance from what is predicted, over the largest that is allowed.
double Ratio(const Prediction& p, const JudgedElement& e, size_t profile) {
  switch (p.kind) {
    case Prediction::kAny:
      return 0;
    case Prediction::kBits:
      return p.bits == e.bits ? 0 : kInfinity;
    case Prediction::kNonFinite:
      return !std::isfinite(e.got) || p.or_bits == e.bits ? 0 : kInfinity;
    case Prediction::kReal:
      break;
  }
  const double low = p.low[profile], high = p.high[profile];
  if (!std::isfinite(e.got) && (p.open >> profile & 1)) return 0;
  if (std::isnan(e.got)) return kInfinity;
  if (std::isinf(e.got)) return e.got <= high && e.got >= low ? 0 : kInfinity;
  const double reach = std::max(high - p.value, p.value - low);
  const bool within = low <= e.got && e.got <= high;
  if (!std::isfinite(reach)) return within ? 0 : kInfinity;
  if (within) return reach > 0 ? std::min(1.0, std::abs(e.got - p.value) / reach) : 0;
  const double off = std::abs(e.got - p.value);
  return reach > 0 ? std::max(off / reach, 1 + 0x1p-20) : kInfinity;
}

// How many bits of the answer a prediction explains that the truth does not: log2 of the distance
// between the two, over what the prediction leaves open. Nothing where it leaves the truth open.
double Evidence(const Prediction& p, const JudgedElement& e, size_t profile, Format format) {
  const double most = Traits(format).precision;
  if (!std::isfinite(e.got) && p.open != 0) return 0;
  if (p.kind == Prediction::kAny || e.bits == e.rounded_truth_bits) return 0;
  if (p.kind == Prediction::kNonFinite) return std::isfinite(e.truth) ? most : 0;
  const double off = std::abs(e.got - e.truth);
  if (off == 0 && p.kind == Prediction::kReal) return 0;
  if (p.kind == Prediction::kBits && !std::isfinite(off)) return most;
  if (p.kind == Prediction::kBits) return std::min(most, std::log2(1 + 2 * off / e.ulp));
  const double low = p.low[profile], high = p.high[profile];
  const double largest = LargestFinite(format);
  if (!std::isfinite(e.got)) return low > largest / 2 || high < -largest / 2 ? most : 0;
  if (!std::isfinite(high - low)) return 0;
  if (!std::isfinite(e.truth)) return most;
  if (low <= e.rounded_truth && e.rounded_truth <= high) return 0;
  const double reach = (high - low) / 2;
  if (reach < e.ulp / 2) return std::min(most, std::log2(1 + 2 * off / e.ulp));
  return off >= 2 * reach ? std::min(most, std::log2(off / reach)) : 0;
}

struct Trial {
  std::vector<size_t> made;
  PerProfile residual{}, evidence{};
  size_t failing = 0, excused = 0;  // failing elements, and those of which it says nothing
  bool complete = false;            // every element was looked at
};

class Search {
 public:
  Search(const std::vector<JudgedCase>& cases, Format format, size_t basis)
      : cases_(cases), format_(format), basis_(basis), hypotheses_(HypothesesOf(cases[0].stem())) {}

  void Run(Diagnosis* d) {
    std::vector<std::vector<size_t>> single, pairs;
    for (size_t i = 0; i < hypotheses_.size(); ++i) single.push_back({i});
    if (TryAll(single, d)) return;
    for (size_t i = 0; i < hypotheses_.size(); ++i)
      for (size_t j = 0; j < hypotheses_.size(); ++j)
        if (hypotheses_[i].convention && j != i && (!hypotheses_[j].convention || j > i) &&
            !SameKind(i, j))
          pairs.push_back({i, j});
    TryAll(pairs, d);
  }
  // REPORT-2: one that explains half the digits of the error, on all failing elements.
  void SayRunnerUp(Diagnosis* d) const {
    if (runner_up_.empty()) return;
    double factor = 1, error = 0;
    Estimate(runner_up_, &factor, &error);
    const double off = Residual({}, 1, 0), left = Residual(runner_up_, factor, error);
    if (!(left < kInfinity) || left * left > off) return;
    d->runner_up = NameOf(runner_up_);
    d->runner_up_residual = left;
  }

 private:
  std::string Family(size_t i) const {
    return hypotheses_[i].id.substr(0, hypotheses_[i].id.find('/'));
  }
  bool SameKind(size_t i, size_t j) const { return Family(i) == Family(j); }
  std::string NameOf(const std::vector<size_t>& made) const {
    std::string name;
    for (const size_t i : made) name += (name.empty() ? "" : " + ") + hypotheses_[i].id;
    return name;
  }
  std::string TextOf(const std::vector<size_t>& made) const {
    std::string text;
    for (const size_t i : made) text += (text.empty() ? "" : "; ") + hypotheses_[i].text;
    return text;
  }

  // `magnitude`: the factors that every failing element met first allows, by f32-angle.
  void Estimate(const std::vector<size_t>& made, double* factor, double* error) const {
    std::vector<size_t> others;
    for (const size_t i : made)
      if (hypotheses_[i].id != "magnitude") others.push_back(i);
    if (others.size() == made.size()) return;
    constexpr size_t kAngle = *ProfileFromName("f32-angle");
    double low = -kInfinity, high = kInfinity;
    for (const JudgedCase& judged : cases_) {
      if (judged.failing.empty()) continue;
      const std::unique_ptr<Predictor> predictor = Predict(judged.answered, others);
      for (const size_t k : Spaced(judged.failing, kScreened)) {
        const JudgedElement& e = judged.elements[k];
        const Prediction p = predictor->At(e.output, e.number);
        if (p.kind != Prediction::kReal || p.value == 0 || !std::isfinite(e.got)) continue;
        // The factor's own roundings beside the bound, as Stored() has them.
        const double reach = std::max(p.high[kAngle] - p.value, p.value - p.low[kAngle]) +
                             FactorRounding(format_, p.value);
        const double slack = std::max(1.0, std::abs(e.got / p.value)) * reach / std::abs(p.value);
        low = std::max(low, e.got / p.value - slack);
        high = std::min(high, e.got / p.value + slack);
      }
    }
    if (!(low < high) || !std::isfinite(high - low)) return;
    *factor = (low + high) / 2;
    *error = (high - low) / 2;
  }

  // Adds these elements; false once no profile fits.
  bool Add(const JudgedCase& judged, Predictor& predictor, const std::vector<size_t>& numbers,
           Trial* trial, std::unordered_set<uint64_t>* seen) const {
    bool alive = true;
    for (const size_t k : numbers) {
      const JudgedElement& e = judged.elements[k];
      const Prediction p = predictor.At(e.output, e.number);
      const bool fresh = seen == nullptr || seen->insert(e.bits * 0x9e3779b97f4a7c15u ^
                                                         std::bit_cast<uint64_t>(p.value) ^
                                                         std::bit_cast<uint64_t>(e.truth) * 31)
                                                .second;
      if (seen != nullptr && e.outside >> basis_ & 1) {
        ++trial->failing;
        trial->excused += p.kind == Prediction::kAny;
      }
      alive = false;
      for (size_t i = 0; i < kProfiles.size(); ++i) {
        trial->residual[i] = std::max(trial->residual[i], Ratio(p, e, i));
        alive |= trial->residual[i] <= 1;
        if (seen != nullptr && fresh && trial->residual[i] <= 1)
          trial->evidence[i] += Evidence(p, e, i, format_);
      }
      if (!alive && seen != nullptr) return false;
    }
    return alive;
  }

  Trial Try(const std::vector<size_t>& made) const {
    Trial trial;
    trial.made = made;
    std::vector<size_t> lasting;  // what is made in every case, whether a state shows in it or not
    for (const size_t i : made)
      if (!hypotheses_[i].state) lasting.push_back(i);
    double factor = 1, error = 0;
    Estimate(made, &factor, &error);
    std::vector<std::pair<const JudgedCase*, std::unique_ptr<Predictor>>> asked;
    bool alive = true;
    for (const JudgedCase& judged : cases_) {
      // Without a failing element no state shows; what is mistaken beside it would.
      const std::vector<size_t>& here = judged.failing.empty() ? lasting : made;
      if (here.empty()) continue;
      std::unique_ptr<Predictor> predictor = Predict(judged.answered, here, factor, error);
      alive = Add(judged, *predictor, Spaced(judged.failing, kScreened), &trial, nullptr);
      if (!alive) return trial;
      asked.emplace_back(&judged, std::move(predictor));
    }
    std::unordered_set<uint64_t> seen;
    // A factor that was fitted explains as many bits less as it was told by.
    if (error > 0) trial.evidence.fill(-std::max(0.0, std::log2(std::abs(factor - 1) / error)));
    for (const auto& [judged, predictor] : asked)
      if (!Add(*judged, *predictor, judged->all, &trial, &seen)) return trial;
    trial.complete = 2 * trial.excused <= trial.failing;
    return trial;
  }

  // True where one of them is named.
  bool TryAll(const std::vector<std::vector<size_t>>& candidates, Diagnosis* d) {
    std::vector<Trial> complete;
    tried_ += static_cast<double>(candidates.size());
    for (const std::vector<size_t>& made : candidates) {
      Trial trial = Try(made);
      if (trial.complete) {
        complete.push_back(std::move(trial));
      } else {
        NoteRunnerUp(trial);
      }
    }
    const double needed = std::log2(tried_) + kNamingBits;
    const auto fits = [&](const Trial& trial, size_t p) {
      return trial.residual[p] <= 1 && trial.evidence[p] >= needed;
    };
    // What a looser profile explains by itself needs no mistake beside it.
    for (size_t p = 0; p < d->other_profile.value_or(kProfiles.size()); ++p) {
      if (std::none_of(complete.begin(), complete.end(),
                       [&](const Trial& trial) { return fits(trial, p); }))
        continue;
      // A state shows in some elements only, and a fitted factor has room: they may fit a stricter
      // profile than the kernel keeps elsewhere, and are no better for it.
      std::set<std::string> named;
      d->residual = kInfinity;
      for (size_t q = p; q <= std::max(p, basis_); ++q)
        for (const Trial& trial : complete) {
          if (!fits(trial, q)) continue;
          d->profile = q;
          d->residual = std::min(d->residual, trial.residual[q]);
          if (!named.insert(NameOf(trial.made)).second) continue;
          d->mistakes.push_back(NameOf(trial.made));
          d->text += (d->text.empty() ? "" : " or ") + TextOf(trial.made);
        }
      return true;
    }
    return false;
  }
  void NoteRunnerUp(const Trial& trial) {
    const double residual = *std::min_element(trial.residual.begin(), trial.residual.end());
    if (!(residual < nearest_)) return;
    nearest_ = residual;
    runner_up_ = trial.made;
  }
  // Of the failing elements, under the profile that they fail.
  double Residual(const std::vector<size_t>& made, double factor, double error) const {
    double residual = 0;
    for (const JudgedCase& judged : cases_) {
      if (judged.failing.empty()) continue;
      const std::unique_ptr<Predictor> predictor = Predict(judged.answered, made, factor, error);
      for (const size_t k : judged.failing) {
        const JudgedElement& e = judged.elements[k];
        residual = std::max(residual, Ratio(predictor->At(e.output, e.number), e, basis_));
      }
    }
    return residual;
  }

  const std::vector<JudgedCase>& cases_;
  const Format format_;
  const size_t basis_;  // the profile that elements fail
  const std::vector<Hypothesis>& hypotheses_;
  double tried_ = 0;
  std::vector<size_t> runner_up_;  // the one whose first refutation is the slightest
  double nearest_ = kInfinity;
};

void NoteSmallest(const std::vector<JudgedCase>& cases, Diagnosis* d) {
  int64_t smallest = std::numeric_limits<int64_t>::max();
  int64_t nearest = smallest;
  for (size_t i = 0; i < cases.size(); ++i) {
    if (cases[i].failing.empty()) continue;
    const int64_t count = cases[i].count;
    if (count < smallest) nearest = std::numeric_limits<int64_t>::max();
    if (count > smallest) continue;
    smallest = count;
    for (const size_t k : cases[i].failing) {
      const JudgedElement& e = cases[i].elements[k];
      const int64_t position =
          std::abs(cases[i].truth->Where(e.output, e.number).position.value_or(0));
      if (position >= nearest) continue;
      nearest = position;
      d->smallest_case = i;
      d->smallest_output = e.output;
      d->smallest_element = e.number;
    }
  }
}

}  // namespace

Diagnosis Diagnose(const std::vector<Answered>& answered, const Demand& demand) {
  Diagnosis d;
  if (answered.empty()) return d;
  std::vector<JudgedCase> cases;
  for (const Answered& one : answered)
    cases.push_back(JudgeForDiagnosis(one, demand.flushes_subnormals));
  const size_t basis = MarkFailing(demand, &cases);
  for (const JudgedCase& judged : cases) {
    d.elements += static_cast<int64_t>(judged.elements.size());
    d.failing += static_cast<int64_t>(judged.failing.size());
    d.sampled |= judged.sampled;
  }
  if (d.failing == 0) return d;
  d.other_profile = OtherProfile(cases, basis);
  d.pattern = PatternOf(cases);
  NoteSmallest(cases, &d);
  FindPermutation(
      cases, basis, [](const Answered& one) { return Predict(one, {}); }, &d);
  // Small cases first: they refute at the least cost.
  std::stable_sort(cases.begin(), cases.end(), [](const JudgedCase& a, const JudgedCase& b) {
    return std::pair(a.failing.empty(), a.count) < std::pair(b.failing.empty(), b.count);
  });
  Search search(cases, answered[0].c->format, basis);
  search.Run(&d);
  search.SayRunnerUp(&d);
  return d;
}

std::vector<std::string> Diagnosis::Lines() const {
  std::vector<std::string> lines;
  if (failing == 0) return lines;
  const std::string runner = runner_up.empty() ? std::string("; no other comes near")
                                               : fmt::format("; runner-up: {}, residual {}",
                                                             runner_up, Rough(runner_up_residual));
  if (mistakes.empty()) {
    lines.push_back(fmt::format("mistake: none known reproduces all {} failing elements{}{}",
                                failing, sampled ? " looked at" : "",
                                runner_up.empty() ? "; none comes near" : runner));
  } else {
    std::string names;
    for (const std::string& name : mistakes) names += (names.empty() ? "" : " or ") + name;
    lines.push_back(fmt::format(
        "mistake: {} ({}) reproduces every element{}: residual {} of the bound of {}{}", names,
        text, sampled ? " looked at" : "", Rough(residual), kProfiles[*profile].name, runner));
  }
  if (other_profile)
    lines.push_back(fmt::format("equal under another profile: every element meets {}",
                                kProfiles[*other_profile].name));
  if (!permutation.empty())
    lines.push_back("equal up to a permutation of a row's elements: " + permutation_text);
  lines.push_back("where: " + pattern);
  return lines;
}

Cut CutDown(const Answered& answered, int output, int64_t element) {
  const OperationSpec& operation = OperationOf(*answered.c);
  const TensorSpec& spec = operation.outputs[static_cast<size_t>(output)];
  const ConstTensorView& view = answered.outputs->at(spec.role);
  const Shape at = IndexOf(view.shape, element);
  static const std::set<std::string> kCut = {"batch", "seq", "heads", "m", "n", "query"};
  std::map<std::string, int64_t> index;
  // An axis that no input has is as long as a parameter says.
  const auto is_given = [&](const std::string& axis) {
    return std::any_of(operation.inputs.begin(), operation.inputs.end(), [&](const TensorSpec& of) {
      return std::count(of.axes.begin(), of.axes.end(), axis) > 0;
    });
  };
  const size_t missing = spec.axes.size() - view.shape.size();
  for (size_t i = 0; i < view.shape.size(); ++i)
    if (kCut.count(spec.axes[i + missing]) && is_given(spec.axes[i + missing]))
      index[spec.axes[i + missing]] = at[i];
  // The part of a tensor that these indices leave.
  const auto part = [&](const ConstTensorView& from, const TensorSpec& of) {
    Shape shape = from.shape;
    const size_t left_out = of.axes.size() - shape.size();
    Shape first(shape.size(), 0);
    for (size_t i = 0; i < shape.size(); ++i) {
      const auto found = index.find(of.axes[i + left_out]);
      if (found == index.end()) continue;
      first[i] = shape[i] == 1 ? 0 : found->second;
      shape[i] = 1;
    }
    Tensor cut(from.dtype, shape);
    for (int64_t i = 0; i < cut.count(); ++i) {
      Shape where = IndexOf(shape, i);
      for (size_t axis = 0; axis < where.size(); ++axis) where[axis] += first[axis];
      cut.SetBits(i, BitsAt(from, ElementAt(from.shape, where)));
    }
    return cut;
  };
  Cut cut;
  cut.c = *answered.c;
  for (const TensorSpec& of : operation.inputs) {
    const auto found = answered.c->inputs.find(of.role);
    if (found != answered.c->inputs.end())
      cut.c.inputs.insert_or_assign(of.role, part(found->second.view(), of));
  }
  for (const TensorSpec& of : operation.outputs)
    cut.outputs.emplace(of.role, part(answered.outputs->at(of.role), of));
  return cut;
}

std::string WriteInto(const std::string& folder, const Cut& cut) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw BadFile(folder, "cannot be made a folder: " + error.message());
  const std::string path = folder + "/" + CaseId(cut.c) + ".safetensors";
  WriteCaseFile(path, cut.c, cut.outputs);
  return path;
}

}  // namespace gnomon::oracle
