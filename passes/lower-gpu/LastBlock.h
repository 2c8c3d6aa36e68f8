/// Blocks that share a row find out which of them is the last.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

namespace proa {

/// The number of counters: rows that several blocks may share (runtime::kernelCounters).
inline constexpr int64_t mostSharedRows = 1024;

/// Adds the argument for counters (`#proa.scratch`), a memref<i32>, before the words of index checks and the
/// range of rows.
mlir::BlockArgument addCountersArgument(mlir::func::FuncOp kernel);

/// Counts this block in `counters[row]`, and returns whether it is the last one of `blocks` blocks: i1. What
/// the blocks wrote before, the last one can read after a memory barrier. The counters are 0 before and
/// after. All threads of the block call it.
mlir::Value emitIsLastBlock(mlir::OpBuilder &b, mlir::Location loc, mlir::Value counters, mlir::Value row,
                            mlir::Value blocks);

} // namespace proa
