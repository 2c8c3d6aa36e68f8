/// Helpers of the fuzz targets.
#pragma once

#include "proa/Tensor.h"

#include <cstdint>
#include <cstdlib>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

namespace proa::fuzz {

/// A file in memory with the given bytes, for readers that take a path.
class MemoryFile {
public:
  MemoryFile(const uint8_t *data, size_t size) : descriptor(::memfd_create("fuzz", 0)) {
    if (descriptor < 0 || ::write(descriptor, data, size) != static_cast<ssize_t>(size))
      std::abort();
  }
  ~MemoryFile() { ::close(descriptor); }
  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor); }

private:
  int descriptor;
};

/// Whether the reader succeeded. A failure must have a reason.
template <class T> bool check(const Result<T> &result) {
  if (!result && result.diagnostics().empty())
    std::abort();
  return static_cast<bool>(result);
}

/// Reads every byte, so that the sanitizer detects a tensor that exceeds its memory.
inline void touch(const Tensor &tensor) {
  volatile uint8_t sink = 0;
  for (size_t i = 0; i < tensor.bytes(); ++i)
    sink = static_cast<uint8_t>(sink ^ tensor.as<uint8_t>()[i]);
}

} // namespace proa::fuzz
