// The operations of T5's bias: their parameters, tensors and shapes (spec/t5_bias.md).
#include "gnomon/spec/t5_bias.h"

#include "gnomon/spec/schemes.h"

namespace gnomon::t5_bias {
namespace {

// [(batch,) query, key] of the two positions (ALIBI-2).
Shape PairShape(const Case& c) {
  Shape query = ValidatePositions(c, "query_positions", 2);
  const Shape key = ValidatePositions(c, "key_positions", 2);
  if (query.size() != key.size())
    throw Rejected("key_positions", "rank " + std::to_string(key.size()),
                   "must have a batch where query_positions has one", "T5-3");
  if (key.size() == 2) RequireExtent("key_positions", "batch", key[0], query[0], "T5-3");
  query.push_back(key.back());
  return query;
}

std::vector<OutputShape> ValidateBucket(const Case& c) {
  ReadBuckets(c);
  return {{"buckets", PairShape(c), true}};
}

std::vector<OutputShape> ValidateDeberta(const Case& c) {
  ReadDeberta(c);
  return {{"buckets", PairShape(c), true}};
}

// T5-4.
void RequireTable(const Case& c, const T5Buckets& t) {
  const Shape& table = c.inputs.at("table").shape();
  if (table.size() != 2)
    throw Rejected("table", "rank " + std::to_string(table.size()), "must be [bucket, heads]",
                   "T5-4");
  RequireExtent("table", "bucket", table[0], t.num_buckets, "T5-4");
  RequireCaseFormat(c, "table");
}

std::vector<OutputShape> ValidateBias(const Case& c) {
  RequireTable(c, ReadBuckets(c));
  Shape shape = PairShape(c);
  shape.insert(shape.end() - 2, c.inputs.at("table").shape()[1]);
  return {{"bias", shape}};
}

// T5-9.
std::vector<OutputShape> ValidateAttention(const Case& c) {
  const attention::Extents e = attention::ValidateHeads(c);
  const T5Buckets t = ReadAttention(c).buckets;
  RequireTable(c, t);
  RequireExtent("table", "heads", c.inputs.at("table").shape()[1], e.heads, "T5-9");
  attention::ValidateHeadPositions(c, e, "T5-9");
  return {{"y", {e.batch, e.queries, e.heads, e.value_dim}}};
}

}  // namespace

const std::vector<OperationSpec>& Operations() {
  static const std::vector<ParameterSpec> buckets = {
      {"num_buckets", "32", "2 to 4096; 4 if bidirectional", "rows of the table"},
      {"max_distance", "128", "above max_exact, at most 2^31", "from here on the last bucket"},
      {"bidirectional", "required", "true, false",
       "false: keys after the query count as distance 0"}};
  static const std::vector<TensorSpec> positions = {
      {"query_positions", {"batch", "query"}, "tokens, in [-2^31, 2^31)", false, true},
      {"key_positions", {"batch", "key"}, "tokens, in [-2^31, 2^31)", false, true}};
  static const std::vector<TensorSpec> with_table = [] {
    std::vector<TensorSpec> all = positions;
    all.push_back({"table", {"bucket", "heads"}, "learned; any values"});
    return all;
  }();
  static const std::vector<ParameterSpec> of_attention = [] {
    std::vector<ParameterSpec> all = attention::HeadParameters();
    all[1].otherwise = "1";
    all.insert(all.end(), buckets.begin(), buckets.end());
    return all;
  }();
  static const std::vector<TensorSpec> heads = [] {
    std::vector<TensorSpec> all = attention::HeadInputs();
    all.insert(all.end(), positions.begin(), positions.end());
    all.push_back({"table", {"bucket", "query_heads"}, "learned; any values"});
    return all;
  }();
  static const std::vector<TensorSpec> indices = {
      {"buckets", {"batch", "query", "key"}, "buckets", false, true}};
  static const std::vector<OperationSpec> operations = {
      {"t5_bias.bucket",
       "T5's bucket of key position - query position",
       buckets,
       positions,
       indices,
       ErrorUnit::kUlp,
       ValidateBucket,
       "",
       {"batch", "query", "key"}},
      {"t5_bias.bias",
       "the table's entry of every bucket",
       buckets,
       with_table,
       {{"bias", {"batch", "heads", "query", "key"}, "added to the scores"}},
       ErrorUnit::kUlp,
       ValidateBias,
       "",
       {"batch", "heads", "query", "key"}},
      {"t5_bias.deberta_bucket",
       "DeBERTa's logarithmic bucket of query position - key position",
       {{"position_buckets", "256", "4 to 4096", "twice the distances that are exact"},
        {"max_relative_positions", "512", "above position_buckets / 2 + 1, at most 2^31",
         "one more than the distance of the last bucket"},
        {"clamp", "true", "true, false", "false: buckets go on beyond it, as in Hugging Face"}},
       positions,
       indices,
       ErrorUnit::kUlp,
       ValidateDeberta,
       "",
       {"batch", "query", "key"}},
      {"t5_bias.attention",
       "attention.softmax with that bias, not scaled unless asked",
       of_attention,
       heads,
       {{"y", {"batch", "query", "query_heads", "value_dim"}, "outputs"}},
       ErrorUnit::kRoundoffOfSum,
       ValidateAttention,
       "",
       {"batch"}}};
  return operations;
}

}  // namespace gnomon::t5_bias
