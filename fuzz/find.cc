#include "gnomon/fuzz/find.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>

#include "gnomon/properties/judged.h"
#include "gnomon/properties/suite.h"
#include "gnomon/properties/trial.h"
#include "gnomon/reference/judge.h"
#include "gnomon/spec/schemes.h"

namespace gnomon::fuzz {
namespace {

using properties::Outcome;
using properties::Property;
using properties::Subject;
using properties::Trial;

constexpr int64_t kFewPositions = 4096;  // where nobody's table or counter ends yet
constexpr int64_t kLanes = 4;            // no vector is narrower

// Of the elements outside: what they have in common, coarsely.
class Common {
 public:
  Common(const Case& c, Format format) : c_(c), traits_(gnomon::Traits(format)) {}

  void Add(const reference::Place& place, double expected, bool fails) {
    if (place.pair) pairs_ = std::max(pairs_, *place.pair + 1);
    if (!fails) return;
    ++count_;
    lowest_ = std::min(lowest_, place.position ? std::abs(*place.position) : 0);
    first_pair_ = std::min(first_pair_, place.pair.value_or(0));
    const double smallest_normal =
        std::ldexp(1.0, traits_.min_quantum_exponent + traits_.precision - 1);
    finite_ &= std::isfinite(expected);
    subnormal_ &= std::abs(expected) < smallest_normal;
  }

  Traits Of() const {
    Traits traits;
    if (count_ == 0) return traits;
    traits.not_finite = !finite_;
    traits.subnormal = finite_ && subnormal_;
    traits.tail = pairs_ > kLanes && first_pair_ >= pairs_ / kLanes * kLanes;
    traits.in_place = !c_.in_place.empty();
    if (lowest_ >= kFewPositions)
      traits.position = static_cast<int>(std::bit_width(static_cast<uint64_t>(lowest_))) - 1;
    return traits;
  }

