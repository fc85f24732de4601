#include "gnomon/oracle/frames.h"

#include <algorithm>
#include <cstring>

#include "gnomon/oracle/text.h"

namespace gnomon::oracle {
namespace {

// Not insert: g++ 12 sees an overflow in it that is not there.
void Append(std::span<const std::byte> more, Bytes* bytes) {
  const size_t before = bytes->size();
  bytes->resize(before + more.size());
  if (!more.empty()) std::memcpy(bytes->data() + before, more.data(), more.size());
}
template <class Integer>
void AppendInteger(Integer number, Bytes* bytes) {
  Append(std::as_bytes(std::span(&number, 1)), bytes);
}

// Takes integers and stretches of bytes off the front of a payload.
class Cursor {
 public:
  Cursor(std::span<const std::byte> rest, std::string_view type) : rest_(rest), type_(type) {}

  template <class Integer>
  Integer Take(const char* what) {
    Integer number;
    const std::span<const std::byte> raw = Take(sizeof number, what);
    std::memcpy(&number, raw.data(), sizeof number);
    return number;
  }
  std::span<const std::byte> Take(uint64_t size, const char* what) {
    if (size > rest_.size())
      throw BadFrame("sent a " + type_ + " whose " + what + " needs " + std::to_string(size) +
                     " bytes where " + std::to_string(rest_.size()) + " are left");
    const std::span<const std::byte> taken = rest_.first(static_cast<size_t>(size));
    rest_ = rest_.subspan(taken.size());
    return taken;
  }
  size_t left() const { return rest_.size(); }

 private:
  std::span<const std::byte> rest_;
  std::string type_;
};

}  // namespace

Bytes EncodeFrame(std::string_view type, std::span<const std::byte> payload) {
  Bytes bytes;
  bytes.reserve(kFrameHeader + payload.size());
  Append(std::as_bytes(std::span(type)), &bytes);
  AppendInteger(static_cast<uint64_t>(payload.size()), &bytes);
  Append(payload, &bytes);
  return bytes;
}

void FrameReader::Feed(std::span<const std::byte> bytes) {
  for (size_t i = 0; i < bytes.size() && bytes_.size() + i < type_.size(); ++i)
    if (static_cast<char>(bytes[i]) != type_[bytes_.size() + i]) {
      Append(bytes, &bytes_);
      throw BadFrame("wrote on its standard output what is no " + type_ +
                     " frame: " + Printable(bytes_, 60));
    }
  const bool length_known = bytes_.size() >= kFrameHeader;
  Append(bytes, &bytes_);
  if (bytes_.size() < kFrameHeader) return;
  if (!length_known) {
    std::memcpy(&length_, bytes_.data() + type_.size(), sizeof length_);
    if (length_ > longest_)
      throw BadFrame("sent a " + type_ + " of " + std::to_string(length_) +
                     " bytes, more than the " + std::to_string(longest_) + " that fit here");
  }
  const size_t have = bytes_.size() - kFrameHeader;
  if (have > length_)
    throw BadFrame("wrote on its standard output after its " + type_ +
                   " frame: " + Printable(std::span(bytes_).subspan(kFrameHeader + length_), 60));
}

Bytes EncodeRun(const std::vector<Bytes>& cases) {
  size_t size = sizeof(uint32_t);
  for (const Bytes& c : cases) size += sizeof(uint64_t) + c.size();
  Bytes payload;
  payload.reserve(size);
  AppendInteger(static_cast<uint32_t>(cases.size()), &payload);
  for (const Bytes& c : cases) {
    AppendInteger(static_cast<uint64_t>(c.size()), &payload);
    Append(c, &payload);
  }
  return payload;
}

std::vector<std::span<const std::byte>> DecodeRun(std::span<const std::byte> payload) {
  Cursor cursor(payload, std::string(kRun));
  std::vector<std::span<const std::byte>> cases;
  for (uint32_t left = cursor.Take<uint32_t>("count"); left > 0; --left)
    cases.push_back(cursor.Take(cursor.Take<uint64_t>("length"), "case"));
  if (cursor.left() > 0)
    throw BadFrame("sent a RUN_ with " + std::to_string(cursor.left()) + " bytes too many");
  return cases;
}

Bytes EncodeDone(const std::vector<Reply>& answers) {
  Bytes payload;
  for (const Reply& answer : answers) {
    AppendInteger(static_cast<uint32_t>(answer.status), &payload);
    AppendInteger(static_cast<uint64_t>(answer.body.size()), &payload);
    Append(answer.body, &payload);
  }
  return payload;
}

std::vector<Reply> DecodeDone(std::span<const std::byte> payload, size_t count) {
  Cursor cursor(payload, std::string(kDone));
  std::vector<Reply> answers;
  while (answers.size() < count) {
    if (cursor.left() == 0)
      throw BadFrame("sent a DONE with " + std::to_string(answers.size()) + " answers to " +
                     std::to_string(count) + " cases");
    const uint32_t status = cursor.Take<uint32_t>("status");
    if (status > static_cast<uint32_t>(ReplyStatus::kFailed))
      throw BadFrame("sent a DONE with status " + std::to_string(status) + ", which is none");
    const uint64_t length = cursor.Take<uint64_t>("length");
    answers.push_back({static_cast<ReplyStatus>(status), cursor.Take(length, "answer")});
  }
  if (cursor.left() > 0)
    throw BadFrame("sent a DONE with " + std::to_string(cursor.left()) + " bytes after its " +
                   std::to_string(count) + " answers");
  return answers;
}

std::string Printable(std::span<const std::byte> bytes, size_t longest) {
  std::string text = "\"";
  text += Excerpt({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, longest);
  return text += '"';
}

}  // namespace gnomon::oracle
