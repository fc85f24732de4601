// rope.apply, positions given, against what memory allows: the better of glibc memcpy and a copy
// with non-temporal stores, of the same bytes. `new`: no call has the positions of the call before,
// as in a model's first layer. `seen`: all have the same ones, as from its second layer on
// (rope_rows.h).
//
// Measured on AMD Zen 5, f32 in the second level, of memcpy: the loop without arithmetic ("copy
// through vectors") has 0.95 to 0.98, with one table at hand 0.94 to 0.97, with a table a token,
// read from that level, 0.92 to 0.93; apply has 0.90 to 0.94 seen, of which the call takes 0.01 to
// 0.02, and 0.79 to 0.82 new, as making a row takes 25 ns beside the 128 ns of copying its token.
// bf16 and f16, 4 MiB: 0.85 to 1.05 seen, 0.72 to 0.87 new. Where stores go around the caches, or
// rows would overflow the second level, both are the same.
#include "gnomon/optimized/aligned.h"
#include "gnomon/optimized/bench.h"
#include "gnomon/optimized/rotate.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "gnomon/optimized/rope_bench.cc"
#include "hwy/cache_control.h"
#include "hwy/foreach_target.h"  // before highway.h
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace gnomon {
namespace optimized {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

void StreamCopy(const std::byte* from, std::byte* to, size_t bytes) {
  const hn::ScalableTag<uint8_t> d;
  const auto* x = reinterpret_cast<const uint8_t*>(from);
  auto* y = reinterpret_cast<uint8_t*>(to);
  const size_t n = hn::Lanes(d);
  for (size_t i = 0; i < bytes; i += 4 * n) {
    const auto a = hn::Load(d, x + i), b = hn::Load(d, x + i + n), c = hn::Load(d, x + i + 2 * n),
               e = hn::Load(d, x + i + 3 * n);
    hn::Stream(a, d, y + i);
    hn::Stream(b, d, y + i + n);
    hn::Stream(c, d, y + i + 2 * n);
    hn::Stream(e, d, y + i + 3 * n);
  }
  hwy::FlushStream();
}

void VectorCopy(const std::byte* from, std::byte* to, size_t bytes) {
  const hn::ScalableTag<uint8_t> d;
  const auto* x = reinterpret_cast<const uint8_t*>(from);
  auto* y = reinterpret_cast<uint8_t*>(to);
  const size_t n = hn::Lanes(d);
  for (size_t i = 0; i < bytes; i += 4 * n) {
    const auto a = hn::Load(d, x + i), b = hn::Load(d, x + i + n), c = hn::Load(d, x + i + 2 * n),
               e = hn::Load(d, x + i + 3 * n);
    hn::Store(a, d, y + i);
    hn::Store(b, d, y + i + n);
    hn::Store(c, d, y + i + 2 * n);
    hn::Store(e, d, y + i + 3 * n);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace optimized
}  // namespace gnomon
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gnomon::optimized {

HWY_EXPORT(StreamCopy);
HWY_EXPORT(VectorCopy);

namespace {

constexpr int64_t kHeads = 32, kHeadDim = 128;

struct SpeedTargets {
  double out_of_place;  // / max(memcpy, non-temporal copy)
  double over_memcpy;
  double in_place;  // / the same maximum
};

void BenchSize(Format format, double mebibytes, int rounds, const SpeedTargets& targets) {
  const int64_t size = SizeOf(DTypeOf(format));
  const int64_t seq = static_cast<int64_t>(mebibytes * 1048576) / (kHeads * kHeadDim * size);
  const Shape shape{1, seq, kHeads, kHeadDim};
  const size_t bytes = static_cast<size_t>(ElementCount(shape) * size);
  const bench::Buffer x(bytes), y(bytes), z(bytes);
  const auto view = [&](const bench::Buffer& b) {
    return TensorView{DTypeOf(format), b.bytes(), shape, ContiguousStrides(shape)};
  };
  const TensorView y_view = view(y), z_view = view(z);
  const ConstTensorView x_view = view(x), z_const = view(z);
  Tensor ones(DTypeOf(format), {1});
  for (const bench::Buffer* b : {&x, &y, &z})
    for (size_t i = 0; i < bytes / static_cast<size_t>(size); ++i) {
      ones.Set(0, 0.25 + 0.001 * static_cast<double>(i % 997));
      std::memcpy(b->bytes() + i * static_cast<size_t>(size), ones.storage().data(),
                  static_cast<size_t>(size));
    }
  // `new` starts one position further in each of 64 calls: no call has the positions of the last.
  constexpr int64_t kStarts = 64;
  Tensor positions(DType::kI64, {seq + kStarts});
  for (int64_t i = 0; i < seq + kStarts; ++i) positions.SetInteger(i, 1000 + i);
  ConstTensorView m = static_cast<const Tensor&>(positions).view();
  m.shape[0] = seq;
  const auto plan = [](RopeLayout layout) {
    RopeApply a;
    a.frequencies.head_dim = a.frequencies.rotary_dim = kHeadDim;
    a.input_layout = a.output_layout = layout;
    return RopePlan(a);
  };
  std::vector<bench::Item> items;
  items.push_back({"memcpy", [&] {
                     std::memcpy(y.bytes(), x.bytes(), bytes);
                     asm volatile("" : : : "memory");
                   }});
  items.push_back({"non-temporal copy", [&] {
                     HWY_DYNAMIC_DISPATCH(StreamCopy)(x.bytes(), y.bytes(), bytes);
                   }});
  const auto add = [&](const std::string& name, RopeLayout layout, bool in_place, bool seen) {
    items.push_back({name + (in_place ? " in place" : "") + (seen ? ", seen" : ", new"),
                     [&, apply = plan(layout), at = m, start = 0, in_place, seen]() mutable {
                       start = seen ? 0 : (start + 1) % kStarts;
                       at.data = m.data + start * SizeOf(m.dtype);
                       in_place ? apply.Apply(z_const, at, z_view)
                                : apply.Apply(x_view, at, y_view);
                     }});
  };
  for (bool in_place : {false, true})
    for (bool seen : {false, true}) {
      add("half_split", RopeLayout::kHalfSplit, in_place, seen);
      add("interleaved", RopeLayout::kInterleaved, in_place, seen);
    }
  const size_t promised = items.size();
  AlignedArray<float> table(static_cast<size_t>(seq * kHeadDim));
  std::fill_n(table.data(), seq * kHeadDim, 0.7f);
  if (targets.over_memcpy > 0) {
    items.push_back({"copy through vectors", [&] {
                       HWY_DYNAMIC_DISPATCH(VectorCopy)(x.bytes(), y.bytes(), bytes);
                       asm volatile("" : : : "memory");
                     }});
    TokensToRotate all;
    all.x = x.bytes();
    all.y = y.bytes();
    all.x_token = all.y_token = kHeads * kHeadDim;
    all.x_head = all.y_head = kHeadDim;
    all.tokens = static_cast<size_t>(seq);
    all.heads = kHeads;
    all.pairs = kHeadDim / 2;
    all.cos = table.data();
    all.sin = table.data() + kHeadDim / 2;
    items.push_back({"half_split, one table at hand",
                     [=] { RotateTokens(format, RopeLayout::kHalfSplit, all); }});
    all.table_stride = kHeadDim;
    items.push_back({"half_split, a table a token at hand",
                     [=] { RotateTokens(format, RopeLayout::kHalfSplit, all); }});
  }
  const bool exact = mebibytes == 8;
  if (exact)
    items.push_back({"half_split, exact mode", [&, apply = plan(RopeLayout::kHalfSplit)] {
                       apply.Apply(x_view, m, y_view, Mode::kExact);
                     }});
  bench::Measure(&items, rounds);
  std::printf("\nrope.apply %s [1, %ld, 32, 128], %.3g MiB in and as much out\n",
              std::string(Traits(format).name).c_str(), static_cast<long>(seq), mebibytes);
  const bool gate = CurrentTarget().rfind("AVX3", 0) == 0;
  const auto target = [gate](double t) { return gate ? t : 0; };
  for (size_t i = 2; i < items.size(); ++i) {
    const bool in_place = i >= 6 && i < promised;
    bench::Report(items[i].name + " / max(memcpy, non-temporal copy)",
                  bench::Speed(items[i], {&items[0], &items[1]}),
                  i < promised ? target(in_place ? targets.in_place : targets.out_of_place) : 0);
    if (targets.over_memcpy > 0)
      bench::Report(items[i].name + " / memcpy", bench::Speed(items[i], {&items[0]}),
                    in_place || i >= promised ? 0 : target(targets.over_memcpy));
  }
  bench::ReportTimes(items, static_cast<double>(ElementCount(shape)), "element");
}

}  // namespace

int BenchMain(int argc, char** argv) {
  if (argc > 1) UseTarget(argv[1]);
  bench::PrintMachine();
  BenchSize(Format::kF32, 0.25, 15, {0, 0.95, 0});
  BenchSize(Format::kF32, 8, 11, {0.8, 0, 1.0});
  BenchSize(Format::kF32, 64, 9, {0.8, 0, 1.0});
  BenchSize(Format::kF32, 256, 7, {0.8, 0, 0});
  for (Format format : {Format::kBf16, Format::kF16}) {
    BenchSize(format, 0.125, 15, {0, 0.38, 0});
    BenchSize(format, 4, 11, {0.8, 0, 0});
  }
  return 0;
}

}  // namespace gnomon::optimized

int main(int argc, char** argv) { return gnomon::optimized::BenchMain(argc, argv); }
#endif  // HWY_ONCE
