// Each chip is assembled, in process and by ptxas, with the same figures.
// RUN: proa-ptx %s --chip=sm_80 --emit=resources --check | FileCheck %s -DCHIP=sm_80
// RUN: proa-ptx %s --chip=sm_90a --emit=resources --check | FileCheck %s -DCHIP=sm_90a
// RUN: proa-ptx %s --chip=sm_100a --emit=resources --check | FileCheck %s -DCHIP=sm_100a
// RUN: proa-ptx %s --emit=resources --assembler=ptxas | FileCheck %s -DCHIP=sm_90a
// RUN: not proa-ptx %s --check --max-registers=4 --max-shared=8 2>&1 | FileCheck %s --check-prefix=BUDGET
// REQUIRES: cuda-assembler

// CHECK: copy [[CHIP]]: {{[0-9]+}} registers, 1 barrier, 128 bytes shared, 0 bytes stack, 0 bytes spilled

// BUDGET: error: kernel 'copy' for sm_90a: uses {{[0-9]+}} registers, expected at most 4
// BUDGET: error: kernel 'copy' for sm_90a: uses 128 bytes of shared memory, expected at most 8

llvm.mlir.global internal @copy_shared() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<128 x i8>

llvm.func @copy(%x: !llvm.ptr {llvm.noalias, llvm.align = 64 : i64}, %y: !llvm.ptr {llvm.noalias, llvm.align = 64 : i64},
                %begin: i64, %end: i64)
    attributes {proa.kernel, gpu.kernel, nvvm.kernel, nvvm.maxntid = array<i32: 32>, proa.launch = #proa.launch<threads = 32>,
                proa.rows = #proa.rows<count = 1>} {
  %shared = llvm.mlir.addressof @copy_shared : !llvm.ptr<3>
  %thread = nvvm.read.ptx.sreg.tid.x : i32
  %last = llvm.mlir.constant(31 : i32) : i32
  %other = llvm.sub %last, %thread : i32
  %from = llvm.getelementptr %x[%thread] : (!llvm.ptr, i32) -> !llvm.ptr, f32
  %slot = llvm.getelementptr %shared[%thread] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
  %mirror = llvm.getelementptr %shared[%other] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
  %to = llvm.getelementptr %y[%thread] : (!llvm.ptr, i32) -> !llvm.ptr, f32
  %v = llvm.load %from : !llvm.ptr -> f32
  llvm.store %v, %slot : f32, !llvm.ptr<3>
  nvvm.barrier0
  %w = llvm.load %mirror : !llvm.ptr<3> -> f32
  llvm.store %w, %to : f32, !llvm.ptr
  llvm.return
}
