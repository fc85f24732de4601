#include "gnomon/oracle/declaration.h"

#include <optional>

#include "gnomon/properties/cases.h"
#include "gnomon/properties/trial.h"
#include "gnomon/spec/schemes.h"

namespace gnomon::oracle {
namespace {

using properties::Outcome;
using properties::PropertyReport;

// Of the simplest choices there are.
std::optional<Case> SmallCase(const std::string& operation, Format format) {
  for (const properties::CaseSource& from : properties::AllCases()) {
    properties::Source simplest({});
    if (from.operation == operation) return DrawCase(from, simplest, format);
  }
  return std::nullopt;
}

}  // namespace

PropertyReport DeclarationProperty() {
  PropertyReport report;
  report.property.name = "declaration";
  report.property.clause = "SUBJ-2";
  report.property.text = "what is not declared is not answered";
  report.property.algebraic = true;
  return report;
}

PropertyReport CheckDeclaration(properties::Subject& subject, const std::string& operation_glob) {
  PropertyReport report = DeclarationProperty();
  for (const OperationSpec* spec : AllOperations()) {
    const OperationSpec& operation = *spec;
    if (!properties::GlobMatches(operation_glob, operation.name)) continue;
    for (size_t i = 0; i < kFormats.size(); ++i) {
      const Format format = static_cast<Format>(i);
      if (subject.Declares(operation.name, format)) continue;
      report.property.operations = {operation.name};
      const std::optional<Case> c = SmallCase(operation.name, format);
      if (!c) continue;
      Outputs outputs = properties::GuardedOutputs(*c);
      properties::OutputViews views;
      for (auto& [role, tensor] : outputs) views.emplace(role, tensor.view());
      Outcome outcome;
      try {
        outcome = subject.Run(*c, views);
      } catch (const std::exception& e) {
        outcome = {Outcome::kFailed, std::string("the subject threw: ") + e.what()};
      }
      if (outcome.status == Outcome::kUnsupported || outcome.status == Outcome::kRejected) {
        ++report.cases;
        report.status = PropertyReport::kHolds;
        continue;
      }
      if (outcome.status == Outcome::kNotAsked) {
        report.status = PropertyReport::kNotRun;
        report.finding = outcome.message;
        return report;
      }
      report.status =
          outcome.status == Outcome::kCrashed ? PropertyReport::kCrashes : PropertyReport::kFails;
      const char* const what = outcome.status == Outcome::kOk        ? "was answered"
                               : outcome.status == Outcome::kCrashed ? "the question ended so: "
                                                                     : "was tried: ";
      report.finding = operation.name + " in " + std::string(Traits(format).name) +
                       " is not declared, and " + what + outcome.message;
      report.asked = {*c};
      return report;
    }
  }
  return report;
}

}  // namespace gnomon::oracle
