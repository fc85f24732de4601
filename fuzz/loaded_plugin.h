// A plug-in in the searching process itself, where its coverage counts and a question costs no
// trip.
#ifndef GNOMON_FUZZ_LOADED_PLUGIN_H_
#define GNOMON_FUZZ_LOADED_PLUGIN_H_

#include <string>

#include "gnomon/oracle/plugin_library.h"
#include "gnomon/properties/subject.h"

namespace gnomon::fuzz {

class LoadedPlugin : public properties::Subject {
 public:
  explicit LoadedPlugin(const std::string& path) : library_(path) {}

  std::string Name() const override { return library_.description().name; }
  bool Declares(const std::string& operation, Format format) const override {
    return library_.description().Declares(operation, format);
  }
  properties::Limits LimitsOf(const std::string& operation) const override {
    return library_.description().LimitsOf(operation);
  }
  size_t Promise() const override { return library_.description().promise; }
  bool FlushesSubnormals() const override { return library_.description().flushes_subnormals; }
  properties::Outcome Run(const Case& c, const properties::OutputViews& outputs) override {
    return oracle::RunPlugin(library_, c, outputs);
  }

 private:
  oracle::PluginLibrary library_;
};

}  // namespace gnomon::fuzz

#endif  // GNOMON_FUZZ_LOADED_PLUGIN_H_
