// Ops of pd that an op of rt computes together with their neighbours.
#ifndef PROA_DIALECTS_RT_FUSABLE
#define PROA_DIALECTS_RT_FUSABLE

include "mlir/IR/OpBase.td"

def FusableOpInterface : OpInterface<"FusableOpInterface"> {
  let cppNamespace = "::proa::rt";
  let description = [{
    A contraction of pd that an op of rt computes together with the ops around it. When the rt dialect is loaded,
    `attachFusable` of each of its ops (Matmul.cpp, Conv2d.cpp) attaches the interface to the op of pd.
  }];
  let methods = [
    InterfaceMethod<"What the op of rt can compute besides the contraction, for the attributes and types of this op.",
      "::proa::rt::FusionLimits", "getFusionLimits">,
    InterfaceMethod<"Creates the op of rt with `parts` at the builder's insertion point and returns its result.",
      "::mlir::Value", "createFused", (ins "::mlir::OpBuilder &":$builder, "const ::proa::rt::FusedParts &":$parts)>,
  ];
}

#endif
