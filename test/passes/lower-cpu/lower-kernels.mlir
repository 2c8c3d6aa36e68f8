// RUN: proa-opt %s --proa-lower-kernels | FileCheck %s

#id = affine_map<(d0) -> (d0)>

// The function with bare pointers is private, its callers have the interface of the runtime.
// CHECK: llvm.func internal @scale_rows(%{{.*}}: !llvm.ptr {llvm.noalias}, %{{.*}}: !llvm.ptr {llvm.noalias}, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: i64)
// CHECK-NOT: unrealized_conversion_cast
// CHECK: llvm.func @scale(%[[BUFFERS:.*]]: !llvm.ptr, %[[DIMS:.*]]: !llvm.ptr, %[[BEGIN:.*]]: i64, %[[END:.*]]: i64)
// CHECK-SAME: proa.kernel, proa.rows = #proa.rows<count = ?,
// CHECK: llvm.call @scale_rows(
// CHECK-SAME: %[[BEGIN]], %[[END]])
// CHECK: llvm.func internal @scale_shape_dims
// CHECK: llvm.func @scale_shape(%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr)
func.func private @scale(%x: tensor<?xf32>) -> tensor<?xf32> attributes {proa.kernel} {
  %c0 = arith.constant 0 : index
  %two = arith.constant 2.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.mulf %a, %two : f32
    linalg.yield %1 : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
