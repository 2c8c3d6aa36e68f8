// RUN: proa-opt %s --pd-decompose --remarks=pd-decompose --verify-diagnostics -o /dev/null

// The decomposition wants one shift for each axis.
func.func @static(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-remark @below {{pd.roll is not decomposed: its decomposition does not support these attributes and types}}
  %0 = pd.roll %x {shifts = array<i64: 1, 2>, axis = array<i64: 0>} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

func.func @dynamic(%x: tensor<4x?xf32>) -> tensor<4x?xf32> {
  // expected-remark @below {{types; operand 0 has dynamic dims: 'tensor<4x?xf32>'}}
  %0 = pd.roll %x {shifts = array<i64: 1, 2>, axis = array<i64: 0>} : (tensor<4x?xf32>) -> tensor<4x?xf32>
  return %0 : tensor<4x?xf32>
}
