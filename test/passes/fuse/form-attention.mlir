// RUN: proa-opt %s --pd-form-attention | FileCheck %s
// RUN: proa-opt %s --pd-form-attention --remarks=pd-form-attention -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// The formulas of the two ops give the same values.
// RUN: proa-opt %s --pd-form-attention --check-numerics -o /dev/null

// CHECK-LABEL: @forward
// CHECK-SAME: (%[[Q:.*]]: tensor<2x8x4xf32>, %[[K:.*]]: tensor<2x8x4xf32>, %[[V:.*]]: tensor<2x8x5xf32>, %[[B:.*]]: tensor<8x8xf32>)
// CHECK-NEXT: %[[O:.*]], %{{.*}}, %{{.*}} = pd.attention %[[Q]], %[[K]], %[[V]], %[[B]] {scale = 5.000000e-01 : f64}
// CHECK-NEXT: return %[[O]]
// REMARK: an attention becomes pd.attention
func.func @forward(%q: tensor<2x8x4xf32>, %k: tensor<2x8x4xf32>, %v: tensor<2x8x5xf32>, %bias: tensor<8x8xf32>) -> tensor<2x8x5xf32> {
  %0 = pd.matmul %q, %k {transpose_y = true} : (tensor<2x8x4xf32>, tensor<2x8x4xf32>) -> tensor<2x8x8xf32>
  %1 = pd.scale %0 {scale = 0.5 : f64} : (tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %2 = pd.add %1, %bias : (tensor<2x8x8xf32>, tensor<8x8xf32>) -> tensor<2x8x8xf32>
  %3 = pd.softmax %2 : (tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %4 = pd.matmul %3, %v : (tensor<2x8x8xf32>, tensor<2x8x5xf32>) -> tensor<2x8x5xf32>
  return %4 : tensor<2x8x5xf32>
}

// CHECK-LABEL: @gradient
// CHECK-SAME: (%[[Q:.*]]: tensor<2x8x4xf32>, %[[K:.*]]: tensor<2x8x4xf32>, %[[V:.*]]: tensor<2x8x5xf32>, %[[G:.*]]: tensor<2x8x5xf32>)
// CHECK-NEXT: %[[O:.*]], %[[M:.*]], %[[S:.*]] = pd.attention %[[Q]], %[[K]], %[[V]] {scale = 5.000000e-01 : f64}
// CHECK-NEXT: %[[QG:.*]], %[[KG:.*]], %[[VG:.*]] = pd.attention_grad %[[Q]], %[[K]], %[[V]], %[[O]], %[[M]], %[[S]], %[[G]] {scale = 5.000000e-01 : f64}
// CHECK-NEXT: return %[[O]], %[[QG]], %[[KG]], %[[VG]]
// REMARK: an attention and its gradient become one op each
func.func @gradient(%q: tensor<2x8x4xf32>, %k: tensor<2x8x4xf32>, %v: tensor<2x8x5xf32>, %g: tensor<2x8x5xf32>)
    -> (tensor<2x8x5xf32>, tensor<2x8x4xf32>, tensor<2x8x4xf32>, tensor<2x8x5xf32>) {
  %0 = pd.matmul %q, %k {transpose_y = true} : (tensor<2x8x4xf32>, tensor<2x8x4xf32>) -> tensor<2x8x8xf32>
  %1 = pd.scale %0 {scale = 0.5 : f64} : (tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %2 = pd.softmax %1 : (tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %3 = pd.matmul %2, %v : (tensor<2x8x8xf32>, tensor<2x8x5xf32>) -> tensor<2x8x5xf32>
  %4 = pd.matmul %g, %v {transpose_y = true} : (tensor<2x8x5xf32>, tensor<2x8x5xf32>) -> tensor<2x8x8xf32>
  %5 = pd.matmul %2, %g {transpose_x = true} : (tensor<2x8x8xf32>, tensor<2x8x5xf32>) -> tensor<2x8x5xf32>
  %6 = pd.multiply %4, %2 : (tensor<2x8x8xf32>, tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %7 = pd.sum %6 {axis = array<i64: 2>, keepdim = true} : (tensor<2x8x8xf32>) -> tensor<2x8x1xf32>
  %8 = pd.subtract %4, %7 : (tensor<2x8x8xf32>, tensor<2x8x1xf32>) -> tensor<2x8x8xf32>
  %9 = pd.multiply %8, %2 : (tensor<2x8x8xf32>, tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %10 = pd.scale %9 {scale = 0.5 : f64} : (tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %11 = pd.matmul %10, %k : (tensor<2x8x8xf32>, tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  %12 = pd.matmul %10, %q {transpose_x = true} : (tensor<2x8x8xf32>, tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  return %3, %11, %12, %5 : tensor<2x8x5xf32>, tensor<2x8x4xf32>, tensor<2x8x4xf32>, tensor<2x8x5xf32>
}

// Scores in 16 bits are widened for the softmax.
// CHECK-LABEL: @half
// CHECK: pd.attention {{.*}} : (tensor<8x4xf16>, tensor<8x4xf16>, tensor<8x4xf16>) -> (tensor<8x4xf16>, tensor<8x1xf32>, tensor<8x1xf32>)
func.func @half(%q: tensor<8x4xf16>, %k: tensor<8x4xf16>, %v: tensor<8x4xf16>) -> tensor<8x4xf16> {
  %0 = pd.matmul %q, %k {transpose_y = true} : (tensor<8x4xf16>, tensor<8x4xf16>) -> tensor<8x8xf16>
  %1 = pd.cast %0 {dtype = f32} : (tensor<8x8xf16>) -> tensor<8x8xf32>
  %2 = pd.softmax %1 : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %3 = pd.cast %2 {dtype = f16} : (tensor<8x8xf32>) -> tensor<8x8xf16>
  %4 = pd.matmul %3, %v : (tensor<8x8xf16>, tensor<8x4xf16>) -> tensor<8x4xf16>
  return %4 : tensor<8x4xf16>
}

// The weights are a result.
// CHECK-LABEL: @weights
// CHECK-NOT: pd.attention
// REMARK: pd.softmax is not part of an attention: its result has other uses
func.func @weights(%q: tensor<8x4xf32>, %v: tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<8x8xf32>) {
  %0 = pd.matmul %q, %q {transpose_y = true} : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x8xf32>
  %1 = pd.softmax %0 : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = pd.matmul %1, %v : (tensor<8x8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %2, %1 : tensor<8x4xf32>, tensor<8x8xf32>
}

// CHECK-LABEL: @cross
// CHECK-NOT: pd.attention
// REMARK: queries and keys are not those of one sequence of a known length
func.func @cross(%q: tensor<6x4xf32>, %k: tensor<8x4xf32>) -> tensor<6x4xf32> {
  %0 = pd.matmul %q, %k {transpose_y = true} : (tensor<6x4xf32>, tensor<8x4xf32>) -> tensor<6x8xf32>
  %1 = pd.softmax %0 : (tensor<6x8xf32>) -> tensor<6x8xf32>
  %2 = pd.matmul %1, %k : (tensor<6x8xf32>, tensor<8x4xf32>) -> tensor<6x4xf32>
  return %2 : tensor<6x4xf32>
}

// CHECK-LABEL: @other_axis
// CHECK-NOT: pd.attention
// REMARK: the softmax is not along the last dimension
func.func @other_axis(%q: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = pd.matmul %q, %q {transpose_y = true} : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x8xf32>
  %1 = pd.softmax %0 {axis = 0 : i64} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = pd.matmul %1, %q : (tensor<8x8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %2 : tensor<8x4xf32>
}

// CHECK-LABEL: @tanh
// CHECK-NOT: pd.attention
// REMARK: its operand is not a product q k^T with factors and biases, each used once
func.func @tanh(%q: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = pd.matmul %q, %q {transpose_y = true} : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x8xf32>
  %1 = pd.tanh %0 : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = pd.softmax %1 : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %3 = pd.matmul %2, %q : (tensor<8x8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %3 : tensor<8x4xf32>
}

// The gradient of the scores has another factor than the scores.
// CHECK-LABEL: @other_factor
// CHECK-NOT: pd.attention
// REMARK: its gradient has another factor
func.func @other_factor(%q: tensor<8x4xf32>, %k: tensor<8x4xf32>, %v: tensor<8x5xf32>, %g: tensor<8x5xf32>)
    -> (tensor<8x5xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x5xf32>) {
  %0 = pd.matmul %q, %k {transpose_y = true} : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x8xf32>
  %2 = pd.softmax %0 : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %3 = pd.matmul %2, %v : (tensor<8x8xf32>, tensor<8x5xf32>) -> tensor<8x5xf32>
  %4 = pd.matmul %g, %v {transpose_y = true} : (tensor<8x5xf32>, tensor<8x5xf32>) -> tensor<8x8xf32>
  %5 = pd.matmul %2, %g {transpose_x = true} : (tensor<8x8xf32>, tensor<8x5xf32>) -> tensor<8x5xf32>
  %6 = pd.multiply %4, %2 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %7 = pd.sum %6 {axis = array<i64: 1>, keepdim = true} : (tensor<8x8xf32>) -> tensor<8x1xf32>
  %8 = pd.subtract %4, %7 : (tensor<8x8xf32>, tensor<8x1xf32>) -> tensor<8x8xf32>
  %9 = pd.multiply %8, %2 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %10 = pd.scale %9 {scale = 0.5 : f64} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %11 = pd.matmul %10, %k : (tensor<8x8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  %12 = pd.matmul %10, %q {transpose_x = true} : (tensor<8x8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %3, %11, %12, %5 : tensor<8x5xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x5xf32>
}
