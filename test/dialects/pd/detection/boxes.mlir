// RUN: proa-opt %s | proa-opt | FileCheck %s

// CHECK-LABEL: func @anchor_generator
func.func @anchor_generator(%input: tensor<1x8x1x2xf32>) {
  // CHECK: pd.anchor_generator %{{.*}} {anchor_sizes = array<f64: 3.200000e+01>, aspect_ratios = array<f64: 1.000000e+00>, stride = array<f64: 1.600000e+01, 1.600000e+01>, variances = array<f64: 1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00>} : (tensor<1x8x1x2xf32>) -> (tensor<1x2x1x4xf32>, tensor<1x2x1x4xf32>)
  %0:2 = pd.anchor_generator %input {anchor_sizes = array<f64: 32.0>, aspect_ratios = array<f64: 1.0>, stride = array<f64: 16.0, 16.0>, variances = array<f64: 1.0, 1.0, 1.0, 1.0>} : (tensor<1x8x1x2xf32>) -> (tensor<1x2x1x4xf32>, tensor<1x2x1x4xf32>)
  return
}

// CHECK-LABEL: func @box_clip
func.func @box_clip(%input: tensor<1x4xf64>, %im_info: tensor<1x3xf64>) {
  // CHECK: pd.box_clip %{{.*}}, %{{.*}} : (tensor<1x4xf64>, tensor<1x3xf64>) -> tensor<1x4xf64>
  %0 = pd.box_clip %input, %im_info : (tensor<1x4xf64>, tensor<1x3xf64>) -> tensor<1x4xf64>
  return
}

// CHECK-LABEL: func @box_coder
func.func @box_coder(%prior_box: tensor<1x4xf64>, %prior_box_var: tensor<1x1x4xf64>) {
  // CHECK: pd.box_coder %{{.*}}, %{{.*}} code_type = decode_center_size : (tensor<1x4xf64>, tensor<1x1x4xf64>) -> tensor<1x1x4xf64>
  %0 = pd.box_coder %prior_box, %prior_box_var code_type = decode_center_size : (tensor<1x4xf64>, tensor<1x1x4xf64>) -> tensor<1x1x4xf64>
  return
}

// CHECK-LABEL: func @polygon_box_transform
func.func @polygon_box_transform(%input: tensor<1x2x2x2xf64>) {
  // CHECK: pd.polygon_box_transform %{{.*}} : (tensor<1x2x2x2xf64>) -> tensor<1x2x2x2xf64>
  %0 = pd.polygon_box_transform %input : (tensor<1x2x2x2xf64>) -> tensor<1x2x2x2xf64>
  return
}

// CHECK-LABEL: func @prior_box
func.func @prior_box(%input: tensor<1x8x1x1xf32>, %image: tensor<1x3x4x4xf32>) {
  // CHECK: pd.prior_box %{{.*}}, %{{.*}} {aspect_ratios = array<f64: 4.000000e+00>, flip = false, min_sizes = array<f64: 2.000000e+00>, variances = array<f64: 1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00>} : (tensor<1x8x1x1xf32>, tensor<1x3x4x4xf32>) -> (tensor<1x1x2x4xf32>, tensor<1x1x2x4xf32>)
  %0:2 = pd.prior_box %input, %image {min_sizes = array<f64: 2.0>, aspect_ratios = array<f64: 4.0>, flip = false, variances = array<f64: 1.0, 2.0, 3.0, 4.0>} : (tensor<1x8x1x1xf32>, tensor<1x3x4x4xf32>) -> (tensor<1x1x2x4xf32>, tensor<1x1x2x4xf32>)
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

// CHECK-LABEL: @box_decoder_and_assign
func.func @box_decoder_and_assign(%p: tensor<7x4xf32>, %v: tensor<4xf32>, %t: tensor<7x12xf32>, %s: tensor<7x3xf32>) -> tensor<7x4xf32> {
  // CHECK: pd.box_decoder_and_assign {{.*}} -> (tensor<7x12xf32>, tensor<7x4xf32>)
  %0:2 = pd.box_decoder_and_assign %p, %v, %t, %s : (tensor<7x4xf32>, tensor<4xf32>, tensor<7x12xf32>, tensor<7x3xf32>) -> (tensor<7x12xf32>, tensor<7x4xf32>)
  return %0#1 : tensor<7x4xf32>
}

// CHECK-LABEL: @iou_and_density
func.func @iou_and_density(%b: tensor<9x4xf32>, %m: tensor<1x2x3x4xf32>, %i: tensor<1x3x24x32xf32>) {
  // CHECK: pd.iou_similarity {{.*}} -> tensor<9x9xf32>
  %2 = pd.iou_similarity %b, %b : (tensor<9x4xf32>, tensor<9x4xf32>) -> tensor<9x9xf32>
  // CHECK: pd.density_prior_box {{.*}} -> (tensor<3x4x5x4xf32>, tensor<3x4x5x4xf32>)
  %3:2 = pd.density_prior_box %m, %i {variances = array<f64: 0.1, 0.1, 0.2, 0.2>, fixed_sizes = array<f64: 8.0, 16.0>, fixed_ratios = array<f64: 1.0>, densities = array<i64: 2, 1>} : (tensor<1x2x3x4xf32>, tensor<1x3x24x32xf32>) -> (tensor<3x4x5x4xf32>, tensor<3x4x5x4xf32>)
  return
}
