// What the formulas give on small constants: values by hand.
// RUN: proa-opt %s --pd-refine-shapes --canonicalize | FileCheck %s

// Four equal logits: each class has probability 1/4, the loss is ln 4. The second label is ignored.
// CHECK-LABEL: @cross_entropy
func.func @cross_entropy() -> (tensor<2x4xf64>, tensor<2x1xf64>) {
  // CHECK-DAG: dense<2.500000e-01> : tensor<2x4xf64>
  // CHECK-DAG: dense<{{\[\[}}1.386294361119890{{[0-9]*}}], [0.000000e+00]]> : tensor<2x1xf64>
  %x = pd.constant dense<7.0> : tensor<2x4xf64>
  %label = pd.constant dense<[[3], [-100]]> : tensor<2x1xi64>
  %s, %l = pd.cross_entropy_with_softmax %x, %label : (tensor<2x4xf64>, tensor<2x1xi64>) -> (tensor<2x4xf64>, tensor<2x1xf64>)
  return %s, %l : tensor<2x4xf64>, tensor<2x1xf64>
}

// A label without the class dimension, the classes in the middle. No class is farther than 64 below the greatest.
// CHECK-LABEL: @cross_entropy_in_the_middle
func.func @cross_entropy_in_the_middle() -> tensor<1x1x2xf64> {
  // CHECK: dense<{{\[\[\[}}-0.000000e+00, 6.400000e+01]]]>
  %x = pd.constant dense<[[[1000.0, 1000.0], [0.0, 0.0]]]> : tensor<1x2x2xf64>
  %label = pd.constant dense<[[0, 1]]> : tensor<1x2xi64>
  %s, %l = pd.cross_entropy_with_softmax %x, %label {axis = 1} : (tensor<1x2x2xf64>, tensor<1x2xi64>) -> (tensor<1x2x2xf64>, tensor<1x1x2xf64>)
  return %l : tensor<1x1x2xf64>
}

// Weights 1 and 3: (1 * 0.5 + 3 * 2) / 4.
// CHECK-LABEL: @nll
func.func @nll() -> (tensor<f64>, tensor<f64>) {
  // CHECK-DAG: dense<1.625000e+00> : tensor<f64>
  // CHECK-DAG: dense<4.000000e+00> : tensor<f64>
  %x = pd.constant dense<[[-0.5, -9.0], [-9.0, -2.0]]> : tensor<2x2xf64>
  %label = pd.constant dense<[0, 1]> : tensor<2xi64>
  %w = pd.constant dense<[1.0, 3.0]> : tensor<2xf64>
  %l, %t = pd.nll_loss %x, %label, %w : (tensor<2x2xf64>, tensor<2xi64>, tensor<2xf64>) -> (tensor<f64>, tensor<f64>)
  return %l, %t : tensor<f64>, tensor<f64>
}

// Within delta half the square, beyond it linear: 0.5 * 1, 2 * (5 - 1).
// CHECK-LABEL: @huber
func.func @huber() -> (tensor<2xf64>, tensor<2xf64>) {
  // CHECK-DAG: dense<[5.000000e-01, 8.000000e+00]>
  // CHECK-DAG: dense<[-1.000000e+00, 5.000000e+00]>
  %x = pd.constant dense<[1.0, 0.0]> : tensor<2xf64>
  %y = pd.constant dense<[0.0, 5.0]> : tensor<2xf64>
  %l, %r = pd.huber_loss %x, %y {delta = 2.0} : (tensor<2xf64>, tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>)
  return %l, %r : tensor<2xf64>, tensor<2xf64>
}

// Logarithms of 0 count as -100.
// CHECK-LABEL: @bce
func.func @bce() -> tensor<2xf64> {
  // CHECK: dense<[-0.000000e+00, 1.000000e+02]>
  %x = pd.constant dense<[1.0, 0.0]> : tensor<2xf64>
  %y = pd.constant dense<[1.0, 1.0]> : tensor<2xf64>
  %l = pd.bce_loss %x, %y : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  return %l : tensor<2xf64>
}

// 0.5 * 1 + 0.5 / 4 and 0.5 / 4.
// CHECK-LABEL: @label_smooth
func.func @label_smooth() -> tensor<1x4xf64> {
  // CHECK: dense<{{\[\[}}6.250000e-01, 1.250000e-01, 1.250000e-01, 1.250000e-01]]>
  %x = pd.constant dense<[[1.0, 0.0, 0.0, 0.0]]> : tensor<1x4xf64>
  %0 = pd.label_smooth %x {epsilon = 0.5} : (tensor<1x4xf64>) -> tensor<1x4xf64>
  return %0 : tensor<1x4xf64>
}

// Of four samples three have their label among the predictions.
// CHECK-LABEL: @accuracy
func.func @accuracy() -> (tensor<f32>, tensor<i32>, tensor<i32>) {
  // CHECK-DAG: dense<7.500000e-01> : tensor<f32>
  // CHECK-DAG: dense<3> : tensor<i32>
  // CHECK-DAG: dense<4> : tensor<i32>
  %p = pd.constant dense<0.0> : tensor<4x2xf32>
  %i = pd.constant dense<[[0, 1], [1, 2], [3, 4], [2, 0]]> : tensor<4x2xi64>
  %label = pd.constant dense<[[1], [1], [1], [2]]> : tensor<4x1xi64>
  %a, %c, %t = pd.accuracy %p, %i, %label : (tensor<4x2xf32>, tensor<4x2xi64>, tensor<4x1xi64>) -> (tensor<f32>, tensor<i32>, tensor<i32>)
  return %a, %c, %t : tensor<f32>, tensor<i32>, tensor<i32>
}

// Terms with a label of 0 count nothing: 1 * (0 - (-2)).
// CHECK-LABEL: @kldiv
func.func @kldiv() -> tensor<f64> {
  // CHECK: dense<1.000000e+00> : tensor<f64>
  %x = pd.constant dense<[[-2.0, -3.0]]> : tensor<1x2xf64>
  %y = pd.constant dense<[[1.0, 0.0]]> : tensor<1x2xf64>
  %l = pd.kldiv_loss %x, %y : (tensor<1x2xf64>, tensor<1x2xf64>) -> tensor<f64>
  return %l : tensor<f64>
}
