// The truths of the ALiBi operations.
#include "gnomon/reference/alibi.h"

#include <cmath>
#include <vector>

#include "gnomon/reference/certify.h"
#include "gnomon/reference/scheme_bias.h"
#include "gnomon/reference/truth.h"

namespace gnomon::reference {
namespace {

// The slopes of a case, each made once at every precision.
class Slopes {
 public:
  explicit Slopes(const AlibiSlopes& s) : s_(s), known_(static_cast<size_t>(s.num_heads)) {}

  const AlibiSlopes& parameters() const { return s_; }
  const Interval& At(int64_t head) const {
    Known& known = known_[static_cast<size_t>(head)];
    if (known.digits != Interval::default_precision()) {
      known.digits = Interval::default_precision();
      known.slope = Slope<Interval>(s_.ExponentOf(head));
    }
    return known.slope;
  }
  // Within 2^-52 of the slope, relatively; the slope itself where it is a power of two.
  double Nearest(int64_t head, bool* exact) const {
    Known& known = known_[static_cast<size_t>(head)];
    if (known.nearest < 0) {
      ScopedPrecision precision(kFirstPrecision);
      const Interval slope = Slope<Interval>(s_.ExponentOf(head));
      known.nearest = Midpoint(slope);
      known.exact = IsPoint(slope) && known.nearest > 0;
    }
    *exact = known.exact;
    return known.nearest;
  }

 private:
  struct Known {
    unsigned digits = 0;
    Interval slope;
    double nearest = -1;
    bool exact = false;
  };
  AlibiSlopes s_;
  mutable std::vector<Known> known_;
};

class SlopesTruth : public Truth {
 public:
  explicit SlopesTruth(const Case& c) : format_(c.format), slopes_(gnomon::alibi::ReadSlopes(c)) {}

  Interval Value(int, int64_t head) const override { return slopes_.At(head); }
  Interval Bound(int, int64_t head, const Profile& profile) const override {
    return gnomon::alibi::SlopeBound(profile, format_, format_,
                                     slopes_.parameters().ExponentOf(head), slopes_.At(head));
  }
  Interval Size(int, int64_t head) const override { return slopes_.At(head); }
  Interval Scale(int, int64_t head) const override { return slopes_.At(head); }
  Place Where(int, int64_t) const override { return {}; }
  std::vector<Step> Steps(int, int64_t head) const override {
    const AlibiExponent e = slopes_.parameters().ExponentOf(head);
    return {{"exponent",
             -Exactly<Interval>(e.bias_max) * Interval(e.numerator) / Interval(e.denominator)}};
  }

 private:
  Format format_;
  Slopes slopes_;
};

// [(batch,) heads, query, key]
class BiasTruth : public Truth {
 public:
  explicit BiasTruth(const Case& c)
      : format_(c.format),
        p_(gnomon::alibi::ReadBias(c)),
        query_(c.inputs.at("query_positions").view()),
        key_(c.inputs.at("key_positions").view()),
        slopes_(p_.slopes) {}

  Interval Value(int, int64_t element) const override {
    const Cell cell = At(element);
    return Bias(slopes_.At(cell.head), cell.factor);
  }
  Interval Bound(int, int64_t element, const Profile& profile) const override {
    const Cell cell = At(element);
    return gnomon::alibi::BiasBound(profile, format_, p_.slopes.ExponentOf(cell.head),
                                    slopes_.At(cell.head), cell.factor);
  }
  Interval Size(int, int64_t element) const override { return abs(Value(0, element)); }
  Interval Scale(int, int64_t element) const override { return abs(Value(0, element)); }

  // ALIBI-4. In f16 arithmetic such a distance is infinite.
  bool NonFiniteIsOpen(int, int64_t element, const Profile& profile) const override {
    return gnomon::alibi::IsInfinite(profile, format_, At(element).factor);
  }

