// Known values from outside (spec/vectors/*.json): the truth must round to what their sources
// print.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "gnomon/reference/certify.h"
#include "gnomon/reference/truth.h"
#include "gnomon/spec/schemes.h"

namespace gnomon::reference {
namespace {

using Json = nlohmann::json;

Value ParameterOf(const Json& json) {
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_string()) return json.get<std::string>();
  if (!json.is_array()) return json.get<double>();
  std::vector<Number> numbers;
  for (const Json& number : json)
    numbers.push_back(number.is_string() ? Number(number.get<std::string>())
                                         : Number(number.get<double>()));
  return numbers;
}

void Flatten(const Json& nested, size_t depth, Shape* shape, std::vector<double>* values) {
  if (!nested.is_array()) {
    values->push_back(nested.get<double>());
    return;
  }
  if (shape->size() == depth) shape->push_back(static_cast<int64_t>(nested.size()));
  for (const Json& inner : nested) Flatten(inner, depth + 1, shape, values);
}

Case CaseOf(const Json& vector) {
  Case c;
  c.operation = vector.at("operation");
  c.format = Format::kF64;
  for (const auto& [name, value] : vector.at("parameters").items())
    c.parameters[name] = ParameterOf(value);
  const OperationSpec& operation = OperationOf(c);
  for (const TensorSpec& spec : operation.inputs) {
    if (!vector.at("inputs").contains(spec.role)) continue;
    Shape shape;
    std::vector<double> values;
    Flatten(vector.at("inputs").at(spec.role), 0, &shape, &values);
    Tensor tensor(spec.integer ? DType::kI64 : DType::kF64, shape);
    for (size_t i = 0; i < values.size(); ++i) {
      if (spec.integer) {
        tensor.SetInteger(static_cast<int64_t>(i), static_cast<int64_t>(values[i]));
      } else {
        tensor.Set(static_cast<int64_t>(i), values[i]);
      }
    }
    c.inputs.emplace(spec.role, tensor);
  }
  return c;
}

// Half a unit of the last printed place. A source that prints a binary64 number as short as names
// it may be as far off as half a unit of that.
Interval Tolerance(const std::string& printed, bool exact, bool binary64) {
  if (exact) return Interval(0);
  if (binary64) {
    const double value = std::abs(std::stod(printed));
    return (Interval(std::nextafter(value, INFINITY)) - Interval(value)) / 2;
  }
  const size_t e = printed.find_first_of("eE");
  const size_t point = printed.find('.');
  const std::string digits = printed.substr(0, e);
  const int places = point == std::string::npos ? 0 : static_cast<int>(digits.size() - point - 1);
  const int exponent = e == std::string::npos ? 0 : std::stoi(printed.substr(e + 1));
  return Interval(("0.5e" + std::to_string(exponent - places)).c_str());
}

TEST(Vectors, TheTruthRoundsToWhatOthersPrint) {
  int compared = 0;
  const std::filesystem::path folder = std::filesystem::path(GNOMON_SOURCE_DIR) / "spec/vectors";
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    if (file.path().filename().string().rfind("certified_", 0) == 0) continue;  // certified_test.cc
    std::ifstream in(file.path());
    for (const Json& vector : Json::parse(in)) {
      SCOPED_TRACE(file.path().filename().string() + ": " + vector.at("id").get<std::string>());
      const Case c = CaseOf(vector);
      const std::unique_ptr<Truth> truth = TruthOf(c);
      const std::vector<OutputShape> outputs = Validate(c);
      for (const Json& expected : vector.at("expect")) {
        int output = 0;
        while (outputs.at(static_cast<size_t>(output)).role != expected.at("output")) ++output;
        const Shape& shape = outputs[static_cast<size_t>(output)].shape;
        const Shape index = expected.at("index").get<Shape>();
        ASSERT_EQ(index.size(), shape.size());
        int64_t element = 0;
        for (size_t axis = 0; axis < shape.size(); ++axis) {
          ASSERT_LT(index[axis], shape[axis]);
          element = element * shape[axis] + index[axis];
        }
        const std::string printed = expected.at("value");
        const auto near = Certify([&] {
          const Interval value = truth->Value(output, element) / expected.value("divide_by", 1);
          return LessOrEqual(abs(value - Interval(printed.c_str())),
                             Tolerance(printed, expected.value("exact", false),
                                       expected.value("binary64", false)));
        });
        EXPECT_TRUE(near.value_or(false)) << expected;
        ++compared;
      }
    }
  }
  RecordProperty("compared", compared);
  EXPECT_GT(compared, 100);
}

}  // namespace
}  // namespace gnomon::reference
