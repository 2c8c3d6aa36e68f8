// RUN: proa-opt %s --canonicalize --split-input-file --verify-diagnostics | FileCheck %s

// Known values: Gamma(0.5) = sqrt(pi), digamma(1) = -Euler's constant, zeta(2) = pi^2 / 6, tables of Bessel functions.
// CHECK-LABEL: func.func @values
func.func @values() -> (tensor<4xf64>, tensor<4xf64>, tensor<3xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<5xf64>) {
  // CHECK-DAG: dense<[0.572364942924{{[0-9]+}}, {{[0-9.]+}}E-15, 0x7FF0000000000000, 1.265512123484{{[0-9]+}}]>
  %x = pd.constant dense<[0.5, 1.0, 0.0, -0.5]> : tensor<4xf64>
  %0 = pd.lgamma %x : (tensor<4xf64>) -> tensor<4xf64>
  // CHECK-DAG: dense<[-1.96351002602142{{[0-9]+}}, -0.57721566490153{{[0-9]+}}, 0x7FF8000000000000, 0.03648997397857{{[0-9]+}}]>
  %1 = pd.digamma %x : (tensor<4xf64>) -> tensor<4xf64>
  // CHECK-DAG: dense<[1.6449340668482{{[0-9]+}}, 9.5392466449891{{[0-9]+}}, 0x7FF0000000000000]>
  %y = pd.constant dense<[1.0, -2.5, -1.0]> : tensor<3xf64>
  %2 = pd.polygamma %y {n = 1 : i64} : (tensor<3xf64>) -> tensor<3xf64>
  // CHECK-DAG: dense<[1.2660658777520{{[0-9]+}}, 2815.71662846625{{[0-9]+}}]>
  %z = pd.constant dense<[1.0, 10.0]> : tensor<2xf64>
  %3 = pd.i0 %z : (tensor<2xf64>) -> tensor<2xf64>
  // CHECK-DAG: dense<[0.56515910399248{{[0-9]+}}, 2670.98830370125{{[0-9]+}}]>
  %4 = pd.i1 %z : (tensor<2xf64>) -> tensor<2xf64>
  // CHECK-DAG: dense<[0.4657596075936{{[0-9]+}}, 0.12783333716342{{[0-9]+}}]>
  %5 = pd.i0e %z : (tensor<2xf64>) -> tensor<2xf64>
  // CHECK-DAG: dense<[0.47693627620446{{[0-9]+}}, -1.16308715367667{{[0-9]+}}, 0x7FF0000000000000, 3.458910737275{{[0-9]+}}, 0.000000e+00]>
  %w = pd.constant dense<[0.5, -0.9, 1.0, 0.999999, 0.0]> : tensor<5xf64>
  %6 = pd.erfinv %w : (tensor<5xf64>) -> tensor<5xf64>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<4xf64>, tensor<4xf64>, tensor<3xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<5xf64>
}

// -----

// CHECK-LABEL: func.func @binary
func.func @binary() -> (tensor<3xf32>, tensor<4xf32>) {
  // CHECK-DAG: dense<[1.00000012, -1.401300e-45, 2.000000e+00]> : tensor<3xf32>
  %x = pd.constant dense<[1.0, 0.0, 2.0]> : tensor<3xf32>
  %y = pd.constant dense<[2.0, -1.0, 2.0]> : tensor<3xf32>
  %0 = pd.nextafter %x, %y : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  // CHECK-DAG: dense<[0.000000e+00, 7.000000e+00, 1.000000e+00, 0.000000e+00]> : tensor<4xf32>
  %a = pd.constant dense<[-1.0, 0.0, 3.0, 0x7FC00000]> : tensor<4xf32>
  %b = pd.constant dense<7.0> : tensor<f32>
  %1 = pd.heaviside %a, %b : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %0, %1 : tensor<3xf32>, tensor<4xf32>
}

// -----

func.func @polygamma_order(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@+1 {{C1: n must be from 0 to 100, found -1}}
  %0 = "pd.polygamma"(%x) {n = -1 : i64} : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// CHECK-LABEL: func.func @gammaincc
func.func @gammaincc(%x: tensor<?x3xf32>, %y: tensor<2x?xf32>) -> tensor<2x3xf32> {
  // CHECK: pd.gammaincc
  %0 = pd.gammaincc %x, %y : (tensor<?x3xf32>, tensor<2x?xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

func.func @gammaincc_c1(%x: tensor<3xf32>, %y: tensor<3xf64>) {
  // expected-error@+1 {{C1: x and y must have one type, found tensor<3xf32> and tensor<3xf64>}}
  %0 = pd.gammaincc %x, %y : (tensor<3xf32>, tensor<3xf64>) -> tensor<3xf32>
  return
}
