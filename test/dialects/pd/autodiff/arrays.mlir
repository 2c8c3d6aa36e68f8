// RUN: proa-opt %s --split-input-file --verify-diagnostics --pd-grad

// The default of a missing element has a gradient if the element is missing, and none otherwise.
func.func @read_or(%x: tensor<3xf32>) -> tensor<f32> {
  %zero = pd.constant dense<0> : tensor<1xi64>
  %empty = pd.array_create : () -> !pd.array<*>
  %e = pd.array_write %empty, %zero, %x : (!pd.array<*>, tensor<1xi64>, tensor<3xf32>) -> !pd.array<tensor<3xf32>>
  // expected-error @+1 {{expected zeros as the value of a missing element; other values have no gradient}}
  %h = pd.array_read_or %e, %zero, %x : (!pd.array<tensor<3xf32>>, tensor<1xi64>, tensor<3xf32>) -> tensor<3xf32>
  // expected-note @+1 {{the gradient comes through 'pd.sum'}}
  %t = pd.sum %h : (tensor<3xf32>) -> tensor<f32>
  return %t : tensor<f32>
}

// -----

func.func @concat(%x: !pd.array<tensor<3xf32>>, %y: !pd.array<tensor<?x3xf32>>) {
  // expected-error @+1 {{C2: the elements of x have type tensor<3xf32>, the elements of y tensor<?x3xf32>}}
  %z = "pd.array_concat"(%x, %y) : (!pd.array<tensor<3xf32>>, !pd.array<tensor<?x3xf32>>) -> !pd.array<tensor<3xf32>>
  return
}
