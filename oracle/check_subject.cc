// `gnomon check --subject`: the property suite on live subjects.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "gnomon/oracle/case_json.h"
#include "gnomon/oracle/commands.h"
#include "gnomon/oracle/subjects.h"
#include "gnomon/properties/suite.h"

namespace gnomon::oracle {
namespace {

using properties::PropertyReport;
using properties::SuiteReport;

Json ToJson(const SuiteReport& report) {
  Json json = {{"subject", report.subject},
               {"verdict", report.nothing_ran() ? "nothing run"
                           : report.crashed()   ? "crashed"
                           : report.holds()     ? "conforms"
                                                : "nonconforming"},
               {"seed", report.options.seed},
               {"cases", report.options.cases},
               {"properties", Json::array()}};
  for (const PropertyReport& p : report.properties) {
    Json entry = {{"name", p.property.name},  {"clause", p.property.clause},
                  {"status", Name(p.status)}, {"cases", p.cases},
                  {"vacuous", p.vacuous},     {"declined", p.declined}};
    if (!p.finding.empty()) {
      entry["finding"] = p.finding;
      entry["repeat"] = RepeatCommand(report, p);
      for (const Case& c : p.asked) entry["asked"].push_back(CaseId(c));
    }
    json["properties"].push_back(entry);
  }
  return json;
}

}  // namespace

SubjectOptions ToOptions(const SubjectArguments& arguments) {
  SubjectOptions options;
  options.case_time = std::chrono::milliseconds(arguments.case_time_ms);
  return options;
}

int CheckSubject(const SubjectArguments& arguments, std::ostream& out) {
  if (arguments.cases < 1 || arguments.cases > std::numeric_limits<int>::max())
    throw Rejected("--cases", std::to_string(arguments.cases), "must be from 1 to 2^31 - 1",
                   "CASE-6");
  properties::SuiteOptions options;
  options.operation = arguments.operation;
  options.cases = static_cast<int>(arguments.cases);
  options.seed = arguments.seed;
  Json all = Json::array();
  int64_t ran = 0, held_all = 0, crashed = 0;
  for (const auto& subject : SubjectsNamed(arguments.subject, ToOptions(arguments))) {
    const SuiteReport report = RunSuite(*subject, options);
    // A subject among several that does none of the operations asked for is not a finding.
    if (report.nothing_ran()) continue;
    ++ran;
    held_all += report.holds();
    crashed += report.crashed();
    if (arguments.json) {
      all.push_back(ToJson(report));
    } else {
      const int64_t held = report.count(PropertyReport::kHolds);
      const int64_t asked = static_cast<int64_t>(report.properties.size()) -
                            report.count(PropertyReport::kNotApplicable);
      out << fmt::format("{}: {} promises {}; {} of {} properties hold\n",
                         report.holds()     ? "conforms"
                         : report.crashed() ? "crashed"
                                            : "nonconforming",
                         subject->Name(), kProfiles[subject->Promise()].name, held, asked)
          << ToText(report) << "\n";
    }
  }
  const bool something_ran = ran > 0, all_hold = ran == held_all;
  const char* verdict = !something_ran ? "nothing run"
                        : crashed > 0  ? "crashed"
                        : all_hold     ? "conforms"
                                       : "nonconforming";
  if (arguments.json) {
    out << Json{{"verdict", verdict}, {"subjects", all}}.dump(2) << "\n";
  } else if (!something_ran) {
    out << "nothing run: no subject named " << arguments.subject << " does any operation that fits "
        << arguments.operation << "\n";
  } else {
    out << held_all << " of " << ran << (ran == 1 ? " subject conforms\n" : " subjects conform\n");
  }
  return !something_ran ? 4 : crashed > 0 ? 2 : all_hold ? 0 : 1;
}

}  // namespace gnomon::oracle
