// Known mistakes over more than one axis (spec/mistakes.md), as hypotheses: each rewrites what the
// kernel takes the case to say.
#include "gnomon/oracle/hypotheses_multi_axis.h"

#include <cmath>
#include <limits>

#include "gnomon/oracle/hypotheses_fitted.h"

namespace gnomon::oracle::multi_axis {
namespace {

class AxesPredictor : public Predictor {
 public:
  AxesPredictor(const Answered& answered, const AxesChange& change)
      : c_(*answered.c),
        format_(c_.format),
        verb_(VerbOf(c_)),
        change_(change),
        outputs_(answered.outputs),
        turns_(
            format_, [this](int64_t pair) { return Recipe(pair); }, change.shared) {
    if (verb_ == Verb::kSincos) positions_ = c_.inputs.at("positions").view();
    if (verb_ != Verb::kRotate) return;
    positions_ = c_.inputs.at("positions").view();
    x_ = c_.inputs.at("x").view();
    by_dim_ = change_.a.PairsByDim();
    const auto y = answered.outputs->find("y");
    if (y != answered.outputs->end()) y_ = y->second;
  }

  Prediction At(int, int64_t element) override {
    switch (verb_) {
      case Verb::kSections:
        return Bits(static_cast<uint64_t>(change_.axis[static_cast<size_t>(element)]));
      case Verb::kRotate:
        return Rotation(element);
      case Verb::kSincos:
        return Sincos(element);
      case Verb::kFactorized:
        return Factorized(element);
      default:
        return InWindow(element);
    }
  }

  std::optional<Observation> Observe(int, int64_t element) override {
    if (change_.shared.position || change_.a.mixed) return std::nullopt;
    if (verb_ == Verb::kRotate) return ObserveRotation(element);
    return verb_ == Verb::kSincos ? ObserveEntry(element) : std::nullopt;
  }

 private:
  struct Token {
    int64_t batch, seq, head;
  };
  Observation Told(Observation turn, int64_t position, int64_t pair) const {
    turn.position = position;
    turn.pair = pair;
    turn.frequency = turns_.Frequency(pair);
    turn.exponent = turns_.Exponent(pair);
    return turn;
  }
  std::optional<Observation> ObserveRotation(int64_t element) {
    const AxialRotation& a = change_.a;
    const int64_t dim = element % x_.shape[3], number = element / x_.shape[3];
    if (!a.InWindow(dim)) return std::nullopt;
    const auto [pair, member] = by_dim_[static_cast<size_t>(dim - a.rotary_offset)];
    const int64_t axis = change_.axis[static_cast<size_t>(pair)];
    if (member != 0 || axis < 0) return std::nullopt;
    const Token t{number / x_.shape[2] / x_.shape[1], number / x_.shape[2] % x_.shape[1],
                  number % x_.shape[2]};
    const auto bits_a = BitsOfX(t, dim), bits_b = BitsOfX(t, a.Dim(pair, 1));
    if (!bits_a || !bits_b) return std::nullopt;
    const int64_t partner = element - dim + a.Dim(pair, 1);
    auto turn = ObservedTurn(DecodeBits(format_, *bits_a), DecodeBits(format_, *bits_b),
                             ValueAt(y_, element), ValueAt(y_, partner),
                             std::max(ReachOf(At(0, element)), ReachOf(At(0, partner))), format_);
    if (!turn) return turn;
    const bool back = a.direction == RopeDirection::kTranspose && !change_.transpose_forward;
    if (back != (change_.sine < 0)) turn->angle = -turn->angle;
    return Told(*turn, PositionOf(t, axis), pair);
  }
  std::optional<Observation> ObserveEntry(int64_t element) {
    const SincosTable& t = change_.t;
    const int64_t width = t.half.width, row = element / t.width() - t.zero_rows;
    const int64_t column = element % t.width(), within = column % width;
    const auto sine_at = [&](int64_t at) {
      return (t.half.Column(at).kind == SinusoidalColumn::kSine) != change_.halves;
    };
    const int64_t pair = t.half.Column(within).pair;
    if (row < 0 || !sine_at(within)) return std::nullopt;
    for (int64_t at = 0; at < width; ++at) {
      if (sine_at(at) || t.half.Column(at).pair != pair) continue;
      const int64_t other = element - within + at;
      const ConstTensorView& table = outputs_->begin()->second;
      const auto turn =
          ObservedTurn(1, 0, ValueAt(table, other), change_.sine * ValueAt(table, element),
                       std::max(ReachOf(At(0, element)), ReachOf(At(0, other))), format_);
      const bool of_column = (column >= width) != t.column_first;
      if (!turn) return turn;
      return Told(*turn, IntegerAt(positions_, (of_column ? positions_.shape[1] : 0) + row), pair);
    }
    return std::nullopt;
  }

