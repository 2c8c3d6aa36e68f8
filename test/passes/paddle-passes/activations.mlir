// silu_fuse of Paddle (docs/paddle-passes.md).
// RUN: proa-opt %s --pd-form-composites | FileCheck %s

// CHECK-LABEL: @silu
// CHECK-NEXT: pd.silu
// CHECK-NEXT: return
func.func @silu(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = pd.sigmoid %x : (tensor<3xf32>) -> tensor<3xf32>
  %1 = pd.multiply %x, %0 : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %1 : tensor<3xf32>
}
