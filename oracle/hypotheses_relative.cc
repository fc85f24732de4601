// Known mistakes in relative position vectors (spec/mistakes.md), as hypotheses: each rewrites what
// the kernel takes the case to say.
#include <cmath>
#include <limits>

#include "gnomon/oracle/hypotheses_memory.h"
#include "gnomon/oracle/predict_attention.h"
#include "gnomon/spec/relative.h"

namespace gnomon::oracle::relative {
namespace {

using gnomon::relative::MayOverflow;
using gnomon::relative::SumBound;
using gnomon::relative::VectorParameters;

enum class Index { kClipped, kRoundTable, kWithoutOrigin, kShort, kAbsolute, kPast, kIn32Bits };
enum class Scale { kAsAsked, kIgnored, kContentOnly, kByDim };
enum class Rows {
  kAsAsked,
  kIgnored,
  kByKey,
  kLastWeight,
  kWithoutClipped,
  kOfValuesOnly,
  kOfKeysOnly,
  kOneTable
};
enum class Cut { kAsAsked, kFirst, kPadRight, kNone };
enum class Mask { kAsAsked, kNever, kAlways, kTopLeft, kDiagonal };

struct RelativeChange {
  Change shared;
  bool reversed = false, arange = false, column_further = false, first_head = false;
  int64_t query_shift = 0;
  Index index = Index::kClipped;
  Scale scale = Scale::kAsAsked;
  Rows rows = Rows::kAsAsked;
  Cut cut = Cut::kAsAsked;
  Mask mask = Mask::kAsAsked;
  bool first_batch = false;
  // REL-12.
  attention::AttentionChange heads;
};

// A position as the kernel holds it.
int64_t Narrowed(const RelativeChange& change, int64_t position) {
  return change.shared.position ? change.shared.position(position).value_or(0) : position;
}

// REL-1, REL-2 of a difference of positions.
int64_t RowBy(const RelativeChange& change, const VectorParameters& p, int64_t apart) {
  const bool forward = (p.difference == Difference::kKeyMinusQuery) != change.reversed;
  int64_t x = forward ? apart : -apart, K = p.K;
  const int64_t rows = 2 * K + 1;
  if (change.index == Index::kIn32Bits) x = static_cast<int32_t>(static_cast<uint32_t>(x));
  if (change.index == Index::kAbsolute) x = std::abs(x);
  if (change.index == Index::kShort && K > 0) --K;
  if (change.index != Index::kRoundTable)
    x = std::clamp(x, -K, change.index == Index::kPast ? int64_t{0} : K);
  if (change.index != Index::kWithoutOrigin) x += p.K;
  return ((x % rows) + rows) % rows;
}

// REL-12. What a mistaken kernel adds to keys and values.
class AddedRows {
 public:
  AddedRows(const Case& c, const VectorParameters& p, const RelativeChange& change)
      : c_(c), p_(p), e_(gnomon::attention::ExtentsOf(c)), change_(change) {}

  attention::PairBias Pair(int64_t batch, int64_t query, int64_t key) const {
    attention::PairBias pair;
    const int64_t apart = Apart(batch, query, key);
    if (change_.heads.by_position && apart > 0)
      pair.value = -std::numeric_limits<double>::infinity();
    for (const char* role : {"key_table", "value_table"})
      for (int64_t i = 0; i < Columns(role); ++i)
        pair.known &= Entry(role, Row(batch, query, key), i).has_value();
    return pair;
  }
  int64_t Row(int64_t batch, int64_t query, int64_t key) const {
    return RowBy(change_, p_, Apart(batch, query, key));
  }
  double OfKey(int64_t batch, int64_t query, int64_t key, int64_t c) const {
    if (change_.rows == Rows::kIgnored || change_.rows == Rows::kOfValuesOnly) return 0;
    return Entry("key_table", Row(batch, query, key), c).value_or(0);
  }
  double OfValue(int64_t batch, int64_t query, int64_t key, int64_t c) const {
    if (change_.rows == Rows::kIgnored || change_.rows == Rows::kOfKeysOnly) return 0;
    if (change_.rows == Rows::kWithoutClipped && std::abs(Apart(batch, query, key)) > p_.K)
      return 0;
    const bool one = change_.rows == Rows::kOneTable && e_.head_dim == e_.value_dim;
    return Entry(one ? "key_table" : "value_table", Row(batch, query, key), c).value_or(0);
  }

