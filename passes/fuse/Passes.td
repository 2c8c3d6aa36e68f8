#ifndef PROA_PASSES_FUSE_PASSES
#define PROA_PASSES_FUSE_PASSES

include "mlir/Pass/PassBase.td"

def FormKernels : Pass<"pd-form-kernels", "::mlir::ModuleOp"> {
  let summary = "Form kernels, one function for each distinct group of primitives";
  let description = [{
    Groups elementwise ops, reductions along trailing dimensions, transposes and expansions that one loop nest over rows
    can compute (with `target=gpu` reductions along any dimensions). Each group becomes a call of a private function
    with the attribute `proa.kernel`. Groups with equal bodies and types share one function. Other ops (library ops,
    constants) stay.

    A group has one iteration space: the shape of its widest values. An op joins the group of an operand if its result
    has that shape, or if it reduces the same trailing dimensions as the group's other reductions, and if no op outside
    of the group uses the group's results before. Remarks say why an op is not part of a kernel or starts a new one.

    A transpose of dims of size 1 that would be a kernel of its own becomes `pd.reshape`, which needs no kernel.

    With `target=gpu` a matmul (ContractionOpInterface) is part of a kernel too. It starts a group with the
    transposes and widening casts (of floats to floats, of integers to integers) of its operands; elementwise ops on the
    result join it, reductions do not.

    With `target=gpu` an op of DeviceKernelOpInterface is a kernel of its own.

    With `target=gpu` an op of ElementOpInterface (slice, concat, pooling) is part of a kernel too. As a transpose, it
    reads inputs of the kernel only, and ops on its result join it. An op of ThreadOpInterface (scan, sort) is a kernel
    of its own.

    With `target=gpu` an op that reads all elements again after a reduction of few, long rows or of long columns does
    not join the reduction's group, so that several blocks can share the reduction. An elementwise op whose result only
    other kernels read is computed again by these, where less memory is accessed then: `x - mean` of a normalization.
    Elementwise kernels of one domain of at most 1,024 elements become one kernel where they do not depend on each
    other, as the kernels of an optimizer step for many small parameters.
  }];
  let options = [
    Option<"target", "target", "::proa::KernelTarget", "::proa::KernelTarget::Cpu",
      "Where the kernels run; gpu-blas leaves large matmuls to a library", "::proa::kernelTargetValues()">,
    Option<"opLocations", "op-locations", "bool", "false",
      "Adds the locations of the ops of a kernel to each of its calls (#proa.kernel_call)">
  ];
  let dependentDialects = ["::proa::ProaDialect", "::mlir::func::FuncDialect"];
}

def FoldBatchNorm : Pass<"pd-fold-batch-norm", "::mlir::func::FuncOp"> {
  let summary = "Fold a batch normalization with fixed statistics into the convolution before it";
  let description = [{
    `batch_norm(conv(x, w))` becomes `conv(x, w * s) + t` with `s = scale / sqrt(variance + epsilon)` and
    `t = bias - mean * s`, for convolutions and for transposed ones without groups. The filter w and the statistics
    must be parameters or constants, so that s, t and the new filter are computed once. The convolution must have no
    other user. A bias added between the two is folded into t.
  }];
  let dependentDialects = ["::proa::pd::PdDialect"];
}

def MergeBranches : Pass<"pd-merge-branches", "::mlir::func::FuncOp"> {
  let summary = "Merge convolutions of one image whose results are summed";
  let description = [{
    Networks like RepVGG and MobileOne train blocks of several branches, which are linear in one image and summed.
    `conv(x, w) + conv(x, v)` becomes `conv(x, w + v)` if the strides are equal and w has the taps of v: v is padded
    with zeros. A batch normalization with fixed statistics, and a convolution that multiplies each channel
    by a factor, become the tap in the middle, on the diagonal of the filter. Filters must be parameters, constants or
    computed from these, so that the sum is computed once. Biases, one number for each channel, are summed too. Sums are
    rounded in another order; infinities that cancel give NaN in other places.

    ```mlir
    // before
    %0 = pd.conv2d %x, %w {paddings = array<i64: 1, 1>}
      : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x8x8xf32>
    %1 = pd.conv2d %x, %v : (tensor<1x3x8x8xf32>, tensor<4x3x1x1xf32>) -> tensor<1x4x8x8xf32>
    %2 = pd.add %0, %1 : (tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
    // after
    %p = pd.pad %v {paddings = array<i64: 0, 0, 0, 0, 1, 1, 1, 1>} : (tensor<4x3x1x1xf32>) -> tensor<4x3x3x3xf32>
    %s = pd.add %w, %p : (tensor<4x3x3x3xf32>, tensor<4x3x3x3xf32>) -> tensor<4x3x3x3xf32>
    %2 = pd.conv2d %x, %s {paddings = array<i64: 1, 1>}
      : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x8x8xf32>
    ```
  }];
  let dependentDialects = ["::proa::pd::PdDialect"];
}

