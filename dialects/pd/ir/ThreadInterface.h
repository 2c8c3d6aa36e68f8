/// The interfaces of ops that kernels for GPUs compute by code for threads.
#pragma once

#include "mlir/IR/OpDefinition.h"

#include <string>

namespace proa {
enum class ThreadStrategy : uint32_t; // dialects/proa/Proa.h
} // namespace proa

namespace proa::pd {
class ElementBuilder;
class ThreadBuilder;

/// How the threads of blocks compute an op.
struct ThreadChoice {
  ThreadStrategy strategy;
  std::string reason; ///< the figures that decide, for a remark
};
} // namespace proa::pd

#include "dialects/pd/ir/ThreadInterface.h.inc"
