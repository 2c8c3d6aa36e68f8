#include "dialects/pd/ops/nn/Hash.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "dialects/pd/ops/nn/Hash.cpp.inc"
#include "dialects/pd/ops/nn/Hash.methods.inc"
