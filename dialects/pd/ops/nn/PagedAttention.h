/// Attention over a paged cache.
#pragma once

#include "dialects/pd/ir/DeviceKernel.h"
#include "dialects/pd/ops/nn/Nn.h"

#define GET_OP_CLASSES
#include "dialects/pd/ops/nn/PagedAttention.h.inc"
