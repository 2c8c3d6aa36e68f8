/**
 * The C interface of proa: opens a program with its weights and runs it. C99; link with libproa.so.
 *
 *   proa_model *model = proa_model_open("resnet50", NULL);
 *   proa_session *session = model ? proa_session_create(model, NULL) : NULL;
 *   if (!session) { fputs(proa_error(), stderr); return 1; }
 *   int64_t dims[] = {1, 3, 224, 224};
 *   proa_tensor image = {PROA_FLOAT32, 4, dims, pixels}, scores;
 *   if (proa_session_run(session, &image, &scores)) { fputs(proa_error(), stderr); return 1; }
 *
 * Errors: see proa-c/tensor.h.
 */
#ifndef PROA_C_PROA_H
#define PROA_C_PROA_H

#include "proa-c/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * An opened program: weights, options, and what was compiled. It is immutable; any number of threads may use
 * it.
 */
typedef struct proa_model proa_model;

/**
 * The memory of one user of a model: state variables, arena, random numbers. One thread at a time may use a
 * session; sessions of one model may run in several threads at once. A call while another thread is in a call
 * of the same session fails and changes nothing.
 */
typedef struct proa_session proa_session;

/** Severity of a diagnostic. */
typedef enum proa_severity {
  PROA_REMARK = 0, /**< a decision that a user may want to know */
  PROA_WARNING = 1 /**< results may differ from the original program */
} proa_severity;

/** A warning or remark about an accepted program. All pointers are valid until the callback returns. */
typedef struct proa_diagnostic {
  proa_severity severity;
  const char *code;        /**< the kind of diagnostic, the same in all versions: "declared-type", ... */
  const char *message;     /**< the message, without a full stop */
  const char *variable;    /**< the variable concerned, or "" */
  const char *file;        /**< the program's file; of a remark the user's line ("net.py:42"); or "" */
  int64_t block, op;       /**< index of the block, and of the op in it; -1: the whole program */
  const char *op_type;     /**< type of the op, or "" */
  const char *python_file; /**< file of the user's line that created the op, or "" */
  int64_t python_line;     /**< 0: unknown */
  const char *text;        /**< the diagnostic as one line: "warning: WHERE: MESSAGE\n" */
} proa_diagnostic;

/** Ops that mixed precision computes in 16 bits. */
typedef enum proa_amp_level {
  PROA_AMP_O1 = 0, /**< ops of the allow list, and ops of the grey list if their operands are in 16 bits */
  PROA_AMP_O2 = 1  /**< all ops except the deny list */
} proa_amp_level;

/**
 * Loss scaling: the loss is multiplied by a scale and the gradients are divided by it, because small
 * gradients vanish in float16.
 */
typedef enum proa_loss_scaling {
  PROA_LOSS_SCALING_NONE = 0,
  PROA_LOSS_SCALING_STATIC = 1, /**< the scale is constant */
  /** The scale grows after steps with finite gradients and shrinks after others, which do not update
   * parameters. Adds the state variables "loss_scaling", "loss_scaling.good_steps" and
   * "loss_scaling.bad_steps". */
  PROA_LOSS_SCALING_DYNAMIC = 2
} proa_loss_scaling;

/**
 * Options of mixed precision. Initialize it with PROA_AMP_OPTIONS_INIT. Parameters and their update stay in
 * float32. ABI: as for proa_model_options.
 */
typedef struct proa_amp_options {
  size_t size; /**< sizeof(proa_amp_options) of the caller's header */
  proa_amp_level level;
  proa_dtype dtype; /**< PROA_FLOAT16 or PROA_BFLOAT16 */
  /** Ops to move to a list, by name, each array NULL-terminated or NULL. Other ops are on Paddle's list. */
  const char *const *allow, *const *deny, *const *grey;
  proa_loss_scaling scaling;
  double loss_scale;      /**< the constant or initial scale */
  int64_t increase_every; /**< dynamic: number of finite steps after which the scale grows */
  int64_t decrease_every; /**< dynamic: number of steps with Inf or NaN after which the scale shrinks */
  double increase_ratio;  /**< dynamic: the factor of growth */
  double decrease_ratio;  /**< dynamic: the factor of shrinking */
} proa_amp_options;

