#include "gnomon/properties/attention_cases.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gnomon/properties/cases.h"

namespace gnomon::properties::attention {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Tensor DrawTensor(Trial& trial, const Draw& draw, const Case& c, const std::string& role,
                  DType dtype, const Shape& shape, const std::function<double(int64_t)>& element) {
  const Limits limits = trial.limits(c.operation);
  if (!limits.takes_dtype(role, dtype)) dtype = DTypeOf(c.format);
  Tensor tensor = DrawMemory(trial.source(), limits, draw.memory, dtype, shape, 0xff);
  for (int64_t i = 0; i < tensor.count(); ++i) tensor.Set(i, element(i));
  return tensor;
}

Numbers NumbersOf(Source& source, const Draw& draw) {
  if (draw.numbers) return *draw.numbers;
  if (draw.moderate) return source.Pick({Numbers::kUnit, Numbers::kUnit, Numbers::kWhole});
  return source.Pick({Numbers::kUnit, Numbers::kWhole, Numbers::kEdges, Numbers::kUnequal});
}

// Scores of a few units: numbers are divided by this, a power of two.
double Shrink(const Draw& draw, Numbers numbers) {
  return draw.moderate && numbers == Numbers::kWhole ? 8 : 1;
}

void DrawScale(Trial& trial, const Draw& draw, Case* c) {
  Source& source = trial.source();
  if (draw.large) {
    c->parameters["scale"] = source.Pick<double>({64, 200, -100, 1000});
  } else if (source.Chance(1, 2)) {
    c->parameters["scale"] = source.Pick<double>({1, 0.5, 0.125, 0.3, -0.25, 0});
  }
}

// Bias, mask and padding of a case whose q, k, v or scores have these extents.
void DrawRest(Trial& trial, const Draw& draw, int64_t batch, int64_t heads, int64_t queries,
              int64_t keys, Case* c) {
  Source& source = trial.source();
  const Limits limits = trial.limits(c->operation);
  const bool causal = draw.masks && source.Chance(1, 2);
  c->parameters["mask"] = std::string(causal ? "causal" : "none");
  if (draw.bias && limits.takes("bias") && source.Chance(1, 2)) {
    const int64_t bias_heads = source.Chance(1, 2) ? heads : 1;
    const bool slopes = limits.takes("alibi_bias_max") && source.Chance(1, 4);
    const bool left_out = source.Chance(1, 3);
    if (slopes) c->parameters["alibi_bias_max"] = source.Pick<double>({8, 4, 6.5});
    Tensor bias =
        DrawTensor(trial, draw, *c, "bias", DTypeOf(c->format), {bias_heads, queries, keys},
                   [&](int64_t i) -> double {
                     if (left_out && source.Chance(1, 4)) return -kInfinity;
                     if (slopes)
                       return -std::abs(static_cast<double>(i % keys - i / keys % queries));
                     return static_cast<double>(source.Below(65) - 32) / 8;
                   });
    c->inputs.emplace("bias", std::move(bias));
  }
  if (draw.masks && limits.takes("key_mask") && source.Chance(1, 3)) {
    Tensor mask = DrawMemory(source, limits, draw.memory,
                             DrawIntegerType(source, limits, "key_mask"), {batch, keys}, 0x6b);
    const bool none = source.Chance(1, 6);
    for (int64_t i = 0; i < mask.count(); ++i) mask.SetInteger(i, !none && source.Chance(2, 3));
    c->inputs.emplace("key_mask", std::move(mask));
  }
  FitParameters(limits, c->operation, source, &c->parameters);
  if (!c->inputs.count("bias")) c->parameters.erase("alibi_bias_max");
}

struct Sizes {
  int64_t batch, queries, keys, kv_heads, heads;
  bool few_dims = false;  // as there are many queries and keys, or heads
};
Sizes DrawSizes(Trial& trial, const Draw& draw, const std::string& operation) {
  Source& source = trial.source();
  const Limits limits = trial.limits(operation);
  Sizes s;
  const bool long_row = !draw.small && source.Chance(1, 10);  // beyond one block of any kernel
  const bool tiles = long_row && source.Chance(1, 3);         // of queries too
  s.batch = limits.extent("batch", long_row ? 1 : 1 + source.Below(3));
  const Shape drawn = tiles      ? Shape{1, 66 + source.Below(8)}
                      : long_row ? Shape{1, 1 + source.Below(2)}
                                 : DrawExtents(source, {2, 5}, 32);
  s.kv_heads = limits.extent("kv_heads", drawn[0]);
  // Query heads to a key head: as many as models have.
  const bool many = !draw.small && !long_row && drawn[0] * drawn[1] <= 8 && source.Chance(1, 6);
  if (many) s.batch = 1;
  s.heads = s.kv_heads * (tiles  ? 1
                          : many ? source.Pick<int64_t>({4, 5, 7, 8, 16})
                                 : 1 + source.Below(3));
  s.few_dims = tiles || many;
  s.heads = limits.extent("query_heads", s.heads);
  while (s.kv_heads > 1 &&
         (s.heads % s.kv_heads != 0 || limits.extent("kv_heads", s.kv_heads) != s.kv_heads))
    --s.kv_heads;
  s.queries = limits.extent("query", drawn[1]);
  s.keys = tiles ? 60 + source.Below(24) : long_row ? 60 + source.Below(80) : 1 + source.Below(7);
  if (long_row && !tiles && source.Chance(1, 8)) s.keys += 200;
  s.keys = limits.extent("key", s.keys);
  if (draw.square) s.queries = s.keys = std::min<int64_t>(std::min(s.queries, s.keys) + 1, 5);
  return s;
}

int64_t DrawHeadDim(Source& source, const Draw& draw, bool few) {
  if (draw.small || few) return 1 + source.Below(4);
  return source.Chance(3, 4)
             ? 1 + source.Below(8)
             : source.Pick<int64_t>({16, 20, 33, 16, 20, 33, 64, 66, 80, 128, 130, 192, 256});
}

// Of k and v: a format that the case's holds.
DType DrawHeld(Source& source, Format format) {
  if (format == Format::kF32 && source.Chance(1, 8))
    return source.Pick({DType::kBf16, DType::kF16});
  return DTypeOf(format);
}

}  // namespace

