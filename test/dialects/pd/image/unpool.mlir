// RUN: proa-opt %s | proa-opt | FileCheck %s
// RUN: proa-opt %s --pd-decompose | FileCheck %s --check-prefix=DECOMPOSED

// CHECK-LABEL: func @unpool
func.func @unpool(%x: tensor<1x2x2x2xf64>, %indices: tensor<1x2x2x2xi32>) {
  // CHECK: pd.unpool %{{.*}}, %{{.*}} {ksize = array<i64: 2, 2>, padding = array<i64: 0, 0>, strides = array<i64: 2, 2>} : (tensor<1x2x2x2xf64>, tensor<1x2x2x2xi32>) -> tensor<1x2x4x4xf64>
  %0 = pd.unpool %x, %indices {ksize = array<i64: 2, 2>, strides = array<i64: 2, 2>, padding = array<i64: 0, 0>} : (tensor<1x2x2x2xf64>, tensor<1x2x2x2xi32>) -> tensor<1x2x4x4xf64>
  return
}

// CHECK-LABEL: func @unpool3d
// DECOMPOSED-LABEL: func @unpool3d
func.func @unpool3d(%v: tensor<1x2x2x2x2xf32>, %i: tensor<1x2x2x2x2xi32>) -> tensor<1x2x4x4x4xf32> {
  // DECOMPOSED: pd.put_along_axis {{.*}} : (tensor<1x2x64xf32>
  // CHECK: pd.unpool3d {{.*}} -> tensor<1x2x4x4x4xf32>
  %0 = pd.unpool3d %v, %i {ksize = array<i64: 2, 2, 2>, strides = array<i64: 2, 2, 2>} : (tensor<1x2x2x2x2xf32>, tensor<1x2x2x2x2xi32>) -> tensor<1x2x4x4x4xf32>
  return %0 : tensor<1x2x4x4x4xf32>
}
