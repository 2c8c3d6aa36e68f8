// RUN: proa-opt %s --split-input-file --verify-diagnostics --pd-grad

// The same element again and again: what it was before is not there any more backward.
func.func @overwrites(%x: tensor<3xf32>, %n: tensor<1xi64>) -> tensor<f32> {
  %zero = pd.constant dense<0> : tensor<1xi64>
  %one = pd.constant dense<1> : tensor<1xi64>
  %empty = pd.array_create : () -> !array.of<*>
  %e = pd.array_write %empty, %zero, %x : (!array.of<*>, tensor<1xi64>, tensor<3xf32>) -> !array.of<tensor<3xf32>>
  // expected-note @+1 {{the gradient comes through 'scf.while'}}
  %y:2 = scf.while (%v = %e, %i = %zero) : (!array.of<tensor<3xf32>>, tensor<1xi64>) -> (!array.of<tensor<3xf32>>, tensor<1xi64>) {
    %c = pd.less_than %i, %n : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi1>
    %r = pd.reshape %c {shape = array<i64>} : (tensor<1xi1>) -> tensor<i1>
    %condition = tensor.extract %r[] : tensor<i1>
    scf.condition(%condition) %v, %i : !array.of<tensor<3xf32>>, tensor<1xi64>
  } do {
  ^bb0(%v: !array.of<tensor<3xf32>>, %i: tensor<1xi64>):
    %h = pd.array_read %v, %zero : (!array.of<tensor<3xf32>>, tensor<1xi64>) -> tensor<3xf32>
    %s = pd.sin %h : (tensor<3xf32>) -> tensor<3xf32>
    // expected-error @+1 {{a loop has no gradient through a tensor array that it carries and uses in another way}}
    %w = pd.array_write %v, %zero, %s : (!array.of<tensor<3xf32>>, tensor<1xi64>, tensor<3xf32>) -> !array.of<tensor<3xf32>>
    %j = pd.add %i, %one : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
    scf.yield %w, %j : !array.of<tensor<3xf32>>, tensor<1xi64>
  }
  // expected-note @+1 {{the gradient comes through 'pd.array_read'}}
  %l = pd.array_read %y#0, %zero : (!array.of<tensor<3xf32>>, tensor<1xi64>) -> tensor<3xf32>
  // expected-note @+1 {{the gradient comes through 'pd.sum'}}
  %t = pd.sum %l : (tensor<3xf32>) -> tensor<f32>
  return %t : tensor<f32>
}