/** Level O1 in float16 without loss scaling: proa_amp_options amp = PROA_AMP_OPTIONS_INIT; */
/* clang-format off */
#define PROA_AMP_OPTIONS_INIT \
  {sizeof(proa_amp_options), PROA_AMP_O1, PROA_FLOAT16, NULL, NULL, NULL, PROA_LOSS_SCALING_NONE, 32768.0, \
   1000, 2, 2.0, 0.8}
/* clang-format on */

/**
 * The devices of a run, and how tensors are distributed over them. Each device has one rank, which computes
 * its program. Initialize it with PROA_MESH_OPTIONS_INIT. ABI: as for proa_model_options.
 */
typedef struct proa_mesh_options {
  size_t size; /**< sizeof(proa_mesh_options) of the caller's header */
  /** Axes and their sizes, from major to minor: "dp=2,mp=4". NULL: from the shardings or the IR file.
   */
  const char *axes;
  /** Shardings of feeds, parameters and fetches by name pattern: a JSON file, or its content (text that
   * begins with a brace). NULL: from the IR file alone. */
  const char *shardings;
  /** Strategy of parallel training: components separated by commas, such as
   * "dp2,mp2,zero1,amp,recompute,acc4". "dp" without a number takes the size of the axis of the mesh; a
   * number that differs from it is an error. Shardings of `shardings` take precedence. NULL: none. */
  const char *strategy;
  /** Not 0: the ranks are threads of this process. 0: each rank is a process started by mpirun, and the mesh
   * needs as many devices as there are processes. */
  int simulate;
  /** Not 0: collectives do not communicate while kernels run. */
  int no_overlap;
  /** Delays messages as a slower link does, for measurements on one machine: "20us,1GB/s". NULL: none. */
  const char *emulated_link;
  /** Axes of the process groups of a legacy collective program, by `ring_id`: "0=dp,1=mp,2=dp+mp", or "auto"
   * (MeshOptions::rings). NULL: the program is for one device. */
  const char *rings;
  /** The most bytes of a device that source and result of one step of a reshard may take
   * (MeshOptions::memoryLimit). 0: no limit. */
  int64_t memory_limit;
  /** The order of the jobs of a pipeline: the text form of docs/pipelines.md, or a file of it
   * (MeshOptions::schedule). NULL: the schedule of the strategy. */
  const char *schedule;
} proa_mesh_options;

/** A mesh of processes: proa_mesh_options mesh = PROA_MESH_OPTIONS_INIT; */
#define PROA_MESH_OPTIONS_INIT {sizeof(proa_mesh_options), NULL, NULL, NULL, 0, 0, NULL, NULL, 0, NULL}

/** A state variable in a store; on a mesh the shard of one rank. */
typedef struct proa_stored_variable {
  const char *name;
  int64_t rank;
  proa_dtype dtype;
  size_t dim_count;
  const int64_t *dims;
} proa_stored_variable;

/**
 * Where states of a training program are between their uses, instead of in memory: files of a folder, or
 * functions of the caller. A model calls one function at a time, from any thread. A function returns 0, or
 * another number if it has failed: then the run fails with an error that names the variable. Initialize it
 * with PROA_OFFLOAD_OPTIONS_INIT. ABI: as for proa_model_options.
 */
typedef struct proa_offload_options {
  size_t size;         /**< sizeof(proa_offload_options) of the caller's header */
  int parameters;      /**< not 0: parameters too, not only states of the optimizer */
  int64_t least_bytes; /**< states with fewer bytes stay in memory; 0: 4096 */
  const char *folder;  /**< without functions: an existing folder; NULL: the folder of temporary files */
  /** Copies the value that was stored last to `data`. NULL: files of `folder`. */
  int (*fetch)(void *context, const proa_stored_variable *variable, void *data, size_t bytes);
  /** Keeps a value: the initial one, the new one of each run, and one of proa_session_set_parameter. */
  int (*store)(void *context, const proa_stored_variable *variable, const void *data, size_t bytes);
  /** Called after each run of a rank; if the run has failed, drop the values that it stored and keep
   * the values before. May be NULL. */
  int (*end_run)(void *context, int64_t rank, int has_succeeded);
  void *context; /**< first argument of the functions */
} proa_offload_options;

