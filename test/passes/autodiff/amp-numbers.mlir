// RUN: proa-opt %s --pd-amp="function=counts level=O2" | FileCheck %s
// RUN: proa-opt %s --pd-amp="function=dynamic level=O2" | FileCheck %s --check-prefix=DYNAMIC

// Numbers that are computed from dims and do not fit into float16 stay in float32, and so does what they divide.
// CHECK-LABEL: func @counts(
// CHECK: %[[MANY:.*]] = pd.cast %{{.*}} {dtype = f32} : (tensor<i64>) -> tensor<f32>
// CHECK: %[[HALF:.*]] = pd.divide %[[MANY]], %{{.*}} -> tensor<f32>
// CHECK: pd.divide %{{.*}}, %[[HALF]] : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
// Near miss: this one fits.
// CHECK: pd.divide {{.*}} : (tensor<2xf16>, tensor<f16>) -> tensor<2xf16>
func.func @counts(%x: tensor<2x100000xf32>, %y: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %two = pd.constant dense<2.0> : tensor<f32>
  %n = pd.numel %x : (tensor<2x100000xf32>) -> tensor<i64>
  %many = pd.cast %n {dtype = f32} : (tensor<i64>) -> tensor<f32>
  %half = pd.divide %many, %two : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %mean = pd.divide %y, %half : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %m = pd.numel %y : (tensor<2xf32>) -> tensor<i64>
  %few = pd.cast %m {dtype = f32} : (tensor<i64>) -> tensor<f32>
  %small = pd.divide %y, %few : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  return %mean, %small : tensor<2xf32>, tensor<2xf32>
}

// The number is not known.
// DYNAMIC-LABEL: func @dynamic(
// DYNAMIC: pd.divide %{{.*}} : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
func.func @dynamic(%x: tensor<?x?xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
  %n = pd.numel %x : (tensor<?x?xf32>) -> tensor<i64>
  %many = pd.cast %n {dtype = f32} : (tensor<i64>) -> tensor<f32>
  %mean = pd.divide %y, %many : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  return %mean : tensor<2xf32>
}
