#include "gnomon/oracle/case_arguments.h"

#include <charconv>
#include <cmath>

#include "gnomon/oracle/axes.h"
#include "gnomon/oracle/case_json.h"
#include "gnomon/oracle/config.h"
#include "gnomon/oracle/strict_json.h"
#include "gnomon/properties/suite.h"
#include "gnomon/spec/bounds.h"

namespace gnomon::oracle {
namespace {

std::pair<std::string, std::string> SplitPair(const std::string& text, const std::string& option) {
  const size_t equals = text.find('=');
  if (equals == 0 || equals == std::string::npos)
    throw Rejected(option, Quoted(text), "must read NAME=VALUE", "CASE-6");
  return {text.substr(0, equals), text.substr(equals + 1)};
}

// JSON where it parses, so that numbers, lists and "0.1" mean what they mean in a file; else a
// name.
Value ParseValue(const std::string& name, const std::string& text) {
  const Json json = Json::parse(text, nullptr, false);
  return json.is_discarded() ? Value(text) : ToValue(json, name, "--set");
}

}  // namespace

RecordingOptions ToOptions(const CaseArguments& arguments) {
  RecordingOptions options;
  options.operation = arguments.operation;
  for (const std::string& text : arguments.sets) {
    const auto [name, value] = SplitPair(text, "--set");
    if (!options.set.emplace(name, ParseValue(name, value)).second)
      throw Rejected("--set", Quoted(text), "states " + name + " a second time", "CASE-6");
  }
  if (!arguments.config.empty()) {
    ConfigChoices choices;
    // Not a parameter: which of the file's layers (SCALE-16).
    if (const auto chosen = options.set.find("layer_type"); chosen != options.set.end()) {
      const std::string* name = std::get_if<std::string>(&chosen->second);
      if (name == nullptr || name->empty())
        throw Rejected("layer_type", Plain(chosen->second), "must be a name", "SCALE-16");
      choices.layer_type = *name;
      options.set.erase(chosen);
    }
    // Nor this: whose configuration, of a model of several towers.
    if (const auto chosen = options.set.find("tower"); chosen != options.set.end()) {
      choices.text_tower = chosen->second == Value(std::string("text"));
      choices.vision_tower = chosen->second == Value(std::string("vision"));
      if (!choices.text_tower && !choices.vision_tower)
        throw Rejected("tower", Plain(chosen->second), "must be text or vision", "CASE-8");
      options.set.erase(chosen);
    }
    if (const auto chosen = options.set.find("head_dim"); chosen != options.set.end())
      if (const double* dims = std::get_if<double>(&chosen->second); dims && *dims >= 1)
        if (*dims <= 0x1p20 && *dims == std::floor(*dims))
          choices.head_dim = static_cast<int64_t>(*dims);
    choices.rope_theta = options.set.count("rope_theta") + options.set.count("frequencies") > 0;
    choices.operation = arguments.operation;
    for (const auto& [name, value] : options.set) choices.stated.insert(name);
    options.config = ReadConfig(arguments.config, choices);
  }
  for (const std::string& text : arguments.tensors) {
    const auto [role, name] = SplitPair(text, "--tensor");
    if (!options.tensors.emplace(role, name).second)
      throw Rejected("--tensor", Quoted(text), "names " + role + " a second time", "CASE-6");
  }
  if (!arguments.axes.empty()) options.axes = SplitList(arguments.axes, ',');
  if (!arguments.format.empty()) {
    options.format = FormatFromName(arguments.format);
    if (!options.format)
      throw Rejected("--format", Quoted(arguments.format), "must be f64, f32, bf16 or f16",
                     "FORMAT-1");
  }
  return options;
}

std::string ToWords(const CaseArguments& arguments) {
  std::string words;
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) words += std::string(" ") + option + " " + properties::ShellQuoted(value);
  };
  add("--operation", arguments.operation);
  add("--config", arguments.config);
  for (const std::string& set : arguments.sets) add("--set", set);
  for (const std::string& tensor : arguments.tensors) add("--tensor", tensor);
  add("--axes", arguments.axes);
  add("--format", arguments.format);
  return words;
}

std::vector<int64_t> ToIntegers(const std::string& text, const std::string& option) {
  std::vector<int64_t> numbers;
  for (const std::string& item : SplitList(text, ',')) {
    int64_t number = 0;
    const char* end = item.data() + item.size();
    const auto [stop, error] = std::from_chars(item.data(), end, number);
    if (error != std::errc() || stop != end)
      throw Rejected(option, Quoted(text), "must be integers with commas between", "CASE-6");
    numbers.push_back(number);
  }
  return numbers;
}

size_t ToProfile(const std::string& name, const std::string& option) {
  if (const auto profile = ProfileFromName(name)) return *profile;
  std::string names;
  for (const Profile& profile : kProfiles)
    names += (names.empty() ? "" : ", ") + std::string(profile.name);
  throw Rejected(option, Quoted(name), "must be one of " + names, "BOUND-1");
}

}  // namespace gnomon::oracle
