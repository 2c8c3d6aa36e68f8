// Trait of losses whose kernel also returns their derivative.
#ifndef PROA_DIALECTS_PD_AUTODIFF_KEEPS_DERIVATIVE
#define PROA_DIALECTS_PD_AUTODIFF_KEEPS_DERIVATIVE

include "mlir/IR/OpBase.td"

// The last result is the derivative by the first operand. The op's gradient is that derivative times the cotangent of
// the first result. If the derivative is differentiated itself, the op's decomposition computes it.
def Pd_KeepsDerivative : NativeOpTrait<"KeepsDerivative"> {
  let cppNamespace = "::proa::pd";
}

#endif
