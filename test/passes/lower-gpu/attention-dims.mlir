// RUN: proa-opt %s --pass-pipeline="builtin.module(proa-set-target{gpu=sm_80},func.func(proa-choose-attention),proa-lower-attention)" \
// RUN:   | FileCheck %s

// Batches and keys are compared before each call; a dim of the mask may also be 1, unless its type says so.
// CHECK-LABEL: func.func private @dynamic
// CHECK-SAME: proa.dim_checks = [#proa.dim_check<argument = 1, axis = 0, other = 0, other_axis = 0>,
// CHECK-SAME: #proa.dim_check<argument = 2, axis = 0, other = 0, other_axis = 0>,
// CHECK-SAME: #proa.dim_check<argument = 2, axis = 2, other = 1, other_axis = 1>,
// CHECK-SAME: #proa.dim_check<argument = 3, axis = 0, other = 0, other_axis = 0, may_be_one = true>,
// CHECK-SAME: #proa.dim_check<argument = 3, axis = 3, other = 1, other_axis = 1, may_be_one = true>]
func.func private @dynamic(%q: tensor<?x4x?x8xf32>, %k: tensor<?x?x4x8xf32>, %v: tensor<?x4x?x8xf32>, %m: tensor<?x1x1x?xf32>)
    -> tensor<?x4x?x8xf32> attributes {proa.device_kernel = #proa.device_kernel<op>} {
  %0:3 = pd.fused_attention %q, %k, %v mask = %m {k_permutation = array<i64: 0, 2, 1, 3>}
      : (tensor<?x4x?x8xf32>, tensor<?x?x4x8xf32>, tensor<?x4x?x8xf32>, tensor<?x1x1x?xf32>)
      -> (tensor<?x4x?x8xf32>, tensor<?x4x?xf32>, tensor<?x4x?xf32>)
  return %0#0 : tensor<?x4x?x8xf32>
}

// Dims of one operand that are known are the expected sizes of the others.
// CHECK-LABEL: func.func private @partly
// CHECK-SAME: proa.dim_checks = [#proa.dim_check<argument = 1, axis = 0, size = 2>,
// CHECK-SAME: #proa.dim_check<argument = 1, axis = 2, size = 7>, #proa.dim_check<argument = 3, axis = 0, size = 2>]
func.func private @partly(%q: tensor<2x4x5x8xf32>, %k: tensor<?x4x?x8xf32>, %v: tensor<2x4x7x8xf32>, %n: tensor<?xi32>)
    -> tensor<2x4x5x8xf32> attributes {proa.device_kernel = #proa.device_kernel<op>} {
  %0:3 = pd.fused_attention %q, %k, %v key_lengths = %n
      : (tensor<2x4x5x8xf32>, tensor<?x4x?x8xf32>, tensor<2x4x7x8xf32>, tensor<?xi32>)
      -> (tensor<2x4x5x8xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>)
  return %0#0 : tensor<2x4x5x8xf32>
}

// CHECK-LABEL: func.func private @static
// CHECK-NOT: proa.dim_checks
func.func private @static(%q: tensor<2x4x5x8xf32>, %k: tensor<2x4x7x8xf32>) -> tensor<2x4x5x8xf32> attributes {proa.device_kernel = #proa.device_kernel<op>} {
  %0:3 = pd.fused_attention %q, %k, %k : (tensor<2x4x5x8xf32>, tensor<2x4x7x8xf32>, tensor<2x4x7x8xf32>)
      -> (tensor<2x4x5x8xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>)
  return %0#0 : tensor<2x4x5x8xf32>
}
