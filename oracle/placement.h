// A tensor laid between guard pages, and what a call did to it (SUBJ-6).
#ifndef GNOMON_ORACLE_PLACEMENT_H_
#define GNOMON_ORACLE_PLACEMENT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gnomon/oracle/arena.h"
#include "gnomon/spec/tensor.h"

namespace gnomon::oracle {

// Against which guard page a tensor lies.
enum class Side { kEnd, kBegin };
// What fills outputs, and memory that belongs to no element: two of each, different in every byte.
enum class Junk { kFirst, kSecond };

// Bytes that a slot must have to hold a tensor, wherever its alignment puts it.
size_t SlotBytes(const ConstTensorView& view, int64_t alignment);

class Placement {
 public:
  // The memory of `view`'s elements, from the lowest to the highest, without what a caller's
  // storage holds beyond them: a guard page right behind is worth more.
  Placement(std::string role, const ConstTensorView& view, const Slot& slot, Side side,
            int64_t alignment);

  // The elements of `from`, or the signalling pattern where there is none; junk around them.
  void Fill(const ConstTensorView* from, Junk junk);

  const std::string& role() const { return role_; }
  const TensorView& view() const { return view_; }
  // Bits of an element that nobody wrote.
  static uint64_t Pattern(DType dtype, Junk junk);

  // What is not as `Fill` left it, in words, or empty. `is_output`: the elements themselves may be.
  std::string Changed(bool is_output);

  // "3 bytes past the end of y", "the memory of x"; empty where the address is not near it.
  std::string Near(uint64_t address) const;

 private:
  std::string Where(size_t byte) const;

  std::string role_;
  Slot slot_;
  TensorView view_;
  std::byte *first_ = nullptr, *last_ = nullptr;  // of the elements
  std::byte *from_ = nullptr, *to_ = nullptr;     // what is filled: whole pages
  std::vector<std::byte> expected_;               // from_ to to_
};

// "y[0, 1, 0, 3]"
std::string ElementText(const std::string& role, const Shape& shape, int64_t number);

}  // namespace gnomon::oracle

#endif  // GNOMON_ORACLE_PLACEMENT_H_
