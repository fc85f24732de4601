#include "gnomon/oracle/plugin_subject.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <new>
#include <stdexcept>
#include <tuple>

#include "gnomon/oracle/bad_file.h"
#include "gnomon/oracle/case_json.h"
#include "gnomon/oracle/plugin_library.h"

namespace gnomon::oracle {
namespace {

using properties::Call;
using properties::Outcome;

constexpr size_t kLargeBytes = size_t{1} << 20;  // to begin with
constexpr size_t kQuestionBytes = size_t{1} << 20;
constexpr const char* kStatusNames[] = {"ok", "unsupported", "rejected"};
constexpr Side kSides[] = {Side::kEnd, Side::kBegin};
constexpr Junk kJunks[] = {Junk::kFirst, Junk::kSecond};

Outcome Broken(const std::string& what) { return {Outcome::kFailed, what + " (SUBJ-6)"}; }

// The input that an output is laid over, or null.
const Tensor* InPlaceInput(const Case& c) {
  return c.in_place.empty() ? nullptr : &c.inputs.at(c.in_place);
}

std::string Hex(uint64_t address) {
  char text[32];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(address));
  return text;
}

}  // namespace

PluginSubject::PluginSubject(const std::string& path, const WorkerLimits& limits)
    : path_(path), limits_(limits), arena_(std::make_unique<Arena>(kLargeBytes, kQuestionBytes)) {
  worker_ = std::make_unique<Worker>(*arena_, path_, limits_);
  description_ = ParseDescription(worker_->description_text(), path);
}
PluginSubject::~PluginSubject() = default;

void PluginSubject::EnsureWorker() {
  if (worker_) return;
  for (int start = 1;; ++start) {
    try {
      worker_ = std::make_unique<Worker>(*arena_, path_, limits_);
      return;
    } catch (const BadFile& error) {
      if (start < kMostStarts) continue;
      dead_ = std::string("cannot be loaded again: ") + error.what();
      throw;
    }
  }
}

std::vector<Outcome> PluginSubject::RunBatch(const std::vector<Call>& calls) {
  std::vector<Outcome> outcomes;
  BeginBatch(calls.size());
  constexpr size_t kMost = kMostRuns / kRunsOfCase;
  // A batch that wrote on standard output is asked again one by one: which case it was, nobody saw.
  struct {
    size_t from = 0, until = 0;
    std::string printed;
  } again;
  while (outcomes.size() < calls.size()) {
    const size_t from = outcomes.size();
    if (const std::string why = GivenUp(*calls[from].c); !why.empty()) {
      outcomes.push_back(NotAsked(why));
      continue;
    }
    try {
      EnsureWorker();
      const size_t laid = LayAll(calls, from, from < again.until ? 1 : kMost);
      if (laid == 0) {
        MakeRoom(calls[from]);
        continue;
      }
      const std::optional<Worker::Death> death = Ask(laid * kRunsOfCase);
      const std::string printed = death ? "" : worker_->OnStandardOutput();
      if (!printed.empty() && laid > 1) {
        worker_.reset();
        again = {from, from + laid, printed};
        continue;
      }
      const size_t answered = death ? std::min<size_t>(death->run / kRunsOfCase, laid - 1)
                              : printed.empty() ? laid
                                                : 0;
      answered_ |= answered > 0;
      if (answered < laid) DiedOn(*calls[from + answered].c);
      std::vector<size_t> undecided;
      for (size_t i = 0; i < answered; ++i) {
        bool equal = true;
        outcomes.push_back(Look(calls[from + i], i * kRunsOfCase, &equal));
        if (!equal) undecided.push_back(i);
      }
      if (death) {
        outcomes.push_back(Crash(*death, *calls[from + answered].c,
                                 std::min<size_t>(death->run, laid_.size() - 1)));
        worker_.reset();
      } else if (!printed.empty()) {
        outcomes.push_back({Outcome::kCrashed, "wrote on standard output: \"" + printed + "\"" +
                                                   AskedText(*calls[from].c) + " (SUBJ-7)"});
        worker_.reset();
        again.printed.clear();
      }
      std::vector<std::array<Bits, kRunsOfCase>> answers;
      for (const size_t i : undecided)
        answers.push_back({BitsOf(laid_[i * kRunsOfCase]), BitsOf(laid_[i * kRunsOfCase + 1])});
      for (size_t n = 0; n < undecided.size(); ++n)
        outcomes[from + undecided[n]] = Decide(calls[from + undecided[n]], answers[n]);
      if (!again.printed.empty() && outcomes.size() == again.until)
        for (size_t i = again.from; i < again.until; ++i)
          if (outcomes[i].status == Outcome::kOk)
            outcomes[i] = {Outcome::kCrashed, "wrote on standard output, in a batch of " +
                                                  std::to_string(again.until - again.from) +
                                                  " cases and not again: \"" + again.printed +
                                                  "\" (SUBJ-7)"};
    } catch (const BadFile& error) {
      outcomes.resize(from);
      outcomes.push_back({Outcome::kCrashed, error.what()});
    } catch (const std::exception& error) {
      outcomes.resize(from);
      outcomes.push_back({Outcome::kFailed, std::string("could not be asked: ") + error.what()});
    }
  }
  return outcomes;
}

