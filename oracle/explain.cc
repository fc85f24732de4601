#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "gnomon/oracle/bad_file.h"
#include "gnomon/oracle/case_arguments.h"
#include "gnomon/oracle/case_file.h"
#include "gnomon/oracle/case_json.h"
#include "gnomon/oracle/commands.h"
#include "gnomon/oracle/report.h"
#include "gnomon/oracle/text.h"
#include "gnomon/reference/certify.h"
#include "gnomon/reference/judge.h"
#include "gnomon/reference/truth.h"
#include "gnomon/spec/schemes.h"

namespace gnomon::oracle {
namespace {

using reference::Expectation;
using reference::Interval;
using reference::Truth;

struct Asked {
  int output = 0;
  const TensorSpec* spec = nullptr;
  Shape index;
  int64_t element = 0;
};

Asked Locate(const ExplainArguments& arguments, const Recording& recording) {
  const OperationSpec& operation = OperationOf(recording.c);
  const std::vector<OutputShape> shapes = Validate(recording.c);
  Asked asked;
  while (!arguments.output.empty() && operation.outputs[asked.output].role != arguments.output)
    if (++asked.output == static_cast<int>(operation.outputs.size()))
      throw Rejected("--output", Quoted(arguments.output), "is no output of " + operation.name,
                     "CASE-4");
  asked.spec = &operation.outputs[asked.output];
  asked.index = ToIntegers(arguments.at, "--at");
  const Shape& shape = shapes[asked.output].shape;
  if (asked.index.size() != shape.size())
    throw Rejected("--at", arguments.at,
                   "needs one index an axis of " + asked.spec->role + " " + ShapeText(shape),
                   "CASE-4");
  for (size_t i = 0; i < shape.size(); ++i)
    if (asked.index[i] < 0 || asked.index[i] >= shape[i])
      throw Rejected("--at", arguments.at,
                     "lies outside " + asked.spec->role + " " + ShapeText(shape), "CASE-4");
  asked.element = ElementAt(shape, asked.index);
  return asked;
}

std::string Line(const std::string& name, const std::string& text) {
  return fmt::format("  {:<14} {}\n", name, text);
}

void PrintReal(const Truth& truth, const Asked& asked, Format format,
               std::optional<double> candidate, std::ostream& out) {
  const auto lines = reference::Certify([&] {
    std::string text;
    for (const reference::Step& step : truth.Steps(asked.output, asked.element))
      text += Line(step.name, Enclosure(step.value));
    const Interval value = reference::Narrow(truth.Value(asked.output, asked.element));
    text += Line("truth", Enclosure(value)) + Line("", HexMiddle(value));
    const double rounded = RoundedValue(truth, asked.output, asked.element, format);
    text += Line("rounded", Decimal(rounded, format) + "  " + Hex(rounded));
    if (candidate) text += Line("candidate", Decimal(*candidate, format) + "  " + Hex(*candidate));
    if (candidate && std::isfinite(*candidate))
      text += Line("error", Enclosure(abs(Interval(*candidate) - value), 6));
    return text + Line("size of pair", Enclosure(truth.Size(asked.output, asked.element), 6));
  });
  out << lines.value_or(Line("truth", kNotDecided));
}

// What the file answers.
struct Stored {
  DType dtype;
  uint64_t bits;
};

// The judge's own answers, and the bounds where there are some.
void PrintVerdicts(const Truth& truth, const Asked& asked, const Case& c, bool real, bool flushes,
                   std::optional<Stored> candidate, std::ostream& out) {
  out << (flushes ? "\nby profile, subnormal numbers as 0\n" : "\nby profile\n");
  constexpr const char* kNames[] = {"within", "outside", "vacuous: the bound proves nothing"};
  const auto bound = [&](const Profile& profile) {
    return reference::Certify([&] {
             return Enclosure(reference::Narrow(truth.Bound(asked.output, asked.element, profile)),
                              6);
           })
        .value_or(kNotDecided);
  };
  for (size_t i = 0; i < kProfiles.size(); ++i) {
    const Profile& profile = ProfilesFor(flushes)[i];
    std::string text = !real || profile.correctly_rounded ? "as above" : bound(profile);
    if (candidate) {
      const auto verdicts = reference::JudgeElement(truth, c, asked.output, asked.element,
                                                    candidate->dtype, candidate->bits, flushes);
      text += std::string("  ") + kNames[static_cast<size_t>(verdicts[i])];
    }
    out << Line(std::string(profile.name), text);
  }
}

}  // namespace

int Explain(const ExplainArguments& arguments, std::ostream& out) {
  const Recording recording = ReadCaseFile(arguments.file, ToOptions(arguments.stated));
  const Case& c = recording.c;
  const std::unique_ptr<Truth> truth = reference::TruthOf(c);
  const Asked asked = Locate(arguments, recording);
  std::optional<double> candidate;
  std::optional<Stored> stored;
  if (const auto found = recording.outputs.find(asked.spec->role);
      found != recording.outputs.end()) {
    const OutputShape shape = Validate(c)[static_cast<size_t>(asked.output)];
    if (found->second.shape != shape.shape || !CanHold(found->second.dtype, shape, c))
      throw BadFile(arguments.file,
                    "output " + asked.spec->role + " is not the " +
                        std::string(shape.integer ? "integer" : Traits(c.format).name) + " " +
                        ShapeText(shape.shape) + " that the case asks for");
    stored = {found->second.dtype, BitsAt(found->second, asked.element)};
    candidate = ValueOf(stored->dtype, stored->bits);
  }

  out << fmt::format("{} in {} with {}; case {}\n", c.operation, Traits(c.format).name,
                     ParametersText(c), CaseId(c));
  for (const std::string& note : recording.notes) out << "inferred: " << note << "\n";
  for (const std::string& note : recording.overrides) out << "overridden: " << note << "\n";
  out << "\n" << ElementName(*asked.spec, asked.index) << "\n";
  const reference::Place place = truth->Where(asked.output, asked.element);
  if (place.position) out << Line("position", std::to_string(*place.position));
  if (place.pair) out << Line("pair", std::to_string(*place.pair));
  const Expectation expected = truth->Expect(asked.output, asked.element);
  if (expected.kind == Expectation::kReal) {
    PrintReal(*truth, asked, c.format, candidate, out);
    PrintVerdicts(*truth, asked, c, true, arguments.flushes_subnormals, stored, out);
    return 0;
  }
  const double value = RoundedValue(*truth, asked.output, asked.element, c.format);
  const char* why = expected.kind == Expectation::kCopy      ? ", the bits of an input, kept"
                    : expected.kind == Expectation::kInteger ? ", an integer"
                                                             : ", by the rules of infinity and NaN";
  out << Line("expected", Decimal(value, c.format) + "  " + Hex(value) + why);
  if (candidate) out << Line("candidate", Decimal(*candidate, c.format) + "  " + Hex(*candidate));
  PrintVerdicts(*truth, asked, c, false, arguments.flushes_subnormals, stored, out);
  return 0;
}

}  // namespace gnomon::oracle
