#include "test/fuzz/Fuzzing.h"
#include "translator/onnx/Inline.h"
#include "translator/onnx/ReadModel.h"
#include "translator/onnx/Schema.h"
#include "translator/onnx/WriteModel.h"

using namespace proa;

/// A model that is read must be written, and read again with the same bytes. Its functions are inlined.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto model = onnx::readModelBytes(std::as_bytes(std::span(data, size)), "fuzz");
  if (!fuzz::check(model))
    return 0;
  for (const onnx::TensorValue &tensor : model->graph.initializers)
    fuzz::touch(tensor.elements);
  auto bytes = onnx::serialize(*model);
  if (!fuzz::check(bytes))
    std::abort();
  auto again = onnx::readModelBytes(std::as_bytes(std::span(*bytes)), "fuzz");
  if (!fuzz::check(again) || *onnx::serialize(*again) != *bytes)
    std::abort();
  fuzz::check(onnx::checkSchemas(*model, "fuzz"));
  if (auto inlined = onnx::inlineFunctions(*model, "fuzz", 1000); fuzz::check(inlined))
    fuzz::check(onnx::serialize(*inlined));
  return 0;
}
