// The type of tensor arrays. It is in its own dialect `array`; the ops on arrays are ops of pd.
#ifndef PROA_DIALECTS_PD_CONTROL_ARRAYTYPE
#define PROA_DIALECTS_PD_CONTROL_ARRAYTYPE

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/DialectBase.td"

def Array_Dialect : Dialect {
  let name = "array";
  let cppNamespace = "::proa::pd";
  let summary = "Tensor arrays";
  let useDefaultTypePrinterParser = 1;
}

def Array_Type : TypeDef<Array_Dialect, "Array"> {
  let mnemonic = "of";
  let summary = "A tensor array: a list of tensors of one rank and element type";
  let description = [{
    An immutable value: an op that writes an element returns a new array. The runtime shares the elements, and writes in
    place if the old array is not used afterwards. `!array.of<tensor<?x4xf32>>` is an array of matrices; `!array.of<*>`
    is an array without writes.
  }];
  let parameters = (ins OptionalParameter<"::mlir::RankedTensorType">:$element);
  let hasCustomAssemblyFormat = 1;
}

#endif
