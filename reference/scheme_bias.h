// Softmax attention whose bias, or what it adds to keys and values, a scheme defines (ALIBI-8,
// T5-9, REL-12): ATT-1 to ATT-4 and ATT-13, ATT-14 are attention.cc's, the bias and how far it may
// be off are the scheme's.
#ifndef GNOMON_REFERENCE_SCHEME_BIAS_H_
#define GNOMON_REFERENCE_SCHEME_BIAS_H_

#include <memory>

#include "gnomon/reference/truth.h"
#include "gnomon/spec/attention.h"

namespace gnomon::reference {

class SchemeBias {
 public:
  struct Pair {
    int64_t batch, head, query, key;
  };
  virtual ~SchemeBias() = default;
  // The bias is a slope of the head, at the precision in force, times an exact number: so equal
  // biases are equal.
  virtual Interval Slope(int64_t head) const = 0;
  virtual double Multiple(const Pair& pair) const = 0;
  // Their product, or so: its size, and whether it is a number at all (ATT-13).
  virtual double About(const Pair& pair) const = 0;
  // beta of ATT-14.
  virtual Interval Error(const Pair& pair, const Profile& profile) const = 0;
  // A row that sees the pair has no bound, and any answer is open.
  virtual bool IsOpen(const Pair& pair, const Profile& profile) const = 0;

  // REL-12. Whether it adds vectors to keys and values, and no bias; their components.
  virtual bool AddsVectors() const { return false; }
  virtual double OfKey(const Pair&, int64_t) const { return 0; }
  virtual double OfValue(const Pair&, int64_t) const { return 0; }
};

// y [batch, query, query_heads, value_dim] of q, k, v and key_mask. The case must outlive it.
std::unique_ptr<Truth> MakeBiasedAttention(const Case& c, const gnomon::attention::Parameters& p,
                                           std::unique_ptr<SchemeBias> bias);

}  // namespace gnomon::reference

#endif  // GNOMON_REFERENCE_SCHEME_BIAS_H_
