// RUN: proa-opt %s | proa-opt | FileCheck %s
// RUN: proa-opt %s --pd-decompose | FileCheck %s --check-prefix=DECOMPOSED

// CHECK-LABEL: @space
// DECOMPOSED-LABEL: @space
func.func @space(%x: tensor<?x3x7x6xf32>, %v: tensor<1x2x2x2x2xf32>, %i: tensor<1x2x2x2x2xi32>) -> (tensor<?x15xf32>, tensor<1x2x4x4x4xf32>) {
  // DECOMPOSED: pd.pool2d %{{.*}} {kernel_size = array<i64: 7, 6>, paddings = array<i64: 0, 0>, strides = array<i64: 7, 6>}
  // DECOMPOSED: pd.pool2d %{{.*}} {kernel_size = array<i64: 4, 3>, paddings = array<i64: 1, 0>, strides = array<i64: 4, 3>}
  // CHECK: pd.spp {{.*}} -> tensor<?x15xf32>
  %0 = pd.spp %x {pyramid_height = 2 : i64} : (tensor<?x3x7x6xf32>) -> tensor<?x15xf32>
  // DECOMPOSED: pd.put_along_axis {{.*}} : (tensor<1x2x64xf32>
  // CHECK: pd.unpool3d {{.*}} -> tensor<1x2x4x4x4xf32>
  %1 = pd.unpool3d %v, %i {ksize = array<i64: 2, 2, 2>, strides = array<i64: 2, 2, 2>} : (tensor<1x2x2x2x2xf32>, tensor<1x2x2x2x2xi32>) -> tensor<1x2x4x4x4xf32>
  return %0, %1 : tensor<?x15xf32>, tensor<1x2x4x4x4xf32>
}
