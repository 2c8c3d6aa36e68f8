/// The interface of composites whose library kernel computes only some of their forms.
#pragma once

#include "mlir/IR/OpDefinition.h"

#include "dialects/pd/ir/PartialLibrary.h.inc"
