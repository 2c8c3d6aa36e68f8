// Reference kernels of ops on tensor arrays.
#ifndef PROA_DIALECTS_PD_ARRAY_REFERENCE
#define PROA_DIALECTS_PD_ARRAY_REFERENCE

include "mlir/IR/OpBase.td"

def ArrayReferenceOpInterface : OpInterface<"ArrayReferenceOpInterface"> {
  let cppNamespace = "::proa::pd";
  let description = [{
    A library op with array operands or results and a reference kernel: plain loops that share nothing with the
    runtime's kernel. ReferenceOpInterface is the same for ops on tensors.
  }];
  let methods = [
    InterfaceMethod<[{
      Computes the results from the values of the operands, and stores them in `values`. Returns an error message;
      empty on success.
    }], "::std::string", "computeOnArrays", (ins "::proa::pd::HostValues &":$values)>,
  ];
}

#endif
