// RUN: proa-opt %s | proa-opt | FileCheck %s

// CHECK-LABEL: func @hsigmoid_loss
func.func @hsigmoid_loss(%a: tensor<3x4xf32>, %b: tensor<3x1xi64>, %c: tensor<5x4xf32>, %bias: tensor<5x1xf32>) {
  // CHECK: pd.hsigmoid_loss %{{.*}}, %{{.*}}, %{{.*}} bias = %{{.*}} {num_classes = 6 : i64} : (tensor<3x4xf32>, tensor<3x1xi64>, tensor<5x4xf32>, tensor<5x1xf32>) -> (tensor<3x1xf32>, tensor<3x3xf32>)
  %0:2 = pd.hsigmoid_loss %a, %b, %c bias = %bias {num_classes = 6 : i64} : (tensor<3x4xf32>, tensor<3x1xi64>, tensor<5x4xf32>, tensor<5x1xf32>) -> (tensor<3x1xf32>, tensor<3x3xf32>)
  return
}
