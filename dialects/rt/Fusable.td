// The interface of ops of pd that can be fused with neighbouring ops into an op of rt.
#ifndef PROA_DIALECTS_RT_FUSABLE
#define PROA_DIALECTS_RT_FUSABLE

include "mlir/IR/OpBase.td"

def FusableOpInterface : OpInterface<"FusableOpInterface"> {
  let cppNamespace = "::proa::rt";
  let description = [{
    A contraction of pd that can be fused with neighbouring ops into an op of rt. When the rt dialect is loaded,
    `attachFusable` of each of its ops (Matmul.cpp, Conv2d.cpp) attaches the interface to the op of pd.
  }];
  let methods = [
    InterfaceMethod<"The neighbouring ops that can be fused, given the attributes and types of this op.",
      "::proa::rt::FusionLimits", "getFusionLimits">,
    InterfaceMethod<"Creates the op of rt with `fused` at the builder's insertion point and returns its result.",
      "::mlir::Value", "createFused", (ins "::mlir::OpBuilder &":$builder, "const ::proa::rt::FusedOperands &":$fused)>,
  ];
}

#endif
