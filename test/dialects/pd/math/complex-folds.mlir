// RUN: proa-opt %s --canonicalize --pd-decompose --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @values
func.func @values() -> (tensor<2xcomplex<f64>>, tensor<2xf64>, tensor<2xf64>, tensor<2xcomplex<f64>>, tensor<2xf64>) {
  %re = pd.constant dense<[3.0, 0.0]> : tensor<2xf64>
  %im = pd.constant dense<[4.0, -2.0]> : tensor<2xf64>
  // CHECK-DAG: dense<[(3.000000e+00,4.000000e+00), (0.000000e+00,-2.000000e+00)]>
  %0 = pd.complex %re, %im : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xcomplex<f64>>
  // CHECK-DAG: dense<[5.000000e+00, 2.000000e+00]>
  %1 = pd.abs %0 : (tensor<2xcomplex<f64>>) -> tensor<2xf64>
  // CHECK-DAG: dense<[0.927295218001612{{[0-9]*}}, -1.570796326794896{{[0-9]*}}]>
  %2 = pd.angle %0 : (tensor<2xcomplex<f64>>) -> tensor<2xf64>
  // CHECK-DAG: dense<[(3.000000e+00,-4.000000e+00), (0.000000e+00,2.000000e+00)]>
  %3 = pd.conj %0 : (tensor<2xcomplex<f64>>) -> tensor<2xcomplex<f64>>
  // CHECK-DAG: dense<[4.000000e+00, -2.000000e+00]>
  %4 = pd.imag %0 : (tensor<2xcomplex<f64>>) -> tensor<2xf64>
  return %0, %1, %2, %3, %4 : tensor<2xcomplex<f64>>, tensor<2xf64>, tensor<2xf64>, tensor<2xcomplex<f64>>, tensor<2xf64>
}

// -----

// CHECK-LABEL: func.func @pairs
// CHECK: pd.complex
// CHECK: pd.real
// CHECK: pd.imag
// CHECK: pd.concat
func.func @pairs(%x: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %0 = pd.as_complex %x : (tensor<3x2xf32>) -> tensor<3xcomplex<f32>>
  %1 = pd.as_real %0 : (tensor<3xcomplex<f32>>) -> tensor<3x2xf32>
  return %1 : tensor<3x2xf32>
}

// -----

func.func @complex_c1(%x: tensor<2xf16>) {
  // expected-error@+1 {{C1: the components of complex numbers must be f32 or f64, found f16}}
  %0 = "pd.complex"(%x, %x) : (tensor<2xf16>, tensor<2xf16>) -> tensor<2xcomplex<f32>>
  return
}

// -----

func.func @as_complex_c2(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{C2: the last dimension must have size 2, found tensor<2x3xf32>}}
  %0 = "pd.as_complex"(%x) : (tensor<2x3xf32>) -> tensor<2xcomplex<f32>>
  return
}
