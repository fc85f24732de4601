// Options that several commands take.
#ifndef GNOMON_ORACLE_CLI_OPTIONS_H_
#define GNOMON_ORACLE_CLI_OPTIONS_H_

#include <CLI/App.hpp>
#include <string>
#include <vector>

#include "gnomon/oracle/commands.h"

namespace gnomon::oracle {

template <class T>
CLI::Option* Add(CLI::App* app, const std::string& name, const std::string& type, T* value,
                 const std::string& text) {
  return app->add_option(name, *value, text)->type_name(type);
}

// An option that may be given again, and takes one value each time.
void AddRepeated(CLI::App* app, const std::string& name, const std::string& type,
                 std::vector<std::string>* values, const std::string& text);

// --config, --set.
void AddCase(CLI::App* app, CaseArguments* c);
// --tensor, --axes.
void AddTensors(CLI::App* app, CaseArguments* c);

}  // namespace gnomon::oracle

#endif  // GNOMON_ORACLE_CLI_OPTIONS_H_
