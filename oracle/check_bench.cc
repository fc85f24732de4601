// How long `gnomon check` takes on a recording of [1, 4096, 32, 128] in float32, 16.8 million
// elements, reading of the file included.
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <random>
#include <sstream>
#include <vector>

#include "gnomon/oracle/case_file.h"
#include "gnomon/oracle/cli.h"

namespace {

constexpr int64_t kSeq = 4096, kHeads = 32, kHeadDim = 128, kPairs = kHeadDim / 2;

// What most float32 code does: angles formed in float32.
void WriteRecording(const std::string& path) {
  gnomon::Case c;
  c.operation = "rope.apply";
  c.parameters = {{"head_dim", double{kHeadDim}}, {"layout", std::string("half_split")}};
  gnomon::Tensor x(gnomon::DType::kF32, {1, kSeq, kHeads, kHeadDim}),
      positions(gnomon::DType::kI64, {kSeq});
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  float* in = reinterpret_cast<float*>(x.storage().data());
  for (int64_t i = 0; i < x.count(); ++i) in[i] = normal(random);
  gnomon::Outputs outputs;
  gnomon::Tensor& y = outputs["y"] = gnomon::Tensor(gnomon::DType::kF32, x.shape());
  float* out = reinterpret_cast<float*>(y.storage().data());
  for (int64_t seq = 0; seq < kSeq; ++seq) {
    positions.SetInteger(seq, seq);
    for (int64_t i = 0; i < kPairs; ++i) {
      const float w = 1.0f / std::pow(10000.0f, static_cast<float>(2 * i) / kHeadDim);
      const float angle = static_cast<float>(seq) * w, cos = std::cos(angle), sin = std::sin(angle);
      for (int64_t head = 0; head < kHeads; ++head) {
        const int64_t a = (seq * kHeads + head) * kHeadDim + i, b = a + kPairs;
        out[a] = in[a] * cos - in[b] * sin;
        out[b] = in[a] * sin + in[b] * cos;
      }
    }
  }
  c.inputs.emplace("x", std::move(x));
  c.inputs.emplace("positions", std::move(positions));
  gnomon::oracle::WriteCaseFile(path, c, outputs);
}

}  // namespace

int main() {
  const std::string path = std::filesystem::temp_directory_path() /
                           ("gnomon-check-bench-" + std::to_string(getpid()) + ".safetensors");
  WriteRecording(path);
  rusage before;
  getrusage(RUSAGE_SELF, &before);
  const auto start = std::chrono::steady_clock::now();
  std::ostringstream report;
  const int code = gnomon::oracle::RunCli({"check", path}, report, std::cerr);
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  rusage usage;
  const auto processor = [](const rusage& r) {
    return static_cast<double>(r.ru_utime.tv_sec + r.ru_stime.tv_sec) +
           1e-6 * static_cast<double>(r.ru_utime.tv_usec + r.ru_stime.tv_usec);
  };
  getrusage(RUSAGE_SELF, &usage);
  std::filesystem::remove(path);
  const double elements = double{kSeq} * kHeads * kHeadDim;
  std::printf(
      "gnomon check [1, 4096, 32, 128] f32: %.2f s (processor %.2f s, %.0f ns an element), "
      "peak %.2f GiB, exit %d\n",
      seconds, processor(usage) - processor(before), 1e9 * seconds / elements,
      static_cast<double>(usage.ru_maxrss) / (1 << 20), code);
  std::cout << report.str().substr(0, report.str().find('\n')) << "\n";
  return code;
}
