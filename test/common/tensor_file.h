/*
 * Reads single tensors of the corpus's .safetensors files, in C99: for tests that see nothing of proa but its
 * installed headers. It trusts the files.
 */
#ifndef TENSOR_FILE_H
#define TENSOR_FILE_H

#include "proa-c/tensor.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A tensor with its own memory; free data with free(). */
typedef struct file_tensor {
  int64_t dims[8];
  proa_tensor tensor;
  size_t bytes;
} file_tensor;

static proa_dtype dtype_of_file(const char *name) {
  return strncmp(name, "F32", 3) == 0 ? PROA_FLOAT32 : strncmp(name, "I64", 3) == 0 ? PROA_INT64 : PROA_BOOL;
}

/* Parses `{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]}`; returns the offset of the data, or -1. */
static long parse_entry(const char *entry, file_tensor *out) {
  const char *dtype = strstr(entry, "\"dtype\":\""), *shape = strstr(entry, "\"shape\":["),
             *offsets = strstr(entry, "\"data_offsets\":[");
  char *end = NULL;
  long begin;
  if (!dtype || !shape || !offsets)
    return -1;
  out->tensor.dtype = dtype_of_file(dtype + strlen("\"dtype\":\""));
  out->tensor.rank = 0;
  shape += strlen("\"shape\":[");
  while (*shape != ']' && out->tensor.rank < 8) {
    out->dims[out->tensor.rank++] = strtol(shape, &end, 10);
    shape = *end == ',' ? end + 1 : end;
  }
  begin = strtol(offsets + strlen("\"data_offsets\":["), &end, 10);
  out->bytes = (size_t)(strtol(end + 1, NULL, 10) - begin);
  return begin;
}

/* Reads tensor `name` of `path`; returns 0 on success. */
static int read_tensor(const char *path, const char *name, file_tensor *out) {
  FILE *file = fopen(path, "rb");
  uint64_t size = 0;
  char *header = NULL, *entry = NULL, quoted[256];
  long begin = -1;
  int failed = 1;
  snprintf(quoted, sizeof quoted, "\"%s\":", name);
  if (file && fread(&size, sizeof size, 1, file) == 1 && (header = (char *)calloc(size + 1, 1)) != NULL &&
      fread(header, 1, size, file) == size && (entry = strstr(header, quoted)) != NULL)
    begin = parse_entry(entry + strlen(quoted), out);
  if (begin >= 0) {
    out->tensor.dims = out->dims;
    out->tensor.data = malloc(out->bytes);
    failed = fseek(file, (long)(sizeof size + size) + begin, SEEK_SET) != 0 ||
             fread(out->tensor.data, 1, out->bytes, file) != out->bytes;
  }
  if (failed)
    fprintf(stderr, "%s: cannot read tensor '%s'\n", path, name);
  free(header);
  if (file)
    fclose(file);
  return failed;
}

/* Compares float32 tensors as the corpus says; returns the number of differences. */
static int count_differences(const proa_tensor *got, const proa_tensor *expected, double rtol, double atol) {
  int differences = 0;
  size_t count = 1, i;
  if (got->dtype != expected->dtype || got->rank != expected->rank) {
    fprintf(stderr, "dtype %d, rank %d; expected %d, %d\n", (int)got->dtype, (int)got->rank,
            (int)expected->dtype, (int)expected->rank);
    return 1;
  }
  for (i = 0; i < got->rank; ++i) {
    count *= (size_t)expected->dims[i];
    if (got->dims[i] != expected->dims[i]) {
      fprintf(stderr, "dim %d is %ld, expected %ld\n", (int)i, (long)got->dims[i], (long)expected->dims[i]);
      return 1;
    }
  }
  for (i = 0; i < count; ++i) {
    double a = ((const float *)got->data)[i], b = ((const float *)expected->data)[i];
    if (!(fabs(a - b) <= atol + rtol * fabs(b)) && ++differences <= 5)
      fprintf(stderr, "element %d is %g, expected %g\n", (int)i, a, b);
  }
  return differences;
}

#endif
