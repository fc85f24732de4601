#include "gnomon/fuzz/property_target.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <vector>

#include "gnomon/oracle/kernel_subject.h"
#include "gnomon/properties/suite.h"
#include "gnomon/properties/trial.h"

namespace gnomon::fuzz {
namespace {

using properties::Property;
using properties::Trial;

const std::vector<const Property*>& PropertiesOf(const std::string& stem) {
  static std::map<std::string, std::vector<const Property*>> by_stem;
  std::vector<const Property*>& found = by_stem[stem];
  if (found.empty())
    for (const Property& property : properties::AllProperties())
      if (property.name.rfind(stem + ".", 0) == 0) found.push_back(&property);
  return found;
}

}  // namespace

std::optional<std::string> FindWithBytes(properties::Subject& subject, const std::string& stem,
                                         const uint8_t* data, size_t size) {
  if (size == 0) return std::nullopt;
  const std::vector<const Property*>& properties = PropertiesOf(stem);
  const Property& property = *properties[data[0] % properties.size()];
  const std::vector<Format> formats = properties::FormatsFor(subject, property);
  if (formats.empty()) return std::nullopt;

  std::vector<uint64_t> tape((size - 1) / 8);
  if (!tape.empty()) std::memcpy(tape.data(), data + 1, tape.size() * 8);
  properties::Source source(std::move(tape));
  Trial trial(subject, source, formats);
  if (trial.Judge(property.check) != Trial::kFails) return std::nullopt;
  std::string text =
      subject.Name() + ": " + property.name + " (" + property.clause + "): " + trial.finding();
  for (const Case& c : trial.asked()) text += "\n  asked " + properties::Describe(c);
  return text;
}

int FuzzKernels(const std::string& stem, const uint8_t* data, size_t size) {
  static const std::vector<std::unique_ptr<properties::Subject>> subjects =
      oracle::KernelSubjects();
  if (size == 0) return 0;
  properties::Subject& subject = *subjects[data[0] % subjects.size()];
  if (const auto find = FindWithBytes(subject, stem, data + 1, size - 1)) {
    std::fprintf(stderr, "FIND %s\n", find->c_str());
    std::abort();
  }
  return 0;
}

}  // namespace gnomon::fuzz
