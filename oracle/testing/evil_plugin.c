/* A plug-in for tests: right, or wrong as the environment says. GNOMON_EVIL names the misdeed;
   GNOMON_EVIL_AT, where set, keeps it to cases whose first position is that one. */
#define _GNU_SOURCE
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "gnomon/oracle/gnomon_plugin.h"

#ifndef GNOMON_EVIL_WITHOUT_SYMBOL

static volatile int zero = 0;
static volatile float* volatile nowhere = NULL;
static int calls = 0;
static float previous[1 << 16];
static sigjmp_buf back;

static int is(const char* what) {
  const char* evil = getenv("GNOMON_EVIL");
  return evil != NULL && strcmp(evil, what) == 0;
}

/* Offset of an element, all axes but the last by row-major number. */
static int64_t row_at(const gnomon_tensor* t, int64_t row) {
  int64_t offset = 0;
  for (int32_t axis = t->rank - 2; axis >= 0; --axis) {
    offset += row % t->shape[axis] * t->strides[axis];
    row /= t->shape[axis];
  }
  return offset;
}

static int64_t position_at(const gnomon_tensor* positions, int64_t batch, int64_t seq) {
  const int64_t row = positions->rank == 2 && positions->shape[0] > 1 ? batch : 0;
  const int64_t offset = (positions->rank == 2 ? row * positions->strides[0] : 0) +
                         seq * positions->strides[positions->rank - 1];
  return positions->dtype == GNOMON_I64 ? ((const int64_t*)positions->data)[offset]
                                        : ((const int32_t*)positions->data)[offset];
}

static void rope(const gnomon_call* call, const gnomon_tensor* x, const gnomon_tensor* positions,
                 const gnomon_tensor* y) {
  const int64_t seq = x->shape[1], heads = x->shape[2], head_dim = x->shape[3];
  const float theta = (float)gnomon_number(call, "rope_theta", 10000);
  const int64_t xs = x->strides[3], ys = y->strides[3];
  for (int64_t row = 0; row < x->shape[0] * seq * heads; ++row) {
    const float position = (float)position_at(positions, row / heads / seq, row / heads % seq);
    const float* in = (const float*)x->data + row_at(x, row);
    float* out = (float*)y->data + row_at(y, row);
    for (int64_t i = 0; i < head_dim / 2; ++i) {
      const int64_t a = i, b = i + head_dim / 2;
      const float angle = position / powf(theta, (float)(2 * i) / (float)head_dim);
      const float c = cosf(angle), s = sinf(angle), xa = in[a * xs], xb = in[b * xs];
      out[a * ys] = xa * c - xb * s;
      out[b * ys] = xa * s + xb * c;
    }
  }
}

static int recurse(int depth) {
  volatile char frame[4096];
  frame[0] = (char)depth;
  return zero == 0 ? recurse(depth + 1) + frame[0] : 0;
}
static void hang(void) {
  for (;;) zero = 0;
}
static void jump(int signal) {
  (void)signal;
  siglongjmp(back, 1);
}
static void out_of_memory(void) {
  for (;;) {
    char* block = malloc(1 << 24);
    if (block == NULL) {
      fputs("out of memory, giving up\n", stderr);
      abort();
    }
    memset(block, 1, 1 << 24);
  }
}

