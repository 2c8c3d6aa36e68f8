// RUN: proa-opt %s --split-input-file --verify-diagnostics --pd-refine-shapes

func.func @squeezed(%x: tensor<1x3x1xf32>) -> tensor<?x?xf32> {
  %0 = "pd.assign"(%x) : (tensor<1x3x1xf32>) -> tensor<?x?x?xf32>
  // expected-error@+1 {{has the result 'tensor<?x?xf32>' for dynamic dims, but 'tensor<1x3x1xf32>' for the static dims of its operands}}
  %1 = pd.squeeze %0 {axis = array<i64: 1>} : (tensor<?x?x?xf32>) -> tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}
