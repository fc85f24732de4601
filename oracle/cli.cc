#include "gnomon/oracle/cli.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <functional>
#include <new>
#include <sstream>

#include "gnomon/oracle/bad_file.h"
#include "gnomon/oracle/cli_help.h"
#include "gnomon/oracle/commands.h"
#include "gnomon/spec/rejected.h"

namespace gnomon::oracle {
namespace {

constexpr int kBadInput = 3;

// An option that may be given again, and takes one value each time.
void AddRepeated(CLI::App* app, const std::string& name, const std::string& type,
                 std::vector<std::string>* values, const std::string& text) {
  app->add_option(name, *values, text)->type_name(type)->allow_extra_args(false);
}
template <class T>
CLI::Option* Add(CLI::App* app, const std::string& name, const std::string& type, T* value,
                 const std::string& text) {
  return app->add_option(name, *value, text)->type_name(type);
}

void AddCase(CLI::App* app, CaseArguments* c) {
  Add(app, "--config", "FILE", &c->config, "Parameters from a model's config.json.");
  AddRepeated(app, "--set", "NAME=VALUE", &c->sets,
              "A parameter; JSON where it parses, else a name. Overrides --config and the file.");
}
void AddTensors(CLI::App* app, CaseArguments* c) {
  AddRepeated(app, "--tensor", "ROLE=NAME", &c->tensors,
              "Which tensor of the file plays a role, or a .npy file that does.");
  Add(app, "--axes", "LIST", &c->axes,
      "Axes of x and y as stored, outermost first: batch,seq,heads,head_dim. A packed axis is "
      "written "
      "heads*head_dim. Axes left out have extent 1.");
}

// A line that overwrites itself, at most ten times a second, and is gone in the end.
class Progress {
 public:
  explicit Progress(std::ostream& err) : err_(err) {}
  ~Progress() {
    if (shown_) err_ << "\r" << std::string(16, ' ') << "\r" << std::flush;
  }
  void operator()(int64_t done, int64_t all) {
    const auto now = std::chrono::steady_clock::now();
    if (now - start_ < std::chrono::milliseconds(500) ||
        now - last_ < std::chrono::milliseconds(100))
      return;
    last_ = now;
    shown_ = true;
    err_ << "\rjudged " << 100 * done / std::max<int64_t>(all, 1) << " %" << std::flush;
  }

 private:
  std::ostream& err_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point last_ = start_;
  bool shown_ = false;
};

class Cli {
 public:
  Cli(std::ostream& out, std::ostream& err, bool watched)
      : out_(out), err_(err), watched_(watched) {
    app_.name("gnomon");
    app_.require_subcommand(1);
    app_.set_version_flag("--version", std::string("gnomon 0.1.0"));
    AddOperations();
    AddEval();
    AddExplain();
    AddCheck();
    Format(&app_);
    for (CLI::App* command : app_.get_subcommands({})) Format(command);
  }

  int Run(std::vector<std::string> arguments) {
    const auto is_command = [&](const CLI::App* command) {
      return command->get_name() == arguments[0];
    };
    const std::vector<CLI::App*> commands = app_.get_subcommands({});
    if (!arguments.empty() && !arguments[0].starts_with("-") &&
        std::none_of(commands.begin(), commands.end(), is_command))
      throw Rejected("COMMAND", arguments[0], "must be operations, eval, explain or check",
                     "CASE-6");
    std::reverse(arguments.begin(), arguments.end());
    try {
      app_.parse(arguments);
    } catch (const CLI::CallForVersion& version) {
      out_ << version.what() << "\n";
      return 0;
    } catch (const CLI::ParseError& error) {
      std::ostringstream unused;
      if (error.get_exit_code() == 0) return app_.exit(error, out_, unused);
      std::string command = "gnomon";
      for (const CLI::App* used : app_.get_subcommands()) command += " " + used->get_name();
      err_ << "gnomon: " << error.what() << "; see " << command << " --help\n";
      return kBadInput;
    }
    return run_();
  }

 private:
  CLI::App* Command(const std::string& name, std::function<int()> run) {
    CLI::App* command = app_.add_subcommand(name, Summary(name));
    command->callback([this, run = std::move(run)] { run_ = run; });
    return command;
  }
  void Format(CLI::App* app) {
    app->formatter_fn(
        [](const CLI::App* a, std::string, CLI::AppFormatMode) { return ManualPage(*a); });
  }

