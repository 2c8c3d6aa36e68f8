// RUN: proa-opt %s | proa-opt | FileCheck %s

// CHECK-LABEL: func @gather_nd
func.func @gather_nd(%x: tensor<3xf32>, %index: tensor<2x1xi64>) {
  // CHECK: pd.gather_nd %{{.*}}, %{{.*}} : (tensor<3xf32>, tensor<2x1xi64>) -> tensor<2xf32>
  %0 = pd.gather_nd %x, %index : (tensor<3xf32>, tensor<2x1xi64>) -> tensor<2xf32>
  return
}

// CHECK-LABEL: func @gather
func.func @gather(%x: tensor<4x3xf64>, %index: tensor<5xi64>) {
  // CHECK: pd.gather %{{.*}}, %{{.*}} : (tensor<4x3xf64>, tensor<5xi64>) -> tensor<5x3xf64>
  %0 = pd.gather %x, %index {axis = 0 : i64} : (tensor<4x3xf64>, tensor<5xi64>) -> tensor<5x3xf64>
  return
}

// CHECK-LABEL: func @index_sample
func.func @index_sample(%x: tensor<2x3xf32>, %index: tensor<2x1xi64>) {
  // CHECK: pd.index_sample %{{.*}}, %{{.*}} : (tensor<2x3xf32>, tensor<2x1xi64>) -> tensor<2x1xf32>
  %0 = pd.index_sample %x, %index : (tensor<2x3xf32>, tensor<2x1xi64>) -> tensor<2x1xf32>
  return
}

// CHECK-LABEL: func @index_select
func.func @index_select(%x: tensor<3xf32>, %index: tensor<2xi64>) {
  // CHECK: pd.index_select %{{.*}}, %{{.*}} : (tensor<3xf32>, tensor<2xi64>) -> tensor<2xf32>
  %0 = pd.index_select %x, %index {axis = 0 : i64} : (tensor<3xf32>, tensor<2xi64>) -> tensor<2xf32>
  return
}

// CHECK-LABEL: func @multiplex
func.func @multiplex(%index: tensor<4x1xi32>, %inputs: tensor<4x3xf32>, %c: tensor<4x3xf32>) {
  // CHECK: pd.multiplex %{{.*}}, %{{.*}}, %{{.*}} : (tensor<4x1xi32>, tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %0 = pd.multiplex %index, %inputs, %c : (tensor<4x1xi32>, tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  return
}

// CHECK-LABEL: func @take_along_axis
func.func @take_along_axis(%x: tensor<3xf32>, %indices: tensor<2xi64>) {
  // CHECK: pd.take_along_axis %{{.*}}, %{{.*}} {axis = 0 : i64} : (tensor<3xf32>, tensor<2xi64>) -> tensor<2xf32>
  %0 = pd.take_along_axis %x, %indices {axis = 0 : i64} : (tensor<3xf32>, tensor<2xi64>) -> tensor<2xf32>
  return
}

// CHECK-LABEL: func @index_uses
func.func @index_uses(%x: tensor<2x3xf32>, %r: tensor<2x1xi64>) {
  // CHECK: pd.index_sample
  %5 = pd.index_sample %x, %r : (tensor<2x3xf32>, tensor<2x1xi64>) -> tensor<2x1xf32>
  return
}
