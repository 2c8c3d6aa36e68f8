/// Tensor arrays in a reference run.
#pragma once

#include "proa/Tensor.h"

#include "mlir/IR/Operation.h"

#include "llvm/ADT/DenseMap.h"

#include <optional>
#include <string>
#include <vector>

namespace proa::check {

/// An array as it is at one point of a run; an element that nothing was written to has no value.
using HostArray = std::vector<std::optional<Tensor>>;

/// The tensors and arrays of a run by the values of the program.
struct HostValues {
  llvm::DenseMap<mlir::Value, Tensor> tensors;
  llvm::DenseMap<mlir::Value, HostArray> arrays;

  /// `to` is what `from` is.
  void copy(mlir::Value from, mlir::Value to);
};

/// Whether an op takes or gives arrays.
bool isArrayOp(mlir::Operation &op);
/// Runs such an op. Why that was not possible; empty: it was.
std::string runArrayOp(mlir::Operation &op, HostValues &values);

} // namespace proa::check
