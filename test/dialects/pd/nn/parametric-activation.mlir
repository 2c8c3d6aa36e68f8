// RUN: proa-opt %s | proa-opt | FileCheck %s

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
