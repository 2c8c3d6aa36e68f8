/* Runs a model compiled by proa-compile. Reads its input as raw floats, prints its output; README.md builds it. */
#include "model.h"

#include <stdio.h>
#include <stdlib.h>

static int fail(void) {
  fprintf(stderr, "%s", proa_error()[0] ? proa_error() : "error: the input file is missing or too short\n");
  return 1;
}

int main(int argc, char **argv) { /* WEIGHTS, or "" where they are embedded; INPUT */
  proa_program *model = model_create(argc > 1 && argv[1][0] ? argv[1] : NULL);
  proa_tensor_info info;
  if (!model || proa_program_input(model, 0, &info))
    return fail();
  size_t count = 1, i;
  for (i = 0; i < info.rank; ++i)
    count *= (size_t)info.dims[i];
  proa_tensor input = {info.dtype, info.rank, info.dims, calloc(count, sizeof(float))}, output[MODEL_OUTPUTS];
  FILE *file = argc > 2 ? fopen(argv[2], "rb") : NULL;
  if (!file || fread(input.data, sizeof(float), count, file) != count || model_run(model, &input, output))
    return fail();
  for (count = 1, i = 0; i < output[0].rank; ++i)
    count *= (size_t)output[0].dims[i];
  for (i = 0; i < count; ++i)
    printf("%.9g\n", ((const float *)output[0].data)[i]);
  model_destroy(model);
}
