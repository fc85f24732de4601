// T5's bias from the offset line, against stores of the same bytes and against what models do: a
// gather of the table through a [T, T] matrix of buckets.
#include "gnomon/optimized/offset_bench.h"
#include "gnomon/optimized/t5_bias.h"

int main(int argc, char** argv) {
  using namespace gnomon;
  using namespace gnomon::optimized;
  if (argc > 1) UseTarget(argv[1]);
  bench::PrintMachine();
  for (const bench::FillShape& shape : bench::kFillShapes) {
    const int64_t T = shape.tokens, heads = shape.heads;
    const Tensor positions = bench::TokenPositions(T);
    T5Buckets t;
    Tensor table(DType::kF32, {t.num_buckets, heads});
    for (int64_t i = 0; i < table.count(); ++i) table.Set(i, 0.25 * static_cast<double>(i));
    const auto plan = CachedT5Plan(t);
    std::vector<int32_t> buckets(static_cast<size_t>(T * T));
    for (int64_t i = 0; i < T * T; ++i)
      buckets[static_cast<size_t>(i)] = static_cast<int32_t>(plan->Bucket(i % T - i / T));
    const float* entries = reinterpret_cast<const float*>(table.view().data);
    bench::BenchFill(
        shape, "t5_bias.bias",
        [&](const TensorView& to) {
          plan->Bias(positions.view(), positions.view(), std::as_const(table).view(), to);
        },
        [&](const TensorView& to) {
          float* out = reinterpret_cast<float*>(to.data);
          for (int64_t h = 0; h < heads; ++h)
            for (int64_t i = 0; i < T * T; ++i)
              *out++ = entries[buckets[static_cast<size_t>(i)] * heads + h];
        },
        9);
  }
  return 0;
}
