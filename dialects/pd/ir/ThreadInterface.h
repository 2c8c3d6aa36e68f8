/// The interfaces of ops that kernels for GPUs compute by code for threads.
#pragma once

#include "mlir/IR/OpDefinition.h"

namespace proa::pd {
class ElementBuilder;
class ThreadBuilder;
} // namespace proa::pd

#include "dialects/pd/ir/ThreadInterface.h.inc"
