// Rotary position embedding, as a contract (spec/rope.md; Su et al. 2021, arXiv:2104.09864).
//
// Parameters and their domain, the shapes of every operation, and the error bounds. Nothing here
// computes a value of the scheme: reference/rope.h and optimized/rope.h are two readings of rope.md.
#ifndef GNOMON_SPEC_ROPE_H_
#define GNOMON_SPEC_ROPE_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gnomon/spec/operation.h"

namespace gnomon {

// ROPE-2. Which two dims of the rotary window form pair i, h = rotary_dim / 2.
enum class RopeLayout {
  kInterleaved,  // (2i, 2i + 1)
  kHalfSplit,    // (i, h + i)
};
// ROPE-6. The transpose is the rotation by minus the angle.
enum class RopeDirection { kForward, kTranspose };

inline const std::vector<std::string> kRopeLayoutNames = {"interleaved", "half_split"};
inline const std::vector<std::string> kRopeDirectionNames = {"forward", "transpose"};

// ROPE-1. The frequency of pair i, in radians a token: rope_theta^(-2i / rotary_dim), or
// frequencies[i] where they are given.
struct RopeFrequencies {
  int64_t head_dim = 0;    // dims of one head, 1 to 2^20
  int64_t rotary_dim = 0;  // dims that are rotated: even, 2 to head_dim
  Number rope_theta = 10000;
  std::vector<Number> frequencies;  // empty, or rotary_dim / 2 of them: any finite numbers

  int64_t pairs() const { return rotary_dim / 2; }
};

// ROPE-3 to ROPE-6.
struct RopeApply {
  RopeFrequencies frequencies;
  RopeLayout input_layout = RopeLayout::kHalfSplit;
  RopeLayout output_layout = RopeLayout::kHalfSplit;
  int64_t rotary_offset = 0;  // first dim of the rotary window
  RopeDirection direction = RopeDirection::kForward;

