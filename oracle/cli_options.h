// Options that several commands take.
#ifndef GNOMON_ORACLE_CLI_OPTIONS_H_
#define GNOMON_ORACLE_CLI_OPTIONS_H_

#include <CLI/App.hpp>
#include <charconv>
#include <string>
#include <vector>

#include "gnomon/oracle/commands.h"
#include "gnomon/oracle/strict_json.h"
#include "gnomon/spec/rejected.h"

namespace gnomon::oracle {

// CASE-6. A text. An empty one is refused, rather than taken for an absent one.
CLI::Option* Add(CLI::App* app, const std::string& name, const std::string& type,
                 std::string* value, const std::string& text);
CLI::Option* AddFlag(CLI::App* app, const std::string& name, bool* value, const std::string& text);

// CASE-6. The integer that `text` is, all of it; refused unless from low to high.
template <class T>
T ToInteger(const std::string& option, const std::string& text, T low, T high) {
  T number{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end || number < low || number > high)
    throw Rejected(option, Quoted(text),
                   "must be an integer from " + std::to_string(low) + " to " + std::to_string(high),
                   "CASE-6");
  return number;
}
template <class T>
CLI::Option* AddInteger(CLI::App* app, const std::string& name, const std::string& type, T* value,
                        T low, T high, const std::string& text) {
  const auto take = [=](const std::string& given) { *value = ToInteger(name, given, low, high); };
  return app->add_option_function<std::string>(name, take, text)->type_name(type);
}

// A text option that may be given again, and takes one value each time.
void AddRepeated(CLI::App* app, const std::string& name, const std::string& type,
                 std::vector<std::string>* values, const std::string& text);

// --config, --set.
void AddCase(CLI::App* app, CaseArguments* c);
// --tensor, --axes.
void AddTensors(CLI::App* app, CaseArguments* c);

}  // namespace gnomon::oracle

#endif  // GNOMON_ORACLE_CLI_OPTIONS_H_