  static Prediction Bits(uint64_t bits) {
    Prediction p;
    p.kind = Prediction::kBits;
    p.bits = bits;
    return p;
  }

  FrequencyRecipe Recipe(int64_t pair) const {
    FrequencyRecipe r;
    if (verb_ == Verb::kSincos) {
      const SinusoidalTable& half = change_.t.half;
      r = {half.base, half.ExponentNumerator(pair), half.ExponentDenominator(), pair, nullptr};
      if (change_.full_width) r.numerator = 2 * pair, r.denominator = 2 * half.width;
    } else if (verb_ == Verb::kRotate && !change_.a.mixed) {
      const AxialRotation& a = change_.a;
      const AxialPair& p = a.at(pair);
      r = {a.rope_theta, p.numerator, p.denominator, p.numerator / 2,
           a.frequencies.empty() ? nullptr : &a.frequencies[static_cast<size_t>(pair)]};
    }
    return r;
  }

  int64_t PositionOf(const Token& t, int64_t axis) const {
    const bool by_batch = positions_.rank() == 3 && positions_.shape[0] != 1;
    const auto given = [&](int64_t batch, int64_t of, int64_t seq) {
      return IntegerAt(positions_,
                       ((by_batch ? batch : 0) * change_.a.axes() + of) * x_.shape[1] + seq);
    };
    if (change_.count == Count::kTokens) return t.seq;
    if (change_.count == Count::kFirstRow) return given(0, axis, t.seq);
    return given(t.batch, axis, t.seq) - (change_.count == Count::kFromFirst ? given(0, 0, 0) : 0);
  }

  Turn TurnOf(const Token& t, int64_t pair) const {
    if (!change_.a.mixed) {
      const int64_t axis = change_.axis[static_cast<size_t>(pair)];
      return axis < 0 ? Turn{} : turns_.At(PositionOf(t, axis), pair);
    }
    const ConstTensorView w = c_.inputs.at("frequencies").view();
    std::vector<MixedTerm> terms;
    for (size_t axis = 0; axis < change_.axis.size(); ++axis) {
      if (change_.axis[axis] < 0) continue;
      const double frequency = change_.mixed.Frequency(w, static_cast<int64_t>(axis), t.head, pair);
      const bool minus = change_.mixed.difference && axis > 0;
      terms.push_back({PositionOf(t, change_.axis[axis]), minus ? -frequency : frequency});
    }
    return MixedTurn(format_, change_.shared, terms);
  }

  // Bits of x at a dim of this token's head, as the kernel finds it. None: outside the storage.
  std::optional<uint64_t> BitsOfX(const Token& own, int64_t dim) const {
    Token t = own;
    if (change_.heads_reversed) t.head = x_.shape[2] - 1 - t.head;
    // In place, an earlier head holds its answer by now.
    if (!c_.in_place.empty() && t.head < own.head) return BitsAt(y_, Number(t) * x_.shape[3] + dim);
    if (change_.contiguous && !c_.in_place.empty()) return std::nullopt;
    const Shape strides = change_.contiguous ? ContiguousStrides(x_.shape) : x_.strides;
    const int64_t offset =
        t.batch * strides[0] + t.seq * strides[1] + t.head * strides[2] + dim * strides[3];
    const Tensor& x = c_.inputs.at("x");
    const int64_t at = x.origin() + offset;
    const int64_t extent = static_cast<int64_t>(x.storage().size()) / SizeOf(x.dtype());
    if (at < 0 || at >= extent) return std::nullopt;
    return LoadBits(x_.dtype, x_.data + offset * SizeOf(x_.dtype));
  }
  int64_t Number(const Token& t) const {
    return (t.batch * x_.shape[1] + t.seq) * x_.shape[2] + t.head;
  }

