// A power of two is an intrinsic that LLVM knows: the four loads between such ops become one of 16 bytes.
// RUN: proa-ptx %s --chip=sm_90a | FileCheck %s

// CHECK-LABEL: .visible .entry powers(
// CHECK-NOT: ld.global
// CHECK: ld.global{{.*}}.v4.b32
// CHECK-NOT: ld.global
// CHECK-COUNT-4: ex2.approx.ftz.f32
// CHECK: st.global{{.*}}.v4.b32
llvm.func @powers(%x: !llvm.ptr {llvm.noalias, llvm.align = 64 : i64}, %y: !llvm.ptr {llvm.noalias, llvm.align = 64 : i64},
                  %begin: i64, %end: i64)
    attributes {proa.kernel, gpu.kernel, nvvm.kernel, nvvm.maxntid = array<i32: 128>, proa.launch = #proa.launch<threads = 128>,
                proa.rows = #proa.rows<count = 1>} {
  %x1 = llvm.getelementptr inbounds|nuw %x[1] : (!llvm.ptr) -> !llvm.ptr, f32
  %x2 = llvm.getelementptr inbounds|nuw %x[2] : (!llvm.ptr) -> !llvm.ptr, f32
  %x3 = llvm.getelementptr inbounds|nuw %x[3] : (!llvm.ptr) -> !llvm.ptr, f32
  %y1 = llvm.getelementptr inbounds|nuw %y[1] : (!llvm.ptr) -> !llvm.ptr, f32
  %y2 = llvm.getelementptr inbounds|nuw %y[2] : (!llvm.ptr) -> !llvm.ptr, f32
  %y3 = llvm.getelementptr inbounds|nuw %y[3] : (!llvm.ptr) -> !llvm.ptr, f32
  %v0 = llvm.load %x {alignment = 16 : i64} : !llvm.ptr -> f32
  %e0 = rt.exp2_ftz %v0
  llvm.store %e0, %y {alignment = 16 : i64} : f32, !llvm.ptr
  %v1 = llvm.load %x1 {alignment = 4 : i64} : !llvm.ptr -> f32
  %e1 = rt.exp2_ftz %v1
  llvm.store %e1, %y1 {alignment = 4 : i64} : f32, !llvm.ptr
  %v2 = llvm.load %x2 {alignment = 8 : i64} : !llvm.ptr -> f32
  %e2 = rt.exp2_ftz %v2
  llvm.store %e2, %y2 {alignment = 8 : i64} : f32, !llvm.ptr
  %v3 = llvm.load %x3 {alignment = 4 : i64} : !llvm.ptr -> f32
  %e3 = rt.exp2_ftz %v3
  llvm.store %e3, %y3 {alignment = 4 : i64} : f32, !llvm.ptr
  llvm.return
}