/** Files in the folder of temporary files: proa_offload_options offload = PROA_OFFLOAD_OPTIONS_INIT; */
#define PROA_OFFLOAD_OPTIONS_INIT {sizeof(proa_offload_options), 0, 0, NULL, NULL, NULL, NULL, NULL}

/** When a program with dynamic dims is compiled for the dims of its feeds. */
typedef enum proa_specialization {
  /** Runs use one program for all dims, which the first run compiles. Dims that come back get a program of
   * their own, compiled in a thread of low priority; until it is ready, runs use the first one. Training
   * programs, meshes and GPUs: as PROA_SPECIALIZATION_ALWAYS. */
  PROA_SPECIALIZATION_BACKGROUND = 0,
  /** Each run uses a program compiled for its dims; new dims are compiled by the run that brings them. */
  PROA_SPECIALIZATION_ALWAYS = 1,
  PROA_SPECIALIZATION_NEVER = 2 /**< runs use the program for all dims only */
} proa_specialization;

/** When LLVM optimizes the machine code of kernels. */
typedef enum proa_code_optimization {
  /** Kernels with little work are compiled without optimization, and optimized in a thread of low priority;
   * runs use the new code as soon as it is ready, and their results may differ by rounding. Training
   * programs, meshes and GPUs: as PROA_CODE_OPTIMIZATION_ALWAYS. */
  PROA_CODE_OPTIMIZATION_BACKGROUND = 0,
  PROA_CODE_OPTIMIZATION_NEVER = 1, /**< not at all, which suits one run on small tensors */
  PROA_CODE_OPTIMIZATION_ALWAYS = 2 /**< before the first run */
} proa_code_optimization;

/**
 * Options of proa_model_open. Initialize it with PROA_MODEL_OPTIONS_INIT, or set all fields to zero and
 * `size` to sizeof(proa_model_options). Zero and NULL are the defaults described here.
 *
 * ABI: later versions add fields at the end and read only the first `size` bytes, so that a program compiled
 * with an older header keeps working. A `size` smaller than the first version of the struct, or larger than
 * the version of the library, is an error.
 */
