// The type of tensor arrays.
#ifndef PROA_DIALECTS_PD_CONTROL_ARRAYTYPE
#define PROA_DIALECTS_PD_CONTROL_ARRAYTYPE

include "mlir/IR/AttrTypeBase.td"
include "dialects/pd/ir/Dialect.td"

def Pd_ArrayType : TypeDef<Pd_Dialect, "Array"> {
  let mnemonic = "array";
  let summary = "A tensor array: a list of tensors of one rank and element type";
  let description = [{
    An array is immutable, as tensors are: an op that writes an element returns a new array. The runtime shares the
    elements, and writes in place where the old array has no further use. `!pd.array<*>` is the type of an array before
    the first write, `!pd.array<tensor<?x4xf32>>` of others.
  }];
  let parameters = (ins OptionalParameter<"::mlir::RankedTensorType">:$element);
  let hasCustomAssemblyFormat = 1;
}

#endif
