#include "gnomon/properties/plain_kernel.h"

#include <limits>

namespace gnomon::properties {
namespace {

double Pairwise(const std::vector<double>& terms, size_t begin, size_t end) {
  if (end - begin <= 1) return end == begin ? 0 : terms[begin];
  const size_t middle = begin + (end - begin) / 2;
  return static_cast<float>(Pairwise(terms, begin, middle) + Pairwise(terms, middle, end));
}

}  // namespace

float EntryOf(double v, Rounding::Tables tables) {
  const float nearest = static_cast<float>(v);
  if (std::abs(nearest) <= std::numeric_limits<float>::min()) return nearest;
  constexpr float kFar = std::numeric_limits<float>::infinity();
  if (tables == Rounding::kUp && nearest < v) return std::nextafter(nearest, kFar);
  if (tables == Rounding::kDown && nearest > v) return std::nextafter(nearest, -kFar);
  return nearest;
}

double SumOf(const std::vector<double>& terms, Rounding::Sum sum) {
  if (sum == Rounding::kPairwise) return Pairwise(terms, 0, terms.size());
  double wide = 0;
  float all = 0;
  for (size_t i = 0; i < terms.size(); ++i) {
    const double term = terms[sum == Rounding::kBackward ? terms.size() - 1 - i : i];
    wide += term;
    all += static_cast<float>(term);
  }
  return sum == Rounding::kFloat64 ? wide : static_cast<double>(all);
}

}  // namespace gnomon::properties