  bool Quick(int, int64_t element, const Profiles& profiles, QuickElement* q) const override {
    const Cell cell = At(element);
    if (format_ == Format::kF64 || cell.factor == 0) return false;
    bool exact;
    const double slope = slopes_.Nearest(cell.head, &exact);
    if (!(slope > 0x1p-900)) return false;
    q->value = slope * static_cast<double>(cell.factor);
    // The slope is rounded to binary64, and so is the product; a product with a power of two is
    // not.
    q->radius = exact ? 0 : std::abs(q->value) * 0x1p-51;
    q->unit = q->size = std::abs(q->value);
    q->place.position = cell.factor;
    for (size_t i = 0; i < profiles.size(); ++i)
      q->bound[i] = gnomon::alibi::BiasBound<double>(
          profiles[i], format_, p_.slopes.ExponentOf(cell.head), slope, cell.factor);
    return true;
  }

  // The number of tokens that the slope is multiplied by.
  Place Where(int, int64_t element) const override { return {At(element).factor, std::nullopt}; }
  std::vector<Step> Steps(int, int64_t element) const override {
    const Cell cell = At(element);
    return {{"m", Interval(cell.m)},
            {"n", Interval(cell.n)},
            {"factor", Interval(cell.factor)},
            {"slope", slopes_.At(cell.head)}};
  }

 private:
  struct Cell {
    int64_t head, m, n, factor;
  };
  Cell At(int64_t element) const {
    const int64_t keys = key_.shape.back(), queries = query_.shape.back();
    const int64_t key = element % keys, query = element / keys % queries;
    const int64_t row = element / keys / queries, heads = p_.slopes.num_heads;
    const int64_t batch = row / heads;
    Cell cell{row % heads, IntegerAt(query_, batch * queries + query),
              IntegerAt(key_, batch * keys + key), 0};
    cell.factor = gnomon::alibi::Factor(p_.form, cell.m, cell.n, keys);
    return cell;
  }
  Format format_;
  gnomon::alibi::BiasParameters p_;
  ConstTensorView query_, key_;
  Slopes slopes_;
};

// ALIBI-8, ALIBI-9: the bias of one pair of a query and a key.
class BiasOfPair final : public SchemeBias {
 public:
  BiasOfPair(const Case& c, const gnomon::alibi::BiasParameters& p)
      : format_(c.format),
        p_(p),
        query_(c.inputs.at("query_positions").view()),
        key_(c.inputs.at("key_positions").view()),
        slopes_(p.slopes) {}

  Interval Slope(int64_t head) const override { return slopes_.At(head); }
  double Multiple(const Pair& pair) const override { return static_cast<double>(FactorOf(pair)); }
  double About(const Pair& pair) const override {
    bool exact;
    return slopes_.Nearest(pair.head, &exact) * static_cast<double>(FactorOf(pair));
  }
  Interval Error(const Pair& pair, const Profile& profile) const override {
    return gnomon::alibi::BiasError(profile, format_, p_.slopes.ExponentOf(pair.head),
                                    slopes_.At(pair.head), FactorOf(pair));
  }
  bool IsOpen(const Pair& pair, const Profile& profile) const override {
    return gnomon::alibi::IsInfinite(profile, format_, FactorOf(pair));
  }

 private:
  int64_t FactorOf(const Pair& pair) const {
    const int64_t keys = key_.shape.back(), queries = query_.shape.back();
    const int64_t batch = key_.rank() == 2 ? pair.batch : 0;
    return gnomon::alibi::Factor(p_.form, IntegerAt(query_, batch * queries + pair.query),
                                 IntegerAt(key_, batch * keys + pair.key), keys);
  }
  Format format_;
  gnomon::alibi::BiasParameters p_;
  ConstTensorView query_, key_;
  Slopes slopes_;
};

}  // namespace

namespace alibi {

std::unique_ptr<Truth> MakeTruth(const Case& c) {
  if (c.operation == "alibi.slopes") return std::make_unique<SlopesTruth>(c);
  if (c.operation == "alibi.bias") return std::make_unique<BiasTruth>(c);
  const gnomon::alibi::AttentionParameters p = gnomon::alibi::ReadAttention(c);
  return MakeBiasedAttention(c, p.heads, std::make_unique<BiasOfPair>(c, p.bias));
}

}  // namespace alibi
}  // namespace gnomon::reference