Tensor Reals(Format format, const Shape& shape, const std::function<double(int64_t)>& element) {
  Tensor tensor(DTypeOf(format), shape);
  for (int64_t i = 0; i < tensor.count(); ++i) tensor.Set(i, element(i));
  return tensor;
}

std::vector<int64_t> DrawPermutation(Source& source, int64_t count) {
  std::vector<int64_t> order;
  for (int64_t i = 0; i < count; ++i) order.push_back(count - 1 - i);
  for (int64_t i = count; i-- > 1;)
    std::swap(order[static_cast<size_t>(i)], order[static_cast<size_t>(source.Below(i + 1))]);
  return order;
}

int64_t ElementOf(const Shape& shape, std::initializer_list<int64_t> index) {
  int64_t element = 0;
  size_t axis = 0;
  for (const int64_t i : index) element = element * shape[axis++] + i;
  return element;
}

bool Sees(const Case& c, int64_t batch, int64_t query, int64_t key) {
  const gnomon::attention::Extents e = gnomon::attention::ExtentsOf(c);
  const bool causal = c.parameters.at("mask") == Value(std::string("causal"));
  if (!e.Sees(causal ? AttentionMask::kCausal : AttentionMask::kNone, query, key)) return false;
  const auto mask = c.inputs.find("key_mask");
  return mask == c.inputs.end() || mask->second.Integer(batch * e.keys + key) != 0;
}

Case DrawSoftmax(Trial& trial, const Draw& draw) {
  return DrawHeads(trial, draw, "attention.softmax");
}

