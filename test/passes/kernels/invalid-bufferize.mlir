// RUN: proa-opt %s --proa-bufferize-kernels --verify-diagnostics

// An op that nothing uses is refused too: its region would be changed.
func.func private @checkpoint(%x: tensor<?xi64>) attributes {proa.kernel} {
  // expected-error @below {{'pd.checkpoint' has no form on memory, expected ops that are lowered to linalg}}
  %0 = pd.checkpoint(%x : tensor<?xi64>) : tensor<?xf32> {
  ^bb0(%y: tensor<?xi64>):
    %c0 = arith.constant 0 : index
    %1 = tensor.extract %y[%c0] : tensor<?xi64>
    %2 = arith.index_cast %1 : i64 to index
    %3 = tensor.empty(%2) : tensor<?xf32>
    // expected-error @below {{'pd.yield' has no form on memory}}
    pd.yield %3 : tensor<?xf32>
  }
  return
}
