// Known mistakes in sinusoidal positions (spec/mistakes.md), as hypotheses: each rewrites what the
// kernel takes the case to say.
#include <cmath>
#include <limits>

#include "gnomon/oracle/hypotheses_fitted.h"
#include "gnomon/oracle/hypotheses_sinusoidal_real.h"
#include "gnomon/spec/sinusoidal_real.h"

namespace gnomon::oracle::sinusoidal {
namespace {

using gnomon::sinusoidal::AddBound;
using gnomon::sinusoidal::PairwiseBound;

enum class Odd { kAsAsked, kZero, kSine, kCosine };
enum class Count { kGiven, kTokens };
enum class Source { kSame, kBatchZero, kContiguous };

struct SinusoidalChange {
  Change shared;
  SinusoidalTable t;
  Number token_scale = 1, gain = 1;
  int64_t offset = 0;
  bool halves = false, odd_exponent = false, scale_sines_only = false, scales_sum = false;
  bool transposed = false, gain_on_diagonal = false, adjacent_blocks = false;
  bool squared = false, plus = false, similarity_plus = false, scale_once = false;
  int64_t second_shift = 0;
  Odd odd = Odd::kAsAsked;
  Count count = Count::kGiven;
  Source source = Source::kSame;
};

// Tables here hold entries that are already scaled (SIN-4): what is stored is not the cosine
// itself.
Change Unstored(Change change) {
  change.ulps = 0;
  change.tables_in.reset();
  return change;
}

class SinusoidalPredictor : public Predictor {
 public:
  SinusoidalPredictor(const Answered& answered, const SinusoidalChange& change)
      : c_(*answered.c),
        format_(c_.format),
        change_(change),
        outputs_(answered.outputs),
        turns_(
            format_, [this](int64_t pair) { return Recipe(pair); }, Unstored(change.shared)) {}

  Prediction At(int, int64_t element) override {
    if (c_.operation == "sinusoidal.similarity" || c_.operation == "sinusoidal.distance")
      return InTail(element % c_.inputs.at("n").count(), c_.inputs.at("n").count())
                 ? Unwritten(change_.shared.tail, DTypeOf(format_), std::nullopt)
                 : Pairwise(element);
    const int64_t width = change_.t.width;
    std::optional<uint64_t> input;
    if (c_.operation == "sinusoidal.add") input = BitsOfX(element);
    if (InTail(element % width, width))
      return Unwritten(change_.shared.tail, DTypeOf(format_), input);
    if (c_.operation == "sinusoidal.table") return Finished(EntryAt(element, format_));
    if (c_.operation == "sinusoidal.add") return Add(element, input);
    return Matrix(element);
  }

  std::optional<Observation> Observe(int, int64_t element) override {
    const bool add = c_.operation == "sinusoidal.add";
    if (change_.shared.position) return std::nullopt;
    if (c_.operation == "sinusoidal.shift_matrix" || c_.operation == "sinusoidal.relative_head")
      return ObserveMatrix(element);
    if ((!add && c_.operation != "sinusoidal.table") || change_.scale_sines_only ||
        change_.scales_sum)
      return std::nullopt;
    const int64_t width = change_.t.width, column = element % width, row = element - column;
    const SinusoidalColumn sine = ColumnOf(column);
    if (sine.kind != SinusoidalColumn::kSine) return std::nullopt;
    int64_t other = 0;
    for (; other < width; ++other)
      if (const auto c = ColumnOf(other);
          c.kind == SinusoidalColumn::kCosine && c.pair == sine.pair)
        break;
    if (other == width) return std::nullopt;
    const auto entry = [&](int64_t at) {
      const auto x = add ? BitsOfX(row + at) : std::nullopt;
      const double before = x ? change_.token_scale.value * DecodeBits(format_, *x) : 0;
      return ValueAt(outputs_->begin()->second, row + at) - before;
    };
    const double scale = change_.t.scale.value;
    const auto turn =
        ObservedTurn(scale, 0, entry(other), entry(column),
                     std::max(ReachOf(At(0, row + other)), ReachOf(At(0, element))), format_);
    const Tensor& positions = c_.inputs.at("positions");
    return OfPair(turn, PositionOf(positions, element / width % positions.count()), sine.pair);
  }

