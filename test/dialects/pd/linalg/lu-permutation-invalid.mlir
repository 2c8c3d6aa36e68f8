// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @lu_permutation_c1(%a0: tensor<i32>) {
  // expected-error@+2 {{C1: pivots must have rank 1 or more}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.lu_permutation"(%a0) <{rows = 2 : i64, dtype = f32}> : (tensor<i32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @lu_permutation_c2(%a0: tensor<3xi32>) {
  // expected-error@+2 {{C2: rows must not be below the number of pivots, found 2 and 3}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.lu_permutation"(%a0) <{rows = 2 : i64, dtype = f32}> : (tensor<3xi32>) -> tensor<2x2xf32>
  return
}
