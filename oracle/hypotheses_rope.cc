// Known mistakes in rotary embeddings (spec/mistakes.md), as hypotheses: each rewrites what the
// kernel takes the case to say.
#include "gnomon/oracle/hypotheses_rope.h"

#include <cmath>
#include <limits>

#include "gnomon/oracle/hypotheses_fitted.h"

namespace gnomon::oracle::rope {
namespace {

class RopePredictor : public Predictor {
 public:
  RopePredictor(const Answered& answered, const RopeChange& change)
      : c_(*answered.c),
        format_(c_.format),
        change_(change),
        outputs_(answered.outputs),
        call_(f(), change.scaling, format_, change.shared) {
    if (!IsApply(c_)) return;
    x_ = c_.inputs.at("x").view();
    const auto y = answered.outputs->find("y");
    if (y != answered.outputs->end()) y_ = y->second;
    given_ = c_.inputs.count("cos") > 0;
    rows_ = given_ ? c_.inputs.at("cos").view() : c_.inputs.at("positions").view();
    per_batch_ = rows_.shape.size() == (given_ ? 3u : 2u) && rows_.shape[0] != 1;
    if (given_) sin_ = c_.inputs.at("sin").view();
  }

  Prediction At(int output, int64_t element) override {
    if (c_.operation == "rope.frequencies") return Frequency(element);
    return c_.operation == "rope.table" ? Entry(output, element) : Apply(element);
  }

  std::optional<Observation> Observe(int output, int64_t element) override {
    const bool plain = change_.cos_a == 1 && change_.cos_b == 1 && change_.sin_a == change_.sin_b;
    if (output != 0 || given_ || change_.xpos.asked || !plain || change_.member_distance > 0 ||
        change_.shared.position)
      return std::nullopt;
    std::optional<Observation> turn;
    int64_t pair = element % f().pairs(), position = 1;
    if (c_.operation == "rope.frequencies") {
      const double w = ValueAt(outputs_->at("w"), element);
      // What was rounded to w is off by u of itself; what else rounded, FitTo allows for.
      const double u = UnitRoundoff(format_),
                   reach = std::max(ReachOf(At(0, element)), u / (1 - u) * std::abs(w));
      if (!(std::abs(w) <= 1) || !std::isfinite(reach)) return std::nullopt;
      turn.emplace();
      turn->angle = w;
      turn->error = reach;
      turn->counted = false;
    } else if (c_.operation == "rope.table") {
      position = c_.inputs.at("positions").Integer(element / f().pairs());
      turn = ObservedTurn(1, 0, ValueAt(outputs_->at("cos"), element),
                          change_.sin_a * ValueAt(outputs_->at("sin"), element),
                          std::max(ReachOf(At(0, element)), ReachOf(At(1, element))), format_);
    } else {
      turn = ObserveRotation(element, &pair, &position);
    }
    if (!turn) return turn;
    turn->position = position;
    turn->pair = pair;
    turn->frequency = call_.turns.Frequency(pair);
    turn->exponent = call_.is_scaled ? std::nullopt : call_.turns.Exponent(pair);
    return turn;
  }

 private:
  struct Token {
    int64_t batch, seq, head;
  };
  Token TokenOf(int64_t element) const {
    const int64_t number = element / x_.shape[3];
    return {number / x_.shape[2] / x_.shape[1], number / x_.shape[2] % x_.shape[1],
            number % x_.shape[2]};
  }
  std::optional<Observation> ObserveRotation(int64_t element, int64_t* pair, int64_t* position) {
    const RopeApply& a = change_.a;
    const int64_t dim = element % x_.shape[3];
    if (!a.InWindow(dim)) return std::nullopt;
    int member = 0;
    std::tie(*pair, member) = a.PairAt(a.output_layout, dim);
    const Token t = TokenOf(element);
    const auto bits_a = BitsOfX(t, a.Dim(a.input_layout, *pair, 0));
    const auto bits_b = BitsOfX(t, a.Dim(a.input_layout, *pair, 1));
    if (member != 0 || !bits_a || !bits_b) return std::nullopt;
    *position = PositionOf(t);
    const int64_t partner = element - dim + a.Dim(a.output_layout, *pair, 1);
    const double ya = ValueAt(y_, element), yb = ValueAt(y_, partner);
    auto turn = ObservedTurn(DecodeBits(format_, *bits_a), DecodeBits(format_, *bits_b), ya, yb,
                             std::max(ReachOf(At(0, element)), ReachOf(At(0, partner))), format_);
    if (turn && (IsTranspose(change_) != (change_.sin_a < 0))) turn->angle = -turn->angle;
    return turn;
  }

