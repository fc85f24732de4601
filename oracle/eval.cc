#include <fmt/format.h>

#include "gnomon/oracle/case_arguments.h"
#include "gnomon/oracle/case_file.h"
#include "gnomon/oracle/case_json.h"
#include "gnomon/oracle/commands.h"
#include "gnomon/oracle/report.h"
#include "gnomon/oracle/text.h"
#include "gnomon/reference/certify.h"
#include "gnomon/reference/truth.h"
#include "gnomon/spec/schemes.h"

namespace gnomon::oracle {
namespace {

// The positions that the user typed, for every integer input of the operation.
void AddPositions(const std::string& text, Case* c) {
  const std::vector<int64_t> positions = ToIntegers(text, "--positions");
  for (const TensorSpec& spec : OperationOf(*c).inputs) {
    if (!spec.integer) continue;
    Tensor tensor(DType::kI64, {static_cast<int64_t>(positions.size())});
    for (size_t i = 0; i < positions.size(); ++i)
      tensor.SetInteger(static_cast<int64_t>(i), positions[i]);
    c->inputs.insert_or_assign(spec.role, std::move(tensor));
  }
}

Case StatedCase(const EvalArguments& arguments) {
  const RecordingOptions options = ToOptions(arguments.stated);
  TensorFile none;
  none.name = "case";
  Case c = ReadRecording(arguments.in.empty() ? none : ReadTensorFile(arguments.in), options).c;
  if (!arguments.positions.empty()) AddPositions(arguments.positions, &c);
  return c;
}

std::string TruthText(const reference::Truth& truth, int output, int64_t element) {
  const reference::Expectation expected = truth.Expect(output, element);
  if (expected.kind == reference::Expectation::kCopy) return "copied from x";
  if (expected.kind == reference::Expectation::kNonFinite) return "not finite";
  reference::ScopedPrecision precision(reference::kFirstPrecision);
  return "truth " + Enclosure(truth.Value(output, element));
}

}  // namespace

int Evaluate(const EvalArguments& arguments, std::ostream& out) {
  const Case c = StatedCase(arguments);
  const std::unique_ptr<reference::Truth> truth = reference::TruthOf(c);
  int64_t ties = 0;
  const Outputs outputs = reference::RoundedTruth(c, &ties);
  if (!arguments.out.empty()) WriteCaseFile(arguments.out, c, outputs);

  out << fmt::format("{} in {} with {}; case {}\n", c.operation, Traits(c.format).name,
                     ParametersText(c), CaseId(c));
  int64_t printed = 0, all = 0;
  const OperationSpec& operation = OperationOf(c);
  for (size_t output = 0; output < operation.outputs.size(); ++output) {
    const Tensor& values = outputs.at(operation.outputs[output].role);
    all += values.count();
    for (int64_t i = 0; i < values.count() && printed < arguments.limit; ++i, ++printed) {
      const double value = values.Value(i);
      out << fmt::format("{}  {:>16}  {:<22}  {}\n",
                         ElementName(operation.outputs[output], IndexOf(values.shape(), i)),
                         Decimal(value, c.format), Hex(value),
                         TruthText(*truth, static_cast<int>(output), i));
    }
  }
  if (printed < all) out << fmt::format("... and {} more elements\n", all - printed);
  if (ties > 0) out << fmt::format("{} elements are ties that no precision decides\n", ties);
  if (all == 0) out << "nothing run: the case has no element.\n";
  return all == 0 ? ExitCode(Verdict::kNothingRun) : 0;
}

}  // namespace gnomon::oracle
