// RUN: proa-opt --pd-lower-to-linalg %s | FileCheck %s

// CHECK-DAG: #[[$X:.*]] = affine_map<(d0, d1, d2, d3) -> (0, d1, d3)>
// CHECK-DAG: #[[$Y:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>
// CHECK-DAG: #[[$OUT:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
// CHECK-DAG: #[[$ROW:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK-DAG: #[[$COLUMNS:.*]] = affine_map<(d0, d1) -> (d1, d0)>
// CHECK-DAG: #[[$RESULT:.*]] = affine_map<(d0, d1) -> (d0)>

// A dim of size 1 of x is repeated; y is transposed; dynamic sizes come from the operands.
// CHECK-LABEL: func.func private @batch
// CHECK-SAME: %[[XT:.*]]: tensor<1x?x8xf32>, %[[YT:.*]]: tensor<?x6x8xf32>
// CHECK: %[[ROWS:.*]] = tensor.dim %[[XT]], %c1
// CHECK: %[[INIT:.*]] = linalg.fill
// CHECK: linalg.generic {indexing_maps = [#[[$X]], #[[$Y]], #[[$OUT]]]
// CHECK-SAME: iterator_types = ["parallel", "parallel", "parallel", "reduction"]
// CHECK: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32, %[[SUM:.*]]: f32):
// CHECK: %[[PRODUCT:.*]] = arith.mulf %[[A]], %[[B]]
// CHECK: arith.addf %[[SUM]], %[[PRODUCT]]
func.func private @batch(%x: tensor<1x?x8xf32>, %y: tensor<?x6x8xf32>) -> tensor<?x?x6xf32> attributes {proa.kernel} {
  %0 = pd.matmul %x, %y {transpose_y = true} : (tensor<1x?x8xf32>, tensor<?x6x8xf32>) -> tensor<?x?x6xf32>
  return %0 : tensor<?x?x6xf32>
}

// x is a row: the result has no dimension for it.
// CHECK-LABEL: func.func private @row
// CHECK: linalg.generic {indexing_maps = [#[[$ROW]], #[[$COLUMNS]], #[[$RESULT]]], iterator_types = ["parallel", "reduction"]
func.func private @row(%x: tensor<8xi32>, %y: tensor<8x6xi32>) -> tensor<6xi32> attributes {proa.kernel} {
  %0 = pd.matmul %x, %y : (tensor<8xi32>, tensor<8x6xi32>) -> tensor<6xi32>
  return %0 : tensor<6xi32>
}
