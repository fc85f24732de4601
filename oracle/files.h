// Whole files in and out. Errors are BadFile.
#ifndef GNOMON_ORACLE_FILES_H_
#define GNOMON_ORACLE_FILES_H_

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gnomon::oracle {

// The bytes of a file, shared by everything that points into them.
struct FileBytes {
  std::shared_ptr<const std::byte[]> memory;
  size_t size = 0;

  std::span<const std::byte> span() const { return {memory.get(), size}; }
  std::string_view text() const { return {reinterpret_cast<const char*>(memory.get()), size}; }
};

FileBytes CopyBytes(std::span<const std::byte> bytes);
FileBytes ReadFile(const std::string& path);

// Writes the parts, one after the other, so that `path` holds either all of them or what it held
// before.
void WriteFile(const std::string& path, const std::vector<std::span<const std::byte>>& parts);

}  // namespace gnomon::oracle

#endif  // GNOMON_ORACLE_FILES_H_
