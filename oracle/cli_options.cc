#include "gnomon/oracle/cli_options.h"

namespace gnomon::oracle {

CLI::Option* Add(CLI::App* app, const std::string& name, const std::string& type,
                 std::string* value, const std::string& text) {
  const auto take = [=](const std::string& given) {
    if (given.empty()) throw Rejected(name, "\"\"", "must not be empty", "CASE-6");
    *value = given;
  };
  return app->add_option_function<std::string>(name, take, text)->type_name(type);
}

CLI::Option* AddFlag(CLI::App* app, const std::string& name, bool* value, const std::string& text) {
  return app->add_flag(name, *value, text)->disable_flag_override();
}

void AddRepeated(CLI::App* app, const std::string& name, const std::string& type,
                 std::vector<std::string>* values, const std::string& text) {
  app->add_option(name, *values, text)->type_name(type)->allow_extra_args(false);
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
      "written heads*head_dim. Axes left out have extent 1.");
}

}  // namespace gnomon::oracle
