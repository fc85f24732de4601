// Every scheme there is, and every operation of every scheme.
#ifndef GNOMON_SPEC_SCHEMES_H_
#define GNOMON_SPEC_SCHEMES_H_

#include <string>
#include <vector>

#include "gnomon/spec/operation.h"
#include "gnomon/spec/stems.h"

namespace gnomon {

// Of one scheme, in spec/<stem>.cc.
#define GNOMON_DECLARE(stem)                      \
  namespace stem {                                \
  const std::vector<OperationSpec>& Operations(); \
  }
GNOMON_FOR_EACH_STEM(GNOMON_DECLARE)
#undef GNOMON_DECLARE

inline std::vector<const OperationSpec*> AllOperations() {
  std::vector<const OperationSpec*> all;
#define GNOMON_APPEND(stem) \
  for (const OperationSpec& operation : stem::Operations()) all.push_back(&operation);
  GNOMON_FOR_EACH_STEM(GNOMON_APPEND)
#undef GNOMON_APPEND
  return all;
}

// Null when there is none of that name.
inline const OperationSpec* FindOperation(const std::string& name) {
  for (const OperationSpec* operation : AllOperations())
    if (operation->name == name) return operation;
  return nullptr;
}

inline const OperationSpec& OperationOf(const Case& c) {
  const OperationSpec* found = FindOperation(c.operation);
  if (found == nullptr) throw Rejected("operation", c.operation, "is not known", "CASE-1");
  return *found;
}

// CASE-2, CASE-4 and the scheme's own clauses. Throws Rejected, or says what the outputs look like.
inline std::vector<OutputShape> Validate(const Case& c) {
  const OperationSpec& operation = OperationOf(c);
  ValidateInputs(c, operation.inputs);
  std::vector<OutputShape> outputs = operation.validate_shapes(c);
  ValidateSize(outputs);
  ValidateInPlace(c, operation, outputs);
  return outputs;
}

// Outputs of the right shapes, filled with zeros.
inline Outputs MakeOutputs(const Case& c) {
  Outputs outputs;
  for (const OutputShape& output : Validate(c))
    outputs.emplace(output.role, Tensor(StoredAs(output, c), output.shape));
  return outputs;
}

}  // namespace gnomon

#endif  // GNOMON_SPEC_SCHEMES_H_
