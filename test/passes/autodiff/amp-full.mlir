// RUN: proa-opt %s --pd-amp="function=f level=O2 dtype=bf16" | FileCheck %s
// RUN: proa-opt %s --pd-amp="function=positions level=O2" | FileCheck %s --check-prefix=POSITIONS
// RUN: proa-opt %s --pd-amp="function=quantized level=O2" | FileCheck %s --check-prefix=QUANTIZED

// What is in bytes or becomes an integer is not rounded before.
// CHECK-LABEL: func @f(
// CHECK: pd.exp {{.*}} -> tensor<4x6xbf16>
// CHECK: pd.as_strided {{.*}} offset = 4 {{.*}} : (tensor<4x6xf32>) -> tensor<3x4xf32>
// CHECK-NEXT: pd.cast %arg0 {dtype = i64} : (tensor<4x6xf32>) -> tensor<4x6xi64>
func.func @f(%x: tensor<4x6xf32>) -> (tensor<3x4xf32>, tensor<4x6xi64>) {
  %e = pd.exp %x : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %s = pd.as_strided %e {dims = array<i64: 3, 4>, offset = 4 : i64, stride = array<i64: 6, 1>} : (tensor<4x6xf32>) -> tensor<3x4xf32>
  %i = pd.cast %x {dtype = i64} : (tensor<4x6xf32>) -> tensor<4x6xi64>
  return %s, %i : tensor<3x4xf32>, tensor<4x6xi64>
}

// The gradient of an op that stays in f32 is computed in f32; a product beside it is not.
// POSITIONS-LABEL: func @positions(
// POSITIONS: pd.matmul {{.*}} -> tensor<2x2xf16>
// POSITIONS: pd.vjp(%{{.*}}, %{{.*}} : tensor<1x1x4x4xf32>, tensor<1x2x2x2xf32>) cotangents(%{{.*}} : tensor<1x1x2x2xf32>)
// POSITIONS: pd.grid_sample {{.*}} -> tensor<1x1x2x2xf32>
// POSITIONS: pd.matmul {{.*}} -> tensor<2x2xf16>
// POSITIONS-NOT: pd.vjp
func.func @positions(%x: tensor<1x1x4x4xf32>, %grid: tensor<1x2x2x2xf32>, %w: tensor<2x2xf32>) -> (tensor<1x2x2x2xf32>, tensor<2x2xf32>) {
  %m = pd.matmul %w, %w : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %d = pd.reshape %m {shape = array<i64: 1, 1, 2, 2>} : (tensor<2x2xf32>) -> tensor<1x1x2x2xf32>
  %g:2 = pd.vjp(%x, %grid : tensor<1x1x4x4xf32>, tensor<1x2x2x2xf32>) cotangents(%d : tensor<1x1x2x2xf32>)
      {cotangent_of = array<i64: 0>, saved_of = array<i64>} : tensor<1x1x4x4xf32>, tensor<1x2x2x2xf32> {
  ^bb0(%a: tensor<1x1x4x4xf32>, %b: tensor<1x2x2x2xf32>):
    %s = pd.grid_sample %a, %b : (tensor<1x1x4x4xf32>, tensor<1x2x2x2xf32>) -> tensor<1x1x2x2xf32>
    pd.yield %s : tensor<1x1x2x2xf32>
  }
  %h:2 = pd.vjp(%w, %w : tensor<2x2xf32>, tensor<2x2xf32>) cotangents(%m : tensor<2x2xf32>)
      {cotangent_of = array<i64: 0>, saved_of = array<i64>} : tensor<2x2xf32>, tensor<2x2xf32> {
  ^bb0(%a: tensor<2x2xf32>, %b: tensor<2x2xf32>):
    %s = pd.matmul %a, %b : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    pd.yield %s : tensor<2x2xf32>
  }
  return %g#1, %h#0 : tensor<1x2x2x2xf32>, tensor<2x2xf32>
}

// Quantized integers and their scales stay in f32; the product that reads them does not.
// QUANTIZED-LABEL: func @quantized(
// QUANTIZED: pd.dequantize_linear %arg1 {{.*}} -> (tensor<4x2xf32>
// QUANTIZED: pd.matmul {{.*}} -> tensor<3x2xf16>
func.func @quantized(%x: tensor<3x4xf32>, %w: tensor<4x2xf32>, %s: tensor<1xf32>) -> tensor<3x2xf32> {
  %q:4 = pd.dequantize_linear %w scale = %s {bit_length = 16 : i64, quant_axis = -1 : i64} : (tensor<4x2xf32>, tensor<1xf32>) -> (tensor<4x2xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>)
  %m = pd.matmul %x, %q#0 : (tensor<3x4xf32>, tensor<4x2xf32>) -> tensor<3x2xf32>
  return %m : tensor<3x2xf32>
}
