// What the fill benchmarks of alibi_bench.cc and t5_bias_bench.cc are held against: plain stores
// and stores around the caches of the same bytes, and a gather through a [query, key] matrix of
// buckets.
#ifndef GNOMON_OPTIMIZED_OFFSET_BENCH_H_
#define GNOMON_OPTIMIZED_OFFSET_BENCH_H_

#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "gnomon/optimized/bench.h"
#include "gnomon/optimized/cache.h"
#include "gnomon/optimized/offset_line.h"
#include "hwy/cache_control.h"

namespace gnomon::optimized::bench {

struct FillShape {
  const char* title;
  int64_t heads, tokens;
  bool in_cache;
};
// The first is half of a second-level cache of 512 KiB: what is larger than that measures the
// third.
inline constexpr FillShape kFillShapes[] = {{"256 KiB, in the second-level cache", 1, 256, true},
                                            {"64 MiB", 16, 1024, false},
                                            {"256 MiB", 16, 2048, false}};

inline Tensor TokenPositions(int64_t tokens) {
  Tensor positions(DType::kI64, {tokens});
  for (int64_t i = 0; i < tokens; ++i) positions.SetInteger(i, i);
  return positions;
}

// Every row of `to` a copy of the same numbers, by stores around the caches or plain ones: as much
// as a fill can do.
inline void StoreOnly(const TensorView& to, const std::vector<float>& numbers, bool stream) {
  const int64_t heads = to.shape[0];
  for (int64_t head = 0; head < heads; ++head)
    CopyRows({reinterpret_cast<const std::byte*>(numbers.data()), 0, 0}, to,
             to.data + head * to.strides[0] * 4, stream);
  if (stream) hwy::FlushStream();
}

// A constant in every place, 16 bytes at a time; not memset, whose microcode fetches no lines.
inline void PlainStores(float* to, int64_t count) {
  using Four = float __attribute__((vector_size(16)));
  const Four value = {1.5f, 1.5f, 1.5f, 1.5f};
  Four* at = reinterpret_cast<Four*>(to);
  for (int64_t i = 0; i < count; i += 16, at += 4) at[0] = at[1] = at[2] = at[3] = value;
  asm volatile("" : : : "memory");
}

// Runs `fill` beside the stores of one value, and beside `gather` (T5 alone).
inline void BenchFill(const FillShape& shape, const std::string& name,
                      const std::function<void(const TensorView&)>& fill,
                      const std::function<void(const TensorView&)>& gather, int rounds) {
  const int64_t T = shape.tokens, count = shape.heads * T * T;
  const Buffer memory(static_cast<size_t>(count) * 4);
  const Shape axes = {shape.heads, T, T};
  const TensorView to{DType::kF32, memory.bytes(), axes, ContiguousStrides(axes)};
  std::vector<Item> items;
  items.push_back({name, [&] { fill(to); }});
  const std::vector<float> numbers(static_cast<size_t>(T), 1.5f);
  items.push_back({"plain stores", [&] { PlainStores(memory.as<float>(), count); }});
  items.push_back({"stores around the caches", [&] { StoreOnly(to, numbers, true); }});
  if (gather) items.push_back({"gather through a [T, T] matrix", [&] { gather(to); }});
  Measure(&items, rounds);
  std::printf("\n%s: %s, %lld heads, %lld tokens\n", shape.title, name.c_str(),
              static_cast<long long>(shape.heads), static_cast<long long>(T));
  if (shape.in_cache) {
    Report("fill / plain stores", Speed(items[0], {&items[1]}), 0.7);
  } else {
    Report("fill / stores around the caches", Speed(items[0], {&items[2]}), 0.9);
  }
  if (gather) Report("fill / gather", Speed(items[0], {&items[3]}), shape.in_cache ? 0 : 3.5);
  ReportTimes(items, static_cast<double>(count) * 4, "B");
}

}  // namespace gnomon::optimized::bench

#endif  // GNOMON_OPTIMIZED_OFFSET_BENCH_H_
