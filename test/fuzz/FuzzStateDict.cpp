#include "lib/checkpoint/StateDict.h"
#include "test/fuzz/Fuzzing.h"

/// A pickle, and a zip file with one.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  proa::fuzz::MemoryFile file(data, size);
  for (auto read : {proa::checkpoints::readPaddleStateDict, proa::checkpoints::readTorchStateDict}) {
    auto tensors = read(file.path());
    proa::fuzz::check(tensors);
    if (tensors)
      for (const auto &[name, tensor] : *tensors)
        proa::fuzz::touch(tensor);
  }
  return 0;
}
