// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @beam_c1(%p: tensor<4x1xi64>, %q: tensor<4x1xf32>, %s: tensor<12xf32>, %o: tensor<3xi64>) {
  // expected-error@+1 {{C1: scores and ids must be [prefixes, candidates]}}
  %1:4 = "pd.beam_search"(%p, %q, %s, %o) {beam_size = 2 : i64, end_id = 0 : i64} : (tensor<4x1xi64>, tensor<4x1xf32>, tensor<12xf32>, tensor<3xi64>) -> (tensor<?x1xi64>, tensor<?x1xf32>, tensor<?xi32>, tensor<5xi64>)
  return
}

// -----

func.func @beam_c2(%p: tensor<4x1xi64>, %q: tensor<4x1xf32>, %s: tensor<4x3xf32>, %o: tensor<3xi64>) {
  // expected-error@+1 {{C2: beam_size must be positive}}
  %1:4 = "pd.beam_search"(%p, %q, %s, %o) {beam_size = 0 : i64, end_id = 0 : i64} : (tensor<4x1xi64>, tensor<4x1xf32>, tensor<4x3xf32>, tensor<3xi64>) -> (tensor<?x1xi64>, tensor<?x1xf32>, tensor<?xi32>, tensor<5xi64>)
  return
}

// -----

func.func @beam_search_c1_pre_ids(%q: tensor<4x1xf32>, %i: tensor<4x3xi64>, %s: tensor<4x3xf32>, %o: tensor<3xi64>, %v0: tensor<99x1xi64>) {
  // expected-error@+1 {{C1: scores and ids must be [prefixes, candidates], and pre_ids and pre_scores have one element a prefix, found tensor<99x1xi64>, tensor<4x1xf32>, tensor<4x3xf32>, tensor<3xi64>, tensor<4x3xi64>}}
  %0:4 = pd.beam_search %v0, %q, %s, %o, %i {beam_size = 2 : i64, end_id = 0 : i64} : (tensor<99x1xi64>, tensor<4x1xf32>, tensor<4x3xf32>, tensor<3xi64>, tensor<4x3xi64>) -> (tensor<?x1xi64>, tensor<?x1xf32>, tensor<?xi32>, tensor<5xi64>)
  return
}

// -----

func.func @translations_c1(%i: !pd.array<tensor<?x1xi32>>, %s: !pd.array<tensor<?x1xf32>>, %o: !pd.array<tensor<3xi64>>) {
  // expected-error@+1 {{C1: ids must be int64, scores float32 or float64, found !pd.array<tensor<?x1xi32>> and !pd.array<tensor<?x1xf32>>}}
  %0:4 = "pd.beam_search_decode"(%i, %s, %o, %o) {beam_size = 2 : i64, end_id = 1 : i64} : (!pd.array<tensor<?x1xi32>>, !pd.array<tensor<?x1xf32>>, !pd.array<tensor<3xi64>>, !pd.array<tensor<3xi64>>) -> (tensor<?xi64>, tensor<?xf32>, tensor<3xi64>, tensor<?xi64>)
  return
}

// -----

func.func @translations_c2(%i: !pd.array<tensor<?x1xi64>>, %s: !pd.array<tensor<?x1xf32>>, %o: !pd.array<tensor<3xi64>>) {
  // expected-error@+1 {{C2: beam_size must be positive}}
  %0:4 = "pd.beam_search_decode"(%i, %s, %o, %o) {beam_size = 0 : i64, end_id = 1 : i64} : (!pd.array<tensor<?x1xi64>>, !pd.array<tensor<?x1xf32>>, !pd.array<tensor<3xi64>>, !pd.array<tensor<3xi64>>) -> (tensor<?xi64>, tensor<?xf32>, tensor<3xi64>, tensor<?xi64>)
  return
}
