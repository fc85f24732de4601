#include "gnomon/oracle/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "gnomon/oracle/bad_file.h"

namespace gnomon::oracle {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return number_; }
  int Close() {
    const int result = close(number_);
    number_ = -1;
    return result;
  }

 private:
  int number_;
};

[[noreturn]] void Fail(const std::string& path, const std::string& what) {
  throw BadFile(path, what + ": " + std::strerror(errno));
}

std::shared_ptr<std::byte[]> Allocate(size_t size) {
  return std::shared_ptr<std::byte[]>(new std::byte[size]);  // make_shared would clear it
}

std::string EndOfLinks(const std::string& path) {
  constexpr int kMostLinks = 40;
  namespace fs = std::filesystem;
  fs::path target = path;
  std::error_code error;
  for (int i = 0; i < kMostLinks && fs::is_symlink(target, error); ++i)
    target = target.parent_path() / fs::read_symlink(target, error);
  return target.string();
}

}  // namespace

FileBytes CopyBytes(std::span<const std::byte> bytes) {
  std::shared_ptr<std::byte[]> memory = Allocate(bytes.size());
  if (!bytes.empty()) std::memcpy(memory.get(), bytes.data(), bytes.size());
  return {std::move(memory), bytes.size()};
}

FileBytes ReadFile(const std::string& path) {
  // A pipe without a writer must not be waited for.
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) Fail(path, "cannot be opened");
  struct stat status;
  if (fstat(file.get(), &status) != 0) Fail(path, "cannot be read");
  if (!S_ISREG(status.st_mode)) throw BadFile(path, "cannot be read: not a regular file");
  // One byte more than a regular file holds: the read that finds the end needs room.
  size_t capacity = status.st_size > 0 ? static_cast<size_t>(status.st_size) + 1 : 1 << 16;
  size_t size = 0;
  std::shared_ptr<std::byte[]> memory = Allocate(capacity);
  while (true) {
    if (size == capacity) {  // a file that grows
      std::shared_ptr<std::byte[]> larger = Allocate(2 * capacity);
      std::memcpy(larger.get(), memory.get(), size);
      memory = std::move(larger);
      capacity *= 2;
    }
    const ssize_t got = read(file.get(), memory.get() + size, capacity - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) Fail(path, "cannot be read");
    if (got == 0) break;
    size += static_cast<size_t>(got);
  }
  return {std::move(memory), size};
}

void WriteFile(const std::string& path, const std::vector<std::span<const std::byte>>& parts) {
  struct stat status;
  const bool exists = stat(path.c_str(), &status) == 0;
  if (exists && !S_ISREG(status.st_mode))
    throw BadFile(path, "cannot be written: not a regular file");
  // A link stays one: what it leads to is replaced, and keeps its mode.
  const std::string target = EndOfLinks(path);
  const std::string partial = target + ".partial-" + std::to_string(getpid());
  const auto fail = [&] {
    const int reason = errno;
    unlink(partial.c_str());
    errno = reason;
    Fail(path, "cannot be written");
  };
  Descriptor file(open(partial.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (file.get() < 0) Fail(path, "cannot be written");
  if (exists && fchmod(file.get(), status.st_mode & 07777) != 0) fail();
  for (std::span<const std::byte> part : parts) {
    while (!part.empty()) {
      const ssize_t put = write(file.get(), part.data(), part.size());
      if (put < 0 && errno == EINTR) continue;
      if (put < 0) fail();
      part = part.subspan(static_cast<size_t>(put));
    }
  }
  if (file.Close() != 0 || rename(partial.c_str(), target.c_str()) != 0) fail();
}

}  // namespace gnomon::oracle
