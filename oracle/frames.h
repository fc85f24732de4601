// The frames between Gnomon and a process (SUBJ-5), as bytes. What comes from a process is never
// trusted: every reader here takes hostile bytes.
#ifndef GNOMON_ORACLE_FRAMES_H_
#define GNOMON_ORACLE_FRAMES_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace gnomon::oracle {

using Bytes = std::vector<std::byte>;

inline constexpr std::string_view kHello = "HELO", kRun = "RUN_", kDone = "DONE", kBye = "BYE_";
inline constexpr size_t kFrameHeader = 12;  // bytes: type and length

// What a process did that SUBJ-5 does not allow, in words that go on with "it".
class BadFrame : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

Bytes EncodeFrame(std::string_view type, std::span<const std::byte> payload);

// One frame out of bytes that come in pieces. The first byte that cannot belong to it is an error:
// who waits for the end of what is no frame waits for ever.
class FrameReader {
 public:
  // Expects that type, and refuses a payload of more than `longest` bytes.
  FrameReader(std::string_view type, uint64_t longest) : type_(type), longest_(longest) {}

  // Throws BadFrame.
  void Feed(std::span<const std::byte> bytes);
  bool done() const {
    return bytes_.size() >= kFrameHeader && bytes_.size() - kFrameHeader == length_;
  }
  bool begun() const { return !bytes_.empty(); }
  std::span<const std::byte> payload() const { return std::span(bytes_).subspan(kFrameHeader); }

 private:
  std::string type_;
  uint64_t longest_;
  uint64_t length_ = 0;
  Bytes bytes_;
};

// The payload of RUN_: case files. Decoding is for processes written in C++. Throws BadFrame.
Bytes EncodeRun(const std::vector<Bytes>& cases);
std::vector<std::span<const std::byte>> DecodeRun(std::span<const std::byte> payload);

// The payload of DONE.
enum class ReplyStatus : uint32_t { kOk, kUnsupported, kRejected, kFailed };
struct Reply {
  ReplyStatus status = ReplyStatus::kOk;
  std::span<const std::byte> body;  // a safetensors file, or a message
};
Bytes EncodeDone(const std::vector<Reply>& answers);
// Throws BadFrame unless there are `count` answers, and nothing else.
std::vector<Reply> DecodeDone(std::span<const std::byte> payload, size_t count);

// Bytes of others as one quoted line of text (`Excerpt`).
std::string Printable(std::span<const std::byte> bytes, size_t longest);

}  // namespace gnomon::oracle

#endif  // GNOMON_ORACLE_FRAMES_H_
