// A plug-in, loaded into this process (SUBJ-4): a shared library that exports gnomon_plugin_get.
// What it does wrong it does here: `plugin_subject.h` loads it in a child process.
#ifndef GNOMON_ORACLE_PLUGIN_LIBRARY_H_
#define GNOMON_ORACLE_PLUGIN_LIBRARY_H_

#include <map>
#include <memory_resource>
#include <span>
#include <string>
#include <string_view>

#include "gnomon/oracle/description.h"
#include "gnomon/oracle/gnomon_plugin.h"
#include "gnomon/properties/subject.h"

namespace gnomon::oracle {

class PluginLibrary {
 public:
  // Throws BadFile. The library stays loaded until the process ends: other threads of it may run.
  explicit PluginLibrary(const std::string& path);
  const std::string& description_text() const { return text_; }
  const Description& description() const { return description_; }
  int Run(const gnomon_call& call) const { return plugin_->run(plugin_->state, &call); }

 private:
  const gnomon_plugin* plugin_ = nullptr;
  std::string text_;
  Description description_;
};

// Makes a plug-in that is instrumented for `gnomon fuzz` loadable by a program that exports its
// symbols (CMake: ENABLE_EXPORTS).
void OfferCoverageHooks();

// The question as a plug-in gets it; all it points to, the message too, lies in `memory` or in the
// views. Where the case is in place, input and output must be the same view.
const gnomon_call* MakeCall(const Case& c, const std::map<std::string, TensorView>& inputs,
                            const properties::OutputViews& outputs, std::span<char> message,
                            std::pmr::memory_resource* memory);

// `status` as `run` returned it. The message becomes one line.
properties::Outcome ToOutcome(int status, std::string_view message);

// Asks in this process.
properties::Outcome RunPlugin(const PluginLibrary& library, const Case& c,
                              const properties::OutputViews& outputs);

}  // namespace gnomon::oracle

#endif  // GNOMON_ORACLE_PLUGIN_LIBRARY_H_
