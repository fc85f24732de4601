// A case: one thing an implementation is asked to compute (spec/case.md).
#ifndef GNOMON_SPEC_CASE_H_
#define GNOMON_SPEC_CASE_H_

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "gnomon/spec/format.h"
#include "gnomon/spec/rejected.h"
#include "gnomon/spec/tensor.h"

namespace gnomon {

// Whether a decimal is exactly its nearest binary64, `value`. A binary64 has at most 767
// significant digits, and printf is asked for all of them.
inline bool IsExactly(double value, const std::string& decimal) {
  // Sign, significant digits without zeros around them, and the power of ten of the first one.
  const auto parts = [](const std::string& text) {
    std::string digits;
    long power = -1;
    bool after_point = false;
    size_t i = 0;
    for (; i < text.size() && text[i] != 'e' && text[i] != 'E'; ++i) {
      if (text[i] == '.') after_point = true;
      if (text[i] < '0' || text[i] > '9') continue;
      const bool leading = digits.empty() && text[i] == '0';
      if (!leading) digits += text[i];
      power += after_point ? (leading ? -1 : 0) : (leading ? 0 : 1);
    }
    if (i < text.size()) power += std::strtol(text.c_str() + i + 1, nullptr, 10);
    digits.erase(digits.find_last_not_of('0') + 1);
    return std::tuple(text[0] == '-', digits, digits.empty() ? 0 : power);
  };
  char text[800];
  std::snprintf(text, sizeof text, "%.766e", value);
  return parts(decimal) == parts(text);
}

// CASE-3. A real parameter: the binary64 value that a JSON number stands for, or, when `decimal` is
// not empty, exactly the decimal that a JSON string spells; `value` is then its nearest binary64.
struct Number {
  double value = 0;
  std::string decimal;
  bool is_binary64 = true;  // the decimal, if any, is exactly `value`

  Number(double v = 0) : value(v) {}  // NOLINT: a double is a number
  explicit Number(const std::string& text)
      : value(std::strtod(text.c_str(), nullptr)),
        decimal(text),
        is_binary64(text.empty() || IsExactly(value, text)) {}
  bool operator==(const Number&) const = default;
};

inline bool IsBinary64(const Number& number) { return number.is_binary64; }

// The shortest text that reads back as the same number.
inline std::string ToText(const Number& number) {
  if (!number.decimal.empty()) return "\"" + number.decimal + "\"";
  char text[32];
  for (int digits = 1; digits <= 17; ++digits) {
    std::snprintf(text, sizeof text, "%.*g", digits, number.value);
    if (std::strtod(text, nullptr) == number.value) break;
  }
  return text;
}

// Digits with an optional sign, point and exponent: what an exact decimal may look like (CASE-3).
inline bool IsDecimal(const std::string& text) {
  size_t i = 0, digits = 0;
  const auto skip_digits = [&] {
    const size_t start = i;
    while (i < text.size() && text[i] >= '0' && text[i] <= '9') ++i;
    return i - start;
  };
  if (i < text.size() && (text[i] == '-' || text[i] == '+')) ++i;
  digits = skip_digits();
  if (i < text.size() && text[i] == '.') ++i, digits += skip_digits();
  if (digits == 0) return false;
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    ++i;
    if (i < text.size() && (text[i] == '-' || text[i] == '+')) ++i;
    const size_t exponent = skip_digits();
    if (exponent == 0 || exponent > 4) return false;
  }
  return i == text.size() && text.size() <= 200;
}

// As people write it: 40 and 131072, where the canonical form (CASE-5) and ids of mistakes have
// 4e+01.
inline std::string Plain(const Number& number) {
  const double v = number.value;
  const bool digits = number.decimal.empty() && v == std::floor(v) && std::abs(v) < 1e15 &&
                      !(v == 0 && std::signbit(v));
  return digits ? std::to_string(static_cast<int64_t>(v)) : ToText(number);
}

// What a parameter may hold. A string is a name (a layout) or an exact decimal; which of the two is
// known once the parameter is read.
using Value = std::variant<bool, double, std::string, std::vector<Number>>;
using Parameters = std::map<std::string, Value>;

inline std::string ToText(const Value& value) {
  if (const bool* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const double* number = std::get_if<double>(&value)) return ToText(Number(*number));
  if (const std::string* text = std::get_if<std::string>(&value)) return "\"" + *text + "\"";
  std::string list = "[";
  for (const Number& number : std::get<std::vector<Number>>(value))
    list += (list.size() > 1 ? ", " : "") + ToText(number);
  return list + "]";
}

