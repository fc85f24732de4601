// Judged cases of rope.apply (T = 2, d = 8, float32) a second through a plug-in, each asked twice
// (SUBJ-6): in batches and one by one, with the judge and without. One core: the program and its
// plug-in's process are kept to it. Usage: plugin_bench [PLUGIN.so], by default the example in C.
#include <sched.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "gnomon/oracle/plugin_subject.h"
#include "gnomon/reference/judge.h"

namespace {

using gnomon::properties::Call;
using gnomon::properties::Outcome;
using Clock = std::chrono::steady_clock;

constexpr size_t kCases = 512;
constexpr int kRepeats = 60;  // short ones, of which the best counts: other programs run too

// Other numbers each time: the judge keeps what it found out about a case (known_elements.h).
void Renew(size_t round, std::vector<gnomon::Case>* cases) {
  for (size_t n = 0; n < kCases; ++n) {
    gnomon::Tensor& x = (*cases)[n].inputs.at("x");
    for (int64_t i = 0; i < 16; ++i) {
      const size_t number = (round * kCases + n) * 16 + static_cast<size_t>(i);
      x.Set(i, static_cast<double>(number * 2654435761 % 4001) / 1000 - 2);
    }
  }
}

std::vector<gnomon::Case> Cases() {
  std::vector<gnomon::Case> cases(kCases);
  for (size_t n = 0; n < kCases; ++n) {
    gnomon::Case& c = cases[n];
    c.operation = "rope.apply";
    c.parameters = {{"head_dim", 8.0}, {"layout", std::string("half_split")}};
    gnomon::Tensor x(gnomon::DType::kF32, {1, 2, 1, 8}), positions(gnomon::DType::kI64, {2});
    for (int64_t i = 0; i < 2; ++i) positions.SetInteger(i, static_cast<int64_t>(n * 7) + i);
    c.inputs.emplace("x", std::move(x));
    c.inputs.emplace("positions", std::move(positions));
  }
  return cases;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string plugin = argc > 1
                                 ? argv[1]
                                 : std::filesystem::read_symlink("/proc/self/exe").parent_path() /
                                       "plugins/example_plugin_c.so";
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  sched_setaffinity(0, sizeof one, &one);  // before the fork: its process inherits it

  gnomon::oracle::PluginSubject subject(plugin);
  std::vector<gnomon::Case> cases = Cases();
  const size_t promise = subject.Promise();
  std::vector<gnomon::Outputs> outputs(kCases);
  std::vector<Call> calls(kCases);
  for (size_t n = 0; n < kCases; ++n) {
    outputs[n]["y"] = gnomon::Tensor(gnomon::DType::kF32, {1, 2, 1, 8});
    calls[n] = {&cases[n], {{"y", outputs[n]["y"].view()}}};
  }
  bool all_good = true;
  const auto judge = [&](size_t n, const Outcome& outcome) {
    all_good &= outcome.status == Outcome::kOk &&
                gnomon::reference::Judge(cases[n], outputs[n]).profiles[promise].met();
  };
  size_t round = 0;
  const auto measure = [&](const char* what, const auto& f) {
    double best = 1e9;
    for (int repeat = 0; repeat < kRepeats; ++repeat) {
      Renew(round++, &cases);
      subject.RunBatch(calls);  // for the judge alone
      const Clock::time_point start = Clock::now();
      f();
      best = std::min(best, std::chrono::duration<double>(Clock::now() - start).count());
    }
    std::printf("%-32s %8.0f cases/s, %6.2f us a case\n", what, kCases / best, 1e6 * best / kCases);
  };
  measure("batches, judged", [&] {
    const std::vector<Outcome> outcomes = subject.RunBatch(calls);
    for (size_t n = 0; n < kCases; ++n) judge(n, outcomes[n]);
  });
  measure("one by one, judged", [&] {
    for (size_t n = 0; n < kCases; ++n) judge(n, subject.Run(cases[n], calls[n].outputs));
  });
  measure("batches, not judged", [&] { subject.RunBatch(calls); });
  measure("the judge alone", [&] {
    for (size_t n = 0; n < kCases; ++n) judge(n, Outcome{});
  });
  std::printf("%s\n", all_good ? "all meet the promise" : "NOT all meet the promise");
  return all_good ? 0 : 1;
}
