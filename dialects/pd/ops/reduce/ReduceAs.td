// Reduction to a shape: the transpose of broadcasting.
#ifndef PROA_DIALECTS_PD_REDUCE_REDUCE_AS
#define PROA_DIALECTS_PD_REDUCE_REDUCE_AS

include "dialects/pd/ir/Base.td"

def Pd_ReduceAsOp : Pd_Op<"reduce_as"> {
  let lod = "none";
  let summary = "x summed to the shape of target, which broadcasts to the shape of x";
  let description = [{
    Dimensions are aligned at the end. Dimensions that target does not have, or has with size 1, are summed. With
    static dims the op is a sum or x; for dynamic dims the run decides.
  }];
  let constraints = [
    "C1. target has no more dimensions than x",
    "C2. static dims of target are 1, or equal the dims of x"
  ];
  let arguments = (ins Pd_NumberTensor:$x, Pd_Tensor:$target);
  let results = (outs Pd_NumberTensor:$out);
  let decomposesInCode = 1;
  let vjpInCode = 1;
  let hasFolder = 1;
  let precision = "full";
  let legacy = [LegacyReadOnly<"reduce_as", ["x", "target"], ["out"]>];
  let newIrGradients = ["reduce_as_grad(x, target) -> x"];
  let linear = ["x"];
  let batching = "inCode";
}

#endif