  // The dim, within a head, that holds member 0 or 1 of pair i.
  int64_t Dim(RopeLayout layout, int64_t pair, int member) const {
    const int64_t within = layout == RopeLayout::kInterleaved
                               ? 2 * pair + member
                               : pair + member * frequencies.pairs();
    return rotary_offset + within;
  }
  // The inverse: which pair, and which member of it, a dim of the window holds.
  std::pair<int64_t, int> PairAt(RopeLayout layout, int64_t dim) const {
    const int64_t within = dim - rotary_offset, h = frequencies.pairs();
    if (layout == RopeLayout::kInterleaved) return {within / 2, static_cast<int>(within % 2)};
    return within < h ? std::pair(within, 0) : std::pair(within - h, 1);
  }
  bool InWindow(int64_t dim) const {
    return dim >= rotary_offset && dim < rotary_offset + frequencies.rotary_dim;
  }
};

namespace rope {

inline constexpr int64_t kMaxHeadDim = int64_t{1} << 20;

// ROPE-1: rope.frequencies, rope.table.
inline RopeFrequencies ReadFrequencies(ParameterReader& reader) {
  RopeFrequencies f;
  f.head_dim = reader.GetRequiredInteger("head_dim", 1, kMaxHeadDim);
  f.rotary_dim = reader.GetInteger("rotary_dim", f.head_dim, 1, kMaxHeadDim);
  if (f.rotary_dim % 2 != 0)
    throw Rejected("rotary_dim", std::to_string(f.rotary_dim), "must be even", "ROPE-2");
  if (f.rotary_dim > f.head_dim)
    throw Rejected("rotary_dim", std::to_string(f.rotary_dim),
                   "must not exceed head_dim = " + std::to_string(f.head_dim), "ROPE-5");
  f.frequencies = reader.GetNumbers("frequencies");
  if (reader.Has("frequencies")) {
    if (reader.Has("rope_theta"))
      throw Rejected("rope_theta", "(given)", "excludes frequencies: give one of the two", "ROPE-1");
    if (static_cast<int64_t>(f.frequencies.size()) != f.pairs())
      throw Rejected("frequencies", std::to_string(f.frequencies.size()) + " numbers",
                     "must hold rotary_dim / 2 = " + std::to_string(f.pairs()), "ROPE-1");
  }
  f.rope_theta = reader.GetNumber("rope_theta", 10000);
  if (!(f.rope_theta.value > 0))
    throw Rejected("rope_theta", ToText(f.rope_theta), "must be positive", "ROPE-1");
  return f;
}

// ROPE-2 to ROPE-6: rope.apply.
inline RopeApply ReadApply(ParameterReader& reader) {
  RopeApply a;
  a.frequencies = ReadFrequencies(reader);
  if (!reader.Has("layout"))
    throw Rejected("layout", "(missing)", "is never guessed: give interleaved or half_split",
                   "ROPE-2");
  a.input_layout = reader.GetName("layout", a.input_layout, kRopeLayoutNames);
  a.output_layout = reader.GetName("output_layout", a.input_layout, kRopeLayoutNames);
  a.rotary_offset = reader.GetInteger("rotary_offset", 0, 0, kMaxHeadDim);
  if (a.rotary_offset + a.frequencies.rotary_dim > a.frequencies.head_dim)
    throw Rejected("rotary_offset", std::to_string(a.rotary_offset),
                   "the rotary window ends beyond head_dim = " +
                       std::to_string(a.frequencies.head_dim),
                   "ROPE-5");
  a.direction = reader.GetName("direction", a.direction, kRopeDirectionNames);
  return a;
}

inline RopeFrequencies ReadFrequencies(const Case& c) {
  ParameterReader reader(c.parameters, "ROPE-1");
  const RopeFrequencies f = ReadFrequencies(reader);
  reader.RejectOthers();
  return f;
}
inline RopeApply ReadApply(const Case& c) {
  ParameterReader reader(c.parameters, "ROPE-3");
  const RopeApply a = ReadApply(reader);
  reader.RejectOthers();
  return a;
}

inline std::vector<OutputShape> ValidateFrequencies(const Case& c) {
  return {{"w", {ReadFrequencies(c).pairs()}}};
}

inline std::vector<OutputShape> ValidateTable(const Case& c) {
  const RopeFrequencies f = ReadFrequencies(c);
  Shape shape = ValidatePositions(c, "positions", 2);
  shape.push_back(f.pairs());
  return {{"cos", shape}, {"sin", shape}};
}

// The axis of `tensor` must have this extent.
inline void RequireExtent(const std::string& role, const std::string& axis, int64_t extent,
                          int64_t expected) {
  if (extent != expected)
    throw Rejected(role, axis + " " + std::to_string(extent),
                   "must have " + axis + " " + std::to_string(expected), "ROPE-3");
}

inline std::vector<OutputShape> ValidateApply(const Case& c) {
  const RopeApply a = ReadApply(c);
  const Shape& x = c.inputs.at("x").shape();
  if (x.size() != 4)
    throw Rejected("x", "rank " + std::to_string(x.size()),
                   "must be [batch, seq, heads, head_dim]", "ROPE-3");
  RequireExtent("x", "head_dim", x[3], a.frequencies.head_dim);
  if (c.inputs.at("x").dtype() != DTypeOf(c.format))
    throw Rejected("x", std::string(Name(c.inputs.at("x").dtype())),
                   "must have the case's format " + std::string(Traits(c.format).name), "CASE-4");
  const bool positions = c.inputs.count("positions"), cos = c.inputs.count("cos"),
             sin = c.inputs.count("sin");
  if (cos != sin || positions == cos)
    throw Rejected("positions", positions ? "(given)" : "(missing)",
                   "give either positions, or both cos and sin", "ROPE-4");
  const auto batch_fits = [&](const std::string& role, const Shape& shape, size_t rank) {
    if (shape.size() != rank && shape.size() != rank + 1)
      throw Rejected(role, "rank " + std::to_string(shape.size()),
                     "must be " + std::to_string(rank) + ", or one more for a batch", "ROPE-4");
    RequireExtent(role, "seq", shape[shape.size() - rank], x[1]);
    if (shape.size() == rank + 1 && shape[0] != 1) RequireExtent(role, "batch", shape[0], x[0]);
  };
  if (positions) {
    batch_fits("positions", ValidatePositions(c, "positions", 2), 1);
  } else {
    for (const char* role : {"cos", "sin"}) {
      batch_fits(role, c.inputs.at(role).shape(), 2);
      RequireExtent(role, "pair", c.inputs.at(role).shape().back(), a.frequencies.pairs());
    }
    const Tensor &of_cos = c.inputs.at("cos"), &of_sin = c.inputs.at("sin");
    if (of_sin.dtype() != of_cos.dtype() || of_sin.shape() != of_cos.shape())
      throw Rejected("sin", std::string(Name(of_sin.dtype())),
                     "must have the type and shape of cos", "ROPE-4");
  }
  return {{"y", x}};
}

inline const std::vector<OperationSpec>& Operations() {
  static const std::vector<ParameterSpec> frequencies = {
      {"head_dim", "required", "1 to 1048576", "dims of one head"},
      {"rotary_dim", "head_dim", "even, 2 to head_dim", "dims that are rotated"},
      {"rope_theta", "10000", "positive", "base of the frequencies"},
      {"frequencies", "by rope_theta", "rotary_dim / 2 finite numbers", "frequencies as given"}};
  static const std::vector<ParameterSpec> apply = [] {
    std::vector<ParameterSpec> all = frequencies;
    all.push_back({"layout", "required", "interleaved, half_split", "which dims form a pair"});
    all.push_back({"output_layout", "layout", "interleaved, half_split", "the same, of y"});
    all.push_back({"rotary_offset", "0", "0 to head_dim - rotary_dim", "first rotated dim"});
    all.push_back({"direction", "forward", "forward, transpose", "by the angle, or by minus it"});
    return all;
  }();
  static const TensorSpec positions = {
      "positions", {"batch", "seq"}, "tokens, in [-2^31, 2^31); [seq] serves every batch", false, true};
  static const std::vector<OperationSpec> operations = {
      {"rope.frequencies", "the frequency of every pair, in radians a token", frequencies, {},
       {{"w", {"pair"}, "frequencies"}}, ErrorUnit::kUlp, ValidateFrequencies},
      {"rope.table", "cosine and sine of position times frequency", frequencies, {positions},
       {{"cos", {"batch", "seq", "pair"}, "cosines"}, {"sin", {"batch", "seq", "pair"}, "sines"}},
       ErrorUnit::kUlp, ValidateTable},
      {"rope.apply", "rotate the pairs of queries or keys by their positions", apply,
       {{"x", {"batch", "seq", "heads", "head_dim"}, "queries or keys"},
        {"positions", {"batch", "seq"}, positions.meaning, true, true},
        {"cos", {"batch", "seq", "pair"}, "given cosines, any values", true},
        {"sin", {"batch", "seq", "pair"}, "given sines, any values", true}},
       {{"y", {"batch", "seq", "heads", "head_dim"}, "rotated x"}},
       ErrorUnit::kRoundoffOfSum, ValidateApply, "x"}};
  return operations;
}

}  // namespace rope
}  // namespace gnomon

#endif  // GNOMON_SPEC_ROPE_H_