typedef struct proa_model_options {
  size_t size;            /**< sizeof(proa_model_options) of the caller's header */
  int threads;            /**< number of threads of a run, at most 1024; 0: one for each core */
  const char *parameters; /**< weights file; NULL: the one in the folder of the program */
  /** Folder of the cache of compiled programs; NULL: $PROA_CACHE_DIR, else ~/.cache/proa; "off": no cache. */
  const char *cache_directory;
  const char *const *feeds;   /**< fed variables, NULL-terminated; NULL: the program's own */
  const char *const *fetches; /**< fetched variables, NULL-terminated; NULL: the program's own */
  /** Called during long work, with the current activity and the fraction done in [0, 1]; may be NULL. */
  void (*progress)(void *context, const char *what, double fraction);
  void *progress_context; /**< first argument of `progress` */
  /** Called with each warning about the program, once each, and with remarks, by the functions below; may be
   * NULL. */
  void (*diagnostic)(void *context, const proa_diagnostic *diagnostic);
  void *diagnostic_context; /**< first argument of `diagnostic` */
  const char *function;     /**< function of an IR file; NULL: `main`, else the only public function */
  /** Not 0: a run fails at the first op that makes a NaN from inputs without NaN, or an Inf from finite
   * inputs. The error names the op, the user's line, the output and the first index. Runs are slower. */
  int check_finite;
  /** CPU that kernels are compiled for, by its LLVM name ("x86-64-v3", "znver4"); NULL: this machine's. */
  const char *cpu;
  const proa_amp_options *amp; /**< mixed precision, read during the call; NULL: none */
  uint64_t seed;               /**< seed of random ops that have no seed attribute */
  /** Training programs: rematerializes values until peak memory is at most this many bytes (best effort); -1:
   * only values that are nearly free. NULL: none. Read during the call. */
  const int64_t *memory_budget;
  /** Training programs: number of micro-batches for which gradients are computed one after the
   * other; 0: 1. */
  int64_t micro_batches;
  const char *dump_directory; /**< folder for the IR of each stage; NULL: none is written */
  /** Passes whose remarks are reported to `diagnostic`: a regular expression that matches the whole name of a
   * pass, such as "pd-fuse-.*"; NULL: none. Cached programs are then not used. */
  const char *remarks;
  const proa_mesh_options *mesh; /**< the mesh to run on, read during the call; NULL: one device */
  /** The device that kernels are compiled for: "cpu", "cuda", "cuda:N" (device number N), "cuda-emulated", or
   * a list such as "cuda,cpu" of which the first is chosen that this machine can run; NULL: "cpu". */
  const char *target;
  /** Training programs: keeps states outside of memory between their uses, read during the call; NULL: all
   * are in memory. */
  const proa_offload_options *offload;
  proa_code_optimization code_optimization;
  /** Not 0: on a GPU, matmuls and convolutions of float32 may round their operands to TF32 (10 bits of
   * mantissa), which is several times as fast. Without effect on a CPU. */
  int allow_tf32;
  /** Not 0: on a GPU, sums of scattered elements may be atomic additions, whose order depends on the run,
   * where slices are small. Without effect on a CPU. */
  int allow_atomic_sums;
  proa_specialization specialization; /**< of programs with dynamic dims */
  /** Number of sets of feed dims for which programs are kept in memory; 0: 16. Beyond it, the sets whose last
   * use is the longest ago are dropped. */
  size_t kept_specializations;
  /** Threads of the caller, which run tasks of kernels; `threads` is the number of tasks. Calls
   * body(body_context, i) for each i in [0, count), on any threads, and returns when all calls are done. Any
   * thread that runs a session calls it. Kernels of oneDNN then use one thread. NULL: threads of the process.
   */
  void (*parallel_for)(void *context, int64_t count, void (*body)(void *body_context, int64_t i),
                       void *body_context);
  void *parallel_context; /**< first argument of `parallel_for` */
  /** Passes that run on the imported program when it is compiled: a textual pipeline of MLIR for a module;
   * NULL: none. */
  const char *passes;
  /** Files of patterns in PDLL (*.pdll), or in MLIR's dialect pdl (*.mlir), that are applied after `passes`,
   * NULL-terminated; NULL: none. */
  const char *const *patterns;
  /** JSON file of facts about the machine that programs are compiled for, which replace the known ones; NULL:
   * none. */
  const char *target_facts;
} proa_model_options;

/** Default options: proa_model_options options = PROA_MODEL_OPTIONS_INIT; */
/* clang-format off */
#define PROA_MODEL_OPTIONS_INIT \
  {sizeof(proa_model_options), 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, \
   0, NULL, NULL, 0, NULL, 0, NULL, NULL, NULL, NULL, NULL, \
   PROA_CODE_OPTIMIZATION_BACKGROUND, 0, 0, PROA_SPECIALIZATION_BACKGROUND, \
   0, NULL, NULL, NULL, NULL, NULL}
/* clang-format on */

/** One level of a LoD: ascending offsets, the first of which is 0; N sequences have N + 1 offsets. */
typedef struct proa_lod_level {
  size_t count; /**< number of offsets */
  const int64_t *offsets;
} proa_lod_level;

/**
 * Level of detail: the sequences that the rows of a tensor form, from the outermost level to the innermost.
 * Offsets of the innermost level are row indices; offsets of another level are indices of sequences of the
 * next level. One level with the offsets 0, 2, 5 has two sequences: rows 0 to 1 and rows 2 to 4.
 */
