// The report as JSON; its keys are a promise.
#ifndef GNOMON_ORACLE_REPORT_JSON_H_
#define GNOMON_ORACLE_REPORT_JSON_H_

#include <string>

#include "gnomon/oracle/report.h"
#include "gnomon/oracle/result.h"
#include "gnomon/oracle/strict_json.h"

namespace gnomon::oracle {

struct ReportParts {
  const Report& report;
  const Recording& recording;
  const reference::Judgement& judgement;
  const std::string& case_id;
};

Json ReportAsJson(const ReportParts& parts);

// One recording's or answer's report in every form.
struct Judged {
  Result result;
  std::string text;
  Json json;
};

// Of a file that was not judged: nothing run, and why; or refused, by this error.
Judged NotJudged(const std::string& path, Verdict verdict, const std::string& why);
Judged Refused(const std::string& path, const std::string& error);

}  // namespace gnomon::oracle

#endif  // GNOMON_ORACLE_REPORT_JSON_H_
