/// What the new IR's registry says of gradient ops and of ops that work in place.
#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <utility>

namespace proa::import {

struct NewIrGradient {
  /// The forward op, in the dialect pd_op, without "_" at the end.
  llvm::StringRef forward;
  llvm::SmallVector<llvm::StringRef> forwardOperands, forwardResults;
  /// Values of the forward op by name, and "NAME_grad" for cotangents.
  llvm::SmallVector<llvm::StringRef> operands;
  /// "NAME_grad" for the gradients of the forward op's operands.
  llvm::SmallVector<llvm::StringRef> results;
};

/// The gradient op "X_grad" (or "X_grad_") of the dialect pd_op, "X_double_grad", which is of X_grad, or
/// "X_triple_grad", which is of that; or null.
const NewIrGradient *findNewIrGradient(llvm::StringRef name);

/// Numbers of a result and of the operand whose memory it takes.
using InPlacePairs = llvm::SmallVector<std::pair<unsigned, unsigned>>;

/// Of an op of the dialect pd_op, named with the "_" at its end; none for others.
const InPlacePairs &inPlacePairs(llvm::StringRef name);

} // namespace proa::import
