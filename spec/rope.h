// Rotary position embedding, as a contract (spec/rope.md; Su et al. 2021, arXiv:2104.09864).
//
// Parameters and their domain, the shapes of every operation, and the error bounds. Nothing here
// computes a value of the scheme: reference/rope.h and optimized/rope.h are two readings of
// rope.md.
#ifndef GNOMON_SPEC_ROPE_H_
#define GNOMON_SPEC_ROPE_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gnomon/spec/operation.h"
#include "gnomon/spec/rope_scaling.h"

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
  RopeScaling scaling;              // spec/rope_scaling.md; excludes `frequencies`

  bool scaled() const { return scaling.type != RopeType::kDefault; }
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
    const int64_t within = layout == RopeLayout::kInterleaved ? 2 * pair + member
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

// ROPE-2, and the clauses of other schemes with pairs. The default is head_dim.
inline int64_t ReadRotaryDim(ParameterReader& reader, int64_t head_dim, const std::string& clause) {
  const int64_t rotary_dim = reader.GetInteger("rotary_dim", head_dim, 1, kMaxHeadDim);
  if (rotary_dim % 2 == 0) return rotary_dim;
  if (!reader.Has("rotary_dim"))
    throw Rejected("head_dim", std::to_string(head_dim),
                   "must be even where no rotary_dim is given", clause);
  throw Rejected("rotary_dim", std::to_string(rotary_dim), "must be even", clause);
}

// ROPE-1: what rope.frequencies and rope.table share with other schemes, so without a scaling.
inline RopeFrequencies ReadFrequencies(ParameterReader& reader) {
  RopeFrequencies f;
  f.head_dim = reader.GetRequiredInteger("head_dim", 1, kMaxHeadDim);
  f.rotary_dim = ReadRotaryDim(reader, f.head_dim, "ROPE-2");
  if (f.rotary_dim > f.head_dim)
    throw Rejected("rotary_dim", std::to_string(f.rotary_dim),
                   "must not exceed head_dim = " + std::to_string(f.head_dim), "ROPE-5");
  f.frequencies = reader.GetNumbers("frequencies");
  if (reader.Has("frequencies")) {
    if (reader.Has("rope_theta"))
      throw Rejected("rope_theta", "(given)", "excludes frequencies: give one of the two",
                     "ROPE-1");
    if (static_cast<int64_t>(f.frequencies.size()) != f.pairs())
      throw Rejected("frequencies", std::to_string(f.frequencies.size()) + " numbers",
                     "must hold rotary_dim / 2 = " + std::to_string(f.pairs()), "ROPE-1");
  }
  f.rope_theta = reader.GetNumber("rope_theta", 10000);
  if (!(f.rope_theta.value > 0))
    throw Rejected("rope_theta", Plain(f.rope_theta), "must be positive", "ROPE-1");
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
    throw Rejected(
        "rotary_offset", std::to_string(a.rotary_offset),
        "the rotary window ends beyond head_dim = " + std::to_string(a.frequencies.head_dim),
        "ROPE-5");
  a.direction = reader.GetName("direction", a.direction, kRopeDirectionNames);
  return a;
}

// SCALE-1 to SCALE-12: with the parameters of rope_scaling.md, read before.
inline RopeScaling ReadScaling(const Parameters& parameters, ParameterReader& reader,
                               const RopeFrequencies& f) {
  return rope_scaling::ReadScaling(parameters, reader, rope_scaling::Asked::kFrequencies,
                                   f.rotary_dim, f.rope_theta);
}

inline RopeFrequencies ReadFrequencies(const Case& c) {
  ParameterReader reader(c.parameters, "ROPE-1");
  RopeFrequencies f = ReadFrequencies(reader);
  f.scaling = ReadScaling(c.parameters, reader, f);
  rope_scaling::ResolveLength(c, &f.scaling);
  reader.RejectOthers();
  return f;
}
inline RopeApply ReadApply(const Case& c) {
  ParameterReader reader(c.parameters, "ROPE-3");
  RopeApply a = ReadApply(reader);
  RopeFrequencies& f = a.frequencies;
  f.scaling = ReadScaling(c.parameters, reader, f);
  rope_scaling::ResolveLength(c, &f.scaling);
  reader.RejectOthers();
  return a;
}

}  // namespace rope
}  // namespace gnomon

#endif  // GNOMON_SPEC_ROPE_H_
