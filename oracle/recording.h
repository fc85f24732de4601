// A recording: a case and what somebody's implementation answered, out of a tensor file and what
// the user states about it (CASE-7).
#ifndef GNOMON_ORACLE_RECORDING_H_
#define GNOMON_ORACLE_RECORDING_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gnomon/oracle/tensor_file.h"
#include "gnomon/spec/case.h"

namespace gnomon::oracle {

// What the user states; it overrides what the file's own case says.
struct RecordingOptions {
  std::string operation;                       // empty: the file's, else rope.apply
  Parameters config;                           // of a config.json
  Parameters set;                              // overrides config
  std::map<std::string, std::string> tensors;  // role -> name in the file, or a .npy file
  std::vector<std::string> axes;               // of x and of outputs that have its axes
  std::optional<Format> format;                // else that of the outputs, of x, or f32
};

struct Recording {
  Case c;
  std::map<std::string, ConstTensorView> outputs;  // by role; those that the file holds
  std::vector<std::string> notes;      // what was inferred rather than stated, for the report
  std::vector<std::string> overrides;  // what the user stated against the file's own case
  std::string axes_by_rank;       // axes of x where nobody stated them: "batch,seq,heads,head_dim"
  std::vector<FileBytes> memory;  // what `outputs` points into
};

// Throws BadFile or Rejected. The case is not yet validated.
Recording ReadRecording(const TensorFile& file, const RecordingOptions& options);

}  // namespace gnomon::oracle

#endif  // GNOMON_ORACLE_RECORDING_H_
