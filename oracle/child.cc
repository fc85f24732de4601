#include "gnomon/oracle/child.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "gnomon/oracle/text.h"
#include "gnomon/properties/suite.h"

namespace gnomon::oracle {
namespace {

constexpr size_t kErrorShown = 400;  // the reason of a Rust panic comes first, a traceback's last

std::string SignalName(int signal) {
  const char* const name = sigabbrev_np(signal);
  return name == nullptr ? "signal " + std::to_string(signal) : std::string("SIG") + name;
}

}  // namespace

void Descriptor::Reset(int fd) {
  if (fd_ >= 0) close(fd_);
  fd_ = fd;
}

std::optional<ChildEnd> EndOf(pid_t pid) {
  siginfo_t info = {};
  if (waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WSTOPPED | WNOHANG | WNOWAIT) != 0)
    return ChildEnd{"vanished"};  // the host program waits for all children
  if (info.si_pid != pid) return std::nullopt;
  if (info.si_code == CLD_EXITED)
    return ChildEnd{"exited with status " + std::to_string(info.si_status)};
  if (info.si_code == CLD_STOPPED) return ChildEnd{"stopped by " + SignalName(info.si_status)};
  return ChildEnd{SignalName(info.si_status), true};
}

void KillAndReap(pid_t pid) {
  kill(-pid, SIGKILL);
  kill(pid, SIGKILL);
  while (waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
}

std::string SaidText(std::string_view standard_error) {
  const std::string said = Excerpt(standard_error, kErrorShown);
  return said.empty() ? "" : "; its standard error: \"" + said + "\"";
}

std::string AskedText(const Case& c) {
  std::string text = "; asked " + c.operation + " " + std::string(Traits(c.format).name);
  for (const auto& [role, tensor] : c.inputs) text += " " + role + ShapeText(tensor.shape());
  return text + (c.in_place.empty() ? "" : " in place");
}

std::string DescribedSubject::GivenUp(const Case& c) const {
  if (hangs_ >= properties::kMostHangs) return properties::HungText({});
  if (!dead_.empty()) return "the subject " + dead_ + " (SUBJ-7)";
  if (answered_ || died_on_.count(c.operation) == 0) return "";
  int died = 0;
  for (const auto& [operation, count] : died_on_) died += count;
  return died < properties::kMostHangs ? ""
                                       : "the subject died on the first " + std::to_string(died) +
                                             " cases and answered none (SUBJ-7)";
}

}  // namespace gnomon::oracle
