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
#include "gnomon/oracle/hypotheses_fitted.h"
#include "gnomon/oracle/text.h"
#include "gnomon/reference/judge.h"
#include "gnomon/spec/rope_scaling.h"
#include "gnomon/spec/schemes.h"

namespace gnomon::oracle {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Elements of a case that every hypothesis meets first: most are refuted by them.
constexpr size_t kScreened = 16;
// A mistake is named if the chance that one of all those tried fits an answer with another cause
// is below 2^-10: every one of N fits with at most 2^-evidence.
constexpr double kNamingBits = 10;
// Elements that a fitted number is told by, of a case and of all.
constexpr size_t kTurnsOfCase = 384, kMostTurns = 512;

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
  if (p.or_bits == e.bits) return 0;
  switch (p.kind) {
    case Prediction::kAny:
      return 0;
    case Prediction::kBits:
      return p.bits == e.bits ? 0 : kInfinity;
    case Prediction::kNonFinite:
      return !std::isfinite(e.got) ? 0 : kInfinity;
    case Prediction::kFinite:
      return std::isfinite(e.got) ? 0 : kInfinity;
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
  // It says no more of the number than that it is one: a bit.
  if (p.kind == Prediction::kFinite) return std::isnan(e.truth) ? 1 : 0;
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
  double fitted = 1, fitted_error = 0;
  PerProfile residual{}, evidence{};
  // Of elements that are right: by how many bits they are nearer the prediction than the truth.
  double leaning = 0;
  size_t leaned = 0;                // elements in which the two differ
  size_t failing = 0, excused = 0;  // failing elements, and those of which it says nothing
  bool numbers = false;             // a failing element is a number, not NaN or an infinity
  bool screened = false;            // fits the failing elements that are met first
  bool complete = false;            // every element was looked at
};

class Search {
 public:
  Search(const std::vector<JudgedCase>& cases, Format format, size_t basis)
      : cases_(cases), format_(format), basis_(basis), hypotheses_(HypothesesOf(cases[0].stem())) {}

  void Run(Diagnosis* d) {
    // What has a fitted number explains more by chance: after all that has none.
    std::vector<std::vector<size_t>> single, fitted, pairs, fitted_pairs;
    for (size_t i = 0; i < hypotheses_.size(); ++i) (IsFitted(i) ? fitted : single).push_back({i});
    if (TryAll(single, d) || TryAll(fitted, d)) return;
    for (size_t i = 0; i < hypotheses_.size(); ++i)
      for (size_t j = 0; j < hypotheses_.size(); ++j)
        if (hypotheses_[i].convention && j != i && (!hypotheses_[j].convention || j > i) &&
            !SameKind(i, j))
          (IsFitted(j) ? fitted_pairs : pairs).push_back({i, j});
    if (!TryAll(pairs, d)) TryAll(fitted_pairs, d);
  }
  // REPORT-2: one that explains half the digits of the error, on all failing elements.
  void SayRunnerUp(Diagnosis* d) const {
    double off = Residual({});
    // Where the bound is tiny, the digits of the format are all that there is to explain.
    if (std::isfinite(off)) off = std::min(off, std::ldexp(1.0, Traits(format_).precision));
    const Trial* best = nullptr;
    double left = kInfinity;
    for (const auto* some : {&screened_, &nearest_})
      for (const Trial& trial : *some) {
        const double residual = Residual(trial);
        if (residual < left) left = residual, best = &trial;
      }
    // Half the digits of an infinite error are all of them.
    if (best == nullptr || (std::isfinite(off) ? left * left > off : !(left <= 1))) return;
    d->runner_up = NameOf(*best);
    d->runner_up_residual = left;
  }

 private:
  std::string Family(size_t i) const {
    return hypotheses_[i].id.substr(0, hypotheses_[i].id.find('/'));
  }
  bool SameKind(size_t i, size_t j) const { return Family(i) == Family(j); }
  // Other than `magnitude`, whose factor every element tells anew.
  bool IsFitted(size_t i) const {
    return hypotheses_[i].fit != Fit::kNone && hypotheses_[i].fit != Fit::kFactor;
  }
  std::string NameOf(const Trial& trial) const {
    std::string name;
    for (const size_t i : trial.made)
      name += (name.empty() ? "" : " + ") + FittedId(hypotheses_[i], trial.fitted);
    return name;
  }
  std::string TextOf(const Trial& trial) const {
    std::string text;
    for (const size_t i : trial.made)
      text +=
          (text.empty() ? "" : "; ") + FittedText(hypotheses_[i], trial.fitted, trial.fitted_error);
    return text;
  }