std::optional<Worker::Death> PluginSubject::Ask(size_t runs) {
  std::optional<Worker::Death> death = worker_->Answer(static_cast<uint32_t>(runs));
  if (!death || death->begun) return death;
  // It died between two questions, as children do when the thread that made them ends.
  worker_.reset();
  EnsureWorker();
  return worker_->Answer(static_cast<uint32_t>(runs));
}

size_t PluginSubject::LayAll(const std::vector<Call>& calls, size_t from, size_t most) {
  arena_->Clear();
  laid_.clear();
  size_t laid = 0;
  while (laid < most && from + laid < calls.size()) {
    for (size_t run = 0; run < kRunsOfCase; ++run) {
      if (Lay(calls[from + laid], kSides[run], kJunks[run])) continue;
      laid_.resize(laid * kRunsOfCase);
      return laid;
    }
    ++laid;
  }
  return laid;
}

bool PluginSubject::Lay(const Call& call, Side side, Junk junk) {
  const Case& c = *call.c;
  const int64_t alignment = description_.alignment;
  const size_t run = laid_.size();
  Laid laid;
  std::map<std::string, TensorView> inputs, outputs;
  const auto place = [&](const std::string& role, const ConstTensorView& view,
                         const ConstTensorView* elements, std::vector<Placement>* placements) {
    const std::optional<Slot> slot = arena_->Take(SlotBytes(view, alignment));
    if (!slot) return false;
    Placement& p = placements->emplace_back(role, view, *slot, side, alignment);
    p.Fill(elements, junk);
    return true;
  };
  for (const auto& [role, view] : call.outputs) {
    const Tensor* const input = InPlaceInput(c);
    const ConstTensorView elements = input ? input->view() : ConstTensorView();
    if (!place(role, input ? elements : ConstTensorView(view), input ? &elements : nullptr,
               &laid.outputs))
      return false;
    outputs[role] = laid.outputs.back().view();
    if (input) inputs[c.in_place] = outputs[role];
  }
  for (const auto& [role, tensor] : c.inputs) {
    if (role == c.in_place) continue;
    const ConstTensorView elements = tensor.view();
    if (!place(role, elements, &elements, &laid.inputs)) return false;
    inputs[role] = laid.inputs.back().view();
  }
  PluginAnswer& answer = arena_->control().answers[run];
  answer = {};
  try {
    arena_->questions().calls[run] = MakeCall(c, inputs, outputs, answer.message, arena_->memory());
  } catch (const std::bad_alloc&) {
    return false;
  }
  laid_.push_back(std::move(laid));
  return true;
}

void PluginSubject::MakeRoom(const Call& call) {
  size_t bytes = 0;
  const size_t questions = kRunsOfCase * (ParametersJson(call.c->parameters).size() + (1 << 14));
  for (const auto& [role, tensor] : call.c->inputs)
    bytes = std::max(bytes, SlotBytes(tensor.view(), description_.alignment));
  for (const auto& [role, view] : call.outputs)
    bytes = std::max(bytes, SlotBytes(view, description_.alignment));
  if (bytes <= arena_->large_bytes() && questions <= arena_->question_bytes())
    throw std::runtime_error("more tensors than slots");
  worker_.reset();  // it shares the old one
  const auto room = [](size_t had, size_t needed) { return std::max(had, std::bit_ceil(needed)); };
  arena_ = std::make_unique<Arena>(room(arena_->large_bytes(), bytes),
                                   room(arena_->question_bytes(), questions));
}

Outcome PluginSubject::Crash(const Worker::Death& death, const Case& c, size_t run) {
  const Laid& laid = laid_[run];
  hangs_ += death.out_of_time;
  std::string text = death.how, clause = "SUBJ-7";
  if (death.fault) {
    const Fault& fault = *death.fault;
    const char* const verb = fault.kind == Fault::kWrite  ? ", wrote "
                             : fault.kind == Fault::kRead ? ", read "
                                                          : ", touched ";
    std::string where;
    for (const std::vector<Placement>* placements : {&laid.outputs, &laid.inputs})
      for (const Placement& p : *placements)
        if (where.empty()) where = p.Near(fault.address);
    constexpr uint64_t kFrame = 1 << 16;
    if (!where.empty()) {
      text += verb + where;
      clause = "SUBJ-6";
    } else if (fault.stack_pointer != 0 && fault.address + kFrame > fault.stack_pointer &&
               fault.address < fault.stack_pointer + kFrame) {
      text += ", the stack overflowed";
    } else {
      text += std::string(verb) + (fault.kind == Fault::kWrite ? "to" : "at") + " address " +
              Hex(fault.address);
      if (arena_->Holds(reinterpret_cast<const void*>(fault.address)))
        text += ", memory of ours that is not its own";
    }
  }
  text += AskedText(c) + (run % kRunsOfCase == 1 ? ", the second time" : "") + death.said;
  return {Outcome::kCrashed, text + " (" + clause + ")", death.out_of_time};
}

