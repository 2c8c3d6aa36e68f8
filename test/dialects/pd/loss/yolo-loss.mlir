// RUN: proa-opt %s | proa-opt | FileCheck %s

// CHECK-LABEL: func @yolo_loss
func.func @yolo_loss(%x: tensor<2x27x4x4xf32>, %b: tensor<2x3x4xf32>, %l: tensor<2x3xi32>) {
  // CHECK: pd.yolo_loss {{.*}} -> (tensor<2xf32>, tensor<2x3x4x4xf32>, tensor<2x3xi32>, tensor<2x27x4x4xf32>)
  %0:4 = pd.yolo_loss %x, %b, %l {anchors = array<i64: 10, 13, 16, 30, 33, 23>, anchor_mask = array<i64: 0, 1, 2>, class_num = 4 : i64} : (tensor<2x27x4x4xf32>, tensor<2x3x4xf32>, tensor<2x3xi32>) -> (tensor<2xf32>, tensor<2x3x4x4xf32>, tensor<2x3xi32>, tensor<2x27x4x4xf32>)
  return
}
