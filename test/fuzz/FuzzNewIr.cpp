#include "test/fuzz/Fuzzing.h"
#include "translator/newir/Model.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  proa::fuzz::check(proa::newir::readModel({reinterpret_cast<const char *>(data), size}, "fuzz"));
  return 0;
}