 private:
  int64_t PositionOf(const char* role, int64_t batch, int64_t i) const {
    const Tensor& positions = c_.inputs.at(role);
    const bool own = positions.shape().size() == 2 && !change_.first_batch;
    if (change_.arange) return i;
    const int64_t p = positions.Integer((own ? batch * positions.shape()[1] : 0) + i);
    return Narrowed(change_, p) + (role[0] == 'q' ? change_.query_shift : 0);
  }
  int64_t Apart(int64_t batch, int64_t query, int64_t key) const {
    return PositionOf("key_positions", batch, key) - PositionOf("query_positions", batch, query);
  }
  int64_t Columns(const std::string& role) const { return c_.inputs.at(role).shape()[1]; }
  // None: not known, or what lies between the rows and tells nothing.
  std::optional<double> Entry(const std::string& role, int64_t row, int64_t c) const {
    const std::optional<uint64_t> bits =
        FindBits(change_.shared, c_.inputs.at(role), row * Columns(role) + c);
    if (!bits) return std::nullopt;
    const double entry = Read(change_.shared, c_.format, *bits);
    if (change_.shared.offsets != Offsets::kByStrides && !std::isfinite(entry)) return std::nullopt;
    return entry;
  }

  const Case& c_;
  VectorParameters p_;
  gnomon::attention::Extents e_;
  RelativeChange change_;
};

class RelativePredictor : public Predictor {
 public:
  RelativePredictor(const Answered& answered, const RelativeChange& change)
      : c_(*answered.c), format_(c_.format), change_(change) {
    if (!IsShift())
      for (const char* role : {"m", "n"}) {
        const auto kept = change.shared.call_before
                              ? Kept(answered, {role})
                              : std::vector<const Tensor*>{&c_.inputs.at(role)};
        unsaid_ |= !kept;
        positions_.push_back(kept ? kept->front() : nullptr);
      }
    if (IsShift()) {
      shift_ = gnomon::relative::ReadShift(c_);
    } else {
      p_ = gnomon::relative::ReadVectors(c_);
    }
    for (const OutputShape& output : FindShapes()) width_ = output.shape.back();
  }

  Prediction At(int, int64_t element) override {
    if (unsaid_) return {};
    if (InTail(change_.shared, element % width_, width_, false))
      return Unwritten(change_.shared.tail, DTypeOf(format_), std::nullopt);
    if (c_.operation == "relative.scores") return Score(element);
    if (c_.operation == "relative.values") return Weighted(element);
    return c_.operation == "relative.vectors" ? Vector(element) : Shifted(element);
  }

 private:
  struct Term {
    double by, own, row;
  };

  bool IsShift() const {
    return c_.operation == "relative.skew" || c_.operation == "relative.xl_shift";
  }
  std::vector<OutputShape> FindShapes() const {
    if (IsShift()) {
      const Shape& shape = c_.inputs.at("a").shape();
      const bool full = shift_.form == SkewForm::kFull;
      return {{"b", {full ? shape.back() - shape[shape.size() - 2] + 1 : shape.back()}}};
    }
    return {{"",
             {c_.operation == "relative.scores" ? c_.inputs.at("n").count()
                                                : c_.inputs.at("table").shape()[1]}}};
  }

  double NumberAt(const std::string& role, int64_t number) {
    const std::optional<double> found = FindNumber(change_.shared, c_.inputs.at(role), number);
    unknown_ |= !found;
    return found.value_or(0);
  }

  int64_t Position(const char* role, int64_t i) const {
    if (change_.arange) return i;
    const bool query = role[0] == 'm';
    return Narrowed(change_, positions_[query ? 0 : 1]->Integer(i)) +
           (query ? change_.query_shift : 0);
  }
  int64_t RowOf(int64_t query, int64_t key) const {
    return RowBy(change_, p_, Position("n", key) - Position("m", query));
  }

