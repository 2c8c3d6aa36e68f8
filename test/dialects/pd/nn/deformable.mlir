// RUN: proa-opt %s | proa-opt | FileCheck %s

// CHECK-LABEL: @layers
func.func @layers(%x: tensor<2x3x4x5xf32>, %o: tensor<2x18x4x5xf32>, %f: tensor<6x3x3x3xf32>, %m: tensor<3x5xf32>, %v: tensor<5xf32>) {
  // CHECK: pd.deformable_conv {{.*}} -> tensor<2x6x4x5xf32>
  %0 = pd.deformable_conv %x, %o, %f {paddings = array<i64: 1, 1>} : (tensor<2x3x4x5xf32>, tensor<2x18x4x5xf32>, tensor<6x3x3x3xf32>) -> tensor<2x6x4x5xf32>
  // CHECK: pd.fsp {{.*}} -> tensor<2x3x3xf32>
  %1 = pd.fsp %x, %x : (tensor<2x3x4x5xf32>, tensor<2x3x4x5xf32>) -> tensor<2x3x3xf32>
  // CHECK: pd.cvm {{.*}} -> tensor<3x3xf32>
  %2 = pd.cvm %m {use_cvm = false} : (tensor<3x5xf32>) -> tensor<3x3xf32>
  // CHECK: pd.data_norm
  %3:3 = pd.data_norm %m, %v, %v, %v : (tensor<3x5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) -> (tensor<3x5xf32>, tensor<5xf32>, tensor<5xf32>)
  return
}

// CHECK-LABEL: func @hsigmoid_loss
func.func @hsigmoid_loss(%a: tensor<3x4xf32>, %b: tensor<3x1xi64>, %c: tensor<5x4xf32>, %bias: tensor<5x1xf32>) {
  // CHECK: pd.hsigmoid_loss %{{.*}}, %{{.*}}, %{{.*}} bias = %{{.*}} {num_classes = 6 : i64} : (tensor<3x4xf32>, tensor<3x1xi64>, tensor<5x4xf32>, tensor<5x1xf32>) -> (tensor<3x1xf32>, tensor<3x3xf32>)
  %0:2 = pd.hsigmoid_loss %a, %b, %c bias = %bias {num_classes = 6 : i64} : (tensor<3x4xf32>, tensor<3x1xi64>, tensor<5x4xf32>, tensor<5x1xf32>) -> (tensor<3x1xf32>, tensor<3x3xf32>)
  return
}

// CHECK-LABEL: func @partial_concat
func.func @partial_concat(%x: tensor<3x4xf32>, %start_index: tensor<3x4xf32>) {
  // CHECK: pd.partial_concat %{{.*}}, %{{.*}} {length = 2 : i64, start_index = 1 : i64} : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  %0 = pd.partial_concat %x, %start_index {length = 2 : i64, start_index = 1 : i64} : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  return
}

// CHECK-LABEL: func @partial_sum
func.func @partial_sum(%x: tensor<3x5xf32>, %start_index: tensor<3x5xf32>) {
  // CHECK: pd.partial_sum %{{.*}}, %{{.*}} {start_index = 2 : i64} : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x3xf32>
  %0 = pd.partial_sum %x, %start_index {start_index = 2 : i64} : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x3xf32>
  return
}
