// Enclosures that are asked for again and again: by a key, at the precision in force.
#ifndef GNOMON_REFERENCE_REMEMBERED_H_
#define GNOMON_REFERENCE_REMEMBERED_H_

#include <cstddef>
#include <map>

#include "gnomon/reference/interval.h"

namespace gnomon::reference {

template <class Key>
class Remembered {
 public:
  // `make()` gives what is not known yet.
  template <class Make>
  Interval At(const Key& key, const Make& make) const {
    const unsigned precision = Interval::default_precision();
    if (precision != precision_ || known_.size() >= kMostKnown) known_.clear();
    precision_ = precision;
    const auto found = known_.find(key);
    return found != known_.end() ? found->second : known_.emplace(key, make()).first->second;
  }

 private:
  static constexpr size_t kMostKnown = 1 << 16;  // keeps memory flat
  mutable unsigned precision_ = 0;
  mutable std::map<Key, Interval> known_;
};

}  // namespace gnomon::reference

#endif  // GNOMON_REFERENCE_REMEMBERED_H_
