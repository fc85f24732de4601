// Parameters as people write them: 40 and 131072, where the canonical form (CASE-5) and the ids of
// mistakes have 4e+01.
#ifndef GNOMON_ORACLE_PLAIN_H_
#define GNOMON_ORACLE_PLAIN_H_

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "gnomon/spec/case.h"

namespace gnomon::oracle {

inline std::string Plain(const Number& number) {
  const bool digits = number.decimal.empty() && number.value == std::floor(number.value) &&
                      std::abs(number.value) < 1e15 && !std::signbit(number.value);
  return digits ? std::to_string(static_cast<int64_t>(number.value)) : ToText(number);
}

inline std::string Plain(const Value& value) {
  if (const double* number = std::get_if<double>(&value)) return Plain(Number(*number));
  const auto* numbers = std::get_if<std::vector<Number>>(&value);
  if (numbers == nullptr) return ToText(value);
  std::string list;
  for (const Number& number : *numbers) list += (list.empty() ? "" : ", ") + Plain(number);
  return "[" + list + "]";
}

}  // namespace gnomon::oracle

#endif  // GNOMON_ORACLE_PLAIN_H_
