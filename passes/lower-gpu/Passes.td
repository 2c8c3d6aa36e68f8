// The passes that turn kernels on memory (passes/kernels up to proa-bound-scratch) into GPU code, in the order of the
// pipeline.
#ifndef PROA_PASSES_LOWER_GPU_PASSES
#define PROA_PASSES_LOWER_GPU_PASSES

include "mlir/Pass/PassBase.td"

def ChooseContraction : Pass<"proa-choose-contraction", "mlir::func::FuncOp"> {
  let summary = "Choose how blocks compute matmuls";
  let description = [{
    Runs on tensors, before `proa-choose-rows`. This is the only place that chooses; all later passes read the
    attribute. On a linalg op `out[.., m, n] += x[.., m, k] * y[.., k, n]`, in which the dims of the operands may have
    any order, it completes `#proa.contraction`: fields that an op has already stay.

    ```mlir
    proa.contraction = #proa.contraction<kind = wgmma, tile = [128, 256, 64], warp = [64, 256], stages = 3>
    ```

    - `kind` is `fma`; for f16, bf16 and 8-bit float operands, for f32 where the kernel has `proa.tf32`, and for i8 with
      sums of i32, `mma` (`mma.sync` of tensor cores), or `wgmma` on chips that have it, if the tensor memory
      accelerator can read both operands: arguments of the kernel, in which the rows are multiples of 16 bytes.
      `proa-choose-launch` takes `mma` if it turns out later that they are not.
    - While one of the `stages` is multiplied, the next ones are copied: with `mma` by `cp.async`, if the alignment of
      both operands is known.
    - `split_k` is set with `wgmma` and static dims, where there are few tiles. With the others `proa-choose-slices`
      chooses it.

    Fields have the values with the lowest estimate of a cost model (`ContractionCost.h`).

    An elementwise op that computes an operand, which nothing else reads, gets `#proa.loops<fused_with = operand>`:
    `proa-map-to-threads` computes its elements where they are copied to shared memory, without a buffer for all of
    them.

    On the `pd.grouped_matmul` of a kernel (`#proa.device_kernel<op>`), or its gradient, it sets the same for the loops
    m, n and k, with the estimate for groups of equal sizes. The gradient has no form with `wgmma`.

    The only reader of the result gets `#proa.loops<fused_with = result>` if it is elementwise: it is computed with the
    result, before that is stored. Remarks show the choices.
  }];
  let options = [
    Option<"maxThreads", "max-threads", "int64_t", "256", "Largest number of threads of a block">,
    Option<"strategy", "strategy", "::proa::MatmulStrategy", "::proa::MatmulStrategy::Fastest",
      "The kind of contractions whose attribute has none", "::proa::matmulStrategyValues()">
  ];
  let dependentDialects = ["::proa::ProaDialect"];
}

def FormOnlineSums : Pass<"proa-form-online-sums", "mlir::func::FuncOp"> {
  let summary = "Reduce the maximum of long rows and the sum of their exponentials at once";
  let description = [{
    Runs on tensors. A softmax reads each row for its maximum, for the sum of the exponentials, and for the result. If
    the exponentials of a row would occupy too much shared memory, or their number is dynamic, maximum and sum become
    one reduction of two results, which rescales the sum where the maximum grows (Milakov and Gimelshein, "Online
    normalizer calculation for softmax", 2018):

    ```mlir
    %m = max(%x); %e = exp(%x - %m); %s = sum(%e); %y = %e / %s                             // before
    %m, %s = (max(%m, %x), larger + smaller * exp(min(%m, %x) - max(%m, %x)));              // after
    %y = exp(%x - %m) / %s
    ```

    The row is then read twice, and nothing is stored between. Infinite and NaN elements give the same results.
  }];
  let options = [Option<"blocks", "blocks", "int64_t", "4",
      "A row is long if its exponentials leave shared memory for fewer blocks of a multiprocessor">];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::linalg::LinalgDialect", "mlir::math::MathDialect",
                           "mlir::tensor::TensorDialect"];
}