typedef struct proa_lod {
  size_t level_count; /**< 0: a tensor without sequences */
  const proa_lod_level *levels;
} proa_lod;

/**
 * Opens a program: a folder with program.json or *.pdmodel and its weights, a program file, or an IR file
 * (*.mlir, *.mlirbc). Arguments and results of an IR file are feeds and fetches by their attributes, or by
 * position ("argument0", "result0"). `options` may be NULL. Free the result with proa_model_close. NULL on
 * failure; proa_error then lists all errors of the program: unknown ops and attributes, missing inputs and
 * weights, wrong shapes.
 */
proa_model *proa_model_open(const char *path, const proa_model_options *options);

/**
 * A program and its weights in memory. Initialize it with PROA_MODEL_SOURCE_INIT. ABI: as for
 * proa_model_options.
 */
typedef struct proa_model_source {
  size_t size; /**< sizeof(proa_model_source) of the caller's header */
  /** The name that a file of the program would have; its suffix tells the form: "model.pdmodel",
   * "program.json", "net.onnx", "net.mlir". Begins the messages. */
  const char *name;
  const void *program; /**< content of the file, needed during the call only */
  size_t program_size; /**< in bytes */
  /** Content of a .safetensors or .pdiparams file, or NULL. Unless `release` is NULL and the memory outlives
   * the model and its sessions, `release` is called when they are gone. */
  const void *weights;
  size_t weights_size; /**< in bytes */
  /** Weights by name, which override `weights`; `data` is used as long as the model. May be NULL. */
  const char *const *tensor_names;
  const proa_tensor *tensors;
  size_t tensor_count;
  void (*release)(void *context); /**< frees `weights` and `tensors`, also after a failure; may be NULL */
  void *release_context;          /**< argument of `release` */
} proa_model_source;

/** Nothing: proa_model_source source = PROA_MODEL_SOURCE_INIT; */
#define PROA_MODEL_SOURCE_INIT {sizeof(proa_model_source), NULL, NULL, 0, NULL, 0, NULL, NULL, 0, NULL, NULL}

/** As proa_model_open, of a program in memory. The option `parameters` must be NULL. */
proa_model *proa_model_open_memory(const proa_model_source *source, const proa_model_options *options);

/** Times of opening, in milliseconds. */
typedef struct proa_model_times {
  double read;   /**< reading program and weights */
  double import; /**< importing the program */
} proa_model_times;

/** Fails if a pointer is NULL. */
int proa_model_get_times(const proa_model *model, proa_model_times *times);

/** Frees the model, which its sessions keep alive. NULL is allowed. */
void proa_model_close(proa_model *model);

/**
 * The rank of this process on a mesh of processes; 0 otherwise, and if `model` is NULL. Each process of a
 * mesh opens the model and calls the same functions with equal arguments. Feeds and fetches are whole on
 * each.
 */
int64_t proa_model_rank(const proa_model *model);

/** Number of feeds. 0 if `model` is NULL. */
size_t proa_model_feed_count(const proa_model *model);
/** Describes feed `index`. Fails if there is none. */
int proa_model_feed(const proa_model *model, size_t index, proa_tensor_info *info);
/** Number of LoD levels that feed `index` declares; 0 for a feed without sequences, or if there is no such
 * feed. */
size_t proa_model_feed_lod_level(const proa_model *model, size_t index);
/**
 * Whether feed `index` is a sequence of tensors or an optional tensor. Its dtype is the dtype of the
 * elements, and its dims are empty. proa_session_set_feed_elements gives the elements; the input of a run at
 * its index is not read. 0 if the index is out of range.
 */
int proa_model_feed_is_sequence(const proa_model *model, size_t index);
/**
 * The name of dimension `axis` of feed `index` ("N"), valid as long as the model; "" if it has none. Dims
 * with one name have one size in a run.
 */
