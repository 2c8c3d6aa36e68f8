// RUN: proa-opt %s --pd-form-attention --canonicalize --cse | FileCheck %s
// RUN: proa-opt %s --pd-form-attention --remarks=pd-form-attention -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// The formulas of the two ops give the same values.
// RUN: proa-opt %s --pd-form-attention --check-numerics -o /dev/null

// CHECK-LABEL: @forward
// CHECK-SAME: (%[[Q:.*]]: tensor<2x8x4xf32>, %[[K:.*]]: tensor<2x8x4xf32>, %[[V:.*]]: tensor<2x8x5xf32>, %[[B:.*]]: tensor<8x8xf32>)
// CHECK-DAG: %[[Q4:.*]] = pd.reshape %[[Q]] {{.*}} -> tensor<1x2x8x4xf32>
// CHECK-DAG: %[[K4:.*]] = pd.reshape %[[K]] {{.*}} -> tensor<1x2x8x4xf32>
// CHECK-DAG: %[[V4:.*]] = pd.reshape %[[V]] {{.*}} -> tensor<1x2x8x5xf32>
// CHECK-DAG: %[[B4:.*]] = pd.reshape %[[B]] {{.*}} -> tensor<1x1x8x8xf32>
// CHECK: %[[O4:[a-z]+]], %{{.*}}, %{{.*}} = pd.fused_attention %[[Q4]], %[[K4]], %[[V4]] mask = %[[B4]] {scale = 5.000000e-01 : f64}
// CHECK-NEXT: %[[O:.*]] = pd.reshape %[[O4]] {{.*}} -> tensor<2x8x5xf32>
// CHECK-NEXT: return %[[O]]
// REMARK: pd.matmul is the end of an attention
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
// CHECK: %[[O:[a-z]+]], %[[M:[a-z]+]], %[[S:[a-z]+]] = pd.fused_attention %[[Q4:.*]], %[[K4:.*]], %[[V4:.*]] {scale = 5.000000e-01 : f64}
// CHECK: %[[G4:.*]] = pd.reshape %[[G]]
// CHECK: %[[QG:.*]], %[[KG:.*]], %[[VG:.*]] = pd.fused_attention_grad %[[Q4]], %[[K4]], %[[V4]], %[[G4]], %[[M]], %[[S]], %[[O]] {scale = 5.000000e-01 : f64}
// REMARK: pd.matmul is the end of an attention, which has a gradient
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
// CHECK: pd.fused_attention {{.*}} : (tensor<1x1x8x4xf16>, tensor<1x1x8x4xf16>, tensor<1x1x8x4xf16>) -> (tensor<1x1x8x4xf16>, tensor<1x1x8xf32>, tensor<1x1x8xf32>)
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
// CHECK-NOT: pd.fused_attention
// REMARK: pd.matmul is not the end of an attention: its weights are used elsewhere
func.func @weights(%q: tensor<8x4xf32>, %v: tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<8x8xf32>) {
  %0 = pd.matmul %q, %q {transpose_y = true} : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x8xf32>
  %1 = pd.softmax %0 : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = pd.matmul %1, %v : (tensor<8x8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %2, %1 : tensor<8x4xf32>, tensor<8x8xf32>
}

// CHECK-LABEL: @cross
// CHECK-NOT: pd.fused_attention
// REMARK: queries and keys are not of one sequence
func.func @cross(%q: tensor<6x4xf32>, %k: tensor<8x4xf32>) -> tensor<6x4xf32> {
  %0 = pd.matmul %q, %k {transpose_y = true} : (tensor<6x4xf32>, tensor<8x4xf32>) -> tensor<6x8xf32>
  %1 = pd.softmax %0 : (tensor<6x8xf32>) -> tensor<6x8xf32>
  %2 = pd.matmul %1, %k : (tensor<6x8xf32>, tensor<8x4xf32>) -> tensor<6x4xf32>
  return %2 : tensor<6x4xf32>
}

// CHECK-LABEL: @other_axis
// CHECK-NOT: pd.fused_attention
// REMARK: the softmax is not along the last dim
func.func @other_axis(%q: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = pd.matmul %q, %q {transpose_y = true} : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x8xf32>
  %1 = pd.softmax %0 {axis = 0 : i64} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = pd.matmul %1, %q : (tensor<8x8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %2 : tensor<8x4xf32>
}

// CHECK-LABEL: @sigmoid
// CHECK-NOT: pd.fused_attention
// REMARK: its scores are not a matmul that is scaled and masked
func.func @sigmoid(%q: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = pd.matmul %q, %q {transpose_y = true} : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x8xf32>
  %1 = pd.sigmoid %0 : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = pd.softmax %1 : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %3 = pd.matmul %2, %q : (tensor<8x8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %3 : tensor<8x4xf32>
}

// The gradient of the scores has another factor than the scores, which multiplies the results.
// CHECK-LABEL: @other_factor
// CHECK: pd.fused_attention_grad {{.*}} : (
// CHECK: pd.scale {{.*}}scale = 5.000000e-01
// CHECK: pd.scale {{.*}}scale = 5.000000e-01
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

// A causal mask depends on where a query is in the sequence.
// CHECK-LABEL: @causal
// CHECK-NOT: pd.fused_attention
// REMARK: its op has no causal mask, no dropout, and no gradient of a mask
func.func @causal(%q: tensor<2x4x8x4xf32>) -> tensor<2x4x8x4xf32> {
  %0 = pd.matmul %q, %q {transpose_y = true} : (tensor<2x4x8x4xf32>, tensor<2x4x8x4xf32>) -> tensor<2x4x8x8xf32>
  %1 = pd.fused_softmax_mask_upper_triangle %0 : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %2 = pd.matmul %1, %q : (tensor<2x4x8x8xf32>, tensor<2x4x8x4xf32>) -> tensor<2x4x8x4xf32>
  return %2 : tensor<2x4x8x4xf32>
}

// Transposed keys are read as they were before; transposes of heads stay, as devices may split the heads.
// CHECK-LABEL: @transposed_keys
// CHECK-SAME: (%[[X:.*]]: tensor<2x8x3x4xf32>)
// CHECK: %[[T:.*]] = pd.transpose %[[X]] {perm = array<i64: 0, 2, 1, 3>}
// CHECK-NEXT: pd.fused_attention %[[T]], %[[T]], %[[T]] :
func.func @transposed_keys(%x: tensor<2x8x3x4xf32>) -> tensor<2x3x8x4xf32> {
  %q = pd.transpose %x {perm = array<i64: 0, 2, 1, 3>} : (tensor<2x8x3x4xf32>) -> tensor<2x3x8x4xf32>
  %k = pd.transpose %x {perm = array<i64: 0, 2, 3, 1>} : (tensor<2x8x3x4xf32>) -> tensor<2x3x4x8xf32>
  %0 = pd.matmul %q, %k : (tensor<2x3x8x4xf32>, tensor<2x3x4x8xf32>) -> tensor<2x3x8x8xf32>
  %1 = pd.softmax %0 : (tensor<2x3x8x8xf32>) -> tensor<2x3x8x8xf32>
  %2 = pd.matmul %1, %q : (tensor<2x3x8x8xf32>, tensor<2x3x8x4xf32>) -> tensor<2x3x8x4xf32>
  return %2 : tensor<2x3x8x4xf32>
}
