// RUN: proa-opt %s --proa-place-scratch=stack-bytes=4096 --split-input-file | FileCheck %s
// RUN: proa-opt %s --proa-place-scratch=stack-bytes=4096 --split-input-file --remarks=proa-place-scratch -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK

// The first fits on the stack; near miss: with the second it would be too much.
// CHECK-LABEL: func.func @budget
// CHECK: memref.alloca() : memref<1000xf32>
// CHECK: %[[HEAP:.*]] = memref.alloc() : memref<100xf32>
// CHECK: memref.dealloc %[[HEAP]]
// CHECK-NEXT: return
// REMARK: the buffer is on the stack: 4000 bytes
// REMARK: the buffer stays on the heap: it has 400 bytes, and the stack has space for 64
func.func @budget(%i: index) {
  %zero = arith.constant 0.0 : f32
  %a = memref.alloc() : memref<1000xf32>
  %b = memref.alloc() : memref<100xf32>
  memref.store %zero, %a[%i] : memref<1000xf32>
  memref.store %zero, %b[%i] : memref<100xf32>
  return
}