def LowerGrouped : Pass<"proa-lower-grouped", "mlir::ModuleOp"> {
  let summary = "Lower kernels of grouped matmuls to contractions on memory";
  let description = [{
    A kernel with `pd.grouped_matmul` or its gradient becomes a kernel on memory like others, with a contraction of
    views, which has the `#proa.contraction` of the op. A row of the kernel is a tile of the
    result. The block adds up the sizes of the groups to find the group and the rows of the tile; there are as many
    rows as tiles that groups of any sizes have at most, so some have nothing to do. Sizes are checked
    (`proa.index_checks`), and a wrong one counts as 0. Rows after the last group are filled with zeros.

    ```mlir
    %0 = pd.grouped_matmul %x, %y, %sizes {proa.contraction = #choice}              // before
    scf.for %row = %begin to %end {                                               // after
      scf.for %g = 0 to %groups { %sizes[%g] }     // %group, %first and %count of tile %row
      linalg.generic ins(%x[%first] [%count], %y[%group]) outs(%out[%first] [%count]) {proa.contraction = #choice}
    }
    ```

    In the gradient of y a row is a tile of the matrix of one group, and the contraction adds over the rows of x and of
    the gradient that the group has.
  }];
  let dependentDialects = ["::proa::ProaDialect", "mlir::affine::AffineDialect", "mlir::arith::ArithDialect",
                           "mlir::bufferization::BufferizationDialect", "mlir::linalg::LinalgDialect",
                           "mlir::memref::MemRefDialect", "mlir::scf::SCFDialect"];
}

def ChooseSlices : Pass<"proa-choose-slices", "mlir::func::FuncOp"> {
  let summary = "Choose how many blocks share the reductions of a row";
  let description = [{
    Runs on memory. A kernel of few rows with long reductions would occupy few blocks. If its reductions can be split
    (`proa-split-reductions`), the pass sets the number of blocks for each row: `split_k` of its contraction, or
    `row_blocks` of `#proa.launch`. A number that is there already stays. Remarks show the choice.
  }];
  let options = [
    Option<"blocks", "blocks", "int64_t", "0",
      "Number of blocks that occupy a device; 0: two for each multiprocessor of the target">,
    Option<"leastElements", "least-elements", "int64_t", "4096", "Elements that a block reduces at least">,
    Option<"largestSlices", "largest-slices", "int64_t", "256", "Largest number of slices">
  ];
  let dependentDialects = ["::proa::ProaDialect"];
}

def SplitReductions : Pass<"proa-split-reductions", "mlir::ModuleOp"> {
  let summary = "Let several blocks share the reductions of a row";
  let description = [{
    A row of a kernel with `split_k` or `row_blocks` becomes that many rows, one for each slice of the reduced
    dimension. A block writes its partial results to scratch memory in the kernel's own slot, and counts itself in the
    counter of the row. The last block of a row combines the partial results in the order of the slices, so that each
    run gives equal numbers, and computes the ops that read the result.

    ```mlir
    scf.for %row = %begin to %end { reduce %x[0 .. n] }                      // before
    scf.for %slot = %begin to %end {                                          // after: %row, %slice = %slot / slices
      reduce %x[%slice * chunk .. ] to %scratch[%slot]
      nvvm.memory.barrier, gpu.barrier, %last = count in %counters[%row]
      scf.if %last { combine %scratch[%row, 0 .. slices] }
    }
    ```

    The kernel gets `#proa.scratch`, with counters, and the arguments that it describes. A kernel cannot be split
    if an op reads the elements again after the reduction. Remarks say why.
  }];
  let dependentDialects = ["::proa::ProaDialect", "mlir::affine::AffineDialect", "mlir::arith::ArithDialect",
                           "mlir::gpu::GPUDialect", "mlir::linalg::LinalgDialect", "mlir::memref::MemRefDialect",
                           "mlir::NVVM::NVVMDialect", "mlir::scf::SCFDialect"];
}

