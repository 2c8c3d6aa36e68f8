// RUN: proa-opt %s --proa-bufferize-kernels --cse --canonicalize | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>

// The result is computed in its destination: no buffer, no copy.
// CHECK-LABEL: func.func private @in_place
// CHECK-NOT: memref.alloc
// CHECK: scf.for
// CHECK: %[[DESTINATION:.*]] = memref.subview
// CHECK: linalg.generic {{.*}} outs(%[[DESTINATION]]
// CHECK-NOT: linalg.generic
// CHECK: return
func.func private @in_place(%x: memref<8x16xf32>, %out: memref<8x16xf32>, %begin: index, %end: index) {
  %c1 = arith.constant 1 : index
  %t = bufferization.to_tensor %x restrict : memref<8x16xf32> to tensor<8x16xf32>
  scf.for %i = %begin to %end step %c1 {
    %d = memref.subview %out[%i, 0] [1, 16] [1, 1] : memref<8x16xf32> to memref<1x16xf32, strided<[16, 1], offset: ?>>
    %s = tensor.extract_slice %t[%i, 0] [1, 16] [1, 1] : tensor<8x16xf32> to tensor<1x16xf32>
    %e = tensor.empty() : tensor<1x16xf32>
    %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%s : tensor<1x16xf32>) outs(%e : tensor<1x16xf32>) {
    ^bb0(%a: f32, %o: f32):
      %1 = math.exp %a : f32
      linalg.yield %1 : f32
    } -> tensor<1x16xf32>
    bufferization.materialize_in_destination %r in restrict writable %d
        : (tensor<1x16xf32>, memref<1x16xf32, strided<[16, 1], offset: ?>>) -> ()
  }
  return
}

// Near miss: an argument that is a result is copied, by a loop and not by a call.
// CHECK-LABEL: func.func private @copy
// CHECK-NOT: memref.copy
// CHECK: linalg.generic
func.func private @copy(%x: memref<8x16xf32>, %out: memref<8x16xf32>, %begin: index, %end: index) {
  %t = bufferization.to_tensor %x restrict : memref<8x16xf32> to tensor<8x16xf32>
  bufferization.materialize_in_destination %t in restrict writable %out : (tensor<8x16xf32>, memref<8x16xf32>) -> ()
  return
}
