#include "gnomon/properties/limits.h"

#include <algorithm>
#include <cstdlib>

#include "gnomon/spec/schemes.h"

namespace gnomon::properties {
namespace {

template <class T>
bool Contains(const std::vector<T>& list, const T& value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

// What the operation takes an absent parameter to be; the text of a symbolic default ("head_dim")
// is no value of the list, and then no limit either.
bool AllowsDefault(const std::vector<Value>& allowed, const ParameterSpec& spec) {
  const bool symbolic = spec.otherwise != "required" && !IsDecimal(spec.otherwise) &&
                        spec.range.find(spec.otherwise) == std::string::npos;
  return symbolic || std::any_of(allowed.begin(), allowed.end(), [&](const Value& value) {
           const double* number = std::get_if<double>(&value);
           return number != nullptr
                      ? ToText(value) == ToText(Number(std::atof(spec.otherwise.c_str())))
                      : ToText(value) == '"' + spec.otherwise + '"';
         });
}

std::string Text(const TensorSpec& spec, const char* what, const std::string& value) {
  return spec.role + " " + what + " " + value;
}

}  // namespace

int64_t Limits::extent(const std::string& axis, int64_t drawn) const {
  if (const auto only = extents.find(axis); only != extents.end()) {
    if (Contains(only->second, drawn)) return drawn;
    return only->second[static_cast<size_t>(std::abs(drawn)) % only->second.size()];
  }
  const auto found = axes.find(axis);
  return found == axes.end() ? drawn : std::min(drawn, found->second);
}

int64_t Limits::position(int64_t drawn) const {
  if (drawn >= min_position && drawn <= max_position) return drawn;
  if (min_position > max_position) return drawn;  // nothing fits: the question is not asked
  const int64_t count = max_position - min_position + 1;
  return min_position + ((drawn - min_position) % count + count) % count;
}

bool Limits::takes_dtype(const std::string& role, DType dtype) const {
  const auto found = dtypes.find(role);
  return found == dtypes.end() || Contains(found->second, dtype);
}

bool Limits::takes_rank(const std::string& role, int64_t rank) const {
  const auto found = ranks.find(role);
  return found == ranks.end() || Contains(found->second, rank);
}

std::string Outside(const Limits& limits, const Case& c) {
  const OperationSpec& operation = OperationOf(c);
  for (const ParameterSpec& spec : operation.parameters) {
    const auto given = c.parameters.find(spec.name);
    if (given != c.parameters.end() && !limits.takes(spec.name)) return "parameter " + spec.name;
    const auto allowed = limits.parameters.find(spec.name);
    if (allowed == limits.parameters.end()) continue;
    if (given == c.parameters.end() ? !AllowsDefault(allowed->second, spec)
                                    : !Contains(allowed->second, given->second))
      return spec.name + " = " +
             (given == c.parameters.end() ? spec.otherwise + " (default)" : Plain(given->second));
  }
  if (!limits.in_place && !c.in_place.empty()) return "in place";
  for (const TensorSpec& spec : operation.inputs) {
    const auto found = c.inputs.find(spec.role);
    if (found == c.inputs.end()) continue;
    const Tensor& tensor = found->second;
    const int64_t rank = static_cast<int64_t>(tensor.shape().size());
    if (!limits.takes(spec.role)) return "input " + spec.role;
    if (!limits.takes_dtype(spec.role, tensor.dtype()))
      return Text(spec, "as", std::string(Name(tensor.dtype())));
    if (!limits.takes_rank(spec.role, rank)) return Text(spec, "of rank", std::to_string(rank));
    if (tensor.count() > limits.elements)
      return Text(spec, "of elements", std::to_string(tensor.count()));
    if (!limits.strides && !tensor.view().contiguous()) return Text(spec, "with", "strides");
    // A tensor of lower rank lacks leading axes.
    for (int64_t i = 0; i < rank; ++i) {
      const std::string& axis = spec.axes[spec.axes.size() - static_cast<size_t>(rank - i)];
      const int64_t extent = tensor.shape()[static_cast<size_t>(i)];
      if (limits.extent(axis, extent) != extent)
        return Text(spec, "with", axis + " " + std::to_string(extent));
    }
    if (!spec.integer) continue;
    for (int64_t i = 0; i < tensor.count(); ++i)
      if (limits.position(tensor.Integer(i)) != tensor.Integer(i))
        return "position " + std::to_string(tensor.Integer(i));
  }
  if (limits.elements == std::numeric_limits<int64_t>::max()) return "";
  try {
    for (const OutputShape& output : Validate(c))
      if (ElementCount(output.shape) > limits.elements)
        return output.role + " of elements " + std::to_string(ElementCount(output.shape));
  } catch (const Rejected&) {  // no case: for whoever validates it to say
  }
  return "";
}

std::optional<Case> Retyped(const Limits& limits, const Case& c) {
  std::optional<Case> changed;
  for (const TensorSpec& spec : OperationOf(c).inputs) {
    const auto found = c.inputs.find(spec.role);
    if (found == c.inputs.end() || IsFloat(found->second.dtype())) continue;
    const Tensor& from = found->second;
    Shape shape = from.shape();
    while (!shape.empty() && shape[0] == 1 &&
           !limits.takes_rank(spec.role, static_cast<int64_t>(shape.size())))
      shape.erase(shape.begin());
    DType dtype = from.dtype();
    for (const DType other : {DType::kI32, DType::kI64})
      if (!limits.takes_dtype(spec.role, dtype) && limits.takes_dtype(spec.role, other))
        dtype = other;
    if (dtype == from.dtype() && shape == from.shape()) continue;
    bool fits = true;
    Tensor to(dtype, shape);
    for (int64_t i = 0; i < from.count(); ++i) {
      to.SetInteger(i, from.Integer(i));
      fits &= to.Integer(i) == from.Integer(i);
    }
    if (!fits) continue;
    if (!changed) changed = c;
    changed->inputs.at(spec.role) = std::move(to);
  }
  return changed;
}

void FitParameters(const Limits& limits, const std::string& operation, Source& source,
                   Parameters* parameters) {
  for (const std::string& name : limits.without) parameters->erase(name);
  for (const ParameterSpec& spec : FindOperation(operation)->parameters) {
    const auto allowed = limits.parameters.find(spec.name);
    if (allowed == limits.parameters.end()) continue;
    const auto given = parameters->find(spec.name);
    const bool inside = given == parameters->end() ? AllowsDefault(allowed->second, spec)
                                                   : Contains(allowed->second, given->second);
    if (inside) continue;
    const int64_t pick = source.Below(static_cast<int64_t>(allowed->second.size()));
    (*parameters)[spec.name] = allowed->second[static_cast<size_t>(pick)];
  }
}

}  // namespace gnomon::properties
