/**
 * Programs compiled ahead of time by proa-compile. Link with libproa_runtime.so, which needs no compiler.
 *
 * A compiled library has a function NAME_create that returns a proa_program, and thin functions NAME_run and
 * NAME_destroy; its generated header describes them. The functions below work on every proa_program.
 */
#ifndef PROA_C_RUNTIME_H
#define PROA_C_RUNTIME_H

#include "proa-c/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * How many threads the runs of compiled programs may use, for the whole process; 0: as many as there are
 * cores. Set it before a program is created: matrix products are planned for the number of threads then.
 * Fails if `count` is negative.
 */
int proa_set_threads(int count);

/** A compiled program with its weights and the memory of a run. Use one from one thread at a time. */
typedef struct proa_program proa_program;

/** What a compiled library holds. Only code that proa-compile generates fills it in. */
typedef struct proa_program_data {
  size_t format;                /**< version of this struct and of the description: PROA_PROGRAM_FORMAT */
  const void *description;      /**< the plan, names and types, as proa-compile wrote them */
  size_t description_size;      /**< in bytes */
  const void *weights;          /**< embedded weights, at a multiple of 64; NULL: they are in a file */
  size_t weights_size;          /**< in bytes */
  void (*const *kernels)(void); /**< addresses of the functions that the description names, in its order */
  size_t kernel_count;
} proa_program_data;

#define PROA_PROGRAM_FORMAT 2

/**
 * Loads the program of a compiled library; NAME_create calls it. `weights_path` is a .safetensors or
 * .pdiparams file, or NULL where the weights are embedded or there are none. `data` must stay as long as the
 * program. The result is the caller's, to be given to proa_program_destroy. NULL on failure: the library is
 * of another version of proa or damaged; the weights file is missing, damaged, or lacks a parameter or has
 * one of another type.
 */
proa_program *proa_program_create(const proa_program_data *data, const char *weights_path);

/** Frees the program and its outputs. NULL is allowed. */
void proa_program_destroy(proa_program *program);

/** Number of inputs. 0 if `program` is NULL. */
size_t proa_program_input_count(const proa_program *program);
/** Describes input `index`. Fails if there is none. */
int proa_program_input(const proa_program *program, size_t index, proa_tensor_info *info);
/** Number of outputs. 0 if `program` is NULL. */
size_t proa_program_output_count(const proa_program *program);
/** Describes output `index`. Fails if there is none. */
int proa_program_output(const proa_program *program, size_t index, proa_tensor_info *info);

/**
 * Runs the program once. `inputs` has proa_program_input_count tensors, in the order of proa_program_input;
 * they are only read. `outputs` has room for proa_program_output_count tensors, which are written; their dims
 * and data live until the next run or destroy of the program. Variables that the program keeps from run to
 * run (counters, running means) are kept in `program`. Fails if an input has another dtype or other dims than
 * the program was compiled for, or an op finds bad values; then `outputs` is unchanged.
 */
int proa_program_run(proa_program *program, const proa_tensor *inputs, proa_tensor *outputs);

#ifdef __cplusplus
}
#endif

#endif
