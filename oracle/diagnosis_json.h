// A diagnosis as JSON; its keys are a promise.
#ifndef GNOMON_ORACLE_DIAGNOSIS_JSON_H_
#define GNOMON_ORACLE_DIAGNOSIS_JSON_H_

#include "gnomon/oracle/diagnosis.h"
#include "gnomon/oracle/strict_json.h"

namespace gnomon::oracle {

Json ToJson(const Diagnosis& d);

}  // namespace gnomon::oracle

#endif  // GNOMON_ORACLE_DIAGNOSIS_JSON_H_
