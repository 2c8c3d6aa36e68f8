// RUN: proa-opt %s --proa-check-dims --split-input-file | FileCheck %s
// RUN: proa-opt %s --proa-check-dims --remarks=proa-check-dims --split-input-file 2>&1 | FileCheck %s --check-prefix=REMARK

#id = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d1)>

// Dynamic dims that one loop walks; the column is read in each row.
// REMARK: remark: {{.*}}3 dims are compared before each call
// CHECK: func.func private @dynamic
// CHECK-SAME: proa.dim_checks = [#proa.dim_check<argument = 1, axis = 0, other = 0, other_axis = 0>, #proa.dim_check<argument = 1, axis = 1, other = 0, other_axis = 1>, #proa.dim_check<argument = 2, axis = 0, other = 0, other_axis = 1>]
func.func private @dynamic(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>, %z: tensor<?xf32>) -> tensor<?x?xf32>
    attributes {proa.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %m = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%n, %m) : tensor<?x?xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id, #column, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y, %z : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %o: f32):
    %1 = arith.addf %a, %b : f32
    %2 = arith.addf %1, %c : f32
    linalg.yield %2 : f32
  } -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// A dim of the result's type determines dims of the arguments; a static dim that is broadcast does not.
#id = affine_map<(d0, d1) -> (d0, d1)>
#one = affine_map<(d0, d1) -> (0, d1)>
// CHECK: func.func private @static
// CHECK-SAME: proa.dim_checks = [#proa.dim_check<argument = 0, axis = 0, size = 3>, #proa.dim_check<argument = 1, axis = 1, other = 0, other_axis = 1>]
func.func private @static(%x: tensor<?x?xf32>, %y: tensor<1x?xf32>) -> tensor<3x?xf32> attributes {proa.kernel} {
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m) : tensor<3x?xf32>
  %0 = linalg.generic {indexing_maps = [#id, #one, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<?x?xf32>, tensor<1x?xf32>) outs(%e : tensor<3x?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = arith.addf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<3x?xf32>
  return %0 : tensor<3x?xf32>
}

// -----

// Sizes also pass through casts and unit dims.
#vector = affine_map<(d0) -> (d0)>
// CHECK: func.func private @reshapes
// CHECK-SAME: proa.dim_checks = [#proa.dim_check<argument = 0, axis = 1, size = 4>, #proa.dim_check<argument = 1, axis = 0, size = 4>]
func.func private @reshapes(%x: tensor<1x?xf32>, %y: tensor<?xf32>) -> tensor<4xf32> attributes {proa.kernel} {
  %0 = tensor.collapse_shape %x [[0, 1]] : tensor<1x?xf32> into tensor<?xf32>
  %1 = tensor.cast %y : tensor<?xf32> to tensor<4xf32>
  %e = tensor.empty() : tensor<4xf32>
  %2 = linalg.generic {indexing_maps = [#vector, #vector, #vector], iterator_types = ["parallel"]}
      ins(%0, %1 : tensor<?xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %3 = arith.addf %a, %b : f32
    linalg.yield %3 : f32
  } -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// -----

// Elements that are read at computed indices: the sizes follow from the results' sizes.
#vector = affine_map<(d0) -> (d0)>
// CHECK: func.func private @sizes
// CHECK-SAME: proa.dim_checks = [#proa.dim_check<argument = 1, axis = 0, other = 0, other_axis = 0>]
func.func private @sizes(%x: tensor<?xi64>, %y: tensor<?xf32>) -> tensor<?xf32> attributes {proa.kernel} {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xi64>
  %e = tensor.empty(%n) : tensor<?xf32>
  %0 = linalg.generic {indexing_maps = [#vector, #vector], iterator_types = ["parallel"]}
      ins(%y : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %i = linalg.index 0 : index
    %1 = tensor.extract %x[%i] : tensor<?xi64>
    %2 = arith.sitofp %1 : i64 to f32
    %3 = arith.addf %a, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// Nothing to compare: one argument, static dims, and a function that is not a kernel.
#vector = affine_map<(d0) -> (d0)>
// CHECK-NOT: proa.dim_checks
// CHECK: func.func private @one
func.func private @one(%x: tensor<?xf32>) -> tensor<?xf32> attributes {proa.kernel} {
  return %x : tensor<?xf32>
}
// CHECK-NOT: proa.dim_checks
// CHECK: func.func private @unrelated
func.func private @unrelated(%x: tensor<?xf32>, %y: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>)
    attributes {proa.kernel} {
  return %x, %y : tensor<?xf32>, tensor<?xf32>
}
// CHECK-NOT: proa.dim_checks
// CHECK: func.func private @no_kernel
func.func private @no_kernel(%x: tensor<?xf32>, %y: tensor<?xf32>, %e: tensor<?xf32>) -> tensor<?xf32> {
  %0 = linalg.generic {indexing_maps = [#vector, #vector, #vector], iterator_types = ["parallel"]}
      ins(%x, %y : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = arith.addf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
