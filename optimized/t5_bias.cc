// The idea: the distances at which buckets begin are decided once, in exact integers; a bucket is
// then a search among a few of them, and never a logarithm. The bias of a head is one line of table
// entries over the offsets, and the matrix is written by copies of it (offset_line.cc); attention
// reads that line instead of a matrix (biased_attention.h). DeBERTa's
// bucket is a float64 logarithm, and exact integers where that comes too near to a whole number.
// Integers: no vector arithmetic helps here.
#include "gnomon/optimized/t5_bias.h"

#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <cstring>
#include <map>
#include <mutex>
#include <tuple>

#include "gnomon/optimized/biased_attention.h"
#include "gnomon/optimized/offset_line.h"
#include "gnomon/optimized/schemes.h"

namespace gnomon::optimized {
namespace {

using boost::multiprecision::cpp_int;

cpp_int Power(int64_t base, int64_t exponent) {
  cpp_int result = 1, square = base;
  for (int64_t bits = exponent; bits > 0; bits >>= 1) {
    if (bits & 1) result *= square;
    if (bits > 1) square *= square;
  }
  return result;
}

// T5-2. The least x with E^(L-k) D^k <= x^L; binary64 says about where.
int64_t StartOf(int64_t E, int64_t D, int64_t L, int64_t k) {
  const cpp_int threshold = Power(E, L - k) * Power(D, k);
  const double e = static_cast<double>(E);
  const double guess =
      e * std::pow(static_cast<double>(D) / e, static_cast<double>(k) / static_cast<double>(L));
  int64_t x = std::llround(guess);
  while (Power(x, L) >= threshold) --x;
  while (Power(x, L) < threshold) ++x;
  return x;
}

// T5-5. x^(M-1) M^k <= D^k M^(M-1), for x beyond M.
bool IsEnough(int64_t M, int64_t D, int64_t x, int64_t k) {
  return Power(x, M - 1) * Power(M, k) <= Power(D, k) * Power(M, M - 1);
}

}  // namespace

T5Plan::T5Plan(const T5Buckets& buckets) : t_(buckets) {
  for (int64_t k = 1; k < t_.logarithmic(); ++k)
    starts_.push_back(StartOf(t_.max_exact(), t_.max_distance, t_.logarithmic(), k));
  constexpr int64_t kNear = 2048;
  for (int64_t x = 0; x < kNear; ++x) near_.push_back(static_cast<int16_t>(OneSided(x)));
}

int64_t T5Plan::OneSided(int64_t x) const {
  if (x < t_.max_exact()) return x;
  const auto above = std::upper_bound(starts_.begin(), starts_.end(), x);
  return t_.max_exact() + (above - starts_.begin());
}

// T5-3, with max_exact of T5-1.
int64_t T5Plan::Bucket(int64_t rel) const {
  const int64_t x = t_.Distance(rel);
  const bool near = x < static_cast<int64_t>(near_.size());
  return t_.Offset(rel) + (near ? near_[static_cast<size_t>(x)] : OneSided(x));
}

void T5Plan::Buckets(const ConstTensorView& query, const ConstTensorView& key,
                     const TensorView& to) const {
  FillByOffset(
      query, key, 1, 1,
      [this](int64_t, const std::vector<int64_t>& line, std::byte* bits) {
        int64_t* buckets = reinterpret_cast<int64_t*>(bits);
        for (size_t i = 0; i < line.size(); ++i) buckets[i] = Bucket(line[i]);
      },
      to);
}

void T5Plan::Bias(const ConstTensorView& query, const ConstTensorView& key,
                  const ConstTensorView& table, const TensorView& to) const {
  const int64_t size = SizeOf(table.dtype), heads = table.shape[1];
  // The buckets of a line serve every head.
  std::vector<const std::byte*> entries;
  FillByOffset(
      query, key, heads, 1,
      [&](int64_t head, const std::vector<int64_t>& line, std::byte* bits) {
        if (head == 0) {
          entries.resize(line.size());
          for (size_t i = 0; i < line.size(); ++i)
            entries[i] = table.data + Bucket(line[i]) * table.strides[0] * size;
        }
        const int64_t column = head * table.strides[1] * size;
        if (size == 4) {
          for (size_t i = 0; i < line.size(); ++i)
            std::memcpy(bits + 4 * i, entries[i] + column, 4);
        } else {
          for (size_t i = 0; i < line.size(); ++i)
            std::memcpy(bits + 2 * i, entries[i] + column, 2);
        }
      },
      to);
}

std::shared_ptr<const T5Plan> CachedT5Plan(const T5Buckets& t) {
  static std::mutex mutex;
  static std::map<std::tuple<bool, int64_t, int64_t>, std::shared_ptr<const T5Plan>> known;
  const std::tuple key(t.bidirectional, t.num_buckets, t.max_distance);
  const std::lock_guard<std::mutex> lock(mutex);
  auto& plan = known[key];
  if (!plan) {
    auto made = std::make_shared<const T5Plan>(t);
    if (known.size() > 64) known.clear();
    known[key] = made;
    return made;
  }
  return plan;
}

int64_t DebertaBucket(const DebertaBuckets& d, int64_t rel) {
  const int64_t M = d.middle(), D = d.last(), x = d.Distance(rel);
  if (-M <= rel && rel <= M) return rel;
  const double m = static_cast<double>(M);
  // Both quotients are at least 1 + 1/2048, so rounding them moves a logarithm by 2^-42 of itself
  // at most, and q is within 2^-40 of the truth.
  const double q =
      std::log(static_cast<double>(x) / m) / std::log(static_cast<double>(D) / m) * (m - 1);
  const double nearest = std::rint(q);
  int64_t k = static_cast<int64_t>(std::ceil(q));
  if (std::abs(q - nearest) <= q * 0x1p-40) {
    k = static_cast<int64_t>(nearest);
    if (!IsEnough(M, D, x, k)) ++k;
  }
  return rel < 0 ? -(M + k) : M + k;
}

namespace {

// T5-9: the line of T5-4, widened to float32, read by the fused kernel.
void RunAttention(const Case& c, const TensorView& y) {
  const gnomon::t5_bias::AttentionParameters p = gnomon::t5_bias::ReadAttention(c);
  const auto plan = CachedT5Plan(p.buckets);
  const ConstTensorView table = c.inputs.at("table").view();
  const int64_t heads = table.shape[1];
  RunBiasedAttention(
      c, p.heads, false,
      [&](int64_t head, const std::vector<int64_t>& line, float* bias) {
        for (size_t i = 0; i < line.size(); ++i)
          bias[i] = static_cast<float>(ValueAt(table, plan->Bucket(line[i]) * heads + head));
      },
      y);
}

}  // namespace

namespace t5_bias {

bool Supports(const std::string& operation, Format format) {
  if (operation == "t5_bias.bias" || operation == "t5_bias.attention")
    return format != Format::kF64;
  return operation == "t5_bias.bucket" || operation == "t5_bias.deberta_bucket";
}

bool Run(const Case& c, const OutputViews& outputs, Mode) {
  if (!Supports(c.operation, c.format)) return false;
  const ConstTensorView query = c.inputs.at("query_positions").view(),
                        key = c.inputs.at("key_positions").view();
  if (c.operation == "t5_bias.deberta_bucket") {
    const DebertaBuckets d = gnomon::t5_bias::ReadDeberta(c);
    FillByOffset(
        query, key, 1, -1,
        [&](int64_t, const std::vector<int64_t>& line, std::byte* bits) {
          int64_t* buckets = reinterpret_cast<int64_t*>(bits);
          for (size_t i = 0; i < line.size(); ++i) buckets[i] = DebertaBucket(d, line[i]);
        },
        outputs.at("buckets"));
    return true;
  }
  if (c.operation == "t5_bias.attention") {
    RunAttention(c, outputs.at("y"));
    return true;
  }
  const auto plan = CachedT5Plan(gnomon::t5_bias::ReadBuckets(c));
  if (c.operation == "t5_bias.bucket") {
    plan->Buckets(query, key, outputs.at("buckets"));
  } else {
    plan->Bias(query, key, c.inputs.at("table").view(), outputs.at("bias"));
  }
  return true;
}

}  // namespace t5_bias
}  // namespace gnomon::optimized
