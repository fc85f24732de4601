// The idea: a bias that depends on key - query alone has only query + key - 1 numbers a head. Row i
// of the matrix is a window of that line, one element further left than row i - 1. So the line is
// worked out once, in the first-level cache, and the matrix is written by copies: nothing is
// gathered, and the only traffic is the store, which goes around the caches where the matrix is
// larger than they are.
#include "gnomon/optimized/offset_line.h"

#include <algorithm>
#include <cstring>

#include "gnomon/optimized/aligned.h"
#include "gnomon/optimized/cache.h"
#include "hwy/cache_control.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "gnomon/optimized/offset_line.cc"
#include "hwy/foreach_target.h"  // before highway.h
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace gnomon {
namespace optimized {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// `bytes` of one row: the first up to a line of 64 bytes of `to`, then whole vectors.
template <bool stream>
HWY_INLINE void CopyRow(const uint8_t* from, uint8_t* to, size_t bytes) {
#if HWY_TARGET != HWY_SCALAR
  const hn::ScalableTag<uint8_t> d;
  const size_t N = hn::Lanes(d);
  const auto put = [d](auto v, uint8_t* at) HWY_ATTR {
    if constexpr (stream) {
      hn::Stream(v, d, at);
    } else {
      hn::Store(v, d, at);
    }
  };
  size_t i = std::min(bytes, (64 - reinterpret_cast<uintptr_t>(to) % 64) % 64);
  if (i != 0) std::memcpy(to, from, i);
  if (N <= 64) {
    for (; i + 4 * std::max<size_t>(N, 16) <= bytes; i += 4 * N) {
      const auto a = hn::LoadU(d, from + i), b = hn::LoadU(d, from + i + N);
      const auto c = hn::LoadU(d, from + i + 2 * N), e = hn::LoadU(d, from + i + 3 * N);
      put(a, to + i);
      put(b, to + i + N);
      put(c, to + i + 2 * N);
      put(e, to + i + 3 * N);
    }
    for (; i + 64 <= bytes; i += 64)
      for (size_t j = 0; j < 64; j += N) put(hn::LoadU(d, from + i + j), to + i + j);
  }
  if (i != bytes) std::memcpy(to + i, from + i, bytes - i);
#else
  std::memcpy(to, from, bytes);
#endif
}

// Rows of adjacent elements; the distances between them in bytes.
void CopyAdjacent(const uint8_t* from, int64_t from_step, uint8_t* to, int64_t to_step,
                  int64_t rows, size_t bytes, bool stream) {
  for (int64_t row = 0; row < rows; ++row, from += from_step, to += to_step) {
    if (stream) {
      CopyRow<true>(from, to, bytes);
    } else {
      CopyRow<false>(from, to, bytes);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace optimized
}  // namespace gnomon
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gnomon::optimized {

HWY_EXPORT(CopyAdjacent);

void CopyRows(const LineRows& from, const TensorView& to, std::byte* at, bool stream) {
  const size_t rank = to.rank();
  const int64_t rows = to.shape[rank - 2], columns = to.shape[rank - 1], size = SizeOf(to.dtype);
  const int64_t row_stride = to.strides[rank - 2] * size, stride = to.strides[rank - 1] * size;
  const std::byte* line = from.line + from.first * size;
  if (stride == size) {
    HWY_DYNAMIC_DISPATCH(CopyAdjacent)
    (reinterpret_cast<const uint8_t*>(line), from.step * size, reinterpret_cast<uint8_t*>(at),
     row_stride, rows, static_cast<size_t>(columns * size), stream);
    return;
  }
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t i = 0; i < columns; ++i)
      std::memcpy(at + row * row_stride + i * stride, line + (row * from.step + i) * size,
                  static_cast<size_t>(size));
}

namespace {

// [(batch,) heads, query, key] or, of integers, [(batch,) query, key]: where a head's rows begin.
std::byte* BlockOf(const TensorView& to, int64_t batch, int64_t head, bool batched) {
  const int64_t size = SizeOf(to.dtype);
  const size_t before = to.rank() - 2;
  std::byte* at = to.data;
  size_t axis = 0;
  if (batched) at += batch * to.strides[axis++] * size;
  if (axis < before) at += head * to.strides[axis] * size;
  return at;
}

// Positions of a batch row, read once.
std::vector<int64_t> RowOf(const ConstTensorView& positions, int64_t batch) {
  const int64_t count = positions.shape.back();
  std::vector<int64_t> row(static_cast<size_t>(count));
  const int64_t stride = positions.strides.back() * SizeOf(positions.dtype);
  const std::byte* at = positions.data;
  if (positions.rank() == 2) at += batch * positions.strides[0] * SizeOf(positions.dtype);
  if (positions.dtype == DType::kI64 && stride == 8) {
    std::memcpy(row.data(), at, row.size() * 8);
    return row;
  }
  for (int64_t i = 0; i < count; ++i)
    row[static_cast<size_t>(i)] =
        IntegerOf(positions.dtype, LoadBits(positions.dtype, at + i * stride));
  return row;
}

bool RisesByOne(const std::vector<int64_t>& row) {
  for (size_t i = 1; i < row.size(); ++i)
    if (row[i] != row[i - 1] + 1) return false;
  return true;
}

bool IsLarge(const TensorView& to) { return to.count() * SizeOf(to.dtype) > StreamBytes(); }

}  // namespace

void FillByOffset(const ConstTensorView& query, const ConstTensorView& key, int64_t heads, int sign,
                  const EncodeLine& encode, const TensorView& to) {
  const bool batched = query.rank() == 2, stream = IsLarge(to);
  const int64_t batches = batched ? query.shape[0] : 1, size = SizeOf(to.dtype);
  if (to.count() == 0) return;
  for (int64_t batch = 0; batch < batches; ++batch) {
    const std::vector<int64_t> m = RowOf(query, batch), n = RowOf(key, batch);
    const bool one_line = RisesByOne(m) && RisesByOne(n);
    std::vector<int64_t> line(one_line ? m.size() + n.size() - 1 : n.size());
    AlignedArray<std::byte> bits(line.size() * static_cast<size_t>(size));
    if (one_line) {
      for (size_t i = 0; i < line.size(); ++i)
        line[i] = sign * (n[0] - m.back() + static_cast<int64_t>(i));
      for (int64_t head = 0; head < heads; ++head) {
        encode(head, line, bits.data());
        CopyRows({bits.data(), static_cast<int64_t>(m.size()) - 1, -1}, to,
                 BlockOf(to, batch, head, batched), stream);
      }
      continue;
    }
    TensorView row = to;
    row.shape[to.rank() - 2] = 1;
    for (size_t i = 0; i < m.size(); ++i) {
      for (size_t j = 0; j < n.size(); ++j) line[j] = sign * (n[j] - m[i]);
      for (int64_t head = 0; head < heads; ++head) {
        encode(head, line, bits.data());
        std::byte* at = BlockOf(to, batch, head, batched) +
                        static_cast<int64_t>(i) * to.strides[to.rank() - 2] * size;
        CopyRows({bits.data(), 0, 0}, row, at, stream);
      }
    }
  }
  if (stream) hwy::FlushStream();
}

void FillByKey(int64_t batches, int64_t heads,
               const std::function<std::vector<int64_t>(int64_t batch)>& line_of,
               const EncodeLine& encode, const TensorView& to) {
  const bool batched = to.rank() == 4, stream = IsLarge(to);
  if (to.count() == 0) return;
  for (int64_t batch = 0; batch < batches; ++batch) {
    const std::vector<int64_t> line = line_of(batch);
    AlignedArray<std::byte> bits(line.size() * static_cast<size_t>(SizeOf(to.dtype)));
    for (int64_t head = 0; head < heads; ++head) {
      encode(head, line, bits.data());
      CopyRows({bits.data(), 0, 0}, to, BlockOf(to, batch, head, batched), stream);
    }
  }
  if (stream) hwy::FlushStream();
}

}  // namespace gnomon::optimized
#endif  // HWY_ONCE
