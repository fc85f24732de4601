// How children end, in words; and the words that start one.
#include "gnomon/oracle/child.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include "gnomon/oracle/process_subject.h"
#include "gnomon/spec/rejected.h"

namespace gnomon::oracle {
namespace {

TEST(SplitCommand, Words) {
  const auto words = [](const std::string& text) {
    std::string all;
    for (const std::string& word : SplitCommand(text)) all += "[" + word + "]";
    return all;
  };
  EXPECT_EQ(words("python3 my.py --flag"), "[python3][my.py][--flag]");
  EXPECT_EQ(words("  a\t 'b  c'd \"e\\\"f\" g\\ h '' '\\'"), "[a][b  cd][e\"f][g h][][\\]");
  EXPECT_THROW(SplitCommand(""), Rejected);
  EXPECT_THROW(SplitCommand("  "), Rejected);
  EXPECT_THROW(SplitCommand("a 'b"), Rejected);
}

// The end of a child that does `what` and then sleeps.
ChildEnd End(void (*what)()) {
  const pid_t pid = fork();
  if (pid == 0) {
    what();
    for (;;) pause();
  }
  std::optional<ChildEnd> end;
  for (int i = 0; i < 1000 && !(end = EndOf(pid)); ++i) usleep(10000);
  EXPECT_TRUE(EndOf(pid)) << "its number is still its own";
  KillAndReap(pid);
  return end.value_or(ChildEnd{"none"});
}

TEST(EndOf, IsNamed) {
  EXPECT_EQ(End([] { _exit(3); }).how, "exited with status 3");
  EXPECT_FALSE(End([] { _exit(3); }).signal);
  EXPECT_EQ(End([] { raise(SIGKILL); }).how, "SIGKILL");
  EXPECT_TRUE(End([] { raise(SIGKILL); }).signal);
  EXPECT_EQ(End([] { raise(SIGSTOP); }).how, "stopped by SIGSTOP");
  EXPECT_EQ(EndOf(getppid())->how, "vanished");  // no child of ours
}

TEST(SaidText, KeepsTheBeginningAndTheEnd) {
  EXPECT_EQ(SaidText(""), "");
  EXPECT_EQ(SaidText(" \n"), "");
  EXPECT_EQ(SaidText("one\ntwo \x01\n"), "; its standard error: \"one two ?\"");
  const std::string said =
      SaidText("panicked at 'len'\n" + std::string(5000, '.') + "\naborting\n");
  EXPECT_EQ(said.rfind("; its standard error: \"panicked at 'len' ....", 0), 0u) << said;
  EXPECT_NE(said.find(".. ... .."), std::string::npos) << said;
  EXPECT_TRUE(said.ends_with(".... aborting\"")) << said;
  EXPECT_LT(said.size(), 450u);
}

TEST(AskedText, NamesOperationFormatAndShapes) {
  Case c;
  c.operation = "rope.apply";
  c.format = Format::kBf16;
  c.inputs = {{"x", Tensor(DType::kBf16, {1, 2, 3, 4})}, {"positions", Tensor(DType::kI64, {2})}};
  EXPECT_EQ(AskedText(c), "; asked rope.apply bf16 positions[2] x[1, 2, 3, 4]");
  c.in_place.assign(1, 'x');
  EXPECT_EQ(AskedText(c), "; asked rope.apply bf16 positions[2] x[1, 2, 3, 4] in place");
}

}  // namespace
}  // namespace gnomon::oracle
