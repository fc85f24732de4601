// Known mistakes in T5's bias and DeBERTa's buckets (spec/mistakes.md), as hypotheses: each
// rewrites what the kernel takes the case to say.
#include <cmath>
#include <limits>
#include <numbers>

#include "gnomon/oracle/hypotheses_memory.h"
#include "gnomon/oracle/predict_attention.h"
#include "gnomon/spec/t5_bias.h"

namespace gnomon::oracle::t5_bias {
namespace {

enum class Whole { kAsAsked, kBelowBoundary, kNearest, kOther, kBf16 };
// What is wrong with the quotient of logarithms: base 2 or 10, or not of x / E, in one of the two.
enum class Log {
  kAsAsked,
  kTwoAbove,
  kTwoBelow,
  kTenAbove,
  kTenBelow,
  kWholeAbove,
  kWholeBelow,
};
enum class Direction { kAsAsked, kBoth, kCausal, kFuture };
enum class Rows { kSame, kBatchZero, kTokens, kQueriesFromZero, kContiguous };
enum class Table { kSame, kTransposed, kFirstHead };

struct T5Change {
  Change shared;
  T5Buckets t;
  DebertaBuckets d;
  Whole whole = Whole::kAsAsked;
  Direction direction = Direction::kAsAsked;
  Rows rows = Rows::kSame;
  Table table = Table::kSame;
  bool no_last = false, negated = false, other_half = false, odd_up = false, one_side = false;
  bool quarter = false, middle_more = false, no_middle = false, no_sign = false, short_rel = false;
  bool plain_nan = false, ends_with_table = false;
  double scale = 1;
  Log log = Log::kAsAsked;
  int64_t query_shift = 0, last_shift = 0;
  int64_t further = 0;  // buckets, beyond the exact ones
  // T5-9.
  attention::AttentionChange heads;
  bool columns_of_kv_heads = false, subtracted = false, left_out = false;
};

// ln(x / E) / ln(D / E) L; a number that close to a whole one is that one: no distance in range
// comes nearer.
long double QuotientOf(Log log, int64_t x, int64_t E, int64_t D, int64_t L) {
  const long double e = static_cast<long double>(E);
  long double above = std::log(static_cast<long double>(x) / e);
  long double below = std::log(static_cast<long double>(D) / e);
  if (log == Log::kTwoAbove) above /= std::numbers::ln2_v<long double>;
  if (log == Log::kTwoBelow) below /= std::numbers::ln2_v<long double>;
  if (log == Log::kTenAbove) above /= std::numbers::ln10_v<long double>;
  if (log == Log::kTenBelow) below /= std::numbers::ln10_v<long double>;
  if (log == Log::kWholeAbove) above = std::log(static_cast<long double>(x));
  if (log == Log::kWholeBelow) below = std::log(static_cast<long double>(D));
  const long double q = above * static_cast<long double>(L) / below;
  return std::abs(q - std::rint(q)) < 4e-15L * std::max(1.0L, q) ? std::rint(q) : q;
}

class T5Predictor : public Predictor {
 public:
  T5Predictor(const Answered& answered, const T5Change& change)
      : c_(*answered.c),
        format_(c_.format),
        bias_(c_.operation == "t5_bias.bias"),
        deberta_(c_.operation == "t5_bias.deberta_bucket"),
        change_(change) {
    const std::vector<std::string> roles = {"query_positions", "key_positions"};
    const auto kept =
        change.shared.call_before
            ? Kept(answered, roles)
            : std::vector<const Tensor*>{&c_.inputs.at(roles[0]), &c_.inputs.at(roles[1])};
    if (kept) queries_ = kept->front(), keys_ = kept->back();
  }

  Prediction At(int, int64_t element) override {
    if (queries_ == nullptr) return {};
    const int64_t keys = c_.inputs.at("key_positions").shape().back();
    const int64_t queries = c_.inputs.at("query_positions").shape().back();
    const int64_t heads = bias_ ? c_.inputs.at("table").shape()[1] : 1;
    const int64_t row = element / keys, batch = row / queries / heads;
    if (InTail(change_.shared, element % keys, keys, false))
      return Unwritten(change_.shared.tail, bias_ ? DTypeOf(format_) : DType::kI64, std::nullopt);
    const auto m = PositionOf(*queries_, queries, batch, row % queries);
    const auto n = PositionOf(*keys_, keys, batch, element % keys);
    if (!m || !n) return {};
    int64_t rel = *n - *m;
    if (change_.short_rel) rel = static_cast<int32_t>(static_cast<uint32_t>(rel));
    const std::optional<int64_t> bucket = deberta_ ? DebertaOf(-rel) : BucketOf(rel);
    if (!bucket) return {};
    if (bias_) return Entry(*bucket, row / queries % heads);
    Prediction p;
    p.kind = Prediction::kBits;
    p.bits = static_cast<uint64_t>(*bucket);
    return p;
  }

