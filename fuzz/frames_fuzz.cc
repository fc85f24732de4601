// What comes from a process or plug-in (SUBJ-1, SUBJ-5): four bytes of type and a payload. Every
// reader takes it or throws, what is taken is written again as it was, and it does not matter in
// which pieces a frame comes.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <span>
#include <string>

#include "gnomon/oracle/bad_file.h"
#include "gnomon/oracle/description.h"
#include "gnomon/oracle/frames.h"
#include "gnomon/oracle/safetensors.h"
#include "gnomon/spec/rejected.h"
#include "gnomon/spec/schemes.h"

namespace {

using namespace gnomon;
using oracle::Bytes;
using Span = std::span<const std::byte>;

void Require(bool holds) {
  if (!holds) std::abort();
}

// The payload, where the bytes are one frame; empty where they are refused or end too soon.
std::optional<Bytes> Read(Span bytes, std::string_view type, size_t piece) {
  oracle::FrameReader reader(type, uint64_t{1} << 16);
  try {
    for (size_t from = 0; from < bytes.size(); from += piece)
      reader.Feed(bytes.subspan(from, std::min(piece, bytes.size() - from)));
  } catch (const oracle::BadFrame&) {
    return std::nullopt;
  }
  if (!reader.done()) return std::nullopt;
  return Bytes(reader.payload().begin(), reader.payload().end());
}

void ReadDescription(Span payload) {
  const std::string text(reinterpret_cast<const char*>(payload.data()), payload.size());
  try {
    const oracle::Description d = oracle::ParseDescription(text, "fuzz");
    Require(d.promise < kProfiles.size() && !d.operations.empty() && d.alignment >= 1);
    for (const auto& [name, declared] : d.operations)
      Require(FindOperation(name) != nullptr && d.Declares(name, declared.formats.at(0)));
  } catch (const oracle::BadFile& error) {
    Require(std::string(error.what()).find('\n') == std::string::npos);
  }
}

void ReadRun(Span payload) {
  std::vector<Bytes> cases;
  for (const Span c : oracle::DecodeRun(payload)) cases.emplace_back(c.begin(), c.end());
  Require(std::ranges::equal(oracle::EncodeRun(cases), payload));
}

void ReadDone(Span payload, size_t count) {
  const std::vector<oracle::Reply> answers = oracle::DecodeDone(payload, count);
  Require(answers.size() == count && std::ranges::equal(oracle::EncodeDone(answers), payload));
  for (const oracle::Reply& answer : answers) {
    Require(oracle::Printable(answer.body, 60).find('\n') == std::string::npos);
    try {
      oracle::ParseSafetensors(oracle::CopyBytes(answer.body), "fuzz");
    } catch (const oracle::BadFile&) {
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const Span bytes(reinterpret_cast<const std::byte*>(data), size);
  for (const std::string_view type : {oracle::kHello, oracle::kRun, oracle::kDone}) {
    const std::optional<Bytes> whole = Read(bytes, type, std::max<size_t>(size, 1));
    for (const size_t piece : {1, 5, 13}) Require(Read(bytes, type, piece) == whole);
    if (size < type.size() || !std::equal(type.begin(), type.end(), data)) continue;
    const Span payload = bytes.subspan(type.size());
    const std::optional<Bytes> read = Read(oracle::EncodeFrame(type, payload), type, 7);
    Require(read.has_value() == (payload.size() <= uint64_t{1} << 16));
    Require(!read || std::ranges::equal(*read, payload));
    if (type == oracle::kHello) ReadDescription(payload);
    for (size_t count = 0; count < 5; ++count) try {
        if (type == oracle::kRun) ReadRun(payload);
        if (type == oracle::kDone) ReadDone(payload, count);
      } catch (const oracle::BadFrame&) {
      }
  }
  return 0;
}
