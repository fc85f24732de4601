/* A kernel as a plug-in for Gnomon: a shared library that exports one function,

       const gnomon_plugin* gnomon_plugin_get(void);

   C99 and the standard library alone. The whole contract: spec/subject.md. */
#ifndef GNOMON_ORACLE_GNOMON_PLUGIN_H_
#define GNOMON_ORACLE_GNOMON_PLUGIN_H_

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GNOMON_PLUGIN_ABI 1

/* 16-bit formats are stored as their bits, in uint16_t. */
enum { GNOMON_F64, GNOMON_F32, GNOMON_BF16, GNOMON_F16, GNOMON_I64, GNOMON_I32 };

typedef struct gnomon_tensor {
  const char* role; /* "x", "positions", "y": the operation's name for it */
  int32_t dtype;
  int32_t rank;
  const int64_t* shape;   /* extents, in the operation's order of axes */
  const int64_t* strides; /* in elements; may be 0 or negative */
  void* data;             /* host memory: the element with all indices 0 */
} gnomon_tensor;

typedef struct gnomon_call {
  uint32_t size;          /* of this struct: members may be added at its end */
  const char* operation;  /* "rope.apply" */
  const char* parameters; /* JSON, no white space; 20 is 2e+01; absent ones take their default */
  const char* format;     /* of the outputs: "f64", "f32", "bf16", "f16" */
  const char* in_place;   /* the input whose memory the output is, or NULL */
  const gnomon_tensor* inputs;
  size_t input_count;
  const gnomon_tensor* outputs;
  size_t output_count;
  char* message; /* where to say why not: message_size bytes, NUL included */
  size_t message_size;
} gnomon_call;

enum { GNOMON_OK, GNOMON_UNSUPPORTED, GNOMON_REJECTED, GNOMON_FAILED };

typedef struct gnomon_plugin {
  uint32_t abi;            /* GNOMON_PLUGIN_ABI */
  const char* description; /* JSON: operations, formats, limits (SUBJ-1, SUBJ-3) */
  int (*run)(void* state, const gnomon_call* call);
  void* state;
} gnomon_plugin;

#if defined(_WIN32)
#define GNOMON_EXPORT __declspec(dllexport)
#else
#define GNOMON_EXPORT __attribute__((visibility("default")))
#endif
GNOMON_EXPORT const gnomon_plugin* gnomon_plugin_get(void);

/* The tensor of that role, or NULL. */
static inline const gnomon_tensor* gnomon_find(const gnomon_tensor* tensors, size_t count,
                                               const char* role) {
  for (size_t i = 0; i < count; ++i)
    if (strcmp(tensors[i].role, role) == 0) return &tensors[i];
  return NULL;
}

/* The text of a parameter's value, just behind its colon, or NULL. */
static inline const char* gnomon_parameter(const gnomon_call* call, const char* name) {
  const size_t length = strlen(name);
  for (const char* p = call->parameters; (p = strstr(p, name)) != NULL; p += length)
    if (p != call->parameters && p[-1] == '"' && p[length] == '"' && p[length + 1] == ':')
      return p + length + 2;
  return NULL;
}
/* A number as JSON has it, or an exact decimal in quotes; `otherwise` where it is absent. */
static inline double gnomon_number(const gnomon_call* call, const char* name, double otherwise) {
  const char* text = gnomon_parameter(call, name);
  return text == NULL ? otherwise : strtod(text + (*text == '"'), NULL);
}
/* Whether a parameter is present and is that name: gnomon_is(call, "layout", "half_split"). */
static inline int gnomon_is(const gnomon_call* call, const char* name, const char* value) {
  const char* text = gnomon_parameter(call, name);
  const size_t length = strlen(value);
  return text != NULL && *text == '"' && strncmp(text + 1, value, length) == 0 &&
         text[length + 1] == '"';
}

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* GNOMON_ORACLE_GNOMON_PLUGIN_H_ */
