#include <memory>

#include "gnomon/oracle/cli_command.h"
#include "gnomon/oracle/cli_options.h"
#include "gnomon/spec/operation.h"

namespace gnomon::oracle {
namespace {

std::function<int()> AddEval(CLI::App* app, const Terminal& terminal) {
  const auto arguments = std::make_shared<EvalArguments>();
  Add(app, "OP", "", &arguments->stated.operation,
      "The operation; may be left out where --in states it.");
  AddCase(app, &arguments->stated);
  Add(app, "--in", "FILE", &arguments->in, "The inputs, and the case where the file states it.");
  AddTensors(app, &arguments->stated);
  Add(app, "--positions", "LIST", &arguments->positions,
      "Positions, 0,1,5; for inputs m and n too.");
  Add(app, "--format", "FORMAT", &arguments->stated.format,
      "f64, f32, bf16 or f16; default that of x, else f32.");
  Add(app, "--out", "FILE", &arguments->out, "Write case and rounded truth to a safetensors file.");
  AddInteger<int64_t>(app, "--limit", "N", &arguments->limit, 0, kMostElements,
                      "Elements printed; default 1000.");
  return [=] { return Evaluate(*arguments, terminal.out); };
}

}  // namespace

Command EvalCommand() {
  return {
      {"eval",
       "compute the truth",
       "gnomon eval [OP] [OPTIONS]",
       "Computes every element of an operation exactly and rounds it once. Each line names an "
       "element, its value in decimal and in hexadecimal, and the enclosure of the real number "
       "it was rounded from. A number given by --set is the binary64 that JSON makes of it; in "
       "quotes, \"0.1\", it is that very decimal.",
       "0 done, 3 usage or bad input, 4 the case has no element",
       {{"gnomon eval rope.frequencies --set head_dim=8 --set rope_theta=500000", 0},
        {"gnomon eval rope.table --config oracle/examples/config.json --positions 0,1,131072 "
         "--format bf16",
         0},
        {"gnomon eval sinusoidal.table --set width=6 --set layout=sin_cos --positions -1,0,1", 0},
        {"gnomon eval --in oracle/examples/llama_query.safetensors --limit 4", 0}}},
      AddEval};
}

}  // namespace gnomon::oracle
