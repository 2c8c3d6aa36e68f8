// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @constant_c1() {
  // expected-error@+2 {{inferred type(s) 'tensor<2xf32>' are incompatible with return type(s) of operation 'tensor<3xf32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.constant"() <{value = dense<1.0> : tensor<2xf32>}> : () -> tensor<3xf32>
  return
}

// -----

func.func @full_c1() {
  // expected-error@+2 {{C1: the shape holds the extent -2}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.full"() <{shape = array<i64: 2, -2>, dtype = i1, operandSegmentSizes = array<i32: 0, 0>}> : () -> tensor<2x?xi1>
  return
}
