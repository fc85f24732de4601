// Known mistakes in learned positions (spec/mistakes.md), as hypotheses: each rewrites what the
// kernel takes the case to say.
#include <algorithm>
#include <cmath>

#include "gnomon/oracle/hypotheses_memory.h"
#include "gnomon/oracle/predict_resize.h"
#include "gnomon/spec/learned.h"

namespace gnomon::oracle::learned {
namespace {

using gnomon::learned::AddBound;
using gnomon::learned::LookupParameters;

enum class Offset { kAsAsked, kNone, kTwo, kSubtracted };
enum class Counting { kAsAsked, kFromOne, kIgnored, kPaddingToo, kPaddingZero, kAcross, kInverted };
enum class Last { kRead, kClamped, kWrapped };
enum class Sum { kAsAsked, kWithoutRow, kTwice, kScaled };
enum class Grid { kRows, kSwapped, kStride, kColumns };

bool IsResize(const Case& c) { return c.operation == "learned.resize"; }
bool IsGrid(const Case& c) { return c.operation == "learned.lookup_2d"; }

struct LearnedChange {
  Change shared;
  bool arange = false, batch_zero = false, transposed = false, first_token = false, bf16 = false;
  int64_t further = 0;
  Offset offset = Offset::kAsAsked;
  Counting counting = Counting::kAsAsked;
  Last last = Last::kRead;
  Sum sum = Sum::kAsAsked;
  bool sum_in_bf16 = false;
  Grid grid = Grid::kRows;
  ResizeChange resize;
};

class LearnedPredictor : public Predictor {
 public:
  LearnedPredictor(const Answered& answered, const LearnedChange& change)
      : c_(*answered.c),
        format_(c_.format),
        change_(change),
        rows_(c_.inputs.at("table").shape()[0]),
        width_(c_.inputs.at("table").shape().back()) {
    const Case* const before = answered.before;
    const bool kept = change.shared.call_before;
    unsaid_ = kept && before == nullptr;
    if (unsaid_) return;
    if (IsResize(c_)) {
      resize_.emplace(c_, kept ? SizedAlike(*before) : c_, change.shared, change.resize,
                      [this](int64_t number) { return ResizedEntry(number); });
    } else if (!IsGrid(c_)) {
      row_ = RowsOf(c_);
      if (!kept) return;
      std::vector<int64_t> earlier = RowsOf(*before);
      if (earlier.size() == row_.size() &&
          *std::max_element(earlier.begin(), earlier.end()) < rows_)
        row_ = std::move(earlier);
    }
  }

  Prediction At(int, int64_t element) override {
    if (unsaid_) return {};
    const bool add = c_.operation == "learned.add";
    if (add && IsOverwritten(element)) return {};
    const std::optional<uint64_t> x = add ? BitsAt("x", element) : std::nullopt;
    if (InTail(change_.shared, element % width_, width_, add))
      return Unwritten(change_.shared.tail, DTypeOf(format_), x);
    if (resize_) return resize_->At(element);
    if (IsGrid(c_)) {
      const std::optional<uint64_t> entry =
          BitsAt("table", PlaceOf(element / width_) * width_ + element % width_);
      return entry ? CopiedEntry(*entry) : Prediction();
    }
    const int64_t token =
        change_.first_token && add ? 0 : element / width_ % static_cast<int64_t>(row_.size());
    const int64_t row = row_[static_cast<size_t>(token)], column = element % width_;
    const int64_t number = change_.transposed ? column * rows_ + row : row * width_ + column;
    const std::optional<uint64_t> entry = BitsAt("table", number);
    if (!entry || (add && !x)) return {};
    if (!add) return CopiedEntry(*entry);
    const std::optional<double> after_x = FindBeyond(change_.shared, c_.inputs.at("x"), element),
                                after_row =
                                    FindBeyond(change_.shared, c_.inputs.at("table"), number);
    if (!after_x || !after_row) return {};
    return Added(*x, *entry, *after_x + *after_row);
  }

 private:
  std::optional<uint64_t> BitsAt(const std::string& role, int64_t number) const {
    return FindBits(change_.shared, c_.inputs.at(role), number);
  }

  std::optional<double> ResizedEntry(int64_t number) const {
    const std::optional<double> value = FindNumber(change_.shared, c_.inputs.at("table"), number);
    return value && change_.bf16 ? RoundToFormat(Format::kBf16, *value) : value;
  }

