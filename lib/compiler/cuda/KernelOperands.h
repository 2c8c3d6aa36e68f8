/// Operands with which kernels are measured.
#pragma once

#include "lib/compiler/planner/BuildPlan.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <cstddef>
#include <vector>

namespace proa {

/// Whether all operands and results of a kernel on tensors have static dims.
bool hasStaticDims(mlir::func::FuncOp kernel);

/// The contents of the buffers of a kernel with static dims: operands and results with random numbers,
/// scratch memory, counters and words of checks. Indices and sizes of groups are valid ones, by the checks of
/// the kernel.
std::vector<std::vector<std::byte>> kernelOperands(mlir::func::FuncOp kernel,
                                                   const planner::KernelFacts &facts);

} // namespace proa
