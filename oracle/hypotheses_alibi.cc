// Known mistakes in ALiBi (spec/mistakes.md), as hypotheses: each rewrites what the kernel takes
// the case to say.
#include <cmath>
#include <limits>

#include "gnomon/oracle/hypotheses.h"
#include "gnomon/oracle/predict_attention.h"
#include "gnomon/spec/alibi.h"

namespace gnomon::oracle::alibi {
namespace {

using gnomon::alibi::BiasBound;
using gnomon::alibi::SlopeBound;

// Which fraction of B a head's exponent is.
enum class Rule {
  kAsAsked,
  kEveryCount,
  kFromZero,
  kNextPower,
  kEvens,
  kOddsFirst,
  kSameCount,
  kReversed,
  kFirstHead
};
enum class Rows { kSame, kBatchZero, kTokens, kQueriesFromZero, kContiguous };

struct AlibiChange {
  Change shared;
  AlibiSlopes slopes;
  AlibiForm form = AlibiForm::kDistance;
  Rule rule = Rule::kAsAsked;
  Rows rows = Rows::kSame;
  bool base_e = false, positive = false, from_length = false, one_query_zero = false;
  bool short_distance = false;
  int64_t query_shift = 0;
  std::optional<Format> product_in;
  // ALIBI-8.
  attention::AttentionChange heads;
  bool slopes_of_kv_heads = false;
};

// The largest power of two up to n.
int64_t PowerUpTo(int64_t n) {
  int64_t c = 1;
  while (2 * c <= n) c *= 2;
  return c;
}

AlibiExponent ExponentBy(const AlibiChange& change, int64_t head) {
  const Number& B = change.slopes.bias_max;
  const int64_t H = change.slopes.num_heads, c = PowerUpTo(H);
  const int64_t h = change.rule == Rule::kReversed    ? H - head
                    : change.rule == Rule::kFirstHead ? 1
                                                      : head + 1;
  switch (change.rule) {
    case Rule::kEveryCount:
      return {B, h, H};
    case Rule::kNextPower:
      return {B, h, c == H ? c : 2 * c};
    case Rule::kFromZero:
      return h <= c + 1 ? AlibiExponent{B, h - 1, c} : AlibiExponent{B, 2 * (h - 1 - c) - 1, 2 * c};
    case Rule::kOddsFirst:
      if (c == H) break;
      return h <= H - c ? AlibiExponent{B, 2 * h - 1, 2 * c} : AlibiExponent{B, h - (H - c), c};
    case Rule::kEvens:
      if (h > c) return {B, 2 * (h - c), 2 * c};
      break;
    case Rule::kSameCount:
      if (h > c) return {B, 2 * (h - c) - 1, c};
      break;
    default:
      break;
  }
  return change.slopes.ExponentOf(h - 1);
}

class AlibiPredictor : public Predictor {
 public:
  AlibiPredictor(const Answered& answered, const AlibiChange& change)
      : c_(*answered.c), format_(c_.format), change_(change) {}

  Prediction At(int, int64_t element) override {
    if (c_.operation == "alibi.slopes") return Slope(element);
    return Bias(element);
  }

  // ALIBI-8.
  attention::PairBias Pair(int64_t batch, int64_t head, int64_t query, int64_t key) const {
    attention::PairBias pair;
    const bool batched = c_.inputs.at("key_positions").shape().size() == 2;
    const std::optional<int64_t> factor = FactorOf(batched ? batch : 0, query, key);
    if (change_.heads.by_position) {
      const auto m = PositionOf("query_positions", batched ? batch : 0, query);
      const auto n = PositionOf("key_positions", batched ? batch : 0, key);
      if (m && n && *n > *m) {
        pair.value = -std::numeric_limits<double>::infinity();
        return pair;
      }
    }
    pair.known = factor.has_value();
    if (!pair.known) return pair;
    const gnomon::attention::Extents e = gnomon::attention::ExtentsOf(c_);
    const Real slope = SlopeOf(change_.slopes_of_kv_heads ? e.KvHead(head) : head);
    pair.value = slope.value * static_cast<double>(*factor);
    pair.own_error = std::abs(pair.value) * 0x1p-50;
    for (size_t i = 0; i < kProfiles.size(); ++i)
      pair.error[i] = pair.own_error + gnomon::alibi::BiasError<double>(
                                           kProfiles[i], format_, slope.of, slope.value, *factor);
    if (!change_.product_in) return pair;
    // Rounded on the way: one rounding more, and in doubt the other neighbour.
    pair.value = RoundToFormat(*change_.product_in, pair.value);
    for (double& error : pair.error)
      error += 2 * UnitRoundoff(*change_.product_in) * std::abs(pair.value);
    pair.known = std::isfinite(pair.value);
    return pair;
  }

