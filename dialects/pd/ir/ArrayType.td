// The type of tensor arrays, in a dialect of its own: the ops on it are pd's.
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
    A value like any other: an op that writes an element makes a new array. The runtime shares the elements and writes in
    place where nobody reads the old array any more. `!array.of<tensor<?x4xf32>>`; `!array.of<*>` is an array to which
    nothing was written yet.
  }];
  let parameters = (ins OptionalParameter<"::mlir::RankedTensorType">:$element);
  let hasCustomAssemblyFormat = 1;
}

#endif
