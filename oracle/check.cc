#include <stdexcept>

#include "gnomon/oracle/bad_file.h"
#include "gnomon/oracle/case_arguments.h"
#include "gnomon/oracle/case_file.h"
#include "gnomon/oracle/commands.h"
#include "gnomon/oracle/diagnosis.h"
#include "gnomon/oracle/report.h"
#include "gnomon/oracle/strict_json.h"
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

std::string AxesHint(const Recording& recording) {
  return "axes taken as " + recording.axes_by_rank + "; state them with --axes";
}

// Says of a role that the file lacks how to name it, and what the file does hold.
void RequireRoles(const Recording& recording, const TensorFile& file) {
  std::string names;
  for (const auto& [name, view] : file.tensors) names += (names.empty() ? "" : ", ") + Quoted(name);
  const OperationSpec& operation = OperationOf(recording.c);
  const auto require = [&](const std::string& role, const std::string& what, bool there) {
    if (there) return;
    throw BadFile(file.name, "holds no tensor " + role + ", " + what + " of " + operation.name +
                                 ": name it by --tensor " + role + "=NAME; it holds " +
                                 (names.empty() ? "none" : names.substr(0, 400)));
  };
  for (const TensorSpec& spec : operation.inputs)
    if (!spec.optional) require(spec.role, "an input", recording.c.inputs.count(spec.role) > 0);
  if (operation.name == "rope.apply" && !recording.c.inputs.count("cos") &&
      !recording.c.inputs.count("sin"))
    require("positions", "an input", recording.c.inputs.count("positions") > 0);
  for (const TensorSpec& spec : operation.outputs)
    require(spec.role, "an output", recording.outputs.count(spec.role) > 0);
}

// An extent that does not fit is often an axis taken for another.
void ValidateShapes(const Recording& recording, const std::string& file) {
  const std::string hint = recording.axes_by_rank.empty() ? "" : "; " + AxesHint(recording);
  std::vector<OutputShape> shapes;
  try {
    shapes = Validate(recording.c);
  } catch (const Rejected& error) {
    const std::string message = error.what();
    const bool of_a_shape = message.find("must have ") != std::string::npos ||
                            message.find("rank ") != std::string::npos;
    if (hint.empty() || !of_a_shape) throw;
    throw std::runtime_error(message + hint);
  }
  for (const OutputShape& output : shapes) {
    const auto found = recording.outputs.find(output.role);
    if (found == recording.outputs.end()) continue;
    if (found->second.shape != output.shape)
      throw BadFile(file, output.role + " has shape " + ShapeText(found->second.shape) +
                              "; the case asks for " + ShapeText(output.shape) + hint);
  }
}

// What may be wrong, and the failing element in a file of its own.
void AddDiagnosis(const Recording& recording, const Demand& demand, const CheckArguments& arguments,
                  Report* report) {
  if (report->verdict != Verdict::kNonconforming) return;
  const Answered answered{&recording.c, &recording.outputs};
  report->diagnosis = std::make_shared<Diagnosis>(Diagnose({answered}, demand));
  const Diagnosis& d = *report->diagnosis;
  if (d.smallest_element >= 0) {
    const Cut cut = CutDown(answered, d.smallest_output, d.smallest_element);
    const TensorSpec& spec =
        OperationOf(recording.c).outputs[static_cast<size_t>(d.smallest_output)];
    const std::string name =
        ElementName(spec, IndexOf(recording.outputs.at(spec.role).shape, d.smallest_element));
    if (arguments.out.empty()) {
      report->hints.push_back("smallest failing case: " + name +
                              " alone; --out DIR writes it to a file");
    } else {
      report->hints.push_back("smallest failing case: " + name + " alone: gnomon check " +
                              WriteInto(arguments.out, cut));
    }
  }
  if (!recording.axes_by_rank.empty()) report->hints.push_back(AxesHint(recording));
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
  RequireRoles(recording, file);
  ValidateShapes(recording, arguments.file);
  const reference::Judgement judgement =
      reference::Judge(recording.c, recording.outputs, {arguments.progress});
  Report report(recording, judgement, demand);
  AddDiagnosis(recording, demand, arguments, &report);
  out << (arguments.json ? report.JsonText() : report.Text());
  return ExitCode(report.verdict);
}

}  // namespace gnomon::oracle
