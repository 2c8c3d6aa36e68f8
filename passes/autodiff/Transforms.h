/// Transforms of functions: derivatives, batching, checkpointing and accumulation. Each adds a new function
/// to the module, after the original one, which does not change. The results are ordinary functions, so
/// transforms can be combined in any order. On failure an error was emitted, at the function or at the
/// unsupported op.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace proa::autodiff {

using Function = mlir::func::FuncOp;
using Numbers = llvm::ArrayRef<int64_t>;

/// (arguments) -> gradients of the result with index `result`, which has one element, by the arguments with
/// these indices (empty: all float and complex arguments). With `withValue`, the result is returned before
/// the gradients. `snapshots` is the most states of an scf.for that are kept at a time (0: all); its
/// attribute `pd.snapshots` overrides it. With `microBatches` above 1 the result must be a mean over the
/// first dimension of the arguments with indices `batches` (empty: the feeds): the gradients are computed in
/// a loop over that number of equal parts.
mlir::FailureOr<Function> grad(Function function, llvm::StringRef name, Numbers arguments = {},
                               int64_t result = 0, bool withValue = false, int64_t snapshots = 0,
                               int64_t microBatches = 1, Numbers batches = {});

/// (arguments, a cotangent for each float or complex result) -> (results, gradients).
mlir::FailureOr<Function> vjp(Function function, llvm::StringRef name, Numbers arguments = {},
                              int64_t snapshots = 0);

/// (arguments, a tangent for each argument with an index in `arguments`) -> (results, a tangent for each
/// float or complex result). Forward mode; scf.for is converted to scf.while.
mlir::FailureOr<Function> jvp(Function function, llvm::StringRef name, Numbers arguments = {});

/// The function for a batch of `size` examples (kDynamic: any number). `mapped` has one entry per argument:
/// the index of its dimension for the examples, or -1 if all examples share the argument; empty: 0 for all.
/// Each result has the examples as its first dimension.
mlir::FailureOr<Function> vmap(Function function, llvm::StringRef name, int64_t size, Numbers mapped = {});

/// (arguments) -> the second derivatives of the result with index `result`, which has one element, by the
/// argument with index `argument`: a tensor with the argument's dims twice. Computed as vmap of jvp of grad,
/// so the number of ops is a constant multiple of the function's.
mlir::FailureOr<Function> hessian(Function function, llvm::StringRef name, int64_t argument = 0,
                                  int64_t result = 0);

/// The function with its ops in regions of pd.checkpoint. Each region ends at an op whose location has one of
/// the names in `places`; ops after the last region stay outside. If `places` is empty, all ops are in one
/// region.
mlir::FailureOr<Function> checkpoint(Function function, llvm::StringRef name,
                                     llvm::ArrayRef<std::string> places = {});

/// A training program, with pd.vjp, whose part that depends on the arguments with indices `batches` (empty:
/// the feeds) runs in a loop over `count` equal parts along their first dimension. Values of that part that
/// are used outside of it (gradients, losses) become means over the parts: equal results if they are means
/// over the batch. Failure if the type of such a value depends on the batch, or for batch normalization in
/// training.
mlir::FailureOr<Function> accumulate(Function function, llvm::StringRef name, int64_t count,
                                     Numbers batches = {});

} // namespace proa::autodiff
