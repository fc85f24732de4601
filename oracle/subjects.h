// Live subjects by name, as the command line has them.
#ifndef GNOMON_ORACLE_SUBJECTS_H_
#define GNOMON_ORACLE_SUBJECTS_H_

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gnomon/properties/subject.h"

namespace gnomon::oracle {

struct SubjectOptions {
  std::chrono::milliseconds case_time{5000};  // of those that run outside this process
};

// "builtin": our kernels, every target in both modes. "builtin:AVX2", "builtin:AVX2/exact": one of
// them. "reference": the truth, rounded. "wrong:<id>": a subject that is wrong on purpose
// (spec/mistakes.md). "plugin:PATH" or "PATH.so": a plug-in (SUBJ-4). "process:COMMAND": a program
// (SUBJ-5). Throws Rejected, saying what there is, or BadFile where a plug-in cannot be loaded or a
// program is no subject.
std::vector<std::unique_ptr<properties::Subject>> SubjectsNamed(const std::string& name,
                                                                const SubjectOptions& options = {});

// The library's path where the name is that of a plug-in.
std::optional<std::string> PluginPath(const std::string& name);

}  // namespace gnomon::oracle

#endif  // GNOMON_ORACLE_SUBJECTS_H_
