#include "test/fuzz/Fuzzing.h"
#include "translator/legacy/ReadJson.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  proa::fuzz::check(proa::legacy::readJsonText({reinterpret_cast<const char *>(data), size}, "fuzz"));
  return 0;
}
