/// Tiles in shared memory, and memory in stages, whose first dim is the stage.
#pragma once

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "passes/lower-gpu/AccessWidth.h"
#include "passes/lower-gpu/CodeBuilder.h"

namespace proa {

/// The type of shared memory with these dims.
mlir::MemRefType sharedType(llvm::ArrayRef<int64_t> dims, mlir::Type element);

/// Shared memory with these dims, aligned for accesses, or as requested.
mlir::Value allocateShared(mlir::OpBuilder &b, mlir::Location loc, llvm::ArrayRef<int64_t> dims,
                           mlir::Type element, int64_t alignment = accessBytes);

/// The memory of one stage, without the first dim.
mlir::Value stageView(mlir::OpBuilder &b, mlir::Location loc, mlir::Value memory, mlir::Value stage);

/// A chunk of a tile of lines: its line, and its number in the line.
struct ChunkPosition {
  mlir::Value line, inLine;
};

/// The place of chunk number `first + chunk * threads` of a tile whose lines have `chunksOfLine`. Chunks of a
/// thread in the same place of other lines differ by a constant, so that their addresses are one register.
ChunkPosition positionOfChunk(const CodeBuilder &code, mlir::Value first, int64_t chunk, int64_t threads,
                              int64_t chunksOfLine);

} // namespace proa
