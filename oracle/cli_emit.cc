#include <memory>

#include "gnomon/oracle/cli_command.h"
#include "gnomon/oracle/cli_options.h"

namespace gnomon::oracle {
namespace {

std::function<int()> AddEmit(CLI::App* app, const Terminal& terminal) {
  const auto arguments = std::make_shared<EmitArguments>();
  AddRepeated(app, "--operation", "GLOB", &arguments->operations,
              "Of which operations: 'rope.*'. May be given again.");
  app->get_option("--operation")->required();
  Add(app, "--out", "DIR", &arguments->out,
      "The folder; made if it is not there. One that holds any .safetensors file but these very "
      "ones is refused.")
      ->required();
  AddRepeated(app, "--format", "FORMAT", &arguments->formats,
              "f64, f32, bf16 or f16; may be given again; default each of them.");
  AddInteger<int64_t>(app, "--cases", "N", &arguments->cases, 1, 1000000,
                      "Cases of each operation and format; default 20.");
  AddInteger<uint64_t>(app, "--seed", "S", &arguments->seed, 0, ~uint64_t{0},
                       "Seed of the generators.");
  Add(app, "--description", "FILE", &arguments->description,
      "What the program that will answer does, as a JSON object (SUBJ-1): nothing else is "
      "written.");
  AddFlag(app, "--truth", &arguments->truth, "With the truth, and the bound of each profile.");
  return [=] { return Emit(*arguments, terminal.out); };
}

}  // namespace

Command EmitCommand() {
  return {
      {"emit",
       "write cases for a program that is asked elsewhere",
       "gnomon emit --operation GLOB --out DIR [OPTIONS]",
       "Writes a file OPERATION-ID.safetensors for each case: its inputs, and under gnomon.case in "
       "its metadata the case itself. Any program on any machine adds the outputs under their "
       "roles, and gnomon check judges the file. Of every ten cases four are plain, and two each "
       "have memory with strides or in place, special numbers or frequencies, and positions from "
       "65536 on. The same options write the same bytes.\n"
       "With --truth a file also holds, for every output y: rounded/y, the truth rounded to the "
       "format; truth/y, the binary64 nearest to it; bound/PROFILE/y; where it says "
       "anything, open/PROFILE/y, 1 where any answer that is not finite may stand, and also/y, a "
       "second answer that may. An answer that is rounded/y or also/y, or within bound/PROFILE/y "
       "of truth/y, is within that profile (SUBJ-8).",
       "0 done, 3 usage or bad input",
       {{"gnomon emit --operation rope.apply --operation sinusoidal.add --format f32 --format bf16 "
         "--format f16 --cases 4 --seed 7 --truth --out oracle/cases",
         0}}},
      AddEmit};
}

}  // namespace gnomon::oracle
