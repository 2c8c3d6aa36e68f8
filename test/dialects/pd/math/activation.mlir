// RUN: proa-opt %s | proa-opt | FileCheck %s

// CHECK-LABEL: func @celu
func.func @celu(%x: tensor<4xf64>) {
  // CHECK: pd.celu %{{.*}} {alpha = 1.700000e+00 : f64} : (tensor<4xf64>) -> tensor<4xf64>
  %0 = pd.celu %x {alpha = 1.7} : (tensor<4xf64>) -> tensor<4xf64>
  return
}

// CHECK-LABEL: func @elu
func.func @elu(%x: tensor<4xf64>) {
  // CHECK: pd.elu %{{.*}} {alpha = 1.300000e+00 : f64} : (tensor<4xf64>) -> tensor<4xf64>
  %0 = pd.elu %x {alpha = 1.3} : (tensor<4xf64>) -> tensor<4xf64>
  return
}

// CHECK-LABEL: func @gelu
func.func @gelu(%x: tensor<7xf64>) {
  // CHECK: pd.gelu %{{.*}} : (tensor<7xf64>) -> tensor<7xf64>
  %0 = pd.gelu %x : (tensor<7xf64>) -> tensor<7xf64>
  return
}

// CHECK-LABEL: func @hardshrink
func.func @hardshrink(%x: tensor<7xf64>) {
  // CHECK: pd.hardshrink %{{.*}} : (tensor<7xf64>) -> tensor<7xf64>
  %0 = pd.hardshrink %x : (tensor<7xf64>) -> tensor<7xf64>
  return
}

// CHECK-LABEL: func @hardsigmoid
func.func @hardsigmoid(%x: tensor<?x3xf32>) {
  // CHECK: pd.hardsigmoid %{{.*}} {slope = 0.16666670143604279 : f64} : (tensor<?x3xf32>) -> tensor<?x3xf32>
  %0 = pd.hardsigmoid %x {slope = 0.16666670143604279 : f64} : (tensor<?x3xf32>) -> tensor<?x3xf32>
  return
}

// CHECK-LABEL: func @hardswish
func.func @hardswish(%x: tensor<7xf64>) {
  // CHECK: pd.hardswish %{{.*}} : (tensor<7xf64>) -> tensor<7xf64>
  %0 = pd.hardswish %x : (tensor<7xf64>) -> tensor<7xf64>
  return
}

// CHECK-LABEL: func @hardtanh
func.func @hardtanh(%x: tensor<7xf64>) {
  // CHECK: pd.hardtanh %{{.*}} {t_max = 1.000000e+00 : f64, t_min = -1.000000e+00 : f64} : (tensor<7xf64>) -> tensor<7xf64>
  %0 = pd.hardtanh %x {t_min = -1.0, t_max = 1.0} : (tensor<7xf64>) -> tensor<7xf64>
  return
}

// CHECK-LABEL: func @leaky_relu
func.func @leaky_relu(%x: tensor<3x4xf32>) {
  // CHECK: pd.leaky_relu %{{.*}} {negative_slope = 0.20000000298023224 : f64} : (tensor<3x4xf32>) -> tensor<3x4xf32>
  %0 = pd.leaky_relu %x {negative_slope = 0.20000000298023224 : f64} : (tensor<3x4xf32>) -> tensor<3x4xf32>
  return
}

// CHECK-LABEL: func @logit
func.func @logit(%x: tensor<7xf64>) {
  // CHECK: pd.logit %{{.*}} {eps = 1.000000e-03 : f64} : (tensor<7xf64>) -> tensor<7xf64>
  %0 = pd.logit %x {eps = 0.001} : (tensor<7xf64>) -> tensor<7xf64>
  return
}

// CHECK-LABEL: func @logsigmoid
func.func @logsigmoid(%x: tensor<7xf64>) {
  // CHECK: pd.logsigmoid %{{.*}} : (tensor<7xf64>) -> tensor<7xf64>
  %0 = pd.logsigmoid %x : (tensor<7xf64>) -> tensor<7xf64>
  return
}

// CHECK-LABEL: func @mish
func.func @mish(%x: tensor<7xf64>) {
  // CHECK: pd.mish %{{.*}} : (tensor<7xf64>) -> tensor<7xf64>
  %0 = pd.mish %x : (tensor<7xf64>) -> tensor<7xf64>
  return
}

// CHECK-LABEL: func @reciprocal
func.func @reciprocal(%x: tensor<7xf64>) {
  // CHECK: pd.reciprocal %{{.*}} : (tensor<7xf64>) -> tensor<7xf64>
  %0 = pd.reciprocal %x : (tensor<7xf64>) -> tensor<7xf64>
  return
}

// CHECK-LABEL: func @relu6
func.func @relu6(%x: tensor<7xf64>) {
  // CHECK: pd.relu6 %{{.*}} : (tensor<7xf64>) -> tensor<7xf64>
  %0 = pd.relu6 %x : (tensor<7xf64>) -> tensor<7xf64>
  return
}

// CHECK-LABEL: func @relu
func.func @relu(%x: tensor<7xf64>) {
  // CHECK: pd.relu %{{.*}} : (tensor<7xf64>) -> tensor<7xf64>
  %0 = pd.relu %x : (tensor<7xf64>) -> tensor<7xf64>
  return
}

