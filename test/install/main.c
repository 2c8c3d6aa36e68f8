/* Runs LeNet through the C interface and compares with Paddle's output. Arguments: the model's folder. */
#include "../common/tensor_file.h"

#include <proa-c/proa.h>

int main(int argc, char **argv) {
  char path[4096];
  file_tensor image, expected;
  proa_tensor output;
  proa_tensor_info feed;
  proa_model_options options = PROA_MODEL_OPTIONS_INIT;
  proa_model *model;
  proa_session *session;
  options.cache_directory = "off";
  model = proa_model_open(argv[argc - 1], &options);
  if (!model || proa_model_feed_count(model) != 1 || proa_model_feed(model, 0, &feed)) {
    fprintf(stderr, "%s", proa_error());
    return 1;
  }
  snprintf(path, sizeof path, "%s/inputs.safetensors", argv[argc - 1]);
  if (read_tensor(path, feed.name, &image))
    return 1;
  snprintf(path, sizeof path, "%s/expected.safetensors", argv[argc - 1]);
  if (read_tensor(path, proa_model_fetch(model, 0), &expected))
    return 1;
  session = proa_session_create(model, NULL);
  if (!session || proa_session_run(session, &image.tensor, &output)) {
    fprintf(stderr, "%s", proa_error());
    return 1;
  }
  if (count_differences(&output, &expected.tensor, 1e-4, 1e-5))
    return 1;
  printf("proa %s: %s\n", proa_version(), proa_dtype_name(output.dtype));
  proa_session_destroy(session);
  proa_model_close(model);
  free(image.tensor.data);
  free(expected.tensor.data);
  return 0;
}
