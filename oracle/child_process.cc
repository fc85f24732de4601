#include "gnomon/oracle/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <thread>

namespace gnomon::oracle {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr size_t kErrorsKept = 4096;  // a half of it from the beginning
constexpr milliseconds kGrace(500);   // to die of what closed its pipes, or to take a farewell

// Both ends beyond the standard descriptors, and closed in whatever is executed.
std::array<int, 2> MakePipe() {
  std::array<int, 2> ends;
  if (pipe2(ends.data(), O_CLOEXEC) != 0)
    throw ChildDied(std::string("cannot be given a pipe: ") + std::strerror(errno));
  for (int& end : ends) {
    if (end > STDERR_FILENO) continue;
    const int higher = fcntl(end, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    close(end);
    end = higher;
  }
  return ends;
}

// A write to a closed pipe is an error here and no signal, whatever the program at large does about
// SIGPIPE.
class NoPipeSignal {
 public:
  NoPipeSignal() {
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~NoPipeSignal() {
    const timespec now = {0, 0};
    if (!was_pending_)
      while (sigtimedwait(&pipe_, nullptr, &now) < 0 && errno == EINTR) {
      }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t pipe_, before_;
  bool was_pending_ = false;
};

// Between fork and exec: only what POSIX allows there.
[[noreturn]] void BecomeTheProgram(char* const* arguments, const std::array<int, 3>& streams,
                                   int failure, [[maybe_unused]] pid_t parent) {
  setpgid(0, 0);
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);
#endif
  signal(SIGPIPE, SIG_DFL);
  for (int i = 0; i < 3; ++i) dup2(streams[static_cast<size_t>(i)], i);
  execvp(arguments[0], arguments);
  const int reason = errno;
  [[maybe_unused]] const ssize_t put = write(failure, &reason, sizeof reason);
  _exit(127);
}

}  // namespace

ChildProcess::ChildProcess(const std::vector<std::string>& arguments) {
  std::array<int, 2> in = MakePipe(), out = MakePipe(), err = MakePipe(), failure = MakePipe();
  std::vector<char*> pointers;
  for (const std::string& argument : arguments)
    pointers.push_back(const_cast<char*>(argument.c_str()));
  pointers.push_back(nullptr);
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ == 0) BecomeTheProgram(pointers.data(), {in[0], out[1], err[1]}, failure[1], parent);
  const int fork_error = errno;
  for (int end : {in[0], out[1], err[1], failure[1]}) close(end);
  in_.Reset(in[1]);
  out_.Reset(out[0]);
  err_.Reset(err[0]);
  int reason = pid_ < 0 ? fork_error : 0;
  if (pid_ > 0) {
    setpgid(pid_, pid_);  // whichever of the two comes first
    while (read(failure[0], &reason, sizeof reason) < 0 && errno == EINTR) {
    }
  }
  close(failure[0]);
  for (const Descriptor* end : {&in_, &out_, &err_}) fcntl(end->get(), F_SETFL, O_NONBLOCK);
  if (reason == 0) return;
  Kill();
  throw ChildDied(arguments[0] + " cannot be started: " + std::strerror(reason));
}

ChildProcess::~ChildProcess() { Kill(); }

Bytes ChildProcess::Ask(std::span<const std::byte> question, std::string_view answer_type,
                        uint64_t longest, milliseconds time) {
  if (!alive()) throw ChildDied("is dead");
  const NoPipeSignal guard;
  const Clock::time_point deadline = Clock::now() + time;
  const std::string before = "before its " + std::string(answer_type);
  try {
    if (ReadAnswer(nullptr) == Stream::kClosed) DieOfClosedPipe("output", before);
    FrameReader reader(answer_type, longest);
    bool input_closed = false;
    while (!reader.done()) {
      std::array<pollfd, 3> waits = {
          {{out_.get(), POLLIN, 0}, {err_.get(), POLLIN, 0}, {-1, POLLOUT, 0}}};
      if (!question.empty()) waits[2].fd = in_.get();
      const auto left = std::chrono::ceil<milliseconds>(deadline - Clock::now());
      const int ready =
          left.count() <= 0 ? 0 : poll(waits.data(), waits.size(), static_cast<int>(left.count()));
      if (ready < 0 && errno == EINTR) continue;
      if (ready <= 0)
        Die("did not answer within " + std::to_string(time.count()) + " ms" +
                (question.empty() ? "" : ", nor read all it was sent"),
            true);
      if (waits[1].revents != 0) ReadErrors();
      if (waits[0].revents != 0 && ReadAnswer(&reader) == Stream::kClosed)
        DieOfClosedPipe("output",
                        reader.begun() ? "within its " + std::string(answer_type) : before);
      if (waits[2].revents != 0 && !reader.done())
        question = question.subspan(Write(question, &input_closed));
      if (input_closed) DieOfClosedPipe("input", before);
    }
    if (!question.empty()) Die("answered before it had read the question");
    ReadErrors();
    errors_.clear();
    return {reader.payload().begin(), reader.payload().end()};
  } catch (const BadFrame& error) {
    Die(error.what());
  }
}

void ChildProcess::End(std::span<const std::byte> farewell) {
  if (!alive()) return;
  const NoPipeSignal guard;
  bool closed = false;
  Write(farewell, &closed);
  in_.Close();
  Wait(kGrace);
  Kill();
}

void ChildProcess::Die(const std::string& how, bool out_of_time) {
  Kill();
  ReadErrors();
  throw ChildDied(how, SaidText(errors_), out_of_time);
}

void ChildProcess::DieOfClosedPipe(const std::string& which, const std::string& when) {
  const std::optional<ChildEnd> end = Wait(kGrace);
  if (!end) Die("closed its standard " + which + " " + when);
  Die((end->signal ? "died by " : "") + end->how + " " + when);
}

std::optional<ChildEnd> ChildProcess::Wait(milliseconds time) {
  const Clock::time_point deadline = Clock::now() + time;
  for (milliseconds nap(1);; nap = std::min(2 * nap, milliseconds(20))) {
    std::optional<ChildEnd> end = EndOf(pid_);
    if (end || Clock::now() >= deadline) return end;
    std::this_thread::sleep_for(nap);
  }
}

// What it has started goes with it, also where it is dead itself.
void ChildProcess::Kill() {
  if (alive()) KillAndReap(pid_);
  pid_ = -1;  // the number may soon be somebody else's
}

void ChildProcess::ReadErrors() {
  std::array<char, 4096> chunk;
  // Bounded: what writes without end must not keep us here.
  for (int reads = 0; err_.open() && reads < 64; ++reads) {
    const ssize_t got = read(err_.get(), chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) continue;
    if (got == 0) err_.Close();
    if (got <= 0) return;
    errors_.append(chunk.data(), static_cast<size_t>(got));
    if (errors_.size() > kErrorsKept) errors_.erase(kErrorsKept / 2, errors_.size() - kErrorsKept);
  }
}

ChildProcess::Stream ChildProcess::ReadAnswer(FrameReader* reader) {
  std::array<std::byte, size_t{1} << 16> chunk;
  const ssize_t got = read(out_.get(), chunk.data(), chunk.size());
  if (got == 0) return Stream::kClosed;
  if (got < 0) return Stream::kOpen;
  const std::span<const std::byte> bytes = std::span(chunk).first(static_cast<size_t>(got));
  if (reader == nullptr)
    throw BadFrame("wrote on its standard output unasked: " + Printable(bytes, 60));
  reader->Feed(bytes);
  return Stream::kOpen;
}

size_t ChildProcess::Write(std::span<const std::byte> bytes, bool* closed) {
  if (bytes.empty()) return 0;
  const ssize_t put = write(in_.get(), bytes.data(), bytes.size());
  if (put < 0 && errno == EPIPE) *closed = true;
  return put < 0 ? 0 : static_cast<size_t>(put);
}

}  // namespace gnomon::oracle
