// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @print_c1(%a0: tensor<2x3xf32>, %a1: tensor<2x1xi64>) {
  // expected-error@+2 {{C1: a level of lod must be a vector of i64, found tensor<2x1xi64>}}
  // expected-error@+1 {{failed to infer returned types}}
  "pd.print"(%a0, %a1) : (tensor<2x3xf32>, tensor<2x1xi64>) -> ()
  return
}

// -----

func.func @array_create_type() {
  // expected-error@+1 {{'pd.array_create' op result #0 must be tensor array, but got 'tensor<2xf32>'}}
  %0 = "pd.array_create"() : () -> tensor<2xf32>
  return
}

// -----

func.func @array_length_c1(%a0: !array.of<tensor<2xf32>>) {
  // expected-error@+2 {{inferred type(s) 'tensor<1xi64>' are incompatible with return type(s) of operation 'tensor<i64>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.array_length"(%a0) : (!array.of<tensor<2xf32>>) -> tensor<i64>
  return
}
