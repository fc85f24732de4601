// Known mistakes in rotary embeddings (spec/mistakes.md), as hypotheses: each rewrites what the
// kernel takes the case to say.
#include <cmath>
#include <limits>

#include "gnomon/oracle/hypotheses_rope_scaling.h"
#include "gnomon/oracle/hypotheses_rope_xpos.h"

namespace gnomon::oracle::rope {
namespace {

enum class Table { kOwn, kInterleaved, kConcatenated, kExchanged };
enum class Source { kSame, kHeadsReversed, kBatchesReversed, kContiguous, kHeadsAdjacent };
enum class Count { kGiven, kFirstRow, kTokens, kFromFirst, kHeads };

struct RopeChange {
  Change shared;
  XposChange xpos;
  RopeApply a;
  // Signs of the four products of ROPE-3: y_a = x_a c - x_b s, y_b = x_a s + x_b c.
  double cos_a = 1, sin_a = 1, sin_b = 1, cos_b = 1;
  Table table = Table::kOwn;
  Source source = Source::kSame;
  Count count = Count::kGiven;
  bool first_head_only = false, overwritten = false;
  int64_t member_distance = 0;  // between the dims of a pair, where not rotary_dim / 2
  Fill copied = Fill::kWritten;
  int overwrite_lanes = 0;
  ScalingFormulas scaling;
  bool cosines_alone = false;    // are multiplied by the magnitude
  bool length_of_token = false;  // for that of the call
};

bool IsTranspose(const RopeChange& c) { return c.a.direction == RopeDirection::kTranspose; }
bool IsApply(const Case& c) { return c.operation == "rope.apply" || c.operation == "rope.xpos"; }

class RopePredictor : public Predictor {
 public:
  RopePredictor(const Answered& answered, const RopeChange& change)
      : c_(*answered.c),
        format_(c_.format),
        change_(change),
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

 private:
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
    return Stored(change_.shared, format_, w, std::abs(w) * 0x1p-52, bound, narrow);
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

