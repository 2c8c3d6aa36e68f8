// RUN: proa-opt %s | proa-opt | FileCheck %s

// CHECK-LABEL: func @add
func.func @add(%x: tensor<f32>, %y: tensor<f32>) {
  // CHECK: pd.add %{{.*}}, %{{.*}} : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %0 = pd.add %x, %y : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return
}

// CHECK-LABEL: func @atan2
func.func @atan2(%x: tensor<2x3xf64>, %y: tensor<3xf64>) {
  // CHECK: pd.atan2 %{{.*}}, %{{.*}} : (tensor<2x3xf64>, tensor<3xf64>) -> tensor<2x3xf64>
  %0 = pd.atan2 %x, %y : (tensor<2x3xf64>, tensor<3xf64>) -> tensor<2x3xf64>
  return
}

// CHECK-LABEL: func @bitwise_and
func.func @bitwise_and(%x: tensor<3x4xi1>, %y: tensor<3x4xi1>) {
  // CHECK: pd.bitwise_and %{{.*}}, %{{.*}} : (tensor<3x4xi1>, tensor<3x4xi1>) -> tensor<3x4xi1>
  %0 = pd.bitwise_and %x, %y : (tensor<3x4xi1>, tensor<3x4xi1>) -> tensor<3x4xi1>
  return
}

// CHECK-LABEL: func @bitwise_left_shift
func.func @bitwise_left_shift(%x: tensor<4xi8>, %y: tensor<4xi8>) {
  // CHECK: pd.bitwise_left_shift %{{.*}}, %{{.*}} : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi8>
  %0 = pd.bitwise_left_shift %x, %y : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi8>
  return
}

// CHECK-LABEL: func @bitwise_or
func.func @bitwise_or(%x: tensor<3x4xi1>, %y: tensor<3x4xi1>) {
  // CHECK: pd.bitwise_or %{{.*}}, %{{.*}} : (tensor<3x4xi1>, tensor<3x4xi1>) -> tensor<3x4xi1>
  %0 = pd.bitwise_or %x, %y : (tensor<3x4xi1>, tensor<3x4xi1>) -> tensor<3x4xi1>
  return
}

// CHECK-LABEL: func @bitwise_right_shift
func.func @bitwise_right_shift(%x: tensor<4xi8>, %y: tensor<4xi8>) {
  // CHECK: pd.bitwise_right_shift %{{.*}}, %{{.*}} {is_arithmetic = false} : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi8>
  %0 = pd.bitwise_right_shift %x, %y {is_arithmetic = false} : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi8>
  return
}

// CHECK-LABEL: func @bitwise_xor
func.func @bitwise_xor(%x: tensor<3x4xi32>, %y: tensor<3x4xi32>) {
  // CHECK: pd.bitwise_xor %{{.*}}, %{{.*}} : (tensor<3x4xi32>, tensor<3x4xi32>) -> tensor<3x4xi32>
  %0 = pd.bitwise_xor %x, %y : (tensor<3x4xi32>, tensor<3x4xi32>) -> tensor<3x4xi32>
  return
}

