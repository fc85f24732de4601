#include <fmt/format.h>

#include "gnomon/oracle/commands.h"
#include "gnomon/oracle/strict_json.h"
#include "gnomon/oracle/text.h"
#include "gnomon/spec/schemes.h"

namespace gnomon::oracle {
namespace {

Json TensorsAsJson(const std::vector<TensorSpec>& specs) {
  Json list = Json::array();
  for (const TensorSpec& spec : specs)
    list.push_back({{"role", spec.role},
                    {"axes", spec.axes},
                    {"meaning", spec.meaning},
                    {"optional", spec.optional},
                    {"integer", spec.integer}});
  return list;
}

Json AsJson(const OperationSpec& operation) {
  Json parameters = Json::array();
  for (const ParameterSpec& spec : operation.parameters)
    parameters.push_back({{"name", spec.name},
                          {"default", spec.otherwise},
                          {"range", spec.range},
                          {"meaning", spec.meaning}});
  return {{"name", operation.name},
          {"summary", operation.summary},
          {"parameters", parameters},
          {"inputs", TensorsAsJson(operation.inputs)},
          {"outputs", TensorsAsJson(operation.outputs)},
          {"in_place", operation.overwrites.empty() ? Json() : Json(operation.overwrites)},
          {"apart", operation.apart},
          {"error_unit", UnitName(operation.unit)}};
}

std::string TensorsText(const std::vector<TensorSpec>& specs) {
  std::string text;
  for (const TensorSpec& spec : specs)
    text += fmt::format("    {:<10} [{}]  {}{}\n", spec.role, fmt::join(spec.axes, ", "),
                        spec.meaning, spec.optional ? "; optional" : "");
  return text;
}

std::string TensorsInline(const std::vector<TensorSpec>& specs) {
  std::string text;
  for (const TensorSpec& spec : specs)
    text += fmt::format("{}`{}` [{}]{}", text.empty() ? "" : ", ", spec.role,
                        fmt::join(spec.axes, ", "), spec.optional ? " (optional)" : "");
  return text.empty() ? "-" : text;
}

// The page spec/operations.md.
void WriteMarkdown(std::ostream& out) {
  out << "# Operations\n\nWritten by `gnomon operations --markdown`; a test compares.\n\n"
         "| operation | what it computes | inputs | outputs | parameters: range; default |\n"
         "| --- | --- | --- | --- | --- |\n";
  for (const OperationSpec* operation : AllOperations()) {
    std::string parameters;
    for (const ParameterSpec& spec : operation->parameters)
      parameters += fmt::format("{}`{}`: {}; {}", parameters.empty() ? "" : "<br>", spec.name,
                                spec.range, spec.otherwise);
    out << fmt::format("| `{}` | {} | {} | {} | {} |\n", operation->name, operation->summary,
                       TensorsInline(operation->inputs),
                       TensorsInline(operation->outputs) +
                           (operation->overwrites.empty()
                                ? ""
                                : fmt::format("; in place of `{}` or not", operation->overwrites)),
                       parameters.empty() ? "-" : parameters);
  }
}

}  // namespace

int ListOperations(const OperationsArguments& arguments, std::ostream& out) {
  if (arguments.markdown) {
    WriteMarkdown(out);
    return 0;
  }
  if (arguments.json) {
    Json list = Json::array();
    for (const OperationSpec* operation : AllOperations()) list.push_back(AsJson(*operation));
    out << list.dump(2) << "\n";
    return 0;
  }
  for (const OperationSpec* operation : AllOperations()) {
    out << fmt::format("{}: {}\n", operation->name, operation->summary);
    if (!operation->parameters.empty()) out << "  parameters\n";
    for (const ParameterSpec& spec : operation->parameters)
      out << fmt::format(
          "    {:<15} {}; {}{}\n", spec.name, spec.meaning, spec.range,
          spec.otherwise == "required" ? "; required" : "; default " + spec.otherwise);
    if (!operation->inputs.empty()) out << "  inputs\n" << TensorsText(operation->inputs);
    out << "  outputs\n" << TensorsText(operation->outputs);
    if (!operation->overwrites.empty())
      out << fmt::format("    may take the memory of {}\n", operation->overwrites);
    out << "\n";
  }
  return 0;
}

}  // namespace gnomon::oracle
