// multiclass_nms3 of Paddle does not mark an empty result: its decomposition is written.
// RUN: proa-translate %s --to=pdmodel -o %t.pdmodel && proa-translate %t.pdmodel | FileCheck %s
// CHECK-LABEL: func.func @main
// CHECK-NOT: pd.multiclass_nms3
// CHECK: pd.argsort
// CHECK-NOT: pd.multiclass_nms3
func.func @main(%boxes: tensor<2x8x4xf32> {pd.feed = "boxes"}, %scores: tensor<2x3x8xf32> {pd.feed = "scores"}) -> (tensor<?x?xf32> {pd.fetch = "out"}) {
  %0, %1, %2 = pd.multiclass_nms3 %boxes, %scores {keep_top_k = -1 : i64, marks_none = true, nms_top_k = -1 : i64, score_threshold = 0.2 : f64} : (tensor<2x8x4xf32>, tensor<2x3x8xf32>) -> (tensor<?x?xf32>, tensor<?x1xi32>, tensor<?xi32>)
  return %0 : tensor<?x?xf32>
}
