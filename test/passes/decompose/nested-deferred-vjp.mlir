// RUN: proa-opt %s --pd-decompose --verify-diagnostics

// The innermost gradient waits for the dims of the filter. The regions around it then read values from outside, so
// that they cannot wait.
func.func @third_derivative(%x: tensor<1x2x9x9xf32>, %w: tensor<2x2x?x?xf32>, %y: tensor<1x2x?x?xf32>,
                            %c: tensor<1x2x?x?xf32>, %dx: tensor<1x2x9x9xf32>, %dw: tensor<2x2x?x?xf32>)
    -> tensor<2x2x?x?xf32> {
  // expected-error @below {{cannot be decomposed as long as its dims are dynamic}}
  %0:2 = pd.vjp(%x, %w : tensor<1x2x9x9xf32>, tensor<2x2x?x?xf32>) cotangents(%dx, %dw : tensor<1x2x9x9xf32>, tensor<2x2x?x?xf32>) {cotangent_of = array<i64: 0, 1>, saved_of = array<i64>} : tensor<1x2x9x9xf32>, tensor<2x2x?x?xf32> {
  ^bb0(%x1: tensor<1x2x9x9xf32>, %w1: tensor<2x2x?x?xf32>):
    %1:4 = pd.vjp(%x, %w, %y, %c : tensor<1x2x9x9xf32>, tensor<2x2x?x?xf32>, tensor<1x2x?x?xf32>, tensor<1x2x?x?xf32>) cotangents(%x1, %w1 : tensor<1x2x9x9xf32>, tensor<2x2x?x?xf32>) {cotangent_of = array<i64: 0, 1>, saved_of = array<i64>} : tensor<1x2x9x9xf32>, tensor<2x2x?x?xf32>, tensor<1x2x?x?xf32>, tensor<1x2x?x?xf32> {
    ^bb0(%x2: tensor<1x2x9x9xf32>, %w2: tensor<2x2x?x?xf32>, %y2: tensor<1x2x?x?xf32>, %c2: tensor<1x2x?x?xf32>):
      %2:2 = pd.vjp(%x2, %w2 : tensor<1x2x9x9xf32>, tensor<2x2x?x?xf32>) saved(%y2 : tensor<1x2x?x?xf32>) cotangents(%c2 : tensor<1x2x?x?xf32>) {cotangent_of = array<i64: 0>, saved_of = array<i64: 0>} : tensor<1x2x9x9xf32>, tensor<2x2x?x?xf32> {
      ^bb0(%x3: tensor<1x2x9x9xf32>, %w3: tensor<2x2x?x?xf32>):
        %3 = pd.conv2d %x3, %w3 : (tensor<1x2x9x9xf32>, tensor<2x2x?x?xf32>) -> tensor<1x2x?x?xf32>
        pd.yield %3 : tensor<1x2x?x?xf32>
      }
      pd.yield %2#0, %2#1 : tensor<1x2x9x9xf32>, tensor<2x2x?x?xf32>
    }
    pd.yield %1#0, %1#1 : tensor<1x2x9x9xf32>, tensor<2x2x?x?xf32>
  }
  return %0#1 : tensor<2x2x?x?xf32>
}