  void AddOperations() {
    CLI::App* c = Command("operations", [this] { return ListOperations(operations_, out_); });
    c->add_flag("--json", operations_.json, "As JSON.");
  }
  void AddEval() {
    CLI::App* c = Command("eval", [this] { return Evaluate(eval_, out_); });
    Add(c, "OP", "", &eval_.stated.operation,
        "The operation; may be left out where --in states it.");
    AddCase(c, &eval_.stated);
    Add(c, "--in", "FILE", &eval_.in, "The inputs, and the case where the file states it.");
    AddTensors(c, &eval_.stated);
    Add(c, "--positions", "LIST", &eval_.positions, "Positions, 0,1,5; for inputs m and n too.");
    Add(c, "--format", "FORMAT", &eval_.stated.format,
        "f64, f32, bf16 or f16; default that of x, else f32.");
    Add(c, "--out", "FILE", &eval_.out, "Write case and rounded truth to a safetensors file.");
    Add(c, "--limit", "N", &eval_.limit, "Elements printed; default 1000.");
  }
  void AddExplain() {
    CLI::App* c = Command("explain", [this] { return Explain(explain_, out_); });
    Add(c, "FILE", "", &explain_.file, "A recording or a case.")->required();
    Add(c, "--at", "LIST", &explain_.at, "Index of the element in the operation's axes: 0,3,1,17.")
        ->required();
    Add(c, "--output", "ROLE", &explain_.output, "Which output; default the operation's first.");
    Add(c, "--operation", "OP", &explain_.stated.operation,
        "The operation, where the file does not state it.");
    AddCase(c, &explain_.stated);
    AddTensors(c, &explain_.stated);
  }
  void AddCheck() {
    CLI::App* c = Command("check", [this] { return RunCheck(); });
    Add(c, "FILE", "", &check_.file, "A recording: safetensors, or the output as .npy.");
    Add(c, "--operation", "OP", &check_.stated.operation,
        "The operation; default that of the file's case, else rope.apply. With --subject a glob: "
        "'rope.*'.");
    AddCase(c, &check_.stated);
    AddTensors(c, &check_.stated);
    Add(c, "--profile", "PROFILE", &check_.profile, "The one profile that must be met.");
    Add(c, "--floor", "PROFILE", &check_.floor,
        "The last profile that counts, in the order above; default f32-chained.");
    c->add_flag("--json", check_.json, "The report as JSON.");
    Add(c, "--subject", "SUBJECT", &subject_.subject,
        "Judge a live subject by the property suite instead: builtin (our kernels, every target), "
        "builtin:TARGET, reference, wrong:<id>, a known mistake of spec/mistakes.md, or "
        "'process:COMMAND', a program that answers on its standard output (spec/subject.md).");
    Add(c, "--cases", "N", &subject_.cases,
        "With --subject: cases for each property, at least 1; default " +
            std::to_string(properties::kDefaultCases) + ".");
    Add(c, "--seed", "S", &subject_.seed, "With --subject: seed of the generators.");
    Add(c, "--case-time", "S", &subject_.case_time,
        "With --subject: seconds that a process may take for a case; default 5.");
    // What the other way of checking would ignore is refused.
    CLI::Option* subject = c->get_option("--subject");
    for (const char* of_a_recording :
         {"--profile", "--floor", "--config", "--set", "--tensor", "--axes"})
      c->get_option(of_a_recording)->excludes(subject);
    for (const char* of_a_subject : {"--cases", "--seed", "--case-time"})
      c->get_option(of_a_subject)->needs(subject);
  }

  int RunCheck() {
    if (check_.file.empty() == subject_.subject.empty())
      throw Rejected("FILE", check_.file.empty() ? "(missing)" : check_.file,
                     "give either a recording or --subject", "CASE-6");
    if (subject_.subject.empty()) {
      Progress progress(err_);
      if (watched_) check_.progress = std::ref(progress);
      return Check(check_, out_);
    }
    if (!check_.stated.operation.empty()) subject_.operation = check_.stated.operation;
    subject_.json = check_.json;
    return CheckSubject(subject_, out_);
  }

  CLI::App app_;
  std::ostream &out_, &err_;
  bool watched_;
  std::function<int()> run_;
  OperationsArguments operations_;
  EvalArguments eval_;
  ExplainArguments explain_;
  CheckArguments check_;
  SubjectArguments subject_;
};

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

int RunCli(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err,
           bool watched) {
  // A run that fails leaves no half of a report behind.
  std::ostringstream result;
  int code = kBadInput;
  try {
    code = Cli(result, err, watched).Run(arguments);
    out << result.str() << std::flush;
    if (!out) throw BadFile("standard output", "cannot be written", "CASE-6");
    return code;
  } catch (const BadFile& error) {
    err << "gnomon: " << OneLine(error.what()) << "\n";
  } catch (const Rejected& error) {
    err << "gnomon: " << OneLine(error.what()) << "\n";
  } catch (const std::bad_alloc&) {
    err << "gnomon: not enough memory\n";
  } catch (const std::exception& error) {
    err << "gnomon: " << error.what() << "\n";
  }
  return kBadInput;
}

}  // namespace gnomon::oracle
