#include "gnomon/oracle/description.h"

#include <algorithm>

#include "gnomon/oracle/bad_file.h"
#include "gnomon/oracle/case_json.h"
#include "gnomon/oracle/strict_json.h"
#include "gnomon/spec/schemes.h"

namespace gnomon::oracle {
namespace {

constexpr const char* kDefaultPromise = "f32-angle";
constexpr int64_t kLargestAlignment = 4096;
constexpr size_t kLongest = size_t{1} << 20;

class DescriptionParser {
 public:
  explicit DescriptionParser(const std::string& origin) : origin_(origin) {}

  Description Parse(const Json& json) {
    Description d;
    d.name = origin_;
    d.promise = *ProfileFromName(kDefaultPromise);
    for (const auto& [key, value] : Object("the description", json).items()) {
      if (key == "name") {
        d.name = Text(key, value);
      } else if (key == "promise") {
        const auto profile = ProfileFromName(Text(key, value));
        if (!profile) Fail(key, Quoted(Text(key, value)) + " is no profile", "BOUND-1");
        d.promise = *profile;
      } else if (key == "flushes_subnormals") {
        d.flushes_subnormals = Flag(key, value, "SUBJ-1");
      } else if (key == "alignment") {
        d.alignment = Integer(key, value, 1, kLargestAlignment);
        if ((d.alignment & (d.alignment - 1)) != 0)
          Fail(key + " = " + ShortText(value), "must be a power of two", "SUBJ-1");
      } else if (key == "operations") {
        for (const auto& [name, declared] : Object(key, value).items())
          d.operations.emplace(name, Operation(name, declared));
      } else {
        Fail("key " + Quoted(key), "is not known", "SUBJ-1");
      }
    }
    if (d.flushes_subnormals && kProfiles[d.promise].correctly_rounded)
      Fail("flushes_subnormals", "contradicts the promise \"rounded\"", "BOUND-8");
    if (d.operations.empty()) Fail("operations", "must name what it does", "SUBJ-1");
    return d;
  }

 private:
  [[noreturn]] void Fail(const std::string& what, const std::string& why,
                         const std::string& clause) const {
    throw BadFile(origin_, "description: " + what + ": " + why, clause);
  }
  const Json& Object(const std::string& key, const Json& value) const {
    if (!value.is_object()) Fail(key + " = " + ShortText(value), "must be an object", "SUBJ-1");
    return value;
  }
  std::string Text(const std::string& key, const Json& value) const {
    if (!value.is_string()) Fail(key + " = " + ShortText(value), "must be a string", "SUBJ-1");
    return value.get<std::string>();
  }
  bool Flag(const std::string& key, const Json& value, const std::string& clause = "SUBJ-3") const {
    if (!value.is_boolean()) Fail(key + " = " + ShortText(value), "must be true or false", clause);
    return value.get<bool>();
  }
  int64_t Integer(const std::string& key, const Json& value, int64_t low, int64_t high) const {
    const bool fits = value.is_number_integer() &&
                      !(value.is_number_unsigned() && value.get<uint64_t>() > INT64_MAX);
    if (!fits || value.get<int64_t>() < low || value.get<int64_t>() > high)
      Fail(key + " = " + ShortText(value),
           "must be an integer from " + std::to_string(low) + " to " + std::to_string(high),
           "SUBJ-3");
    return value.get<int64_t>();
  }
  const Json& List(const std::string& key, const Json& value) const {
    if (!value.is_array() || value.empty())
      Fail(key + " = " + ShortText(value), "must be a list that is not empty", "SUBJ-3");
    return value;
  }
  void RequireKnown(bool known, const std::string& key, const std::string& name) const {
    if (!known) Fail(key, Quoted(name) + " is not known to the operation", "SUBJ-3");
  }