const char *proa_model_feed_dim_name(const proa_model *model, size_t index, size_t axis);
/** Number of fetches. 0 if `model` is NULL. */
size_t proa_model_fetch_count(const proa_model *model);
/** Name of fetch `index`, valid as long as the model; NULL if there is none. A run returns dtype and dims. */
const char *proa_model_fetch(const proa_model *model, size_t index);
/** Number of parameters and state variables. 0 if `model` is NULL. */
size_t proa_model_parameter_count(const proa_model *model);
/** Describes parameter `index`. Fails if there is none. */
int proa_model_parameter(const proa_model *model, size_t index, proa_tensor_info *info);

/**
 * Options of proa_session_create. Initialize it with PROA_SESSION_OPTIONS_INIT. ABI: as for
 * proa_model_options.
 */
typedef struct proa_session_options {
  size_t size;          /**< sizeof(proa_session_options) of the caller's header */
  const uint64_t *seed; /**< seed of random ops without a seed attribute; NULL: the model's seed */
  /** Provides arena, values with dynamic dims and results: `bytes` bytes at a multiple of `alignment`, or
   * NULL if there are none. NULL: the allocator of the process. */
  void *(*allocate)(void *context, size_t bytes, size_t alignment);
  /** Frees what `allocate` returned, from any thread. NULL only if `allocate` is. */
  void (*deallocate)(void *context, void *memory, size_t bytes);
  void *allocator_context; /**< first argument of both; used until all results are freed */
} proa_session_options;

/** Default options: proa_session_options options = PROA_SESSION_OPTIONS_INIT; */
#define PROA_SESSION_OPTIONS_INIT {sizeof(proa_session_options), NULL, NULL, NULL, NULL}

/**
 * Creates a session of a model. States begin with the values of the model's weights. `options` may be NULL.
 * Free the result with proa_session_destroy. NULL on failure: on a mesh of processes, and with a store of the
 * caller, a model has one session at a time.
 */
proa_session *proa_session_create(const proa_model *model, const proa_session_options *options);

/** The model of a session, valid as long as the session; NULL if `session` is NULL. */
const proa_model *proa_session_model(const proa_session *session);

/** Frees the session and its outputs. NULL is allowed. */
void proa_session_destroy(proa_session *session);

/**
 * Sets a parameter or state variable of this session before the next run, for example the learning rate; the
 * data is copied.
 * Fails if the program has no variable of that name, or if `value` is not a valid tensor or has another dtype
 * or other dims.
 */
int proa_session_set_parameter(proa_session *session, const char *name, const proa_tensor *value);
/**
 * Gets the current value of a parameter or state variable. `value` is valid until the next call on this
 * session. Fails if the program has no variable of that name.
 */
int proa_session_get_parameter(proa_session *session, const char *name, proa_tensor *value);

/**
 * Writes the current values of all parameters and state variables to a .safetensors or .pdiparams file. The
 * file is written completely or not at all. Fails for other suffixes, and if the file cannot be written.
 */
int proa_session_save_parameters(proa_session *session, const char *path);

/**
 * Options of proa_session_save_checkpoint. Initialize it with PROA_CHECKPOINT_OPTIONS_INIT. ABI: as for
 * proa_model_options.
 */
typedef struct proa_checkpoint_options {
  size_t size;  /**< sizeof(proa_checkpoint_options) of the caller's header */
  int64_t step; /**< number of completed steps, which proa_session_load_checkpoint returns */
  /** Not 0: the files are written while the caller continues, until proa_session_finish_checkpoint. */
  int in_background;
} proa_checkpoint_options;

/** Default options: proa_checkpoint_options options = PROA_CHECKPOINT_OPTIONS_INIT; */
#define PROA_CHECKPOINT_OPTIONS_INIT {sizeof(proa_checkpoint_options), 0, 0}

/**
 * Writes all parameters, state variables and the state of random numbers as a checkpoint into a folder
 * (docs/checkpoints.md). It replaces the previous checkpoint there when it is complete; a process that is
 * killed leaves the previous one whole. `options` may be NULL. On a mesh of processes all of them must call
 * it, and the two functions below. Fails if the folder or a file cannot be written.
 */
