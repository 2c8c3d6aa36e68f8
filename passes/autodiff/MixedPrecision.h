/// Mixed precision of functions and training programs.
#pragma once

#include "proa/Amp.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace proa::autodiff {

/// Computes the ops of a function's body in 16 bits by the lists of the options, with casts where formats
/// meet; arguments and results keep their types. In a training program only ops that gradients need are
/// rewritten, not the update of parameters and learning rates. Control flow passes 16-bit values on in 16
/// bits, except values that determine the trip count of a loop. Error: an unknown op in a list, another
/// dtype.
llvm::LogicalResult mixPrecision(mlir::func::FuncOp function, const AmpOptions &options);

/// Multiplies the seeds of the backward region of a training program by the loss scale and divides its
/// gradients by it. With dynamic scaling, a step with Inf or NaN sets the gradients to zero, and the function
/// gets the state of the scale as arguments and results. Error: the function has no pd.vjp; a scale or a
/// number of steps that is not positive.
llvm::LogicalResult scaleLoss(mlir::func::FuncOp function, const AmpOptions &options);

/// The names of the state of dynamic scaling: the scale, and the numbers of consecutive steps with finite and
/// with infinite or NaN gradients.
inline constexpr const char *lossScalingState[] = {"loss_scaling", "loss_scaling.good_steps",
                                                   "loss_scaling.bad_steps"};

} // namespace proa::autodiff
