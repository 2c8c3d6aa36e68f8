// RUN: proa-opt %s | proa-opt | FileCheck %s

// CHECK-LABEL: func @index_add
func.func @index_add(%x: tensor<2x3xf32>, %index: tensor<2xi64>, %add_value: tensor<2x2xf32>) {
  // CHECK: pd.index_add %{{.*}}, %{{.*}}, %{{.*}} {axis = 1 : i64} : (tensor<2x3xf32>, tensor<2xi64>, tensor<2x2xf32>) -> tensor<2x3xf32>
  %0 = pd.index_add %x, %index, %add_value {axis = 1 : i64} : (tensor<2x3xf32>, tensor<2xi64>, tensor<2x2xf32>) -> tensor<2x3xf32>
  return
}

// CHECK-LABEL: func @index_put
func.func @index_put(%x: tensor<4x3xf32>, %indices: tensor<2xi64>, %value: tensor<2x3xf32>) {
  // CHECK: pd.index_put %{{.*}}, %{{.*}}, %{{.*}} {accumulate = true} : (tensor<4x3xf32>, tensor<2xi64>, tensor<2x3xf32>) -> tensor<4x3xf32>
  %0 = pd.index_put %x, %indices, %value {accumulate = true} : (tensor<4x3xf32>, tensor<2xi64>, tensor<2x3xf32>) -> tensor<4x3xf32>
  return
}

// CHECK-LABEL: func @put_along_axis
func.func @put_along_axis(%x: tensor<3xf32>, %indices: tensor<2xi64>, %values: tensor<2xf32>) {
  // CHECK: pd.put_along_axis %{{.*}}, %{{.*}}, %{{.*}} {axis = 0 : i64} : (tensor<3xf32>, tensor<2xi64>, tensor<2xf32>) -> tensor<3xf32>
  %0 = pd.put_along_axis %x, %indices, %values {axis = 0 : i64} : (tensor<3xf32>, tensor<2xi64>, tensor<2xf32>) -> tensor<3xf32>
  return
}

// CHECK-LABEL: func @scatter_nd_add
func.func @scatter_nd_add(%x: tensor<5x3xf32>, %index: tensor<3x1xi64>, %updates: tensor<3x3xf32>) {
  // CHECK: pd.scatter_nd_add %{{.*}}, %{{.*}}, %{{.*}} : (tensor<5x3xf32>, tensor<3x1xi64>, tensor<3x3xf32>) -> tensor<5x3xf32>
  %0 = pd.scatter_nd_add %x, %index, %updates : (tensor<5x3xf32>, tensor<3x1xi64>, tensor<3x3xf32>) -> tensor<5x3xf32>
  return
}

// CHECK-LABEL: func @scatter_nd
func.func @scatter_nd(%x: tensor<3xf32>, %index: tensor<2x1xi64>, %updates: tensor<2xf32>) {
  // CHECK: pd.scatter_nd %{{.*}}, %{{.*}}, %{{.*}} reduce = add : (tensor<3xf32>, tensor<2x1xi64>, tensor<2xf32>) -> tensor<3xf32>
  %0 = pd.scatter_nd %x, %index, %updates reduce = add : (tensor<3xf32>, tensor<2x1xi64>, tensor<2xf32>) -> tensor<3xf32>
  return
}

// CHECK-LABEL: func @scatter
func.func @scatter(%x: tensor<5x3xf32>, %index: tensor<3xi64>, %updates: tensor<3x3xf32>) {
  // CHECK: pd.scatter %{{.*}}, %{{.*}}, %{{.*}} {overwrite = false} : (tensor<5x3xf32>, tensor<3xi64>, tensor<3x3xf32>) -> tensor<5x3xf32>
  %0 = pd.scatter %x, %index, %updates {overwrite = false} : (tensor<5x3xf32>, tensor<3xi64>, tensor<3x3xf32>) -> tensor<5x3xf32>
  return
}

// CHECK-LABEL: func @set_value
func.func @set_value(%x: tensor<4x5x3xf64>, %values: tensor<4x5x3xf64>) {
  // CHECK: pd.set_value %{{.*}}, %{{.*}} {axes = array<i64>} : (tensor<4x5x3xf64>, tensor<4x5x3xf64>) -> tensor<4x5x3xf64>
  %0 = pd.set_value %x, %values {axes = array<i64>} : (tensor<4x5x3xf64>, tensor<4x5x3xf64>) -> tensor<4x5x3xf64>
  return
}

// CHECK-LABEL: func @index_uses
func.func @index_uses(%x: tensor<2x3xf32>, %i: tensor<2xi64>, %r: tensor<2x1xi64>, %u: tensor<2x2xf32>) {
  // CHECK: pd.scatter_nd %{{.*}} reduce = add
  %3 = pd.scatter_nd %x, %r, %x reduce = add : (tensor<2x3xf32>, tensor<2x1xi64>, tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: pd.index_add %{{.*}} {axis = 1 : i64}
  %4 = pd.index_add %x, %i, %u {axis = 1 : i64} : (tensor<2x3xf32>, tensor<2xi64>, tensor<2x2xf32>) -> tensor<2x3xf32>
  return
}
