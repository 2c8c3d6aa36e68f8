// RUN: proa-opt %s --pd-vmap --verify-diagnostics

func.func @index(%x: tensor<4x8xindex>) -> tensor<4x8xindex> {
  // expected-error@+1 {{it has an element type that the dialect pd lacks}}
  %0 = arith.muli %x, %x : tensor<4x8xindex>
  return %0 : tensor<4x8xindex>
}