def FormIntegerProducts : Pass<"pd-form-integer-products", "::mlir::func::FuncOp"> {
  let summary = "Replace matmuls and convolutions of quantized tensors by exact ones of integers";
  let description = [{
    A factor is quantized if it is `(integers - zero) * scale` in f32 or f64, where the integers have 8 bits: they have
    the type i8 or ui8, or are rounded and clipped to the range of one. Zero points and scales may differ between the
    rows of x, the columns of y and the output channels of a filter, but not between numbers that are summed. Ops that
    move elements may follow where they are single numbers.

    The sum of the products of the integers is exact; it is corrected by the zero points in int32, converted once, and
    multiplied by the product of the scales. x and images become unsigned integers, y and filters signed ones, for
    which processors have instructions: the numbers and their zero point change by 128. An image with a zero point is
    padded with it. Ops that quantize (Pd_Quantizes) are decomposed first.

    ```mlir
    // before
    %0 = pd.cast %x {dtype = f32} : (tensor<4x8xui8>) -> tensor<4x8xf32>
    %1 = pd.subtract %0, %zero : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
    %2 = pd.multiply %1, %sx : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
    %3 = pd.cast %w {dtype = f32} : (tensor<8x16xi8>) -> tensor<8x16xf32>
    %4 = pd.multiply %3, %sw : (tensor<8x16xf32>, tensor<16xf32>) -> tensor<8x16xf32>
    %5 = pd.matmul %2, %4 : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
    // after
    %0 = pd.integer_matmul %x, %w : (tensor<4x8xui8>, tensor<8x16xi8>) -> tensor<4x16xi32>
    %1 = pd.sum %w {axis = array<i64: 0>, dtype = i32, keepdim = true} : (tensor<8x16xi8>) -> tensor<1x16xi32>
    %2 = pd.multiply %izero, %1 : (tensor<i32>, tensor<1x16xi32>) -> tensor<1x16xi32>
    %3 = pd.subtract %0, %2 : (tensor<4x16xi32>, tensor<1x16xi32>) -> tensor<4x16xi32>
    %4 = pd.cast %3 {dtype = f32} : (tensor<4x16xi32>) -> tensor<4x16xf32>
    %5 = pd.multiply %sx, %sw : (tensor<f32>, tensor<16xf32>) -> tensor<16xf32>
    %6 = pd.multiply %4, %5 : (tensor<4x16xf32>, tensor<16xf32>) -> tensor<4x16xf32>
    ```

    Remarks say why a matmul or convolution stays in floats (`--remarks=pd-form-integer-products`).
  }];
  let dependentDialects = ["::proa::pd::PdDialect"];
}

def FormBlockMatmuls : Pass<"pd-form-block-matmuls", "::mlir::func::FuncOp"> {
  let summary = "Multiply by bytes that are quantized in blocks without a matrix of floats";
  let description = [{
    A matmul with a matrix of bytes, less zero points and times scales of blocks along the summed dimension, becomes
    `pd.block_quantized_matmul`, whose CPU kernel reads the bytes. `DequantizeLinear` of ONNX with `block_size` is such
    a matrix. Remarks say what was formed (`--remarks=pd-form-block-matmuls`).

    ```mlir
    // before
    %i = pd.constant dense<[0, 0, 1, 1]> : tensor<4xi64>
    %0 = pd.cast %w {dtype = f32} : (tensor<4x8xi8>) -> tensor<4x8xf32>
    %1 = pd.gather %scales, %i : (tensor<2x8xf32>, tensor<4xi64>) -> tensor<4x8xf32>
    %2 = pd.multiply %0, %1 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    %3 = pd.matmul %x, %2 : (tensor<3x4xf32>, tensor<4x8xf32>) -> tensor<3x8xf32>
    // after, with the bytes %codes [8, 4] as ui8
    %3 = pd.block_quantized_matmul %x, %codes, %scales {bits = 8, block_size = 2} : ... -> tensor<3x8xf32>
    ```
  }];
  let dependentDialects = ["::proa::pd::PdDialect"];
}

