/// Elementwise math: primitives of one to three operands, and formulas on them.
#pragma once

#include "dialects/pd/Pd.h"

#define GET_OP_CLASSES
#include "dialects/pd/math/Unary.h.inc"
#define GET_OP_CLASSES
#include "dialects/pd/math/Binary.h.inc"
#define GET_OP_CLASSES
#include "dialects/pd/math/Activation.h.inc"
#define GET_OP_CLASSES
#include "dialects/pd/math/Scale.h.inc"
