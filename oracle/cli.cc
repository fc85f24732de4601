#include "gnomon/oracle/cli.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <new>
#include <sstream>

#include "gnomon/oracle/bad_file.h"
#include "gnomon/oracle/cli_help.h"
#include "gnomon/oracle/strict_json.h"
#include "gnomon/spec/rejected.h"

namespace gnomon::oracle {
namespace {

constexpr int kBadInput = 3;

void SetPage(CLI::App* app, const Page& page) {
  app->formatter_fn(
      [page](const CLI::App* a, std::string, CLI::AppFormatMode) { return ManualPage(page, *a); });
}

// CASE-6. A command that is none is named, before an option of it is.
void RequireCommand(const std::vector<std::string>& arguments) {
  if (arguments.empty() || arguments[0].starts_with("-")) return;
  std::string names;
  for (const Command& command : Commands()) {
    if (command.page.command == arguments[0]) return;
    names += (names.empty() ? "" : ", ") + command.page.command;
  }
  throw Rejected("COMMAND", arguments[0], "must be one of " + names, "CASE-6");
}

// CASE-6. What CLI11 found wrong, in the form of every other refusal.
Rejected Refusal(const CLI::ParseError& error, const CLI::App& program, const std::string& first) {
  const CLI::App* app = &program;
  std::string command = "gnomon";
  for (const CLI::App* used : program.get_subcommands()) {
    app = used;
    command += " " + used->get_name();
  }
  const std::string what = error.what();
  const auto refuse = [&](const std::string& parameter, const std::string& value,
                          const std::string& why) {
    return Rejected(parameter, value, why + "; see " + command + " --help", "CASE-6");
  };
  const auto value_of = [&](const std::string& option) {
    const CLI::Option* known = app->get_option_no_throw(option);
    const bool flag = known == nullptr || known->get_expected_max() == 0;
    return flag || known->empty() ? std::string("(given)") : Quoted(known->results().back());
  };
  const auto before = [&](const char* mark) { return what.substr(0, what.find(mark)); };
  if (dynamic_cast<const CLI::ExtrasError*>(&error)) {
    const std::vector<std::string> extras = program.remaining(true);
    return refuse("argument", Quoted(extras.empty() ? what : extras.front()), "is not expected");
  }
  if (dynamic_cast<const CLI::RequiredError*>(&error)) {
    if (app != &program) return refuse(before(" is required"), "(missing)", "is required");
    if (!first.empty()) return refuse("argument", Quoted(first), "is not expected here");
    return refuse("COMMAND", "(missing)", "is required");
  }
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error)) {
    if (what.find("flag override") != std::string::npos)
      return refuse("--" + before(" was given"), "(a value)", "takes none");
    const std::string option = before(":");
    if (what.find("At Most") == std::string::npos)
      return refuse(option, "(missing)", "needs a value");
    return refuse(option, value_of(option), "may be given once");
  }
  for (const char* relation : {" requires ", " excludes "})
    if (what.find(relation) != std::string::npos)
      return refuse(before(relation), value_of(before(relation)),
                    what.substr(what.find(relation) + 1));
  return refuse("arguments", Quoted(first), what);
}

int Run(std::vector<std::string> arguments, const Terminal& terminal) {
  RequireCommand(arguments);
  CLI::App app;
  app.name("gnomon");
  app.require_subcommand(1);
  app.set_version_flag("--version", std::string("gnomon 0.1.0"));
  SetPage(&app, ProgramPage());
  std::function<int()> run;
  for (const Command& command : Commands()) {
    CLI::App* one = app.add_subcommand(command.page.command, command.page.summary);
    SetPage(one, command.page);
    one->callback([&run, execute = command.add(one, terminal)] { run = execute; });
  }
  std::reverse(arguments.begin(), arguments.end());  // as CLI11 wants them
  try {
    app.parse(std::vector<std::string>(arguments));
  } catch (const CLI::CallForVersion& version) {
    terminal.out << version.what() << "\n";
    return 0;
  } catch (const CLI::ParseError& error) {
    std::ostringstream unused;
    if (error.get_exit_code() == 0) return app.exit(error, terminal.out, unused);
    throw Refusal(error, app, arguments.empty() ? "" : arguments.back());
  }
  return run();
}

// Texts of users and files stand in messages: no control characters, bounded length.
std::string OneLine(std::string text) {
  constexpr size_t kLongest = 600;
  for (char& c : text)
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = ' ';
  if (text.size() > kLongest)
    text = text.substr(0, kLongest / 2) + " ... " + text.substr(text.size() - kLongest / 2);
  return text;
}

}  // namespace

std::vector<Command> Commands() {
  return {
#define GNOMON_COMMAND(name) name##Command(),
      GNOMON_FOR_EACH_COMMAND(GNOMON_COMMAND)
#undef GNOMON_COMMAND
  };
}

int RunCli(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err,
           bool watched) {
  // A run that fails leaves no half of a report behind.
  std::ostringstream result;
  int code = kBadInput;
  try {
    code = Run(arguments, {result, err, watched});
    out << result.str() << std::flush;
    if (!out) throw BadFile("standard output", "cannot be written", "CASE-6");
    return code;
  } catch (const BadFile& error) {
    err << "gnomon: " << OneLine(error.what()) << "\n";
  } catch (const Rejected& error) {
    err << "gnomon: " << OneLine(error.what()) << "\n";
  } catch (const std::bad_alloc&) {
    err << "gnomon: not enough memory for what is asked (CASE-4)\n";
  } catch (const std::exception& error) {
    err << "gnomon: " << OneLine(error.what()) << "\n";
  }
  return kBadInput;
}

}  // namespace gnomon::oracle
