#include "gnomon/properties/plain_attention.h"

#include <cmath>
#include <limits>
#include <map>
#include <vector>

namespace gnomon::properties {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

class Heads {
 public:
  Heads(const Case& c, const gnomon::attention::Parameters& p, const PlainHeads& how)
      : c_(c), p_(p), how_(how), e_(gnomon::attention::ExtentsOf(c)) {}

  void Run() const {
    int64_t number = 0;
    for (int64_t b = 0; b < e_.batch; ++b)
      for (int64_t m = 0; m < e_.queries; ++m)
        for (int64_t h = 0; h < e_.heads; ++h) {
          double sum = 0;
          const std::vector<double> weights = Weights(b, h, m, &sum);
          for (int64_t i = 0; i < e_.value_dim; ++i)
            how_.store(number++, e_.value_dim, Output(b, h, m, i, weights, sum));
        }
  }

 private:
  bool Is(HeadMistake mistake) const { return how_.mistake == mistake; }
  double Get(const char* role, int64_t a, int64_t b, int64_t c, int64_t d) const {
    const ConstTensorView x = c_.inputs.at(role).view();
    return ValueAt(x, ((a * x.shape[1] + b) * x.shape[2] + c) * x.shape[3] + d);
  }
  int64_t KvHead(int64_t h) const {
    return Is(HeadMistake::kKvModulo) ? h % e_.kv_heads : h / (e_.heads / e_.kv_heads);
  }
  bool Sees(int64_t b, int64_t m, int64_t n) const {
    const int64_t last = m + (Is(HeadMistake::kMaskTopLeft) ? 0 : e_.keys - e_.queries);
    const bool causal = p_.mask == AttentionMask::kCausal && !Is(HeadMistake::kMaskIgnored);
    if (causal && n > last) return false;
    if (!c_.inputs.count("key_mask") || Is(HeadMistake::kPaddingIgnored)) return true;
    return c_.inputs.at("key_mask").Integer(b * e_.keys + n) != 0;
  }

  double Score(int64_t b, int64_t h, int64_t m, int64_t n) const {
    const double d = static_cast<double>(e_.head_dim);
    double scale = p_.scale ? p_.scale->value : 1 / std::sqrt(d);
    if (Is(HeadMistake::kScaleNone) && !p_.scale) scale = 1;
    scale = how_.rounded(scale);
    double content = 0, position = 0;
    for (int64_t i = 0; i < e_.head_dim; ++i) {
      const double q = Get("q", b, m, h, i);
      double k = Get("k", b, n, KvHead(h), i);
      const double a = how_.key_vector ? how_.key_vector(b, h, m, n, i) : 0;
      const double by = Is(HeadMistake::kVectorByKey) ? k : q;
      if (how_.key_vector && !how_.row) k = how_.rounded(k + a);
      content = how_.summed(content + how_.summed(q * k));
      if (how_.row) position = how_.summed(position + how_.summed(by * a));
    }
    content = how_.rounded(content);
    if (Is(HeadMistake::kScaleContentOnly))
      return how_.rounded(how_.rounded(content * scale) + how_.rounded(position));
    if (how_.row) content = how_.rounded(content + how_.rounded(position));
    const double bias = how_.bias(b, h, m, n);
    if (Is(HeadMistake::kBiasAfterSoftmax) && std::isfinite(bias))
      return how_.rounded(content * scale);
    if (Is(HeadMistake::kBiasScaled) && std::isfinite(bias))
      return how_.rounded(how_.rounded(content + bias) * scale);
    const double score = how_.rounded(how_.rounded(content * scale) + bias);
    return bias == -kInf ? -kInf : score;  // ATT-2
  }

  // exp(score - maximum); their sum.
  std::vector<double> Weights(int64_t b, int64_t h, int64_t m, double* sum) const {
    std::vector<double> scores;
    double maximum = -kInf;
    for (int64_t n = 0; n < e_.keys; ++n) {
      scores.push_back(Sees(b, m, n) ? Score(b, h, m, n) : -kInf);
      if (!(scores.back() <= maximum) && !std::isnan(maximum)) maximum = scores.back();
    }
    const double shift = maximum == -kInf ? 0 : maximum;
    for (double& score : scores) {
      score = how_.rounded(how_.summed(std::exp(how_.rounded(score - shift))));
      *sum = how_.summed(*sum + score);
    }
    for (int64_t n = 0; Is(HeadMistake::kBiasAfterSoftmax) && n < e_.keys; ++n)
      if (const double bias = how_.bias(b, h, m, n); Sees(b, m, n) && std::isfinite(bias))
        scores[static_cast<size_t>(n)] += bias * *sum;
    return scores;
  }
  double Output(int64_t b, int64_t h, int64_t m, int64_t i, const std::vector<double>& weights,
                double sum) const {
    double output = 0;
    struct Bin {
      double weight = 0, vector = 0;
    };
    std::map<int64_t, Bin> bins;  // of each row
    for (int64_t n = 0; n < e_.keys; ++n) {
      const double w = weights[static_cast<size_t>(n)];
      const bool out = !Sees(b, m, n) || how_.bias(b, h, m, n) == -kInf;
      if (w == 0 && out && !Is(HeadMistake::kLeaksValue)) continue;
      double v = Get("v", b, n, KvHead(h), i);
      const double a = how_.value_vector ? how_.value_vector(b, h, m, n, i) : 0;
      if (how_.value_vector && !how_.row) v = how_.rounded(v + a);
      output = how_.summed(output + how_.summed(w * v));
      if (!how_.row) continue;
      Bin& bin = bins[how_.row(b, m, n)];
      bin.weight = Is(HeadMistake::kLastOfRow) ? w : how_.summed(bin.weight + w);
      bin.vector = a;
    }
    double rows = 0;
    for (const auto& [row, bin] : bins)
      rows = how_.summed(rows + how_.summed(how_.rounded(bin.weight) * bin.vector));
    if (how_.row) output = how_.rounded(how_.rounded(output) + how_.rounded(rows));
    return sum == 0 ? output : how_.rounded(how_.rounded(output) / sum);
  }

  const Case& c_;
  const gnomon::attention::Parameters& p_;
  const PlainHeads& how_;
  gnomon::attention::Extents e_;
};

}  // namespace

void RunPlainHeads(const Case& c, const gnomon::attention::Parameters& p, const PlainHeads& how) {
  Heads(c, p, how).Run();
}

}  // namespace gnomon::properties
