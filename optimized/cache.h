// Where the caches of this machine end.
#ifndef GNOMON_OPTIMIZED_CACHE_H_
#define GNOMON_OPTIMIZED_CACHE_H_

#include <cstdint>

namespace gnomon::optimized {

// The second-level cache of one core, in bytes.
int64_t Level2Bytes();

// Stores go around the caches where more bytes than this are read and written: the data would not
// be there when they are used next, and a line need not be fetched to be overwritten.
int64_t StreamBytes();

}  // namespace gnomon::optimized

#endif  // GNOMON_OPTIMIZED_CACHE_H_
