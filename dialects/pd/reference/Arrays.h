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

/// An array as it is at one point of a run; an element that nothing was written to has no value.
using HostArray = std::vector<std::optional<Tensor>>;

/// The tensors and arrays of a run by the values of the program.
struct HostValues {
  llvm::DenseMap<mlir::Value, Tensor> tensors;
  llvm::DenseMap<mlir::Value, HostArray> arrays;

  /// `to` is what `from` is.
  void copy(mlir::Value from, mlir::Value to);
};

/// The computations of the ops that take or give arrays.
class ArrayComputations {
public:
  /// Why the op could not be run; empty: it was.
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
