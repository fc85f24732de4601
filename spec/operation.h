// Operations: what an implementation can be asked to compute (spec/case.md, CASE-1 and CASE-2).
#ifndef GNOMON_SPEC_OPERATION_H_
#define GNOMON_SPEC_OPERATION_H_

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "gnomon/spec/case.h"

namespace gnomon {

struct ParameterSpec {
  std::string name;
  std::string otherwise;  // the default, as text; "required" when there is none
  std::string range;
  std::string meaning;
};

struct TensorSpec {
  std::string role;
  std::vector<std::string> axes;  // canonical order
  std::string meaning;
  bool optional = false;
  bool integer = false;
};

// In what the errors of an output are reported.
enum class ErrorUnit {
  kRoundoffOfSum,  // u S: for sums of products, whose ulp means nothing under cancellation
  kUlp,            // units in the last place of the truth: for tables and frequencies
};

// What an output of a valid case looks like.
struct OutputShape {
  std::string role;
  Shape shape;
};

struct OperationSpec {
  std::string name;     // stem.verb
  std::string summary;  // one line
  std::vector<ParameterSpec> parameters;
  std::vector<TensorSpec> inputs;
  std::vector<TensorSpec> outputs;
  ErrorUnit unit = ErrorUnit::kUlp;
  // Throws Rejected unless parameters and shapes are in the operation's domain. Called by `Validate`,
  // after the inputs have been seen to be there.
  std::function<std::vector<OutputShape>(const Case&)> validate_shapes;
};

// POS-1. Positions are integers, in tokens.
inline constexpr int64_t kMinPosition = -(int64_t{1} << 31);
inline constexpr int64_t kMaxPosition = (int64_t{1} << 31) - 1;

// POS-1. Throws Rejected unless every position is in range and the rank is 1 to max_rank.
inline Shape ValidatePositions(const Case& c, const std::string& role, size_t max_rank) {
  const Tensor& positions = c.inputs.at(role);
  const Shape& shape = positions.shape();
  if (shape.empty() || shape.size() > max_rank)
    throw Rejected(role, "rank " + std::to_string(shape.size()),
                   max_rank == 1 ? "must have one axis" : "must be [seq] or [batch, seq]", "POS-1");
  for (int64_t i = 0; i < positions.count(); ++i) {
    const int64_t position = positions.Integer(i);
    if (position < kMinPosition || position > kMaxPosition)
      throw Rejected(role, std::to_string(position), "must be in [-2^31, 2^31)", "POS-1");
  }
  return shape;
}

// CASE-4. Presence and type of the inputs. Throws Rejected.
inline void ValidateInputs(const Case& c, const std::vector<TensorSpec>& specs) {
  std::set<std::string> known;
  for (const TensorSpec& spec : specs) {
    known.insert(spec.role);
    const auto found = c.inputs.find(spec.role);
    if (found == c.inputs.end()) {
      if (spec.optional) continue;
      throw Rejected(spec.role, "(missing)", "is an input of " + c.operation, "CASE-4");
    }
    const DType dtype = found->second.dtype();
    if (IsFloat(dtype) == spec.integer)
      throw Rejected(spec.role, std::string(Name(dtype)),
                     spec.integer ? "must be I64 or I32" : "must be F64, F32, BF16 or F16", "CASE-4");
  }
  for (const auto& [role, tensor] : c.inputs)
    if (!known.count(role))
      throw Rejected(role, "(tensor)", "is not an input of " + c.operation, "CASE-4");
}
}  // namespace gnomon

#endif  // GNOMON_SPEC_OPERATION_H_
