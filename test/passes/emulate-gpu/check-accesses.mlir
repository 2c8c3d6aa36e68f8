// RUN: proa-opt %s --proa-emulate-gpu | FileCheck %s

llvm.mlir.global internal @first() {addr_space = 3 : i32} : !llvm.array<16 x i8>
llvm.mlir.global internal @second() {addr_space = 3 : i32} : !llvm.array<16 x f32>
llvm.mlir.global internal constant @table(dense<1.0> : vector<4xf32>) : vector<4xf32>

// CHECK-LABEL: llvm.func internal @accesses_rows
llvm.func @accesses(%x: !llvm.ptr, %n: i64, %y: !llvm.ptr, %begin: i64, %end: i64)
    attributes {proa.kernel, proa.launch = #proa.launch<threads = 32>} {
  %one = llvm.mlir.constant(1 : i32) : i32
  %t = nvvm.read.ptx.sreg.tid.x : i32

  // The buffer of an address is known: buffer 1, 16 bytes that are aligned to 8, a read.
  %p = llvm.getelementptr %y[%t] : (!llvm.ptr, i32) -> !llvm.ptr, vector<4xf32>
  // CHECK: %[[P:.*]] = llvm.getelementptr %{{.*}} -> !llvm.ptr, vector<4xf32>
  // CHECK-DAG: %[[BYTES:.*]] = llvm.mlir.constant(16 : i64)
  // CHECK-DAG: %[[ALIGNMENT:.*]] = llvm.mlir.constant(8 : i64)
  // CHECK-DAG: %[[READ:.*]] = llvm.mlir.constant(0 : i32)
  // CHECK-DAG: %[[BUFFER:.*]] = llvm.mlir.constant(1 : i32)
  // CHECK: llvm.call @proa_emulate_check_buffer(%{{.*}}, %[[P]], %[[BYTES]], %[[ALIGNMENT]], %[[READ]], %{{.*}})
  // CHECK-NEXT: llvm.load %[[P]]
  %v = llvm.load %p {alignment = 8 : i64} : !llvm.ptr -> vector<4xf32>

  // A shared variable: its offset and size.
  %s = llvm.mlir.addressof @second : !llvm.ptr<3>
  // CHECK-DAG: llvm.mlir.constant(64 : i64)
  // CHECK: llvm.call @proa_emulate_check_shared(
  // CHECK-NEXT: llvm.store
  llvm.store %v, %s {alignment = 4 : i64} : vector<4xf32>, !llvm.ptr<3>

  // The buffer of an address is not known.
  %c = llvm.icmp "eq" %t, %one : i32
  %either = llvm.select %c, %x, %y : i1, !llvm.ptr
  // CHECK: llvm.call @proa_emulate_check_anywhere(
  // CHECK-NEXT: llvm.atomicrmw
  %old = llvm.atomicrmw add %either, %one monotonic : !llvm.ptr, i32

  // Neither constants nor the stack are checked.
  // CHECK: llvm.mlir.addressof @table
  // CHECK-NOT: check
  %table = llvm.mlir.addressof @table : !llvm.ptr
  %w = llvm.load %table : !llvm.ptr -> vector<4xf32>
  %local = llvm.alloca %one x f32 : (i32) -> !llvm.ptr
  %f = llvm.load %local : !llvm.ptr -> f32

  // Both sides of a copy.
  // CHECK: llvm.call @proa_emulate_check_buffer(
  // CHECK: llvm.call @proa_emulate_check_buffer(
  // CHECK-NEXT: "llvm.intr.memcpy"
  "llvm.intr.memcpy"(%x, %y, %n) <{isVolatile = false}> : (!llvm.ptr, !llvm.ptr, i64) -> ()

  // The mask of a vector becomes a number.
  %mask = llvm.mlir.constant(dense<true> : vector<4xi1>) : vector<4xi1>
  // CHECK: %[[BITS:.*]] = llvm.bitcast %{{.*}} : vector<4xi1> to i4
  // CHECK: %[[MASK:.*]] = llvm.zext %[[BITS]] : i4 to i64
  // CHECK: llvm.call @proa_emulate_check_masked(%{{.*}}, %{{.*}}, %{{.*}}, %[[MASK]],
  // CHECK-NEXT: llvm.intr.masked.store
  llvm.intr.masked.store %v, %x, %mask {alignment = 4 : i32} : vector<4xf32>, vector<4xi1> into !llvm.ptr
  // CHECK: llvm.return
  llvm.return
}