def StageTransposes : Pass<"proa-stage-transposes", "mlir::func::FuncOp"> {
  let summary = "Read transposed operands through shared memory";
  let description = [{
    Runs on memory. An operand of an elementwise op that is contiguous along another loop than the innermost one is
    copied to a buffer, which `proa-place-shared` puts into shared memory, in the order of its own memory. The op then
    reads the buffer, so that threads side by side access adjacent elements in both. Rows of the buffer are padded to an
    odd number of banks. `proa-choose-rows` (`square-transposes`) chooses tiles of both dimensions for such kernels.
    Of elements of 16 bits and less a thread reads and writes 16 bytes of a row at once (`vector` of `#proa.loops`),
    where rows are aligned; wider elements of adjacent threads fill the accesses of a warp.

    ```mlir
    %y[i, j] = f(%x[j, i])                                                   // before
    %tile[j, i] = %x[j, i]; %y[i, j] = f(%tile[j, i])                        // after; %tile : memref<64x65xf32>
    ```
  }];
  let dependentDialects = ["::proa::ProaDialect", "mlir::linalg::LinalgDialect", "mlir::memref::MemRefDialect"];
}

def ChooseLaunch : Pass<"proa-choose-launch", "mlir::func::FuncOp"> {
  let summary = "Choose the threads of a block and the work of each thread";
  let description = [{
    A block of threads computes one row of a kernel (`proa-choose-rows`). The pass sets attributes that
    `proa-map-to-threads` reads; a person or a tuner may change them in between:

    - on the function, `#proa.launch<threads = 256>`: the number of threads of a block, a multiple of 32;
    - on each linalg op, `vector` of `#proa.loops`: the number of consecutive elements that a thread computes in one
      step, so that it accesses up to 16 bytes at once; a number that is there already stays;
    - on a reduction, `group` of `#proa.loops`: the number of threads that compute one element of the result together:
      1, a power of two up to 32 (lanes of a warp), or `threads`. If the innermost loop is not reduced, threads side by
      side have elements of the result side by side, and the group is any divisor of `threads`.

    `vector` and `group` that `proa.strategies` requests are taken in the order of the ops; a contraction contains the
    code of its prologues and epilogues, which have none.

    A kernel that has no form on the GPU gets no launch, and the following passes ignore it: it runs on the host. A
    remark says why.
  }];
  let options = [
    Option<"maxThreads", "max-threads", "int64_t", "256", "Largest number of threads of a block">,
    Option<"accessBytes", "access-bytes", "int64_t", "16", "Bytes that one thread accesses at once">,
    Option<"unrolledOps", "unrolled-ops", "int64_t", "128", "Largest number of ops of a loop body that is copied for "
      "the elements of a step; a longer one has a step of one element">
  ];
  let dependentDialects = ["::proa::ProaDialect"];
}

def PlaceBarriers : Pass<"proa-place-barriers", "mlir::func::FuncOp"> {
  let summary = "Add barriers between ops whose threads exchange data";
  let description = [{
    Adds `gpu.barrier` before an op that accesses memory which another op accessed since the last barrier, where at
    least one of the two writes, unless each thread accesses the same elements in both. A loop over rows gets a barrier
    at its end if its iterations share scratch memory. A `linalg.fill` that only starts a reduction becomes the
    start of the reduction's accumulator (`starts` of `#proa.loops`) and needs no barrier.
  }];
  let dependentDialects = ["::proa::ProaDialect", "mlir::gpu::GPUDialect"];
}

