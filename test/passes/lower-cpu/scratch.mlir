// RUN: proa-opt %s --proa-bound-scratch --split-input-file | FileCheck %s --check-prefix=BOUND
// RUN: proa-opt %s --proa-place-scratch=stack-bytes=4096 --split-input-file | FileCheck %s --check-prefix=PLACE

// BOUND-LABEL: func.func @tail
// BOUND: scf.for
// BOUND: %[[N:.*]] = affine.min
// BOUND: %[[ALL:.*]] = memref.alloc() : memref<64xf32>
// BOUND: memref.reinterpret_cast %[[ALL]] to offset: [0], sizes: [%[[N]]], strides: [1] : memref<64xf32> to memref<?xf32>
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
// BOUND-LABEL: func.func @unknown
// BOUND: memref.alloc(%{{.*}}) : memref<?xf32>
func.func @unknown(%begin: index, %end: index, %size: index) {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %begin to %end step %c1 {
    %a = memref.alloc(%size) : memref<?xf32>
    memref.store %zero, %a[%i] : memref<?xf32>
  }
  return
}

// -----

// The first fits on the stack; near miss: with the second it would be too much.
// PLACE-LABEL: func.func @budget
// PLACE: memref.alloca() : memref<1000xf32>
// PLACE: %[[HEAP:.*]] = memref.alloc() : memref<100xf32>
// PLACE: memref.dealloc %[[HEAP]]
// PLACE-NEXT: return
func.func @budget(%i: index) {
  %zero = arith.constant 0.0 : f32
  %a = memref.alloc() : memref<1000xf32>
  %b = memref.alloc() : memref<100xf32>
  memref.store %zero, %a[%i] : memref<1000xf32>
  memref.store %zero, %b[%i] : memref<100xf32>
  return
}
