// RUN: proa-opt %s --pd-form-fused-attention | FileCheck %s
// RUN: proa-opt %s --pd-form-fused-attention --remarks=pd-form-fused-attention -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK

// Attention that devices split along the sequence has the kernels of a GPU too: three dims become four.
// CHECK-LABEL: func.func @batches(%arg0: tensor<2x8x4xf16>, %arg1: tensor<2x6x4xf16>, %arg2: tensor<2x6x5xf16>, %arg3: tensor<8x6xf32>)
// CHECK-DAG: %[[Q:.*]] = pd.reshape %arg0 {{.*}} -> tensor<1x2x8x4xf16>
// CHECK-DAG: %[[K:.*]] = pd.reshape %arg1 {{.*}} -> tensor<1x2x6x4xf16>
// CHECK-DAG: %[[V:.*]] = pd.reshape %arg2 {{.*}} -> tensor<1x2x6x5xf16>
// CHECK-DAG: %[[MASK:.*]] = pd.reshape %arg3 {{.*}} -> tensor<1x1x8x6xf32>
// CHECK: %[[OUT:[a-z_0-9]+]], %[[MAX:[a-z_0-9]+]], %[[SUM:[a-z_0-9]+]] = pd.fused_attention %[[Q]], %[[K]], %[[V]] mask = %[[MASK]] {scale = 5.000000e-01 : f64}
// CHECK-DAG: pd.reshape %[[OUT]] {{.*}} -> tensor<2x8x5xf16>
// CHECK-DAG: pd.reshape %[[MAX]] {{.*}} -> tensor<2x8x1xf32>
// CHECK-DAG: pd.reshape %[[SUM]] {{.*}} -> tensor<2x8x1xf32>
// CHECK: return
func.func @batches(%q: tensor<2x8x4xf16>, %k: tensor<2x6x4xf16>, %v: tensor<2x6x5xf16>, %bias: tensor<8x6xf32>)
    -> (tensor<2x8x5xf16>, tensor<2x8x1xf32>, tensor<2x8x1xf32>) {
  %0:3 = pd.attention %q, %k, %v, %bias {scale = 0.5 : f64}
    : (tensor<2x8x4xf16>, tensor<2x6x4xf16>, tensor<2x6x5xf16>, tensor<8x6xf32>)
    -> (tensor<2x8x5xf16>, tensor<2x8x1xf32>, tensor<2x8x1xf32>)
  return %0#0, %0#1, %0#2 : tensor<2x8x5xf16>, tensor<2x8x1xf32>, tensor<2x8x1xf32>
}

// CHECK-LABEL: func.func @gradient
// CHECK: %[[STATISTIC:.*]] = pd.reshape %arg1 {{.*}} -> tensor<2x3x8xf32>
// CHECK: %[[DQ:[a-z_0-9]+]], %[[DK:[a-z_0-9]+]], %[[DV:[a-z_0-9]+]] = pd.fused_attention_grad %arg0, %arg0, %arg0, %arg0, %[[STATISTIC]], %{{.*}}, %arg0 {scale = 2.000000e+00 : f64}
// CHECK: return %[[DQ]], %[[DK]], %[[DV]]
func.func @gradient(%q: tensor<2x3x8x4xf32>, %s: tensor<2x3x8x1xf32>)
    -> (tensor<2x3x8x4xf32>, tensor<2x3x8x4xf32>, tensor<2x3x8x4xf32>) {
  %0:3 = pd.attention_grad %q, %q, %q, %q, %s, %s, %q {scale = 2.0 : f64}
    : (tensor<2x3x8x4xf32>, tensor<2x3x8x4xf32>, tensor<2x3x8x4xf32>, tensor<2x3x8x4xf32>, tensor<2x3x8x1xf32>,
       tensor<2x3x8x1xf32>, tensor<2x3x8x4xf32>) -> (tensor<2x3x8x4xf32>, tensor<2x3x8x4xf32>, tensor<2x3x8x4xf32>)
  return %0#0, %0#1, %0#2 : tensor<2x3x8x4xf32>, tensor<2x3x8x4xf32>, tensor<2x3x8x4xf32>
}

// REMARK: its dims are dynamic, or more than four
// CHECK-LABEL: func.func @ranks
// CHECK: pd.attention
func.func @ranks(%q: tensor<2x3x1x8x4xf32>) -> tensor<2x3x1x8x4xf32> {
  %0:3 = pd.attention %q, %q, %q : (tensor<2x3x1x8x4xf32>, tensor<2x3x1x8x4xf32>, tensor<2x3x1x8x4xf32>)
    -> (tensor<2x3x1x8x4xf32>, tensor<2x3x1x8x1xf32>, tensor<2x3x1x8x1xf32>)
  return %0#0 : tensor<2x3x1x8x4xf32>
}

// REMARK: its operands have several element types
// CHECK-LABEL: func.func @types
// CHECK: pd.attention
func.func @types(%q: tensor<8x4xf32>, %v: tensor<8x4xf16>) -> tensor<8x4xf32> {
  %0:3 = pd.attention %q, %q, %v : (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf16>)
    -> (tensor<8x4xf32>, tensor<8x1xf32>, tensor<8x1xf32>)
  return %0#0 : tensor<8x4xf32>
}
