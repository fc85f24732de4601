// T5-1 to T5-6: T5's buckets, reference and kernel, against the tables that Coq computed; what
// float code may answer at a boundary; DeBERTa.
#include "gnomon/reference/t5_bias.h"

#include <gtest/gtest.h>
#include <openssl/evp.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "gnomon/optimized/t5_bias.h"
#include "gnomon/reference/truth.h"
#include "gnomon/spec/schemes.h"

namespace gnomon::reference {
namespace {

nlohmann::json Certified() {
  std::ifstream in(std::filesystem::path(GNOMON_SOURCE_DIR) /
                   "spec/vectors/certified_t5_bias.json");
  return nlohmann::json::parse(in).at("numbers");
}

// T5-2: where each logarithmic bucket begins.
TEST(T5Certified, Boundaries) {
  int compared = 0;
  for (const nlohmann::json& entry : Certified()) {
    if (!entry.contains("starts")) continue;
    T5Buckets t;
    t.bidirectional = false;
    t.num_buckets = entry.at("buckets_a_side");
    t.max_distance = entry.at("max_distance");
    const optimized::T5Plan plan(t);
    int64_t bucket = t.max_exact();
    for (const int64_t start : entry.at("starts")) {
      ++bucket;
      EXPECT_GE(Bucket(t, -start), bucket) << t.num_buckets << " " << t.max_distance;
      EXPECT_LT(Bucket(t, 1 - start), bucket) << t.num_buckets << " " << t.max_distance;
      EXPECT_GE(plan.Bucket(-start), bucket);
      EXPECT_LT(plan.Bucket(1 - start), bucket);
      ++compared;
    }
  }
  EXPECT_GT(compared, 5000);
}

// T5-3: whole tables, by the hash of their bytes.
template <class BucketOf>
std::string Digest(bool bidirectional, int64_t num_buckets, const BucketOf& bucket_of) {
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  EVP_DigestInit_ex(context, EVP_sha256(), nullptr);
  T5Buckets t;
  t.bidirectional = bidirectional;
  t.num_buckets = num_buckets;
  for (t.max_distance = t.max_exact() + 1; t.max_distance <= 512; ++t.max_distance) {
    const std::vector<unsigned char> row = bucket_of(t);
    EVP_DigestUpdate(context, row.data(), row.size());
  }
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  EVP_DigestFinal_ex(context, digest, &size);
  EVP_MD_CTX_free(context);
  std::string hex;
  for (unsigned i = 0; i < size; ++i) {
    hex += "0123456789abcdef"[digest[i] >> 4];
    hex += "0123456789abcdef"[digest[i] & 15];
  }
  return hex;
}

constexpr int64_t kReach = 520;

std::vector<unsigned char> ReferenceRow(const T5Buckets& t) {
  std::vector<unsigned char> one, row;
  for (int64_t x = 0; x <= kReach; ++x)
    one.push_back(
        static_cast<unsigned char>(OneSided(t.max_exact(), t.max_distance, t.logarithmic(), x)));
  for (int64_t rel = -kReach; rel <= kReach; ++rel)
    row.push_back(
        static_cast<unsigned char>(t.Offset(rel) + one[static_cast<size_t>(t.Distance(rel))]));
  return row;
}
std::vector<unsigned char> KernelRow(const T5Buckets& t) {
  const optimized::T5Plan plan(t);
  std::vector<unsigned char> row;
  for (int64_t rel = -kReach; rel <= kReach; ++rel)
    row.push_back(static_cast<unsigned char>(plan.Bucket(rel)));
  return row;
}

// Every `step`th table, from the 32 of T5 itself on.
int CompareTables(int64_t step) {
  int compared = 0;
  for (const nlohmann::json& entry : Certified()) {
    if (!entry.contains("sha256")) continue;
    const bool both = entry.at("bidirectional");
    const int64_t count = entry.at("num_buckets");
    if (count % step != 0) continue;
    EXPECT_EQ(Digest(both, count, ReferenceRow), entry.at("sha256")) << both << " " << count;
    EXPECT_EQ(Digest(both, count, KernelRow), entry.at("sha256")) << both << " " << count;
    ++compared;
  }
  return compared;
}
TEST(T5Certified, Tables) { EXPECT_EQ(CompareTables(16), 8); }
TEST(T5Certified, AllTablesSlow) { EXPECT_EQ(CompareTables(1), 61 + 63); }

Case BucketsAt(const T5Buckets& t, const std::vector<int64_t>& rel, Format format) {
  Case c;
  c.operation = "t5_bias.bucket";
  c.format = format;
  c.parameters = {{"num_buckets", static_cast<double>(t.num_buckets)},
                  {"max_distance", static_cast<double>(t.max_distance)},
                  {"bidirectional", t.bidirectional}};
  Tensor key(DType::kI64, {static_cast<int64_t>(rel.size())});
  for (size_t i = 0; i < rel.size(); ++i) key.SetInteger(static_cast<int64_t>(i), rel[i]);
  c.inputs = {{"query_positions", Tensor(DType::kI64, {1})}, {"key_positions", key}};
  return c;
}

// T5-6. Of the distances up to 1000, float code is left a choice only where the real formula lands
// on an integer: in float32 as in float64.
TEST(T5Float, OnlyExactBoundariesAreOpen) {
  const std::vector<std::pair<T5Buckets, std::vector<int64_t>>> expected = {
      {{32, 128, true}, {8, 16, 32, 64, 128}},    {{32, 128, false}, {16, 128}},
      {{48, 81, false}, {24, 36, 54, 81}},        {{10, 160, false}, {5, 10, 20, 40, 80, 160}},
      {{32, 256, false}, {16, 32, 64, 128, 256}}, {{64, 256, true}, {16, 32, 64, 128, 256}}};
  for (const auto& [t, exact] : expected) {
    for (const Format format : {Format::kF32, Format::kF64}) {
      std::vector<int64_t> rel;
      for (int64_t x = 0; x <= 1000; ++x) rel.push_back(-x);
      const Case c = BucketsAt(t, rel, format);
      const auto truth = TruthOf(c);
      std::vector<int64_t> open;
      for (int64_t x = 0; x <= 1000; ++x) {
        const auto [least, greatest] =
            truth->Integers(0, x, kProfiles[*ProfileFromName("f32-angle")]);
        const int64_t due = Bucket(t, -x);
        EXPECT_LE(least, due);
        EXPECT_GE(greatest, due);
        EXPECT_LE(greatest - least, 1);
        if (least != greatest) open.push_back(x);
        const auto strict = truth->Integers(0, x, kProfiles[*ProfileFromName("standard")]);
        EXPECT_EQ(strict, (std::pair{due, due}));
      }
      // At max_exact the quotient is 0 and at max_distance clamped: neither has a bucket below.
      for (const int64_t x : open)
        EXPECT_TRUE(std::count(exact.begin(), exact.end(), x)) << t.num_buckets << " " << x;
      for (const int64_t x : exact)
        EXPECT_EQ(std::count(open.begin(), open.end(), x), x > t.max_exact() && x < t.max_distance)
            << t.num_buckets << " " << x;
    }
  }
}

// T5-5: kernel and reference, far beyond the end too.
TEST(Deberta, KernelAgrees) {
  int compared = 0;
  for (const auto& [buckets, most] : std::vector<std::pair<int64_t, int64_t>>{
           {256, 512}, {32, 128}, {8, 65}, {5, 33}, {64, 257}, {4, 4}, {256, 1000}, {20, 321}})
    for (const bool clamp : {true, false}) {
      const DebertaBuckets d{buckets, most, clamp};
      if (d.last() <= d.middle()) continue;
      for (int64_t rel = -3 * most; rel <= 3 * most; ++rel, ++compared)
        ASSERT_EQ(optimized::DebertaBucket(d, rel), Bucket(d, rel)) << buckets << " " << rel;
      for (const int64_t rel : {int64_t{1} << 32, int64_t{1000003}, int64_t{-123456789}})
        ASSERT_EQ(optimized::DebertaBucket(d, rel), Bucket(d, rel)) << buckets << " " << rel;
    }
  EXPECT_GT(compared, 10000);
}

TEST(T5, RefusalsNameTheParameter) {
  const auto refusal = [](const Case& c) -> std::string {
    try {
      Validate(c);
    } catch (const Rejected& e) {
      return e.what();
    }
    return "";
  };
  const auto asked = [](int64_t buckets, int64_t distance, bool both) {
    return BucketsAt({buckets, distance, both}, {-1}, Format::kF32);
  };
  EXPECT_EQ(refusal(asked(4, 2, true)), "");
  EXPECT_EQ(refusal(asked(5, 2, true)), "");
  EXPECT_EQ(refusal(asked(2, 2, false)), "");
  EXPECT_NE(refusal(asked(3, 128, true)).find("num_buckets"), std::string::npos);
  EXPECT_NE(refusal(asked(1, 128, false)).find("num_buckets"), std::string::npos);
  EXPECT_NE(refusal(asked(32, 8, true)).find("max_distance"), std::string::npos);
  EXPECT_NE(refusal(asked(32, 16, false)).find("max_distance"), std::string::npos);
  EXPECT_EQ(refusal(asked(32, 17, false)), "");
  Case c = asked(32, 128, true);
  c.parameters.erase("bidirectional");
  EXPECT_NE(refusal(c).find("bidirectional"), std::string::npos);
  c.parameters["bidirectional"] = std::string("yes");
  EXPECT_NE(refusal(c).find("bidirectional"), std::string::npos);
  c = asked(32, 128, true);
  c.operation = "t5_bias.bias";
  c.inputs["table"] = Tensor(DType::kF32, {31, 2});
  EXPECT_NE(refusal(c).find("table"), std::string::npos);
  c.inputs["table"] = Tensor(DType::kBf16, {32, 2});
  EXPECT_NE(refusal(c).find("table"), std::string::npos);
  c.inputs["table"] = Tensor(DType::kF32, {32, 2});
  EXPECT_EQ(Validate(c)[0].shape, (Shape{2, 1, 1}));
}

}  // namespace
}  // namespace gnomon::reference
