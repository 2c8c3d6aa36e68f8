#include "dialects/pd/Evaluate.h"
#include "dialects/pd/Infer.h"
#include "dialects/pd/TensorBuilder.h"
#include "dialects/pd/math/BinaryOps.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "dialects/pd/math/Binary.cpp.inc"
#include "dialects/pd/math/Binary.methods.inc"
#include "dialects/pd/math/Binary.scalar.inc"
