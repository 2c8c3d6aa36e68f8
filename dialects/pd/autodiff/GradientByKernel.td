// Composites whose gradients kernels compute.
#ifndef PROA_DIALECTS_PD_AUTODIFF_GRADIENT_BY_KERNEL
#define PROA_DIALECTS_PD_AUTODIFF_GRADIENT_BY_KERNEL

include "mlir/IR/OpBase.td"

// The op's reverse-mode rule is a kernel of its own, which is differentiated by way of the op's formula. Forward mode goes
// through the formula at once.
def Pd_GradientByKernel : NativeOpTrait<"GradientByKernel"> {
  let cppNamespace = "::proa::pd";
}

#endif