  // T5-9.
  attention::PairBias Pair(int64_t batch, int64_t head, int64_t query, int64_t key) const {
    attention::PairBias pair;
    if (change_.left_out) return pair;
    const bool batched = c_.inputs.at("key_positions").shape().size() == 2;
    pair.known = queries_ != nullptr;
    if (!pair.known) return pair;
    const auto m = PositionOf(*queries_, c_.inputs.at("query_positions").shape().back(),
                              batched ? batch : 0, query);
    const auto n =
        PositionOf(*keys_, c_.inputs.at("key_positions").shape().back(), batched ? batch : 0, key);
    pair.known = m && n;
    if (!pair.known) return pair;
    int64_t rel = *n - *m;
    if (change_.short_rel) rel = static_cast<int32_t>(static_cast<uint32_t>(rel));
    if (change_.heads.by_position && rel > 0) {
      pair.value = -std::numeric_limits<double>::infinity();
      return pair;
    }
    const gnomon::attention::Extents e = gnomon::attention::ExtentsOf(c_);
    const std::optional<int64_t> bucket = BucketOf(rel);
    const std::optional<int64_t> number =
        bucket ? NumberOf(*bucket, change_.columns_of_kv_heads ? e.KvHead(head) : head)
               : std::nullopt;
    const std::optional<uint64_t> bits =
        number ? FindBits(change_.shared, c_.inputs.at("table"), *number) : std::nullopt;
    pair.known = bits.has_value();
    if (!pair.known) return pair;
    pair.value = Read(change_.shared, format_, *bits);
    if (change_.shared.offsets != Offsets::kByStrides && !std::isfinite(pair.value)) {
      pair.known = false;  // what lies between the entries tells nothing
      pair.value = 0;
    }
    if (std::isfinite(pair.value))
      pair.value *= change_.subtracted ? -change_.scale : change_.scale;
    return pair;
  }

 private:
  std::optional<int64_t> PositionOf(const Tensor& tensor, int64_t row, int64_t batch,
                                    int64_t i) const {
    const int64_t number = batch * row + i;
    const bool query = &tensor == queries_;
    if (change_.rows == Rows::kTokens || (change_.rows == Rows::kQueriesFromZero && query))
      return i;
    Change as_found;
    if (change_.rows == Rows::kContiguous) as_found.offsets = Offsets::kContiguous;
    const auto bits = FindBits(as_found, tensor, change_.rows == Rows::kBatchZero ? i : number);
    if (!bits) return std::nullopt;
    int64_t p = IntegerOf(tensor.dtype(), *bits);
    if (change_.shared.position) {
      const std::optional<int64_t> moved = change_.shared.position(p);
      if (!moved) return std::nullopt;
      p = *moved;
    }
    return query ? p + change_.query_shift : p;
  }

  // The quotient as a whole number; none where it cannot be said.
  std::optional<int64_t> WholeOf(int64_t x, int64_t E, int64_t D, int64_t L, bool up) const {
    const long double q = QuotientOf(change_.log, x, E, D, L);
    const bool lands = q == std::rint(q);
    switch (change_.whole) {
      case Whole::kBelowBoundary:
        if (lands && q > 0) return static_cast<int64_t>(q) - 1;
        break;
      case Whole::kNearest:
        return std::llrint(static_cast<double>(q));
      case Whole::kOther:
        up = !up;
        break;
      case Whole::kBf16: {
        const double log =
            RoundToFormat(Format::kBf16, std::log(static_cast<double>(x) / static_cast<double>(E)));
        const double rough = log / std::log(static_cast<double>(D) / static_cast<double>(E)) *
                             static_cast<double>(L);
        if (std::abs(rough - std::rint(rough)) < 1e-6 * std::max(1.0, rough)) return std::nullopt;
        return static_cast<int64_t>(up ? std::ceil(rough) : std::floor(rough));
      }
      case Whole::kAsAsked:
        break;
    }
    return static_cast<int64_t>(up ? std::ceil(q) : std::floor(q));
  }

