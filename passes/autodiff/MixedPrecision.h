/// Mixed precision of functions and training programs.
#pragma once

#include "proa/Amp.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace proa::autodiff {

/// Rewrites the ops of a function's body by the lists of the options, with casts where formats meet;
/// arguments and results keep their types. In a training program, whose pd.vjp are taken apart, only what its
/// gradients need is rewritten: not the update of parameters, nor learning rates. Control flow hands on in 16
/// bits what its bodies compute so, but for what decides how often a loop runs. Failure, after an error, for
/// an unknown op in a list.
llvm::LogicalResult mixPrecision(mlir::func::FuncOp function, const AmpOptions &options);

/// Multiplies the cotangents with which the backward part of a training program begins by the loss scale, and
/// divides its gradients by it; with dynamic scaling gradients are zero in a step that does not count, and
/// the function gets the scale's state as arguments and results. Failure, after an error, where the function
/// has no pd.vjp.
llvm::LogicalResult scaleLoss(mlir::func::FuncOp function, const AmpOptions &options);

/// The names of the state of dynamic scaling: the scale, good steps, bad steps.
inline constexpr const char *lossScalingState[] = {"loss_scaling", "loss_scaling.good_steps",
                                                   "loss_scaling.bad_steps"};

} // namespace proa::autodiff
