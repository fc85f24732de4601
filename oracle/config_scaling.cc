#include "gnomon/oracle/config_scaling.h"

#include <algorithm>
#include <optional>

namespace gnomon::oracle {
namespace {

// Null is absent.
const Json* Find(const Json& object, const std::string& key) {
  const auto found = object.find(key);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}
// So are these, of value 0: their readers say `x or 32`.
bool IsAbsentAtZero(const std::string& key) {
  return key == "beta_fast" || key == "beta_slow" || key == "mscale" || key == "mscale_all_dim";
}
// Read by the caller, or without effect.
bool IsElsewhere(const std::string& key) {
  return key == "rope_type" || key == "type" || key == "rope_theta" ||
         key == "partial_rotary_factor" || key == "finetuned";
}

std::optional<Value> ToParameter(const Json& value) {
  if (value.is_boolean()) return Value(value.get<bool>());
  if (value.is_number()) return Value(value.get<double>());
  if (!value.is_array()) return std::nullopt;
  std::vector<Number> numbers;
  for (const Json& item : value) {
    if (!item.is_number()) return std::nullopt;
    numbers.emplace_back(item.get<double>());
  }
  return Value(numbers);
}

}  // namespace

RopeType TypeOfScaling(const Json& object, const std::string& path, const RefuseKey& refuse) {
  std::optional<RopeType> type;
  for (const char* key : {"rope_type", "type"}) {
    const Json* named = Find(object, key);
    if (named == nullptr) continue;
    std::string name = named->is_string() ? named->get<std::string>() : "";
    if (name == "su") name = "longrope";
    if (name == "mrope") name = "default";  // of the axes: it says nothing of frequencies
    const auto known = std::find(kRopeTypeNames.begin(), kRopeTypeNames.end(), name);
    if (known == kRopeTypeNames.end())
      refuse(path + "." + key, *named, "is no known type of scaling");
    const auto found = static_cast<RopeType>(known - kRopeTypeNames.begin());
    if (type && *type != found) refuse(path + "." + key, *named, "contradicts rope_type");
    type = found;
  }
  RopeType found = type.value_or(RopeType::kDefault);
  // vLLM's form of a static NTK-aware base.
  if (found == RopeType::kDynamic && Find(object, "alpha") && !Find(object, "factor"))
    found = RopeType::kNtk;
  return found;
}

Parameters ReadScalingObject(const Json& object, const std::string& path, const Json& file,
                             const RefuseKey& refuse) {
  RopeScaling scaling;
  scaling.type = TypeOfScaling(object, path, refuse);
  const bool by_alpha = scaling.type == RopeType::kNtk && Find(object, "alpha");
  Parameters parameters;
  for (const auto& [key, value] : object.items()) {
    if (IsElsewhere(key) || value.is_null()) continue;
    if (key == "mrope_interleaved") {
      if (!value.is_boolean()) refuse(path + "." + key, value, "must be a boolean");
      if (value.get<bool>()) parameters["section_order"] = std::string("interleaved");
      continue;
    }
    if (key == "mrope_section") {
      const auto sizes = value.is_array() ? ToParameter(value) : std::nullopt;
      if (!sizes) refuse(path + "." + key, value, "must be a list of numbers");
      if (scaling.type != RopeType::kDefault)
        refuse(path + "." + key, value, "stands beside a scaling, which is not supported");
      parameters[key] = *sizes;
      continue;
    }
    if (by_alpha && key == "alpha") continue;
    if (IsAbsentAtZero(key) && value == 0) continue;
    // Where it does not count, it may stand.
    if (key == "original_max_position_embeddings" && scaling.type == RopeType::kDynamic) continue;
    // What the type does not know is another scaling's, or nobody's.
    static const std::string kNotOfAFile[] = {"seq_len", "earlier_seq_lens",
                                              "max_position_embeddings"};
    if (!scaling.Uses(key) || std::count(std::begin(kNotOfAFile), std::end(kNotOfAFile), key))
      refuse(path + "." + key, value, "is not known to this type of scaling");
    const auto parameter = ToParameter(value);
    if (!parameter && !value.is_string()) refuse(path + "." + key, value, "must be a number");
    parameters[key] = parameter ? *parameter : Value(value.get<std::string>());
  }
  if (scaling.type == RopeType::kDefault) return parameters;
  parameters["rope_type"] = kRopeTypeNames[static_cast<size_t>(scaling.type)];
  const auto number = [&](const Json& value, const std::string& key) {
    if (!value.is_number()) refuse(key, value, "must be a number");
    return value.get<double>();
  };
  if (by_alpha) parameters["factor"] = number(*Find(object, "alpha"), path + ".alpha");
  const Json* most = Find(file, "max_position_embeddings");
  const Json* original = Find(file, "original_max_position_embeddings");
  if (scaling.Uses("original_max_position_embeddings")) {
    const Json* length = scaling.type == RopeType::kDynamic ? most
                         : original != nullptr              ? original
                         : parameters.count("original_max_position_embeddings")
                             ? Find(object, "original_max_position_embeddings")
                             : most;
    if (length != nullptr)
      parameters["original_max_position_embeddings"] =
          number(*length, "original_max_position_embeddings");
  }
  const bool quotient = (scaling.type == RopeType::kLongrope && original != nullptr) ||
                        (scaling.HasMagnitude() && !parameters.count("factor"));
  if (quotient && most != nullptr) {
    parameters.erase("factor");
    parameters["max_position_embeddings"] = number(*most, "max_position_embeddings");
  }
  return parameters;
}

}  // namespace gnomon::oracle
