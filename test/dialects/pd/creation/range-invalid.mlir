// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @arange_c1(%a0: tensor<2xi64>, %a1: tensor<i64>, %a2: tensor<i64>) {
  // expected-error@+2 {{operand 0 has 2}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.arange"(%a0, %a1, %a2) <{dtype = i64}> : (tensor<2xi64>, tensor<i64>, tensor<i64>) -> tensor<?xi64>
  return
}

// -----

func.func @arange_c2(%a0: tensor<i64>, %a1: tensor<i32>, %a2: tensor<i64>) {
  // expected-error@+2 {{operands must have one element type, found i64 and i32}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.arange"(%a0, %a1, %a2) <{dtype = i64}> : (tensor<i64>, tensor<i32>, tensor<i64>) -> tensor<?xi64>
  return
}

// -----

func.func @arange_c3(%a: tensor<i64>) {
  %0 = "pd.constant"() <{value = dense<0> : tensor<i64>}> : () -> tensor<i64>
  // expected-error@+2 {{the step is 0}}
  // expected-error@+1 {{failed to infer returned types}}
  %1 = "pd.arange"(%a, %a, %0) <{dtype = i64}> : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<?xi64>
  return
}

// -----

func.func @arange_c4(%a0: tensor<i64>, %a1: tensor<i64>, %a2: tensor<i64>) {
  // expected-error@+2 {{inferred type(s) 'tensor<?xi64>' are incompatible with return type(s) of operation 'tensor<?xi32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.arange"(%a0, %a1, %a2) <{dtype = i64}> : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<?xi32>
  return
}
