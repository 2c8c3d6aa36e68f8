/// Derivatives of functions as functions. Each adds a new function to the function's module, behind it, and
/// leaves the given one alone; since what comes out is a function of ops like all others, they may be applied
/// in any order. Failure means that an error was emitted, at the function or at the op that is in the way.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace proa::autodiff {

using Function = mlir::func::FuncOp;
using Numbers = llvm::ArrayRef<int64_t>;

/// (arguments) -> the gradients of result number `result`, which has one element, by the numbered arguments;
/// all float and complex ones where `arguments` is empty. With `withValue` the result comes before them. Of
/// an scf.for no more than `snapshots` states are kept at a time (0: all), unless it says otherwise by its
/// attribute `pd.snapshots`; forward mode and batching take it as scf.while. With `microBatches` above 1 the
/// result must be a mean over the first dimension of the arguments numbered in `batches` (none: the feeds):
/// its gradients are computed for so many parts of them, in a loop.
mlir::FailureOr<Function> grad(Function function, llvm::StringRef name, Numbers arguments = {},
                               int64_t result = 0, bool withValue = false, int64_t snapshots = 0,
                               int64_t microBatches = 1, Numbers batches = {});

/// (arguments, a cotangent for each float or complex result) -> (results, gradients).
mlir::FailureOr<Function> vjp(Function function, llvm::StringRef name, Numbers arguments = {},
                              int64_t snapshots = 0);

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

/// The function with its ops in regions of pd.checkpoint, each up to an op whose location has one of the
/// names in `places`; what follows the last of them stays as it is. One region of all ops where `places` is
/// empty.
mlir::FailureOr<Function> checkpoint(Function function, llvm::StringRef name,
                                     llvm::ArrayRef<std::string> places = {});

/// A training program, with pd.vjp, with the part that depends on the numbered arguments (feeds, where there
/// are none) run for `count` equal parts of them along their first dimension, in a loop. What others read of
/// that part, gradients and losses, becomes the mean: the same numbers, where they are means over the batch.
/// Failure where such a value is none, by its type, or where a batch is normalized by its own statistics.
mlir::FailureOr<Function> accumulate(Function function, llvm::StringRef name, int64_t count,
                                     Numbers batches = {});

} // namespace proa::autodiff