  Description::Declared Operation(const std::string& name, const Json& json) const {
    const OperationSpec* spec = FindOperation(name);
    if (spec == nullptr) Fail("operations", Quoted(name) + " is no operation", "CASE-1");
    const auto has_parameter = [&](const std::string& parameter) {
      return std::any_of(spec->parameters.begin(), spec->parameters.end(),
                         [&](const ParameterSpec& p) { return p.name == parameter; });
    };
    const auto is_required = [&](const std::string& parameter) {
      return std::any_of(
          spec->parameters.begin(), spec->parameters.end(),
          [&](const ParameterSpec& p) { return p.name == parameter && p.otherwise == "required"; });
    };
    const auto input = [&](const std::string& role) {
      return std::find_if(spec->inputs.begin(), spec->inputs.end(),
                          [&](const TensorSpec& t) { return t.role == role; });
    };
    const auto has_axis = [&](const std::string& axis) {
      return std::any_of(spec->inputs.begin(), spec->inputs.end(), [&](const TensorSpec& t) {
        return std::find(t.axes.begin(), t.axes.end(), axis) != t.axes.end();
      });
    };
    Description::Declared declared;
    properties::Limits& limits = declared.limits;
    for (const auto& [key, value] : Object(name, json).items()) {
      const std::string where = name + "." + key;
      if (key == "formats") {
        for (const Json& item : List(where, value)) {
          const auto format = FormatFromName(Text(where, item));
          if (!format) Fail(where, Quoted(Text(where, item)) + " is no format", "FORMAT-1");
          declared.formats.push_back(*format);
        }
      } else if (key == "parameters") {
        for (const auto& [parameter, values] : Object(where, value).items()) {
          RequireKnown(has_parameter(parameter), where, parameter);
          for (const Json& item : List(where, values))
            limits.parameters[parameter].push_back(ToValue(item, parameter, origin_));
        }
      } else if (key == "without") {
        for (const Json& item : List(where, value)) {
          const std::string text = Text(where, item);
          const auto role = input(text);
          RequireKnown(has_parameter(text) || (role != spec->inputs.end() && role->optional), where,
                       text);
          if (is_required(text))
            Fail(where, Quoted(text) + " is required: every case has it", "SUBJ-3");
          limits.without.insert(text);
        }
      } else if (key == "axes") {
        for (const auto& [axis, extent] : Object(where, value).items()) {
          RequireKnown(has_axis(axis), where, axis);
          constexpr int64_t kMost = int64_t{1} << 40;
          if (extent.is_array()) {
            for (const Json& one : List(where, extent))
              limits.extents[axis].push_back(Integer(where + "." + axis, one, 1, kMost));
          } else {
            limits.axes[axis] = Integer(where + "." + axis, extent, 1, kMost);
          }
        }
      } else if (key == "dtypes") {
        for (const auto& [role, list] : Object(where, value).items()) {
          const auto spec_of = input(role);
          RequireKnown(spec_of != spec->inputs.end(), where, role);
          for (const Json& item : List(where, list)) {
            const auto dtype = DTypeFromName(Text(where, item));
            if (!dtype) Fail(where, Quoted(Text(where, item)) + " is no data type", "CASE-4");
            if (IsFloat(*dtype) == spec_of->integer)
              Fail(where, Quoted(Text(where, item)) + " is no data type of " + role, "CASE-4");
            limits.dtypes[role].push_back(*dtype);
          }
        }
      } else if (key == "ranks") {
        for (const auto& [role, list] : Object(where, value).items()) {
          const auto spec_of = input(role);
          RequireKnown(spec_of != spec->inputs.end(), where, role);
          const int64_t most = static_cast<int64_t>(spec_of->axes.size());
          for (const Json& item : List(where, list))
            limits.ranks[role].push_back(Integer(where, item, 1, most));
        }
      } else if (key == "strides") {
        limits.strides = Flag(where, value);
      } else if (key == "in_place") {
        limits.in_place = Flag(where, value);
      } else if (key == "positions") {
        if (List(where, value).size() != 2)
          Fail(where + " = " + ShortText(value), "must be [lowest, highest]", "SUBJ-3");
        limits.min_position = Integer(where, value[0], kMinPosition, kMaxPosition);
        limits.max_position = Integer(where, value[1], limits.min_position, kMaxPosition);
      } else if (key == "elements") {
        limits.elements = Integer(where, value, 1, INT64_MAX);
      } else {
        Fail(name, "key " + Quoted(key) + " is not known", "SUBJ-3");
      }
    }
    if (declared.formats.empty()) Fail(name, "must list its formats", "SUBJ-3");
    // Context extension is asked of those who say which they know.
    if (name.rfind("rope.", 0) == 0 && has_parameter("rope_type") &&
        limits.parameters.count("rope_type") == 0)
      limits.without.insert("rope_type");
    return declared;
  }

  const std::string& origin_;
};

}  // namespace

bool Description::Declares(const std::string& operation, Format format) const {
  const auto found = operations.find(operation);
  return found != operations.end() &&
         std::find(found->second.formats.begin(), found->second.formats.end(), format) !=
             found->second.formats.end();
}

properties::Limits Description::LimitsOf(const std::string& operation) const {
  const auto found = operations.find(operation);
  return found == operations.end() ? properties::Limits() : found->second.limits;
}

Description ParseDescription(std::string_view text, const std::string& origin) {
  if (text.size() > kLongest)
    throw BadFile(origin, "description: " + std::to_string(text.size()) + " bytes, more than 2^20",
                  "SUBJ-1");
  return DescriptionParser(origin).Parse(ParseStrictly(text, origin, "SUBJ-1"));
}

}  // namespace gnomon::oracle
