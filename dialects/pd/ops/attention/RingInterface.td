// Interface of ops whose operands can be passed around a ring of devices.
#ifndef PROA_DIALECTS_PD_NN_RING_INTERFACE
#define PROA_DIALECTS_PD_NN_RING_INTERFACE

include "mlir/IR/OpBase.td"

def RingOpInterface : OpInterface<"RingOpInterface"> {
  let cppNamespace = "::proa::pd";
  let description = [{
    An op whose local form gathers operands, or passes their shards around a ring of devices if the attribute `ring` is
    set. The results are equal.
  }];
  let methods = [
    InterfaceMethod<"The operands that are gathered or passed on.", "::llvm::SmallVector<unsigned>",
      "getTravellingOperands">,
    InterfaceMethod<"The results whose sums are passed on with them.", "::llvm::SmallVector<unsigned>",
      "getTravellingResults">,
    InterfaceMethod<"The number of multiplications and additions of the whole op; 0 if dims are dynamic.", "double",
      "getOperations">,
    InterfaceMethod<"The number of elements that the whole op computes between operands and results.", "double",
      "getInnerElements">,
    InterfaceMethod<"Sets the attribute `ring`.", "void", "setUsesRing", (ins "bool":$ring)>,
  ];
}

#endif
