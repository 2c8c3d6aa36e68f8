// RUN: proa-opt %s | proa-opt | FileCheck %s

// CHECK-LABEL: func @matrix_nms
func.func @matrix_nms(%bboxes: tensor<2x8x4xf32>, %scores: tensor<2x3x8xf32>) {
  // CHECK: pd.matrix_nms %{{.*}}, %{{.*}} {keep_top_k = 4 : i64, nms_top_k = 4 : i64, score_threshold = 1.000000e-01 : f64} : (tensor<2x8x4xf32>, tensor<2x3x8xf32>) -> (tensor<?x6xf32>, tensor<?x1xi32>, tensor<2xi32>)
  %0:3 = pd.matrix_nms %bboxes, %scores {score_threshold = 0.1, nms_top_k = 4, keep_top_k = 4} : (tensor<2x8x4xf32>, tensor<2x3x8xf32>) -> (tensor<?x6xf32>, tensor<?x1xi32>, tensor<2xi32>)
  return
}

// CHECK-LABEL: func @multiclass_nms3
func.func @multiclass_nms3(%bboxes: tensor<2x8x4xf32>, %scores: tensor<2x3x8xf32>) {
  // CHECK: pd.multiclass_nms3 %{{.*}}, %{{.*}} {keep_top_k = 4 : i64, nms_top_k = 4 : i64, score_threshold = 1.000000e-01 : f64} : (tensor<2x8x4xf32>, tensor<2x3x8xf32>) -> (tensor<?x6xf32>, tensor<?x1xi32>, tensor<2xi32>)
  %0:3 = pd.multiclass_nms3 %bboxes, %scores {score_threshold = 0.1, nms_top_k = 4, keep_top_k = 4} : (tensor<2x8x4xf32>, tensor<2x3x8xf32>) -> (tensor<?x6xf32>, tensor<?x1xi32>, tensor<2xi32>)
  return
}

// CHECK-LABEL: func @yolo_box
func.func @yolo_box(%x: tensor<1x16x3x3xf32>, %img_size: tensor<1x2xi32>) {
  // CHECK: pd.yolo_box %{{.*}}, %{{.*}} {anchors = array<i64: 10, 13, 16, 30>, class_num = 3 : i64, conf_thresh = 0.0099999997764825821 : f64} : (tensor<1x16x3x3xf32>, tensor<1x2xi32>) -> (tensor<1x18x4xf32>, tensor<1x18x3xf32>)
  %0:2 = pd.yolo_box %x, %img_size {anchors = array<i64: 10, 13, 16, 30>, class_num = 3 : i64, conf_thresh = 0.0099999997764825821 : f64} : (tensor<1x16x3x3xf32>, tensor<1x2xi32>) -> (tensor<1x18x4xf32>, tensor<1x18x3xf32>)
  return
}

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
