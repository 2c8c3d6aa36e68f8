// RUN: proa-opt %s --pd-decompose | FileCheck %s

// Any number of steps is one loop.
// CHECK-LABEL: func @f(
// CHECK-NOT: pd.rnn
// CHECK: %[[PARTS:.*]] = pd.array_split
// CHECK: scf.while
// CHECK: pd.array_read %[[PARTS]]
// CHECK: pd.array_write
// CHECK: pd.array_to_tensor
// CHECK-NOT: scf.while
func.func @f(%x: tensor<?x2x3xf32>, %s: tensor<1x2x4xf32>, %w: tensor<4x3xf32>, %u: tensor<4x4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>, %n: tensor<2xi32>) -> (tensor<?x2x4xf32>, tensor<1x2x4xf32>) {
  %y, %f = pd.rnn %x states = %s weights = %w, %u, %b, %c lengths = %n mode = RNN_TANH {hidden_size = 4 : i64} : (tensor<?x2x3xf32>, tensor<1x2x4xf32>, tensor<4x3xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<2xi32>) -> (tensor<?x2x4xf32>, tensor<1x2x4xf32>)
  return %y, %f : tensor<?x2x4xf32>, tensor<1x2x4xf32>
}