  const RopeFrequencies& f() const { return change_.a.frequencies; }
  // The turns of one length of the call (SCALE-9, SCALE-10).
  struct OfLength {
    OfLength(const RopeFrequencies& f, const ScalingFormulas& scaling, Format format,
             const Change& change)
        : is_scaled(f.scaled()),
          scaled(std::make_shared<ScaledFrequencies>(f, scaling.frequency, format)),
          turns(
              format,
              [f, of = scaled](int64_t pair) -> FrequencyRecipe {
                const Number* given =
                    f.frequencies.empty() ? nullptr : &f.frequencies[static_cast<size_t>(pair)];
                if (f.scaled()) given = &of->At(pair).frequency;
                return {f.rope_theta, 2 * pair, f.rotary_dim, pair, given};
              },
              change) {}
    bool is_scaled;
    std::shared_ptr<ScaledFrequencies> scaled;
    Turns turns;
  };
  const OfLength& LengthAt(int64_t position) const {
    if (!change_.length_of_token || !f().scaling.NeedsLength()) return call_;
    RopeFrequencies own = f();
    own.scaling.seq_len = std::max<int64_t>(position + 1, 1);
    // Two lists of factors, or a base for every length.
    int64_t key = own.scaling.seq_len;
    if (own.scaling.type == RopeType::kLongrope)
      key = static_cast<double>(key) > own.scaling.original_length.value;
    const auto found = tokens_.find(key);
    if (found != tokens_.end()) return found->second;
    return tokens_.emplace(key, OfLength(own, change_.scaling, format_, change_.shared))
        .first->second;
  }
  Turn TurnAt(int64_t position, int64_t pair, bool tables) const {
    const OfLength& of = LengthAt(position);
    Turn turn = of.turns.At(position, pair);
    if (!f().scaled()) return turn;
    for (size_t i = 0; i < kProfiles.size() && of.is_scaled; ++i)
      turn.D[i] = std::max(
          turn.D[i],
          turn.angle * gnomon::rope_scaling::ScaledAngleError(
                           kProfiles[i].angle, of.scaled->At(pair).counts, position, format_));
    double& t = magnitudes_[tables];
    if (t == 0) t = MagnitudeBy(f().scaling, change_.scaling, tables);
    turn.cos *= t;
    if (!change_.cosines_alone) turn.sin *= t;
    return turn;
  }
  double RoundingsOfMagnitude() const {
    if (!f().scaling.HasMagnitude()) return 0;
    const bool mistaken = change_.scaling.magnitude != nullptr;
    return Gamma(1 + MagnitudeRoundings(f().scaling, mistaken, format_),
                 UnitRoundoff(WorkingFormat(format_)));
  }
  bool InTail(int64_t pair) const {
    return oracle::InTail(change_.shared, pair, f().pairs(), IsApply(c_));
  }

  Prediction Frequency(int64_t pair) const {
    const double w = call_.turns.Frequency(pair);
    PerProfile bound, narrow;
    for (size_t i = 0; i < kProfiles.size(); ++i) {
      const auto bound_in = [&](Format output) {
        return call_.is_scaled
                   ? gnomon::rope_scaling::ScaledFrequencyBound<double>(
                         kProfiles[i], output, std::abs(w), call_.scaled->At(pair).counts)
                   : FrequencyBound<double>(kProfiles[i], output, std::abs(w),
                                            call_.turns.Origin(pair));
      };
      bound[i] = bound_in(format_);
      narrow[i] = bound_in(WorkingFormat(format_));
    }
    const double own = std::abs(w) * (0x1p-52 + call_.turns.RelativeError(pair));
    return Stored(change_.shared, format_, w, own, bound, narrow);
  }

