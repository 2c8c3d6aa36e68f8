// Tensor arrays as operands and results.
#ifndef PROA_DIALECTS_PD_CONTROL_ARRAYOPERAND
#define PROA_DIALECTS_PD_CONTROL_ARRAYOPERAND

include "mlir/IR/OpBase.td"

def Pd_Array : Type<CPred<"::llvm::isa<::proa::pd::ArrayType>($_self)">, "tensor array", "::proa::pd::ArrayType">;

#endif
