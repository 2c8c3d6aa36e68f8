// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @reindex_c1(%a0: tensor<2x1xi64>, %a1: tensor<3xi64>, %a2: tensor<2xi32>) {
  // expected-error@+2 {{C1: }}
  // expected-error@+1 {{failed to infer returned types}}
  %0:3 = "pd.reindex_graph"(%a0, %a1, %a2) : (tensor<2x1xi64>, tensor<3xi64>, tensor<2xi32>) -> (tensor<3xi64>, tensor<3xi64>, tensor<?xi64>)
  return
}
