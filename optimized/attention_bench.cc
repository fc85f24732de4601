// Fused attention of one head, float32, against the peak of multiply-adds measured in the same
// process: 4 T^2 d operations, bias from one line of 2 T - 1 numbers. The causal mask skips half.
// Then whole operations, with the reading and writing of their tensors: alibi.attention,
// t5_bias.attention and relative.attention, which multiplies with the 2 K + 1 rows of its
// tables too: 4 T (2 K + 1) d more.
#include <cmath>
#include <string>
#include <vector>

#include "gnomon/optimized/attention.h"
#include "gnomon/optimized/bench.h"
#include "gnomon/optimized/offset_bench.h"
#include "gnomon/spec/t5_bias.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "gnomon/optimized/attention_bench.cc"
#include "hwy/foreach_target.h"  // before highway.h
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace gnomon {
namespace optimized {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Twelve chains: more than latency times throughput asks for. Adds sink[0] and leaves a result in
// sink[1]: were it to add that, it would soon add subnormals, which cost some CPUs a hundred times
// as much. Returns operations done.
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
  sink[1] = hn::GetLane(sum);
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

// float32 [batch 1, token, head 1, component] of waves.
Tensor Waves(size_t T, size_t d, double size, double step) {
  Tensor t(DType::kF32, {1, static_cast<int64_t>(T), 1, static_cast<int64_t>(d)});
  for (int64_t i = 0; i < t.count(); ++i) t.Set(i, size * std::sin(static_cast<double>(i) * step));
  return t;
}
Tensor Rows(int64_t rows, int64_t columns) {
  Tensor t(DType::kF32, {rows, columns});
  for (int64_t i = 0; i < t.count(); ++i) t.Set(i, 0.1 * std::sin(static_cast<double>(i) * 0.9));
  return t;
}

// One head of an operation that ends in a softmax.
struct Operation {
  std::string name;
  Case question;
  Outputs answer;
  size_t rows = 0;  // of its tables

  Operation(const std::string& operation, size_t T, size_t d, bool causal) {
    name = operation + (causal ? ", causal" : "");
    question.operation = operation;
    question.format = Format::kF32;
    question.parameters["mask"] = std::string(causal ? "causal" : "none");
    question.inputs["q"] = Waves(T, d, 2, 1.1);
    question.inputs["k"] = Waves(T, d, 1, 0.7);
    question.inputs["v"] = Waves(T, d, 1, 0.3);
    question.inputs["query_positions"] = question.inputs["key_positions"] =
        bench::TokenPositions(static_cast<int64_t>(T));
    answer.emplace("y", Tensor(DType::kF32, question.inputs.at("q").shape()));
  }
  void Run() { optimized::Run(question, {{"y", answer.at("y").view()}}); }
};
Operation Alibi(size_t T, size_t d, bool causal) {
  Operation o("alibi.attention", T, d, causal);
  o.question.parameters["form"] = std::string("distance");
  return o;
}
Operation T5(size_t T, size_t d, bool causal) {
  Operation o("t5_bias.attention", T, d, causal);
  o.question.parameters["scale"] = 1 / std::sqrt(static_cast<double>(d));
  o.question.parameters["bidirectional"] = !causal;
  o.question.inputs["table"] = Rows(T5Buckets().num_buckets, 1);
  return o;
}
Operation Shaw(size_t T, size_t d, bool causal, int64_t clip) {
  Operation o("relative.attention", T, d, causal);
  o.name += ", K " + std::to_string(clip);
  o.rows = static_cast<size_t>(2 * clip + 1);
  o.question.parameters["max_relative_position"] = static_cast<double>(clip);
  o.question.inputs["key_table"] = Rows(2 * clip + 1, static_cast<int64_t>(d));
  o.question.inputs["value_table"] = Rows(2 * clip + 1, static_cast<int64_t>(d));
  return o;
}

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
  float sink[2] = {0.001f, 0};
  const double peak_operations = HWY_DYNAMIC_DISPATCH(MultiplyAdds)(1, sink) * kRounds;
  std::vector<bench::Item> items = {{"peak of multiply-adds",
                                     [&] {
                                       HWY_DYNAMIC_DISPATCH(MultiplyAdds)
                                       (kRounds, sink);
                                     }},
                                    {"fused attention", [&] { FusedAttention(head); }},
                                    {"fused attention, causal", [&] { FusedAttention(causal); }}};
  const int64_t wide = static_cast<int64_t>(T) / 8;
  std::vector<Operation> operations = {
      Alibi(T, d, false),    Alibi(T, d, true),    T5(T, d, false),         T5(T, d, true),
      Shaw(T, d, false, 16), Shaw(T, d, true, 16), Shaw(T, d, false, wide), Shaw(T, d, true, wide)};
  for (Operation& o : operations) items.push_back({o.name, [&o] { o.Run(); }});
  // Every other one is causal.
  bench::Measure(&items, 9, 20e-3);
  std::vector<double> done = {peak_operations};
  for (size_t i = 1; i < items.size(); ++i) {
    const size_t keys = (i % 2 == 1 ? T : T / 2) + (i < 3 ? 0 : operations[i - 3].rows);
    done.push_back(4 * static_cast<double>(T) * static_cast<double>(keys) * static_cast<double>(d));
  }
  std::printf("T %zu, d %zu\n", T, d);
  for (size_t i = 0; i < items.size(); ++i)
    std::printf("    %-40s %9.1f GFLOP/s\n", items[i].name.c_str(),
                done[i] / bench::Median(items[i].seconds) * 1e-9);
  for (size_t i = 1; i < items.size(); ++i) {
    std::vector<double> ratios;
    for (size_t round = 0; round < items[0].seconds.size(); ++round)
      ratios.push_back(done[i] / items[i].seconds[round] / (done[0] / items[0].seconds[round]));
    bench::Report(items[i].name + ", of the peak", bench::Median(ratios), i % 2 == 1 ? target : 0);
  }
  std::fflush(stdout);
}

}  // namespace
}  // namespace gnomon::optimized

int main(int argc, char** argv) {
  if (argc > 1) gnomon::optimized::UseTarget(argv[1]);
  gnomon::optimized::bench::PrintMachine();
  for (const size_t T : {1024, 2048, 4096}) {
    gnomon::optimized::Bench(T, 64, 0.4);
    gnomon::optimized::Bench(T, 128, 0.55);
  }
}
#endif  // HWY_ONCE
