#include "gnomon/oracle/bad_file.h"
#include "gnomon/oracle/case_arguments.h"
#include "gnomon/oracle/case_file.h"
#include "gnomon/oracle/commands.h"
#include "gnomon/oracle/report.h"
#include "gnomon/oracle/text.h"
#include "gnomon/spec/schemes.h"

namespace gnomon::oracle {
namespace {

Demand ToDemand(const CheckArguments& arguments) {
  Demand demand;
  if (!arguments.profile.empty() && !arguments.floor.empty())
    throw Rejected("--floor", arguments.floor, "excludes --profile: give one of the two",
                   "BOUND-1");
  if (!arguments.profile.empty()) demand.profile = ToProfile(arguments.profile, "--profile");
  if (!arguments.floor.empty()) demand.floor = ToProfile(arguments.floor, "--floor");
  return demand;
}

}  // namespace

int Check(const CheckArguments& arguments, std::ostream& out) {
  const Demand demand = ToDemand(arguments);
  const RecordingOptions options = ToOptions(arguments.stated);
  const TensorFile file = ReadTensorFile(arguments.file);
  if (file.tensors.empty() && file.unusable.empty() && !file.metadata.count("gnomon.case")) {
    out << (arguments.json ? "{\"verdict\": \"nothing run\"}\n"
                           : "nothing run: the file holds no tensor.\n");
    return ExitCode(Verdict::kNothingRun);
  }
  const Recording recording = ReadRecording(file, options);
  for (const OutputShape& output : Validate(recording.c)) {
    const auto found = recording.outputs.find(output.role);
    if (found != recording.outputs.end() && found->second.shape != output.shape)
      throw BadFile(arguments.file, output.role + " has shape " + ShapeText(found->second.shape) +
                                        "; the case asks for " + ShapeText(output.shape));
    if (found == recording.outputs.end())
      throw BadFile(arguments.file, "holds no tensor " + output.role + ", the output of " +
                                        recording.c.operation + ": name it by --tensor " +
                                        output.role + "=NAME");
  }
  const reference::Judgement judgement =
      reference::Judge(recording.c, recording.outputs, {arguments.progress});
  const Report report(recording, judgement, demand);
  out << (arguments.json ? report.JsonText() : report.Text());
  return ExitCode(report.verdict);
}

}  // namespace gnomon::oracle
