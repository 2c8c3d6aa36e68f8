#include "dialects/pd/search/Metrics.h"
#include "dialects/pd/TensorBuilder.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "dialects/pd/search/Metrics.cpp.inc"
#include "dialects/pd/search/Metrics.methods.inc"
