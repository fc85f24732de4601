// The files that `gnomon check` is given, folders opened (REPORT-1).
#ifndef GNOMON_ORACLE_RECORDING_FILES_H_
#define GNOMON_ORACLE_RECORDING_FILES_H_

#include <string>
#include <vector>

namespace gnomon::oracle {

// A folder stands for the .safetensors files in it and below it, sorted by name. Throws BadFile
// where it holds none, Rejected where a file is given twice.
std::vector<std::string> RecordingFiles(const std::vector<std::string>& given);

}  // namespace gnomon::oracle

#endif  // GNOMON_ORACLE_RECORDING_FILES_H_
