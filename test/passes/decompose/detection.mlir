// RUN: proa-opt --pd-decompose=only=pd.roi_align,pd.roi_align_grad,pd.roi_pool,pd.roi_pool_grad,pd.psroi_pool,pd.psroi_pool_grad,pd.bipartite_match,pd.similarity_focus,pd.mine_hard_examples,pd.box_decoder_and_assign,pd.nms,pd.multiclass_nms3,pd.generate_proposals --split-input-file %s | FileCheck %s

// Ops of detectors with a library kernel whose formulas other targets and ONNX use. test/cases checks the values, and
// remarks-reasons.mlir has near misses.

// The mean of a cell is a product of the image with the weights of rows and of columns.
// CHECK-LABEL: func @roi_align
func.func @roi_align(%x: tensor<2x3x8x9xf32>, %boxes: tensor<5x4xf32>, %n: tensor<2xi32>) -> tensor<5x3x2x4xf32> {
  // CHECK: %[[IMAGES:.*]] = pd.gather %arg0
  // CHECK: %[[ACROSS:.*]] = pd.matmul %[[IMAGES]], {{.*}} {transpose_y = true} : (tensor<5x3x8x9xf32>, tensor<5x1x4x9xf32>) -> tensor<5x3x8x4xf32>
  // CHECK: pd.matmul {{.*}}, %[[ACROSS]] : (tensor<5x1x2x8xf32>, tensor<5x3x8x4xf32>) -> tensor<5x3x2x4xf32>
  %0 = pd.roi_align %x, %boxes, %n {pooled_height = 2 : i64, pooled_width = 4 : i64, sampling_ratio = 2 : i64} : (tensor<2x3x8x9xf32>, tensor<5x4xf32>, tensor<2xi32>) -> tensor<5x3x2x4xf32>
  return %0 : tensor<5x3x2x4xf32>
}

// -----

// Its gradient is the product with the transposed weights, summed by image.
// CHECK-LABEL: func @roi_align_grad
func.func @roi_align_grad(%x: tensor<2x3x8x9xf32>, %boxes: tensor<5x4xf32>, %g: tensor<5x3x2x4xf32>, %n: tensor<2xi32>) -> tensor<2x3x8x9xf32> {
  // CHECK: pd.matmul {{.*}}, %arg2 {transpose_x = true}
  // CHECK: %[[EACH:.*]] = pd.matmul {{.*}} -> tensor<5x3x8x9xf32>
  // CHECK: pd.scatter_nd {{.*}}, %[[EACH]] reduce = add
  %0 = pd.roi_align_grad %x, %boxes, %g, %n {aligned = false, pooled_height = 2 : i64, pooled_width = 4 : i64, sampling_ratio = 2 : i64, spatial_scale = 1.0 : f64} : (tensor<2x3x8x9xf32>, tensor<5x4xf32>, tensor<5x3x2x4xf32>, tensor<2xi32>) -> tensor<2x3x8x9xf32>
  return %0 : tensor<2x3x8x9xf32>
}

// -----

// The largest element of the columns of each cell, then of its rows.
// CHECK-LABEL: func @roi_pool
func.func @roi_pool(%x: tensor<2x3x8x9xf32>, %boxes: tensor<5x4xf32>, %n: tensor<2xi32>) -> (tensor<5x3x2x4xf32>, tensor<5x3x2x4xi64>) {
  // CHECK: pd.argmax {{.*}} : (tensor<5x3x4x8x9xf32>) -> tensor<5x3x4x8xi64>
  // CHECK: pd.argmax {{.*}} : (tensor<5x3x2x4x8xf32>) -> tensor<5x3x2x4xi64>
  %0, %1 = pd.roi_pool %x, %boxes, %n {pooled_height = 2 : i64, pooled_width = 4 : i64} : (tensor<2x3x8x9xf32>, tensor<5x4xf32>, tensor<2xi32>) -> (tensor<5x3x2x4xf32>, tensor<5x3x2x4xi64>)
  return %0, %1 : tensor<5x3x2x4xf32>, tensor<5x3x2x4xi64>
}

// -----

// One loop over the rows or columns of all images.
// CHECK-LABEL: func @bipartite
func.func @bipartite(%x: tensor<?x5xf32>, %offsets: tensor<4xi64>) -> (tensor<3x5xi32>, tensor<3x5xf32>) {
  // CHECK: scf.while
  // CHECK: pd.argmax
  // CHECK-NOT: scf.while
  // CHECK: return
  %0, %1 = pd.bipartite_match %x, %offsets : (tensor<?x5xf32>, tensor<4xi64>) -> (tensor<3x5xi32>, tensor<3x5xf32>)
  return %0, %1 : tensor<3x5xi32>, tensor<3x5xf32>
}

// -----

// The same loop for each index.
// CHECK-LABEL: func @focus
func.func @focus(%x: tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32> {
  // CHECK-COUNT-2: scf.while
  // CHECK-NOT: scf.while
  // CHECK: return
  %0 = pd.similarity_focus %x {axis = 1 : i64, indexes = array<i64: 0, 2>} : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
  return %0 : tensor<2x3x4x5xf32>
}

// -----

// One loop over the boxes of all images and classes. The threshold is a state if it decreases.
// CHECK-LABEL: func @multiclass
func.func @multiclass(%boxes: tensor<2x8x4xf32>, %scores: tensor<2x3x8xf32>) -> (tensor<?x6xf32>, tensor<?x1xi32>, tensor<2xi32>) {
  // CHECK: pd.argsort
  // CHECK: scf.while
  // CHECK: pd.nonzero
  %0, %1, %2 = pd.multiclass_nms3 %boxes, %scores {keep_top_k = 7 : i64, nms_eta = 0.9 : f64, nms_top_k = 6 : i64, score_threshold = 0.2 : f64} : (tensor<2x8x4xf32>, tensor<2x3x8xf32>) -> (tensor<?x6xf32>, tensor<?x1xi32>, tensor<2xi32>)
  return %0, %1, %2 : tensor<?x6xf32>, tensor<?x1xi32>, tensor<2xi32>
}

// -----

// The first boxes of each class by a running number of the selected ones.
// CHECK-LABEL: func @multiclass_limit
func.func @multiclass_limit(%boxes: tensor<2x8x4xf32>, %scores: tensor<2x3x8xf32>) -> tensor<?x6xf32> {
  // CHECK: scf.while
  // CHECK: pd.cumsum
  // CHECK: pd.nonzero
  %0, %1, %2 = pd.multiclass_nms3 %boxes, %scores {class_keep_top_k = 2 : i64, keep_top_k = -1 : i64, nms_top_k = -1 : i64, score_threshold = 0.2 : f64} : (tensor<2x8x4xf32>, tensor<2x3x8xf32>) -> (tensor<?x6xf32>, tensor<?x1xi32>, tensor<2xi32>)
  return %0 : tensor<?x6xf32>
}

// -----

// CHECK-LABEL: func @nms
func.func @nms(%x: tensor<?x4xf32>) -> tensor<?xi64> {
  // CHECK: scf.while
  // CHECK: pd.nonzero
  %0 = pd.nms %x {threshold = 0.5 : f64} : (tensor<?x4xf32>) -> tensor<?xi64>
  return %0 : tensor<?xi64>
}
