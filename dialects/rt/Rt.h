/// The rt dialect: fused calls of the CPU runtime.
#pragma once

#include "dialects/pd/ir/Contraction.h"
#include "dialects/pd/ir/Enums.h"
#include "dialects/pd/ir/Pd.h"

#include "dialects/rt/RtDialect.h.inc"

#define GET_OP_CLASSES
#include "dialects/rt/Rt.h.inc"
