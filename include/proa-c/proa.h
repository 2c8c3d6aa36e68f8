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

/** How serious a diagnostic is. */
typedef enum proa_severity {
  PROA_REMARK = 0, /**< a decision that a user may want to know */
  PROA_WARNING = 1 /**< results may differ from those of the original program */
} proa_severity;

/** A warning about a program that is accepted all the same. All pointers live until the callback returns. */
typedef struct proa_diagnostic {
  proa_severity severity;
  const char *code;        /**< the kind of diagnostic, the same in all versions: "declared-type", ... */
  const char *message;     /**< what is the case */
  const char *variable;    /**< the variable that it is about, or "" */
  const char *file;        /**< the program's file, or "" */
  int64_t block, op;       /**< index of the block and of the op in it; -1: about the program as a whole */
  const char *op_type;     /**< or "" */
  const char *python_file; /**< of the user's line that made the op, or "" */
  int64_t python_line;     /**< 0: not known */
  const char *text;        /**< all of it as one line: "warning: WHERE: MESSAGE\n" */
} proa_diagnostic;

/**
 * How a model is opened. Begin with PROA_MODEL_OPTIONS_INIT, or set all of it to zero and `size` to
 * sizeof(proa_model_options). Zero and NULL mean what is said here.
 *
 * ABI: later versions add fields at the end and read only the first `size` bytes, so that a program compiled
 * with an older header goes on working. A `size` that is smaller than the first version of the struct, or
 * larger than that of the library, is an error.
 */
typedef struct proa_model_options {
  size_t size;            /**< sizeof(proa_model_options), as the caller knows it */
  int threads;            /**< of a run; 0: as many as there are cores */
  const char *parameters; /**< weights file; NULL: found beside the program */
  const char
      *cache_directory;     /**< of compiled programs; NULL: $PROA_CACHE_DIR or ~/.cache/proa; "off": none */
  const char *const *feeds; /**< names, then NULL: fed variables; NULL: those that the program feeds itself */
  const char *const
      *fetches; /**< names, then NULL: fetched variables; NULL: those that the program fetches */
  /** Called during work that takes long: what is being done, and the part done in [0, 1]. NULL: nobody asks.
   */
  void (*progress)(void *context, const char *what, double part);
  void *progress_context; /**< handed to `progress` */
  /** Called with each warning about the program, once each, by the functions below. NULL: nobody asks. */
  void (*diagnostic)(void *context, const proa_diagnostic *diagnostic);
  void *diagnostic_context; /**< handed to `diagnostic` */
  const char *function;     /**< of an IR file, the function to run; NULL: `main`, else the only public one */
} proa_model_options;

/** Options with `size` set and all others zero: proa_model_options options = PROA_MODEL_OPTIONS_INIT; */
#define PROA_MODEL_OPTIONS_INIT                                                                              \
  {sizeof(proa_model_options), 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL}

/**
 * Opens a folder (program.json, *.pdmodel, with the weights beside it), a program file, or an IR file
 * (*.mlir,
 * *.mlirbc), whose arguments and results are feeds and fetches by their attributes, or else by position
 * ("argument0", "result0"). `options` may be NULL. The result is the caller's, to be given to
 * proa_model_close. NULL on failure, with all problems of the program: unknown ops and attributes, missing
 * inputs and weights, wrong shapes.
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
 * Set the state that the user's Python code sets, a learning rate say, before each run. Fails if the program
 * has none of that name, or `value` is no valid tensor or has another dtype or other dims.
 */
int proa_model_set_parameter(proa_model *model, const char *name, const proa_tensor *value);
/**
 * A parameter or state variable as it is now; state as the last run left it. `value` lives until the next
 * call on this model. Fails if there is none of that name.
 */
int proa_model_get_parameter(proa_model *model, const char *name, proa_tensor *value);

/**
 * Writes all parameters and state variables as they are now to a .safetensors or .pdiparams file. The file is
 * complete or not there. Fails on other suffixes, and if the file cannot be written.
 */
int proa_model_save_parameters(proa_model *model, const char *path);

/**
 * Compiles for the dims of these inputs, if that has not been done; proa_model_run does it by itself. `data`
 * of the inputs is not read and may be NULL. Fails if an input does not fit its feed, or the program cannot
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
