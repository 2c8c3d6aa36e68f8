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
  ];
}

#endif
