#ifndef PROA_PASSES_FUSE_PASSES
#define PROA_PASSES_FUSE_PASSES

include "mlir/Pass/PassBase.td"

def FormKernels : Pass<"pd-form-kernels", "::mlir::ModuleOp"> {
  let summary = "Cut the program into kernels, one function for each distinct group of primitives";
  let description = [{
    Elementwise ops, reductions along trailing dimensions, transposes and expansions are gathered into groups that one loop
    nest over rows can compute, and each group becomes a call of a private function with the attribute `proa.kernel`.
    Groups with equal bodies and types share one function. Other ops (library calls, constants) stay where they are.

    A group has one iteration space: the shape of its widest values. An op joins the group of an operand when
    its result has that shape, or reduces the same trailing dimensions as the group's other reductions, and when no op
    outside of the group has used the group's results yet.
  }];
  let dependentDialects = ["::mlir::func::FuncDialect"];
  let statistics = [
    Statistic<"numGroups", "groups", "Number of kernel calls">,
    Statistic<"numKernels", "kernels", "Number of distinct kernels">,
  ];
}

def FoldBatchNorm : Pass<"pd-fold-batch-norm", "::mlir::func::FuncOp"> {
  let summary = "Fold a batch normalization with fixed statistics into the convolution before it";
  let description = [{
    `batch_norm(conv2d(x, w))` becomes `conv2d(x, w * s) + t` with `s = scale / sqrt(variance + epsilon)` and
    `t = bias - mean * s`, where w and the statistics are parameters: s, t and the new filter are computed once.
    The convolution must have no other user; a bias added between the two goes into t as well.
  }];
  let dependentDialects = ["::proa::pd::PdDialect"];
  let statistics = [Statistic<"numFolded", "folded", "Number of normalizations folded">];
}

def FuseEpilogues : Pass<"pd-fuse-epilogues", "::mlir::func::FuncOp"> {
  let summary = "Fuse bias, activation, residual, scaling and transposes into matrix products and convolutions";
  let description = [{
    The only user of a product's result is taken over if it is a sum with a bias or with a value of the same type, an
    activation of the runtime (PostOpInterface), or, first of all, a multiplication by a number. A transposed or scaled
    operand is read where it lies, and a result that is only transposed is stored so.

    ```mlir
    // before
    %0 = pd.matmul %x, %w : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
    %1 = pd.add %0, %b : (tensor<4x16xf32>, tensor<16xf32>) -> tensor<4x16xf32>
    %2 = pd.relu %1 : (tensor<4x16xf32>) -> tensor<4x16xf32>
    // after
    %2 = rt.matmul %x, %w, %b {post_ops = [#rt.post_op<bias>, #rt.post_op<relu>]} : ...
    ```
  }];
  let dependentDialects = ["::proa::pd::PdDialect", "::proa::rt::RtDialect"];
  let statistics = [Statistic<"numFused", "fused", "Number of products with an epilogue">];
}

#endif