  // In place: where x is looked for, an earlier result may lie.
  bool IsOverwritten(int64_t element) const {
    if (c_.in_place.empty() || change_.shared.offsets == Offsets::kByStrides) return false;
    const bool contiguous = change_.shared.offsets == Offsets::kContiguous;
    const ConstTensorView x = c_.inputs.at("x").view();
    for (int64_t earlier = 0; earlier < element; ++earlier) {
      const int64_t written = x.OffsetOf(earlier);
      if (written == (contiguous ? element : x.OffsetOf(element) % 65536)) return true;
    }
    return false;
  }

  // AXES-7: inside the table whatever the mistake.
  int64_t PlaceOf(int64_t token) const {
    const Tensor& positions = c_.inputs.at("positions");
    const int64_t columns = c_.inputs.at("table").shape()[1];
    int64_t row = positions.Integer(token),
            column = positions.Integer(positions.shape()[1] + token);
    if (change_.arange) row = token % rows_, column = token % columns;
    if (change_.grid == Grid::kSwapped) std::swap(row, column);
    const int64_t number = change_.grid == Grid::kStride    ? row * rows_ + column
                           : change_.grid == Grid::kColumns ? column * rows_ + row
                                                            : row * columns + column;
    return number % (rows_ * columns);
  }

  // The weights of the call before, where that had the same sizes.
  const Case& SizedAlike(const Case& before) const {
    const auto own = gnomon::learned::ReadResize(c_), then = gnomon::learned::ReadResize(before);
    const bool fits = own.rows.from == then.rows.from && own.rows.to == then.rows.to &&
                      own.columns.from == then.columns.from && own.columns.to == then.columns.to;
    return fits ? before : c_;
  }

  // LEARNED-2, LEARNED-4: the row of every token, inside the table whatever the mistake.
  std::vector<int64_t> RowsOf(const Case& c) const {
    const LookupParameters p = gnomon::learned::ReadLookup(c);
    const bool masked = c.inputs.count("mask") > 0;
    const Tensor& tokens = c.inputs.at(masked ? "mask" : "positions");
    const int64_t length = tokens.shape().back(), rows = c.inputs.at("table").shape()[0];
    std::vector<int64_t> found;
    int64_t next = 0;
    for (int64_t i = 0; i < tokens.count(); ++i) {
      const int64_t place = i % length;
      if (place == 0 && change_.counting != Counting::kAcross) next = 0;
      int64_t position = tokens.Integer(change_.batch_zero ? place : i);
      if (masked) position = Counted(p, position != 0, place, &next);
      if (change_.arange) position = place;
      if (change_.shared.position) position = change_.shared.position(position).value_or(0);
      found.push_back(RowOf(p, position, rows));
    }
    return found;
  }
  int64_t Counted(const LookupParameters& p, bool counts, int64_t place, int64_t* next) const {
    if (change_.counting == Counting::kIgnored) return place;
    if (change_.counting == Counting::kInverted) counts = !counts;
    const int64_t first = change_.counting == Counting::kFromOne ? 1 : 0;
    if (counts) return (*next)++ + first;
    if (change_.counting == Counting::kPaddingToo) return *next - 1 + first;
    return change_.counting == Counting::kPaddingZero ? 0 : p.padding_position;
  }
  int64_t RowOf(const LookupParameters& p, int64_t position, int64_t rows) const {
    const int64_t by = change_.offset == Offset::kNone         ? 0
                       : change_.offset == Offset::kTwo        ? 2
                       : change_.offset == Offset::kSubtracted ? -p.offset
                                                               : p.offset;
    int64_t row = position + by + change_.further;
    if (change_.last == Last::kClamped) row = std::min(row, std::max<int64_t>(rows - 2, 0));
    if (change_.last == Last::kWrapped && row == rows - 1) row = 0;
    return (row % rows + rows) % rows;
  }

