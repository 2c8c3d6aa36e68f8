// Two loops that fill arrays: `all` gets an element in each iteration i, and `some` 2 - i of them. `total` is the sum of
// the lengths: 1 + 2, then 2 + 1.
func.func @main(%x: tensor<3xf32> {pd.feed = "x"}) -> (tensor<1xi64> {pd.fetch = "total"}) {
  %zero = pd.constant dense<0> : tensor<1xi64>
  %one = pd.constant dense<1> : tensor<1xi64>
  %two = pd.constant dense<2> : tensor<1xi64>
  %none = pd.array_create : () -> !pd.array<*>
  %empty = pd.array_cast %none : !pd.array<*> to !pd.array<tensor<3xf32>>
  %r:3 = scf.while (%i = %zero, %total = %zero, %all = %empty) : (tensor<1xi64>, tensor<1xi64>, !pd.array<tensor<3xf32>>) -> (tensor<1xi64>, tensor<1xi64>, !pd.array<tensor<3xf32>>) {
    %c = pd.less_than %i, %two : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi1>
    %scalar = pd.reshape %c {shape = array<i64>} : (tensor<1xi1>) -> tensor<i1>
    %test = tensor.extract %scalar[] : tensor<i1>
    scf.condition(%test) %i, %total, %all : tensor<1xi64>, tensor<1xi64>, !pd.array<tensor<3xf32>>
  } do {
  ^bb0(%i: tensor<1xi64>, %total: tensor<1xi64>, %all: !pd.array<tensor<3xf32>>):
    %more = pd.array_write %all, %i, %x : (!pd.array<tensor<3xf32>>, tensor<1xi64>, tensor<3xf32>) -> !pd.array<tensor<3xf32>>
    %end = pd.subtract %two, %i : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
    %own = pd.array_create : () -> !pd.array<*>
    %few = pd.array_cast %own : !pd.array<*> to !pd.array<tensor<3xf32>>
    %s:2 = scf.while (%j = %zero, %some = %few) : (tensor<1xi64>, !pd.array<tensor<3xf32>>) -> (tensor<1xi64>, !pd.array<tensor<3xf32>>) {
      %c = pd.less_than %j, %end : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi1>
      %scalar = pd.reshape %c {shape = array<i64>} : (tensor<1xi1>) -> tensor<i1>
      %test = tensor.extract %scalar[] : tensor<i1>
      scf.condition(%test) %j, %some : tensor<1xi64>, !pd.array<tensor<3xf32>>
    } do {
    ^bb0(%j: tensor<1xi64>, %some: !pd.array<tensor<3xf32>>):
      %longer = pd.array_write %some, %j, %x : (!pd.array<tensor<3xf32>>, tensor<1xi64>, tensor<3xf32>) -> !pd.array<tensor<3xf32>>
      %k = pd.add %j, %one : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
      scf.yield %k, %longer : tensor<1xi64>, !pd.array<tensor<3xf32>>
    }
    %a = pd.array_length %more : (!pd.array<tensor<3xf32>>) -> tensor<1xi64>
    %b = pd.array_length %s#1 : (!pd.array<tensor<3xf32>>) -> tensor<1xi64>
    %both = pd.add %a, %b : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
    %sum = pd.add %total, %both : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
    %next = pd.add %i, %one : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
    scf.yield %next, %sum, %more : tensor<1xi64>, tensor<1xi64>, !pd.array<tensor<3xf32>>
  }
  return %r#1 : tensor<1xi64>
}
