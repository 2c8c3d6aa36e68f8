func.func @f(%x: tensor<?xf64>, %n: tensor<1xi64>) -> tensor<f64> {
  %z = pd.constant dense<0> : tensor<1xi64>
  %o = pd.constant dense<1> : tensor<1xi64>
  %v, %i = scf.while (%a = %x, %j = %z) : (tensor<?xf64>, tensor<1xi64>) -> (tensor<?xf64>, tensor<1xi64>) {
    %c = pd.less_than %j, %n : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi1>
    %r = pd.reshape %c {shape = array<i64>} : (tensor<1xi1>) -> tensor<i1>
    %b = tensor.extract %r[] : tensor<i1>
    scf.condition(%b) %a, %j : tensor<?xf64>, tensor<1xi64>
  } do {
  ^bb0(%p: tensor<?xf64>, %q: tensor<1xi64>):
    %s = pd.sin %p : (tensor<?xf64>) -> tensor<?xf64>
    %k = pd.add %q, %o : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
    scf.yield %s, %k : tensor<?xf64>, tensor<1xi64>
  }
  %t = pd.sum %v : (tensor<?xf64>) -> tensor<f64>
  return %t : tensor<f64>
}
