// Check of attribute names.
#ifndef PROA_DIALECTS_PD_ATTRIBUTE_NAMES
#define PROA_DIALECTS_PD_ATTRIBUTE_NAMES

include "mlir/IR/OpBase.td"

// The op has no attribute that its record does not declare, except those whose name begins with a dialect's name
// ("proa.kernel_call"): a misspelt attribute is an error.
def Pd_DeclaredAttributesOnly : NativeOpTrait<"DeclaredAttributesOnly"> {
  let cppNamespace = "::proa::pd";
}

#endif
