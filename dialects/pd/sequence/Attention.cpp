#include "dialects/pd/sequence/Attention.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "dialects/pd/sequence/Attention.cpp.inc"
#include "dialects/pd/sequence/Attention.methods.inc"
