// For tests only: the numbers that Coq computed from the definitions
// (spec/vectors/certified_*.json, spec/theories/tools/certified_numbers.py), each an enclosure of
// one output element.
#ifndef GNOMON_REFERENCE_CERTIFIED_NUMBERS_H_
#define GNOMON_REFERENCE_CERTIFIED_NUMBERS_H_

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "gnomon/reference/interval.h"
#include "gnomon/spec/schemes.h"

namespace gnomon::reference::testing {

struct CertifiedNumber {
  Case question;  // its format is f32
  std::string role;
  int64_t element = 0;
  std::string low, high;  // "-0x1a2b..p-140": integers times a power of two
};

// The enclosure at the precision in force, rounded outward.
inline Interval Enclosure(const CertifiedNumber& number) {
  Interval x(0);
  mpfr_set_str(&x.backend().data()->left, number.low.c_str(), 0, MPFR_RNDD);
  mpfr_set_str(&x.backend().data()->right, number.high.c_str(), 0, MPFR_RNDU);
  return x;
}

inline std::vector<CertifiedNumber> CertifiedNumbers(const std::string& stem) {
  std::ifstream in(std::filesystem::path(GNOMON_SOURCE_DIR) / "spec/vectors" /
                   ("certified_" + stem + ".json"));
  std::vector<CertifiedNumber> numbers;
  const nlohmann::json file = nlohmann::json::parse(in);
  for (const nlohmann::json& entry : file.at("numbers")) {
    CertifiedNumber number;
    Case& c = number.question;
    c.operation = entry.at("operation");
    c.format = Format::kF32;
    for (const auto& [name, value] : entry.at("parameters").items()) {
      std::vector<Number> list;
      if (value.is_array())
        for (const nlohmann::json& number : value) list.emplace_back(number.get<double>());
      c.parameters[name] = value.is_string()    ? Value(value.get<std::string>())
                           : value.is_boolean() ? Value(value.get<bool>())
                           : value.is_array()   ? Value(list)
                                                : Value(value.get<double>());
    }
    if (entry.contains("positions")) {
      Tensor positions(DType::kI64, {1});
      positions.SetInteger(0, entry.at("positions").at(0).get<int64_t>());
      c.inputs.emplace("positions", positions);
    }
    number.role = entry.at("output");
    const nlohmann::json& index = entry.at("index");
    number.element = index.empty() ? 0 : index.back().get<int64_t>();  // of one row
    number.low = entry.at("low");
    number.high = entry.at("high");
    numbers.push_back(std::move(number));
  }
  return numbers;
}

// Which of the operation's outputs has this role.
inline int OutputOf(const CertifiedNumber& number) {
  const std::vector<OutputShape> outputs = Validate(number.question);
  int output = 0;
  while (outputs.at(static_cast<size_t>(output)).role != number.role) ++output;
  return output;
}

}  // namespace gnomon::reference::testing

#endif  // GNOMON_REFERENCE_CERTIFIED_NUMBERS_H_
