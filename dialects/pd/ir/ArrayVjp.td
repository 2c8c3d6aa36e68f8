// Derivatives of ops on tensor arrays.
#ifndef PROA_DIALECTS_PD_ARRAY_VJP
#define PROA_DIALECTS_PD_ARRAY_VJP

include "mlir/IR/OpBase.td"

def ArrayVjpOpInterface : OpInterface<"ArrayVjpOpInterface"> {
  let cppNamespace = "::proa::pd";
  let description = [{
    An op whose first operand is a tensor array, with a rule for its gradient that adds to
    the array's gradient in place of a new array. VjpOpInterface is the same for ops on tensors.
  }];
  let methods = [
    InterfaceMethod<[{
      Creates the gradients of the operands from the cotangents of the results (null: zero). `soFar` is the accumulated
      gradient of the first operand, or null; the gradient that is returned for it includes it. A null result: no
      gradient. Fails, after an error at the op, if the op has no derivative.
    }], "::llvm::FailureOr<::llvm::SmallVector<::mlir::Value>>", "vjpOnArrays",
      (ins "::mlir::OpBuilder &":$builder, "::llvm::ArrayRef<::mlir::Value>":$cotangents, "::mlir::Value":$soFar)>,
  ];
}

#endif
