// RUN: proa-opt %s | proa-opt | FileCheck %s

// CHECK-LABEL: func @cummax
func.func @cummax(%x: tensor<3x4xf32>) {
  // CHECK: pd.cummax %{{.*}} {axis = 1 : i64, dtype = i64} : (tensor<3x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xi64>)
  %0:2 = pd.cummax %x {axis = 1 : i64, dtype = i64} : (tensor<3x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xi64>)
  return
}

// CHECK-LABEL: func @cummin
func.func @cummin(%x: tensor<3x4xf32>) {
  // CHECK: pd.cummin %{{.*}} {axis = 1 : i64, dtype = i64} : (tensor<3x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xi64>)
  %0:2 = pd.cummin %x {axis = 1 : i64, dtype = i64} : (tensor<3x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xi64>)
  return
}

// CHECK-LABEL: func @cumprod
func.func @cumprod(%x: tensor<3x4xf64>) {
  // CHECK: pd.cumprod %{{.*}} {axis = 1 : i64} : (tensor<3x4xf64>) -> tensor<3x4xf64>
  %0 = pd.cumprod %x {axis = 1 : i64} : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return
}

// CHECK-LABEL: func @cumsum
func.func @cumsum(%x: tensor<3x4xf64>) {
  // CHECK: pd.cumsum %{{.*}} {axis = 1 : i64} : (tensor<3x4xf64>) -> tensor<3x4xf64>
  %0 = pd.cumsum %x {axis = 1 : i64} : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return
}

// CHECK-LABEL: func @linear_recurrence
func.func @linear_recurrence(%x: tensor<3xf32>, %decay: tensor<3xf32>) {
  // CHECK: pd.linear_recurrence %{{.*}}, %{{.*}} {axis = 0 : i64} : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %0 = pd.linear_recurrence %x, %decay {axis = 0 : i64} : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return
}

// CHECK-LABEL: func @logcumsumexp
func.func @logcumsumexp(%x: tensor<4xf64>) {
  // CHECK: pd.logcumsumexp %{{.*}} {axis = 0 : i64} : (tensor<4xf64>) -> tensor<4xf64>
  %0 = pd.logcumsumexp %x {axis = 0 : i64} : (tensor<4xf64>) -> tensor<4xf64>
  return
}

// CHECK-LABEL: func @reduce_uses
func.func @reduce_uses(%x: tensor<2x3xf32>) {
  // CHECK: pd.logcumsumexp %{{.*}} {axis = 1 : i64}
  %3 = pd.logcumsumexp %x {axis = 1 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}
