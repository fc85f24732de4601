#include "gnomon/oracle/process_subject.h"

#include <algorithm>
#include <cmath>

#include "gnomon/oracle/bad_file.h"
#include "gnomon/oracle/case_file.h"
#include "gnomon/oracle/safetensors.h"
#include "gnomon/oracle/strict_json.h"
#include "gnomon/oracle/text.h"
#include "gnomon/spec/rejected.h"

namespace gnomon::oracle {
namespace {

using properties::Call;
using properties::Outcome;

constexpr uint64_t kLongestDescription = uint64_t{1} << 20;
constexpr uint64_t kRoomOfAnAnswer = uint64_t{1} << 20;  // beside its elements: header or message
constexpr size_t kLongestMessage = 300;
constexpr int64_t kSinglesAskedAgain = 8;  // of as many, one

uint64_t LongestAnswer(const Call& call) {
  uint64_t bytes = kRoomOfAnAnswer;
  for (const auto& [role, view] : call.outputs)
    bytes += static_cast<uint64_t>(view.count() * SizeOf(view.dtype));
  return bytes;
}

// The tensors of an answer, which must be the outputs and nothing else. Throws BadFile.
TensorFile ReadAnswer(const Reply& answer, const Call& call) {
  const std::string name = "its answer";
  TensorFile file = ParseSafetensors(CopyBytes(answer.body), name);
  for (const auto& [role, view] : call.outputs) {
    const ConstTensorView& tensor = TensorNamed(file, role);
    if (tensor.dtype != view.dtype)
      throw BadFile(name,
                    role + " is " + std::string(gnomon::Name(tensor.dtype)) +
                        " where the case asks for " + std::string(gnomon::Name(view.dtype)),
                    "CASE-4");
    if (tensor.shape != view.shape)
      throw BadFile(name,
                    role + " has shape " + ShapeText(tensor.shape) + "; the case asks for " +
                        ShapeText(view.shape),
                    "CASE-4");
  }
  for (const auto& [tensor, view] : file.tensors)
    if (!call.outputs.count(tensor))
      throw BadFile(name, "holds " + Quoted(tensor) + ", which is no output", "SUBJ-5");
  for (const auto& [tensor, type] : file.unusable)
    throw BadFile(name, "holds " + Quoted(tensor) + ", which is no output", "SUBJ-5");
  return file;
}

Outcome Take(const Reply& answer, const Call& call) {
  if (answer.status != ReplyStatus::kOk) {
    constexpr Outcome::Status kStatus[] = {Outcome::kOk, Outcome::kUnsupported, Outcome::kRejected,
                                           Outcome::kFailed};
    return {kStatus[static_cast<size_t>(answer.status)],
            answer.body.empty() ? kNoMessage : Printable(answer.body, kLongestMessage)};
  }
  try {
    const TensorFile file = ReadAnswer(answer, call);
    for (const auto& [role, view] : call.outputs) {
      const ConstTensorView& tensor = file.tensors.at(role);
      for (int64_t i = 0; i < view.count(); ++i)
        StoreBits(view.dtype, view.AddressOf(i), BitsAt(tensor, i));
    }
    return {};
  } catch (const BadFile& error) {
    return {Outcome::kFailed, error.what()};
  }
}

}  // namespace

std::vector<std::string> SplitCommand(const std::string& command) {
  std::vector<std::string> words;
  bool in_word = false;
  char quote = 0;
  for (size_t i = 0; i < command.size(); ++i) {
    const char c = command[i];
    if (quote == 0 && (c == ' ' || c == '\t' || c == '\n')) {
      in_word = false;
      continue;
    }
    if (!in_word) words.emplace_back();
    in_word = true;
    if (c == quote) {
      quote = 0;
    } else if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
    } else if (c == '\\' && quote != '\'' && i + 1 < command.size()) {
      words.back() += command[++i];
    } else {
      words.back() += c;
    }
  }
  if (quote != 0) throw Rejected("--subject", command, "has a quote that is not closed", "SUBJ-5");
  if (words.empty() || words[0].empty())
    throw Rejected("--subject", "process:" + command, "names no program", "SUBJ-5");
  return words;
}

