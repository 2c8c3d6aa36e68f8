// RUN: proa-opt %s --pd-refine-shapes --remarks=pd-refine-shapes --verify-diagnostics -o /dev/null

// expected-remark @below {{refined the types of 1 results and folded 0 ops}}
func.func @static(%x: tensor<2x3xf32>) -> tensor<?x?xf32> {
  %0 = pd.relu %x : (tensor<2x3xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// Near misses.
// expected-remark @below {{refined the types of 1 results and folded 0 ops}}
func.func @operand(%x: tensor<?x3xf32>) -> tensor<?x?xf32> {
  // expected-remark @below {{pd.relu keeps dynamic dims: operand 0 has dynamic dims: 'tensor<?x3xf32>'}}
  %0 = pd.relu %x : (tensor<?x3xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// expected-remark @below {{refined the types of 0 results and folded 0 ops}}
func.func @elements(%x: tensor<6xf32>) -> tensor<?x1xi64> {
  // expected-remark @below {{pd.nonzero keeps dynamic dims: they may depend on elements of operand 0, which is not a constant}}
  %0 = pd.nonzero %x : (tensor<6xf32>) -> tensor<?x1xi64>
  return %0 : tensor<?x1xi64>
}

// expected-remark @below {{refined the types of 0 results and folded 0 ops}}
func.func @large() -> tensor<5000xf32> {
  %0 = pd.constant dense<1.0> : tensor<5000xf32>
  // expected-remark @below {{pd.relu of constants is not folded: an operand or result has more than 4096 elements}}
  %1 = pd.relu %0 : (tensor<5000xf32>) -> tensor<5000xf32>
  return %1 : tensor<5000xf32>
}

// expected-remark @below {{refined the types of 0 results and folded 0 ops}}
func.func @branch(%c: i1, %x: tensor<3xf32>) -> tensor<3xf32> {
  // expected-remark @below {{scf.if is not replaced by a branch: its condition is not a constant}}
  %0 = scf.if %c -> tensor<3xf32> {
    scf.yield %x : tensor<3xf32>
  } else {
    %1 = pd.relu %x : (tensor<3xf32>) -> tensor<3xf32>
    scf.yield %1 : tensor<3xf32>
  }
  return %0 : tensor<3xf32>
}
