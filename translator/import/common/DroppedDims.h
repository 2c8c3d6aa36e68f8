/// Dimensions of a slice that an index drops: x[:, 0] has one dimension less than x.
#pragma once

#include "mlir/IR/Value.h"

#include "llvm/ADT/ArrayRef.h"

#include <string>

namespace proa::import {

/// The reason why the dimensions `axes` of a slice cannot be dropped, or "": the slice has no element, or
/// several, along one of them.
std::string whyNotDropped(mlir::Value slice, llvm::ArrayRef<int64_t> axes);

} // namespace proa::import
