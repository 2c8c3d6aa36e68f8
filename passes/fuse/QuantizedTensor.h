/// Float tensors that are quantized to 8 bits, as the formulas of quantizations write them.
#pragma once

#include "dialects/pd/builders/TensorBuilder.h"

namespace proa {

/// Whether the tensor has one element, so that all elements of another share it.
bool hasOneElement(mlir::Value value);

/// A float tensor `(integers - zero) * factors`, with elements moved by `moves` after that.
struct QuantizedTensor {
  /// A number or tensor that multiplies or divides; it broadcasts to the tensor.
  struct Factor {
    mlir::Value value;
    bool divides;
  };

  mlir::Value integers; ///< of i8 or ui8, or of floats that are such integers
  bool isUnsigned = false;
  mlir::Value zero; ///< integers in a float type, or null
  llvm::SmallVector<Factor> factors;
  llvm::SmallVector<mlir::Operation *> moves; ///< the first is the last that is applied

  /// Reads a tensor; nothing if it is not of this form, or if elements that have another zero or factor are
  /// moved.
  static std::optional<QuantizedTensor> read(mlir::Value value);

  /// Creates the integers of i8 or ui8, after the moves.
  pd::Expression bytes(pd::TensorBuilder &e) const;
};

} // namespace proa