 private:
  struct Real {
    double value = 0;
    AlibiExponent of;
  };
  Real SlopeOf(int64_t head) const {
    Real r;
    r.of = ExponentBy(change_, head);
    const double e = r.of.bias_max.value * static_cast<double>(r.of.numerator) /
                     static_cast<double>(r.of.denominator);
    r.value = change_.base_e ? std::exp(-e) : std::exp2(-e);
    return r;
  }

  Prediction Slope(int64_t head) const {
    const int64_t heads = change_.slopes.num_heads;
    if (InTail(change_.shared, head, heads, false))
      return Unwritten(change_.shared.tail, DTypeOf(format_), std::nullopt);
    const Real slope = SlopeOf(head);
    PerProfile bound{}, narrow{};
    const Format working = WorkingFormat(format_);
    for (size_t i = 0; i < kProfiles.size(); ++i) {
      bound[i] = SlopeBound<double>(kProfiles[i], format_, format_, slope.of, slope.value);
      narrow[i] = SlopeBound<double>(kProfiles[i], format_, working, slope.of, slope.value);
    }
    return Stored(change_.shared, format_, slope.value, slope.value * 0x1p-50, bound, narrow);
  }

  // Of the given role, as the kernel takes it; none: infinite.
  std::optional<int64_t> PositionOf(const std::string& role, int64_t batch, int64_t i) const {
    const ConstTensorView view = c_.inputs.at(role).view();
    const int64_t row = view.shape.back(), number = batch * row + i;
    const bool query = role[0] == 'q';
    int64_t p;
    switch (change_.rows) {
      case Rows::kBatchZero:
        p = IntegerAt(view, i);
        break;
      case Rows::kTokens:
        return i;
      case Rows::kContiguous: {
        const int64_t reach = std::max<int64_t>(view.OffsetOf(view.count() - 1), 0);
        if (number > reach) return std::nullopt;  // beyond what the tensor is known to own
        p = IntegerOf(view.dtype, LoadBits(view.dtype, view.data + number * SizeOf(view.dtype)));
        break;
      }
      case Rows::kQueriesFromZero:
        if (query) return i;
        [[fallthrough]];
      default:
        p = IntegerAt(view, number);
    }
    if (change_.shared.position) {
      const std::optional<int64_t> moved = change_.shared.position(p);
      if (!moved) return std::nullopt;
      p = *moved;
    }
    return query ? p + change_.query_shift : p;
  }

  // What the slope is multiplied by; none: not a finite number, or not known.
  std::optional<int64_t> FactorOf(int64_t batch, int64_t query, int64_t key) const {
    const int64_t keys = c_.inputs.at("key_positions").shape().back();
    const int64_t queries = c_.inputs.at("query_positions").shape().back();
    const auto m = PositionOf("query_positions", batch, query);
    const auto n = PositionOf("key_positions", batch, key);
    const bool by_key =
        change_.form == AlibiForm::kKey || change_.form == AlibiForm::kKeyFromTheEnd;
    if (!n || (!m && !by_key)) return std::nullopt;
    int64_t x = gnomon::alibi::Factor(change_.form, m.value_or(0), *n, keys);
    if (change_.from_length && change_.form == AlibiForm::kKeyFromTheEnd) --x;
    if (change_.short_distance && !by_key) {
      const int64_t offset = static_cast<int32_t>(static_cast<uint32_t>(*m - *n));
      x = change_.form == AlibiForm::kDistanceBelow ? -std::max<int64_t>(offset, 0)
                                                    : -std::abs(offset);
    }
    if (change_.positive) x = -x;
    if (change_.one_query_zero && queries == 1) x = 0;
    return x;
  }