def MapToThreads : Pass<"proa-map-to-threads", "mlir::func::FuncOp"> {
  let summary = "Distribute the loops of a kernel over blocks and threads";
  let description = [{
    A contraction with `proa.contraction` becomes a loop over k, in which the block copies a tile of both operands to
    shared memory, with 16 bytes for each access where the alignment is known, and each thread or warp adds the products
    of its warp tile. Accesses outside of the operands are left out, and zeros take their place. Finally the
    sums go through shared memory to the epilogue, which all threads compute in the order of the memory.

    With "wgmma" the tensor memory accelerator copies. The first lane of a warp of its own requests copies as stages
    of a circular buffer become free, also for the next tile while the other warps store the results of one. The kernel
    gets a tensor map (`proa.tensor_map`) for each operand as its last parameters. Elements
    outside of the operands arrive as zeros.

    A function with `#proa.device_kernel<threads>` becomes a kernel as it is.

    The loop over rows runs over the rows of a block: from `begin` plus the index of the block, in steps of the number
    of blocks. Each linalg op becomes loops in which thread `t` computes the elements (or chunks of `vector` elements)
    `t`, `t + threads`, and so on. A reduction with a group first computes one partial result for each thread, combines
    the results of a warp with shuffles and, if the group is the block, the results of the warps through shared memory.
    Partial results start with the neutral element, so that each input is added once. A reduction whose innermost loop
    is not reduced has the threads of a group in different warps, which combine through shared memory.

    ```mlir
    linalg.generic {iterator_types = ["parallel"], proa.loops = #proa.loops<vector = 4>} ...   // 1024 elements, 256
    threads // becomes scf.for %chunk = %thread to %c256 step %c256 { 4 loads, 4 bodies, 4 stores }
    ```
  }];
  let dependentDialects = ["::proa::ProaDialect", "mlir::affine::AffineDialect", "mlir::arith::ArithDialect",
                           "mlir::gpu::GPUDialect", "mlir::LLVM::LLVMDialect", "mlir::memref::MemRefDialect",
                           "mlir::NVVM::NVVMDialect", "mlir::nvgpu::NVGPUDialect", "mlir::scf::SCFDialect",
                           "mlir::vector::VectorDialect"];
}

def ChooseAttention : Pass<"proa-choose-attention", "mlir::func::FuncOp"> {
  let summary = "Choose how blocks compute attention";
  let description = [{
    On the `pd.fused_attention` of a kernel (`#proa.device_kernel<op>`), a gradient of it or `pd.paged_attention`,
    completes `#proa.attention`, which `proa-lower-attention` reads; fields that are there already stay:

    ```mlir
    proa.attention = #proa.attention<kind = wgmma, tile = [128, 64], stages = 4>
    ```

    - `kind` is `fma` for f32; for f16 and bf16 `mma`, or `wgmma` on chips that have it, if the tensor memory
      accelerator can read the operands, and there are more than 32 queries (for the gradient of keys: keys). Paged
      caches have no form with `wgmma`.
    - `tile`: the queries of a block, and the keys whose scores it computes at once; the other way round for the
      gradient of keys.
    - `stages`: with `wgmma` tiles of keys and of values together, for gradients pairs of them; 1 for gradients without
      `wgmma`.
    - `split_keys` of a `pd.paged_attention`, whose queries are the heads that share a head of keys: the blocks that
      share the keys of one head of a sequence, for few sequences.
  }];
  let options = [
    Option<"blocks", "blocks", "int64_t", "0",
      "Number of blocks that occupy a device; 0: two for each multiprocessor of the target">,
    Option<"leastKeys", "least-keys", "int64_t", "256", "Keys of a paged cache that a block reads at least, if the "
      "block table is full">,
    Option<"strategy", "strategy", "::proa::MatmulStrategy", "::proa::MatmulStrategy::Fastest",
      "The kind of an attention whose attribute has none", "::proa::matmulStrategyValues()">
  ];
  let dependentDialects = ["::proa::ProaDialect"];
}

def LowerAttention : Pass<"proa-lower-attention", "mlir::ModuleOp"> {
  let summary = "Lower kernels of attention to the code of a thread";
  let description = [{
    A kernel with `pd.fused_attention`, a gradient of it or `pd.paged_attention` becomes code on memory, with the
    attributes of a kernel that `proa-map-to-threads` has mapped. A row of the kernel is a tile of queries of one head.
    A block keeps it in shared memory (or registers), and loops over tiles of keys and values: it multiplies queries and
    keys, computes exponentials relative to the largest score of each row so far, and multiplies them with the values.
    When the largest score of a row grows, its sums are rescaled (online softmax).
    Tiles of which a query does not use all keys are the last ones and have a loop of their own, with conditions.

    In the gradient of queries a block owns a tile of queries too. In the gradient of keys and values it owns a tile of
    keys and loops over the queries of all heads that share it. It computes the weights again, of the maximum and the
    sum of each row, and keeps its sums in registers: they have one order, without atomic additions. Tiles that a causal
    mask or a length excludes are left out.

    With a paged cache a tile has the query heads that share a head of keys, and the addresses of keys and values follow
    from the block table, whose entries are checked (`proa.index_checks`). With `split_keys` a block has whole tiles of
    a slice of the keys that its sequence has, and stores sums relative to the maximum of the slice to scratch memory.
    The last block of a head, which a counter finds, combines them in the order of the slices (Flash-Decoding).

    Source: Dao, "FlashAttention-2: Faster Attention with Better Parallelism and Work Partitioning" (2023).
  }];
  let dependentDialects = ["::proa::ProaDialect", "mlir::affine::AffineDialect", "mlir::arith::ArithDialect",
                           "mlir::bufferization::BufferizationDialect", "mlir::gpu::GPUDialect",
                           "mlir::LLVM::LLVMDialect", "mlir::math::MathDialect", "mlir::memref::MemRefDialect",
                           "mlir::NVVM::NVVMDialect", "mlir::nvgpu::NVGPUDialect", "mlir::scf::SCFDialect",
                           "mlir::vector::VectorDialect"];
}