Case DrawHeads(Trial& trial, const Draw& draw, const std::string& operation) {
  Source& source = trial.source();
  Case c;
  c.operation = operation;
  c.format = trial.DrawFormat();
  const Limits limits = trial.limits(c.operation);
  const Sizes s = DrawSizes(trial, draw, c.operation);
  const int64_t head_dim = limits.extent("head_dim", DrawHeadDim(source, draw, s.few_dims));
  const int64_t value_dim =
      limits.extent("value_dim", limits.axes.count("value_dim") ||
                                         limits.extents.count("value_dim") || source.Chance(1, 2)
                                     ? head_dim
                                     : DrawHeadDim(source, draw, s.few_dims));
  const Numbers numbers = NumbersOf(source, draw);
  const double shrink = Shrink(draw, numbers);
  const auto number = [&](int64_t) { return DrawNumber(source, c.format, numbers) / shrink; };
  const auto value = [&](int64_t) {
    const Numbers kind = draw.numbers ? *draw.numbers : DrawTame(source);
    return DrawNumber(source, c.format, kind);
  };
  DrawScale(trial, draw, &c);
  const DType held = DrawHeld(source, c.format);
  c.inputs.emplace("q", DrawTensor(trial, draw, c, "q", DTypeOf(c.format),
                                   {s.batch, s.queries, s.heads, head_dim}, number));
  c.inputs.emplace(
      "k", DrawTensor(trial, draw, c, "k", held, {s.batch, s.keys, s.kv_heads, head_dim}, number));
  c.inputs.emplace(
      "v", DrawTensor(trial, draw, c, "v", held, {s.batch, s.keys, s.kv_heads, value_dim}, value));
  DrawRest(trial, draw, s.batch, s.heads, s.queries, s.keys, &c);
  return c;
}

Case DrawWeights(Trial& trial, const Draw& draw) {
  Source& source = trial.source();
  Case c;
  c.operation = "attention.weights";
  c.format = trial.DrawFormat();
  const Sizes s = DrawSizes(trial, draw, c.operation);
  const Numbers numbers = NumbersOf(source, draw);
  const double shrink = Shrink(draw, numbers) / 4;
  DrawScale(trial, draw, &c);
  c.inputs.emplace("scores", DrawTensor(trial, draw, c, "scores", DTypeOf(c.format),
                                        {s.batch, s.heads, s.queries, s.keys}, [&](int64_t) {
                                          return DrawNumber(source, c.format, numbers) / shrink;
                                        }));
  DrawRest(trial, draw, s.batch, s.heads, s.queries, s.keys, &c);
  return c;
}

Case DrawFourTerm(Trial& trial, const Draw& draw) {
  Source& source = trial.source();
  Case c;
  c.operation = "attention.four_term";
  c.format = trial.DrawFormat();
  const Limits limits = trial.limits(c.operation);
  const int64_t seq = limits.extent("seq", DrawExtents(source, {3}, 64)[0]);
  const int64_t width = limits.extent("width", 1 + source.Below(6));
  // Products of three: f16 holds those of the two moderate kinds.
  const Numbers numbers = draw.numbers    ? *draw.numbers
                          : draw.moderate ? source.Pick({Numbers::kUnit, Numbers::kWhole})
                                          : DrawTame(source);
  const double shrink = Shrink(draw, numbers);
  const auto number = [&](int64_t) { return DrawNumber(source, c.format, numbers); };
  for (const char* role : {"e", "p"})
    c.inputs.emplace(role,
                     DrawTensor(trial, draw, c, role, DTypeOf(c.format), {seq, width}, number));
  c.inputs.emplace(
      "w", DrawTensor(trial, draw, c, "w", DTypeOf(c.format), {width, width},
                      [&](int64_t) { return DrawNumber(source, c.format, numbers) / shrink; }));
  return c;
}

