// The diagnosis of a live subject: it is asked what the properties would ask, and what it answers
// wrongly is diagnosed, an operation and format at a time.
#ifndef GNOMON_ORACLE_DIAGNOSE_SUBJECT_H_
#define GNOMON_ORACLE_DIAGNOSE_SUBJECT_H_

#include <string>
#include <vector>

#include "gnomon/oracle/diagnosis.h"
#include "gnomon/oracle/strict_json.h"
#include "gnomon/properties/subject.h"
#include "gnomon/properties/suite.h"

namespace gnomon::oracle {

struct SubjectDiagnosis {
  std::string operation;
  Format format = Format::kF32;
  int64_t asked = 0, failing = 0;  // cases that were judged
  Diagnosis diagnosis;
  Cut smallest;  // the smallest failing case and what was answered
};

// One for every operation and format that fails what the subject promises. Of `options` the glob of
// operations, the seed, and `cases`: so many of each operation and format are asked.
std::vector<SubjectDiagnosis> DiagnoseSubject(properties::Subject& subject,
                                              const properties::SuiteOptions& options);

Json ToJson(const SubjectDiagnosis& one);

// For people. With a folder, the smallest failing case is written there as a case file; without,
// the command that does so is said. `repeat`: the arguments of `gnomon check` that name the
// subject.
std::string ToText(const std::vector<SubjectDiagnosis>& all, const std::string& repeat,
                   const std::string& folder);

}  // namespace gnomon::oracle

#endif  // GNOMON_ORACLE_DIAGNOSE_SUBJECT_H_
