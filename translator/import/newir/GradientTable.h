/// Operands and results of the gradient ops of Paddle's new IR.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <initializer_list>
#include <optional>

namespace proa::import {

/// An operand of a gradient op: an operand or result of the forward op, or the cotangent of a result.
struct Given {
  enum Kind { Operand, Result, Cotangent } kind;
  size_t index;

  friend bool operator==(const Given &, const Given &) = default;
};

/// The forward op may be a gradient op itself.
struct NewIrGradient {
  /// In the dialect pd_op, without "_" at the end.
  llvm::StringRef name, forward;
  size_t forwardOperands, forwardResults;
  std::initializer_list<Given> operands;
  /// For each result, the index of the operand of the forward op whose gradient it is.
  std::initializer_list<size_t> results;

  /// The index of a value among the operands.
  std::optional<size_t> positionOf(Given value) const;
};

/// The gradient op "X_grad" (or "X_grad_") of the dialect pd_op, "X_double_grad" (the gradient of X_grad)
/// or "X_triple_grad"; null for other ops.
const NewIrGradient *findNewIrGradient(llvm::StringRef name);

} // namespace proa::import
