// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @condition(%c: tensor<2xi1>) {
  // expected-error @+1 {{C1: the condition has 2 elements, expected one}}
  pd.assert %c : (tensor<2xi1>) -> ()
  return
}

// -----

func.func @print_c1(%a0: tensor<2x3xf32>, %a1: tensor<2x1xi64>) {
  // expected-error@+1 {{C1: a level of lod must be a vector of i64, found tensor<2x1xi64>}}
  "pd.print"(%a0, %a1) : (tensor<2x3xf32>, tensor<2x1xi64>) -> ()
  return
}

// -----

func.func @fail_c1() {
  // expected-error @+1 {{C1: message must not be empty}}
  pd.fail {message = ""} : () -> ()
  return
}
