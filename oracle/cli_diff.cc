#include <memory>

#include "gnomon/oracle/cli_command.h"
#include "gnomon/oracle/cli_options.h"

namespace gnomon::oracle {
namespace {

std::function<int()> AddDiff(CLI::App* app, const Terminal& terminal) {
  const auto arguments = std::make_shared<DiffArguments>();
  Add(app, "OLD", "", &arguments->before, "A report of gnomon check --json.")->required();
  Add(app, "NEW", "", &arguments->after, "Another one, of the same kind.")->required();
  return [=] { return Diff(*arguments, terminal.out); };
}

}  // namespace

Command DiffCommand() {
  return {
      {"diff",
       "what got better or worse",
       "gnomon diff OLD NEW",
       "Compares two reports that gnomon check --json wrote: of recordings by their case id, of "
       "subjects by subject and property. Worse is: a worse verdict; a profile further down the "
       "list; a larger error; a result that is missing; a new one that fails. Reasons and rules: "
       "spec/report.md, REPORT-5.",
       "0 nothing is worse, 1 something is, 3 usage or bad input",
       {{"gnomon diff oracle/examples/reports/before.json oracle/examples/reports/after.json", 1},
        {"gnomon diff oracle/examples/reports/before.json oracle/examples/reports/before.json",
         0}}},
      AddDiff};
}

}  // namespace gnomon::oracle
