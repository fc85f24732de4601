// Operations: what an implementation can be asked to compute (spec/case.md, CASE-1 and CASE-2).
#ifndef GNOMON_SPEC_OPERATION_H_
#define GNOMON_SPEC_OPERATION_H_

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
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
  bool integer = false;  // buckets and indices: stored as I64 (a recording may hold I32)
};

inline DType StoredAs(const OutputShape& output, const Case& c) {
  return output.integer ? DType::kI64 : DTypeOf(c.format);
}
// Whether a tensor of that type can be an answer.
inline bool CanHold(DType dtype, const OutputShape& output, const Case& c) {
  return dtype == StoredAs(output, c) || (output.integer && dtype == DType::kI32);
}

struct OperationSpec {
  std::string name;     // stem.verb
  std::string summary;  // one line
  std::vector<ParameterSpec> parameters;
  std::vector<TensorSpec> inputs;
  std::vector<TensorSpec> outputs;
  ErrorUnit unit = ErrorUnit::kUlp;
  // Throws Rejected unless parameters and shapes are in the operation's domain. Called by
  // `Validate`, after the inputs have been seen to be there.
  std::function<std::vector<OutputShape>(const Case&)> validate_shapes;
  std::string overwrites = "";          // the input whose memory the output may take; empty: none
  std::vector<std::string> apart = {};  // CASE-9: axes whose every index stands by itself
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

// The axis of the input `role` must have this extent.
inline void RequireExtent(const std::string& role, const std::string& axis, int64_t extent,
                          int64_t expected, const std::string& clause) {
  if (extent != expected)
    throw Rejected(role, axis + " " + std::to_string(extent),
                   "must have " + axis + " " + std::to_string(expected), clause);
}

// CASE-4. The input must have the format of the outputs.
inline void RequireCaseFormat(const Case& c, const std::string& role) {
  const DType dtype = c.inputs.at(role).dtype();
  if (dtype != DTypeOf(c.format))
    throw Rejected(role, std::string(Name(dtype)),
                   "must have the case's format " + std::string(Traits(c.format).name), "CASE-4");
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
                     spec.integer ? "must be I64 or I32" : "must be F64, F32, BF16 or F16",
                     "CASE-4");
  }
  for (const auto& [role, tensor] : c.inputs)
    if (!known.count(role))
      throw Rejected(role, "(tensor)", "is not an input of " + c.operation, "CASE-4");
}

// CASE-4. Elements of all outputs together.
inline constexpr int64_t kMostElements = int64_t{1} << 30;

inline void ValidateSize(const std::vector<OutputShape>& outputs) {
  int64_t room = kMostElements;
  for (const OutputShape& output : outputs) {
    int64_t count = 1;
    for (int64_t extent : output.shape)
      count = extent > 0 && count > kMostElements / extent ? kMostElements + 1 : count * extent;
    if (count > room)
      throw Rejected(output.role, ShapeText(output.shape), "outputs must not exceed 2^30 elements",
                     "CASE-4");
    room -= count;
  }
}

// CASE-4. Whether two elements of a tensor lie in the same place.
inline bool SharesMemory(const ConstTensorView& view) {
  if (view.count() < 2 || view.contiguous()) return false;
  std::vector<std::pair<int64_t, int64_t>> axes;  // |stride|, extent
  for (size_t i = 0; i < view.rank(); ++i)
    if (view.shape[i] > 1) axes.emplace_back(std::abs(view.strides[i]), view.shape[i]);
  std::sort(axes.begin(), axes.end());
  int64_t reach = 0;  // of the axes so far: each next one has to step over them
  bool nested = true;
  for (const auto& [stride, extent] : axes) {
    nested &= stride > reach;
    reach += stride * (extent - 1);
  }
  if (nested) return false;
  std::set<int64_t> seen;
  for (int64_t i = 0; i < view.count(); ++i)
    if (!seen.insert(view.OffsetOf(i)).second) return true;
  return false;
}

// CASE-4. What `in_place` may name.
inline void ValidateInPlace(const Case& c, const OperationSpec& operation,
                            const std::vector<OutputShape>& outputs) {
  if (c.in_place.empty()) return;
  const std::string& role = operation.overwrites;
  if (c.in_place != role)
    throw Rejected("in_place", c.in_place,
                   role.empty() ? "no input of " + c.operation + " can be overwritten"
                                : "only " + role + " can be overwritten",
                   "CASE-4");
  const Tensor& input = c.inputs.at(role);
  if (input.dtype() != DTypeOf(c.format) || input.shape() != outputs.front().shape)
    throw Rejected("in_place", role, "must have the format and shape of " + outputs.front().role,
                   "CASE-4");
  if (SharesMemory(input.view()))
    throw Rejected("in_place", role, "its elements share memory", "CASE-4");
}
}  // namespace gnomon

#endif  // GNOMON_SPEC_OPERATION_H_
