// What the formulas give on small constants: values by hand.
// RUN: proa-opt %s --pd-refine-shapes --canonicalize | FileCheck %s

// exp(0) : exp(ln 3) is 1 : 3.
// CHECK-LABEL: @softmax
func.func @softmax() -> (tensor<1x2xf64>, tensor<2x1xf64>) {
  // CHECK-DAG: dense<{{\[\[}}2.500000e-01, 7.500000e-01]]> : tensor<1x2xf64>
  // CHECK-DAG: dense<1.000000e+00> : tensor<2x1xf64>
  %x = pd.constant dense<[[0.0, 1.0986122886681098]]> : tensor<1x2xf64>
  %0 = pd.softmax %x : (tensor<1x2xf64>) -> tensor<1x2xf64>
  %y = pd.constant dense<[[1000.0], [-1000.0]]> : tensor<2x1xf64>
  %1 = pd.softmax %y : (tensor<2x1xf64>) -> tensor<2x1xf64>
  return %0, %1 : tensor<1x2xf64>, tensor<2x1xf64>
}

// Great numbers do not overflow.
// CHECK-LABEL: @softmax_of_great_numbers
func.func @softmax_of_great_numbers() -> tensor<2xf32> {
  // CHECK: dense<5.000000e-01> : tensor<2xf32>
  %x = pd.constant dense<[1.0e30, 1.0e30]> : tensor<2xf32>
  %0 = pd.softmax %x {axis = 0} : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// Mean 2, variance 1: -1 and 1, then times scale and plus bias.
// CHECK-LABEL: @layer_norm
func.func @layer_norm() -> (tensor<1x2xf64>, tensor<1xf64>, tensor<1xf64>) {
  // CHECK-DAG: dense<{{\[\[}}-5.000000e+00, 2.000000e+01]]> : tensor<1x2xf64>
  // CHECK-DAG: dense<2.000000e+00> : tensor<1xf64>
  // CHECK-DAG: dense<1.000000e+00> : tensor<1xf64>
  %x = pd.constant dense<[[1.0, 3.0]]> : tensor<1x2xf64>
  %s = pd.constant dense<[10.0, 20.0]> : tensor<2xf64>
  %b = pd.constant dense<[5.0, 0.0]> : tensor<2xf64>
  %y, %m, %v = pd.layer_norm %x scale = %s bias = %b {epsilon = 0.0} : (tensor<1x2xf64>, tensor<2xf64>, tensor<2xf64>) -> (tensor<1x2xf64>, tensor<1xf64>, tensor<1xf64>)
  return %y, %m, %v : tensor<1x2xf64>, tensor<1xf64>, tensor<1xf64>
}

// Channel 0 holds 1 and 3, channel 1 holds 10 and 30. Running moments: 0.75 * old + 0.25 * new.
// CHECK-LABEL: @batch_norm_training
func.func @batch_norm_training() -> (tensor<2x2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>) {
  // CHECK-DAG: dense<{{\[\[}}-1.000000e+00, -1.000000e+00], [1.000000e+00, 1.000000e+00]]> : tensor<2x2xf64>
  // CHECK-DAG: dense<[5.000000e-01, 5.000000e+00]> : tensor<2xf64>
  // CHECK-DAG: dense<[1.000000e+00, 2.575000e+01]> : tensor<2xf64>
  // CHECK-DAG: dense<[2.000000e+00, 2.000000e+01]> : tensor<2xf64>
  // CHECK-DAG: dense<[1.000000e+00, 1.000000e-01]> : tensor<2xf64>
  %x = pd.constant dense<[[1.0, 10.0], [3.0, 30.0]]> : tensor<2x2xf64>
  %mean = pd.constant dense<0.0> : tensor<2xf64>
  %variance = pd.constant dense<1.0> : tensor<2xf64>
  %y, %m, %v, %sm, %sv, %r = pd.batch_norm %x, %mean, %variance {epsilon = 0.0, momentum = 0.75} : (tensor<2x2xf64>, tensor<2xf64>, tensor<2xf64>) -> (tensor<2x2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<0xf64>)
  return %y, %m, %v, %sm, %sv : tensor<2x2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>
}

// (x - 1) / sqrt(4) * 2 + 3, and the moments stay.
// CHECK-LABEL: @batch_norm_inference
func.func @batch_norm_inference() -> (tensor<1x1x2xf64>, tensor<1xf64>) {
  // CHECK-DAG: dense<{{\[\[\[}}4.000000e+00, 6.000000e+00]]]> : tensor<1x1x2xf64>
  // CHECK-DAG: dense<1.000000e+00> : tensor<1xf64>
  %x = pd.constant dense<[[[2.0, 4.0]]]> : tensor<1x1x2xf64>
  %mean = pd.constant dense<1.0> : tensor<1xf64>
  %variance = pd.constant dense<4.0> : tensor<1xf64>
  %s = pd.constant dense<2.0> : tensor<1xf64>
  %b = pd.constant dense<3.0> : tensor<1xf64>
  %y, %m, %v, %sm, %sv, %r = pd.batch_norm %x, %mean, %variance scale = %s bias = %b {epsilon = 0.0, is_test = true} : (tensor<1x1x2xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>) -> (tensor<1x1x2xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<0xf64>)
  return %y, %m : tensor<1x1x2xf64>, tensor<1xf64>
}

// Two groups of one channel each, in both layouts.
// CHECK-LABEL: @group_norm
func.func @group_norm() -> (tensor<1x2x2xf64>, tensor<1x2x2xf64>) {
  // CHECK-DAG: dense<{{\[\[\[}}-1.000000e+00, 1.000000e+00], [-1.000000e+00, 1.000000e+00]]]>
  // CHECK-DAG: dense<{{\[\[\[}}-1.000000e+00, -1.000000e+00], [1.000000e+00, 1.000000e+00]]]>
  %x = pd.constant dense<[[[1.0, 3.0], [10.0, 30.0]]]> : tensor<1x2x2xf64>
  %y, %m, %v = pd.group_norm %x {epsilon = 0.0, groups = 2} : (tensor<1x2x2xf64>) -> (tensor<1x2x2xf64>, tensor<1x2xf64>, tensor<1x2xf64>)
  %z = pd.constant dense<[[[1.0, 10.0], [3.0, 30.0]]]> : tensor<1x2x2xf64>
  %w, %n, %u = pd.group_norm %z data_format = NLC {epsilon = 0.0, groups = 2} : (tensor<1x2x2xf64>) -> (tensor<1x2x2xf64>, tensor<1x2xf64>, tensor<1x2xf64>)
  return %y, %w : tensor<1x2x2xf64>, tensor<1x2x2xf64>
}

// CHECK-LABEL: @instance_norm
func.func @instance_norm() -> (tensor<1x2x2xf64>, tensor<2xf64>, tensor<2xf64>) {
  // CHECK-DAG: dense<{{\[\[\[}}-1.000000e+00, 1.000000e+00], [-1.000000e+00, 1.000000e+00]]]>
  // CHECK-DAG: dense<[2.000000e+00, 2.000000e+01]>
  // CHECK-DAG: dense<[1.000000e+00, 1.000000e-01]>
  %x = pd.constant dense<[[[1.0, 3.0], [10.0, 30.0]]]> : tensor<1x2x2xf64>
  %y, %m, %v = pd.instance_norm %x {epsilon = 0.0} : (tensor<1x2x2xf64>) -> (tensor<1x2x2xf64>, tensor<2xf64>, tensor<2xf64>)
  return %y, %m, %v : tensor<1x2x2xf64>, tensor<2xf64>, tensor<2xf64>
}

// [3, 4] has norm 5.
// CHECK-LABEL: @norms
func.func @norms() -> (tensor<2xf64>, tensor<2xf64>, tensor<1xf64>) {
  // CHECK-DAG: dense<[3.000000e+00, 4.000000e+00]> : tensor<2xf64>
  // CHECK-DAG: dense<[1.500000e+00, 2.000000e+00]> : tensor<2xf64>
  // CHECK-DAG: dense<2.500000e+01> : tensor<1xf64>
  %x = pd.constant dense<[3.0, 4.0]> : tensor<2xf64>
  %0 = pd.clip_by_norm %x {max_norm = 5.0} : (tensor<2xf64>) -> tensor<2xf64>
  %1 = pd.clip_by_norm %x {max_norm = 2.5} : (tensor<2xf64>) -> tensor<2xf64>
  %2 = pd.squared_l2_norm %x : (tensor<2xf64>) -> tensor<1xf64>
  return %0, %1, %2 : tensor<2xf64>, tensor<2xf64>, tensor<1xf64>
}

// CHECK-LABEL: @dropout_inference
func.func @dropout_inference() -> (tensor<2xf64>, tensor<2xf64>) {
  // CHECK-DAG: dense<[4.000000e+00, 8.000000e+00]> : tensor<2xf64>
  // CHECK-DAG: dense<[3.000000e+00, 6.000000e+00]> : tensor<2xf64>
  %x = pd.constant dense<[4.0, 8.0]> : tensor<2xf64>
  %0, %m0 = pd.dropout %x mode = upscale_in_train {p = 0.25, is_test = true} : (tensor<2xf64>) -> (tensor<2xf64>, tensor<2xui8>)
  %1, %m1 = pd.dropout %x {p = 0.25, is_test = true} : (tensor<2xf64>) -> (tensor<2xf64>, tensor<2xui8>)
  return %0, %1 : tensor<2xf64>, tensor<2xf64>
}

// CHECK-LABEL: @prelu_maxout
func.func @prelu_maxout() -> (tensor<1x2x1xf64>, tensor<1x2xf64>) {
  // CHECK-DAG: dense<{{\[\[\[}}-5.000000e-01], [-2.000000e+00]]]>
  // CHECK-DAG: dense<{{\[\[}}2.000000e+00, 4.000000e+00]]>
  %x = pd.constant dense<[[[-1.0], [-1.0]]]> : tensor<1x2x1xf64>
  %a = pd.constant dense<[0.5, 2.0]> : tensor<2xf64>
  %0 = pd.prelu %x, %a mode = channel : (tensor<1x2x1xf64>, tensor<2xf64>) -> tensor<1x2x1xf64>
  %y = pd.constant dense<[[1.0, 2.0, 4.0, 3.0]]> : tensor<1x4xf64>
  %1 = pd.maxout %y {groups = 2} : (tensor<1x4xf64>) -> tensor<1x2xf64>
  return %0, %1 : tensor<1x2x1xf64>, tensor<1x2xf64>
}

// A negative axis counts from the end.
// CHECK-LABEL: @maxout_of_last
func.func @maxout_of_last() -> tensor<2x2xf64> {
  // CHECK: dense<{{\[\[}}2.000000e+00, 4.000000e+00], [6.000000e+00, 7.000000e+00]]>
  %y = pd.constant dense<[[1.0, 2.0, 4.0, 3.0], [5.0, 6.0, 7.0, 0.0]]> : tensor<2x4xf64>
  %0 = pd.maxout %y {groups = 2, axis = -1 : i64} : (tensor<2x4xf64>) -> tensor<2x2xf64>
  return %0 : tensor<2x2xf64>
}