  Prediction Bias(int64_t element) const {
    const int64_t keys = c_.inputs.at("key_positions").shape().back();
    const int64_t queries = c_.inputs.at("query_positions").shape().back();
    const int64_t row = element / keys, heads = change_.slopes.num_heads;
    if (InTail(change_.shared, element % keys, keys, false))
      return Unwritten(change_.shared.tail, DTypeOf(format_), std::nullopt);
    const std::optional<int64_t> factor =
        FactorOf(row / queries / heads, row % queries, element % keys);
    if (!factor) {
      Prediction p;
      p.kind = change_.rows == Rows::kContiguous ? Prediction::kAny : Prediction::kNonFinite;
      return p;
    }
    const int64_t x = *factor;
    const Real slope = SlopeOf(row / queries % heads);
    const double value = slope.value * static_cast<double>(x);
    PerProfile bound{}, narrow{};
    for (size_t i = 0; i < kProfiles.size(); ++i) {
      bound[i] = BiasBound<double>(kProfiles[i], format_, slope.of, slope.value, x);
      narrow[i] = BiasBound<double>(kProfiles[i], WorkingFormat(format_), slope.of, slope.value, x);
    }
    const double radius = std::abs(value) * 0x1p-50;
    if (!change_.product_in) return Stored(change_.shared, format_, value, radius, bound, narrow);
    // Rounded on the way: between the roundings of what the product may have been.
    Prediction p;
    p.kind = Prediction::kReal;
    p.value = RoundToFormat(*change_.product_in, value);
    for (size_t i = 0; i < kProfiles.size(); ++i) {
      p.low[i] = RoundToFormat(*change_.product_in, value - radius - narrow[i]);
      p.high[i] = RoundToFormat(*change_.product_in, value + radius + narrow[i]);
    }
    if (!std::isfinite(p.value)) p.kind = Prediction::kNonFinite;
    return p;
  }

