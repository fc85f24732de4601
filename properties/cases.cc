#include "gnomon/properties/cases.h"

#include <algorithm>
#include <array>

#include "gnomon/properties/numbered_case.h"
#include "gnomon/properties/trial.h"
#include "gnomon/spec/schemes.h"

namespace gnomon::properties {
namespace {

constexpr int kMostAttempts = 20;  // a draw may end outside the limits, and the next one inside
constexpr std::array<CaseKind, 10> kTurns = {
    CaseKind::kPlain, CaseKind::kLarge, CaseKind::kSpecial, CaseKind::kMemory, CaseKind::kPlain,
    CaseKind::kLarge, CaseKind::kPlain, CaseKind::kSpecial, CaseKind::kMemory, CaseKind::kPlain};

// What a trial has to know of a subject in order to draw.
class Nobody : public Subject {
 public:
  Nobody(const Limits& limits, size_t promise) : limits_(limits), promise_(promise) {}
  std::string Name() const override { return "nobody"; }
  bool Declares(const std::string&, Format) const override { return true; }
  Limits LimitsOf(const std::string&) const override { return limits_; }
  size_t Promise() const override { return promise_; }
  Outcome Run(const Case&, const OutputViews&) override { return {Outcome::kUnsupported, ""}; }

 private:
  const Limits& limits_;
  size_t promise_;
};

int64_t DrawLargePosition(Source& source, const Limits& limits) {
  const bool up = limits.max_position >= kLargePosition;
  const bool down = limits.min_position <= -kLargePosition;
  const bool negative = down && (!up || source.Chance(1, 3));
  const int64_t most = negative ? -limits.min_position : limits.max_position;
  int64_t size = 0;
  switch (source.Below(3)) {
    case 0:
      size = (int64_t{1} << (16 + source.Below(16))) + source.Pick<int64_t>({0, 1, -1});
      break;
    case 1:
      size = source.Pick<int64_t>({131071, 1000003, 16777217, 65537, 2147483647});
      break;
    default:
      size = kLargePosition + source.Below(most - kLargePosition + 1);
      break;
  }
  size = std::clamp(size, kLargePosition, most);
  return negative ? -size : size;
}

// Every position, and an offset between positions.
void MovePositionsFarOut(Source& source, const Limits& limits, Case* c) {
  for (auto& [role, tensor] : c->inputs) {
    if (IsFloat(tensor.dtype())) continue;
    for (int64_t i = 0; i < tensor.count(); ++i)
      tensor.SetInteger(i, DrawLargePosition(source, limits));
  }
  if (const auto offset = c->parameters.find("offset"); offset != c->parameters.end())
    offset->second = static_cast<double>(DrawLargePosition(source, limits));
}

std::vector<const CaseSource*> SourcesOf(const std::string& operation, CaseKind kind) {
  std::vector<const CaseSource*> found;
  for (const CaseSource& source : AllCases())
    if (source.operation == operation && source.kind == kind) found.push_back(&source);
  return found;
}

uint64_t Mix(uint64_t state, const std::string& text) {
  for (const char c : text) state = Spread(state ^ static_cast<unsigned char>(c)) + 1;
  return state;
}

}  // namespace

const std::vector<CaseSource>& AllCases() {
  static const std::vector<CaseSource> all = [] {
    std::vector<CaseSource> list;
#define GNOMON_APPEND(stem) \
  for (CaseSource & source : stem::Cases()) list.push_back(std::move(source));
    GNOMON_FOR_EACH_STEM(GNOMON_APPEND)
#undef GNOMON_APPEND
    return list;
  }();
  return all;
}

std::optional<Case> DrawCase(const CaseSource& from, Source& source, Format format,
                             const Limits& limits, size_t promise) {
  const bool large = from.kind == CaseKind::kLarge;
  if (large && limits.max_position < kLargePosition && limits.min_position > -kLargePosition)
    return std::nullopt;
  Nobody nobody(limits, promise);
  Trial trial(nobody, source, {format});
  Case c;
  try {
    c = from.draw(trial);
    if (large) MovePositionsFarOut(source, limits, &c);
    if (!Outside(limits, c).empty()) return std::nullopt;
    Validate(c);
  } catch (const TrialEnded&) {
    return std::nullopt;
  } catch (const Rejected& e) {
    if (!limits.decides(e.parameter())) throw;
    return std::nullopt;
  }
  return c;
}

std::optional<Case> NumberedCase(const std::string& operation, Format format, uint64_t seed,
                                 int64_t number, const Limits& limits) {
  auto drawn = DrawNumbered(operation, format, seed, number, limits);
  if (!drawn) return std::nullopt;
  return std::move(drawn->c);
}

std::optional<NumberedDraw> DrawNumbered(const std::string& operation, Format format, uint64_t seed,
                                         int64_t number, const Limits& limits) {
  std::vector<const CaseSource*> sources =
      SourcesOf(operation, kTurns[static_cast<size_t>(number) % kTurns.size()]);
  if (sources.empty()) sources = SourcesOf(operation, CaseKind::kPlain);
  uint64_t state = Mix(Spread(seed + 1), operation + "/" + std::string(Traits(format).name) + "/" +
                                             std::to_string(number));
  for (int attempt = 0; attempt < kMostAttempts && !sources.empty(); ++attempt) {
    Tape tape;
    for (size_t i = 0; i < kTapeLength; ++i) tape.push_back(Spread(state += 0x9e3779b97f4a7c15u));
    Source choices(tape);
    const size_t which = static_cast<size_t>(choices.Below(static_cast<int64_t>(sources.size())));
    if (auto c = DrawCase(*sources[which], choices, format, limits)) {
      tape.resize(std::min(tape.size(), choices.used()));
      tape.erase(tape.begin());  // which source it is
      return NumberedDraw{std::move(*c), sources[which], std::move(tape)};
    }
    // A kind that the limits leave nothing of is replaced by plain cases too.
    if (attempt == kMostAttempts / 2) sources = SourcesOf(operation, CaseKind::kPlain);
  }
  return std::nullopt;
}

}  // namespace gnomon::properties
