// RUN: proa-opt %s --proa-mark-fast-math | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// Only what accumulates may be reassociated.
// CHECK-LABEL: func.func @sum_of_squares
// CHECK: arith.mulf %{{.*}}, %{{.*}} fastmath<contract> : f32
// CHECK: arith.addf %{{.*}}, %{{.*}} fastmath<reassoc,contract> : f32
func.func @sum_of_squares(%x: tensor<4x8xf32>, %i: tensor<4xf32>) -> tensor<4xf32> {
  %0 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x8xf32>) outs(%i : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.mulf %a, %a : f32
    %2 = arith.addf %o, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Near miss: an addition to the output of an operation without reduction.
// CHECK-LABEL: func.func @parallel
// CHECK: arith.addf %{{.*}}, %{{.*}} fastmath<contract> : f32
func.func @parallel(%x: tensor<4x8xf32>, %i: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf32>) outs(%i : tensor<4x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %2 = arith.addf %o, %a : f32
    linalg.yield %2 : f32
  } -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// Conversions keep their rounding.
// CHECK-LABEL: func.func @conversions
// CHECK: arith.truncf %{{.*}} : f64 to f32
// CHECK: arith.extf %{{.*}} : f32 to f64
// CHECK: arith.mulf %{{.*}}, %{{.*}} fastmath<contract> : f64
func.func @conversions(%x: tensor<4x8xf64>, %i: tensor<4x8xf64>) -> tensor<4x8xf64> {
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf64>) outs(%i : tensor<4x8xf64>) {
  ^bb0(%a: f64, %o: f64):
    %1 = arith.truncf %a : f64 to f32
    %2 = arith.extf %1 : f32 to f64
    %3 = arith.mulf %2, %a : f64
    linalg.yield %3 : f64
  } -> tensor<4x8xf64>
  return %0 : tensor<4x8xf64>
}

// Which of two zeros a maximum gives is left open; NaN is not.
// CHECK-LABEL: func.func @maximum
// CHECK: arith.maximumf %{{.*}}, %{{.*}} fastmath<nsz,contract> : f32
func.func @maximum(%x: tensor<4x8xf32>, %i: tensor<4xf32>) -> tensor<4xf32> {
  %0 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x8xf32>) outs(%i : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %2 = arith.maximumf %o, %a : f32
    linalg.yield %2 : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// A row is divided by its sum.
// CHECK-LABEL: func.func @divide_by_sum
// CHECK: arith.divf %{{.*}}, %{{.*}} fastmath<arcp,contract> : f32
func.func @divide_by_sum(%x: tensor<4x8xf32>, %i: tensor<4xf32>, %e: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x8xf32>) outs(%i : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %2 = arith.addf %o, %a : f32
    linalg.yield %2 : f32
  } -> tensor<4xf32>
  %1 = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %0 : tensor<4x8xf32>, tensor<4xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %2 = arith.divf %a, %b : f32
    linalg.yield %2 : f32
  } -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// Near miss: a divisor that no reduction gives.
// CHECK-LABEL: func.func @divide_by_row
// CHECK: arith.divf %{{.*}}, %{{.*}} fastmath<contract> : f32
func.func @divide_by_row(%x: tensor<4x8xf32>, %y: tensor<4xf32>, %e: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %1 = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<4x8xf32>, tensor<4xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %2 = arith.divf %a, %b : f32
    linalg.yield %2 : f32
  } -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}