  Prediction Entry(int output, int64_t element) const {
    const int64_t pair = element % f().pairs();
    if (InTail(pair)) return Unwritten(change_.shared.tail, DTypeOf(format_), std::nullopt);
    const Tensor& positions = c_.inputs.at("positions");
    const Shape& shape = positions.shape();
    const int64_t seq = shape.back(), row = element / f().pairs();
    int64_t position = positions.Integer(row);
    if (change_.count == Count::kFirstRow) position = positions.Integer(row % seq);
    if (change_.count == Count::kTokens) position = row % seq;
    if (change_.count == Count::kFromFirst) position -= positions.Integer(0);
    const Turn turn = TurnAt(position, pair, true);
    const double sign = output == 0 ? 1 : change_.sin_a;
    const double v = sign * (output == 0 ? turn.cos : turn.sin);
    if (std::isnan(v)) return NonFinite(change_.shared, format_, v);
    const double slope = output == 0 ? turn.sin : turn.cos;
    const double error = output == 0 ? turn.cos_error : turn.sin_error;
    PerProfile bound, narrow;
    for (size_t i = 0; i < kProfiles.size(); ++i) {
      const double more = RoundingsOfMagnitude() * std::abs(v) * (1 + 0x1p-7) + error;
      bound[i] = TableBound<double>(format_, v, slope, turn.D[i], 0, 1) + more;
      narrow[i] = TableBound<double>(WorkingFormat(format_), v, slope, turn.D[i], 0, 1) + more;
      if (turn.known_tables) {
        narrow[i] = error;
        bound[i] = error;
        if (format_ != WorkingFormat(format_))
          bound[i] += UnitRoundoff(format_) * std::abs(v) + ExactPowerOfTwo(EtaExponent(format_));
      }
    }
    const double radius = (turn.known_tables ? 0 : std::abs(v) * 0x1p-52) + error;
    return Stored(change_.shared, format_, v, radius, bound, narrow);
  }

  int64_t PositionOf(const Token& t) const {
    const auto given = [&](int64_t batch, int64_t seq) {
      return IntegerAt(rows_, (per_batch_ ? batch * x_.shape[1] : 0) + seq);
    };
    switch (change_.count) {
      case Count::kFirstRow:
        return given(0, t.seq);
      case Count::kTokens:
        return t.seq;
      case Count::kFromFirst:
        return given(t.batch, t.seq) - given(0, 0);
      case Count::kHeads:
        return t.head;
      case Count::kGiven:
        break;
    }
    return given(t.batch, t.seq);
  }
  Turn TurnOf(const Token& t, int64_t pair) const {
    if (!given_) return TurnAt(PositionOf(t), pair, false);
    const int64_t row = (per_batch_ ? t.batch * x_.shape[1] : 0) + t.seq;
    Turn turn;
    turn.cos = ValueAt(rows_, row * f().pairs() + pair);
    turn.sin = ValueAt(sin_, row * f().pairs() + pair);
    return turn;
  }
  // Bits of x at a dim of this token's head, as the kernel finds it. None: outside the storage.
  std::optional<uint64_t> BitsOfX(const Token& own, int64_t dim) const {
    Token t = own;
    if (change_.source == Source::kHeadsReversed) t.head = x_.shape[2] - 1 - t.head;
    if (change_.source == Source::kBatchesReversed) t.batch = x_.shape[0] - 1 - t.batch;
    // In place, an earlier head holds its answer by now.
    const auto number = [&](const Token& of) {
      return (of.batch * x_.shape[1] + of.seq) * x_.shape[2] + of.head;
    };
    if (!c_.in_place.empty() && number(t) < number(own))
      return BitsAt(y_, number(t) * x_.shape[3] + dim);
    // Nothing can be said of addresses in an output whose strides the case does not tell.
    const bool wrong_strides =
        change_.source == Source::kContiguous || change_.source == Source::kHeadsAdjacent;
    if (wrong_strides && !c_.in_place.empty()) return std::nullopt;
    Shape strides = x_.strides;
    if (change_.source == Source::kContiguous) strides = ContiguousStrides(x_.shape);
    if (change_.source == Source::kHeadsAdjacent) strides[2] = x_.shape[3] * strides[3];
    const int64_t offset =
        t.batch * strides[0] + t.seq * strides[1] + t.head * strides[2] + dim * strides[3];
    const Tensor& x = c_.inputs.at("x");
    const int64_t at = x.origin() + offset;
    const int64_t extent = static_cast<int64_t>(x.storage().size()) / SizeOf(x.dtype());
    if (at < 0 || at >= extent) return std::nullopt;
    return LoadBits(x_.dtype, x_.data + offset * SizeOf(x_.dtype));
  }

