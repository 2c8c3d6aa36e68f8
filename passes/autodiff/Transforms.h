/// Transforms of functions: derivatives, batching, checkpoints, micro-batches. Each adds a new function to
/// the module, after the input function, which is unchanged. The result is a function of the same ops, so the
/// transforms may be applied in any order. Failure: after an error at the function or at the op that is not
/// supported.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace proa::autodiff {

using Function = mlir::func::FuncOp;
using Numbers = llvm::ArrayRef<int64_t>; ///< indices of arguments

/// (arguments) -> the gradients of result `result`, which has one element, by the arguments with these
/// indices; empty: by all float and complex ones. With `withValue` the result comes before them. Gradients
/// keep at most `snapshots` states of an scf.for at a time (0: all), unless its attribute `pd.snapshots` sets
/// another number; forward mode and batching convert it to scf.while. With `microBatches` above 1 the result
/// must be a mean over the first dimension of the arguments `batches` (empty: the feeds): its gradients are
/// computed for that number of equal micro-batches of them, in a loop.
mlir::FailureOr<Function> grad(Function function, llvm::StringRef name, Numbers arguments = {},
                               int64_t result = 0, bool withValue = false, int64_t snapshots = 0,
                               int64_t microBatches = 1, Numbers batches = {});

/// (arguments, a cotangent for each float or complex result) -> (results, gradients).
mlir::FailureOr<Function> vjp(Function function, llvm::StringRef name, Numbers arguments = {},
                              int64_t snapshots = 0);

/// (arguments, a tangent for each argument of `arguments`) -> (results, a tangent for each float or complex
/// result).
mlir::FailureOr<Function> jvp(Function function, llvm::StringRef name, Numbers arguments = {});

/// The function for a batch of `size` examples (kDynamic: any number). `mapped` has the index of the batch
/// dimension of each argument; an argument with a negative entry is the same for all examples. Empty: it is
/// the first dimension of all arguments. It is the first dimension of every result. Shardings get an entry
/// for it that does not split it; `openExamples`: which propagation may split.
mlir::FailureOr<Function> vmap(Function function, llvm::StringRef name, int64_t size, Numbers mapped = {},
                               bool openExamples = false);

/// (arguments) -> the second derivatives of result `result`, which has one element, by argument
/// `argument`: a tensor with the argument's dimensions twice. A batched forward mode of the gradient, so its
/// size is a constant times the function's.
mlir::FailureOr<Function> hessian(Function function, llvm::StringRef name, int64_t argument = 0,
                                  int64_t result = 0);

/// The function with its ops in regions of pd.checkpoint, each of which ends with an op whose location has
/// one of the names in `positions`; the ops after the last one are unchanged. Empty: one region of all ops.
mlir::FailureOr<Function> checkpoint(Function function, llvm::StringRef name,
                                     llvm::ArrayRef<std::string> positions = {});

/// A training program, with pd.vjp, that runs the ops that depend on the arguments `batches` (empty: the
/// feeds) for `count` equal micro-batches of them along their first dimension, in a loop. Values of those ops
/// that other ops read, gradients and losses, are averaged: equal results, if they are means over the batch.
/// Error: such a value cannot be a mean, by its type; a batch is normalized by its own statistics.
mlir::FailureOr<Function> accumulate(Function function, llvm::StringRef name, int64_t count,
                                     Numbers batches = {});

} // namespace proa::autodiff
