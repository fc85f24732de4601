#include "gnomon/properties/reference_subject.h"

#include <exception>

#include "gnomon/reference/truth.h"
#include "gnomon/spec/schemes.h"

namespace gnomon::properties {

std::string ReferenceSubject::Name() const {
  return only_ ? "reference:" + std::string(Traits(*only_).name) : "reference";
}

bool ReferenceSubject::Declares(const std::string& operation, Format format) const {
  return FindOperation(operation) != nullptr && (!only_ || *only_ == format);
}

Outcome ReferenceSubject::Run(const Case& c, const OutputViews& outputs) {
  try {
    const Outputs truth = reference::RoundedTruth(c);
    for (const auto& [role, tensor] : truth) {
      const TensorView& to = outputs.at(role);
      for (int64_t i = 0; i < tensor.count(); ++i)
        StoreBits(to.dtype, to.AddressOf(i), BitsAt(tensor.view(), i));
    }
    return {};
  } catch (const Rejected& e) {
    return {Outcome::kRejected, e.what()};
  } catch (const std::exception& e) {
    return {Outcome::kFailed, e.what()};
  }
}

}  // namespace gnomon::properties
