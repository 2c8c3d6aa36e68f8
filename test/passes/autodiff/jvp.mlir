// RUN: proa-opt %s --pd-jvp=function=linear | FileCheck %s --check-prefix=LINEAR
// RUN: proa-opt %s --pd-jvp=function=scales | FileCheck %s --check-prefix=SCALES
// RUN: proa-opt %s --pd-jvp="function=product arguments=0" | FileCheck %s --check-prefix=PRODUCT
// RUN: proa-opt %s --pd-jvp="function=branch arguments=0" | FileCheck %s --check-prefix=BRANCH
// RUN: proa-opt %s --pd-jvp="function=loop arguments=1" | FileCheck %s --check-prefix=LOOP

// A linear op is applied to the tangent.
// LINEAR-LABEL: func @linear_jvp(
// LINEAR-SAME: %[[X:.*]]: tensor<2x3xf32>, %[[T:.*]]: tensor<2x3xf32>)
// LINEAR: %[[OUT:.*]] = pd.transpose %[[X]]
// LINEAR: %[[DOUT:.*]] = pd.transpose %[[T]]
// LINEAR: return %[[OUT]], %[[DOUT]]
func.func @linear(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {
  %y = pd.transpose %x {perm = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return %y : tensor<3x2xf32>
}

// A factor that is not differentiated has tangent zero, and costs nothing.
// PRODUCT-LABEL: func @product_jvp(
// PRODUCT-SAME: %[[X:.*]]: tensor<2x3xf32>, %[[W:.*]]: tensor<3x4xf32>, %[[T:.*]]: tensor<2x3xf32>)
// PRODUCT: %[[OUT:.*]] = pd.matmul %[[X]], %[[W]]
// PRODUCT: %[[DOUT:.*]] = pd.matmul %[[T]], %[[W]]
// PRODUCT-NOT: pd.
// PRODUCT: return %[[OUT]], %[[DOUT]]
func.func @product(%x: tensor<2x3xf32>, %w: tensor<3x4xf32>) -> tensor<2x4xf32> {
  %y = pd.matmul %x, %w : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// BRANCH-LABEL: func @branch_jvp(
// BRANCH: %[[R:.*]]:2 = scf.if %{{.*}} -> (tensor<4xf32>, tensor<4xf32>)
// BRANCH: return %[[R]]#0, %[[R]]#1
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

// What is carried gets its tangent beside it; the condition does not.
// LOOP-LABEL: func @loop_jvp(
// LOOP: scf.while (%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) : (tensor<4xf32>, tensor<i1>, tensor<4xf32>)
func.func @loop(%x: tensor<4xf32>, %w: tensor<4xf32>, %c: tensor<i1>) -> tensor<4xf32> {
  %y:2 = scf.while (%v = %x, %goes = %c) : (tensor<4xf32>, tensor<i1>) -> (tensor<4xf32>, tensor<i1>) {
    %condition = tensor.extract %goes[] : tensor<i1>
    scf.condition(%condition) %v, %goes : tensor<4xf32>, tensor<i1>
  } do {
  ^bb0(%v: tensor<4xf32>, %goes: tensor<i1>):
    %p = pd.multiply %v, %w : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %n = pd.logical_not %goes : (tensor<i1>) -> tensor<i1>
    scf.yield %p, %n : tensor<4xf32>, tensor<i1>
  }
  return %y#0 : tensor<4xf32>
}

// Sums and scales without offset are linear; an offset is not in the tangent.
// SCALES-LABEL: func @scales_jvp(
// SCALES-SAME: %[[X:.*]]: tensor<4xf32>, %[[T:.*]]: tensor<4xf32>)
// SCALES: %[[DA:.*]] = pd.scale %[[T]] {scale = 2.0
// SCALES: %[[THREE:.*]] = pd.constant dense<3.0
// SCALES: %[[DB:.*]] = pd.multiply %[[DA]], %[[THREE]]
// SCALES: %[[DOUT:.*]] = pd.add_n %[[DA]], %[[DB]]
// SCALES: return %{{.*}}, %[[DOUT]]
func.func @scales(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pd.scale %x {scale = 2.0 : f64} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = pd.scale %0 {scale = 3.0 : f64, bias = 1.0 : f64} : (tensor<4xf32>) -> tensor<4xf32>
  %2 = pd.add_n %0, %1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}
