// Ops that broadcast operands without being elementwise.
#ifndef PROA_DIALECTS_PD_AUTODIFF_BROADCASTING
#define PROA_DIALECTS_PD_AUTODIFF_BROADCASTING

include "mlir/IR/OpBase.td"

// A dimension of size 1 of some operand broadcasts to another size, as in elementwise ops. Where the size is dynamic,
// reverse mode leaves it to the run whether the gradient is summed.
def Pd_BroadcastsOperands : NativeOpTrait<"BroadcastsOperands"> {
  let cppNamespace = "::proa::pd";
}

#endif
