/// Reference kernels of ops on tensor arrays.
#pragma once

#include "proa/Tensor.h"

#include "mlir/IR/Operation.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

#include <optional>
#include <string>
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

/// The registry of reference kernels of ops with array operands or results.
class ArrayComputations {
public:
  /// Runs the op on `values`. Returns an error message; empty on success.
  using Computation = std::string (*)(mlir::Operation *op, HostValues &values);
  static const ArrayComputations &get();

  template <class Op> void add(Computation computation) {
    computations.try_emplace(Op::getOperationName(), computation);
  }
  Computation find(mlir::OperationName name) const { return computations.lookup(name.getStringRef()); }

private:
  llvm::StringMap<Computation> computations;
};

} // namespace proa::pd