  struct Token {
    int64_t batch, seq, head;
  };
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
    const int64_t dim = element % x_.shape[3], number = element / x_.shape[3];
    const Token t{number / x_.shape[2] / x_.shape[1], number / x_.shape[2] % x_.shape[1],
                  number % x_.shape[2]};
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
  OfLength call_;
  mutable std::map<int64_t, OfLength> tokens_;
  mutable std::array<double, 2> magnitudes_{};  // of y and of tables; 0: not asked yet
  ConstTensorView x_, y_, rows_, sin_;
  bool given_ = false, per_batch_ = false;
};

using Mistake = Entry<RopeChange>;
using Make = Mistake::Make;

Make Layouts(RopeLayout in, RopeLayout out) {
  return [=](const Case& c, RopeChange* change) {
    if (!IsApply(c) || (change->a.input_layout == in && change->a.output_layout == out))
      return false;
    change->a.input_layout = in;
    change->a.output_layout = out;
    return true;
  };
}
// The signs of the products of a kernel that is asked to transpose.
Make Transposed(double cos_a, double sin_a, double sin_b, double cos_b) {
  return [=](const Case& c, RopeChange* change) {
    if (!IsApply(c) || !IsTranspose(*change)) return false;
    change->cos_a = cos_a, change->sin_a = sin_a, change->sin_b = sin_b, change->cos_b = cos_b;
    return true;
  };
}
Make Counts(Count count) {
  return [=](const Case& c, RopeChange* change) {
    change->count = count;
    return c.inputs.count("positions") > 0;
  };
}
Make Reads(Source source) {
  return [=](const Case& c, RopeChange* change) {
    change->source = source;
    return IsApply(c);
  };
}
Make Leaves(Fill fill) {
  return [=](const Case& c, RopeChange* change) {
    change->copied = fill;
    return IsApply(c) && change->a.frequencies.rotary_dim < change->a.frequencies.head_dim;
  };
}

const std::vector<Mistake>& Entries() {
  static const std::vector<Mistake> all = [] {
    constexpr RopeLayout kHalf = RopeLayout::kHalfSplit, kInter = RopeLayout::kInterleaved;
    std::vector<Mistake> entries = {
        Mistake::Convention("layout/half-split", "pairs (i, i+r/2), whatever layout is asked",
                            Layouts(kHalf, kHalf)),
        Mistake::Convention("layout/interleaved", "pairs (2i, 2i+1), whatever layout is asked",
                            Layouts(kInter, kInter)),
        Mistake::Convention("layout/interleaved-to-half-split",
                            "reads interleaved, writes half split", Layouts(kInter, kHalf)),
        Mistake::Convention("layout/half-split-to-interleaved",
                            "reads half split, writes interleaved", Layouts(kHalf, kInter)),
        Mistake::Convention("layout/output-ignored", "writes in the layout it reads",
                            [](const Case& c, RopeChange* change) {
                              return Layouts(change->a.input_layout, change->a.input_layout)(
                                  c, change);
                            }),
        Mistake::Convention("sign", "sine negated",
                            [](const Case&, RopeChange* c) {
                              c->sin_a = -c->sin_a, c->sin_b = -c->sin_b;
                              return true;
                            }),
        Mistake::Convention("backward", "the transpose turns forward", Transposed(1, -1, -1, 1)),
        Mistake::Formula("backward/half-signs", "the transpose changes one sign of two",
                         Transposed(1, 1, -1, 1)),
        Mistake::Formula("backward/other-half-signs", "the transpose changes the other sign of two",
                         Transposed(1, -1, 1, 1)),
        Mistake::Formula("backward/cosine", "the transpose negates the cosine",
                         Transposed(-1, 1, 1, -1)),
        Mistake::Formula("sign/one-member", "both members of a pair take + s",
                         [](const Case& c, RopeChange* change) {
                           change->sin_a = -1;
                           return IsApply(c);
                         }),
        Mistake::Formula("table-layout", "table [f0, f0, f1, f1, ..] with the half rotation",
                         [](const Case& c, RopeChange* change) {
                           change->table = Table::kInterleaved;
                           return IsApply(c) && change->a.input_layout == kHalf;
                         }),
        Mistake::Formula("table-layout/exchanged",
                         "the table of cosines taken for that of sines, and back",
                         [](const Case& c, RopeChange* change) {
                           change->table = Table::kExchanged;
                           return IsApply(c);
                         }),
        Mistake::Formula("table-layout/concatenated",
                         "table [f0, f1, .., f0, f1, ..] with adjacent pairs",
                         [](const Case& c, RopeChange* change) {
                           change->table = Table::kConcatenated;
                           return IsApply(c) && change->a.input_layout == kInter;
                         }),
        Mistake::Formula("scaling-ignored/wholly", "rope_type ignored, its magnitude too",
                         [](const Case&, RopeChange* change) {
                           const bool has = change->a.frequencies.scaling.HasMagnitude();
                           change->a.frequencies.scaling = {};
                           return has;
                         }),
        Mistake::Formula("yarn-magnitude/cosine", "the magnitude on the cosines alone",
                         [](const Case&, RopeChange* change) {
                           change->cosines_alone = true;
                           return change->a.frequencies.scaling.ScalesRotation();
                         }),
        Mistake::Formula("longrope-switch/token", "the length of each token for that of the call",
                         [](const Case&, RopeChange* change) {
                           change->length_of_token = true;
                           return change->a.frequencies.scaling.NeedsLength();
                         }),
        Mistake::Formula("divisor", "exponent divided by head_dim",
                         [](const Case&, RopeChange* change) {
                           const RopeFrequencies& f = change->a.frequencies;
                           change->shared.divisor = f.head_dim;
                           return f.frequencies.empty() && f.rotary_dim < f.head_dim;
                         }),
        Mistake::Formula("divisor/whole-head", "all dims turned, whatever rotary_dim is",
                         [](const Case& c, RopeChange* change) {
                           RopeFrequencies& f = change->a.frequencies;
                           if (!IsApply(c) || c.inputs.count("cos") || !f.frequencies.empty() ||
                               f.head_dim % 2 != 0 || f.rotary_dim == f.head_dim)
                             return false;
                           f.rotary_dim = f.head_dim;
                           change->a.rotary_offset = 0;
                           return true;
                         }),
        Mistake::Formula("pair-offset", "pairs (i, i+d/2) in a partial window",
                         [](const Case& c, RopeChange* change) {
                           const RopeFrequencies& f = change->a.frequencies;
                           if (!IsApply(c) || change->a.input_layout != kHalf ||
                               f.head_dim % 2 != 0 ||
                               (f.rotary_dim == f.head_dim && change->a.output_layout == kHalf))
                             return false;
                           change->member_distance = f.head_dim / 2;
                           return true;
                         }),
        Mistake::Formula("pair-offset/window", "the window starts at dim 0",
                         [](const Case& c, RopeChange* change) {
                           if (!IsApply(c) || change->a.rotary_offset == 0) return false;
                           change->a.rotary_offset = 0;
                           return true;
                         }),
        Mistake::State("in-place", "y_b from the overwritten x_a",
                       [](const Case& c, RopeChange* change) {
                         change->overwritten = true;
                         return IsApply(c);
                       }),
        Mistake::State("q-k-crossed/heads", "heads taken in reverse order",
                       Reads(Source::kHeadsReversed)),
        Mistake::State("q-k-crossed/batches", "batch rows taken in reverse order",
                       Reads(Source::kBatchesReversed)),
        Mistake::State("q-k-crossed/first-head", "only the first head is turned",
                       [](const Case& c, RopeChange* change) {
                         change->first_head_only = true;
                         return IsApply(c);
                       }),
        Mistake::State("stride-ignored/input", "input taken as contiguous",
                       Reads(Source::kContiguous)),
        Mistake::State("stride-ignored/heads", "heads taken as adjacent",
                       Reads(Source::kHeadsAdjacent)),
        Mistake::State("row-positions", "the first row's positions for every row",
                       Counts(Count::kFirstRow)),
        Mistake::State("heads-as-seq", "position taken from the head index",
                       [](const Case& c, RopeChange* change) {
                         return IsApply(c) && Counts(Count::kHeads)(c, change);
                       }),
        Mistake::Formula("arange-positions", "0..T-1 whatever the positions are",
                         Counts(Count::kTokens)),
        Mistake::Formula("arange-positions/from-first", "positions counted from the first token's",
                         Counts(Count::kFromFirst)),
        Mistake::State("window-not-copied/zeroed", "dims outside the window zeroed",
                       Leaves(Fill::kZero)),
        Mistake::State("window-not-copied", "dims outside the window not written",
                       Leaves(Fill::kOnes)),
        Mistake::State("window-not-copied/nan-payload", "copied NaNs become the default NaN",
                       Leaves(Fill::kDefaultNan)),
    };
    for (const int lanes : {4, 8, 16})
      entries.push_back(Mistake::State(
          "tail-overwrite/" + std::to_string(lanes),
          "zeros written past the window, up to a full vector of " + std::to_string(lanes),
          [lanes](const Case& c, RopeChange* change) {
            change->overwrite_lanes = lanes;
            return IsApply(c);
          }));
    for (const auto* list : {&FrequencyMistakes(), &MagnitudeMistakes()})
      for (const ScalingMistake& mistake : *list)
        entries.push_back({mistake.about, [&mistake](const Case&, RopeChange* change) {
                             RopeFrequencies& f = change->a.frequencies;
                             return f.scaled() && mistake.make(&f, &change->scaling);
                           }});
    for (const Entry<XposChange>& entry : XposEntries())
      entries.push_back({entry.about, [&entry](const Case& c, RopeChange* change) {
                           return entry.make(c, &change->xpos);
                         }});
    AddShared(
        {Concerns::kAngles, Concerns::kPositions, Concerns::kStorage},
        [](const Case& c, const RopeChange& change) {
          const RopeFrequencies& f = change.a.frequencies;
          return c.inputs.count("cos") || !f.frequencies.empty() ? nullptr : &f.rope_theta;
        },
        &entries);
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
