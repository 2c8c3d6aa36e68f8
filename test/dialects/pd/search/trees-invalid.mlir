// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @tree_ensemble_c1(%x: tensor<3xf32>, %f: tensor<5xi32>, %s: tensor<5xf32>, %b: tensor<5x4xi32>, %w: tensor<5x6xf32>) {
  // expected-error@+1 {{C1: expected x, branches and weights of rank 2 and the others of rank 1, found x tensor<3xf32>}}
  %0 = pd.tree_ensemble %x, %f, %s, %b, %f, %w {depth = 2} : (tensor<3xf32>, tensor<5xi32>, tensor<5xf32>, tensor<5x4xi32>, tensor<5xi32>, tensor<5x6xf32>) -> tensor<3x6xf32>
  return
}

// -----

func.func @tree_ensemble_c2(%x: tensor<7x3xf32>, %f: tensor<5xi32>, %s: tensor<5xf32>, %b: tensor<5x2xi32>, %w: tensor<5x6xf32>) {
  // expected-error@+1 {{C2: expected the same number of nodes and 4 branches of each, found features tensor<5xi32>, splits tensor<5xf32>, branches tensor<5x2xi32>}}
  %0 = pd.tree_ensemble %x, %f, %s, %b, %f, %w {depth = 2} : (tensor<7x3xf32>, tensor<5xi32>, tensor<5xf32>, tensor<5x2xi32>, tensor<5xi32>, tensor<5x6xf32>) -> tensor<7x6xf32>
  return
}

// -----

func.func @tree_ensemble_c3(%x: tensor<7x3xf64>, %f: tensor<5xi32>, %s: tensor<5xf32>, %b: tensor<5x4xi32>, %w: tensor<5x6xf32>) {
  // expected-error@+1 {{C3: expected one element type, found x tensor<7x3xf64>, splits tensor<5xf32> and weights tensor<5x6xf32>}}
  %0 = pd.tree_ensemble %x, %f, %s, %b, %f, %w {depth = 2} : (tensor<7x3xf64>, tensor<5xi32>, tensor<5xf32>, tensor<5x4xi32>, tensor<5xi32>, tensor<5x6xf32>) -> tensor<7x6xf64>
  return
}

// -----

func.func @tree_ensemble_c4(%x: tensor<7x3xf32>, %f: tensor<5xi32>, %s: tensor<5xf32>, %b: tensor<5x4xi32>, %w: tensor<5x6xf32>) {
  // expected-error@+1 {{C4: depth is -1, expected 0 or more}}
  %0 = pd.tree_ensemble %x, %f, %s, %b, %f, %w {depth = -1} : (tensor<7x3xf32>, tensor<5xi32>, tensor<5xf32>, tensor<5x4xi32>, tensor<5xi32>, tensor<5x6xf32>) -> tensor<7x6xf32>
  return
}