inline std::string Plain(const Value& value) {
  if (const double* number = std::get_if<double>(&value)) return Plain(Number(*number));
  const auto* numbers = std::get_if<std::vector<Number>>(&value);
  if (numbers == nullptr) return ToText(value);
  std::string list;
  for (const Number& number : *numbers) list += (list.empty() ? "" : ", ") + Plain(number);
  return "[" + list + "]";
}

struct Case {
  std::string operation;                 // "rope.apply"
  Parameters parameters;                 // as the operation's page lists them
  Format format = Format::kF32;          // of the floating-point outputs
  std::map<std::string, Tensor> inputs;  // by role
  std::string in_place;                  // the input whose memory the output takes; empty: none
};

// By role, in the operation's order.
using Outputs = std::map<std::string, Tensor>;

// Reads typed parameters out of a case, and refuses the ones nobody asked for.
class ParameterReader {
 public:
  ParameterReader(const Parameters& parameters, std::string clause)
      : parameters_(parameters), clause_(std::move(clause)) {}

  bool Has(const std::string& name) {
    known_.insert(name);
    return parameters_.count(name) > 0;
  }

  Number GetNumber(const std::string& name, const Number& otherwise) {
    if (!Has(name)) return otherwise;
    const Value& value = parameters_.at(name);
    Number number;
    if (const double* plain = std::get_if<double>(&value)) {
      number = Number(*plain);
    } else if (const std::string* text = std::get_if<std::string>(&value);
               text && IsDecimal(*text)) {
      number = Number(*text);
    } else {
      throw Rejected(name, Plain(value), "must be a number", "CASE-3");
    }
    if (!std::isfinite(number.value))
      throw Rejected(name, Plain(value), "must be a finite number", "CASE-3");
    return number;
  }

  int64_t GetInteger(const std::string& name, int64_t otherwise, int64_t low, int64_t high) {
    if (!Has(name)) return otherwise;
    const Number number = GetNumber(name, Number());
    if (!IsBinary64(number) || number.value != std::floor(number.value) ||
        number.value < static_cast<double>(low) || number.value > static_cast<double>(high))
      throw Rejected(
          name, Plain(number),
          "must be an integer from " + std::to_string(low) + " to " + std::to_string(high),
          clause_);
    return static_cast<int64_t>(number.value);
  }
  int64_t GetRequiredInteger(const std::string& name, int64_t low, int64_t high) {
    if (!Has(name)) throw Rejected(name, "(missing)", "is required", clause_);
    return GetInteger(name, 0, low, high);
  }

  std::vector<Number> GetNumbers(const std::string& name) {
    if (!Has(name)) return {};
    const auto* list = std::get_if<std::vector<Number>>(&parameters_.at(name));
    if (list == nullptr)
      throw Rejected(name, Plain(parameters_.at(name)), "must be a list of numbers", "CASE-3");
    for (const Number& number : *list)
      if (!std::isfinite(number.value))
        throw Rejected(name, Plain(number), "must hold finite numbers", "CASE-3");
    return *list;
  }

  // Required where `otherwise` is nothing.
  bool GetFlag(const std::string& name, std::optional<bool> otherwise, const std::string& clause) {
    if (!Has(name)) {
      if (otherwise) return *otherwise;
      throw Rejected(name, "(missing)", "is required: true or false", clause);
    }
    const Value& value = parameters_.at(name);
    if (const bool* flag = std::get_if<bool>(&value)) return *flag;
    throw Rejected(name, Plain(value), "must be true or false", clause);
  }

  // `names`: the values allowed, in the order of the enumeration.
  template <class Enum>
  Enum GetName(const std::string& name, Enum otherwise, const std::vector<std::string>& names) {
    if (!Has(name)) return otherwise;
    const Value& value = parameters_.at(name);
    std::string allowed;
    for (size_t i = 0; i < names.size(); ++i) {
      if (const std::string* text = std::get_if<std::string>(&value); text && *text == names[i])
        return static_cast<Enum>(i);
      allowed += (i ? ", " : "") + names[i];
    }
    throw Rejected(name, Plain(value), "must be one of " + allowed, clause_);
  }

  // Call last.
  void RejectOthers() const {
    for (const auto& [name, value] : parameters_)
      if (!known_.count(name))
        throw Rejected(name, Plain(value), "is not a parameter of this operation", "CASE-2");
  }

 private:
  const Parameters& parameters_;
  std::string clause_;
  std::set<std::string> known_;
};

}  // namespace gnomon

#endif  // GNOMON_SPEC_CASE_H_
