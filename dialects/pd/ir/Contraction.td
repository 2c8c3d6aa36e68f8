// Interface of contractions: ops that sum products.
#ifndef PROA_DIALECTS_PD_CONTRACTION
#define PROA_DIALECTS_PD_CONTRACTION

include "mlir/IR/OpBase.td"

def ContractionOpInterface : OpInterface<"ContractionOpInterface"> {
  let cppNamespace = "::proa::pd";
  let description = "A matmul or convolution: an op that sums products.";
  let methods = [
    InterfaceMethod<"Number of multiply-adds of one execution; empty if a dim is dynamic.",
      "::std::optional<int64_t>", "getMultiplyAdds">,
    InterfaceMethod<[{
      The operand with one slice for each channel of the result, along its dimension `getChannelDim()`: a factor of a
      channel can be folded into its slice. Null if there is none.
    }], "::mlir::OpOperand *", "getChannelWeights", (ins), "", [{ return nullptr; }]>,
    InterfaceMethod<"The dimension of the channel weights along which the channels of the result are.", "int64_t",
      "getChannelDim", (ins), "", [{ return 0; }]>,
    InterfaceMethod<[{
      The indexing maps of x, y and the result of `out[...] = sum of x[...] * y[...]`. The loops are the dims of the
      result, outermost first, then the summed dim. Empty if the op is not of this form, or if a map is not known.
    }], "::llvm::SmallVector<::mlir::AffineMap>", "getContractionMaps", (ins), "", [{ return {}; }]>,
  ];
}

#endif
