#include "dialects/rt/Fusable.h"

#include "dialects/pd/ir/Infer.h"

using namespace mlir;

#include "dialects/rt/Fusable.cpp.inc"

namespace proa::rt {

const char *elementTypeLimit(Value result) {
  Type element = pd::tensorType(result).getElementType();
  bool isFast = element.isF32() || element.isBF16();
  return isFast ? nullptr
                : "its element type is neither f32 nor bf16, which the runtime computes by plain loops";
}

} // namespace proa::rt