 private:
  // A real number, its certainty, and how far the kernel of each profile may be from it.
  struct Real {
    double value = 0, radius = 0;
    PerProfile bound{}, narrow{};
    bool nan = false;
  };

  FrequencyRecipe Recipe(int64_t pair) const {
    const SinusoidalTable& t = change_.t;
    FrequencyRecipe r{t.base, t.ExponentNumerator(pair), t.ExponentDenominator(), pair,
                      static_cast<size_t>(pair) < t.frequencies.size()
                          ? &t.frequencies[static_cast<size_t>(pair)]
                          : nullptr};
    if (change_.odd_exponent && t.width % 2 != 0 && t.width > 1 && r.denominator == t.width)
      r.denominator = t.width - 1;
    return r;
  }
  bool InTail(int64_t column, int64_t width) const {
    return oracle::InTail(change_.shared, column, width, c_.operation == "sinusoidal.add");
  }

  SinusoidalColumn ColumnOf(int64_t column) const {
    SinusoidalTable t = change_.t;
    if (change_.adjacent_blocks) t.layout = SinusoidalLayout::kInterleaved;
    SinusoidalColumn c = t.Column(column);
    if (column == 2 * t.pairs()) {
      const bool sine = c.kind == SinusoidalColumn::kSine;
      if (change_.odd == Odd::kZero) c.kind = SinusoidalColumn::kZero;
      if (change_.odd == Odd::kSine && t.frequencies.empty()) c.kind = SinusoidalColumn::kSine;
      if (change_.odd == Odd::kCosine && sine) c.kind = SinusoidalColumn::kCosine;
    } else if (change_.halves) {
      c.kind =
          c.kind == SinusoidalColumn::kSine ? SinusoidalColumn::kCosine : SinusoidalColumn::kSine;
    }
    return c;
  }

  // factor times the cosine or sine of a turn, stored in `format` (SIN-11).
  Real Product(const Turn& turn, bool sine, const Number& factor, Format format) const {
    const double f = factor.value;
    const int scalings = factor == Number(1) ? 0 : 2;
    const double trig = sine ? turn.sin : turn.cos, slope = f * (sine ? turn.cos : turn.sin);
    const double error = std::abs(f) * (sine ? turn.sin_error : turn.cos_error);
    Real r;
    r.value = f * trig;
    r.nan = std::isnan(trig);
    r.radius = std::abs(r.value) * 0x1p-51;
    for (size_t i = 0; i < kProfiles.size(); ++i) {
      r.bound[i] = TableBound<double>(format, r.value, slope, turn.D[i], scalings, f) + error;
      r.narrow[i] =
          TableBound<double>(WorkingFormat(format), r.value, slope, turn.D[i], scalings, f) + error;
    }
    if (!StoresTables()) return r;
    double uncertain = 0;
    r.value = TableEntry(change_.shared, WorkingFormat(format_), r.value, &uncertain);
    const bool known = change_.shared.tables_in || scalings == 0;  // its rounding is in the value
    if (known) r.radius = 0;
    for (size_t i = 0; i < kProfiles.size(); ++i) {
      if (known) r.narrow[i] = r.bound[i] = 0;
      if (known && format != WorkingFormat(format))
        r.bound[i] =
            UnitRoundoff(format) * std::abs(r.value) + ExactPowerOfTwo(EtaExponent(format));
      r.narrow[i] += uncertain;
      r.bound[i] += uncertain;
    }
    return r;
  }

  bool StoresTables() const { return change_.shared.ulps != 0 || change_.shared.tables_in; }

