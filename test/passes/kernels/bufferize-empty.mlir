// RUN: proa-opt %s --proa-bufferize-kernels | FileCheck %s

// A static empty dim beside a dynamic one becomes dynamic, because the collapsed dim is.
// CHECK-LABEL: func.func private @empty_and_dynamic
// CHECK: %[[CAST:.*]] = memref.cast %{{.*}} : memref<2x0x?xf32> to memref<2x?x?xf32>
// CHECK: memref.collapse_shape %[[CAST]] {{\[\[}}0], [1, 2]] : memref<2x?x?xf32> into memref<2x?xf32>
func.func private @empty_and_dynamic(%x: memref<2x0x?xf32>, %out: memref<2x?xf32>) {
  %t = bufferization.to_tensor %x restrict : memref<2x0x?xf32> to tensor<2x0x?xf32>
  %c = tensor.collapse_shape %t [[0], [1, 2]] : tensor<2x0x?xf32> into tensor<2x?xf32>
  bufferization.materialize_in_destination %c in restrict writable %out : (tensor<2x?xf32>, memref<2x?xf32>) -> ()
  return
}

// Near miss: static dims collapse to a static one.
// CHECK-LABEL: func.func private @empty
// CHECK: memref.collapse_shape %{{.*}} {{\[\[}}0, 1], [2]] : memref<0x3x?xf32> into memref<0x?xf32>
func.func private @empty(%x: memref<0x3x?xf32>, %out: memref<0x?xf32>) {
  %t = bufferization.to_tensor %x restrict : memref<0x3x?xf32> to tensor<0x3x?xf32>
  %c = tensor.collapse_shape %t [[0, 1], [2]] : tensor<0x3x?xf32> into tensor<0x?xf32>
  bufferization.materialize_in_destination %c in restrict writable %out : (tensor<0x?xf32>, memref<0x?xf32>) -> ()
  return
}