ProcessSubject::ProcessSubject(const std::string& command, const ProcessOptions& options)
    : arguments_(SplitCommand(command)), origin_("process:" + command), options_(options) {
  try {
    described_ = Start();
  } catch (const ChildDied& died) {
    throw BadFile(origin_, died.what(), "SUBJ-5");
  }
  description_ = ParseDescription(described_, origin_);
}

ProcessSubject::~ProcessSubject() {
  if (child_) child_->End(EncodeFrame(kBye, {}));
}

std::string ProcessSubject::Start() {
  child_.reset();  // two at a time may be one too many for its device
  child_ = std::make_unique<ChildProcess>(arguments_);
  const Bytes hello =
      EncodeFrame(kHello, std::as_bytes(std::span(std::string_view("{\"gnomon\":1}"))));
  const Bytes answer = child_->Ask(hello, kHello, kLongestDescription, options_.start_time);
  return {reinterpret_cast<const char*>(answer.data()), answer.size()};
}

void ProcessSubject::EnsureStarted() {
  if (child_ && child_->alive()) return;
  if (!dead_.empty()) throw ChildDied(dead_);
  for (int start = 0; start < kMostStarts; ++start) {
    try {
      if (Start() == described_) return;
      dead_ = "was started again and describes itself otherwise than before (SUBJ-1)";
      break;
    } catch (const ChildDied& died) {
      dead_ = std::string("cannot be started again: it ") + died.what();
    }
  }
  child_.reset();
  throw ChildDied(dead_);
}

std::vector<Outcome> ProcessSubject::RunBatch(const std::vector<Call>& calls) {
  std::vector<Outcome> outcomes;
  BeginBatch(calls.size());
  while (outcomes.size() < calls.size()) {
    std::vector<Question> batch;
    size_t bytes = 0;
    for (size_t i = outcomes.size(); i < calls.size() && batch.size() < batch_; ++i) {
      Question question{&calls[i], CaseFileBytes(*calls[i].c), {}};
      bytes += question.file.size();
      if (!batch.empty() && bytes > options_.batch_bytes) break;
      batch.push_back(std::move(question));
    }
    AskSafely(batch);
    if (batch.front().outcome.status == Outcome::kCrashed) DiedOn(*batch.front().call->c);
    for (Question& question : batch) outcomes.push_back(std::move(question.outcome));
  }
  return outcomes;
}

void ProcessSubject::Ask(Batch batch) {
  if (const std::string why = GivenUp(*batch.front().call->c); !why.empty()) {
    for (Question& question : batch) question.outcome = NotAsked(why);
    return;
  }
  EnsureStarted();
  std::vector<Bytes> files;
  uint64_t longest = sizeof(uint32_t);
  for (const Question& question : batch) {
    files.push_back(question.file);
    longest += LongestAnswer(*question.call);
  }
  // Equal calls have equal answers (SUBJ-6): one of a batch is asked twice.
  const size_t again = static_cast<size_t>(asked_++) % batch.size();
  const bool twice = batch.size() > 1 || asked_ % kSinglesAskedAgain == 0;
  if (twice) {
    files.push_back(batch[again].file);
    longest += LongestAnswer(*batch[again].call);
  }
  const std::chrono::milliseconds time =
      options_.case_time * static_cast<std::chrono::milliseconds::rep>(files.size());
  Bytes payload;
  try {
    payload = child_->Ask(EncodeFrame(kRun, EncodeRun(files)), kDone, longest, time);
  } catch (const ChildDied& died) {
    hangs_ += died.out_of_time && batch.size() == 1;
    throw;
  }
  std::vector<Reply> answers;
  try {
    answers = DecodeDone(payload, files.size());
  } catch (const BadFrame& error) {
    child_.reset();
    throw ChildDied(error.what());
  }
  answered_ = true;
  for (size_t i = 0; i < batch.size(); ++i) batch[i].outcome = Take(answers[i], *batch[i].call);
  if (twice) CompareAgain(answers[again], answers.back(), &batch[again]);
}

