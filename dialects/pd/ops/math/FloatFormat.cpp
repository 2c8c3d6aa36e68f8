#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ops/math/FloatFormatOps.h"
#include "dialects/pd/reference/Evaluate.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "dialects/pd/ops/math/FloatFormat.cpp.inc"
#include "dialects/pd/ops/math/FloatFormat.methods.inc"
#include "dialects/pd/ops/math/FloatFormat.scalar.inc"
