// The report as JSON; its keys are a promise.
#ifndef GNOMON_ORACLE_REPORT_JSON_H_
#define GNOMON_ORACLE_REPORT_JSON_H_

#include <string>

#include "gnomon/oracle/report.h"
#include "gnomon/oracle/strict_json.h"

namespace gnomon::oracle {

struct ReportParts {
  const Report& report;
  const Recording& recording;
  const reference::Judgement& judgement;
  const std::string& case_id;
};

Json ReportAsJson(const ReportParts& parts);

}  // namespace gnomon::oracle

#endif  // GNOMON_ORACLE_REPORT_JSON_H_
