#include "gnomon/properties/offset_cases.h"

namespace gnomon::properties {
namespace {

Tensor Row(const Tensor& positions, int64_t number) {
  Shape shape(positions.shape().size(), 1);
  Tensor one(DType::kI64, shape);
  one.SetInteger(0, positions.Integer(number));
  return one;
}

}  // namespace

void AddPositions(Trial& trial, const DrawPositions& draw, Case* c) {
  Source& source = trial.source();
  const Limits limits = trial.limits(c->operation);
  const Shape drawn = DrawExtents(source, {4, draw.most_keys}, 16);
  const int64_t queries = limits.extent("query", drawn[0]), keys = limits.extent("key", drawn[1]);
  const auto takes = [&](int64_t rank) {
    return limits.takes_rank("query_positions", rank) && limits.takes_rank("key_positions", rank);
  };
  const bool wants_batch = draw.may_batch && source.Chance(1, 3);
  trial.RequireInside(takes(1) || (draw.may_batch && takes(2)));
  const bool batched = draw.may_batch && takes(2) && (wants_batch || !takes(1));
  const int64_t batch = batched ? limits.extent("batch", 1 + source.Below(3)) : 1;
  AddPositionsOf(trial, draw, batched, {batch, queries, keys}, c);
}

void AddPositionsOf(Trial& trial, const DrawPositions& draw, bool batched,
                    const PositionCounts& counts, Case* c) {
  Source& source = trial.source();
  const Limits limits = trial.limits(c->operation);
  const auto [batch, queries, keys] = counts;
  const bool neighbours = source.Chance(1, 2);
  for (const char* role : {"query_positions", "key_positions"}) {
    const int64_t count = role[0] == 'q' ? queries : keys;
    Shape shape = {count};
    if (batched) shape.insert(shape.begin(), batch);
    Tensor positions =
        DrawMemory(source, limits, draw.memory, DrawIntegerType(source, limits, role), shape, 0x6b);
    for (int64_t row = 0; row < (batched ? batch : 1); ++row) {
      // Keys from 0 on mostly, queries where decoding stands.
      const bool origin = neighbours && role[0] == 'k' && source.Chance(1, 2);
      const int64_t first = origin ? 0 : trial.DrawPosition(draw.limit, limits);
      for (int64_t i = 0; i < count; ++i)
        positions.SetInteger(
            row * count + i,
            limits.position(neighbours || i == 0 ? std::min(first + i, draw.limit - 1)
                                                 : trial.DrawPosition(draw.limit, limits)));
    }
    c->inputs.insert_or_assign(role, std::move(positions));
  }
}

Case OnePair(const Case& c, int64_t batch, int64_t query, int64_t key) {
  Case one =
      With(c, "query_positions", Row(c.inputs.at("query_positions"), batch * Queries(c) + query));
  return With(std::move(one), "key_positions",
              Row(c.inputs.at("key_positions"), batch * Keys(c) + key));
}

Case Shifted(const Case& c, int64_t by) {
  Case moved = c;
  for (const char* role : {"query_positions", "key_positions"}) {
    const Tensor& from = c.inputs.at(role);
    moved.inputs.insert_or_assign(
        role, Integers(from.shape(), [&](int64_t i) { return from.Integer(i) + by; }));
  }
  return moved;
}

int64_t QueryAt(const Case& c, int64_t batch, int64_t query) {
  return c.inputs.at("query_positions").Integer(batch * Queries(c) + query);
}
int64_t KeyAt(const Case& c, int64_t batch, int64_t key) {
  return c.inputs.at("key_positions").Integer(batch * Keys(c) + key);
}
int64_t Batches(const Case& c) {
  const Shape& shape = c.inputs.at("query_positions").shape();
  return shape.size() == 2 ? shape[0] : 1;
}
int64_t Queries(const Case& c) { return c.inputs.at("query_positions").shape().back(); }
int64_t Keys(const Case& c) { return c.inputs.at("key_positions").shape().back(); }

}  // namespace gnomon::properties
