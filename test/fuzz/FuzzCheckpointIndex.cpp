#include "lib/checkpoint/Index.h"
#include "test/fuzz/Fuzzing.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  proa::fuzz::MemoryFile file(data, size);
  proa::fuzz::check(proa::checkpoints::readIndexFile(file.path()));
  return 0;
}
