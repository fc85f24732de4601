// ALiBi's bias from the offset line, against stores of the same bytes.
#include "gnomon/optimized/alibi.h"
#include "gnomon/optimized/offset_bench.h"

int main(int argc, char** argv) {
  using namespace gnomon;
  using namespace gnomon::optimized;
  if (argc > 1) UseTarget(argv[1]);
  bench::PrintMachine();
  for (const bench::FillShape& shape : bench::kFillShapes) {
    const Tensor positions = bench::TokenPositions(shape.tokens);
    gnomon::alibi::BiasParameters p;
    p.slopes.num_heads = shape.heads;
    bench::BenchFill(
        shape, "alibi.bias",
        [&](const TensorView& to) { FillAlibiBias(p, positions.view(), positions.view(), to); },
        nullptr, 9);
  }
  return 0;
}
