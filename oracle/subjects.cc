#include "gnomon/oracle/subjects.h"

#include "gnomon/oracle/kernel_subject.h"
#include "gnomon/oracle/plugin_subject.h"
#include "gnomon/properties/reference_subject.h"
#include "gnomon/properties/wrong_subjects.h"

namespace gnomon::oracle {
namespace {

constexpr std::string_view kPlugin = "plugin:";

}  // namespace

std::optional<std::string> PluginPath(const std::string& name) {
  if (name.starts_with(kPlugin)) return name.substr(kPlugin.size());
  if (name.ends_with(".so")) return name;
  return std::nullopt;
}

std::vector<std::unique_ptr<properties::Subject>> SubjectsNamed(const std::string& name) {
  std::vector<std::unique_ptr<properties::Subject>> found;
  if (const auto path = PluginPath(name)) {
    found.push_back(std::make_unique<PluginSubject>(*path));
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
  if (found.empty())
    throw Rejected("--subject", name,
                   "is none of " + known + ", wrong:<id of a mistake>, plugin:PATH or PATH.so",
                   "CASE-6");
  return found;
}

}  // namespace gnomon::oracle
