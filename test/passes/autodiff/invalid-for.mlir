// RUN: proa-opt %s --split-input-file --pd-grad --verify-diagnostics

func.func @index(%x: tensor<4xf64>, %p: index) -> tensor<f64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{expected bounds and a step of scf.for that are constants or elements of tensors}}
  %y = scf.for %i = %c0 to %p step %c1 iter_args(%s = %x) -> (tensor<4xf64>) {
    %c = pd.sin %s : (tensor<4xf64>) -> tensor<4xf64>
    scf.yield %c : tensor<4xf64>
  }
  %l = pd.sum %y : (tensor<4xf64>) -> tensor<f64>
  return %l : tensor<f64>
}

// -----

func.func @used_otherwise(%x: tensor<4xf64>) -> tensor<f64> {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c1 = arith.constant 1 : index
  %y = scf.for %i = %c0 to %c4 step %c1 iter_args(%s = %x) -> (tensor<4xf64>) {
    // expected-error@+1 {{expected the induction variable of scf.for to be used as the element of a tensor only}}
    %e = tensor.extract %s[%i] : tensor<4xf64>
    %t = tensor.from_elements %e : tensor<f64>
    %c = pd.multiply %s, %t : (tensor<4xf64>, tensor<f64>) -> tensor<4xf64>
    scf.yield %c : tensor<4xf64>
  }
  %l = pd.sum %y : (tensor<4xf64>) -> tensor<f64>
  return %l : tensor<f64>
}
