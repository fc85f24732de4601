#include "gnomon/oracle/arena.h"

#include <sys/mman.h>

#include <cerrno>
#include <new>
#include <system_error>

namespace gnomon::oracle {
namespace {

constexpr size_t Pages(size_t bytes) {
  return (bytes + Arena::kPage - 1) / Arena::kPage * Arena::kPage;
}

}  // namespace

Arena::Arena(size_t large_bytes, size_t question_bytes)
    : large_bytes_(Pages(large_bytes)), question_bytes_(question_bytes) {
  questions_at_ = Pages(sizeof(Control));
  questions_size_ = Pages(sizeof(Questions) + question_bytes);
  text_at_ = questions_at_ + questions_size_;
  small_at_ = text_at_ + Pages(kTextBytes);
  large_at_ = small_at_ + kGuard + kSmallSlots * (kSmallBytes + kGuard);
  size_ = large_at_ + kGuard + kLargeSlots * (large_bytes_ + kGuard);
  void* const memory = mmap(nullptr, size_, PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    throw std::system_error(errno, std::generic_category(), "shared memory for a plug-in");
  memory_ = static_cast<std::byte*>(memory);
  const auto guard = [&](size_t at) {
    if (mprotect(memory_ + at, kGuard, PROT_NONE) == 0) return;
    const int error = errno;
    munmap(memory_, size_);
    throw std::system_error(error, std::generic_category(), "guard pages for a plug-in");
  };
  for (size_t i = 0; i <= kSmallSlots; ++i) guard(small_at_ + i * (kSmallBytes + kGuard));
  for (size_t i = 0; i <= kLargeSlots; ++i) guard(large_at_ + i * (large_bytes_ + kGuard));
  new (memory_) Control;
  new (memory_ + questions_at_) Questions;
  Clear();
}

Arena::~Arena() { munmap(memory_, size_); }

void Arena::Clear() {
  small_taken_ = large_taken_ = 0;
  questions().count = 0;
  bump_.emplace(memory_ + questions_at_ + sizeof(Questions), question_bytes_,
                std::pmr::null_memory_resource());
}

std::optional<Slot> Arena::Take(size_t bytes) {
  std::byte* begin = nullptr;
  size_t size = 0;
  if (bytes <= kSmallBytes && small_taken_ < kSmallSlots) {
    size = kSmallBytes;
    begin = memory_ + small_at_ + kGuard + small_taken_++ * (kSmallBytes + kGuard);
  } else if (bytes <= large_bytes_ && large_taken_ < kLargeSlots) {
    size = large_bytes_;
    begin = memory_ + large_at_ + kGuard + large_taken_++ * (large_bytes_ + kGuard);
  } else {
    return std::nullopt;
  }
  return Slot{begin, begin + size};
}

void Arena::ProtectQuestions() { mprotect(memory_ + questions_at_, questions_size_, PROT_READ); }

}  // namespace gnomon::oracle
