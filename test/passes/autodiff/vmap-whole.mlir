// RUN: proa-opt %s --split-input-file --pd-vmap=size=5 | FileCheck %s
// RUN: proa-opt %s --split-input-file --pd-vmap=size=-1 | FileCheck %s --check-prefix=OPEN

// Ops with a derivative rule of their own stay one op: the derivative of their decomposition may differ.

// CHECK-LABEL: func.func @others_vmap(
// CHECK: pd.product_of_others %arg0 {axis = array<i64: 1>} : (tensor<5x3xf64>)
func.func @others(%x: tensor<3xf64>) -> tensor<3xf64> {
  %y = pd.product_of_others %x : (tensor<3xf64>) -> tensor<3xf64>
  return %y : tensor<3xf64>
}

// -----

// CHECK-LABEL: func.func @entropy_vmap(
// CHECK: pd.cross_entropy_with_softmax %arg0, %arg1 {axis = 2 : i64} : (tensor<5x2x3xf64>, tensor<5x2x1xi64>)
// OPEN: pd.cross_entropy_with_softmax {{.*}} : (tensor<?x2x3xf64>, tensor<?x2x1xi64>)
func.func @entropy(%x: tensor<2x3xf64>, %l: tensor<2x1xi64>) -> tensor<2x1xf64> {
  %p, %y = pd.cross_entropy_with_softmax %x, %l : (tensor<2x3xf64>, tensor<2x1xi64>) -> (tensor<2x3xf64>, tensor<2x1xf64>)
  return %y : tensor<2x1xf64>
}

// -----

// CHECK-LABEL: func.func @losses_vmap(
// CHECK: pd.bce_loss %arg0, %arg1 : (tensor<5x3xf64>, tensor<5x3xf64>)
// CHECK: pd.gammaincc %{{.*}}, %arg1 : (tensor<5x3xf64>, tensor<5x3xf64>)
func.func @losses(%x: tensor<3xf64>, %l: tensor<3xf64>) -> tensor<3xf64> {
  %y = pd.bce_loss %x, %l : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  %z = pd.gammaincc %y, %l : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  return %z : tensor<3xf64>
}

// -----

// Scales that differ are applied after the normalization.
// CHECK-LABEL: func.func @layer_norm_vmap(
// CHECK: %[[OUT:.*]], %{{.*}}, %{{.*}} = pd.layer_norm %arg0 {begin_norm_axis = 2 : i64} : (tensor<5x2x3xf64>)
// CHECK: pd.multiply %[[OUT]]
func.func @layer_norm(%x: tensor<2x3xf64>, %s: tensor<3xf64>) -> tensor<2x3xf64> {
  %y, %m, %v = pd.layer_norm %x scale = %s {begin_norm_axis = 1 : i64} : (tensor<2x3xf64>, tensor<3xf64>) -> (tensor<2x3xf64>, tensor<2xf64>, tensor<2xf64>)
  return %y : tensor<2x3xf64>
}

// -----

// Each example of a batch has its own statistics: its channels become separate channels.
// CHECK-LABEL: func.func @batch_norm_vmap(
// CHECK: pd.batch_norm {{.*}} : (tensor<4x15x2xf64>, tensor<15xf64>, tensor<15xf64>)
func.func @batch_norm(%x: tensor<4x3x2xf64>, %m: tensor<3xf64>, %v: tensor<3xf64>) -> tensor<4x3x2xf64> {
  %y, %mo, %vo, %sm, %sv, %r = pd.batch_norm %x, %m, %v : (tensor<4x3x2xf64>, tensor<3xf64>, tensor<3xf64>) -> (tensor<4x3x2xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<0xf64>)
  return %y : tensor<4x3x2xf64>
}

// -----

// CHECK-LABEL: func.func @p_norm_vmap(
// CHECK: pd.p_norm %{{.*}} {axis = 1 : i64} : (tensor<5x6xf64>) -> tensor<5xf64>
func.func @p_norm(%x: tensor<2x3xf64>) -> tensor<f64> {
  %y = pd.p_norm %x {asvector = true} : (tensor<2x3xf64>) -> tensor<f64>
  return %y : tensor<f64>
}

// -----

// A checkpoint of a batch is one as well.
// CHECK-LABEL: func.func @checkpoint_vmap(
// CHECK: pd.checkpoint(%arg0 : tensor<5x3xf64>) : tensor<5x3xf64> {
// CHECK: pd.exp %{{.*}} : (tensor<5x3xf64>)
func.func @checkpoint(%x: tensor<3xf64>) -> tensor<3xf64> {
  %y = pd.checkpoint(%x : tensor<3xf64>) : tensor<3xf64> {
  ^bb0(%a: tensor<3xf64>):
    %e = pd.exp %a : (tensor<3xf64>) -> tensor<3xf64>
    pd.yield %e : tensor<3xf64>
  }
  return %y : tensor<3xf64>
}
