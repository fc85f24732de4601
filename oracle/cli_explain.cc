#include <memory>

#include "gnomon/oracle/cli_command.h"
#include "gnomon/oracle/cli_options.h"

namespace gnomon::oracle {
namespace {

std::function<int()> AddExplain(CLI::App* app, const Terminal& terminal) {
  const auto arguments = std::make_shared<ExplainArguments>();
  Add(app, "FILE", "", &arguments->file, "A recording or a case.")->required();
  Add(app, "--at", "LIST", &arguments->at,
      "Index of the element in the operation's axes: 0,3,1,17.")
      ->required();
  Add(app, "--output", "ROLE", &arguments->output, "Which output; default the operation's first.");
  Add(app, "--operation", "OP", &arguments->stated.operation,
      "The operation, where the file does not state it.");
  AddCase(app, &arguments->stated);
  AddTensors(app, &arguments->stated);
  AddFlag(app, "--flushes-subnormals", &arguments->flushes_subnormals,
          "Bounds for who declares that subnormal numbers may count as 0 (BOUND-8).");
  return [=] { return Explain(*arguments, terminal.out); };
}

}  // namespace

Command ExplainCommand() {
  return {{"explain",
           "show one element step by step",
           "gnomon explain FILE --at LIST [OPTIONS]",
           "Shows what an element is made of: frequency, angle, cosine and sine, the pair, the "
           "exact result, its rounding, the bound that every profile allows, and what the file "
           "holds. Indices count from 0, in the operation's order of axes; for rope.apply that is "
           "batch,seq,heads,head_dim.",
           "0 done, 3 usage or bad input",
           {{"gnomon explain oracle/examples/llama_query.safetensors --at 0,3,1,9", 0}}},
          AddExplain};
}

}  // namespace gnomon::oracle
