/**
 * The C interface of proa: open a program with its weights, run it. Plain C99; link with libproa.so.
 *
 *   proa_model *model = proa_model_open("resnet50", NULL);
 *   if (!model) { fputs(proa_error(), stderr); return 1; }
 *   int64_t dims[] = {1, 3, 224, 224};
 *   proa_tensor image = {PROA_FLOAT32, 4, dims, pixels}, scores;
 *   if (proa_model_run(model, &image, &scores)) { fputs(proa_error(), stderr); return 1; }
 *
 * Errors: see proa-c/tensor.h.
 */
#ifndef PROA_C_PROA_H
#define PROA_C_PROA_H

#include "proa-c/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/** An opened program. Use one from one thread at a time; several models in several threads are fine. */
typedef struct proa_model proa_model;

/** How a model is opened. Set all of it to zero first; zero and NULL mean what is said here. */
typedef struct proa_model_options {
  int threads;            /**< of a run; 0: as many as there are cores */
  const char *parameters; /**< weights file; NULL: found beside the program */
  const char
      *cache_directory;     /**< of compiled programs; NULL: $PROA_CACHE_DIR or ~/.cache/proa; "off": none */
  const char *const *feeds; /**< names, then NULL: fed variables of a program without feed ops */
  const char *const *fetches; /**< names, then NULL: fetched variables of a program without fetch ops */
  /** Called during work that takes long: what is being done, and the part done in [0, 1]. NULL: nobody asks.
   */
  void (*progress)(void *context, const char *what, double part);
  void *progress_context; /**< handed to `progress` */
} proa_model_options;

/**
 * Opens a folder (program.json, *.pdmodel, with the weights beside it) or a program file. `options` may be
 * NULL. The result is the caller's, to be given to proa_model_close. NULL on failure, with all problems of
 * the program: unknown ops and attributes, missing inputs and weights, wrong shapes.
 */
proa_model *proa_model_open(const char *path, const proa_model_options *options);

/** Frees the model and its outputs. NULL is allowed. */
void proa_model_close(proa_model *model);

/** Number of feeds. 0 if `model` is NULL. */
size_t proa_model_feed_count(const proa_model *model);
/** Describes feed `index`. Fails if there is none. */
int proa_model_feed(const proa_model *model, size_t index, proa_tensor_info *info);
/** Number of fetches. 0 if `model` is NULL. */
size_t proa_model_fetch_count(const proa_model *model);
/** Name of fetch `index`, as long-lived as the model; NULL if there is none. A run says dtype and dims. */
const char *proa_model_fetch(const proa_model *model, size_t index);
/** Number of parameters and state variables. 0 if `model` is NULL. */
size_t proa_model_parameter_count(const proa_model *model);
/** Describes parameter `index`. Fails if there is none. */
int proa_model_parameter(const proa_model *model, size_t index, proa_tensor_info *info);

/**
 * Gives or replaces a parameter or state variable; its data is copied. It takes effect before the next run.
 * Fails if the program has none of that name, or `value` is no valid tensor.
 */
int proa_model_set_parameter(proa_model *model, const char *name, const proa_tensor *value);
/**
 * A parameter or state variable as it is now; state as the last run left it. `value` lives until the next
 * call on this model. Fails if there is none of that name.
 */
int proa_model_get_parameter(proa_model *model, const char *name, proa_tensor *value);

/**
 * Compiles for the dims of these inputs, if that has not been done; proa_model_run does it by itself. `data`
 * of the inputs is not read and may be NULL. Fails if an input does not fit its feed, or the program can not
 * be compiled.
 */
int proa_model_prepare(proa_model *model, const proa_tensor *inputs);

/**
 * Runs the program once. `inputs` has proa_model_feed_count tensors, in the order of proa_model_feed; they
 * are only read. `outputs` has room for proa_model_fetch_count tensors, which are written; their dims and
 * data live until the next run or close of the model. Fails as proa_model_prepare does, or if an op finds bad
 * values; then `outputs` is unchanged.
 */
int proa_model_run(proa_model *model, const proa_tensor *inputs, proa_tensor *outputs);

#ifdef __cplusplus
}
#endif

#endif
