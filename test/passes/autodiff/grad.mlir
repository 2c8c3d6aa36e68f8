// RUN: proa-opt %s --pd-grad=function=f | FileCheck %s
// RUN: proa-opt %s --pd-grad="function=f value name=with_value arguments=1" | FileCheck %s --check-prefix=VALUE
// RUN: proa-opt %s --pd-vjp=function=f | FileCheck %s --check-prefix=VJP
// RUN: proa-opt %s --pd-grad="function=main" | FileCheck %s --check-prefix=PROGRAM
// RUN: proa-opt %s --pd-grad=function=f --pd-jvp="function=f_grad arguments=0" | FileCheck %s --check-prefix=TWICE

// CHECK-LABEL: func @f(
// CHECK-LABEL: func @f_grad(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[W:.*]]: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
// CHECK-DAG: %[[DX:.*]] = pd.multiply %{{.*}}, %[[W]]
// CHECK-DAG: %[[DW:.*]] = pd.multiply %{{.*}}, %[[X]]
// CHECK: return %[[DX]], %[[DW]]

// VALUE-LABEL: func @with_value(
// VALUE-SAME: %[[X:.*]]: tensor<4xf32>, %[[W:.*]]: tensor<4xf32>) -> (tensor<f32>, tensor<4xf32>)
// VALUE: %[[LOSS:.*]] = pd.sum
// VALUE: return %[[LOSS]], %{{.*}}

// VJP-LABEL: func @f_vjp(
// VJP-SAME: %{{.*}}: tensor<4xf32>, %{{.*}}: tensor<4xf32>, %[[D:.*]]: tensor<f32>) -> (tensor<f32>, tensor<4xf32>, tensor<4xf32>)
// VJP: pd.reshape %[[D]]

// The gradient by w is x: its derivative along v is v, and nothing is computed for it.
// TWICE-LABEL: func @f_grad_jvp(
// TWICE-SAME: -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
func.func @f(%x: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<f32> {
  %y = pd.multiply %x, %w : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %s = pd.sum %y : (tensor<4xf32>) -> tensor<f32>
  return %s : tensor<f32>
}

// Gradients in a program have names as Paddle's.
// PROGRAM-LABEL: func @main_grad(
// PROGRAM-SAME: {pd.feed = "x"}
// PROGRAM-SAME: -> (tensor<3xf32> {pd.fetch = "x@GRAD"})
func.func @main(%x: tensor<3xf32> {pd.feed = "x"}) -> (tensor<f32> {pd.fetch = "loss"}) {
  %y = pd.exp %x : (tensor<3xf32>) -> tensor<3xf32>
  %s = pd.sum %y : (tensor<3xf32>) -> tensor<f32>
  return %s : tensor<f32>
}
