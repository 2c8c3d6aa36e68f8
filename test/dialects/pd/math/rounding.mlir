// RUN: proa-opt %s --canonicalize --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @rounded
func.func @rounded() -> (tensor<5xf32>, tensor<5xf32>, tensor<3xf32>) {
  %x = pd.constant dense<[0.5, 1.5, 2.5, -0.5, -2.5]> : tensor<5xf32>
  // CHECK-DAG: dense<[1.000000e+00, 2.000000e+00, 3.000000e+00, -1.000000e+00, -3.000000e+00]>
  %0 = pd.round %x : (tensor<5xf32>) -> tensor<5xf32>
  // CHECK-DAG: dense<[0.000000e+00, 2.000000e+00, 2.000000e+00, -0.000000e+00, -2.000000e+00]>
  %1 = pd.round %x {half_to_even = true} : (tensor<5xf32>) -> tensor<5xf32>
  // CHECK-DAG: dense<[1.250000e+00, -3.500000e-01, 1.200000e+01]>
  %y = pd.constant dense<[1.2481, -0.3512, 11.999]> : tensor<3xf32>
  %2 = pd.round %y {decimals = 2 : i64} : (tensor<3xf32>) -> tensor<3xf32>
  return %0, %1, %2 : tensor<5xf32>, tensor<5xf32>, tensor<3xf32>
}

// -----

// f16 holds 2^-11 above 1, 65504 at most and multiples of 2^-24; bf16 has 2^-7 above 1.
// CHECK-LABEL: func.func @toward_zero
func.func @toward_zero() -> (tensor<6xf32>, tensor<6xf32>, tensor<3xf32>) {
  %x = pd.constant dense<[1.0009, -1.9999, 65504.0, 65505.0, 5.9e-8, -65520.0]> : tensor<6xf32>
  // CHECK-DAG: dense<[1.000000e+00, -1.99902344, 6.550400e+04, 0x7F800000, 0.000000e+00, 0xFF800000]>
  %0 = pd.cast %x {dtype = f16, toward_zero = true} : (tensor<6xf32>) -> tensor<6xf16>
  %1 = pd.cast %0 {dtype = f32} : (tensor<6xf16>) -> tensor<6xf32>
  // CHECK-DAG: dense<[1.00097656, -2.000000e+00, 6.550400e+04, 6.550400e+04, 5.96046448E-8, 0xFF800000]>
  %2 = pd.cast %x {dtype = f16} : (tensor<6xf32>) -> tensor<6xf16>
  %3 = pd.cast %2 {dtype = f32} : (tensor<6xf16>) -> tensor<6xf32>
  // CHECK-DAG: dense<[2.560000e+02, -2.580000e+02, 2.580000e+02]>
  %y = pd.constant dense<[257, -259, 259]> : tensor<3xi32>
  %4 = pd.cast %y {dtype = bf16, toward_zero = true} : (tensor<3xi32>) -> tensor<3xbf16>
  %5 = pd.cast %4 {dtype = f32} : (tensor<3xbf16>) -> tensor<3xf32>
  return %1, %3, %5 : tensor<6xf32>, tensor<6xf32>, tensor<3xf32>
}

// -----

// CHECK-LABEL: func.func @signs_and_bits
func.func @signs_and_bits() -> (tensor<4xf32>, tensor<4xi8>, tensor<4xi8>, tensor<4xi8>) {
  %x = pd.constant dense<[0.0, 1.0, -2.0, 3.0]> : tensor<4xf32>
  %y = pd.constant dense<[-0.0, -0.0, 1.0, -5.0]> : tensor<4xf32>
  // CHECK-DAG: dense<[-0.000000e+00, -1.000000e+00, 2.000000e+00, -3.000000e+00]>
  %0 = pd.copysign %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %a = pd.constant dense<[1, -7, -128, 5]> : tensor<4xi8>
  %b = pd.constant dense<[3, 1, 8, -1]> : tensor<4xi8>
  // CHECK-DAG: dense<[8, -14, 0, 0]>
  %1 = pd.bitwise_left_shift %a, %b : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi8>
  // CHECK-DAG: dense<[0, -4, -1, 0]>
  %2 = pd.bitwise_right_shift %a, %b : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi8>
  // CHECK-DAG: dense<[0, 124, 0, 0]>
  %3 = pd.bitwise_right_shift %a, %b {is_arithmetic = false} : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi8>
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xi8>, tensor<4xi8>, tensor<4xi8>
}

// -----

func.func @swiglu_odd(%x: tensor<2x5xf32>) {
  // expected-error@+1 {{C1: the last dim of tensor<2x5xf32> is not even}}
  %0 = "pd.swiglu"(%x) : (tensor<2x5xf32>) -> tensor<2x2xf32>
  return
}

// -----

// Numbers out of range, as g++ converts them for x86-64 and Paddle's casts have them: up to 16 bits the low bits of
// the int32, whose least number is the result for NaN and for what does not fit.
// CHECK-LABEL: func.func @float_to_integer
func.func @float_to_integer() -> (tensor<6xi8>, tensor<6xui8>, tensor<6xi16>, tensor<6xi32>, tensor<6xi64>) {
  %x = pd.constant dense<[-1.9, 300.7, 70000.0, 3.0e9, 1.0e19, 0x7FC00000]> : tensor<6xf32>
  // CHECK-DAG: dense<[-1, 44, 112, 0, 0, 0]> : tensor<6xi8>
  %0 = pd.cast %x {dtype = i8} : (tensor<6xf32>) -> tensor<6xi8>
  // CHECK-DAG: dense<[255, 44, 112, 0, 0, 0]> : tensor<6xui8>
  %1 = pd.cast %x {dtype = ui8} : (tensor<6xf32>) -> tensor<6xui8>
  // CHECK-DAG: dense<[-1, 300, 4464, 0, 0, 0]> : tensor<6xi16>
  %2 = pd.cast %x {dtype = i16} : (tensor<6xf32>) -> tensor<6xi16>
  // CHECK-DAG: dense<[-1, 300, 70000, -2147483648, -2147483648, -2147483648]> : tensor<6xi32>
  %3 = pd.cast %x {dtype = i32} : (tensor<6xf32>) -> tensor<6xi32>
  // CHECK-DAG: dense<[-1, 300, 70000, 3000000000, -9223372036854775808, -9223372036854775808]> : tensor<6xi64>
  %5 = pd.cast %x {dtype = i64} : (tensor<6xf32>) -> tensor<6xi64>
  return %0, %1, %2, %3, %5 : tensor<6xi8>, tensor<6xui8>, tensor<6xi16>, tensor<6xi32>, tensor<6xi64>
}
