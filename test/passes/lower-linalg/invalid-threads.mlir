// RUN: proa-opt %s --split-input-file --verify-diagnostics --pd-lower-to-linalg

// A strategy of another op, and one that needs memory which the op does not have.
func.func private @scan(%x: tensor<3x1000xf32>) -> tensor<3x1000xf32> attributes {proa.kernel} {
  // expected-error@+1 {{'pd.cumsum' op cannot be computed with the strategy 'merge', expected 'tiles'}}
  %0 = "pd.cumsum"(%x) <{axis = 1 : i64}> {proa.strategy = #proa.strategy<merge>} : (tensor<3x1000xf32>) -> tensor<3x1000xf32>
  return %0 : tensor<3x1000xf32>
}

// -----

func.func private @sort(%x: tensor<100000xf32>) -> (tensor<100000xf32>, tensor<100000xi64>) attributes {proa.kernel} {
  // expected-error@+1 {{'pd.argsort' op cannot be computed with the strategy 'shared', expected 'merge'}}
  %0:2 = "pd.argsort"(%x) <{axis = 0 : i64}> {proa.strategy = #proa.strategy<shared>} : (tensor<100000xf32>) -> (tensor<100000xf32>, tensor<100000xi64>)
  return %0#0, %0#1 : tensor<100000xf32>, tensor<100000xi64>
}