  // The number of the mistake that has one, by what is answered; false: there is none that fits.
  bool EstimateNumber(Trial* trial) const {
    for (const size_t i : trial->made) {
      if (!IsFitted(i) || hypotheses_[i].fit == Fit::kAny) continue;
      std::vector<size_t> others;
      for (const size_t other : trial->made)
        if (other != i) others.push_back(other);
      std::vector<Observation> turns;
      for (const JudgedCase& judged : cases_) {
        if (judged.failing.empty() || turns.size() > kMostTurns) continue;
        const std::unique_ptr<Predictor> predictor = Predict(judged.answered, others);
        for (const size_t k : Spaced(judged.all, kTurnsOfCase)) {
          const JudgedElement& e = judged.elements[k];
          if (const auto turn = predictor->Observe(e.output, e.number)) turns.push_back(*turn);
        }
      }
      const auto fitted = FitTo(turns, hypotheses_[i].fit, format_);
      if (!fitted) return false;
      trial->fitted = fitted->value;
      trial->fitted_error = fitted->error;
      trial->evidence.fill(-fitted->bits);
      return true;
    }
    Estimate(trial->made, &trial->fitted, &trial->fitted_error);
    // A factor that was fitted explains as many bits less as it was told by.
    const double error = trial->fitted_error;
    if (error > 0)
      trial->evidence.fill(-std::max(0.0, std::log2(std::abs(trial->fitted - 1) / error)));
    return true;
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

  // A bound may be so wide that it holds the truth and the prediction; the answer is near one.
  void Lean(const Prediction& p, const JudgedElement& e, Trial* trial) const {
    if (e.outside >> basis_ & 1 || p.kind != Prediction::kReal) return;
    const double off = std::abs(e.got - e.truth), to = std::abs(e.got - p.value);
    if (!std::isfinite(off + to) || !(std::abs(p.value - e.truth) > e.ulp)) return;
    const double most = Traits(format_).precision;
    trial->leaning += std::clamp(std::log2((off + e.ulp) / (to + e.ulp)), -most, most);
    ++trial->leaned;
  }
  // What right elements say against it. Where both are equally near, the logarithm of the quotient
  // of two uniform distances deviates by sqrt(2)/ln 2, two bits; twice that is left to chance.
  static double Against(const Trial& trial) {
    return std::min(0.0, trial.leaning + 4 * std::sqrt(static_cast<double>(trial.leaned)));
  }

  // Adds these elements; false once no profile fits.
  bool Add(const JudgedCase& judged, Predictor& predictor, const std::vector<size_t>& numbers,
           Trial* trial, std::unordered_set<uint64_t>* seen) const {
    bool alive = true;
    const uint64_t asked = static_cast<uint64_t>(&judged - cases_.data()) * 0xd6e8feb86659fd93u;
    for (const size_t k : numbers) {
      const JudgedElement& e = judged.elements[k];
      const Prediction p = predictor.At(e.output, e.number);
      // The same again is no evidence, but of another case.
      const bool fresh = seen == nullptr || seen->insert(e.bits * 0x9e3779b97f4a7c15u ^ asked ^
                                                         std::bit_cast<uint64_t>(p.value) ^
                                                         std::bit_cast<uint64_t>(e.truth) * 31)
                                                .second;
      if (seen != nullptr && e.outside >> basis_ & 1) {
        ++trial->failing;
        trial->excused += p.kind == Prediction::kAny;
        trial->numbers |= std::isfinite(e.got);
      }
      alive = false;
      for (size_t i = 0; i < kProfiles.size(); ++i) {
        trial->residual[i] = std::max(trial->residual[i], Ratio(p, e, i));
        alive |= trial->residual[i] <= 1;
        if (seen != nullptr && fresh && trial->residual[i] <= 1)
          trial->evidence[i] += Evidence(p, e, i, format_);
      }
      if (fresh && seen != nullptr) Lean(p, e, trial);
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
    if (!EstimateNumber(&trial)) {
      trial.residual.fill(kInfinity);
      return trial;
    }
    std::vector<std::pair<const JudgedCase*, std::unique_ptr<Predictor>>> asked;
    bool alive = true;
    for (const JudgedCase& judged : cases_) {
      // Without a failing element no state shows; what is mistaken beside it would.
      const std::vector<size_t>& here = judged.failing.empty() ? lasting : made;
      if (here.empty()) continue;
      std::unique_ptr<Predictor> predictor =
          Predict(judged.answered, here, trial.fitted, trial.fitted_error);
      alive = Add(judged, *predictor, Spaced(judged.failing, kScreened), &trial, nullptr);
      if (!alive) return trial;
      asked.emplace_back(&judged, std::move(predictor));
    }
    trial.screened = true;
    std::unordered_set<uint64_t> seen;
    for (const auto& [judged, predictor] : asked)
      if (!Add(*judged, *predictor, judged->all, &trial, &seen)) return trial;
    trial.complete = 2 * trial.excused <= trial.failing;
    return trial;
  }

  int64_t FailingCases() const {
    return std::count_if(cases_.begin(), cases_.end(),
                         [](const JudgedCase& judged) { return !judged.failing.empty(); });
  }
  bool MakesState(const Trial& trial) const {
    return std::any_of(trial.made.begin(), trial.made.end(),
                       [&](size_t i) { return hypotheses_[i].state; });
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
      // Junk is mostly NaN, wherever it was read: one case does not tell the place.
      if (!trial.numbers && FailingCases() == 1 && MakesState(trial)) return false;
      return trial.residual[p] <= 1 && trial.evidence[p] + Against(trial) >= needed;
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
          if (trial.residual[q] < d->residual) d->profile = q, d->residual = trial.residual[q];
          if (!named.insert(NameOf(trial)).second) continue;
          d->mistakes.push_back(NameOf(trial));
          d->text += (d->text.empty() ? "" : " or ") + TextOf(trial);
        }
      return true;
    }
    return false;
  }
  // Those that fit what was met first, and those whose first refutation is the slightest.
  void NoteRunnerUp(const Trial& trial) {
    constexpr size_t kMost = 4;
    if (trial.screened) {
      if (screened_.size() < kMost) screened_.push_back(trial);
      return;
    }
    const auto least = [](const Trial& of) {
      return *std::min_element(of.residual.begin(), of.residual.end());
    };
    if (!(least(trial) < kInfinity)) return;
    const auto after = std::upper_bound(
        nearest_.begin(), nearest_.end(), trial,
        [&](const Trial& one, const Trial& other) { return least(one) < least(other); });
    nearest_.insert(after, trial);
    if (nearest_.size() > kMost) nearest_.pop_back();
  }
  // Of the failing elements, under the profile that they fail; infinite where it says nothing of
  // most of them, or leaves as much open as any answer needs.
  double Residual(const Trial& trial) const {
    double residual = 0, told = 0;
    size_t failing = 0, excused = 0;
    for (const JudgedCase& judged : cases_) {
      if (judged.failing.empty()) continue;
      const std::unique_ptr<Predictor> predictor =
          Predict(judged.answered, trial.made, trial.fitted, trial.fitted_error);
      for (const size_t k : judged.failing) {
        const JudgedElement& e = judged.elements[k];
        const Prediction p = predictor->At(e.output, e.number);
        residual = std::max(residual, Ratio(p, e, basis_));
        told += Evidence(p, e, basis_, format_);
        ++failing;
        excused += p.kind == Prediction::kAny;
      }
    }
    const bool open = 2 * excused > failing || (residual <= 1 && told < kNamingBits);
    return open ? kInfinity : residual;
  }

