// The same as MLIR's pass, also with the patterns of an earlier pass.
// RUN: proa-opt %s --proa-canonicalize-kernels | FileCheck %s
// RUN: proa-opt %s --canonicalize | FileCheck %s
// RUN: proa-opt %s --proa-canonicalize-kernels --cse --proa-canonicalize-kernels | FileCheck %s

// A loop that runs once is its body: a pattern of scf.for.
// CHECK-LABEL: @once
// CHECK-NOT: scf.for
// CHECK: memref.store %{{.*}}, %arg0[%{{.*}}]
func.func @once(%x: memref<4xf32>, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %c1 step %c1 {
    memref.store %v, %x[%i] : memref<4xf32>
  }
  return
}

// CHECK-LABEL: @twice
// CHECK: scf.for
func.func @twice(%x: memref<4xf32>, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  scf.for %i = %c0 to %c2 step %c1 {
    memref.store %v, %x[%i] : memref<4xf32>
  }
  return
}

// Blocks with the same code are not merged: regions are simplified as by MLIR's pass.
// CHECK-LABEL: @blocks
// CHECK: cf.cond_br %arg0, ^[[THEN:.*]], ^[[ELSE:.*]]
// CHECK: ^[[THEN]]:
// CHECK: ^[[ELSE]]:
func.func @blocks(%c: i1, %x: memref<4xf32>, %v: f32, %w: f32) {
  %c0 = arith.constant 0 : index
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  memref.store %v, %x[%c0] : memref<4xf32>
  return
^bb2:
  memref.store %w, %x[%c0] : memref<4xf32>
  return
}
