// Enum attributes are keywords before the attribute dictionary. A string with the same text is accepted, and so is the
// attribute in full. Values that are defaults are not printed.
// RUN: proa-opt %s | FileCheck %s
// RUN: proa-opt %s | proa-opt | FileCheck %s
// RUN: proa-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC

// CHECK-LABEL: @pool
func.func @pool(%x: tensor<1x4x4x2xf32>) -> tensor<1x2x2x2xf32> {
  // CHECK: pd.pool2d %{{.*}} data_format = NHWC pooling_type = avg {kernel_size = array<i64: 2, 2>, strides = array<i64: 2, 2>} :
  // GENERIC: data_format = #pd<data_format NHWC>{{.*}}pooling_type = #pd<pooling_type avg>
  %0 = pd.pool2d %x data_format = NHWC pooling_type = avg padding_algorithm = EXPLICIT {kernel_size = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (tensor<1x4x4x2xf32>) -> tensor<1x2x2x2xf32>
  return %0 : tensor<1x2x2x2xf32>
}

// CHECK-LABEL: @quoted
func.func @quoted(%x: tensor<1x4x4x2xf32>) -> tensor<1x2x2x2xf32> {
  // CHECK: pd.pool2d %{{.*}} data_format = NHWC {
  %0 = pd.pool2d %x data_format = "NHWC" {kernel_size = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (tensor<1x4x4x2xf32>) -> tensor<1x2x2x2xf32>
  return %0 : tensor<1x2x2x2xf32>
}

// CHECK-LABEL: @in_dictionary
func.func @in_dictionary(%x: tensor<1x4x4x2xf32>) -> tensor<1x2x2x2xf32> {
  // CHECK: pd.pool2d %{{.*}} data_format = NHWC {
  %0 = pd.pool2d %x {data_format = #pd<data_format NHWC>, kernel_size = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (tensor<1x4x4x2xf32>) -> tensor<1x2x2x2xf32>
  return %0 : tensor<1x2x2x2xf32>
}

// A required one is always printed.
// CHECK-LABEL: @required
func.func @required(%x: tensor<1x2x4x4xf32>, %d: tensor<1x2x8x8xf32>) -> tensor<1x2x4x4xf32> {
  // CHECK: pd.interpolate_gradient %{{.*}}, %{{.*}} interp_method = bilinear {
  %0 = pd.interpolate_gradient %x, %d interp_method = bilinear {out_h = 8 : i64, out_w = 8 : i64} : (tensor<1x2x4x4xf32>, tensor<1x2x8x8xf32>) -> tensor<1x2x4x4xf32>
  return %0 : tensor<1x2x4x4xf32>
}

// A value that is not a keyword is quoted.
// CHECK-LABEL: @quotes
func.func @quotes(%d: tensor<8x6xf32>, %l: tensor<4x6xf32>, %o: tensor<3xi64>) {
  // CHECK: pd.detection_map {{.*}} ap_type = "11point" {
  %1:6 = pd.detection_map %d, %l, %o, %o ap_type = "11point" {class_num = 4 : i64} : (tensor<8x6xf32>, tensor<4x6xf32>, tensor<3xi64>, tensor<3xi64>) -> (tensor<4x1xi32>, tensor<?x2xf32>, tensor<?x2xf32>, tensor<1xf32>, tensor<5xi64>, tensor<5xi64>)
  return
}
