#include "gnomon/oracle/recording_files.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "gnomon/oracle/bad_file.h"
#include "gnomon/oracle/strict_json.h"
#include "gnomon/spec/rejected.h"

namespace gnomon::oracle {
namespace {

std::vector<std::string> FilesBelow(const std::string& folder) {
  std::vector<std::string> files;
  try {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
      if (entry.is_regular_file() && entry.path().extension() == ".safetensors")
        files.push_back(entry.path());
  } catch (const std::filesystem::filesystem_error& error) {
    throw BadFile(folder, "cannot be read: " + error.code().message(), "REPORT-1");
  }
  if (files.empty()) throw BadFile(folder, "holds no .safetensors file", "REPORT-1");
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

std::vector<std::string> RecordingFiles(const std::vector<std::string>& given) {
  std::vector<std::string> files;
  for (const std::string& path : given) {
    std::error_code unreadable;  // said when it is read
    if (std::filesystem::is_directory(path, unreadable)) {
      for (const std::string& file : FilesBelow(path)) files.push_back(file);
    } else {
      files.push_back(path);
    }
  }
  std::set<std::string> seen;
  for (const std::string& file : files)
    if (!seen.insert(std::filesystem::path(file).lexically_normal()).second)
      throw Rejected("FILE", Quoted(file), "is given twice", "REPORT-1");
  return files;
}

}  // namespace gnomon::oracle
