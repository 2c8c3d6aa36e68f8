// RUN: proa-opt %s --proa-bound-scratch --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @tail
// CHECK: scf.for
// CHECK: %[[N:.*]] = affine.min
// CHECK: %[[ALL:.*]] = memref.alloc() : memref<64xf32>
// CHECK: memref.reinterpret_cast %[[ALL]] to offset: [0], sizes: [%[[N]]], strides: [1] : memref<64xf32> to memref<?xf32>
func.func @tail(%begin: index, %end: index, %size: index) {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %begin to %end step %c1 {
    %n = affine.min affine_map<(d0)[s0] -> (64, s0 - d0 * 64)>(%i)[%size]
    %a = memref.alloc(%n) : memref<?xf32>
    memref.store %zero, %a[%i] : memref<?xf32>
  }
  return
}

// -----

// Near miss: nothing is known about the size.
// CHECK-LABEL: func.func @unknown
// CHECK: memref.alloc(%{{.*}}) : memref<?xf32>
func.func @unknown(%begin: index, %end: index, %size: index) {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %begin to %end step %c1 {
    %a = memref.alloc(%size) : memref<?xf32>
    memref.store %zero, %a[%i] : memref<?xf32>
  }
  return
}
