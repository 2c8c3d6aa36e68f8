// Ops whose result is given element by element.
#ifndef PROA_DIALECTS_PD_ELEMENT_INTERFACE
#define PROA_DIALECTS_PD_ELEMENT_INTERFACE

include "mlir/IR/OpBase.td"

def ElementOpInterface : OpInterface<"ElementOpInterface"> {
  let cppNamespace = "::proa::pd";
  let description = [{
    An op with one result, each of whose elements is computed from elements of the operands at computed indices: slice,
    concat, pooling. Kernels for GPUs compute such ops; on CPUs library kernels are faster.
  }];
  let methods = [
    InterfaceMethod<"Why no kernel can compute the op with these attributes and types; null if one can.",
      "const char *", "whyNoElement">,
    InterfaceMethod<"The size of a dynamic dimension of the result, as an index.", "::mlir::Value", "buildDim",
      (ins "::proa::pd::ElementBuilder &":$b, "int64_t":$dim)>,
    InterfaceMethod<"The element of the result at these indices, one for each dimension. It reads no operand out of "
      "bounds.", "::mlir::Value", "buildElement", (ins "::proa::pd::ElementBuilder &":$b, "::mlir::ValueRange":$at)>,
  ];
}

#endif
