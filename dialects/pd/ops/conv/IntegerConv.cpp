//! Generated code of pd.integer_conv2d; its methods are beside the methods of other convolutions.
#include "dialects/pd/ops/conv/IntegerConvOps.h"
#include "dialects/pd/reference/Reference.h"

#define GET_OP_CLASSES
#include "dialects/pd/ops/conv/IntegerConv.cpp.inc"
#include "dialects/pd/ops/conv/IntegerConv.methods.inc"
