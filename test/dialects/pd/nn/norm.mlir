// RUN: proa-opt %s | proa-opt | FileCheck %s

// CHECK-LABEL: func @affine_channel
func.func @affine_channel(%x: tensor<2x3x2x2xf64>, %scale: tensor<3xf64>, %bias: tensor<3xf64>) {
  // CHECK: pd.affine_channel %{{.*}}, %{{.*}}, %{{.*}} : (tensor<2x3x2x2xf64>, tensor<3xf64>, tensor<3xf64>) -> tensor<2x3x2x2xf64>
  %0 = pd.affine_channel %x, %scale, %bias : (tensor<2x3x2x2xf64>, tensor<3xf64>, tensor<3xf64>) -> tensor<2x3x2x2xf64>
  return
}

// CHECK-LABEL: func @batch_norm
func.func @batch_norm(%x: tensor<2x2xf64>, %mean: tensor<2xf64>, %variance: tensor<2xf64>) {
  // CHECK: pd.batch_norm %{{.*}}, %{{.*}}, %{{.*}} {epsilon = 0.000000e+00 : f64, momentum = 7.500000e-01 : f64} : (tensor<2x2xf64>, tensor<2xf64>, tensor<2xf64>) -> (tensor<2x2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<0xf64>)
  %0:6 = pd.batch_norm %x, %mean, %variance {epsilon = 0.0, momentum = 0.75} : (tensor<2x2xf64>, tensor<2xf64>, tensor<2xf64>) -> (tensor<2x2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<0xf64>)
  return
}

// CHECK-LABEL: func @group_norm
func.func @group_norm(%x: tensor<1x2x2xf64>) {
  // CHECK: pd.group_norm %{{.*}} {epsilon = 0.000000e+00 : f64, groups = 2 : i64} : (tensor<1x2x2xf64>) -> (tensor<1x2x2xf64>, tensor<1x2xf64>, tensor<1x2xf64>)
  %0:3 = pd.group_norm %x {epsilon = 0.0, groups = 2} : (tensor<1x2x2xf64>) -> (tensor<1x2x2xf64>, tensor<1x2xf64>, tensor<1x2xf64>)
  return
}

// CHECK-LABEL: func @instance_norm
func.func @instance_norm(%x: tensor<1x2x2xf64>) {
  // CHECK: pd.instance_norm %{{.*}} {epsilon = 0.000000e+00 : f64} : (tensor<1x2x2xf64>) -> (tensor<1x2x2xf64>, tensor<2xf64>, tensor<2xf64>)
  %0:3 = pd.instance_norm %x {epsilon = 0.0} : (tensor<1x2x2xf64>) -> (tensor<1x2x2xf64>, tensor<2xf64>, tensor<2xf64>)
  return
}

// CHECK-LABEL: func @layer_norm
func.func @layer_norm(%x: tensor<2x4x8xf32>) {
  // CHECK: pd.layer_norm %{{.*}} {epsilon = 9.9999997473787516E-6 : f64} : (tensor<2x4x8xf32>) -> (tensor<2x4x8xf32>, tensor<2xf32>, tensor<2xf32>)
  %0:3 = pd.layer_norm %x {epsilon = 9.9999997473787516E-6 : f64} : (tensor<2x4x8xf32>) -> (tensor<2x4x8xf32>, tensor<2xf32>, tensor<2xf32>)
  return
}

// CHECK-LABEL: func @lrn
func.func @lrn(%x: tensor<1x5x2x2xf64>) {
  // CHECK: pd.lrn %{{.*}} {alpha = 1.000000e-01 : f64, n = 3 : i64} : (tensor<1x5x2x2xf64>) -> (tensor<1x5x2x2xf64>, tensor<1x5x2x2xf64>)
  %0:2 = pd.lrn %x {n = 3 : i64, alpha = 0.1} : (tensor<1x5x2x2xf64>) -> (tensor<1x5x2x2xf64>, tensor<1x5x2x2xf64>)
  return
}

// CHECK-LABEL: func @norm
func.func @norm(%x: tensor<3x4xf64>) {
  // CHECK: pd.norm %{{.*}} {axis = 1 : i64} : (tensor<3x4xf64>) -> (tensor<3x4xf64>, tensor<3x1xf64>)
  %0:2 = pd.norm %x {axis = 1 : i64} : (tensor<3x4xf64>) -> (tensor<3x4xf64>, tensor<3x1xf64>)
  return
}

// CHECK-LABEL: func @spectral_norm
func.func @spectral_norm(%a: tensor<2x2xf64>, %b: tensor<2xf64>) {
  // CHECK: pd.spectral_norm %{{.*}}, %{{.*}}, %{{.*}} {eps = 0.000000e+00 : f64} : (tensor<2x2xf64>, tensor<2xf64>, tensor<2xf64>) -> tensor<2x2xf64>
  %0 = pd.spectral_norm %a, %b, %b {eps = 0.0} : (tensor<2x2xf64>, tensor<2xf64>, tensor<2xf64>) -> tensor<2x2xf64>
  return
}

// CHECK-LABEL: func @nn_uses
func.func @nn_uses(%x: tensor<2x3xf32>) {
  // CHECK: pd.norm %{{.*}} {axis = 1 : i64}
  %2:2 = pd.norm %x {axis = 1 : i64} : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x1xf32>)
  return
}