PluginSubject::Bits PluginSubject::BitsOf(const Laid& laid) {
  Bits bits;
  for (const Placement& p : laid.outputs)
    for (int64_t i = 0; i < p.view().count(); ++i) bits.push_back(BitsAt(p.view(), i));
  return bits;
}

// What one call did, its values apart.
Outcome PluginSubject::OutcomeOf(size_t run) {
  for (Placement& p : laid_[run].inputs)
    if (const std::string changed = p.Changed(false); !changed.empty()) return Broken(changed);
  for (Placement& p : laid_[run].outputs)
    if (const std::string changed = p.Changed(true); !changed.empty()) return Broken(changed);
  const PluginAnswer& answer = arena_->control().answers[run];
  if (answer.guard != PluginAnswer::kUntouched) return Broken("wrote beyond the end of message");
  return ToOutcome(answer.status, {answer.message.data(), answer.message.size()});
}

Outcome PluginSubject::Look(const Call& call, size_t run, bool* equal) {
  const Outcome first = OutcomeOf(run), second = OutcomeOf(run + 1);
  if (first.status != second.status && first.status != Outcome::kFailed &&
      second.status != Outcome::kFailed)
    return Broken("asked twice, it answered " + std::string(kStatusNames[first.status]) +
                  ", then " + kStatusNames[second.status]);
  if (first.status != Outcome::kOk && second.status != Outcome::kFailed) return first;
  if (second.status != Outcome::kOk) return second;
  const Laid &one = laid_[run], &other = laid_[run + 1];
  size_t n = 0;
  for (const auto& [role, view] : call.outputs) {
    const ConstTensorView a = one.outputs[n].view(), b = other.outputs[n].view();
    ++n;
    for (int64_t i = 0; i < view.count(); ++i) {
      const uint64_t bits = BitsAt(a, i), again = BitsAt(b, i);
      if (call.c->in_place.empty() && bits == Placement::Pattern(view.dtype, kJunks[0]) &&
          again == Placement::Pattern(view.dtype, kJunks[1]))
        return Broken("never wrote " + ElementText(role, view.shape, i));
      *equal &= bits == again;
      StoreBits(view.dtype, view.AddressOf(i), bits);
    }
  }
  return {};
}

// Two answers to one question differ. Why, is seen by asking again: with nothing changed, with
// other bytes in what belongs to no element, and with both changed as at first.
Outcome PluginSubject::Decide(const Call& call, const std::array<Bits, kRunsOfCase>& answers) {
  const auto ask = [&](Side side, Junk junk, Bits* bits) -> Outcome {
    EnsureWorker();
    arena_->Clear();
    laid_.clear();
    if (!Lay(call, side, junk)) throw std::runtime_error("no room for a case that had room");
    if (const std::optional<Worker::Death> death = Ask(1)) {
      worker_.reset();
      return Crash(*death, *call.c, 0);
    }
    *bits = BitsOf(laid_.front());
    return OutcomeOf(0);
  };
  Bits same[2], other_junk, other_side;
  for (const auto& [side, junk, bits] :
       {std::tuple(kSides[0], kJunks[0], &same[0]), std::tuple(kSides[0], kJunks[0], &same[1]),
        std::tuple(kSides[0], kJunks[1], &other_junk),
        std::tuple(kSides[1], kJunks[1], &other_side)})
    if (const Outcome outcome = ask(side, junk, bits); outcome.status != Outcome::kOk)
      return outcome;
  const auto differ = [&](const Bits& a, const Bits& b) {
    const auto at = std::mismatch(a.begin(), a.end(), b.begin()).first - a.begin();
    int64_t number = at;
    for (const auto& [role, view] : call.outputs) {
      if (number < view.count()) return ElementText(role, view.shape, number);
      number -= view.count();
    }
    return std::string();
  };
  if (same[0] != same[1]) return Broken("two equal calls differ at " + differ(same[0], same[1]));
  if (same[0] != other_junk)
    return Broken(differ(same[0], other_junk) +
                  " depends on memory that belongs to no element of an input");
  if (same[0] != answers[0])
    return Broken("two equal calls differ at " + differ(same[0], answers[0]));
  if (other_side != answers[1])
    return Broken("two equal calls differ at " + differ(other_side, answers[1]));
  // Where the tensors lie decides how it rounds: either answer is as good as the other, and over
  // many cases both are judged.
  uint64_t mixed = 0;
  for (const uint64_t bits : answers[0]) mixed ^= bits;
  const Bits& chosen = answers[static_cast<size_t>(std::popcount(mixed)) % 2];
  size_t n = 0;
  for (const auto& [role, view] : call.outputs)
    for (int64_t i = 0; i < view.count(); ++i)
      StoreBits(view.dtype, view.AddressOf(i), chosen[n++]);
  return {};
}

}  // namespace gnomon::oracle