static int misbehave_before(const gnomon_call* call, const gnomon_tensor* x) {
  if (is("segv")) *nowhere = 1;
  if (is("fpe")) raise(SIGFPE);
  if (is("abort")) fputs("assertion failed: seq < 7\n", stderr), abort();
  if (is("panic")) { /* as Rust's do: the reason first */
    fputs("thread panicked: index 8\n", stderr);
    for (int i = 1; i < 1000; ++i) fprintf(stderr, "frame %d\n", i);
    fputs("aborting\n", stderr), abort();
  }
  if (is("hang")) hang();
  if (is("stop")) raise(SIGSTOP);
  if (is("exit0")) exit(0);
  if (is("exit3")) exit(3);
  if (is("_exit")) _exit(4);
  if (is("recursion")) return recurse(0);
  if (is("out_of_memory")) out_of_memory();
  if (is("stdout")) printf("rotating %d dims\n", (int)x->shape[3]);
  if (is("stdout_once")) { /* in all processes: the file says whether it was done */
    const char* flag = getenv("GNOMON_EVIL_FLAG");
    if (access(flag, F_OK) != 0) fclose(fopen(flag, "w")), puts("here I am");
  }
  if (is("stderr"))
    for (int i = 0; i < 100000; ++i) fputs("rotating, rotating, rotating\n", stderr);
  if (is("close_fds"))
    for (int fd = 0; fd < 1024; ++fd) close(fd);
  if (is("fork") && fork() == 0) hang();
  if (is("fork_and_return")) fork();
  if (is("own_handler") && signal(SIGSEGV, jump) != SIG_ERR && sigsetjmp(back, 1) == 0) *nowhere = 1;
  if (is("sigpipe")) {
    int ends[2];
    if (pipe(ends) == 0 && close(ends[0]) == 0 && write(ends[1], "x", 1) < 0) return GNOMON_FAILED;
  }
  if (is("unsupported")) return snprintf(call->message, call->message_size, "not %s", call->operation), GNOMON_UNSUPPORTED;
  if (is("silent")) return GNOMON_UNSUPPORTED;
  if (is("rejected")) return snprintf(call->message, call->message_size, "too\nlong"), GNOMON_REJECTED;
  if (is("failed")) return memset(call->message, 'a', call->message_size), GNOMON_FAILED;
  if (is("long_message")) memset(call->message, 'a', call->message_size + 1);
  if (is("undecided") && calls % 2 == 0) return GNOMON_UNSUPPORTED;
  if (is("no_status")) return 77;
  if (is("writes_call")) *(uint32_t*)&((gnomon_call*)call)->size = 0;
  return GNOMON_OK;
}

static void misbehave_after(const gnomon_tensor* x, const gnomon_tensor* positions,
                            const gnomon_tensor* y, int64_t count) {
  float* out = y->data;
  if (is("past_end")) out[count] = 1;
  if (is("far_past_end")) out[count + 1100] = 1;
  if (is("past_row")) out[y->shape[3]] = 1;
  if (is("before_start")) out[-1] = 1;
  if (is("unwritten_last")) memcpy(out + count - 1, &previous[count - 1], 4);
  if (is("changes_input")) ((float*)x->data)[1] += 1;
  if (is("changes_position")) ((int64_t*)positions->data)[0] = 5;
  if (is("random")) out[0] += (float)(calls % 3);
  if (is("once") && calls == 1) out[0] += 1;
  if (is("flushes"))
    for (int64_t i = 0; i < count; ++i) {
      float* v = out + row_at(y, i / y->shape[3]) + i % y->shape[3] * y->strides[3];
      if (fabsf(*v) < 0x1p-126f) *v = 0;
    }
}

static int undeclared(const gnomon_call* call) {
  if (is("claims_all")) return GNOMON_OK;
  if (!is("answers_all")) return GNOMON_UNSUPPORTED;
  for (size_t n = 0; n < call->output_count; ++n) {
    const gnomon_tensor* t = &call->outputs[n];
    size_t bytes = t->dtype == GNOMON_F64 ? 8 : t->dtype == GNOMON_F32 ? 4 : 2;
    for (int32_t axis = 0; axis < t->rank; ++axis) bytes *= (size_t)t->shape[axis];
    memset(t->data, 0, bytes); /* they are contiguous */
  }
  return GNOMON_OK;
}

