// Losses whose kernels give their derivative too.
#ifndef PROA_DIALECTS_PD_AUTODIFF_KEEPS_DERIVATIVE
#define PROA_DIALECTS_PD_AUTODIFF_KEEPS_DERIVATIVE

include "mlir/IR/OpBase.td"

// The last result is the derivative by the first operand, by which the op's rule multiplies the cotangent of the first
// result. Where it is differentiated itself it comes from the op's decomposition.
def Pd_KeepsDerivative : NativeOpTrait<"KeepsDerivative"> {
  let cppNamespace = "::proa::pd";
}

#endif
