// RUN: proa-opt %s --pd-grad="function=add" | FileCheck %s --check-prefix=ADD
// RUN: proa-opt %s --pd-grad="function=centred" | FileCheck %s --check-prefix=CENTRED
// RUN: proa-opt %s --pd-jvp="function=add arguments=0" | FileCheck %s --check-prefix=FORWARD
// RUN: proa-opt %s --pd-vjp="function=same" | FileCheck %s --check-prefix=SAME
// RUN: proa-opt %s --pd-vjp="function=filter" | FileCheck %s --check-prefix=WAITS
// RUN: proa-opt %s --pd-vjp="function=filter" --pd-vjp="function=filter_vjp arguments=0,1,2" | FileCheck %s --check-prefix=TWICE

// Either operand may turn out to have one row, which is then broadcast.
// ADD-LABEL: func @add_grad(
// ADD: pd.reduce_as %{{.*}}, %arg0
// ADD: pd.reduce_as %{{.*}}, %arg1
// FORWARD-LABEL: func @add_jvp(
// FORWARD: pd.expand %arg2, %{{.*}} : (tensor<?x4xf32>, tensor<2xi64>) -> tensor<?x4xf32>
func.func @add(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>) -> tensor<f32> {
  %z = pd.add %x, %y : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %e = pd.exp %z : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %s = pd.sum %e : (tensor<?x4xf32>) -> tensor<f32>
  return %s : tensor<f32>
}

// The mean of x has as many rows as x.
// CENTRED-LABEL: func @centred_grad(
// CENTRED-NOT: pd.reduce_as
// CENTRED: return
func.func @centred(%x: tensor<?x4xf32>, %w: tensor<4x4xf32>) -> tensor<f32> {
  %m = pd.mean %x {axis = array<i64: 1>, keepdim = true} : (tensor<?x4xf32>) -> tensor<?x1xf32>
  %c = pd.subtract %x, %m : (tensor<?x4xf32>, tensor<?x1xf32>) -> tensor<?x4xf32>
  %p = pd.matmul %c, %w : (tensor<?x4xf32>, tensor<4x4xf32>) -> tensor<?x4xf32>
  %r = pd.add %p, %x : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %g = pd.multiply %r, %x : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %s = pd.sum %g : (tensor<?x4xf32>) -> tensor<f32>
  return %s : tensor<f32>
}

// The padding depends on the dims: the gradient is computed as for a convolution of padded images.
// SAME-LABEL: func @same_vjp(
// SAME-NOT: pd.vjp
// SAME: pd.concat
// SAME: pd.conv2d_transpose
// SAME: pd.slice
// SAME: pd.conv2d_weight_gradient
// SAME: return
func.func @same(%x: tensor<1x2x?x?xf32>, %w: tensor<2x2x3x3xf32>) -> tensor<1x2x?x?xf32> {
  %y = pd.conv2d %x, %w padding_algorithm = SAME {strides = array<i64: 2, 2>} : (tensor<1x2x?x?xf32>, tensor<2x2x3x3xf32>) -> tensor<1x2x?x?xf32>
  return %y : tensor<1x2x?x?xf32>
}

// The dims of the filter are an attribute of its gradient, which is deferred until they are static.
// WAITS-LABEL: func @filter_vjp(
// WAITS: pd.vjp(%arg0, %arg1
// WAITS: pd.conv2d
// TWICE-LABEL: func @filter_vjp_vjp(
// TWICE: pd.vjp(
func.func @filter(%x: tensor<1x2x9x9xf32>, %w: tensor<2x2x?x?xf32>) -> tensor<1x2x?x?xf32> {
  %y = pd.conv2d %x, %w : (tensor<1x2x9x9xf32>, tensor<2x2x?x?xf32>) -> tensor<1x2x?x?xf32>
  return %y : tensor<1x2x?x?xf32>
}
