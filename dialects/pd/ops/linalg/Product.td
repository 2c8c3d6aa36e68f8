// Products of tensors without contraction.
#ifndef PROA_DIALECTS_PD_LINALG_PRODUCT
#define PROA_DIALECTS_PD_LINALG_PRODUCT

include "dialects/pd/ir/Base.td"

def Pd_KronOp : Pd_Op<"kron"> {
  let summary = "Kronecker product: each element of x times all of y. Dim sizes are multiplied; missing leading dims "
    "are 1";
  let constraints = ["C1. x and y have the same element type"];
  let arguments = (ins Pd_NumberTensor:$x, Pd_NumberTensor:$y);
  let results = (outs Pd_NumberTensor:$out);
  let decomposesInCode = 1;
  let legacy = [Legacy<"kron", ["X", "Y"], ["Out"]>];
}

def Pd_CrossOp : Pd_Op<"cross"> {
  let summary = "Cross product along `axis`; 9 means the first dimension of size 3";
  let constraints = [
    "C1. both operands have the same type",
    "C2. the dimension has size 3"
  ];
  let arguments = (ins Pd_NumberTensor:$x, Pd_NumberTensor:$y, DefaultValuedAttr<I64Attr, "9">:$axis);
  let results = (outs Pd_NumberTensor:$out);
  let decomposesInCode = 1;
  let sharding = "inCode";
  let legacy = [Legacy<"cross", ["X", "Y"], ["Out"], ["axis=dim"]>];
}

#endif
