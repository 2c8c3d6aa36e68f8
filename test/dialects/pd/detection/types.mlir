// RUN: proa-opt %s | proa-opt | FileCheck %s

// CHECK-LABEL: @yolo
// CHECK: pd.yolo_box %arg0, %arg1 {anchors = array<i64: 10, 13, 16, 30>, class_num = 3 : i64}
func.func @yolo(%x: tensor<?x16x3x3xf32>, %s: tensor<?x2xi32>) -> (tensor<?x18x4xf32>, tensor<?x18x3xf32>) {
  %0, %1 = pd.yolo_box %x, %s {anchors = array<i64: 10, 13, 16, 30>, class_num = 3} : (tensor<?x16x3x3xf32>, tensor<?x2xi32>) -> (tensor<?x18x4xf32>, tensor<?x18x3xf32>)
  return %0, %1 : tensor<?x18x4xf32>, tensor<?x18x3xf32>
}

// How many boxes stay is known only at run time.
// CHECK-LABEL: @nms
func.func @nms(%b: tensor<2x8x4xf32>, %s: tensor<2x3x8xf32>, %c: tensor<9x3x4xf32>, %t: tensor<9x3xf32>, %n: tensor<2xi32>) -> (tensor<?x6xf32>, tensor<?x1xi32>, tensor<2xi32>) {
  // CHECK: -> (tensor<?x6xf32>, tensor<?x1xi32>, tensor<2xi32>)
  %0:3 = pd.multiclass_nms3 %b, %s {score_threshold = 0.1, nms_top_k = 4, keep_top_k = 4} : (tensor<2x8x4xf32>, tensor<2x3x8xf32>) -> (tensor<?x6xf32>, tensor<?x1xi32>, tensor<2xi32>)
  %1:3 = pd.multiclass_nms3 %c, %t, %n {score_threshold = 0.1, nms_top_k = 4, keep_top_k = 4} : (tensor<9x3x4xf32>, tensor<9x3xf32>, tensor<2xi32>) -> (tensor<?x6xf32>, tensor<?x1xi32>, tensor<2xi32>)
  %2:3 = pd.matrix_nms %b, %s {score_threshold = 0.1, nms_top_k = 4, keep_top_k = 4} : (tensor<2x8x4xf32>, tensor<2x3x8xf32>) -> (tensor<?x6xf32>, tensor<?x1xi32>, tensor<2xi32>)
  return %0#0, %1#1, %2#2 : tensor<?x6xf32>, tensor<?x1xi32>, tensor<2xi32>
}
