// Numbers and elements as people read them.
#ifndef GNOMON_ORACLE_TEXT_H_
#define GNOMON_ORACLE_TEXT_H_

#include <string>
#include <string_view>
#include <vector>

#include "gnomon/reference/interval.h"
#include "gnomon/reference/truth.h"
#include "gnomon/spec/bounds.h"
#include "gnomon/spec/format.h"
#include "gnomon/spec/operation.h"
#include "gnomon/spec/tensor.h"

namespace gnomon::oracle {

// Enough digits to read the value back in its format.
std::string Decimal(double value, Format format);
// A C99 hex float: 0x1.8p+1.
std::string Hex(double value);
// Three digits, for errors and bounds.
std::string Rough(double value);

// "0.841470984807896506652502321630 +- 4e-31": the interval lies within. What is exact has no +-.
std::string Enclosure(const reference::Interval& x, int digits = 30);
// Of a real element's truth, with as many bits as that takes.
std::string TruthText(const reference::Truth& truth, int output, int64_t element);
inline constexpr const char* kNotDecided = "not decided with 8192 bits";
// The middle of the interval, to 97 bits.
std::string HexMiddle(const reference::Interval& x);

// "y[batch 0, seq 3, heads 1, head_dim 17]"
std::string ElementName(const TensorSpec& output, const Shape& index);

// What a profile declares, for an output format: "angles formed in f32, tables and arithmetic in
// f32".
std::string Describe(const Profile& profile, Format output);

// Words of others on one line: white space is one space, what is not printable ASCII a "?". Of a
// longer text the beginning and the end.
std::string Excerpt(std::string_view text, size_t longest);

// What errors of an operation are counted in: "u S" or "ulp".
std::string UnitName(ErrorUnit unit);

}  // namespace gnomon::oracle

#endif  // GNOMON_ORACLE_TEXT_H_