int proa_session_save_checkpoint(proa_session *session, const char *folder,
                                 const proa_checkpoint_options *options);
/**
 * Waits for the files of a checkpoint that are written in the background; it is complete then. The next save
 * or load does so too. Fails as proa_session_save_checkpoint does.
 */
int proa_session_finish_checkpoint(proa_session *session);
/**
 * Sets all values from a checkpoint, which another mesh or strategy may have written. `step` receives the
 * number of completed steps; it may be NULL. Fails if there is no checkpoint, a file is missing or was
 * changed, a variable has no value, a tensor no variable, or a type differs; the values are undefined then.
 */
int proa_session_load_checkpoint(proa_session *session, const char *folder, int64_t *step);

/** An open checkpoint, of which single tensors are read. One thread at a time may use it. */
typedef struct proa_checkpoint proa_checkpoint;

/**
 * Opens a checkpoint: a folder or a file of proa, Hugging Face, Paddle or PyTorch (docs/checkpoints.md lists
 * the formats). No model is needed. Free the result with proa_checkpoint_close. NULL on failure: nothing of
 * these, an unknown version, a file that is missing or has another size than the index says.
 */
proa_checkpoint *proa_checkpoint_open(const char *path);

/** Frees the checkpoint and the tensor of the last read. NULL is allowed. */
void proa_checkpoint_close(proa_checkpoint *checkpoint);

/** The number of completed steps; -1: no training saved the checkpoint. */
int64_t proa_checkpoint_step(const proa_checkpoint *checkpoint);

/** Number of tensors, in the order of their names. */
size_t proa_checkpoint_tensor_count(const proa_checkpoint *checkpoint);
/** Describes tensor `index`, until the checkpoint is closed. Fails if the checkpoint lacks the tensor. */
int proa_checkpoint_tensor(const proa_checkpoint *checkpoint, size_t index, proa_tensor_info *info);

/**
 * Reads the elements from `begin` to before `end` of each dim of a tensor, or all of them if both are NULL;
 * only shards that have such elements are read. `value` is valid until the next read or until the checkpoint
 * is closed. Fails if the checkpoint lacks the tensor, a range is not one of the dims, or a file was changed.
 */
int proa_checkpoint_read(proa_checkpoint *checkpoint, const char *name, const int64_t *begin,
                         const int64_t *end, proa_tensor *value);

/**
 * Copies all values of another session of a program with the same variables, as a checkpoint does, but
 * without files. The sessions may have other meshes and strategies. Fails as proa_session_load_checkpoint
 * does.
 */
int proa_session_copy_values(proa_session *session, proa_session *other);

/**
 * Sets the LoD of feed `index` for all following prepares and runs, until it is set again; it is copied. NULL
 * removes it. Fails if there is no such feed, or if a pointer in `lod` is NULL. Offsets that do not ascend or
 * do not fit the tensor make the run fail.
 */
int proa_session_set_feed_lod(proa_session *session, size_t index, const proa_lod *lod);

/**
 * Sets the elements of feed `index`, a sequence, for all following prepares and runs, until they are set
 * again; they are copied. An optional has no element or one. Fails if the feed is not a sequence.
 */
int proa_session_set_feed_elements(proa_session *session, size_t index, const proa_tensor *elements,
                                   size_t count);

/**
 * Compiles for the dims of these inputs if needed; proa_session_run does so too. `data` of the inputs is not
 * read and may be NULL. Fails if an input does not match its feed, or if the program cannot be compiled.
 */
int proa_session_prepare(proa_session *session, const proa_tensor *inputs);

/**
 * Waits until nothing is compiled in the background for the session: specializations, and the optimization of
 * code. Call it before runs are measured.
 */
int proa_session_finish_compilation(proa_session *session);

/**
 * Runs the program once. `inputs` has proa_model_feed_count tensors in the order of proa_model_feed, which
 * are only read. `outputs` has room for proa_model_fetch_count tensors; their dims and data are valid until
 * the next run or destruction of the session. Fails as proa_session_prepare does, or if an op fails; then
 * `outputs` is unchanged.
 */
