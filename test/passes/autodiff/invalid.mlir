// RUN: proa-opt %s --split-input-file --verify-diagnostics --pd-grad

// expected-error @+1 {{the gradient of result 0 is asked for: expected one element, found 'tensor<4xf32>'}}
func.func @vector(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

// expected-error @+1 {{the gradient of result 0 is asked for: expected floats, found 'tensor<i64>'}}
func.func @integers(%x: tensor<i64>) -> tensor<i64> {
  return %x : tensor<i64>
}

// -----

// expected-error @+1 {{has no argument of floats or complex numbers to differentiate by}}
func.func @nothing(%x: tensor<4xi64>) -> tensor<f32> {
  %y = pd.cast %x {dtype = f32} : (tensor<4xi64>) -> tensor<4xf32>
  %s = pd.sum %y : (tensor<4xf32>) -> tensor<f32>
  return %s : tensor<f32>
}

// -----

// The error is at the op, the notes lead from the loss to it.
func.func @path(%x: tensor<2x3xf32>, %i: tensor<2x1xi64>, %v: tensor<2x3xf32>) -> tensor<f32> {
  // expected-error @+1 {{has no gradient with reduce = multiply}}
  %y = pd.scatter_nd %x, %i, %v reduce = multiply
      : (tensor<2x3xf32>, tensor<2x1xi64>, tensor<2x3xf32>) -> tensor<2x3xf32>
  // expected-note @+1 {{the gradient comes through 'pd.exp'}}
  %e = pd.exp %y : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // expected-note @+1 {{the gradient comes through 'pd.sum'}}
  %s = pd.sum %e : (tensor<2x3xf32>) -> tensor<f32>
  return %s : tensor<f32>
}

// -----

// expected-error @+1 {{the module has 2 functions: the option 'function' must name one}}
module {
  func.func @a(%x: tensor<f32>) -> tensor<f32> {
    return %x : tensor<f32>
  }
  func.func @b(%x: tensor<f32>) -> tensor<f32> {
    return %x : tensor<f32>
  }
}

// -----

// The way leads through the branch.
func.func @in_branch(%x: tensor<2x3xf32>, %i: tensor<2x1xi64>, %v: tensor<2x3xf32>, %c: tensor<i1>) -> tensor<f32> {
  %b = tensor.extract %c[] : tensor<i1>
  // expected-note @+1 {{the gradient comes through 'scf.if'}}
  %r = scf.if %b -> (tensor<2x3xf32>) {
    // expected-error @+1 {{has no gradient with reduce = multiply}}
    %y = pd.scatter_nd %x, %i, %v reduce = multiply
        : (tensor<2x3xf32>, tensor<2x1xi64>, tensor<2x3xf32>) -> tensor<2x3xf32>
    scf.yield %y : tensor<2x3xf32>
  } else {
    scf.yield %x : tensor<2x3xf32>
  }
  // expected-note @+1 {{the gradient comes through 'pd.sum'}}
  %s = pd.sum %r : (tensor<2x3xf32>) -> tensor<f32>
  return %s : tensor<f32>
}

// -----

// A number that leaves its tensor does not take a gradient of zero with it.
func.func @number(%x: tensor<f32>) -> tensor<f32> {
  %e = tensor.extract %x[] : tensor<f32>
  // expected-error @+1 {{'tensor.from_elements' has no rule for its gradient}}
  %y = tensor.from_elements %e : tensor<f32>
  return %y : tensor<f32>
}

// -----

func.func @other_return(%x: tensor<4xf32>) -> tensor<f32> {
  // expected-error@+1 {{has no derivative: expected a function that ends with func.return, found 'llvm.return'}}
  llvm.return
}
