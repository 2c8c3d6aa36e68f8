/// Derivatives of functions as functions. Each adds a new function to the function's module, behind it, and
/// leaves the given one alone; since what comes out is a function of ops like all others, they may be applied
/// in any order. Failure means that an error was emitted, at the function or at the op that is in the way.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace proa::autodiff {

using Function = mlir::func::FuncOp;
using Numbers = llvm::ArrayRef<int64_t>;

/// (arguments) -> the gradients of result number `result`, which has one element, by the numbered arguments;
/// all float and complex ones where `arguments` is empty. With `withValue` the result comes before them.
mlir::FailureOr<Function> grad(Function function, llvm::StringRef name, Numbers arguments = {},
                               int64_t result = 0, bool withValue = false);

/// (arguments, a cotangent for each float or complex result) -> (results, gradients).
mlir::FailureOr<Function> vjp(Function function, llvm::StringRef name, Numbers arguments = {});

/// (arguments, a tangent for each numbered argument) -> (results, a tangent for each float or complex
/// result).
mlir::FailureOr<Function> jvp(Function function, llvm::StringRef name, Numbers arguments = {});

/// The function for a batch of `size` examples (kDynamic: any number of them): the arguments whose entry in
/// `mapped` is not below 0 get a dimension for the examples at that place (all of them get it in front where
/// `mapped` is empty), the others are the same for all examples. Every result gets it in front.
mlir::FailureOr<Function> vmap(Function function, llvm::StringRef name, int64_t size, Numbers mapped = {});

/// (arguments) -> the second derivatives of result number `result`, which has one element, by argument
/// `argument`: a tensor with the argument's dimensions twice. A batched forward mode of the gradient, so its
/// size is a constant times the function's.
mlir::FailureOr<Function> hessian(Function function, llvm::StringRef name, int64_t argument = 0,
                                  int64_t result = 0);

} // namespace proa::autodiff
