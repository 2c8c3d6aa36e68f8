// Activations and normalizations of primitives become one op each.
// RUN: proa-opt %s --pd-form-composites --split-input-file | FileCheck %s
// RUN: proa-opt %s --pd-form-composites --split-input-file --check-numerics -o /dev/null

// CHECK-LABEL: @gelu_of_erf
// CHECK-SAME: (%[[X:.*]]: tensor<?x4xf32>)
// CHECK-NEXT: %[[Y:.*]] = pd.gelu %[[X]] : (tensor<?x4xf32>) -> tensor<?x4xf32>
// CHECK-NEXT: return %[[Y]]
func.func @gelu_of_erf(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %c = pd.constant dense<1.41421354> : tensor<f32>
  %0 = pd.divide %x, %c : (tensor<?x4xf32>, tensor<f32>) -> tensor<?x4xf32>
  %1 = pd.erf %0 : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %2 = pd.scale %1 {bias = 1.0 : f64} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %3 = pd.multiply %x, %2 : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %4 = pd.scale %3 {scale = 0.5 : f64} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  return %4 : tensor<?x4xf32>
}

// -----

// The factor 0.5 may come first, and x may be computed by the ops that the formula has.
// CHECK-LABEL: @gelu_of_a_sum
// CHECK: %[[SUM:.*]] = pd.add
// CHECK-NEXT: pd.gelu %[[SUM]] :
// CHECK-NEXT: return
func.func @gelu_of_a_sum(%x: tensor<2x4xf32>, %b: tensor<4xf32>) -> tensor<2x4xf32> {
  %sum = pd.add %x, %b : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %0 = pd.scale %sum {scale = 0.70710678118654757 : f64} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %1 = pd.erf %0 : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %one = pd.constant dense<1.0> : tensor<f32>
  %2 = pd.add %one, %1 : (tensor<f32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %half = pd.scale %sum {scale = 0.5 : f64} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %3 = pd.multiply %half, %2 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return %3 : tensor<2x4xf32>
}

// -----

// CHECK-LABEL: @gelu_of_tanh
// CHECK-NEXT: pd.gelu %{{.*}} {approximate = true}
// CHECK-NEXT: return
func.func @gelu_of_tanh(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %0 = pd.pow %x {factor = 3.0 : f64} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %1 = pd.scale %0 {scale = 0.044715 : f64} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %2 = pd.add %x, %1 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %3 = pd.scale %2 {scale = 0.79788456 : f64} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %4 = pd.tanh %3 : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %5 = pd.scale %4 {bias = 1.0 : f64} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %6 = pd.multiply %5, %x : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %7 = pd.scale %6 {scale = 0.5 : f64} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return %7 : tensor<2x4xf32>
}

// -----

// CHECK-LABEL: @silu
// CHECK-NEXT: pd.silu
// CHECK-NEXT: return
func.func @silu(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = pd.sigmoid %x : (tensor<3xf32>) -> tensor<3xf32>
  %1 = pd.multiply %0, %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %1 : tensor<3xf32>
}

// -----

// CHECK-LABEL: @hardswish
// CHECK-NEXT: pd.hardswish
// CHECK-NEXT: return
func.func @hardswish(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = pd.scale %x {bias = 3.0 : f64} : (tensor<3xf32>) -> tensor<3xf32>
  %1 = pd.relu6 %0 : (tensor<3xf32>) -> tensor<3xf32>
  %six = pd.constant dense<6.0> : tensor<f32>
  %2 = pd.divide %1, %six : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  %3 = pd.multiply %x, %2 : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %3 : tensor<3xf32>
}

// -----

// CHECK-LABEL: @layer_norm
// CHECK-SAME: (%[[X:.*]]: tensor<?x2x4xf32>, %[[S:.*]]: tensor<4xf32>, %[[B:.*]]: tensor<4xf32>)
// CHECK-NEXT: pd.layer_norm %[[X]] scale = %[[S]] bias = %[[B]] {begin_norm_axis = 2 : i64
// CHECK-NEXT: return
func.func @layer_norm(%x: tensor<?x2x4xf32>, %s: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<?x2x4xf32> {
  %0 = pd.mean %x {axis = array<i64: -1>, keepdim = true} : (tensor<?x2x4xf32>) -> tensor<?x2x1xf32>
  %1 = pd.subtract %x, %0 : (tensor<?x2x4xf32>, tensor<?x2x1xf32>) -> tensor<?x2x4xf32>
  %2 = pd.multiply %1, %1 : (tensor<?x2x4xf32>, tensor<?x2x4xf32>) -> tensor<?x2x4xf32>
  %3 = pd.mean %2 {axis = array<i64: -1>, keepdim = true} : (tensor<?x2x4xf32>) -> tensor<?x2x1xf32>
  %4 = pd.scale %3 {bias = 1.0e-5 : f64} : (tensor<?x2x1xf32>) -> tensor<?x2x1xf32>
  %5 = pd.sqrt %4 : (tensor<?x2x1xf32>) -> tensor<?x2x1xf32>
  %6 = pd.divide %1, %5 : (tensor<?x2x4xf32>, tensor<?x2x1xf32>) -> tensor<?x2x4xf32>
  %7 = pd.multiply %6, %s : (tensor<?x2x4xf32>, tensor<4xf32>) -> tensor<?x2x4xf32>
  %8 = pd.add %7, %b : (tensor<?x2x4xf32>, tensor<4xf32>) -> tensor<?x2x4xf32>
  return %8 : tensor<?x2x4xf32>
}

// -----

// CHECK-LABEL: @rms_norm
// CHECK-NEXT: pd.rms_norm
// CHECK-NEXT: return
func.func @rms_norm(%x: tensor<?x4xf32>, %s: tensor<4xf32>) -> tensor<?x4xf32> {
  %0 = pd.square %x : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %1 = pd.mean %0 {axis = array<i64: 1>, keepdim = true} : (tensor<?x4xf32>) -> tensor<?x1xf32>
  %2 = pd.scale %1 {bias = 1.0e-6 : f64} : (tensor<?x1xf32>) -> tensor<?x1xf32>
  %3 = pd.rsqrt %2 : (tensor<?x1xf32>) -> tensor<?x1xf32>
  %4 = pd.multiply %x, %3 : (tensor<?x4xf32>, tensor<?x1xf32>) -> tensor<?x4xf32>
  %5 = pd.multiply %s, %4 : (tensor<4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return %5 : tensor<?x4xf32>
}

// -----

// Other constants, another use, another factor, another axis: nothing matches.
// CHECK-LABEL: @near_misses
// CHECK-NOT: pd.gelu
// CHECK-NOT: pd.silu
// CHECK-NOT: pd.rms_norm
// CHECK: return
func.func @near_misses(%x: tensor<4x4xf32>, %s: tensor<4xf32>)
    -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  %0 = pd.scale %x {scale = 0.7 : f64} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = pd.erf %0 : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = pd.scale %1 {bias = 1.0 : f64} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %3 = pd.multiply %x, %2 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %4 = pd.scale %3 {scale = 0.5 : f64} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %5 = pd.sigmoid %x : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %6 = pd.multiply %5, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %7 = pd.scale %x {scale = 1.702 : f64} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %8 = pd.sigmoid %7 : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %9 = pd.multiply %8, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %10 = pd.square %x : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %11 = pd.mean %10 {axis = array<i64: 0>, keepdim = true} : (tensor<4x4xf32>) -> tensor<1x4xf32>
  %12 = pd.scale %11 {bias = 1.0e-6 : f64} : (tensor<1x4xf32>) -> tensor<1x4xf32>
  %13 = pd.rsqrt %12 : (tensor<1x4xf32>) -> tensor<1x4xf32>
  %14 = pd.multiply %x, %13 : (tensor<4x4xf32>, tensor<1x4xf32>) -> tensor<4x4xf32>
  %15 = pd.multiply %14, %s : (tensor<4x4xf32>, tensor<4xf32>) -> tensor<4x4xf32>
  return %4, %5, %6, %9, %15 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// Halves as slices, with any order of operands.
// CHECK-LABEL: @rotary
// CHECK-SAME: (%[[X:.*]]: tensor<?x?x2x4xf32>, %[[C:.*]]: tensor<?x1x4xf32>, %[[S:.*]]: tensor<?x1x4xf32>)
// CHECK: %[[R:.*]] = pd.rotary_embedding %[[X]], %[[C]], %[[S]]
// CHECK-NEXT: return %[[R]]
func.func @rotary(%x: tensor<?x?x2x4xf32>, %c: tensor<?x1x4xf32>, %s: tensor<?x1x4xf32>) -> tensor<?x?x2x4xf32> {
  %0 = pd.multiply %x, %c : (tensor<?x?x2x4xf32>, tensor<?x1x4xf32>) -> tensor<?x?x2x4xf32>
  %1 = pd.slice %x {axes = array<i64: 3>, ends = array<i64: 2>, starts = array<i64: 0>} : (tensor<?x?x2x4xf32>) -> tensor<?x?x2x2xf32>
  %2 = pd.slice %x {axes = array<i64: 3>, ends = array<i64: 2147483647>, starts = array<i64: 2>} : (tensor<?x?x2x4xf32>) -> tensor<?x?x2x2xf32>
  %3 = pd.scale %2 {scale = -1.0 : f64} : (tensor<?x?x2x2xf32>) -> tensor<?x?x2x2xf32>
  %4 = pd.concat %3, %1 {axis = -1 : i64} : (tensor<?x?x2x2xf32>, tensor<?x?x2x2xf32>) -> tensor<?x?x2x4xf32>
  %5 = pd.multiply %s, %4 : (tensor<?x1x4xf32>, tensor<?x?x2x4xf32>) -> tensor<?x?x2x4xf32>
  %6 = pd.add %5, %0 : (tensor<?x?x2x4xf32>, tensor<?x?x2x4xf32>) -> tensor<?x?x2x4xf32>
  return %6 : tensor<?x?x2x4xf32>
}

// -----

// The halves in their order, or of another value: nothing matches.
// CHECK-LABEL: @not_rotary
// CHECK-NOT: pd.rotary_embedding
// CHECK: return
func.func @not_rotary(%x: tensor<2x4xf32>, %y: tensor<2x4xf32>, %c: tensor<4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>) {
  %0 = pd.multiply %x, %c : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %1 = pd.slice %x {axes = array<i64: 1>, ends = array<i64: 2>, starts = array<i64: 0>} : (tensor<2x4xf32>) -> tensor<2x2xf32>
  %2 = pd.slice %x {axes = array<i64: 1>, ends = array<i64: 4>, starts = array<i64: 2>} : (tensor<2x4xf32>) -> tensor<2x2xf32>
  %3 = pd.scale %1 {scale = -1.0 : f64} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %4 = pd.concat %3, %2 {axis = -1 : i64} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x4xf32>
  %5 = pd.multiply %4, %c : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %6 = pd.add %0, %5 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %7 = pd.scale %2 {scale = -1.0 : f64} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %8 = pd.concat %7, %1 {axis = -1 : i64} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x4xf32>
  %9 = pd.multiply %8, %c : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %10 = pd.multiply %y, %c : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %11 = pd.add %10, %9 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return %6, %11 : tensor<2x4xf32>, tensor<2x4xf32>
}
