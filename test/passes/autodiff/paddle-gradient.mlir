// RUN: proa-opt %s --pd-vjp=function=scatter --pd-vjp=function=paddle --pd-vjp=function=one_row --pd-vjp=function=soft --pd-vjp=function=soft_paddle | FileCheck %s

// Row 2 may be written twice: the gradient of an update goes to the one that is left.
// CHECK-LABEL: func.func @scatter_vjp(
// CHECK: %[[LAST:.*]] = pd.equal
// CHECK: pd.where %{{.*}}, %{{.*}}, %{{.*}} : (tensor<3x1xi1>,
func.func @scatter(%x: tensor<3x2xf64>, %i: tensor<3xi64>, %u: tensor<3x2xf64>) -> tensor<3x2xf64> {
  %y = pd.scatter %x, %i, %u : (tensor<3x2xf64>, tensor<3xi64>, tensor<3x2xf64>) -> tensor<3x2xf64>
  return %y : tensor<3x2xf64>
}

// Paddle's kernel gives it to all of them.
// CHECK-LABEL: func.func @paddle_vjp(
// CHECK-NOT: pd.equal
// CHECK: return
func.func @paddle(%x: tensor<3x2xf64>, %i: tensor<3xi64>, %u: tensor<3x2xf64>) -> tensor<3x2xf64> {
  %y = pd.scatter %x, %i, %u {paddle_gradient = true} : (tensor<3x2xf64>, tensor<3xi64>, tensor<3x2xf64>) -> tensor<3x2xf64>
  return %y : tensor<3x2xf64>
}

// One row is not written twice.
// CHECK-LABEL: func.func @one_row_vjp(
// CHECK-NOT: pd.equal
// CHECK: return
func.func @one_row(%x: tensor<3x2xf64>, %i: tensor<1xi64>, %u: tensor<1x2xf64>) -> tensor<3x2xf64> {
  %y = pd.scatter %x, %i, %u : (tensor<3x2xf64>, tensor<1xi64>, tensor<1x2xf64>) -> tensor<3x2xf64>
  return %y : tensor<3x2xf64>
}

// The labels' sum is a factor.
// CHECK-LABEL: func.func @soft_vjp(
// CHECK: %[[P:.*]], %{{.*}} = pd.cross_entropy_with_softmax
// CHECK: %[[SUM:.*]] = pd.sum %arg1
// CHECK: %[[SCALED:.*]] = pd.multiply %[[P]], %[[SUM]]
// CHECK: pd.subtract %[[SCALED]], %arg1
func.func @soft(%x: tensor<1x3xf64>, %l: tensor<1x3xf64>) -> tensor<1x1xf64> {
  %p, %y = pd.cross_entropy_with_softmax %x, %l {soft_label = true} : (tensor<1x3xf64>, tensor<1x3xf64>) -> (tensor<1x3xf64>, tensor<1x1xf64>)
  return %y : tensor<1x1xf64>
}

// As in Paddle it counts as 1.
// CHECK-LABEL: func.func @soft_paddle_vjp(
// CHECK: %[[P:.*]], %{{.*}} = pd.cross_entropy_with_softmax
// CHECK-NOT: pd.sum
// CHECK: pd.subtract %[[P]], %arg1
func.func @soft_paddle(%x: tensor<1x3xf64>, %l: tensor<1x3xf64>) -> tensor<1x1xf64> {
  %p, %y = pd.cross_entropy_with_softmax %x, %l {soft_label = true, paddle_gradient = true} : (tensor<1x3xf64>, tensor<1x3xf64>) -> (tensor<1x3xf64>, tensor<1x1xf64>)
  return %y : tensor<1x1xf64>
}
