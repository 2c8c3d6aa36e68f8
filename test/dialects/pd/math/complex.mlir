// RUN: proa-opt %s | proa-opt | FileCheck %s

// CHECK-LABEL: func @real
func.func @real(%x: tensor<3xcomplex<f32>>) {
  // CHECK: pd.real %{{.*}} : (tensor<3xcomplex<f32>>) -> tensor<3xf32>
  %0 = pd.real %x : (tensor<3xcomplex<f32>>) -> tensor<3xf32>
  return
}

// CHECK-LABEL: func @angle
func.func @angle(%x: tensor<3x5xf32>) {
  // CHECK: pd.angle %{{.*}} : (tensor<3x5xf32>) -> tensor<3x5xf32>
  %0 = pd.angle %x : (tensor<3x5xf32>) -> tensor<3x5xf32>
  return
}

// CHECK-LABEL: func @as_complex
func.func @as_complex(%x: tensor<3x2xf32>) {
  // CHECK: pd.as_complex %{{.*}} : (tensor<3x2xf32>) -> tensor<3xcomplex<f32>>
  %0 = pd.as_complex %x : (tensor<3x2xf32>) -> tensor<3xcomplex<f32>>
  return
}

// CHECK-LABEL: func @as_real
func.func @as_real(%x: tensor<3xcomplex<f32>>) {
  // CHECK: pd.as_real %{{.*}} : (tensor<3xcomplex<f32>>) -> tensor<3x2xf32>
  %0 = pd.as_real %x : (tensor<3xcomplex<f32>>) -> tensor<3x2xf32>
  return
}

// CHECK-LABEL: func @complex
func.func @complex(%re: tensor<2xf64>, %im: tensor<2xf64>) {
  // CHECK: pd.complex %{{.*}}, %{{.*}} : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xcomplex<f64>>
  %0 = pd.complex %re, %im : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xcomplex<f64>>
  return
}

// CHECK-LABEL: func @conj
func.func @conj(%x: tensor<6x3xf32>) {
  // CHECK: pd.conj %{{.*}} : (tensor<6x3xf32>) -> tensor<6x3xf32>
  %0 = pd.conj %x : (tensor<6x3xf32>) -> tensor<6x3xf32>
  return
}

// CHECK-LABEL: func @imag
func.func @imag(%x: tensor<2xcomplex<f64>>) {
  // CHECK: pd.imag %{{.*}} : (tensor<2xcomplex<f64>>) -> tensor<2xf64>
  %0 = pd.imag %x : (tensor<2xcomplex<f64>>) -> tensor<2xf64>
  return
}
