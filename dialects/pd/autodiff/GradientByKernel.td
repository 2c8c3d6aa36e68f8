// Trait of composites whose gradient is computed by a kernel.
#ifndef PROA_DIALECTS_PD_AUTODIFF_GRADIENT_BY_KERNEL
#define PROA_DIALECTS_PD_AUTODIFF_GRADIENT_BY_KERNEL

include "mlir/IR/OpBase.td"

// The op's reverse-mode rule is a separate kernel. The derivative of that kernel, and forward mode, use the op's
// decomposition.
def Pd_GradientByKernel : NativeOpTrait<"GradientByKernel"> {
  let cppNamespace = "::proa::pd";
}

#endif
