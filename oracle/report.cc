#include "gnomon/oracle/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "gnomon/oracle/case_json.h"
#include "gnomon/oracle/diagnosis.h"
#include "gnomon/oracle/report_json.h"
#include "gnomon/oracle/text.h"
#include "gnomon/reference/certify.h"
#include "gnomon/reference/truth.h"
#include "gnomon/spec/rope_scaling.h"
#include "gnomon/spec/schemes.h"

namespace gnomon::oracle {

std::string Demand::Options() const {
  std::string options;
  if (profile) options += fmt::format(" --profile {}", kProfiles[*profile].name);
  if (floor + 1 != kProfiles.size()) options += fmt::format(" --floor {}", kProfiles[floor].name);
  if (flushes_subnormals) options += " --flushes-subnormals";
  return options;
}

namespace {

using reference::ElementReport;
using reference::ErrorHistogram;
using reference::Judgement;
using reference::ProfileResult;

constexpr size_t kStandard = *ProfileFromName("standard");

const TensorSpec& OutputNamed(const Judgement& judgement, const std::string& role) {
  const OperationSpec& operation = *FindOperation(judgement.operation);
  for (const TensorSpec& spec : operation.outputs)
    if (spec.role == role) return spec;
  return operation.outputs[0];
}

std::string Bar(int64_t count, int64_t largest) {
  if (count == 0) return "";
  const double share = static_cast<double>(count) / static_cast<double>(largest);
  return std::string(static_cast<size_t>(std::max(1.0, std::round(40 * share))), '#');
}

std::string PlaceText(const reference::Place& place) {
  std::string text;
  if (place.position) text += fmt::format("position {}", *place.position);
  if (place.pair) text += fmt::format("{}pair {}", text.empty() ? "" : ", ", *place.pair);
  return text;
}

// What a correctly rounded element is off by is seen only beside the truth itself.
std::string TruthLine(const Case& c, const ElementReport& e) {
  if (e.why != "within the bound" || e.candidate != e.expected) return "";
  int output = 0;
  for (const TensorSpec& spec : OperationOf(c).outputs) {
    if (spec.role == e.output) break;
    ++output;
  }
  return fmt::format("  truth     {}\n", TruthText(*reference::TruthOf(c), output, e.element));
}

std::string WorstText(const Case& c, const Judgement& judgement, const ElementReport& e,
                      const Profile& profile) {
  const std::string place = PlaceText(e.place);
  std::string text =
      fmt::format("  {}{}{}\n", ElementName(OutputNamed(judgement, e.output), e.index),
                  place.empty() ? "" : ": ", place);
  text += fmt::format("  expected  {:>16}  {}\n", Decimal(e.expected, judgement.format),
                      Hex(e.expected));
  text += fmt::format("  got       {:>16}  {}\n", Decimal(e.candidate, judgement.format),
                      Hex(e.candidate));
  text += TruthLine(c, e);
  text += fmt::format("  error     {:>16}  {} {}", Rough(e.error), Rough(e.error_units),
                      UnitName(judgement.unit));
  if (e.why == "copied") return text + "; must be the bits of the input\n";
  if (e.why == "not finite") return text + "; must be that NaN or infinity\n";
  if (profile.correctly_rounded) return text + "; must be the rounded truth\n";
  return text + fmt::format(", bound {}\n", HasBound(e) ? Rough(e.bound) : "-");
}

std::string HistogramText(const Judgement& judgement) {
  const ErrorHistogram& h = judgement.histogram;
  int64_t largest = h.not_finite;
  for (int64_t count : h.counts) largest = std::max(largest, count);
  std::string text = fmt::format("errors in {}, the largest {}\n", UnitName(judgement.unit),
                                 Rough(judgement.histogram.largest));
  for (size_t k = 0; k < h.counts.size(); ++k) {
    if (h.counts[k] == 0) continue;
    const double low =
        k == 0 ? 0 : std::ldexp(1.0, ErrorHistogram::kLowest + static_cast<int>(k) - 1);
    text += fmt::format("  from {:>9} {:>10}  {}\n", Rough(low), h.counts[k],
                        Bar(h.counts[k], largest));
  }
  if (h.not_finite > 0)
    text += fmt::format("  not finite    {:>10}  {}\n", h.not_finite, Bar(h.not_finite, largest));
  return text;
}

std::string ByPositionText(const Judgement& judgement) {
  if (judgement.worst_by_position.empty()) return "";
  std::string text = fmt::format("largest error by position, in {}\n", UnitName(judgement.unit));
  for (const auto& [power, worst] : judgement.worst_by_position)
    text += fmt::format("  |position| {:>2} {:>10}  {}\n",
                        power < 0 ? "=" : ">=", power < 0 ? 0 : int64_t{1} << power, Rough(worst));
  return text;
}

std::string ProfilesText(const Judgement& judgement) {
  std::string text = fmt::format("{:<14}{:>12}{:>12}{:>12}  {}\n", "profile", "within", "outside",
                                 "vacuous", "worst error / bound");
  for (size_t i = 0; i < kProfiles.size(); ++i) {
    const ProfileResult& p = judgement.profiles[i];
    std::string worst = "-";
    if (p.worst && std::isinf(p.worst->error)) {
      worst = "inf";
    } else if (p.worst && p.worst->bound > 0)
      worst = Rough(p.worst->error / p.worst->bound);
    text += fmt::format("{:<14}{:>12}{:>12}{:>12}  {}\n", kProfiles[i].name, p.within, p.outside,
                        p.vacuous, worst);
  }
  return text;
}

bool All(const Tensor& tensor, const std::function<bool(int64_t)>& is_zero) {
  for (int64_t i = 0; i < tensor.count(); ++i)
    if (!is_zero(i)) return false;
  return true;
}

bool HasGivenTables(const Case& c) {
  return c.operation == "rope.apply" && c.inputs.count("cos") > 0;
}

std::string TensorsText(const Recording& recording) {
  std::string text;
  for (const auto& [role, tensor] : recording.c.inputs) {
    text += fmt::format("{}{} {} {}", text.empty() ? "" : ", ", role, gnomon::Name(tensor.dtype()),
                        ShapeText(tensor.shape()));
    if (IsFloat(tensor.dtype()) || tensor.count() == 0) continue;
    int64_t low = tensor.Integer(0), high = low;
    for (int64_t i = 1; i < tensor.count(); ++i) {
      low = std::min(low, tensor.Integer(i));
      high = std::max(high, tensor.Integer(i));
    }
    text += fmt::format(" from {} to {}", low, high);
  }
  return text;
}

// Defaults of a context extension that nobody asked for say nothing.
bool IsScaling(const std::string& name) {
  const std::vector<ParameterSpec>& all = gnomon::rope_scaling::ScalingParameters();
  return std::any_of(all.begin(), all.end(),
                     [&](const ParameterSpec& spec) { return spec.name == name; });
}

}  // namespace

std::string Name(Verdict verdict) {
  switch (verdict) {
    case Verdict::kConforms:
      return "conforms";
    case Verdict::kNonconforming:
      return "nonconforming";
    case Verdict::kCrashed:
      return "crashed";
    case Verdict::kRefused:
      return "refused";
    default:
      return "nothing run";
  }
}

bool HasBound(const ElementReport& element) { return std::isfinite(element.candidate); }

int ExitCode(Verdict verdict) { return static_cast<int>(verdict); }

Report::Report(const Recording& recording, const Judgement& judgement, const Demand& demand)
    : recording_(recording), judgement_(judgement), demand_(demand), case_id_(CaseId(recording.c)) {
  if (judgement.elements == 0) return;
  if (demand.profile) {
    if (judgement.profiles[*demand.profile].met()) met = demand.profile;
  } else {
    met = judgement.strictest(demand.floor);
  }
  for (size_t i = 0; i < kProfiles.size() && !met; ++i) {
    const bool asked = demand.profile ? i == *demand.profile : i <= demand.floor;
    if (!asked || judgement.profiles[i].outside > 0) continue;
    shown = i;  // BOUND-7: none outside and none within, so that nothing is proved
    return;
  }
  verdict = met ? Verdict::kConforms : Verdict::kNonconforming;
  shown = met ? *met : demand.profile ? *demand.profile : 0;
  if (met || demand.profile) return;
  for (size_t i = 0; i <= demand.floor; ++i)
    // Of equals the last, as they are tried; a diagnosis takes the first (MarkFailing).
    if (judgement.profiles[i].outside <= judgement.profiles[shown].outside) shown = i;
}

std::string Report::VacuousText() const {
  const int64_t vacuous = judgement_.profiles[shown].vacuous;
  if (vacuous == 0) return "";
  return fmt::format("; {} of {} elements are vacuous and prove nothing", vacuous,
                     judgement_.elements);
}

std::string Report::Sentence() const {
  if (judgement_.elements == 0) return "nothing run: the recording holds no element";
  const std::string asked =
      fmt::format("{} on {} {} elements with {}{}", judgement_.operation, judgement_.elements,
                  Traits(judgement_.format).name, ParametersText(recording_.c),
                  HasGivenTables(recording_.c)
                      ? ", by the given tables; the angles and rope_theta were not judged;"
                      : "");
  const std::string_view name = kProfiles[shown].name;
  if (verdict == Verdict::kNothingRun)
    return fmt::format("nothing run: {}: under {} {}, which proves nothing", asked, name,
                       judgement_.profiles[shown].within == 0
                           ? "every element is vacuous"
                           : "every element is vacuous, copied, or a NaN or infinity that is due");
  if (met)
    return fmt::format("conforms: {} meets {} ({}){}", asked, name,
                       Describe(kProfiles[*met], judgement_.format), VacuousText());
  const int64_t outside = judgement_.profiles[shown].outside;
  if (demand_.profile)
    return fmt::format("nonconforming: {} does not meet {}, with {} of {} elements outside{}",
                       asked, name, outside, judgement_.elements, VacuousText());
  const bool near = outside <= judgement_.elements / 10;
  return fmt::format(
      "nonconforming: {} meets no profile up to {}; {}, with {} of {} elements "
      "outside{}",
      asked, kProfiles[demand_.floor].name,
      near ? fmt::format("nearest is {}", name)
           : fmt::format("no profile is near: least bad is {}", name),
      outside, judgement_.elements, VacuousText());
}

std::vector<std::string> Report::Warnings() const {
  std::vector<std::string> warnings;
  const Case& c = recording_.c;
  if (judgement_.elements == 0 || c.operation != "rope.apply") return warnings;
  const auto positions = c.inputs.find("positions");
  if (positions != c.inputs.end() &&
      All(positions->second, [&](int64_t i) { return positions->second.Integer(i) == 0; }))
    warnings.push_back("every position is 0: no rotation was tested");
  const Tensor& x = c.inputs.at("x");
  if (All(x, [&](int64_t i) { return x.Value(i) == 0; }))
    warnings.push_back("x is all zero: no rotation was tested");
  return warnings;
}

std::string Report::Text() const {
  std::string text = Sentence() + ".\n";
  if (judgement_.elements == 0) return text;
  for (const std::string& warning : Warnings()) text += "warning: " + warning + "\n";
  if (diagnosis)
    for (const std::string& line : diagnosis->Lines()) text += line + "\n";
  for (const std::string& hint : hints) text += "hint: " + hint + "\n";
  text += fmt::format("\ncase {}: {}\n", case_id_, TensorsText(recording_));
  for (const std::string& note : recording_.notes) text += "inferred: " + note + "\n";
  for (const std::string& note : recording_.overrides) text += "overridden: " + note + "\n";
  text += "\n" + ProfilesText(judgement_);
  if (const ProfileResult& standard = judgement_.profiles[kStandard]; standard.outside_from)
    text += fmt::format("\ndeparts from standard at |position| {}\n", *standard.outside_from);
  const ProfileResult& p = judgement_.profiles[shown];
  if (p.vacuous > 0) {
    text += fmt::format("\n{} elements are vacuous under {}", p.vacuous, kProfiles[shown].name);
    if (p.vacuous_from)
      text += fmt::format(": from |position| {} on there are elements of which it proves nothing",
                          *p.vacuous_from);
    text += "\n";
  }
  if (judgement_.ties > 0)
    text += fmt::format("\n{} elements are ties that no precision decides; both neighbours count\n",
                        judgement_.ties);
  if (judgement_.flushed > 0)
    text += fmt::format(
        "\n{} results are zero where the truth is subnormal: flushed to zero ({})\n",
        judgement_.flushed, demand_.flushes_subnormals ? "declared, BOUND-8" : "ROPE-10");
  if (p.worst)
    text += fmt::format("\nworst element under {}\n{}", kProfiles[shown].name,
                        WorstText(recording_.c, judgement_, *p.worst, kProfiles[shown]));
  if (!met && p.first_outside)
    text += fmt::format("\nfirst element outside {}\n{}", kProfiles[shown].name,
                        WorstText(recording_.c, judgement_, *p.first_outside, kProfiles[shown]));
  return text + "\n" + HistogramText(judgement_) + "\n" + ByPositionText(judgement_);
}

std::string Report::JsonText() const {
  return ReportAsJson({*this, recording_, judgement_, case_id_}).dump(2) + "\n";
}

std::string ParametersText(const Case& c) {
  const OperationSpec& operation = OperationOf(c);
  RopeScaling scaling;
  scaling.type = gnomon::rope_scaling::TypeIn(c.parameters);
  std::string text;
  for (const ParameterSpec& spec : operation.parameters) {
    if (HasGivenTables(c) && (spec.name == "rope_theta" || spec.name == "frequencies")) continue;
    const auto found = c.parameters.find(spec.name);
    std::string value;
    if (found == c.parameters.end()) {
      if (spec.otherwise == "required" || spec.name == "frequencies" ||
          spec.name == "output_layout" || (IsScaling(spec.name) && !scaling.Uses(spec.name)) ||
          (spec.name == "rope_theta" && c.parameters.count("frequencies")))
        continue;
      value = spec.otherwise + " (default)";
    } else if (const std::string* name = std::get_if<std::string>(&found->second)) {
      value = *name;
    } else if (const double* number = std::get_if<double>(&found->second)) {
      value = fmt::format("{}", *number);
    } else {
      value = Plain(found->second);
      if (value.size() > 60) value = value.substr(0, 60) + "...";
    }
    text += (text.empty() ? "" : ", ") + spec.name + " " + value;
  }
  return text;
}

}  // namespace gnomon::oracle
