#include "dialects/pd/Evaluate.h"
#include "dialects/pd/Infer.h"
#include "dialects/pd/TensorBuilder.h"
#include "dialects/pd/math/UnaryOps.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "dialects/pd/math/Unary.cpp.inc"
#include "dialects/pd/math/Unary.methods.inc"
#include "dialects/pd/math/Unary.scalar.inc"
