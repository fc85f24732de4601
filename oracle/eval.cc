#include <fmt/format.h>
#include <unistd.h>

#include <optional>

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
  bool taken = false;
  for (const TensorSpec& spec : OperationOf(*c).inputs) {
    if (!spec.integer) continue;
    taken = true;
    Tensor tensor(DType::kI64, {static_cast<int64_t>(positions.size())});
    for (size_t i = 0; i < positions.size(); ++i)
      tensor.SetInteger(static_cast<int64_t>(i), positions[i]);
    c->inputs.insert_or_assign(spec.role, std::move(tensor));
  }
  if (!taken)
    throw Rejected("--positions", Quoted(text), c->operation + " has no positions", "CASE-4");
}

Recording StatedCase(const EvalArguments& arguments) {
  const RecordingOptions options = ToOptions(arguments.stated);
  TensorFile none;
  none.name = "case";
  Recording recording =
      ReadRecording(arguments.in.empty() ? none : ReadTensorFile(arguments.in), options);
  Case& c = recording.c;
  for (const TensorSpec& spec : OperationOf(c).outputs)
    if (options.tensors.count(spec.role))
      throw Rejected("--tensor", Quoted(spec.role), "is an output: eval computes it", "CASE-6");
  if (!arguments.positions.empty()) {
    for (const TensorSpec& spec : OperationOf(c).inputs)
      if (spec.integer && c.inputs.count(spec.role))
        recording.overrides.push_back(spec.role + " " + arguments.positions +
                                      ", where the file holds its own");
    AddPositions(arguments.positions, &c);
  }
  return recording;
}

// CASE-4. All outputs at once, for a file.
void RequireMemory(const Case& c, const std::string& path) {
  const double pages = static_cast<double>(sysconf(_SC_PHYS_PAGES));
  const double bytes = pages * static_cast<double>(sysconf(_SC_PAGESIZE));
  double needed = 0;
  for (const OutputShape& output : Validate(c))
    needed += static_cast<double>(ElementCount(output.shape) * SizeOf(StoredAs(output, c)));
  if (pages > 0 && needed > bytes)
    throw Rejected(
        "--out", Quoted(path),
        fmt::format("the outputs need {:.0f} bytes, this machine has {:.0f}", needed, bytes),
        "CASE-4");
}

std::string TruthOrKind(const reference::Truth& truth, int output, int64_t element) {
  const reference::Expectation expected = truth.Expect(output, element);
  if (expected.kind == reference::Expectation::kCopy) return "copied from an input";
  if (expected.kind == reference::Expectation::kNonFinite) return "not finite";
  if (expected.kind == reference::Expectation::kInteger) return "an integer, exactly";
  return "truth " + TruthText(truth, output, element);
}

}  // namespace

int Evaluate(const EvalArguments& arguments, std::ostream& out) {
  const Recording recording = StatedCase(arguments);
  const Case& c = recording.c;
  const std::vector<OutputShape> shapes = Validate(c);
  const std::unique_ptr<reference::Truth> truth = reference::TruthOf(c);
  int64_t ties = 0;
  std::optional<Outputs> outputs;  // what is only printed is computed one by one
  if (!arguments.out.empty()) {
    RequireMemory(c, arguments.out);
    outputs = reference::RoundedTruth(c, &ties);
    WriteCaseFile(arguments.out, c, *outputs);
  }

  out << fmt::format("{} in {} with {}; case {}\n", c.operation, Traits(c.format).name,
                     ParametersText(c), CaseId(c));
  for (const std::string& note : recording.overrides) out << "overridden: " << note << "\n";
  int64_t printed = 0, all = 0;
  const OperationSpec& operation = OperationOf(c);
  for (size_t output = 0; output < operation.outputs.size(); ++output) {
    const Shape& shape = shapes[output].shape;
    const int64_t count = ElementCount(shape);
    all += count;
    for (int64_t i = 0; i < count && printed < arguments.limit; ++i, ++printed) {
      const double value =
          outputs ? outputs->at(shapes[output].role).Value(i)
                  : reference::RoundedValue(*truth, static_cast<int>(output), i, c.format, &ties);
      out << fmt::format(
          "{}  {:>16}  {:<22}  {}\n", ElementName(operation.outputs[output], IndexOf(shape, i)),
          Decimal(value, c.format), Hex(value), TruthOrKind(*truth, static_cast<int>(output), i));
    }
  }
  if (printed < all) out << fmt::format("... and {} more elements\n", all - printed);
  if (ties > 0) out << fmt::format("{} elements are ties that no precision decides\n", ties);
  if (all == 0) out << "nothing run: the case has no element.\n";
  return all == 0 ? ExitCode(Verdict::kNothingRun) : 0;
}

}  // namespace gnomon::oracle
