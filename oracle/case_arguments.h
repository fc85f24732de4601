// From what a user types to what a recording is read with.
#ifndef GNOMON_ORACLE_CASE_ARGUMENTS_H_
#define GNOMON_ORACLE_CASE_ARGUMENTS_H_

#include <string>

#include "gnomon/oracle/commands.h"
#include "gnomon/oracle/recording.h"

namespace gnomon::oracle {

// Throws Rejected or BadFile.
RecordingOptions ToOptions(const CaseArguments& arguments);

// The same again for a shell, as a command repeats it: " --set layout=half_split"; empty: nothing
// is stated.
std::string ToWords(const CaseArguments& arguments);

// "0,1,-5" as integers.
std::vector<int64_t> ToIntegers(const std::string& text, const std::string& option);

// The number of a profile; throws Rejected.
size_t ToProfile(const std::string& name, const std::string& option);

}  // namespace gnomon::oracle

#endif  // GNOMON_ORACLE_CASE_ARGUMENTS_H_
