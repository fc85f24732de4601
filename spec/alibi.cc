// The ALiBi operations: their parameters, tensors and shapes (spec/alibi.md).
#include "gnomon/spec/alibi.h"

#include "gnomon/spec/schemes.h"

namespace gnomon::alibi {
namespace {

std::vector<OutputShape> ValidateSlopes(const Case& c) {
  return {{"slopes", {ReadSlopes(c).num_heads}}};
}

// ALIBI-2.
std::vector<OutputShape> ValidateBias(const Case& c) {
  const BiasParameters p = ReadBias(c);
  const Shape query = ValidatePositions(c, "query_positions", 2);
  const Shape key = ValidatePositions(c, "key_positions", 2);
  if (query.size() != key.size())
    throw Rejected("key_positions", "rank " + std::to_string(key.size()),
                   "must have a batch where query_positions has one", "ALIBI-2");
  Shape shape = {p.slopes.num_heads, query.back(), key.back()};
  if (key.size() == 2) {
    RequireExtent("key_positions", "batch", key[0], query[0], "ALIBI-2");
    shape.insert(shape.begin(), query[0]);
  }
  return {{"bias", shape}};
}

// ALIBI-8.
std::vector<OutputShape> ValidateAttention(const Case& c) {
  const attention::Extents e = attention::ValidateHeads(c);
  ReadAttention(c);
  attention::ValidateHeadPositions(c, e, "ALIBI-8");
  return {{"y", {e.batch, e.queries, e.heads, e.value_dim}}};
}

}  // namespace

const std::vector<OperationSpec>& Operations() {
  static const std::vector<ParameterSpec> slopes = {
      {"num_heads", "required", "1 to 65536", "heads"},
      {"alibi_bias_max", "8", "positive, at most 2^20", "exponent of the last slope, negated"}};
  static const std::vector<ParameterSpec> bias = [] {
    std::vector<ParameterSpec> all = slopes;
    all.push_back({"form", "required", "distance, key, key_from_the_end, distance_below",
                   "what a row is measured from"});
    return all;
  }();
  static const std::vector<TensorSpec> positions = {
      {"query_positions", {"batch", "query"}, "tokens, in [-2^31, 2^31)", false, true},
      {"key_positions", {"batch", "key"}, "tokens, in [-2^31, 2^31)", false, true}};
  static const std::vector<ParameterSpec> of_attention = [] {
    std::vector<ParameterSpec> all = attention::HeadParameters();
    all.insert(all.end(), bias.begin() + 1, bias.end());
    return all;
  }();
  static const std::vector<TensorSpec> heads = [] {
    std::vector<TensorSpec> all = attention::HeadInputs();
    all.insert(all.end(), positions.begin(), positions.end());
    return all;
  }();
  static const std::vector<OperationSpec> operations = {
      {"alibi.slopes",
       "2^(-B h / c), one for each head",
       slopes,
       {},
       {{"slopes", {"heads"}, "slopes"}},
       ErrorUnit::kUlp,
       ValidateSlopes},
      {"alibi.bias",
       "the slope times the distance, in one of four row forms",
       bias,
       positions,
       {{"bias", {"batch", "heads", "query", "key"}, "added to the scores"}},
       ErrorUnit::kUlp,
       ValidateBias,
       "",
       {"batch", "query"}},
      {"alibi.attention",
       "attention.softmax with that bias",
       of_attention,
       heads,
       {{"y", {"batch", "query", "query_heads", "value_dim"}, "outputs"}},
       ErrorUnit::kRoundoffOfSum,
       ValidateAttention,
       "",
       {"batch"}}};
  return operations;
}

}  // namespace gnomon::alibi
