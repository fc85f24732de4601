// What a promise allows the operations on learned positions (LEARNED-6).
#include <cmath>
#include <string>

#include "gnomon/properties/learned_resize.h"
#include "gnomon/properties/tolerance.h"
#include "gnomon/spec/learned.h"

namespace gnomon::properties::learned {
namespace {

class LookupTolerance : public Tolerance {
 public:
  double Bound(int, int64_t) const override { return 0; }
  double Size(int, int64_t) const override { return 0; }
};

// No row is looked up here: the largest number of the table stands for it.
class LearnedAddTolerance : public Tolerance {
 public:
  explicit LearnedAddTolerance(const Case& c) : c_(c) {
    const Tensor& table = c.inputs.at("table");
    for (int64_t i = 0; i < table.count(); ++i)
      largest_ = std::max(largest_, std::abs(table.Value(i)));
  }
  double Bound(int, int64_t element) const override {
    const double size = Size(0, element);
    return gnomon::learned::AddBound<double>(c_.format, size) * kEvaluated;
  }
  double Size(int, int64_t element) const override {
    return (std::abs(c_.inputs.at("x").Value(element)) + largest_) * kEvaluated;
  }

 private:
  const Case& c_;
  double largest_ = 0;
};

}  // namespace

std::unique_ptr<Tolerance> MakeTolerance(const Profile& promise, const Case& c) {
  if (c.operation == "learned.resize") return MakeResizeTolerance(promise, c);
  if (c.operation != "learned.add") return std::make_unique<LookupTolerance>();
  return std::make_unique<LearnedAddTolerance>(c);
}

}  // namespace gnomon::properties::learned
