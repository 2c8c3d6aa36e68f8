// RUN: proa-opt %s --proa-place-scratch=stack-bytes=4096 --split-input-file | FileCheck %s

// The first fits on the stack; near miss: with the second it would be too much.
// CHECK-LABEL: func.func @budget
// CHECK: memref.alloca() : memref<1000xf32>
// CHECK: %[[HEAP:.*]] = memref.alloc() : memref<100xf32>
// CHECK: memref.dealloc %[[HEAP]]
// CHECK-NEXT: return
func.func @budget(%i: index) {
  %zero = arith.constant 0.0 : f32
  %a = memref.alloc() : memref<1000xf32>
  %b = memref.alloc() : memref<100xf32>
  memref.store %zero, %a[%i] : memref<1000xf32>
  memref.store %zero, %b[%i] : memref<100xf32>
  return
}