  Prediction Apply(int64_t element) const {
    const int64_t dim = element % x_.shape[3];
    const Token t = TokenOf(element);
    const RopeApply& a = change_.a;
    int64_t pair = -1;
    int member = 0;
    if (change_.member_distance > 0) {
      // The last pair that writes here, if any.
      for (int64_t i = 0; i < f().pairs(); ++i) {
        const int64_t first = a.Dim(a.output_layout, i, 0);
        if (first == dim) pair = i, member = 0;
        const int64_t second = a.Dim(a.input_layout, i, 0) + change_.member_distance;
        if (second == dim) pair = i, member = 1;
        // Nothing can be said of a member beyond the head, nor of the dim that it belongs in.
        if (second >= x_.shape[3] && a.Dim(a.output_layout, i, 1) == dim) return {};
      }
      if (pair < 0 && a.InWindow(dim)) return {};  // in the window, and in no pair
    } else if (a.InWindow(dim)) {
      std::tie(pair, member) = a.PairAt(a.output_layout, dim);
    }
    const std::optional<uint64_t> own = BitsOfX(t, dim);
    if (pair < 0) return Copied(dim, own);
    if (InTail(pair)) return Unwritten(change_.shared.tail, x_.dtype, own);
    return Rotated(t, pair, member);
  }

  Prediction Copied(int64_t dim, std::optional<uint64_t> own) const {
    const RopeApply& a = change_.a;
    if (change_.overwrite_lanes > 0) {
      const int64_t lanes = change_.overwrite_lanes;
      for (int64_t i = f().pairs(); i < (f().pairs() + lanes - 1) / lanes * lanes; ++i)
        if (a.Dim(a.output_layout, i, 1) == dim) return Unwritten(Fill::kZero, x_.dtype, own);
    }
    if (change_.copied == Fill::kDefaultNan) {
      if (own && std::isnan(DecodeBits(format_, *own)))
        own = EncodeBits(format_, std::numeric_limits<double>::quiet_NaN());
      return Unwritten(Fill::kInput, x_.dtype, own);
    }
    return Unwritten(change_.copied == Fill::kWritten ? Fill::kInput : change_.copied, x_.dtype,
                     own);
  }

