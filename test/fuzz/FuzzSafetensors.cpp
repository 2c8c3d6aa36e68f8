#include "test/fuzz/Fuzzing.h"
#include "translator/params/Safetensors.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  proa::fuzz::MemoryFile file(data, size);
  auto tensors = proa::params::readSafetensors(file.path());
  proa::fuzz::check(tensors);
  if (tensors)
    for (const auto &[name, tensor] : *tensors)
      proa::fuzz::touch(tensor);
  return 0;
}
