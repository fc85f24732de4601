#include "gnomon/properties/repeated.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "gnomon/properties/cases.h"
#include "gnomon/properties/generators.h"
#include "gnomon/properties/tolerance.h"
#include "gnomon/spec/schemes.h"

namespace gnomon::properties {
namespace {

constexpr int64_t kLongest = 65540;         // beyond the 65535 blocks of a launch grid's axis
constexpr int64_t kMostElements = 1 << 13;  // of a tensor
constexpr int64_t kMostOfLongest = 2 * kLongest;
constexpr int kNarrow = 6;  // draws, of which a long axis takes the narrowest

// Where the axis is in a tensor of that rank, which may lack leading axes.
std::optional<size_t> PlaceOf(const TensorSpec& spec, const std::string& axis, size_t rank) {
  const auto found = std::find(spec.axes.begin(), spec.axes.end(), axis);
  const size_t missing = spec.axes.size() - rank,
               at = static_cast<size_t>(found - spec.axes.begin());
  if (found == spec.axes.end() || at < missing) return std::nullopt;
  return at - missing;
}

// The case with other indices along the axis, of every input that has it: indices(its extent).
Case Along(const Case& c, const std::string& axis,
           const std::function<std::vector<int64_t>(int64_t extent)>& indices) {
  Case other = c;
  other.in_place.clear();
  for (const TensorSpec& spec : OperationOf(c).inputs) {
    const auto found = c.inputs.find(spec.role);
    if (found == c.inputs.end()) continue;
    const Tensor& from = found->second;
    if (const auto place = PlaceOf(spec, axis, from.shape().size()))
      other =
          With(std::move(other), spec.role, Gather(from, *place, indices(from.shape()[*place])));
  }
  return other;
}

struct Question {
  Case c;
  std::string axis;
  int64_t extent = 0, elements = 0;  // of the axis; of an index
};

// Sets the extent of the axis, and what one index takes of the largest tensor; leaves 0 where no
// output has the axis.
void Measure(Question* q) {
  const Case& c = q->c;
  int64_t& most = q->elements;
  const std::vector<OutputShape> outputs = Validate(c);
  const std::vector<TensorSpec>& specs = OperationOf(c).outputs;
  for (size_t i = 0; i < specs.size(); ++i) {
    const Shape& shape = outputs[i].shape;
    const auto place = PlaceOf(specs[i], q->axis, shape.size());
    if (!place) continue;
    q->extent = shape[*place];
    most = std::max(most, ElementCount(shape) / shape[*place]);
  }
  if (most == 0) return;
  for (const TensorSpec& spec : OperationOf(c).inputs) {
    const auto found = c.inputs.find(spec.role);
    if (found == c.inputs.end()) continue;
    const Shape& shape = found->second.shape();
    if (const auto place = PlaceOf(spec, q->axis, shape.size()))
      most = std::max(most, ElementCount(shape) / shape[*place]);
  }
}

// Of a long axis the others have one index.
Question DrawQuestion(Trial& t, const CaseSource& from, bool is_long) {
  Source& source = t.source();
  Question q{from.draw(t), "", 0, 0};
  const std::vector<std::string>& apart = OperationOf(q.c).apart;
  q.axis = apart[static_cast<size_t>(source.Below(static_cast<int64_t>(apart.size())))];
  for (const std::string& other : apart)
    if (is_long && other != q.axis)
      q.c = Along(q.c, other, [](int64_t) { return std::vector<int64_t>{0}; });
  Measure(&q);
  return q;
}

// Elements of both answers at the same index of the axis, but for its repetition.
void CompareAlong(Trial& t, const Answer& many, const Answer& few, const std::string& axis) {
  const std::vector<TensorSpec>& outputs = OperationOf(few.asked()).outputs;
  for (size_t o = 0; o < outputs.size(); ++o) {
    const int output = static_cast<int>(o);
    const Shape &large = many.shape(output), &small = few.shape(output);
    const auto place = PlaceOf(outputs[o], axis, large.size());
    if (!place) continue;
    const int64_t N = large[*place], n = small[*place];
    int64_t inner = 1;
    for (size_t i = *place + 1; i < large.size(); ++i) inner *= large[i];
    for (int64_t i = 0; i < ElementCount(large); ++i) {
      const int64_t index = i / inner % N;
      const int64_t j = (i / inner / N * n + index % n) * inner + i % inner;
      const double value = many.Raw(i, output), other = few.Raw(j, output);
      const bool same = value == other || (std::isnan(value) && std::isnan(other));
      if (same && (index >= n || !std::isfinite(value))) continue;
      CompareSame(t, many, i, few, j, output,
                  "in a case of " + axis + " " + std::to_string(n) + ", whose " + axis + " " +
                      std::to_string(index % n) + " it repeats");
    }
  }
}

void Repeated(Trial& t, const std::vector<const CaseSource*>& all) {
  Source& source = t.source();
  std::vector<const CaseSource*> sources;  // of what is declared
  for (const CaseSource* from : all)
    if (t.declares(from->operation)) sources.push_back(from);
  t.RequireInside(!sources.empty());
  const CaseSource& from =
      *sources[static_cast<size_t>(source.Below(static_cast<int64_t>(sources.size())))];
  const bool longest = source.Chance(1, 30);
  const int64_t length = longest ? kLongest : source.Pick<int64_t>({33, 130, 258, 1026, 4098});
  const bool is_long = length > 258;
  Question q = DrawQuestion(t, from, is_long);
  for (int i = 1; is_long && i < kNarrow; ++i) {
    Question other = DrawQuestion(t, from, is_long);
    if (other.elements > 0 && other.elements < q.elements) q = std::move(other);
  }
  t.RequireInside(q.elements > 0);
  const Limits limits = t.limits(q.c.operation);
  const int64_t room = (longest ? kMostOfLongest : kMostElements) / q.elements;
  const int64_t N = limits.extent(q.axis, std::min(length, room));
  t.RequireInside(N > q.extent);
  const Case many = Along(q.c, q.axis, [&](int64_t extent) {
    std::vector<int64_t> indices;
    for (int64_t i = 0; i < N; ++i) indices.push_back(i % extent);
    return indices;
  });
  t.RequireInside(Outside(limits, many).empty() && Outside(limits, q.c).empty());
  const Answer few(t, Along(q.c, q.axis, [](int64_t extent) {
                     std::vector<int64_t> all;
                     for (int64_t i = 0; i < extent; ++i) all.push_back(i);
                     return all;
                   }));
  CompareAlong(t, Answer(t, many), few, q.axis);
}

}  // namespace

std::vector<Property> RepeatedProperty(const std::string& stem) {
  std::vector<const CaseSource*> sources;
  std::vector<std::string> operations;
  for (const CaseSource& source : AllCases()) {
    const OperationSpec& operation = *FindOperation(source.operation);
    if (source.kind != CaseKind::kPlain || operation.apart.empty() ||
        operation.name.rfind(stem + ".", 0) != 0)
      continue;
    sources.push_back(&source);
    if (operations.empty() || operations.back() != operation.name)
      operations.push_back(operation.name);
  }
  if (sources.empty()) return {};
  return {{stem + ".repeated", "CASE-9", "",
           "of inputs that repeat along an axis, up to 65540 indices, the outputs repeat",
           operations, true, [sources](Trial& t) { Repeated(t, sources); }}};
}

}  // namespace gnomon::properties
