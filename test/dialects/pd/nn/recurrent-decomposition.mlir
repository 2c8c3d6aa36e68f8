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

// The reset gate is applied to the state before the matmul of the candidate.
// CHECK-LABEL: func @resets_before(
// CHECK: pd.matmul %[[H:.*]], %{{.*}} {transpose_y = true} : (tensor<2x4xf32>, tensor<8x4xf32>)
// CHECK: %[[RESET:.*]] = pd.divide
// CHECK: %[[STATE:.*]] = pd.multiply %[[RESET]], %[[H]]
// CHECK: pd.matmul %[[STATE]], %{{.*}} {transpose_y = true} : (tensor<2x4xf32>, tensor<4x4xf32>)
// CHECK: pd.tanh
func.func @resets_before(%x: tensor<?x2x3xf32>, %s: tensor<1x2x4xf32>, %w: tensor<12x3xf32>, %u: tensor<12x4xf32>, %b: tensor<12xf32>, %c: tensor<12xf32>) -> tensor<?x2x4xf32> {
  %y, %f = pd.rnn %x states = %s weights = %w, %u, %b, %c mode = GRU {hidden_size = 4 : i64, resets_before = true} : (tensor<?x2x3xf32>, tensor<1x2x4xf32>, tensor<12x3xf32>, tensor<12x4xf32>, tensor<12xf32>, tensor<12xf32>) -> (tensor<?x2x4xf32>, tensor<1x2x4xf32>)
  return %y : tensor<?x2x4xf32>
}