// CHECK-LABEL: func @copysign
func.func @copysign(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  // CHECK: pd.copysign %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %0 = pd.copysign %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: func @divide
func.func @divide(%x: tensor<f32>, %y: tensor<f32>) {
  // CHECK: pd.divide %{{.*}}, %{{.*}} : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %0 = pd.divide %x, %y : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return
}

// CHECK-LABEL: func @elementwise_pow
func.func @elementwise_pow(%x: tensor<2x3xf64>, %y: tensor<3xf64>) {
  // CHECK: pd.elementwise_pow %{{.*}}, %{{.*}} : (tensor<2x3xf64>, tensor<3xf64>) -> tensor<2x3xf64>
  %0 = pd.elementwise_pow %x, %y : (tensor<2x3xf64>, tensor<3xf64>) -> tensor<2x3xf64>
  return
}

// CHECK-LABEL: func @equal
func.func @equal(%x: tensor<1xi64>, %y: tensor<1xi64>) {
  // CHECK: pd.equal %{{.*}}, %{{.*}} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi1>
  %0 = pd.equal %x, %y : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi1>
  return
}

// CHECK-LABEL: func @floor_divide
func.func @floor_divide(%x: tensor<i32>, %y: tensor<i32>) {
  // CHECK: pd.floor_divide %{{.*}}, %{{.*}} : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %0 = pd.floor_divide %x, %y : (tensor<i32>, tensor<i32>) -> tensor<i32>
  return
}

// CHECK-LABEL: func @fmax
func.func @fmax(%x: tensor<2x3xf64>, %y: tensor<3xf64>) {
  // CHECK: pd.fmax %{{.*}}, %{{.*}} : (tensor<2x3xf64>, tensor<3xf64>) -> tensor<2x3xf64>
  %0 = pd.fmax %x, %y : (tensor<2x3xf64>, tensor<3xf64>) -> tensor<2x3xf64>
  return
}

// CHECK-LABEL: func @fmin
func.func @fmin(%x: tensor<2x3xf64>, %y: tensor<3xf64>) {
  // CHECK: pd.fmin %{{.*}}, %{{.*}} : (tensor<2x3xf64>, tensor<3xf64>) -> tensor<2x3xf64>
  %0 = pd.fmin %x, %y : (tensor<2x3xf64>, tensor<3xf64>) -> tensor<2x3xf64>
  return
}

// CHECK-LABEL: func @greater_equal
func.func @greater_equal(%x: tensor<3x4xf32>, %y: tensor<3x4xf32>) {
  // CHECK: pd.greater_equal %{{.*}}, %{{.*}} : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xi1>
  %0 = pd.greater_equal %x, %y : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xi1>
  return
}

// CHECK-LABEL: func @greater_than
func.func @greater_than(%x: tensor<4x5x3xf64>, %y: tensor<f64>) {
  // CHECK: pd.greater_than %{{.*}}, %{{.*}} : (tensor<4x5x3xf64>, tensor<f64>) -> tensor<4x5x3xi1>
  %0 = pd.greater_than %x, %y : (tensor<4x5x3xf64>, tensor<f64>) -> tensor<4x5x3xi1>
  return
}

// CHECK-LABEL: func @heaviside
func.func @heaviside(%x: tensor<4xf32>, %y: tensor<f32>) {
  // CHECK: pd.heaviside %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %0 = pd.heaviside %x, %y : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: func @lerp
func.func @lerp(%a: tensor<2x3xf32>, %b: tensor<3xf32>) {
  // CHECK: pd.lerp %{{.*}}, %{{.*}}, %{{.*}} : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %0 = pd.lerp %a, %b, %b : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return
}

// CHECK-LABEL: func @less_equal
func.func @less_equal(%x: tensor<f32>, %y: tensor<f32>) {
  // CHECK: pd.less_equal %{{.*}}, %{{.*}} : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %0 = pd.less_equal %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
  return
}

// CHECK-LABEL: func @less_than
func.func @less_than(%x: tensor<f32>, %y: tensor<f32>) {
  // CHECK: pd.less_than %{{.*}}, %{{.*}} : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %0 = pd.less_than %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
  return
}

// CHECK-LABEL: func @logical_and
func.func @logical_and(%x: tensor<1xi1>, %y: tensor<1xi1>) {
  // CHECK: pd.logical_and %{{.*}}, %{{.*}} : (tensor<1xi1>, tensor<1xi1>) -> tensor<1xi1>
  %0 = pd.logical_and %x, %y : (tensor<1xi1>, tensor<1xi1>) -> tensor<1xi1>
  return
}

// CHECK-LABEL: func @logical_or
func.func @logical_or(%x: tensor<3x4xi1>, %y: tensor<4xi1>) {
  // CHECK: pd.logical_or %{{.*}}, %{{.*}} : (tensor<3x4xi1>, tensor<4xi1>) -> tensor<3x4xi1>
  %0 = pd.logical_or %x, %y : (tensor<3x4xi1>, tensor<4xi1>) -> tensor<3x4xi1>
  return
}

// CHECK-LABEL: func @logical_xor
func.func @logical_xor(%x: tensor<3x4xi1>, %y: tensor<4xi1>) {
  // CHECK: pd.logical_xor %{{.*}}, %{{.*}} : (tensor<3x4xi1>, tensor<4xi1>) -> tensor<3x4xi1>
  %0 = pd.logical_xor %x, %y : (tensor<3x4xi1>, tensor<4xi1>) -> tensor<3x4xi1>
  return
}

// CHECK-LABEL: func @maximum
func.func @maximum(%x: tensor<4xui8>, %y: tensor<4xui8>) {
  // CHECK: pd.maximum %{{.*}}, %{{.*}} : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xui8>
  %0 = pd.maximum %x, %y : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xui8>
  return
}

// CHECK-LABEL: func @minimum
func.func @minimum(%x: tensor<2x3xf64>, %y: tensor<3xf64>) {
  // CHECK: pd.minimum %{{.*}}, %{{.*}} : (tensor<2x3xf64>, tensor<3xf64>) -> tensor<2x3xf64>
  %0 = pd.minimum %x, %y : (tensor<2x3xf64>, tensor<3xf64>) -> tensor<2x3xf64>
  return
}

// CHECK-LABEL: func @multiply
func.func @multiply(%x: tensor<f32>, %y: tensor<f32>) {
  // CHECK: pd.multiply %{{.*}}, %{{.*}} : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %0 = pd.multiply %x, %y : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return
}

// CHECK-LABEL: func @nextafter
func.func @nextafter(%x: tensor<3xf32>, %y: tensor<3xf32>) {
  // CHECK: pd.nextafter %{{.*}}, %{{.*}} : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %0 = pd.nextafter %x, %y : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return
}

// CHECK-LABEL: func @not_equal
func.func @not_equal(%x: tensor<3x4xi32>, %y: tensor<i32>) {
  // CHECK: pd.not_equal %{{.*}}, %{{.*}} : (tensor<3x4xi32>, tensor<i32>) -> tensor<3x4xi1>
  %0 = pd.not_equal %x, %y : (tensor<3x4xi32>, tensor<i32>) -> tensor<3x4xi1>
  return
}

// CHECK-LABEL: func @remainder
func.func @remainder(%x: tensor<3x4xi32>, %y: tensor<3x4xi32>) {
  // CHECK: pd.remainder %{{.*}}, %{{.*}} : (tensor<3x4xi32>, tensor<3x4xi32>) -> tensor<3x4xi32>
  %0 = pd.remainder %x, %y : (tensor<3x4xi32>, tensor<3x4xi32>) -> tensor<3x4xi32>
  return
}

// CHECK-LABEL: func @subtract
func.func @subtract(%x: tensor<1xi64>, %y: tensor<1xi64>) {
  // CHECK: pd.subtract %{{.*}}, %{{.*}} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  %0 = pd.subtract %x, %y : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  return
}

// CHECK-LABEL: func @where
func.func @where(%condition: tensor<2xi1>, %x: tensor<2xi64>, %y: tensor<2xi64>) {
  // CHECK: pd.where %{{.*}}, %{{.*}}, %{{.*}} : (tensor<2xi1>, tensor<2xi64>, tensor<2xi64>) -> tensor<2xi64>
  %0 = pd.where %condition, %x, %y : (tensor<2xi1>, tensor<2xi64>, tensor<2xi64>) -> tensor<2xi64>
  return
}

// CHECK-LABEL: func @math_uses
func.func @math_uses(%x: tensor<2x3xf32>, %y: tensor<3xf32>) {
  // CHECK: pd.less_equal
  %4 = pd.less_equal %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
  return
}
