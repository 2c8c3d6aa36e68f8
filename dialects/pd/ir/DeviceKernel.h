/// The interface of composites that a GPU computes by one kernel.
#pragma once

#include "mlir/IR/OpDefinition.h"

#include <optional>

#include "dialects/pd/ir/DeviceKernel.h.inc"
