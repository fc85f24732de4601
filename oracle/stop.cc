#include "gnomon/oracle/stop.h"

namespace gnomon::oracle {
namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM};
volatile sig_atomic_t came = 0;
volatile pid_t child_at_work = 0;

void Note(int number) {
  came = 1;
  if (child_at_work > 0) kill(child_at_work, number);
  for (const int each : kSignals) signal(each, SIG_DFL);
}

}  // namespace

StopSignals::StopSignals() {
  came = 0;
  struct sigaction note = {};
  note.sa_handler = Note;
  note.sa_flags = SA_RESTART;
  for (int i = 0; i < 2; ++i) {
    sigaction(kSignals[i], nullptr, &before_[i]);
    if (before_[i].sa_handler != SIG_IGN) sigaction(kSignals[i], &note, nullptr);
  }
}

StopSignals::~StopSignals() {
  child_at_work = 0;
  for (int i = 0; i < 2; ++i) sigaction(kSignals[i], &before_[i], nullptr);
}

bool StopSignals::Came() { return came != 0; }

void StopSignals::PassOnTo(pid_t child) {
  child_at_work = child;
  if (came != 0 && child > 0) kill(child, SIGTERM);  // it came before there was a child
}

}  // namespace gnomon::oracle
