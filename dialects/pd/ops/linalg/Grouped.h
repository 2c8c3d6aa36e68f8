/// Products of groups of rows of different sizes.
#pragma once

#include "dialects/pd/ir/DeviceKernel.h"
#include "dialects/pd/ops/linalg/Contract.h"

#define GET_OP_CLASSES
#include "dialects/pd/ops/linalg/Grouped.h.inc"