  Prediction CopiedEntry(uint64_t bits) const {
    const double value = DecodeBits(format_, bits);
    if (std::isfinite(value) && change_.bf16)
      return Stored(change_.shared, format_,
                    RoundToFormat(format_, RoundToFormat(Format::kBf16, value)), 0, {}, {});
    return Copied(change_.shared, format_, bits);
  }
  // `beyond`: 0, or NaN for what was read after a row.
  Prediction Added(uint64_t x_bits, uint64_t row_bits, double beyond) const {
    double x = Read(change_.shared, format_, x_bits);
    double row = Read(change_.shared, format_, row_bits);
    if (change_.bf16) row = RoundToFormat(Format::kBf16, row);
    double scale = 1;
    if (change_.sum == Sum::kScaled) scale = std::sqrt(static_cast<double>(width_));
    const double size = std::abs(scale * x) + std::abs(row);
    double y = scale * x + row + beyond, radius = std::abs(y) * 0x1p-51;
    if (change_.sum == Sum::kScaled) radius += size * 0x1p-50;
    if (change_.sum == Sum::kWithoutRow) y = x;
    if (change_.sum == Sum::kTwice) y += row;
    if (change_.sum_in_bf16 && std::isfinite(y)) y = RoundToFormat(Format::kBf16, y);
    if (!std::isfinite(y)) return NonFinite(change_.shared, format_, y);
    PerProfile bound, narrow;
    for (size_t i = 0; i < kProfiles.size(); ++i) {
      bound[i] = AddBound<double>(format_, y);
      narrow[i] = 0;  // double rounding is none here (LEARNED-6)
      if (change_.sum == Sum::kTwice || change_.sum == Sum::kScaled) {
        // Another rounding, in the profile's arithmetic.
        const double more =
            2 * UnitRoundoff(FormatAt(kProfiles[i].arithmetic, format_)) * (size + std::abs(row));
        bound[i] += more;
        narrow[i] += more;
      } else if (format_ == WorkingFormat(format_)) {
        narrow[i] = bound[i];
      }
    }
    return Stored(change_.shared, format_, y, radius, bound, narrow);
  }

