#include "test/fuzz/Fuzzing.h"
#include "translator/params/Npy.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  proa::fuzz::MemoryFile file(data, size);
  auto tensor = proa::params::readNpy(file.path());
  proa::fuzz::check(tensor);
  if (tensor)
    proa::fuzz::touch(*tensor);
  return 0;
}