static int run(void* state, const gnomon_call* call) {
  (void)state;
  const gnomon_tensor* x = gnomon_find(call->inputs, call->input_count, "x");
  const gnomon_tensor* positions = gnomon_find(call->inputs, call->input_count, "positions");
  const gnomon_tensor* y = gnomon_find(call->outputs, call->output_count, "y");
  if (x == NULL || positions == NULL || y == NULL || strcmp(call->operation, "rope.apply") != 0 ||
      !gnomon_is(call, "layout", "half_split"))
    return undeclared(call);
  if (strcmp(call->format, "f32") != 0) return undeclared(call);
  const int64_t count = x->shape[0] * x->shape[1] * x->shape[2] * x->shape[3];
  const char* at = getenv("GNOMON_EVIL_AT");
  const int now = at == NULL || (count > 0 && position_at(positions, 0, 0) == atoll(at));
  ++calls;
  if (is("panic") && !now) fputs("all is well\n", stderr);
  if (now) {
    const int status = misbehave_before(call, x);
    if (status != GNOMON_OK) return status;
  }
  if (is("unwritten_last") && now) memcpy(&previous[count - 1], (float*)y->data + count - 1, 4);
  if (is("stale")) { /* what the call before asked for */
    static float mine[1 << 16];
    if (count > 1 << 16) return GNOMON_FAILED;
    rope(call, x, positions, y);
    memcpy(mine, y->data, (size_t)count * 4);
    if (calls > 1) memcpy(y->data, previous, (size_t)count * 4);
    memcpy(previous, mine, (size_t)count * 4);
    return GNOMON_OK;
  }
  rope(call, x, positions, y);
  if (is("reads_padding") && now) /* within the page, whichever side of it x lies */
    for (int step = -1; step <= 1; step += 2) {
      const float* beside = step < 0 ? (const float*)x->data - 1 : (const float*)x->data + count;
      const uintptr_t page = (uintptr_t)beside / 4096, first = (uintptr_t)x->data / 4096;
      if (page == first) ((float*)y->data)[0] = *beside == *beside ? 1.0f : 2.0f;
    }
  if (is("address") && now && (uintptr_t)x->data % 4096 != 0)
    ((float*)y->data)[0] = nextafterf(((float*)y->data)[0], 1000);
  if (now) misbehave_after(x, positions, y, count);
  return GNOMON_OK;
}

static const char description[] =
    "{\"name\": \"evil\", \"promise\": \"f32-angle\", \"operations\": {\"rope.apply\": {"
    "\"formats\": [\"f32\"], \"parameters\": {\"layout\": [\"half_split\"]}, \"without\": ["
    "\"frequencies\", \"rotary_dim\", \"rotary_offset\", \"output_layout\", \"direction\","
    "\"cos\", \"sin\"]}}}";
static const char nonsense[] = "{\"operations\": {\"rope.apply\": {\"formats\": [\"f33\"]}}}";
static const char aligned[] =
    "{\"alignment\": 64, \"operations\": {\"rope.apply\": {"
    "\"formats\": [\"f32\"], \"parameters\": {\"layout\": [\"half_split\"]}, \"without\": ["
    "\"frequencies\", \"rotary_dim\", \"rotary_offset\", \"output_layout\", \"direction\","
    "\"cos\", \"sin\"], \"strides\": false, \"in_place\": false}}}";

static const char flushing[] =
    "{\"flushes_subnormals\": true, \"operations\": {\"rope.apply\": {"
    "\"formats\": [\"f32\"], \"parameters\": {\"layout\": [\"half_split\"]}, \"without\": ["
    "\"frequencies\", \"rotary_dim\", \"rotary_offset\", \"output_layout\", \"direction\","
    "\"cos\", \"sin\"]}}}";

GNOMON_EXPORT const gnomon_plugin* gnomon_plugin_get(void) {
  static gnomon_plugin plugin = {GNOMON_PLUGIN_ABI, description, run, NULL};
  if (is("get_hangs")) hang();
  if (is("get_crashes")) *nowhere = 1;
  if (is("get_exits")) exit(0);
  if (is("get_prints")) puts("hello");
  if (is("get_null")) return NULL;
  if (is("wrong_abi")) plugin.abi = 7;
  if (is("run_null")) plugin.run = NULL;
  if (is("description_null")) plugin.description = NULL;
  if (is("garbage")) plugin.description = "\x01{{{";
  if (is("nonsense")) plugin.description = nonsense;
  if (getenv("GNOMON_EVIL_DECLARES") != NULL) plugin.description = flushing;
  if (getenv("GNOMON_EVIL_ALIGNED") != NULL) plugin.description = aligned;
  return &plugin;
}

#endif
