// The operations on relative position vectors: their parameters, tensors and shapes
// (spec/relative.md).
#include "gnomon/spec/relative.h"

#include "gnomon/spec/schemes.h"

namespace gnomon::relative {
namespace {

// The input must have these extents; below 0: any.
Shape RequireShape(const Case& c, const std::string& role, const Shape& extents,
                   const std::string& form, const std::string& clause) {
  const Shape& shape = c.inputs.at(role).shape();
  bool fits = shape.size() == extents.size();
  for (size_t i = 0; fits && i < shape.size(); ++i) fits = extents[i] < 0 || shape[i] == extents[i];
  if (!fits) throw Rejected(role, ShapeText(shape), "must be " + form, clause);
  RequireCaseFormat(c, role);
  return shape;
}

int64_t RequireTable(const Case& c, const VectorParameters& p, int64_t head_dim) {
  return RequireShape(c, "table", {p.rows(), head_dim},
                      "[2 max_relative_position + 1, head_dim], here [" + std::to_string(p.rows()) +
                          ", " + (head_dim < 0 ? "any" : std::to_string(head_dim)) + "]",
                      "REL-2")[1];
}

std::vector<OutputShape> ValidateScores(const Case& c) {
  const VectorParameters p = ReadVectors(c);
  const int64_t m = ValidatePositions(c, "m", 1)[0], n = ValidatePositions(c, "n", 1)[0];
  const int64_t head_dim =
      RequireShape(c, "q", {m, -1}, "[m, head_dim] with m " + std::to_string(m), "REL-3")[1];
  if (head_dim == 0) throw Rejected("q", "head_dim 0", "must have head_dim 1 at least", "REL-3");
  RequireShape(c, "k", {n, head_dim}, "[n, head_dim] with n " + std::to_string(n), "REL-3");
  RequireTable(c, p, head_dim);
  return {{"scores", {m, n}}};
}

std::vector<OutputShape> ValidateValues(const Case& c) {
  const VectorParameters p = ReadVectors(c);
  const int64_t m = ValidatePositions(c, "m", 1)[0], n = ValidatePositions(c, "n", 1)[0];
  RequireShape(c, "weights", {m, n}, "[m, n], here " + ShapeText({m, n}), "REL-4");
  const int64_t head_dim =
      RequireShape(c, "v", {n, -1}, "[n, head_dim] with n " + std::to_string(n), "REL-4")[1];
  RequireTable(c, p, head_dim);
  return {{"y", {m, head_dim}}};
}

std::vector<OutputShape> ValidateVectors(const Case& c) {
  const VectorParameters p = ReadVectors(c);
  const int64_t m = ValidatePositions(c, "m", 1)[0], n = ValidatePositions(c, "n", 1)[0];
  return {{"vectors", {m, n, RequireTable(c, p, -1)}}};
}

std::vector<OutputShape> ValidateShift(const Case& c) {
  const ShiftParameters p = ReadShift(c);
  const Tensor& a = c.inputs.at("a");
  Shape shape = a.shape();
  if (shape.size() < 2 || shape.size() > 4)
    throw Rejected(
        "a", "rank " + std::to_string(shape.size()),
        "must be [batch, heads, query, column], without leading axes where there are none",
        "REL-5");
  RequireCaseFormat(c, "a");
  const int64_t queries = shape[shape.size() - 2], columns = shape.back();
  if (c.operation == "relative.xl_shift") {
    if (columns < queries)
      throw Rejected("a", ShapeText(shape), "must have a key for every query at least", "REL-5");
    return {{"b", shape}};
  }
  if (p.form == SkewForm::kCausal && columns != queries)
    throw Rejected("a", ShapeText(shape), "must have as many columns as queries", "REL-8");
  if (p.form == SkewForm::kFull && (queries < 1 || columns < queries))
    throw Rejected("a", ShapeText(shape), "must have queries + keys - 1 columns", "REL-8");
  if (p.form == SkewForm::kFull) shape.back() = columns - queries + 1;
  return {{"b", shape}};
}

// REL-12.
std::vector<OutputShape> ValidateAttention(const Case& c) {
  const attention::Extents e = attention::ValidateHeads(c);
  const int64_t rows = ReadAttention(c).rows.rows();
  RequireShape(c, "key_table", {rows, e.head_dim},
               "[2 max_relative_position + 1, head_dim], here " + ShapeText({rows, e.head_dim}),
               "REL-2");
  RequireShape(c, "value_table", {rows, e.value_dim},
               "[2 max_relative_position + 1, value_dim], here " + ShapeText({rows, e.value_dim}),
               "REL-2");
  attention::ValidateHeadPositions(c, e, "REL-12");
  return {{"y", {e.batch, e.queries, e.heads, e.value_dim}}};
}

}  // namespace

const std::vector<OperationSpec>& Operations() {
  static const ParameterSpec K = {"max_relative_position", "required", "0 to 1048576",
                                  "K: distances beyond it are clipped, in tokens"};
  static const ParameterSpec difference = {"difference", "key_minus_query",
                                           "key_minus_query, query_minus_key",
                                           "which way round positions are subtracted"};
  static const ParameterSpec scale = {"scale", "rsqrt_head_dim", "positive, or rsqrt_head_dim",
                                      "multiplies the scores"};
  static const ParameterSpec after = {"after", "leftover", "leftover, zero",
                                      "what stands at keys after the query"};
  static const ParameterSpec form = {"form", "causal", "causal, full",
                                     "keys up to the query, or on both sides"};
  static const TensorSpec m = {"m", {"m"}, "positions of the queries", false, true};
  static const TensorSpec n = {"n", {"n"}, "positions of the keys", false, true};
  static const TensorSpec table = {"table", {"row", "head_dim"}, "a row for each distance"};
  static const TensorSpec a = {
      "a", {"batch", "heads", "query", "column"}, "one column for each distance"};
  static const TensorSpec b = {"b", {"batch", "heads", "query", "key"}, "one column for each key"};
  static const std::vector<ParameterSpec> of_attention = [] {
    std::vector<ParameterSpec> all = attention::HeadParameters();
    all.insert(all.end(), {K, difference});
    return all;
  }();
  static const std::vector<TensorSpec> heads = [] {
    std::vector<TensorSpec> all = attention::HeadInputs();
    all.insert(all.end(),
               {{"key_table", {"row", "head_dim"}, "a row for each distance, added to keys"},
                {"value_table", {"row", "value_dim"}, "a row for each distance, added to values"},
                {"query_positions", {"batch", "query"}, "tokens, in [-2^31, 2^31)", false, true},
                {"key_positions", {"batch", "key"}, "tokens, in [-2^31, 2^31)", false, true}});
    return all;
  }();
  static const std::vector<OperationSpec> operations = {
      {"relative.scores",
       "q . (k + the row of their distance), scaled",
       {K, difference, scale},
       {{"q", {"m", "head_dim"}, "queries"}, {"k", {"n", "head_dim"}, "keys"}, table, m, n},
       {{"scores", {"m", "n"}, "scores before the softmax"}},
       ErrorUnit::kRoundoffOfSum,
       ValidateScores,
       "",
       {"m", "n"}},
      {"relative.values",
       "sums of weight (v + the row of their distance)",
       {K, difference},
       {{"weights", {"m", "n"}, "attention weights"},
        {"v", {"n", "head_dim"}, "values"},
        table,
        m,
        n},
       {{"y", {"m", "head_dim"}, "weighted sums"}},
       ErrorUnit::kRoundoffOfSum,
       ValidateValues,
       "",
       {"m"}},
      {"relative.vectors",
       "the row of every query's distance from every key",
       {K, difference},
       {table, m, n},
       {{"vectors", {"m", "n", "head_dim"}, "rows of the table"}},
       ErrorUnit::kUlp,
       ValidateVectors,
       "",
       {"m", "n"}},
      {"relative.skew",
       "scores by distance to scores by key (Music Transformer)",
       {form, after},
       {a},
       {b},
       ErrorUnit::kUlp,
       ValidateShift,
       "",
       {"batch", "heads"}},
      {"relative.xl_shift",
       "the same for queries that are the last of the keys (Transformer-XL)",
       {after},
       {a},
       {b},
       ErrorUnit::kUlp,
       ValidateShift,
       "",
       {"batch", "heads"}},
      {"relative.attention",
       "attention.softmax with those rows added to keys and values",
       of_attention,
       heads,
       {{"y", {"batch", "query", "query_heads", "value_dim"}, "outputs"}},
       ErrorUnit::kRoundoffOfSum,
       ValidateAttention,
       "",
       {"batch"}}};
  return operations;
}

}  // namespace gnomon::relative