  std::optional<int64_t> BucketOf(int64_t rel) const {
    const T5Buckets& t = change_.t;
    const bool both = change_.direction == Direction::kBoth ||
                      (t.bidirectional && change_.direction != Direction::kCausal);
    if (change_.negated) rel = -rel;
    int64_t side = t.num_buckets;
    if (both && !change_.one_side) side = (side + (change_.odd_up ? 1 : 0)) / 2;
    const int64_t E = side / (change_.quarter ? 4 : 2), D = t.max_distance + change_.last_shift;
    if (E < 1 || D <= E) return std::nullopt;
    const bool upper = both && (change_.other_half ? rel < 0 : rel > 0);
    const int64_t x = both || change_.direction == Direction::kFuture ? std::abs(rel)
                                                                      : std::max<int64_t>(-rel, 0);
    const int64_t first = upper ? side : 0;
    if (x < E) return first + x;
    const std::optional<int64_t> k = WholeOf(x, E, D, side - E, false);
    if (!k) return std::nullopt;
    const int64_t beyond = *k + change_.further;
    return first + E + (change_.no_last ? beyond : std::min(beyond, side - E - 1));
  }

  // `rel`: query - key.
  std::optional<int64_t> DebertaOf(int64_t rel) const {
    const DebertaBuckets& d = change_.d;
    if (change_.negated) rel = -rel;
    const int64_t M = d.middle(), D = d.last() + change_.last_shift;
    if (std::abs(rel) <= M) return rel;
    const int64_t x = d.clamp ? std::min(std::abs(rel), D) : std::abs(rel);
    const auto k = WholeOf(x, M, D, M - (change_.middle_more ? 0 : 1), true);
    if (!k) return std::nullopt;
    const int64_t size = *k + change_.further + (change_.no_middle ? 0 : M);
    return rel < 0 && !change_.no_sign ? -size : size;
  }

  // The number of the entry that the kernel takes; none: wherever that leads.
  std::optional<int64_t> NumberOf(int64_t bucket, int64_t head) const {
    const Shape& shape = c_.inputs.at("table").shape();
    const int64_t rows = shape[0], heads = shape[1];
    if (change_.ends_with_table) bucket = std::min(bucket, rows - 1);
    if (bucket < 0 || bucket >= rows) return std::nullopt;
    if (change_.table == Table::kFirstHead) head = 0;
    return change_.table == Table::kTransposed ? head * rows + bucket : bucket * heads + head;
  }

  Prediction Entry(int64_t bucket, int64_t head) const {
    const Tensor& entries = c_.inputs.at("table");
    const std::optional<int64_t> number = NumberOf(bucket, head);
    if (!number) return {};
    const std::optional<uint64_t> bits = FindBits(change_.shared, entries, *number);
    const std::optional<double> beyond = FindBeyond(change_.shared, entries, *number);
    if (!bits || !beyond) return {};
    const double entry = Read(change_.shared, format_, *bits);
    if (std::isnan(*beyond)) return NonFinite(change_.shared, format_, *beyond);
    if (change_.plain_nan && std::isnan(entry))
      return Copied(change_.shared, format_, EncodeBits(format_, std::nan("")));
    // Zero added: of either sign.
    if (change_.shared.beyond_row && entry == 0)
      return Stored(change_.shared, format_, 0, 0, {}, {});
    if (change_.scale == 1 || !std::isfinite(entry)) return Copied(change_.shared, format_, *bits);
    return Copied(change_.shared, format_,
                  EncodeBits(format_, RoundToFormat(format_, entry * change_.scale)));
  }

