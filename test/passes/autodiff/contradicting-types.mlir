// RUN: proa-opt %s --pd-jvp --verify-diagnostics
// RUN: proa-opt %s --pd-vjp --verify-diagnostics
// RUN: proa-opt %s --pd-vmap --verify-diagnostics

// The declared rank holds for a dimension of size 1. It is 3 once the dims of the operand are known.
func.func @squeezed(%arg0: tensor<1x3x1xf32>) -> tensor<?x?xf32> {
  %0 = pd.assign %arg0 : (tensor<1x3x1xf32>) -> tensor<?x?x?xf32>
  // expected-error@+1 {{declares the result 'tensor<?x?xf32>', but computes 'tensor<1x3x1xf32>' from its operands}}
  %1 = pd.squeeze %0 {axis = array<i64: 1>} : (tensor<?x?x?xf32>) -> tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}
