#include "gnomon/properties/trial.h"

#include <algorithm>
#include <cstdio>
#include <exception>

#include "gnomon/properties/generators.h"
#include "gnomon/reference/certify.h"
#include "gnomon/spec/schemes.h"

namespace gnomon::properties {

Trial::Verdict Trial::Judge(const std::function<void(Trial&)>& check) {
  reference::ScopedPrecision precision(reference::kFirstPrecision);
  try {
    check(*this);
  } catch (const TrialEnded&) {
    return verdict_;
  } catch (const std::exception& e) {
    // Values that the subject takes, and that the contract refuses together.
    if (const auto* rejected = dynamic_cast<const Rejected*>(&e))
      for (const std::string& operation : limited_)
        if (subject_.LimitsOf(operation).decides(rejected->parameter())) return kDeclined;
    // A generated case that the contract refuses, or a property that is wrong itself: never a pass.
    finding_ = std::string("the property could not be asked: ") + e.what();
    return kFails;
  }
  return compared_ > 0 ? kHolds : kVacuous;
}

Limits Trial::limits(const std::string& operation) {
  limited_.insert(operation);
  return subject_.LimitsOf(operation);
}

bool Trial::declares(const std::string& operation) const {
  return std::any_of(formats_.begin(), formats_.end(),
                     [&](Format format) { return subject_.Declares(operation, format); });
}

Format Trial::DrawFormat() {
  return formats_[static_cast<size_t>(source_.Below(static_cast<int64_t>(formats_.size())))];
}

int64_t Trial::DrawPosition(int64_t limit, const Limits& limits) {
  // D is a few 2^-24 |angle| where the working format is f32 (BOUND-3).
  constexpr int64_t kMeaningful = int64_t{1} << 17;
  const bool exact = promise().angle == AngleForm::kExact;
  const bool anywhere = source_.Chance(1, 4);
  Limits both = limits;
  if (limit <= kMaxPosition) {
    both.min_position = std::max(both.min_position, 1 - limit);
    both.max_position = std::min(both.max_position, limit - 1);
  }
  return both.position(gnomon::properties::DrawPosition(
      source_, exact || anywhere ? limit : std::min(limit, kMeaningful)));
}

void Trial::RequireInside(bool inside) {
  if (inside) return;
  verdict_ = kDeclined;
  throw TrialEnded();
}

void Trial::Require(const std::string& operation, Format format) {
  undeclared_ = !subject_.Declares(operation, format);
  RequireInside(!undeclared_);
}

Outputs Trial::Run(const Case& c) {
  Outputs outputs = GuardedOutputs(c);
  RunOn(c, &outputs);
  return outputs;
}

void Trial::RunOn(const Case& question, Outputs* outputs) {
  const Limits limits = this->limits(question.operation);
  const std::optional<Case> retyped = Retyped(limits, question);
  const Case& c = retyped ? *retyped : question;
  bool inside = Outside(limits, c).empty();
  for (const auto& [role, tensor] : *outputs)
    inside &= limits.strides || tensor.view().contiguous();
  RequireInside(inside);
  Require(c.operation, c.format);
  asked_.push_back(c);
  OutputViews views;
  for (auto& [role, tensor] : *outputs) views.emplace(role, tensor.view());
  Outcome outcome;
  try {
    outcome = subject_.Run(c, views);
  } catch (const std::exception& e) {
    Fail(std::string("the subject threw: ") + e.what());
  } catch (...) {
    Fail("the subject threw");
  }
  if (retyped) {  // a copy, which no property looks at
    const std::optional<Case> before = Retyped(limits, question);
    for (const auto& [role, tensor] : before->inputs)
      if (role != c.in_place && tensor.storage() != c.inputs.at(role).storage())
        Fail("changed its input " + role + " (SUBJ-6)");
  }
  switch (outcome.status) {
    case Outcome::kOk:
      return;
    case Outcome::kUnsupported:
      Fail("declared, and answered as unsupported (SUBJ-2): " + outcome.message);
    case Outcome::kCrashed:
      finding_ = outcome.message;
      out_of_time_ = outcome.out_of_time;
      verdict_ = kCrashes;
      throw TrialEnded();
    case Outcome::kNotAsked:
      finding_ = outcome.message;
      verdict_ = kNotAsked;
      throw TrialEnded();
    case Outcome::kRejected:
      Fail("the subject refuses a valid case: " + outcome.message);
    case Outcome::kFailed:
      Fail("the subject failed: " + outcome.message);
  }
}

void Trial::Compare(const Interval& error, const Interval& tolerance, const Interval& size,
                    const std::function<std::string()>& where) {
  // mpfr_greater_p is false where either side is NaN: ask for "within", not for "outside".
  if (!mpfr_lessequal_p(reference::Lower(error), reference::Upper(tolerance)))
    Fail(where() + ": off by " + Show(error) + ", tolerance " + Show(tolerance));
  const bool proves = mpfr_lessequal_p(reference::Lower(tolerance), reference::Upper(size)) != 0;
  ++(proves ? compared_ : vacuous_);
}

void Trial::Expect(bool holds, const std::function<std::string()>& where) {
  if (!holds) Fail(where());
  ++compared_;
}

void Trial::Fail(const std::string& what) {
  finding_ = what;
  verdict_ = kFails;
  throw TrialEnded();
}

Outputs GuardedOutputs(const Case& c, uint8_t fill) {
  Outputs outputs;
  for (const OutputShape& output : Validate(c)) {
    if (!c.in_place.empty()) {
      outputs.emplace(output.role, c.inputs.at(c.in_place));
    } else {
      outputs.emplace(output.role, Guarded(StoredAs(output, c), output.shape, fill));
    }
  }
  return outputs;
}

std::string Show(double value) {
  char text[80];
  std::snprintf(text, sizeof text, "%.9g (%a)", value, value);
  return text;
}
std::string Show(const Interval& value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.4g", reference::Midpoint(value));
  return text;
}

std::string Describe(const Case& c) {
  std::string text = c.operation + " " + std::string(Traits(c.format).name) + " {";
  bool first = true;
  for (const auto& [name, value] : c.parameters) {
    text += (first ? "" : ", ") + name + ": " + Plain(value);
    first = false;
  }
  text += "}";
  for (const auto& [role, tensor] : c.inputs) {
    text += " " + role + "[";
    for (size_t i = 0; i < tensor.shape().size(); ++i)
      text += (i ? ", " : "") + std::to_string(tensor.shape()[i]);
    text += "] = (";
    constexpr int64_t kShown = 8;
    for (int64_t i = 0; i < std::min(tensor.count(), kShown); ++i) {
      char number[40];
      if (IsFloat(tensor.dtype())) {
        std::snprintf(number, sizeof number, "%.9g", tensor.Value(i));
      } else {
        std::snprintf(number, sizeof number, "%lld", static_cast<long long>(tensor.Integer(i)));
      }
      text += (i ? std::string(", ") : std::string()) + number;
    }
    text += tensor.count() > kShown ? ", ...)" : ")";
  }
  if (!c.in_place.empty()) text += " in place";
  return text;
}

}  // namespace gnomon::properties
