// Correctly rounded cos/sin tables against vector and scalar sines of float32 angles (which a
// peer's table also has to form: float32 position times float32 frequency), and against memset.
#include <cmath>

#include "gnomon/optimized/bench.h"
#include "gnomon/optimized/frequencies.h"
#include "gnomon/optimized/tables.h"
#include "hwy/cache_control.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "gnomon/optimized/tables_bench.cc"
// clang-format off
#include "hwy/foreach_target.h"  // before highway.h
#include "hwy/highway.h"
#include "hwy/contrib/math/math-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
#if defined(GNOMON_HAVE_SLEEF) && HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
#define GNOMON_SLEEF Sleef_sincosf16_u10avx512f
#ifndef GNOMON_SLEEF_512
#define GNOMON_SLEEF_512  // once for both AVX-512 targets
struct SleefPair512 {
  __m512 sin, cos;
};
extern "C" SleefPair512 Sleef_sincosf16_u10avx512f(__m512);
#endif
#elif defined(GNOMON_HAVE_SLEEF) && HWY_ARCH_X86 && HWY_TARGET == HWY_AVX2
#define GNOMON_SLEEF Sleef_sincosf8_u10avx2
struct SleefPair256 {
  __m256 sin, cos;
};
extern "C" SleefPair256 Sleef_sincosf8_u10avx2(__m256);
#endif
namespace gnomon {
namespace optimized {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class CosSin>
HWY_INLINE void Rows(const float* w, size_t pairs, float first, size_t rows, float* cos, float* sin,
                     const CosSin& cos_sin) {
  const hn::ScalableTag<float> d;
  for (size_t row = 0; row < rows; ++row) {
    const auto m = hn::Set(d, first + static_cast<float>(row));
    for (size_t i = 0; i < pairs; i += hn::Lanes(d))
      cos_sin(hn::Mul(m, hn::LoadU(d, w + i)), cos + row * pairs + i, sin + row * pairs + i);
  }
}

void HighwayRows(const float* w, size_t pairs, float first, size_t rows, float* cos, float* sin) {
  const hn::ScalableTag<float> d;
  Rows(w, pairs, first, rows, cos, sin, [d](auto angle, float* c, float* s) HWY_ATTR {
    hn::StoreU(hn::Cos(d, angle), d, c);
    hn::StoreU(hn::Sin(d, angle), d, s);
  });
}

bool SleefRows(const float* w, size_t pairs, float first, size_t rows, float* cos, float* sin) {
#ifdef GNOMON_SLEEF
  const hn::ScalableTag<float> d;
  Rows(w, pairs, first, rows, cos, sin, [d](auto angle, float* c, float* s) HWY_ATTR {
    const auto both = GNOMON_SLEEF(angle.raw);
    hn::StoreU(hn::Vec<decltype(d)>{both.cos}, d, c);
    hn::StoreU(hn::Vec<decltype(d)>{both.sin}, d, s);
  });
  return true;
#else
  (void)w, (void)pairs, (void)first, (void)rows, (void)cos, (void)sin;
  return false;
#endif
}
#undef GNOMON_SLEEF

}  // namespace HWY_NAMESPACE
}  // namespace optimized
}  // namespace gnomon
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gnomon::optimized {

HWY_EXPORT(HighwayRows);
HWY_EXPORT(SleefRows);

namespace {

constexpr int64_t kFirst = 1000;

void BenchRows(const std::string& title, size_t rows, int rounds, bool in_cache) {
  RopeFrequencies f;
  f.head_dim = f.rotary_dim = 128;
  const Turns turns(ExactFrequencies(f));
  const size_t pairs = turns.size(), count = rows * pairs;
  const bench::Buffer cos(count * 4), sin(count * 4);
  float *c = cos.as<float>(), *s = sin.as<float>();
  std::vector<float> w(pairs);
  for (size_t i = 0; i < pairs; ++i)
    w[i] = static_cast<float>(std::pow(1e4, -2.0 * static_cast<double>(i) / 128));
  std::vector<int64_t> m(rows), scattered(rows);
  for (size_t i = 0; i < rows; ++i) {
    m[i] = kFirst + static_cast<int64_t>(i);
    scattered[i] = kFirst + static_cast<int64_t>(i * 977 % rows) * 3;
  }
  const bool stream = !in_cache;
  std::vector<bench::Item> items;
  items.push_back({"correctly rounded, consecutive", [&] {
                     FillTable(turns, m.data(), rows, TableRows<float>{c, s, pairs, stream});
                     hwy::FlushStream();
                   }});
  items.push_back(
      {"correctly rounded, scattered", [&] {
         FillTable(turns, scattered.data(), rows, TableRows<float>{c, s, pairs, stream});
         hwy::FlushStream();
       }});
  items.push_back({"memset of both tables", [&] {
                     std::memset(c, 1, count * 4);
                     std::memset(s, 2, count * 4);
                     asm volatile("" : : : "memory");
                   }});
  items.push_back({"Highway contrib Sin + Cos", [&] {
                     HWY_DYNAMIC_DISPATCH(HighwayRows)(w.data(), pairs, kFirst, rows, c, s);
                   }});
  if (in_cache) {
    items.push_back({"glibc sincosf", [&] {
                       for (size_t row = 0; row < rows; ++row)
                         for (size_t i = 0; i < pairs; ++i)
                           sincosf(static_cast<float>(kFirst + static_cast<int64_t>(row)) * w[i],
                                   s + row * pairs + i, c + row * pairs + i);
                     }});
    if (HWY_DYNAMIC_DISPATCH(SleefRows)(w.data(), pairs, kFirst, 1, c, s))
      items.push_back({"SLEEF sincosf u10", [&] {
                         HWY_DYNAMIC_DISPATCH(SleefRows)(w.data(), pairs, kFirst, rows, c, s);
                       }});
  }
  bench::Measure(&items, rounds);
  std::printf("\n%s: %zu positions, 64 pairs\n", title.c_str(), rows);
  const bool gate = CurrentTarget().rfind("AVX3", 0) == 0;
  const auto target = [gate](double t) { return gate ? t : 0; };
  if (in_cache) {
    bench::Report("table / Highway contrib Sin + Cos", bench::Speed(items[0], {&items[3]}),
                  target(1.2));
    bench::Report("table / glibc sincosf", bench::Speed(items[0], {&items[4]}), target(12));
    if (items.size() > 5)
      bench::Report("table / SLEEF u10", bench::Speed(items[0], {&items[5]}), target(3));
    bench::Report("scattered positions / Highway", bench::Speed(items[1], {&items[3]}), 0);
  } else {
    bench::Report("table / memset", bench::Speed(items[0], {&items[2]}), target(0.9));
  }
  bench::ReportTimes(items, static_cast<double>(count), "pair");
}

}  // namespace

int BenchMain(int argc, char** argv) {
  if (argc > 1) UseTarget(argv[1]);
  bench::PrintMachine();
  BenchRows("tables in the second-level cache", 1024, 15, true);
  BenchRows("tables to memory, 64 MiB", 131072, 9, false);
  return 0;
}

}  // namespace gnomon::optimized

int main(int argc, char** argv) { return gnomon::optimized::BenchMain(argc, argv); }
#endif  // HWY_ONCE
