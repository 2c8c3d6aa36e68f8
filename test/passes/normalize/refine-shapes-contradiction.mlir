// RUN: proa-opt %s --pd-refine-shapes --verify-diagnostics

// Operands that contradict an op, once their dims are static, are reported at the op.
func.func @reshaped(%x: tensor<2x8xf32>) -> tensor<?x8xf32> {
  %0 = pd.assign %x : (tensor<2x8xf32>) -> tensor<?x?xf32>
  // expected-error@+1 {{cannot reshape 16 elements into 8}}
  %1 = pd.reshape %0 {shape = array<i64: 1, 8>} : (tensor<?x?xf32>) -> tensor<1x8xf32>
  %2 = tensor.cast %1 : tensor<1x8xf32> to tensor<?x8xf32>
  return %2 : tensor<?x8xf32>
}

// The dims become known when the branch is replaced.
func.func @expanded(%x: tensor<1x1xf32>, %n: tensor<1xi64>, %m: tensor<1xi64>) -> tensor<?x2xf32> {
  %true = arith.constant true
  %one = pd.constant dense<1> : tensor<1xi64>
  %0 = scf.if %true -> (tensor<1xi64>) {
    scf.yield %one : tensor<1xi64>
  } else {
    scf.yield %m : tensor<1xi64>
  }
  %1 = pd.concat %n, %0 : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  // expected-error@+1 {{has the result 'tensor<?x2xf32>' for dynamic dims, but 'tensor<?x1xf32>' for the static dims of its operands}}
  %2 = pd.expand %x, %1 : (tensor<1x1xf32>, tensor<2xi64>) -> tensor<?x2xf32>
  return %2 : tensor<?x2xf32>
}
