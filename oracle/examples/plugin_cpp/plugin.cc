// MyRope as a plug-in for Gnomon.
#include "gnomon_plugin.h"
#include "my_rope.h"

static int Run(void*, const gnomon_call* call) {
  if (strcmp(call->operation, "rope.apply") != 0 || strcmp(call->format, "f32") != 0)
    return GNOMON_UNSUPPORTED;
  const gnomon_tensor& x = *gnomon_find(call->inputs, call->input_count, "x");
  const gnomon_tensor& p = *gnomon_find(call->inputs, call->input_count, "positions");
  float* y = static_cast<float*>(gnomon_find(call->outputs, call->output_count, "y")->data);
  const int64_t tokens = x.shape[0] * x.shape[1], heads = x.shape[2], head_dim = x.shape[3];
  if (y != x.data) memcpy(y, x.data, sizeof(float) * tokens * heads * head_dim);
  const auto* positions = static_cast<const int64_t*>(p.data);
  const float theta = static_cast<float>(gnomon_number(call, "rope_theta", 10000));
  for (int64_t token = 0; token < tokens; ++token)
    MyRope(y + token * heads * head_dim, heads, head_dim, positions[token % x.shape[1]], theta);
  return GNOMON_OK;
}

const gnomon_plugin* gnomon_plugin_get() {
  static const gnomon_plugin plugin = {GNOMON_PLUGIN_ABI, R"({"name": "my rope", "operations": {
    "rope.apply": {"formats": ["f32"], "parameters": {"layout": ["interleaved"]},
      "without": ["frequencies", "rotary_dim", "rotary_offset", "output_layout", "direction",
      "cos", "sin"], "dtypes": {"positions": ["I64"]}, "ranks": {"positions": [1]},
      "positions": [0, 131071], "strides": false}}})",
                                       Run, nullptr};
  return &plugin;
}
