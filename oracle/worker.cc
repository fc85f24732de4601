#include "gnomon/oracle/worker.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <system_error>

#include "gnomon/oracle/bad_file.h"
#include "gnomon/oracle/text.h"
#include "gnomon/oracle/worker_child.h"

namespace gnomon::oracle {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kPrintedShown = 200;
constexpr off_t kKept = off_t{1} << 20;  // of what a plug-in writes on a standard stream

// A file in memory that cannot grow beyond kKept, whatever is written to it; not one of 0 to 2.
int MemoryFile(const char* name) {
  const Descriptor first(memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
  const int fd = fcntl(first.get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (fd < 0 || ftruncate(fd, kKept) != 0 || fcntl(fd, F_ADD_SEALS, F_SEAL_GROW) != 0)
    throw std::system_error(errno, std::generic_category(), "memory for a plug-in's output");
  return fd;
}

// What was written since the file was rewound, but for the first bytes.
std::string Written(int fd, off_t from) {
  const off_t size = std::min(lseek(fd, 0, SEEK_CUR), kKept);
  from = std::min(from, std::max<off_t>(size, 0));
  std::string text(static_cast<size_t>(std::max<off_t>(size - from, 0)), 0);
  const ssize_t read = pread(fd, text.data(), text.size(), from);
  text.resize(static_cast<size_t>(std::max<ssize_t>(0, read)));
  return text;
}

std::string Seconds(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%g s", seconds);
  return text;
}

}  // namespace

Worker::Worker(Arena& arena, const std::string& path, const WorkerLimits& limits)
    : arena_(arena), limits_(limits), out_(MemoryFile("stdout")), err_(MemoryFile("stderr")) {
  Control& control = arena.control();
  control.request = control.taken = control.done = control.current = control.said = control.loaded =
      control.text_size = 0;
  control.fault = Fault();
  const ChildSetup setup = {path, getpid(), out_.get(), err_.get(), limits.memory_bytes};
  pid_ = fork();
  if (pid_ == 0) BeChild(arena, setup);
  if (pid_ < 0) throw std::system_error(errno, std::generic_category(), "a process for a plug-in");
  setpgid(pid_, pid_);  // both sides: whoever comes first
  if (const std::optional<Death> death = Wait(Phase::kLoading, 0))
    throw BadFile(path, "loading it: " + death->how + death->said, "SUBJ-4");
  const size_t size = std::min<size_t>(control.text_size, Arena::kTextBytes);
  text_.assign(arena.text(), size);
  const bool loaded = control.loaded == 1;
  const std::string printed = OnStandardOutput();
  if (loaded && printed.empty()) return;
  Buried("");
  if (!loaded) throw BadFile::Again(text_);
  throw BadFile(path, "loading it: wrote on standard output: " + printed, "SUBJ-7");
}

Worker::~Worker() {
  if (alive()) Buried("");
}

std::optional<Worker::Death> Worker::Answer(uint32_t count) {
  Control& control = arena_.control();
  arena_.questions().count = count;
  for (const int fd : {out_.get(), err_.get()}) lseek(fd, 0, SEEK_SET);
  control.current = control.said = 0;
  control.request.store(++number_, std::memory_order_release);
  FutexWake(&control.request);
  return Wait(Phase::kAnswering, number_);
}

std::string Worker::OnStandardOutput() const {
  return lseek(out_.get(), 0, SEEK_CUR) == 0 ? "" : Excerpt(Written(out_.get(), 0), kPrintedShown);
}

std::optional<Worker::Death> Worker::Wait(Phase phase, uint32_t number) {
  constexpr int64_t kNap = 1'000'000, kLongNap = 10'000'000;  // ns between looks at its health
  Control& control = arena_.control();
  std::atomic<uint32_t>& word = phase == Phase::kLoading ? control.loaded : control.done;
  const double limit = phase == Phase::kLoading ? limits_.load_seconds : limits_.run_seconds;
  const auto answered = [&](uint32_t value) {
    return phase == Phase::kLoading ? value != 0 : value == number;
  };
  Clock::time_point since = Clock::now();
  uint32_t under_way = 0;
  int64_t nap = kNap;
  for (;;) {
    const uint32_t value = word.load(std::memory_order_acquire);
    if (answered(value)) return std::nullopt;
    FutexWait(&word, value, nap);
    if (answered(word.load(std::memory_order_acquire))) return std::nullopt;
    const std::optional<ChildEnd> end = EndOf(pid_);
    // It may have answered and then died.
    if (end && answered(word.load(std::memory_order_acquire))) return std::nullopt;
    if (end) return Buried(end->how);
    const uint32_t now_under_way = control.current.load(std::memory_order_relaxed);
    const Clock::time_point now = Clock::now();
    if (now_under_way != under_way) {
      under_way = now_under_way;
      since = now;
      nap = kNap;
    }
    const double elapsed = std::chrono::duration<double>(now - since).count();
    if (elapsed > limit) {
      Death death = Buried("no answer within " + Seconds(limit));
      death.out_of_time = true;
      return death;
    }
    if (elapsed > 0.1) nap = kLongNap;
  }
}

Worker::Death Worker::Buried(std::string how) {
  KillAndReap(pid_);
  pid_ = -1;
  const Control& control = arena_.control();
  Death death{std::move(how),  SaidText(Written(err_.get(), control.said)),
              control.current, control.taken == number_,
              std::nullopt,    false};
  if (control.fault.seen == 1) death.fault = control.fault;
  return death;
}

}  // namespace gnomon::oracle