  Prediction Rotation(int64_t element) const {
    const AxialRotation& a = change_.a;
    const int64_t dim = element % x_.shape[3], number = element / x_.shape[3];
    const Token t{number / x_.shape[2] / x_.shape[1], number / x_.shape[2] % x_.shape[1],
                  number % x_.shape[2]};
    const std::optional<uint64_t> own = BitsOfX(t, dim);
    if (!a.InWindow(dim)) return Unwritten(change_.copied, x_.dtype, own);
    const auto [pair, member] = by_dim_[static_cast<size_t>(dim - a.rotary_offset)];
    if (InTail(change_.shared, pair, a.pairs(), true))
      return Unwritten(change_.shared.tail, x_.dtype, own);
    const int64_t at_a = a.Dim(pair, 0);
    std::optional<uint64_t> bits_a = BitsOfX(t, at_a);
    const std::optional<uint64_t> bits_b = BitsOfX(t, a.Dim(pair, 1));
    // In place: what y_a has left there, as answered.
    if (change_.overwritten && member == 1 && !c_.in_place.empty())
      bits_a = BitsAt(y_, number * x_.shape[3] + at_a);
    if (!bits_a || !bits_b) return {};
    const double xa = Read(change_.shared, format_, *bits_a);
    const double xb = Read(change_.shared, format_, *bits_b);
    const Turn turn = TurnOf(t, pair);
    const bool back = a.direction == RopeDirection::kTranspose && !change_.transpose_forward;
    const double s = change_.sine * (back ? -turn.sin : turn.sin), c = turn.cos;
    const double first = member == 0 ? xa * c : xa * s, second = member == 0 ? -xb * s : xb * c;
    const double y = first + second;
    if (!std::isfinite(y)) {
      if (std::isfinite(xa) && std::isfinite(xb) && std::isfinite(c) && std::isfinite(s)) return {};
      Prediction p = NonFinite(change_.shared, format_, y);
      if (turn.sin == 0) p.or_bits = member == 0 ? bits_a : bits_b;
      return p;
    }
    const double S = std::abs(first) + std::abs(second);
    const double turned =
        member == 0 ? std::abs(xa * s) + std::abs(xb * c) : std::abs(xa * c) + std::abs(xb * s);
    const double table_error = member == 0
                                   ? std::abs(xa) * turn.cos_error + std::abs(xb) * turn.sin_error
                                   : std::abs(xa) * turn.sin_error + std::abs(xb) * turn.cos_error;
    const double size = std::abs(xa) + std::abs(xb);
    PerProfile bound, narrow;
    const auto bound_in = [&](Format output, size_t i) {
      const double d = turn.known_tables ? 0 : TableError(kProfiles[i], output);
      return table_error +
             RotationBound<double>(kProfiles[i], output, y, S, turned, size, turn.D[i], d);
    };
    for (size_t i = 0; i < kProfiles.size(); ++i) {
      bound[i] = bound_in(format_, i);
      narrow[i] = bound_in(WorkingFormat(format_), i);
    }
    return Stored(change_.shared, format_, y, S * 0x1p-51 + table_error, bound, narrow);
  }

  Prediction Sincos(int64_t element) const {
    const SincosTable& t = change_.t;
    const int64_t row = element / t.width() - t.zero_rows, column = element % t.width();
    if (row < 0 && !change_.zero_rows_encoded) return Bits(0);
    const SinusoidalColumn of = t.half.Column(column % t.half.width);
    const bool sine = (of.kind == SinusoidalColumn::kSine) != change_.halves;
    const bool of_column = (column >= t.half.width) != t.column_first;
    const int64_t position =
        row < 0 ? 0 : IntegerAt(positions_, (of_column ? positions_.shape[1] : 0) + row);
    const Turn turn = turns_.At(position, of.pair);
    const double v = sine ? change_.sine * turn.sin : turn.cos, slope = sine ? turn.cos : turn.sin;
    const double error = sine ? turn.sin_error : turn.cos_error;
    PerProfile bound, narrow;
    for (size_t i = 0; i < kProfiles.size(); ++i) {
      bound[i] = TableBound<double>(format_, v, slope, turn.D[i], 0, 1) + error;
      narrow[i] = TableBound<double>(WorkingFormat(format_), v, slope, turn.D[i], 0, 1) + error;
      if (!turn.known_tables) continue;
      narrow[i] = bound[i] = error;
      if (format_ != WorkingFormat(format_))
        bound[i] += UnitRoundoff(format_) * std::abs(v) + ExactPowerOfTwo(EtaExponent(format_));
    }
    const double radius = (turn.known_tables ? 0 : std::abs(v) * 0x1p-52) + error;
    return Stored(change_.shared, format_, v, radius, bound, narrow);
  }

