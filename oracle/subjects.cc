#include "gnomon/oracle/subjects.h"

#include <unistd.h>

#include <filesystem>

#include "gnomon/oracle/kernel_subject.h"
#include "gnomon/oracle/plugin_subject.h"
#include "gnomon/oracle/process_subject.h"
#include "gnomon/properties/reference_subject.h"
#include "gnomon/properties/suite.h"
#include "gnomon/properties/wrong_subjects.h"

namespace gnomon::oracle {
namespace {

constexpr std::string_view kPlugin = "plugin:", kProcess = "process:";

}  // namespace

std::optional<std::string> PluginPath(const std::string& name) {
  if (name.starts_with(kPlugin)) return name.substr(kPlugin.size());
  if (name.ends_with(".so") && !name.starts_with(kProcess)) return name;
  return std::nullopt;
}

std::vector<std::unique_ptr<properties::Subject>> SubjectsNamed(const std::string& name,
                                                                const SubjectOptions& options) {
  std::vector<std::unique_ptr<properties::Subject>> found;
  if (name.starts_with(kProcess)) {
    ProcessOptions process;
    process.case_time = options.case_time;
    found.push_back(std::make_unique<ProcessSubject>(name.substr(kProcess.size()), process));
    return found;
  }
  if (const auto path = PluginPath(name)) {
    WorkerLimits limits;
    limits.run_seconds = std::chrono::duration<double>(options.case_time).count();
    found.push_back(std::make_unique<PluginSubject>(*path, limits));
    return found;
  }
  std::string known = "builtin, reference";
  for (auto& subject : KernelSubjects()) {
    known += ", " + subject->Name();
    if (name == "builtin" || name == subject->Name()) found.push_back(std::move(subject));
  }
  if (name == "reference") found.push_back(std::make_unique<properties::ReferenceSubject>());
  for (const properties::WrongSubject& wrong : properties::WrongSubjects())
    if (name == "wrong:" + wrong.id) found.push_back(wrong.make());
  std::error_code error;
  if (found.empty() && std::filesystem::is_regular_file(name, error)) {
    // A program is looked for on PATH unless its name has a slash.
    const std::string program = name.find('/') == std::string::npos ? "./" + name : name;
    const bool script = name.ends_with(".py") && access(name.c_str(), X_OK) != 0;
    throw Rejected("--subject", name,
                   "is a file whose name does not end in .so: a program is asked as " +
                       properties::ShellQuoted((script ? "process:python3 " : "process:") +
                                               properties::ShellQuoted(program)) +
                       ", a shared library as " + properties::ShellQuoted("plugin:" + name),
                   "SUBJ-5");
  }
  if (found.empty())
    throw Rejected(
        "--subject", name,
        "is none of " + known + ", wrong:<id of a mistake>, plugin:PATH, PATH.so, process:COMMAND",
        "CASE-6");
  return found;
}

}  // namespace gnomon::oracle
