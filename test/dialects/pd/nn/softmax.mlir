// RUN: proa-opt %s | proa-opt | FileCheck %s

// CHECK-LABEL: func @add_position_encoding
func.func @add_position_encoding(%x: tensor<1x1x4xf64>) {
  // CHECK: pd.add_position_encoding %{{.*}} {alpha = 2.000000e+00 : f64, beta = 3.000000e+00 : f64} : (tensor<1x1x4xf64>) -> tensor<1x1x4xf64>
  %0 = pd.add_position_encoding %x {alpha = 2.0, beta = 3.0} : (tensor<1x1x4xf64>) -> tensor<1x1x4xf64>
  return
}

// CHECK-LABEL: func @dropout
func.func @dropout(%x: tensor<2xf64>) {
  // CHECK: pd.dropout %{{.*}} {is_test = true, p = 2.500000e-01 : f64} : (tensor<2xf64>) -> (tensor<2xf64>, tensor<2xui8>)
  %0:2 = pd.dropout %x {p = 0.25, is_test = true} : (tensor<2xf64>) -> (tensor<2xf64>, tensor<2xui8>)
  return
}

// CHECK-LABEL: func @fused_softmax_mask
func.func @fused_softmax_mask(%x: tensor<1x2xf64>, %mask: tensor<2xf64>) {
  // CHECK: pd.fused_softmax_mask %{{.*}}, %{{.*}} : (tensor<1x2xf64>, tensor<2xf64>) -> tensor<1x2xf64>
  %0 = pd.fused_softmax_mask %x, %mask : (tensor<1x2xf64>, tensor<2xf64>) -> tensor<1x2xf64>
  return
}

// CHECK-LABEL: func @log_softmax
func.func @log_softmax(%x: tensor<2x3x4xf64>) {
  // CHECK: pd.log_softmax %{{.*}} {axis = 1 : i64} : (tensor<2x3x4xf64>) -> tensor<2x3x4xf64>
  %0 = pd.log_softmax %x {axis = 1 : i64} : (tensor<2x3x4xf64>) -> tensor<2x3x4xf64>
  return
}

// CHECK-LABEL: func @maxout
func.func @maxout(%x: tensor<1x4xf64>) {
  // CHECK: pd.maxout %{{.*}} {groups = 2 : i64} : (tensor<1x4xf64>) -> tensor<1x2xf64>
  %0 = pd.maxout %x {groups = 2} : (tensor<1x4xf64>) -> tensor<1x2xf64>
  return
}

// CHECK-LABEL: func @prelu
func.func @prelu(%x: tensor<1x2x1xf64>, %alpha: tensor<2xf64>) {
  // CHECK: pd.prelu %{{.*}}, %{{.*}} mode = channel : (tensor<1x2x1xf64>, tensor<2xf64>) -> tensor<1x2x1xf64>
  %0 = pd.prelu %x, %alpha mode = channel : (tensor<1x2x1xf64>, tensor<2xf64>) -> tensor<1x2x1xf64>
  return
}

// CHECK-LABEL: func @rrelu
func.func @rrelu(%x: tensor<1x2xf64>) {
  // CHECK: pd.rrelu %{{.*}} {is_test = true, upper = 3.750000e-01 : f64} : (tensor<1x2xf64>) -> (tensor<1x2xf64>, tensor<1x2xf64>)
  %0:2 = pd.rrelu %x {lower = 0.125, upper = 0.375, is_test = true} : (tensor<1x2xf64>) -> (tensor<1x2xf64>, tensor<1x2xf64>)
  return
}

// CHECK-LABEL: func @softmax
func.func @softmax(%x: tensor<2xf32>) {
  // CHECK: pd.softmax %{{.*}} {axis = 0 : i64} : (tensor<2xf32>) -> tensor<2xf32>
  %0 = pd.softmax %x {axis = 0} : (tensor<2xf32>) -> tensor<2xf32>
  return
}
