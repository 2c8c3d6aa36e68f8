// RUN: proa-opt %s | proa-opt | FileCheck %s

// CHECK-LABEL: func @cross
func.func @cross(%a: tensor<2x3xf32>) {
  // CHECK: pd.cross %{{.*}}, %{{.*}} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %0 = pd.cross %a, %a : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// CHECK-LABEL: func @kron
func.func @kron(%x: tensor<4x4xf32>, %y: tensor<4xf32>) {
  // CHECK: pd.kron %{{.*}}, %{{.*}} : (tensor<4x4xf32>, tensor<4xf32>) -> tensor<4x16xf32>
  %0 = pd.kron %x, %y : (tensor<4x4xf32>, tensor<4xf32>) -> tensor<4x16xf32>
  return
}

// CHECK-LABEL: func @systems_uses
func.func @systems_uses(%v: tensor<4xf32>, %m: tensor<4x4xf32>) {
  // CHECK: pd.kron
  %10 = pd.kron %m, %v : (tensor<4x4xf32>, tensor<4xf32>) -> tensor<4x16xf32>
  return
}
