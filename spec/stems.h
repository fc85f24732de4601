// The list of schemes: the only one there is. Each has its stem in every room; each room declares
// and collects its share of every stem from here (CONTRIBUTING.md, "Adding a scheme").
#ifndef GNOMON_SPEC_STEMS_H_
#define GNOMON_SPEC_STEMS_H_

// clang-format off
#define GNOMON_FOR_EACH_STEM(apply) \
  apply(rope) \
  apply(sinusoidal) \
  apply(rope_scaling) \
  apply(multi_axis) \
  apply(attention) \
  apply(alibi) \
  apply(t5_bias) \
  apply(relative) \
  apply(learned)
// clang-format on

#endif  // GNOMON_SPEC_STEMS_H_
