#include <fmt/format.h>

#include <filesystem>
#include <stdexcept>

#include "gnomon/oracle/bad_file.h"
#include "gnomon/oracle/case_arguments.h"
#include "gnomon/oracle/case_file.h"
#include "gnomon/oracle/commands.h"
#include "gnomon/oracle/conclusion.h"
#include "gnomon/oracle/recording_files.h"
#include "gnomon/oracle/report.h"
#include "gnomon/oracle/report_diagnosis.h"
#include "gnomon/oracle/report_json.h"
#include "gnomon/oracle/strict_json.h"
#include "gnomon/oracle/text.h"
#include "gnomon/properties/suite.h"
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
  demand.flushes_subnormals = arguments.flushes_subnormals;
  const size_t last = demand.profile.value_or(demand.floor);
  if (demand.flushes_subnormals && kProfiles[last].correctly_rounded)
    throw Rejected("--flushes-subnormals", "(given)",
                   "contradicts the profile rounded, the only one that is asked for", "BOUND-8");
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
    // "[2, 3]", "rank 3", "head_dim 64", and no number or type.
    const bool of_a_shape = recording.c.inputs.count(error.parameter()) > 0 &&
                            error.value().find_first_of(" [") != std::string::npos;
    if (hint.empty() || !of_a_shape) throw;
    throw error.With(hint);
  }
  for (const OutputShape& output : shapes) {
    const auto found = recording.outputs.find(output.role);
    if (found == recording.outputs.end()) continue;
    if (found->second.shape != output.shape)
      throw BadFile(file, output.role + " has shape " + ShapeText(found->second.shape) +
                              "; the case asks for " + ShapeText(output.shape) + hint);
  }
}

// `alone`: not one of several, where a question that nobody answered is no reason to refuse the
// rest.
Judged JudgeFile(const std::string& path, const CheckArguments& arguments, bool alone) {
  const Demand demand = ToDemand(arguments);
  const RecordingOptions options = ToOptions(arguments.stated);
  const TensorFile file = ReadTensorFile(path);
  if (file.tensors.empty() && file.unusable.empty() && !file.metadata.count("gnomon.case"))
    return NotJudged(path, Verdict::kNothingRun, "the file holds no tensor");
  const Recording recording = ReadRecording(file, options);
  if (!alone && recording.outputs.empty() && file.metadata.count("gnomon.case"))
    return NotJudged(path, Verdict::kNothingRun, "unanswered: the file holds no output");
  RequireRoles(recording, file);
  ValidateShapes(recording, path);
  const reference::Judgement judgement = reference::Judge(
      recording.c, recording.outputs, {arguments.progress, demand.flushes_subnormals});
  Report report(recording, judgement, demand);
  AddDiagnosis(recording, judgement, demand, arguments.out, &report);
  if (report.diagnosis && !recording.axes_by_rank.empty())
    report.hints.push_back(AxesHint(recording));
  Judged judged{ResultOf(path, recording, judgement, report), report.Text(), {}};
  judged.json = ReportAsJson({report, recording, judgement, judged.result.name});
  judged.json["file"] = path;
  return judged;
}

// REPORT-1. One of several that cannot be judged does not keep the others from it.
Judged JudgeOneOf(const std::string& file, const CheckArguments& arguments, bool alone) {
  try {
    return JudgeFile(file, arguments, alone);
  } catch (const std::exception& error) {
    if (alone) throw;
    return Refused(file, error.what());
  }
}

std::string SummaryLine(const Result& result) {
  return fmt::format(
      "{:<14} {:<13} {:>12}  {:<18} {:<5} {:<12}  {}{}\n", result.status,
      result.profile.empty() ? "-" : result.profile, result.LargestText(),
      result.operations.empty() ? "-" : result.operations.front(), result.format, result.name,
      result.source,
      result.verdict == Verdict::kRefused ? "; " + result.detail : result.MistakesText());
}

}  // namespace

int Check(const CheckArguments& arguments, std::ostream& out) {
  const Demand demand = ToDemand(arguments);  // refused before a file is read
  const std::string repeat_with = ToWords(arguments.stated) + demand.Options();
  const std::vector<std::string> files = RecordingFiles(arguments.files);
  std::vector<Result> results;
  std::string text;
  Json list = Json::array();
  int64_t conform = 0;
  const bool one = arguments.files.size() == 1 && files.size() == 1 && files == arguments.files;
  for (const std::string& file : files) {
    Judged judged = JudgeOneOf(file, arguments, files.size() == 1);
    judged.result.repeat = "gnomon check " + properties::ShellQuoted(file) + repeat_with;
    conform += judged.result.passes();
    text += one ? judged.text : SummaryLine(judged.result);
    list.push_back(std::move(judged.json));
    results.push_back(std::move(judged.result));
  }
  if (!one) text += fmt::format("{} of {} recordings conform\n", conform, files.size());
  const Conclusion conclusion = Conclude(std::move(results), arguments.reports);
  if (arguments.json) {
    Json json = conclusion.Envelope(one ? "recording" : "recordings");
    if (one) {
      json.update(list[0]);
    } else {
      json["recordings"] = std::move(list);
    }
    out << json.dump(2, ' ', false, Json::error_handler_t::replace) << "\n";
  } else {
    out << text << conclusion.Text();
  }
  return conclusion.exit_code;
}

}  // namespace gnomon::oracle
