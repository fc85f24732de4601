// A CUDA kernel as a plug-in for Gnomon (spec/subject.md, SUBJ-4): copy in, launch, copy out.
//
//     nvcc -O2 --shared -Xcompiler -fPIC -I oracle oracle/examples/plugin_cuda.cu -o rope_cuda.so
//     gnomon check --subject ./rope_cuda.so
//
// The plug-in runs in a child process of its own, which first touches the device itself: nothing here
// must call CUDA before run().
#include <cstdio>
#include <string>

#include "gnomon_plugin.h"

namespace {

// x, y: [rows, heads, head_dim]; pairs (i, i + head_dim / 2).
__global__ void Rope(const float* x, const int64_t* positions, float* y, int64_t rows, int64_t row_count,
                     int64_t heads, int64_t half, float theta) {
  const int64_t pair = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
  if (pair >= rows * heads * half) return;
  const int64_t i = pair % half, head = pair / half, row = head / heads;
  const float angle = static_cast<float>(positions[row % row_count]) /
                      powf(theta, static_cast<float>(i) / static_cast<float>(half));
  const int64_t a = head * 2 * half + i, b = a + half;
  const float xa = x[a], xb = x[b], c = cosf(angle), s = sinf(angle);
  y[a] = xa * c - xb * s;
  y[b] = xa * s + xb * c;
}

// Device memory that goes when the call is over.
template <class T>
struct Buffer {
  explicit Buffer(int64_t count) : bytes(static_cast<size_t>(count) * sizeof(T)) {
    error = cudaMalloc(&data, bytes);
  }
  ~Buffer() { cudaFree(data); }
  T* data = nullptr;
  size_t bytes;
  cudaError_t error;
};

int64_t Count(const gnomon_tensor* tensor) {
  int64_t count = 1;
  for (int32_t i = 0; i < tensor->rank; ++i) count *= tensor->shape[i];
  return count;
}

int Fail(const gnomon_call* call, cudaError_t error) {
  std::snprintf(call->message, call->message_size, "CUDA: %s", cudaGetErrorString(error));
  return GNOMON_FAILED;
}

int Run(void*, const gnomon_call* call) {
  if (std::string(call->operation) != "rope.apply" || std::string(call->format) != "f32")
    return GNOMON_UNSUPPORTED;
  const gnomon_tensor* x = gnomon_find(call->inputs, call->input_count, "x");
  const gnomon_tensor* positions = gnomon_find(call->inputs, call->input_count, "positions");
  const gnomon_tensor* y = gnomon_find(call->outputs, call->output_count, "y");
  const int64_t count = Count(x), rows = x->shape[0] * x->shape[1], half = x->shape[3] / 2;
  if (count == 0) return GNOMON_OK;
  Buffer<float> in(count), out(count);
  Buffer<int64_t> at(Count(positions));
  for (cudaError_t error : {in.error, out.error, at.error})
    if (error != cudaSuccess) return Fail(call, error);
  cudaMemcpy(in.data, x->data, in.bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(at.data, positions->data, at.bytes, cudaMemcpyHostToDevice);
  // NaN: an element that the kernel leaves out is seen.
  cudaMemset(out.data, 0xff, out.bytes);
  const int64_t pairs = count / 2, threads = 256;
  Rope<<<static_cast<unsigned>((pairs + threads - 1) / threads), threads>>>(
      in.data, at.data, out.data, rows, Count(positions), x->shape[2], half,
      static_cast<float>(gnomon_number(call, "rope_theta", 10000)));
  const cudaError_t launched = cudaGetLastError();
  if (launched != cudaSuccess) return Fail(call, launched);
  // Waits for the kernel, and reports what went wrong in it.
  const cudaError_t copied = cudaMemcpy(y->data, out.data, out.bytes, cudaMemcpyDeviceToHost);
  return copied == cudaSuccess ? GNOMON_OK : Fail(call, copied);
}

const gnomon_plugin plugin = {
    GNOMON_PLUGIN_ABI,
    R"({"name": "rope in CUDA", "promise": "f32-angle", "operations": {"rope.apply": {"formats": ["f32"],
        "parameters": {"layout": ["half_split"]}, "dtypes": {"positions": ["I64"]}, "strides": false,
        "without": ["frequencies", "rotary_dim", "rotary_offset", "output_layout", "direction", "cos", "sin"]}}})",
    Run, nullptr};

}  // namespace

extern "C" const gnomon_plugin* gnomon_plugin_get(void) { return &plugin; }
