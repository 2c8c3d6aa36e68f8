/// Elements addressed by index tensors.
#pragma once

#include "dialects/pd/Infer.h"
#include "dialects/pd/Pd.h"

#define GET_OP_CLASSES
#include "dialects/pd/index/Gather.h.inc"
#define GET_OP_CLASSES
#include "dialects/pd/index/Scatter.h.inc"
