#include "gnomon/properties/judged.h"

#include <algorithm>

#include "gnomon/properties/generators.h"
#include "gnomon/properties/tolerance.h"
#include "gnomon/reference/judge.h"
#include "gnomon/spec/schemes.h"

namespace gnomon::properties {
namespace {

std::string Explain(const reference::ElementReport& e) {
  std::string index;
  for (size_t i = 0; i < e.index.size(); ++i) index += (i ? ", " : "") + std::to_string(e.index[i]);
  std::string text = e.output + "[" + index + "]";
  if (e.place.position) text += " position " + std::to_string(*e.place.position);
  if (e.place.pair) text += " pair " + std::to_string(*e.place.pair);
  return text + ": got " + Show(e.candidate) + ", expected " + Show(e.expected) + " (" + e.why +
         "), error " + Show(e.error) + ", bound " + Show(e.bound);
}

}  // namespace

std::string Explain(const reference::Judgement& judgement, size_t profile) {
  const reference::ProfileResult& result = judgement.profiles[profile];
  std::string flushed;
  if (judgement.flushed > 0)
    flushed = "; " + std::to_string(judgement.flushed) + " subnormal results flushed to zero";
  return Explain(*result.first_outside) + "; " + std::to_string(result.outside) + " of " +
         std::to_string(judgement.elements) + " elements outside " +
         std::string(kProfiles[profile].name) + flushed;
}

void ExpectWithinBound(Trial& trial, const Case& c) {
  const Outputs outputs = trial.Run(c);
  const size_t promise = *ProfileFromName(trial.promise().name);
  const reference::Judgement judgement =
      reference::Judge(c, outputs, {{}, trial.promise().flushes, promise});
  const reference::ProfileResult& result = judgement.profiles[promise];
  if (result.outside > 0) trial.Fail(Explain(judgement, promise));
  if (result.within > 0) trial.NoteCompared();
}

void ExpectMemoryKept(Trial& trial, const Case& c) {
  const std::map<std::string, Tensor> inputs = c.inputs;
  Outputs first = GuardedOutputs(c, 0xff);
  // Strides of the output's own, where it is not in place.
  if (c.in_place.empty() && trial.limits(c.operation).strides)
    for (auto& [role, tensor] : first)
      tensor = DrawStrided(trial.source(), tensor.dtype(), tensor.shape(), 0xff);
  Outputs second = first;
  if (c.in_place.empty())
    for (auto& [role, tensor] : second)
      std::fill(tensor.storage().begin(), tensor.storage().end(), std::byte{0x3c});
  const Outputs before_first = first, before_second = second;
  trial.RunOn(c, &first);
  for (const auto& entry : inputs)
    trial.Expect(entry.second.storage() == c.inputs.at(entry.first).storage(),
                 [&] { return "the input " + entry.first + " has changed"; });
  trial.RunOn(c, &second);
  const auto padding_kept = [&](const std::string& role, const Tensor& before,
                                const Tensor& after) {
    const int64_t byte = FirstChangedPadding(before, after);
    trial.Expect(byte < 0, [&] {
      return role + ": wrote outside its elements, at byte " + std::to_string(byte) +
             " of the storage, whose first element is at byte " +
             std::to_string(before.origin() * SizeOf(before.dtype()));
    });
  };
  for (const auto& entry : first) {
    const std::string& role = entry.first;
    padding_kept(role, before_first.at(role), first.at(role));
    padding_kept(role, before_second.at(role), second.at(role));
    const int64_t element = FirstDifference(first.at(role), second.at(role));
    trial.Expect(element < 0, [&] {
      return role + ": element " + std::to_string(element) +
             " is not written, or depends on what the memory held before";
    });
  }
}

void ExpectPaddingUnread(Trial& trial, const Case& c) {
  const auto filled = [&](uint8_t fill) {
    Case other = c;
    for (auto& [role, tensor] : other.inputs) FillPadding(&tensor, fill);
    return other;
  };
  // NaN in every format; then an ordinary number.
  const Outputs first = trial.Run(filled(0xff)), second = trial.Run(filled(0x3b));
  for (const auto& [role, tensor] : first) {
    const int64_t element = FirstDifference(tensor, second.at(role));
    trial.Expect(element < 0, [&, &role = role] {
      return role + ": element " + std::to_string(element) +
             " depends on memory that belongs to no element of the input";
    });
  }
}

void ExpectRepeatable(Trial& trial, const Case& c, const Case& between) {
  const Outputs first = trial.Run(c);
  trial.Run(between);
  const Outputs again = trial.Run(c);
  for (const auto& [role, tensor] : first) {
    const int64_t element = FirstDifference(tensor, again.at(role));
    trial.Expect(element < 0, [&, &role = role] {
      return role + ": element " + std::to_string(element) + " was " +
             Show(first.at(role).Value(element)) + " and is now " +
             Show(again.at(role).Value(element)) + ", for the same question";
    });
  }
}

namespace {
void ExpectSame(Trial& trial, const Case& a, const Case& b) {
  const Answer first(trial, a), second(trial, b);
  const int count = static_cast<int>(Validate(a).size());
  for (int output = 0; output < count; ++output)
    for (int64_t i = 0; i < ElementCount(first.shape(output)); ++i)
      CompareSame(trial, first, i, second, i, output);
}
}  // namespace

void ExpectSameInPlace(Trial& trial, Case c) {
  c.in_place.clear();
  Case in_place = c;
  in_place.in_place = OperationOf(c).overwrites;
  ExpectSame(trial, c, in_place);
}

void ExpectSameWithoutStrides(Trial& trial, const Case& c) {
  Case contiguous = c;
  contiguous.in_place.clear();
  for (auto& [role, tensor] : contiguous.inputs) tensor = Contiguous(tensor);
  ExpectSame(trial, c, contiguous);
}

}  // namespace gnomon::properties