  const Case& c_;
  Format format_;
  LearnedChange change_;
  int64_t rows_, width_;
  std::vector<int64_t> row_;
  std::optional<ResizePredictor> resize_;
  bool unsaid_ = false;  // what the mistaken kernel has kept is not known
};

using Mistake = Entry<LearnedChange>;
using Make = Mistake::Make;

bool Masked(const Case& c) { return c.inputs.count("mask") > 0; }
bool Adds(const Case& c) { return c.operation == "learned.add"; }
bool Always(const Case&) { return true; }

// Sets one member, where the case can show it.
template <class T>
Make Sets(T LearnedChange::*member, T value, bool (*shows)(const Case&) = Always) {
  return [=](const Case& c, LearnedChange* change) {
    change->*member = value;
    return shows(c);
  };
}

// The same of a resize; or where a resize with this filter, or with antialiasing, shows it.
template <class T>
Make Resizes(T ResizeChange::*member, T value, bool (*shows)(const Case&) = IsResize) {
  return [=](const Case& c, LearnedChange* change) {
    change->resize.*member = value;
    return IsResize(c) && shows(c);
  };
}
bool Bicubic(const Case& c) { return c.parameters.count("cubic_a") > 0; }
bool Antialiased(const Case& c) {
  const auto found = c.parameters.find("antialias");
  return found != c.parameters.end() && found->second == Value(true);
}
bool Plain(const Case& c) { return !Antialiased(c); }

const std::vector<Mistake>& Entries() {
  static const std::vector<Mistake> all = [] {
    using C = LearnedChange;
    using R = ResizeChange;
    std::vector<Mistake> entries = {
        Mistake::Convention("learned-offset/ignored", "offset left out",
                            Sets(&C::offset, Offset::kNone)),
        Mistake::Convention("learned-offset/two", "offset 2, whatever is asked",
                            Sets(&C::offset, Offset::kTwo)),
        Mistake::Formula("learned-offset/subtracted", "t - offset, counted from the end",
                         Sets(&C::offset, Offset::kSubtracted)),
        Mistake::Formula("learned-offset/one-more", "positions from 1",
                         Sets(&C::further, int64_t{1})),
        Mistake::Formula("learned-mask/from-one", "the sum of the mask for the sum less one",
                         Sets(&C::counting, Counting::kFromOne, Masked)),
        Mistake::Formula("learned-mask/ignored", "0..T-1 whatever the mask says",
                         Sets(&C::counting, Counting::kIgnored, Masked)),
        Mistake::Formula("learned-mask/padding-counted",
                         "padding has the position of the last token",
                         Sets(&C::counting, Counting::kPaddingToo, Masked)),
        Mistake::Formula("learned-mask/padding-zero", "padding at position 0",
                         Sets(&C::counting, Counting::kPaddingZero, Masked)),
        Mistake::Formula("learned-mask/across", "the count goes on from one sequence to the next",
                         Sets(&C::counting, Counting::kAcross, Masked)),
        Mistake::Formula("learned-mask/inverted", "1 taken as padding",
                         Sets(&C::counting, Counting::kInverted, Masked)),
        Mistake::Formula("arange-positions", "0..T-1 whatever the positions are",
                         Sets(&C::arange, true)),
        Mistake::Formula("row-positions", "positions of batch row 0 for every row",
                         Sets(&C::batch_zero, true)),
        Mistake::Formula("table-clamp/last", "the last row never read: clamped to the one before",
                         Sets(&C::last, Last::kClamped)),
        Mistake::Formula("table-wrap/last", "the last row never read: row 0 for it",
                         Sets(&C::last, Last::kWrapped)),
        Mistake::Formula("learned-table/transposed", "the table read as [width, row]",
                         Sets(&C::transposed, true)),
        Mistake::Formula("learned-table/bf16", "the table rounded to bf16", Sets(&C::bf16, true)),
        Mistake::Formula("learned-add/left-out", "the row not added",
                         Sets(&C::sum, Sum::kWithoutRow, Adds)),
        Mistake::Formula("learned-add/twice", "the row added twice",
                         Sets(&C::sum, Sum::kTwice, Adds)),
        Mistake::Formula("learned-add/first-token", "the first token's row for all",
                         Sets(&C::first_token, true, Adds)),
        Mistake::Formula("learned-add/scaled", "x times the square root of the width",
                         Sets(&C::sum, Sum::kScaled, Adds)),
        Mistake::Formula("sum-16bit", "sums in bf16",
                         [](const Case& c, C* change) {
                           change->sum_in_bf16 = change->resize.sums_in_bf16 = true;
                           return Adds(c) || IsResize(c);
                         }),
        Mistake::State("in-place/twice", "in place the row is added twice",
                       [](const Case& c, C* change) {
                         change->sum = Sum::kTwice;
                         return !c.in_place.empty();
                       }),
        Mistake::State("stale-table/previous",
                       "rows, or weights, of the call before, where that had as many tokens, or "
                       "the same sizes",
                       [](const Case& c, C* change) {
                         change->shared.call_before = true;
                         return !IsGrid(c);
                       }),
        Mistake::Convention("learned-grid/swapped", "row and column of a place exchanged",
                            Sets(&C::grid, Grid::kSwapped, IsGrid)),
        Mistake::Formula("learned-grid/stride", "row x X + y for x Y + y",
                         Sets(&C::grid, Grid::kStride, IsGrid)),
        Mistake::Formula("learned-grid/column-major", "row y X + x for x Y + y",
                         Sets(&C::grid, Grid::kColumns, IsGrid)),
        Mistake::Convention("learned-resize/corners", "the other convention of corners",
                            Resizes(&R::place, R::kOtherCorners)),
        Mistake::Formula("learned-resize/half-pixel", "i n / N: the half pixel left out",
                         Resizes(&R::place, R::kNoHalfPixel)),
        Mistake::Formula("learned-resize/scale-factor",
                         "the ratio of sizes that are a tenth larger",
                         Resizes(&R::place, R::kTenthLarger)),
        Mistake::Formula("learned-resize/axes", "sizes of the axes exchanged",
                         Resizes(&R::place, R::kExchangedAxes)),
        Mistake::Convention("learned-resize/antialias", "no antialiasing where it is asked",
                            Resizes(&R::plain, true, Antialiased)),
        Mistake::Convention("learned-resize/antialias-always", "antialiasing where it is not asked",
                            Resizes(&R::stretched, true, Plain)),
        Mistake::Convention("learned-resize/coefficient", "a = -1/2 for -3/4, or the reverse",
                            Resizes(&R::other_coefficient, true, Bicubic)),
        Mistake::Formula("learned-resize/filter", "bilinear for bicubic",
                         Resizes(&R::bilinear, true, Bicubic)),
        Mistake::Formula("learned-resize/nearest", "the nearest input alone",
                         Resizes(&R::nearest, true)),
        Mistake::Formula("learned-resize/zeros", "inputs beyond the ends count as 0",
                         Resizes(&R::beyond, R::kZero)),
        Mistake::Formula("learned-resize/reflected", "inputs beyond the ends reflected",
                         Resizes(&R::beyond, R::kReflected)),
        Mistake::Formula("learned-resize/taps-clamped",
                         "antialiased: weights beyond the ends on the end itself",
                         Resizes(&R::taps_clamped, true, Antialiased)),
        Mistake::Formula("learned-resize/unnormalised",
                         "antialiased: weights divided by the stretch, not by their sum",
                         Resizes(&R::by_stretch, true, Antialiased)),
        Mistake::Formula("learned-resize/row-major", "the table read as [column, row, width]",
                         Resizes(&R::columns_first, true)),
    };
    AddMemory(&entries);
    AddShared(
        {Concerns::kWidths, Concerns::kStorage},
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
  LearnedChange change;
  MakeMistakes(Entries(), *answered.c, made, factor, factor_error, &change);
  return std::make_unique<LearnedPredictor>(answered, change);
}

}  // namespace gnomon::oracle::learned
