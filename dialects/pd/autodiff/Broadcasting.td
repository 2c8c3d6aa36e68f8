// Ops that broadcast operands without being elementwise.
#ifndef PROA_DIALECTS_PD_AUTODIFF_BROADCASTING
#define PROA_DIALECTS_PD_AUTODIFF_BROADCASTING

include "mlir/IR/OpBase.td"

// A dim of size 1 of an operand is broadcast to another size, as in elementwise ops. If the dim is dynamic, reverse
// mode sums the gradient by pd.reduce_as, which decides at run time.
def Pd_BroadcastsOperands : NativeOpTrait<"BroadcastsOperands"> {
  let cppNamespace = "::proa::pd";
}

#endif
