/// The interface of ops on tensor arrays with a rule for their gradient.
#pragma once

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"

#include "dialects/pd/ir/ArrayVjp.h.inc"
