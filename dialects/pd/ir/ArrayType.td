// The type of tensor arrays.
#ifndef PROA_DIALECTS_PD_CONTROL_ARRAYTYPE
#define PROA_DIALECTS_PD_CONTROL_ARRAYTYPE

include "mlir/IR/AttrTypeBase.td"
include "dialects/pd/ir/Dialect.td"

def Pd_ArrayType : TypeDef<Pd_Dialect, "Array"> {
  let mnemonic = "array";
  let summary = "A tensor array: a list of tensors of one rank and element type";
  let description = [{
    An immutable value: an op that writes an element returns a new array. The runtime shares the elements, and writes in
    place if the old array is not used afterwards. `!pd.array<tensor<?x4xf32>>` is an array of matrices; `!pd.array<*>`
    is an array without writes.
  }];
  let parameters = (ins OptionalParameter<"::mlir::RankedTensorType">:$element);
  let hasCustomAssemblyFormat = 1;
}

#endif
