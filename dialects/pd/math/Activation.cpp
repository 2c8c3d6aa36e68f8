#include "dialects/pd/Evaluate.h"
#include "dialects/pd/Infer.h"
#include "dialects/pd/TensorBuilder.h"
#include "dialects/pd/math/ActivationOps.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "dialects/pd/math/Activation.cpp.inc"
#include "dialects/pd/math/Activation.methods.inc"
#include "dialects/pd/math/Activation.scalar.inc"
