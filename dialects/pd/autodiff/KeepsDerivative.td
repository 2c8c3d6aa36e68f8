// Losses whose kernels give their derivative too.
#ifndef PROA_DIALECTS_PD_AUTODIFF_KEEPS_DERIVATIVE
#define PROA_DIALECTS_PD_AUTODIFF_KEEPS_DERIVATIVE

include "mlir/IR/OpBase.td"

// The last result is the derivative by the first operand, by which the op's rule multiplies the cotangent of the first
// result. It has no derivative itself: one that is asked for is an error, not zero.
def Pd_KeepsDerivative : NativeOpTrait<"KeepsDerivative"> {
  let cppNamespace = "::proa::pd";
}

#endif
