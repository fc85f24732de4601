/* RoPE in the half-split layout, float32, as a plug-in for Gnomon. From the top of the tree:

       cc -O2 -shared -fPIC -I oracle oracle/examples/plugin_c/rope.c -o rope.so -lm
       gnomon check --subject ./rope.so */
#include "gnomon_plugin.h"

#include <math.h>

/* The kernel: x and y are [batch, seq, heads, head_dim], positions [batch or 1, seq]. */
static void rope(const float* x, const int64_t* positions, float* y, const int64_t* shape,
                 int per_batch, float theta) {
  const int64_t seq = shape[1], heads = shape[2], head_dim = shape[3], half = head_dim / 2;
  for (int64_t row = 0; row < shape[0] * seq; ++row) {
    const float position = (float)positions[per_batch ? row : row % seq];
    for (int64_t i = 0; i < half; ++i) {
      const float angle = position / powf(theta, (float)(2 * i) / (float)head_dim);
      const float c = cosf(angle), s = sinf(angle);
      for (int64_t head = 0; head < heads; ++head) {
        const int64_t a = (row * heads + head) * head_dim + i, b = a + half;
        const float xa = x[a], xb = x[b];
        y[a] = xa * c - xb * s;
        y[b] = xa * s + xb * c;
      }
    }
  }
}

static int run(void* state, const gnomon_call* call) {
  (void)state;
  if (strcmp(call->operation, "rope.apply") != 0 || strcmp(call->format, "f32") != 0)
    return GNOMON_UNSUPPORTED;
  const gnomon_tensor* x = gnomon_find(call->inputs, call->input_count, "x");
  const gnomon_tensor* positions = gnomon_find(call->inputs, call->input_count, "positions");
  const gnomon_tensor* y = gnomon_find(call->outputs, call->output_count, "y");
  const int per_batch = positions->rank == 2 && positions->shape[0] > 1;
  rope(x->data, positions->data, y->data, x->shape, per_batch,
       (float)gnomon_number(call, "rope_theta", 10000));
  return GNOMON_OK;
}

static const gnomon_plugin plugin = {
    GNOMON_PLUGIN_ABI,
    "{\"name\": \"rope in C\", \"promise\": \"f32-angle\", \"operations\": {\"rope.apply\": {"
    "\"formats\": [\"f32\"], \"parameters\": {\"layout\": [\"half_split\"]},"
    "\"without\": [\"frequencies\", \"rotary_dim\", \"rotary_offset\", \"output_layout\","
    "  \"direction\", \"cos\", \"sin\"],"
    "\"dtypes\": {\"positions\": [\"I64\"]}, \"strides\": false}}}",
    run, NULL};
const gnomon_plugin* gnomon_plugin_get(void) { return &plugin; }
