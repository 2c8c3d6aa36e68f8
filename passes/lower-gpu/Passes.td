// The passes that turn kernels on memory (passes/lower-cpu up to proa-bound-scratch) into GPU code, in the order of the
// pipeline.
#ifndef PROA_PASSES_LOWER_GPU_PASSES
#define PROA_PASSES_LOWER_GPU_PASSES

include "mlir/Pass/PassBase.td"

def ChooseContraction : Pass<"proa-choose-contraction", "mlir::func::FuncOp"> {
  let summary = "Choose how blocks compute products of matrices";
  let description = [{
    Runs on tensors, before `proa-choose-rows`. This is the only place that chooses; all later passes read the
    attributes, and the pass keeps those that an op has already. On a linalg op
    `out[.., m, n] += x[.., m, k] * y[.., k, n]`, in which the dims of the operands may have any order, it sets

    - `proa.contraction`: "mma" for f16 and bf16 operands (`mma.sync` of tensor cores), "fma" for all others,
    - `proa.loop_tiles = [1, 64, 64, 32]`: the tile of a block for each loop. For k: the part that is in shared
      memory at once,
    - `proa.part = [32, 32]`: the rows and columns of the tile that a thread computes; with "mma", a warp,
    - `proa.stages = 2`, with "mma": while one part of the operands is multiplied, the next is copied to shared memory
      (`cp.async`), if the alignment of both operands is known.

    The only reader of the result gets `proa.epilogue` if it is elementwise: it is computed with the result, before
    that is stored. Remarks show the choices.
  }];
  let options = [
    Option<"maxThreads", "max-threads", "int64_t", "256", "Largest number of threads of a block">,
    Option<"blocks", "blocks", "int64_t", "132", "Number of blocks that occupy a device: tiles are smaller if there "
      "are fewer">,
    Option<"strategy", "strategy", "std::string", "\"\"", "fma or mma for all contractions; empty: by element type">
  ];
}

def ChooseLaunch : Pass<"proa-choose-launch", "mlir::func::FuncOp"> {
  let summary = "Choose the threads of a block and the work of each thread";
  let description = [{
    A block of threads computes one row of a kernel (`proa-choose-rows`). The pass sets attributes that
    `proa-map-to-threads` reads; a person or a tuner may change them in between:

    - on the function, `proa.threads`: the number of threads of a block, a multiple of 32;
    - on each linalg op, `proa.vector`: the number of consecutive elements that a thread computes in one step, so that
      it accesses up to 16 bytes at once;
    - on a reduction, `proa.group`: the number of threads that compute one element of the result together: 1, a power
      of two up to 32 (lanes of a warp), or `proa.threads`.

    A kernel that has no form on the GPU gets `proa.host`, a string that says why, and the following passes ignore it.
  }];
  let options = [
    Option<"maxThreads", "max-threads", "int64_t", "256", "Largest number of threads of a block">,
    Option<"accessBytes", "access-bytes", "int64_t", "16", "Bytes that one thread accesses at once">,
    Option<"unrolledOps", "unrolled-ops", "int64_t", "128", "Largest number of ops of a loop body that is copied for "
      "the elements of a step; a longer one has a step of one element">
  ];
}

def PlaceBarriers : Pass<"proa-place-barriers", "mlir::func::FuncOp"> {
  let summary = "Add barriers between ops whose threads exchange data";
  let description = [{
    Adds `gpu.barrier` before an op that accesses memory which another op accessed since the last barrier, where at
    least one of the two writes, unless each thread accesses the same elements in both. A loop over rows gets a barrier
    at its end if its iterations share scratch memory. A `linalg.fill` that only starts a reduction becomes the
    attribute of the reduction's accumulator (`proa.starts_filled`) and needs no barrier.
  }];
  let dependentDialects = ["mlir::gpu::GPUDialect"];
}

def MapToThreads : Pass<"proa-map-to-threads", "mlir::func::FuncOp"> {
  let summary = "Distribute the loops of a kernel over blocks and threads";
  let description = [{
    A contraction with `proa.contraction` becomes a loop over k, in which the block copies a part of both operands to
    shared memory, with 16 bytes for each access where the alignment is known, and each thread or warp adds the products
    of its part of the tile. Accesses outside of the operands are left out, and zeros take their place. Finally the
    sums go through shared memory to the epilogue, which all threads compute in the order of the memory.

    The loop over rows runs over the rows of a block: from `begin` plus the index of the block, in steps of the number
    of blocks. Each linalg op becomes loops in which thread `t` computes the elements (or chunks of `proa.vector`
    elements) `t`, `t + threads`, and so on. A reduction with a group first computes one partial result for each
    thread, combines those of a warp with shuffles and, if the group is the block, those of the warps through shared
    memory. Partial results start with the neutral element, so that each input is added once.

    ```mlir
    linalg.generic {iterator_types = ["parallel"], proa.vector = 4} ...   // 1024 elements, 256 threads
    // becomes
    scf.for %chunk = %thread to %c256 step %c256 { 4 loads, 4 bodies, 4 stores }
    ```
  }];
  let dependentDialects = ["mlir::affine::AffineDialect", "mlir::arith::ArithDialect", "mlir::gpu::GPUDialect",
                           "mlir::LLVM::LLVMDialect", "mlir::memref::MemRefDialect", "mlir::NVVM::NVVMDialect",
                           "mlir::nvgpu::NVGPUDialect", "mlir::scf::SCFDialect", "mlir::vector::VectorDialect"];
}

def PlaceShared : Pass<"proa-place-shared", "mlir::ModuleOp"> {
  let summary = "Put the scratch buffers of a kernel into shared memory";
  let description = [{
    The buffers of a kernel become views of one global `@NAME_shared` in workgroup memory. A buffer of dynamic
    size, or more than `shared-bytes` in all, gives the kernel the attribute `proa.host`.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::gpu::GPUDialect", "mlir::memref::MemRefDialect"];
  let options = [Option<"sharedBytes", "shared-bytes", "int64_t", "49152",
      "Largest size of the static shared memory of a block, in bytes">];
}

def ConvertDeviceMath : Pass<"proa-convert-device-math", "mlir::gpu::GPUModuleOp"> {
  let summary = "Lower math ops that the GPU has instructions for";
  let description = [{
    `math.absi`, `math.fma` and `math.trunc` become LLVM intrinsics, for which NVPTX has instructions. Upstream's
    `convert-gpu-to-nvvm` calls libdevice for `math.fma`, and lacks a form of the others for some types. It converts all
    other math ops, and refuses the intrinsics of those that libdevice has.
  }];
  let dependentDialects = ["mlir::LLVM::LLVMDialect"];
}

def OutlineDevice : Pass<"proa-outline-device", "mlir::ModuleOp"> {
  let summary = "Move kernels into a gpu.module";
  let description = [{
    Kernels with `proa.threads` move into `gpu.module @device`, with the attributes of NVVM kernels. Kernels with
    `proa.host` are removed: the compiler for the CPU has them. Functions that compute shapes stay outside.
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
