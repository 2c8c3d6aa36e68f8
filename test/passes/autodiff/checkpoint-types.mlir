// RUN: proa-opt %s --pd-checkpoint='function=index' --verify-diagnostics

// expected-error@+1 {{which would be passed a value of type 'tensor<4x8xindex>', expected a tensor with an element type of the dialect}}
func.func @index(%x: tensor<4x8xindex>) -> tensor<4x8xindex> {
  %0 = arith.addi %x, %x : tensor<4x8xindex>
  %1 = arith.muli %0, %x : tensor<4x8xindex>
  return %1 : tensor<4x8xindex>
}