// CHECK-LABEL: func @selu
func.func @selu(%x: tensor<3x4xf32>) {
  // CHECK: pd.selu %{{.*}} {alpha = 1.6732631921768188 : f64, scale = 1.0507010221481323 : f64} : (tensor<3x4xf32>) -> tensor<3x4xf32>
  %0 = pd.selu %x {alpha = 1.6732631921768188 : f64, scale = 1.0507010221481323 : f64} : (tensor<3x4xf32>) -> tensor<3x4xf32>
  return
}

// CHECK-LABEL: func @sigmoid
func.func @sigmoid(%x: tensor<f32>) {
  // CHECK: pd.sigmoid %{{.*}} : (tensor<f32>) -> tensor<f32>
  %0 = pd.sigmoid %x : (tensor<f32>) -> tensor<f32>
  return
}

// CHECK-LABEL: func @silu
func.func @silu(%x: tensor<7xf64>) {
  // CHECK: pd.silu %{{.*}} : (tensor<7xf64>) -> tensor<7xf64>
  %0 = pd.silu %x : (tensor<7xf64>) -> tensor<7xf64>
  return
}

// CHECK-LABEL: func @soft_relu
func.func @soft_relu(%x: tensor<3x4xf32>) {
  // CHECK: pd.soft_relu %{{.*}} {threshold = 2.000000e+00 : f64} : (tensor<3x4xf32>) -> tensor<3x4xf32>
  %0 = pd.soft_relu %x {threshold = 2.000000e+00 : f64} : (tensor<3x4xf32>) -> tensor<3x4xf32>
  return
}

// CHECK-LABEL: func @softplus
func.func @softplus(%x: tensor<4xf64>) {
  // CHECK: pd.softplus %{{.*}} {beta = 1.500000e+00 : f64} : (tensor<4xf64>) -> tensor<4xf64>
  %0 = pd.softplus %x {beta = 1.5} : (tensor<4xf64>) -> tensor<4xf64>
  return
}

// CHECK-LABEL: func @softshrink
func.func @softshrink(%x: tensor<7xf64>) {
  // CHECK: pd.softshrink %{{.*}} : (tensor<7xf64>) -> tensor<7xf64>
  %0 = pd.softshrink %x : (tensor<7xf64>) -> tensor<7xf64>
  return
}

// CHECK-LABEL: func @softsign
func.func @softsign(%x: tensor<7xf64>) {
  // CHECK: pd.softsign %{{.*}} : (tensor<7xf64>) -> tensor<7xf64>
  %0 = pd.softsign %x : (tensor<7xf64>) -> tensor<7xf64>
  return
}

// CHECK-LABEL: func @square
func.func @square(%x: tensor<f32>) {
  // CHECK: pd.square %{{.*}} : (tensor<f32>) -> tensor<f32>
  %0 = pd.square %x : (tensor<f32>) -> tensor<f32>
  return
}

// CHECK-LABEL: func @stanh
func.func @stanh(%x: tensor<?x3xf32>) {
  // CHECK: pd.stanh %{{.*}} {scale_a = 0.67000001668930054 : f64, scale_b = 1.7200000286102295 : f64} : (tensor<?x3xf32>) -> tensor<?x3xf32>
  %0 = pd.stanh %x {scale_a = 0.67000001668930054 : f64, scale_b = 1.7200000286102295 : f64} : (tensor<?x3xf32>) -> tensor<?x3xf32>
  return
}

// CHECK-LABEL: func @swiglu
func.func @swiglu(%x: tensor<3x4xf64>) {
  // CHECK: pd.swiglu %{{.*}} : (tensor<3x4xf64>) -> tensor<3x2xf64>
  %0 = pd.swiglu %x : (tensor<3x4xf64>) -> tensor<3x2xf64>
  return
}

// CHECK-LABEL: func @swish
func.func @swish(%x: tensor<7xf64>) {
  // CHECK: pd.swish %{{.*}} : (tensor<7xf64>) -> tensor<7xf64>
  %0 = pd.swish %x : (tensor<7xf64>) -> tensor<7xf64>
  return
}

// CHECK-LABEL: func @tanh_shrink
func.func @tanh_shrink(%x: tensor<7xf64>) {
  // CHECK: pd.tanh_shrink %{{.*}} : (tensor<7xf64>) -> tensor<7xf64>
  %0 = pd.tanh_shrink %x : (tensor<7xf64>) -> tensor<7xf64>
  return
}

// CHECK-LABEL: func @thresholded_relu
func.func @thresholded_relu(%x: tensor<7xf64>) {
  // CHECK: pd.thresholded_relu %{{.*}} : (tensor<7xf64>) -> tensor<7xf64>
  %0 = pd.thresholded_relu %x : (tensor<7xf64>) -> tensor<7xf64>
  return
}

// CHECK-LABEL: func @composites_uses
func.func @composites_uses(%x: tensor<2x3x4xf32>) {
  // CHECK: pd.swiglu {{.*}} -> tensor<2x3x2xf32>
  %3 = pd.swiglu %x : (tensor<2x3x4xf32>) -> tensor<2x3x2xf32>
  return
}

// CHECK-LABEL: func @math_uses
func.func @math_uses(%x: tensor<2x3xf32>) {
  // CHECK: pd.selu
  %0 = pd.selu %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}
