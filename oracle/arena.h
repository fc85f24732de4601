// The memory that a plug-in's process shares with ours: questions, answers, and slots for tensors
// between guard pages (SUBJ-6). Both see it at the same addresses: the process is a fork of ours.
#ifndef GNOMON_ORACLE_ARENA_H_
#define GNOMON_ORACLE_ARENA_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <optional>

#include "gnomon/oracle/gnomon_plugin.h"

namespace gnomon::oracle {

inline constexpr size_t kMostRuns = 128;  // calls answered on one wake-up

struct PluginAnswer {
  static constexpr uint64_t kUntouched = 0x7ff4a5a5a5a5a5a5;
  int32_t status = 0;
  std::array<char, 244> message{};
  uint64_t guard = kUntouched;  // right behind the message
};

// What the handler of SIGSEGV and SIGBUS saw.
struct Fault {
  int32_t seen = 0;
  enum : int32_t { kAccess, kRead, kWrite } kind = kAccess;
  uint64_t address = 0;
  uint64_t stack_pointer = 0;  // 0: not known
};

// Everything here may be overwritten by the plug-in: read it as one reads a stranger's file.
struct Control {
  std::atomic<uint32_t> request{0};  // number of the batch asked for; a futex
  std::atomic<uint32_t> taken{0};    // number of the batch begun
  std::atomic<uint32_t> done{0};     // number of the batch answered; a futex
  std::atomic<uint32_t> current{0};  // the run under way, from 0
  std::atomic<uint32_t> said{0};     // bytes on standard error before that run
  std::atomic<uint32_t> loaded{0};   // 1: `text` is the description; 2: it says why not
  std::atomic<uint32_t> text_size{0};
  Fault fault;
  std::array<PluginAnswer, kMostRuns> answers;
};

// Read-only to the child.
struct Questions {
  uint32_t count = 0;
  std::array<const gnomon_call*, kMostRuns> calls{};
};

struct Slot {
  std::byte* begin = nullptr;  // the guard pages before it end here
  std::byte* end = nullptr;    // the guard pages after it begin here
};

class Arena {
 public:
  static constexpr size_t kPage = 4096;
  static constexpr size_t kGuard =
      16 * kPage;  // before and after a slot: some rows too many end in it
  static constexpr size_t kSmallBytes = 4 * kPage;
  static constexpr size_t kSmallSlots = 5 * kMostRuns;
  static constexpr size_t kLargeSlots = 16;
  static constexpr size_t kTextBytes = (size_t{1} << 20) + kPage;

  // Slots for tensors of up to `large_bytes`, and questions of up to `question_bytes` together.
  // Throws std::system_error.
  Arena(size_t large_bytes, size_t question_bytes);
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  Control& control() { return *reinterpret_cast<Control*>(memory_); }
  Questions& questions() { return *reinterpret_cast<Questions*>(memory_ + questions_at_); }
  char* text() { return reinterpret_cast<char*>(memory_ + text_at_); }
  size_t large_bytes() const { return large_bytes_; }
  size_t question_bytes() const { return question_bytes_; }

  // Frees every slot and question.
  void Clear();
  // None: all are taken, or none is that large.
  std::optional<Slot> Take(size_t bytes);
  // Throws std::bad_alloc when full.
  std::pmr::memory_resource* memory() { return &*bump_; }
  bool Holds(const void* address) const { return address >= memory_ && address < memory_ + size_; }

  // In the child: what it has no business to write.
  void ProtectQuestions();

 private:
  size_t large_bytes_, question_bytes_;
  size_t questions_at_, questions_size_, text_at_, small_at_, large_at_, size_;
  std::byte* memory_ = nullptr;
  size_t small_taken_ = 0, large_taken_ = 0;
  std::optional<std::pmr::monotonic_buffer_resource> bump_;
};

}  // namespace gnomon::oracle

#endif  // GNOMON_ORACLE_ARENA_H_
