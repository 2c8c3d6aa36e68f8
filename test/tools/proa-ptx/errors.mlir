// A machine without a toolkit: what is missing, and how to get it. PTX does not need an assembler.
// RUN: env PROA_CUDA_PATH=/missing proa-ptx --toolkit | FileCheck %s --check-prefix=NONE
// RUN: env PROA_CUDA_PATH=/missing not proa-ptx %s 2>&1 | FileCheck %s --check-prefix=LIBDEVICE
// RUN: env PROA_CUDA_PATH=/missing proa-ptx %S/sass.mlir | FileCheck %s --check-prefix=PTX
// RUN: env PROA_CUDA_PATH=/missing not proa-ptx %S/sass.mlir --emit=resources 2>&1 | FileCheck %s --check-prefix=ASSEMBLER
// RUN: not proa-ptx %s --chip=sm_20 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: echo "module {}" | not proa-ptx - 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not proa-ptx %s --max-registers=3 2>&1 | FileCheck %s --check-prefix=CHECK-ONLY

// NONE: nvJitLink: not found
// NONE: ptxas: not found
// NONE: libdevice: not found
// NONE: nvdisasm: not found
// NONE: bootstrap.sh cuda
// LIBDEVICE: error: CUDA code generation: the kernels call __nv_expf, but libdevice.10.bc was not found; install
// PTX: ld.global
// ASSEMBLER: error: CUDA toolkit: neither ptxas nor nvJitLink was found; install a CUDA toolkit
// CHIP: --chip: {{.*}}sm_20
// EMPTY: error: CUDA code generation: the module has no function with the attribute `gpu.kernel`
// CHECK-ONLY: --max-registers and --max-shared require --check

llvm.func @__nv_expf(f32) -> f32
llvm.func @exp(%x: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel, proa.launch = #proa.launch<threads = 32>} {
  %v = llvm.load %x : !llvm.ptr -> f32
  %e = llvm.call @__nv_expf(%v) : (f32) -> f32
  llvm.store %e, %x : f32, !llvm.ptr
  llvm.return
}
