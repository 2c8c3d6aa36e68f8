// RUN: proa-opt %s | proa-opt | FileCheck %s

// CHECK-LABEL: @selected
func.func @selected(%b: tensor<2x5x4xf32>, %s: tensor<2x3x5xf32>, %t: tensor<2x5x3xf32>, %a: tensor<5x4xf32>, %i: tensor<2x3xf32>) -> (tensor<?x?xf32>, tensor<?x6xf32>) {
  // CHECK: pd.locality_aware_nms {{.*}} -> (tensor<?x?xf32>, tensor<?xi64>)
  %0:2 = pd.locality_aware_nms %b, %s {score_threshold = 0.1 : f64, nms_top_k = 4 : i64, keep_top_k = -1 : i64} : (tensor<2x5x4xf32>, tensor<2x3x5xf32>) -> (tensor<?x?xf32>, tensor<?xi64>)
  // CHECK: pd.retinanet_detection_output({{.*}}) ({{.*}}) ({{.*}}) {{.*}} -> (tensor<?x6xf32>, tensor<3xi64>)
  %1:2 = pd.retinanet_detection_output(%b, %b) (%t, %t) (%a, %a) %i {score_threshold = 0.1 : f64, nms_top_k = 4 : i64, keep_top_k = 9 : i64, nms_threshold = 0.5 : f64} : (tensor<2x5x4xf32>, tensor<2x5x4xf32>, tensor<2x5x3xf32>, tensor<2x5x3xf32>, tensor<5x4xf32>, tensor<5x4xf32>, tensor<2x3xf32>) -> (tensor<?x6xf32>, tensor<3xi64>)
  return %0#0, %1#0 : tensor<?x?xf32>, tensor<?x6xf32>
}

// CHECK-LABEL: @examples
func.func @examples(%p: tensor<7x4xf32>, %v: tensor<4xf32>, %t: tensor<7x12xf32>, %s: tensor<7x3xf32>, %m: tensor<7x3xi32>, %x: tensor<2x3x4x5xf64>) -> (tensor<7x4xf32>, tensor<7x3xi32>, tensor<2x3x4x5xf64>) {
  // CHECK: pd.box_decoder_and_assign {{.*}} -> (tensor<7x12xf32>, tensor<7x4xf32>)
  %0:2 = pd.box_decoder_and_assign %p, %v, %t, %s : (tensor<7x4xf32>, tensor<4xf32>, tensor<7x12xf32>, tensor<7x3xf32>) -> (tensor<7x12xf32>, tensor<7x4xf32>)
  // CHECK: pd.mine_hard_examples {{.*}} -> (tensor<?x1xi32>, tensor<8xi64>, tensor<7x3xi32>)
  %1:3 = pd.mine_hard_examples %s, %m, %s {neg_pos_ratio = 2.0 : f64} : (tensor<7x3xf32>, tensor<7x3xi32>, tensor<7x3xf32>) -> (tensor<?x1xi32>, tensor<8xi64>, tensor<7x3xi32>)
  // CHECK: pd.similarity_focus {{.*}} -> tensor<2x3x4x5xf64>
  %2 = pd.similarity_focus %x {axis = 1 : i64, indexes = array<i64: 0, 2>} : (tensor<2x3x4x5xf64>) -> tensor<2x3x4x5xf64>
  return %0#1, %1#2, %2 : tensor<7x4xf32>, tensor<7x3xi32>, tensor<2x3x4x5xf64>
}
