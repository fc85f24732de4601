// Help that reads like a manual page.
#ifndef GNOMON_ORACLE_CLI_HELP_H_
#define GNOMON_ORACLE_CLI_HELP_H_

#include <CLI/App.hpp>
#include <string>
#include <vector>

namespace gnomon::oracle {

// One line on a command.
std::string Summary(const std::string& command);

// NAME, SYNOPSIS, DESCRIPTION, OPTIONS, EXAMPLES, EXIT STATUS.
std::string ManualPage(const CLI::App& app);

// An example, as the manual shows it, and what it exits with. All run from the root of the
// repository.
struct Example {
  std::string command;
  int exit_code;
};
std::vector<Example> Examples(const std::string& command);

}  // namespace gnomon::oracle

#endif  // GNOMON_ORACLE_CLI_HELP_H_
