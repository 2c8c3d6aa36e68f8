// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @mine_c1(%s: tensor<7xf32>, %m: tensor<7x3xi32>) {
  // expected-error@+1 {{C1: all operands must be [N, boxes]}}
  %1:3 = "pd.mine_hard_examples"(%s, %m, %s) : (tensor<7xf32>, tensor<7x3xi32>, tensor<7xf32>) -> (tensor<?x1xi32>, tensor<8xi64>, tensor<7x3xi32>)
  return
}

// -----

func.func @focus_c1(%x: tensor<2x3x4x5xf64>) {
  // expected-error@+1 {{C1: x must have rank 4 and axis be 1, 2 or 3, found rank 4 and axis 0}}
  %2 = "pd.similarity_focus"(%x) {axis = 0 : i64, indexes = array<i64: 0>} : (tensor<2x3x4x5xf64>) -> tensor<2x3x4x5xf64>
  return
}

// -----

func.func @focus_c2(%x: tensor<2x3x4x5xf64>) {
  // expected-error@+1 {{C2: there must be an index, and all must be within the dim of the axis}}
  %2 = "pd.similarity_focus"(%x) {axis = 1 : i64, indexes = array<i64: 3>} : (tensor<2x3x4x5xf64>) -> tensor<2x3x4x5xf64>
  return
}

// -----

func.func @similarity_focus_c2(%x: tensor<2x3x4x5xf64>) {
  // expected-error@+1 {{C2: there must be an index, and all must be within the dim of the axis}}
  %2 = pd.similarity_focus %x {axis = 1 : i64, indexes = array<i64: 99>} : (tensor<2x3x4x5xf64>) -> tensor<2x3x4x5xf64>
  return
}

// -----

func.func @bipartite_match_c1(%a0: tensor<3xf32>) {
  // expected-error@+1 {{C1: }}
  %0:2 = "pd.bipartite_match"(%a0) : (tensor<3xf32>) -> (tensor<1x3xi32>, tensor<1x3xf32>)
  return
}