def PlaceShared : Pass<"proa-place-shared", "mlir::ModuleOp"> {
  let summary = "Put the scratch buffers of a kernel into shared or global memory";
  let description = [{
    The buffers of a kernel become views of one global `@NAME_shared` in workgroup memory. More than 48 KiB are dynamic
    shared memory: the kernel gets `shared_bytes` of `#proa.launch`, and `proa-inline-device` makes the global external.

    Buffers of dynamic size, and the largest ones if all of them need more than `shared-bytes`, become views of
    scratch memory in global memory, which the kernel gets as an argument (`proa.scratch`). Each row has its own. A
    kernel with a buffer whose size depends on more than the dims of operands loses its launch, and a remark says
    why.
  }];
  let dependentDialects = ["::proa::ProaDialect", "mlir::arith::ArithDialect", "mlir::gpu::GPUDialect",
                           "mlir::memref::MemRefDialect"];
  let options = [Option<"sharedBytes", "shared-bytes", "int64_t", "0",
      "Largest size of the shared memory of a block, in bytes; 0: the target's">];
}

def ConvertDeviceMath : Pass<"proa-convert-device-math", "mlir::gpu::GPUModuleOp"> {
  let summary = "Lower math ops that the GPU has instructions for";
  let description = [{
    `math.absi`, `math.fma` and `math.trunc` become LLVM intrinsics, for which NVPTX has instructions. Upstream's
    `convert-gpu-to-nvvm` calls libdevice for `math.fma`, and lacks a form of the others for some types. It converts all
    other math ops, and refuses the intrinsics of those that libdevice has. `math.exp2` of f32 that may be approximate
    (`afn`) becomes `rt.exp2_ftz`: results below 2^-126 are zero.

    Maxima and minima of f32 stay, because they are one instruction each (`max.NaN.f32`). Maxima and minima of other
    types, and rounded divisions of integers, are expanded (`arith-expand`).

    In a kernel with `nvvm.wgmma.mma_async`, f32 divisions and square roots become approximate (two units in the last
    place), and divisions of indices by dynamic sizes are done in 32 bits. The assembler computes exact ones by calls,
    and completes each wgmma before the next in a kernel with calls (note C7509).
  }];
  let dependentDialects = ["mlir::LLVM::LLVMDialect", "::proa::rt::RtDialect"];
}

def OutlineDevice : Pass<"proa-outline-device", "mlir::ModuleOp"> {
  let summary = "Move kernels into a gpu.module";
  let description = [{
    Kernels with threads (`#proa.launch`) move into `gpu.module @device`, with the attributes of NVVM kernels. Other
    kernels are removed: the compiler for the CPU has them. Functions that compute shapes stay outside.
  }];
  let dependentDialects = ["mlir::gpu::GPUDialect", "mlir::NVVM::NVVMDialect"];
}

def InlineDevice : Pass<"proa-inline-device", "mlir::ModuleOp"> {
  let summary = "Replace the gpu.module by its content";
  let description = [{
    The last step: the module holds kernels in the LLVM dialect with ops of NVVM, and the functions that compute
    shapes.
  }];
}

#endif // PROA_PASSES_LOWER_GPU_PASSES
