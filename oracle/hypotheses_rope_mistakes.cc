// The list of known mistakes in rotary embeddings (spec/mistakes.md), as hypotheses.
#include "gnomon/oracle/hypotheses_rope.h"

namespace gnomon::oracle::rope {
namespace {

using Mistake = Entry<RopeChange>;
using Make = Mistake::Make;

Make Layouts(RopeLayout in, RopeLayout out) {
  return [=](const Case& c, RopeChange* change) {
    if (!IsApply(c) || (change->a.input_layout == in && change->a.output_layout == out))
      return false;
    change->a.input_layout = in;
    change->a.output_layout = out;
    return true;
  };
}
// The signs of the products of a kernel that is asked to transpose.
Make Transposed(double cos_a, double sin_a, double sin_b, double cos_b) {
  return [=](const Case& c, RopeChange* change) {
    if (!IsApply(c) || !IsTranspose(*change)) return false;
    change->cos_a = cos_a, change->sin_a = sin_a, change->sin_b = sin_b, change->cos_b = cos_b;
    return true;
  };
}
Make Counts(Count count) {
  return [=](const Case& c, RopeChange* change) {
    change->count = count;
    return c.inputs.count("positions") > 0;
  };
}
Make Reads(Source source) {
  return [=](const Case& c, RopeChange* change) {
    change->source = source;
    return IsApply(c);
  };
}
Make Leaves(Fill fill) {
  return [=](const Case& c, RopeChange* change) {
    change->copied = fill;
    return IsApply(c) && change->a.frequencies.rotary_dim < change->a.frequencies.head_dim;
  };
}

}  // namespace

const std::vector<Mistake>& Entries() {
  static const std::vector<Mistake> all = [] {
    constexpr RopeLayout kHalf = RopeLayout::kHalfSplit, kInter = RopeLayout::kInterleaved;
    std::vector<Mistake> entries = {
        Mistake::Convention("layout/half-split", "pairs (i, i+r/2), whatever layout is asked",
                            Layouts(kHalf, kHalf)),
        Mistake::Convention("layout/interleaved", "pairs (2i, 2i+1), whatever layout is asked",
                            Layouts(kInter, kInter)),
        Mistake::Convention("layout/interleaved-to-half-split",
                            "reads interleaved, writes half split", Layouts(kInter, kHalf)),
        Mistake::Convention("layout/half-split-to-interleaved",
                            "reads half split, writes interleaved", Layouts(kHalf, kInter)),
        Mistake::Convention("layout/output-ignored", "writes in the layout it reads",
                            [](const Case& c, RopeChange* change) {
                              return Layouts(change->a.input_layout, change->a.input_layout)(
                                  c, change);
                            }),
        Mistake::Convention("sign", "sine negated",
                            [](const Case&, RopeChange* c) {
                              c->sin_a = -c->sin_a, c->sin_b = -c->sin_b;
                              return true;
                            }),
        Mistake::Convention("backward", "the transpose turns forward", Transposed(1, -1, -1, 1)),
        Mistake::Formula("backward/half-signs", "the transpose changes one sign of two",
                         Transposed(1, 1, -1, 1)),
        Mistake::Formula("backward/other-half-signs", "the transpose changes the other sign of two",
                         Transposed(1, -1, 1, 1)),
        Mistake::Formula("backward/cosine", "the transpose negates the cosine",
                         Transposed(-1, 1, 1, -1)),
        Mistake::Formula("sign/one-member", "both members of a pair take + s",
                         [](const Case& c, RopeChange* change) {
                           change->sin_a = -1;
                           return IsApply(c);
                         }),
        Mistake::Formula("table-layout", "table [f0, f0, f1, f1, ..] with the half rotation",
                         [](const Case& c, RopeChange* change) {
                           change->table = Table::kInterleaved;
                           return IsApply(c) && change->a.input_layout == kHalf;
                         }),
        Mistake::Formula("table-layout/exchanged",
                         "the table of cosines taken for that of sines, and back",
                         [](const Case& c, RopeChange* change) {
                           change->table = Table::kExchanged;
                           return IsApply(c);
                         }),
        Mistake::Formula("table-layout/concatenated",
                         "table [f0, f1, .., f0, f1, ..] with adjacent pairs",
                         [](const Case& c, RopeChange* change) {
                           change->table = Table::kConcatenated;
                           return IsApply(c) && change->a.input_layout == kInter;
                         }),
        Mistake::Formula("scaling-ignored/wholly", "rope_type ignored, its magnitude too",
                         [](const Case&, RopeChange* change) {
                           const bool has = change->a.frequencies.scaling.HasMagnitude();
                           change->a.frequencies.scaling = {};
                           return has;
                         }),
        Mistake::Formula("yarn-magnitude/cosine", "the magnitude on the cosines alone",
                         [](const Case&, RopeChange* change) {
                           change->cosines_alone = true;
                           return change->a.frequencies.scaling.ScalesRotation();
                         }),
        Mistake::Formula("longrope-switch/token", "the length of each token for that of the call",
                         [](const Case&, RopeChange* change) {
                           change->length_of_token = true;
                           return change->a.frequencies.scaling.NeedsLength();
                         }),
        Mistake::Formula("divisor", "exponent divided by head_dim",
                         [](const Case&, RopeChange* change) {
                           const RopeFrequencies& f = change->a.frequencies;
                           change->shared.divisor = f.head_dim;
                           return f.frequencies.empty() && f.rotary_dim < f.head_dim;
                         }),
        Mistake::Formula("divisor/whole-head", "all dims turned, whatever rotary_dim is",
                         [](const Case& c, RopeChange* change) {
                           RopeFrequencies& f = change->a.frequencies;
                           if (!IsApply(c) || c.inputs.count("cos") || !f.frequencies.empty() ||
                               f.head_dim % 2 != 0 || f.rotary_dim == f.head_dim)
                             return false;
                           f.rotary_dim = f.head_dim;
                           change->a.rotary_offset = 0;
                           return true;
                         }),
        Mistake::Formula("pair-offset", "pairs (i, i+d/2) in a partial window",
                         [](const Case& c, RopeChange* change) {
                           const RopeFrequencies& f = change->a.frequencies;
                           if (!IsApply(c) || change->a.input_layout != kHalf ||
                               f.head_dim % 2 != 0 ||
                               (f.rotary_dim == f.head_dim && change->a.output_layout == kHalf))
                             return false;
                           change->member_distance = f.head_dim / 2;
                           return true;
                         }),
        Mistake::Formula("pair-offset/window", "the window starts at dim 0",
                         [](const Case& c, RopeChange* change) {
                           if (!IsApply(c) || change->a.rotary_offset == 0) return false;
                           change->a.rotary_offset = 0;
                           return true;
                         }),
        Mistake::Formula("pair-offset/window-last", "the window is the last dims of a head",
                         [](const Case& c, RopeChange* change) {
                           const RopeFrequencies& f = change->a.frequencies;
                           const int64_t last = f.head_dim - f.rotary_dim;
                           if (!IsApply(c) || change->a.rotary_offset == last) return false;
                           change->a.rotary_offset = last;
                           return true;
                         }),
        Mistake::State("in-place", "y_b from the overwritten x_a",
                       [](const Case& c, RopeChange* change) {
                         change->overwritten = true;
                         return IsApply(c);
                       }),
        Mistake::Formula("q-k-crossed/heads", "heads taken in reverse order",
                         Reads(Source::kHeadsReversed)),
        Mistake::Formula("q-k-crossed/batches", "batch rows taken in reverse order",
                         Reads(Source::kBatchesReversed)),
        Mistake::Formula("q-k-crossed/first-head", "only the first head is turned",
                         [](const Case& c, RopeChange* change) {
                           change->first_head_only = true;
                           return IsApply(c);
                         }),
        Mistake::State("stride-ignored/input", "input taken as contiguous",
                       Reads(Source::kContiguous)),
        Mistake::State("stride-ignored/heads", "heads taken as adjacent",
                       Reads(Source::kHeadsAdjacent)),
        Mistake::State("row-positions", "the first row's positions for every row",
                       Counts(Count::kFirstRow)),
        Mistake::State("heads-as-seq", "position taken from the head index",
                       [](const Case& c, RopeChange* change) {
                         return IsApply(c) && Counts(Count::kHeads)(c, change);
                       }),
        Mistake::Formula("arange-positions", "0..T-1 whatever the positions are",
                         Counts(Count::kTokens)),
        Mistake::Formula("arange-positions/from-first", "positions counted from the first token's",
                         Counts(Count::kFromFirst)),
        Mistake::State("window-not-copied/zeroed", "dims outside the window zeroed",
                       Leaves(Fill::kZero)),
        Mistake::State("window-not-copied", "dims outside the window not written",
                       Leaves(Fill::kOnes)),
        Mistake::State("window-not-copied/nan-payload", "copied NaNs become the default NaN",
                       Leaves(Fill::kDefaultNan)),
    };
    for (const int lanes : {4, 8, 16})
      entries.push_back(Mistake::State(
          "tail-overwrite/" + std::to_string(lanes),
          "zeros written past the window, up to a full vector of " + std::to_string(lanes),
          [lanes](const Case& c, RopeChange* change) {
            change->overwrite_lanes = lanes;
            return IsApply(c);
          }));
    for (const auto* list : {&FrequencyMistakes(), &MagnitudeMistakes()})
      for (const ScalingMistake& mistake : *list)
        entries.push_back({mistake.about, [&mistake](const Case&, RopeChange* change) {
                             RopeFrequencies& f = change->a.frequencies;
                             return f.scaled() && mistake.make(&f, &change->scaling);
                           }});
    for (const Entry<XposChange>& entry : XposEntries())
      entries.push_back({entry.about, [&entry](const Case& c, RopeChange* change) {
                           return entry.make(c, &change->xpos);
                         }});
    AddShared(
        {Concerns::kAngles, Concerns::kPositions, Concerns::kWidths, Concerns::kStorage},
        [](const Case& c, const RopeChange& change) {
          const RopeFrequencies& f = change.a.frequencies;
          return c.inputs.count("cos") || !f.frequencies.empty() ? nullptr : &f.rope_theta;
        },
        &entries);
    return entries;
  }();
  return all;
}

}  // namespace gnomon::oracle::rope
