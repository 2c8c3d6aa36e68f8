// RUN: proa-opt --pd-form-kernels %s | FileCheck %s

// A softmax is one kernel; the constant is inside.
// CHECK-LABEL: func @softmax
// CHECK-NEXT: call @kernel_0(%arg0)
// CHECK-NEXT: return
func.func @softmax(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %c = pd.constant dense<2.0> : tensor<f32>
  %s = pd.multiply %x, %c : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  %m = pd.max %s {axis = array<i64: 1>, keepdim = true} : (tensor<4x8xf32>) -> tensor<4x1xf32>
  %d = pd.subtract %s, %m : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  %e = pd.exp %d : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %t = pd.sum %e {axis = array<i64: 1>, keepdim = true} : (tensor<4x8xf32>) -> tensor<4x1xf32>
  %r = pd.divide %e, %t : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// Equal groups share a function.
// CHECK-LABEL: func @twice
// CHECK-NEXT: %[[A:.*]] = call @kernel_1(%arg0)
// CHECK-NEXT: %[[B:.*]] = pd.reshape %[[A]]
// CHECK-NEXT: %[[C:.*]] = call @kernel_1(%[[B]])
func.func @twice(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = pd.exp %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = pd.reshape %0 {shape = array<i64: 4, 8>} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %2 = pd.exp %1 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}

// Near miss: a library op between two ops of one shape uses the first, which therefore cannot wait for the second.
// CHECK-LABEL: func @used_between
// CHECK: call @kernel_1
// CHECK: pd.reshape
// CHECK: call @kernel_2
func.func @used_between(%x: tensor<4x8xf32>) -> (tensor<32xf32>, tensor<4x8xf32>) {
  %0 = pd.exp %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = pd.reshape %0 {shape = array<i64: 32>} : (tensor<4x8xf32>) -> tensor<32xf32>
  %2 = pd.log %0 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %1, %2 : tensor<32xf32>, tensor<4x8xf32>
}

// Near miss: a reduction of leading dimensions is a kernel of its own.
// CHECK-LABEL: func @columns
// CHECK-COUNT-3: call @kernel
func.func @columns(%x: tensor<4x8xf32>) -> tensor<8xf32> {
  %0 = pd.exp %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = pd.sum %0 {axis = array<i64: 0>, keepdim = false} : (tensor<4x8xf32>) -> tensor<8xf32>
  %2 = pd.log %1 : (tensor<8xf32>) -> tensor<8xf32>
  return %2 : tensor<8xf32>
}

// Kernels are formed in the regions of a condition too; values that a region reads are computed before it.
// CHECK-LABEL: func @branch
func.func @branch(%x: tensor<8xf32>, %c: tensor<i1>) -> tensor<8xf32> {
  // CHECK: %[[EXP:.*]] = call @kernel
  // CHECK: scf.if
  // CHECK-NEXT: call @kernel{{.*}}(%[[EXP]])
  %0 = pd.exp %x : (tensor<8xf32>) -> tensor<8xf32>
  %condition = tensor.extract %c[] : tensor<i1>
  %1 = scf.if %condition -> tensor<8xf32> {
    %2 = pd.tanh %0 : (tensor<8xf32>) -> tensor<8xf32>
    %3 = pd.exp %2 : (tensor<8xf32>) -> tensor<8xf32>
    scf.yield %3 : tensor<8xf32>
  } else {
    scf.yield %x : tensor<8xf32>
  }
  // CHECK: call @kernel
  %4 = pd.add %0, %1 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %4 : tensor<8xf32>
}

// Near miss: the region of an op of pd keeps its ops.
// CHECK-LABEL: func @checkpoint
// CHECK: pd.checkpoint
// CHECK: pd.sin
// CHECK: pd.exp
// CHECK: pd.yield
func.func @checkpoint(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = pd.checkpoint(%x : tensor<8xf32>) : tensor<8xf32> {
  ^bb0(%a: tensor<8xf32>):
    %1 = pd.sin %a : (tensor<8xf32>) -> tensor<8xf32>
    %2 = pd.exp %1 : (tensor<8xf32>) -> tensor<8xf32>
    pd.yield %2 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// A transpose of dims of size 1 does not become a kernel.
// CHECK-LABEL: func @unit_dims
// CHECK-NEXT: pd.reshape %arg0 {shape = array<i64: 2, 4, 1, 3>}
// CHECK-NEXT: return
func.func @unit_dims(%x: tensor<2x1x4x3xf32>) -> tensor<2x4x1x3xf32> {
  %0 = pd.transpose %x {perm = array<i64: 0, 2, 1, 3>} : (tensor<2x1x4x3xf32>) -> tensor<2x4x1x3xf32>
  return %0 : tensor<2x4x1x3xf32>
}

// Near misses: other dims, dims that may be larger than 1, and a transpose that is part of a kernel.
// CHECK-LABEL: func @other_transposes
// CHECK-NOT: pd.reshape
// CHECK-COUNT-3: call @kernel
func.func @other_transposes(%x: tensor<2x1x3xf32>, %y: tensor<?x1xf32>, %z: tensor<4x1xf32>) -> (tensor<3x1x2xf32>, tensor<1x?xf32>, tensor<1x4xf32>) {
  %0 = pd.transpose %x {perm = array<i64: 2, 1, 0>} : (tensor<2x1x3xf32>) -> tensor<3x1x2xf32>
  %1 = pd.transpose %y {perm = array<i64: 1, 0>} : (tensor<?x1xf32>) -> tensor<1x?xf32>
  %2 = pd.transpose %z {perm = array<i64: 1, 0>} : (tensor<4x1xf32>) -> tensor<1x4xf32>
  %3 = pd.exp %2 : (tensor<1x4xf32>) -> tensor<1x4xf32>
  return %0, %1, %3 : tensor<3x1x2xf32>, tensor<1x?xf32>, tensor<1x4xf32>
}
