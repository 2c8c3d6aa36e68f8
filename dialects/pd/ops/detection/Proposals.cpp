#include "dialects/pd/ops/detection/Proposals.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "dialects/pd/ops/detection/Proposals.cpp.inc"
#include "dialects/pd/ops/detection/Proposals.methods.inc"
#include "dialects/pd/ops/detection/Proposals.scalar.inc"
