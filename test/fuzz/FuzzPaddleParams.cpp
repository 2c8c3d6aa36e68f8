#include "test/fuzz/Fuzzing.h"
#include "translator/params/PaddleParams.h"

#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  proa::fuzz::MemoryFile file(data, size);
  // A file does not contain the number of its tensors.
  for (size_t count = 1; count <= 3; ++count) {
    std::vector<std::string> names;
    for (size_t i = 0; i < count; ++i)
      names.push_back("t" + std::to_string(i));
    auto tensors = proa::params::readCombinedParams(file.path(), names);
    proa::fuzz::check(tensors);
    if (tensors)
      for (const auto &[name, tensor] : *tensors)
        proa::fuzz::touch(tensor);
  }
  return 0;
}
