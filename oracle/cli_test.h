// What tests of the command line share: a run and its answer, a scratch folder.
#ifndef GNOMON_ORACLE_CLI_TEST_H_
#define GNOMON_ORACLE_CLI_TEST_H_

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "gnomon/optimized/schemes.h"
#include "gnomon/oracle/cli.h"

namespace gnomon::oracle {

inline const std::filesystem::path kExamples = GNOMON_SOURCE_DIR "/oracle/examples";
inline const std::string kRecording = kExamples / "llama_query.safetensors";
inline const std::string kPlain = kExamples / "plain.safetensors";
inline const std::string kPacked = "seq,heads*head_dim";

struct Answer {
  int code;
  std::string out, err;
};
inline Answer Gnomon(const std::vector<std::string>& arguments, bool watched = false) {
  std::ostringstream out, err;
  const int code = RunCli(arguments, out, err, watched);
  return {code, out.str(), err.str()};
}

// Exit code 3, nothing on the output, and one line that holds `message`.
inline void ExpectRefused(const std::vector<std::string>& arguments, const std::string& message) {
  const Answer run = Gnomon(arguments);
  EXPECT_EQ(run.code, 3) << message;
  EXPECT_EQ(run.out, "") << message;
  EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
  EXPECT_NE(run.err.find(message), std::string::npos) << run.err;
}

// Our kernels on the plainest target: what it is called depends on the compiler.
inline std::string Plainest() { return "builtin:" + optimized::Targets().back(); }

class CliTest : public testing::Test {
 protected:
  CliTest()
      : folder_(std::filesystem::temp_directory_path() /
                ("gnomon-cli-" + std::to_string(getpid()))) {
    std::filesystem::create_directory(folder_);
  }
  ~CliTest() override { std::filesystem::remove_all(folder_); }
  std::string Write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return folder_ / name;
  }
  std::string WriteSafetensors(const std::string& name, const std::string& header,
                               const std::string& data = "") const {
    const uint64_t length = header.size();
    return Write(name, std::string(reinterpret_cast<const char*>(&length), 8) + header + data);
  }
  const std::filesystem::path folder_;
};

}  // namespace gnomon::oracle

#endif  // GNOMON_ORACLE_CLI_TEST_H_