 private:
  const Case& c_;
  const FormatTraits& traits_;
  int64_t count_ = 0, lowest_ = INT64_MAX, first_pair_ = INT64_MAX, pairs_ = 0;
  bool finite_ = true, subnormal_ = true;
};

const Property* Named(const std::string& name) {
  for (const Property& property : properties::AllProperties())
    if (property.name == name) return &property;
  return nullptr;
}

// Of the first property that judges the operation alone.
std::string BoundClause(const std::string& operation) {
  for (const Property& property : properties::AllProperties())
    if (!property.algebraic && property.operations == std::vector<std::string>{operation})
      return property.clause;
  return "BOUND-7";
}

// The subject's answer on guarded memory; empty where it gives none.
Outputs AnswerTo(Subject& subject, const Case& c) {
  Outputs outputs = properties::GuardedOutputs(c);
  properties::OutputViews views;
  for (auto& [role, tensor] : outputs) views.emplace(role, tensor.view());
  return subject.Run(c, views).status == Outcome::kOk ? outputs : Outputs();
}

// Fills in the judge's opinion of one answer; false where it has nothing against it.
bool Refused(const Subject& subject, const Case& c, const Outputs& outputs, Find* find) {
  const reference::Judgement judgement =
      reference::Judge(c, outputs, {{}, subject.FlushesSubnormals()});
  const reference::ProfileResult& result = judgement.profiles[subject.Promise()];
  if (result.outside == 0) return false;
  const std::unique_ptr<reference::Truth> truth = reference::TruthOf(c);
  Common common(c, c.format);
  const std::vector<OutputShape> shapes = Validate(c);
  for (size_t o = 0; o < shapes.size(); ++o) {
    const Tensor& tensor = outputs.at(shapes[o].role);
    const int output = static_cast<int>(o);
    for (int64_t e = 0; e < tensor.count(); ++e) {
      const auto verdict =
          reference::JudgeElement(*truth, c, output, e, tensor.dtype(), BitsAt(tensor.view(), e),
                                  subject.FlushesSubnormals());
      const reference::Expectation due = truth->Expect(output, e);
      const double expected = due.kind == reference::Expectation::kNonFinite
                                  ? due.non_finite
                                  : reference::RoundedValue(*truth, output, e, c.format);
      common.Add(truth->Where(output, e), expected,
                 verdict[subject.Promise()] == reference::ElementVerdict::kOutside);
    }
  }
  find->judged = true;
  find->message = properties::Explain(judgement, subject.Promise());
  find->where = common.Of();
  find->c = c;
  find->outputs = outputs;
  return true;
}

}  // namespace

bool Traits::within(const Traits& other) const {
  return not_finite <= other.not_finite && subnormal <= other.subnormal && tail <= other.tail &&
         in_place <= other.in_place && position <= other.position;
}

std::string Traits::Text() const {
  std::string text;
  const auto add = [&](bool holds, const std::string& what) {
    if (holds) text += (text.empty() ? "" : ", ") + what;
  };
  add(not_finite, "not finite");
  add(subnormal, "subnormal");
  add(tail, "in the tail");
  add(in_place, "in place");
  add(position > 0, "from position 2^" + std::to_string(position) + " on");
  return text;
}

std::string Find::Signature() const {
  const std::string text = where.Text();
  return c.operation + " " + std::string(gnomon::Traits(c.format).name) + " " + clause +
         (text.empty() ? "" : ": " + text);
}

std::vector<const Property*> Askable(const Subject& subject, const std::string& operations) {
  std::vector<const Property*> askable;
  for (const Property& property : properties::AllProperties()) {
    const bool named =
        std::any_of(property.operations.begin(), property.operations.end(),
                    [&](const std::string& o) { return properties::GlobMatches(operations, o); });
    if (named && !properties::FormatsFor(subject, property).empty()) askable.push_back(&property);
  }
  return askable;
}

Answer Ask(Subject& subject, const Question& question, Find* find) {
  const Property* property = Named(question.property);
  if (property == nullptr) return Answer::kNothing;
  const std::vector<Format> formats = properties::FormatsFor(subject, *property);
  if (formats.empty()) return Answer::kNothing;
  properties::Source source(question.tape);
  Trial trial(subject, source, formats);
  const Trial::Verdict verdict = trial.Judge(property->check);
  find->used = source.used();
  if (verdict == Trial::kHolds) return Answer::kHolds;
  if (verdict == Trial::kNotAsked) {
    find->message = trial.finding();
    return Answer::kNotAsked;
  }
  if (verdict != Trial::kFails && verdict != Trial::kCrashes) return Answer::kNothing;
  find->question = question;
  find->clause = property->clause;
  find->message = trial.finding();
  find->crashed = verdict == Trial::kCrashes;
  if (trial.asked().empty())
    return Answer::kNothing;  // no case was made: nothing about the subject
  find->c = trial.asked().back();
  if (find->crashed) {
    find->clause = "SUBJ-7";
    return Answer::kFind;
  }
  for (const Case& c : trial.asked()) {
    const Outputs outputs = AnswerTo(subject, c);
    if (outputs.empty() || !Refused(subject, c, outputs, find)) continue;
    find->clause = BoundClause(c.operation);
    return Answer::kFind;
  }
  find->outputs = AnswerTo(subject, find->c);
  return Answer::kFind;
}

Find Shrink(Subject& subject, const Find& find, int most, double seconds) {
  Find smallest = find;
  const auto simpler = [&](const properties::Tape& tape) -> std::optional<size_t> {
    Find simpler;
    if (Ask(subject, {find.question.property, tape}, &simpler) != Answer::kFind ||
        simpler.c.operation != smallest.c.operation || simpler.c.format != smallest.c.format ||
        simpler.clause != smallest.clause || !simpler.where.within(smallest.where))
      return std::nullopt;
    smallest = std::move(simpler);
    return smallest.used;
  };
  properties::SimplestTape(find.question.tape, simpler, most, seconds);
  return smallest;
}

}  // namespace gnomon::fuzz
