// How far a long run is, for the person who watches.
#ifndef GNOMON_ORACLE_PROGRESS_H_
#define GNOMON_ORACLE_PROGRESS_H_

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <ostream>
#include <string>

namespace gnomon::oracle {

// A line that overwrites itself, at most ten times a second, and is gone in the end.
class Progress {
 public:
  explicit Progress(std::ostream& err) : err_(err) {}
  ~Progress() {
    if (shown_ > 0) err_ << "\r" << std::string(shown_, ' ') << "\r" << std::flush;
  }
  void operator()(int64_t done, int64_t all) {
    Show("judged " + std::to_string(100 * done / std::max<int64_t>(all, 1)) + " %");
  }
  void Show(const std::string& line) {
    const auto now = std::chrono::steady_clock::now();
    if (now - start_ < std::chrono::milliseconds(500) ||
        now - last_ < std::chrono::milliseconds(100))
      return;
    last_ = now;
    err_ << "\r" << line << std::string(shown_ - std::min(shown_, line.size()), ' ') << std::flush;
    shown_ = std::max(shown_, line.size());
  }

 private:
  std::ostream& err_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point last_ = start_;
  size_t shown_ = 0;  // the longest line so far
};

}  // namespace gnomon::oracle

#endif  // GNOMON_ORACLE_PROGRESS_H_
