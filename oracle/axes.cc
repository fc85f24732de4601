#include "gnomon/oracle/axes.h"

#include <algorithm>
#include <cstring>

#include "gnomon/spec/rejected.h"

namespace gnomon::oracle {
namespace {

std::string Join(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& item : items) text += (text.empty() ? "" : ", ") + item;
  return text;
}

struct Axis {
  int64_t extent = 1;
  int64_t stride = 0;
};

class Arranger {
 public:
  Arranger(const std::vector<std::string>& stored, const std::vector<std::string>& canonical,
           const std::map<std::string, int64_t>& known, const std::string& role)
      : stored_(stored), canonical_(canonical), known_(known), role_(role) {}

  // One stored axis: one axis, or several packed, outermost first.
  void Add(const std::string& item, int64_t extent, int64_t stride) {
    const std::vector<std::string> names = SplitList(item, '*');
    std::map<std::string, int64_t> extents;
    std::string unknown;
    int64_t product = 1;
    for (const std::string& name : names) {
      if (std::find(canonical_.begin(), canonical_.end(), name) == canonical_.end())
        Fail("its axes are " + Join(canonical_) + ", not " + name);
      if (axes_.count(name) || extents.count(name)) Fail("names " + name + " twice");
      const auto found = known_.find(name);
      if (names.size() == 1) {
        extents[name] = extent;
      } else if (found != known_.end() && found->second > 0) {
        extents[name] = found->second;
        product *= found->second;
      } else if (unknown.empty()) {
        extents[unknown = name] = 0;
      } else {
        Fail("of a packed axis all extents but one must be known; " + unknown + " and " + name +
             " are not");
      }
    }
    if (names.size() > 1) {
      if (extent % product != 0 || (unknown.empty() && extent != product))
        Fail("extent " + std::to_string(extent) + " of " + item + " does not split into " +
             std::to_string(product));
      if (!unknown.empty()) extents[unknown] = extent / product;
    }
    for (size_t i = names.size(); i-- > 0;) {
      axes_[names[i]] = {extents[names[i]], stride};
      stride *= extents[names[i]];
    }
  }

  ConstTensorView Result(ConstTensorView view) const {
    view.shape.clear();
    view.strides.clear();
    for (const std::string& name : canonical_) {
      const auto found = axes_.find(name);
      const bool may_lack = role_ == "positions" || role_ == "cos" || role_ == "sin";
      if (found == axes_.end() && name == "batch" && may_lack) continue;
      const Axis axis = found == axes_.end() ? Axis{} : found->second;
      view.shape.push_back(axis.extent);
      view.strides.push_back(axis.stride);
    }
    // The stride of a single index is free: the row-major one lets a contiguous tensor be seen so.
    const Shape row_major = ContiguousStrides(view.shape);
    for (size_t i = 0; i < view.shape.size(); ++i)
      if (view.shape[i] == 1) view.strides[i] = row_major[i];
    return view;
  }

  [[noreturn]] void Fail(const std::string& why) const {
    throw Rejected("axes of " + role_, Join(stored_), why, "CASE-7");
  }

 private:
  const std::vector<std::string>& stored_;
  const std::vector<std::string>& canonical_;
  const std::map<std::string, int64_t>& known_;
  const std::string& role_;
  std::map<std::string, Axis> axes_;
};

}  // namespace

std::vector<std::string> SplitList(const std::string& text, char separator) {
  std::vector<std::string> items;
  size_t start = 0;
  for (size_t end; (end = text.find(separator, start)) != std::string::npos; start = end + 1)
    items.push_back(text.substr(start, end - start));
  items.push_back(text.substr(start));
  return items;
}

ConstTensorView Arrange(const ConstTensorView& view, const std::vector<std::string>& stored,
                        const std::vector<std::string>& canonical,
                        const std::map<std::string, int64_t>& known, const std::string& role) {
  Arranger arranger(stored, canonical, known, role);
  if (stored.size() != view.rank())
    arranger.Fail("the tensor has rank " + std::to_string(view.rank()));
  for (size_t i = 0; i < stored.size(); ++i)
    arranger.Add(stored[i], view.shape[i], view.strides[i]);
  return arranger.Result(view);
}

Tensor CopyOf(const ConstTensorView& view) {
  Tensor copy(view.dtype, view.shape);
  const size_t size = static_cast<size_t>(SizeOf(view.dtype));
  if (view.count() == 0) return copy;
  if (view.contiguous()) {
    std::memcpy(copy.storage().data(), view.data, copy.storage().size());
    return copy;
  }
  std::byte* to = copy.storage().data();
  for (int64_t i = 0; i < view.count(); ++i, to += size) std::memcpy(to, view.AddressOf(i), size);
  return copy;
}

}  // namespace gnomon::oracle
