#include "dialects/pd/ops/sequence/Attention.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "dialects/pd/ops/sequence/Attention.cpp.inc"
#include "dialects/pd/ops/sequence/Attention.methods.inc"