  // own_scale sum by own + row_scale sum (by or key) row, each profile's kernel within REL-10.
  Prediction Sum(const std::vector<Term>& own, const std::vector<Term>& rows, double own_scale,
                 double row_scale) {
    if (unknown_) return {};
    double value = 0, size = 0, factors = 0, plain = 0, largest = 0;
    for (const auto* terms : {&own, &rows}) {
      const double scale = terms == &own ? own_scale : row_scale;
      for (const Term& t : *terms) {
        const double x = terms == &own ? t.own : t.row;
        value += scale * (t.by * x);
        size += scale * std::abs(t.by * x);
        plain += std::abs(t.by * x);
        factors += std::abs(x);
        largest = std::max({largest, 2 * std::abs(x), std::abs(t.by) * scale});
      }
    }
    const double scale = std::max({own_scale, row_scale, 1.0});
    const double count = static_cast<double>(own.size() + rows.size());
    Prediction p;
    if (!std::isfinite(value)) {
      p = NonFinite(change_.shared, format_, value);
    } else {
      PerProfile bound, narrow;
      const double lost = 2 * count * (1 + scale) + 1 + factors;
      const double roundings = count + (c_.operation == "relative.scores" ? 3 : 0);
      for (size_t i = 0; i < kProfiles.size(); ++i) {
        bound[i] = SumBound<double>(kProfiles[i], format_, value, size, roundings, lost);
        narrow[i] =
            SumBound<double>(kProfiles[i], WorkingFormat(format_), value, size, roundings, lost);
      }
      p = Stored(change_.shared, format_, value, size * (count + 8) * 0x1p-51, bound, narrow);
    }
    for (size_t i = 0; i < kProfiles.size(); ++i)
      if (!kProfiles[i].correctly_rounded &&
          MayOverflow(kProfiles[i], format_, std::max({largest, plain, size})))
        p.open |= 1u << i;
    // What overflows on the way is the largest number then.
    if (p.open != 0 && change_.shared.store == StoreAs::kCapped &&
        !(std::abs(value) >= LargestFinite(format_) / 2))
      return {};
    return p;
  }

  Prediction Score(int64_t element) {
    const int64_t keys = c_.inputs.at("n").count(), dims = c_.inputs.at("q").shape()[1];
    const int64_t query = element / keys, key = element % keys, row = RowOf(query, key);
    double scale = p_.rsqrt ? 1 / std::sqrt(static_cast<double>(dims)) : p_.scale.value;
    if (change_.scale == Scale::kByDim && p_.rsqrt) scale *= scale;
    if (change_.scale == Scale::kIgnored) scale = 1;
    unknown_ = false;
    std::vector<Term> own, rows;
    for (int64_t i = 0; i < dims; ++i) {
      const double q = NumberAt("q", query * dims + i), k = NumberAt("k", key * dims + i);
      const double a = change_.rows == Rows::kIgnored ? 0 : NumberAt("table", row * dims + i);
      own.push_back({q, k, 0});
      rows.push_back({change_.rows == Rows::kByKey ? k : q, 0, a});
    }
    return Sum(own, rows, scale, change_.scale == Scale::kContentOnly ? 1 : scale);
  }

  Prediction Weighted(int64_t element) {
    const int64_t keys = c_.inputs.at("n").count(), dims = c_.inputs.at("v").shape()[1];
    const int64_t query = element / dims, dim = element % dims;
    unknown_ = false;
    std::vector<Term> own, rows;
    for (int64_t key = 0; key < keys; ++key) {
      const double w = NumberAt("weights", query * keys + key);
      own.push_back({w, NumberAt("v", key * dims + dim), 0});
      const int64_t row = RowOf(query, key);
      bool counts = change_.rows != Rows::kIgnored;
      if (change_.rows == Rows::kWithoutClipped)
        counts = std::abs(Position("n", key) - Position("m", query)) <= p_.K;
      if (change_.rows == Rows::kLastWeight)
        for (int64_t later = key + 1; later < keys; ++later) counts &= RowOf(query, later) != row;
      rows.push_back({counts ? w : 0, 0, counts ? NumberAt("table", row * dims + dim) : 0});
    }
    return Sum(own, rows, 1, 1);
  }

  // A copy; below 0: a zero.
  Prediction Moved(const std::string& role, int64_t number) const {
    if (number < 0) return Stored(change_.shared, format_, 0, 0, {}, {});  // of either sign
    const std::optional<uint64_t> bits = FindBits(change_.shared, c_.inputs.at(role), number);
    return bits ? Copied(change_.shared, format_, *bits) : Prediction();
  }
  Prediction Vector(int64_t element) const {
    const int64_t dims = c_.inputs.at("table").shape()[1], keys = c_.inputs.at("n").count();
    const int64_t pair = element / dims;
    return Moved("table", RowOf(pair / keys, pair % keys) * dims + element % dims);
  }
  Prediction Shifted(int64_t element) const {
    const Shape& shape = c_.inputs.at("a").shape();
    const int64_t queries = shape[shape.size() - 2], columns = shape.back(), keys = width_;
    const int64_t i = element / keys % queries, j = element % keys, head = element / keys / queries;
    const int64_t start = change_.first_head ? 0 : head * queries * columns;
    if (shift_.form == SkewForm::kFull) {
      const int64_t further = change_.column_further ? 1 : 0;
      return Moved("a", start + std::min(i * columns + j - i + queries - 1 + further,
                                         queries * columns - 1));
    }
    const int64_t own = i + keys - queries;  // the key at the query's own position
    const int64_t last = change_.mask == Mask::kTopLeft    ? i
                         : change_.mask == Mask::kDiagonal ? own - 1
                                                           : own;
    const bool zeroed = change_.mask == Mask::kNever    ? false
                        : change_.mask == Mask::kAlways ? true
                                                        : shift_.after == AfterQuery::kZero;
    if (zeroed && j > last) return Moved("a", -1);
    if (change_.cut == Cut::kNone) return Moved("a", start + i * columns + j);
    const bool first = change_.cut == Cut::kFirst || change_.cut == Cut::kPadRight;
    const int64_t flat = i * keys + j + (first ? 0 : queries);
    const int64_t row = flat / (keys + 1), place = flat % (keys + 1);
    const int64_t column = change_.cut == Cut::kPadRight ? place : place - 1;
    if (column < 0 || column == keys) return Moved("a", -1);
    return Moved("a", start + row * columns + column);
  }

