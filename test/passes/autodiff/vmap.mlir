// RUN: proa-opt %s --pd-vmap="function=gaps size=3 mapped=0,-1" | FileCheck %s --check-prefix=GAPS
// RUN: proa-opt %s --pd-vmap="function=product size=5 mapped=0,-1" | FileCheck %s --check-prefix=PRODUCT
// RUN: proa-opt %s --pd-vmap="function=product mapped=1,-1" | FileCheck %s --check-prefix=DYNAMIC
// RUN: proa-opt %s --pd-vjp="function=rows name=rows_back" --pd-vmap="function=rows_back" | FileCheck %s --check-prefix=OPEN
// RUN: proa-opt %s --pd-vmap="function=branch size=5" | FileCheck %s --check-prefix=BRANCH
// RUN: proa-opt %s --pd-vmap="function=loop size=5" | FileCheck %s --check-prefix=LOOP
// RUN: proa-opt %s --pd-hessian="function=cube" | FileCheck %s --check-prefix=HESSIAN
// RUN: proa-opt %s --pd-vmap="function=either size=3 mapped=-1,0" | FileCheck %s --check-prefix=EITHER

// PRODUCT-LABEL: func @product_vmap(
// PRODUCT-SAME: %[[X:.*]]: tensor<5x2x3xf32>, %[[W:.*]]: tensor<3x4xf32>) -> tensor<5x2xf32>
// PRODUCT: %[[Y:.*]] = pd.matmul %[[X]], %[[W]]
// PRODUCT: pd.sum %[[Y]] {axis = array<i64: 2>} : (tensor<5x2x4xf32>) -> tensor<5x2xf32>

// DYNAMIC-LABEL: func @product_vmap(
// DYNAMIC-SAME: %[[X:.*]]: tensor<2x?x3xf32>, %[[W:.*]]: tensor<3x4xf32>) -> tensor<?x2xf32>
// DYNAMIC: pd.transpose %[[X]] {perm = array<i64: 1, 0, 2>} : (tensor<2x?x3xf32>) -> tensor<?x2x3xf32>
func.func @product(%x: tensor<2x3xf32>, %w: tensor<3x4xf32>) -> tensor<2xf32> {
  %y = pd.matmul %x, %w : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %s = pd.sum %y {axis = array<i64: -1>} : (tensor<2x4xf32>) -> tensor<2xf32>
  return %s : tensor<2xf32>
}

