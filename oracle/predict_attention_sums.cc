#include <cmath>

#include "gnomon/oracle/attention_inputs.h"
#include "gnomon/oracle/predict_attention.h"
#include "gnomon/spec/attention.h"

namespace gnomon::oracle::attention {
namespace {

// Four terms and untied scores: a sum of products, with its bound (ATT-15).
class SumPredictor : public Predictor {
 public:
  SumPredictor(const Answered& answered, const AttentionChange& change)
      : c_(*answered.c),
        change_(change),
        inputs_(answered, change),
        terms_(c_.operation == "attention.four_term"),
        e_(inputs_.Find("e")),
        p_(inputs_.Find("p")),
        w_(inputs_.Find("w")),
        q_(inputs_.Find("q")),
        k_(inputs_.Find("k")),
        pq_(inputs_.Find("pq")),
        pk_(inputs_.Find("pk")) {}

  Prediction At(int output, int64_t element) override {
    const Shape& shape = c_.inputs.at(terms_ ? "e" : "k").shape();
    const int64_t keys = shape[0];
    if (InTail(change_.shared, element % keys, keys, false))
      return Unwritten(change_.shared.tail, DTypeOf(c_.format), std::nullopt);
    sum_ = size_ = largest_ = 0;
    overflowed_ = false;
    operands_ = static_cast<double>(2 * shape.back() + 1);
    if (terms_) {
      if (output == change_.missing) return PlainZero();
      FourTerm(output, element / keys, element % keys);
    } else {
      Untied(element);
    }
    if (inputs_.unknown() || overflowed_) return {};
    if (!std::isfinite(sum_)) return NonFinite(change_.shared, c_.format, sum_);
    const double d = static_cast<double>(shape.back());
    const auto bound = [&](const Profile& profile, Format format) {
      return terms_ ? gnomon::attention::SumBound<double>(profile, format, sum_, size_, 5,
                                                          2 * (d - 1), (d + 1) * operands_)
                    : gnomon::attention::SumBound<double>(profile, format, sum_, size_, 9,
                                                          2 * d - 1, 2 * operands_);
    };
    PerProfile wide{}, narrow{};
    unsigned open = 0;
    for (size_t i = 0; i < kProfiles.size(); ++i) {
      wide[i] = bound(kProfiles[i], c_.format);
      narrow[i] = bound(kProfiles[i], WorkingFormat(c_.format));
      const double quarter = LargestFinite(FormatAt(kProfiles[i].arithmetic, c_.format)) / 4;
      if (!(size_ + largest_ < quarter)) open |= 1u << i;
    }
    Prediction p =
        Stored(change_.shared, c_.format, sum_, bound(kProfiles[1], Format::kF64), wide, narrow);
    p.open = open;
    return p;
  }

 private:
  Prediction PlainZero() const {
    Prediction p;
    p.kind = Prediction::kBits;  // 0
    return p;
  }
  // x y z, from the left.
  void Add(double x, double y, double z) {
    const double product = x * y * z;
    sum_ += product;
    size_ += std::abs(product);
    const bool finite = std::isfinite(x) && std::isfinite(y) && std::isfinite(z);
    overflowed_ |= finite && !(std::abs(x * y) < 0x1p1000 && std::abs(product) < 0x1p1000);
  }
  void FourTerm(int output, int64_t m, int64_t n) {
    if (change_.terms_exchanged && (output == 1 || output == 2)) output = 3 - output;
    const Input &x = output < 2 ? *e_ : *p_, &y = output % 2 == 0 ? *e_ : *p_;
    const int64_t width = e_->shape()[1];
    for (int64_t r = 0; r < width; ++r) {
      const double left = x.At({m, r});
      operands_ += std::abs(left) + std::abs(y.At({n, r}));
      for (int64_t s = 0; s < width; ++s) {
        const double w = change_.w_turned ? w_->At({s, r}) : w_->At({r, s}), right = y.At({n, s});
        Add(left, w, right);
        largest_ += std::abs(w) * (std::abs(left) + std::abs(right));
      }
    }
  }
  void Untied(int64_t element) {
    const Shape &q = q_->shape(), &k = k_->shape();
    const int64_t n = element % k[0], m = element / k[0] % q[0], h = element / k[0] / q[0];
    const double root = std::sqrt(2 * static_cast<double>(q[2]));
    const double position_factor = change_.untied_position < 0 ? root : change_.untied_position;
    for (int64_t c = 0; c < q[2]; ++c) {
      const double a = q_->At({m, h, c}), b = k_->At({n, h, c}), pa = pq_->At({m, h, c}),
                   pb = pk_->At({n, h, c});
      Add(change_.untied_content / root * a, b, 1);
      Add(position_factor / root * pa, pb, 1);
      largest_ += std::abs(a * b) + std::abs(pa * pb);
      operands_ += std::abs(a) + std::abs(b) + std::abs(pa) + std::abs(pb);
    }
  }

  const Case& c_;
  AttentionChange change_;
  Inputs inputs_;
  bool terms_;
  const Input *e_, *p_, *w_, *q_, *k_, *pq_, *pk_;  // nullptr: none
  double sum_ = 0, size_ = 0, operands_ = 0;
  double largest_ = 0;       // on the way to the sum
  bool overflowed_ = false;  // nearly out of binary64, in which this is computed
};

}  // namespace

std::unique_ptr<Predictor> PredictSum(const Answered& answered, const AttentionChange& change) {
  return std::make_unique<SumPredictor>(answered, change);
}

}  // namespace gnomon::oracle::attention
