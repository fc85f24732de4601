#include <limits>
#include <memory>
#include <set>

#include "gnomon/oracle/cli_command.h"
#include "gnomon/oracle/cli_options.h"
#include "gnomon/oracle/progress.h"
#include "gnomon/spec/rejected.h"

namespace gnomon::oracle {
namespace {

struct Arguments {
  CheckArguments recording;
  SubjectArguments subject;
};

int Run(Arguments arguments, const Terminal& terminal) {
  auto& [recording, subject] = arguments;
  if (recording.files.empty() && subject.subject.empty())
    throw Rejected("FILE", "(missing)", "give recordings, or --subject", "CASE-6");
  for (const std::string& file : recording.files)
    if (file.empty()) throw Rejected("FILE", "\"\"", "must not be empty", "CASE-6");
  const ReportFiles& reports = recording.reports;
  std::set<std::string> written;
  for (const std::string& file : {reports.junit, reports.markdown, reports.expected})
    if (!file.empty() && !written.insert(file).second)
      throw Rejected("--junit, --markdown, --expected", Quoted(file), "is given twice", "CASE-6");
  Progress progress(terminal.err);
  if (subject.subject.empty()) {
    if (terminal.watched) recording.progress = std::ref(progress);
    return Check(recording, terminal.out);
  }
  if (!recording.stated.operation.empty()) subject.operation = recording.stated.operation;
  if (subject.thorough) subject.cases = properties::kThoroughCases;
  subject.json = recording.json;
  subject.reports = recording.reports;
  subject.out = recording.out;
  if (!recording.files.empty()) return CheckCases(subject, recording.files, terminal.out);
  if (terminal.watched)
    subject.progress = [&progress](const std::string& line) { progress.Show(line); };
  return CheckSubject(subject, terminal.out);
}

std::function<int()> AddCheck(CLI::App* app, const Terminal& terminal) {
  const auto arguments = std::make_shared<Arguments>();
  auto& [recording, of_subject] = *arguments;
  app->add_option("FILE", recording.files,
                  "Recordings: safetensors, or the output as .npy; a folder stands for every "
                  ".safetensors file in it and below. With --subject: cases that it is asked, in "
                  "place of the suite.")
      ->type_name("...");
  Add(app, "--operation", "OP", &recording.stated.operation,
      "The operation; default that of the file's case, else rope.apply. With --subject a glob: "
      "'rope.*'.");
  AddCase(app, &recording.stated);
  AddTensors(app, &recording.stated);
  Add(app, "--profile", "PROFILE", &recording.profile, "The one profile that must be met.");
  Add(app, "--floor", "PROFILE", &recording.floor,
      "The last profile that counts, in the order above; default f32-chained.");
  AddFlag(app, "--flushes-subnormals", &recording.flushes_subnormals,
          "Who made the recordings declares that subnormal numbers may count as 0 (BOUND-8).");
  Add(app, "--out", "DIR", &recording.out,
      "Where something fails, write the smallest failing case into this folder, as a case file.");
  AddFlag(app, "--json", &recording.json, "The report as JSON (spec/report.md).");
  Add(app, "--junit", "FILE", &recording.reports.junit, "Write the results as JUnit XML too.");
  Add(app, "--markdown", "FILE", &recording.reports.markdown, "Write them as Markdown too.");
  Add(app, "--expected", "LIST", &recording.reports.expected,
      "Failures that are known: the run succeeds if exactly those occur, as listed.");
  AddFlag(app, "--update", &recording.reports.update,
          "Rewrite LIST to what failed. New lines have no reason yet, and fail until they have.");
  Add(app, "--subject", "SUBJECT", &of_subject.subject,
      "Judge a live subject by the property suite instead: builtin (our kernels, every target), "
      "builtin:TARGET, reference, wrong:<id> (a known mistake of spec/mistakes.md), a plug-in: "
      "plugin:PATH, or a path that ends in .so; or 'process:COMMAND', a program that answers on "
      "its standard output (spec/subject.md).");
  AddInteger<int64_t>(app, "--cases", "N", &of_subject.cases, 1, std::numeric_limits<int>::max(),
                      "With --subject: cases for each property, at least 1; default " +
                          std::to_string(properties::kDefaultCases) + ".");
  AddFlag(app, "--thorough", &of_subject.thorough,
          "With --subject: " + std::to_string(properties::kThoroughCases) +
              " cases for each property; minutes where the default takes seconds.");
  AddInteger<uint64_t>(app, "--seed", "S", &of_subject.seed, 0, ~uint64_t{0},
                       "With --subject: seed of the generators.");
  AddInteger<int64_t>(app, "--case-time", "MS", &of_subject.case_time_ms, 1, 10'000'000,
                      "With --subject: milliseconds that a plug-in or process may take for a case; "
                      "default 5000.");
  app->get_option("--update")->needs(app->get_option("--expected"));
  // What the other way of checking would ignore is refused.
  CLI::Option* subject = app->get_option("--subject");
  for (const char* of_a_recording :
       {"--flushes-subnormals", "--config", "--set", "--tensor", "--axes"})
    app->get_option(of_a_recording)->excludes(subject);
  for (const char* of_a_subject : {"--cases", "--thorough", "--seed", "--case-time"})
    app->get_option(of_a_subject)->needs(subject);
  app->get_option("--thorough")->excludes(app->get_option("--cases"));
  return [=] {
    for (const char* profile : {"--profile", "--floor"})
      if (subject->count() > 0 && app->count(profile) > 0)
        throw Rejected(profile, app->get_option(profile)->as<std::string>(),
                       "excludes --subject, which is held to the \"promise\" of its description; "
                       "--floor and --profile are for its answers in files",
                       "SUBJ-1");
    for (const char* of_the_suite : {"--operation", "--cases", "--thorough", "--seed"})
      if (subject->count() > 0 && !arguments->recording.files.empty() &&
          app->count(of_the_suite) > 0)
        throw Rejected(of_the_suite, "(given)", "is for the suite: files are cases of their own",
                       "CASE-6");
    return Run(*arguments, terminal);
  };
}

}  // namespace

Command CheckCommand() {
  return {
      {"check",
       "judge a recording or a live subject",
       "gnomon check FILE... [OPTIONS]\n    gnomon check --subject SUBJECT [FILE...] [OPTIONS]",
       "Judges every output element of a recording against the bound of each profile, and names "
       "the first profile that all elements meet. What the file's own case states (metadata "
       "gnomon.case) needs no option. For any other tensor file the options say which tensor plays "
       "which role, in which order its axes are stored, and the parameters. The layout is never "
       "guessed.\n"
       "Profiles, in the order in which they are tried:\n"
       "  rounded       the correctly rounded truth\n"
       "  standard      exact angles; tables and arithmetic in f32\n"
       "  f32-angle     angles formed in f32: most code in float32\n"
       "  f32-exp       the same with frequencies by exp: classic sinusoidal tables\n"
       "  f32-angle-16  tables and arithmetic in the 16-bit output format\n"
       "  f32-chained   frequencies multiplied up pair by pair\n"
       "Where the output is f64, f32 here means f64. An element whose bound exceeds the size of "
       "its pair is vacuous: it is counted apart and proves nothing.\n"
       "A config.json is read in its old and new form. Keys that speak of positions and are not "
       "understood are refused. Of a scheme other than RoPE state --operation: what the model's "
       "code "
       "fixes and no key says is asked for. Of several towers: --set tower=text or vision.\n"
       "Of several files, or folders, each has a line, and the worst verdict decides: refused "
       "(it cannot be read, or is no case), crashed, nonconforming, nothing run, conforms.\n"
       "With --expected the run succeeds if exactly the failures of a list occur. A line of it "
       "reads\n"
       "  PATTERN  ERROR  MISTAKE  UNTIL  REASON\n"
       "that is OPERATION/NAME/FORMAT or NAME alone, a case id, file name or property, with * and "
       "?, then @SUBJECT or @PATH where it has to be that one; the largest error allowed, as "
       "reported, or how it crashes, or -; the id of the mistake, or -; the last day on which the "
       "line counts, YYYY-MM-DD, or -; and why, which may be a link. Anything else that "
       "fails, passes or is no longer there fails the run, in one line each (spec/report.md).",
       kVerdictStatus,
       {{"gnomon check oracle/examples/llama_query.safetensors", 0},
        {"gnomon check oracle/examples/llama_query.safetensors --profile standard", 1},
        {"gnomon check oracle/examples/plain.safetensors --config oracle/examples/config.json "
         "--set layout=half_split --axes seq,heads*head_dim",
         0},
        {"gnomon check oracle/examples/plain.safetensors --config oracle/examples/config.json "
         "--set layout=interleaved --axes seq,heads*head_dim --json",
         1},
        {"gnomon check oracle/examples/y.npy --tensor x=oracle/examples/x.npy --tensor "
         "positions=oracle/examples/positions.npy --config oracle/examples/config.json "
         "--set layout=half_split",
         0},
        {"gnomon check oracle/recordings oracle/examples/llama_query.safetensors", 1},
        {"gnomon check oracle/examples/llama_query.safetensors --profile standard --expected "
         "oracle/examples/known_failures.txt",
         0},
        {"gnomon check --subject reference --operation rope.frequencies --cases 1 --json", 0}}},
      AddCheck};
}

}  // namespace gnomon::oracle
