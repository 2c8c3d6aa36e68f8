#ifndef PROA_PASSES_LOWER_LINALG_PASSES
#define PROA_PASSES_LOWER_LINALG_PASSES

include "mlir/Pass/PassBase.td"

def LowerToLinalg : Pass<"pd-lower-to-linalg", "::mlir::ModuleOp"> {
  let summary = "Lower the primitives in kernel functions to linalg on tensors";
  let description = [{
    In each function with the attribute `proa.kernel`:

    - an elementwise op becomes a `linalg.generic` whose body is the op's scalar formula,
    - a reduction becomes one with reduction iterators, initialized with the neutral element,
    - a permutation or expansion becomes one that reads through an index map,
    - an op of ElementOpInterface becomes one whose body reads tensors at indices that it computes. If these are
      elements of a tensor, the kernel gets the attribute `proa.index_checks` and a memref for their words as its last
      argument, and the body stores a wrong index there (`memref.atomic_rmw minu`) instead of reading.

    A kernel of one op of ThreadOpInterface becomes a function on memory with the code of one thread, whose row loop
    begins at the index of its block. It has the attribute `#proa.device_kernel<threads>` instead of `proa.kernel`.

    Operands broadcast by their index maps: a dim of size 1 is read at index 0. Integers become signless; the bodies
    keep the signedness. An op that kernels cannot compute is an error. So is a kernel that is called and whose
    signature changes (run `--proa-extract-kernels` before).

    ```mlir
    // before
    func.func private @kernel(%x: tensor<4xf32>) -> tensor<4xf32> attributes {proa.kernel} {
      %0 = pd.exp %x : (tensor<4xf32>) -> tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    // after
      %0 = tensor.empty() : tensor<4xf32>
      %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
          ins(%x : tensor<4xf32>) outs(%0 : tensor<4xf32>) {
      ^bb0(%in: f32, %out: f32):
        %2 = math.exp %in : f32
        linalg.yield %2 : f32
      } -> tensor<4xf32>
    ```
  }];
  let dependentDialects = ["::proa::ProaDialect", "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
                           "::mlir::complex::ComplexDialect", "::mlir::gpu::GPUDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
}

#endif
