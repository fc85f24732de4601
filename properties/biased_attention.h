// Attention whose bias a scheme defines: cases, tolerances and properties of such an operation
// (ALIBI-8 to ALIBI-10, T5-9 to T5-11), or adds vectors to keys and values (REL-12 to REL-14).
#ifndef GNOMON_PROPERTIES_BIASED_ATTENTION_H_
#define GNOMON_PROPERTIES_BIASED_ATTENTION_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gnomon/properties/attention_cases.h"
#include "gnomon/properties/offset_cases.h"
#include "gnomon/properties/property.h"
#include "gnomon/properties/tolerance.h"

namespace gnomon::properties::attention {

// Of one pair: |bias| or more, beta of ATT-14, and whether the bias lets it through.
struct SchemeTerm {
  double size = 0, error = 0;
  bool seen = true;
  // REL-14, of what is added to the key and the value: sum |q_c a_c|, sum |a_c|, the largest
  // |aV_c|.
  double products = 0, operands = 0, value = 0;
};
using SchemeTermOf =
    std::function<SchemeTerm(int64_t batch, int64_t head, int64_t query, int64_t key)>;

// The norm form of ATT-14 (ATT-16) of one row: every key counts like the worst, values by the
// largest, V. 0 where it sees no key, infinite where nothing is proved.
double NormForm(const Profile& promise, Format format, int64_t head_dim, bool has_bias,
                double bias_roundings, double scale,
                const std::vector<gnomon::attention::KeyTerms<double>>& seen, double V,
                int vectors = 1);

// The norm form of ATT-14 (ATT-16) with that bias; with two vectors and no bias, of REL-13.
std::unique_ptr<Tolerance> MakeBiasedTolerance(const Profile& promise, const Case& c,
                                               const gnomon::attention::Parameters& p,
                                               const SchemeTermOf& scheme, int vectors = 1);

struct BiasedDraw {
  Draw heads;
  DrawPositions positions;
};

// One operation: q, k, v, key_mask, query_positions, key_positions, and what `add` puts in besides.
struct BiasedScheme {
  std::string operation;                  // "alibi.attention"
  std::string definition, bound, memory;  // its clauses
  std::string translation;                // the theorem of ATT-6
  // Parameters and tables, these on strided memory or not.
  std::function<void(Trial&, bool memory, Case*)> add;
  std::function<Case(Case)> by_offset;  // the same in a form that offsets decide alone
};

Case DrawBiased(Trial& t, const BiasedScheme& scheme, const BiasedDraw& draw);
// A few tokens and dims, positions below `limit`.
BiasedDraw FewTokens(int64_t limit);
// Keys at 0, 1, 2, .., the last query where the last key is: what a causal mask takes them for.
Case WithCountedPositions(Case c);
// The query alone, with its batch row.
Case QueryAlone(const Case& c, int64_t batch, int64_t query);

std::vector<Property> BiasedProperties(const BiasedScheme& scheme);

}  // namespace gnomon::properties::attention

#endif  // GNOMON_PROPERTIES_BIASED_ATTENTION_H_