// The condition differs per example: both branches, and a selection.
// BRANCH-LABEL: func @branch_vmap(
// BRANCH-SAME: %[[X:.*]]: tensor<5x4xf32>, %[[C:.*]]: tensor<5xi1>) -> tensor<5x4xf32>
// BRANCH-NOT: scf.if
// BRANCH: %[[E:.*]] = pd.exp %[[X]]
// BRANCH: %[[S:.*]] = pd.where %{{.*}}, %[[E]], %[[X]]
// BRANCH: return %[[S]]
func.func @branch(%x: tensor<4xf32>, %c: tensor<i1>) -> tensor<4xf32> {
  %condition = tensor.extract %c[] : tensor<i1>
  %y = scf.if %condition -> (tensor<4xf32>) {
    %e = pd.exp %x : (tensor<4xf32>) -> tensor<4xf32>
    scf.yield %e : tensor<4xf32>
  } else {
    scf.yield %x : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// The loop runs until no example goes on.
// LOOP-LABEL: func @loop_vmap(
// LOOP: scf.while
// LOOP: pd.any %{{.*}} {axis = array<i64: 0>} : (tensor<5xi1>) -> tensor<i1>
// LOOP: scf.condition
// LOOP: pd.where
func.func @loop(%x: tensor<4xf32>, %c: tensor<i1>) -> tensor<4xf32> {
  %y:2 = scf.while (%v = %x, %goes = %c) : (tensor<4xf32>, tensor<i1>) -> (tensor<4xf32>, tensor<i1>) {
    %condition = tensor.extract %goes[] : tensor<i1>
    scf.condition(%condition) %v, %goes : tensor<4xf32>, tensor<i1>
  } do {
  ^bb0(%v: tensor<4xf32>, %goes: tensor<i1>):
    %p = pd.multiply %v, %v : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %n = pd.logical_not %goes : (tensor<i1>) -> tensor<i1>
    scf.yield %p, %n : tensor<4xf32>, tensor<i1>
  }
  return %y#0 : tensor<4xf32>
}

// HESSIAN-LABEL: func @cube_hessian(
// HESSIAN-SAME: %[[X:.*]]: tensor<3xf32>) -> tensor<3x3xf32>
// HESSIAN: pd.eye
func.func @cube(%x: tensor<3xf32>) -> tensor<f32> {
  %y = pd.multiply %x, %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %z = pd.multiply %y, %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %s = pd.sum %z : (tensor<3xf32>) -> tensor<f32>
  return %s : tensor<f32>
}
// An array of cotangents lacks the elements that nothing came to.
// GAPS-LABEL: func @gaps_vmap(
// GAPS: scf.while
// GAPS: pd.array_read_or
// GAPS: pd.expand
func.func @gaps(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
  %zero = pd.constant dense<0> : tensor<1xi64>
  %one = pd.constant dense<1> : tensor<1xi64>
  %e = pd.array_create : () -> !pd.array<*>
  %a = pd.array_write %e, %one, %y : (!pd.array<*>, tensor<1xi64>, tensor<2xf32>) -> !pd.array<tensor<2xf32>>
  %b = pd.array_write %a, %zero, %x : (!pd.array<tensor<2xf32>>, tensor<1xi64>, tensor<2xf32>) -> !pd.array<tensor<2xf32>>
  %r = pd.array_read %b, %one : (!pd.array<tensor<2xf32>>, tensor<1xi64>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}

// The gradient reshapes to dynamic dims; after the batch dimension they are unchanged.
// OPEN-LABEL: func @rows_back_vmap(
// OPEN: %[[COUNT:.*]] = pd.dim %arg0 {index = 0 : i64}
// OPEN: %[[FIRST:.*]] = pd.reshape %[[COUNT]] {shape = array<i64: 1>}
// OPEN: %[[SHAPE:.*]] = pd.concat %[[FIRST]], {{.*}} -> tensor<4xi64>
// OPEN: pd.reshape %arg1, %[[SHAPE]] : (tensor<?x?x?xf32>, tensor<4xi64>) -> tensor<?x?x1x?xf32>
func.func @rows(%x: tensor<?x?x?xf32>) -> tensor<?x?xf32> {
  %y = pd.sum %x {axis = array<i64: 1>} : (tensor<?x?x?xf32>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// An array without writes is empty, wherever it comes from.
// EITHER-LABEL: func.func @either
// EITHER: pd.array_write %{{.*}} : (!pd.array<*>, tensor<1xi64>, tensor<3x2xf32>) -> !pd.array<tensor<3x2xf32>>
func.func @either(%condition: i1, %x: tensor<2xf32>) -> tensor<1xi64> {
  %zero = pd.constant dense<0> : tensor<1xi64>
  %e = scf.if %condition -> (!pd.array<*>) {
    %0 = pd.array_create : () -> !pd.array<*>
    scf.yield %0 : !pd.array<*>
  } else {
    %0 = pd.array_create : () -> !pd.array<*>
    scf.yield %0 : !pd.array<*>
  }
  %a = pd.array_write %e, %zero, %x : (!pd.array<*>, tensor<1xi64>, tensor<2xf32>) -> !pd.array<tensor<2xf32>>
  %n = pd.array_length %a : (!pd.array<tensor<2xf32>>) -> tensor<1xi64>
  return %n : tensor<1xi64>
}
