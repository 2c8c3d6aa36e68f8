/**
 * The C interface of proa: opens a program with its weights and runs it. C99; link with libproa.so.
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

/** An opened program. A model may be used by one thread at a time; several models may run in several threads.
 */
typedef struct proa_model proa_model;

/** Severity of a diagnostic. */
typedef enum proa_severity {
  PROA_REMARK = 0, /**< a decision that a user may want to know */
  PROA_WARNING = 1 /**< results may differ from those of the original program */
} proa_severity;

/** A warning or remark about an accepted program. All pointers are valid until the callback returns. */
typedef struct proa_diagnostic {
  proa_severity severity;
  const char *code;        /**< the kind of diagnostic, the same in all versions: "declared-type", ... */
  const char *message;     /**< the message, without a full stop */
  const char *variable;    /**< the variable concerned, or "" */
  const char *file;        /**< the program's file, or "" */
  int64_t block, op;       /**< index of the block, and of the op in it; -1: the whole program */
  const char *op_type;     /**< type of the op, or "" */
  const char *python_file; /**< file of the user's line that created the op, or "" */
  int64_t python_line;     /**< 0: unknown */
  const char *text;        /**< the diagnostic as one line: "warning: WHERE: MESSAGE\n" */
} proa_diagnostic;

/**
 * Options of proa_model_open. Initialize it with PROA_MODEL_OPTIONS_INIT, or set all fields to zero and
 * `size` to sizeof(proa_model_options). Zero and NULL are the defaults described here.
 *
 * ABI: later versions add fields at the end and read only the first `size` bytes, so that a program compiled
 * with an older header keeps working. A `size` smaller than the first version of the struct, or larger than
 * that of the library, is an error.
 */
typedef struct proa_model_options {
  size_t size;            /**< sizeof(proa_model_options) of the caller's header */
  int threads;            /**< number of threads of a run; 0: one for each core */
  const char *parameters; /**< weights file; NULL: the one in the folder of the program */
  /** Folder of the cache of compiled programs; NULL: $PROA_CACHE_DIR, else ~/.cache/proa; "off": no cache. */
  const char *cache_directory;
  const char *const *feeds;   /**< fed variables, NULL-terminated; NULL: the program's own */
  const char *const *fetches; /**< fetched variables, NULL-terminated; NULL: the program's own */
  /** Called during long work, with the current activity and the fraction done in [0, 1]; may be NULL. */
  void (*progress)(void *context, const char *what, double part);
  void *progress_context; /**< first argument of `progress` */
  /** Called with each warning about the program, once each, by the functions below; may be NULL. */
  void (*diagnostic)(void *context, const proa_diagnostic *diagnostic);
  void *diagnostic_context; /**< first argument of `diagnostic` */
  const char *function;     /**< function of an IR file; NULL: `main`, else the only public function */
} proa_model_options;

/** Default options: proa_model_options options = PROA_MODEL_OPTIONS_INIT; */
#define PROA_MODEL_OPTIONS_INIT                                                                              \
  {sizeof(proa_model_options), 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL}

/** One level of a LoD: ascending offsets, the first of which is 0; N sequences have N + 1 offsets. */
typedef struct proa_lod_level {
  size_t count; /**< number of offsets */
  const int64_t *offsets;
} proa_lod_level;

/**
 * Level of detail: the sequences that the rows of a tensor form, from the outermost level to the innermost.
 * Offsets of the innermost level are row indices; those of another level are indices of sequences of the next
 * level. One level with the offsets 0, 2, 5 has two sequences: rows 0 to 1 and rows 2 to 4.
 */
typedef struct proa_lod {
  size_t level_count; /**< 0: a tensor without sequences */
  const proa_lod_level *levels;
} proa_lod;

/**
 * Opens a program: a folder with program.json or *.pdmodel and its weights, a program file, or an IR file
 * (*.mlir, *.mlirbc). Arguments and results of an IR file are feeds and fetches by their attributes, or by
 * position ("argument0", "result0"). `options` may be NULL. Free the result with proa_model_close. NULL on
 * failure; proa_error then lists all problems of the program: unknown ops and attributes, missing inputs and
 * weights, wrong shapes.
 */
proa_model *proa_model_open(const char *path, const proa_model_options *options);

/** Frees the model and its outputs. NULL is allowed. */
void proa_model_close(proa_model *model);

/** Number of feeds. 0 if `model` is NULL. */
size_t proa_model_feed_count(const proa_model *model);
/** Describes feed `index`. Fails if there is none. */
int proa_model_feed(const proa_model *model, size_t index, proa_tensor_info *info);
/** Number of LoD levels that feed `index` declares; 0 for a feed without sequences, or if there is no such
 * feed. */
size_t proa_model_feed_lod_level(const proa_model *model, size_t index);
/** Number of fetches. 0 if `model` is NULL. */
size_t proa_model_fetch_count(const proa_model *model);
/** Name of fetch `index`, valid as long as the model; NULL if there is none. A run returns dtype and dims. */
const char *proa_model_fetch(const proa_model *model, size_t index);
/** Number of parameters and state variables. 0 if `model` is NULL. */
size_t proa_model_parameter_count(const proa_model *model);
/** Describes parameter `index`. Fails if there is none. */
int proa_model_parameter(const proa_model *model, size_t index, proa_tensor_info *info);

/**
 * Sets a parameter or state variable before the next run, for example the learning rate; the data is copied.
 * Fails if the program has no variable of that name, or if `value` is not a valid tensor or has another dtype
 * or other dims.
 */
int proa_model_set_parameter(proa_model *model, const char *name, const proa_tensor *value);
/**
 * Gets the current value of a parameter or state variable. `value` is valid until the next call on this
 * model. Fails if the program has no variable of that name.
 */
int proa_model_get_parameter(proa_model *model, const char *name, proa_tensor *value);

/**
 * Writes the current values of all parameters and state variables to a .safetensors or .pdiparams file. The
 * file is written completely or not at all. Fails for other suffixes, and if the file cannot be written.
 */
int proa_model_save_parameters(proa_model *model, const char *path);

/**
 * Sets the LoD of feed `index` for all following prepares and runs, until it is set again; it is copied. NULL
 * removes it. Fails if there is no such feed, or if a pointer in `lod` is NULL. Offsets that do not ascend or
 * do not fit the tensor make the run fail.
 */
int proa_model_set_feed_lod(proa_model *model, size_t index, const proa_lod *lod);

/**
 * Compiles for the dims of these inputs if needed; proa_model_run does so too. `data` of the inputs is not
 * read and may be NULL. Fails if an input does not match its feed, or if the program cannot be compiled.
 */
int proa_model_prepare(proa_model *model, const proa_tensor *inputs);

/**
 * Runs the program once. `inputs` has proa_model_feed_count tensors in the order of proa_model_feed, which
 * are only read. `outputs` has room for proa_model_fetch_count tensors; their dims and data are valid until
 * the next run or close of the model. Fails as proa_model_prepare does, or if an op fails; then `outputs` is
 * unchanged.
 */
int proa_model_run(proa_model *model, const proa_tensor *inputs, proa_tensor *outputs);

/**
 * Gets the LoD of fetch `index` of the last run; `lod` is valid until the next run or close of the model.
 * Fails if there is no such fetch, or before the first successful run.
 */
int proa_model_fetch_lod(const proa_model *model, size_t index, proa_lod *lod);

#ifdef __cplusplus
}
#endif

#endif
