// The gradient of a region of a program.
#ifndef PROA_DIALECTS_PD_AUTODIFF_VJP
#define PROA_DIALECTS_PD_AUTODIFF_VJP

include "dialects/pd/ir/Base.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

// Gradients of loop bodies have tensor arrays.
def Pd_TensorOrArray : AnyTypeOf<[Pd_Tensor, Type<CPred<"::llvm::isa<::proa::pd::ArrayType>($_self)">,
  "tensor array">]>;

def Pd_VjpOp : Pd_Op<"vjp", [AttrSizedOperandSegments, SingleBlock]> {
  let summary = "Vector-Jacobian product: the gradients of the ops in a region";
  let description = [{
    With y = f(x) computed by the region from `inputs`, result i is the sum over the region's results j of
    cotangent_j * conj(dy_j / dx_i), with the shape and element type of input i. Values from outside of the region are
    constants. Legacy `*_grad` ops are imported as this op around the forward op. Its decomposition is reverse mode by
    the rules of the records (fields `derivatives`, `vjp`, `vjpInCode`, `decomposition`).

    `cotangent_of` has the index of the region's result for each cotangent; a result without one has cotangent zero.
    `saved` are results that the program already has, and `saved_of` their indices: they are used instead of being
    recomputed.

    ```mlir
    %dx = pd.vjp(%x : tensor<4xf32>) saved(%out : tensor<4xf32>) cotangents(%dout : tensor<4xf32>)
        {cotangent_of = array<i64: 0>, saved_of = array<i64: 0>} : tensor<4xf32> {
    ^bb0(%a: tensor<4xf32>):
      %y = pd.tanh %a : (tensor<4xf32>) -> tensor<4xf32>
      pd.yield %y : tensor<4xf32>
    }
    ```
  }];
  let constraints = [
    "C1. there is one block argument for each input, of its type",
    "C2. cotangents and saved values have the rank and element type of the region's results"
  ];
  let arguments = (ins Variadic<Pd_TensorOrArray>:$inputs, Variadic<Pd_Tensor>:$saved,
    Variadic<Pd_TensorOrArray>:$cotangents,
    DenseI64ArrayAttr:$saved_of, DenseI64ArrayAttr:$cotangent_of);
  let results = (outs Variadic<Pd_TensorOrArray>:$gradients);
  let regions = (region SizedRegion<1>:$body);
  let decomposesInCode = 1;
  let hasRegionVerifier = 1;
  let assemblyFormat = [{
    `(` ($inputs^ `:` type($inputs))? `)` (`saved` `(` $saved^ `:` type($saved) `)`)?
    (`cotangents` `(` $cotangents^ `:` type($cotangents) `)`)? attr-dict `:` type($gradients) $body
  }];
}

def Pd_YieldOp : Op<Pd_Dialect, "yield", [Pd_DeclaredAttributesOnly, Pure, Terminator, ReturnLike,
    ParentOneOf<["VjpOp", "CheckpointOp"]>]> {
  let summary = "The results of a region";
  let arguments = (ins Variadic<Pd_TensorOrArray>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

#endif
