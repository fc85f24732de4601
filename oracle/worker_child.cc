#include "gnomon/oracle/worker_child.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio_ext.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "gnomon/oracle/bad_file.h"
#include "gnomon/oracle/plugin_library.h"

namespace gnomon::oracle {
namespace {

constexpr int kFaults[] = {SIGSEGV, SIGBUS};
Control* g_control = nullptr;  // for the signal handler
alignas(16) char g_signal_stack[1 << 16];

// Says where, then lets the same access kill the process.
void OnFault(int signal, siginfo_t* info, void* context) {
  Fault& fault = g_control->fault;
  if (fault.seen == 0 && info->si_code > 0) {  // by the processor, not by kill()
    fault.address = reinterpret_cast<uint64_t>(info->si_addr);
#if defined(__x86_64__)
    constexpr greg_t kWriteAccess = 2;  // of the page fault's error code
    const greg_t* registers = static_cast<const ucontext_t*>(context)->uc_mcontext.gregs;
    fault.kind = registers[REG_ERR] & kWriteAccess ? Fault::kWrite : Fault::kRead;
    fault.stack_pointer = static_cast<uint64_t>(registers[REG_RSP]);
#else
    (void)context;
#endif
    fault.seen = 1;
  }
  struct sigaction plain = {};
  plain.sa_handler = SIG_DFL;
  sigaction(signal, &plain, nullptr);
  if (info->si_code <= 0) raise(signal);
}

void CatchFaults() {
  stack_t stack = {};
  stack.ss_sp = g_signal_stack;
  stack.ss_size = sizeof g_signal_stack;
  sigaltstack(&stack, nullptr);
  struct sigaction action = {};
  action.sa_sigaction = OnFault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (const int signal : kFaults) sigaction(signal, &action, nullptr);
}

// Nothing of the host program's: its handlers, its buffers, its files on 0 to 2, its atexit.
void LeaveHost(const ChildSetup& setup) {
  setpgid(0, 0);  // what it forks dies with it
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != setup.parent) _exit(0);
  struct sigaction plain = {};
  plain.sa_handler = SIG_DFL;
  for (int signal = 1; signal < NSIG; ++signal) sigaction(signal, &plain, nullptr);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  const int null = open("/dev/null", O_RDONLY);
  dup2(null, STDIN_FILENO);
  dup2(setup.out, STDOUT_FILENO);
  dup2(setup.err, STDERR_FILENO);
  close_range(STDERR_FILENO + 1, ~0u, 0);
  for (FILE* const file : {stdout, stderr}) {
    __fpurge(file);
    setvbuf(file, nullptr, _IONBF, 0);
  }
  on_exit([](int status, void*) { _exit(status); }, nullptr);
}

void LimitMemory(int64_t bytes) {
  const rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  if (bytes == 0) return;
  FILE* const statm = std::fopen("/proc/self/statm", "r");
  if (statm == nullptr) return;
  unsigned long data_pages = 0;
  if (std::fscanf(statm, "%*u %*u %*u %*u %*u %lu", &data_pages) == 1) {
    const rlim_t limit =
        data_pages * static_cast<rlim_t>(getpagesize()) + static_cast<rlim_t>(bytes);
    const rlimit data = {limit, limit};
    setrlimit(RLIMIT_DATA, &data);
  }
  std::fclose(statm);
}

void Say(Arena& arena, const std::string& text, uint32_t loaded) {
  const size_t size = std::min(text.size(), Arena::kTextBytes);
  std::copy_n(text.data(), size, arena.text());
  arena.control().text_size = static_cast<uint32_t>(size);
  arena.control().loaded = loaded;
  FutexWake(&arena.control().loaded);
}

}  // namespace

void FutexWait(std::atomic<uint32_t>* word, uint32_t value, int64_t nanoseconds) {
  const timespec timeout = {nanoseconds / 1'000'000'000, nanoseconds % 1'000'000'000};
  syscall(SYS_futex, word, FUTEX_WAIT, value, &timeout, nullptr, 0);
}
void FutexWake(std::atomic<uint32_t>* word) {
  syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

void BeChild(Arena& arena, const ChildSetup& setup) noexcept {
  Control& control = arena.control();
  g_control = &control;
  LeaveHost(setup);
  LimitMemory(setup.memory_bytes);
  CatchFaults();
  arena.ProtectQuestions();
  const PluginLibrary* library = nullptr;
  try {
    library = new PluginLibrary(setup.path);
  } catch (const BadFile& error) {
    Say(arena, error.what(), 2);
    _exit(0);
  }
  Say(arena, library->description_text(), 1);

  const pid_t self = getpid();
  const Questions& questions = arena.questions();
  for (uint32_t answered = 0;;) {
    const uint32_t request = control.request.load(std::memory_order_acquire);
    if (request == answered) {
      FutexWait(&control.request, answered, 1'000'000'000);
      continue;
    }
    control.taken = request;
    CatchFaults();  // the library may have put its own in their place
    const uint32_t count = questions.count;
    for (uint32_t i = 0; i < count; ++i) {
      const off_t said = lseek(STDERR_FILENO, 0, SEEK_CUR);
      control.said = said < 0 ? 0 : static_cast<uint32_t>(said);
      control.current.store(i, std::memory_order_relaxed);
      // An exception leaves this function, which is noexcept: the process aborts, and says which.
      const int status = library->Run(*questions.calls[i]);
      if (getpid() != self) _exit(0);  // it forked, and this is its child
      control.answers[i].status = status;
    }
    answered = request;
    control.done.store(request, std::memory_order_release);
    FutexWake(&control.done);
  }
}

}  // namespace gnomon::oracle