def FormComposites : Pass<"pd-form-composites", "::mlir::func::FuncOp"> {
  let summary = "Replace activations and normalizations of primitives by one op each";
  let description = [{
    Matches formulas that programs write in primitives, so that an export can use the op that another format has.
    Sums, products and powers may be in any order, and constants have six digits or more. Nothing else may use the
    values in between.

    | formula | op |
    |---|---|
    | 0.5 x (1 + erf(x / sqrt(2))) | `pd.gelu` |
    | 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) | `pd.gelu` with `approximate` |
    | x sigmoid(x) | `pd.silu` |
    | x relu6(x + 3) / 6, x hardsigmoid(x) with the slope 1/6 | `pd.hardswish` |
    | (x - mean(x)) / sqrt(mean((x - mean(x))^2) + epsilon), times a vector, plus a vector | `pd.layer_norm` |
    | x / sqrt(mean(x^2) + epsilon), times a vector | `pd.rms_norm` |
    | x cosines + concat(-b, a) sines, with the halves a and b of the last dimension of x | `pd.rotary_embedding` |

    Normalizations are along the last dimension, whose size must be static.
  }];
  let dependentDialects = ["::proa::pd::PdDialect", "::mlir::pdl::PDLDialect", "::mlir::pdl_interp::PDLInterpDialect"];
}

def FuseEpilogues : Pass<"pd-fuse-epilogues", "::mlir::func::FuncOp"> {
  let summary = "Fuse bias, activation, residual, scaling and transposes into contractions";
  let description = [{
    A contraction for which rt has an op (rt::FusableOpInterface) absorbs the only user of its result: first a
    multiplication by a constant, then sums with a bias or with a value of the same type and activations of the runtime
    (PostOpInterface). Matmuls also read transposed or scaled operands directly and store a result that is only
    transposed in that order. Remarks say for each contraction what was fused and why nothing more was
    (`--remarks=pd-fuse-epilogues`).

    ```mlir
    // before
    %0 = pd.matmul %x, %w : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
    %1 = pd.add %0, %b : (tensor<4x16xf32>, tensor<16xf32>) -> tensor<4x16xf32>
    %2 = pd.relu %1 : (tensor<4x16xf32>) -> tensor<4x16xf32>
    // after
    %2 = rt.matmul %x, %w, %b {post_ops = [#rt.post_op<bias>, #rt.post_op<relu>]} : ...
    ```
  }];
  let options = [
    Option<"target", "target", "::proa::KernelTarget", "::proa::KernelTarget::Cpu",
      "Where kernels run. On gpu a contraction that they compute stays as it is: pd-form-kernels fuses its epilogue; "
      "with gpu-blas others absorb only what CUDA's libraries fuse", "::proa::kernelTargetValues()">
  ];
  let dependentDialects = ["::proa::pd::PdDialect", "::proa::rt::RtDialect"];
}

def FoldRepeats : Pass<"pd-fold-repeats", "::mlir::func::FuncOp"> {
  let summary = "Read values that are repeated once";
  let description = [{
    Indices of `pd.take_along_axis` that are equal along other dimensions of x are not repeated: the op broadcasts them,
    and its kernel copies whole rows. A matmul with a stack of matrices each of which is repeated, as the keys of
    grouped heads of attention, multiplies all rows that have the same matrix at once. The numbers of heads must be
    static; dims may be dynamic where the shapes of expand and reshape name the dims of the matrices.

    ```mlir
    // before
    %0 = pd.expand %k {shape = array<i64: 2, 4, 3, 7, 8>} : (tensor<2x4x1x7x8xf32>) -> tensor<2x4x3x7x8xf32>
    %1 = pd.reshape %0 {shape = array<i64: 2, 12, 7, 8>} : (tensor<2x4x3x7x8xf32>) -> tensor<2x12x7x8xf32>
    %2 = pd.matmul %q, %1 {transpose_y = true} : (tensor<2x12x1x8xf32>, tensor<2x12x7x8xf32>) -> tensor<2x12x1x7xf32>
    // after
    %0 = pd.reshape %q {shape = array<i64: 2, 4, 3, 8>} : (tensor<2x12x1x8xf32>) -> tensor<2x4x3x8xf32>
    %1 = pd.reshape %k {shape = array<i64: 2, 4, 7, 8>} : (tensor<2x4x1x7x8xf32>) -> tensor<2x4x7x8xf32>
    %2 = pd.matmul %0, %1 {transpose_y = true} : (tensor<2x4x3x8xf32>, tensor<2x4x7x8xf32>) -> tensor<2x4x3x7xf32>
    %3 = pd.reshape %2 {shape = array<i64: 2, 12, 1, 7>} : (tensor<2x4x3x7xf32>) -> tensor<2x12x1x7xf32>
    ```
  }];
  let dependentDialects = ["::proa::pd::PdDialect"];
}