  const Case& c_;
  Format format_;
  RelativeChange change_;
  VectorParameters p_;
  gnomon::relative::ShiftParameters shift_;
  std::vector<const Tensor*> positions_;  // of queries, of keys
  int64_t width_ = 1;
  bool unsaid_ = false;   // what the mistaken kernel has kept is not known
  bool unknown_ = false;  // the mistaken kernel reads what the case does not have
};

using Mistake = Entry<RelativeChange>;
using Make = Mistake::Make;

// Sets one member, for these operations.
template <class T>
Make Sets(T RelativeChange::*member, T value, std::vector<std::string> verbs) {
  return [=](const Case& c, RelativeChange* change) {
    change->*member = value;
    for (const std::string& verb : verbs)
      if (c.operation == "relative." + verb) return true;
    return false;
  };
}

// REL-12: around the rows.
bool IsAttention(const Case& c) { return c.operation == "relative.attention"; }

const std::vector<Mistake>& Entries() {
  static const std::vector<Mistake> all = [] {
    using C = RelativeChange;
    const std::vector<std::string> rows = {"scores", "values", "vectors", "attention"},
                                   scores = {"scores", "attention"},
                                   values = {"values", "attention"},
                                   sums = {"scores", "values", "attention"}, heads = {"attention"},
                                   moves = {"skew", "xl_shift"};
    std::vector<Mistake> entries = {
        Mistake::Convention("shaw-clip/reversed",
                            "query minus key for key minus query, or the reverse",
                            Sets(&C::reversed, true, rows)),
        Mistake::Formula("shaw-clip/missing", "no clip: an index outside counts round the table",
                         Sets(&C::index, Index::kRoundTable, rows)),
        Mistake::Formula("shaw-clip/origin", "+ K left out: negative rows count from the end",
                         Sets(&C::index, Index::kWithoutOrigin, rows)),
        Mistake::Formula("shaw-clip/short", "clipped to K - 1",
                         Sets(&C::index, Index::kShort, rows)),
        Mistake::Formula("shaw-clip/absolute", "|n - m| for n - m",
                         Sets(&C::index, Index::kAbsolute, rows)),
        Mistake::Formula("shaw-clip/past", "distances above 0 clipped to 0",
                         Sets(&C::index, Index::kPast, rows)),
        Mistake::Formula("int32-index/distance", "n - m in 32 bits",
                         Sets(&C::index, Index::kIn32Bits, rows)),
        Mistake::Convention("shaw-scale/ignored", "scale left out",
                            Sets(&C::scale, Scale::kIgnored, scores)),
        Mistake::Formula("shaw-scale/content", "scale on q.k alone",
                         Sets(&C::scale, Scale::kContentOnly, scores)),
        Mistake::Formula("shaw-scale/head-dim", "divided by head_dim, not its root",
                         Sets(&C::scale, Scale::kByDim, scores)),
        Mistake::Formula("shaw-table/ignored", "table left out",
                         Sets(&C::rows, Rows::kIgnored, sums)),
        Mistake::Formula("shaw-table/key", "k.a for q.a", Sets(&C::rows, Rows::kByKey, scores)),
        Mistake::Formula("shaw-bins/last", "the last weight of a row for their sum",
                         Sets(&C::rows, Rows::kLastWeight, values)),
        Mistake::Formula("shaw-bins/edges", "weights of clipped keys left out",
                         Sets(&C::rows, Rows::kWithoutClipped, values)),
        Mistake::Formula("xl-shift", "the last row dropped, [:-1] for [1:]",
                         Sets(&C::cut, Cut::kFirst, moves)),
        Mistake::Formula("xl-shift/right", "padded on the right",
                         Sets(&C::cut, Cut::kPadRight, moves)),
        Mistake::Formula("xl-shift/none", "not shifted", Sets(&C::cut, Cut::kNone, moves)),
        Mistake::Convention("xl-after/leftover", "keys after the query not zeroed",
                            Sets(&C::mask, Mask::kNever, moves)),
        Mistake::Convention("xl-after/zero", "keys after the query zeroed where they are asked",
                            Sets(&C::mask, Mask::kAlways, moves)),
        Mistake::Formula("xl-after/top-left", "zeros from key i + 1 on, whatever the lengths",
                         Sets(&C::mask, Mask::kTopLeft, moves)),
        Mistake::Formula("xl-after/diagonal", "the query's own key zeroed too",
                         Sets(&C::mask, Mask::kDiagonal, moves)),
        Mistake::Formula("skew-column", "full form one column further",
                         Sets(&C::column_further, true, {"skew"})),
        Mistake::Formula("arange-positions", "0..T-1 whatever the positions are",
                         Sets(&C::arange, true, rows)),
        Mistake::Formula("offset", "position m + 1", Sets(&C::query_shift, int64_t{1}, rows)),
        Mistake::State("row-positions/head-zero", "batch 0, head 0 for all",
                       Sets(&C::first_head, true, moves)),
        Mistake::State("stale-table/previous",
                       "positions of the call before, where that had as many",
                       [](const Case& c, C* change) {
                         change->shared.call_before = true;
                         return c.inputs.count("m") > 0;
                       }),
        Mistake::Formula("shaw-table/keys", "nothing added to the keys",
                         Sets(&C::rows, Rows::kOfValuesOnly, heads)),
        Mistake::Formula("shaw-table/values", "nothing added to the values",
                         Sets(&C::rows, Rows::kOfKeysOnly, heads)),
        Mistake::Formula("shaw-table/one", "the rows of the keys added to the values too",
                         Sets(&C::rows, Rows::kOneTable, heads)),
        Mistake::State("row-positions", "positions of batch row 0 for every row",
                       Sets(&C::first_batch, true, heads)),
    };
    AddMemory(&entries);
    attention::AddHeads("relative.attention", &entries);
    AddShared(
        {Concerns::kWidths, Concerns::kStorage},
        [](const Case&, const C&) -> const Number* { return nullptr; }, &entries);
    return entries;
  }();
  return all;
}

std::unique_ptr<Predictor> PredictAttention(const Answered& answered,
                                            const RelativeChange& change) {
  const Case& c = *answered.c;
  const gnomon::relative::AttentionParameters p = gnomon::relative::ReadAttention(c);
  attention::AttentionChange heads = change.heads;
  heads.shared = change.shared;
  heads.vector_by_key = change.rows == Rows::kByKey;
  heads.last_of_row = change.rows == Rows::kLastWeight;
  heads.scales_content_only = change.scale == Scale::kContentOnly;
  if (change.scale == Scale::kIgnored) heads.scale = 1;
  if (change.scale == Scale::kByDim && !p.heads.scale)
    heads.scale = 1 / static_cast<double>(gnomon::attention::ExtentsOf(c).head_dim);
  const auto rows = std::make_shared<AddedRows>(c, p.rows, change);
  attention::PairVectors vectors;
  vectors.key = [rows](int64_t b, int64_t, int64_t m, int64_t n, int64_t i) {
    return rows->OfKey(b, m, n, i);
  };
  vectors.value = [rows](int64_t b, int64_t, int64_t m, int64_t n, int64_t i) {
    return rows->OfValue(b, m, n, i);
  };
  vectors.row = [rows](int64_t b, int64_t m, int64_t n) { return rows->Row(b, m, n); };
  return attention::PredictBiased(
      answered, p.heads, heads,
      [rows](int64_t b, int64_t, int64_t m, int64_t n) { return rows->Pair(b, m, n); }, vectors);
}

}  // namespace

const std::vector<Hypothesis>& Hypotheses() {
  static const std::vector<Hypothesis> all = AboutAll(Entries());
  return all;
}

std::unique_ptr<Predictor> Predict(const Answered& answered, const std::vector<size_t>& made,
                                   double factor, double factor_error) {
  RelativeChange change;
  MakeMistakes(Entries(), *answered.c, made, factor, factor_error, &change);
  if (IsAttention(*answered.c)) return PredictAttention(answered, change);
  return std::make_unique<RelativePredictor>(answered, change);
}

}  // namespace gnomon::oracle::relative
