// Fused attention of one head, float32, against the peak of multiply-adds measured in the same
// process: 4 T^2 d operations, bias from one line of 2 T - 1 numbers. The causal mask skips half.
#include <cmath>
#include <vector>

#include "gnomon/optimized/attention.h"
#include "gnomon/optimized/bench.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "gnomon/optimized/attention_bench.cc"
#include "hwy/foreach_target.h"  // before highway.h
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace gnomon {
namespace optimized {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Twelve chains: more than latency times throughput asks for. Returns operations done.
double MultiplyAdds(size_t rounds, float* sink) {
  const hn::ScalableTag<float> d;
  const auto factor = hn::Set(d, 0.999f), term = hn::Set(d, sink[0]);
  auto a = hn::Set(d, 0.1f), b = hn::Set(d, 0.2f), c = hn::Set(d, 0.3f), e = hn::Set(d, 0.4f),
       f = hn::Set(d, 0.5f), g = hn::Set(d, 0.6f), h = hn::Set(d, 0.7f), i = hn::Set(d, 0.8f),
       j = hn::Set(d, 0.9f), k = hn::Set(d, 1.0f), l = hn::Set(d, 1.1f), m = hn::Set(d, 1.2f);
  for (size_t round = 0; round < rounds; ++round) {
    a = hn::MulAdd(a, factor, term);
    b = hn::MulAdd(b, factor, term);
    c = hn::MulAdd(c, factor, term);
    e = hn::MulAdd(e, factor, term);
    f = hn::MulAdd(f, factor, term);
    g = hn::MulAdd(g, factor, term);
    h = hn::MulAdd(h, factor, term);
    i = hn::MulAdd(i, factor, term);
    j = hn::MulAdd(j, factor, term);
    k = hn::MulAdd(k, factor, term);
    l = hn::MulAdd(l, factor, term);
    m = hn::MulAdd(m, factor, term);
  }
  const auto sum = hn::Add(
      hn::Add(hn::Add(a, b), hn::Add(c, e)),
      hn::Add(hn::Add(hn::Add(f, g), hn::Add(h, i)), hn::Add(hn::Add(j, k), hn::Add(l, m))));
  sink[0] = hn::GetLane(sum) * 1e-9f;
  return static_cast<double>(rounds) * 24 * static_cast<double>(hn::Lanes(d));
}

}  // namespace HWY_NAMESPACE
}  // namespace optimized
}  // namespace gnomon
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gnomon::optimized {

HWY_EXPORT(MultiplyAdds);

namespace {

void Bench(size_t T, size_t d, double target) {
  const bench::Buffer q(T * d * 4), k(T * d * 4), v(T * d * 4), y(T * d * 4);
  std::vector<float> line(2 * T - 1);
  for (size_t i = 0; i < line.size(); ++i)
    line[i] = -0.0625f * std::abs(static_cast<float>(i) - static_cast<float>(T - 1));
  for (size_t i = 0; i < T * d; ++i) {
    q.as<float>()[i] = 2 * std::sin(static_cast<float>(i) * 1.1f);
    k.as<float>()[i] = std::cos(static_cast<float>(i) * 0.7f);
    v.as<float>()[i] = std::sin(static_cast<float>(i) * 0.3f);
  }
  AttentionHead head;
  head.queries = head.keys = T;
  head.head_dim = head.value_dim = d;
  head.q = q.as<float>();
  head.k = k.as<float>();
  head.v = v.as<float>();
  head.y = y.as<float>();
  head.scale = 1 / std::sqrt(static_cast<float>(d));
  head.bias = line.data() + (T - 1);
  head.bias_stride = -1;
  AttentionHead causal = head;
  causal.causal = true;
  constexpr size_t kRounds = 400000;
  float sink[1] = {0.001f};
  const double peak_operations = HWY_DYNAMIC_DISPATCH(MultiplyAdds)(1, sink) * kRounds;
  std::vector<bench::Item> items = {{"peak of multiply-adds",
                                     [&] {
                                       HWY_DYNAMIC_DISPATCH(MultiplyAdds)
                                       (kRounds, sink);
                                     }},
                                    {"fused attention", [&] { FusedAttention(head); }},
                                    {"the same, causal", [&] { FusedAttention(causal); }}};
  bench::Measure(&items, 9, 20e-3);
  const double size = static_cast<double>(T) * static_cast<double>(T) * static_cast<double>(d);
  const double operations[] = {peak_operations, 4 * size, 2 * size};
  double speed[3];
  std::printf("T %zu, d %zu\n", T, d);
  for (int i = 0; i < 3; ++i) {
    speed[i] = operations[i] / bench::Median(items[static_cast<size_t>(i)].seconds) * 1e-9;
    std::printf("    %-40s %9.1f GFLOP/s\n", items[static_cast<size_t>(i)].name.c_str(), speed[i]);
  }
  std::vector<double> ratios;
  for (size_t round = 0; round < items[0].seconds.size(); ++round)
    ratios.push_back(operations[1] / items[1].seconds[round] /
                     (operations[0] / items[0].seconds[round]));
  bench::Report("of the peak", bench::Median(ratios), target);
  bench::Report("causal: how many times faster than all pairs", bench::Speed(items[2], {&items[1]}),
                0);
  std::fflush(stdout);
}

}  // namespace
}  // namespace gnomon::optimized

int main() {
  gnomon::optimized::bench::PrintMachine();
  for (const size_t T : {1024, 2048, 4096}) {
    gnomon::optimized::Bench(T, 64, 0.4);
    gnomon::optimized::Bench(T, 128, 0.55);
  }
}
#endif  // HWY_ONCE