  const Case& c_;
  Format format_;
  AlibiChange change_;
};

using Mistake = Entry<AlibiChange>;
bool IsAttention(const Case& c) { return c.operation == "alibi.attention"; }
bool IsBias(const Case& c) { return c.operation == "alibi.bias" || IsAttention(c); }
bool IsPowerOfTwo(int64_t n) { return PowerUpTo(n) == n; }

Mistake::Make Counts(Rule rule, bool shows_for_powers) {
  return [=](const Case&, AlibiChange* change) {
    change->rule = rule;
    return shows_for_powers || !IsPowerOfTwo(change->slopes.num_heads);
  };
}
Mistake::Make Forms(AlibiForm form) {
  return [=](const Case& c, AlibiChange* change) {
    const bool shows = IsBias(c) && change->form != form;
    change->form = form;
    return shows;
  };
}
Mistake::Make Takes(Rows rows) {
  return [=](const Case& c, AlibiChange* change) {
    change->rows = rows;
    return IsBias(c);
  };
}
Mistake::Make Sets(bool AlibiChange::*flag) {
  return [=](const Case& c, AlibiChange* change) {
    change->*flag = true;
    return IsBias(c);
  };
}
Mistake::Make Multiplies(Format in) {
  return [=](const Case& c, AlibiChange* change) {
    change->product_in = in;
    return IsBias(c) && c.format != in;
  };
}

// ALIBI-8: around the bias.
Mistake::Make Heads(const std::function<bool(const Case&, AlibiChange*)>& make) {
  return [make](const Case& c, AlibiChange* change) { return IsAttention(c) && make(c, change); };
}

const std::vector<Mistake>& Entries() {
  static const std::vector<Mistake> all = [] {
    using C = AlibiChange;
    std::vector<Mistake> entries = {
        Mistake::Convention("alibi-form/distance", "-slope |m - n|, whatever form is asked",
                            Forms(AlibiForm::kDistance)),
        Mistake::Convention("alibi-form/key", "slope n, whatever form is asked",
                            Forms(AlibiForm::kKey)),
        Mistake::Convention("alibi-form/key-from-the-end",
                            "slope (n - (T - 1)), whatever form is asked",
                            Forms(AlibiForm::kKeyFromTheEnd)),
        Mistake::Convention("alibi-form/distance-below",
                            "0 above the diagonal, whatever form is asked",
                            Forms(AlibiForm::kDistanceBelow)),
        Mistake::Formula("alibi-form/length", "n - T for n - (T - 1)",
                         [](const Case& c, AlibiChange* change) {
                           change->from_length = true;
                           return IsBias(c) && change->form == AlibiForm::kKeyFromTheEnd;
                         }),
        Mistake::Formula("alibi-slopes", "2^(-B h / H) for every number of heads",
                         Counts(Rule::kEveryCount, false)),
        Mistake::Formula("alibi-slopes/from-zero", "heads counted from 0",
                         Counts(Rule::kFromZero, true)),
        Mistake::Formula("alibi-slopes/next-power", "the first H slopes of the next power of two",
                         Counts(Rule::kNextPower, false)),
        Mistake::Formula("alibi-slopes/evens", "the 2nd, 4th, .. slope of 2c heads for the others",
                         Counts(Rule::kEvens, false)),
        Mistake::Formula("alibi-slopes/unordered",
                         "the odd slopes of 2c heads before the even ones",
                         Counts(Rule::kOddsFirst, false)),
        Mistake::Formula("alibi-slopes/same-count", "exponents of c heads for the others too",
                         Counts(Rule::kSameCount, false)),
        Mistake::Formula("alibi-slopes/reversed", "the last head has the steepest slope",
                         Counts(Rule::kReversed, true)),
        Mistake::Formula("alibi-slopes/head-zero", "the first slope for every head",
                         Counts(Rule::kFirstHead, true)),
        Mistake::Formula("alibi-slopes/base-e", "powers of e for powers of 2",
                         [](const Case&, AlibiChange* change) {
                           change->base_e = true;
                           return true;
                         }),
        Mistake::Formula("alibi-bias-max", "8 whatever alibi_bias_max is",
                         [](const Case&, AlibiChange* change) {
                           const bool shows = change->slopes.bias_max.value != 8;
                           change->slopes.bias_max = Number(8);
                           return shows;
                         }),
        Mistake::Convention("alibi-sign", "+slope |m - n|, -slope n", Sets(&C::positive)),
        Mistake::Formula("alibi-decode", "a bias over the queries, so 0 for a single one",
                         Sets(&C::one_query_zero)),
        Mistake::Formula("alibi-decode/from-zero", "queries counted from 0",
                         Takes(Rows::kQueriesFromZero)),
        Mistake::Formula("alibi-decode/bf16-product", "the product in bf16",
                         Multiplies(Format::kBf16)),
        Mistake::Formula("alibi-decode/f16-product", "the product in f16",
                         Multiplies(Format::kF16)),
        Mistake::Formula("offset/query", "position m + 1 for m",
                         [](const Case& c, AlibiChange* change) {
                           change->query_shift = 1;
                           return IsBias(c);
                         }),
        Mistake::Formula("int32-index/distance", "m - n in 32 bits", Sets(&C::short_distance)),
        Mistake::Formula("arange-positions", "0..T-1 whatever the positions are",
                         Takes(Rows::kTokens)),
        Mistake::Formula("alibi-slopes/kv-heads", "the slopes of the key heads, one for each group",
                         Heads([](const Case& c, C* change) {
                           const gnomon::attention::Extents e = gnomon::attention::ExtentsOf(c);
                           change->slopes.num_heads = e.kv_heads;
                           change->slopes_of_kv_heads = true;
                           return e.kv_heads < e.heads;
                         })),
        Mistake::Formula("attention-scale/none", "scores not scaled",
                         Heads([](const Case& c, C* change) {
                           change->heads.scale = 1;
                           return c.parameters.count("scale") == 0;
                         })),
        Mistake::Formula("attention-bias/scaled", "bias added before the scaling",
                         Heads([](const Case&, C* change) {
                           change->heads.bias_scaled = true;
                           return true;
                         })),
        Mistake::State("row-positions", "positions of batch row 0 for every row",
                       Takes(Rows::kBatchZero)),
        Mistake::State("stride-ignored/input", "positions taken as contiguous",
                       Takes(Rows::kContiguous)),
    };
    attention::AddHeads("alibi.attention", &entries);
    AddShared(
        {Concerns::kPositions, Concerns::kWidths, Concerns::kStorage},
        [](const Case&, const C&) -> const Number* { return nullptr; }, &entries);
    return entries;
  }();
  return all;
}

}  // namespace

const std::vector<Hypothesis>& Hypotheses() {
  static const std::vector<Hypothesis> all = AboutAll(Entries());
  return all;
}

std::unique_ptr<Predictor> Predict(const Answered& answered, const std::vector<size_t>& made,
                                   double factor, double factor_error) {
  const Case& c = *answered.c;
  AlibiChange change;
  if (IsAttention(c)) {
    const gnomon::alibi::AttentionParameters p = gnomon::alibi::ReadAttention(c);
    change.slopes = p.bias.slopes;
    change.form = p.bias.form;
    MakeMistakes(Entries(), c, made, factor, factor_error, &change);
    change.heads.shared = change.shared;
    const auto predictor = std::make_shared<AlibiPredictor>(answered, change);
    return attention::PredictBiased(
        answered, p.heads, change.heads,
        [predictor](int64_t batch, int64_t head, int64_t query, int64_t key) {
          return predictor->Pair(batch, head, query, key);
        });
  }
  if (IsBias(c)) {
    const gnomon::alibi::BiasParameters p = gnomon::alibi::ReadBias(c);
    change.slopes = p.slopes;
    change.form = p.form;
  } else {
    change.slopes = gnomon::alibi::ReadSlopes(c);
  }
  MakeMistakes(Entries(), c, made, factor, factor_error, &change);
  return std::make_unique<AlibiPredictor>(answered, change);
}

}  // namespace gnomon::oracle::alibi