  const Case& c_;
  Format format_;
  bool bias_, deberta_;
  T5Change change_;
  const Tensor *queries_ = nullptr, *keys_ = nullptr;  // positions; nullptr: not known
};

using Mistake = Entry<T5Change>;
bool IsDeberta(const Case& c) { return c.operation == "t5_bias.deberta_bucket"; }
bool IsT5(const Case& c) { return !IsDeberta(c); }
bool IsAttention(const Case& c) { return c.operation == "t5_bias.attention"; }
bool IsBias(const Case& c) { return c.operation == "t5_bias.bias"; }
bool HasTable(const Case& c) { return IsBias(c) || IsAttention(c); }

Mistake::Make Sets(bool T5Change::*flag, bool (*where)(const Case&)) {
  return [=](const Case& c, T5Change* change) {
    change->*flag = true;
    return where(c);
  };
}
Mistake::Make Rounds(Whole whole, bool (*where)(const Case&)) {
  return [=](const Case& c, T5Change* change) {
    change->whole = whole;
    return where(c);
  };
}
Mistake::Make Shifts(int64_t further) {
  return [=](const Case&, T5Change* change) {
    change->further = further;
    return true;
  };
}
Mistake::Make Logs(Log log) {
  return [=](const Case&, T5Change* change) {
    change->log = log;
    return true;
  };
}
Mistake::Make Looks(Direction direction, bool if_bidirectional) {
  return [=](const Case& c, T5Change* change) {
    change->direction = direction;
    return IsT5(c) && change->t.bidirectional == if_bidirectional;
  };
}
Mistake::Make Takes(Rows rows) {
  return [=](const Case&, T5Change* change) {
    change->rows = rows;
    return true;
  };
}
Mistake::Make Reads(Table table) {
  return [=](const Case& c, T5Change* change) {
    change->table = table;
    return HasTable(c);
  };
}
template <class T>
Mistake::Make Reads(T Change::*member, T value) {
  return [=](const Case& c, T5Change* change) {
    change->shared.*member = value;
    return IsBias(c);
  };
}
Mistake::Make Has32Buckets(bool ends_with_table) {
  return [=](const Case& c, T5Change* change) {
    const bool shows = IsT5(c) && change->t.num_buckets != 32;
    change->t.num_buckets = 32;
    change->ends_with_table = ends_with_table;
    return shows && (IsBias(c) || !ends_with_table);
  };
}
Mistake::Make Ends(int64_t shift, bool (*where)(const Case&)) {
  return [=](const Case& c, T5Change* change) {
    change->last_shift = shift;
    return where(c);
  };
}

// T5-9: around the bias.
Mistake::Make Heads(const std::function<bool(const Case&, T5Change*)>& make) {
  return [make](const Case& c, T5Change* change) { return IsAttention(c) && make(c, change); };
}
bool IsCausal(const Case& c) { return c.parameters.at("mask") == Value(std::string("causal")); }

const std::vector<Mistake>& Entries() {
  static const std::vector<Mistake> all = [] {
    using C = T5Change;
    std::vector<Mistake> entries = {
        Mistake::Formula("t5-clamp", "the last bucket not clamped", Sets(&C::no_last, IsT5)),
        Mistake::Formula("t5-clamp", "the last bucket not clamped; beyond the table its last row",
                         [](const Case& c, T5Change* change) {
                           change->no_last = change->ends_with_table = true;
                           return IsBias(c);
                         }),
        Mistake::Convention("t5-sign", "query - key for key - query", Sets(&C::negated, IsT5)),
        Mistake::Formula("t5-sign/halves", "the upper half for keys before the query",
                         [](const Case& c, T5Change* change) {
                           change->other_half = true;
                           return IsT5(c) && change->t.bidirectional;
                         }),
        Mistake::Convention("t5-direction/bidirectional", "bidirectional whatever is asked",
                            Looks(Direction::kBoth, false)),
        Mistake::Convention("t5-direction/causal", "causal whatever is asked",
                            Looks(Direction::kCausal, true)),
        Mistake::Formula("t5-direction/future", "causal: |rel| for keys after the query",
                         Looks(Direction::kFuture, false)),
        Mistake::Formula("t5-rounding", "one low where the formula lands on an integer",
                         Rounds(Whole::kBelowBoundary, IsT5)),
        Mistake::Formula("t5-rounding/bf16", "the logarithm in bf16",
                         Rounds(Whole::kBf16, [](const Case&) { return true; })),
        Mistake::Formula("t5-rounding/nearest", "rounded, not rounded down",
                         Rounds(Whole::kNearest, IsT5)),
        Mistake::Formula("t5-rounding/up", "rounded up", Rounds(Whole::kOther, IsT5)),
        Mistake::Formula("t5-rounding/one-more", "one high beyond the exact buckets", Shifts(1)),
        Mistake::Formula("t5-rounding/one-less", "one low beyond the exact buckets", Shifts(-1)),
        Mistake::Formula("t5-log/two-above", "log2 in the numerator alone", Logs(Log::kTwoAbove)),
        Mistake::Formula("t5-log/two-below", "log2 in the denominator alone", Logs(Log::kTwoBelow)),
        Mistake::Formula("t5-log/ten-above", "log10 in the numerator alone", Logs(Log::kTenAbove)),
        Mistake::Formula("t5-log/ten-below", "log10 in the denominator alone",
                         Logs(Log::kTenBelow)),
        Mistake::Formula("t5-log/distance", "the logarithm of the distance, not of its quotient",
                         Logs(Log::kWholeAbove)),
        Mistake::Formula("t5-log/max-distance", "divided by the logarithm of max_distance itself",
                         Logs(Log::kWholeBelow)),
        Mistake::Formula("t5-buckets", "32 buckets whatever is asked", Has32Buckets(false)),
        Mistake::Formula("t5-buckets",
                         "32 buckets whatever is asked; beyond the table its last row",
                         Has32Buckets(true)),
        Mistake::Formula("t5-max-distance", "128 whatever is asked",
                         [](const Case& c, T5Change* change) {
                           const bool shows = IsT5(c) && change->t.max_distance != 128;
                           change->t.max_distance = 128;
                           return shows;
                         }),
        Mistake::Formula("t5-max-distance/less", "max_distance - 1", Ends(-1, IsT5)),
        Mistake::Formula("t5-max-distance/more", "max_distance + 1", Ends(1, IsT5)),
        Mistake::Formula("t5-max-exact", "half of the exact buckets", Sets(&C::quarter, IsT5)),
        Mistake::Formula("t5-max-exact/whole", "not halved for the two directions",
                         [](const Case& c, T5Change* change) {
                           change->one_side = true;
                           return IsT5(c) && change->t.bidirectional;
                         }),
        Mistake::Formula("t5-odd", "the larger half of an odd count",
                         [](const Case& c, T5Change* change) {
                           change->odd_up = true;
                           return IsT5(c) && change->t.bidirectional &&
                                  change->t.num_buckets % 2 != 0;
                         }),
        Mistake::Convention("t5-table", "the table read as [heads, bucket]",
                            Reads(Table::kTransposed)),
        Mistake::Formula("t5-table/scaled", "the bias divided by 8",
                         [](const Case& c, T5Change* change) {
                           change->scale = 0.125;
                           return HasTable(c);
                         }),
        Mistake::Formula("t5-table/head-zero", "the first head's column for every head",
                         Reads(Table::kFirstHead)),
        Mistake::Convention("deberta-sign", "key - query, as T5 has it",
                            Sets(&C::negated, IsDeberta)),
        Mistake::Formula("deberta-sign/lost", "no sign beyond the middle",
                         Sets(&C::no_sign, IsDeberta)),
        Mistake::Formula("deberta-rounding", "rounded down, not up",
                         Rounds(Whole::kOther, IsDeberta)),
        Mistake::Formula("deberta-last", "max_relative_positions, not one less",
                         Ends(1, IsDeberta)),
        Mistake::Formula("deberta-clamp", "buckets go on where clamp is asked",
                         [](const Case& c, T5Change* change) {
                           const bool shows = IsDeberta(c) && change->d.clamp;
                           change->d.clamp = false;
                           return shows;
                         }),
        Mistake::Formula("deberta-clamp/always", "clamped where none is asked",
                         [](const Case& c, T5Change* change) {
                           const bool shows = IsDeberta(c) && !change->d.clamp;
                           change->d.clamp = true;
                           return shows;
                         }),
        Mistake::Formula("deberta-middle", "M logarithmic buckets, not M - 1",
                         Sets(&C::middle_more, IsDeberta)),
        Mistake::Formula("deberta-middle/offset", "M not added beyond the middle",
                         Sets(&C::no_middle, IsDeberta)),
        Mistake::Formula("bias-decode", "queries counted from 0", Takes(Rows::kQueriesFromZero)),
        Mistake::Formula("offset/query", "position m + 1 for m",
                         [](const Case&, T5Change* change) {
                           change->query_shift = 1;
                           return true;
                         }),
        Mistake::Formula("int32-index/distance", "n - m in 32 bits",
                         [](const Case&, T5Change* change) {
                           change->short_rel = true;
                           return true;
                         }),
        Mistake::Formula("arange-positions", "0..T-1 whatever the positions are",
                         Takes(Rows::kTokens)),
        Mistake::Formula("window-not-copied/nan-payload", "a NaN becomes the default NaN",
                         Sets(&C::plain_nan, IsBias)),
        Mistake::Formula("t5-direction/by-mask", "causal buckets under a causal mask, else both",
                         Heads([](const Case& c, C* change) {
                           const bool shows = change->t.bidirectional == IsCausal(c);
                           change->t.bidirectional = !IsCausal(c);
                           return shows;
                         })),
        Mistake::Formula("t5-table/kv-heads", "the columns of the key heads, one for each group",
                         Heads([](const Case& c, C* change) {
                           const gnomon::attention::Extents e = gnomon::attention::ExtentsOf(c);
                           change->columns_of_kv_heads = true;
                           return e.kv_heads < e.heads;
                         })),
        Mistake::Convention("attention-scale/head-dim",
                            "1 / sqrt(head_dim) where no scale is asked",
                            Heads([](const Case& c, C* change) {
                              const int64_t d = gnomon::attention::ExtentsOf(c).head_dim;
                              change->heads.scale = 1 / std::sqrt(static_cast<double>(d));
                              return c.parameters.count("scale") == 0 && d > 1;
                            })),
        Mistake::Formula("attention-scale/ignored", "scale 1 whatever is asked",
                         Heads([](const Case& c, C* change) {
                           change->heads.scale = 1;
                           return c.parameters.count("scale") > 0;
                         })),
        Mistake::Formula("attention-bias/scaled", "bias added before the scaling",
                         Heads([](const Case& c, C* change) {
                           change->heads.bias_scaled = true;
                           return c.parameters.count("scale") > 0;
                         })),
        Mistake::Formula("attention-bias/subtracted", "bias subtracted",
                         Heads([](const Case&, C* change) { return change->subtracted = true; })),
        Mistake::Formula("attention-bias/left-out", "bias left out",
                         Heads([](const Case&, C* change) { return change->left_out = true; })),
        Mistake::Formula(
            "attention-bias/after-softmax", "bias added to the weights",
            Heads([](const Case&, C* change) { return change->heads.bias_after_softmax = true; })),
        Mistake::State("row-positions", "positions of batch row 0 for every row",
                       Takes(Rows::kBatchZero)),
        Mistake::State("stride-ignored/input", "positions taken as contiguous",
                       Takes(Rows::kContiguous)),
        Mistake::State("stride-ignored/table", "the table taken as contiguous",
                       Reads(&Change::offsets, Offsets::kContiguous)),
        Mistake::State("int32-index/16-bits", "offsets of the table in 16 bits",
                       Reads(&Change::offsets, Offsets::kIn16Bits)),
        Mistake::State("stride-ignored/padding-read", "zero times what lies after a row added",
                       Reads(&Change::beyond_row, true)),
        Mistake::State(
            "stale-table/previous", "the positions of the call before",
            [](const Case&, T5Change* change) { return change->shared.call_before = true; }),
    };
    attention::AddHeads("t5_bias.attention", &entries);
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
  T5Change change;
  if (IsAttention(c)) {
    const gnomon::t5_bias::AttentionParameters p = gnomon::t5_bias::ReadAttention(c);
    change.t = p.buckets;
    MakeMistakes(Entries(), c, made, factor, factor_error, &change);
    change.heads.shared = change.shared;
    const auto predictor = std::make_shared<T5Predictor>(answered, change);
    return attention::PredictBiased(
        answered, p.heads, change.heads,
        [predictor](int64_t batch, int64_t head, int64_t query, int64_t key) {
          return predictor->Pair(batch, head, query, key);
        });
  }
  if (IsDeberta(c)) {
    change.d = gnomon::t5_bias::ReadDeberta(c);
  } else {
    change.t = gnomon::t5_bias::ReadBuckets(c);
  }
  MakeMistakes(Entries(), c, made, factor, factor_error, &change);
  return std::make_unique<T5Predictor>(answered, change);
}

}  // namespace gnomon::oracle::t5_bias
