// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @translations_c1(%i: !pd.array<tensor<?x1xi32>>, %s: !pd.array<tensor<?x1xf32>>, %o: !pd.array<tensor<3xi64>>) {
  // expected-error@+2 {{C1: ids must be int64, scores float32 or float64, found !pd.array<tensor<?x1xi32>> and !pd.array<tensor<?x1xf32>>}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:4 = "pd.beam_search_decode"(%i, %s, %o, %o) {beam_size = 2 : i64, end_id = 1 : i64} : (!pd.array<tensor<?x1xi32>>, !pd.array<tensor<?x1xf32>>, !pd.array<tensor<3xi64>>, !pd.array<tensor<3xi64>>) -> (tensor<?xi64>, tensor<?xf32>, tensor<3xi64>, tensor<?xi64>)
  return
}

// -----

func.func @translations_c2(%i: !pd.array<tensor<?x1xi64>>, %s: !pd.array<tensor<?x1xf32>>, %o: !pd.array<tensor<3xi64>>) {
  // expected-error@+2 {{C2: beam_size must be positive}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:4 = "pd.beam_search_decode"(%i, %s, %o, %o) {beam_size = 0 : i64, end_id = 1 : i64} : (!pd.array<tensor<?x1xi64>>, !pd.array<tensor<?x1xf32>>, !pd.array<tensor<3xi64>>, !pd.array<tensor<3xi64>>) -> (tensor<?xi64>, tensor<?xf32>, tensor<3xi64>, tensor<?xi64>)
  return
}