  int64_t PositionOf(const Tensor& positions, int64_t i) const {
    return change_.count == Count::kTokens ? i : positions.Integer(i);
  }
  Real EntryAt(int64_t position, int64_t column, Format format) const {
    const SinusoidalColumn c = ColumnOf(column);
    if (c.kind == SinusoidalColumn::kZero) return {};
    const bool sine = c.kind == SinusoidalColumn::kSine;
    const Number scale = change_.scale_sines_only && !sine ? Number(1) : change_.t.scale;
    return Product(turns_.At(position, c.pair), sine, scale, format);
  }
  Real EntryAt(int64_t element, Format format) const {
    const Tensor& positions = c_.inputs.at("positions");
    const int64_t width = change_.t.width;
    return EntryAt(PositionOf(positions, element / width % positions.count()), element % width,
                   format);
  }

  Prediction Finished(const Real& r) const {
    if (r.nan || !std::isfinite(r.value)) return NonFinite(change_.shared, format_, r.value);
    return Stored(change_.shared, format_, r.value, r.radius, r.bound, r.narrow);
  }

  std::optional<uint64_t> BitsOfX(int64_t element) const {
    const Tensor& x = c_.inputs.at("x");
    const ConstTensorView view = x.view();
    const int64_t row = x.shape()[1] * x.shape()[2];
    if (change_.source == Source::kBatchZero) element %= row;
    const int64_t offset = change_.source == Source::kContiguous ? element : view.OffsetOf(element);
    const int64_t extent = static_cast<int64_t>(x.storage().size()) / SizeOf(x.dtype());
    if (x.origin() + offset < 0 || x.origin() + offset >= extent) return std::nullopt;
    return LoadBits(view.dtype, view.data + offset * SizeOf(view.dtype));
  }

  Prediction Add(int64_t element, std::optional<uint64_t> input) const {
    if (!input) return {};
    const double x = Read(change_.shared, format_, *input);
    Number scale = change_.token_scale;
    if (!std::isfinite(x)) return Finished({scale.value * x, 0, {}, {}, std::isnan(x)});
    const double factor = scale.value;
    const bool scaled = !(scale == Number(1));
    std::array<Real, 2> by_format;  // the entry as the two kinds of profile store it
    Real r;
    for (size_t i = 0; i < kProfiles.size(); ++i) {
      const Format stored = FormatAt(kProfiles[i].tables, format_);
      Real& pe = by_format[stored != format_];
      if (pe.bound[1] == 0) pe = EntryAt(element, stored);
      const double inner = change_.scales_sum ? x + pe.value : factor * x;
      r.nan = pe.nan;
      r.value = change_.scales_sum ? factor * inner : inner + pe.value;
      const double size = std::abs(factor * x);
      r.radius = (size + std::abs(pe.value)) * 0x1p-50 + pe.radius;
      const double entry_error = pe.bound[i];
      const auto bound_in = [&](Format output) {
        if (!change_.scales_sum)
          return AddBound<double>(kProfiles[i], output, r.value, size, pe.value, entry_error,
                                  scaled);
        // The sum first, then a rounded factor and the product.
        const Format arithmetic = FormatAt(kProfiles[i].arithmetic, output);
        const double sum = AddBound<double>(kProfiles[i], arithmetic, inner, std::abs(x), pe.value,
                                            entry_error, false);
        const double more = Gamma(3, UnitRoundoff(arithmetic));
        double e = std::abs(factor) * sum + more * (std::abs(r.value) + std::abs(factor) * sum) +
                   ExactPowerOfTwo(EtaExponent(arithmetic));
        if (output != arithmetic)
          e = UnitRoundoff(output) * std::abs(r.value) + (1 + UnitRoundoff(output)) * e +
              ExactPowerOfTwo(EtaExponent(output));
        return e;
      };
      r.bound[i] = bound_in(format_);
      r.narrow[i] = bound_in(WorkingFormat(format_));
    }
    if (change_.scales_sum) r.radius *= std::max(1.0, std::abs(factor));
    return Finished(r);
  }

