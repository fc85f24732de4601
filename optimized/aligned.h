// Memory for vector kernels.
#ifndef GNOMON_OPTIMIZED_ALIGNED_H_
#define GNOMON_OPTIMIZED_ALIGNED_H_

#include <cstddef>
#include <memory>
#include <new>

namespace gnomon::optimized {

// Kernels work on whole vectors: arrays over pairs are padded to a multiple of this.
inline constexpr size_t kPairAlignment = 32;
constexpr size_t PaddedPairs(size_t pairs) {
  return (pairs + kPairAlignment - 1) / kPairAlignment * kPairAlignment;
}

// Uninitialized, at cache-line addresses.
template <class T>
class AlignedArray {
 public:
  AlignedArray() = default;
  explicit AlignedArray(size_t size)
      : data_(static_cast<T*>(::operator new[](size * sizeof(T), kAlignment))) {
    std::uninitialized_default_construct_n(data_.get(), size);
  }
  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  T& operator[](size_t i) { return data_.get()[i]; }
  const T& operator[](size_t i) const { return data_.get()[i]; }

 private:
  static constexpr std::align_val_t kAlignment{128};
  struct Free {
    void operator()(T* p) const { ::operator delete[](p, kAlignment); }
  };
  std::unique_ptr<T[], Free> data_;
};

// The same, of `size` elements, within the object itself up to kInline: a small call allocates
// nothing.
template <class T, size_t kInline>
class ScratchArray {
 public:
  explicit ScratchArray(size_t size) {
    if (size > kInline) heap_ = AlignedArray<T>(size);
    data_ = size > kInline ? heap_.data() : inline_;
  }
  ScratchArray(const ScratchArray&) = delete;
  ScratchArray& operator=(const ScratchArray&) = delete;
  T* data() { return data_; }

 private:
  alignas(128) T inline_[kInline];
  AlignedArray<T> heap_;
  T* data_;
};

}  // namespace gnomon::optimized

#endif  // GNOMON_OPTIMIZED_ALIGNED_H_