  Prediction Rotated(const Token& t, int64_t pair, int member) const {
    const RopeApply& a = change_.a;
    const int64_t at_a = a.Dim(a.input_layout, pair, 0);
    const int64_t at_b = change_.member_distance > 0 ? at_a + change_.member_distance
                                                     : a.Dim(a.input_layout, pair, 1);
    if (at_b >= x_.shape[3]) return {};  // beyond the head
    std::optional<uint64_t> bits_a = BitsOfX(t, at_a);
    const std::optional<uint64_t> bits_b = BitsOfX(t, at_b);
    // In place: what y_a of this pair, or an earlier pair, has left there, as answered.
    const auto [writer, written] = a.PairAt(a.output_layout, at_a);
    if (change_.overwritten && member == 1 && (writer < pair || (writer == pair && written == 0)))
      bits_a =
          BitsAt(y_, ((t.batch * x_.shape[1] + t.seq) * x_.shape[2] + t.head) * x_.shape[3] + at_a);
    if (!bits_a || !bits_b) return {};
    const int64_t position = given_ ? 0 : XposChange::Moved(change_.shared, PositionOf(t));
    const double z = change_.xpos.ScaleAt(position, pair, member);  // 0: cannot be told
    const double ra = Read(change_.shared, format_, *bits_a), xa = z * ra;
    const double rb = Read(change_.shared, format_, *bits_b), xb = z * rb;
    if (!(z > 0) || std::isinf(xa) + std::isinf(xb) != std::isinf(ra) + std::isinf(rb)) return {};
    const int64_t h = f().pairs();
    int64_t column = pair;
    if (change_.table == Table::kInterleaved) column = (member * h + pair) / 2;
    if (change_.table == Table::kConcatenated) column = (2 * pair + member) % h;
    Turn turn = TurnOf(t, column);
    if (change_.table == Table::kExchanged) {
      std::swap(turn.cos, turn.sin);
      std::swap(turn.cos_error, turn.sin_error);
    }
    if (change_.first_head_only && t.head > 0) turn = Turn{};
    if (change_.xpos.sine_unscaled) turn.sin /= z;
    const double s = IsTranspose(change_) ? -turn.sin : turn.sin;
    const double c = turn.cos;
    const double first = member == 0 ? change_.cos_a * xa * c : change_.sin_b * xa * s;
    const double second = member == 0 ? -change_.sin_a * xb * s : change_.cos_b * xb * c;
    const double y = first + second;
    if (!std::isfinite(y) && std::isfinite(xa) && std::isfinite(xb) && std::isfinite(c) &&
        std::isfinite(s))
      return {};
    if (!std::isfinite(y)) {
      Prediction p = NonFinite(change_.shared, format_, y);
      if (turn.sin == 0) p.or_bits = member == 0 ? bits_a : bits_b;
      return p;
    }
    const double other_a = std::abs(member == 0 ? xa * s : xa * c);
    const double other_b = std::abs(member == 0 ? xb * c : xb * s);
    const double S = std::abs(first) + std::abs(second), turned = other_a + other_b;
    const double size = std::abs(xa) + std::abs(xb);
    const double table_error = member == 0
                                   ? std::abs(xa) * turn.cos_error + std::abs(xb) * turn.sin_error
                                   : std::abs(xa) * turn.sin_error + std::abs(xb) * turn.cos_error;
    PerProfile bound, narrow;
    const auto bound_in = [&](Format output, size_t i) {
      const double d = turn.known_tables ? 0
                       : given_ ? GivenTableError(kProfiles[i], format_, FormatOf(rows_.dtype))
                                : TableError(kProfiles[i], output);
      if (change_.xpos.asked)
        return table_error + change_.xpos.Bound(kProfiles[i], output, position, pair, z, y, S,
                                                turned, size, turn.D[i]);
      return table_error + RoundingsOfMagnitude() * S * (1 + 0x1p-6) +
             RotationBound<double>(kProfiles[i], output, y, S, turned, size, turn.D[i], d);
    };
    for (size_t i = 0; i < kProfiles.size(); ++i) {
      bound[i] = bound_in(format_, i);
      narrow[i] = bound_in(WorkingFormat(format_), i);
    }
    Prediction p = Stored(change_.shared, format_, y, S * 0x1p-51 + table_error, bound, narrow);
    // ROPE-9: with given tables a product may leave the range of the arithmetic.
    const double table = given_ ? std::max(std::abs(c), std::abs(s)) : 2 * std::max(1.0, 1 / z);
    for (size_t i = 0; (given_ || change_.xpos.asked) && i < kProfiles.size(); ++i) {
      if (kProfiles[i].correctly_rounded) continue;
      const double largest = LargestFinite(FormatAt(kProfiles[i].arithmetic, format_));
      const double product = std::max(std::abs(xa), std::abs(xb)) * table * (1 + 0x1p-7);
      p.open |= static_cast<unsigned>(table > largest || product > largest) << i;
    }
    return p;
  }

  const Case& c_;
  Format format_;
  RopeChange change_;
  const std::map<std::string, ConstTensorView>* outputs_;
  OfLength call_;
  mutable std::map<int64_t, OfLength> tokens_;
  mutable std::array<double, 2> magnitudes_{};  // of y and of tables; 0: not asked yet
  ConstTensorView x_, y_, rows_, sin_;
  bool given_ = false, per_batch_ = false;
};

}  // namespace

const std::vector<Hypothesis>& Hypotheses() {
  static const std::vector<Hypothesis> all = AboutAll(Entries());
  return all;
}

std::unique_ptr<Predictor> Predict(const Answered& answered, const std::vector<size_t>& made,
                                   double factor, double factor_error) {
  const Case& c = *answered.c;
  RopeChange change;
  if (c.operation == "rope.xpos") {
    change.a = (change.xpos = XposOf(c)).xpos.apply;
  } else if (IsApply(c)) {
    change.a = gnomon::rope::ReadApply(c);
  } else {
    change.a.frequencies = gnomon::rope::ReadFrequencies(c);
  }
  MakeMistakes(Entries(), c, made, factor, factor_error, &change);
  if (!c.in_place.empty() && change.copied == Fill::kOnes) change.copied = Fill::kInput;
  return std::make_unique<RopePredictor>(answered, change);
}

}  // namespace gnomon::oracle::rope
