// What ops that sum products have in common.
#ifndef PROA_DIALECTS_PD_CONTRACTION
#define PROA_DIALECTS_PD_CONTRACTION

include "mlir/IR/OpBase.td"

def ContractionOpInterface : OpInterface<"ContractionOpInterface"> {
  let cppNamespace = "::proa::pd";
  let description = "An op that sums products: nearly all of a model's arithmetic.";
  let methods = [
    InterfaceMethod<"Number of multiply-adds of one evaluation; nothing where a dimension is not known.",
      "::std::optional<int64_t>", "getMultiplyAdds">,
  ];
}

#endif
