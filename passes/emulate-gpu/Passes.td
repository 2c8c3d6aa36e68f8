// The pass that makes host code of GPU kernels.
#ifndef PROA_PASSES_EMULATE_GPU_PASSES
#define PROA_PASSES_EMULATE_GPU_PASSES

include "mlir/Pass/PassBase.td"

def EmulateGpu : Pass<"proa-emulate-gpu", "mlir::ModuleOp"> {
  let summary = "Turn GPU kernels into host code that calls the emulator";
  let description = [{
    Input: a module in the LLVM dialect with nvvm ops. Each function with the attribute `proa.kernel` is the code of one
    thread of a block; its parameters are pointers, dims (i64), and the first and last row of the launch.
    `nvvm.reqntid`, `nvvm.maxntid` or `threads` of `#proa.launch` is the size of a block. Other functions must be
    inlined.

    - The code becomes private `@NAME_rows(thread, shared, buffers, dims, begin, end)`. A new `@NAME(buffers, dims,
      begin, end)` launches it by the emulator (`lib/runtime/emulator/`): one row for each block, or fewer blocks.
    - nvvm ops become calls of the emulator; `EmulateOps.cpp` has the list. Another nvvm op is an error.
    - Shared variables become offsets into the shared memory of a block. Address spaces are dropped.
    - Calls of libdevice become calls of libm. A function without an equivalent is an error.
    - `@NAME_shape` is wrapped as `proa-wrap-kernels` does.

    ```mlir
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %v = nvvm.shfl.sync bfly %mask, %x, %offset, %clamp : f32 -> f32
    // becomes
    %t = llvm.call @proa_emulate_register(%thread, %c0) : (!llvm.ptr, i32) -> i32
    %b = llvm.bitcast %x : f32 to i32
    %r = llvm.call @proa_emulate_shfl(%thread, %kind, %mask, %b, %offset, %clamp, %valid) : ... -> i32
    %v = llvm.bitcast %r : i32 to f32
    ```
  }];
  let dependentDialects = ["mlir::LLVM::LLVMDialect", "mlir::NVVM::NVVMDialect"];
  let options = [
    Option<"checkAccesses", "check-accesses", "bool", "true",
      "Check the address and the alignment of each access of memory, and reads of results of wgmma">
  ];
}

#endif // PROA_PASSES_EMULATE_GPU_PASSES
