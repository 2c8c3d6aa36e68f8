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
