/// Attention over a paged cache.
#pragma once

#include "dialects/pd/ir/DeviceKernel.h"
#include "dialects/pd/ops/attention/Encoding.h"

#define GET_OP_CLASSES
#include "dialects/pd/ops/attention/PagedAttention.h.inc"
