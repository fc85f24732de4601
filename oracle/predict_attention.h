// What the known mistakes of attention change, and the answers that follow: shared by the list of
// hypotheses (hypotheses_attention.cc) and its evaluation (predict_attention.cc).
#ifndef GNOMON_ORACLE_PREDICT_ATTENTION_H_
#define GNOMON_ORACLE_PREDICT_ATTENTION_H_

#include <memory>
#include <optional>

#include "gnomon/oracle/hypotheses.h"
#include "gnomon/spec/attention.h"

namespace gnomon::oracle::attention {

struct AttentionChange {
  Change shared;
  // Mask.
  int64_t anchor = 0;  // added to the last key that a causal mask lets through
  bool top_left = false, no_mask = false, no_key_mask = false, masks_weights = false;
  bool batch_zero = false, by_position = false;  // of a scheme: the mask goes by positions
  double no_key = 0;  // a query without keys: 0; NaN; 1: the mean of all values
  bool leaks_values = false, leaks_scores = false, all_maximum = false;
  int key_lanes = 0;
  int overwrite_lanes = 0;  // of vectors that end beyond a row of the output
  // Scores.
  std::optional<double> scale;
  int scale_power = 1;
  double cap = 0;                   // of cap tanh(score / cap), before the bias
  bool bias_after_softmax = false;  // of a scheme: added to the weights
  bool bias_scaled = false, bias_turned = false, bias_left_out = false, bias_of_head_zero = false;
  double bias_sign = 1;
  bool no_slopes = false, plain_slopes = false;
  bool kv_modulo = false, kv_first = false, exchanged = false, keys_for_values = false;
  bool k_contiguous = false, short_q = false;  // offsets of q in 16 bits
  bool after_values = false;                   // adds zero times what lies after the first row of v
  std::optional<Format> scores_in, weights_in;
  bool exponentials_narrow = false;  // weights before they are divided by their sum
  bool vector_by_key = false, scales_content_only = false, last_of_row = false;  // REL-12
  // Softmax.
  bool over_queries = false, no_maximum = false, base_two = false, not_normalised = false;
  double added = 0;      // to the sum
  bool sink = false;     // a key more, of score and value 0
  bool guarded = false;  // 0, not NaN, where all exponentials of a row are 0
  int block = 0;         // of an online softmax that forgets to rescale
  bool rescales_sum = true;
  // Terms.
  bool w_turned = false, terms_exchanged = false;
  int missing = -1;
  double untied_content = 1, untied_position = 1;  // times 1 / sqrt(2 d)
};

// Of heads, whatever is added to their scores: of attention.softmax and .weights, and of the
// attention of a scheme.
const std::vector<Entry<AttentionChange>>& HeadMistakes();
// The same for a scheme, whose changes have `heads` and whose positions can take the mask's place.
template <typename SchemeChange>
void AddHeads(const std::string& operation, std::vector<Entry<SchemeChange>>* entries) {
  const auto add = [&](const Hypothesis& about, const Entry<AttentionChange>::Make& make) {
    entries->push_back({about, [=](const Case& c, SchemeChange* change) {
                          return c.operation == operation && make(c, &change->heads);
                        }});
  };
  for (const Entry<AttentionChange>& entry : HeadMistakes()) {
    add(entry.about, entry.make);
    if (entry.about.id != "mask/ignored") continue;
    add({"mask/by-position", "causal by positions, not by number", false, false},
        [make = entry.make](const Case& c, AttentionChange* heads) {
          return heads->by_position = make(c, heads);
        });
  }
}

// What a scheme adds to a score (ALIBI-8, T5-9), as the kernel takes it: beta of ATT-14 by profile,
// and of the number here. `known`: false where it cannot be said.
struct PairBias {
  double value = 0, own_error = 0;
  PerProfile error{};
  bool known = true;
};
using PairBiasOf = std::function<PairBias(int64_t batch, int64_t head, int64_t query, int64_t key)>;

// REL-12. Component `c` of what is added to the key and to the value of a pair, and the pair's row.
struct PairVectors {
  std::function<double(int64_t batch, int64_t head, int64_t query, int64_t key, int64_t c)> key,
      value;
  std::function<int64_t(int64_t batch, int64_t query, int64_t key)> row;
};

// Of an operation that takes q, k, v and key_mask, and defines itself its bias, or what is added to
// keys and values.
std::unique_ptr<Predictor> PredictBiased(const Answered& answered,
                                         const gnomon::attention::Parameters& p,
                                         const AttentionChange& change, const PairBiasOf& bias,
                                         const PairVectors& vectors = {});

// Of attention.four_term and attention.untied.
std::unique_ptr<Predictor> PredictSum(const Answered& answered, const AttentionChange& change);

std::unique_ptr<Predictor> PredictWith(const Answered& answered, const AttentionChange& change);

}  // namespace gnomon::oracle::attention

#endif  // GNOMON_ORACLE_PREDICT_ATTENTION_H_
