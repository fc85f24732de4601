/* RoPE in the half-split layout with three bugs planted, for the test of `gnomon fuzz`. GNOMON_BUGS
   names those that are on, of "tail position subnormal"; all of them where it is not set. */
#include "gnomon_plugin.h"

#include <float.h>
#include <math.h>

enum { kLanes = 8 };

static int has(const char* bug) {
  const char* on = getenv("GNOMON_BUGS");
  return on == NULL || strstr(on, bug) != NULL;
}

static int run(void* state, const gnomon_call* call) {
  (void)state;
  if (strcmp(call->operation, "rope.apply") != 0 || strcmp(call->format, "f32") != 0)
    return GNOMON_UNSUPPORTED;
  const gnomon_tensor* x = gnomon_find(call->inputs, call->input_count, "x");
  const gnomon_tensor* positions = gnomon_find(call->inputs, call->input_count, "positions");
  const gnomon_tensor* y = gnomon_find(call->outputs, call->output_count, "y");
  const double theta = gnomon_number(call, "rope_theta", 10000);
  const int64_t seq = x->shape[1], heads = x->shape[2], d = x->shape[3], half = d / 2;
  const int per_batch = positions->rank == 2 && positions->shape[0] > 1;
  for (int64_t row = 0; row < x->shape[0] * seq; ++row) {
    int64_t position = ((const int64_t*)positions->data)[per_batch ? row : row % seq];
    /* a counter of 16 bits */
    if (has("position") && position >= 65536) position &= 65535;
    for (int64_t i = 0; i < half; ++i) {
      const double angle = (double)position * pow(theta, -2.0 * (double)i / (double)d);
      const float c = (float)cos(angle), s = (float)sin(angle);
      for (int64_t head = 0; head < heads; ++head) {
        const int64_t a = (row * heads + head) * d + i, b = a + half;
        const float xa = ((const float*)x->data)[a], xb = ((const float*)x->data)[b];
        float ya = xa * c - xb * s, yb = xa * s + xb * c;
        /* the last lane of the last, partial vector */
        if (has("tail") && half > kLanes && half % kLanes == kLanes - 1 && i == half - 1) yb = xb;
        /* one path takes a subnormal for zero */
        if (has("subnormal") && xa != 0 && fabsf(xa) < FLT_MIN) yb = xb * c;
        ((float*)y->data)[a] = ya;
        ((float*)y->data)[b] = yb;
      }
    }
  }
  return GNOMON_OK;
}

static const gnomon_plugin plugin = {
    GNOMON_PLUGIN_ABI,
    "{\"name\": \"three bugs\", \"promise\": \"f32-angle\", \"operations\": {\"rope.apply\": {"
    "\"formats\": [\"f32\"], \"parameters\": {\"layout\": [\"half_split\"]},"
    "\"without\": [\"frequencies\", \"rotary_dim\", \"rotary_offset\", \"output_layout\","
    "  \"direction\", \"cos\", \"sin\"],"
    "\"dtypes\": {\"positions\": [\"I64\"]}, \"strides\": false, \"in_place\": false}}}",
    run, NULL};
const gnomon_plugin* gnomon_plugin_get(void) { return &plugin; }
