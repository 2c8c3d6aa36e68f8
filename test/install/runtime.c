/* Links the runtime alone: it must start, and refuse an invalid program with an error. */
#include <proa-c/runtime.h>

#include <stdio.h>
#include <string.h>

int main(void) {
  proa_program_data data;
  memset(&data, 0, sizeof data);
  if (proa_program_create(&data, NULL) || !strstr(proa_error(), "format")) {
    fprintf(stderr, "expected an error about the format, found '%s'\n", proa_error());
    return 1;
  }
  printf("proa %s\n", proa_version());
  return 0;
}
