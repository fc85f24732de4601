// What a report of something nonconforming says beyond the judge: why, and the smallest failing
// case.
#ifndef GNOMON_ORACLE_REPORT_DIAGNOSIS_H_
#define GNOMON_ORACLE_REPORT_DIAGNOSIS_H_

#include <string>

#include "gnomon/oracle/recording.h"
#include "gnomon/oracle/report.h"

namespace gnomon::oracle {

// Nothing where the report is not of something nonconforming. Of a large case it looks at what the
// judge found first and worst, and at a sample. With a folder, the failing element is
// written there as a case of its own; without, the report says how to have it written.
void AddDiagnosis(const Recording& recording, const reference::Judgement& judgement,
                  const Demand& demand, const std::string& folder, Report* report);

}  // namespace gnomon::oracle

#endif  // GNOMON_ORACLE_REPORT_DIAGNOSIS_H_
