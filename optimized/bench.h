// Side-by-side timing: every round runs each item once, in rotated order, in one process; a ratio
// is the median over rounds of the two items' own ratio, so drift of the machine cancels.
#ifndef GNOMON_OPTIMIZED_BENCH_H_
#define GNOMON_OPTIMIZED_BENCH_H_

#include <sys/mman.h>
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "gnomon/optimized/schemes.h"

namespace gnomon::optimized::bench {

// 2 MiB aligned, huge pages asked for, touched.
class Buffer {
 public:
  explicit Buffer(size_t bytes) {
    constexpr size_t kHuge = size_t{2} << 20;
    const size_t rounded = (bytes + kHuge - 1) / kHuge * kHuge;
    data_ = std::aligned_alloc(kHuge, rounded);
    madvise(data_, rounded, MADV_HUGEPAGE);
    std::memset(data_, 1, rounded);
  }
  ~Buffer() { std::free(data_); }
  Buffer(const Buffer&) = delete;
  template <class T>
  T* as() const {
    return static_cast<T*>(data_);
  }
  std::byte* bytes() const { return as<std::byte>(); }

 private:
  void* data_;
};

struct Item {
  std::string name;
  std::function<void()> run;
  std::vector<double> seconds = {};
};

inline double Now() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}
inline double Median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v[v.size() / 2];
}

inline void Measure(std::vector<Item>* items, int rounds, double seconds_each = 4e-3) {
  std::vector<int> repeats;
  for (Item& item : *items) {
    item.run();
    const double start = Now();
    item.run();
    repeats.push_back(std::max(1, static_cast<int>(seconds_each / std::max(Now() - start, 1e-9))));
  }
  for (int round = 0; round < rounds; ++round) {
    for (size_t k = 0; k < items->size(); ++k) {
      const size_t i = (k + static_cast<size_t>(round)) % items->size();
      const double start = Now();
      for (int r = 0; r < repeats[i]; ++r) (*items)[i].run();
      (*items)[i].seconds.push_back((Now() - start) / repeats[i]);
    }
  }
}

// How many times faster `item` is than the fastest of `peers`, by the median round.
inline double Speed(const Item& item, const std::vector<const Item*>& peers) {
  std::vector<double> ratios;
  for (size_t round = 0; round < item.seconds.size(); ++round) {
    double best = peers[0]->seconds[round];
    for (const Item* peer : peers) best = std::min(best, peer->seconds[round]);
    ratios.push_back(best / item.seconds[round]);
  }
  return Median(ratios);
}

// target 0: reported, no target.
inline void Report(const std::string& what, double ratio, double target) {
  if (target > 0) {
    std::printf("  %-58s %6.2f   target %5.2f   %s\n", what.c_str(), ratio, target,
                ratio >= target ? "met" : "MISSED");
  } else {
    std::printf("  %-58s %6.2f\n", what.c_str(), ratio);
  }
}

inline void ReportTimes(const std::vector<Item>& items, double elements, const char* unit) {
  for (const Item& item : items)
    std::printf("    %-40s %9.1f M%s/s\n", item.name.c_str(),
                elements / Median(item.seconds) * 1e-6, unit);
  std::fflush(stdout);
}

inline void PrintMachine() {
  std::ifstream info("/proc/cpuinfo");
  std::string line, name = "unknown CPU";
  while (std::getline(info, line))
    if (line.rfind("model name", 0) == 0) {
      name = line.substr(line.find(':') + 2);
      break;
    }
  std::printf(
      "CPU: %s\ntarget: %s\nthread CPU time, one thread, ratios of one process; above 1 is "
      "faster\n",
      name.c_str(), CurrentTarget().c_str());
}

}  // namespace gnomon::optimized::bench

#endif  // GNOMON_OPTIMIZED_BENCH_H_
