/**
 * What all C interfaces of proa share: tensors over the caller's memory, and errors as text. Plain C99.
 *
 * Functions that may fail return 0, or an object, on success, and a number other than 0, or NULL, on failure;
 * then proa_error() says why. No function throws or ends the process on bad input.
 */
#ifndef PROA_C_TENSOR_H
#define PROA_C_TENSOR_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Element types. A bool takes one byte, 0 or 1; complex numbers are pairs (real, imaginary). */
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
 * A dense row-major tensor: a view of memory that somebody else owns. As an input, the caller owns `dims` and
 * `data`, which are only read during the call. As an output, proa owns them; the function says for how long.
 */
typedef struct proa_tensor {
  proa_dtype dtype;
  size_t rank;         /**< number of dims; 0: one element */
  const int64_t *dims; /**< may be NULL where rank is 0 */
  void *data;          /**< may be NULL where there are no elements */
} proa_tensor;

/** Name and type of an input, output or parameter. Pointers live as long as the object that gave them. */
typedef struct proa_tensor_info {
  const char *name;
  proa_dtype dtype;
  size_t rank;
  const int64_t *dims; /**< -1: known only in a run */
} proa_tensor_info;

/** Bytes of one element; 0 if `dtype` is none of the above. */
size_t proa_dtype_size(proa_dtype dtype);

/** "float32", "bool", "complex64", ...; NULL if `dtype` is none of the above. */
const char *proa_dtype_name(proa_dtype dtype);

/**
 * All problems of this thread's last call that failed, one a line: "error: WHERE: MESSAGE". "" if none did.
 * The text lives until the next call of proa on this thread that fails.
 */
const char *proa_error(void);

/** "0.1.0". */
const char *proa_version(void);

#ifdef __cplusplus
}
#endif

#endif
