// RUN: proa-opt --canonicalize %s | FileCheck %s
// Expected bits are from the Python package ml_dtypes; of E8M0, from onnx.numpy_helper.to_float8e8m0.

// 0, -0, 1, -3.3, 0.001, 300, NaN, -infinity, 240, 2^-10
// CHECK-LABEL: func @encode
func.func @encode() -> (tensor<10xui8>, tensor<10xui8>, tensor<10xui8>, tensor<10xui8>, tensor<10xui8>, tensor<10xui8>) {
  %x = pd.constant dense<[0.0, -0.0, 1.0, -3.3, 0.001, 300.0, 0x7FC00000, 0xFF800000, 240.0, 0.0009765625]> : tensor<10xf32>
  // CHECK-DAG: pd.constant dense<[0, 0, 64, 205, 1, 127, 128, 255, 127, 1]>
  %0 = pd.encode_float %x format = e4m3fnuz : (tensor<10xf32>) -> tensor<10xui8>
  // CHECK-DAG: pd.constant dense<[0, 0, 64, 205, 1, 128, 128, 128, 127, 1]>
  %1 = pd.encode_float %x format = e4m3fnuz {saturate = false} : (tensor<10xf32>) -> tensor<10xui8>
  // CHECK-DAG: pd.constant dense<[0, 0, 64, 199, 24, 97, 128, 255, 96, 24]>
  %2 = pd.encode_float %x format = e5m2fnuz : (tensor<10xf32>) -> tensor<10xui8>
  // CHECK-DAG: pd.constant dense<[0, 0, 64, 199, 24, 97, 128, 128, 96, 24]>
  %3 = pd.encode_float %x format = e5m2fnuz {saturate = false} : (tensor<10xf32>) -> tensor<10xui8>
  // CHECK-DAG: pd.constant dense<[0, 8, 2, 13, 0, 7, 8, 15, 7, 0]>
  %4 = pd.encode_float %x format = e2m1 : (tensor<10xf32>) -> tensor<10xui8>
  // CHECK-DAG: pd.constant dense<[0, 32, 8, 53, 0, 31, 32, 63, 31, 0]>
  %5 = pd.encode_float %x format = e2m3 : (tensor<10xf32>) -> tensor<10xui8>
  return %0, %1, %2, %3, %4, %5 : tensor<10xui8>, tensor<10xui8>, tensor<10xui8>, tensor<10xui8>, tensor<10xui8>, tensor<10xui8>
}

// CHECK-LABEL: func @exponents
func.func @exponents() -> (tensor<7xui8>, tensor<7xui8>, tensor<7xui8>) {
  %x = pd.constant dense<[0.0, 0x00000001, 1.0, 1.5, 1.75, 3.0e38, 0x7FC00000]> : tensor<7xf32>
  // CHECK-DAG: pd.constant dense<[0, 1, 127, 128, 128, 254, 255]>
  %0 = pd.encode_float %x format = e8m0 rounding = up : (tensor<7xf32>) -> tensor<7xui8>
  // CHECK-DAG: pd.constant dense<[0, 0, 127, 127, 127, 254, 255]>
  %1 = pd.encode_float %x format = e8m0 rounding = down : (tensor<7xf32>) -> tensor<7xui8>
  // CHECK-DAG: pd.constant dense<[0, 0, 127, 128, 128, 254, 255]>
  %2 = pd.encode_float %x format = e8m0 : (tensor<7xf32>) -> tensor<7xui8>
  return %0, %1, %2 : tensor<7xui8>, tensor<7xui8>, tensor<7xui8>
}

// CHECK-LABEL: func @decode
func.func @decode() -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK-DAG: pd.constant dense<[1.000000e+00, -3.250000e+00, 9.765625E-4, 0x7FC00000]>
  %x = pd.constant dense<[64, 205, 1, 128]> : tensor<4xui8>
  %0 = pd.decode_float %x format = e4m3fnuz : (tensor<4xui8>) -> tensor<4xf32>
  // CHECK-DAG: pd.constant dense<[1.000000e+00, -3.000000e+00, 6.000000e+00, 5.000000e-01]>
  %y = pd.constant dense<[2, 13, 7, 1]> : tensor<4xui8>
  %1 = pd.decode_float %y format = e2m1 : (tensor<4xui8>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}