Case DrawUntied(Trial& trial, const Draw& draw) {
  Source& source = trial.source();
  Case c;
  c.operation = "attention.untied";
  c.format = trial.DrawFormat();
  const Limits limits = trial.limits(c.operation);
  const int64_t heads = limits.extent("heads", 1 + source.Below(2));
  const int64_t head_dim = limits.extent("head_dim", DrawHeadDim(source, draw, false));
  const Shape q = {limits.extent("query", 1 + source.Below(3)), heads, head_dim};
  const Shape k = {limits.extent("key", 1 + source.Below(3)), heads, head_dim};
  const Numbers numbers = draw.numbers ? *draw.numbers : DrawTame(source);
  const auto number = [&](int64_t) { return DrawNumber(source, c.format, numbers); };
  for (const char* role : {"q", "pq"})
    c.inputs.emplace(role, DrawTensor(trial, draw, c, role, DTypeOf(c.format), q, number));
  for (const char* role : {"k", "pk"})
    c.inputs.emplace(role, DrawTensor(trial, draw, c, role, DTypeOf(c.format), k, number));
  return c;
}

namespace {
double DrawIntruder(Source& source, Format format) {
  return source.Pick<double>(
      {1, -3, LargestFinite(format), std::numeric_limits<double>::infinity(), std::nan("")});
}

}  // namespace

void ExpectSameBits(Trial& t, const Case& c, const Tensor& before, const Tensor& after,
                    const std::function<bool(int64_t query)>& compared) {
  const gnomon::attention::Extents e = gnomon::attention::ExtentsOf(c);
  for (int64_t i = 0; i < before.count(); ++i) {
    if (!compared(i / (e.heads * e.value_dim) % e.queries)) continue;
    // Of a NaN, sign and payload are nobody's promise.
    const bool same = BitsAt(before.view(), i) == BitsAt(after.view(), i) ||
                      (std::isnan(before.Value(i)) && std::isnan(after.Value(i)));
    t.Expect(same, [&] {
      return "element " + std::to_string(i) + " changes from " + Show(before.Value(i)) + " to " +
             Show(after.Value(i)) + " with a key that the query does not see";
    });
  }
}

Case WithIntruders(Trial& t, Case c, const std::function<bool(int64_t, int64_t)>& named) {
  const gnomon::attention::Extents e = gnomon::attention::ExtentsOf(c);
  for (const char* role : {"k", "v"}) {
    Tensor& tensor = c.inputs.at(role);
    const Format format = FormatOf(tensor.dtype());
    const int64_t row = tensor.shape()[2] * tensor.shape()[3];
    for (int64_t i = 0; i < tensor.count(); ++i)
      if (named(i / (row * e.keys), i / row % e.keys))
        tensor.Set(i, DrawIntruder(t.source(), format));
  }
  return c;
}

std::vector<CaseSource> Cases() {
  Draw plain, memory, special, wide, large;
  plain.moderate = false;
  memory.memory = true;
  special.numbers = Numbers::kSpecial;
  wide.numbers = Numbers::kWide;
  large.large = true;
  using Drawing = Case (*)(Trial&, const Draw&);
  const std::vector<std::pair<std::string, Drawing>> operations = {
      {"attention.softmax", DrawSoftmax},
      {"attention.weights", DrawWeights},
      {"attention.four_term", DrawFourTerm},
      {"attention.untied", DrawUntied}};
  std::vector<CaseSource> all;
  for (const auto& [name, drawing] : operations) {
    const auto add = [&, draw_case = drawing, operation = name](const char* what, CaseKind kind,
                                                                const Draw& draw) {
      all.push_back({operation + what, operation, kind,
                     [draw_case, draw](Trial& t) { return draw_case(t, draw); }});
    };
    add(".plain", CaseKind::kPlain, plain);
    add(".memory", CaseKind::kMemory, memory);
    add(".special", CaseKind::kSpecial, special);
    add(".wide", CaseKind::kSpecial, wide);
    if (name == "attention.softmax" || name == "attention.weights")
      add(".large_scores", CaseKind::kSpecial, large);
  }
  return all;
}

}  // namespace gnomon::properties::attention
