// Exact matmuls of 8-bit integers.
#ifndef PROA_DIALECTS_PD_LINALG_INTEGER_MATMUL
#define PROA_DIALECTS_PD_LINALG_INTEGER_MATMUL

include "dialects/pd/ir/Base.td"
include "dialects/pd/ir/Contraction.td"

def Pd_IntegerMatmulOp : Pd_Op<"integer_matmul", [DeclareOpInterfaceMethods<ContractionOpInterface>]> {
  let lod = "none";
  let summary = "Matmul of 8-bit integers with exact sums in 32 bits";
  let description = [{
    As pd.matmul, with products and sums of int32; sums beyond int32 wrap around. Quantized tensors with zero points
    add multiples of the sums of rows and columns to the result (`pd-form-integer-products`). The result has no
    derivative, because it is an integer.

    Source: Jacob et al., "Quantization and Training of Neural Networks for Efficient Integer-Arithmetic-Only
    Inference" (2018); `MatMulInteger` of ONNX computes the same.
  }];
  let constraints = [
    "C1. neither operand has rank 0",
    "C3. the contracted dims are equal",
    "C4. the leading dimensions broadcast"
  ];
  let arguments = (ins RankedTensorOf<[I8, UI8], [], "ranked tensor of i8 or ui8">:$x,
    RankedTensorOf<[I8], [], "ranked tensor of i8">:$y, DefaultValuedAttr<BoolAttr, "false">:$transpose_x,
    DefaultValuedAttr<BoolAttr, "false">:$transpose_y);
  let results = (outs RankedTensorOf<[I32], [], "ranked tensor of i32">:$out);
  let infer = "inferIntegerMatmul";
  let library = "integer_matmul";
  let differentiable = 0;
  let batching = "unbatched";
  let sharding = "inCode";
  let referenceInCode = 1;
}

#endif
