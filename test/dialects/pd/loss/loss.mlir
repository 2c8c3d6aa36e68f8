// RUN: proa-opt %s | proa-opt | FileCheck %s

// CHECK-LABEL: func @accuracy
func.func @accuracy(%x: tensor<4x2xf32>, %indices: tensor<4x2xi64>, %label: tensor<4x1xi64>) {
  // CHECK: pd.accuracy %{{.*}}, %{{.*}}, %{{.*}} : (tensor<4x2xf32>, tensor<4x2xi64>, tensor<4x1xi64>) -> (tensor<f32>, tensor<i32>, tensor<i32>)
  %0:3 = pd.accuracy %x, %indices, %label : (tensor<4x2xf32>, tensor<4x2xi64>, tensor<4x1xi64>) -> (tensor<f32>, tensor<i32>, tensor<i32>)
  return
}

// CHECK-LABEL: func @bce_loss
func.func @bce_loss(%input: tensor<2xf64>, %label: tensor<2xf64>) {
  // CHECK: pd.bce_loss %{{.*}}, %{{.*}} : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  %0 = pd.bce_loss %input, %label : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  return
}

// CHECK-LABEL: func @cross_entropy_with_softmax
func.func @cross_entropy_with_softmax(%input: tensor<1x2x2xf64>, %label: tensor<1x2xi64>) {
  // CHECK: pd.cross_entropy_with_softmax %{{.*}}, %{{.*}} {axis = 1 : i64} : (tensor<1x2x2xf64>, tensor<1x2xi64>) -> (tensor<1x2x2xf64>, tensor<1x1x2xf64>)
  %0:2 = pd.cross_entropy_with_softmax %input, %label {axis = 1} : (tensor<1x2x2xf64>, tensor<1x2xi64>) -> (tensor<1x2x2xf64>, tensor<1x1x2xf64>)
  return
}

// CHECK-LABEL: func @hinge_loss
func.func @hinge_loss(%a: tensor<2x3xf32>) {
  // CHECK: pd.hinge_loss %{{.*}}, %{{.*}} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %0 = pd.hinge_loss %a, %a : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// CHECK-LABEL: func @huber_loss
func.func @huber_loss(%input: tensor<2xf64>, %label: tensor<2xf64>) {
  // CHECK: pd.huber_loss %{{.*}}, %{{.*}} {delta = 2.000000e+00 : f64} : (tensor<2xf64>, tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>)
  %0:2 = pd.huber_loss %input, %label {delta = 2.0} : (tensor<2xf64>, tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>)
  return
}

// CHECK-LABEL: func @kldiv_loss
func.func @kldiv_loss(%x: tensor<3x4xf32>, %label: tensor<3x4xf32>) {
  // CHECK: pd.kldiv_loss %{{.*}}, %{{.*}} reduction = none : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  %0 = pd.kldiv_loss %x, %label reduction = none : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  return
}

// CHECK-LABEL: func @label_smooth
func.func @label_smooth(%label: tensor<1x4xf64>) {
  // CHECK: pd.label_smooth %{{.*}} {epsilon = 5.000000e-01 : f64} : (tensor<1x4xf64>) -> tensor<1x4xf64>
  %0 = pd.label_smooth %label {epsilon = 0.5} : (tensor<1x4xf64>) -> tensor<1x4xf64>
  return
}

// CHECK-LABEL: func @log_loss
func.func @log_loss(%input: tensor<3x1xf64>, %label: tensor<3x1xf64>) {
  // CHECK: pd.log_loss %{{.*}}, %{{.*}} {epsilon = 1.000000e-03 : f64} : (tensor<3x1xf64>, tensor<3x1xf64>) -> tensor<3x1xf64>
  %0 = pd.log_loss %input, %label {epsilon = 0.001} : (tensor<3x1xf64>, tensor<3x1xf64>) -> tensor<3x1xf64>
  return
}

// CHECK-LABEL: func @nll_loss
func.func @nll_loss(%input: tensor<4x5xf32>, %label: tensor<4xi64>, %weight: tensor<5xf32>) {
  // CHECK: pd.nll_loss %{{.*}}, %{{.*}}, %{{.*}} reduction = none : (tensor<4x5xf32>, tensor<4xi64>, tensor<5xf32>) -> (tensor<4xf32>, tensor<f32>)
  %0:2 = pd.nll_loss %input, %label, %weight reduction = none : (tensor<4x5xf32>, tensor<4xi64>, tensor<5xf32>) -> (tensor<4xf32>, tensor<f32>)
  return
}

// CHECK-LABEL: func @sigmoid_cross_entropy_with_logits
func.func @sigmoid_cross_entropy_with_logits(%x: tensor<4xf64>, %label: tensor<4xf64>) {
  // CHECK: pd.sigmoid_cross_entropy_with_logits %{{.*}}, %{{.*}} : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  %0 = pd.sigmoid_cross_entropy_with_logits %x, %label : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  return
}

// CHECK-LABEL: func @nn_uses
func.func @nn_uses(%x: tensor<2x3xf32>) {
  // CHECK: pd.hinge_loss
  %0 = pd.hinge_loss %x, %x : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}
