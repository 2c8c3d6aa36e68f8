#include "dialects/pd/math/Special.h"

#include "dialects/pd/Evaluate.h"
#include "dialects/pd/Infer.h"
#include "dialects/pd/TensorBuilder.h"
#include "dialects/pd/math/SpecialOps.h"
#include "dialects/pd/math/UnaryOps.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "dialects/pd/math/Special.cpp.inc"
#include "dialects/pd/math/Special.methods.inc"
#include "dialects/pd/math/Special.scalar.inc"
