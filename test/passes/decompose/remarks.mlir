// RUN: proa-opt %s --pd-decompose=target=cpu --remarks=pd-decompose --verify-diagnostics -o /dev/null

func.func @decomposed(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-remark @below {{pd-decompose: pd.relu is decomposed}}
  %0 = pd.relu %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

func.func @library(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-remark @below {{pd.roll is not decomposed: the target cpu has the library kernel 'roll'}}
  %0 = pd.roll %x {shifts = array<i64: 1>, axis = array<i64: 0>} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// A primitive is not a composite: nothing is said about it.
func.func @primitive(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = pd.exp %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