int proa_session_run(proa_session *session, const proa_tensor *inputs, proa_tensor *outputs);

/** A request to end runs. Several threads may use it. */
typedef struct proa_stop proa_stop;
/** Free the result with proa_stop_destroy, after the runs that have it. NULL if there is no memory. */
proa_stop *proa_stop_create(void);
/** Ends all runs that use it, between two steps, and runs that begin later. NULL is allowed. */
void proa_stop_request(proa_stop *stop);
/** NULL is allowed. */
void proa_stop_destroy(proa_stop *stop);

/**
 * Options of a run. Initialize it with PROA_RUN_OPTIONS_INIT. ABI: as for proa_model_options.
 */
typedef struct proa_run_options {
  size_t size; /**< sizeof(proa_run_options) of the caller's header */
  /** For each feed the distances of its elements along each dim, in elements, or NULL for a row-major tensor
   * without gaps. NULL: all are. */
  const int64_t *const *input_strides;
  /** For each fetch memory for it, or `data` NULL for memory of proa. The run writes there without a copy if
   * it is dense and its elements are aligned. NULL: memory of proa for all. */
  const proa_tensor *output_memory;
  /** Strides of `output_memory`, as input_strides. */
  const int64_t *const *output_strides;
  /** Ends the run between two steps, also in loops, when it takes more than this many milliseconds; 0: never.
   * Compilation does not count. */
  double time_limit;
  const proa_stop *stop; /**< ends the run in the same way on request; NULL: never */
} proa_run_options;

/** Default options: proa_run_options options = PROA_RUN_OPTIONS_INIT; */
#define PROA_RUN_OPTIONS_INIT {sizeof(proa_run_options), NULL, NULL, NULL, 0, NULL}

/**
 * As proa_session_run, with options, which may be NULL. Fails too if the run is ended early: then states keep
 * their values; and if memory does not fit a fetch.
 */
int proa_session_run_with(proa_session *session, const proa_tensor *inputs, proa_tensor *outputs,
                          const proa_run_options *options);

/** Times of the last preparation and of the last run, in milliseconds. */
typedef struct proa_session_times {
  double compile;  /**< compiling; 0 if nothing was compiled */
  double load;     /**< loading object code and packing weights */
  double last_run; /**< the last run alone */
  int from_cache;  /**< not 0: the program that was loaded came from the cache on disk */
} proa_session_times;

/** Fails if a pointer is NULL. */
int proa_session_get_times(const proa_session *session, proa_session_times *times);
/** Arena size of the last run, in bytes; on a mesh, the largest of the ranks of the process. 0 if `session`
 * is NULL. */
int64_t proa_session_arena_bytes(const proa_session *session);

/** Starts (`on` is not 0) or ends the collection of times of steps. Fails if `session` is NULL. */
int proa_session_set_profile(proa_session *session, int on);
/** Number of steps of the last profiled run. 0 if `session` is NULL. */
size_t proa_session_step_count(const proa_session *session);
/**
 * Describes step `index`, in the order of the program. The pointers are valid until the next run or
 * destruction of the session. Fails if there is none.
 */
int proa_session_step(const proa_session *session, size_t index, proa_step_time *time);

/**
 * Number of elements of fetch `index` of the last run, if it is a sequence of tensors or an optional; its
 * output is this number, too. 0 for other fetches.
 */
size_t proa_session_fetch_element_count(const proa_session *session, size_t index);
/**
 * Gets an element of fetch `index` of the last run; `value` is valid until the next run or destruction of the
 * session. Fails if there is no such element.
 */
int proa_session_fetch_element(const proa_session *session, size_t index, size_t element, proa_tensor *value);

/**
 * Gets the LoD of fetch `index` of the last run; `lod` is valid until the next run or destruction of the
 * session. Fails if there is no such fetch, or before the first successful run.
 */
int proa_session_fetch_lod(const proa_session *session, size_t index, proa_lod *lod);

#ifdef __cplusplus
}
#endif

#endif
