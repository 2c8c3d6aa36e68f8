func.func @f(%x: tensor<?x?xf64>) -> (tensor<?x?xf64>) {
  %y, %p, %i = pd.lu %x : (tensor<?x?xf64>) -> (tensor<?x?xf64>, tensor<?xi32>, tensor<?xi32>)
  return %y : tensor<?x?xf64>
}
