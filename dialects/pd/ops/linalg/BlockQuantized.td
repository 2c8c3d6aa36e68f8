// Matmuls with matrices of a few bits for each element.
#ifndef PROA_DIALECTS_PD_LINALG_BLOCK_QUANTIZED
#define PROA_DIALECTS_PD_LINALG_BLOCK_QUANTIZED

include "dialects/pd/ir/Base.td"
include "dialects/pd/ir/Contraction.td"
include "dialects/pd/ir/DeviceKernel.td"
include "dialects/pd/ir/PartialLibrary.td"

def : OnnxFormula<"MatMulNBits", "importMatMulNBits", 1, 0, "com.microsoft">;

def Pd_BlockQuantizedMatmulOp : Pd_Op<"block_quantized_matmul", [DeclareOpInterfaceMethods<ContractionOpInterface>,
    DeclareOpInterfaceMethods<DeviceKernelOpInterface>, DeclareOpInterfaceMethods<PartialLibraryOpInterface>]> {
  let lod = "none";
  let summary = "Matmul with a constant matrix that is quantized in blocks of its rows";
  let description = [{
    With k in block b = k / `block_size`:

        out[..., n] = sum over k of x[..., k] * scales[b, n] * (code[n, k] - zero_points[b, n])

    `codes` has `bits` bits for each element, the first one in the lowest bits of a byte. The dims are x [..., K], codes
    [N, B * block_size * bits / 8], scales and zero_points [B, N] and out [..., N]; the last of the B blocks may have
    elements after K, which have no effect. Without `zero_points` they are 2^(bits - 1). The matrix and its sums are
    computed in the element type of x, and in float32 for types of 16 bits.

    The CPU kernel reads the codes as they are: a product of few rows takes the time of reading them, not of a float32
    matrix, which would be up to 16 times as large. Elsewhere the matrix is computed once when the program is loaded.

    Source: `MatMulNBits` of ONNX Runtime; Frantar et al., "GPTQ: Accurate Post-Training Quantization for Generative
    Pre-trained Transformers" (2023) has the format.
  }];
  let constraints = [
    "C1. x does not have rank 0, codes, scales and zero_points have rank 2",
    "C2. bits is 2, 4 or 8, and a block has a whole number of bytes",
    "C3. the blocks cover the last dim of x, and no block is after it",
    "C4. scales and zero_points have an element for each block and column, and the same element type"
  ];
  let arguments = (ins Pd_FloatTensor:$x, RankedTensorOf<[UI8], [], "ranked tensor of ui8">:$codes,
    Pd_FloatTensor:$scales, Optional<Pd_FloatTensor>:$zero_points, I64Attr:$block_size,
    DefaultValuedAttr<I64Attr, "4">:$bits);
  let results = (outs Pd_FloatTensor:$out);
  let library = "block_quantized_matmul";
  let decomposesInCode = 1;
  let batching = "unbatched";
  let precision = "low";
  let sharding = "inCode";
}

#endif
