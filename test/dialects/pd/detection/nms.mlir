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

// How many boxes stay is known only at run time.
// CHECK-LABEL: @nms
func.func @nms(%b: tensor<2x8x4xf32>, %s: tensor<2x3x8xf32>, %c: tensor<9x3x4xf32>, %t: tensor<9x3xf32>, %n: tensor<2xi32>) -> (tensor<?x6xf32>, tensor<?x1xi32>, tensor<2xi32>) {
  // CHECK: -> (tensor<?x6xf32>, tensor<?x1xi32>, tensor<2xi32>)
  %0:3 = pd.multiclass_nms3 %b, %s {score_threshold = 0.1, nms_top_k = 4, keep_top_k = 4} : (tensor<2x8x4xf32>, tensor<2x3x8xf32>) -> (tensor<?x6xf32>, tensor<?x1xi32>, tensor<2xi32>)
  %1:3 = pd.multiclass_nms3 %c, %t, %n {score_threshold = 0.1, nms_top_k = 4, keep_top_k = 4} : (tensor<9x3x4xf32>, tensor<9x3xf32>, tensor<2xi32>) -> (tensor<?x6xf32>, tensor<?x1xi32>, tensor<2xi32>)
  %2:3 = pd.matrix_nms %b, %s {score_threshold = 0.1, nms_top_k = 4, keep_top_k = 4} : (tensor<2x8x4xf32>, tensor<2x3x8xf32>) -> (tensor<?x6xf32>, tensor<?x1xi32>, tensor<2xi32>)
  return %0#0, %1#1, %2#2 : tensor<?x6xf32>, tensor<?x1xi32>, tensor<2xi32>
}

// CHECK-LABEL: func @nms_indices
func.func @nms_indices(%x: tensor<8x4xf32>) {
  // CHECK: pd.nms %{{.*}} {threshold = 0.30000001192092896 : f64} : (tensor<8x4xf32>) -> tensor<?xi64>
  %0 = pd.nms %x {threshold = 0.30000001192092896 : f64} : (tensor<8x4xf32>) -> tensor<?xi64>
  return
}

// CHECK-LABEL: @selected
func.func @selected(%b: tensor<2x5x4xf32>, %s: tensor<2x3x5xf32>, %t: tensor<2x5x3xf32>, %a: tensor<5x4xf32>, %i: tensor<2x3xf32>) -> (tensor<?x?xf32>, tensor<?x6xf32>) {
  // CHECK: pd.locality_aware_nms {{.*}} -> (tensor<?x?xf32>, tensor<?xi64>)
  %0:2 = pd.locality_aware_nms %b, %s {score_threshold = 0.1 : f64, nms_top_k = 4 : i64, keep_top_k = -1 : i64} : (tensor<2x5x4xf32>, tensor<2x3x5xf32>) -> (tensor<?x?xf32>, tensor<?xi64>)
  // CHECK: pd.retinanet_detection_output({{.*}}) ({{.*}}) ({{.*}}) {{.*}} -> (tensor<?x6xf32>, tensor<3xi64>)
  %1:2 = pd.retinanet_detection_output(%b, %b) (%t, %t) (%a, %a) %i {score_threshold = 0.1 : f64, nms_top_k = 4 : i64, keep_top_k = 9 : i64, nms_threshold = 0.5 : f64} : (tensor<2x5x4xf32>, tensor<2x5x4xf32>, tensor<2x5x3xf32>, tensor<2x5x3xf32>, tensor<5x4xf32>, tensor<5x4xf32>, tensor<2x3xf32>) -> (tensor<?x6xf32>, tensor<3xi64>)
  return %0#0, %1#0 : tensor<?x?xf32>, tensor<?x6xf32>
}
