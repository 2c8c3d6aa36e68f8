/// The interface of ops whose results share memory with their operands at run time.
#pragma once

#include "mlir/IR/OpDefinition.h"

namespace proa::rt {

/// How the result of an op shares memory with its operands.
enum class ResultStorage {
  New,          ///< not at all
  Forwarded,    ///< it is operand 0
  Reshaped,     ///< it has the bytes of operand 0 and other dims
  ArrayElement, ///< it is an element of the tensor array that is operand 0
  Array,        ///< it is a tensor array that keeps the bytes of its operands
  Awaited,      ///< it has the bytes of operand 0, which the op waits for
};

/// ResultStorage::New for an op without the interface.
ResultStorage resultStorageOf(mlir::Operation *op);

/// Attaches the interface to ops of pd. RtDialect calls it when it is loaded.
void attachStorageInterfaces(mlir::MLIRContext &context);

} // namespace proa::rt

#include "dialects/rt/Storage.h.inc"