void ProcessSubject::CompareAgain(const Reply& first, const Reply& again,
                                  Question* question) const {
  if (question->outcome.status == Outcome::kFailed) return;
  const auto differs = [&](const std::string& how) {
    question->outcome = {Outcome::kFailed,
                         "two equal calls have different answers (SUBJ-6): " + how};
  };
  if (first.status != again.status) return differs("it refused one of them");
  if (first.status != ReplyStatus::kOk) return;
  try {
    const TensorFile one = ReadAnswer(first, *question->call);
    const TensorFile other = ReadAnswer(again, *question->call);
    for (const auto& [role, view] : question->call->outputs) {
      const ConstTensorView &a = one.tensors.at(role), &b = other.tensors.at(role);
      for (int64_t i = 0; i < view.count(); ++i)
        // Of a NaN, sign and payload are nobody's promise.
        if (BitsAt(a, i) != BitsAt(b, i) &&
            !(std::isnan(ValueAt(a, i)) && std::isnan(ValueAt(b, i))))
          return differs(role + ", element " + std::to_string(i) + ", is " + Hex(ValueAt(a, i)) +
                         ", then " + Hex(ValueAt(b, i)));
    }
  } catch (const BadFile& error) {
    differs(error.what());
  }
}

void ProcessSubject::Crash(const ChildDied& died, Batch batch, const std::string& more) const {
  std::string where = AskedText(*batch[0].call->c);
  if (batch.size() > 1) where += " and " + std::to_string(batch.size() - 1) + " more";
  for (Question& question : batch)
    question.outcome = {Outcome::kCrashed, "the process " + died.how + where + died.said + more,
                        died.out_of_time};
  if (dead_.empty()) return;
  // Nothing was asked, nor will be: one case shows it.
  for (Question& question : batch) question.outcome = NotAsked(GivenUp(*question.call->c));
  batch.front().outcome = {Outcome::kCrashed, "the process " + dead_};
}

void ProcessSubject::AskSafely(Batch batch) {
  try {
    Ask(batch);
    batch_ = std::min(2 * batch_, options_.batch_cases);
  } catch (const ChildDied& died) {
    batch_ = 1;
    Crash(died, batch);
    if (!dead_.empty()) return;
    const std::string first = batch.front().outcome.message;
    FindWhoDies(died, batch);
    if (dead_.empty()) return;
    // What it died of before is the reason that it had to be started again.
    for (Question& question : batch)
      if (question.outcome.message == "the process " + dead_)
        question.outcome.message = first + "; " + question.outcome.message;
  }
}

void ProcessSubject::FindWhoDies(const ChildDied& died, Batch batch) {
  if (batch.size() == 1) {
    // Once more, alone: what died of earlier cases answers now. A hang is not waited for again.
    if (!died.out_of_time && !OneByOne(batch))
      Crash(died, batch, "; asked again, a new process answered");
    return;
  }
  if (died.out_of_time ? OneByOne(batch) : Halve(batch)) return;
  hangs_ += died.out_of_time;
  Crash(died, batch,
        "; so it did on a batch of " + std::to_string(batch.size()) +
            " cases, and not when new processes were asked parts of it");
}

bool ProcessSubject::Halve(Batch batch) {
  bool dies = false;
  const size_t middle = batch.size() / 2;
  for (Batch half : {batch.first(middle), batch.subspan(middle)}) {
    child_.reset();
    try {
      Ask(half);
    } catch (const ChildDied& died) {
      dies = true;
      Crash(died, half);
      if (half.size() == 1 || !dead_.empty()) continue;
      if (died.out_of_time ? OneByOne(half) : Halve(half)) continue;
      hangs_ += died.out_of_time;
      Crash(died, half,
            "; so it did on " + std::to_string(half.size()) +
                " cases, and not when new processes were asked parts of them");
    }
  }
  return dies;
}

bool ProcessSubject::OneByOne(Batch batch) {
  bool dies = false;
  child_.reset();
  for (size_t i = 0; i < batch.size(); ++i) {
    try {
      Ask(batch.subspan(i, 1));
    } catch (const ChildDied& died) {
      dies = true;
      Crash(died, batch.subspan(i, 1));
    }
  }
  return dies;
}

}  // namespace gnomon::oracle