  const std::vector<JudgedCase>& cases_;
  const Format format_;
  const size_t basis_;  // the profile that elements fail
  const std::vector<Hypothesis>& hypotheses_;
  double tried_ = 0;
  std::vector<Trial> screened_, nearest_;  // for the runner-up
};

// Whatever their variants.
bool IsOneMistake(const std::vector<std::string>& names) {
  const auto family = [](const std::string& name) { return name.substr(0, name.find('/')); };
  return std::all_of(names.begin(), names.end(), [&](const std::string& name) {
    return family(name) == family(names[0]) && name.find(" + ") == std::string::npos;
  });
}

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
  d.pattern = PatternOf(cases, basis);
  NoteSmallest(cases, &d);
  FindPermutation(
      cases, basis, [](const Answered& one) { return Predict(one, {}); }, &d);
  // Small cases first: they refute at the least cost.
  std::stable_sort(cases.begin(), cases.end(), [](const JudgedCase& a, const JudgedCase& b) {
    return std::pair(a.failing.empty(), a.count) < std::pair(b.failing.empty(), b.count);
  });
  Search search(cases, answered[0].c->format, basis);
  search.Run(&d);
  if (d.failing > 1) {
    search.SayRunnerUp(&d);
  } else if (!IsOneMistake(d.mistakes)) {
    // REPORT-2: one element fits many a mistake.
    d.mistakes.clear();
    d.text.clear();
    d.profile.reset();
    d.residual = kInfinity;
  }
  return d;
}

