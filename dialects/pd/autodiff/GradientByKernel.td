// Composites whose gradients kernels compute.
#ifndef PROA_DIALECTS_PD_AUTODIFF_GRADIENT_BY_KERNEL
#define PROA_DIALECTS_PD_AUTODIFF_GRADIENT_BY_KERNEL

include "mlir/IR/OpBase.td"

// A custom VJP: the op's reverse-mode rule is a kernel. Forward mode and second derivatives use the op's formula.
def Pd_GradientByKernel : NativeOpTrait<"GradientByKernel"> {
  let cppNamespace = "::proa::pd";
}

#endif
