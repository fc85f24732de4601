// `gnomon fuzz`: the search is a program of its own, gnomon-fuzz, beside this one, because
// libFuzzer's runtime is linked into it.
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>

#include "gnomon/oracle/cli_command.h"
#include "gnomon/oracle/cli_options.h"
#include "gnomon/oracle/stop.h"
#include "gnomon/spec/rejected.h"

extern char** environ;

namespace gnomon::oracle {
namespace {

constexpr int kMostSeconds = 1000000;

struct Arguments {
  std::string subject, operation = "*", out;
  int seconds = 60;
  uint64_t seed = 1;
};

std::string ProgramBesideThisOne() {
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe");
  const std::filesystem::path program = self.parent_path() / "gnomon-fuzz";
  if (!std::filesystem::exists(program))
    throw Rejected("gnomon-fuzz", program.string(),
                   "is not built: install clang's libFuzzer (libclang-rt-14-dev) and build again",
                   "CASE-6");
  return program.string();
}

// Its standard output; its exit code in *code.
std::string OutputOf(std::vector<std::string> command, int* code) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0)
    throw Rejected("pipe", std::strerror(errno), "cannot be made", "CASE-6");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addclose(&actions, ends[0]);
  posix_spawn_file_actions_addclose(&actions, ends[1]);
  std::vector<char*> argv;
  for (std::string& argument : command) argv.push_back(argument.data());
  argv.push_back(nullptr);
  pid_t child = 0;
  const StopSignals stop;
  const int error = posix_spawn(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (error == 0) StopSignals::PassOnTo(child);
  std::string text;
  std::array<char, 4096> piece{};
  for (ssize_t got = 0; error == 0 && (got = read(ends[0], piece.data(), piece.size())) != 0;) {
    if (got < 0 && errno != EINTR) break;
    if (got > 0) text.append(piece.data(), static_cast<size_t>(got));
  }
  close(ends[0]);
  if (error != 0) throw Rejected(command[0], std::strerror(error), "cannot be run", "CASE-6");
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status))
    throw Rejected("gnomon-fuzz", fmt::format("signal {}", WTERMSIG(status)), "ended the search",
                   "SUBJ-7");
  *code = WEXITSTATUS(status);
  return text;
}

int Run(const Arguments& arguments, const Terminal& terminal) {
  int code = 0;
  terminal.out << OutputOf(
      {ProgramBesideThisOne(), arguments.subject, arguments.operation,
       std::to_string(arguments.seconds), std::to_string(arguments.seed), arguments.out},
      &code);
  return code;
}

std::function<int()> AddFuzz(CLI::App* app, const Terminal& terminal) {
  const auto arguments = std::make_shared<Arguments>();
  Add(app, "--subject", "SUBJECT", &arguments->subject,
      "The candidate: a plug-in (PATH.so), or any subject that gnomon check --subject takes.")
      ->required();
  Add(app, "--operation", "GLOB", &arguments->operation, "Operations asked; default all declared.");
  AddInteger<int>(app, "--time", "SECONDS", &arguments->seconds, 1, kMostSeconds,
                  "How long to search; default 60.");
  AddInteger<uint64_t>(app, "--seed", "S", &arguments->seed, 0, uint64_t{1} << 32,
                       "Seed of the search; default 1.");
  Add(app, "--out", "DIR", &arguments->out,
      "Write each find as a case file into this folder, which is made if it is missing.");
  return [=] { return Run(*arguments, terminal); };
}

}  // namespace

Command FuzzCommand() {
  return {
      {"fuzz",
       "search a candidate for wrong answers",
       "gnomon fuzz --subject SUBJECT [OPTIONS]",
       "Lets libFuzzer choose questions and the judge decide: an answer outside the bound of the "
       "candidate's promise is a find, and so is a crash, a hang, or a broken property. A plug-in "
       "is searched in the process of the search; built with clang's -fsanitize=fuzzer-no-link, "
       "its coverage leads the search.\n"
       "A find is reduced to one case, shrunk as long as nothing its wrong elements have in common "
       "(subnormal, tail, position) is added, and asked again of the candidate in a process of its "
       "own. Of finds that have operation, format, clause and this, or a known mistake, in common "
       "one is "
       "kept. SIGINT and SIGTERM end the search, and what was found by then is reported.",
       "0 nothing was found, 1 finds, 2 a crash among them, 3 usage or bad input, 4 nothing was "
       "asked",
       {{"gnomon fuzz --subject wrong:table-layout --operation 'rope.*' --time 1", 1}}},
      AddFuzz};
}

}  // namespace gnomon::oracle
