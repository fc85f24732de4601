#include "gnomon/oracle/neighbours.h"

#include <utility>

namespace gnomon::oracle {
namespace {

constexpr int64_t kMostElements = 1000000;

// The other of the two values that a parameter may have.
std::string Other(const Parameters& parameters, const std::string& name,
                  const std::pair<std::string, std::string>& values) {
  const auto found = parameters.find(name);
  const std::string* stated =
      found == parameters.end() ? nullptr : std::get_if<std::string>(&found->second);
  return stated != nullptr && *stated == values.second ? values.first : values.second;
}

}  // namespace

std::vector<Neighbour> ConformingNeighbours(const Recording& recording, const Demand& demand) {
  const Case& c = recording.c;
  if (c.operation != "rope.apply" || c.inputs.at("x").count() > kMostElements) return {};
  std::vector<Neighbour> found;
  const std::vector<std::pair<std::string, std::string>> changes = {
      {"layout", Other(c.parameters, "layout", {"half_split", "interleaved"})},
      {"direction", Other(c.parameters, "direction", {"forward", "transpose"})}};
  for (const auto& [name, value] : changes) {
    Case changed = c;
    changed.parameters[name] = value;
    const reference::Judgement judgement = reference::Judge(changed, recording.outputs);
    std::optional<size_t> met = demand.profile;
    if (!met) met = judgement.strictest(demand.floor);
    if (met && judgement.profiles[*met].met()) found.push_back({name + "=" + value, *met});
  }
  return found;
}

}  // namespace gnomon::oracle