def FormAttention : Pass<"pd-form-attention", "::mlir::func::FuncOp"> {
  let summary = "Form pd.fused_attention and its gradient of matmuls, softmax and ops between them";
  let description = [{
    A matmul of values with the softmax of another matmul becomes `pd.fused_attention`, if nothing else uses the values
    between them. Between them may be:

    | between | forms |
    |---|---|
    | a scale | constant factors of the queries, the keys, the scores or the masked scores |
    | a mask | a tensor that is added; a condition that selects a number for scores. Below -1e30 it becomes an addend |
    | masks | their sum; masks that are equal for all heads and queries are `key_mask`, but not in ONNX (see below) |
    | a soft cap | a hyperbolic tangent between two scales, before the mask |
    | positions | a mask computed of positions and lengths, on the CPU and the GPU (see below) |
    | types | casts to floats before and after the softmax |
    | dims | reshapes that split or merge batch and heads; a mask broadcasts to the dims where it is added |
    | repetitions | a mask that is expanded, or stacked on itself, for the heads, on the CPU and the GPU |
    | dropout | of constant probability; its mask must have no other use than in the gradient |
    | zeros | a selection of zero where weights are not numbers, as PyTorch exports it; queries without `sum` are zero |

    ```mlir
    // before
    %s = pd.matmul %q, %k {transpose_y = true} : (tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>) -> tensor<2x4x8x8xf32>
    %t = pd.scale %s {scale = 2.5e-01 : f64} : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
    %u = pd.add %t, %mask : (tensor<2x4x8x8xf32>, tensor<2x1x1x8xf32>) -> tensor<2x4x8x8xf32>
    %p = pd.softmax %u : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
    %o = pd.matmul %p, %v : (tensor<2x4x8x8xf32>, tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32>
    // after
    %o, %maximum, %sum = pd.fused_attention %q, %k, %v mask = %mask {scale = 2.5e-01 : f64} : ...
    ```

    If the program has the gradient of the attention too, as the derivatives of these ops give it, that becomes
    `pd.fused_attention_grad`, with factors that the program has in other places. Gradients of heads that were repeated
    for groups of query heads are summed by the op. Other uses of the gradient of the scores, as the gradient of a mask
    has them, read `pd.fused_attention_score_grad`, which is also the sum over batches or heads. Values in between must
    have no other use.

    A mask that the program computes of positions (ranges, triangles, `sequence_mask`, tables of constants) and of
    lengths, by comparisons, selections, casts and arithmetic, becomes `causal`, `left_window`, `right_window` and
    `key_lengths`, so that kernels skip tiles of keys. A sum of masks is split for that, and so are conditions that must
    hold together with minus infinity. Results do not change: the number for excluded keys must be at most -1e4, and the
    mask stays where a query may have no other keys, as the number decides then. With dynamic dims the shapes of the
    program must say that queries, keys and the mask are of one sequence.

    | mask | becomes |
    |---|---|
    | positions, with a key at each query's | windows, with minus infinity, or beside constants (ALiBi) and lengths |
    | lengths, with minus infinity | `key_lengths` |
    | lengths, with another number | `key_lengths`, where zero means all keys, and the mask beside it |

    The random numbers of dropout in training keep their position in the random sequence of the program:
    `rt.random_call` takes it, and the kernels compute the mask again.

    The option `target` says who computes the op:

    - On the GPU and the CPU transposes of operands and of the result become permutations, and repeated heads of keys
      and values are read as they are.
    - Not for `onnx`: a mask that is equal for all heads and queries is `key_mask` beside another one, also where the
      program adds both first: no mask of all scores is formed. The last mask stays a condition if it or all others are
      equal for all heads and queries, so that its number may also be above -1e30, and the program may have the
      gradient, which is zero for the scores that it replaces. Another condition that replaces a mask of the other kind,
      which may be as low as its number, cannot be added to it: then the masks have one sum.
    - On the CPU, whose kernels have a tile of queries in vectors, attention of few queries and in float64 stays as it
      is; with a gradient also where an estimate says that few keys make separate kernels faster.
    - For a mesh (the default) the op is formed for devices that split its sequence: self-attention without
      permutations, causal masks, dropout and gradients of masks.
    - For `onnx` also attention to other sequences, and of dynamic dims: operands have four dims, with static heads and
      elements. Dynamic batches of queries and keys count as equal. A causal mask of as many queries as keys, both
      static, becomes `causal`; other windows and lengths stay masks.

    Remarks say for each softmax why it is not part of an attention (`--remarks=pd-form-attention`).
  }];
  let options = [
    Option<"target", "target", "::proa::AttentionTarget", "::proa::AttentionTarget::Mesh", "Who computes the op",
      "::proa::attentionTargetValues()">
  ];
  let dependentDialects = ["::proa::pd::PdDialect", "::proa::rt::RtDialect", "::mlir::tensor::TensorDialect"];
}

#endif
