// What stands beside each element along some axes.
#ifndef PROA_DIALECTS_PD_REDUCE_OTHERS
#define PROA_DIALECTS_PD_REDUCE_OTHERS

include "dialects/pd/ir/Base.td"

def Pd_ProductOfOthersOp : Pd_Op<"product_of_others"> {
  let lod = "none";
  let summary = "For each element the product of all others along the axes: the derivative of prod";
  let description = [{
    out[i] is the product of x[j] for all j beside i; 1 where there are no others. An empty `axis` stands for all dimensions. Computed as the
    product divided by the element, with zeros counted apart. Its own gradient multiplies parts and does not divide, so that derivatives of
    any order are right at zeros too, where the extents along the axes are known.
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
