#include "gnomon/oracle/stop.h"

#include <time.h>

namespace gnomon::oracle {
namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM};
volatile sig_atomic_t came = 0;
volatile pid_t child_at_work = 0;
double first = 0;  // when it came: of the handler alone, which nothing interrupts

double Now() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

void Note(int number) {
  if (came == 0) {
    came = 1;
    first = Now();
    if (child_at_work > 0) kill(child_at_work, number);
  } else if (Now() - first > 1) {
    signal(number, SIG_DFL);
    raise(number);
  }
}

}  // namespace

StopSignals::StopSignals() {
  came = 0;
  struct sigaction note = {};
  note.sa_handler = Note;
  note.sa_flags = SA_RESTART;
  for (const int each : kSignals) sigaddset(&note.sa_mask, each);
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
