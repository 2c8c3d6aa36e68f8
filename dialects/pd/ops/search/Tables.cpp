#include "dialects/pd/ops/search/Tables.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "dialects/pd/ops/search/Tables.cpp.inc"
#include "dialects/pd/ops/search/Tables.methods.inc"
