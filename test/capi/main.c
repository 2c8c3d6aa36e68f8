/* Opens and runs programs of the corpus through the C interface. Arguments: the corpus. */
#include "test/common/tensor_file.h"

#include "proa-c/proa.h"

static int failures = 0;

#define CHECK(condition)                                                                                     \
  do {                                                                                                       \
    if (!(condition)) {                                                                                      \
      fprintf(stderr, "line %d: %s is wrong; the last error: %s\n", __LINE__, #condition, proa_error());     \
      ++failures;                                                                                            \
    }                                                                                                        \
  } while (0)

static void count_progress(void *context, const char *what, double part) {
  if (what[0] && part >= 0 && part <= 1)
    ++*(int *)context;
}

static void check_interface(const proa_model *model) {
  proa_tensor_info info;
  CHECK(proa_model_feed_count(model) == 1);
  CHECK(proa_model_feed(model, 0, &info) == 0);
  CHECK(strcmp(info.name, "image") == 0);
  CHECK(info.dtype == PROA_FLOAT32 && info.rank == 4 && info.dims[3] == 28);
  CHECK(proa_model_feed(model, 1, &info) != 0);
  CHECK(strstr(proa_error(), "no feed 1"));
  CHECK(proa_model_fetch_count(model) == 1);
  CHECK(proa_model_fetch(model, 0) != NULL);
  CHECK(proa_model_fetch(model, 1) == NULL);
  CHECK(proa_model_parameter_count(model) == 10);
  CHECK(proa_model_parameter(model, 9, &info) == 0);
}

/* Every kind of wrong input is an error that says what is wrong, and leaves the output alone. */
static void check_wrong_inputs(proa_session *session, const proa_tensor *image) {
  int64_t dims[] = {2, 1, 28, 29};
  proa_tensor wrong = *image, output;
  memset(&output, 0, sizeof output);
  output.rank = 7;
  wrong.dims = dims;
  CHECK(proa_session_run(session, &wrong, &output) != 0);
  CHECK(strstr(proa_error(), "'image'") && strstr(proa_error(), "29"));
  wrong = *image;
  wrong.dtype = PROA_INT32;
  CHECK(proa_session_run(session, &wrong, &output) != 0);
  CHECK(strstr(proa_error(), "int32"));
  wrong = *image;
  wrong.data = NULL;
  CHECK(proa_session_run(session, &wrong, &output) != 0);
  CHECK(proa_session_run(session, NULL, &output) != 0);
  CHECK(proa_session_run(session, image, NULL) != 0);
  CHECK(proa_session_run(NULL, image, &output) != 0);
  CHECK(output.rank == 7);
}

/* Twice the last bias: the result moves by as much. */
static void check_parameters(proa_session *session, const proa_tensor *image, const proa_tensor *expected) {
  proa_tensor_info info;
  proa_tensor bias, output;
  const proa_model *model = proa_session_model(session);
  size_t i, count = proa_model_parameter_count(model);
  float changed[10], old[10];
  for (i = 0; i < count; ++i)
    if (proa_model_parameter(model, i, &info) == 0 && info.rank == 1 && info.dims[0] == 10)
      break;
  CHECK(i < count);
  CHECK(proa_session_get_parameter(session, info.name, &bias) == 0);
  CHECK(bias.rank == 1 && bias.dims[0] == 10);
  memcpy(old, bias.data, sizeof old);
  for (i = 0; i < 10; ++i)
    changed[i] = old[i] + 1;
  bias.data = changed;
  CHECK(proa_session_set_parameter(session, info.name, &bias) == 0);
  memset(changed, 0, sizeof changed); /* it was copied */
  CHECK(proa_session_run(session, image, &output) == 0);
  for (i = 0; i < 20; ++i) {
    double moved = ((const float *)output.data)[i] - ((const float *)expected->data)[i];
    CHECK(fabs(moved - 1) < 1e-4);
  }
  CHECK(proa_session_set_parameter(session, "no such parameter", &bias) != 0);
  CHECK(proa_session_get_parameter(session, "no such parameter", &bias) != 0);
  CHECK(proa_session_set_parameter(session, NULL, &bias) != 0);
}

/* The address of the whole block is before the aligned memory. */
static void *counted_allocate(void *context, size_t bytes, size_t alignment) {
  char *block = malloc(bytes + alignment + sizeof(void *));
  uintptr_t begin = (uintptr_t)block + sizeof(void *) + alignment - 1;
  void **memory = (void **)(begin - begin % alignment);
  ++*(int *)context;
  memory[-1] = block;
  return memory;
}

static void counted_deallocate(void *context, void *memory, size_t bytes) {
  (void)bytes;
  --*(int *)context;
  free(((void **)memory)[-1]);
}

/* Memory of the caller, strides, an allocator, a stop, a time limit, times and a profile. */
static void check_run_options(const proa_model *model, const proa_tensor *image,
                              const proa_tensor *expected) {
  proa_session_options session_options = PROA_SESSION_OPTIONS_INIT;
  proa_run_options options = PROA_RUN_OPTIONS_INIT;
  proa_session_times times;
  proa_model_times opened;
  proa_step_time step;
  proa_tensor output, memory = *expected;
  proa_session *session;
  proa_stop *stop = proa_stop_create();
  const int64_t *output_strides[1];
  float *wide = malloc(4096 * sizeof *wide);
  int64_t row_strides[2];
  size_t i, count = 1;
  int live = 0;
  session_options.allocate = counted_allocate;
  CHECK(proa_session_create(model, &session_options) == NULL && strstr(proa_error(), "'deallocate'"));
  session_options.deallocate = counted_deallocate;
  session_options.allocator_context = &live;
  session = proa_session_create(model, &session_options);
  CHECK(session != NULL);
  for (i = 0; i < memory.rank; ++i)
    count *= (size_t)memory.dims[i];
  CHECK(memory.rank == 2 && 2 * count <= 4096);
  row_strides[0] = 2 * memory.dims[1];
  row_strides[1] = 2;
  output_strides[0] = row_strides;
  memory.data = wide;
  options.output_memory = &memory;
  options.output_strides = output_strides;
  CHECK(proa_session_set_profile(session, 1) == 0);
  CHECK(proa_session_run_with(session, image, &output, &options) == 0);
  CHECK(count_differences(&output, expected, 1e-4, 1e-5) == 0);
  for (i = 0; i < count; ++i)
    CHECK(wide[2 * i] == ((const float *)output.data)[i]);
  CHECK(live > 0);
  CHECK(proa_session_get_times(session, &times) == 0 && times.last_run > 0);
  CHECK(proa_model_get_times(model, &opened) == 0 && opened.import > 0);
  CHECK(proa_session_arena_bytes(session) > 0);
  for (i = 0; i < proa_session_step_count(session); ++i)
    if (proa_session_step(session, i, &step) == 0 && strcmp(step.variable, "linear_0.tmp_1") == 0)
      break;
  CHECK(i < proa_session_step_count(session) && strstr(step.types, "-> float32[2, 120]"));
  CHECK(step.bytes > 4 * 400 * 120 && step.flops >= 2 * 2 * 400 * 120 && step.roofline > 0);
  CHECK(proa_session_step(session, 100000, &step) != 0);
  options.output_memory = NULL;
  options.stop = stop;
  proa_stop_request(stop);
  CHECK(proa_session_run_with(session, image, &output, &options) != 0 && strstr(proa_error(), "stopped"));
  options.stop = NULL;
  options.time_limit = 1e-6;
  CHECK(proa_session_run_with(session, image, &output, &options) != 0 && strstr(proa_error(), "time limit"));
  options.time_limit = -1;
  CHECK(proa_session_run_with(session, image, &output, &options) != 0 && strstr(proa_error(), "time_limit"));
  proa_session_destroy(session);
  CHECK(live == 0);
  proa_stop_destroy(stop);
  free(wide);
}

static void count_release(void *context) { ++*(int *)context; }

static void check_memory(void) {
  const char *text =
      "func.func @main(%x: tensor<2xf32>, %w: tensor<2xf32> {pd.param = \"w\"}) -> tensor<2xf32> {\n"
      "  %0 = pd.add %x, %w : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>\n"
      "  return %0 : tensor<2xf32>\n}\n";
  const char *names[] = {"w"};
  int64_t dims[] = {2};
  float w[] = {1, 2}, x[] = {10, 20};
  proa_tensor weight = {PROA_FLOAT32, 1, dims, w}, input = {PROA_FLOAT32, 1, dims, x}, output;
  proa_model_source source = PROA_MODEL_SOURCE_INIT;
  proa_model_options options = PROA_MODEL_OPTIONS_INIT;
  proa_model *model;
  proa_session *session;
  int released = 0;
  options.cache_directory = "off";
  CHECK(proa_model_open_memory(&source, &options) == NULL && strstr(proa_error(), "the name is NULL"));
  source.name = "add.mlir";
  source.program = text;
  source.program_size = strlen(text);
  source.tensor_names = names;
  source.tensors = &weight;
  source.tensor_count = 1;
  source.release = count_release;
  source.release_context = &released;
  model = proa_model_open_memory(&source, &options);
  CHECK(model != NULL);
  session = proa_session_create(model, NULL);
  CHECK(proa_session_run(session, &input, &output) == 0);
  CHECK(((const float *)output.data)[1] == 22);
  proa_model_close(model);
  CHECK(released == 0);
  proa_session_destroy(session);
  CHECK(released == 1);
}

static void count_parts(void *context, int64_t count, void (*body)(void *, int64_t), void *body_context) {
  int64_t i;
  for (i = 0; i < count; ++i)
    body(body_context, i);
  *(int64_t *)context += count;
}

static void check_threads(void) {
  const char *text = "func.func @main(%x: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {\n"
                     "  %0 = pd.tanh %x : (tensor<1024x1024xf32>) -> tensor<1024x1024xf32>\n"
                     "  return %0 : tensor<1024x1024xf32>\n}\n";
  int64_t dims[] = {1024, 1024}, parts = 0;
  proa_tensor input = {PROA_FLOAT32, 2, dims, calloc(1024 * 1024, sizeof(float))}, output;
  proa_model_source source = PROA_MODEL_SOURCE_INIT;
  proa_model_options options = PROA_MODEL_OPTIONS_INIT;
  proa_model *model;
  proa_session *session;
  options.cache_directory = "off";
  options.threads = 3;
  options.parallel_for = count_parts;
  options.parallel_context = &parts;
  source.name = "tanh.mlir";
  source.program = text;
  source.program_size = strlen(text);
  model = proa_model_open_memory(&source, &options);
  CHECK(model != NULL);
  session = proa_session_create(model, NULL);
  ((float *)input.data)[1024 * 1024 - 1] = 20;
  CHECK(proa_session_run(session, &input, &output) == 0);
  CHECK(((const float *)output.data)[0] == 0 && ((const float *)output.data)[1024 * 1024 - 1] == 1);
  CHECK(parts == 3);
  proa_session_destroy(session);
  proa_model_close(model);
  free(input.data);
}

static void check_lenet(const char *corpus) {
  char path[4096];
  file_tensor image, expected;
  proa_tensor output, shape;
  proa_model_options options = PROA_MODEL_OPTIONS_INIT;
  proa_model *model;
  proa_session *session;
  int progress = 0;
  options.threads = 1;
  options.cache_directory = "off";
  options.progress = count_progress;
  options.progress_context = &progress;
  snprintf(path, sizeof path, "%s/models/vision/lenet", corpus);
  model = proa_model_open(path, &options);
  CHECK(model != NULL);
  session = proa_session_create(model, NULL);
  if (!model)
    return;
  check_interface(model);
  snprintf(path, sizeof path, "%s/models/vision/lenet/inputs.safetensors", corpus);
  CHECK(read_tensor(path, "image", &image) == 0);
  snprintf(path, sizeof path, "%s/models/vision/lenet/expected.safetensors", corpus);
  CHECK(read_tensor(path, proa_model_fetch(model, 0), &expected) == 0);
  shape = image.tensor;
  shape.data = NULL;
  CHECK(proa_session_prepare(session, &shape) == 0);
  CHECK(progress > 0);
  CHECK(proa_session_run(session, &image.tensor, &output) == 0);
  CHECK(count_differences(&output, &expected.tensor, 1e-4, 1e-5) == 0);
  check_wrong_inputs(session, &image.tensor);
  check_run_options(model, &image.tensor, &expected.tensor);
  check_parameters(session, &image.tensor, &expected.tensor);
  proa_session_destroy(session);
  proa_model_close(model);
  free(image.tensor.data);
  free(expected.tensor.data);
}

typedef struct seen_warnings {
  int count, located;
} seen_warnings;

static void count_warnings(void *context, const proa_diagnostic *diagnostic) {
  seen_warnings *seen = context;
  ++seen->count;
  seen->located += diagnostic->severity == PROA_WARNING && diagnostic->op >= 0 && diagnostic->code[0] &&
                   diagnostic->variable[0] && strstr(diagnostic->file, "program.json") &&
                   strstr(diagnostic->text, diagnostic->message);
}

/* Each warning says where it belongs. */
static void check_diagnostics(const char *corpus) {
  char path[4096];
  proa_model_options options = PROA_MODEL_OPTIONS_INIT;
  const char *feeds[] = {"x", NULL}, *fetches[] = {"array_read_0.tmp_0", "p", "p_i", NULL};
  proa_model *model;
  proa_session *session;
  seen_warnings seen = {0, 0};
  options.cache_directory = "off";
  options.diagnostic = count_warnings;
  options.diagnostic_context = &seen;
  options.feeds = feeds;
  options.fetches = fetches;
  snprintf(path, sizeof path, "%s/../cases/control/lod_array", corpus);
  model = proa_model_open(path, &options);
  CHECK(model != NULL);
  session = proa_session_create(model, NULL);
  CHECK(seen.count > 0 && seen.located == seen.count);
  proa_session_destroy(session);
  proa_model_close(model);
}

/* mlp_noam with the feeds of its first step. */
typedef struct training {
  proa_model *model;
  proa_session *session;
  file_tensor inputs[2];
  proa_tensor given[2];
} training;

static int open_training(const char *corpus, training *opened) {
  char path[4096];
  proa_model_options options = PROA_MODEL_OPTIONS_INIT;
  const char *feeds[] = {"x", "y", NULL}, *fetches[] = {"mean_0.tmp_0", NULL};
  size_t i;
  options.cache_directory = "off";
  options.feeds = feeds;
  options.fetches = fetches;
  snprintf(path, sizeof path, "%s/training/mlp_noam", corpus);
  opened->model = proa_model_open(path, &options);
  opened->session = opened->model ? proa_session_create(opened->model, NULL) : NULL;
  CHECK(opened->session != NULL);
  if (!opened->session)
    return 1;
  snprintf(path, sizeof path, "%s/training/mlp_noam/inputs.safetensors", corpus);
  CHECK(read_tensor(path, "step0/x", &opened->inputs[0]) == 0);
  CHECK(read_tensor(path, "step0/y", &opened->inputs[1]) == 0);
  for (i = 0; i < 2; ++i)
    opened->given[i] = opened->inputs[i].tensor;
  return 0;
}

static void close_training(training *opened) {
  proa_session_destroy(opened->session);
  proa_model_close(opened->model);
  free(opened->inputs[0].tensor.data);
  free(opened->inputs[1].tensor.data);
}

/* A learning rate of zero keeps the parameters, and what is saved is what they are. */
static void check_training(const char *corpus) {
  const char *saved = "capi-test.safetensors";
  file_tensor weight;
  training opened;
  proa_session *session;
  proa_tensor loss, before, rate;
  float old[160], zero = 0;
  if (open_training(corpus, &opened))
    return;
  session = opened.session;
  rate.dtype = PROA_FLOAT32;
  rate.rank = 0;
  rate.dims = NULL;
  rate.data = &zero;
  CHECK(proa_session_set_parameter(session, "learning_rate_0", &rate) == 0);
  CHECK(proa_session_get_parameter(session, "fc_0.w_0", &before) == 0);
  CHECK(before.rank == 2 && before.dims[0] * before.dims[1] == 160);
  memcpy(old, before.data, sizeof old);
  CHECK(proa_session_run(session, opened.given, &loss) == 0);
  CHECK(proa_session_save_parameters(session, saved) == 0);
  CHECK(read_tensor(saved, "fc_0.w_0", &weight) == 0);
  CHECK(memcmp(weight.tensor.data, old, sizeof old) == 0);
  free(weight.tensor.data);
  CHECK(proa_session_save_parameters(session, "capi-test.txt") != 0);
  rate.dtype = PROA_FLOAT64;
  CHECK(proa_session_set_parameter(session, "learning_rate_0", &rate) != 0);
  CHECK(strstr(proa_error(), "expected float32[]"));
  CHECK(proa_session_set_parameter(session, "learning_rate", &rate) != 0);
  CHECK(strstr(proa_error(), "did you mean 'learning_rate_0'"));
  remove(saved);
  close_training(&opened);
}

/* Single tensors of a checkpoint, whole and in parts, without the model. */
static void check_stored_tensors(const char *folder, const training *saved) {
  static const int64_t begin[] = {3, 2}, end[] = {5, 6}, outside[] = {3, 17};
  proa_checkpoint *checkpoint = proa_checkpoint_open(folder);
  proa_tensor_info info;
  proa_tensor whole, part;
  float expected[160], *row;
  size_t i, found = 0;
  CHECK(checkpoint);
  if (!checkpoint)
    return;
  CHECK(proa_checkpoint_step(checkpoint) == 2 && proa_checkpoint_step(NULL) == -1);
  CHECK(proa_checkpoint_tensor_count(checkpoint) ==
        proa_model_parameter_count(proa_session_model(saved->session)));
  for (i = 0; i < proa_checkpoint_tensor_count(checkpoint); ++i) {
    CHECK(proa_checkpoint_tensor(checkpoint, i, &info) == 0);
    found += strcmp(info.name, "fc_0.w_0") == 0 && info.dtype == PROA_FLOAT32 && info.rank == 2 &&
             info.dims[0] == 10 && info.dims[1] == 16;
  }
  CHECK(found == 1);
  CHECK(proa_checkpoint_tensor(checkpoint, i, &info) != 0 && strstr(proa_error(), "no tensor"));
  CHECK(proa_checkpoint_read(checkpoint, "fc_0.w_0", NULL, NULL, &whole) == 0);
  CHECK(whole.rank == 2 && whole.dims[0] == 10 && whole.dims[1] == 16);
  memcpy(expected, whole.data, sizeof expected);
  CHECK(proa_checkpoint_read(checkpoint, "fc_0.w_0", begin, end, &part) == 0);
  CHECK(part.rank == 2 && part.dims[0] == 2 && part.dims[1] == 4);
  row = part.data;
  CHECK(memcmp(row, expected + 3 * 16 + 2, 4 * sizeof(float)) == 0);
  CHECK(memcmp(row + 4, expected + 4 * 16 + 2, 4 * sizeof(float)) == 0);
  CHECK(proa_checkpoint_read(checkpoint, "fc_0.w_0", begin, outside, &part) != 0);
  CHECK(strstr(proa_error(), "found the range [2, 17) of dim 1, expected one in [0, 16)"));
  CHECK(proa_checkpoint_read(checkpoint, "fc_0.w_0", NULL, end, &part) != 0);
  CHECK(proa_checkpoint_read(checkpoint, "fc_0.w", NULL, NULL, &part) != 0);
  CHECK(strstr(proa_error(), "has no tensor 'fc_0.w'"));
  CHECK(proa_checkpoint_read(NULL, "fc_0.w_0", NULL, NULL, &part) != 0);
  proa_checkpoint_close(checkpoint);
  CHECK(!proa_checkpoint_open("capi-test-absent") && strstr(proa_error(), "capi-test-absent"));
  CHECK(!proa_checkpoint_open(NULL));
  proa_checkpoint_close(NULL);
}

/* A session that loads a checkpoint continues with the same bits. */
static void check_checkpoints(const char *corpus) {
  const char *folder = "capi-test-checkpoint", *index = "capi-test-checkpoint/model.safetensors.index.json",
             *shards = "capi-test-checkpoint/model-00001-00001-of-00001.safetensors";
  proa_checkpoint_options options = PROA_CHECKPOINT_OPTIONS_INIT;
  training saved, resumed;
  proa_tensor loss;
  float third;
  int64_t step = -1;
  if (open_training(corpus, &saved) || open_training(corpus, &resumed))
    return;
  CHECK(proa_session_load_checkpoint(resumed.session, folder, &step) != 0 && strstr(proa_error(), folder));
  CHECK(proa_session_run(saved.session, saved.given, &loss) == 0);
  CHECK(proa_session_run(saved.session, saved.given, &loss) == 0);
  options.step = 2;
  options.in_background = 1;
  CHECK(proa_session_save_checkpoint(saved.session, folder, &options) == 0);
  CHECK(proa_session_run(saved.session, saved.given, &loss) == 0); /* the checkpoint was saved before */
  third = *(const float *)loss.data;
  CHECK(proa_session_finish_checkpoint(saved.session) == 0);
  CHECK(proa_session_load_checkpoint(resumed.session, folder, &step) == 0 && step == 2);
  CHECK(proa_session_run(resumed.session, resumed.given, &loss) == 0);
  CHECK(*(const float *)loss.data == third);
  check_stored_tensors(folder, &saved);
  CHECK(proa_session_load_checkpoint(saved.session, folder, NULL) == 0);
  CHECK(proa_session_copy_values(resumed.session, saved.session) == 0);
  CHECK(proa_session_run(resumed.session, resumed.given, &loss) == 0);
  CHECK(*(const float *)loss.data == third);
  CHECK(proa_session_copy_values(resumed.session, NULL) != 0);
  options.step = -3;
  CHECK(proa_session_save_checkpoint(saved.session, folder, &options) != 0);
  CHECK(strstr(proa_error(), "-3 completed steps"));
  options.size = 1;
  CHECK(proa_session_save_checkpoint(saved.session, folder, &options) != 0);
  CHECK(strstr(proa_error(), "PROA_CHECKPOINT_OPTIONS_INIT"));
  CHECK(proa_session_save_checkpoint(saved.session, "/dev/null/folder", NULL) != 0);
  CHECK(proa_session_save_checkpoint(saved.session, NULL, NULL) != 0);
  CHECK(proa_session_finish_checkpoint(NULL) != 0 && proa_session_load_checkpoint(NULL, folder, NULL) != 0);
  remove(index);
  remove(shards);
  CHECK(remove(folder) == 0);
  close_training(&saved);
  close_training(&resumed);
}

/* Sequences: the gradient of a pooled input has the LoD of the input. */
static void check_lod(const char *corpus) {
  static const int64_t offsets[] = {0, 2, 5, 6}, descending[] = {0, 5, 2, 6};
  char path[4096];
  proa_model_options options = PROA_MODEL_OPTIONS_INIT;
  proa_lod_level level = {4, offsets};
  proa_lod lod = {1, &level}, result;
  const char *fetches[] = {"sequence_pool_0.tmp_0", "x@GRAD", NULL};
  file_tensor x, expected;
  proa_tensor outputs[2];
  proa_model *model;
  proa_session *session;
  options.cache_directory = "off";
  options.fetches = fetches;
  snprintf(path, sizeof path, "%s/ops/sequence_pool/first", corpus);
  model = proa_model_open(path, &options);
  CHECK(model != NULL);
  session = proa_session_create(model, NULL);
  if (!model)
    return;
  snprintf(path, sizeof path, "%s/ops/sequence_pool/first/inputs.safetensors", corpus);
  CHECK(read_tensor(path, "x", &x) == 0);
  snprintf(path, sizeof path, "%s/ops/sequence_pool/first/expected.safetensors", corpus);
  CHECK(read_tensor(path, "x@GRAD", &expected) == 0);
  CHECK(proa_model_feed_lod_level(model, 0) == 1 && proa_model_feed_lod_level(model, 1) == 0);
  CHECK(proa_session_fetch_lod(session, 1, &result) != 0); /* no run yet */
  CHECK(proa_session_set_feed_lod(session, 0, &lod) == 0);
  CHECK(proa_session_run(session, &x.tensor, outputs) == 0);
  CHECK(count_differences(&outputs[1], &expected.tensor, 1e-5, 1e-6) == 0);
  CHECK(proa_session_fetch_lod(session, 0, &result) == 0 && result.level_count == 0);
  CHECK(proa_session_fetch_lod(session, 1, &result) == 0 && result.level_count == 1);
  CHECK(result.levels[0].count == 4 && memcmp(result.levels[0].offsets, offsets, sizeof offsets) == 0);
  CHECK(proa_session_fetch_lod(session, 2, &result) != 0 && strstr(proa_error(), "no fetch 2"));
  CHECK(proa_session_set_feed_lod(session, 1, &lod) != 0 && strstr(proa_error(), "no feed 1"));
  CHECK(!proa_model_feed_is_sequence(model, 0) && strcmp(proa_model_feed_dim_name(model, 0, 0), "") == 0);
  CHECK(proa_session_set_feed_elements(session, 0, &x.tensor, 1) != 0 &&
        strstr(proa_error(), "not a sequence"));
  CHECK(proa_session_fetch_element_count(session, 0) == 0);
  CHECK(proa_session_fetch_element(session, 0, 0, outputs) != 0 && strstr(proa_error(), "has 0 elements"));
  level.offsets = descending;
  CHECK(proa_session_set_feed_lod(session, 0, &lod) == 0);
  CHECK(proa_session_run(session, &x.tensor, outputs) != 0 && strstr(proa_error(), "'x'"));
  level.offsets = NULL;
  CHECK(proa_session_set_feed_lod(session, 0, &lod) != 0 && strstr(proa_error(), "level 0"));
  CHECK(proa_session_set_feed_lod(session, 0, NULL) == 0);
  CHECK(proa_session_run(session, &x.tensor, outputs) != 0); /* the feed needs a LoD */
  proa_session_destroy(session);
  proa_model_close(model);
  free(x.tensor.data);
  free(expected.tensor.data);
}

static int write_text(const char *path, const char *text) {
  FILE *file = fopen(path, "w");
  CHECK(file != NULL);
  if (!file)
    return 1;
  fputs(text, file);
  return fclose(file);
}

/* A run ends at the first op that makes a NaN or an Inf, for a CPU by name. */
static void check_finite_runs(void) {
  const char *path = "capi-finite.mlir";
  proa_model_options options = PROA_MODEL_OPTIONS_INIT;
  int64_t dims[] = {3};
  float elements[] = {1, 2, -3};
  proa_tensor input, output;
  proa_model *model;
  proa_session *session;
  input.dtype = PROA_FLOAT32;
  input.rank = 1;
  input.dims = dims;
  input.data = elements;
  if (write_text(path, "func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {\n"
                       "  %0 = pd.log %x : (tensor<?xf32>) -> tensor<?xf32>\n"
                       "  return %0 : tensor<?xf32>\n}\n"))
    return;
  options.cache_directory = "off";
  options.check_finite = 1;
  options.cpu = "x86-64";
  model = proa_model_open(path, &options);
  CHECK(model != NULL);
  session = proa_session_create(model, NULL);
  CHECK(proa_session_run(session, &input, &output) != 0);
  CHECK(strstr(proa_error(), "log") && strstr(proa_error(), "NaN from finite inputs, the first at [2]"));
  elements[2] = 3;
  CHECK(proa_session_run(session, &input, &output) == 0);
  CHECK(fabs(((const float *)output.data)[2] - 1.0986123) < 1e-6);
  proa_session_destroy(session);
  proa_model_close(model);
  options.cpu = "no such CPU";
  CHECK(proa_model_open(path, &options) == NULL);
  CHECK(strstr(proa_error(), "no such CPU"));
  remove(path);
}

/* Random ops follow the seed of the options. */
static void check_seed(void) {
  const char *path = "capi-seed.mlir";
  proa_model_options options = PROA_MODEL_OPTIONS_INIT;
  float first[3] = {0, 0, 0};
  int i;
  if (write_text(path, "func.func @main() -> tensor<1xf32> {\n"
                       "  %0 = pd.uniform {shape = array<i64: 1>, dtype = f32} : () -> tensor<1xf32>\n"
                       "  return %0 : tensor<1xf32>\n}\n"))
    return;
  options.cache_directory = "off";
  for (i = 0; i < 3; ++i) {
    proa_tensor output;
    proa_model *model;
    proa_session *session;
    options.seed = i == 2 ? 8 : 7;
    model = proa_model_open(path, &options);
    CHECK(model != NULL);
    session = proa_session_create(model, NULL);
    if (model && proa_session_run(session, NULL, &output) == 0)
      first[i] = *(const float *)output.data;
    proa_session_destroy(session);
    proa_model_close(model);
  }
  CHECK(first[0] != 0 && first[0] == first[1] && first[0] != first[2]);
  remove(path);
}

/* The loss of mlp_sgd after one step with these options; -1 if it fails. */
static double loss_of(const char *corpus, proa_model_options *options, proa_session **opened) {
  char path[4096];
  file_tensor inputs[2];
  proa_tensor given[2], results[1];
  double loss = -1;
  size_t i;
  proa_model *model;
  const proa_model *described;
  const char *feeds[] = {"x", "y", NULL}, *fetches[] = {"mean_0.tmp_0", NULL};
  options->cache_directory = "off";
  options->feeds = feeds;
  options->fetches = fetches;
  snprintf(path, sizeof path, "%s/training/mlp_sgd", corpus);
  model = proa_model_open(path, options);
  *opened = model ? proa_session_create(model, NULL) : NULL;
  proa_model_close(model); /* the session keeps it */
  if (!*opened)
    return -1;
  described = proa_session_model(*opened);
  snprintf(path, sizeof path, "%s/training/mlp_sgd/inputs.safetensors", corpus);
  CHECK(proa_model_feed_count(described) == 2 && proa_model_fetch_count(described) == 1);
  for (i = 0; i < 2; ++i) {
    char name[256];
    proa_tensor_info info;
    CHECK(proa_model_feed(described, i, &info) == 0);
    snprintf(name, sizeof name, "step0/%s", info.name);
    CHECK(read_tensor(path, name, &inputs[i]) == 0);
    given[i] = inputs[i].tensor;
  }
  if (proa_session_run(*opened, given, results) == 0)
    loss = *(const float *)results[0].data;
  free(inputs[0].tensor.data);
  free(inputs[1].tensor.data);
  return loss;
}

static void check_training_options(const char *corpus) {
  proa_model_options options = PROA_MODEL_OPTIONS_INIT;
  proa_amp_options amp = PROA_AMP_OPTIONS_INIT;
  int64_t budget = 0;
  proa_tensor scale;
  proa_session *session;
  double full = loss_of(corpus, &options, &session), part;
  CHECK(full > 0);
  proa_session_destroy(session);
  options.amp = &amp;
  amp.dtype = PROA_BFLOAT16;
  amp.scaling = PROA_LOSS_SCALING_DYNAMIC;
  amp.loss_scale = 512;
  part = loss_of(corpus, &options, &session);
  CHECK(part > 0 && part != full && fabs(part - full) < 0.02 * full);
  CHECK(proa_session_get_parameter(session, "loss_scaling", &scale) == 0);
  CHECK(*(const float *)scale.data == 512);
  proa_session_destroy(session);
  amp.increase_every = 0;
  CHECK(loss_of(corpus, &options, &session) == -1 && strstr(proa_error(), "increases must be above 0"));
  options.amp = NULL;
  options.micro_batches = 2;
  options.memory_budget = &budget;
  part = loss_of(corpus, &options, &session);
  CHECK(fabs(part - full) < 1e-5 * full);
  proa_session_destroy(session);
  budget = -2;
  CHECK(loss_of(corpus, &options, &session) == -1 && strstr(proa_error(), "memory budget"));
}

/* Each wrong field is an error with its name and value. */
static void check_wrong_options(void) {
  proa_model_options options = PROA_MODEL_OPTIONS_INIT;
  proa_amp_options amp = PROA_AMP_OPTIONS_INIT;
  options.amp = &amp;
  options.threads = -1;
  options.micro_batches = -3;
  amp.level = (proa_amp_level)7;
  amp.dtype = PROA_FLOAT32;
  amp.scaling = (proa_loss_scaling)9;
  CHECK(proa_model_open("model", &options) == NULL);
  CHECK(strstr(proa_error(), "threads is -1") && strstr(proa_error(), "micro_batches is -3"));
  CHECK(strstr(proa_error(), "amp.level is 7") && strstr(proa_error(), "amp.dtype is 13"));
  CHECK(strstr(proa_error(), "amp.scaling is 9"));
  amp.size = 3;
  CHECK(proa_model_open("model", &options) == NULL);
  CHECK(strstr(proa_error(), "PROA_AMP_OPTIONS_INIT"));
  options.amp = NULL;
  memset(&options, 0, sizeof options);
  CHECK(proa_model_open("model", &options) == NULL);
  CHECK(strstr(proa_error(), "PROA_MODEL_OPTIONS_INIT"));
  /* A caller of the first version: the fields after `function` are not read. */
  options.size = offsetof(proa_model_options, check_finite);
  options.micro_batches = -3;
  CHECK(proa_model_open("no such model", &options) == NULL);
  CHECK(strstr(proa_error(), "no such model"));
}

/* A function of an IR file, fed by position. */
static void check_ir(void) {
  const char *path = "capi-test.mlir";
  proa_model_options options = PROA_MODEL_OPTIONS_INIT;
  proa_tensor_info info;
  proa_tensor input, output;
  int64_t dims[] = {3};
  float elements[] = {1, 2, 3};
  proa_model *model;
  proa_session *session;
  if (write_text(path, "func.func @other(%x: tensor<3xf32>) -> tensor<3xf32> { return %x : tensor<3xf32> }\n"
                       "func.func @twice(%x: tensor<?xf32>) -> tensor<?xf32> {\n"
                       "  %0 = pd.add %x, %x : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>\n"
                       "  return %0 : tensor<?xf32>\n}\n"))
    return;
  options.cache_directory = "off";
  CHECK(proa_model_open(path, &options) == NULL); /* which function? */
  options.function = "twice";
  model = proa_model_open(path, &options);
  CHECK(model != NULL);
  session = proa_session_create(model, NULL);
  remove(path);
  if (!model)
    return;
  CHECK(proa_model_feed(model, 0, &info) == 0 && strcmp(info.name, "argument0") == 0 && info.dims[0] == -1);
  CHECK(strcmp(proa_model_fetch(model, 0), "result0") == 0);
  input.dtype = PROA_FLOAT32;
  input.rank = 1;
  input.dims = dims;
  input.data = elements;
  CHECK(proa_session_run(session, &input, &output) == 0);
  CHECK(output.dims[0] == 3 && ((const float *)output.data)[2] == 6);
  proa_session_destroy(session);
  proa_model_close(model);
}

int main(int argc, char **argv) {
  CHECK(argc == 2);
  CHECK(strcmp(proa_error(), "") == 0);
  CHECK(strcmp(proa_version(), "0.1.0") == 0);
  check_lenet(argv[1]);
  check_diagnostics(argv[1]);
  check_training(argv[1]);
  check_checkpoints(argv[1]);
  check_lod(argv[1]);
  check_ir();
  check_finite_runs();
  check_seed();
  check_training_options(argv[1]);
  check_memory();
  check_threads();
  check_wrong_options();
  CHECK(proa_model_open("no such model", NULL) == NULL);
  CHECK(strstr(proa_error(), "no such model"));
  CHECK(proa_model_open(NULL, NULL) == NULL);
  proa_model_close(NULL);
  if (failures == 0)
    printf("all checks passed\n");
  return failures != 0;
}
