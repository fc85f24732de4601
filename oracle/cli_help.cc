#include "gnomon/oracle/cli_help.h"

#include <sstream>

namespace gnomon::oracle {
namespace {

constexpr size_t kWidth = 88;

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

Page ProgramPage() {
  std::string description =
      "Says whether an implementation of a positional encoding is right, by how much it is off, "
      "and where. Every verdict rests on an error bound that is computed for the element and "
      "derived in a clause of the specification, and on a truth that is enclosed by interval "
      "arithmetic.\n";
  for (const Command& command : Commands()) {
    std::string name = command.page.command;
    name.resize(12, ' ');
    description += "  " + name + command.page.summary + "\n";
  }
  description += "gnomon COMMAND --help is the manual page of a command.";
  return {"",
          "conformance oracle for Transformer positional encodings",
          "gnomon COMMAND [OPTIONS]",
          description,
          kVerdictStatus,
          {{"gnomon operations", 0}, {"gnomon check oracle/examples/llama_query.safetensors", 0}}};
}

std::string ManualPage(const Page& page, const CLI::App& app) {
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