  Prediction Factorized(int64_t element) const {
    const ConstTensorView px = c_.inputs.at("px").view(), py = c_.inputs.at("py").view();
    const int64_t wx = px.shape[1], wy = py.shape[1], X = px.shape[0], Y = py.shape[0];
    const bool sum = change_.combine == Combine::kSum;
    const int64_t width = sum ? wx : wx + wy, column = element % width, place = element / width;
    int64_t x = place / Y, y = place % Y;
    if (change_.transposed) x = place % X, y = place / X;
    if (!sum) {
      const bool first = change_.exchanged ? column >= wy : column < wx;
      const int64_t within =
          change_.exchanged ? (first ? column - wy : column) : (first ? column : column - wx);
      return Bits(first ? BitsAt(px, x * wx + within) : BitsAt(py, y * wy + within));
    }
    const double v =
        (change_.mean ? 0.5 : 1) * (Read(change_.shared, format_, BitsAt(px, x * wx + column)) +
                                    Read(change_.shared, format_, BitsAt(py, y * wy + column)));
    if (!std::isfinite(v)) return NonFinite(change_.shared, format_, v);
    PerProfile bound, narrow;
    for (size_t i = 0; i < kProfiles.size(); ++i) {
      bound[i] = axes::SumBound<double>(kProfiles[i], format_, v);
      narrow[i] = axes::SumBound<double>(kProfiles[i], WorkingFormat(format_), v);
    }
    Prediction p = Stored(change_.shared, format_, v, std::abs(v) * 0x1p-52, bound, narrow);
    // The sum may overflow where its half does not.
    for (size_t i = 0; i < kProfiles.size() && change_.mean; ++i)
      if (2 * std::abs(v) > LargestFinite(FormatAt(kProfiles[i].arithmetic, format_)))
        p.open |= 1u << i;
    return p;
  }

  // AXES-14, with the changes.
  int64_t IndexOf(int64_t query, int64_t key) const {
    const Window& w = change_.w;
    if (change_.reversed) std::swap(query, key);
    if (w.cls == ClsToken::kBeit) {
      const int64_t cls = change_.cls_last ? w.tokens() - 1 : 0;
      if (query == cls && key == cls) return w.offsets() + 2;
      if (query == cls || key == cls)
        return w.offsets() + ((key == cls) != change_.cls_exchanged ? 1 : 0);
      query -= !change_.cls_last;
      key -= !change_.cls_last;
    }
    const int64_t rows = query / w.width - key / w.width + w.height - 1;
    const int64_t columns = query % w.width - key % w.width + w.width - 1;
    if (change_.by_columns) return columns * (2 * w.height - 1) + rows;
    return rows * (2 * w.width - (change_.even_stride ? 0 : 1)) + columns;
  }
  Prediction InWindow(int64_t element) const {
    const int64_t n = change_.w.tokens();
    const int64_t index = IndexOf(element / n % n, element % n);
    if (verb_ == Verb::kIndex) return Bits(static_cast<uint64_t>(index));
    const ConstTensorView table = c_.inputs.at("table").view();
    if (index >= table.shape[0]) return {};
    return Bits(BitsAt(table, index * table.shape[1] + element / (n * n)));
  }

  const Case& c_;
  Format format_;
  Verb verb_;
  AxesChange change_;
  const std::map<std::string, ConstTensorView>* outputs_;
  Turns turns_;
  ConstTensorView x_, y_, positions_;
  std::vector<std::pair<int64_t, int>> by_dim_;
};

}  // namespace

const std::vector<Hypothesis>& Hypotheses() {
  static const std::vector<Hypothesis> all = AboutAll(Entries());
  return all;
}

std::unique_ptr<Predictor> Predict(const Answered& answered, const std::vector<size_t>& made,
                                   double factor, double factor_error) {
  const Case& c = *answered.c;
  AxesChange change;
  switch (VerbOf(c)) {
    case Verb::kSections:
      change.s = axes::ReadSections(c);
      break;
    case Verb::kRotate: {
      change.a = axes::ReadRotation(c);
      for (int64_t k = 0; change.a.mixed && k < change.a.axes(); ++k) change.axis.push_back(k);
      if (change.a.mixed) break;
      ParameterReader reader(c.parameters, "AXES-2");
      change.s = axes::IsMrope(c) ? axes::ReadSections(reader) : Sections{change.a.sizes, {}};
      break;
    }
    case Verb::kSincos:
      change.t = axes::ReadSincos(c);
      break;
    case Verb::kFactorized:
      change.combine = axes::ReadCombine(c);
      break;
    default:
      change.w = axes::ReadWindowSize(c);
      break;
  }
  if (!change.s.sizes.empty())
    for (int64_t i = 0; i < change.s.pairs(); ++i) change.axis.push_back(change.s.AxisOf(i));
  MakeMistakes(Entries(), c, made, factor, factor_error, &change);
  return std::make_unique<AxesPredictor>(answered, change);
}

}  // namespace gnomon::oracle::multi_axis
