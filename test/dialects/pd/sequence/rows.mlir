// RUN: proa-opt %s | proa-opt | FileCheck %s

// CHECK-LABEL: func @ranges
func.func @ranges(%starts: tensor<2xi64>, %lengths: tensor<2xi64>) {
  // CHECK: pd.ranges %{{.*}}, %{{.*}} : (tensor<2xi64>, tensor<2xi64>) -> (tensor<?xi64>, tensor<3xi64>)
  %0:2 = pd.ranges %starts, %lengths : (tensor<2xi64>, tensor<2xi64>) -> (tensor<?xi64>, tensor<3xi64>)
  return
}

// CHECK-LABEL: func @row_positions
func.func @row_positions(%x: tensor<6x2xf32>, %offsets: tensor<4xi64>) {
  // CHECK: pd.row_positions %{{.*}}, %{{.*}} : (tensor<6x2xf32>, tensor<4xi64>) -> (tensor<6xi64>, tensor<6xi64>)
  %0:2 = pd.row_positions %x, %offsets : (tensor<6x2xf32>, tensor<4xi64>) -> (tensor<6xi64>, tensor<6xi64>)
  return
}