  Prediction Matrix(int64_t element) const {
    const int64_t width = change_.t.width;
    const SinusoidalColumn row = ColumnOf(element / width), column = ColumnOf(element % width);
    if (row.pair != column.pair)
      return change_.shared.unwritten == Fill::kWritten
                 ? Finished({})
                 : Unwritten(change_.shared.unwritten, DTypeOf(format_), std::nullopt);
    const bool diagonal = row.kind == column.kind;
    const Number gain = change_.gain_on_diagonal && !diagonal ? Number(1) : change_.gain;
    Real r = Product(turns_.At(change_.offset, row.pair), !diagonal, gain, format_);
    const bool negative =
        !diagonal && ((row.kind == SinusoidalColumn::kCosine) != change_.transposed);
    if (negative) r.value = -r.value;
    return Finished(r);
  }

  // The turn by the offset, from a sine and the cosine on the diagonal of its row.
  std::optional<Observation> ObserveMatrix(int64_t element) {
    const int64_t width = change_.t.width, diagonal = element / width * (width + 1);
    const SinusoidalColumn row = ColumnOf(element / width), column = ColumnOf(element % width);
    if (row.kind != SinusoidalColumn::kSine || column.kind != SinusoidalColumn::kCosine ||
        row.pair != column.pair || change_.gain_on_diagonal)
      return std::nullopt;
    const ConstTensorView& y = outputs_->begin()->second;
    const double sine = change_.transposed ? -ValueAt(y, element) : ValueAt(y, element);
    return OfPair(
        ObservedTurn(change_.gain.value, 0, ValueAt(y, diagonal), sine,
                     std::max(ReachOf(At(0, diagonal)), ReachOf(At(0, element))), format_),
        change_.offset, row.pair);
  }
  std::optional<Observation> OfPair(std::optional<Observation> turn, int64_t position,
                                    int64_t pair) const {
    if (!turn) return turn;
    turn->position = position;
    turn->pair = pair;
    turn->frequency = turns_.Frequency(pair);
    turn->exponent = turns_.Exponent(pair);
    return turn;
  }

  // SIN-8, SIN-9 from stored rows, as the bound of SIN-12 has it.
  Prediction Pairwise(int64_t element) const {
    const SinusoidalTable& t = change_.t;
    const Tensor &m = c_.inputs.at("m"), &n = c_.inputs.at("n");
    const int64_t at_m = PositionOf(m, element / n.count());
    const int64_t at_n = PositionOf(n, element % n.count()) + change_.second_shift;
    const bool distance = c_.operation == "sinusoidal.distance";
    const double scale = t.scale.value;
    double sum = 0, rough = 0, unbounded = 0;
    std::vector<PairwiseBound<double>> bounds;
    for (const Profile& profile : kProfiles)
      bounds.emplace_back(profile, format_, t.width, !(t.scale == Number(1)));
    const bool sines = change_.scale_sines_only && !(t.scale == Number(1));
    for (int64_t i = 0; i < t.pairs(); ++i) {
      const Turn a = turns_.At(at_m, i), b = turns_.At(at_n, i);
      if (std::isnan(a.cos) || std::isnan(b.cos)) return Finished({0, 0, {}, {}, true});
      const double ks = scale, kc = sines ? 1 : scale;
      const double sign = change_.plus && distance ? -1 : 1;
      double uncertain = 0;
      const auto stored = [&](double entry) {
        return StoresTables()
                   ? TableEntry(change_.shared, WorkingFormat(format_), entry, &uncertain)
                   : entry;
      };
      const double sa = stored(ks * a.sin), ca = stored(kc * a.cos), cb = stored(kc * b.cos);
      const double sb = stored(change_.similarity_plus ? -ks * b.sin : ks * b.sin);
      const double ds = sa - sign * sb, dc = ca - sign * cb;
      sum += distance ? ds * ds + dc * dc : sa * sb + ca * cb;
      rough += 1 + std::abs(a.sin_error) + std::abs(b.sin_error) + a.sin * a.sin + b.sin * b.sin;
      // Sines that are none: their products round, and so does the sum, as their size has it.
      const double size = std::abs(a.sin) + std::abs(b.sin);
      if (size > 2)
        unbounded +=
            ks * ks * size *
            (2 * (a.sin_error + b.sin_error) +
             size * Gamma(static_cast<double>(t.width) + 8, UnitRoundoff(WorkingFormat(format_))));
      const double cos = a.cos * b.cos + a.sin * b.sin, sin = a.sin * b.cos - a.cos * b.sin;
      for (size_t p = 0; p < kProfiles.size(); ++p)
        bounds[p].AddPair(cos, change_.similarity_plus || change_.plus ? 1 : sin, a.D[p], b.D[p]);
    }
    if (change_.scale_once && scale != 0 && !distance) sum /= scale;
    const double K = std::max(std::abs(scale), sines ? 1.0 : 0.0);
    Real r;
    r.value = distance && !change_.squared ? std::sqrt(sum) : sum;
    // Double arithmetic on entries good to 2^-53: the root of a sum errs most where it is small.
    const double absolute = static_cast<double>(t.width + 8) * rough * K * K * 0x1p-51;
    r.radius = distance && !change_.squared
                   ? std::min(std::sqrt(absolute), absolute / std::max(r.value, 1e-300))
                   : absolute;
    for (size_t p = 0; p < kProfiles.size(); ++p) {
      if (!distance) {
        r.bound[p] = bounds[p].OfSimilarity(r.value, K);
        if (change_.scale_once && scale != 0) r.bound[p] /= std::min(1.0, std::abs(scale));
      } else {
        const double root = std::sqrt(sum);
        r.bound[p] = bounds[p].OfDistance(root, K);
        if (change_.squared)
          r.bound[p] = r.bound[p] * (2 * root + r.bound[p]) + 2 * UnitRoundoff(format_) * r.value;
      }
      r.bound[p] +=
          distance && !change_.squared ? unbounded / std::max(r.value, 1e-300) : unbounded;
      r.narrow[p] = r.bound[p];
    }
    return Finished(r);
  }

