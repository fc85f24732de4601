// Help that reads like a manual page.
#ifndef GNOMON_ORACLE_CLI_HELP_H_
#define GNOMON_ORACLE_CLI_HELP_H_

#include <CLI/App.hpp>
#include <string>

#include "gnomon/oracle/cli_command.h"

namespace gnomon::oracle {

// The page of the program itself.
Page ProgramPage();

// NAME, SYNOPSIS, DESCRIPTION, OPTIONS, EXAMPLES, EXIT STATUS.
std::string ManualPage(const Page& page, const CLI::App& app);

}  // namespace gnomon::oracle

#endif  // GNOMON_ORACLE_CLI_HELP_H_
