/// Attention and its gradient as one op each.
#pragma once

#include "dialects/pd/ir/Pd.h"

#include "dialects/pd/ops/nn/RingInterface.h.inc"

#define GET_OP_CLASSES
#include "dialects/pd/ops/nn/ScaledAttention.h.inc"
