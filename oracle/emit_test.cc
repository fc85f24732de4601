// gnomon emit and the truth in files (SUBJ-8): what the files' own rule accepts, the judge accepts.
#include "gnomon/oracle/emit.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include "gnomon/oracle/bad_file.h"
#include "gnomon/oracle/case_file.h"
#include "gnomon/oracle/cli.h"
#include "gnomon/oracle/files.h"
#include "gnomon/properties/cases.h"
#include "gnomon/reference/judge.h"
#include "gnomon/spec/schemes.h"

namespace gnomon::oracle {
namespace {

namespace fs = std::filesystem;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

double Threshold(Format format) {
  const FormatTraits& t = Traits(format);
  return format == Format::kF64
             ? HUGE_VAL
             : (2 - std::ldexp(1.0, -t.precision)) * std::ldexp(1.0, t.max_exponent);
}

// The rule of SUBJ-8.
bool Accepted(double a, double rounded, double also, double truth, double bound, bool open,
              Format format) {
  for (const double right : {rounded, also})
    if (a == right || (std::isnan(a) && std::isnan(right))) return true;
  if (std::abs(a - truth) <= bound) return true;
  if (std::isinf(a) && ((a > 0 ? truth : -truth) + bound) * (1 - 0x1p-51) >= Threshold(format))
    return true;
  return !std::isfinite(a) && open;
}

// Why a file refuses what the judge accepts: the edge of a bound, which a file rounds; an infinity,
// where the truth comes that near to the largest number.
bool FilesCannotSay(double a, double t, double bound, Format format) {
  // A file rounds truth and bound to doubles: each errs by half the least one there is.
  const double room = 0x1p-48 * (std::abs(t) + bound) + 0x1p-1074;
  // A bound beyond the largest double is stated as that.
  if (bound == std::numeric_limits<double>::max()) return true;
  if (std::isfinite(a)) return std::abs(std::abs(a - t) - bound) <= room;
  return std::abs((a > 0 ? t : -t) + bound - Threshold(format)) <= room;
}

TEST(TruthInFilesSlow, SaysWhatTheJudgeSays) {
  int64_t accepted = 0, refused = 0;
  for (const OperationSpec* operation : AllOperations())
    for (const Format format : {Format::kF64, Format::kF32, Format::kBf16, Format::kF16})
      for (int64_t number = 0; number < 10; ++number) {
        const Case c = *properties::NumberedCase(operation->name, format, 11, number);
        const std::map<std::string, Tensor> stated = TruthTensors(c);
        const auto truth = reference::TruthOf(c);
        const std::vector<OutputShape> outputs = Validate(c);
        for (int o = 0; o < static_cast<int>(outputs.size()); ++o) {
          const std::string role = outputs[static_cast<size_t>(o)].role;
          const Tensor &rounded = stated.at("rounded/" + role), &t = stated.at("truth/" + role);
          if (!IsFloat(rounded.dtype())) continue;  // integers: the bits of `rounded`, or nothing
          const auto also_at = stated.find("also/" + role);
          const Tensor& also = also_at == stated.end() ? rounded : also_at->second;
          for (int64_t e = 0; e < t.count(); e += 1 + t.count() / 12)
            for (size_t p = 1; p < kProfiles.size(); ++p) {
              const std::string name = std::string(kProfiles[p].name) + "/" + role;
              const double bound = stated.at("bound/" + name).Value(e);
              const auto open_at = stated.find("open/" + name);
              const bool open = open_at != stated.end() && open_at->second.Integer(e) == 1;
              for (const double step :
                   {0.0, 0.5, 0.99, 1.0, 1.01, -0.7, -1.2, 1e9, HUGE_VAL, -HUGE_VAL, kNaN}) {
                const double answer =
                    RoundToFormat(format, (std::isnan(t.Value(e)) ? 1 : t.Value(e)) +
                                              step * (std::isfinite(bound) ? std::abs(bound) : 1));
                // The payload of a copied NaN is no number.
                if (std::isnan(answer) && std::isnan(rounded.Value(e))) continue;
                const bool by_file = Accepted(answer, rounded.Value(e), also.Value(e), t.Value(e),
                                              bound, open, format);
                Tensor one(DTypeOf(format), {1});
                one.Set(0, answer);
                const bool by_judge = reference::JudgeElement(*truth, c, o, e, one.dtype(),
                                                              BitsAt(one.view(), 0))[p] !=
                                      reference::ElementVerdict::kOutside;
                ++(by_file ? accepted : refused);
                EXPECT_TRUE(by_judge || !by_file)
                    << operation->name << " " << role << " " << e << " " << answer;
                if (by_file == by_judge) continue;
                EXPECT_TRUE(FilesCannotSay(answer, t.Value(e), bound, format))
                    << operation->name << " " << role << " " << e << " " << answer << " truth "
                    << t.Value(e) << " bound " << bound;
              }
            }
        }
      }
  EXPECT_GT(accepted, 20000);
  EXPECT_GT(refused, 5000);
}

class EmitCommand : public testing::Test {
 protected:
  EmitCommand() : path_(fs::temp_directory_path() / ("gnomon-emit-" + std::to_string(getpid()))) {
    fs::remove_all(path_);
  }
  ~EmitCommand() override { fs::remove_all(path_); }
  int Run(std::vector<std::string> options) {
    std::ostringstream out, err;
    options.insert(options.begin(), {"emit", "--out", path_});
    const int code = RunCli(options, out, err);
    error_ = err.str();
    return code;
  }
  std::map<std::string, std::string> Files() const {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::directory_iterator(path_))
      files[entry.path().filename()] = std::string(ReadFile(entry.path()).text());
    return files;
  }
  const fs::path path_;
  std::string error_;
};

TEST_F(EmitCommand, SameSeedSameFiles) {
  ASSERT_EQ(Run({"--operation", "rope.*", "--cases", "5", "--seed", "3"}), 0) << error_;
  const auto first = Files();
  EXPECT_EQ(first.size(), 4 * 4 * 5u);
  for (const auto& [name, bytes] : first) {
    const Recording read = ReadCaseFile(path_ / name);
    EXPECT_EQ(name.rfind(read.c.operation + "-", 0), 0u);
    EXPECT_TRUE(read.outputs.empty());
    EXPECT_NO_THROW(Validate(read.c));
  }
  // Again into the same folder, and after a file was lost.
  EXPECT_EQ(Run({"--operation", "rope.*", "--cases", "5", "--seed", "3"}), 0) << error_;
  fs::remove(path_ / first.begin()->first);
  EXPECT_EQ(Run({"--operation", "rope.*", "--cases", "5", "--seed", "3"}), 0) << error_;
  EXPECT_EQ(Files(), first);
  EXPECT_EQ(Run({"--operation", "rope.*", "--cases", "5", "--seed", "4"}), 3);
  EXPECT_NE(error_.find("which is not one of the files to be written: emit into another "
                        "folder, or empty this one (SUBJ-8)"),
            std::string::npos);
  std::ofstream(path_ / "README.md") << "what is none of ours stays";
  EXPECT_EQ(Run({"--operation", "rope.*", "--cases", "5", "--seed", "3"}), 0) << error_;
  std::ofstream(path_ / first.begin()->first, std::ios::app) << "answer";
  EXPECT_EQ(Run({"--operation", "rope.*", "--cases", "5", "--seed", "3"}), 3);
}

TEST_F(EmitCommand, OnlyWhatIsDeclared) {
  const std::string description =
      GNOMON_SOURCE_DIR "/oracle/examples/files_python/description.json";
  ASSERT_EQ(Run({"--operation", "*", "--cases", "30", "--description", description}), 0) << error_;
  EXPECT_EQ(Files().size(), 90u);
  for (const auto& [name, bytes] : Files()) {
    const Case c = ReadCaseFile(path_ / name).c;
    EXPECT_EQ(c.operation, "rope.apply");
    EXPECT_EQ(c.parameters.count("rotary_dim") + c.parameters.count("frequencies"), 0u);
    EXPECT_NE(c.format, Format::kF64);
  }
}

TEST_F(EmitCommand, BadOptions) {
  EXPECT_EQ(Run({"--operation", "rope.nothing"}), 3);
  EXPECT_NE(error_.find("--operation"), std::string::npos);
  EXPECT_EQ(Run({"--operation", "rope.*", "--format", "f8"}), 3);
  EXPECT_NE(error_.find("is no format (FORMAT-1)"), std::string::npos);
  EXPECT_FALSE(fs::exists(path_));
}

// A port can begin with the committed cases, without a build: they are what their README's command
// writes.
TEST_F(EmitCommand, TheCommittedCases) {
  const std::string folder = GNOMON_SOURCE_DIR "/oracle/cases";
  std::ifstream readme(folder + "/README.md");
  std::string line;
  while (std::getline(readme, line) && line.rfind("    gnomon emit ", 0) != 0) {
  }
  std::istringstream words(line);
  std::vector<std::string> options;
  for (std::string word; words >> word;)
    if (word != "gnomon" && word != "emit") options.push_back(word);
  ASSERT_GT(options.size(), 4u);
  ASSERT_EQ(options[options.size() - 2], "--out");
  options.resize(options.size() - 2);
  ASSERT_EQ(Run(options), 0) << error_;
  const auto files = Files();
  EXPECT_GE(files.size(), 20u);
  size_t there = 0, bytes = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename();
    if (name == "README.md") continue;
    ++there;
    ASSERT_EQ(files.count(name), 1u) << name;
    EXPECT_EQ(files.at(name), ReadFile(entry.path()).text()) << name;
    bytes += files.at(name).size();
  }
  EXPECT_EQ(there, files.size());
  EXPECT_LT(bytes, 300000u);
}

}  // namespace
}  // namespace gnomon::oracle
