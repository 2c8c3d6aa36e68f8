/// Views: ops that give the elements of a tensor another shape.
#pragma once

#include "dialects/pd/ir/Layout.h"
#include "dialects/pd/ops/shape/Shape.h"

#define GET_OP_CLASSES
#include "dialects/pd/ops/shape/View.h.inc"
