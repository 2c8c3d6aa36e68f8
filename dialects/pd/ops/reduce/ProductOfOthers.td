// Products of all other elements along axes.
#ifndef PROA_DIALECTS_PD_REDUCE_OTHERS
#define PROA_DIALECTS_PD_REDUCE_OTHERS

include "dialects/pd/ir/Base.td"

def Pd_ProductOfOthersOp : Pd_Op<"product_of_others"> {
  let lod = "none";
  let summary = "The product of all other elements along the axes, for each element: the derivative of prod";
  let description = [{
    out[i] is the product of x[j] over j other than i; 1 if there are no others. An empty `axis` means all dimensions.
    Computed as the product divided by the element, with separate handling of zeros. Its gradient multiplies partial
    products instead of dividing, so that derivatives of any order are exact at zeros, if the dims along the axes are
    static.
  }];
  let arguments = (ins Pd_NumberTensor:$x, DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$axis);
  let results = (outs Pd_NumberTensor:$out);
  let infer = "inferSameAsFirst";
  let decomposesInCode = 1;
  let vjpInCode = 1;
  let precision = "full";
  let batching = "inCode";
}

#endif
