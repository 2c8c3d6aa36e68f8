// Poolings that are formulas.
// RUN: proa-opt %s | proa-opt | FileCheck %s
// RUN: proa-opt %s --pd-decompose | FileCheck %s --check-prefix=PLAIN

// CHECK-LABEL: func @lp_pool2d
// PLAIN-LABEL: func @lp_pool2d
func.func @lp_pool2d(%x: tensor<2x3x9x9xf32>) -> tensor<2x3x5x5xf32> {
  // CHECK: pd.lp_pool2d
  // PLAIN: pd.pad
  // PLAIN: pd.pool2d
  // PLAIN: pd.sqrt
  %0 = pd.lp_pool2d %x {kernel_size = array<i64: 3, 3>, strides = array<i64: 2, 2>, paddings = array<i64: 1, 1>, ceil_mode = true, norm_type = 2.0 : f64} : (tensor<2x3x9x9xf32>) -> tensor<2x3x5x5xf32>
  return %0 : tensor<2x3x5x5xf32>
}

// CHECK-LABEL: func @fractional
// PLAIN-LABEL: func @fractional
func.func @fractional(%x: tensor<?x3x9x9xf32>, %y: tensor<1x2x6x6x6xf32>) {
  // CHECK: pd.fractional_max_pool2d {{.*}} -> (tensor<?x3x4x4xf32>, tensor<?x3x4x4xi32>)
  // PLAIN: pd.argmax
  %0:2 = pd.fractional_max_pool2d %x {output_size = array<i64: 4, 4>, random_u = 0.3 : f64} : (tensor<?x3x9x9xf32>) -> (tensor<?x3x4x4xf32>, tensor<?x3x4x4xi32>)
  // CHECK: pd.fractional_max_pool3d
  // PLAIN: pd.argmax
  %1:2 = pd.fractional_max_pool3d %y {output_size = array<i64: 3, 3, 3>, kernel_size = array<i64: 2, 2, 2>, random_u = 0.6 : f64} : (tensor<1x2x6x6x6xf32>) -> (tensor<1x2x3x3x3xf32>, tensor<1x2x3x3x3xi32>)
  return
}

// CHECK-LABEL: func @spp
// PLAIN-LABEL: func @spp
func.func @spp(%x: tensor<?x3x7x6xf32>) -> tensor<?x15xf32> {
  // PLAIN: pd.pool2d %{{.*}} {kernel_size = array<i64: 7, 6>, paddings = array<i64: 0, 0>, strides = array<i64: 7, 6>}
  // PLAIN: pd.pool2d %{{.*}} {kernel_size = array<i64: 4, 3>, paddings = array<i64: 1, 0>, strides = array<i64: 4, 3>}
  // CHECK: pd.spp {{.*}} -> tensor<?x15xf32>
  %0 = pd.spp %x {pyramid_height = 2 : i64} : (tensor<?x3x7x6xf32>) -> tensor<?x15xf32>
  return %0 : tensor<?x15xf32>
}
