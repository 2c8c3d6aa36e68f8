/// Philox4x32-10 in IR: the words of runtime::philox (lib/runtime/host/Random.h).
#pragma once

#include "mlir/IR/Builders.h"

#include <array>

namespace proa::rt {

/// The four words, as i32, of block number `block` of an execution with these key and number. All are i64.
std::array<mlir::Value, 4> philox(mlir::OpBuilder &b, mlir::Location loc, mlir::Value key, mlir::Value call,
                                  mlir::Value block);

} // namespace proa::rt
