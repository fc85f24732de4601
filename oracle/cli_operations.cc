#include <memory>

#include "gnomon/oracle/cli_command.h"
#include "gnomon/oracle/cli_options.h"

namespace gnomon::oracle {
namespace {

std::function<int()> AddOperations(CLI::App* app, const Terminal& terminal) {
  const auto arguments = std::make_shared<OperationsArguments>();
  AddFlag(app, "--json", &arguments->json, "As JSON.");
  AddFlag(app, "--markdown", &arguments->markdown, "As the table of spec/operations.md.");
  app->get_option("--markdown")->excludes(app->get_option("--json"));
  return [=] { return ListOperations(*arguments, terminal.out); };
}

}  // namespace

Command OperationsCommand() {
  return {{"operations",
           "list the operations",
           "gnomon operations [--json | --markdown]",
           "Lists every operation with its parameters, their ranges and defaults, and its inputs "
           "and outputs with their axes.",
           "0 done, 3 usage",
           {{"gnomon operations", 0},
            {"gnomon operations --json", 0},
            {"gnomon operations --markdown", 0}}},
          AddOperations};
}

}  // namespace gnomon::oracle
