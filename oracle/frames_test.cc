// Frames (SUBJ-5): whatever comes over the pipe is a frame, or one clear line.
#include "gnomon/oracle/frames.h"

#include <gtest/gtest.h>

#include <random>

namespace gnomon::oracle {
namespace {

std::span<const std::byte> Raw(std::string_view text) { return std::as_bytes(std::span(text)); }
Bytes Copy(std::string_view text) { return {Raw(text).begin(), Raw(text).end()}; }
std::string Text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

template <class Function>
std::string Refusal(const Function& function) {
  try {
    function();
  } catch (const BadFrame& error) {
    return error.what();
  }
  return "";
}
std::string FeedRefusal(std::string_view bytes, uint64_t longest = 100) {
  return Refusal([&] { FrameReader(kDone, longest).Feed(Raw(bytes)); });
}

TEST(Frames, TheBytesOfTheClause) {
  EXPECT_EQ(Text(EncodeFrame(kBye, {})), std::string("BYE_\0\0\0\0\0\0\0\0", 12));
  EXPECT_EQ(Text(EncodeFrame(kRun, EncodeRun({Copy("ab")}))),
            std::string("RUN_\x0e\0\0\0\0\0\0\0\x01\0\0\0\x02\0\0\0\0\0\0\0ab", 26));
  EXPECT_EQ(Text(EncodeDone({{ReplyStatus::kFailed, Raw("no")}})),
            std::string("\x03\0\0\0\x02\0\0\0\0\0\0\0no", 14));
}

TEST(Frames, InPiecesOfAnySize) {
  const Bytes frame = EncodeFrame(kDone, Raw("some payload"));
  for (size_t piece = 1; piece <= frame.size(); ++piece) {
    FrameReader reader(kDone, 12);
    EXPECT_FALSE(reader.begun());
    for (size_t at = 0; at < frame.size(); at += piece) {
      EXPECT_FALSE(reader.done());
      reader.Feed(std::span(frame).subspan(at, std::min(piece, frame.size() - at)));
    }
    ASSERT_TRUE(reader.done());
    EXPECT_EQ(Text(reader.payload()), "some payload");
  }
  FrameReader empty(kDone, 0);
  empty.Feed(EncodeFrame(kDone, {}));
  EXPECT_TRUE(empty.done());
}

TEST(Frames, WhatIsNoneIsSeenAtItsFirstByte) {
  EXPECT_EQ(FeedRefusal("D"), "");
  EXPECT_EQ(FeedRefusal("Da"), "wrote on its standard output what is no DONE frame: \"Da\"");
  EXPECT_EQ(FeedRefusal("hello\nworld\x01"),
            "wrote on its standard output what is no DONE frame: \"hello world?\"");
  EXPECT_EQ(FeedRefusal(std::string("DONE\x65\0\0\0\0\0\0\0", 12)),
            "sent a DONE of 101 bytes, more than the 100 that fit here");
  EXPECT_NE(FeedRefusal("DONE\xff\xff\xff\xff\xff\xff\xff\xff"), "");
  EXPECT_EQ(FeedRefusal(Text(EncodeFrame(kDone, Raw("ab"))) + "c\n"),
            "wrote on its standard output after its DONE frame: \"c\"");
}

TEST(Frames, AnswersAreAsManyAsTheCases) {
  const Bytes two = EncodeDone({{ReplyStatus::kOk, Raw("file")}, {ReplyStatus::kRejected, {}}});
  const std::vector<Reply> answers = DecodeDone(two, 2);
  EXPECT_EQ(Text(answers[0].body), "file");
  EXPECT_EQ(answers[1].status, ReplyStatus::kRejected);
  const auto refusal = [](std::span<const std::byte> payload, size_t count) {
    return Refusal([&] { DecodeDone(payload, count); });
  };
  EXPECT_EQ(refusal(two, 3), "sent a DONE with 2 answers to 3 cases");
  EXPECT_EQ(refusal(two, 1), "sent a DONE with 12 bytes after its 1 answers");
  for (size_t cut = 1; cut < two.size(); ++cut)
    EXPECT_NE(refusal(std::span(two).first(cut), 2), "") << cut;
  EXPECT_EQ(refusal(EncodeDone({{static_cast<ReplyStatus>(4), {}}}), 1),
            "sent a DONE with status 4, which is none");
  Bytes long_one = EncodeDone({{ReplyStatus::kOk, Raw("file")}});
  for (size_t i = 4; i < 12; ++i) long_one[i] = std::byte{0xff};
  EXPECT_EQ(refusal(long_one, 1),
            "sent a DONE whose answer needs 18446744073709551615 bytes where 4 are left");
}

TEST(Frames, CasesComeBack) {
  const Bytes payload = EncodeRun({Copy("one"), {}, Copy("three")});
  const auto cases = DecodeRun(payload);
  ASSERT_EQ(cases.size(), 3u);
  EXPECT_EQ(Text(cases[0]) + "," + Text(cases[1]) + "," + Text(cases[2]), "one,,three");
  for (size_t cut = 0; cut < payload.size(); ++cut)
    EXPECT_NE(Refusal([&] { DecodeRun(std::span(payload).first(cut)); }), "") << cut;
}

// No bytes do anything but give a frame or throw BadFrame.
TEST(Frames, HostileBytes) {
  std::mt19937_64 random(5);
  const Bytes good =
      EncodeDone({{ReplyStatus::kOk, Raw("file")}, {ReplyStatus::kFailed, Raw("x")}});
  int decoded = 0, refused = 0;
  for (int round = 0; round < 20000; ++round) {
    Bytes bytes = good;
    for (uint64_t changes = random() % 4; changes > 0; --changes)
      bytes[random() % bytes.size()] =
          static_cast<std::byte>(random() % 3 ? random() % 5 : random());
    bytes.resize(bytes.size() - random() % 3);
    try {
      for (const Reply& answer : DecodeDone(bytes, 2)) ASSERT_LE(answer.body.size(), bytes.size());
      ++decoded;
    } catch (const BadFrame&) {
      ++refused;
    }
    try {
      DecodeRun(bytes);
    } catch (const BadFrame&) {
    }
    try {
      FrameReader reader(kDone, 64);
      reader.Feed(bytes);
    } catch (const BadFrame&) {
    }
  }
  EXPECT_GT(decoded, 100);
  EXPECT_GT(refused, 100);
}

TEST(Frames, BytesOfOthersAreOneLine) {
  EXPECT_EQ(Printable(Raw("a\n\n  b\x7f\xff\n"), 100), "\"a b??\"");
  EXPECT_EQ(Printable(Raw("abcdef"), 3), "\"ab ... f\"");
  EXPECT_EQ(Printable({}, 3), "\"\"");
}

}  // namespace
}  // namespace gnomon::oracle
