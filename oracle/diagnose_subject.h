// The diagnosis of a live subject: it is asked what the properties would ask, and what it answers
// wrongly is diagnosed, an operation and format at a time.
#ifndef GNOMON_ORACLE_DIAGNOSE_SUBJECT_H_
#define GNOMON_ORACLE_DIAGNOSE_SUBJECT_H_

#include <string>
#include <vector>

#include "gnomon/oracle/commands.h"
#include "gnomon/oracle/diagnosis.h"
#include "gnomon/oracle/strict_json.h"
#include "gnomon/properties/subject.h"
#include "gnomon/properties/suite.h"

namespace gnomon::oracle {

// What a subject is held to: its promise.
Demand DemandOf(const properties::Subject& subject);

struct SubjectDiagnosis {
  std::string operation;
  Format format = Format::kF32;
  int64_t asked = 0, failing = 0;  // cases that were judged
  Diagnosis diagnosis;
  // The smallest failing case that was found, and what was answered to it. `alone`: asked by itself
  // it fails; else it is a part of a case that did, as answered there.
  Cut smallest;
  bool alone = false;
};

// One for every operation and format that fails what the subject promises. Of `options` the glob of
// operations, the seed, `cases`: so many of each operation and format are asked; and `shrink`: a
// smaller failing case is looked for.
std::vector<SubjectDiagnosis> DiagnoseSubject(properties::Subject& subject,
                                              const properties::SuiteOptions& options);

Json ToJson(const SubjectDiagnosis& one);

// For people. With a folder, the smallest failing case is written there as a case file, and the
// commands that judge what was answered and ask again are said; without, the command that writes
// it.
std::string ToText(const std::vector<SubjectDiagnosis>& all, const properties::Subject& subject,
                   const SubjectArguments& arguments);

}  // namespace gnomon::oracle

#endif  // GNOMON_ORACLE_DIAGNOSE_SUBJECT_H_
