// The truths of learned.lookup, learned.add and learned.lookup_2d.
#include "gnomon/reference/learned.h"

#include <cmath>

#include "gnomon/reference/learned_resize.h"
#include "gnomon/reference/truth.h"
#include "gnomon/spec/schemes.h"

namespace gnomon::reference {
namespace {

using gnomon::learned::AddBound;
using gnomon::learned::LookupParameters;
using gnomon::learned::ReadLookup;

// LEARNED-1, LEARNED-2, LEARNED-4: the position of every token, [batch, token] or [token].
std::vector<int64_t> PositionsOf(const Case& c, const LookupParameters& p) {
  std::vector<int64_t> all;
  const bool masked = c.inputs.count("mask") > 0;
  const Tensor& tensor = c.inputs.at(masked ? "mask" : "positions");
  const int64_t seq = tensor.shape().back();
  for (int64_t first = 0; first < tensor.count(); first += seq) {
    std::vector<int64_t> sequence;
    for (int64_t i = 0; i < seq; ++i) sequence.push_back(tensor.Integer(first + i));
    if (masked) sequence = PositionsFromMask(sequence, p.padding_position);
    all.insert(all.end(), sequence.begin(), sequence.end());
  }
  return all;
}

class LookupTruth : public Truth {
 public:
  explicit LookupTruth(const Case& c)
      : p_(ReadLookup(c)), positions_(PositionsOf(c, p_)), table_(c.inputs.at("table").view()) {}

  Expectation Expect(int, int64_t element) const override {
    return {Expectation::kCopy, BitsAt(table_, Number(element)), 0};
  }
  Interval Value(int, int64_t element) const override { return Interval(At(element)); }
  Interval Bound(int, int64_t, const Profile&) const override { return Interval(0); }
  Interval Size(int, int64_t element) const override { return Interval(std::abs(At(element))); }
  Interval Scale(int, int64_t element) const override { return Size(0, element); }
  Place Where(int, int64_t element) const override { return {PositionAt(element), std::nullopt}; }
  std::vector<Step> Steps(int, int64_t element) const override {
    return {{"row", Interval(RowOf(p_, PositionAt(element)))}};
  }

  // Of an element of the rows, or of a batch of them.
  int64_t PositionAt(int64_t element) const {
    const int64_t token = element / table_.shape[1];
    return positions_[static_cast<size_t>(token) % positions_.size()];
  }
  double At(int64_t element) const { return ValueAt(table_, Number(element)); }

 private:
  int64_t Number(int64_t element) const {
    const int64_t width = table_.shape[1];
    return RowOf(p_, PositionAt(element)) * width + element % width;
  }
  LookupParameters p_;
  std::vector<int64_t> positions_;
  ConstTensorView table_;
};

class LearnedAddTruth : public Truth {
 public:
  explicit LearnedAddTruth(const Case& c)
      : format_(c.format), x_(c.inputs.at("x").view()), rows_(c) {}

  // LEARNED-5.
  Expectation Expect(int, int64_t element) const override {
    const double x = ValueAt(x_, element), row = rows_.At(element);
    if (std::isfinite(x) && std::isfinite(row)) return {};
    return {Expectation::kNonFinite, 0, x + row};
  }
  Interval Value(int, int64_t element) const override {
    return Add<Interval>(Interval(ValueAt(x_, element)), Interval(rows_.At(element)));
  }
  // LEARNED-6.
  Interval Bound(int, int64_t element, const Profile&) const override {
    return AddBound<Interval>(format_, Value(0, element));
  }
  Interval Size(int, int64_t element) const override {
    return Interval(std::abs(ValueAt(x_, element))) + Interval(std::abs(rows_.At(element)));
  }
  Interval Scale(int, int64_t element) const override { return Size(0, element); }
  bool Quick(int, int64_t element, const Profiles&, QuickElement* q) const override {
    const double x = ValueAt(x_, element), row = rows_.At(element);
    if (format_ == Format::kF64 || !std::isfinite(x) || !std::isfinite(row)) return false;
    q->value = Add<double>(x, row);
    q->unit = q->size = std::abs(x) + std::abs(row);
    q->radius = std::abs(q->value) * 0x1p-52;
    q->place = Where(0, element);
    q->bound.fill(AddBound<double>(format_, q->value));
    return true;
  }
  Place Where(int, int64_t element) const override { return rows_.Where(0, element); }
  std::vector<Step> Steps(int, int64_t element) const override {
    std::vector<Step> steps = rows_.Steps(0, element);
    steps.push_back({"x", Interval(ValueAt(x_, element))});
    steps.push_back({"P[row]", Interval(rows_.At(element))});
    return steps;
  }

 private:
  Format format_;
  ConstTensorView x_;
  LookupTruth rows_;
};

// AXES-7: rows of a grid.
class GridLookupTruth : public Truth {
 public:
  explicit GridLookupTruth(const Case& c)
      : positions_(c.inputs.at("positions").view()), table_(c.inputs.at("table").view()) {}

  Expectation Expect(int, int64_t element) const override {
    return {Expectation::kCopy, BitsAt(table_, From(element)), 0};
  }
  Interval Value(int, int64_t element) const override {
    return Interval(ValueAt(table_, From(element)));
  }
  Interval Bound(int, int64_t, const Profile&) const override { return Interval(0); }
  Interval Size(int, int64_t element) const override {
    return Interval(std::abs(ValueAt(table_, From(element))));
  }
  Interval Scale(int, int64_t element) const override { return Size(0, element); }
  Place Where(int, int64_t element) const override {
    return {GridRow(table_.shape[1], RowAt(element), ColumnAt(element)), std::nullopt};
  }
  std::vector<Step> Steps(int, int64_t element) const override {
    return {{"row", Interval(RowAt(element))}, {"column", Interval(ColumnAt(element))}};
  }

 private:
  int64_t RowAt(int64_t element) const { return IntegerAt(positions_, element / table_.shape[2]); }
  int64_t ColumnAt(int64_t element) const {
    return IntegerAt(positions_, positions_.shape[1] + element / table_.shape[2]);
  }
  int64_t From(int64_t element) const {
    const int64_t width = table_.shape[2];
    return GridRow(table_.shape[1], RowAt(element), ColumnAt(element)) * width + element % width;
  }
  ConstTensorView positions_, table_;
};

}  // namespace

namespace learned {

std::unique_ptr<Truth> MakeTruth(const Case& c) {
  if (c.operation == "learned.lookup") return std::make_unique<LookupTruth>(c);
  if (c.operation == "learned.lookup_2d") return std::make_unique<GridLookupTruth>(c);
  if (c.operation == "learned.resize") return MakeResizeTruth(c);
  return std::make_unique<LearnedAddTruth>(c);
}

}  // namespace learned
}  // namespace gnomon::reference
