#include "dialects/pd/search/Tables.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "dialects/pd/search/Tables.cpp.inc"
#include "dialects/pd/search/Tables.methods.inc"
