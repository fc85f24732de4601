// A command of the command line: its page of the manual, and how it reads its options. Each stands
// in a file of its own, cli_<command>.cc.
#ifndef GNOMON_ORACLE_CLI_COMMAND_H_
#define GNOMON_ORACLE_CLI_COMMAND_H_

#include <CLI/App.hpp>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

namespace gnomon::oracle {

// An example, as the manual shows it, and what it exits with. All run from the root of the
// repository.
struct Example {
  std::string command;
  int exit_code;
};

struct Page {
  std::string command;  // empty: the program
  std::string summary;  // one line
  std::string synopsis;
  std::string description;  // paragraphs; a line that starts with a space stays as it is
  std::string exit_status;
  std::vector<Example> examples;
};

// Where results and remarks go. `watched`: a person looks at `err`.
struct Terminal {
  std::ostream &out, &err;
  bool watched;
};

struct Command {
  Page page;
  // Registers the options and returns what runs the command once they are read: an exit code, or
  // BadFile or Rejected thrown.
  std::function<int()> (*add)(CLI::App* app, const Terminal& terminal);
};

// The one list of commands, in the manual's order: `apply(Eval)` stands for `Command EvalCommand()`
// of cli_eval.cc.
// clang-format off
#define GNOMON_FOR_EACH_COMMAND(apply) \
  apply(Operations)                    \
  apply(Eval)                          \
  apply(Explain)                       \
  apply(Check)                         \
  apply(Emit)                          \
  apply(Fuzz)                          \
  apply(Diff)
// clang-format on

#define GNOMON_DECLARE(name) Command name##Command();
GNOMON_FOR_EACH_COMMAND(GNOMON_DECLARE)
#undef GNOMON_DECLARE

std::vector<Command> Commands();

// The exit status of a command that judges.
inline constexpr char kVerdictStatus[] =
    "0 conforms, 1 nonconforming, 2 the subject crashed, 3 usage or bad input, 4 nothing was run, "
    "or nothing but vacuous elements";

}  // namespace gnomon::oracle

#endif  // GNOMON_ORACLE_CLI_COMMAND_H_
