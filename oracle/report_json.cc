#include "gnomon/oracle/report_json.h"

#include <cmath>
#include <filesystem>

#include "gnomon/oracle/diagnosis_json.h"
#include "gnomon/oracle/text.h"
#include "gnomon/spec/schemes.h"

namespace gnomon::oracle {
namespace {

using reference::ElementReport;
using reference::ErrorHistogram;
using reference::Judgement;
using reference::ProfileResult;

// JSON has no spelling for NaN and infinities.
Json Finite(double value) { return std::isfinite(value) ? Json(value) : Json(Hex(value)); }

Json ParameterAsJson(const Value& value) {
  if (const bool* flag = std::get_if<bool>(&value)) return *flag;
  if (const double* number = std::get_if<double>(&value)) return *number;
  if (const std::string* text = std::get_if<std::string>(&value)) return *text;
  Json list = Json::array();
  for (const Number& number : std::get<std::vector<Number>>(value))
    list.push_back(number.decimal.empty() ? Json(number.value) : Json(number.decimal));
  return list;
}

Json ElementAsJson(const Judgement& judgement, const std::optional<ElementReport>& e) {
  if (!e) return nullptr;
  Json index = Json::object();
  for (const TensorSpec& spec : FindOperation(judgement.operation)->outputs) {
    if (spec.role != e->output) continue;
    const size_t missing = spec.axes.size() - std::min(e->index.size(), spec.axes.size());
    for (size_t i = 0; i < e->index.size(); ++i) index[spec.axes[i + missing]] = e->index[i];
  }
  Json json = {{"output", e->output},
               {"index", index},
               {"expected", Finite(e->expected)},
               {"expected_hex", Hex(e->expected)},
               {"got", Finite(e->candidate)},
               {"got_hex", Hex(e->candidate)},
               {"error", Finite(e->error)},
               {"error_units", Finite(e->error_units)},
               {"bound", HasBound(*e) ? Finite(e->bound) : Json(nullptr)},
               {"asked", e->why}};
  json["position"] = e->place.position ? Json(*e->place.position) : Json(nullptr);
  json["pair"] = e->place.pair ? Json(*e->place.pair) : Json(nullptr);
  return json;
}

Json ProfilesAsJson(const Judgement& judgement) {
  Json profiles = Json::object();
  for (size_t i = 0; i < kProfiles.size(); ++i) {
    const ProfileResult& p = judgement.profiles[i];
    Json& json = profiles[std::string(kProfiles[i].name)];
    json = {{"met", p.met()}, {"within", p.within}, {"outside", p.outside}, {"vacuous", p.vacuous}};
    json["vacuous_from"] = p.vacuous_from ? Json(*p.vacuous_from) : Json(nullptr);
    json["outside_from"] = p.outside_from ? Json(*p.outside_from) : Json(nullptr);
    json["worst"] = ElementAsJson(judgement, p.worst);
    json["first_outside"] = ElementAsJson(judgement, p.first_outside);
  }
  return profiles;
}

Json HistogramAsJson(const Judgement& judgement) {
  Json bins = Json::array();
  const ErrorHistogram& h = judgement.histogram;
  for (size_t k = 0; k < h.counts.size(); ++k) {
    if (h.counts[k] == 0) continue;
    const int power = ErrorHistogram::kLowest + static_cast<int>(k);
    bins.push_back({{"from", k == 0 ? 0 : std::ldexp(1.0, power - 1)}, {"count", h.counts[k]}});
  }
  return {{"unit", UnitName(judgement.unit)}, {"bins", bins}, {"not_finite", h.not_finite}};
}

Json ByPositionAsJson(const Judgement& judgement) {
  Json list = Json::array();
  for (const auto& [power, worst] : judgement.worst_by_position)
    list.push_back({{"from", power < 0 ? 0 : int64_t{1} << power}, {"error_units", Finite(worst)}});
  return list;
}

}  // namespace

Json ReportAsJson(const ReportParts& parts) {
  const auto& [report, recording, judgement, case_id] = parts;
  Json json = {{"verdict", Name(report.verdict)},
               {"sentence", report.Sentence()},
               {"operation", judgement.operation},
               {"format", Traits(judgement.format).name},
               {"case", case_id},
               {"elements", judgement.elements},
               {"vacuous", judgement.profiles[report.shown].vacuous},
               {"ties", judgement.ties},
               {"flushed", judgement.flushed},
               {"worst", ElementAsJson(judgement, judgement.profiles[report.shown].worst)},
               {"histogram", HistogramAsJson(judgement)},
               {"by_position", ByPositionAsJson(judgement)},
               {"profiles", ProfilesAsJson(judgement)},
               {"inferred", recording.notes},
               {"overridden", recording.overrides},
               {"warnings", report.Warnings()},
               {"hints", report.hints}};
  json["diagnosis"] = report.diagnosis ? ToJson(*report.diagnosis) : Json(nullptr);
  json["profile"] = report.met ? Json(kProfiles[*report.met].name) : Json(nullptr);
  json["largest_error"] =
      judgement.elements == 0 ? Json(nullptr) : Finite(judgement.histogram.largest);
  json["mistakes"] = report.mistakes ? Json(*report.mistakes) : Json(nullptr);
  json["parameters"] = Json::object();
  for (const auto& [name, value] : recording.c.parameters)
    json["parameters"][name] = ParameterAsJson(value);
  return json;
}

Judged NotJudged(const std::string& path, Verdict verdict, const std::string& why) {
  Judged judged;
  Result& result = judged.result;
  result.source = path;
  result.file = std::filesystem::path(path).filename();
  result.name = "-";
  result.verdict = verdict;
  result.status = Name(verdict);
  result.detail = result.status + ": " + Excerpt(why, 600);
  judged.text = result.detail + "\n";
  judged.json = {{"file", path}, {"verdict", result.status}, {"sentence", result.detail}};
  return judged;
}

Judged Refused(const std::string& path, const std::string& error) {
  const std::string named = path + ": ";  // many errors begin so
  return NotJudged(path, Verdict::kRefused,
                   error.starts_with(named) ? error.substr(named.size()) : error);
}

}  // namespace gnomon::oracle
