// A plug-in behind a pipe, and as a program that answers files: the same kernel in all three ways
// (run_cases_test.cc, process_bench.cc).
//
// Usage: plugin_bridge LIBRARY [FILE...]. Without files it is a process (SUBJ-5).
#include <cstring>
#include <iostream>

#include "gnomon/oracle/case_file.h"
#include "gnomon/oracle/files.h"
#include "gnomon/oracle/frames.h"
#include "gnomon/oracle/plugin_library.h"
#include "gnomon/oracle/safetensors.h"
#include "gnomon/properties/trial.h"

namespace gnomon::oracle {
namespace {

using properties::Outcome;

Outcome Run(const PluginLibrary& library, const Case& c, Outputs* outputs) {
  *outputs = properties::GuardedOutputs(c);
  properties::OutputViews views;
  for (auto& [role, tensor] : *outputs) views.emplace(role, tensor.view());
  return RunPlugin(library, c, views);
}

bool Read(size_t size, Bytes* bytes) {
  bytes->resize(size);
  return size == 0 || std::fread(bytes->data(), size, 1, stdin) == 1;
}
void Send(std::string_view type, std::span<const std::byte> payload) {
  const Bytes frame = EncodeFrame(type, payload);
  std::fwrite(frame.data(), frame.size(), 1, stdout);
  std::fflush(stdout);
}

Bytes AnswerBatch(const PluginLibrary& library, std::span<const std::byte> payload) {
  std::vector<Bytes> bodies;
  std::vector<ReplyStatus> statuses;
  for (const std::span<const std::byte> file : DecodeRun(payload)) {
    const Case c = ReadRecording(ParseSafetensors(CopyBytes(file), "the case"), {}).c;
    Outputs outputs;
    const Outcome outcome = Run(library, c, &outputs);
    statuses.push_back(static_cast<ReplyStatus>(outcome.status));
    if (outcome.status != Outcome::kOk) {
      const auto message = std::as_bytes(std::span(outcome.message));
      bodies.emplace_back(message.begin(), message.end());
      continue;
    }
    std::map<std::string, ConstTensorView> tensors;
    for (const auto& [role, tensor] : outputs) tensors[role] = tensor.view();
    bodies.push_back(SafetensorsBytes(tensors, {}));
  }
  std::vector<Reply> replies;
  for (size_t i = 0; i < bodies.size(); ++i) replies.push_back({statuses[i], bodies[i]});
  return EncodeDone(replies);
}

int Serve(const PluginLibrary& library) {
  Bytes header, payload;
  while (Read(kFrameHeader, &header)) {
    const std::string type(reinterpret_cast<const char*>(header.data()), kHello.size());
    uint64_t length;
    std::memcpy(&length, header.data() + kHello.size(), sizeof length);
    if (!Read(length, &payload) || type == kBye) return 0;
    if (type == kHello) {
      Send(kHello, std::as_bytes(std::span(library.description_text())));
    } else {
      Send(kDone, AnswerBatch(library, payload));
    }
  }
  return 0;
}

}  // namespace
}  // namespace gnomon::oracle

int main(int count, char** arguments) {
  using namespace gnomon::oracle;
  try {
    const PluginLibrary library(arguments[1]);
    if (count == 2) return Serve(library);
    for (int i = 2; i < count; ++i) {
      const gnomon::Case c = ReadCaseFile(arguments[i]).c;
      gnomon::Outputs outputs;
      const auto outcome = Run(library, c, &outputs);
      if (outcome.status != gnomon::properties::Outcome::kOk)
        throw std::runtime_error(outcome.message);
      WriteCaseFile(arguments[i], c, outputs);
    }
    return 0;
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
