/// Values of tensors and tensor arrays on the host, which reference kernels of ops on arrays compute.
#pragma once

#include "proa/Tensor.h"

#include "mlir/IR/Value.h"

#include "llvm/ADT/DenseMap.h"

#include <optional>
#include <vector>

namespace proa::pd {

/// The value of an array at one point of a run. Elements that were never written have no tensor.
using HostArray = std::vector<std::optional<Tensor>>;

/// The tensors and arrays of a run, by the program's values.
struct HostValues {
  llvm::DenseMap<mlir::Value, Tensor> tensors;
  llvm::DenseMap<mlir::Value, HostArray> arrays;

  /// Copies the tensor or array of `from` to `to`.
  void copy(mlir::Value from, mlir::Value to);
};

} // namespace proa::pd
