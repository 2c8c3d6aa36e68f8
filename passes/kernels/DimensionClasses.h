/// Which dimensions of the tensors and loops of a kernel are the same one.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

namespace proa {

/// A partition of all loops and result dimensions of a kernel's operations.
///
/// A loop and a dimension are in one class when an operation walks the dimension with the loop.
class DimensionClasses {
public:
  enum class Kind {
    /// A slice of one dimension needs the same slice of the other. Arguments connect nothing: all of them is
    /// there.
    Slices,
    /// The dimensions have the same size.
    Sizes,
  };
  DimensionClasses(mlir::func::FuncOp function, Kind kind);

  /// Classes of the dimensions of `value`, outermost first.
  llvm::SmallVector<unsigned> of(mlir::Value value) const;
  /// Classes of the loops of `op`, outermost first.
  llvm::SmallVector<unsigned> ofLoops(mlir::linalg::LinalgOp op) const;
  /// True if some operation reduces over the class.
  bool isReduced(unsigned dimensionClass) const { return reduced.contains(dimensionClass); }

  llvm::ArrayRef<mlir::linalg::LinalgOp> operations() const { return linalgOps; }

private:
  unsigned add(unsigned count);
  unsigned find(unsigned node) const;
  void join(unsigned a, unsigned b) { parents[find(a)] = find(b); }
  void joinOperand(mlir::linalg::LinalgOp op, mlir::OpOperand &operand, mlir::Value value);
  void joinReshape(mlir::Value source, mlir::Value result, llvm::ArrayRef<mlir::ReassociationIndices> groups);
  void joinEmpty(mlir::tensor::EmptyOp op);
  void joinSizes(mlir::Operation &op);

  llvm::SmallVector<unsigned> parents;
  llvm::DenseMap<mlir::Value, unsigned> firstOfValue;
  llvm::DenseMap<mlir::Operation *, unsigned> firstOfLoops;
  llvm::SmallVector<mlir::linalg::LinalgOp> linalgOps;
  llvm::SmallSetVector<unsigned, 8> reduced;
};

/// The value that `result` shows under another shape, and the reshapes between, from `result` inwards.
mlir::Value peelReshapes(mlir::Value result, llvm::SmallVectorImpl<mlir::Operation *> &reshapes);

} // namespace proa
