/// Mixed precision of functions and training programs.
#pragma once

#include "proa/Amp.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace proa::autodiff {

/// Rewrites the ops of a function's body by the lists of the options and inserts casts between formats.
/// Arguments and results keep their types. In a training program, whose pd.vjp are decomposed, only ops that
/// the gradients depend on are rewritten: not parameter updates, nor learning rates. Control flow passes
/// values in 16 bits if its bodies compute them in 16 bits, except values that control a loop's trip count.
/// Failure, after an error, for an unknown op in a list.
llvm::LogicalResult mixPrecision(mlir::func::FuncOp function, const AmpOptions &options);

/// Multiplies the initial cotangents of a training program's backward part by the loss scale, and divides the
/// gradients by it. With dynamic scaling, the gradients are zero in a skipped step, and the function gets the
/// scale's state as arguments and results. Failure, after an error, if the function has no pd.vjp.
llvm::LogicalResult scaleLoss(mlir::func::FuncOp function, const AmpOptions &options);

/// The names of the state of dynamic scaling: the scale, and the numbers of consecutive steps with finite and
/// with infinite or NaN gradients.
inline constexpr const char *lossScalingState[] = {"loss_scaling", "loss_scaling.good_steps",
                                                   "loss_scaling.bad_steps"};

} // namespace proa::autodiff
