#include "gnomon/oracle/cli_help.h"

#include <sstream>

namespace gnomon::oracle {
namespace {

constexpr size_t kWidth = 88;

struct Page {
  std::string command;  // empty: the program
  std::string summary;
  std::string synopsis;
  std::string description;  // paragraphs; a line that starts with a space stays as it is
  std::string exit_status;
  std::vector<Example> examples;
};

constexpr char kVerdicts[] =
    "0 conforms, 1 nonconforming, 2 the subject crashed, 3 usage or bad input, 4 nothing was run, "
    "or nothing but vacuous elements";

const std::vector<Page>& Pages() {
  static const std::vector<Page> pages = {
      {"",
       "conformance oracle for Transformer positional encodings",
       "gnomon COMMAND [OPTIONS]",
       "Says whether an implementation of a positional encoding is right, by how much it is off, "
       "and where. "
       "Every verdict rests on an error bound that is computed for the element and derived in a "
       "clause of the "
       "specification, and on a truth that is enclosed by interval arithmetic.\n"
       "  operations  what can be judged, with parameters and tensors\n"
       "  eval        the truth, correctly rounded, with its enclosure\n"
       "  explain     one element of a recording, step by step\n"
       "  check       judge a recording, or a live subject\n"
       "gnomon COMMAND --help is the manual page of a command.",
       kVerdicts,
       {{"gnomon operations", 0}, {"gnomon check oracle/examples/llama_query.safetensors", 0}}},
      {"operations",
       "list the operations",
       "gnomon operations [--json]",
       "Lists every operation with its parameters, their ranges and defaults, and its inputs and "
       "outputs "
       "with their axes.",
       "0 done, 3 usage",
       {{"gnomon operations", 0}, {"gnomon operations --json", 0}}},
      {"eval",
       "compute the truth",
       "gnomon eval [OP] [OPTIONS]",
       "Computes every element of an operation exactly and rounds it once. Each line names an "
       "element, its "
       "value in decimal and in hexadecimal, and the enclosure of the real number it was rounded "
       "from. A "
       "number given by --set is the binary64 that JSON makes of it; in quotes, \"0.1\", it is "
       "that very "
       "decimal.",
       "0 done, 3 usage or bad input, 4 the case has no element",
       {{"gnomon eval rope.frequencies --set head_dim=8 --set rope_theta=500000", 0},
        {"gnomon eval rope.table --config oracle/examples/config.json --positions 0,1,131072 "
         "--format bf16",
         0},
        {"gnomon eval sinusoidal.table --set width=6 --set layout=sin_cos --positions -1,0,1", 0},
        {"gnomon eval --in oracle/examples/llama_query.safetensors --limit 4", 0}}},
      {"explain",
       "show one element step by step",
       "gnomon explain FILE --at LIST [OPTIONS]",
       "Shows what an element is made of: frequency, angle, cosine and sine, the pair, the exact "
       "result, its "
       "rounding, the bound that every profile allows, and what the file holds. Indices count from "
       "0, in the "
       "operation's order of axes; for rope.apply that is batch,seq,heads,head_dim.",
       "0 done, 3 usage or bad input",
       {{"gnomon explain oracle/examples/llama_query.safetensors --at 0,3,1,9", 0}}},
      {"check",
       "judge a recording or a live subject",
       "gnomon check FILE [OPTIONS]\n    gnomon check --subject SUBJECT [OPTIONS]",
       "Judges every output element of a recording against the bound of each profile, and names "
       "the first "
       "profile that all elements meet. What the file's own case states (metadata gnomon.case) "
       "needs no "
       "option. For any other tensor file the options say which tensor plays which role, in which "
       "order its "
       "axes are stored, and the parameters. The layout is never guessed.\n"
       "Profiles, in the order in which they are tried:\n"
       "  rounded       the correctly rounded truth\n"
       "  standard      exact angles; tables and arithmetic in f32\n"
       "  f32-angle     angles formed in f32: most code in float32\n"
       "  f32-exp       the same with frequencies by exp: classic sinusoidal tables\n"
       "  f32-angle-16  tables and arithmetic in the 16-bit output format\n"
       "  f32-chained   frequencies multiplied up pair by pair\n"
       "Where the output is f64, f32 here means f64. An element whose bound exceeds the size of "
       "its pair is "
       "vacuous: it is counted apart and proves nothing.\n"
       "A config.json is read in its old and new form. Keys that speak of positions and are not "
       "understood "
       "are refused.",
       kVerdicts,
       {{"gnomon check oracle/examples/llama_query.safetensors", 0},
        {"gnomon check oracle/examples/llama_query.safetensors --profile standard", 1},
        {"gnomon check oracle/examples/plain.safetensors --config oracle/examples/config.json "
         "--set layout=half_split --axes "
         "seq,heads*head_dim",
         0},
        {"gnomon check oracle/examples/plain.safetensors --config oracle/examples/config.json "
         "--set layout=interleaved --axes "
         "seq,heads*head_dim "
         "--json",
         1},
        {"gnomon check oracle/examples/y.npy --tensor x=oracle/examples/x.npy --tensor "
         "positions=oracle/examples/positions.npy --config "
         "oracle/examples/config.json "
         "--set layout=half_split",
         0}}}};
  return pages;
}

const Page& PageOf(const std::string& command) {
  for (const Page& page : Pages())
    if (page.command == command) return page;
  return Pages().front();
}

std::string Wrapped(const std::string& text, const std::string& indent) {
  std::istringstream words(text);
  std::string result, line, word;
  while (words >> word) {
    if (!line.empty() && indent.size() + line.size() + 1 + word.size() > kWidth) {
      result += indent + line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  return result + indent + line + "\n";
}

std::string OptionsText(const CLI::App& app) {
  std::string text;
  for (const CLI::Option* option : app.get_options()) {
    std::string type = option->get_type_name();
    if (option->get_expected_max() == 0) type.clear();  // a flag
    text += "    " + option->get_name(option->get_positional(), !option->get_positional()) +
            (type.empty() ? "" : " " + type) + "\n" +
            Wrapped(option->get_description(), "        ");
  }
  return text;
}

}  // namespace

std::string Summary(const std::string& command) { return PageOf(command).summary; }

std::vector<Example> Examples(const std::string& command) { return PageOf(command).examples; }

std::string ManualPage(const CLI::App& app) {
  const Page& page = PageOf(app.get_parent() == nullptr ? "" : app.get_name());
  std::string text = "NAME\n    gnomon" + (page.command.empty() ? "" : " " + page.command) + " - " +
                     page.summary + "\n\nSYNOPSIS\n    " + page.synopsis + "\n\nDESCRIPTION\n";
  std::istringstream paragraphs(page.description);
  for (std::string line; std::getline(paragraphs, line);)
    text += line[0] == ' ' ? "    " + line + "\n" : Wrapped(line, "    ");
  text += "\nOPTIONS\n" + OptionsText(app) + "\nEXAMPLES\n";
  for (const Example& example : page.examples) text += "    $ " + example.command + "\n";
  return text + "\nEXIT STATUS\n" + Wrapped(page.exit_status, "    ");
}

}  // namespace gnomon::oracle