  const Case& c_;
  Format format_;
  SinusoidalChange change_;
  const std::map<std::string, ConstTensorView>* outputs_;
  Turns turns_;
};

using Mistake = Entry<SinusoidalChange>;
using Make = Mistake::Make;

bool IsOneOf(const Case& c, std::initializer_list<const char*> verbs) {
  for (const char* verb : verbs)
    if (c.operation == std::string("sinusoidal.") + verb) return true;
  return false;
}
bool HasScale(const Case& c) { return !IsOneOf(c, {"shift_matrix", "relative_head"}); }

Make Divides(SinusoidalDivisor divisor) {
  return [=](const Case&, SinusoidalChange* change) {
    if (change->t.divisor == divisor || !change->t.frequencies.empty()) return false;
    change->t.divisor = divisor;
    return true;
  };
}
Make LaysOut(SinusoidalLayout layout) {
  return [=](const Case& c, SinusoidalChange* change) {
    if (change->t.layout == layout || IsOneOf(c, {"similarity", "distance"})) return false;
    change->t.layout = layout;
    return true;
  };
}
Make EndsOdd(Odd odd) {
  return [=](const Case&, SinusoidalChange* change) {
    change->odd = odd;
    return change->t.width % 2 != 0;
  };
}
// Sets one flag, for these operations.
Make Sets(bool SinusoidalChange::*flag, std::vector<std::string> verbs) {
  return [=](const Case& c, SinusoidalChange* change) {
    change->*flag = true;
    if (verbs.empty()) return true;
    for (const std::string& verb : verbs)
      if (c.operation == "sinusoidal." + verb) return true;
    return false;
  };
}
Make Reads(Source source) {
  return [=](const Case& c, SinusoidalChange* change) {
    change->source = source;
    return IsOneOf(c, {"add"});
  };
}

const std::vector<Mistake>& Entries() {
  static const std::vector<Mistake> all = [] {
    using C = SinusoidalChange;
    std::vector<Mistake> entries = {
        Mistake::Convention("sin-divisor/half", "width/2 where width/2 - 1 is asked",
                            Divides(SinusoidalDivisor::kHalf)),
        Mistake::Convention("sin-divisor/half-minus-one", "width/2 - 1 where width/2 is asked",
                            Divides(SinusoidalDivisor::kHalfMinusOne)),
        Mistake::Convention("sin-layout/interleaved",
                            "columns interleaved, whatever layout is asked",
                            LaysOut(SinusoidalLayout::kInterleaved)),
        Mistake::Convention("sin-layout/sin-cos", "[sines, cosines], whatever layout is asked",
                            LaysOut(SinusoidalLayout::kSinCos)),
        Mistake::Convention("sin-layout/cos-sin", "[cosines, sines], whatever layout is asked",
                            LaysOut(SinusoidalLayout::kCosSin)),
        Mistake::Convention("sin-halves", "sine and cosine exchanged", Sets(&C::halves, {})),
        Mistake::Formula("sin-layout/matrix", "blocks on adjacent columns in every layout",
                         Sets(&C::adjacent_blocks, {"shift_matrix", "relative_head"})),
        Mistake::Formula("sin-odd-exponent", "exponent 2i/(width-1) for odd widths",
                         Sets(&C::odd_exponent, {})),
        Mistake::Formula("sin-odd-column/zero", "last column of an odd width 0",
                         EndsOdd(Odd::kZero)),
        Mistake::Formula("sin-odd-column/sine", "last column of an odd width a sine",
                         EndsOdd(Odd::kSine)),
        Mistake::Formula("sin-odd-column/cosine", "last column of an odd width a cosine",
                         EndsOdd(Odd::kCosine)),
        Mistake::Formula("sin-scale-position", "scale multiplies the position",
                         [](const Case&, SinusoidalChange* change) {
                           change->shared.position_factor = change->t.scale;
                           change->t.scale = Number(1);
                           return !(change->shared.position_factor == Number(1));
                         }),
        Mistake::Formula("sin-scale-position/ignored", "scale left out",
                         [](const Case& c, SinusoidalChange* change) {
                           const bool shows = HasScale(c) && !(change->t.scale == Number(1));
                           change->t.scale = Number(1);
                           return shows;
                         }),
        Mistake::Formula("sin-scale-position/sines", "scale on the sines alone",
                         Sets(&C::scale_sines_only, {"table", "add", "similarity", "distance"})),
        Mistake::Formula("sin-scale-position/similarity",
                         "scale, not its square, in the dot product",
                         Sets(&C::scale_once, {"similarity"})),
        Mistake::Formula("sin-token-scale/ignored", "token_scale left out",
                         [](const Case& c, SinusoidalChange* change) {
                           const bool shows = !(change->token_scale == Number(1));
                           change->token_scale = Number(1);
                           return shows && IsOneOf(c, {"add"});
                         }),
        Mistake::Formula("sin-token-scale/sum", "token_scale on x + pe",
                         Sets(&C::scales_sum, {"add"})),
        Mistake::Formula("sin-token-scale/width", "the width for its square root",
                         [](const Case& c, SinusoidalChange* change) {
                           const auto found = c.parameters.find("token_scale");
                           change->token_scale = Number(static_cast<double>(change->t.width));
                           return found != c.parameters.end() &&
                                  found->second == Value(std::string("sqrt_width"));
                         }),
        Mistake::Formula("sin-token-scale/root", "x times the square root of the width",
                         [](const Case& c, SinusoidalChange* change) {
                           change->token_scale =
                               Number(std::sqrt(static_cast<double>(change->t.width)));
                           return IsOneOf(c, {"add"});
                         }),
        Mistake::Formula("sin-shift-transposed", "M_k^T for M_k",
                         Sets(&C::transposed, {"shift_matrix"})),
        Mistake::Formula("sin-head-reversed", "the head for n = m + k",
                         Sets(&C::transposed, {"relative_head"})),
        Mistake::Formula("sin-head-reversed/gain-ignored", "gain left out",
                         [](const Case& c, SinusoidalChange* change) {
                           const bool shows = !(change->gain == Number(1));
                           change->gain = Number(1);
                           return shows && IsOneOf(c, {"relative_head"});
                         }),
        Mistake::Formula("sin-head-reversed/gain-on-diagonal", "gain on the cosines alone",
                         Sets(&C::gain_on_diagonal, {"relative_head"})),
        Mistake::Formula("sin-distance-squared", "distance without the root",
                         Sets(&C::squared, {"distance"})),
        Mistake::Formula("sin-distance-squared/sum", "|PE[m] + PE[n]|",
                         Sets(&C::plus, {"distance"})),
        Mistake::Formula("sign/similarity", "-n for n: cos((m + n) w) for cos((m - n) w)",
                         Sets(&C::similarity_plus, {"similarity", "distance"})),
        Mistake::Formula("offset/similarity", "position n + 1 for n",
                         [](const Case& c, SinusoidalChange* change) {
                           change->second_shift = 1;
                           return IsOneOf(c, {"similarity", "distance"});
                         }),
        Mistake::Formula("arange-positions", "0..T-1 whatever the positions are",
                         [](const Case& c, SinusoidalChange* change) {
                           change->count = Count::kTokens;
                           return HasScale(c);
                         }),
        Mistake::State("row-positions/batch-zero", "batch row 0 for every row",
                       Reads(Source::kBatchZero)),
        Mistake::State("stride-ignored/input", "x taken as contiguous", Reads(Source::kContiguous)),
        Mistake::State("window-not-copied/off-block", "zeros of the matrix not written",
                       [](const Case& c, SinusoidalChange* change) {
                         change->shared.unwritten = Fill::kOnes;
                         return !HasScale(c);
                       }),
    };
    AddShared(
        {Concerns::kAngles, Concerns::kPositions, Concerns::kWidths, Concerns::kStorage},
        [](const Case&, const C& change) {
          return change.t.frequencies.empty() ? &change.t.base : nullptr;
        },
        &entries);
    return entries;
  }();
  return all;
}

}  // namespace

const std::vector<Hypothesis>& Hypotheses() {
  static const std::vector<Hypothesis> all = [] {
    std::vector<Hypothesis> list = AboutAll(Entries());
    list.insert(list.end(), RealHypotheses().begin(), RealHypotheses().end());
    return list;
  }();
  return all;
}

namespace {

// The list ends with `magnitude`, what schemes share, and what speaks of real arguments.
RealMistakes RealOf(const std::vector<size_t>& made, double factor, double factor_error) {
  const size_t end = Entries().size(), shared = end - SharedHypotheses().size();
  RealMistakes of;
  of.any = !made.empty();
  for (const size_t number : made) {
    if (number >= end) {
      of.real.push_back(number - end);
    } else if (number >= shared) {
      of.shared.push_back(number - shared);
    } else if (number + 1 == shared) {
      of.factor = factor;
      of.factor_error = factor_error;
    }
  }
  return of;
}

}  // namespace

std::unique_ptr<Predictor> Predict(const Answered& answered, const std::vector<size_t>& made,
                                   double factor, double factor_error) {
  const Case& c = *answered.c;
  if (gnomon::sinusoidal::IsReal(c.operation))
    return PredictReal(answered, RealOf(made, factor, factor_error));
  SinusoidalChange change;
  if (IsOneOf(c, {"add"})) {
    const gnomon::sinusoidal::AddParameters p = gnomon::sinusoidal::ReadAdd(c);
    change.t = p.table;
    change.token_scale =
        p.sqrt_width ? Number(std::sqrt(static_cast<double>(p.table.width))) : p.token_scale;
  } else if (HasScale(c)) {
    change.t = gnomon::sinusoidal::ReadTable(c);
  } else {
    const gnomon::sinusoidal::MatrixParameters p = gnomon::sinusoidal::ReadMatrix(c);
    change.t = p.table;
    change.gain = p.gain;
    change.offset = p.offset;
  }
  std::vector<size_t> here;  // not those of real arguments
  std::copy_if(made.begin(), made.end(), std::back_inserter(here),
               [](size_t number) { return number < Entries().size(); });
  MakeMistakes(Entries(), c, here, factor, factor_error, &change);
  change.shared.any = !made.empty();
  return std::make_unique<SinusoidalPredictor>(answered, change);
}

}  // namespace gnomon::oracle::sinusoidal
