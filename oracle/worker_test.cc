// What plug-ins leave behind: no process, no descriptor, whatever they did.
#include "gnomon/oracle/worker.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "gnomon/oracle/testing/evil.h"
#include "gnomon/properties/trial.h"

namespace gnomon::oracle {
namespace {

using properties::Outcome;

int64_t OpenDescriptors() {
  const auto entries = std::filesystem::directory_iterator("/proc/self/fd");
  return std::distance(begin(entries), end(entries));
}

Outcome Ask(PluginSubject& subject) {
  const Case c = RopeCase(40);
  Outputs outputs = properties::GuardedOutputs(c);
  return subject.Run(c, {{"y", outputs.at("y").view()}});
}

// True once there are no children, zombies included; those that end meanwhile are reaped.
bool ChildrenEnd() {
  for (int i = 0; i < 500; ++i) {
    const pid_t pid = waitpid(-1, nullptr, WNOHANG);
    if (pid < 0) return true;
    if (pid == 0) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

TEST(Worker, NothingIsLeftOfIt) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);  // what its children leave behind becomes ours
  { PluginSubject warm = Evil("good"); }
  const int64_t before = OpenDescriptors();
  for (const char* evil : {"good", "segv", "abort", "stdout", "stop", "fork", "fork_and_return"}) {
    PluginSubject subject = Evil(evil);
    for (int i = 0; i < 10; ++i) Ask(subject);
  }
  for (const char* evil : {"get_null", "get_crashes", "garbage"}) EXPECT_ANY_THROW(Evil(evil));
  EXPECT_EQ(OpenDescriptors(), before);
  EXPECT_TRUE(ChildrenEnd());
}

// The host is killed while its plug-in hangs.
TEST(Worker, DiesWithItsHost) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t host = fork();
  if (host == 0) {
    SetEvil("hang");
    WorkerLimits limits;
    limits.run_seconds = 1000;
    PluginSubject subject(kEvilPlugin, limits);
    if (write(ready[1], "x", 1) != 1) _exit(1);
    Ask(subject);
    _exit(0);
  }
  char byte;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  kill(host, SIGKILL);
  int status = 0;
  ASSERT_EQ(waitpid(host, &status, 0), host);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_TRUE(ChildrenEnd());
  for (const int fd : ready) close(fd);
}

// A worker dies with the thread that made it; the subject makes another.
TEST(Worker, TheThreadThatMadeItMayEnd) {
  std::unique_ptr<PluginSubject> subject;
  std::thread([&] {
    SetEvil("good");
    subject = std::make_unique<PluginSubject>(kEvilPlugin, TestLimits());
    EXPECT_EQ(Ask(*subject).status, Outcome::kOk);
  }).join();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  for (int i = 0; i < 3; ++i) {
    const Outcome outcome = Ask(*subject);
    EXPECT_EQ(outcome.status, Outcome::kOk) << outcome.message;
  }
}

TEST(Worker, TheHostsHandlersAndMaskAreNotInherited) {
  struct sigaction ours = {}, before = {};
  ours.sa_handler = [](int) { _exit(99); };
  sigaction(SIGFPE, &ours, &before);
  sigset_t all, old;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  PluginSubject subject = Evil("fpe");
  EXPECT_EQ(Ask(subject).message,
            "SIGFPE; asked rope.apply f32 positions[2] x[1, 2, 1, 8] (SUBJ-7)");
  pthread_sigmask(SIG_SETMASK, &old, nullptr);
  sigaction(SIGFPE, &before, nullptr);
}

// Where the host ignores SIGCHLD nobody can learn how a child ended.
TEST(Worker, AHostThatReapsItsChildren) {
  signal(SIGCHLD, SIG_IGN);
  PluginSubject subject = Evil("abort");
  const Outcome outcome = Ask(subject);
  signal(SIGCHLD, SIG_DFL);
  EXPECT_EQ(outcome.status, Outcome::kCrashed);
  EXPECT_EQ(outcome.message,
            "vanished; asked rope.apply f32 positions[2] x[1, 2, 1, 8]; its standard error: "
            "\"assertion failed: seq < 7\" (SUBJ-7)");
}

}  // namespace
}  // namespace gnomon::oracle
