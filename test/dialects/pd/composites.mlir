// RUN: proa-opt %s --split-input-file --verify-diagnostics | proa-opt --split-input-file | FileCheck %s

// CHECK-LABEL: @composites
func.func @composites(%x: tensor<2x3x4xf32>) {
  // CHECK: pd.median {{.*}} -> tensor<2x4xf32>
  %1 = pd.median %x {axis = array<i64: 1>, mode = "min"} : (tensor<2x3x4xf32>) -> tensor<2x4xf32>
  // CHECK: pd.svdvals {{.*}} -> tensor<2x3xf32>
  %2 = pd.svdvals %x : (tensor<2x3x4xf32>) -> tensor<2x3xf32>
  // CHECK: pd.swiglu {{.*}} -> tensor<2x3x2xf32>
  %3 = pd.swiglu %x : (tensor<2x3x4xf32>) -> tensor<2x3x2xf32>
  return
}
