/* C API of jupyter_hybrid: loads an exported model and runs it; no Python, no C++ in sight.
 *
 *   hybrid_model* model;
 *   hybrid_load("net-symbol.json", "net-0000.params", &model);
 *   int64_t shape[] = {1, 3, 32, 32};
 *   hybrid_set_shape(model, 0, HYBRID_FLOAT32, 4, shape);
 *   hybrid_set_input(model, 0, pixels, sizeof pixels);
 *   hybrid_run(model);
 *   hybrid_get_output(model, 0, scores, sizeof scores);
 *   hybrid_free(model);
 *
 * Every function returns HYBRID_OK or another hybrid_status; hybrid_last_error() then says what was
 * given and what was expected. Nothing is thrown. Arrays are row-major, without gaps, in the
 * machine's byte order. A model may be used by one thread at a time (calls on it wait for each
 * other), different models by different threads at once. */
#ifndef HYBRID_H_
#define HYBRID_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define HYBRID_API __attribute__((visibility("default")))
#else
#define HYBRID_API
#endif

#define HYBRID_MAX_DIMS 8

typedef enum hybrid_status {
  HYBRID_OK = 0,
  HYBRID_INVALID = 1,  /* an argument of the call: a null pointer, an index, a size */
  HYBRID_ERROR = 2,    /* a file, the model, a shape, or the computation */
  HYBRID_NO_MEMORY = 3 /* the process has no more */
} hybrid_status;

/* The numbers of MXNet's type flags, and more. */
typedef enum hybrid_dtype {
  HYBRID_UNKNOWN = -1,
  HYBRID_FLOAT32 = 0,
  HYBRID_FLOAT64 = 1,
  HYBRID_FLOAT16 = 2,
  HYBRID_UINT8 = 3,
  HYBRID_INT32 = 4,
  HYBRID_INT8 = 5,
  HYBRID_INT64 = 6,
  HYBRID_BOOL = 7,
  HYBRID_INT16 = 8,
  HYBRID_UINT16 = 9,
  HYBRID_UINT32 = 10,
  HYBRID_UINT64 = 11,
  HYBRID_BFLOAT16 = 12,
  HYBRID_COMPLEX64 = 13,
  HYBRID_COMPLEX128 = 14
} hybrid_dtype;

typedef struct hybrid_model hybrid_model;

typedef struct hybrid_array_info {
  const char* name;               /* UTF-8; lives as long as the model */
  int dtype;                      /* hybrid_dtype; HYBRID_UNKNOWN: not decided yet */
  int ndim;                       /* -1: not known yet */
  int64_t shape[HYBRID_MAX_DIMS]; /* the first ndim count; -1: not known yet */
  size_t bytes;                   /* of the whole array; 0 while something is not known */
  int optional; /* inputs: 1 for labels, which no result depends on; zeros unless set */
} hybrid_array_info;

typedef struct hybrid_memory {
  int kernels;             /* started by one run */
  int64_t parameter_bytes; /* arrays of the .params file that the model reads */
  int64_t unplanned_bytes; /* peak if every value lived to the end */
  int64_t planned_bytes;   /* peak of the planned program, outputs included */
  int64_t bound_bytes;     /* live at one time: no plan can do with less */
  int64_t arena_bytes;     /* one block for what is neither input nor output, aligned */
} hybrid_memory;

/* "0.1.0" */
HYBRID_API const char* hybrid_version(void);
/* What went wrong in this thread's latest call that failed; "" before. Valid until its next call.
 */
HYBRID_API const char* hybrid_last_error(void);
/* NumPy's name, "float32"; null for a number that is no dtype. */
HYBRID_API const char* hybrid_dtype_name(int dtype);
/* Bytes of an element; 0 for a number that is no dtype. */
HYBRID_API size_t hybrid_dtype_size(int dtype);

/* Reads a symbol.json and its .params file (null: the model has no parameters), as export() here
 * and MXNet 1.x write them. Arguments that the .params file has no array for are the inputs.
 * On failure *model is null. */
HYBRID_API int hybrid_load(const char* symbol_file, const char* params_file, hybrid_model** model);
/* The same from memory, which is not needed any more afterwards; params may be null. */
HYBRID_API int hybrid_load_memory(const char* symbol, size_t symbol_bytes, const void* params,
                                  size_t params_bytes, hybrid_model** model);
/* Null is fine. */
HYBRID_API int hybrid_free(hybrid_model* model);

HYBRID_API int hybrid_num_inputs(hybrid_model* model, size_t* count);
HYBRID_API int hybrid_num_outputs(hybrid_model* model, size_t* count);
/* What is known now: all of it after hybrid_bind(). */
HYBRID_API int hybrid_input(hybrid_model* model, size_t index, hybrid_array_info* info);
HYBRID_API int hybrid_output(hybrid_model* model, size_t index, hybrid_array_info* info);
HYBRID_API int hybrid_find_input(hybrid_model* model, const char* name, size_t* index);

/* Gives an input its shape and dtype (HYBRID_UNKNOWN: what the model decides). Another shape than
 * before drops the input's contents, and the model is compiled again. */
HYBRID_API int hybrid_set_shape(hybrid_model* model, size_t index, int dtype, int ndim,
                                const int64_t* shape);
/* Declares n GPUs (0 to 64) that the CPU computes, each with lanes of its own, for models that name
 * GPUs on a machine that has none. Of the process; before a model is compiled. */
HYBRID_API int hybrid_virtual_gpus(int n);
/* Where the operators of MXNet's AttrScope(ctx_group=group) run, such as "gpu(1)". Until a group is
 * given a device, groups mean nothing; then every group needs one. */
HYBRID_API int hybrid_set_group(hybrid_model* model, const char* group, const char* device);
/* The devices that the model's copies name and its groups were given. */
HYBRID_API int hybrid_num_devices(hybrid_model* model, size_t* count);
/* Puts the name into `name`, up to `bytes` with its end; *exists: 1 when this process has it. */
HYBRID_API int hybrid_device(hybrid_model* model, size_t index, char* name, size_t bytes,
                             int* exists);
/* Infers every shape and compiles. hybrid_set_input() and hybrid_run() do so where it is needed. */
HYBRID_API int hybrid_bind(hybrid_model* model);
/* Copies an input's contents; `bytes` must be its size. They stay until they are set again. */
HYBRID_API int hybrid_set_input(hybrid_model* model, size_t index, const void* data, size_t bytes);
/* Computes the outputs and waits for them. */
HYBRID_API int hybrid_run(hybrid_model* model);
/* Copies an output of the latest run; `bytes` must be its size. */
HYBRID_API int hybrid_get_output(hybrid_model* model, size_t index, void* data, size_t bytes);
/* An output of the latest run itself, valid until the next call that sets a shape, runs or frees.
 */
HYBRID_API int hybrid_output_data(hybrid_model* model, size_t index, const void** data,
                                  size_t* bytes);

/* What a run takes; compiles if that has not been done. */
HYBRID_API int hybrid_plan(hybrid_model* model, hybrid_memory* memory);
/* Starts the random numbers of the process anew, as mx.random.seed() does. */
HYBRID_API int hybrid_seed(uint64_t seed);

#ifdef __cplusplus
}
#endif

#endif /* HYBRID_H_ */
