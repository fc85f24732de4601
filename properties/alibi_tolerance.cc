#include <cmath>
#include <limits>

#include "gnomon/properties/alibi_cases.h"
#include "gnomon/properties/biased_attention.h"
#include "gnomon/properties/tolerance.h"

namespace gnomon::properties::alibi {
namespace {

// ALIBI-5, from a slope rounded up.
double SlopeSize(const AlibiSlopes& s, int64_t head) {
  const AlibiExponent e = s.ExponentOf(head);
  return std::exp2(-e.bias_max.value * static_cast<double>(e.numerator) /
                   static_cast<double>(e.denominator)) *
         kEvaluated;
}

class SlopesTolerance : public Tolerance {
 public:
  SlopesTolerance(const Profile& promise, const Case& c)
      : promise_(promise), format_(c.format), s_(SlopesOf(c)) {}
  double Bound(int, int64_t head) const override {
    const double slope = Size(0, head);
    if (promise_.correctly_rounded) return OneRounding(format_, slope);
    return gnomon::alibi::SlopeBound<double>(promise_, format_, format_, s_.ExponentOf(head),
                                             slope) *
           kEvaluated;
  }
  double Size(int, int64_t head) const override { return SlopeSize(s_, head); }

 private:
  Profile promise_;
  Format format_;
  AlibiSlopes s_;
};

class BiasTolerance : public Tolerance {
 public:
  BiasTolerance(const Profile& promise, const Case& c)
      : promise_(promise), format_(c.format), p_(gnomon::alibi::ReadBias(c)), c_(c) {}
  double Bound(int, int64_t element) const override {
    const int64_t head = HeadOf(element), x = FactorOf(element);
    const double slope = SlopeSize(p_.slopes, head);
    if (x == 0) return 0;
    if (promise_.correctly_rounded) return OneRounding(format_, Size(0, element));
    return gnomon::alibi::BiasBound<double>(promise_, format_, p_.slopes.ExponentOf(head), slope,
                                            x) *
           kEvaluated;
  }
  double Size(int, int64_t element) const override {
    return SlopeSize(p_.slopes, HeadOf(element)) * std::abs(static_cast<double>(FactorOf(element)));
  }

 private:
  int64_t HeadOf(int64_t element) const {
    return element / Keys(c_) / Queries(c_) % p_.slopes.num_heads;
  }
  int64_t FactorOf(int64_t element) const {
    const int64_t keys = Keys(c_), queries = Queries(c_);
    const int64_t batch = element / keys / queries / p_.slopes.num_heads;
    return gnomon::alibi::Factor(p_.form, QueryAt(c_, batch, element / keys % queries),
                                 KeyAt(c_, batch, element % keys), keys);
  }
  Profile promise_;
  Format format_;
  gnomon::alibi::BiasParameters p_;
  const Case& c_;
};

// ALIBI-10.
std::unique_ptr<Tolerance> OfAttention(const Profile& promise, const Case& c) {
  const gnomon::alibi::AttentionParameters p = gnomon::alibi::ReadAttention(c);
  const auto term = [promise, &c, p](int64_t b, int64_t head, int64_t query, int64_t key) {
    const int64_t batch = Batches(c) == 1 ? 0 : b;
    const int64_t x =
        gnomon::alibi::Factor(p.bias.form, QueryAt(c, batch, query), KeyAt(c, batch, key), Keys(c));
    const double slope = SlopeSize(p.bias.slopes, head);
    attention::SchemeTerm t;
    t.size = slope * std::abs(static_cast<double>(x)) * kEvaluated;
    t.error = gnomon::alibi::IsInfinite(promise, c.format, x)
                  ? std::numeric_limits<double>::infinity()
                  : gnomon::alibi::BiasError<double>(promise, c.format,
                                                     p.bias.slopes.ExponentOf(head), slope, x) *
                        kEvaluated;
    return t;
  };
  return attention::MakeBiasedTolerance(promise, c, p.heads, term);
}

}  // namespace

std::unique_ptr<Tolerance> MakeTolerance(const Profile& promise, const Case& c) {
  if (c.operation == "alibi.slopes") return std::make_unique<SlopesTolerance>(promise, c);
  if (c.operation == "alibi.attention") return OfAttention(promise, c);
  return std::make_unique<BiasTolerance>(promise, c);
}

}  // namespace gnomon::properties::alibi
