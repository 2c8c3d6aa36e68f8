/// How many adjacent elements a thread can access at once.
#pragma once

#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/Value.h"

namespace proa {

/// Bytes that a thread accesses at once.
inline constexpr int64_t accessBytes = 16;

/// A number that divides `size`; 0, which all numbers divide, if the size is 0.
int64_t divisorOf(mlir::OpFoldResult size);

/// Elements of a chunk along the last dim of `memory`, whose size is `lastSize`: as many as an access has if
/// each chunk is aligned and either inside of the memory or outside, otherwise 1. Chunks start at multiples
/// of their size.
int64_t chunkElements(mlir::Value memory, mlir::OpFoldResult lastSize);

} // namespace proa
