/**
 * Tensors and errors, which all C interfaces of proa share. C99.
 *
 * A function that returns int returns 0 on success; a function that returns a pointer returns NULL on
 * failure. After a failure proa_error() returns the reasons. No function throws or ends the process on bad
 * input.
 */
#ifndef PROA_C_TENSOR_H
#define PROA_C_TENSOR_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Element types. A bool is one byte, 0 or 1; a complex number is a pair (real, imaginary). */
typedef enum proa_dtype {
  PROA_BOOL = 0,
  PROA_UINT8 = 1,
  PROA_UINT16 = 2,
  PROA_UINT32 = 3,
  PROA_UINT64 = 4,
  PROA_INT8 = 5,
  PROA_INT16 = 6,
  PROA_INT32 = 7,
  PROA_INT64 = 8,
  PROA_FLOAT8_E4M3FN = 9,
  PROA_FLOAT8_E5M2 = 10,
  PROA_FLOAT16 = 11,
  PROA_BFLOAT16 = 12,
  PROA_FLOAT32 = 13,
  PROA_FLOAT64 = 14,
  PROA_COMPLEX64 = 15,
  PROA_COMPLEX128 = 16
} proa_dtype;

/**
 * A dense row-major tensor that does not own its memory. For an input, the caller owns `dims` and `data`,
 * which are read only during the call. For an output, proa owns them; the function says how long they are
 * valid.
 */
typedef struct proa_tensor {
  proa_dtype dtype;
  size_t rank;         /**< number of dims; 0: a scalar, one element */
  const int64_t *dims; /**< may be NULL if rank is 0 */
  void *data;          /**< may be NULL if there are no elements */
} proa_tensor;

/** Name and type of an input, output or parameter. Pointers are valid as long as the model or program. */
typedef struct proa_tensor_info {
  const char *name;
  proa_dtype dtype;
  size_t rank;
  const int64_t *dims; /**< -1: a dynamic dim */
} proa_tensor_info;

/** Times of one step, averages over the runs since the collection was started. */
typedef struct proa_step_time {
  const char *kernel;   /**< library kernel, "(compiled)", "(device)", or "(NAME)" of a library of CUDA */
  const char *ops;      /**< ops of the step: "matmul", "add+max+subtract" */
  const char *variable; /**< the name of the first named result; may be empty */
  /** Types of operands and results, with the dims of the last call: "float32[2, 3], float32[3] -> float32[2,
   * 3]". */
  const char *types;
  const char *location; /**< the user's line, "net.py:42"; may be empty */
  int64_t calls;        /**< calls in one run */
  double milliseconds;  /**< total time of these calls */
  double bytes;         /**< bytes of operands and results in these calls; 0: not known */
  double flops;         /**< arithmetic operations in these calls; 0: not known */
  /** Share of the time that the machine needs at least: max(bytes / bandwidth, flops / peak) / time, with the
   * peaks of the device or the CPU. Above 1 where operands are in a cache of the CPU; 0: not known. */
  double roofline;
} proa_step_time;

/** Size of one element in bytes; 0 for an invalid dtype. */
size_t proa_dtype_size(proa_dtype dtype);

/** Name of the dtype: "float32", "bool", "complex64", ...; NULL for an invalid dtype. */
const char *proa_dtype_name(proa_dtype dtype);

/**
 * The errors of the last failed call on this thread, one per line: "error: WHERE: MESSAGE"; "" if none
 * failed. The text is valid until the next failed call on this thread.
 */
const char *proa_error(void);

/** Version of the library, "0.1.0". */
const char *proa_version(void);

#ifdef __cplusplus
}
#endif

#endif