std::vector<std::string> Diagnosis::Lines() const {
  std::vector<std::string> lines;
  if (failing == 0) return lines;
  // It reproduces what fails, and is refuted by what does not.
  const char* const but = runner_up_residual <= 1 ? ": but not the elements that are right" : "";
  const std::string runner = runner_up.empty()
                                 ? std::string("; no other comes near")
                                 : fmt::format("; runner-up: {}, residual {}{}", runner_up,
                                               Rough(runner_up_residual), but);
  if (mistakes.empty() && failing == 1) {
    lines.push_back("mistake: a single element is wrong, which tells no mistake from another");
  } else if (mistakes.empty()) {
    lines.push_back(fmt::format("mistake: none known reproduces all {} failing elements{}{}",
                                failing, sampled ? " looked at" : "",
                                runner_up.empty() ? "; none comes near" : runner));
  } else {
    std::string names;
    for (const std::string& name : mistakes) names += (names.empty() ? "" : " or ") + name;
    lines.push_back(
        fmt::format("mistake: {} ({}) reproduces every element{}: residual {} of the bound of {}{}",
                    names, text, sampled ? " looked at" : "", Rough(residual),
                    kProfiles[*profile].name, failing == 1 ? "" : runner));
  }
  if (other_profile)
    lines.push_back(fmt::format("equal under another profile: every element meets {}",
                                kProfiles[*other_profile].name));
  if (!permutation.empty())
    lines.push_back("equal up to a permutation of a row's elements: " + permutation_text);
  lines.push_back("where: " + pattern);
  return lines;
}

namespace {

// SCALE-9, SCALE-10: a call has one length, of all its positions.
void StateLength(const Case& c, Parameters* parameters) {
  RopeScaling scaling;
  scaling.type = gnomon::rope_scaling::TypeIn(c.parameters);
  if (c.parameters.count("seq_len")) return;
  gnomon::rope_scaling::ResolveLength(c, &scaling);
  if (scaling.seq_len != 0) (*parameters)["seq_len"] = static_cast<double>(scaling.seq_len);
}

}  // namespace

Cut CutDown(const Answered& answered, int output, int64_t element, const std::string& keep) {
  const OperationSpec& operation = OperationOf(*answered.c);
  const TensorSpec& spec = operation.outputs[static_cast<size_t>(output)];
  const ConstTensorView& view = answered.outputs->at(spec.role);
  const Shape at = IndexOf(view.shape, element);
  // CASE-9; pairs of positions (SIN-8); and queries, but for a causal mask that is aligned with the
  // last one (ATT-2).
  std::vector<std::string> cuts = operation.apart;
  cuts.insert(cuts.end(), {"m", "n"});
  const auto mask = answered.c->parameters.find("mask");
  if (mask != answered.c->parameters.end() && mask->second == Value(std::string("none")))
    cuts.push_back("query");
  std::map<std::string, int64_t> index;
  // An axis that no input has is as long as a parameter says.
  const auto is_given = [&](const std::string& axis) {
    return std::any_of(operation.inputs.begin(), operation.inputs.end(), [&](const TensorSpec& of) {
      return std::count(of.axes.begin(), of.axes.end(), axis) > 0;
    });
  };
  const size_t missing = spec.axes.size() - view.shape.size();
  for (size_t i = 0; i < view.shape.size(); ++i) {
    const std::string& axis = spec.axes[i + missing];
    if (std::count(cuts.begin(), cuts.end(), axis) > 0 && is_given(axis)) index[axis] = at[i];
  }
  // The part of a tensor that these indices leave.
  const auto part = [&](const ConstTensorView& from, const TensorSpec& of) {
    Shape shape = from.shape;
    const size_t left_out = of.axes.size() - shape.size();
    Shape first(shape.size(), 0);
    for (size_t i = 0; i < shape.size(); ++i) {
      const auto found = index.find(of.axes[i + left_out]);
      if (found == index.end()) continue;
      const int64_t kept = std::min<int64_t>(found->first == keep ? 2 : 1, shape[i]);
      first[i] = shape[i] == 1 ? 0 : std::max<int64_t>(found->second + 1 - kept, 0);
      shape[i] = kept;
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
  StateLength(*answered.c, &cut.c.parameters);
  for (const TensorSpec& of : operation.inputs) {
    const auto found = answered.c->inputs.find(of.role);
    if (found != answered.c->inputs.end())
      cut.c.inputs.insert_or_assign(of.role, part(found->second.view(), of));
  }
  for (const TensorSpec& of : operation.outputs)
    cut.outputs.emplace(of.role, part(answered.outputs->at(of.role), of));
  return cut;
}

bool Fails(const Cut& cut, const Demand& demand) {
  const size_t profile = demand.profile.value_or(demand.floor);
  return reference::Judge(cut.c, cut.outputs, {{}, demand.flushes_subnormals, profile})
             .profiles[profile]
             .outside > 0;
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
