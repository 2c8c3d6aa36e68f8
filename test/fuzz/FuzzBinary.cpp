#include "test/fuzz/Fuzzing.h"
#include "translator/legacy/ReadBinary.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  proa::fuzz::check(proa::legacy::readBinaryBytes(std::as_bytes(std::span(data, size)), "fuzz"));
  return 0;
}
