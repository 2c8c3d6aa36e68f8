// Device code of a hand-written kernel: rows of four floats, exp of them, 16-byte accesses.
// RUN: proa-ptx %s --chip=sm_80 | FileCheck %s --check-prefixes=PTX,SM80
// RUN: proa-ptx %s --chip=sm_90a | FileCheck %s --check-prefixes=PTX,SM90
// RUN: proa-ptx %s --chip=sm_100a | FileCheck %s --check-prefixes=PTX,SM100
// RUN: proa-ptx %s --emit=host | FileCheck %s --check-prefix=HOST
// REQUIRES: cuda-libdevice

// SM80: .version 8.4
// SM80: .target sm_80
// SM90: .target sm_90a
// SM100: .version 8.6
// SM100: .target sm_100a
// PTX-NOT: .func
// PTX: .visible .entry exp_rows(
// PTX: .maxntid 128
// PTX: ld.global{{.*}}.v4.b32
// PTX: ex2.approx
// PTX: st.global{{.*}}.v4.b32

// HOST-NOT: @exp_rows(
// HOST: llvm.func @exp_rows_shape(
// HOST: llvm.call @double_rows
// HOST: llvm.func @double_rows
// HOST-NOT: @__nv_expf

llvm.func @__nv_expf(f32) -> f32

llvm.func @exp_rows(%x: !llvm.ptr {llvm.noalias, llvm.align = 64 : i64}, %y: !llvm.ptr {llvm.noalias, llvm.align = 64 : i64},
                    %n: i64, %begin: i64, %end: i64)
    attributes {proa.kernel, gpu.kernel, nvvm.kernel, nvvm.maxntid = array<i32: 128>, proa.launch = #proa.launch<threads = 128>,
                proa.rows = #proa.rows<count = ?>} {
  %four = llvm.mlir.constant(4 : i64) : i64
  %threads = llvm.mlir.constant(128 : i64) : i64
  %block32 = nvvm.read.ptx.sreg.ctaid.x : i32
  %thread32 = nvvm.read.ptx.sreg.tid.x : i32
  %block = llvm.sext %block32 : i32 to i64
  %thread = llvm.sext %thread32 : i32 to i64
  %row = llvm.add %begin, %block : i64
  %first = llvm.mul %row, %threads : i64
  %index = llvm.add %first, %thread : i64
  %inside = llvm.icmp "slt" %row, %end : i64
  llvm.cond_br %inside, ^body, ^done
^body:
  %offset = llvm.mul %index, %four : i64
  %from = llvm.getelementptr %x[%offset] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %to = llvm.getelementptr %y[%offset] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %v = llvm.load %from {alignment = 16 : i64} : !llvm.ptr -> vector<4xf32>
  %i0 = llvm.mlir.constant(0 : i32) : i32
  %i1 = llvm.mlir.constant(1 : i32) : i32
  %i2 = llvm.mlir.constant(2 : i32) : i32
  %i3 = llvm.mlir.constant(3 : i32) : i32
  %v0 = llvm.extractelement %v[%i0 : i32] : vector<4xf32>
  %v1 = llvm.extractelement %v[%i1 : i32] : vector<4xf32>
  %v2 = llvm.extractelement %v[%i2 : i32] : vector<4xf32>
  %v3 = llvm.extractelement %v[%i3 : i32] : vector<4xf32>
  %e0 = llvm.call @__nv_expf(%v0) : (f32) -> f32
  %e1 = llvm.call @__nv_expf(%v1) : (f32) -> f32
  %e2 = llvm.call @__nv_expf(%v2) : (f32) -> f32
  %e3 = llvm.call @__nv_expf(%v3) : (f32) -> f32
  %r0 = llvm.insertelement %e0, %v[%i0 : i32] : vector<4xf32>
  %r1 = llvm.insertelement %e1, %r0[%i1 : i32] : vector<4xf32>
  %r2 = llvm.insertelement %e2, %r1[%i2 : i32] : vector<4xf32>
  %r3 = llvm.insertelement %e3, %r2[%i3 : i32] : vector<4xf32>
  llvm.store %r3, %to {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr
  llvm.br ^done
^done:
  llvm.return
}

llvm.func @exp_rows_shape(%dims: !llvm.ptr, %result: !llvm.ptr) {
  %n = llvm.load %dims : !llvm.ptr -> i64
  %rows = llvm.call @double_rows(%n) : (i64) -> i64
  llvm.store %rows, %result : i64, !llvm.ptr
  llvm.return
}

llvm.func @double_rows(%n: i64) -> i64 {
  %sum = llvm.add %n, %n : i64
  llvm.return %sum : i64
}
