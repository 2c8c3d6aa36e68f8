// The instruction mix: 16-byte accesses of global memory.
// RUN: proa-ptx %s --emit=mix | FileCheck %s
// RUN: proa-ptx %s --emit=sass | FileCheck %s --check-prefix=SASS
// REQUIRES: cuda-assembler, nvdisasm

// CHECK: copy: LDG.E.128{{.*}} 1
// CHECK: copy: STG.E.128{{.*}} 1
// SASS: .text.copy:

llvm.func @copy(%x: !llvm.ptr {llvm.noalias, llvm.align = 64 : i64}, %y: !llvm.ptr {llvm.noalias, llvm.align = 64 : i64})
    attributes {gpu.kernel, nvvm.kernel, proa.launch = #proa.launch<threads = 32>} {
  %thread = nvvm.read.ptx.sreg.tid.x : i32
  %from = llvm.getelementptr %x[%thread] : (!llvm.ptr, i32) -> !llvm.ptr, vector<4xf32>
  %to = llvm.getelementptr %y[%thread] : (!llvm.ptr, i32) -> !llvm.ptr, vector<4xf32>
  %v = llvm.load %from {alignment = 16 : i64} : !llvm.ptr -> vector<4xf32>
  llvm.store %v, %to {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr
  llvm.return
}
