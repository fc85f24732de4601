/* What a program without a safetensors library needs to be judged, such as a test inside llama.cpp:
   write_safetensors below, which is all there is to the format. main() rotates a few vectors and
   writes the recording that `gnomon check` reads:

       cc -O2 recording.c -o recording -lm && ./recording mine.safetensors
       gnomon check mine.safetensors */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

struct tensor {
  const char *name, *dtype; /* "F32", "BF16", "F16", "F64", "I32", "I64" */
  int64_t shape[4];
  int rank;
  const void* data;
  size_t bytes;
};

/* `metadata` is the inside of the JSON object "__metadata__". 0: done. Little-endian hosts. */
static int write_safetensors(const char* path, const char* metadata, const struct tensor* tensors,
                             int count) {
  char header[4096];
  size_t used = (size_t)snprintf(header, sizeof header, "{\"__metadata__\":{%s}", metadata), at = 0;
  for (int i = 0; i < count && used < sizeof header; ++i) {
    const struct tensor* t = &tensors[i];
    used += (size_t)snprintf(header + used, sizeof header - used, ",\"%s\":{\"dtype\":\"%s\",\"shape\":[",
                             t->name, t->dtype);
    for (int d = 0; d < t->rank && used < sizeof header; ++d)
      used += (size_t)snprintf(header + used, sizeof header - used, "%s%" PRId64, d ? "," : "", t->shape[d]);
    if (used < sizeof header)
      used += (size_t)snprintf(header + used, sizeof header - used, "],\"data_offsets\":[%zu,%zu]}", at,
                               at + t->bytes);
    at += t->bytes;
  }
  if (used + 1 >= sizeof header) return 1;
  header[used++] = '}';
  const uint64_t length = used;
  FILE* file = fopen(path, "wb");
  int bad = file == NULL || fwrite(&length, 8, 1, file) != 1 || fwrite(header, used, 1, file) != 1;
  for (int i = 0; i < count && !bad; ++i) bad = fwrite(tensors[i].data, tensors[i].bytes, 1, file) != 1;
  return (file != NULL && fclose(file) != 0) || bad;
}

enum { TOKENS = 5, HEADS = 2, DIMS = 16 };

int main(int count, char** arguments) {
  static float x[TOKENS][HEADS][DIMS], y[TOKENS][HEADS][DIMS];
  const int32_t positions[TOKENS] = {0, 1, 511, 4097, 131071};
  for (int t = 0; t < TOKENS; ++t)
    for (int h = 0; h < HEADS; ++h)
      for (int i = 0; i < DIMS / 2; ++i) {
        const float angle = (float)positions[t] * powf(10000.0f, -2.0f * (float)i / DIMS);
        const float a = x[t][h][2 * i] = sinf((float)(t + 3 * h + i) + 0.5f);
        const float b = x[t][h][2 * i + 1] = cosf((float)(5 * t + h + 7 * i));
        y[t][h][2 * i] = a * cosf(angle) - b * sinf(angle);
        y[t][h][2 * i + 1] = a * sinf(angle) + b * cosf(angle);
      }
  const struct tensor tensors[] = {
      {"x", "F32", {1, TOKENS, HEADS, DIMS}, 4, x, sizeof x},
      {"positions", "I32", {TOKENS}, 1, positions, sizeof positions},
      {"y", "F32", {1, TOKENS, HEADS, DIMS}, 4, y, sizeof y}};
  const char* metadata =
      "\"gnomon.case\":\"{\\\"operation\\\":\\\"rope.apply\\\",\\\"format\\\":\\\"f32\\\",\\\"parameters\\\":"
      "{\\\"head_dim\\\":16,\\\"layout\\\":\\\"interleaved\\\"}}\"";
  if (write_safetensors(count > 1 ? arguments[1] : "recording.safetensors", metadata, tensors, 3) != 0) {
    perror("recording");
    return 1;
  }
  return 0;
}
