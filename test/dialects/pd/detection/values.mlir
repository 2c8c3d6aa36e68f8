// Boxes computed from small constants: values by hand.
// RUN: proa-opt %s --pd-decompose --pd-refine-shapes --canonicalize | FileCheck %s

// One element in an image of 4 x 4: a box of side 2 around (2, 2), and one of ratio 4 (4 wide, 1 high).
// CHECK-LABEL: @prior_box
func.func @prior_box(%map: tensor<1x8x1x1xf32>, %image: tensor<1x3x4x4xf32>) -> (tensor<1x1x2x4xf32>, tensor<1x1x2x4xf32>) {
  // CHECK-DAG: dense<{{\[\[\[\[}}2.500000e-01, 2.500000e-01, 7.500000e-01, 7.500000e-01], [0.000000e+00, 3.750000e-01, 1.000000e+00, 6.250000e-01]]]]>
  // CHECK-DAG: dense<{{\[\[\[\[}}1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00], [1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00]]]]>
  %0, %1 = pd.prior_box %map, %image {min_sizes = array<f64: 2.0>, aspect_ratios = array<f64: 4.0>, flip = false, variances = array<f64: 1.0, 2.0, 3.0, 4.0>} : (tensor<1x8x1x1xf32>, tensor<1x3x4x4xf32>) -> (tensor<1x1x2x4xf32>, tensor<1x1x2x4xf32>)
  return %0, %1 : tensor<1x1x2x4xf32>, tensor<1x1x2x4xf32>
}

// The centre is 0.5 * (16 - 1) = 7.5; the base of 16, scaled by 32 / 16, has half of 32 - 1.
// CHECK-LABEL: @anchors
func.func @anchors(%map: tensor<1x8x1x2xf32>) -> tensor<1x2x1x4xf32> {
  // CHECK: dense<{{\[\[\[\[}}-8.000000e+00, -8.000000e+00, 2.300000e+01, 2.300000e+01]], {{\[\[}}8.000000e+00, -8.000000e+00, 3.900000e+01, 2.300000e+01]]]]>
  %0, %1 = pd.anchor_generator %map {anchor_sizes = array<f64: 32.0>, aspect_ratios = array<f64: 1.0>, stride = array<f64: 16.0, 16.0>, variances = array<f64: 1.0, 1.0, 1.0, 1.0>} : (tensor<1x8x1x2xf32>) -> (tensor<1x2x1x4xf32>, tensor<1x2x1x4xf32>)
  return %0 : tensor<1x2x1x4xf32>
}

// Prior box: center (1, 1), size 2. Target: center (2, 2), size 2.
// CHECK-LABEL: @box_coder
func.func @box_coder() -> (tensor<1x1x4xf64>, tensor<1x1x4xf64>, tensor<1x1x4xf64>) {
  // CHECK-DAG: dense<{{\[\[\[}}5.000000e-01, 5.000000e-01, 0.000000e+00, 0.000000e+00]]]>
  // CHECK-DAG: dense<{{\[\[\[}}1.000000e+00, 1.000000e+00, 3.000000e+00, 3.000000e+00]]]>
  // CHECK-DAG: dense<{{\[\[\[}}2.000000e+00, 1.000000e+00, 4.000000e+00, 3.000000e+00]]]>
  %p = pd.constant dense<[[0.0, 0.0, 2.0, 2.0]]> : tensor<1x4xf64>
  %t = pd.constant dense<[[1.0, 1.0, 3.0, 3.0]]> : tensor<1x4xf64>
  %0 = pd.box_coder %p, %t : (tensor<1x4xf64>, tensor<1x4xf64>) -> tensor<1x1x4xf64>
  %1 = pd.box_coder %p, %0 code_type = decode_center_size : (tensor<1x4xf64>, tensor<1x1x4xf64>) -> tensor<1x1x4xf64>
  %v = pd.constant dense<[[2.0, 1.0, 1.0, 1.0]]> : tensor<1x4xf64>
  %2 = pd.box_coder %p, %v, %0 code_type = decode_center_size {axis = 1 : i64} : (tensor<1x4xf64>, tensor<1x4xf64>, tensor<1x1x4xf64>) -> tensor<1x1x4xf64>
  return %0, %1, %2 : tensor<1x1x4xf64>, tensor<1x1x4xf64>, tensor<1x1x4xf64>
}

// An image 4 high and 6 wide.
// CHECK-LABEL: @box_clip
func.func @box_clip() -> tensor<1x4xf64> {
  // CHECK: dense<{{\[\[}}0.000000e+00, 0.000000e+00, 5.000000e+00, 3.000000e+00]]>
  %b = pd.constant dense<[[-1.0, -1.0, 9.0, 9.0]]> : tensor<1x4xf64>
  %i = pd.constant dense<[[8.0, 12.0, 2.0]]> : tensor<1x3xf64>
  %0 = pd.box_clip %b, %i : (tensor<1x4xf64>, tensor<1x3xf64>) -> tensor<1x4xf64>
  return %0 : tensor<1x4xf64>
}

// CHECK-LABEL: @polygon
func.func @polygon() -> tensor<1x2x2x2xf64> {
  // CHECK: dense<{{\[\[\[\[}}-1.000000e+00, 3.000000e+00], [-1.000000e+00, 3.000000e+00]], {{\[\[}}-1.000000e+00, -1.000000e+00], [3.000000e+00, 3.000000e+00]]]]>
  %x = pd.constant dense<1.0> : tensor<1x2x2x2xf64>
  %0 = pd.polygon_box_transform %x : (tensor<1x2x2x2xf64>) -> tensor<1x2x2x2xf64>
  return %0 : tensor<1x2x2x2xf64>
}
