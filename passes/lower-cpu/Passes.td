// The passes that turn kernels on memory (passes/kernels up to proa-bound-scratch) into CPU code, in the order of the
// pipeline.
#ifndef PROA_PASSES_LOWER_CPU_PASSES
#define PROA_PASSES_LOWER_CPU_PASSES

include "mlir/Pass/PassBase.td"

def BlockSums : Pass<"proa-block-sums", "mlir::func::FuncOp"> {
  let summary = "Add many addends in blocks";
  let description = [{
    A float32 sum of many addends, one after the other, loses digits: from 2^24 ones on it does not grow. A reduction
    of buffers that adds more than `block-elements` addends to one accumulator is divided into blocks of at most that
    many. Each block is summed in a buffer of its own, which is then added to the accumulator; as many blocks form a
    group, which is summed in the same way. The innermost loop of a row is vectorized with several accumulators, so its
    blocks are 16 times as long; if its trip count is dynamic it is not divided. A sum over another dynamic dim is
    computed in blocks only if it is longer than one. Matmuls stay as they are.
  }];
  let dependentDialects = ["mlir::affine::AffineDialect", "mlir::arith::ArithDialect", "mlir::linalg::LinalgDialect",
                           "mlir::memref::MemRefDialect", "mlir::scf::SCFDialect"];
  let options = [Option<"blockElements", "block-elements", "int64_t", "512",
      "Most addends of one accumulator">];
}

def TransposeBlocks : Pass<"proa-transpose-blocks", "mlir::func::FuncOp"> {
  let summary = "Transpose blocks of elements in vector registers";
  let description = [{
    An elementwise op on buffers whose operand is contiguous along another loop than its result reads or writes single
    elements, each in a line of the cache of its own. This pass divides the two loops into blocks of 16 x 16. A block is
    loaded as 16 vectors, transposed by shuffles and stored as 16 vectors, into the result if the op is a copy, else
    into a buffer that the op reads. The last block of a copy with static dims begins earlier, so that it is a whole
    one; other elements that are in no whole block are computed as before. Elements have 8, 16, 32 or 64 bits.
  }];
  let dependentDialects = ["mlir::affine::AffineDialect", "mlir::arith::ArithDialect", "mlir::memref::MemRefDialect",
                           "mlir::scf::SCFDialect", "mlir::vector::VectorDialect"];
}

def PlaceScratch : Pass<"proa-place-scratch", "mlir::func::FuncOp"> {
  let summary = "Put scratch buffers on the stack, or free them at the end";
  let description = [{
    Runs after buffers were hoisted out of loops. Buffers of static size are put on the stack until `stack-bytes` are
    used; others stay on the heap and are freed at the end of the function.
  }];
  let dependentDialects = ["mlir::memref::MemRefDialect"];
  let options = [Option<"stackBytes", "stack-bytes", "int64_t", "131072",
      "Largest stack size of one kernel, in bytes">];
}

def SplitShortLoops : Pass<"proa-split-short-loops", "mlir::func::FuncOp"> {
  let summary = "Split loops of few iterations so that each piece fills vectors";
  let description = [{
    LLVM's vectorizer computes all vectors of a loop of less than 16 iterations with masks if the last one is not full.
    Where a store with a mask takes long on the target, this pass unrolls an innermost loop of so few iterations, so
    that the loop around it may be vectorized. An innermost loop of more iterations, at most 256, or with too long a
    body is split into pieces: whole vectors, then a half, a quarter, ... of a vector. The vectorizer would compute the
    last elements without vectors. Loops that add to the same elements are split up to 31 iterations; loops over
    elements that do not lie side by side are not split.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::scf::SCFDialect"];
}

def WrapKernels : Pass<"proa-wrap-kernels", "mlir::ModuleOp"> {
  let summary = "Add the entry points that the runtime calls";
  let description = [{
    `@NAME` with bare pointers becomes private `@NAME_rows`, and a new `@NAME(buffers, dims, begin, end)` loads the
    pointers and dims and calls it. `@NAME_shape` likewise reads dims from memory and writes its results to memory.
  }];
  let dependentDialects = ["mlir::LLVM::LLVMDialect"];
}

#endif // PROA_PASSES_LOWER_CPU_PASSES
