// How bad input is refused: one line with the parameter, its value, and the clause (CASE-6).
#ifndef GNOMON_SPEC_REJECTED_H_
#define GNOMON_SPEC_REJECTED_H_

#include <stdexcept>
#include <string>

namespace gnomon {

class Rejected : public std::runtime_error {
 public:
  // "rotary_dim = 7: must be even (ROPE-2)"
  Rejected(const std::string& parameter, const std::string& value, const std::string& why,
           const std::string& clause)
      : std::runtime_error(parameter + " = " + value + ": " + why + " (" + clause + ")"),
        parameter_(parameter),
        value_(value),
        why_(why),
        clause_(clause) {}
  const std::string& parameter() const { return parameter_; }
  const std::string& value() const { return value_; }
  const std::string& clause() const { return clause_; }
  // The same, and what might help.
  Rejected With(const std::string& hint) const {
    return {parameter_, value_, why_ + hint, clause_};
  }

 private:
  std::string parameter_, value_, why_, clause_;
};

}  // namespace gnomon

#endif  // GNOMON_SPEC_REJECTED_H_
