// Correctly rounded tables of real arguments against vector and scalar sines of float32 angles, as
// in tables_bench.cc: whole operations, with the reading of their arguments and their factors.
#include <cmath>

#include "gnomon/optimized/bench.h"
#include "gnomon/optimized/multi_axis_mixed.h"
#include "gnomon/optimized/sinusoidal_real.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "gnomon/optimized/real_tables_bench.cc"
// clang-format off
#include "hwy/foreach_target.h"  // before highway.h
#include "hwy/highway.h"
#include "hwy/contrib/math/math-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace gnomon {
namespace optimized {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// count is a multiple of every target's lanes.
void HighwaySines(const float* angles, size_t count, float* cos, float* sin) {
  const hn::ScalableTag<float> d;
  for (size_t i = 0; i < count; i += hn::Lanes(d)) {
    const auto angle = hn::LoadU(d, angles + i);
    hn::StoreU(hn::Cos(d, angle), d, cos + i);
    hn::StoreU(hn::Sin(d, angle), d, sin + i);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace optimized
}  // namespace gnomon
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gnomon::optimized {

HWY_EXPORT(HighwaySines);

namespace {

Tensor Uniform(DType dtype, const Shape& shape, double size, double step) {
  Tensor t(dtype, shape);
  for (int64_t i = 0; i < t.count(); ++i)
    t.Set(i, size * std::fabs(std::sin(static_cast<double>(i) * step)));
  return t;
}

// Of `pairs` sines and cosines, beside those of as many float32 angles up to `largest`.
void Bench(const std::string& name, size_t pairs, float largest, const std::function<void()>& run) {
  const bench::Buffer angles(pairs * 4), cos(pairs * 4), sin(pairs * 4);
  float *a = angles.as<float>(), *c = cos.as<float>(), *s = sin.as<float>();
  for (size_t i = 0; i < pairs; ++i)
    a[i] = largest * std::fabs(std::sin(0.7f * static_cast<float>(i)));
  std::vector<bench::Item> items = {{name, run},
                                    {"Highway contrib Sin + Cos",
                                     [&] {
                                       HWY_DYNAMIC_DISPATCH(HighwaySines)
                                       (a, pairs, c, s);
                                     }},
                                    {"glibc sincosf", [&] {
                                       for (size_t i = 0; i < pairs; ++i)
                                         sincosf(a[i], s + i, c + i);
                                     }}};
  bench::Measure(&items, 15);
  std::printf("\n%s, %zu pairs\n", name.c_str(), pairs);
  bench::Report("table / Highway contrib Sin + Cos", bench::Speed(items[0], {&items[1]}), 0);
  bench::Report("table / glibc sincosf", bench::Speed(items[0], {&items[2]}), 0);
  bench::ReportTimes(items, static_cast<double>(pairs), "pair");
}

void BenchTimestep() {
  gnomon::sinusoidal::Timestep p;
  p.width = 320;
  const Tensor t = Uniform(DType::kF32, {256}, 1000, 0.7);
  Tensor pe(DType::kF32, {256, 320});
  Bench("sinusoidal.timestep", 256 * 160, 1000, [&] { TimestepTable(p, t.view(), pe.view()); });
}

void BenchFourier() {
  const Tensor x = Uniform(DType::kF32, {256, 3}, 1, 0.7),
               B = Uniform(DType::kF32, {128, 3}, 10, 1);
  Tensor features(DType::kF32, {256, 256});
  Bench("sinusoidal.fourier", 256 * 128, 190, [&] {
    FourierFeatures(gnomon::sinusoidal::FourierLayout::kSinCos, x.view(), B.view(),
                    features.view());
  });
}

void BenchNerf() {
  gnomon::sinusoidal::Nerf p;
  p.octaves = 10;
  const Tensor x = Uniform(DType::kF32, {1024, 3}, 1, 0.7);
  Tensor features(DType::kF32, {1024, 60});
  Bench("sinusoidal.nerf", 1024 * 30, 1600, [&] { NerfFeatures(p, x.view(), features.view()); });
}

// ROPE-ViT: 14 x 14 patches, 12 heads of 64, frequencies learned for each; the rotation included.
void BenchMixed() {
  AxialRotation rotation;
  rotation.head_dim = rotation.rotary_dim = 64;
  rotation.sizes = {32, 32};
  rotation.mixed = true;
  Tensor x(DType::kF32, {1, 196, 12, 64}), positions(DType::kI64, {2, 196});
  for (int64_t i = 0; i < x.count(); ++i) x.Set(i, 1);
  for (int64_t i = 0; i < 196; ++i) {
    positions.SetInteger(i, i / 14);
    positions.SetInteger(196 + i, i % 14);
  }
  const Tensor w = Uniform(DType::kF32, {2, 12, 32}, 1, 0.7);
  Tensor y(DType::kF32, {1, 196, 12, 64});
  Bench("multi_axis.mixed", 196 * 12 * 32, 28, [&] {
    ApplyMixed(rotation, std::as_const(x).view(), std::as_const(positions).view(), w.view(),
               y.view());
  });
}

}  // namespace
}  // namespace gnomon::optimized

int main(int argc, char** argv) {
  if (argc > 1) gnomon::optimized::UseTarget(argv[1]);
  gnomon::optimized::bench::PrintMachine();
  gnomon::optimized::BenchTimestep();
  gnomon::optimized::BenchFourier();
  gnomon::optimized::BenchNerf();
  gnomon::optimized::BenchMixed();
  return 0;
}
#endif  // HWY_ONCE
