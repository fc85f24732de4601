// The operations of attention: their parameters, tensors and shapes (spec/attention.md).
#include "gnomon/spec/attention.h"

#include "gnomon/spec/schemes.h"

namespace gnomon::attention {
namespace {

// ATT-12. A format whose every value is one of the case's.
void RequireHeld(const Case& c, const std::string& role) {
  const Format format = FormatOf(c.inputs.at(role).dtype());
  const FormatTraits &have = Traits(format), &want = Traits(c.format);
  if (have.precision > want.precision || have.max_exponent > want.max_exponent ||
      have.min_quantum_exponent < want.min_quantum_exponent)
    throw Rejected(role, std::string(Name(c.inputs.at(role).dtype())),
                   "must be a format that " + std::string(want.name) + " holds", "ATT-12");
}

// The shape asked for; -1: any extent.
void RequireShape(const Case& c, const std::string& role, const Shape& asked,
                  const std::string& axes, const std::string& clause) {
  RequireHeld(c, role);
  const Shape& shape = c.inputs.at(role).shape();
  bool fits = shape.size() == asked.size();
  for (size_t i = 0; fits && i < asked.size(); ++i) fits = asked[i] < 0 || shape[i] == asked[i];
  if (!fits) throw Rejected(role, ShapeText(shape), "must be " + axes, clause);
}

// ATT-2.
void RequireMask(const Case& c, const Extents& e) {
  if (!c.inputs.count("key_mask")) return;
  const Tensor& mask = c.inputs.at("key_mask");
  if (mask.shape() != Shape{e.batch, e.keys})
    throw Rejected("key_mask", ShapeText(mask.shape()), "must be " + ShapeText({e.batch, e.keys}),
                   "ATT-2");
  for (int64_t i = 0; i < mask.count(); ++i)
    if (mask.Integer(i) != 0 && mask.Integer(i) != 1)
      throw Rejected("key_mask", std::to_string(mask.Integer(i)), "must be 0 or 1", "ATT-2");
}

// ATT-2, ATT-12: what both operations take besides.
void RequireBiasAndMask(const Case& c, const Extents& e) {
  ReadParameters(c);
  if (c.inputs.count("bias")) {
    const Shape& shape = c.inputs.at("bias").shape();
    const int64_t heads = !shape.empty() && shape[0] == 1 ? 1 : e.heads;
    RequireShape(
        c, "bias", {heads, e.queries, e.keys},
        ShapeText({e.heads, e.queries, e.keys}) + " or " + ShapeText({1, e.queries, e.keys}),
        "ATT-12");
  }
  RequireMask(c, e);
}

Extents RequireHeads(const Case& c) {
  RequireShape(c, "q", {-1, -1, -1, -1}, "[batch, query, query_heads, head_dim]", "ATT-12");
  const Shape& q = c.inputs.at("q").shape();
  if (q[3] < 1 || q[3] > kMaxHeadDim)
    throw Rejected("q", "head_dim " + std::to_string(q[3]), "must be 1 to 65536", "ATT-12");
  RequireShape(c, "k", {q[0], -1, -1, q[3]},
               "[batch, key, kv_heads, head_dim] with batch and head_dim of q", "ATT-12");
  const Shape& k = c.inputs.at("k").shape();
  if (k[2] < 1 || q[2] % k[2] != 0)
    throw Rejected("k", "kv_heads " + std::to_string(k[2]),
                   "must divide query_heads, " + std::to_string(q[2]), "ATT-12");
  RequireShape(c, "v", {k[0], k[1], k[2], -1}, "[batch, key, kv_heads, value_dim] as k", "ATT-12");
  return ExtentsOf(c);
}

std::vector<OutputShape> ValidateSoftmax(const Case& c) {
  const Extents e = RequireHeads(c);
  RequireBiasAndMask(c, e);
  return {{"y", {e.batch, e.queries, e.heads, e.value_dim}}};
}

std::vector<OutputShape> ValidateWeights(const Case& c) {
  RequireShape(c, "scores", {-1, -1, -1, -1}, "[batch, query_heads, query, key]", "ATT-3");
  RequireBiasAndMask(c, ExtentsOf(c));
  return {{"weights", c.inputs.at("scores").shape()}};
}

std::vector<OutputShape> ValidateFourTerm(const Case& c) {
  ParameterReader(c.parameters, "ATT-8").RejectOthers();
  RequireShape(c, "e", {-1, -1}, "[seq, width]", "ATT-8");
  const Shape& e = c.inputs.at("e").shape();
  if (e[1] < 1 || e[1] > kMaxHeadDim)
    throw Rejected("e", "width " + std::to_string(e[1]), "must be 1 to 65536", "ATT-8");
  RequireShape(c, "p", e, "[seq, width] as e", "ATT-8");
  RequireShape(c, "w", {e[1], e[1]}, "[width, width], width " + std::to_string(e[1]), "ATT-8");
  const Shape scores = {e[0], e[0]};
  return {{"content_content", scores},
          {"content_position", scores},
          {"position_content", scores},
          {"position_position", scores}};
}

std::vector<OutputShape> ValidateUntied(const Case& c) {
  ParameterReader(c.parameters, "ATT-10").RejectOthers();
  RequireShape(c, "q", {-1, -1, -1}, "[query, heads, head_dim]", "ATT-10");
  const Shape& q = c.inputs.at("q").shape();
  if (q[2] < 1 || q[2] > kMaxHeadDim)
    throw Rejected("q", "head_dim " + std::to_string(q[2]), "must be 1 to 65536", "ATT-10");
  RequireShape(c, "k", {-1, q[1], q[2]}, "[key, heads, head_dim] with heads and head_dim of q",
               "ATT-10");
  const Shape& k = c.inputs.at("k").shape();
  RequireShape(c, "pq", q, "[query, heads, head_dim] as q", "ATT-10");
  RequireShape(c, "pk", k, "[key, heads, head_dim] as k", "ATT-10");
  return {{"scores", {q[1], q[0], k[0]}}};
}

const TensorSpec& KeyMask() {
  static const TensorSpec key_mask = {
      "key_mask", {"batch", "key"}, "1: may be seen, 0: padding", true, true};
  return key_mask;
}
const std::vector<TensorSpec>& Heads() {
  static const std::vector<TensorSpec> heads = {
      {"q", {"batch", "query", "query_heads", "head_dim"}, "queries"},
      {"k", {"batch", "key", "kv_heads", "head_dim"}, "keys"},
      {"v", {"batch", "key", "kv_heads", "value_dim"}, "values"}};
  return heads;
}

}  // namespace

std::vector<TensorSpec> HeadInputs() {
  std::vector<TensorSpec> all = Heads();
  all.push_back(KeyMask());
  return all;
}

std::vector<ParameterSpec> HeadParameters() {
  return {{"mask", "required", "none, causal", "which keys a query sees"},
          {"scale", "1 / sqrt(head_dim)", "any number", "multiplies the scores"}};
}

Extents ValidateHeads(const Case& c) {
  const Extents e = RequireHeads(c);
  RequireMask(c, e);
  return e;
}

void ValidateHeadPositions(const Case& c, const Extents& e, const std::string& clause) {
  const Shape query = ValidatePositions(c, "query_positions", 2);
  const Shape key = ValidatePositions(c, "key_positions", 2);
  if (query.size() != key.size())
    throw Rejected("key_positions", "rank " + std::to_string(key.size()),
                   "must have a batch where query_positions has one", clause);
  RequireExtent("query_positions", "query", query.back(), e.queries, clause);
  RequireExtent("key_positions", "key", key.back(), e.keys, clause);
  if (query.size() == 1) return;
  RequireExtent("query_positions", "batch", query[0], e.batch, clause);
  RequireExtent("key_positions", "batch", key[0], e.batch, clause);
}

const std::vector<OperationSpec>& Operations() {
  static const ParameterSpec mask = HeadParameters()[0];
  static const ParameterSpec slopes = {"alibi_bias_max", "no slopes", "positive",
                                       "bias is multiplied by ALiBi's slope of the head"};
  static const TensorSpec bias = {"bias",
                                  {"query_heads", "query", "key"},
                                  "added to the scaled scores; one head serves all",
                                  true};
  static const std::vector<TensorSpec> scores = {
      {"content_content", {"query", "key"}, "e W e^T"},
      {"content_position", {"query", "key"}, "e W p^T"},
      {"position_content", {"query", "key"}, "p W e^T"},
      {"position_position", {"query", "key"}, "p W p^T"}};
  static const std::vector<OperationSpec> operations = {
      {"attention.softmax",
       "values weighted by the softmax of scaled scores plus bias",
       {mask, HeadParameters()[1], slopes},
       {Heads()[0], Heads()[1], Heads()[2], bias, KeyMask()},
       {{"y", {"batch", "query", "query_heads", "value_dim"}, "outputs"}},
       ErrorUnit::kRoundoffOfSum,
       ValidateSoftmax,
       "",
       {"batch"}},
      {"attention.weights",
       "the softmax of scaled scores plus bias",
       {mask, {"scale", "1", "any number", "multiplies the scores"}, slopes},
       {{"scores", {"batch", "query_heads", "query", "key"}, "products of queries and keys"},
        bias,
        KeyMask()},
       {{"weights", {"batch", "query_heads", "query", "key"}, "weights"}},
       ErrorUnit::kUlp,
       ValidateWeights,
       "",
       {"batch"}},
      {"attention.four_term",
       "(e + p) W (e + p)^T as four terms",
       {},
       {{"e", {"seq", "width"}, "content"},
        {"p", {"seq", "width"}, "positions"},
        {"w", {"width", "width"}, "W = W_Q W_K^T"}},
       scores,
       ErrorUnit::kRoundoffOfSum,
       ValidateFourTerm},
      {"attention.untied",
       "scores of content and position from separate projections",
       {},
       {{"q", {"query", "heads", "head_dim"}, "queries of the content"},
        {"k", {"key", "heads", "head_dim"}, "keys of the content"},
        {"pq", {"query", "heads", "head_dim"}, "queries of the positions"},
        {"pk", {"key", "heads", "head_dim"}, "keys of the positions"}},
       {{"scores", {"heads", "query", "key"}, "(q.k + pq.pk) / sqrt(2 head_dim)"}},
       ErrorUnit::kRoundoffOfSum,
       ValidateUntied,
       "",
       {"heads", "query", "key"}}};
  return operations;
}

}  // namespace gnomon::attention
