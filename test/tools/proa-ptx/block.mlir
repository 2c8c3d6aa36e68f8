// --check finds a block that has more shared memory than the chip, which differs between chips, and one that has too
// many registers.
// RUN: not proa-ptx %s --check --chip=sm_86 2>&1 | FileCheck %s
// RUN: not proa-ptx %s --check --chip=sm_90 2>&1 | FileCheck %s --check-prefix=NEW --implicit-check-not="shared memory"
// REQUIRES: cuda-assembler

// CHECK-DAG: error: kernel 'shared' for sm_86: needs 131072 bytes of shared memory, expected at most 101376
// CHECK-DAG: error: kernel 'registers' for sm_86: needs {{[0-9]+}} registers in each of 1024 threads
// NEW: error: kernel 'registers' for sm_90: needs {{[0-9]+}} registers in each of 1024 threads, expected at most 65536

llvm.func @shared(%x: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel, proa.launch = #proa.launch<threads = 32, shared_bytes = 131072>} {
  llvm.return
}

llvm.func @registers(%x: !llvm.ptr, %y: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel, proa.launch = #proa.launch<threads = 1024>} {
  %zero = llvm.mlir.constant(0.0 : f32) : f32
  %v = llvm.load volatile %x : !llvm.ptr -> vector<96xf32>
  %sum = "llvm.intr.vector.reduce.fadd"(%zero, %v) : (f32, vector<96xf32>) -> f32
  llvm.store volatile %v, %y : vector<96xf32>, !llvm.ptr
  llvm.store volatile %sum, %y : f32, !llvm.ptr
  llvm.return
}
