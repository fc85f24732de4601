// The truth of learned.resize.
#include "gnomon/reference/learned_resize.h"

#include <limits>

namespace gnomon::reference {
namespace {

using gnomon::learned::ReadResize;
using gnomon::learned::ResizeBound;
using gnomon::learned::ResizeMayOverflow;
using gnomon::learned::ResizeParameters;
using gnomon::learned::ResizeSums;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// An output [row, column, width].
struct Cell {
  int64_t row, column, dim;
};

class ResizeTruth : public Truth {
 public:
  explicit ResizeTruth(const Case& c)
      : format_(c.format), p_(ReadResize(c)), table_(c.inputs.at("table").view()) {
    for (int64_t i = 0; i < p_.rows.to; ++i)
      rows_.push_back(TapsOf<double>(p_, p_.rows, i, format_));
    for (int64_t i = 0; i < p_.columns.to; ++i)
      columns_.push_back(TapsOf<double>(p_, p_.columns, i, format_));
  }

  // LEARNED-11.
  Expectation Expect(int, int64_t element) const override {
    const NonFinite special = NonFiniteOf(element);
    return special.counts ? Expectation{Expectation::kNonFinite, 0, special.due} : Expectation{};
  }
  bool NonFiniteIsOpen(int, int64_t element, const Profile& profile) const override {
    if (profile.correctly_rounded) return false;
    const NonFinite special = NonFiniteOf(element);
    return special.open || ResizeMayOverflow(profile, format_, QuickSums(element).inputs);
  }

  Interval Value(int, int64_t element) const override { return Sums(element).value; }
  Interval Bound(int, int64_t element, const Profile& profile) const override {
    return ResizeBound<Interval>(profile, format_, Sums(element));
  }
  Interval Size(int, int64_t element) const override { return Sums(element).size; }
  Interval Scale(int, int64_t element) const override { return Size(0, element); }

  bool Quick(int, int64_t element, const Profiles& profiles, QuickElement* q) const override {
    if (format_ == Format::kF64 || NonFiniteOf(element).found) return false;
    const ResizeSums<double> sums = QuickSums(element);
    // The second: where S is so small a part of the inputs that bounds made of it are not known
    // well enough in binary64.
    if (!(sums.inputs < 0x1p900) || sums.size < sums.inputs * 0x1p-6) return false;
    q->value = sums.value;
    q->unit = q->size = sums.size;
    // A numerator's terms are at most 36 denominators together and round 8 times each; a
    // denominator is no less than half the largest; then sums of `pairs` terms.
    q->radius = sums.inputs * (sums.pairs + 8) * 0x1p-43 + 0x1p-1000;
    for (size_t i = 0; i < profiles.size(); ++i)
      q->bound[i] = ResizeBound<double>(profiles[i], format_, sums);
    q->place = Where(0, element);
    return true;
  }

  Place Where(int, int64_t element) const override {
    return {element / p_.width, std::nullopt};  // places of the result, row by row
  }
  std::vector<Step> Steps(int, int64_t element) const override {
    const Cell cell = CellOf(element);
    std::vector<Step> steps = {{"row", Interval(cell.row)}, {"column", Interval(cell.column)}};
    for (const bool row : {true, false}) {
      const auto& axis = row ? p_.rows : p_.columns;
      const int64_t i = row ? cell.row : cell.column;
      const FilterArgument s = ArgumentOf(p_, axis, i, 0);
      const Interval x = Interval(-s.m) / s.q * p_.stretch(axis);
      steps.push_back({row ? "row of the table" : "column of the table", x});
      const Taps<Interval> taps = TapsOf<Interval>(p_, axis, i, format_);
      for (size_t k = 0; k < taps.size() && taps.size() <= 8; ++k) {
        std::string name(row ? "weight of row " : "weight of column ");
        name += std::to_string(taps.Input(axis, k));
        steps.push_back({name, taps.Weight(k)});
      }
    }
    return steps;
  }

 private:
  struct NonFinite {
    bool found = false;   // something in reach is not finite
    bool counts = false;  // for certain
    bool open = false;
    double due = kNan;
  };

  Cell CellOf(int64_t element) const {
    const int64_t place = element / p_.width;
    return {place / p_.columns.to, place % p_.columns.to, element % p_.width};
  }
  double EntryAt(int64_t row, int64_t column, int64_t dim) const {
    return ValueAt(table_, (row * p_.columns.from + column) * p_.width + dim);
  }
  ResizeSums<Interval> Sums(int64_t element) const {
    const Cell cell = CellOf(element);
    return ResizeSumsOf<Interval>(
        p_, TapsOf<Interval>(p_, p_.rows, cell.row, format_),
        TapsOf<Interval>(p_, p_.columns, cell.column, format_),
        [&](int64_t row, int64_t column) { return EntryAt(row, column, cell.dim); });
  }
  ResizeSums<double> QuickSums(int64_t element) const {
    const Cell cell = CellOf(element);
    return ResizeSumsOf<double>(
        p_, rows_[static_cast<size_t>(cell.row)], columns_[static_cast<size_t>(cell.column)],
        [&](int64_t row, int64_t column) { return EntryAt(row, column, cell.dim); });
  }
  NonFinite NonFiniteOf(int64_t element) const {
    const Cell cell = CellOf(element);
    const Taps<double>& rows = rows_[static_cast<size_t>(cell.row)];
    const Taps<double>& columns = columns_[static_cast<size_t>(cell.column)];
    NonFinite result;
    bool nan = false, infinite = false;
    double sum = 0;
    for (size_t i = 0; i < rows.touched(); ++i)
      for (size_t j = 0; j < columns.touched(); ++j) {
        const double P = EntryAt(rows.Input(p_.rows, i), columns.Input(p_.columns, j), cell.dim);
        if (std::isfinite(P)) continue;
        result.found = true;
        const bool certain = rows.Counts(i) && columns.Counts(j);
        result.open |= !certain;
        if (!certain) continue;
        nan |= std::isnan(P);
        infinite |= std::isinf(P);
        sum += (rows.Weight(i) < 0) == (columns.Weight(j) < 0) ? P : -P;
      }
    result.counts = nan || infinite;
    result.open = (result.open || infinite) && !nan;
    result.due = sum;
    return result;
  }

  Format format_;
  ResizeParameters p_;
  ConstTensorView table_;
  std::vector<Taps<double>> rows_, columns_;
};

}  // namespace

std::unique_ptr<Truth> MakeResizeTruth(const Case& c) { return std::make_unique<ResizeTruth>(c); }

}  // namespace gnomon::reference
